"""Clusters: a real SLURM of one node, and jobs submitted by a command."""

import shutil
import threading

import pytest

from tests.workflow.conftest import SNAKEMAKE, finish
from tests.workflow.slurm import NoSlurmError, one_node
from tests.workflow.toy import RESULTS, without_compiling

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

# without accounting sacct has nothing to say, and a test cannot wait the usual 40 s for a first look
POLLING = ["--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "2", "--latency-wait", "20"]


@pytest.fixture
def cluster(tmp_path):
    pytest.importorskip("snakemake_executor_plugin_slurm", reason="the executor plugin is missing: pip install -e '.[slurm]'")
    node = one_node(tmp_path / "slurm")
    try:
        running = node.__enter__()
    except NoSlurmError as reason:
        pytest.skip(str(reason))
    yield running
    node.__exit__(None, None, None)


def test_a_study_on_a_real_slurm_with_a_job_cancelled_gives_the_bytes_of_a_local_run(toy, cluster):
    space = toy
    local = space.snakemake("toy")
    assert local.code == 0, local.text
    expected = space.outcome()
    batches = [name for name in expected if name.startswith("results/quick/trials/") and name.endswith(".csv")]
    shutil.rmtree(space.folder / "results")

    profile = ["--workflow-profile", "profiles/slurm", *POLLING]
    process = space.popen([*SNAKEMAKE, *profile, "--", "toy"], **cluster.variables)

    def wanted(job):
        return job.state == "RUNNING" and job.comment.startswith("rule_run_trials")

    killer = threading.Thread(target=cluster.cancel_first, args=(wanted, 800), daemon=True)
    killer.start()
    run = finish(process, timeout=900)
    assert run.code == 0, run.text
    assert space.outcome() == expected

    jobs = [job for job in cluster.jobs() if job.comment.startswith("rule_")]
    trials = [job for job in jobs if job.comment.startswith("rule_run_trials")]
    (cancelled,) = [job for job in jobs if job.state == "CANCELLED"]
    assert len(trials) == len(batches) + 1
    attempts = [(job.state, job.memory, job.time) for job in trials if job.comment == cancelled.comment]
    assert attempts == [("CANCELLED", "2000M", "1:00:00"), ("COMPLETED", "4000M", "2:00:00")], "a retry gets more"
    assert {(job.memory, job.cpus) for job in trials if job.comment != cancelled.comment} == {("2000M", "1")}
    others = [job.comment for job in jobs if job not in trials]
    assert others == ["rule_compile_kernels"], "light rules run where Snakemake runs"


def forced_again(space, command, **variables):
    """Whether the jobs' own processes are told what is forced: every stored trial is written anew, with the same numbers."""
    before = {file: file.stat().st_mtime_ns for file in (space.folder / "results/quick/store").rglob("*-*.json")}
    numbers = (space.folder / RESULTS).read_bytes()
    run = finish(space.popen([*command, RESULTS, "-R", "run_trials"], **variables))
    assert run.code == 0, run.text
    assert len(before) == 10
    assert all(file.stat().st_mtime_ns > written for file, written in before.items())
    assert (space.folder / RESULTS).read_bytes() == numbers


def test_what_is_forced_trains_on_a_real_slurm(toy, cluster):
    run = without_compiling(toy).snakemake(RESULTS)
    assert run.code == 0, run.text
    forced_again(toy, [*SNAKEMAKE, "--workflow-profile", "profiles/slurm", *POLLING], **cluster.variables)


def test_any_command_that_submits_a_script_will_do(toy):
    without_compiling(toy)
    pytest.importorskip(
        "snakemake_executor_plugin_cluster_generic", reason="pip install snakemake-executor-plugin-cluster-generic"
    )
    submit = toy.folder / "submit.sh"
    submit.write_text('#!/bin/sh\necho "$1 $2" >>asked.txt\nnohup sh "$3" >/dev/null 2>&1 &\necho $!\n')
    submit.chmod(0o755)
    command = "./submit.sh {threads} {resources.mem_mb}"
    snakemake = [*SNAKEMAKE, "--executor", "cluster-generic", "--jobs", "4", "--cluster-generic-submit-cmd", command]
    run = finish(toy.popen([*snakemake, RESULTS]))
    assert run.code == 0, run.text
    assert (toy.folder / "asked.txt").read_text().splitlines().count("1 2000") == 2, "two batches of trials"
    forced_again(toy, snakemake)
