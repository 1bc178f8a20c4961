"""A copy of the workflow in a folder of its own, and a way to run Snakemake in it."""

import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@dataclass
class Run:
    """What a call of Snakemake gave back."""

    code: int
    text: str

    def jobs(self, rule: str) -> list[dict[str, str]]:
        """Wildcards of the rule's jobs, as a dry run or a run lists them."""
        found = []
        for block in re.split(r"\n\n", self.text):
            if re.search(rf"^(local)?rule {rule}:", block, re.M):
                line = re.search(r"^\s+wildcards: (.*)$", block, re.M)
                found.append(dict(pair.split("=", 1) for pair in line[1].split(", ")) if line else {})
        return found


@dataclass
class Workspace:
    """A folder with the workflow in it."""

    folder: Path

    def start(self, *arguments: str, cores: int = 2) -> subprocess.Popen:
        """Snakemake in a process group of its own."""
        environment = os.environ | {"PYTHONPATH": str(self.folder), "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        return subprocess.Popen(
            [sys.executable, "-m", "snakemake", "--cores", str(cores), *arguments],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def snakemake(self, *arguments: str, cores: int = 2, timeout: float = 280) -> Run:
        process = self.start(*arguments, cores=cores)
        try:
            text, _ = process.communicate(timeout=timeout)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        return Run(process.returncode, text)


@pytest.fixture
def make_workspace(tmp_path_factory):
    def make() -> Workspace:
        folder = tmp_path_factory.mktemp("workspace")
        ignore = shutil.ignore_patterns("__pycache__", "*.pyc", "*.nbi", "*.nbc")
        for name in ("pulib", "workflow", "config", "profiles", "envs"):
            shutil.copytree(ROOT / name, folder / name, ignore=ignore, symlinks=True)
        shutil.copy(ROOT / "Snakefile", folder)
        return Workspace(folder)

    return make
