"""PU Extra Trees and scikit-learn's extra trees on the same P-against-U labels, trees and threads; scaling with n and d."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import ExtraTreesClassifier

from benchmarks.record import Record, in_turn, peak_memory
from pulib.datasets import Dataset
from pulib.sampling import case_control_split
from pulib.trees import PUExtraTreesClassifier

#: Number of rows that are predicted one at a time; times are per row.
ROWS_SINGLY = 20


def generated_rows(dtype: str, n: int, d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Return rows of two classes, PU labels, test rows (a fifth), and the prior; 8-bit rows look like pixels."""
    X, y = make_classification(n + n // 5, d, n_informative=min(10, d), n_redundant=0, class_sep=0.7, random_state=0)
    X = (np.clip(128 + 24 * X, 0, 255) if dtype == "uint8" else X).astype(dtype)
    labeled = np.flatnonzero(y[:n] == 1)[: min(1000, n // 10)]
    return np.concatenate([X[labeled], X[:n]]), np.repeat([1, 0], [len(labeled), n]), X[n:], float(y.mean())


def prepared_rows(data: Dataset, dtype: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Return the same for a data set: 1,000 labeled rows, and all training rows as unlabeled ones."""
    split = case_control_split(data, random_state=0)
    X = np.concatenate([data.X[split.labeled], data.X[split.unlabeled]]).astype(dtype)
    y = np.repeat([1, 0], [len(split.labeled), len(split.unlabeled)])
    return X, y, np.asarray(data.X[split.test]).astype(dtype), split.prior


def measure(
    record: Record,
    *,
    runs: int,
    generated: Mapping[str, Sequence[Any]] | None = None,
    datasets: Mapping[str, Sequence[Any]] | None = None,
    rows: Sequence[int] = (),
    features: Sequence[int] = (),
) -> None:
    """Measure fit and prediction on each set, and one tree over n and d.

    Parameters
    ----------
    record : Record
    runs : int
    generated : mapping
        Name: [type, trees, rows, features].
    datasets : mapping
        Name: [type, trees].
    rows, features : sequences of int
        Sizes of the series.
    """
    for name, (dtype, trees, n, d) in (generated or {}).items():
        _compare_forests(record, f"generated like {name}", generated_rows(dtype, n, d), trees, runs)
    for name, (dtype, trees) in (datasets or {}).items():
        _compare_forests(record, name, prepared_rows(record.load(name), dtype), trees, runs)
    for splitter in ("random", "best"):
        make = partial(_one_tree, d=20, splitter=splitter)
        record.scale(f"one tree, {splitter} thresholds", "n", rows, make, "n x 20, float32", runs=runs, threads=1)
    few = min([50_000, *rows[-1:]])
    make = partial(_one_tree, few, max_depth=8, max_features=None)
    record.scale("one tree, all features tried", "d", features, make, f"{few} x d, float32, depth 8", runs=runs, threads=1)


def _compare_forests(record: Record, name: str, parts: tuple, trees: int, runs: int) -> None:
    X, y, X_test, prior = parts
    shape = f"{name}, {X.shape[0]} x {X.shape[1]}, {X.dtype.name}, {trees} trees"
    common: dict[str, Any] = {"n_estimators": trees, "n_jobs": record.threads, "random_state": 0}
    forests = {risk: PUExtraTreesClassifier(prior=prior, risk=risk, **common) for risk in ("nnpu", "pn")}
    estimators = [*forests.values(), ExtraTreesClassifier(**common)]
    for forest in estimators:  # compile kernels and start threads; the kernels depend on the values of all rows
        clone(forest).set_params(n_estimators=2).fit(X, y).predict(X_test[:10])
    fits = in_turn([partial(forest.fit, X, y) for forest in estimators], runs)
    predictions = in_turn([partial(forest.predict, X_test) for forest in estimators], max(5, runs))
    singly = in_turn([partial(_row_by_row, forest, X_test[:ROWS_SINGLY]) for forest in estimators], max(5, runs))
    taken = peak_memory(partial(forests["nnpu"].fit, X, y))
    for risk, fit, predict, one in zip(forests, fits, predictions, singly, strict=False):
        note = f"peak memory of a fit {taken:.0f} MB, of the matrix {X.nbytes / 2**20:.0f} MB" if risk == "nnpu" else ""
        record.add(f"fit, {risk}", shape, fit, "ExtraTreesClassifier.fit", fits[-1], note=note)
        record.add(f"predict, {risk}", f"{name}, {len(X_test)} rows", predict, "ExtraTreesClassifier.predict", predictions[-1])
        own, other = ([seconds / ROWS_SINGLY for seconds in times] for times in (one, singly[-1]))
        record.add(f"predict, {risk}", f"{name}, a row at a time", own, "ExtraTreesClassifier.predict", other)


def _row_by_row(forest: Any, X: np.ndarray) -> None:
    for i in range(len(X)):
        forest.predict(X[i : i + 1])


def _one_tree(n: int, d: int, **options: Any) -> Callable[[], Any]:
    X, y, _, prior = generated_rows("float32", n, d)
    return partial(PUExtraTreesClassifier(1, prior=prior, n_jobs=1, random_state=0, **options).fit, X, y)
