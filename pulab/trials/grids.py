"""Grids of parameters that depend on each other."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

#: Grid entry: sizes of the unlabeled resamples as multiples of ``n_positive``.
RATIO = "unlabeled_per_positive"


def expand_grid(grid: Mapping[str, Any]) -> list[dict[str, list[Any]]]:
    """Expand a grid with ``unlabeled_per_positive`` into grids with ``n_unlabeled``; leave other grids unchanged.

    >>> expand_grid({"C": [1, 10], "n_positive": [5], "unlabeled_per_positive": [2, 4]})
    [{'C': [1, 10], 'n_positive': [5], 'n_unlabeled': [10]}, {'C': [1, 10], 'n_positive': [5], 'n_unlabeled': [20]}]
    """
    rest = {name: list(values) for name, values in grid.items() if name not in (RATIO, "n_positive")}
    if RATIO not in grid:
        return [{**rest, **({"n_positive": list(grid["n_positive"])} if "n_positive" in grid else {})}]
    sizes = itertools.product(grid["n_positive"], grid[RATIO])
    return [{**rest, "n_positive": [n], "n_unlabeled": [round(n * ratio)]} for n, ratio in sizes]
