"""Make folds stop histogram boosting early if the fit to all rows does; scikit-learn decides by the number of rows."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

#: Above this number of rows, ``early_stopping="auto"`` of scikit-learn's histogram boosting means True.
ROWS_OF_AUTO = 10_000
_NAME = "early_stopping"


def as_with_rows(estimator: Any, n_rows: int) -> Any:
    """Return the estimator, or a clone whose histogram boosting stops early if it would with this number of rows.

    Models that stop early and models that do not have scores on different scales, which must not be mixed to set a threshold.
    Boosting within a learner that chooses its rows is not changed, since the number of rows is unknown.

    Examples
    --------
    >>> from sklearn.ensemble import HistGradientBoostingClassifier
    >>> from pulib._early_stopping import as_with_rows
    >>> as_with_rows(HistGradientBoostingClassifier(), 12_000)
    HistGradientBoostingClassifier(early_stopping=True)
    """
    if not hasattr(estimator, "get_params"):
        return estimator
    held = {"": estimator, **estimator.get_params(deep=True)}
    decided = {}
    for name in held:
        holder, _, last = name.rpartition("__")
        if last == _NAME and _decides_by_rows(held[holder]) and not _within_chooser(held, holder):
            decided[name] = n_rows > ROWS_OF_AUTO
    return clone(estimator).set_params(**decided) if decided else estimator


def _decides_by_rows(estimator: Any) -> bool:
    boosting = isinstance(estimator, HistGradientBoostingClassifier | HistGradientBoostingRegressor)
    return boosting and estimator.early_stopping == "auto"


def _within_chooser(held: dict[str, Any], name: str) -> bool:
    """Whether an outer estimator fits this one to a subset of the rows."""
    parts = name.split("__")
    around = ["", *("__".join(parts[:k]) for k in range(1, len(parts)))]
    return any(getattr(held.get(holder), "_chooses_rows", False) for holder in around)
