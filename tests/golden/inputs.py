"""Small fixed inputs: integers divided by powers of two, identical to the bit on every processor."""

from __future__ import annotations

import numpy as np

from pulib.datasets import Dataset

PRIOR = 0.375


def points(n: int, d: int, seed: int, shift: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Return rows in steps of 1/64 and their classes; positives are higher in the first two features."""
    rng = np.random.RandomState(seed)
    truth = (np.arange(n) * 7919 % n < PRIOR * n).astype(np.int64)
    X = rng.randint(-128, 129, (n, d)) / 64 + shift * truth[:, None] * (np.arange(d) < 2)
    return X, truth


def two_sample(n_labeled: int = 40, n_unlabeled: int = 90, d: int = 4, seed: int = 1) -> tuple[np.ndarray, ...]:
    """Return X, y (1 for labeled, 0 for unlabeled rows), and test rows."""
    X, truth = points(3 * (n_labeled + n_unlabeled), d, seed)
    labeled, rest = np.flatnonzero(truth)[:n_labeled], np.arange(n_unlabeled) + 2 * (n_labeled + n_unlabeled)
    rows = np.concatenate([labeled, rest])
    order = np.random.RandomState(seed + 100).permutation(len(rows))
    return X[rows][order], (np.arange(len(rows)) < n_labeled).astype(np.int64)[order], X[:17]


def one_sample(n: int = 130, d: int = 4, seed: int = 2) -> tuple[np.ndarray, ...]:
    """Return the same kind of rows, with 60% of a single sample's positives labeled."""
    X, truth = points(n, d, seed)
    hidden = np.random.RandomState(seed + 100).permutation(np.flatnonzero(truth))[: int(0.4 * truth.sum())]
    y = truth.copy()
    y[hidden] = 0
    return X, y, points(17, d, seed + 200)[0]


def odd() -> tuple[np.ndarray, ...]:
    """Return few rows in single precision, with ties, a constant column, and a binary column."""
    X, truth = points(61, 7, 3, shift=2.0)
    X = np.round(X)
    X[:, 3], X[:, 5] = 1.0, X[:, 5] > 0
    y = truth.copy()
    y[np.flatnonzero(truth)[1::3]] = 0
    return X.astype(np.float32), y, X[::5].astype(np.float32)


def rare() -> tuple[np.ndarray, ...]:
    """Return rows of which 1 in 16 unlabeled ones is positive, and test rows that cross the boundary in small steps."""
    X, truth = points(1200, 2, 4, shift=2.0)
    labeled, positives = np.split(np.flatnonzero(truth)[:50], [30])
    rows = np.concatenate([labeled, positives, np.flatnonzero(truth == 0)[:300]])
    return X[rows], (np.arange(len(rows)) < len(labeled)).astype(np.int64), np.arange(0, 4, 0.0625)[:, None] * np.ones(2)


INPUTS = {"two samples": two_sample, "one sample": one_sample, "odd": odd, "rare": rare}


def dataset(
    name: str = "toy", n: int = 160, d: int = 4, seed: int = 5, n_train: int | None = None, classes: int = 2
) -> Dataset:
    """Return a labeled data set; with three classes, class 0 is positive now and class 1 later."""
    X, truth = points(n, d, seed)
    target = truth if classes == 2 else np.where(truth == 1, 0, 1 + (X[:, -1] > 0))
    y = (target == (1 if classes == 2 else 0)).astype(np.int8)
    return Dataset(name, X, target.astype(np.int16), y, n_train, {"available": True})
