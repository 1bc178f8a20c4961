"""Cost of a block of code: seconds, and memory where the system reports it."""

from __future__ import annotations

import contextlib
import ctypes
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

_PROCESS = Path("/proc/self")
#: Seconds between checks, by the wall clock.  A timer of processor seconds (ITIMER_PROF) would be exact, but while a process
#: has one, Linux advances its clock only in steps of milliseconds, and shorter fits would take no time.
SECONDS_BETWEEN_CHECKS = 1.0


class Timer:
    """Time a block: in processor time for one thread, so that other load does not count, otherwise in wall-clock time.

    Parameters
    ----------
    n_threads : int, default=1

    Examples
    --------
    >>> with Timer() as timer:
    ...     total = sum(range(1000))
    >>> timer.seconds > 0
    True
    """

    def __init__(self, n_threads: int = 1) -> None:
        self._clock = time.process_time if n_threads == 1 else time.perf_counter

    def __enter__(self) -> Self:
        self._start = self._clock()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.seconds = self._clock() - self._start


class Cost(Timer):
    """Time a block, and measure how far the process's resident memory rises above its start.

    Linux only: the allocator first returns freed memory to the system, so that the block cannot reuse it uncounted, and the
    system's high-water mark is reset.  Elsewhere no memory is reported.
    """

    def __enter__(self) -> Self:
        self._before = _resident("VmRSS") if _release_memory() and _reset_peak() else None
        return super().__enter__()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        super().__exit__(kind, error, trace)
        peak = _resident("VmHWM")
        self._risen = None if self._before is None or peak is None else max(0.0, peak - self._before)

    def memory(self) -> dict[str, float]:
        """Return ``peak_memory_mb``, or nothing; it differs between runs, so it is stored with the times."""
        return {} if self._risen is None else {"peak_memory_mb": self._risen}


class TooLongError(RuntimeError):
    """A block has used up its processor time."""


@contextlib.contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Stop a block after a given processor time; other load does not count, and compiled code is not interrupted.

    Raises
    ------
    TooLongError
        Within the block, or at its end if it could not be interrupted: on Windows, and outside of the main thread.

    Examples
    --------
    >>> with at_most(0.05):
    ...     while True:
    ...         pass
    Traceback (most recent call last):
    pulab.trials.cost.TooLongError: stopped after 0.05 s of the processor
    """

    start = time.process_time()

    def look(*_: Any) -> None:
        if time.process_time() - start > seconds:
            raise TooLongError(f"stopped after {seconds:g} s of the processor")

    interrupts = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if interrupts:
        between = min(seconds, SECONDS_BETWEEN_CHECKS)
        handler = signal.signal(signal.SIGALRM, look)
        timer = signal.setitimer(signal.ITIMER_REAL, between, between)
    try:
        yield
    finally:
        if interrupts:
            signal.setitimer(signal.ITIMER_REAL, *timer)
            signal.signal(signal.SIGALRM, handler)
    look()


def _release_memory() -> bool:
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
    """Return ``VmRSS`` or ``VmHWM`` in megabytes."""
    try:
        lines = (_PROCESS / "status").read_text().splitlines()
    except OSError:
        return None
    kilobytes = next((line.split()[1] for line in lines if line.startswith(f"{field}:")), None)
    return None if kilobytes is None else int(kilobytes) / 1000
