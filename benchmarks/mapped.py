"""Learners on rows in a memory map, compared with the same rows in memory; scaling with n, to sizes too large to copy.

The rows are drawn block by block into a file in the folder for temporary files (``TMPDIR``), so drawing needs no memory of
their size.  The first call, which is not counted, reads all pages of the rows: they are resident before the peak memory is
measured, and do not count toward it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.opu import stream
from benchmarks.record import Record
from pulib.boosting import AdaPUClassifier
from pulib.linear import OnlinePUClassifier
from pulib.trees import PUExtraTreesClassifier

PRIOR = 0.4
#: Number of rows that are drawn, or learned online, at a time.
BLOCK = 10_000


def map_rows(folder: Path, n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Return 32-bit rows of two classes, as a read-only memory map of a C-ordered file, and PU labels: a tenth are labeled."""
    rng = np.random.default_rng(0)
    path, y = folder / "X.npy", np.empty(n, np.int8)
    stored = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(n, d))
    for first in range(0, n, BLOCK):
        rows = slice(first, min(first + BLOCK, n))
        y[rows] = rng.random(rows.stop - first) < 0.1
        truth = (y[rows] == 1) | (rng.random(rows.stop - first) < PRIOR)
        stored[rows] = rng.normal(size=(rows.stop - first, d)) + np.where(truth, 0.25, -0.25)[:, None]
    stored.flush()
    return np.load(path, mmap_mode="r"), y


def learners(threads: int) -> dict[str, tuple[Callable[[np.ndarray, np.ndarray], Any], int]]:
    """Return by name a function of rows and labels, and the number of threads that it uses."""
    tree = PUExtraTreesClassifier(1, prior=PRIOR, n_jobs=1, random_state=0)
    boosted = AdaPUClassifier(10, prior=PRIOR, max_bins=256, n_iter_no_change=None, n_jobs=threads, random_state=0)
    online = partial(OnlinePUClassifier, prior=PRIOR, alpha=0.01)
    return {
        "PU Extra Trees, one tree": (tree.fit, 1),
        "Ada-PU, 256 bins, 10 rounds": (boosted.fit, threads),
        f"OPU, one pass, {BLOCK} rows at a time": (lambda X, y: stream(online, X, y, BLOCK), 1),
    }


def measure(record: Record, *, rows: Sequence[int], width: int, runs: int) -> None:
    """Compare fits from the map with fits from memory, and measure fits from the map over n.

    Parameters
    ----------
    record : Record
    rows : sequence of int
        Sizes of the series.  Fits from memory use the second largest.
    width : int
        Number of features.
    runs : int
    """
    with tempfile.TemporaryDirectory() as folder:
        X, y = map_rows(Path(folder), max(rows), width)
        compared = sorted(rows)[-2]
        shape = f"{compared} x {width}, float32"
        for name, (fit, threads) in learners(record.threads).items():
            ours, theirs = partial(fit, X[:compared], y[:compared]), partial(fit, np.array(X[:compared]), y[:compared])
            record.compare(name, shape, ours, "the same rows in memory", theirs, runs=runs, threads=threads)
            del theirs
            growing = partial(_part, fit, X, y)
            record.scale(name, "n", rows, growing, f"n x {width}, float32, from a memory map", runs=runs, threads=threads)


def _part(fit: Callable[[np.ndarray, np.ndarray], Any], X: np.ndarray, y: np.ndarray, n: int) -> Callable[[], Any]:
    return partial(fit, X[:n], y[:n])
