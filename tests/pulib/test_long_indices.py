"""Sparse matrices whose indices have 64 bits are taken wherever those with 32 bits are, and give the same."""

import warnings
from functools import cache
from itertools import cycle

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from pulib import (
    DEDPULClassifier,
    ElkanNotoClassifier,
    NaivePUClassifier,
    PUCalibratedClassifier,
    PUThresholdClassifier,
    TwoStepPUClassifier,
)
from pulib._sparse import with_short_indices
from pulib.utils import all_estimators

BASES = [
    ExtraTreesClassifier(4, random_state=0),
    RandomForestClassifier(4, random_state=0),
    DecisionTreeClassifier(random_state=0),
    LinearSVC(random_state=0),
]


def with_long_indices(X, form):
    X = X.asformat(form)
    if form == "coo":
        return sparse.coo_array((X.data, tuple(place.astype(np.int64) for place in X.coords)), shape=X.shape)
    return type(X)((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), shape=X.shape)


@cache
def text():
    rng = np.random.default_rng(3)
    few = sparse.random_array((90, 25), density=0.2, format="csr", rng=rng)
    X = sparse.hstack([few, rng.random((90, 1))], format="csr")  # trees keep columns of few values and of many, as in a warm-up
    return X, (X[:, [0, 1, 2]].sum(axis=1) + 0.3 * rng.random(90) > 0.4).astype(int)


#: Each with the base of its place; Elkan and Noto ask for probabilities, which the last one lacks.
REDUCTIONS = [ElkanNotoClassifier, NaivePUClassifier, PUCalibratedClassifier, PUThresholdClassifier]

FOREST_BY_DEFAULT = [*REDUCTIONS, DEDPULClassifier, TwoStepPUClassifier]


def learners():
    """Everything that takes sparse rows, reductions around a base; and each kind of base in one of the reductions."""
    few = {"n_estimators": 3, "epochs": 1, "prior": 0.4, "random_state": 0}
    for _, cls in all_estimators():
        if "param_grid" in cls._get_param_names() or "param_distributions" in cls._get_param_names():
            continue
        base = {"estimator": LogisticRegression()} if cls in FOREST_BY_DEFAULT else {}
        model = cls(**base, **{key: value for key, value in few.items() if key in cls._get_param_names()})
        if get_tags(model).input_tags.sparse:
            yield cls.__name__, model
    for base, cls in zip(BASES, REDUCTIONS, strict=True):
        yield f"{cls.__name__}, {type(base).__name__}", cls(base, prior=0.4)


LEARNERS = dict(learners())


@pytest.mark.parametrize(("name", "form"), list(zip(LEARNERS, cycle(["csr", "csc", "coo"]), strict=False)))
def test_long_indices_are_as_good_as_short_ones(name, form):
    (X, y), model = text(), LEARNERS[name]
    long = with_long_indices(X, form)
    before = long.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = model.fit(X, y).decision_function(X)
        scores = model.fit(long, y).decision_function(long)
        model.predict(long)
        if hasattr(model, "predict_proba"):
            model.predict_proba(long)
    np.testing.assert_array_equal(scores, expected)
    assert (long != before).nnz == 0


@pytest.mark.parametrize(
    "kind", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array, sparse.bsr_matrix], ids=lambda kind: kind.__name__
)
def test_indices_are_made_short_without_a_copy_of_the_values(kind):
    form = kind.__name__[:3]
    long = kind(with_long_indices(text()[0], form))
    short = with_short_indices(long)
    assert type(short) is type(long)
    assert (short != long).nnz == 0
    assert np.shares_memory(short.data, long.data)
    assert with_short_indices(short) is short
    parts = short.coords if form == "coo" else (short.indices, short.indptr)
    assert {part.dtype for part in parts} == {np.dtype(np.int32)}


def test_what_needs_long_indices_keeps_them():
    wide = sparse.csr_array((np.ones(1), np.array([2**40]), np.array([0, 1])), shape=(1, 2**41))
    assert with_short_indices(wide) is wide
