"""The command ``pulab bench``, from a folder that is no clone."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from tests.pulab.test_bench import write_table

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.workflow, pytest.mark.slow]


def bench(folder, *arguments):
    environment = os.environ | {"PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "pulab", "bench", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_a_table_is_checked_run_reported_and_resumed(tmp_path):
    write_table(tmp_path / "own.csv", name=[f"case {k}" for k in range(120)])
    asked = ["own.csv", "--label", "labeled", "--id", "name", "--methods", "naive_lr,pu_et,nothing", "--cores", "2"]
    wrong = bench(tmp_path, *asked)
    assert wrong.returncode == 2
    assert "unknown method 'nothing'" in wrong.stderr
    asked[-3] = "naive_lr,pu_et"
    done = bench(tmp_path, *asked)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 learners on 2 cores: about" in done.stdout
    assert "1. **What is known.**" in done.stdout
    folder = tmp_path / "own_bench"
    ranked = pd.read_csv(folder / "ranked.csv")
    table = pd.read_csv(tmp_path / "own.csv")
    assert sorted(ranked["row"]) == sorted(table.loc[table["labeled"] == 0, "name"])
    assert (ranked["low"] <= ranked["expected_positives"]).all()
    assert (ranked["expected_positives"] <= ranked["high"]).all()
    page = (folder / "report.html").read_text()
    assert "own.csv" in page
    assert "<svg" in page
    again = bench(tmp_path, *asked)
    assert "Nothing to be done" in again.stdout + again.stderr
    (folder / "ranked.csv").unlink()
    dry = bench(tmp_path, *asked, "--", "--dry-run", "--quiet", "progress")
    assert "rule answer:" in dry.stdout + dry.stderr
    assert "rule score_" not in dry.stdout + dry.stderr
    assert not (folder / "ranked.csv").exists()


def test_a_file_of_configuration_is_the_same_run(tmp_path):
    write_table(tmp_path / "my_table.csv")
    shutil.copy(ROOT / "config" / "own.yaml", tmp_path / "own.yaml")
    done = bench(tmp_path, "own.yaml", "--methods", "naive_lr", "--output", "out", "--cores", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "out" / "report.html").stat().st_size > 10_000
