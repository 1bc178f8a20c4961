"""One-class learners ignore unlabeled rows where they should, and use them where they should."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import KernelDensity, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM

from pulib import OneClassPUClassifier

DETECTORS = {
    "forest": IsolationForest(n_estimators=20, random_state=0),
    "svm": make_pipeline(StandardScaler(), OneClassSVM()),
    "density": KernelDensity(),
    "nearest": NearestNeighbors(n_neighbors=5),
}


def clouds(seed, prior=0.4, n=400):
    rng = np.random.default_rng(seed)
    truth = np.r_[np.ones(100, bool), np.arange(n) < prior * n]
    X = rng.normal(size=(len(truth), 3)) + np.where(truth, 1.5, -1.5)[:, None]
    return X, np.arange(len(truth)) < 100, truth


@pytest.mark.parametrize("name", DETECTORS)
def test_unlabeled_rows_set_the_threshold_and_nothing_else(name):
    X, positive, truth = clouds(0)
    other = X.copy()
    other[~positive] = clouds(1, prior=0.1)[0][~positive]
    models = [OneClassPUClassifier(DETECTORS[name], prior=0.4).fit(rows, positive) for rows in (X, other)]
    raw = [model.decision_function(X) + model.threshold_ for model in models]
    assert_allclose(raw[0], raw[1])
    assert models[0].threshold_ != models[1].threshold_
    called = models[0].predict(X[~positive])
    assert abs(called.mean() - 0.4) < 0.1
    assert np.mean((called == 1) == truth[~positive]) > 0.85


def test_distance_to_the_kth_labeled_row():
    X, positive, _ = clouds(0)
    model = OneClassPUClassifier(DETECTORS["nearest"], prior=0.4).fit(X, positive)
    distance = np.sort(np.linalg.norm(X[:7, None] - X[positive], axis=2), axis=1)[:, 4]
    assert_allclose(model.decision_function(X[:7]) + model.threshold_, -distance)


def test_weights_reach_a_detector_that_takes_them():
    X, positive, _ = clouds(0)
    weights = np.where(X[:, 0] > 1.5, 5.0, 1.0)
    plain, weighted = (OneClassPUClassifier(KernelDensity(), prior=0.4).fit(X, positive, w) for w in (None, weights))
    assert not np.allclose(plain.decision_function(X), weighted.decision_function(X))
    with pytest.raises(ValueError, match=r"NearestNeighbors.fit takes no sample_weight"):
        OneClassPUClassifier(NearestNeighbors(), prior=0.4).fit(X, positive, weights)
