"""The first fit and prediction of a process, with and without compiled kernels on disk."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence

import numpy as np

from benchmarks.record import Record


def measure(record: Record, *, learners: Sequence[str], shape: Sequence[int], runs: int) -> None:
    """Time each learner in separate processes, without imports.

    Parameters
    ----------
    record : Record
    learners : sequence of str
        Names of estimators of pulib.
    shape : [rows, features]
    runs : int
        Number of runs; each begins with an empty folder of compiled kernels.
    """
    for name in learners:
        compiled, cached = [], []
        for _ in range(runs):
            with tempfile.TemporaryDirectory() as folder:
                compiled.append(_in_a_process(name, shape, folder))
                cached.append(_in_a_process(name, shape, folder))
        size = "{} x {}, float32".format(*shape)
        record.add(name, size, cached, "nothing compiled before", compiled)


def first_use(name: str, n: int, d: int) -> float:
    """Return the seconds for a fit and a prediction of an estimator of pulib with ``prior=0.3`` and otherwise defaults."""
    import pulib

    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.3).astype(int)
    X = (rng.normal(size=(n, d)) + y[:, None]).astype(np.float32)
    estimator = getattr(pulib, name)(prior=0.3)
    start = time.perf_counter()
    estimator.fit(X, y).predict(X)
    return time.perf_counter() - start


def _in_a_process(name: str, shape: Sequence[int], folder: str) -> float:
    command = [sys.executable, "-W", "ignore", "-m", __name__, name, *map(str, shape)]
    done = subprocess.run(command, env={**os.environ, "NUMBA_CACHE_DIR": folder}, check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1])


if __name__ == "__main__":
    print(first_use(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
