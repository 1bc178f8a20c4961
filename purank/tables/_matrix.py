"""Build the matrix of numbers from the columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pulib.utils import check_room
from purank.tables._columns import Column


def build_matrix(columns: Sequence[Column]) -> tuple[np.ndarray, list[str], dict[str, int]]:
    """Build one column per number, date or boolean, and one per category; with their names, and how many cells are missing."""
    n = len(columns[0].codes)
    width = sum(len(column.levels) if column.kind == "category" else 1 for column in columns)
    check_room(16.0 * n * width, f"The matrix of {n:,} rows and {width:,} columns", "Use a sample of the rows, or drop=[...].")
    parts, names, missing = [], list[str](), dict[str, int]()
    for column in columns:
        gaps = column.codes < 0 if column.values is None else np.isnan(column.values)
        if gaps.any():
            missing[column.name] = int(gaps.sum())
        if column.values is not None:
            parts.append(np.where(gaps, np.nanmedian(column.values), column.values)[:, None])
            names.append(column.name)
        else:
            order = np.argsort(column.levels, kind="stable")
            parts.append(column.codes[:, None] == order)
            names += [f"{column.name}={column.levels[place]}" for place in order]
    return np.hstack(parts).astype(np.float64), names, missing
