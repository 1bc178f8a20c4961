"""Metadata passed to ``fit`` reaches the estimators it is for, in every class that consumes or routes it."""

import inspect
import warnings
from itertools import cycle

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pulib import BaggingSVC, ElkanNotoClassifier, NaivePUClassifier, PUBaggingClassifier, PUGridSearchCV, PUThresholdClassifier
from pulib._folds import held_out_folds
from pulib.exceptions import PUWarning
from pulib.utils import all_estimators

CLASSES = dict(all_estimators())
WEIGHING = sorted(name for name, cls in CLASSES.items() if "sample_weight" in inspect.signature(cls.fit).parameters)
#: Wraps an outlier detector, not a classifier; see tests/pulib/test_reductions.py.
OF_DETECTORS = {"OneClassPUClassifier"}
ROUTERS = sorted(
    name
    for name, cls in CLASSES.items()
    if "estimator" in inspect.signature(cls.__init__).parameters and name not in OF_DETECTORS
)
#: Classes that give their base their own weights or targets.
OWN_WEIGHTS = {"BiasedPUClassifier", "SGBDotaClassifier", "AUCBoostingClassifier", "GetEnsembleClassifier"}
ROUTING = sorted(set(ROUTERS) - OWN_WEIGHTS)

RNG = np.random.default_rng(21)
TRUTH = np.r_[np.ones(60, bool), RNG.random(180) < 0.4]
Y = np.repeat([1, 0], [60, 180])
X = np.column_stack([np.arange(240.0), RNG.normal(size=240) + 2 * TRUTH])
WEIGHTS = 1.0 + np.arange(240) % 3


class Recorder(ClassifierMixin, BaseEstimator):
    """Records the metadata of each fit, with the row numbers, which are the first feature."""

    seen = []  # noqa: RUF012

    def fit(self, X, y, sample_weight=None, metadata=None):
        type(self).seen.append((X[:, 0].astype(int), sample_weight, metadata))
        self.model_ = LogisticRegression().fit(X[:, 1:], y)
        self.classes_, self.n_features_in_ = self.model_.classes_, X.shape[1]
        return self

    def predict(self, X):
        return self.model_.predict(X[:, 1:])

    def predict_proba(self, X):
        return self.model_.predict_proba(X[:, 1:])


def around(name, base):
    options = {"random_state": 0} if "random_state" in CLASSES[name]._get_param_names() else {}
    if name == "PUBaggingClassifier":
        options |= {"n_estimators": 3, "prior": 0.4}
    if name == "PUGridSearchCV":
        options |= {"param_grid": {}, "cv": 3}
    if name == "PURandomizedSearchCV":
        options |= {"param_distributions": {}, "n_iter": 1, "cv": 3}
    return CLASSES[name](base, **options)


@pytest.fixture(autouse=True)
def _nothing_seen():
    Recorder.seen.clear()


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def assert_rows_match(weights, metadata, *, own_weights=False):
    assert Recorder.seen
    for rows, got_weights, got_metadata in Recorder.seen:
        assert (got_weights is None) == (weights is None)
        if weights is not None and not own_weights:
            assert np.array_equal(got_weights, weights[rows])
        assert (got_metadata is None) == (metadata is None)
        if metadata is not None:
            assert np.array_equal(got_metadata, metadata[rows])


@pytest.mark.parametrize("name", sorted(set(CLASSES) - set(WEIGHING)))
def test_error_without_support_of_weights_names_the_class(name):
    cls = CLASSES[name]
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in inspect.signature(cls.fit).parameters.values()):
        pytest.skip("passes everything on")
    model = cls(**({"prior": 0.4} if "prior" in inspect.signature(cls.__init__).parameters else {}))
    with pytest.raises(TypeError, match=rf"^{name}.fit takes no sample_weight. Omit it, use a learner that weights rows"):
        model.fit(X, Y, sample_weight=WEIGHTS)
    with pytest.raises(TypeError, match=rf"^{name}.fit takes no groups"):
        model.fit(X, Y, groups=WEIGHTS)
    with pytest.raises(TypeError, match=rf"^{name}.fit takes no color. It takes X, y"):
        model.fit(X, Y, color=1)


@pytest.mark.parametrize("name", ROUTING)
def test_base_receives_all_metadata_or_with_routing_what_it_requests(name, request):
    metadata = np.array([f"row {i}" for i in range(240)])
    around(name, Recorder()).fit(X, Y, sample_weight=WEIGHTS, metadata=metadata)
    assert_rows_match(WEIGHTS, metadata, own_weights=name == "PUBaggingClassifier")
    Recorder.seen.clear()
    request.getfixturevalue("routing")
    asking = Recorder().set_fit_request(sample_weight=True, metadata=True)
    model = around(name, asking)
    model.fit(X, Y, sample_weight=WEIGHTS, metadata=metadata)
    assert_rows_match(WEIGHTS, metadata, own_weights=name == "PUBaggingClassifier")
    Recorder.seen.clear()
    around(name, Recorder().set_fit_request(sample_weight=False, metadata="color")).fit(
        X, Y, color=metadata, **({} if "Search" in name else {"sample_weight": WEIGHTS})
    )
    assert_rows_match(None, metadata)
    with pytest.raises(UnsetMetadataPassedError, match="metadata"):
        around(name, Recorder().set_fit_request(sample_weight=True)).fit(X, Y, metadata=metadata)
    with pytest.raises(TypeError, match="unexpected argument"):
        around(name, asking).fit(X, Y, unheard_of=metadata)


@pytest.mark.parametrize("name", ROUTING)
def test_pipelines_as_base(name, routing):
    base = make_pipeline(
        StandardScaler().set_fit_request(sample_weight=False), LogisticRegression().set_fit_request(sample_weight=True)
    )
    weighted = around(name, base).fit(X, Y, sample_weight=WEIGHTS).decision_function(X)
    plain = around(name, clone(base)).fit(X, Y).decision_function(X)
    assert not np.allclose(weighted, plain)
    with sklearn.config_context(enable_metadata_routing=False):
        legacy = make_pipeline(StandardScaler(), LogisticRegression())
        assert np.allclose(around(name, legacy).fit(X, Y, sample_weight=WEIGHTS).decision_function(X), weighted)


def test_sar_em_weights_its_models_under_routing():
    model = CLASSES["BiasedPUClassifier"](propensity_features=[1], max_iter=5)
    expected = model.fit(X, Y, sample_weight=WEIGHTS).decision_function(X)
    with sklearn.config_context(enable_metadata_routing=True):
        assert np.array_equal(clone(model).fit(X, Y, sample_weight=WEIGHTS).decision_function(X), expected)
    with pytest.raises(TypeError, match=r"BiasedPUClassifier.fit takes no color"):
        model.fit(X, Y, color=1)


@pytest.mark.parametrize("enabled", [False, True])
def test_weights_reach_the_scores_of_a_search(enabled):
    heavy = np.where((Y == 1) & (X[:, 1] < 1), 50.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=enabled):
        base = LogisticRegression().set_fit_request(sample_weight=False) if enabled else NaivePUClassifier(LogisticRegression())
        search = PUGridSearchCV(base, {}, scoring="proxy_recall", cv=3)
        assert search.fit(X, Y).best_score_ != search.fit(X, Y, sample_weight=heavy).best_score_


def test_error_names_a_base_without_support_of_weights():
    for model in (NaivePUClassifier(KNeighborsClassifier()), PUGridSearchCV(KNeighborsClassifier(), {}, cv=3)):
        with pytest.raises(ValueError, match=r"KNeighborsClassifier.fit takes no sample_weight"):
            model.fit(X, Y, sample_weight=WEIGHTS)
    with pytest.raises((TypeError, ValueError), match=r"BaggingSVC.fit takes no sample_weight"):
        NaivePUClassifier(BaggingSVC(3)).fit(X, Y, sample_weight=WEIGHTS)


#: Classes that select the rows on which their base is fitted.
SELECTING = {"PUBaggingClassifier", "TwoStepPUClassifier"}


class TestGroups:
    groups = np.random.default_rng(3).integers(0, 40, 240)  # each with labeled and unlabeled rows

    @pytest.mark.parametrize("name", [name for name in ROUTING if name not in SELECTING])
    def test_no_group_is_on_both_sides(self, name):
        around(name, Recorder()).fit(X, Y, groups=self.groups)
        assert_rows_match(None, None)
        parts = [rows for rows, *_ in Recorder.seen if len(rows) < 240]
        assert all(len(rows) == np.isin(self.groups, self.groups[rows]).sum() for rows in parts)
        if name != "NaivePUClassifier":  # it holds nothing out without prior
            assert len(parts) >= 3

    def test_bags_of_siblings_do_not_score_them(self):
        """On noise with siblings, scores reveal the labels of rows whose siblings were drawn; with groups, they do not."""
        rng = np.random.default_rng(5)
        patients = rng.normal(size=(80, 6))
        rows = np.repeat(patients, 4, axis=0) + rng.normal(0, 1e-3, size=(320, 6))
        y, groups = np.repeat(np.arange(80) < 30, 4).astype(int), np.repeat(np.arange(80), 4)
        model = PUBaggingClassifier(ExtraTreesClassifier(10), 10, oob_score=True, random_state=0)
        leaked = roc_auc_score(y, model.fit(rows, y).oob_decision_function_)
        honest = roc_auc_score(y, model.fit(rows, y, groups=groups).oob_decision_function_)
        assert leaked > 0.75
        assert 0.3 < honest < 0.7

    def test_elkan_noto_holds_groups_out(self):
        ElkanNotoClassifier(Recorder(), hold_out=0.3, random_state=0).fit(X, Y, groups=self.groups)
        for rows, *_ in Recorder.seen:
            assert len(rows) == np.isin(self.groups, self.groups[rows]).sum()

    @pytest.mark.parametrize("name", ["PUGridSearchCV", "PURandomizedSearchCV"])
    def test_searches_under_routing(self, name, routing):
        search = around(name, LogisticRegression()).fit(X, Y, groups=self.groups)
        for train, held_out in search._folds(X, Y, {"groups": self.groups}):
            assert not set(self.groups[train]) & set(self.groups[held_out])
        with pytest.raises(TypeError, match="unexpected argument"):  # a splitter that does not ask for groups
            search.set_params(cv=KFold(3)).fit(X, Y, groups=self.groups)

    def test_too_few_groups(self):
        with pytest.raises(ValueError, match="1 groups with labeled and 2 with unlabeled rows"):
            held_out_folds(np.arange(9) < 4, groups=np.repeat([0, 1], [5, 4]))
        with pytest.raises(ValueError, match="inconsistent numbers"):
            PUThresholdClassifier(LogisticRegression(), prior=0.4).fit(X, Y, groups=self.groups[:-1])
        with pytest.raises(ValueError, match="inconsistent numbers"):
            PUGridSearchCV(LogisticRegression(), {}, cv=3).fit(X, Y, groups=self.groups[:-1])

    @pytest.mark.parametrize(
        "model",
        [NaivePUClassifier(LogisticRegression(), prior=0.4), PUGridSearchCV(LogisticRegression(), {}, cv=3)],
        ids=lambda model: type(model).__name__,
    )
    def test_repeated_rows_without_groups_warn(self, model):
        rng = np.random.default_rng(6)
        rows = np.repeat(rng.normal(size=(80, 4)), 4, axis=0) + rng.normal(0, 1e-3, size=(320, 4))
        y, groups = np.repeat(np.arange(80) < 30, 4).astype(int), np.repeat(np.arange(80), 4)
        with pytest.warns(PUWarning, match=rf"Rows look repeated.*groups= to {type(model).__name__}.fit"):
            model.fit(rows, y)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(rows, y, groups=groups)
            model.fit(rng.normal(size=(320, 4)), y)
        assert not [warning for warning in caught if "repeated" in str(warning.message)]


class Unsound(ClassifierMixin, BaseEstimator):
    """Gives scores that are not finite, during fit or later."""

    def __init__(self, value=np.nan):
        self.value = value

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.where(np.arange(len(X)) % 7 == 0, self.value, X[:, 1]).astype(np.float16)

    def predict_proba(self, X):
        p = self.decision_function(X)
        return np.column_stack([1 - p, p])

    def predict(self, X):
        return (self.decision_function(X) > 0).astype(int)


@pytest.mark.parametrize(("name", "value"), list(zip(ROUTING, cycle([np.nan, np.inf, -np.inf]), strict=False)))
def test_non_finite_scores_raise_an_error(name, value):
    model = around(name, Unsound(value))
    if "scoring" in model.get_params(deep=False):
        model.set_params(scoring="proxy_auc")
    message = r"scores contains|Unsound gives .* rows a score that is not finite \((nan|-?inf)\)"
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y).decision_function(X)
    if "Search" not in name:
        with pytest.raises(ValueError, match=message):
            model.fit(X, Y).predict(X)
