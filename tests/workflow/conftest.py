"""A copy of the workflow in a folder of its own, and a way to run Snakemake in it."""

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.workflow.toy import FIGURES, edit_text, without_compiling, write_study, write_toy

ROOT = Path(__file__).parents[2]
SNAKEMAKE = [sys.executable, "-m", "snakemake"]
PACKAGES = ("pulib", "pulab", "studies", "benchmarks", "snakemake_logger_plugin_stages")


@dataclass
class Run:
    """What a call of Snakemake gave back."""

    code: int
    text: str

    def counts(self) -> dict[str, int]:
        """Number of jobs by rule, as Snakemake's table of the plan has it."""
        table = re.search(r"^Job stats:\njob +count\n[- ]+\n((?:\w+ +\d+\n)+)", self.text, re.M)
        return {rule: int(count) for rule, count in map(str.split, table[1].splitlines())} if table else {}

    def jobs(self, rule: str) -> list[dict[str, str]]:
        """Wildcards of the rule's jobs, as a dry run or a run lists them."""
        found = []
        for block in re.split(r"\n\n", self.text):
            if re.search(rf"^(local)?rule {rule}:", block, re.M):
                line = re.search(r"^\s+wildcards: (.*)$", block, re.M)
                found.append(dict(pair.split("=", 1) for pair in line[1].split(", ")) if line else {})
        return found

    def failures(self) -> list[str]:
        """Rules of the jobs that failed; some versions of Snakemake report each of them twice."""
        reported = re.findall(r"^Error in rule (\w+):\n(?:\s+message: .*\n)?\s+jobid: (\d+)", self.text, re.M)
        return [rule for rule, _ in sorted(set(reported))]


def finish(process: subprocess.Popen, timeout: float = 600) -> Run:
    """Wait for a process; what is left of its group at the end of the time is killed."""
    try:
        text, _ = process.communicate(timeout=timeout)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    return Run(process.returncode, text)


@dataclass
class Workspace:
    """A folder with the workflow in it."""

    folder: Path

    def popen(self, command: Sequence[str], **variables: str) -> subprocess.Popen:
        """A command in this folder, in a process group of its own."""
        environment = os.environ | {"PYTHONPATH": str(self.folder), "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
        environment |= {"PYTHONDONTWRITEBYTECODE": "1", **variables}
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def start(self, *arguments: str, cores: int = 2, **variables: str) -> subprocess.Popen:
        return self.popen([*SNAKEMAKE, "--cores", str(cores), *arguments], **variables)

    def snakemake(self, *arguments: str, cores: int = 2, timeout: float = 600, **variables: str) -> Run:
        return finish(self.start(*arguments, cores=cores, **variables), timeout)

    def outcome(self) -> dict[str, bytes]:
        """Results, tables and figures: every file that does not hold times."""
        places = ("results/**/*.parquet", "results/*/trials/**/*.csv", "results/*/*/*.*")
        found = {str(file.relative_to(self.folder)): file for place in places for file in self.folder.glob(place)}
        return {name: file.read_bytes() for name, file in found.items() if ".timings." not in name}


def write_workspace(folder: Path) -> Workspace:
    """Copy the workflow into a folder."""
    # compiled kernels and modules come along, so that no workspace compiles them again; what is being written has a longer name
    ignore = shutil.ignore_patterns("*.pyc.*")
    for name in (*PACKAGES, "workflow", "config", "profiles", "envs"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignore, symlinks=True)
    own_logger = "show_stages(workflow, logger)\n"  # tests read what Snakemake's says of each job
    text = (ROOT / "Snakefile").read_text()
    assert own_logger in text
    (folder / "Snakefile").write_text(text.replace(own_logger, ""))
    return Workspace(folder)


@pytest.fixture
def make_workspace(tmp_path_factory):
    return lambda: write_workspace(tmp_path_factory.mktemp("workspace"))


@pytest.fixture
def toy(make_workspace):
    return write_toy(make_workspace())


@pytest.fixture(scope="session")
def finished(tmp_path_factory, worker_id):
    """A run of the toy study that has ended, with a figure and one job for both methods: made once for all workers."""
    own = tmp_path_factory.getbasetemp()
    shared = (own if worker_id == "master" else own.parent) / "finished"
    with open(f"{shared}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not shared.exists():
            space = without_compiling(write_toy(write_workspace(tmp_path_factory.mktemp("finishing"))))
            write_study(space.folder, "toy", figures=FIGURES)
            figure = '    figures=named(figure1=Shown("Accuracy")),\n    tables='
            together = ("methods=METHODS)", 'methods=METHODS, job="all")')
            edit_text(space.folder / "studies/toy/study.py", ("    tables=", figure), together)
            run = space.snakemake("all")
            assert run.code == 0, run.text
            space.folder.rename(shared)
    return Workspace(shared)


@pytest.fixture
def ended(finished, tmp_path):
    """A copy of the run that has ended."""
    return Workspace(Path(shutil.copytree(finished.folder, tmp_path / "copy", symlinks=True)))
