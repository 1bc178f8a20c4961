"""Online PU learning compared with scikit-learn's stochastic gradient descent, on one thread; scaling with n and d."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import SGDClassifier

from benchmarks.record import Record
from pulib.linear import OnlinePUClassifier


def stream(make: Callable[[], Any], X: Any, y: np.ndarray, size: int) -> None:
    """Run one pass of ``partial_fit`` over batches of ``size`` rows."""
    model = make()
    for first in range(0, X.shape[0], size):
        model.partial_fit(X[first : first + size], y[first : first + size], classes=[0, 1])


def measure(
    record: Record,
    *,
    shape: Sequence[int],
    sparse_shape: Sequence[int],
    few: int,
    runs: int,
    rows: Sequence[int],
    features: Sequence[int],
) -> None:
    """Measure a fit, streams of batches and of single rows, sparse rows, and a stream over n and d.

    Parameters
    ----------
    record : Record
    shape, sparse_shape : (n, d)
    few : int
        Number of rows in the streams of single rows.
    runs : int
    rows, features : sequences of int
    """
    rng = np.random.default_rng(0)
    n, d = shape
    X = rng.normal(size=(n, d))
    S = sparse.random_array(tuple(sparse_shape), density=100 / sparse_shape[1], format="csr", rng=rng)
    y = (rng.random(max(n, S.shape[0])) < 0.2).astype(int)
    dense, wide = f"{n} x {d}", f"{sparse_shape[0]} x {sparse_shape[1]}, 100 non-zeros a row"
    one = "SGDClassifier.fit, one pass"
    batches, single = "SGDClassifier.partial_fit, 1000 rows", "SGDClassifier.partial_fit, a row"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SGDClassifier warns after a single pass
        ours, theirs = partial(_opu().fit, X, y[:n]), partial(SGDClassifier(max_iter=1).fit, X, y[:n])
        record.compare("fit, one pass", dense, ours, one, theirs, runs=runs, threads=1)
        for name, on, part, size, reference in (
            ("partial_fit, 1000 rows", dense, X, 1000, batches),
            ("partial_fit, a row", f"{few} x {d}", X[:few], 1, single),
            ("partial_fit, CSR, 1000 rows", wide, S, 1000, batches),
        ):
            ours, theirs = (partial(stream, make, part, y[: part.shape[0]], size) for make in (_opu, SGDClassifier))
            record.compare(name, on, ours, reference, theirs, runs=runs, threads=1)
    name, few_rows = "stream, 1000 rows a batch, double hinge", rows[0]
    record.scale(name, "n", rows, partial(_streamed, d=50), "n x 50", threads=1)
    record.scale(name, "d", features, partial(_streamed, few_rows), f"{few_rows} x d", threads=1)


def _opu() -> OnlinePUClassifier:
    return OnlinePUClassifier(prior=0.3, alpha=1e-2)


def _streamed(n: int, d: int) -> Callable[[], Any]:
    rng = np.random.default_rng(1)
    return partial(stream, _opu, rng.normal(size=(n, d)), (rng.random(n) < 0.2).astype(int), 1000)
