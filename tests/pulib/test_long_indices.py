"""Sparse matrices with 64-bit indices: learners that reject them get 32-bit ones; scikit-learn checks the others."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from pulib import ElkanNotoClassifier, NaivePUClassifier, PUCalibratedClassifier, PUThresholdClassifier
from pulib._sparse import with_short_indices


def with_long_indices(X, form):
    X = X.asformat(form)
    if form == "coo":
        return sparse.coo_array((X.data, tuple(place.astype(np.int64) for place in X.coords)), shape=X.shape)
    return type(X)((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), shape=X.shape)


def text():
    rng = np.random.default_rng(3)
    X = sparse.random_array((90, 25), density=0.2, format="csr", rng=rng)
    return X, (X[:, [0, 1, 2]].sum(axis=1) + 0.3 * rng.random(90) > 0.4).astype(int)


@pytest.mark.parametrize(
    ("model", "form"),
    [
        (ElkanNotoClassifier(ExtraTreesClassifier(4, random_state=0), prior=0.4), "csr"),
        (NaivePUClassifier(RandomForestClassifier(4, random_state=0), prior=0.4), "csc"),
        (PUCalibratedClassifier(DecisionTreeClassifier(random_state=0), prior=0.4), "coo"),
        (PUThresholdClassifier(LinearSVC(random_state=0), prior=0.4), "csr"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_long_indices_give_the_results_of_short_ones(model, form):
    X, y = text()
    long = with_long_indices(X, form)
    before = long.copy()
    expected = model.fit(X, y).decision_function(X)
    np.testing.assert_array_equal(model.fit(long, y).decision_function(long), expected)
    if hasattr(model, "predict_proba"):
        model.predict_proba(long)
    assert (long != before).nnz == 0


@pytest.mark.parametrize(
    "kind", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array, sparse.bsr_matrix], ids=lambda kind: kind.__name__
)
def test_shortening_indices_does_not_copy_values(kind):
    form = kind.__name__[:3]
    long = kind(with_long_indices(text()[0], form))
    short = with_short_indices(long)
    assert type(short) is type(long)
    assert (short != long).nnz == 0
    assert np.shares_memory(short.data, long.data)
    assert with_short_indices(short) is short
    parts = short.coords if form == "coo" else (short.indices, short.indptr)
    assert {part.dtype for part in parts} == {np.dtype(np.int32)}


def test_matrix_that_needs_long_indices_keeps_them():
    wide = sparse.csr_array((np.ones(1), np.array([2**40]), np.array([0, 1])), shape=(1, 2**41))
    assert with_short_indices(wide) is wide
