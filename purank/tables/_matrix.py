"""From columns that were understood to one matrix of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from pulib.utils import check_room
from purank.tables._columns import Column
from purank.tables._findings import Said, TableError, listed

#: Columns that the words of a column of free text are hashed into.
N_HASHED = 32


@dataclass
class Matrix:
    """The numbers, the names of their columns, which rows they are, and how many values were missing in each column."""

    X: np.ndarray
    names: list[str]
    keep: np.ndarray
    missing: dict[str, int] = field(default_factory=dict)


def build_matrix(columns: Sequence[Column], on_missing: str, said: Said, lines: np.ndarray, unit: str) -> Matrix:
    """One column per number, date or boolean, one per category, and a few per free text."""
    n = len(columns[0].codes)
    widths = [
        1 if column.values is not None else len(column.levels) if column.kind == "category" else N_HASHED for column in columns
    ]
    size = 8.0 * n * sum(widths)
    widest = columns[int(np.argmax(widths))].name
    check_room(
        2 * size,
        f"The matrix of {n:,} rows and {sum(widths):,} columns",
        f"Use a sample of the rows, or drop=[...]; {widest!r} has most of the columns, {max(widths):,}.",
    )
    missing = {column.name: _gaps(column) for column in columns}
    counts = {name: int(gaps.sum()) for name, gaps in missing.items() if gaps.any()}
    keep = np.ones(n, bool)
    if counts and on_missing == "error":
        name = next(iter(counts))
        raise TableError(
            f"column {name!r} has {counts[name]:,} missing values; on_missing='error' permits none",
            column=name,
            rows=lines[missing[name]],
            remedy="on_missing='median' or 'drop_rows' sets how to treat them",
        )
    if on_missing == "drop_rows":
        for gaps in missing.values():
            keep &= ~gaps
        if not keep.any():
            raise TableError(
                f"every row has a missing value, in {listed(map(repr, counts), 10)}",
                remedy="on_missing='median', or drop=[...]",
            )
    X = np.zeros((int(keep.sum()), sum(widths)))
    names: list[str] = []
    for column, width in zip(columns, widths, strict=True):
        own = slice(len(names), len(names) + width)
        if column.values is not None:
            values = column.values[keep]
            X[:, own.start] = np.where(np.isnan(values), np.nanmedian(column.values), values)
            names.append(column.name)
        elif column.kind == "category":
            _one_hot(column, keep, X[:, own], names)
        else:
            X[:, own] = _hashed(column)[keep]
            names += [f"{column.name}#{k}" for k in range(width)]
            said.add("text", column.name, f"{width} columns")
    return Matrix(X, names, keep, counts)


def _gaps(column: Column) -> np.ndarray:
    return np.isnan(column.values) if column.values is not None else column.codes < 0


def _one_hot(column: Column, keep: np.ndarray, X: np.ndarray, names: list[str]) -> None:
    order = np.argsort(column.levels, kind="stable")
    place = np.empty(len(order), int)
    place[order] = np.arange(len(order))
    codes = column.codes[keep]
    rows = np.flatnonzero(codes >= 0)
    X[rows, place[codes[rows]]] = 1.0
    names += [f"{column.name}={column.levels[k]}" for k in order]


def _hashed(column: Column) -> np.ndarray:
    from sklearn.feature_extraction.text import HashingVectorizer

    words = HashingVectorizer(n_features=N_HASHED).transform(column.levels).toarray()
    return np.vstack([words, np.zeros(N_HASHED)])[column.codes]
