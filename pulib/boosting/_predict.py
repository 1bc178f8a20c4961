"""Scores of rows by a sequence of stumps.

Bounded by memory: each row is read once per stump.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from pulib._compiled import frozen, helper, kernel

#: Rows that are copied at once if a matrix is sparse or not in C order.
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
    """For each stump t, add ``weights[t]`` to the scores of rows above the threshold, and subtract it from all others.

    The stumps are added in order.  A matrix that is sparse or not in C order is copied by a few thousand rows, with only the
    features in use.  ``missing_above`` is true for stumps that count missing values as above; None means that no value is
    missing.  ``stages`` of shape (n_stumps, n_samples) is filled with the scores after each stump.
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
    """Yield the scores after each stump, as new arrays."""
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
