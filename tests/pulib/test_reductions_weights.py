"""Weights of rows in the reductions: a weight of 2 is a row given twice, one of 0 a row left out."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
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
from pulib._threshold import cut_at_share, fit_slope
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


@settings(deadline=None, max_examples=3)
@given(weighted_scores(), st.sampled_from(["two_sample", "one_sample"]), st.floats(1e-3, 1e3))
def test_an_estimate_does_not_depend_on_the_scale_of_the_weights(drawn, scenario, factor):
    scores, positive, weights = drawn
    estimate = prior_from_scores(scores, positive, scenario, weights.astype(float))
    assert_allclose(prior_from_scores(scores, positive, scenario, factor * weights).prior, estimate.prior)
    equal = prior_from_scores(scores, positive, scenario, np.full(len(scores), 2.0))
    assert_allclose(equal.prior, prior_from_scores(scores, positive, scenario).prior)


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


@pytest.mark.parametrize("base", [TREE, LINEAR])
def test_bags_of_weighted_rows_agree_with_the_obvious_loop(base):
    X, y, _, weights = draw_problem(60)
    X, weights = X.astype(np.float32).astype(float), weights + 1.0
    model = PUBaggingClassifier(base, 6, max_samples=20, random_state=4).fit(X, y, sample_weight=weights)
    expected = naive_bagging(base, X, y, X, 20, draw_seeds(4, 6), weights)
    assert_allclose(model.predict_proba(X)[:, 1], expected, atol=1e-12)


def test_unlabeled_rows_are_drawn_by_their_weights():
    weights = np.array([5.0, 1.0, 3.0])
    bags = _Bags(np.array([0]), np.array([1, 2]), 1000, weights, negatives=np.empty(0, dtype=np.intp), params={})
    assert abs(np.mean(bags.draw(np.uint64(7))) - 0.75) < 0.05
