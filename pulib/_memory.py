"""Memory that is about to be asked for: too much of it is refused before, with the amount and what to do."""

from __future__ import annotations

import mmap
import os
from pathlib import Path
from typing import Any

import numpy as np

_MEMINFO = Path("/proc/meminfo")
#: For arrays of so many bytes NumPy asks for pages of 2 MB, all of which the first touch takes.
_HUGE = 1 << 22


def available_bytes() -> float:
    """Bytes of memory that are free, or all that the machine has where that is not told, or infinity."""
    try:
        for line in _MEMINFO.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return 1024.0 * int(line.split()[1])
    except OSError:
        pass
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return float("inf")


def reserved(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """An array of any content, for what may fill little of it: memory is taken by the page, as it is written to.

    Examples
    --------
    >>> from pulib._memory import reserved
    >>> reserved((10**6, 3), "uint16").shape
    (1000000, 3)
    """
    n_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    if n_bytes < _HUGE:
        return np.empty(shape, dtype)
    return np.frombuffer(mmap.mmap(-1, n_bytes), dtype).reshape(shape)


def check_room(n_bytes: float, what: str, remedy: str) -> None:
    """Refuse what does not fit into memory.

    Raises
    ------
    MemoryError
        If ``n_bytes`` are more than there are.

    Examples
    --------
    >>> from pulib._memory import check_room
    >>> check_room(2**60, "Wishful thinking", "Think smaller.")
    Traceback (most recent call last):
    MemoryError: Wishful thinking takes 1,073,741,824.0 GiB of memory, and ... are free. Think smaller.
    """
    free = available_bytes()
    if n_bytes > free:
        raise MemoryError(f"{what} takes {n_bytes / 2**30:,.1f} GiB of memory, and {free / 2**30:,.1f} are free. {remedy}")
