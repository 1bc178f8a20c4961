"""Clusters: a real SLURM of one node, and jobs submitted by a command."""

import shutil
import threading

import pytest

from tests.workflow.conftest import SNAKEMAKE, finish
from tests.workflow.slurm import NoSlurmError, one_node
from tests.workflow.toy import RESULTS, edit_text

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

# without accounting sacct has nothing to say, and a test cannot wait the usual 40 s for a first look
POLLING = ["--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "2", "--latency-wait", "20"]


@pytest.fixture
def cluster(tmp_path):
    pytest.importorskip("snakemake_executor_plugin_slurm", reason="the executor plugin is missing: pip install -e '.[slurm]'")
    try:
        with one_node(tmp_path / "slurm") as running:
            yield running
    except NoSlurmError as reason:
        pytest.skip(str(reason))


@pytest.fixture
def two_jobs(ended):
    """A run that has ended, whose methods now have a job each, and what it gave."""
    edit_text(ended.folder / "studies/toy/study.py", ('methods=METHODS, job="all")', "methods=METHODS)"))
    return ended, shown(ended)


def shown(space):
    return {name: content for name, content in space.outcome().items() if "/trials/" not in name}


def forced_again(space, command, **variables):
    """Whether the jobs' own processes are told what is forced: every stored trial is written anew, with the same numbers."""
    before = {file: file.stat().st_mtime_ns for file in (space.folder / "results/quick/store").rglob("*-*.json")}
    numbers = (space.folder / RESULTS).read_bytes()
    run = finish(space.popen([*command, RESULTS, "-R", "run_trials"], **variables))
    assert run.code == 0, run.text
    assert len(before) == 10
    assert all(file.stat().st_mtime_ns > written for file, written in before.items())
    assert (space.folder / RESULTS).read_bytes() == numbers


def test_slurm_gives_the_same_bytes_as_a_local_run_despite_a_canceled_job_and_retrains_forced_trials(two_jobs, cluster):
    space, expected = two_jobs
    shutil.rmtree(space.folder / "results")
    snakemake = [*SNAKEMAKE, "--workflow-profile", "profiles/slurm", *POLLING]
    process = space.popen([*snakemake, "--", "toy"], **cluster.variables)

    def wanted(job):
        return job.state == "RUNNING" and job.comment.startswith("rule_run_trials")

    killer = threading.Thread(target=cluster.cancel_first, args=(wanted, 800), daemon=True)
    killer.start()
    run = finish(process, timeout=900)
    assert run.code == 0, run.text
    assert shown(space).items() <= expected.items()
    assert {RESULTS, "results/quick/toy/table1.csv"} <= shown(space).keys()

    jobs = [job for job in cluster.jobs() if job.comment.startswith("rule_")]
    trials = [job for job in jobs if job.comment.startswith("rule_run_trials")]
    (cancelled,) = [job for job in jobs if job.state == "CANCELLED"]
    assert len(trials) == 2 + 1
    attempts = [(job.state, job.memory, job.time) for job in trials if job.comment == cancelled.comment]
    assert attempts == [("CANCELLED", "2000M", "1:00:00"), ("COMPLETED", "4000M", "2:00:00")], "a retry gets more"
    assert {(job.memory, job.cpus) for job in trials if job.comment != cancelled.comment} == {("2000M", "1")}
    others = [job.comment for job in jobs if job not in trials]
    assert set(others) <= {"rule_compile_kernels"}, "light rules run where Snakemake runs"
    forced_again(space, snakemake, **cluster.variables)


def test_any_submit_command_can_run_the_jobs(two_jobs):
    space, _ = two_jobs
    pytest.importorskip(
        "snakemake_executor_plugin_cluster_generic", reason="pip install snakemake-executor-plugin-cluster-generic"
    )
    submit = space.folder / "submit.sh"
    submit.write_text('#!/bin/sh\necho "$1 $2" >>asked.txt\nnohup sh "$3" >/dev/null 2>&1 &\necho $!\n')
    submit.chmod(0o755)
    command = "./submit.sh {threads} {resources.mem_mb}"
    forced_again(space, [*SNAKEMAKE, "--executor", "cluster-generic", "--jobs", "4", "--cluster-generic-submit-cmd", command])
    assert (space.folder / "asked.txt").read_text().splitlines().count("1 2000") == 2, "two batches of trials"
