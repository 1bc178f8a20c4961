"""What the split schemes draw, at the studies' settings and others, on data with and without test rows of its publisher."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pulib.datasets import Dataset
from pulib.sampling import SCHEMES, make_splits
from tests.golden.inputs import dataset

CASES: dict[str, dict[str, dict[str, Any]]] = {
    "adapu": {
        "given": {"n_labeled": 20, "test": "given"},
        "last": {"n_labeled": 0.5, "test": "last", "n_test": 30},
        "random": {"n_labeled": 20, "n_unlabeled": 60, "test": "random", "n_test": 0.2},
    },
    "case_control": {
        "all": {"n_labeled": 20, "unlabeled": "all", "prior": "train_and_test"},
        "rest": {"n_labeled": 20, "unlabeled": "rest", "prior": "unlabeled"},
        "kept": {"n_labeled": 20, "prior": "train", "redraw_labeled": False, "test_fraction": 0.3},
        "printed": {"n_labeled": 20, "prior": 0.5},
    },
    "censored": {
        "r20": {"r": 0.2, "n_folds": 5, "validation_share": 0.1},
        "last": {"r": 0.4, "n_folds": 3, "validation_share": 0.2, "hide": "last"},
    },
    "contaminated": {
        "clean": {"n_labeled": 20, "n_unlabeled": 30, "test": "random", "n_test_positive": 10, "n_test_negative": 10},
        "fixed": {"n_labeled": 15, "n_unlabeled": 30, "contamination_unlabeled": 0.3, "contamination_labeled": 0.2,
                  "test": "fixed", "n_test_positive": 10, "n_test_negative": 12},
        "circle": {"n_labeled": 10, "n_unlabeled": 20, "contamination_unlabeled": 0.3, "generator": "circle_noise",
                   "n_test_positive": 5, "n_test_negative": 5},
    },
    "expansion": {
        "two_thirds": {"later": [0, 1], "train_share": 2 / 3, "stratify": False},
        "stratified": {"later": [0, 1], "train_share": 0.5, "stratify": True},
    },
    "given": {"third": {"held_out": 0.3}, "half": {"held_out": 0.5}},
    "biased": {
        "posterior": {"n_labeled": 20, "kind": "posterior"},
        "boundary": {"n_labeled": 20, "kind": "boundary", "power": 3.0},
    },
    "mechanism": {
        "two_sample": {"scenario": "two_sample", "n_labeled": 20, "max_unlabeled": 60, "max_test": 30},
        "one_sample": {"scenario": "one_sample", "max_unlabeled": 60, "max_test": 30},
        "posterior": {"scenario": "one_sample", "kind": "posterior", "power": 3.0},
        "boundary": {"scenario": "one_sample", "kind": "boundary", "power": 10.0},
        "wrong": {"scenario": "two_sample", "wrong_share": 0.2, "n_labeled": 30},
        "thinned": {"scenario": "two_sample", "n_labeled": 10, "prior": 0.2, "max_unlabeled": 60, "max_test": 30},
    },
    "mixture": {
        "quarter": {"n_labeled": 20, "n_positive": 10, "n_negative": 30},
        "either": {"n_labeled": 10, "n_positive": 20, "n_negative": 5, "either_class": True},
    },
}  # fmt: skip


def names() -> list[str]:
    return list(CASES)


def _data(scheme: str) -> dict[str, Dataset]:
    if scheme == "expansion":
        return {"three classes": dataset(classes=3), "odd": dataset(classes=3, n=61, d=3, seed=9)}
    if scheme == "given":
        base = dataset()
        target = np.where(np.arange(len(base.y)) % 4 == 3, 3 - base.y, base.y * (np.arange(len(base.y)) % 3 > 0))
        return {"toy": replace(base, target=target.astype(np.int16), y=np.isin(target, (1, 2)).astype(np.int8))}
    return {"own test rows": dataset(n_train=120), "no test rows": dataset(n=157, d=3, seed=8)}


def cases(scheme: str, recorded: Any = None) -> dict[str, dict[str, Any]]:
    found = {}
    for name, options in CASES[scheme].items():
        for place, data in _data(scheme).items():
            if options.get("test") == "given" and data.n_train is None:
                continue
            for repeat, split in make_splits(data, SCHEMES[scheme](**options), {0: 11, 3: 14}, shared_seed=7).items():
                parts = {part: getattr(split, part) for part in ("labeled", "unlabeled", "test")}
                arrays = {f"arrays.{key}": np.asarray(value, dtype=np.float64) for key, value in split.arrays.items()}
                numbers = {**parts, **arrays, "prior": np.array([split.prior])}
                short = {key: summary(value) for key, value in numbers.items()}
                found[f"{name}, {place}, repeat {repeat}"] = {"params": options, "numbers": short}
    return found


def summary(values: Any) -> np.ndarray:
    """Size, sums that see every place, and the first entries."""
    flat = np.asarray(values, dtype=np.float64).ravel()
    weights = (np.arange(len(flat)) * 7919 % 101 - 50) / 64
    return np.concatenate([[len(flat), flat.sum(), flat @ weights], flat[:12]])
