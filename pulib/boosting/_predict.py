"""Scores of rows under a sequence of stumps.

Bounded by memory: each row is read at as many places as there are stumps.
"""

import numba as nb


@nb.njit(cache=True, nogil=True)
def add_stump(X, feature, threshold, weight, scores):
    """Add ``weight`` where the feature exceeds the threshold, and subtract it elsewhere."""
    for i in range(X.shape[0]):
        scores[i] += weight if X[i, feature] > threshold else -weight


@nb.njit(cache=True, nogil=True)
def add_stumps(X, features, thresholds, weights, scores):
    """Add all stumps, row by row, in the order in which :func:`add_stump` would."""
    for i in range(X.shape[0]):
        score = scores[i]
        for t in range(features.shape[0]):
            score += weights[t] if X[i, features[t]] > thresholds[t] else -weights[t]
        scores[i] = score
