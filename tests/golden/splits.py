"""Golden splits: rows drawn by each scheme at the recorded options, with and without test rows in the data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pulib.datasets import Dataset
from pulib.sampling import SCHEMES, make_splits
from tests.golden.inputs import dataset

SEEDS = {"repeat 0": {0: 11}, "repeat 3": {3: 14}}


def names() -> list[str]:
    return list(SCHEMES)


def _data(scheme: str) -> dict[str, Dataset]:
    if scheme == "expansion":
        return {"three classes": dataset(classes=3), "odd": dataset(classes=3, n=61, d=3, seed=9)}
    return {"own test rows": dataset(n_train=120), "no test rows": dataset(n=157, d=3, seed=8)}


def cases(scheme: str, recorded: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the options and numbers of each case, named by options, data, and repeat.

    To add a case, write its options into the file of recorded numbers, for example
    ``"last, no test rows, repeat 3": {"params": {"hide": "last"}}``, and record.
    """
    found = {}
    for case, entry in recorded.items():
        _, place, repeat = case.split(", ")
        data, drawn_by = _data(scheme)[place], SCHEMES[scheme](**entry["params"])
        (split,) = make_splits(data, drawn_by, SEEDS[repeat], shared_seed=7).values()
        parts = {part: getattr(split, part) for part in ("labeled", "unlabeled", "test")}
        arrays = {f"arrays.{key}": np.asarray(value, dtype=np.float64) for key, value in split.arrays.items()}
        numbers = {**parts, **arrays, "prior": np.array([split.prior])}
        found[case] = {"params": entry["params"], "numbers": {key: summary(value) for key, value in numbers.items()}}
    return found


def summary(values: Any) -> np.ndarray:
    """Return the size, the sum, a sum weighted by position, and the first entries."""
    flat = np.asarray(values, dtype=np.float64).ravel()
    weights = (np.arange(len(flat)) * 7919 % 101 - 50) / 64
    return np.concatenate([[len(flat), flat.sum(), flat @ weights], flat[:12]])
