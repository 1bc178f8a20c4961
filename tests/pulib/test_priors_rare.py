"""Estimates of π with rare positives, and what the scores permit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from pulib import (
    NaivePUClassifier,
    PUCalibratedClassifier,
    PUExtraTreesClassifier,
    PUThresholdClassifier,
    estimate_prior,
    prior_interval,
)
from pulib._priors._bounds import _by_area, permitted_share
from pulib._priors._from_scores import BestBin
from pulib._warnings import prior_warning
from pulib.exceptions import PUWarning
from tests.pulib.naive.priors import naive_binomial_bin


def shifted(n, prior, n_labeled, seed, d=12, shift=1.3, k=5):
    """One sample of normals; positives are shifted in some features."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) < round(prior * n)
    X = rng.normal(size=(n, d))
    X[truth, :k] += shift
    y = np.zeros(n, int)
    y[:n_labeled] = 1
    return X, y, truth


@settings(max_examples=40)
@given(st.integers(1, 30), st.integers(0, 60), st.integers(0, 2**31))
def test_binomial_bin_agrees_with_the_naive_implementation(n_labeled, n_unlabeled, seed):
    rng = np.random.default_rng(seed)
    n_unlabeled += 3
    positive = np.arange(n_labeled + n_unlabeled) < n_labeled
    scores = np.round(rng.normal(size=len(positive)) + 4 * positive, 1)
    expected = naive_binomial_bin(scores[positive].tolist(), scores[~positive].tolist())
    assert_allclose(BestBin(scores, positive).share(np.ones(len(scores))), expected)


def test_area_is_also_a_bound():
    rng = np.random.default_rng(0)
    positive = np.arange(6_000) < 1_000
    scores = np.round(rng.normal(size=6_000) + 2 * positive, 1)
    area = stats.mannwhitneyu(scores[positive], scores[~positive]).statistic / (1_000 * 5_000)
    bound = _by_area(np.sort(scores[positive]), np.sort(scores[~positive]), 1_000, 5_000, 0.005)
    assert 2 * (1 - area) < bound < 2 * (1 - area) + 0.04
    assert permitted_share(scores, positive) <= bound


def test_groups_widen_bounds():
    rng = np.random.default_rng(0)
    positive = np.arange(2000) < 300
    scores = rng.normal(size=2000) + 3 * (np.arange(2000) < 400)
    assert permitted_share(scores, positive, (0.2, 0.2)) > 1.1 * permitted_share(scores, positive)


def test_interval_with_two_percent_positives():
    X, y, truth = shifted(4000, 0.02, 60, 0)
    hidden = truth[y == 0].mean()  # 20 of 3940
    with pytest.warns(PUWarning, match="may lie anywhere|hardly any positives"):
        estimate = prior_interval(X, y)
    assert estimate.low <= hidden <= estimate.high < 0.06
    assert estimate.prior < 0.03


def test_uses_more_unlabeled_rows_if_positives_are_rare():
    X, y, truth = shifted(30_000, 0.006, 100, 5, shift=1.6)  # 80 of 29,900 rows: 13 among 5,000
    hidden = truth[y == 0].mean()
    estimate = prior_interval(X, y, classifier=LogisticRegression(class_weight="balanced"))
    few = prior_interval(X, y, classifier=LogisticRegression(class_weight="balanced"), max_samples=5_000)
    assert estimate.low <= hidden <= estimate.high < few.high
    assert estimate.high < 4 * hidden


def test_elkan_noto_warns_if_the_tails_contradict_it():
    X, y, _ = shifted(3000, 0.05, 70, 1, shift=1.1)
    with pytest.warns(PUWarning, match=r"mean score gives π = 0\.\d+, but the tails of the same scores permit at most 0\.\d+"):
        estimate = prior_interval(X, y, "elkan_noto", scenario="one_sample")
    assert estimate.low <= 0.05 < estimate.prior


@pytest.mark.parametrize(
    ("interval", "doubted"),
    [((0.1, 0.39), False), ((0.1, 0.41), True), ((0.01, 0.03), False), ((0.01, 0.05), True), ((0.3, 0.81), True)],
)
def test_wide_intervals_are_doubted(interval, doubted):
    doubt = prior_warning(0.3, np.arange(2500) < 500, "two_sample", estimated=True, interval=interval)
    assert ("may lie anywhere from" in doubt) == doubted


def test_interval_is_shown_wherever_the_estimate_is():
    X, y, _ = shifted(1500, 0.06, 40, 2)
    with pytest.warns(PUWarning) as warned:
        model = PUExtraTreesClassifier(5, random_state=0).fit(X, y)
    estimate = model.prior_estimate_
    assert [str(one.message) for one in warned] == [" ".join(estimate.warnings)]
    ends = f"{estimate.low:.3g} to {estimate.high:.3g}"
    assert ends in repr(model)
    assert ends in str(warned[0].message) or f"{estimate.low:.3g} to" in str(warned[0].message)
    with pytest.warns(PUWarning, match=f"estimated; {ends}"):
        model.predict(np.zeros((400, X.shape[1])) + np.arange(400)[:, None] * 1e-6)


def test_method_of_the_paper_is_available():
    X, y, _ = shifted(2000, 0.05, 60, 0)
    options = {"classifier": LogisticRegression(), "return_details": True}
    ours, theirs = (estimate_prior(X, y, method, **options) for method in ("best_bin", "best_bin_paper"))
    scores = ours.tail_curve
    assert theirs.tail_curve == scores
    assert theirs.prior > ours.prior
    assert theirs.assumption == ours.assumption


@pytest.mark.parametrize(
    ("learner", "weighted"),
    [
        (PUThresholdClassifier(LogisticRegression()), False),
        (NaivePUClassifier(LogisticRegression(), prior="estimate"), True),
        (PUCalibratedClassifier(NaivePUClassifier(LogisticRegression())), True),
    ],
)
def test_learners_that_estimate_from_their_own_scores_keep_the_interval(learner, weighted):
    X, y, truth = shifted(2500, 0.3, 400, 0, shift=2.0)
    hidden = truth[y == 0].mean()
    weights = np.where(np.arange(2500) % 3 == 0, 2.0, 1.0) if weighted else None
    learner = clone(learner)
    learner.fit(X, y, sample_weight=weights)
    estimate = learner.prior_estimate_
    assert learner.prior_ == estimate.prior
    assert estimate.low < hidden < estimate.high
    assert estimate.high - estimate.low < 0.15
    assert repr(learner).endswith(f"# {estimate}")
    learner.set_params(prior=0.2).fit(X, y)
    assert not hasattr(learner, "prior_estimate_")
