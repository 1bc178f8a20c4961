"""Compile kernels before the first fit: ``python -m pulib.warm_up``, after an installation or when an image is built.

Kernels are compiled on first use, once for each type of input, and cached on disk (in the folders of
:mod:`pulib._kernel_cache`).  This module fits every family of learners to a few hundred rows of each type of input.  It takes
one to two minutes on one core, less with several processes (``--jobs``), and 12 MB of disk.  Afterward, even a process without
a writable folder compiles nothing.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse

import pulib
from pulib._kernel_cache import folder_to_write

#: By family: learners, and parameters that need other kernels.
FAMILIES: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "trees": [
        ("PUExtraTreesClassifier", {"n_estimators": 2, "bootstrap": True, "prior": 0.4}),
        ("PUDecisionTreeClassifier", {"prior": 0.4}),
    ],
    "boosting": [
        ("AdaPUClassifier", {"n_estimators": 3, "prior": 0.4}),
        ("AdaPUClassifier", {"n_estimators": 3, "prior": 0.4, "splitter": "best"}),
        ("AdaPUClassifier", {"n_estimators": 3, "prior": 0.4, "max_bins": 16}),
    ],
    "svm": [("ClassWeightedSVC", {}), ("BaggingSVC", {"n_estimators": 2})],
    "linear": [
        ("OnlinePUClassifier", {"prior": 0.4}),
        ("OnlinePUClassifier", {"prior": 0.4, "batch_size": 10}),
        ("UnbiasedPUClassifier", {"prior": 0.4}),
    ],
    "expansion": [
        ("SGBDotaClassifier", {"n_estimators": 2}),
        ("SGBDotaClassifier", {"n_estimators": 2, "drop_fraction": 0.0}),
        ("SGBDotaClassifier", {"n_estimators": 2, "preference": "neighborhood"}),
    ],
}
DTYPES = ("float64", "float32", "uint8")
#: Searches over penalties, which have their own kernels.
_SEARCHES: dict[str, list[tuple[str, dict[str, Any], str]]] = {
    "svm": [("ClassWeightedSVC", {}, "C_positive"), ("BaggingSVC", {"n_estimators": 2}, "C")]
}


def warm_up(families: Sequence[str] | None = None, n_jobs: int | None = None) -> dict[str, float]:
    """Compile the kernels that learners need, and store them on disk.

    Parameters
    ----------
    families : sequence of str, optional
        Some of "trees", "boosting", "svm", "linear" and "expansion"; all of them by default.
    n_jobs : int or None, default=None
        Number of processes, as in joblib.

    Returns
    -------
    seconds : dict of float
        Total time of all processes by family; almost 0 if everything was already compiled.

    Raises
    ------
    ValueError
        If a family is unknown.
    """
    chosen = list(FAMILIES) if families is None else list(families)
    unknown = [name for name in chosen if name not in FAMILIES]
    if unknown:
        raise ValueError(f"families: {unknown[0]!r} is not one of {', '.join(FAMILIES)}.")
    tasks = [(family, dtype) for family in chosen for dtype in DTYPES]
    taken = Parallel(n_jobs=n_jobs)(delayed(_compile)(*task) for task in tasks)
    seconds = dict.fromkeys(chosen, 0.0)
    for (family, _), own in zip(tasks, taken, strict=True):
        seconds[family] += own
    return seconds


def _compile(family: str, dtype: str) -> float:
    """Compile the kernels of a family for one numeric type (types share few kernels); return the seconds."""
    start = time.perf_counter()
    X, y = _rows()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, params in FAMILIES[family]:
            for rows in _forms(X, dtype):
                model = getattr(pulib, name)(**params)
                if "random_state" in model.get_params():
                    model.set_params(random_state=0)
                tags = model.__sklearn_tags__().input_tags
                if not (tags.sparse if sparse.issparse(rows) else tags.allow_nan or not np.isnan(rows).any()):
                    continue
                model.fit(rows, y)
                for method in ("decision_function", "predict_proba"):
                    if hasattr(model, method):
                        getattr(model, method)(rows)
        for name, params, penalty in _SEARCHES.get(family, []) if dtype == DTYPES[0] else []:
            pulib.PUGridSearchCV(getattr(pulib, name)(**params), {penalty: [0.5, 1.0]}, cv=2).fit(X, y)
    return time.perf_counter() - start


def _rows() -> tuple[np.ndarray, np.ndarray]:
    """Return columns with two, some and many values, which trees lay out differently."""
    rng = np.random.default_rng(0)
    y = (np.arange(400) < 100).astype(int)
    X = rng.normal(size=(400, 5)) + y[:, None]
    X[:, 0] = X[:, 0] > 0
    X[:, 1] = np.round(X[:, 1])
    return X, y


def _forms(X: np.ndarray, dtype: str) -> Iterator[Any]:
    """Yield inputs of one numeric type that need different kernels."""
    if dtype == "uint8":
        yield (10 * np.abs(X)).astype(dtype)
        return
    missing = X.copy()
    missing[::7, 2] = np.nan
    yield X.astype(dtype)
    yield missing.astype(dtype)
    yield sparse.csr_array(X.astype(dtype))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 1 if kernels cannot be cached."""
    parser = argparse.ArgumentParser("python -m pulib.warm_up", description="Compile the kernels and cache them on disk.")
    parser.add_argument("families", nargs="*", metavar="family", help=f"some of {', '.join(FAMILIES)}; all by default")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes; -1 for one per core")
    given = parser.parse_args(arguments)
    folder = folder_to_write(Path(__file__))
    if folder is None:
        print("No cache folder for compiled kernels is writable: set NUMBA_CACHE_DIR to one that is.")
        return 1
    try:
        for family, seconds in warm_up(given.families or None, given.jobs).items():
            print(f"{family}: {seconds:.1f} s", flush=True)
    except ValueError as error:
        parser.error(str(error))
    print(f"Stored in {folder} and in those of the other modules.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
