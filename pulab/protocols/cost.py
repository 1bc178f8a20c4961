"""What a fit costs: processor seconds, and memory where the system tells it."""

from __future__ import annotations

import ctypes
import time
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from sklearn.base import clone

_PROCESS = Path("/proc/self")
_WARM_UP_ROWS = 40
_LEAST = {"n_estimators": 2, "epochs": 1, "max_depth": 1}


class Cost:
    """The processor seconds that a block takes, and how far the process's resident memory rises above where it was.

    Of one thread these are the seconds on an idle machine, whatever else runs on this one.
    Linux only: the allocator gives back what the process had freed, so that the block cannot use it uncounted, and the
    system's own high-water mark is reset.  Elsewhere no memory is reported.

    >>> with Cost() as cost:
    ...     total = sum(range(1000))
    >>> cost.seconds > 0
    True
    """

    def __enter__(self) -> Cost:
        self._before = _resident("VmRSS") if _give_back() and _reset_peak() else None
        self._start = time.process_time()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.seconds = time.process_time() - self._start
        peak = _resident("VmHWM")
        self._risen = None if self._before is None or peak is None else max(0.0, peak - self._before)

    def memory(self) -> dict[str, float]:
        """``peak_memory_mb``, or nothing; it differs from run to run and so is stored with the times."""
        return {} if self._risen is None else {"peak_memory_mb": self._risen}


def warm_up(estimator: Any, X: np.ndarray, y: np.ndarray) -> None:
    """Have the kernels of ours that a method uses compiled, so that no clock runs while they are.

    What trees compile depends on which columns have few values, and so on all rows: they are fitted to all, but few and low
    ones.  Learners that can not be made small in this way see a few rows.
    """
    module = type(estimator).__module__
    if not module.startswith("pulib.") or module.startswith("pulib.reductions."):
        return
    small = clone(estimator)
    least = {key: value for key, value in _LEAST.items() if key in small.get_params(deep=False)}
    few = [np.flatnonzero(y == label)[:_WARM_UP_ROWS] for label in (0, 1)]
    rows = slice(None) if least else np.concatenate(few)
    small.set_params(**least).fit(X[rows], y[rows]).predict(X[rows])


def _give_back() -> bool:
    try:
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    except (OSError, AttributeError):
        return False
    return True


def _reset_peak() -> bool:
    try:
        (_PROCESS / "clear_refs").write_text("5")
    except OSError:
        return False
    return True


def _resident(field: str) -> float | None:
    """``VmRSS`` or ``VmHWM`` in megabytes."""
    try:
        lines = (_PROCESS / "status").read_text().splitlines()
    except OSError:
        return None
    kilobytes = next((line.split()[1] for line in lines if line.startswith(f"{field}:")), None)
    return None if kilobytes is None else int(kilobytes) / 1000
