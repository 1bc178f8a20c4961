"""SLURM without accounting is noticed before a job is sent, and jobs import the clone's packages wherever they run."""

import os
import subprocess
import sys

import pytest

from pulab.trials.cluster import accounting_fault, import_from


@pytest.fixture
def sacct(tmp_path, monkeypatch):
    def install(script):
        (tmp_path / "sacct").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "sacct").chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    return install


def test_squeue_needs_no_accounting(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert accounting_fault("squeue") == accounting_fault(None) == ""
    assert "no sacct" in accounting_fault("sacct")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo '12 ok'", ""),
        ("exit 0", ""),
        ("echo 'Slurm accounting storage is disabled' >&2; exit 1", "Slurm accounting storage is disabled"),
        ("echo 'Slurm accounting storage is disabled' >&2", "Slurm accounting storage is disabled"),
        ("exit 3", "exit code 3"),
    ],
)
def test_accounting_faults_by_the_output_of_sacct(sacct, script, said):
    sacct(script)
    fault = accounting_fault("sacct")
    assert said in fault
    assert bool(fault) == bool(said)
    assert not fault or "--slurm-status-command squeue" in fault


def test_processes_import_from_the_folder_and_keep_what_was_there(tmp_path, monkeypatch):
    (tmp_path / "only_here.py").write_text("value = 3")
    monkeypatch.setenv("PYTHONPATH", "before")
    import_from(tmp_path)
    import_from(tmp_path)
    assert os.environ["PYTHONPATH"] == os.pathsep.join([str(tmp_path), "before"])
    run = [sys.executable, "-c", "import only_here; print(only_here.value)"]
    assert subprocess.run(run, capture_output=True, text=True, check=True, cwd="/").stdout.strip() == "3"
