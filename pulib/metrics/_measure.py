"""Computation of a metric from labels and predictions, for all functions, scorers and intervals."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils._param_validation import Interval, StrOptions

from pulib._groups import checked_groups
from pulib._labels import POS_LABEL_CONSTRAINT, _some, encode_pu_labels, equal_to, is_missing, marked_missing
from pulib._weights import of_rows, ones_for_none, row_weights
from pulib.metrics._contradictions import warn_of_contradiction
from pulib.metrics._formulas import FORMULAS
from pulib.metrics._tally import Sample, check_prior

PRIOR = Interval(Real, 0, 1, closed="neither")
SCENARIO = StrOptions({"two_sample", "one_sample"})

#: Constraints of the arguments that metrics share.
OF_ROWS: dict[str, list] = {"y": ["array-like"], "sample_weight": ["array-like", None], "pos_label": POS_LABEL_CONSTRAINT}
OF_POPULATION: dict[str, list] = {"prior": [PRIOR], "scenario": [SCENARIO]}


def positive_rows(y: Any, pos_label: Any) -> tuple[np.ndarray, np.ndarray]:
    return encode_pu_labels(column_or_1d(y), pos_label)


def predicted_positive(y_pred: Any, classes: np.ndarray, *, missing_is_unlabeled: bool = False) -> np.ndarray:
    """Return which predictions are positive.

    If missing labels mark unlabeled rows, one other label (0, -1 or a string) or a missing one means negative.
    """
    y_pred = column_or_1d(y_pred)
    positive = equal_to(y_pred, classes[1])
    strange = y_pred[~positive & ~equal_to(y_pred, classes[0])]
    if missing_is_unlabeled:
        known = np.fromiter((not is_missing(value) for value in strange.tolist()), dtype=bool, count=len(strange))
        kinds = set(strange[known].tolist())
        negative = all(isinstance(kind, str) for kind in kinds) if isinstance(classes[1], str) else kinds <= {0, -1}
        if negative and len(kinds) <= 1:
            return positive
        strange = strange[known]
    if strange.size:
        raise ValueError(
            f"y_pred contains {_some(strange[:1])}, which is not one of the labels in y ({_some(list(classes))}); pass "
            "predicted labels, not scores."
        )
    return positive


def check_scores(scores: Any, n: int) -> np.ndarray:
    scores = column_or_1d(scores)
    if not np.issubdtype(scores.dtype, np.number) and scores.dtype != bool:
        raise ValueError(f"scores has dtype {scores.dtype}; numbers are expected, such as those of decision_function.")
    scores = scores.astype(np.float64)
    if not np.all(np.isfinite(scores)):
        raise ValueError(f"scores contains {scores[~np.isfinite(scores)][0]}; finite numbers are expected.")
    if len(scores) != n:
        raise ValueError(f"scores has {len(scores)} entries and y has {n}; one score per row of y is expected.")
    return scores


def sample_of(y: Any, y_pred: Any, of: str, pos_label: Any = None, sample_weight: Any = None, groups: Any = None) -> Sample:
    """Return the rows with predictions or scores, from which metrics are computed, without those of weight 0."""
    positive, classes = positive_rows(y, pos_label)
    weights = row_weights(sample_weight, positive, positive)
    kept = ones_for_none(weights, len(positive)) > 0
    weights = of_rows(weights, kept)
    if of == "scores":
        values, place = np.unique(-check_scores(y_pred, len(positive))[kept], return_inverse=True)
        values, place = -values, place.ravel()
    else:
        check_consistent_length(y, y_pred)
        called = predicted_positive(y_pred, classes, missing_is_unlabeled=marked_missing(y))
        values, place = np.array([1.0, -1.0]), (~called[kept]).astype(np.intp)
    if groups is not None:
        groups = np.unique(checked_groups(groups, y)[kept], return_inverse=True)[1]
    return Sample(values, place, positive[kept], weights, groups)


def measure(
    name: str,
    y: Any,
    y_pred: Any,
    *,
    prior: float | None = None,
    scenario: str = "two_sample",
    pos_label: Any = None,
    sample_weight: Any = None,
    **options: Any,
) -> float:
    """Compute a metric of :data:`FORMULAS`; warn if its value is impossible."""
    formula = FORMULAS[name]
    sample = sample_of(y, y_pred, formula.of, pos_label, sample_weight)
    if prior is not None:
        check_prior(prior, sample, scenario)
    value = formula.value(sample.tally, prior, scenario, **options)
    warn_of_contradiction(name, value, sample.tally, sample.effective_counts, prior, scenario, options)
    return value
