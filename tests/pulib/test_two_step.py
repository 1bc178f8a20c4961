"""Two steps: with a perfect first one it is supervised learning; each way of finding reliable negatives finds negatives."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from pulib import TwoStepPUClassifier
from pulib.exceptions import PUWarning
from pulib.reductions._reliable import by_prototypes, by_spies, find_reliable


def clouds(n_labeled=100, n_unlabeled=400, prior=0.4, distance=3.0, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.r_[np.ones(n_labeled, bool), np.arange(n_unlabeled) < prior * n_unlabeled]
    X = rng.normal(size=(len(truth), 3)) + distance * np.where(truth, 0.5, -0.5)[:, None]
    return X, np.arange(len(truth)) < n_labeled, truth


@pytest.mark.parametrize("reliable", ["quantile", "knn"])
def test_with_a_perfect_first_step_it_is_supervised_learning(reliable):
    X, positive, truth = clouds(distance=12.0)
    model = TwoStepPUClassifier(LogisticRegression(), reliable=reliable, share=0.6).fit(X, positive)
    used = positive | ~truth  # all labels there are, and no other row
    assert model.n_reliable_ == np.count_nonzero(~truth)
    supervised = LogisticRegression().fit(X[used], truth[used])
    assert_allclose(model.estimator_.coef_, supervised.coef_, rtol=1e-6)
    assert_array_equal(model.predict(X), supervised.predict(X))


@pytest.mark.parametrize("reliable", ["spy", "quantile", "knn", "rocchio"])
def test_reliable_negatives_are_negative(reliable):
    X, positive, truth = clouds()
    model = TwoStepPUClassifier(GaussianNB(), reliable=reliable, random_state=0)
    scores = lambda labeled: GaussianNB().fit(X, labeled).predict_proba(X)[:, 1]  # noqa: E731
    found = find_reliable(reliable, X, positive, scores, 0.5, np.random.RandomState(0))
    assert not (found & positive).any()
    assert found.sum() > 0.4 * (~truth).sum()
    assert truth[found].mean() < 0.05  # 0.4 among unlabeled rows
    assert np.mean((model.fit(X, positive).predict(X) == 1) == truth) > 0.95


def test_negatives_score_below_all_but_a_twentieth_of_the_spies():
    positive = np.arange(1000) < 400
    told = []

    def scores_of(labeled):
        told.append(labeled)
        return np.linspace(1, 0, 1000)

    found = by_spies(positive, scores_of, np.random.RandomState(0))
    spies = positive & ~told[0]
    assert spies.sum() == 60
    bound = np.sort(np.linspace(1, 0, 1000)[spies])[2]  # 5% of 60 are 3, of which the lowest two lie below
    assert_array_equal(found, ~positive & (np.linspace(1, 0, 1000) < bound))


def test_rocchio_on_texts():
    texts = ["cats purr softly", "a cat purrs", "cats and dogs", "the cat meows", "stocks fell today", "bonds and stocks"]
    positive = np.array([True, True, False, False, False, False])
    assert_array_equal(by_prototypes(TfidfVectorizer().fit_transform(texts), positive)[4:], [True, True])


def test_rounds_add_negatives_and_drift_is_undone():
    X, positive, _ = clouds(distance=2.0)
    once = TwoStepPUClassifier(LogisticRegression(), reliable="quantile", share=0.2).fit(X, positive)
    more = TwoStepPUClassifier(LogisticRegression(), reliable="quantile", share=0.2, max_rounds=5).fit(X, positive)
    assert (once.n_rounds_, once.n_reliable_) == (1, 80)
    lost = np.mean(more.predict(X[positive]) == 0)
    assert (more.n_rounds_ > 1 and more.n_reliable_ > 80) or lost <= 0.05
    alike = np.random.default_rng(0).normal(size=(300, 2))  # nothing to learn: each round would lose more positives
    drifts = TwoStepPUClassifier(GaussianNB(), reliable="quantile", max_rounds=9).fit(alike, np.arange(300) < 50)
    assert (drifts.n_rounds_, drifts.n_reliable_) == (1, 125)


def test_no_reliable_negatives_are_told():
    X, positive = np.zeros((60, 2)), np.arange(60) < 20
    with pytest.warns(PUWarning, match="finds no unlabeled row that is surely negative"):
        TwoStepPUClassifier(LogisticRegression(), random_state=0).fit(X, positive)


def test_threshold_by_prior_and_held_out_scores():
    X, positive, truth = clouds(n_unlabeled=1000, distance=2.0)
    model = TwoStepPUClassifier(GaussianNB(), prior=0.4, oob_score=True, random_state=0).fit(X, positive)
    assert abs(np.mean(model.oob_decision_function_[~positive] > 0) - 0.4) < 0.02
    assert np.mean((model.oob_decision_function_ > 0) == truth) > 0.9


@pytest.mark.parametrize("reliable", ["quantile", "knn", "rocchio"])
def test_weights_reach_all_fits(reliable):
    """Each step is fitted to other rows, and the doubt about the threshold to all of them again."""
    X, positive, _ = clouds()
    weights = np.where(np.arange(len(positive)) < 300, 1.0, 2.0)
    model = TwoStepPUClassifier(LogisticRegression(), reliable=reliable, max_rounds=3, oob_score=True)
    assert_array_equal(model.fit(X, positive, weights).predict(X[:50]), 1)
