"""DEDPUL: the density ratio against known densities, and what the classifier makes of it."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression

from pulib import DEDPULClassifier, estimate_prior
from pulib._priors._density_ratio import density_ratio, posterior_of, share_of


def two_normals(prior, distance, n=3000, seed=0):
    """Scores of labeled rows, N(0, 1), and of unlabeled ones, of which a share is alike and the others are N(-distance, 1)."""
    rng = np.random.default_rng(seed)
    truth = np.r_[np.ones(n, bool), np.arange(n) < round(prior * n)]
    return rng.normal(size=2 * n) - distance * ~truth, np.arange(2 * n) < n, truth


@pytest.mark.parametrize(("prior", "distance"), [(0.05, 6.0), (0.3, 3.0), (0.8, 6.0)])
def test_prior_and_posterior_of_two_known_densities(prior, distance):
    scores, positive, _ = two_normals(prior, distance)
    at, ratio = density_ratio(scores, positive)
    assert abs(share_of(ratio) - prior) < 0.03
    p, q = norm.pdf(at), norm.pdf(at, -distance)
    posterior = prior * p / (prior * p + (1 - prior) * q)
    assert np.mean(np.abs(posterior_of(ratio, prior) - posterior)) < 0.03
    for given in (0.001, 0.3, 0.999):
        assert posterior_of(ratio, given).mean() == pytest.approx(given, abs=1e-6)
        assert (np.diff(posterior_of(ratio, given)) >= 0).all()


def test_a_ratio_of_one_everywhere_says_that_all_are_positive():
    scores = np.random.default_rng(0).normal(size=4000)
    assert share_of(density_ratio(scores, np.arange(4000) < 2000)[1]) > 0.8


def test_a_weight_of_two_is_a_score_given_twice():
    scores, positive, _ = two_normals(0.3, 3.0, n=300)
    weights = np.random.default_rng(1).integers(1, 3, len(scores))
    at, ratio = density_ratio(scores, positive, weights)
    at_2, ratio_2 = density_ratio(np.repeat(scores, weights), np.repeat(positive, weights))
    alike = np.minimum(0.3 * np.interp(at_2, at, ratio), 1) - np.minimum(0.3 * ratio_2, 1)
    assert np.abs(alike).mean() < 0.02
    assert abs(share_of(ratio) - share_of(ratio_2)) < 0.02


@pytest.mark.parametrize("scenario", ["two_sample", "one_sample"])
def test_probabilities_are_the_posterior(scenario):
    """Of labels at random the posterior is known, and so is π; uncalibrated probabilities of the base do not matter."""
    rng = np.random.default_rng(0)
    truth = rng.random(4000) < 0.4
    X = rng.normal(size=(4000, 1)) + np.where(truth, 1.0, -1.0)[:, None]
    if scenario == "one_sample":
        y = truth & (rng.random(4000) < 0.4)
    else:
        X, y = np.r_[rng.normal(size=(1000, 1)) + 1, X], np.arange(5000) < 1000
    base = LogisticRegression(C=1e-3, class_weight="balanced")
    model = DEDPULClassifier(base, scenario=scenario).fit(X, y)
    assert abs(model.prior_ - 0.4) < 0.05
    assert abs(estimate_prior(X, y, "dedpul", scenario=scenario, classifier=base) - 0.4) < 0.05
    model = DEDPULClassifier(base, scenario=scenario, prior=0.4).fit(X, y)
    rows = np.linspace(-2, 2, 9)[:, None]
    expected = expit(2 * rows[:, 0] + np.log(0.4 / 0.6))
    assert np.abs(model.predict_proba(rows)[:, 1] - expected).max() < 0.12
    assert np.abs(model.predict_proba(rows)[:, 1] - expected).mean() < 0.05
