"""What a learner remembers of the rows that it was fitted to, so that a warm start on other ones is an error.

Rows are told apart by a sum of 64-bit products over their non-zero values, which costs a few milliseconds.  Up to four million
values it does not depend on how a matrix is kept: dense or sparse, by rows or by columns, of 8-bit integers or of floats.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

#: Of a larger matrix evenly spaced rows are looked at, of about so many values.
_MOST_VALUES = 1 << 22
#: Values that are looked at together.
_PART = 1 << 15


class RowsSeen(NamedTuple):
    """The rows of a fit.  ``labels``, ``weights``, ``groups`` and ``values`` are checksums, 0 where there are none."""

    n_rows: int
    n_labeled: int
    labels: int
    weights: int
    groups: int
    values: int


def rows_seen(
    X: Any,
    positive: np.ndarray,
    weights: np.ndarray | None = None,
    groups: np.ndarray | None = None,
    negative: np.ndarray | None = None,
) -> RowsSeen:
    """What is remembered of rows.

    Parameters
    ----------
    X : array or sparse matrix of numbers, of shape (n_samples, n_features)
    positive : bool array of shape (n_samples,)
    weights : array of shape (n_samples,), optional
        A factor common to all of them does not matter, and equal ones are none.
    groups : int array of shape (n_samples,), optional
    negative : bool array of shape (n_samples,), optional
        Known negatives.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from pulib._rows_seen import rows_seen
    >>> X, y = np.eye(3), np.array([True, False, False])
    >>> rows_seen(X, y) == rows_seen(sparse.csc_array(X), y, 2 * np.ones(3)), rows_seen(X, y) == rows_seen(X[::-1], y)
    (True, False)
    """
    if weights is not None:
        weights = None if np.ptp(weights) == 0 else (weights / weights.max()).astype(np.float32)
    return RowsSeen(
        len(positive),
        int(positive.sum()),
        _checksum((positive if negative is None else positive + 2.0 * negative)[:, None]),
        0 if weights is None else _checksum(weights[:, None]),
        0 if groups is None else _checksum(groups[:, None] + 1),
        _checksum(X),
    )


def check_same_rows(before: RowsSeen | None, now: RowsSeen | None, what: str) -> None:
    """Raise an error if a warm start gets other rows.

    Parameters
    ----------
    before, now : RowsSeen
        Of the earlier fit and of this one; None where that is not known.
    what : str
        What the earlier fit found, such as "5 trees".

    Raises
    ------
    ValueError
        If they differ; it says in what.
    """
    if before is None or now is None:
        raise ValueError(
            f"the existing {what} do not record the rows that they were fitted to (an older version of pulib?); a warm start "
            "needs the same rows. To start over, clone the estimator."
        )
    if before == now:
        return
    if before[:2] != now[:2]:
        change = (
            f"{now.n_rows} rows, {now.n_labeled} of them labeled, but the existing {what} were fitted to "
            f"{before.n_rows} rows, {before.n_labeled} of them labeled"
        )
    else:
        names = {"values": "X", "labels": "y", "weights": "sample_weight", "groups": "groups"}
        changed = " and ".join(text for name, text in names.items() if getattr(before, name) != getattr(now, name))
        change = f"the values or the order of {changed} differ from those that the existing {what} were fitted to"
    raise ValueError(
        f"{change}; a warm start, and every part of a forest, needs the same rows, labels, weights and groups. To start over, "
        "clone the estimator."
    )


def _checksum(X: Any) -> int:
    """The sum over all values of a hash of the value times one of the row times one of the column; zeros count nothing."""
    n, d = X.shape
    n_values = X.nnz if sparse.issparse(X) else n * d
    step = max(1, -(-n_values // _MOST_VALUES))
    total = np.uint64(0)
    if sparse.issparse(X):
        entries = sparse.coo_array(sparse.csr_array(X)[::step])
        products = _hashed(entries.data) * _numbers(entries.coords[0] * step) * _numbers(entries.coords[1])
        return int(np.add.reduce(products, dtype=np.uint64))
    of_columns = _numbers(np.arange(d))
    part = max(1, _PART // d) * step
    for start in range(0, n, part):
        rows = np.arange(start, min(start + part, n), step)
        total = np.add.reduce((_hashed(X[rows[0] : rows[-1] + 1 : step]) @ of_columns) * _numbers(rows), initial=total)
    return int(total)


def _hashed(values: np.ndarray) -> np.ndarray:
    """Bits of values as 64-bit floats, with the upper half, which says most, mixed into the lower one; 0 for 0."""
    floats = np.asarray(values, dtype=np.float64) + 0.0  # -0.0 becomes 0.0
    floats[np.isnan(floats)] = np.nan
    bits = floats.view(np.uint64)
    return bits ^ (bits >> np.uint64(32))


def _numbers(places: np.ndarray) -> np.ndarray:
    """An odd 64-bit number for each place: splitmix64, whose products wrap around."""
    z = (np.asarray(places).astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (z ^ (z >> np.uint64(31))) | np.uint64(1)
