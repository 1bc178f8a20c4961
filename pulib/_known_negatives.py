"""Known negatives, in addition to labeled positives and unlabeled rows.

A PU risk needs the mean of a loss over the population, which the unlabeled rows estimate.  Labeled positives and known
negatives give another estimate, π mean_P + (1 − π) mean_N.  We mix the two:

    mean_M = (1 − η) mean_U + η (π mean_P + (1 − π) mean_N).

The negative part of the risk, mean_M − π mean_P, is then (1 − η) times that of the PU risk plus η times that of supervised
learning (Sakai, du Plessis, Niu, Sugiyama, "Semi-supervised classification based on classification from positive and unlabeled
data", ICML 2017, equation 8, with 1 − η for γ).  η minimizes the variance if losses have the same variance everywhere, but
known negatives count at most as much as the unlabeled rows.  They must be a random sample of the negatives.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from pulib._labels import ENCODED, _some, check_named, equal_to, is_missing, known_labels, one_dimensional, too_many
from pulib._typing import ArrayLike
from pulib._weights import of_rows, ones_for_none

#: Constraint of the ``unlabeled_label`` argument, for ``_parameter_constraints``.
UNLABELED_LABEL_CONSTRAINT: list[Any] = [Real, str, "boolean", None]
_CLEAR = [sorted(map(repr, kinds)) for kinds in ([1, -1], [1, 0], [1.0, -1.0], [1.0, 0.0], [True, False])]


class Negatives(NamedTuple):
    """Mask of the known negatives, and classes ``[negative, positive]``."""

    rows: np.ndarray
    classes: np.ndarray


def split_known_negatives(y: ArrayLike, unlabeled_label: Any, pos_label: Any = None) -> tuple[Any, Negatives | None]:
    """Return PU labels in which known negatives are unlabeled, and the known negatives, or None if there are none.

    ``unlabeled_label`` is NaN for missing labels; if it is None, there are no known negatives.  ``pos_label`` is needed unless
    positives are 1 and known negatives -1 or 0.  If no row is unlabeled or the positive label is ambiguous, raise an error.

    Examples
    --------
    >>> from pulib._known_negatives import split_known_negatives
    >>> split_known_negatives([1, 0, -1, 0], 0)
    (array([1, 0, 0, 0]), Negatives(rows=array([False, False,  True, False]), classes=array([-1,  1])))
    """
    values = None if unlabeled_label is None else one_dimensional(y)
    if values is None:
        return y, None
    unlabeled = ~known_labels(values) if is_missing(unlabeled_label) else equal_to(values, unlabeled_label)
    kinds = list(dict.fromkeys(values[~unlabeled].tolist()))
    kinds = [kind.item() if isinstance(kind, np.generic) else kind for kind in kinds]  # arrays of objects keep NumPy's numbers
    if not unlabeled.any():
        if pos_label is not None:
            check_named(y, pos_label, unlabeled_label)
        raise ValueError(
            f"unlabeled_label={unlabeled_label!r} is not a label in y, which contains {_some(kinds)}; pass the label of "
            "unlabeled rows, or None if no row is known to be negative."
        )
    if len(kinds) < 2:
        return y, None
    if len(kinds) > 2:
        raise ValueError(f"Only binary classification is supported: {too_many([*kinds, unlabeled_label])}")
    if pos_label is None and sorted(map(repr, kinds)) not in _CLEAR:
        raise ValueError(
            f"y contains {_some(kinds)} and unlabeled rows: which of them marks labeled positives? Pass pos_label=, or "
            "labels 1 (positive) and -1 (negative)."
        )
    if pos_label is not None and {*kinds, unlabeled_label} == {0, 1, 2}:
        raise ValueError(
            f"pos_label={pos_label!r}: labels 0, 1 and 2 may be codes of other ones. {ENCODED} Mark known negatives -1, "
            "and pass unlabeled_label=0 alone."
        )
    if pos_label is not None and pos_label not in kinds:
        raise ValueError(f"pos_label={pos_label!r} is not a label in y, which contains {_some([*kinds, unlabeled_label])}")
    mark = 1 if pos_label is None else pos_label
    ordered = kinds if kinds[1] == mark else kinds[::-1]
    positive = equal_to(values, mark)
    classes = np.array(ordered)
    if pos_label is None:
        return positive.astype(np.intp), Negatives(~positive & ~unlabeled, classes)
    without = values.copy()
    without[~positive & ~unlabeled] = values[unlabeled][0]
    return without, Negatives(~positive & ~unlabeled, classes)


def negatives_that_count(negatives: Negatives | None, sample_weight: Any) -> np.ndarray | None:
    """Return the mask of known negatives among the rows with a weight above 0; None if there are none."""
    if negatives is None:
        return None
    weights = None if sample_weight is None or np.ndim(sample_weight) == 0 else np.asarray(sample_weight)
    rows = of_rows(negatives.rows, slice(None) if weights is None else weights > 0)
    return rows if rows is not None and rows.any() else None


def population_rows(negative: np.ndarray, scenario: str) -> np.ndarray:
    """Return the rows of the PU problem: known negatives belong to a single sample, but not to two samples."""
    return np.ones_like(negative) if scenario == "one_sample" else ~negative


def times_counted(n_positive: float, n_negative: float, n_population: float, prior: float) -> float:
    """Return r, the number of rows of the population's sample that one known negative counts as.

    η = r c / (1 + r c) with c = n_N / ((1 − π) n).  The PU estimate of the negative part has the variance 1/n + π²/n_P, and the
    supervised estimate (1 − π)²/n_N.  The best η therefore has r = (1 + π² n/n_P) / (1 − π), regardless of n_N.

    Examples
    --------
    >>> from pulib._known_negatives import times_counted
    >>> times_counted(100, 50, 1000, 0.5), times_counted(100, 500, 1000, 0.5)
    (7.0, 2.0)
    """
    best = (1.0 + prior**2 * n_population / n_positive) / (1.0 - prior)
    return min(best, max(1.0, n_population / n_negative))


class Mix(NamedTuple):
    """Row weights for means over the population (sum 1), the same without the supervised term of positives, and η."""

    weights: np.ndarray
    unlabeled: np.ndarray
    eta: float


def mix_of_samples(
    positive: np.ndarray, negative: np.ndarray, prior: float, scenario: str, weights: np.ndarray | None = None
) -> Mix:
    """Return mean_M as row weights.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._known_negatives import mix_of_samples
    >>> kinds = np.array([1, 0, 0, -1])
    >>> weights, _, eta = mix_of_samples(kinds == 1, kinds == -1, 0.5, "two_sample")
    >>> weights.round(3).tolist(), round(eta, 3)
    ([0.333, 0.167, 0.167, 0.333], 0.667)
    """
    counts = ones_for_none(weights, len(positive))
    of_population = counts * (np.ones_like(positive) if scenario == "one_sample" else ~positive & ~negative)
    n_p, n_n, n = (float(part.sum()) for part in (counts[positive], counts[negative], of_population))
    share = times_counted(n_p, n_n, n, prior) * n_n / ((1.0 - prior) * n)
    eta = share / (1.0 + share)
    unlabeled = (1.0 - eta) * of_population / n + eta * (1.0 - prior) * counts * negative / n_n
    return Mix(unlabeled + eta * prior * counts * positive / n_p, unlabeled, eta)
