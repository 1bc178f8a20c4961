"""Two steps: with a perfect first one it is supervised learning; each way of finding reliable negatives finds negatives."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from pulib import NaivePUClassifier, TwoStepPUClassifier
from pulib.exceptions import PUWarning
from pulib.reductions._reliable import all_but_highest, by_spies, find_reliable


def clouds(n_labeled=100, n_unlabeled=400, prior=0.4, distance=3.0, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.r_[np.ones(n_labeled, bool), np.arange(n_unlabeled) < prior * n_unlabeled]
    X = rng.normal(size=(len(truth), 3)) + distance * np.where(truth, 0.5, -0.5)[:, None]
    return X, np.arange(len(truth)) < n_labeled, truth


def test_with_a_perfect_first_step_it_is_supervised_learning():
    X, positive, truth = clouds(distance=12.0)
    model = TwoStepPUClassifier(LogisticRegression(), reliable="knn", share=0.6).fit(X, positive)
    used = positive | ~truth  # all labels there are, and no other row
    assert model.n_reliable_ == np.count_nonzero(~truth)
    supervised = LogisticRegression().fit(X[used], truth[used])
    assert_allclose(model.estimator_.coef_, supervised.coef_, rtol=1e-6)
    assert_array_equal(model.predict(X), supervised.predict(X))


@pytest.mark.parametrize("reliable", ["spy", "quantile", "knn", "rocchio"])
def test_reliable_negatives_are_negative(reliable):
    X, positive, truth = clouds()
    model = TwoStepPUClassifier(GaussianNB(), reliable=reliable, random_state=0)

    def scores_of(labeled):
        return GaussianNB().fit(X, labeled).predict_proba(X)[:, 1]

    found = find_reliable(reliable, X, positive, scores_of, 0.5, np.random.RandomState(0))
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


def cvir(base, **params):
    return TwoStepPUClassifier(base, reliable="cvir", **{"max_rounds": 10, **params})


@pytest.mark.filterwarnings("ignore:prior=")
def test_cvir_with_nothing_to_leave_out_is_labeled_against_unlabeled_rows():
    X, positive, _ = clouds(distance=2.0)
    share = float(positive.mean())  # of one sample with this π no unlabeled row is positive
    none = cvir(LogisticRegression(), prior=share, scenario="one_sample").fit(X, positive)
    some = cvir(LogisticRegression(), prior=0.5, scenario="one_sample").fit(X, positive)
    naive = NaivePUClassifier(LogisticRegression()).fit(X, positive)
    assert_array_equal(none.estimator_.coef_, naive.estimator_.coef_)
    assert (none.n_reliable_, none.n_rounds_) == (400, 1)
    assert some.n_reliable_ == 400 - round(400 * (0.5 - share) / (1 - share))
    assert abs(some.estimator_.coef_ - naive.estimator_.coef_).max() > 0.1


def test_one_round_of_cvir_takes_a_quantile_and_more_rounds_do_not():
    X, positive, _ = clouds(distance=1.0)
    quantile = TwoStepPUClassifier(LogisticRegression(), reliable="quantile", share=0.6).fit(X, positive)
    once, more = (cvir(LogisticRegression(), prior=0.4, max_rounds=n).fit(X, positive) for n in (1, 10))
    assert_array_equal(once.estimator_.coef_, quantile.estimator_.coef_)
    assert (once.n_rounds_, more.n_reliable_, quantile.n_reliable_) == (1, 240, 240)
    assert more.n_rounds_ > 1
    assert not np.array_equal(more.estimator_.coef_, once.estimator_.coef_)


@pytest.mark.parametrize("prior", [0.3, None])
def test_cvir_leaves_out_the_positives_of_two_components(prior):
    """Positives are at 1 and negatives at 0: what is left to learn from has no positive, whose mean would be above 0."""
    truth = np.r_[np.ones(60, bool), np.arange(300) < 90]
    model = cvir(GaussianNB(var_smoothing=1e-3), prior=prior).fit(truth[:, None].astype(float), np.arange(360) < 60)
    assert model.n_reliable_ == 210
    assert model.estimator_.theta_.ravel().tolist() == [0.0, 1.0]
    assert_array_equal(model.predict([[0.0], [1.0]]), [0, 1])


def test_cvir_scores_rows_by_classifiers_that_have_not_seen_them():
    """Trees that remember their rows would score no unlabeled row of their own high, and would leave out any of them."""
    X, positive, truth = clouds(n_unlabeled=600)
    trees = ExtraTreesClassifier(10, random_state=0)
    model = cvir(trees, prior=0.4, oob_score=True, max_rounds=2).fit(X, positive)
    naive = NaivePUClassifier(trees, prior=0.4).fit(X, positive)
    assert np.mean((model.oob_decision_function_ > 0) == truth) > 0.9
    assert np.mean(model.predict(X) == truth) > 0.9 > 0.8 > np.mean(naive.predict(X) == truth)


def test_weights_count_in_what_cvir_leaves_out():
    """Negatives that count twice make π a quarter, of the weight: the positives are still two fifths of the rows."""
    X, positive, truth = clouds()
    for prior in (0.25, None):
        weighted = cvir(GaussianNB(), prior=prior, max_rounds=2).fit(X, positive, np.where(truth, 1.0, 2.0))
        assert abs(weighted.n_reliable_ - 240) < 15
    assert cvir(GaussianNB(), prior=0.25, max_rounds=2).fit(X, positive).n_reliable_ == 300


def test_rows_that_tie_are_left_out_together_or_not_at_all():
    scores = np.array([3.0, 1.0, 2.0, 2.0])
    for share, kept in ((0.0, scores), (0.25, [1, 2, 2]), (0.5, [1, 2, 2]), (0.75, [1]), (1.0, [1])):
        assert_array_equal(np.sort(scores[all_but_highest(scores, scores > 0, share, np.ones(4))]), np.sort(kept))
    assert_array_equal(all_but_highest(np.zeros(3), np.array([True, True, False]), 0.5, np.ones(3)), [True, True, False])
