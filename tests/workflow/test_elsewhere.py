"""Ways to use the workflow from elsewhere; what it does not support ends with one line that says what to do."""

import shutil
import subprocess
import sys
import venv

import pandas as pd
import pytest

from tests.workflow.conftest import Workspace, finish
from tests.workflow.toy import RESULTS, without_compiling

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

FETCHED = """
configfile: "config/config.yaml"

module pulib:
    snakefile: gitfile("{place}", path="Snakefile", ref="HEAD")
    config: config

use rule * from pulib
"""
#: Another workflow, which uses this one as a module, as the workflow catalog promises.
USER = """
configfile: "config/config.yaml"

module pulib:
    snakefile: "{place}/Snakefile"
    config: config

use rule * from pulib as pulib_*

rule count:
    input: "{results}"
    output: "count.txt"
    shell: "wc -c <{{input}} >{{output}}"
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


def test_apptainer_and_an_environment_without_the_library_are_errors(make_workspace):
    space = make_workspace()
    run = space.snakemake("-n", "--sdm", "apptainer")
    assert run.code != 0
    assert "no container image is published: use --sdm conda" in last_lines(run)
    (space.folder / "pulab" / "plan" / "plan.py").write_text("import a_package_that_is_missing")
    run = space.snakemake("-n")
    assert run.code != 0
    remedy = f"in this environment: run pip install -e '{space.folder}"
    assert f"No module named 'a_package_that_is_missing' {remedy}" in last_lines(run)


def test_jobs_import_the_clones_packages_from_any_working_folder(make_workspace, tmp_path):
    """An environment of conda holds the dependencies alone."""
    space = make_workspace()
    snakefile = space.folder / "Snakefile"
    rule = '\n\nrule where:\n    output: "where.txt"\n    shell: "echo $PYTHONPATH >{output}"\n'
    snakefile.write_text(snakefile.read_text() + rule)
    shutil.copytree(space.folder / "config", tmp_path / "config")
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(snakefile), "--cores", "1", "where.txt"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "where.txt").read_text().split(":")[0].strip() == str(space.folder)


def start_in(folder, space, *arguments):
    """Snakemake, with the Snakefile of the clone named."""
    return Workspace(folder).snakemake("-s", str(space.folder / "Snakefile"), *arguments, PYTHONPATH=str(space.folder))


def test_it_runs_from_another_folder_with_the_clones_configuration(ended, tmp_path):
    """Both of them with a space in their names."""
    clone = Workspace(tmp_path / "my clone")
    shutil.move(ended.folder, clone.folder)
    shutil.rmtree(clone.folder / "results")
    folder = tmp_path / "else where"
    folder.mkdir()
    run = start_in(folder, clone, "--", RESULTS)
    assert run.code == 0, run.text
    assert set(pd.read_parquet(folder / RESULTS)["status"]) == {"ok"}
    assert not (clone.folder / "results").exists()
    assert "Nothing to be done" in start_in(folder, clone, "-n", "--", RESULTS).text


def test_a_configuration_file_overrides_the_clones_configuration(toy, tmp_path):
    (tmp_path / "mine.yaml").write_text("preset: paper\nresources_dir: kept\n")
    run = start_in(tmp_path, toy, "-n", "--configfile", str(tmp_path / "mine.yaml"), "--", RESULTS.replace("quick", "paper"))
    assert run.code == 0, run.text
    assert "kept/data/" in run.text
    changed = tmp_path / "config" / "config.yaml"
    changed.parent.mkdir()
    changed.write_text((toy.folder / "config" / "config.yaml").read_text().replace("resources_dir:", "resources_dir: own #"))
    run = start_in(tmp_path, toy, "-n", "--", RESULTS)
    assert "own/data/" in run.text, "the folder's own configuration comes first"


def test_an_environment_in_a_folder_with_a_space_is_an_error_with_a_remedy(toy, tmp_path):
    """Not the interpreter itself, which finds its packages by its path: a link in an environment beside this one's packages."""
    environment = tmp_path / "my environment"
    venv.create(environment, symlinks=True, with_pip=False)
    packages = [entry for entry in sys.path if entry.endswith("site-packages")]
    (found,) = environment.glob("lib/python*/site-packages")
    (found / "others.pth").write_text("\n".join(packages))
    process = toy.popen([str(environment / "bin" / "python"), "-m", "snakemake", "-n", "--cores", "1", "--", RESULTS])
    run = finish(process)
    assert run.code != 0
    assert f"cannot start scripts with {environment}" in last_lines(run)
    assert "Create the environment in a folder without spaces" in last_lines(run)


def test_rules_of_a_module_run_in_the_folder_of_the_workflow_that_uses_it(toy, tmp_path):
    without_compiling(toy)
    user = Workspace(tmp_path)
    shutil.copytree(toy.folder / "config", tmp_path / "config")
    (tmp_path / "Snakefile").write_text(USER.format(place=toy.folder, results=RESULTS))
    table = "results/quick/toy/table1.md"
    run = user.snakemake("--", "count.txt", table, PYTHONPATH=str(toy.folder))
    assert run.code == 0, run.text
    assert set(pd.read_parquet(tmp_path / RESULTS)["status"]) == {"ok"}
    assert (tmp_path / table).is_file()
    assert (tmp_path / "count.txt").is_file()
    assert not (toy.folder / "results").exists(), "nothing is written where the module lies"
    again = user.snakemake("-n", "--", "count.txt", table, PYTHONPATH=str(toy.folder))
    assert "Nothing to be done" in again.text
