"""Kills and faults of the machine: each costs the work it hit, says what it was, and the documented command goes on."""

import contextlib
import hashlib
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.workflow.conftest import SNAKEMAKE, Run, finish
from tests.workflow.toy import PROTOCOL, RESULTS, without_compiling, write_study

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

TABLE = "results/quick/toy/table1.csv"
# each trial leaves a line; one of them meets its end where the file "starve" is
NOTED = PROTOCOL.replace(
    "def run(context):",
    """import os, signal, time
from pathlib import Path

def run(context):
    with open("trials.log", "a") as file:
        file.write(f"{context.method_name} {context.repeat}\\\\n")
    time.sleep(0.1)
    if context.method_name == "forest" and context.repeat == 3 and Path("starve").exists():
        os.kill(os.getpid(), signal.SIGKILL)""",
).replace("\\\\n", "\\n")


@pytest.fixture
def noted(toy):
    write_study(toy.folder, "toy", protocol=NOTED)
    return without_compiling(toy)


def trials_run(space) -> list[str]:
    """The trials run since the last call."""
    log = space.folder / "trials.log"
    lines = log.read_text().splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    return sorted(lines)


def working_in(folder: Path) -> list[int]:
    """Processes whose working directory is the folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (process / "cwd").resolve() == folder.resolve():
                found.append(int(process.name))
    return found


def all_over(folder: Path, timeout: float = 60) -> bool:
    """Wait for the end of processes that a busy machine has not got round to killing yet."""
    end = time.monotonic() + timeout
    while working_in(folder) and time.monotonic() < end:
        time.sleep(0.05)
    return not working_in(folder)


def same_as(finished, space) -> bool:
    """Whether results and table are those of a run that nothing disturbed."""
    return all((space.folder / name).read_bytes() == (finished.folder / name).read_bytes() for name in (RESULTS, TABLE))


def wait_for_trials(space, process, count: int) -> None:
    """Until so many trials were begun since the last call of :func:`trials_run`, or the process has ended."""
    log = space.folder / "trials.log"
    while process.poll() is None and (len(log.read_text().splitlines()) if log.exists() else 0) < count:
        time.sleep(0.02)


@pytest.mark.happens("a kill, or Ctrl-C")
def test_recovery_from_kills_at_random_moments_by_the_documented_command(noted, finished):
    folder = noted.folder
    assert noted.snakemake("resources/data/breast_cancer/meta.json").code == 0
    moments = random.Random(20080801)
    in_time = 0
    for _ in range(2):
        trials_run(noted)
        process = noted.start(TABLE)
        # by progress, not by the clock, which means something else on a busy machine
        wait_for_trials(noted, process, moments.randrange(6))
        time.sleep(moments.random())
        in_time += process.poll() is None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        assert all_over(folder)
        assert noted.snakemake("--unlock").code == 0
    again = noted.snakemake(TABLE)
    assert again.code == 0, again.text
    assert same_as(finished, noted)
    assert in_time, "the runs were over before they were killed"
    assert not list(folder.glob("results/**/*.part")), "files appear whole or not at all"


def test_a_job_killed_for_memory_costs_one_repeat(noted):
    """The kernel's way: SIGKILL, without a word to the process."""
    (noted.folder / "starve").touch()
    run = noted.snakemake(TABLE)
    assert run.code != 0
    assert run.failures() == ["run_trials"]
    assert "run_trials.py' died with <Signals.SIGKILL: 9>" in run.text
    assert trials_run(noted) == [f"forest {k}" for k in range(4)] + [f"tree {k}" for k in range(5)]
    (noted.folder / "starve").unlink()
    run = noted.snakemake(TABLE)
    assert run.code == 0, run.text
    assert [job["job"] for job in run.jobs("run_trials")] == ["standard/forest"]
    assert trials_run(noted) == ["forest 3", "forest 4"]


@pytest.fixture
def mounting(noted):
    """A shell whose mounts are its own and end with it."""
    for unshare in (["unshare", "--mount"], ["unshare", "--mount", "--map-root-user"]):
        with contextlib.suppress(OSError):
            probe = [*unshare, "mount", "-t", "tmpfs", "tmpfs", str(noted.folder / "config")]
            if subprocess.run(probe, capture_output=True, check=False).returncode == 0:
                return lambda script: finish(noted.popen([*unshare, "bash", "-c", script]))
    pytest.skip("no mount namespace can be had here (unshare --mount: root, or user namespaces)")


@pytest.mark.happens("a full disk")
def test_a_full_disk_is_reported_and_finished_work_is_kept(noted, mounting, finished):
    snakemake = " ".join([*SNAKEMAKE, "--cores 1", TABLE])
    run = mounting(f"""
        mkdir results && mount -t tmpfs -o size=32k tmpfs results
        {snakemake}; echo first: $?; mv trials.log first.log
        mount -o remount,size=10m results
        {snakemake}; echo second: $?; echo table: $(sha256sum < {TABLE})""")
    first, second = run.text.split("first: 1\n")
    assert "error: the disk is full: free some of it, then run the same command again" in first
    failures = Run(1, first).failures()
    assert set(failures) == {"run_trials"}
    assert "second: 0\n" in second, second
    before, after = (noted.folder / "first.log").read_text().splitlines(), trials_run(noted)
    assert 10 <= len(before) + len(after) <= 10 + len(failures), "at most one repeat of each job that was hit is run again"
    assert len(after) < 10
    assert second.split("table: ")[1].split()[0] == hashlib.sha256((finished.folder / TABLE).read_bytes()).hexdigest()


@pytest.mark.happens("a read-only folder")
def test_a_read_only_folder_is_reported_in_one_line_and_finished_work_is_kept(noted, request):
    trials = noted.folder / "results" / "quick" / "trials"
    trials.mkdir(parents=True)
    if os.geteuid() == 0:  # whom permissions do not stop
        mounting = request.getfixturevalue("mounting")
        run = mounting(f"""
            mount --bind {trials} {trials} && mount -o remount,ro,bind {trials}
            {" ".join([*SNAKEMAKE, "--cores 2", TABLE])}; exit $?""")
    else:
        trials.chmod(0o555)
        run = noted.snakemake(TABLE)
        trials.chmod(0o755)
    assert run.code != 0
    (line,) = [line for line in run.text.splitlines() if "is read-only" in line]
    assert line == f"{trials} is read-only: make it writable, or run in another folder; finished work is kept"
    assert "Traceback" not in run.text
    assert not trials_run(noted)
