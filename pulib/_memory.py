"""Checks before large allocations: if memory would not suffice, an error names the amount and the remedy.

Available memory is the least of the machine's free memory, the limits of control groups (of a container or a SLURM job; both
versions, and all groups above the process's own), and ``ulimit -v``.
"""

from __future__ import annotations

import mmap
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

_PROC = Path("/proc")
#: From this size on, NumPy requests 2 MB pages, which are allocated as a whole when first touched.
_HUGE = 1 << 22
#: Limits from this size on mean no limit: version 1 of control groups writes the largest number of pages.
_NO_LIMIT = 1 << 60
#: By version of control groups: files of limit and usage, and the line of ``memory.stat`` that counts reclaimable memory.
_FILES = {
    "cgroup2": ("memory.max", "memory.current", "inactive_file"),
    "cgroup": ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}


def _free_by_source() -> Iterator[tuple[float, str]]:
    """Yield the bytes that each limit leaves, with words for a message."""
    yield _free_of_machine(), "are free"
    yield from _free_in_control_groups()
    yield _free_address_space(), "are left by the limit on the address space (ulimit -v)"


def available_bytes() -> float:
    """Bytes of memory that are available, or infinity if unknown.

    Examples
    --------
    >>> from pulib._memory import available_bytes
    >>> print(f"available: {available_bytes() / 2**30:.1f} GiB")  # doctest: +ELLIPSIS
    available: ... GiB
    """
    return min(_free_by_source())[0]


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""


def _free_of_machine() -> float:
    """Free memory of the machine, or its total if that is unknown."""
    for line in _text(_PROC / "meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            return 1024.0 * int(line.split()[1])
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return float("inf")


def _free_address_space() -> float:
    try:
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit == resource.RLIM_INFINITY:
            return float("inf")
        taken = int(_text(_PROC / "self" / "statm").split()[0]) * resource.getpagesize()
    except (ImportError, AttributeError, IndexError, ValueError, OSError):  # not Unix, or no /proc
        return float("inf")
    return max(0.0, float(limit - taken))


def _free_in_control_groups() -> Iterator[tuple[float, str]]:
    """Yield the bytes that each control group with a memory limit leaves to this process."""
    for kind, folder in _control_groups():
        limit_file, usage_file, droppable = _FILES[kind]
        limit, usage = _text(folder / limit_file).strip(), _text(folder / usage_file).strip()
        if not limit.isdigit() or int(limit) >= _NO_LIMIT or not usage.isdigit():  # "max", or a group without the controller
            continue
        cached = re.search(rf"^{droppable} (\d+)$", _text(folder / "memory.stat"), re.M)
        free = int(limit) - int(usage) + (int(cached[1]) if cached else 0)
        yield (
            float(min(max(free, 0), int(limit))),
            f"are left by the limit of the container or job ({folder / limit_file}: {int(limit) / 2**30:,.1f} GiB)",
        )


def _control_groups() -> Iterator[tuple[str, Path]]:
    """Yield the control groups that may limit this process's memory, from its own up to the uppermost visible one."""
    paths = {}
    for line in _text(_PROC / "self" / "cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers:
            paths["cgroup2"] = path
        elif "memory" in controllers.split(","):
            paths["cgroup"] = path
    for kind, root, mount in _mounts():
        if kind not in paths:
            continue
        # in a container, the uppermost group may be the container's, while the path is that of the machine
        below = os.path.relpath(paths[kind], root) if paths[kind].startswith(root) else paths[kind].lstrip("/")
        folder = Path(os.path.normpath(mount / below))
        if not folder.is_dir() or not folder.is_relative_to(mount):
            folder = mount
        while True:
            yield kind, folder
            if folder == mount:
                break
            folder = folder.parent


def _mounts() -> Iterator[tuple[str, str, Path]]:
    """Yield the mounts of memory control groups: version, uppermost group, folder."""
    for line in _text(_PROC / "self" / "mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        fields, (kind, *rest) = before.split(), after.split() or ("",)
        if kind == "cgroup2" or (kind == "cgroup" and rest and "memory" in rest[-1].split(",")):
            root, mount = (re.sub(r"\\(\d{3})", lambda code: chr(int(code[1], 8)), field) for field in fields[3:5])
            yield kind, root, Path(mount)


def reserved(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Return an uninitialized array that may stay mostly unused: pages use memory only once they are written to.

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
    """Raise an error if an array would not fit in memory.

    Raises
    ------
    MemoryError
        If ``n_bytes`` exceed the available memory.

    Examples
    --------
    >>> from pulib._memory import check_room
    >>> check_room(2**60, "Wishful thinking", "Think smaller.")
    Traceback (most recent call last):
    MemoryError: Wishful thinking takes 1,073,741,824.0 GiB of memory, and ... Think smaller.
    """
    free, words = min(_free_by_source())
    if n_bytes > free:
        raise MemoryError(f"{what} takes {n_bytes / 2**30:,.1f} GiB of memory, and {free / 2**30:,.1f} GiB {words}. {remedy}")
