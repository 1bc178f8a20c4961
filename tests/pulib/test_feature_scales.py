"""Learners that measure distances or penalize weights warn once about features of very different scales."""

import re
import warnings
from itertools import cycle

import numpy as np
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pulib import (
    BaggingSVC,
    ClassWeightedSVC,
    MappingConvergenceSVC,
    OnlinePUClassifier,
    RobustEnsembleSVC,
    UnbiasedPUClassifier,
)
from pulib.exceptions import PUWarning

MACHINES = [ClassWeightedSVC, BaggingSVC, RobustEnsembleSVC, MappingConvergenceSVC]


def problem(seed=0, n=160):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    return rng.normal(size=(n, 4)) + np.where(truth, 1.0, -1.0)[:, None], (truth & (rng.random(n) < 0.5)).astype(int)


def scale_warnings(model, X, y):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    return [str(w.message) for w in caught if issubclass(w.category, PUWarning) and "scales" in str(w.message)]


def make(cls, **params):
    return cls(**params, **({"n_estimators": 5} if "n_estimators" in cls._parameter_constraints else {}))


@pytest.mark.parametrize(("cls", "prior"), list(zip(MACHINES, cycle([None, 0.4, "estimate"]), strict=False)))
def test_machines_warn_once_with_the_feature_and_the_remedy(cls, prior):
    X, y = problem(1)
    (message,) = scale_warnings(make(cls, prior=prior), X * [1, 1, 5000, 1], y)
    assert message.startswith("Features have very different scales: 2 has")
    assert f"make_pipeline(StandardScaler(), {cls.__name__}(...))" in message
    assert not scale_warnings(make(cls, prior=prior), X, y)
    assert not scale_warnings(make_pipeline(StandardScaler(), make(cls)), X * [1, 1, 5000, 1] + [0, 1e7, 0, 0], y)


@pytest.mark.parametrize("cls", [OnlinePUClassifier, UnbiasedPUClassifier])
def test_linear_models_warn_once(cls):
    X, y = problem(2)
    assert len(scale_warnings(cls(prior=0.4), X * [1, 1, 5000, 1], y)) == 1


def test_large_means_matter_for_products_but_not_for_distances():
    X, y = problem(3)
    assert not scale_warnings(ClassWeightedSVC(), 100 * X + 30_000, y)
    assert scale_warnings(ClassWeightedSVC(kernel="linear", max_iter=1000), 100 * X + 30_000, y)
    assert not scale_warnings(ClassWeightedSVC(), X + np.array([0, 0, 3000, 0]), y)
    assert "kernel='rbf'" in scale_warnings(ClassWeightedSVC(), X * [1, 1, 30, 1], y)[0]
    assert not scale_warnings(ClassWeightedSVC(), X * [1, 1, 10, 1], y)
    assert not scale_warnings(UnbiasedPUClassifier(prior=0.4), X * [1, 1, 30, 1], y)
    assert scale_warnings(ClassWeightedSVC(), X + 1.7e9, y)  # so large that squared distances lose precision
    assert not scale_warnings(ClassWeightedSVC(kernel=lambda A, B: A[:, :1] @ B[:, :1].T), X * [1, 1, 5000, 1], y)


def test_scales_of_sparse_rows_are_checked():
    X, y = problem(4)
    X = sparse.csr_array(np.where(X > 0, X, 0))
    assert scale_warnings(ClassWeightedSVC(), X * [1, 1, 1, 900], y)
    assert not scale_warnings(ClassWeightedSVC(), X, y)


def test_warning_names_columns_of_frames():
    pd = pytest.importorskip("pandas")
    X, y = problem(5)
    frame = pd.DataFrame(X * [1, 1, 1, 1e6], columns=["a", "b", "c", "income"])
    assert re.search("scales: 'income' has", scale_warnings(ClassWeightedSVC(), frame, y)[0])
