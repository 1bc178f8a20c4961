"""What changed code does to archived trials: a new name or comment nothing; a new rounding fails the golden test by name."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.golden import store
from tests.golden.test_golden import describe
from tests.golden.things import Thing, whole_plan

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("config", "pulab", "pulib", "studies", "benchmarks", "tests")
IDENTITIES = """
import json
from tests.golden.things import whole_plan
plan = whole_plan()
found = [(" ".join(key), identity.name) for study in plan.studies for key, (identity, _) in plan.identities(study).items()]
print(json.dumps(dict(found)))
"""


@pytest.mark.slow
def test_a_renamed_helper_and_changed_comments_outdate_no_trial(tmp_path):
    for part in COPIED:
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    for file in (tmp_path / "pulib").rglob("*.py"):
        text = file.read_text(encoding="utf-8").replace("finite_vector", "vector_of_finite")
        file.write_text(text + "# another comment\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", IDENTITIES], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    plan = whole_plan()
    here = {" ".join(key): identity.name for study in plan.studies for key, (identity, _) in plan.identities(study).items()}
    assert json.loads(done.stdout) == here


def test_a_changed_rounding_is_told_by_name():
    thing = Thing("estimator", "pulib.linear.OnlinePUClassifier")
    recorded = store.read(*thing)["cases"]
    found = thing.cases(recorded)
    assert thing.moved(found, recorded) == {}
    case = next(iter(found))
    found[case]["numbers"]["decision_function"] = found[case]["numbers"]["decision_function"] * (1 + 1e-7)
    moved = thing.moved(found, recorded)
    assert list(moved) == [f"{case}: decision_function"]
    told = describe(thing, moved)
    assert "golden numbers of estimator pulib.linear.OnlinePUClassifier moved, 1 of them" in told
    assert "raise the version of pulib.linear.OnlinePUClassifier" in told
    assert "archived trials become outdated" in told
