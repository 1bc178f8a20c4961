"""The reductions to ordinary classification: naive, and in bags."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from pulib import (
    BiasedPUClassifier,
    ElkanNotoClassifier,
    NaivePUClassifier,
    PUBaggingClassifier,
    PUCalibratedClassifier,
    PUThresholdClassifier,
    estimate_prior,
)
from pulib.kernels import draw_seeds
from tests.pulib.naive.bagging import naive_bagging


@pytest.fixture
def data():
    rng = np.random.default_rng(5)
    truth = np.r_[np.ones(30, bool), rng.random(90) < 0.4]
    X = rng.normal(size=(120, 3)) + np.where(truth, 1, -1)[:, None]
    return X, np.r_[np.ones(30, int), np.zeros(90, int)], truth


class TestNaive:
    def test_is_the_base_on_the_pu_labels(self, data):
        X, y, _ = data
        base = LogisticRegression().fit(X, y)
        model = NaivePUClassifier(LogisticRegression(), pos_label="yes", unlabeled_label="no").fit(X, np.where(y, "yes", "no"))
        assert_array_equal(model.decision_function(X), base.decision_function(X))
        assert_array_equal(model.predict_proba(X)[:, 1], base.predict_proba(X)[:, 1])
        assert set(model.predict(X)) == {"no", "yes"}


class TestBagging:
    @pytest.mark.parametrize(("max_samples", "n_drawn"), [(0.3, 27), (17, 17), ("n_positive", 30)])
    def test_agrees_with_the_obvious_loop(self, data, max_samples, n_drawn):
        X, y, _ = data
        model = PUBaggingClassifier(GaussianNB(), 7, max_samples=max_samples, random_state=3).fit(X, y)
        expected = naive_bagging(GaussianNB(), X, y, X, n_drawn, draw_seeds(3, 7))
        assert_allclose(model.predict_proba(X)[:, 1], expected, atol=1e-12)

    @pytest.mark.parametrize("balance", ["balanced", {0: 1.0, 1: 3.0}])
    def test_class_weights_are_the_bags_own(self, data, balance):
        X, y, _ = data
        X = X.astype(np.float32).astype(float)
        base = DecisionTreeClassifier(max_depth=2, class_weight=balance)
        model = PUBaggingClassifier(base, 9, max_samples=12, random_state=1).fit(X, y)
        assert_allclose(model.predict_proba(X)[:, 1], naive_bagging(base, X, y, X, 12, draw_seeds(1, 9)), atol=1e-12)

    def test_the_seed_reaches_what_is_nested(self, data):
        X, y, _ = data
        base = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_features=1, random_state=7))
        one, again, other = (PUBaggingClassifier(base, 5, random_state=s).fit(X, y).decision_function(X) for s in (0, 0, 1))
        assert_array_equal(one, again)
        assert not np.array_equal(one, other)
        members = PUBaggingClassifier(base, 5, random_state=0).fit(X, y).estimators_
        assert len({member[-1].random_state for member in members}) == 5

    @pytest.mark.parametrize("params", [{"max_samples": 0}, {"max_samples": "half"}, {"n_estimators": 0}])
    def test_bad_parameters_are_named(self, data, params):
        with pytest.raises(ValueError, match=f"'{next(iter(params))}' parameter of PUBaggingClassifier"):
            PUBaggingClassifier(**params).fit(*data[:2])

    def test_base_with_votes_only(self, data):
        X, y, _ = data
        model = PUBaggingClassifier(LinearSVC(), 5, random_state=0).fit(X, y)
        assert set(np.unique(np.round(5 * model.predict_proba(X)[:, 1]))) <= set(range(6))
        with pytest.raises(AttributeError):
            _ = model.feature_importances_


BETWEEN_ROWS = KNeighborsClassifier(metric="precomputed")


@pytest.mark.parametrize(
    "reduction",
    [
        PUBaggingClassifier(BETWEEN_ROWS),
        PUBaggingClassifier(make_pipeline(BETWEEN_ROWS)),
        PUBaggingClassifier(NaivePUClassifier(BETWEEN_ROWS)),
        PUThresholdClassifier(SVC(kernel="precomputed")),
        PUCalibratedClassifier(BETWEEN_ROWS),
        ElkanNotoClassifier(BETWEEN_ROWS),
        BiasedPUClassifier(BETWEEN_ROWS),
        NaivePUClassifier(BETWEEN_ROWS, oob_score=True),
    ],
)
def test_a_matrix_between_rows_is_refused_where_rows_are_selected(reduction):
    y, distances = np.arange(40) < 15, np.abs(np.subtract.outer(np.arange(40.0), np.arange(40.0)))
    with pytest.raises(ValueError, match=rf"takes a precomputed matrix .*{type(reduction).__name__} fits it to some"):
        reduction.fit(distances, y)
    with pytest.raises(ValueError, match=r"takes a precomputed matrix .* an estimate of π fits it to some"):
        estimate_prior(distances, y, classifier=reduction.estimator)


def test_a_matrix_between_all_rows_is_learned_from():
    y, distances = np.arange(40) < 15, np.abs(np.subtract.outer(np.arange(40.0), np.arange(40.0)))
    assert_array_equal(NaivePUClassifier(BETWEEN_ROWS).fit(distances, y).predict(distances), y)


class Unsure(ClassifierMixin, BaseEstimator):
    """Says of every row that it is labeled with one and the same small probability."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.tile([0.99, 0.01], (len(X), 1))


@pytest.mark.parametrize(("scenario", "least"), [("two_sample", 0.25 / 1.75), ("one_sample", 0.25)])
def test_the_label_frequency_has_a_floor(data, scenario, least):
    """Positives are at least as often labeled as if all rows were positive: 30 of 120 rows are labeled."""
    X, y, _ = data
    model = ElkanNotoClassifier(Unsure(), calibration=None, scenario=scenario).fit(X, y)
    assert model.label_frequency_ == pytest.approx(least)
