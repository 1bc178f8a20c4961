"""What bounds each kernel, as a number: the least time that this machine needs for what has to be moved or done, over the time.

A *model* counts, from the sizes of a problem or from what was grown, the bytes that have to be read from memory or the
operations that have to be done; work that a better implementation could leave out is not counted.  A *limit* is the rate at
which a bare loop, or a matrix product of the BLAS, does the same on this machine.  Kernel and limit run in turn, on one thread.
A share near 100% says that the kernel is as fast as its model allows; a small one, that something else bounds it.  It may
exceed 100% where the data happen to lie in a cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any

import numba as nb
import numpy as np
from threadpoolctl import threadpool_limits

from pulab.benchmarks import adapu, neural, puet
from pulab.benchmarks.opu import stream
from pulab.benchmarks.pces import residuals
from pulab.benchmarks.record import Limit, Record
from pulib.kernels import (
    LEAF,
    NARROW,
    MovedRows,
    Threads,
    advance,
    interpolation_degree,
    kernel_matrix,
    node_depths,
    resolve_kernel,
)
from pulib.linear import OnlinePUClassifier
from pulib.svm import ClassWeightedSVC
from pulib.trees import PUExtraTreesClassifier

#: Units of the MLP's hidden layers.
_HIDDEN = (300, 300, 300, 300)
#: How often the loops over what fits into the first-level cache go over it.
_PASSES = 2000
_IN_CACHE = 2048


@nb.njit(nogil=True)
def _read(words):
    total = nb.uint64(0)
    for word in words:
        total ^= word
    return total


@nb.njit(nogil=True)
def _load(column, rows, passes):
    total = 0
    for _ in range(passes):
        for k in range(len(rows)):
            total += column[rows[k]]
    return total


@nb.njit(nogil=True)
def _count(codes, sums, passes):
    for _ in range(passes):
        for k in range(0, len(codes), 4):
            sums[codes[k]] += 1
            sums[256 + np.intp(codes[k + 1])] += 1
            sums[512 + np.intp(codes[k + 2])] += 1
            sums[768 + np.intp(codes[k + 3])] += 1


@nb.njit(nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _divide(values, passes):
    total = 0.0
    for p in range(passes):
        for k in range(len(values)):
            total += p / values[k]
    return total


def reading(megabytes: int) -> Limit:
    """Bytes that one thread reads, in order, from an array that no cache holds."""
    words = np.ones(megabytes * 2**20 // 8, np.uint64)
    return Limit("reading memory", "bytes", partial(_read, words), words.nbytes)


def indexed_loads(n: int) -> Limit:
    """8-bit values of every other one of n rows, through their numbers, added up."""
    column, rows = np.ones(n, np.uint8), np.arange(0, n, 2, dtype=np.uint32)
    passes = max(1, _PASSES * _IN_CACHE // len(rows))
    return Limit("loads through row numbers", "loads", partial(_load, column, rows, passes), passes * len(rows))


def counter_updates() -> Limit:
    """Additions to 64-bit counters in the first-level cache, which codes choose."""
    codes = np.random.default_rng(0).integers(0, 256, _IN_CACHE).astype(np.uint8)
    return Limit(
        "counter updates in cache", "updates", partial(_count, codes, np.zeros(1024, np.int64), _PASSES), _PASSES * _IN_CACHE
    )


def divisions() -> Limit:
    """Divisions of doubles in the first-level cache."""
    values = np.linspace(1.0, 2.0, _IN_CACHE)
    return Limit("divisions", "divisions", partial(_divide, values, _PASSES), _PASSES * _IN_CACHE)


def products(dtype: Any, size: int) -> Limit:
    """Additions and multiplications of a product of two square matrices."""
    A = np.random.default_rng(0).normal(size=(size, size)).astype(dtype)
    return Limit(f"matrix product, {np.dtype(dtype).name}", "operations", partial(np.matmul, A, A), 2.0 * size**3)


def grown_loads(forest: PUExtraTreesClassifier, n_candidates: int) -> float:
    """Values that a fit has to load: at each inner node those of the candidates and of the winner once more."""
    trees = [member.tree_ for member in forest.estimators_]
    inner = sum(int(tree.n_node_samples[tree.children_left != LEAF].sum()) for tree in trees)
    return float(inner) * (n_candidates + 1)


def passed_nodes(forest: PUExtraTreesClassifier, X: np.ndarray) -> float:
    """Inner nodes that rows pass, one value each: the sum of the depths of all rows' leaves."""
    leaves = forest.apply(X)
    return float(sum(node_depths(member.tree_)[leaves[:, t]].sum() for t, member in enumerate(forest.estimators_)))


def measure(
    record: Record,
    *,
    trees: Sequence[int],
    codes: Sequence[int],
    stream_shape: Sequence[int],
    pairs: int,
    kernel: Sequence[int],
    epoch: Sequence[int],
    megabytes: int,
    product: int,
    runs: int,
) -> None:
    """A line per kernel.

    Parameters
    ----------
    record : Record
    trees : (n, d, number of trees)
        Of 8-bit rows, for the forest.
    codes, stream_shape, kernel, epoch : (n, d)
        For Ada-PU, OPU, RESVM's kernel matrix (float64) and the networks' MLP; what OPU and Ada-PU read should be larger than
        the last-level cache.
    pairs : int
        Rows of SGBDota's residuals.
    megabytes : int
        Of the array that memory is read by: several times the last-level cache.
    product : int
        Rows of the square matrices.
    runs : int
    """
    with threadpool_limits(1):
        _of_trees(record, *trees, runs=runs)
        _of_boosting(record, *codes, limit=reading(megabytes), runs=runs)
        _of_streams(record, *stream_shape, limit=reading(megabytes), runs=runs)
        _of_pairs(record, pairs, runs=runs)
        _of_kernels(record, *kernel, limit=products(np.float64, product), runs=runs)
        _of_networks(record, *epoch, limit=products(np.float32, product), runs=runs)


def _of_trees(record: Record, n: int, d: int, n_trees: int, *, runs: int) -> None:
    X, y, X_test, prior = puet.generated_rows("uint8", n, d)
    F = int(np.ceil(np.sqrt(d)))
    limit = indexed_loads(len(X))
    model = f"a load per row, inner node and feature judged ({F}), and one to part the rows"
    grown, scored = f"{len(X)} x {d}, uint8, {n_trees} trees", f"{len(X_test)} x {d}, uint8, {n_trees} trees"
    for risk in ("nnpu", "pn"):
        forest = PUExtraTreesClassifier(n_trees, prior=prior, risk=risk, n_jobs=1, random_state=0).fit(X, y)
        name = f"PU Extra Trees, {risk}"
        record.bound(f"{name}, fit", grown, partial(forest.fit, X, y), grown_loads(forest, F), limit, runs, model)
        predict, amount = partial(forest.decision_function, X_test), passed_nodes(forest, X_test)
        record.bound(f"{name}, predict", scored, predict, amount, limit, runs, "a load per row and node that it passes")


def _of_boosting(record: Record, n: int, d: int, *, limit: Limit, runs: int) -> None:
    X, _ = adapu.generated_rows(n, d, n // 10)
    with Threads(1) as threads:
        boost, _ = adapu.rounds(X, n // 10, 1, threads)
        model = "every 8-bit code read once"
        record.bound("Ada-PU, round, one random threshold", f"{n} x {d}", boost, float(n) * d, limit, runs, model)
    coded = np.ascontiguousarray(X[:, : d // 4 * 4].T)
    rows = np.arange(0, n // 2 * 2, 2, dtype=np.int32)[: n // 4 * 2]
    moved = MovedRows(rows, np.ones(len(rows), np.int64), 1e-9, 1.0, 1.0)
    histograms = np.zeros((len(coded), NARROW))
    update = partial(advance, coded, moved, 0, len(coded), histograms)
    shape, amount = f"half of {n} rows x {len(coded)}", float(len(rows)) * len(coded)
    model = "a counter updated per row moved and feature"
    record.bound("Ada-PU, histograms of a round", shape, update, amount, counter_updates(), runs, model)


def _of_streams(record: Record, n: int, d: int, *, limit: Limit, runs: int) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, d)), (rng.random(n) < 0.2).astype(int)
    work = partial(stream, partial(OnlinePUClassifier, prior=0.3, alpha=1e-2), X, y, 1000)
    record.bound("OPU, partial_fit, 1000 rows", f"{n} x {d}, float64", work, X.nbytes, limit, runs, "every value read once")


def _of_pairs(record: Record, n: int, *, runs: int) -> None:
    work = residuals(n, spread=1.0, method="fast", threads=1)
    nodes = interpolation_degree(0.5)  # of the one cell that scores from 0 to 1 take
    model = f"{nodes} nodes x 4 per row and loss: one row added, three sums read"
    record.bound("SGBDota, residuals of a round", f"{n} rows", work, 2.0 * 4 * nodes * n, divisions(), runs, model)


def _of_kernels(record: Record, n: int, d: int, *, limit: Limit, runs: int) -> None:
    X = np.random.default_rng(0).normal(size=(n, d))
    kernel = resolve_kernel(ClassWeightedSVC(), X)
    model = "an addition and a multiplication per pair of rows and feature"
    work = partial(kernel_matrix, kernel, X, np.float64)
    record.bound("RESVM, kernel matrix (RBF)", f"{n} x {d}, float64", work, float(n) * (n + 1) * d, limit, runs, model)


def _of_networks(record: Record, n: int, d: int, *, limit: Limit, runs: int) -> None:
    if find_spec("torch") is None:
        record.unavailable("MLP, an epoch", "the Python package 'torch' is not installed")
        return
    work = neural.epoch(n, d, body="mlp", batch_size=250, **neural.NETWORKS["the MLP of nnPU"])
    inner = sum(i * o for i, o in zip(_HIDDEN, [*_HIDDEN[1:], 1], strict=True))
    model = "products of the layers, forward and backward; the input's gradient is not needed"
    amount = float(n) * (4 * d * _HIDDEN[0] + 6 * inner)
    record.bound("MLP, an epoch", f"{n} x {d}, float32, batches of 250", work, amount, limit, runs, model)
