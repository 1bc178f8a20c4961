"""Log of a job, which ends with one clear line if the machine is at fault rather than a method."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from types import TracebackType

from pulib.datasets import UnreadableFileError

_AGAIN = "then run the same command again: finished repeats are not run again"
_OUT_OF_MEMORY = (
    "out of memory: give such jobs more (mem_mb of the experiment in studies/<study>/study.py) or run fewer at a time "
    f"(--cores, --resources mem_mb=N), {_AGAIN}"
)
_OF_FILES = {
    errno.ENOSPC: "the disk is full: free some of it",
    errno.EDQUOT: "the disk quota is used up: free some of it",
    errno.EROFS: "the file system is read-only: make it writable, or run in another folder",
    **dict.fromkeys((errno.EACCES, errno.EPERM), "permission denied: make the folder writable, or run in another one"),
}


def machine_fault(error: BaseException) -> str | None:
    """Return what to do about an error caused by the machine; None for all other errors.

    Such an error is not a result of the method: the job ends, and can run again once the cause is removed.
    >>> machine_fault(OSError(errno.ENOSPC, "No space left on device"))
    'the disk is full: free some of it, then run the same command again: finished repeats are not run again'
    >>> machine_fault(ValueError("prior = 2 is not in (0, 1)")) is None
    True
    """
    if isinstance(error, MemoryError):
        return _OUT_OF_MEMORY
    if isinstance(error, OSError) and error.errno in _OF_FILES:
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{_OF_FILES[error.errno]}, {_AGAIN}"
    return None


def writing_fault(*places: str) -> str:
    """Return what to do about the first folder that is not writable; empty if there is none.

    For a path that does not exist, its nearest existing parent is checked; for a folder that exists, its subfolders, too.
    """
    for path in map(Path, places):
        there = next(part for part in (path, *path.parents) if part.exists())
        for folder in (there, *(sorted(path.glob("*/")) if there == path else ())):
            if not os.access(folder, os.W_OK):
                return f"{folder.resolve()} is read-only: make it writable, or run in another folder; finished work is kept"
    return ""


def start_log(path: str | Path) -> None:
    """Redirect everything that this process prints, including its compiled libraries, to the file ``path``."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    file = open(path, "w", buffering=1, encoding="utf-8")  # noqa: SIM115 - lives as long as the process
    sys.stdout.flush()
    sys.stderr.flush()
    os.dup2(file.fileno(), 1)
    os.dup2(file.fileno(), 2)
    sys.stdout = sys.stderr = file
    sys.excepthook = report_end


def report_end(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print the traceback and, if the machine or a file is at fault, what to do about it."""
    sys.__excepthook__(kind, error, trace)
    remedy = str(error) if isinstance(error, UnreadableFileError) else machine_fault(error)
    if remedy:
        print(f"error: {remedy}", file=sys.stderr)
