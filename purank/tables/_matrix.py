"""Build the matrix of numbers from the columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer

from pulib.utils import check_room
from purank.tables._columns import Column
from purank.tables._findings import TableError, listed

#: Columns that the words of a column of free text are hashed into.
N_HASHED = 32


class Matrix(NamedTuple):
    """Numbers, column names, the rows kept, and the number of missing values in each column."""

    X: np.ndarray
    names: list[str]
    keep: np.ndarray
    missing: dict[str, int]


def build_matrix(columns: Sequence[Column], on_missing: str, lines: np.ndarray) -> Matrix:
    """Build one column per number, date or boolean, one per category, and a few per free text."""
    n = len(lines)
    width = sum({"category": len(column.levels), "text": N_HASHED}.get(column.kind, 1) for column in columns)
    check_room(16.0 * n * width, f"The matrix of {n:,} rows and {width:,} columns", "Use a sample of the rows, or drop=[...].")
    gaps = {column.name: np.isnan(column.values) if column.values is not None else column.codes < 0 for column in columns}
    missing = {name: int(own.sum()) for name, own in gaps.items() if own.any()}
    keep = ~np.any(list(gaps.values()), axis=0) if on_missing == "drop_rows" else np.ones(n, bool)
    if missing and on_missing == "error":
        name = next(iter(missing))
        raise TableError(
            f"column {name!r} has {missing[name]:,} missing values; on_missing='error' permits none",
            column=name,
            rows=lines[gaps[name]],
            remedy="on_missing='median' or 'drop_rows' sets how to treat them",
        )
    if not keep.any():
        raise TableError(
            f"every row has a missing value, in {listed(map(repr, missing), 10)}", remedy="on_missing='median', or drop=[...]"
        )
    parts, names = [], list[str]()
    for column in columns:
        codes = column.codes[keep]
        if column.values is not None:
            parts.append(np.where(gaps[column.name], np.nanmedian(column.values), column.values)[keep, None])
            names.append(column.name)
        elif column.kind == "category":
            order = np.argsort(column.levels, kind="stable")
            parts.append(codes[:, None] == order)
            names += [f"{column.name}={column.levels[place]}" for place in order]
        else:
            words = HashingVectorizer(n_features=N_HASHED).transform([*column.levels, ""]).toarray()
            parts.append(words[codes])
            names += [f"{column.name}#{place}" for place in range(N_HASHED)]
    return Matrix(np.hstack(parts).astype(np.float64), names, keep, missing)
