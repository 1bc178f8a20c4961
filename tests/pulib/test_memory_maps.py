"""Rows from a file: what docs/large.md says that learners keep beside it."""

import tracemalloc

import numpy as np
import pytest

from pulib import AdaPUClassifier, OnlinePUClassifier, PUExtraTreesClassifier
from pulib._trees import _sparse

pytestmark = pytest.mark.jit("millions of values")


def mapped_rows(folder, n, d, dtype=np.float32, order="C"):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) if dtype != np.uint8 else rng.integers(0, 256, (n, d))
    shape = {"shape": (n, d), "fortran_order": order == "F"}
    stored = np.lib.format.open_memmap(folder / "X.npy", mode="w+", dtype=dtype, **shape)
    stored[:] = X
    stored.flush()
    return np.load(folder / "X.npy", mmap_mode="r"), (rng.random(n) < 0.1).astype(int)


def peak(work):
    """Bytes that NumPy held at the most; pages of a file do not count."""
    work()  # compiled by now
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("dtype", "order"), [(np.uint8, "C"), (np.float64, "F")])
def test_extra_trees_copy_nothing(tmp_path, dtype, order, monkeypatch):
    n, d = 2000, 1000
    X, y = mapped_rows(tmp_path, n, d, dtype, order)
    forest = PUExtraTreesClassifier(2, prior=0.4, random_state=0, n_jobs=1)
    assert peak(lambda: forest.fit(X, y)) < 300 * n + (5 << 18) < X.nbytes
    monkeypatch.setattr(_sparse, "_PART_BYTES", 1 << 16)
    assert peak(lambda: forest.predict(X)) < 100 * n + (5 << 18) < X.nbytes


def test_ada_pu_keeps_a_byte_per_value(tmp_path):
    n, d = 10_000, 400
    X, y = mapped_rows(tmp_path, n, d, np.float64, order="F")
    model = AdaPUClassifier(3, prior=0.4, max_bins=256, n_iter_no_change=None, random_state=0, n_jobs=1)
    columns, tables = 3 * 16 * 8 * n, 32 * 256 * d
    assert n * d < peak(lambda: model.fit(X, y)) < n * d + columns + tables + 100 * n < X.nbytes
    assert peak(lambda: model.predict(X)) < 100 * n + (1 << 20)


def test_online_learning_looks_at_some_rows(tmp_path):
    n, d = 100_000, 40
    X, y = mapped_rows(tmp_path, n, d, np.float64)
    looked_at = 20_000 * d * 8
    model = OnlinePUClassifier(prior=0.4, random_state=0)
    assert peak(lambda: model.fit(X, y)) < looked_at + 20 * n < X.nbytes
    assert peak(lambda: model.predict(X)) < 2 * 1024 * d * 8 + 40 * n < X.nbytes

    def stream():
        model = OnlinePUClassifier(prior=0.4)
        for first in range(0, n, 1000):
            model.partial_fit(X[first : first + 1000], y[first : first + 1000], classes=[0, 1])

    assert peak(stream) < 3 * 1000 * d * 8 + (1 << 18)
