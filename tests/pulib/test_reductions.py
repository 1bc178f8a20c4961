"""Reductions: bags, precomputed matrices, label frequencies, reliable negatives, density ratios, detectors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier, IsolationForest, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KernelDensity, KNeighborsClassifier, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC, OneClassSVM
from sklearn.tree import DecisionTreeClassifier

from pulib import (
    BiasedPUClassifier,
    DEDPULClassifier,
    ElkanNotoClassifier,
    NaivePUClassifier,
    OneClassPUClassifier,
    PUBaggingClassifier,
    PUCalibratedClassifier,
    PUThresholdClassifier,
    TwoStepPUClassifier,
    estimate_prior,
)
from pulib._priors._density_ratio import density_ratio, posterior_of, share_of
from pulib.exceptions import PUWarning
from pulib.kernels import draw_seeds
from pulib.reductions._reliable import find_reliable
from tests.pulib.naive.bagging import naive_bagging


def clouds(n_labeled=100, n_unlabeled=400, prior=0.4, distance=3.0, seed=0):
    """Return rows, which of them are labeled, and which are positive."""
    rng = np.random.default_rng(seed)
    truth = np.r_[np.ones(n_labeled, bool), np.arange(n_unlabeled) < prior * n_unlabeled]
    X = rng.normal(size=(len(truth), 3)) + distance * np.where(truth, 0.5, -0.5)[:, None]
    return X, np.arange(len(truth)) < n_labeled, truth


@pytest.mark.parametrize(("balance", "weighted"), [("balanced", False), ({0: 1.0, 1: 3.0}, False), (None, True)])
def test_bags_agree_with_the_naive_implementation(balance, weighted):
    """Class weights apply within each bag; sample weights change which rows are drawn."""
    X, y, _ = clouds(30, 90)
    X = X.astype(np.float32).astype(float)
    weights = np.random.default_rng(0).integers(1, 5, len(y)).astype(float) if weighted else None
    base = DecisionTreeClassifier(max_depth=2, class_weight=balance)
    model = PUBaggingClassifier(base, 9, max_samples=0.13, oob_score=not weighted, random_state=1)
    model.fit(X, y, sample_weight=weights)  # bags of 11.7 of 90 rows
    expected, left_out = naive_bagging(base, X, y, 12, draw_seeds(1, 9), weights)
    assert_allclose(model.predict_proba(X)[:, 1], expected, atol=1e-12)
    if not weighted:
        assert_allclose(model.oob_decision_function_[~y], left_out[~y] - 0.5, atol=1e-12)


def test_bags_of_a_base_without_probabilities():
    X, y, _ = clouds(30, 90)
    model = PUBaggingClassifier(LinearSVC(), 5, random_state=0).fit(X, y)
    assert set(np.unique(np.round(5 * model.predict_proba(X)[:, 1]))) <= set(range(6))
    with pytest.raises(AttributeError):
        _ = model.feature_importances_


PRECOMPUTED = KNeighborsClassifier(metric="precomputed")


@pytest.mark.parametrize(
    "reduction",
    [
        PUBaggingClassifier(PRECOMPUTED),
        PUBaggingClassifier(make_pipeline(PRECOMPUTED)),
        PUBaggingClassifier(NaivePUClassifier(PRECOMPUTED)),
        PUThresholdClassifier(SVC(kernel="precomputed")),
        PUCalibratedClassifier(PRECOMPUTED),
        ElkanNotoClassifier(PRECOMPUTED),
        BiasedPUClassifier(PRECOMPUTED),
        NaivePUClassifier(PRECOMPUTED, oob_score=True),
    ],
)
def test_precomputed_matrix_raises_an_error_if_rows_are_selected(reduction):
    y, distances = np.arange(40) < 15, np.abs(np.subtract.outer(np.arange(40.0), np.arange(40.0)))
    with pytest.raises(ValueError, match=rf"takes a precomputed matrix .*{type(reduction).__name__} fits it to some"):
        reduction.fit(distances, y)
    with pytest.raises(ValueError, match=r"takes a precomputed matrix .* an estimate of π fits it to some"):
        estimate_prior(distances, y, classifier=reduction.estimator)


def test_precomputed_matrix_works_if_all_rows_are_used():
    y, distances = np.arange(40) < 15, np.abs(np.subtract.outer(np.arange(40.0), np.arange(40.0)))
    assert_array_equal(NaivePUClassifier(PRECOMPUTED).fit(distances, y).predict(distances), y)


class Unsure(ClassifierMixin, BaseEstimator):
    """Predicts the same small probability of a label for every row."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.tile([0.99, 0.01], (len(X), 1))


@pytest.mark.parametrize("scenario", ["two_sample", "one_sample"])
def test_label_frequency_has_a_lower_bound(scenario):
    """It is the frequency if all rows were positive: 30 of 120 rows are labeled."""
    X, y, _ = clouds(30, 90)
    model = ElkanNotoClassifier(Unsure(), calibration=None, scenario=scenario).fit(X, y)
    assert model.label_frequency_ == pytest.approx(0.25)


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


def test_warns_if_there_are_no_reliable_negatives():
    X, positive = np.zeros((60, 2)), np.arange(60) < 20
    with pytest.warns(PUWarning, match="finds no unlabeled row that is surely negative"):
        TwoStepPUClassifier(LogisticRegression(), random_state=0).fit(X, positive)


def cvir(base, **params):
    return TwoStepPUClassifier(base, reliable="cvir", **{"max_rounds": 10, **params})


@pytest.mark.parametrize("prior", [0.3, None])
def test_cvir_leaves_out_the_positives_of_two_components(prior):
    """Positives are at 1 and negatives at 0: a positive among the rows to learn from would raise the mean above 0."""
    truth = np.r_[np.ones(60, bool), np.arange(300) < 90]
    model = cvir(GaussianNB(var_smoothing=1e-3), prior=prior).fit(truth[:, None].astype(float), np.arange(360) < 60)
    assert model.n_reliable_ == 210
    assert model.estimator_.theta_.ravel().tolist() == [0.0, 1.0]
    assert_array_equal(model.predict([[0.0], [1.0]]), [0, 1])


def test_weights_affect_what_cvir_leaves_out():
    """Negatives that count twice make π a quarter of the weight; positives are still two fifths of the rows."""
    X, positive, truth = clouds()
    for prior in (0.25, None):
        weighted = cvir(GaussianNB(), prior=prior, max_rounds=2).fit(X, positive, np.where(truth, 1.0, 2.0))
        assert abs(weighted.n_reliable_ - 240) < 15
    assert cvir(GaussianNB(), prior=0.25, max_rounds=2).fit(X, positive).n_reliable_ == 300


def two_normals(prior, distance, n=3000, seed=0):
    """Scores of labeled rows are N(0, 1); a share of the unlabeled rows is alike, the others are N(-distance, 1)."""
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


def test_integer_weights_equal_repeated_scores():
    scores, positive, _ = two_normals(0.3, 3.0, n=300)
    weights = np.random.default_rng(1).integers(1, 3, len(scores))
    at, ratio = density_ratio(scores, positive, weights)
    at_2, ratio_2 = density_ratio(np.repeat(scores, weights), np.repeat(positive, weights))
    alike = np.minimum(0.3 * np.interp(at_2, at, ratio), 1) - np.minimum(0.3 * ratio_2, 1)
    assert np.abs(alike).mean() < 0.02
    assert abs(share_of(ratio) - share_of(ratio_2)) < 0.02


DETECTORS = {
    "forest": IsolationForest(n_estimators=20, random_state=0),
    "svm": make_pipeline(StandardScaler(), OneClassSVM()),
    "density": KernelDensity(),
    "nearest": NearestNeighbors(n_neighbors=5),
}


@pytest.mark.parametrize("name", DETECTORS)
def test_unlabeled_rows_only_set_the_threshold(name):
    X, positive, truth = clouds()
    other = X.copy()
    other[~positive] = clouds(prior=0.1, seed=1)[0][~positive]
    models = [OneClassPUClassifier(DETECTORS[name], prior=0.4).fit(rows, positive) for rows in (X, other)]
    raw = [model.decision_function(X) + model.threshold_ for model in models]
    assert_allclose(raw[0], raw[1])
    assert models[0].threshold_ != models[1].threshold_
    called = models[0].predict(X[~positive])
    assert abs(called.mean() - 0.4) < 0.1
    assert np.mean((called == 1) == truth[~positive]) > 0.85


def test_weights_reach_a_detector_that_accepts_them():
    X, positive, _ = clouds()
    weights = np.where(X[:, 0] > 1.5, 5.0, 1.0)
    plain, weighted = (OneClassPUClassifier(KernelDensity(), prior=0.4).fit(X, positive, w) for w in (None, weights))
    assert not np.allclose(plain.decision_function(X), weighted.decision_function(X))
    with pytest.raises(ValueError, match=r"NearestNeighbors.fit takes no sample_weight"):
        OneClassPUClassifier(NearestNeighbors(), prior=0.4).fit(X, positive, weights)


def boosting(early_stopping="auto"):
    return HistGradientBoostingClassifier(max_iter=15, early_stopping=early_stopping, random_state=0)


def voting(base):
    return VotingClassifier([("one", make_pipeline(StandardScaler(), base))], voting="soft")


@pytest.mark.parametrize(
    ("make", "early"),
    [
        (lambda base: PUThresholdClassifier(voting(base), prior=0.3), True),
        (lambda base: PUThresholdClassifier(NaivePUClassifier(base), prior=0.3), True),
        (lambda base: PUCalibratedClassifier(base, prior=0.3), True),
        (lambda base: ElkanNotoClassifier(base, prior=0.3), True),
        (lambda base: DEDPULClassifier(base, prior=0.3), True),
        (lambda base: TwoStepPUClassifier(base, reliable="quantile", prior=0.3, random_state=0), False),
        (lambda base: TwoStepPUClassifier(base, reliable="cvir", prior=0.01, random_state=0), True),
        (lambda base: PUBaggingClassifier(base, 2, max_samples=9_900, prior=0.3, random_state=0), True),
        (lambda base: PUBaggingClassifier(base, 2, prior=0.3, random_state=0), False),
    ],
)
def test_folds_stop_early_if_the_model_does(make, early):
    """The base stops early only above 10,000 rows; folds have 8,320 rows but must do what the model does."""
    X, y, _ = clouds(400, 10_000, prior=0.3, distance=1.2)
    automatic, explicit = (make(boosting(choice)).fit(X, y) for choice in ("auto", early))
    assert automatic.threshold_ == explicit.threshold_
    assert [own for name, own in automatic.get_params().items() if name.endswith("early_stopping")] == ["auto"]  # unchanged
