"""Scores of rows under a sequence of stumps.

Bounded by memory: each row is read at as many places as there are stumps.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from pulib._compiled import frozen, helper, kernel

#: Rows that are put in order at once where a matrix is not in C order.
_ROWS = 4096
#: Stages that are scored at once, in one pass over the rows.
_STAGES = 32


def add_stumps(
    X: Any,
    features: np.ndarray,
    thresholds: np.ndarray,
    weights: np.ndarray,
    scores: np.ndarray,
    missing_above: np.ndarray | None = None,
    stages: np.ndarray | None = None,
) -> None:
    """Add ``weights[t]`` to the score of each row whose feature exceeds the threshold, and subtract it elsewhere, for each t.

    The sums run in the order of the stumps.  A matrix that is sparse or not in C order goes through a copy of a few thousand
    rows, of the features that occur.  ``missing_above`` says for each stump whether rows without a value are above; None where
    all have one.  ``stages`` of shape (n_stumps, n_samples) is filled with the scores after each stump.
    """
    if not sparse.issparse(X) and X.flags.c_contiguous:
        _add_stumps(frozen(X), features, thresholds, weights, scores, missing_above, stages)
        return
    used, places = np.unique(features, return_inverse=True)
    if sparse.issparse(X):
        X = X.tocsc()[:, used].tocsr()
    for start in range(0, X.shape[0], _ROWS):
        part = slice(start, start + _ROWS)
        rows = X[part].toarray() if sparse.issparse(X) else np.ascontiguousarray(X[part][:, used])
        here = None if stages is None else stages[:, part]
        _add_stumps(frozen(rows), places.astype(features.dtype), thresholds, weights, scores[part], missing_above, here)


def staged_scores(
    X: Any, features: np.ndarray, thresholds: np.ndarray, weights: np.ndarray, missing_above: np.ndarray | None = None
) -> Iterator[np.ndarray]:
    """The scores after each stump, in arrays of their own."""
    scores = np.zeros(X.shape[0])
    stages = np.empty((min(_STAGES, len(features)), len(scores)))
    for start in range(0, len(features), _STAGES):
        some = slice(start, start + _STAGES)
        here = stages[: len(features[some])]
        side = None if missing_above is None else missing_above[some]
        add_stumps(X, features[some], thresholds[some], weights[some], scores, side, here)
        for stage in here:
            yield stage.copy()


@helper
def _is_above(value, threshold, stump, missing_above):
    if missing_above is None:
        return value > threshold
    return value > threshold or (missing_above[stump] and value != value)


@kernel
def _add_stumps(X, features, thresholds, weights, scores, missing_above, stages):
    for i in range(X.shape[0]):
        score = scores[i]
        for t in range(features.shape[0]):
            score += weights[t] if _is_above(X[i, features[t]], thresholds[t], t, missing_above) else -weights[t]
            if stages is not None:
                stages[t, i] = score
        scores[i] = score
