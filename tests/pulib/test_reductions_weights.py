"""Weights of rows in the reductions: a weight of 2 is a row given twice, one of 0 a row left out."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from pulib import (
    BiasedPUClassifier,
    ElkanNotoClassifier,
    NaivePUClassifier,
    PUBaggingClassifier,
    PUCalibratedClassifier,
    PUThresholdClassifier,
)
from pulib._calibration import CALIBRATIONS
from pulib._priors._held_out import prior_from_scores
from pulib._threshold import cross_fitted_scores, cut_at_share, fit_slope
from pulib._weights import fit_weights, weighted_counts
from pulib.kernels import draw_seeds
from pulib.reductions._bagging import _Bags
from tests.pulib.naive.bagging import naive_bagging

PRIOR = 0.3


@st.composite
def weighted_scores(draw):
    """Scores with and without ties, who is labeled, and small integer weights."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(4, 40))
    positive = np.arange(n) < draw(st.integers(2, n - 2))
    scores = rng.normal(size=n) if draw(st.booleans()) else rng.integers(0, 5, n).astype(float)
    return scores + positive, positive, rng.integers(1, 4, n)


@given(weighted_scores(), st.floats(0, 1))
def test_cut_of_weighted_scores_is_that_of_repeated_ones(drawn, share):
    scores, _, weights = drawn
    assert cut_at_share(scores, share, weights.astype(float)) == cut_at_share(np.repeat(scores, weights), share)


@settings(max_examples=30)
@given(weighted_scores(), st.sampled_from(["two_sample", "one_sample"]))
def test_slope_of_weighted_scores_is_that_of_repeated_ones(drawn, scenario):
    scores, positive, weights = drawn
    repeated = fit_slope(np.repeat(scores, weights), np.repeat(positive, weights), PRIOR, scenario)
    assume(repeated * np.abs(scores[scores != 0]).min() < 15)  # beyond it, slopes have the same risk, but for rounding
    assert_allclose(fit_slope(scores, positive, PRIOR, scenario, weights.astype(float)), repeated, rtol=1e-3)


@settings(max_examples=30)
@given(weighted_scores(), st.sampled_from(sorted(CALIBRATIONS)), st.booleans())
def test_calibration_of_weighted_scores_is_that_of_repeated_ones(drawn, method, joined):
    scores, positive, weights = drawn
    weighted, _ = CALIBRATIONS[method](scores, positive, PRIOR, joined, weights.astype(float))
    repeated, _ = CALIBRATIONS[method](np.repeat(scores, weights), np.repeat(positive, weights), PRIOR, joined)
    assert_allclose(weighted.predict(scores), repeated.predict(scores), atol=1e-3 if method == "sigmoid" else 1e-6)


@settings(deadline=None, max_examples=5)
@given(weighted_scores(), st.sampled_from(["two_sample", "one_sample"]), st.floats(1e-3, 1e3))
def test_an_estimate_does_not_depend_on_the_scale_of_the_weights(drawn, scenario, factor):
    scores, positive, weights = drawn
    estimate = prior_from_scores(scores, positive, scenario, weights.astype(float))
    assert_allclose(prior_from_scores(scores, positive, scenario, factor * weights).prior, estimate.prior)
    equal = prior_from_scores(scores, positive, scenario, np.full(len(scores), 2.0))
    assert_allclose(equal.prior, prior_from_scores(scores, positive, scenario).prior)


def test_an_estimate_follows_the_weights():
    rng = np.random.default_rng(0)
    truth = np.arange(3000) < 1800  # of which 600 are labeled
    positive, scores = np.arange(3000) < 600, rng.normal(size=3000) + np.where(truth, 2.0, -2.0)
    assert abs(prior_from_scores(scores, positive, "two_sample").prior - 0.5) < 0.03
    assert abs(prior_from_scores(scores, positive, "two_sample", np.where(truth, 1.0, 3.0)).prior - 0.25) < 0.03
    assert abs(prior_from_scores(scores, positive, "one_sample", np.where(truth, 1.0, 3.0)).prior - 1 / 3) < 0.03


def test_counts_are_in_the_proportion_of_the_weights():
    positive = np.array([True, False, False, False])
    assert weighted_counts(positive, None) == (1, 3)
    assert weighted_counts(positive, np.array([3.0, 1.0, 1.0, 1.0])) == (2, 2)


def test_folds_hand_weights_on():
    positive, weights = np.arange(40) % 4 == 0, np.arange(40.0)

    class Spy(LogisticRegression):
        def fit(self, X, y, sample_weight):
            assert np.array_equal(sample_weight, X[:, 0])
            return super().fit(X, y, sample_weight)

    for spy in (Spy(), make_pipeline(make_pipeline("passthrough", Spy()))):
        cross_fitted_scores(spy, weights[:, None], positive, lambda fitted, rows: rows[:, 0], weights=weights)


def test_what_takes_no_weights_is_told():
    for estimator in (KNeighborsClassifier(), make_pipeline(StandardScaler(), KNeighborsClassifier())):
        with pytest.raises(ValueError, match=r"KNeighborsClassifier.fit takes no sample_weight. Pass an estimator"):
            fit_weights(estimator, np.ones(3))
        assert fit_weights(estimator, None) == {}


LINEAR = LogisticRegression()
TREE = DecisionTreeClassifier(max_depth=2)
LEARNERS = {
    "naive": NaivePUClassifier(LINEAR, oob_score=True),
    "naive, prior": NaivePUClassifier(LINEAR, prior=PRIOR),
    "bagging": PUBaggingClassifier(LINEAR, 5, prior=PRIOR, oob_score=True, random_state=0),
    "bagging of trees": PUBaggingClassifier(TREE, 5, max_samples=0.5, prior="estimate", random_state=0),
    "elkan_noto": ElkanNotoClassifier(LINEAR),
    "elkan_noto, held out": ElkanNotoClassifier(LINEAR, hold_out=0.3, calibration=None, random_state=0),
    "threshold": PUThresholdClassifier(make_pipeline(StandardScaler(), LINEAR)),
    "calibrated": PUCalibratedClassifier(LINEAR, prior=PRIOR),
    "biased": BiasedPUClassifier(LINEAR, propensity_features=[0], tol=0.05),
}


@pytest.fixture(params=LEARNERS)
def learner(request):
    return clone(LEARNERS[request.param])


def draw_problem(n=200, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.5
    X = rng.normal(size=(n, 2)) + np.where(truth, 1.2, -1.2)[:, None]
    return X, (truth & (rng.random(n) < 0.4)).astype(int), truth, rng.integers(0, 4, n)


def test_equal_weights_are_none(learner):
    X, y, _, _ = draw_problem()
    expected = learner.fit(X, y).decision_function(X)
    assert clone(learner).fit(X, y, sample_weight=np.ones(len(y))).decision_function(X).tobytes() == expected.tobytes()
    assert clone(learner).fit(X, y, sample_weight=1.0).decision_function(X).tobytes() == expected.tobytes()


def test_rows_of_weight_0_are_left_out(learner):
    X, y, _, weights = draw_problem()
    kept = weights > 0
    expected = learner.fit(X[kept], y[kept], sample_weight=weights[kept])
    model = clone(learner).fit(X, y, sample_weight=pd.Series(weights))
    assert model.decision_function(X).tobytes() == expected.decision_function(X).tobytes()
    if hasattr(model, "oob_decision_function_"):
        assert_array_equal(model.oob_decision_function_[kept], expected.oob_decision_function_)
        assert np.all(np.isnan(model.oob_decision_function_[~kept]))


@pytest.mark.parametrize(
    "learner",
    [
        NaivePUClassifier(LogisticRegression(tol=1e-10)),
        BiasedPUClassifier(
            LogisticRegression(tol=1e-10),
            propensity_estimator=LogisticRegression(tol=1e-10),
            propensity_features=[0],
            tol=0.02,
        ),
    ],
    ids=["naive", "biased"],
)
def test_whole_weights_are_repeated_rows(learner):
    X, y, _, weights = draw_problem()
    repeated = np.repeat(np.arange(len(y)), weights)
    expected = clone(learner).fit(X[repeated], y[repeated]).decision_function(X)
    assert_allclose(learner.fit(X, y, sample_weight=weights).decision_function(X), expected, atol=1e-5)


@pytest.mark.parametrize(
    "learner",
    [
        NaivePUClassifier(LINEAR, prior="estimate"),
        PUBaggingClassifier(LINEAR, 10, prior="estimate", random_state=0),
        ElkanNotoClassifier(LINEAR),
        PUThresholdClassifier(LINEAR),
        PUCalibratedClassifier(LINEAR),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_answers_are_those_of_the_population_that_the_weights_tell_of(learner):
    """Negatives weigh three times: the share of positives falls from a half to a quarter."""
    rng = np.random.default_rng(0)
    truth = np.r_[np.ones(300, bool), np.arange(2000) < 1000]
    X = rng.normal(size=(2300, 2)) + np.where(truth, 1.5, -1.5)[:, None]
    y, unlabeled = np.r_[np.ones(300, int), np.zeros(2000, int)], slice(300, None)
    weights = np.where(truth, 1.0, 3.0)
    model = learner.fit(X, y, sample_weight=weights)
    assert abs(model.prior_ - 0.25) < 0.03
    assert abs(np.average(model.predict(X)[unlabeled], weights=weights[unlabeled]) - 0.25) < 0.03
    assert abs(clone(learner).fit(X, y).prior_ - 0.5) < 0.05


@pytest.mark.parametrize("base", [TREE, LINEAR])
def test_bags_of_weighted_rows_agree_with_the_obvious_loop(base):
    X, y, _, weights = draw_problem(60)
    X, weights = X.astype(np.float32).astype(float), weights + 1.0
    model = PUBaggingClassifier(base, 6, max_samples=20, random_state=4).fit(X, y, sample_weight=weights)
    expected = naive_bagging(base, X, y, X, 20, draw_seeds(4, 6), weights)
    assert_allclose(model.predict_proba(X)[:, 1], expected, atol=1e-12)


def test_unlabeled_rows_are_drawn_by_their_weights():
    weights = np.array([5.0, 1.0, 3.0])
    bags = _Bags(np.array([0]), np.array([1, 2]), 1000, weights)
    assert abs(np.mean(bags.draw(np.uint64(7))) - 0.75) < 0.05


def test_a_base_has_to_take_weights(learner):
    X, y, _, weights = draw_problem(80)
    learner.set_params(estimator=KNeighborsClassifier())
    with pytest.raises(ValueError, match=r"KNeighborsClassifier.fit takes no sample_weight. Pass an estimator"):
        learner.fit(X, y, sample_weight=weights)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (lambda y: np.where(y == 1, -1.0, 1.0), "[Nn]egative values"),
        (lambda y: np.where(y == 1, np.nan, 1.0), "contains NaN"),
        (lambda y: y, "sample_weight: all .* unlabeled rows have weight 0"),
        (lambda y: 1 - y, "sample_weight: all .* labeled rows have weight 0"),
        (lambda y: np.ones(len(y) - 1), "sample_weight.shape"),
    ],
)
def test_bad_weights_are_refused(weights, message):
    X, y, _, _ = draw_problem()
    with pytest.raises(ValueError, match=message):
        NaivePUClassifier(LINEAR).fit(X, y, sample_weight=weights(y))
