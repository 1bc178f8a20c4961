"""Jobs elsewhere: where they import from, and what can be wrong with a cluster before a job is sent there."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path


def import_from(folder: Path) -> None:
    """Let the processes that are started from here on look for packages in a folder first."""
    paths = [str(folder), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))


def accounting_fault(status_command: str | None) -> str:
    """Why SLURM would never tell that a job has ended; an empty text where it would.

    Parameters
    ----------
    status_command : str or None
        What the executor asks for the state of its jobs, ``sacct`` or ``squeue``.
    """
    if status_command != "sacct":
        return ""
    remedy = "add --slurm-status-command squeue, or no finished job will ever be noticed"
    if shutil.which("sacct") is None:
        return f"there is no sacct on this machine: {remedy}"
    done = subprocess.run(["sacct", "-n", "-X"], capture_output=True, text=True, check=False)
    said = (done.stderr or done.stdout).strip().splitlines()
    if done.returncode == 0 and not any("accounting" in line.lower() and "disabled" in line.lower() for line in said):
        return ""
    return f"sacct does not answer ({said[0] if said else f'exit code {done.returncode}'}): {remedy}"
