"""Conversion of a matrix to another numeric type that changes values only by rounding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


class DtypeError(ValueError):
    """A column contains a number that the requested type cannot represent.

    Attributes
    ----------
    column : str
    value : str
    """

    def __init__(self, message: str, column: str, value: str) -> None:
        super().__init__(message)
        self.column, self.value = column, value


def as_dtype(X: np.ndarray, dtype: str, names: Sequence[str]) -> np.ndarray:
    """Return the matrix in another numeric type.

    Raises
    ------
    DtypeError
        If a column contains a value that the type cannot represent: 300 would wrap around to 44 in ``int8``.
    ValueError
        If the type is not numeric.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.utils import as_dtype
    >>> as_dtype(np.array([[300.0]]), "int8", ["age"])
    Traceback (most recent call last):
    pulib._dtypes.DtypeError: column 'age' does not hold whole numbers from -128 to 127, as asked for by dtype=int8 (found 300)
    """
    kind = np.dtype(dtype)
    if X.dtype == kind:
        return X
    if kind.kind == "f":
        wrong = ~np.isfinite(X) | (np.abs(X) > np.finfo(kind).max)
        what = "has numbers that are too large for"
    elif kind.kind in "iu":
        limits = np.iinfo(kind)
        wrong = ~((limits.min <= X) & (limits.max >= X) & (np.rint(X) == X))
        what = f"does not hold whole numbers from {limits.min} to {limits.max}, as asked for by"
    else:
        raise ValueError(f"dtype={dtype!r}; expected a type of numbers such as float64 or int16")
    if wrong.any():
        k = int(wrong.any(axis=0).argmax())
        value = f"{X[wrong[:, k], k][0]:g}"
        raise DtypeError(f"column {names[k]!r} {what} dtype={dtype} (found {value})", str(names[k]), value)
    return X.astype(kind)
