"""Online PU learning beside scikit-learn's stochastic gradient descent, one thread; growth with n and d."""

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
    """One pass of ``partial_fit`` over batches of ``size`` rows."""
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
    """A fit, streams of batches and of single rows, sparse rows; a stream over n and d.

    Parameters
    ----------
    record : Record
    shape, sparse_shape : (n, d)
    few : int
        Rows of the streams of single rows.
    runs : int
    rows, features : sequences of int
    """
    rng = np.random.default_rng(0)
    n, d = shape
    X, y = rng.normal(size=(n, d)), (rng.random(n) < 0.2).astype(int)
    S = sparse.random_array(tuple(sparse_shape), density=min(1.0, 100 / sparse_shape[1]), format="csr", rng=rng)
    dense, wide = f"{n} x {d}", f"{sparse_shape[0]} x {sparse_shape[1]}, 100 non-zeros a row"
    y_wide = y[: len(y)] if S.shape[0] <= n else (rng.random(S.shape[0]) < 0.2).astype(int)
    opu, sgd = partial(OnlinePUClassifier, prior=0.3, alpha=1e-2), SGDClassifier
    one = "SGDClassifier.fit, one pass"
    batches, single = "SGDClassifier.partial_fit, 1000 rows", "SGDClassifier.partial_fit, a row"

    def passing(make, data, size, labels=y):
        return partial(stream, make, data, labels[: data.shape[0]], size)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SGDClassifier's, of one pass only
        fit = partial(sgd(max_iter=1).fit, X, y)
        record.compare("fit, one pass", dense, lambda: opu().fit(X, y), one, fit, runs=runs, threads=1)
        ours = passing(opu, X, 1000)
        record.compare("partial_fit, 1000 rows", dense, ours, batches, passing(sgd, X, 1000), runs=runs, threads=1)
        note = f"the reference does {few} rows, its time is multiplied"
        theirs = passing(sgd, X[:few], 1)
        record.compare("partial_fit, 1000 rows", dense, ours, single, theirs, runs=runs, threads=1, factor=n / few, note=note)
        record.compare("partial_fit, a row", f"{few} x {d}", passing(opu, X[:few], 1), single, theirs, runs=runs, threads=1)
        ours, theirs = passing(opu, S, 1000, y_wide), passing(sgd, S, 1000, y_wide)
        record.compare("partial_fit, CSR, 1000 rows", wide, ours, batches, theirs, runs=runs, threads=1)
    _growth(record, rows, features, passing)


def _growth(record: Record, rows: Sequence[int], features: Sequence[int], passing: Callable) -> None:
    rng = np.random.default_rng(1)
    n, d = rows[-1], features[-1]
    y = (rng.random(n) < 0.2).astype(int)
    for loss in ("double_hinge", "logistic"):
        make = partial(OnlinePUClassifier, prior=0.3, alpha=1e-2, loss=loss)
        X = rng.normal(size=(n, 50))
        over_n = partial(_first, passing, make, X, y)
        record.scale(f"stream, 1000 rows a batch, {loss.replace('_', ' ')}", "n", rows, over_n, "n x 50", threads=1)
        X = rng.normal(size=(rows[0], d))
        over_d = partial(_narrowed, passing, make, X, y)
        record.scale(f"stream, 1000 rows a batch, {loss.replace('_', ' ')}", "d", features, over_d, f"{rows[0]} x d", threads=1)


def _first(passing, make, X, y, n):
    return passing(make, X[:n], 1000, y)


def _narrowed(passing, make, X, y, d):
    return passing(make, np.ascontiguousarray(X[:, :d]), 1000, y)
