"""Threads for the kernels, which release the interpreter lock."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from pulib.boosting._binning import FEATURE_GROUP


class Threads:
    """Pool of threads for one fit."""

    def __init__(self, n_threads: int):
        self.n_threads = n_threads
        self._pool = ThreadPoolExecutor(n_threads) if n_threads > 1 else None

    def __enter__(self) -> Threads:
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def run(self, function: Callable, items: Iterable) -> list:
        """Return ``[function(item) for item in items]``."""
        return list(self._pool.map(function, items) if self._pool else map(function, items))

    def split(self, n_features: int) -> list[tuple[int, int]]:
        """Ranges of whole feature groups, one per thread."""
        groups = n_features // FEATURE_GROUP
        bounds = np.unique(np.linspace(0, groups, self.n_threads + 1).astype(int)) * FEATURE_GROUP
        return list(pairwise(bounds.tolist()))
