"""Another workflow uses this one as a module, from a folder of its own, as the workflow catalog promises."""

import shutil

import pandas as pd
import pytest

from tests.workflow.conftest import Workspace
from tests.workflow.toy import RESULTS, without_compiling

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

SNAKEFILE = """
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


def test_rules_of_a_module_run_in_the_folder_of_the_workflow_that_uses_it(toy, tmp_path):
    without_compiling(toy)
    user = Workspace(tmp_path)
    shutil.copytree(toy.folder / "config", tmp_path / "config")
    (tmp_path / "Snakefile").write_text(SNAKEFILE.format(place=toy.folder, results=RESULTS))
    table = "results/quick/toy/table1.md"
    run = user.snakemake("--", "count.txt", table, PYTHONPATH=str(toy.folder))
    assert run.code == 0, run.text
    assert set(pd.read_parquet(tmp_path / RESULTS)["status"]) == {"ok"}
    assert (tmp_path / table).is_file()
    assert (tmp_path / "count.txt").is_file()
    assert not (toy.folder / "results").exists(), "nothing is written where the module lies"
    again = user.snakemake("-n", "--", "count.txt", table, PYTHONPATH=str(toy.folder))
    assert "Nothing to be done" in again.text
