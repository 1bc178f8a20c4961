"""Missing values in matrices of numbers: NaN is one, infinity is an error."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import assert_all_finite

#: Validation options if NaN is looked for afterwards, in the same pass as infinity.
ACCEPT_MISSING: dict[str, Any] = {"accept_sparse": "csr", "ensure_all_finite": False}


def holds_missing(X: Any, estimator: Any) -> bool:
    """Whether a matrix holds NaN: one pass over it if it holds neither NaN nor infinity, which raises an error.

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
    """Which columns hold NaN; bool array of shape (n_features,).

    Examples
    --------
    >>> import numpy as np
    >>> from pulib._missing import missing_columns
    >>> missing_columns(np.array([[1.0, np.nan], [2.0, 3.0]]))
    array([False,  True])
    """
    with np.errstate(invalid="ignore"):
        sums = X.sum(axis=0) if sparse.issparse(X) else X.min(axis=0)  # NaN where there is one
    return np.isnan(np.asarray(sums)).ravel()
