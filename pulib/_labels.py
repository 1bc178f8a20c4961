"""Interpretation and validation of PU labels.

Unambiguous labels need no parameter: 1/0, 1/-1, True/False, and 1 with missing values (NaN, None, NA).  For any other two
values, ``pos_label`` marks labeled positives.  Missing values mean "unlabeled" but are not a class: predictions are never
missing (:func:`classes_with_missing`).

A learner needs both values as parameters (:func:`check_named`), because meta-estimators of scikit-learn replace labels with
their positions in sorted order, where 1 may be the code of unlabeled rows.  With both names, such codes are detected: at least
one name is not a code, unless the labels are 0 and 1, which are not changed.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from pulib._typing import ArrayLike

#: Constraint of the ``pos_label`` argument, for ``_parameter_constraints``.
POS_LABEL_CONSTRAINT: list[Any] = [Real, str, "boolean", None]

#: Learners with the parameter ``unlabeled_label``.
TAKE_NEGATIVES = (
    *("PUExtraTreesClassifier", "PUDecisionTreeClassifier", "UnbiasedPUClassifier", "NeuralPUClassifier"),
    *("NaivePUClassifier", "PUBaggingClassifier", "ElkanNotoClassifier", "PUThresholdClassifier", "PUCalibratedClassifier"),
)

_CLEAR = ([0, 1], [-1, 1])
#: A likely cause if labels differ from those that the learner's parameters name.
ENCODED = (
    "Meta-estimators of scikit-learn (VotingClassifier, OneVsRestClassifier, cross_val_predict, ...) replace labels by 0 and 1 "
    "in sorted order: pass them 1 (labeled) and 0 (unlabeled), and neither pos_label nor unlabeled_label. Without one, pass "
    "the labels that y contains."
)


def encode_pu_labels(y: ArrayLike, pos_label: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Return the mask of labeled positives, and the classes ``[unlabeled, positive]``.

    Labels are 1/0, 1/-1 or True/False; 1 and missing values; or any two values, one of which is ``pos_label``.  Continuous
    values, more or fewer than two distinct values, and ambiguous labels raise an error.

    Examples
    --------
    >>> from pulib._labels import encode_pu_labels
    >>> encode_pu_labels([1.0, None, 1.0])
    (array([ True, False,  True]), array([0., 1.]))
    >>> encode_pu_labels(["P", "U", "U"], pos_label="P")
    (array([ True, False, False]), array(['U', 'P'], dtype='<U1'))
    """
    labels = missing_as_unlabeled(y, pos_label)
    return complete_labels(y, pos_label) if labels is None else labels


def complete_labels(y: ArrayLike, pos_label: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """:func:`encode_pu_labels` for labels without missing values."""
    y = np.asarray(y)
    if y.dtype == object and y.size and all(isinstance(value, Real) for value in y.flat):
        y = np.array(y.tolist())  # scikit-learn rejects numbers of dtype object as labels of unknown type
    check_classification_targets(y)
    target_type = type_of_target(y, input_name="y", raise_unknown=True)
    classes = np.unique(y)
    if len(classes) > 2:
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {target_type}: {too_many(list(classes))}"
        )
    if len(classes) < 2:
        raise ValueError(
            f"y contains one class only ({_some(list(classes))}): labeled positives and unlabeled rows are both needed, marked "
            "1 and 0. Include the rows without a label in X."
        )
    if pos_label is None:
        if classes.tolist() not in _CLEAR:
            first, second = (_some([value]) for value in classes)
            raise ValueError(
                f"y contains {first} and {second}: which of them marks labeled positives? Pass pos_label={first} or "
                f"pos_label={second} (a learner needs unlabeled_label= the other one, too), or labels 1 (labeled) and 0 "
                "(unlabeled)."
            )
        return y == classes[1], classes
    positive = y == pos_label
    if not np.any(positive):
        raise ValueError(
            f"pos_label={pos_label!r} is not a label in y, which contains {_some(list(classes))}; pass another"
            + (f". {ENCODED}" if classes.tolist() == [0, 1] else "")
        )
    return positive, classes if classes[1] == pos_label else classes[::-1].copy()


def check_named(y: ArrayLike, pos_label: Any = None, unlabeled_label: Any = None) -> None:
    """Raise an error unless the labels are those that the learner's parameters name, if any.

    ``unlabeled_label`` may be NaN for missing labels, and is not needed if they mark the unlabeled rows.  One name without the
    other, equal names, and other labels in ``y`` raise an error.  Another check handles too many or too few kinds of labels.

    Examples
    --------
    >>> from pulib._labels import check_named
    >>> check_named(["P", "U"], "P", "U")
    """
    values = None if pos_label is None and unlabeled_label is None else one_dimensional(y)
    if values is None:
        return
    known = known_labels(values)
    kinds = list(dict.fromkeys(values[known].tolist()))
    if len(kinds) > 2:
        return
    by_absence = is_missing(unlabeled_label) and unlabeled_label is not None
    said = f"pos_label={pos_label!r} and unlabeled_label={unlabeled_label!r}"
    if pos_label is None:
        if not set(kinds) <= {1, unlabeled_label} or not (by_absence or unlabeled_label in (0, -1)):
            raise ValueError(
                f"unlabeled_label={unlabeled_label!r}, and y contains {_some(kinds)}: which of them marks labeled positives? "
                "Pass pos_label= too, or labels 1 (labeled) and 0 (unlabeled)."
            )
        pos_label = 1
    elif unlabeled_label is None:
        if not known.all() or pos_label not in kinds:  # missing values mark unlabeled rows, or another check raises
            return
        others = [kind for kind in kinds if kind != pos_label]
        raise ValueError(
            f"pos_label={pos_label!r} needs unlabeled_label= too, the label of unlabeled rows: y contains {_some(kinds)}. "
            + (f"Pass unlabeled_label={others[0]!r}. " if len(others) == 1 and len(kinds) == 2 else "")
            + ENCODED
        )
    if pos_label == unlabeled_label:
        raise ValueError(f"{said} are the same; pass the label of unlabeled rows as unlabeled_label.")
    if pos_label == 0 and unlabeled_label == 1:
        raise ValueError(
            f"{said}: labels 0 and 1 are read as 1 for labeled positives, also by meta-estimators of scikit-learn, which keep "
            "columns of probabilities in this order. Exchange them (1 - y), and omit both arguments."
        )
    named = {pos_label} if by_absence else {pos_label, unlabeled_label}
    if not set(kinds) <= named or not (by_absence or known.all()):
        raise ValueError(f"{said}, but y contains {_some([*kinds, *([] if known.all() else [None])])}. {ENCODED}")


def missing_as_unlabeled(
    y: ArrayLike, pos_label: Any = None, *, none_labeled: bool = False
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return mask and classes if missing values mark unlabeled rows; None if no label is missing.

    If all labels are missing, raise an error unless ``none_labeled`` is set because other rows are labeled.
    """
    values = one_dimensional(y)
    missing = None if values is None else _missing(values)
    if values is None or missing is None or not missing.any():
        return None
    if missing.all():
        if none_labeled:
            return ~missing, np.array([0, 1])
        raise ValueError(
            "y contains missing values only (NaN, None or NA): they mark unlabeled rows, and one class only is left. Labeled "
            "positives are needed too, marked 1."
        )
    known = values[~missing]
    kinds = list(dict.fromkeys(known.tolist()))
    if len(kinds) > 1:
        raise ValueError(f"Only binary classification is supported: {too_many([*sorted(kinds, key=repr), None])}")
    expected = 1 if pos_label is None else pos_label
    if kinds[0] != expected:
        if pos_label is not None:
            raise ValueError(f"pos_label={pos_label!r} is not a label in y, which contains {kinds[0]!r} and missing values")
        raise ValueError(
            f"y contains {kinds[0]!r} and missing values: pass pos_label={kinds[0]!r} if it marks labeled positives, and "
            "missing values mark unlabeled rows."
        )
    return ~missing, classes_with_missing(kinds[0])


def classes_with_missing(positive: Any) -> np.ndarray:
    """Return ``[unlabeled, positive]`` if unlabeled rows have missing labels.

    Predictions for the other class are 0 for numbers, False for True, and "not ..." for strings.

    Examples
    --------
    >>> from pulib._labels import classes_with_missing
    >>> classes_with_missing(1), classes_with_missing(True), classes_with_missing("known")
    (array([0, 1]), array([False,  True]), array(['not known', 'known'], dtype='<U9'))
    """
    if isinstance(positive, bool | np.bool_):
        return np.array([not positive, bool(positive)])
    if isinstance(positive, str):
        return np.array([f"not {positive}", positive])
    return np.array([0 if positive != 0 else 1, positive])


def marked_missing(y: Any) -> bool:
    """Whether any label is missing."""
    values = one_dimensional(y)
    missing = None if values is None else _missing(values)
    return missing is not None and bool(missing.any())


def known_labels(y: Any) -> np.ndarray:
    """Return the mask of labels that are not missing."""
    values = one_dimensional(y)
    missing = None if values is None else _missing(values)
    return np.ones(len(y), dtype=bool) if missing is None else ~missing


def equal_to(y: Any, label: Any) -> np.ndarray:
    """Return the mask of labels equal to ``label``; missing labels equal nothing."""
    values = one_dimensional(y)
    missing = None if values is None else _missing(values)
    if values is None or missing is None or not missing.any():
        return np.asarray(y) == label
    equal = np.zeros(len(values), dtype=bool)
    equal[~missing] = values[~missing] == label
    return equal


def one_dimensional(y: Any) -> np.ndarray | None:
    """Return ``y`` as a vector, or None if it is not one."""
    if y is None or hasattr(y, "tocsr"):
        return None
    try:
        values = np.asarray(y)
    except ValueError:  # ragged
        return None
    if values.ndim == 2 and values.shape[1] == 1:
        values = values.ravel()
    return values if values.ndim == 1 and len(values) else None


def _missing(values: np.ndarray) -> np.ndarray | None:
    """Return the mask of labels that are NaN, None or NA; None if the array's type has no such value."""
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind == "O":
        return np.fromiter((is_missing(value) for value in values), dtype=bool, count=len(values))
    return None


def is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ == "NAType":  # pandas' NA cannot be compared
        return True
    return isinstance(value, Real) and value != value


def too_many(kinds: list[Any]) -> str:
    text = f"y has {len(kinds)} kinds of labels ({_some(kinds)}); a PU problem has two, labeled positives and unlabeled rows. "
    if len(kinds) == 3:
        text += (
            "If one marks unlabeled rows and another one known negatives, pass unlabeled_label= to a learner that takes these "
            f"({', '.join(TAKE_NEGATIVES)}), or leave the known negatives out."
        )
    return text.rstrip()


def _some(values: list[Any], most: int = 5) -> str:
    shown = ", ".join(repr(v.item() if hasattr(v, "item") else v) for v in values[:most])
    return shown + (", ..." if len(values) > most else "")
