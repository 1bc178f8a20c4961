"""Snakemake itself: what a change reruns, bytes that do not depend on cores, errors, failures."""

import shutil
import zipfile

import pandas as pd
import pytest

from pulab.trials.results import write
from tests.workflow.conftest import ROOT
from tests.workflow.toy import BATCH, PROTOCOL, RESULTS, edit, edit_text, without_compiling, write_study

pytestmark = pytest.mark.workflow


@pytest.mark.slow
def test_a_failing_method_affects_only_its_cell_and_unless_declared_the_exit_code(toy):
    """It raises on one data set of two; both data sets' other cells, and its own on the other set, have their numbers."""

    place = toy.folder / "studies" / "toy"
    edit_text(
        place / "study.py",
        ('["breast_cancer"]', '["breast_cancer", "digits"]'),
        ("methods=METHODS)", 'methods=METHODS, job="all")'),
    )
    edit_text(place / "tables.py", ('"breast_cancer")]', '"breast_cancer"), place("Digits", dataset="digits")]'))
    without_compiling(toy)
    breaks = {"breast_cancer": {"params": {"n_estimators": -1}}}
    edit(toy.folder / "config" / "methods.yaml", lambda m: m["forest"].update(datasets=breaks))
    table = "results/quick/toy/table1.md"
    run = toy.snakemake("--keep-going", table, "results/quick/toy/trials.checked")
    assert run.code != 0
    text = (toy.folder / table).read_text()
    assert "failed" in text
    assert "n_estimators" in text
    cells = pd.read_csv(toy.folder / "results/quick/toy/table1.csv").set_index(["row", "column"])["status"]
    assert cells["Cancer", "forest"] == "failed"
    assert cells.value_counts().to_dict() == {"failed": 1, "ok": 3}
    log = (toy.folder / "logs/quick/check/toy.log").read_text()
    assert "toy breast_cancer standard forest repeat 0" in log
    assert run.failures() == ["check_trials_toy"], "the check alone fails"
    for message, failures in (("n_jobs", ["check_trials_toy"]), ("n_estimators", [])):
        expected = f'    expected_failures=[ExpectedFailure(method="forest", message="{message}")],\n    tables='
        edit_text(place / "study.py", ("    tables=", expected))
        assert toy.snakemake("results/quick/toy/trials.checked").failures() == failures
        edit_text(place / "study.py", (expected, "    tables="))


@pytest.mark.slow
def test_failed_trials_rerun_as_the_log_says_and_unavailable_ones_once_they_are_available(toy):
    without_compiling(toy)
    edit(toy.folder / "config" / "methods.yaml", lambda methods: methods["forest"].update(requires=["late_library"]))
    breaks = "def run(context):\n    from pathlib import Path\n    assert not Path('broken').exists(), 'out of order'\n"
    write_study(toy.folder, "toy", protocol=PROTOCOL.replace("def run(context):\n", breaks))
    (toy.folder / "broken").touch()
    check = "results/quick/toy/trials.checked"
    run = toy.snakemake(check)
    assert run.code != 0
    status = pd.read_parquet(toy.folder / RESULTS).groupby("method")["status"].unique().explode().to_dict()
    assert status == {"forest": "unavailable", "tree": "failed"}

    (toy.folder / "broken").unlink()
    (toy.folder / "late_library.py").touch()
    log = (toy.folder / "logs/quick/check/toy.log").read_text()
    named = [line[2:] for line in log.splitlines() if line.startswith("  ")]
    assert named == [BATCH.format(method="tree")]
    for place in (toy.folder / name for name in named):
        place.unlink()

    run = toy.snakemake(check)
    assert run.code == 0, run.text
    assert {job["job"] for job in run.jobs("run_trials")} == {"standard/forest", "standard/tree"}
    assert set(pd.read_parquet(toy.folder / RESULTS)["status"]) == {"ok"}
    assert "Nothing to be done" in toy.snakemake(check, "-n").text


def test_a_rerun_reports_agreement_and_changes_no_results(ended):
    """The report names each published cell, its archived and its new value."""
    kept = {name: ended.folder / name for name in (RESULTS, "results/quick/toy/table1.md", "results/quick/toy/table1.csv")}
    before = {name: (file.read_bytes(), file.stat().st_mtime_ns) for name, file in kept.items()}
    again = ended.snakemake("rerun", "--config", "only_methods=[forest]")
    assert again.code == 0, again.text
    assert len(again.jobs("rerun_trials")) == 1
    assert "2 metrics agree with the archived ones within the tolerance of their method, 0 do not." in again.text
    assert "| toy | table1 | Cancer | forest | % | 90 |" in again.text
    assert {name: (file.read_bytes(), file.stat().st_mtime_ns) for name, file in kept.items()} == before
    edit_text(ended.folder / "studies" / "toy" / "protocol.py", ("right.mean()", "0.9 * right.mean()"))
    changed = ended.snakemake("rerun", "--config", "only_methods=[tree]")
    assert "1 metrics agree with the archived ones within the tolerance of their method, 1 do not." in changed.text


@pytest.mark.slow
def test_snakemakes_own_report_has_the_results(ended):
    assert (ended.folder / "results/quick/toy/trials.checked").is_file(), (
        "what fails where a trial has failed is part of every run"
    )
    report = ended.snakemake("--report", "report.zip")
    assert report.code == 0, report.text
    with zipfile.ZipFile(ended.folder / "report.zip") as archive:
        names = {name.rsplit("/", 1)[-1] for name in archive.namelist()}
        page = archive.read("report/report.html").decode()
    assert {"table1.html", "claims.html", "scoreboard.html", "datasets.html"} <= names
    assert "A toy study. Our values with the published ones." in page, "a table's caption"
    assert "sentence by sentence" in page
    assert all(f'"{category}"' in page for category in ("toy", "findings", "data sets"))


@pytest.mark.slow
def test_a_clone_with_archived_results_plans_its_own_trials(make_workspace):
    """What is archived is rendered with ``train=none``, as the stage "paper" of .ci/run does."""
    clone = make_workspace()
    shutil.copytree(ROOT / "figures" / "paper" / "tidy", clone.folder / "figures" / "paper" / "tidy")
    run = clone.snakemake("puet", "-n", "--quiet", "rules", "--configfile", "config/paper.yaml")
    assert run.code == 0, run.text
    assert run.counts()["run_trials"] > 50


def test_the_plan_is_written_and_nothing_is_trained(toy):
    timings = pd.DataFrame(
        [("toy", "breast_cancer", "standard", "tree", repeat, "trial", 6.0, "m") for repeat in range(5)],
        columns=["study", "dataset", "setting", "method", "repeat", "metric", "seconds", "machine"],
    )
    kept = toy.folder / "figures" / "quick" / "tidy"
    kept.mkdir(parents=True)
    write(timings, kept / "toy.timings.parquet")
    run = toy.snakemake("plan", "--config", "repeats=4")
    assert run.code == 0, run.text
    assert set(run.counts()) == {"plan", "write_plan", "total"}
    plan = pd.read_csv(toy.folder / "results" / "quick" / "plan.csv")
    assert plan["method"].tolist() == ["forest", "tree"]
    assert plan["repeats"].tolist() == [4, 4]
    assert plan["expected_minutes"].fillna(-1).tolist() == [-1, 0.4]
    assert not list((toy.folder / "results").rglob("trials"))


@pytest.mark.slow
def test_grids_are_settled_and_reported(make_workspace):
    clone = make_workspace()
    run = clone.snakemake("grids", "--config", "studies=[resvm]")
    assert run.code == 0, run.text
    rounds = pd.read_csv(clone.folder / "results/quick/grids.csv")
    assert set(rounds["method"]) == {"resvm_cwsvm_blind", "resvm_bag_blind"}
    last = rounds[rounds["round"] == rounds.groupby("method")["round"].transform("max")]
    assert not last["widened"].notna().any()
    assert (rounds["n_optima"] == 2).all()
    table = (clone.folder / "results/quick/grids.md").read_text()
    assert table.count("\n| circle_noise") == len(last)
