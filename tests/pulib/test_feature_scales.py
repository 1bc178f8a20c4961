"""Features of very different scales: told once, by whoever measures distances or penalizes weights."""

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
    ClassWeightedLinearSVC,
    ClassWeightedSVC,
    MappingConvergenceSVC,
    OnlinePUClassifier,
    RobustEnsembleSVC,
    UnbiasedPUClassifier,
)
from pulib.exceptions import PUWarning

MACHINES = [ClassWeightedSVC, ClassWeightedLinearSVC, BaggingSVC, RobustEnsembleSVC, MappingConvergenceSVC]


def problem(seed=0, n=160):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    return rng.normal(size=(n, 4)) + np.where(truth, 1.0, -1.0)[:, None], (truth & (rng.random(n) < 0.5)).astype(int)


def told(model, X, y):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    return [str(w.message) for w in caught if issubclass(w.category, PUWarning) and "scales" in str(w.message)]


def make(cls, **params):
    return cls(**params, **({"n_estimators": 5} if "n_estimators" in cls._parameter_constraints else {}))


@pytest.mark.parametrize(("cls", "prior"), list(zip(MACHINES, cycle([None, 0.4, "estimate"]), strict=False)))
def test_machines_tell_once_which_feature_and_what_to_do(cls, prior):
    X, y = problem(1)
    (message,) = told(make(cls, prior=prior), X * [1, 1, 5000, 1], y)
    assert message.startswith("Features have very different scales: 2 has")
    assert f"make_pipeline(StandardScaler(), {cls.__name__}(...))" in message
    assert not told(make(cls, prior=prior), X, y)
    assert not told(make_pipeline(StandardScaler(), make(cls)), X * [1, 1, 5000, 1] + [0, 1e7, 0, 0], y)


@pytest.mark.parametrize("cls", [OnlinePUClassifier, UnbiasedPUClassifier])
def test_linear_models_tell_once(cls):
    X, y = problem(2)
    assert len(told(cls(prior=0.4), X * [1, 1, 5000, 1], y)) == 1


def test_means_hurt_products_and_no_distances():
    X, y = problem(3)
    assert not told(ClassWeightedSVC(), 100 * X + 30_000, y)
    assert told(ClassWeightedSVC(kernel="linear", max_iter=1000), 100 * X + 30_000, y)
    assert not told(ClassWeightedSVC(), X + np.array([0, 0, 3000, 0]), y)
    assert "kernel='rbf'" in told(ClassWeightedSVC(), X * [1, 1, 30, 1], y)[0]
    assert not told(ClassWeightedSVC(), X * [1, 1, 10, 1], y)
    assert not told(UnbiasedPUClassifier(prior=0.4), X * [1, 1, 30, 1], y)
    assert told(ClassWeightedSVC(), X + 1.7e9, y)  # so far that squared distances lose their digits
    assert not told(ClassWeightedSVC(kernel=lambda A, B: A[:, :1] @ B[:, :1].T), X * [1, 1, 5000, 1], y)


def test_sparse_rows_are_looked_at_as_they_are():
    X, y = problem(4)
    X = sparse.csr_array(np.where(X > 0, X, 0))
    assert told(ClassWeightedSVC(), X * [1, 1, 1, 900], y)
    assert not told(ClassWeightedSVC(), X, y)


def test_columns_have_names_where_rows_have():
    pd = pytest.importorskip("pandas")
    X, y = problem(5)
    frame = pd.DataFrame(X * [1, 1, 1, 1e6], columns=["a", "b", "c", "income"])
    assert re.search("scales: 'income' has", told(ClassWeightedSVC(), frame, y)[0])
