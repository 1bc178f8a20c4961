"""Scores of rows under a sequence of stumps.

Bounded by memory: each row is read at as many places as there are stumps.
"""

import numpy as np

from pulib._compiled import frozen, kernel

#: Rows that are put in order at once where a matrix is not in C order.
_ROWS = 4096


def add_stumps(X: np.ndarray, features: np.ndarray, thresholds: np.ndarray, weights: np.ndarray, scores: np.ndarray) -> None:
    """Add ``weights[t]`` to the score of each row whose feature exceeds the threshold, and subtract it elsewhere, for each t.

    The sums run in the order of the stumps.  A matrix that is not in C order goes through a copy of a few thousand rows, of
    the features that occur.
    """
    if X.flags.c_contiguous:
        _add_stumps(frozen(X), features, thresholds, weights, scores)
        return
    used, places = np.unique(features, return_inverse=True)
    for start in range(0, len(X), _ROWS):
        part = slice(start, start + _ROWS)
        rows = np.ascontiguousarray(X[part][:, used])
        _add_stumps(frozen(rows), places.astype(features.dtype), thresholds, weights, scores[part])


@kernel
def _add_stumps(X, features, thresholds, weights, scores):
    for i in range(X.shape[0]):
        score = scores[i]
        for t in range(features.shape[0]):
            score += weights[t] if X[i, features[t]] > thresholds[t] else -weights[t]
        scores[i] = score
