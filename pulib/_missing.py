"""Missing values in numeric matrices: NaN is missing, infinity is an error."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import assert_all_finite

#: Validation options if a later pass checks for NaN and infinity together.
ACCEPT_MISSING: dict[str, Any] = {"accept_sparse": "csr", "ensure_all_finite": False}


def holds_missing(X: Any, estimator: Any) -> bool:
    """Whether a matrix contains NaN; infinity raises an error.  If it contains neither, this takes a single pass.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._missing import holds_missing
    >>> holds_missing(np.array([[1.0, np.nan]]), None), holds_missing(np.array([[1, 2]]), None)
    (True, False)
    """
    values = X.data if sparse.issparse(X) else X
    if values.dtype.kind != "f":
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(np.sum(values)):
            return False
    assert_all_finite(values, allow_nan=True, estimator_name=type(estimator).__name__, input_name="X")
    with np.errstate(invalid="ignore"):
        return bool(np.isnan(np.min(values)))


def missing_columns(X: Any) -> np.ndarray:
    """Mask of the columns that contain NaN, of shape (n_features,).

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._missing import missing_columns
    >>> missing_columns(np.array([[1.0, np.nan], [2.0, 3.0]]))
    array([False,  True])
    """
    with np.errstate(invalid="ignore"):
        sums = X.sum(axis=0) if sparse.issparse(X) else X.min(axis=0)  # NaN propagates
    return np.isnan(np.asarray(sums)).ravel()
