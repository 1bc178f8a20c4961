"""Sending what a job prints, its compiled libraries included, to a log file."""

import os
import sys
from pathlib import Path


def start_log(path: str | Path) -> None:
    """From here on stdout and stderr of this process go to the file ``path``."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    file = open(path, "w", buffering=1, encoding="utf-8")  # noqa: SIM115 - lives as long as the process
    sys.stdout.flush()
    sys.stderr.flush()
    os.dup2(file.fileno(), 1)
    os.dup2(file.fileno(), 2)
    sys.stdout = sys.stderr = file
