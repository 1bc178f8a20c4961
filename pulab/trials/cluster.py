"""Jobs on other machines: where they import from, and checks of a cluster before jobs are submitted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path


def import_from(folder: Path, *, last: bool = False) -> None:
    """Add a folder to the import path of processes started later: at the front or, with ``last``, at the end."""
    paths = list(filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)))
    paths = [*paths, str(folder)] if last else [str(folder), *paths]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))


def import_own(files: Iterable[str | Path]) -> None:
    """Make modules in the folders of configuration files importable, here and in child processes."""
    for folder in dict.fromkeys(Path(file).resolve().parent for file in files):
        import_from(folder, last=True)
        if str(folder) not in sys.path:
            sys.path.append(str(folder))


def accounting_fault(status_command: str | None) -> str:
    """Return why SLURM would never report that a job has ended; empty if it would.

    ``status_command`` is the executor's command for the state of its jobs, ``sacct`` or ``squeue``.
    """
    if status_command != "sacct":
        return ""
    remedy = "add --slurm-status-command squeue; otherwise, Snakemake never notices that a job has ended"
    if shutil.which("sacct") is None:
        return f"there is no sacct on this machine: {remedy}"
    done = subprocess.run(["sacct", "-n", "-X"], capture_output=True, text=True, check=False)
    said = (done.stderr or done.stdout).strip().splitlines()
    if done.returncode == 0 and not any("accounting" in line.lower() and "disabled" in line.lower() for line in said):
        return ""
    return f"sacct does not answer ({said[0] if said else f'exit code {done.returncode}'}): {remedy}"
