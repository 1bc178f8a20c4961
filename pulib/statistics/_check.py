"""Input validation of the statistics."""

from __future__ import annotations

import numpy as np

from pulib._typing import ArrayLike


def finite_vector(values: ArrayLike, name: str, *, least: int = 1) -> np.ndarray:
    """Return ``values`` as a vector of finite floats, or raise a ValueError that names it."""
    vector = np.asarray(values, dtype=np.float64)
    if vector.ndim != 1:
        raise ValueError(f"{name} has shape {vector.shape}; a vector is expected.")
    if len(vector) < least:
        raise ValueError(f"{name} has {len(vector)} values; at least {least} are needed.")
    if not np.all(np.isfinite(vector)):
        raise ValueError(f"{name} contains {vector[~np.isfinite(vector)][0]}; finite numbers are expected.")
    return vector


def paired_vectors(a: ArrayLike, b: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Return two finite vectors of equal length."""
    a, b = finite_vector(a, "a"), finite_vector(b, "b")
    if len(a) != len(b):
        raise ValueError(f"a has {len(a)} values and b has {len(b)}; paired tests need one of each per pair.")
    return a, b


def score_matrix(scores: ArrayLike, *, least_rows: int = 1) -> np.ndarray:
    """Return scores as a finite matrix, one row per data set (or repeat) and one column per method."""
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.ndim != 2:
        raise ValueError(f"scores has shape {matrix.shape}; one row per data set and one column per method are expected.")
    if matrix.shape[0] < least_rows:
        raise ValueError(f"scores has {matrix.shape[0]} rows; at least {least_rows} are needed.")
    if not np.all(np.isfinite(matrix)):
        row, column = np.argwhere(~np.isfinite(matrix))[0]
        raise ValueError(f"scores contains {matrix[row, column]} in row {row}, column {column}; drop incomplete rows.")
    return matrix


def without_rounding_errors(matrix: np.ndarray) -> np.ndarray:
    """Return scores for comparisons within rows, rounded to 12 digits of each row's greatest, so that ties stay ties."""
    greatest = np.abs(matrix).max(axis=1, keepdims=True, initial=0.0)
    return np.round(matrix / np.where(greatest > 0, greatest, 1.0), 12)


def method_names(scores: ArrayLike) -> list:
    """Return the names of the columns, or 0, 1, 2, ... if they have none."""
    return list(scores.columns) if hasattr(scores, "columns") else list(range(np.shape(scores)[1]))
