"""Sending what a job prints, its compiled libraries included, to a log file, which ends with one clear line if the job does."""

import os
import sys
from pathlib import Path
from types import TracebackType

from pulab.trials.faults import machine_fault
from pulib.datasets import UnreadableFileError


def start_log(path: str | Path) -> None:
    """From here on stdout and stderr of this process go to the file ``path``."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    file = open(path, "w", buffering=1, encoding="utf-8")  # noqa: SIM115 - lives as long as the process
    sys.stdout.flush()
    sys.stderr.flush()
    os.dup2(file.fileno(), 1)
    os.dup2(file.fileno(), 2)
    sys.stdout = sys.stderr = file
    sys.excepthook = report_end


def report_end(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """The traceback, then, where the fault is the machine's or a file's, what to do about it."""
    sys.__excepthook__(kind, error, trace)
    remedy = str(error) if isinstance(error, UnreadableFileError) else machine_fault(error)
    if remedy:
        print(f"error: {remedy}", file=sys.stderr)
