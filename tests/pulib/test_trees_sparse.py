"""Sparse matrices: trees from the non-zeros only, identical to those on dense floats; and learners with dense rows."""

import numpy as np
import pytest
from scipy import sparse

from pulib import AdaPUClassifier, BaggingSVC, ClassWeightedSVC, MappingConvergenceSVC, PUExtraTreesClassifier
from pulib._trees import _sparse
from studies.puet.released import PUExtraTreesClassifier as AnyRange

OPTIONS = {
    "plain": {},
    "one sample": {"scenario": "one_sample"},
    "bags": {"bootstrap": True, "oob_score": True},
    "all thresholds": {"splitter": "best"},
    "released": {"threshold_range": "released", "n_thresholds": 3},
    "all features": {"max_features": None},
}


def table(kind, seed=0, n=90, d=60):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, d), density=0.06, format="csr", rng=rng)
    X.data = X.data - 0.3
    if kind == "bytes":
        X = (10 * abs(X)).astype(np.uint8)
    elif kind == "zeros that are stored":
        X.data[::5] = 0.0
    elif kind == "missing":
        X.data[rng.random(X.nnz) < 0.2] = np.nan
    elif kind == "float32":
        X = X.astype(np.float32)
    return X, (rng.random(n) < 0.4).astype(int), rng.integers(1, 4, n)


@pytest.fixture
def by_stored_values(monkeypatch):
    monkeypatch.setattr(_sparse, "_STORED_FROM", 0)
    monkeypatch.setattr(_sparse, "_STORED_SHARE", 1)


SLOW = [("float64", "all thresholds"), ("float32", "all thresholds"), ("bytes", "plain"), ("missing", "bags")]


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        *(("float64", options) for options in OPTIONS if options != "all thresholds"),
        ("zeros that are stored", "bags"),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in SLOW),  # each compiles tree growth again
    ],
)
def test_non_zeros_give_the_trees_of_dense_rows(kind, options, by_stored_values):
    X, y, weights = table(kind)
    assert _sparse.prepare_sparse(X, missing=kind == "missing").stored is not None
    for given in (None, weights):
        forest = AnyRange(6, prior=0.4, random_state=1, **OPTIONS[options])
        dense = forest.fit(X.toarray(), y, given)
        expected = [member.tree_ for member in dense.estimators_]
        scores = dense.decision_function(X.toarray())
        oob = getattr(dense, "oob_decision_function_", None)
        forest.fit(X, y, given)
        for one, other in zip(expected, forest.estimators_, strict=True):
            assert all(a.tobytes() == b.tobytes() for a, b in zip(one, other.tree_, strict=True))
        assert forest.decision_function(X).tobytes() == scores.tobytes()
        assert forest.decision_function(X.tocsc()).tobytes() == scores.tobytes()
        np.testing.assert_array_equal(forest.apply(X), forest.apply(X.toarray()))
        if oob is not None:
            assert forest.oob_decision_function_.tobytes() == oob.tobytes()


def test_tree_of_one_leaf_reads_no_column(by_stored_values):
    X, y, _ = table("float64")
    empty = sparse.csr_array(X.shape)
    forest = PUExtraTreesClassifier(2, prior=0.4, random_state=0).fit(empty, y)
    assert [tree.get_n_leaves() for tree in forest] == [1, 1]
    assert len(set(forest.decision_function(X))) == 1


@pytest.mark.parametrize(("d", "density", "stored"), [(9000, 0.01, True), (9000, 0.2, False), (500, 0.01, False)])
def test_wide_matrices_with_few_values_are_kept_as_values(d, density, stored):
    X = sparse.random_array((30, d), density=density, format="csr", rng=np.random.default_rng(0))
    assert (_sparse.prepare_sparse(X).stored is not None) == stored


def test_trees_use_non_zeros_if_dense_codes_do_not_fit_in_memory(monkeypatch):
    def no_room(*_):
        raise MemoryError

    monkeypatch.setattr(_sparse, "check_room", no_room)
    X = sparse.random_array((40, 20_000), density=0.001, format="csr", rng=np.random.default_rng(0))
    y = (np.arange(40) % 3 == 0).astype(int)
    assert len(PUExtraTreesClassifier(3, prior=0.4, random_state=0).fit(X, y).predict(X)) == 40


@pytest.mark.parametrize(
    "model",
    [
        PUExtraTreesClassifier(prior=0.4),
        AdaPUClassifier(prior=0.4),
        *(ClassWeightedSVC(), BaggingSVC(), MappingConvergenceSVC()),
    ],
    ids=lambda model: type(model).__name__,
)
def test_sparse_rows_that_do_not_fit_raise_an_error_before_allocation(model, monkeypatch):
    monkeypatch.setattr(_sparse, "_STORED_FROM", 10**7)  # otherwise trees keep only the values
    X = sparse.csr_array((np.ones(10**6), (np.arange(10**6), np.arange(10**6))))
    with pytest.raises(MemoryError, match=r"GiB of memory.*UnbiasedPUClassifier"):
        model.fit(X, np.arange(10**6) < 5)
