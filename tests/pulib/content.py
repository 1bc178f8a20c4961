"""Whether two data sets hold the same rows, by what is in them: names, order of rows and columns, and scales do not matter."""

import numpy as np

MIXED = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


def fingerprints(X):
    """The different rows of a matrix as numbers, in three forms.

    The values as they are, or standardized: a part of a set is recognized, but only if rows differ in more than which column
    holds which value, as those of one-hot codes do not.  Standardized, with the shape of each column's distribution: for all.
    """
    X = np.asarray(X, dtype=np.float64)
    spread = X.std(axis=0)
    X = X[:, spread > 0]
    Z = (X - X.mean(axis=0)) / spread[spread > 0]
    n_rows = len(np.unique(_codes(Z, np.arange(Z.shape[1]))))
    plain = [set(_codes(form, np.zeros(X.shape[1])).tolist()) for form in (X, Z)]
    shapes = np.round((Z**3).mean(axis=0) + (Z**4).mean(axis=0), 3)
    return *(codes if 2 * len(codes) > n_rows else set() for codes in plain), set(_codes(Z, shapes).tolist())


def shared_rows(one, other):
    """The share of the smaller set's rows that the other one has too, in the form that has the most."""
    return max(len(a & b) / max(1, min(len(a), len(b))) for a, b in zip(one, other, strict=True))


def _codes(X, keys):
    """A number per row: the sum of a hash of each value with its column's key, whatever the order of columns."""
    codes = np.zeros(len(X), dtype=np.uint64)
    for column, key in zip(X.T, keys, strict=True):
        codes += _mixed(_mixed(_bits(column)) + _bits(np.full(1, key)))
    return codes


def _bits(values):
    return np.round(values * 1000).astype(np.int64).astype(np.uint64)


def _mixed(bits):
    """Well distributed bits; products of arrays wrap around without a warning."""
    for factor in MIXED:
        bits = (bits ^ (bits >> np.uint64(30))) * factor
    return bits ^ (bits >> np.uint64(31))
