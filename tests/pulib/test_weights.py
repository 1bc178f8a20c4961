"""Weights of rows: a weight of 2 is a row given twice, one of 0 a row left out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pulib._calibration import CALIBRATIONS
from pulib._threshold import cross_fitted_scores, cut_at_share, fit_slope, prior_from_scores
from pulib._weights import fit_weights, row_weights, weighted_counts

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
    assert_allclose(fit_slope(scores, positive, PRIOR, scenario, weights.astype(float)), repeated, rtol=1e-3)


@settings(max_examples=30)
@given(weighted_scores(), st.sampled_from(sorted(CALIBRATIONS)), st.booleans())
def test_calibration_of_weighted_scores_is_that_of_repeated_ones(drawn, method, joined):
    scores, positive, weights = drawn
    weighted, _ = CALIBRATIONS[method](scores, positive, PRIOR, joined, weights.astype(float))
    repeated, _ = CALIBRATIONS[method](np.repeat(scores, weights), np.repeat(positive, weights), PRIOR, joined)
    assert_allclose(weighted.predict(scores), repeated.predict(scores), atol=1e-3 if method == "sigmoid" else 1e-6)


@settings(max_examples=30)
@given(weighted_scores(), st.sampled_from(["two_sample", "one_sample"]), st.floats(1e-3, 1e3))
def test_an_estimate_does_not_depend_on_the_scale_of_the_weights(drawn, scenario, factor):
    scores, positive, weights = drawn
    estimate = prior_from_scores(scores, positive, scenario, weights.astype(float))
    assert_allclose(prior_from_scores(scores, positive, scenario, factor * weights), estimate)
    equal = prior_from_scores(scores, positive, scenario, np.full(len(scores), 2.0))
    assert equal == prior_from_scores(scores, positive, scenario)


def test_an_estimate_follows_the_weights():
    rng = np.random.default_rng(0)
    truth = np.arange(3000) < 1800  # of which 600 are labeled
    positive, scores = np.arange(3000) < 600, rng.normal(size=3000) + np.where(truth, 2.0, -2.0)
    assert abs(prior_from_scores(scores, positive, "two_sample") - 0.5) < 0.03
    assert abs(prior_from_scores(scores, positive, "two_sample", np.where(truth, 1.0, 3.0)) - 0.25) < 0.03
    assert abs(prior_from_scores(scores, positive, "one_sample", np.where(truth, 1.0, 3.0)) - 1 / 3) < 0.03


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


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1, 1], "[Nn]egative"),
        ([1, np.nan, 1], "sample_weight contains NaN"),
        ([1, 1], "sample_weight"),
        ([0, 1, 1], "all 1 labeled rows have weight 0"),
        ([1, 0, 0], "all 2 unlabeled rows have weight 0"),
    ],
)
def test_bad_weights(weights, message):
    with pytest.raises(ValueError, match=message):
        row_weights(weights, np.zeros((3, 1)), np.array([True, False, False]))
