"""Ways to use the workflow that it does not support end with one line that says what to do."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workflow.conftest import Workspace

ROOT = Path(__file__).parents[2]

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

FETCHED = """
configfile: "config/config.yaml"

module pulib:
    snakefile: gitfile("{place}", path="Snakefile", ref="HEAD")
    config: config

use rule * from pulib
"""


def last_lines(run):
    return " ".join(run.text.splitlines()[-4:])


def test_single_files_that_snakemake_fetches_are_not_enough(make_workspace, tmp_path):
    space = make_workspace()
    commands = (["init", "-q"], ["add", "-A"], ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "t"])
    for command in commands:
        subprocess.run(["git", *command], cwd=space.folder, check=True)
    shutil.copytree(space.folder / "config", tmp_path / "config")
    (tmp_path / "Snakefile").write_text(FETCHED.format(place=space.folder))
    run = Workspace(tmp_path).snakemake("-n", PYTHONPATH=str(space.folder))
    assert run.code != 0
    assert "runs from a clone: clone the repository" in last_lines(run)


def test_without_the_library_it_says_how_to_install_it(make_workspace):
    space = make_workspace()
    (space.folder / "pulab" / "trials" / "plan.py").write_text("import a_package_that_is_missing")
    run = space.snakemake("-n")
    assert run.code != 0
    assert f"No module named 'a_package_that_is_missing' in this environment: run pip install -e '{space.folder}" in last_lines(
        run
    )


def test_apptainer_has_no_image(make_workspace):
    run = make_workspace().snakemake("-n", "--sdm", "apptainer")
    assert run.code != 0
    assert "no container image is published: use --sdm conda" in last_lines(run)


def test_jobs_import_the_clones_packages_wherever_snakemake_is_started(make_workspace, tmp_path):
    """An environment of conda holds the dependencies alone."""
    space = make_workspace()
    text = (space.folder / "Snakefile").read_text()
    (space.folder / "Snakefile").write_text(
        f'{text}\n\nrule where:\n    output: "where.txt"\n    shell: "echo $PYTHONPATH >{{output}}"\n'
    )
    shutil.copytree(space.folder / "config", tmp_path / "config")
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(space.folder / "Snakefile"), "--cores", "1", "where.txt"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "where.txt").read_text().split(":")[0].strip() == str(space.folder)
