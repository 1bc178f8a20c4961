"""Row weights in the means of a PU risk."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.validation import _check_sample_weight

from pulib._typing import ArrayLike


def row_weights(sample_weight: ArrayLike | None, X: Any, positive: np.ndarray) -> np.ndarray | None:
    """Return validated row weights; None without ``sample_weight``.

    A PU risk consists of π and of means over labeled and over unlabeled rows, which weights turn into weighted means: a weight
    of 2 is equivalent to repeating a row, and a common factor has no effect.  If a weight is negative or not finite, all
    labeled or all unlabeled rows have weight 0, or their squares may overflow or vanish, raise an error.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._weights import row_weights
    >>> row_weights([1, 2, 3], np.zeros((3, 1)), np.array([True, False, False]))
    array([1., 2., 3.])
    """
    if sample_weight is None:
        return None
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    for kind, rows in (("labeled", positive), ("unlabeled", ~positive)):
        largest = weights[rows].max(initial=0.0)
        if largest == 0:
            raise ValueError(
                f"sample_weight: all {int(rows.sum())} {kind} rows have weight 0, which leaves one class only; give at "
                "least one of them a weight above 0."
            )
        if not 1e-100 < largest < 1e100:  # so that squares and their sums neither overflow nor vanish
            raise ValueError(
                f"sample_weight: the largest weight of {kind} rows is {largest:.3g}, and must be between 1e-100 and 1e100. "
                "Divide all weights by their mean."
            )
    return weights


def weighted_rows(sample_weight: ArrayLike | None, X: Any, positive: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray | None]:
    """Return the rows with :func:`row_weights` above 0, the mask of labeled rows among them, and their weights.

    ``X`` is copied only if a weight is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._weights import weighted_rows
    >>> X, positive, weights = weighted_rows([1, 0, 3], np.zeros((3, 1)), np.array([True, False, False]))
    >>> X.shape, positive, weights
    ((2, 1), array([ True, False]), array([1., 3.]))
    """
    weights = row_weights(sample_weight, X, positive)
    if weights is None or weights.all():
        return X, positive, weights
    counts = np.flatnonzero(weights)
    return _safe_indexing(indexable(X)[0], counts), positive[counts], weights[counts]


def fit_weights(estimator: Any, weights: np.ndarray | None) -> dict[str, np.ndarray]:
    """Return the keyword arguments that pass weights to ``fit`` (in a pipeline, of the last step), which must accept them.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from pulib._weights import fit_weights
    >>> fit_weights(make_pipeline(StandardScaler(), LogisticRegression()), np.ones(2))
    {'logisticregression__sample_weight': array([1., 1.])}
    """
    if weights is None:
        return {}
    last, prefix = estimator, ""
    while isinstance(last, Pipeline):
        step, last = last.steps[-1]
        prefix += f"{step}__"
    taken = signature(last.fit).parameters
    if "sample_weight" not in taken and all(argument.kind != Parameter.VAR_KEYWORD for argument in taken.values()):
        raise ValueError(
            f"sample_weight: {type(last).__name__}.fit takes no sample_weight. Pass an estimator whose fit does, such as "
            "LogisticRegression or ExtraTreesClassifier."
        )
    return {f"{prefix}sample_weight": weights}


def weighted_counts(positive: np.ndarray, weights: np.ndarray | None) -> tuple[float, float]:
    """Numbers of labeled and unlabeled rows, in proportion to their weights; they add up to the number of rows."""
    n = len(positive)
    n_labeled = float(positive.sum()) if weights is None else float(n * (weights[positive].sum() / weights.sum()))
    return n_labeled, n - n_labeled


def of_rows(weights: np.ndarray | None, rows: Any) -> np.ndarray | None:
    return None if weights is None else weights[rows]


def ones_for_none(weights: np.ndarray | None, n: int) -> np.ndarray:
    return np.ones(n) if weights is None else weights


def weighted_std(x: np.ndarray, weights: np.ndarray) -> float:
    return float(np.sqrt(np.average((x - np.average(x, weights=weights)) ** 2, weights=weights)))


def effective_weights(weights: np.ndarray | None, positive: np.ndarray) -> np.ndarray | None:
    """Scale weights to add up to the effective sample size of each kind; None if weights are equal within each kind.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._weights import effective_weights
    >>> positive = np.array([True, True, False, False])
    >>> effective_weights(np.array([2.0, 2.0, 9.0, 3.0]), positive)
    array([1. , 1. , 1.2, 0.4])
    >>> effective_weights(np.array([2.0, 2.0, 9.0, 9.0]), positive) is None
    True
    """
    if weights is None or all(np.ptp(weights[rows]) == 0 for rows in (positive, ~positive)):
        return None
    effective = weights.copy()
    for rows in (positive, ~positive):
        effective[rows] *= effective_count(effective[rows]) / effective[rows].sum()
    return effective


def thinned(weights: np.ndarray | None, rows: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """Draw an unweighted subsample: each row is kept with a probability proportional to its weight."""
    if weights is None or not len(rows):
        return rows
    return rows[rng.random_sample(len(rows)) * weights[rows].max() < weights[rows]]


def effective_count(weights: np.ndarray) -> float:
    """Effective sample size: the number of equally weighted rows whose mean is as uncertain (Kish 1965).

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._weights import effective_count
    >>> effective_count(np.array([3.0, 3.0, 0.0])), effective_count(np.array([3.0, 1.0]))
    (2.0, 1.6)
    """
    return float(weights.sum() ** 2 / (weights @ weights))
