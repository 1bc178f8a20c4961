"""The level field's trials: what methods are given, what is measured, and what tuning chooses."""

from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.preprocessing import StandardScaler

from pulab.plan import Method
from pulab.trials import protocol as shared
from pulab.trials.protocol import warm_up
from pulab.trials.trial import TrialContext
from pulib import UnbiasedPUClassifier
from pulib._priors._build import METHODS as ESTIMATORS
from pulib.datasets import Dataset
from pulib.sampling import make_splits
from studies.levelfield import protocol as levelfield
from studies.levelfield.study import STUDY, Fit
from studies.levelfield.tuning import CRITERIA

METHODS = STUDY.methods_of(None)
SETTINGS = {setting.name: setting for part in STUDY.presets["paper"].experiments for setting in part.settings}


def toy(n=400):
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.4).astype(np.int8)
    X = 5 + 3 * (rng.normal(size=(n, 3)) + 2 * y[:, None])
    X[:, 2] = np.round(X[:, 2] / 4)
    return Dataset("toy", X=X, target=y, y=y)


def context(method="spy", setting="two_sample", entry=None):
    data, own = toy(), SETTINGS[setting]
    split = make_splits(data, own.split, {0: 5})[0]
    return TrialContext("levelfield", "toy", setting, method, 0, data, split, entry or METHODS[method], own.task)


def run(trial):
    return levelfield.RUN[type(trial.task)](trial)


def spy(**options):
    return Method(name="spy", label="spy", estimator=f"{__name__}.Spy", **options)


class Spy(levelfield.ShareAtRandom):
    """Keeps what it is given, and ranks by the sum of the features."""

    given: dict = {}  # noqa: RUF012

    def __init__(self, share=0.5, *, prior=None, scenario="unset", random_state=None):
        super().__init__(share, prior=prior, random_state=random_state)
        self.scenario = scenario

    def fit(self, X, y):
        Spy.given = {"X": X, "y": y, "prior": self.prior, "scenario": self.scenario}
        return super().fit(X, y)

    def decision_function(self, X):
        return np.sum(X, axis=1)


def told(setting, **options):
    trial = context(setting=setting, entry=spy(**options))
    return run(trial), Spy.given, trial


def test_methods_are_told_labels_not_truth():
    result, given, trial = told("two_sample")
    rows = np.concatenate([trial.split.labeled, trial.split.unlabeled])
    np.testing.assert_array_equal(given["X"], trial.data.X[rows])
    np.testing.assert_array_equal(np.flatnonzero(given["y"]), np.arange(len(trial.split.labeled)))
    assert not np.intersect1d(rows, trial.split.test).size
    assert given["prior"] == pytest.approx(trial.data.y[trial.split.unlabeled].mean())
    facts = {"n_features": 3, "share_discrete": 1 / 3, "n_labeled": len(trial.split.labeled)}
    assert {name: result.scalars[name] for name in facts} == pytest.approx(facts)
    assert result.scalars["auc"] > 0.9
    assert result.seconds["fit"] >= 0


def test_a_ceiling_is_told_the_truth_of_the_same_rows_and_features_are_standardized_by_these():
    _, given, trial = told("two_sample", labels="all", standardize=True)
    np.testing.assert_array_equal(given["y"], trial.data.y[np.concatenate([trial.split.labeled, trial.split.unlabeled])])
    np.testing.assert_allclose(given["X"].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(given["X"].std(axis=0), 1)


@pytest.mark.parametrize(
    ("setting", "scenario", "factor"),
    [
        ("one_sample", "one_sample", 1.0),
        ("switched_two", "two_sample", 1.0),
        ("prior_140", "two_sample", 1.4),
    ],
)
def test_the_scenario_and_the_prior_arrive(setting, scenario, factor):
    result, given, trial = told(setting)
    assert given["scenario"] == scenario
    assert given["prior"] == pytest.approx(factor * trial.split.prior)
    assert result.scalars["prior_given"] == given["prior"]
    assert result.scalars["prior_true"] == trial.split.prior
    one = setting in ("one_sample", "switched_two")
    population = np.concatenate([trial.split.labeled, trial.split.unlabeled]) if one else trial.split.unlabeled
    assert trial.split.prior == pytest.approx(trial.data.y[population].mean())


def test_there_is_a_setting_for_every_estimator_of_the_prior():
    named = {name.removeprefix("prior_estimated_") for name in SETTINGS if name.startswith("prior_estimated_")}
    # the study's best bin is the paper's; DEDPUL came after it
    assert named == set(ESTIMATORS) - {"best_bin_paper", "best_bin_binomial", "by_subtype", "dedpul"}


def test_best_bin_of_the_study_is_that_of_the_paper(monkeypatch):
    asked = []
    monkeypatch.setattr(shared, "estimate_prior", lambda X, y, method, **options: asked.append(method) or 0.3)
    monkeypatch.setattr(shared, "_estimates", {})
    for estimator in ("best_bin", "tice"):
        trial = context(setting=f"prior_estimated_{estimator}", entry=spy())
        assert shared.given_prior(trial) == 0.3
    assert asked == ["best_bin_paper", "tice"]


def test_pi_goes_by_the_name_that_a_package_has_for_it():
    assert shared.build(context(entry=spy(prior_name="share")), prior=0.25).share == 0.25
    assert shared.build(context(entry=spy(params={"prior": None})), prior=0.25).prior is None


def test_what_has_learned_nothing_has_closed_forms():
    names = ("lf_all_positive", "lf_all_negative", "lf_random_share")
    positive, negative, random = (run(context(name)).scalars for name in names)
    trial = context("lf_all_positive")
    share = trial.data.y[trial.split.test].mean()
    assert positive["accuracy"] == positive["average_precision"] == pytest.approx(share)
    assert negative["accuracy"] == pytest.approx(1 - share)
    assert positive["f1"] == pytest.approx(2 * share / (1 + share))
    assert negative["f1"] == 0
    for found in (positive, negative):
        assert found["auc"] == found["balanced_accuracy"] == 0.5
    assert positive["brier"] == positive["calibration_error"] == pytest.approx(1 - share)
    told_share, n = random["prior_given"], random["n_test"]
    assert random["share_positive"] == pytest.approx(told_share, abs=4 * np.sqrt(0.25 / n))
    expected = share * told_share + (1 - share) * (1 - told_share)
    assert random["accuracy"] == pytest.approx(expected, abs=4 * np.sqrt(0.25 / n))
    assert random["brier"] == pytest.approx(share * (1 - told_share) ** 2 + (1 - share) * told_share**2)


def test_pusb_ranks_as_the_logistic_risk_and_calls_a_share_of_the_population_positive():
    rows = toy(2000)
    X, y = StandardScaler().fit_transform(rows.X), (rows.y * (np.arange(2000) % 4 == 0)).astype(int)
    pusb = levelfield.PUSB(prior=0.4, scenario="one_sample").fit(X, y)
    risk = UnbiasedPUClassifier(loss="logistic", prior=0.4, scenario="one_sample").fit(X, y)
    assert np.array_equal(np.argsort(pusb.decision_function(X)), np.argsort(risk.decision_function(X)))
    assert abs(pusb.predict(X).mean() - 0.4) < 0.02


def test_calibration_error_is_that_of_the_plain_loop():
    rng = np.random.default_rng(1)
    p, truth = np.append(rng.random(200), [0.0, 1.0]), rng.integers(0, 2, 202)
    bins = np.minimum((10 * p).astype(int), 9)
    expected = sum(abs((p - truth)[bins == k].sum()) for k in range(10)) / 202
    assert levelfield.calibration_error(truth, p) == pytest.approx(expected)


def test_the_oracle_is_best_on_the_rows_that_it_sees():
    method = "lf_naive_lr"
    trial = context(method, "tuning")
    scalars = run(trial).scalars
    assert all(scalars["held_out_accuracy_oracle"] >= scalars[f"held_out_accuracy_{name}"] for name in CRITERIA)
    assert scalars["chosen_none"] == 0
    plain = run(TrialContext("levelfield", "toy", "tuning", method, 0, trial.data, trial.split, trial.method, Fit()))
    assert scalars["accuracy_none"] == plain.scalars["accuracy"]
    assert scalars["auc_none"] == plain.scalars["auc"]
    sizes = [len(values) for values in trial.method.grid.values()]
    assert scalars["n_candidates"] in (np.prod(sizes), np.prod(sizes) + 1)
    with pytest.raises(ValueError, match="no grid"):
        run(context("lf_all_positive", "tuning"))


class Noted(BaseEstimator):
    """Notes what it is fitted to."""

    fits: ClassVar[list] = []

    def fit(self, X, y):
        self.fits.append((len(X), sorted(set(y)), self.get_params()))
        return self

    def predict(self, X):
        return np.zeros(len(X))


class NotedForest(Noted):
    def __init__(self, n_estimators=100):
        self.n_estimators = n_estimators


@pytest.mark.parametrize(
    ("module", "kind", "fits"),
    [
        ("pulib.trees.spy", NotedForest, [(300, [0, 1], {"n_estimators": 2})]),
        ("pulib.linear.spy", Noted, [(80, [0, 1], {})]),
        ("sklearn.spy", Noted, []),
    ],
)
def test_trees_are_compiled_for_all_rows_and_others_for_a_few(monkeypatch, module, kind, fits):
    monkeypatch.setattr(Noted, "fits", [])
    monkeypatch.setattr(kind, "__module__", module)
    warm_up(kind(), np.zeros((300, 2)), np.repeat([1, 0], [100, 200]))
    assert Noted.fits == fits


def test_repeats_of_a_method_are_warmed_up_once(monkeypatch):
    monkeypatch.setattr(Noted, "fits", [])
    monkeypatch.setattr(NotedForest, "__module__", "pulib.trees.spy")
    y = np.repeat([1, 0], [100, 200])
    rows = {"n": np.zeros((300, 3)), "n once more": np.ones((300, 3)), "float32": np.zeros((300, 3), np.float32)}
    for trees, X, n_fits in [(7, "n", 1), (7, "n once more", 1), (8, "n", 2), (7, "float32", 3)]:
        warm_up(NotedForest(trees), rows[X], y)
        assert len(Noted.fits) == n_fits, (trees, X)


def test_every_method_of_the_study_has_a_role_or_is_a_learner():
    names = {method.name for preset in STUDY.presets.values() for part in preset.experiments for method in part.methods}
    assert names <= set(METHODS)
    assert all(name.startswith("lf_") for name in METHODS)
    roles = {name: method.role or "learner" for name, method in METHODS.items()}
    assert set(roles.values()) == {"learner", "ceiling", "trivial", "rival"}
    for name, role in roles.items():
        assert (METHODS[name].labels == "all") == (role == "ceiling"), name
    assert sum(role == "learner" for role in roles.values()) >= 18
