"""What changed code does to archived trials: a new name or comment nothing; a new rounding fails the golden test by name."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.golden.things import whole_plan

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("config", "pulab", "pulib", "studies", "benchmarks", "tests")
IDENTITIES = """
import json
from tests.golden.things import whole_plan
plan = whole_plan()
found = [(" ".join(key), identity.name) for study in plan.studies for key, (identity, _) in plan.identities(study).items()]
print(json.dumps(dict(found)))
"""


@pytest.fixture
def copy(tmp_path):
    """The parts of the repository that decide numbers, with what tests of them need."""
    for part in COPIED:
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc"))
    shutil.copy2(ROOT / "pyproject.toml", tmp_path)
    if (ROOT / "figures").is_dir():
        (tmp_path / "figures").symlink_to(ROOT / "figures")
    return tmp_path


def change(folder: Path, before: str, after: str, comment: str = "") -> int:
    """Replace a text in all files of a folder; in how many files it stood."""
    found = 0
    for file in folder.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        found += before in text
        file.write_text(text.replace(before, after) + comment, encoding="utf-8")
    return found


def run_in(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(folder / "compiled")}
    return subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.slow
def test_a_renamed_helper_and_changed_comments_outdate_no_trial(copy):
    assert change(copy / "pulib", "finite_vector", "vector_of_finite", "# another comment\n") > 1
    done = run_in(copy, "-c", IDENTITIES)
    assert done.returncode == 0, done.stderr
    plan = whole_plan()
    here = {" ".join(key): identity.name for study in plan.studies for key, (identity, _) in plan.identities(study).items()}
    assert json.loads(done.stdout) == here


@pytest.mark.slow
def test_a_changed_rounding_in_a_kernel_fails_the_golden_test_by_name(copy):
    assert (
        change(copy / "pulib" / "linear", "-slope / (objective.alpha * t", "-slope / (objective.alpha * (1.0 + 1e-7) * t") == 1
    )
    test = "tests/golden/test_golden.py::test_golden_numbers[estimator-pulib.linear.OnlinePUClassifier]"
    done = run_in(copy, "-m", "pytest", "-n", "0", "-q", test)
    assert done.returncode == 1, done.stdout
    assert "golden numbers of estimator pulib.linear.OnlinePUClassifier moved" in done.stdout
    assert "raise the version of pulib.linear.OnlinePUClassifier" in done.stdout
