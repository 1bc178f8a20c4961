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
def test_what_a_change_reruns_and_what_it_leaves(toy):
    table = "results/quick/toy/table1.md"
    first = toy.snakemake(table)
    assert first.code == 0, first.text
    assert "Nothing to be done" in toy.snakemake(table, "-n").text
    text = (toy.folder / table).read_text()
    assert "*90.00 (1.00)*" in text

    # one method's parameters
    methods = toy.folder / "config" / "methods.yaml"
    original = methods.read_text()
    edit(methods, lambda m: m["forest"]["params"].update(n_estimators=6))
    dry = toy.snakemake(table, "-n")
    assert [job["job"] for job in dry.jobs("run_trials")] == ["standard/forest"], dry.text
    assert len(dry.jobs("collect_trials")) == len(dry.jobs("render_tables_toy")) == 1
    assert not dry.jobs("prepare_dataset")
    methods.write_text(original)
    assert "Nothing to be done" in toy.snakemake(table, "-n").text

    # the source of the module behind it changes nothing until the version is raised, and then for its own method alone
    source = next((toy.folder / "pulib" / "trees").glob("_extra*.py"))
    code = source.read_text()
    source.write_text(code + "\nCHANGED = True\n")
    assert "Nothing to be done" in toy.snakemake(table, "-n").text
    source.write_text(code)
    table_of_versions = toy.folder / "pulab" / "plan" / "versions.py"
    code_of_versions = table_of_versions.read_text()
    table_of_versions.write_text(code_of_versions.replace('PUExtraTreesClassifier": 1,', 'PUExtraTreesClassifier": 11,'))
    assert [job["job"] for job in toy.snakemake(table, "-n").jobs("run_trials")] == ["standard/forest"]
    table_of_versions.write_text(code_of_versions)

    # what renders: tables alone
    renderer = toy.folder / "pulab" / "tables" / "render.py"
    code = renderer.read_text()
    renderer.write_text(code + "\nCHANGED = True\n")
    dry = toy.snakemake(table, "-n")
    assert len(dry.jobs("render_tables_toy")) == 1, dry.text
    assert not dry.jobs("run_trials") + dry.jobs("collect_trials")
    renderer.write_text(code)

    # what a study says of a table: tables alone; the version of its task: all of its trials
    study = toy.folder / "studies" / "toy" / "study.py"
    said = study.read_text()
    edit_text(study, ('Shown("Accuracy"', 'Shown("Test accuracy"'))
    dry = toy.snakemake(table, "-n")
    assert len(dry.jobs("render_tables_toy")) == 1, dry.text
    assert not dry.jobs("run_trials") + dry.jobs("collect_trials")
    study.write_text(said)
    edit_text(study, ('= "classify"\n', '= "classify"\n    version: ClassVar[int] = 2\n'))
    assert {job["job"] for job in toy.snakemake(table, "-n").jobs("run_trials")} == {"standard/forest", "standard/tree"}
    study.write_text(said)

    # the version of the seed rule, which all of them draw by
    assert "\nSEEDS = " in code_of_versions
    table_of_versions.write_text(code_of_versions.replace("\nSEEDS = ", "\nSEEDS = 1"))
    dry = toy.snakemake(table, "-n")
    assert {job["job"] for job in dry.jobs("run_trials")} == {"standard/forest", "standard/tree"}
    table_of_versions.write_text(code_of_versions)

    # one repeat more
    dry = toy.snakemake(table, "-n", "--config", "repeats=6")
    assert sorted((job["job"], job["first"], job["last"]) for job in dry.jobs("run_trials")) == [
        ("standard/forest", "5", "5"),
        ("standard/tree", "5", "5"),
    ]
    before = (toy.folder / BATCH.format(method="forest")).read_bytes()
    more = toy.snakemake(table, "--config", "repeats=6")
    assert more.code == 0, more.text
    assert len(more.jobs("run_trials")) == 2
    assert (toy.folder / BATCH.format(method="forest")).read_bytes() == before
    assert pd.read_parquet(toy.folder / RESULTS).groupby("method")["repeat"].nunique().tolist() == [6, 6]


@pytest.mark.slow
def test_same_bytes_for_any_cores_alone_or_with_others_and_in_any_cut(toy):
    def result(*arguments, cores):
        done = toy.snakemake(RESULTS, *arguments, cores=cores)
        assert done.code == 0, done.text
        found = (toy.folder / BATCH.format(method="forest")), (toy.folder / RESULTS)
        contents = [path.read_bytes() if path.is_file() else b"" for path in found]
        shutil.rmtree(toy.folder / "results")
        return contents

    with_others = result(cores=2)
    assert with_others == result(cores=1)
    alone = result("--config", "only_methods=[forest]", cores=2)
    assert alone[0] == with_others[0]
    cut = result("--config", "batch_size=2", cores=2)
    assert cut[1] == with_others[1]


@pytest.mark.slow
def test_a_failing_method_shows_in_its_cell_and_in_the_exit_code_and_loses_nothing_else(toy):
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
    assert cells.to_dict() == {
        ("Cancer", "forest"): "failed",
        ("Cancer", "tree"): "ok",
        ("Digits", "forest"): "ok",
        ("Digits", "tree"): "ok",
    }
    log = (toy.folder / "logs/quick/check/toy.log").read_text()
    assert "toy breast_cancer standard forest repeat 0" in log
    assert run.failures() == ["check_trials_toy"], "the check alone fails"


@pytest.mark.slow
def test_what_failed_is_rerun_as_the_log_says_and_what_was_not_here_once_it_is(toy):
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
    log = (toy.folder / "logs/quick/check/toy.log").read_text()
    named = [line[2:] for line in log.splitlines() if line.startswith("  ")]
    assert named == [BATCH.format(method="tree")]
    for place in (toy.folder / name for name in named):
        place.unlink()
    assert [job["job"] for job in toy.snakemake(check, "-n").jobs("run_trials")] == ["standard/tree"]

    (toy.folder / "late_library.py").touch()
    run = toy.snakemake(check)
    assert run.code == 0, run.text
    assert {job["job"] for job in run.jobs("run_trials")} == {"standard/forest", "standard/tree"}
    assert set(pd.read_parquet(toy.folder / RESULTS)["status"]) == {"ok"}
    assert "Nothing to be done" in toy.snakemake(check, "-n").text


CLAIM = """from pulab.claims import Numbers, claim
from pulab.claims.cases import compare

@claim(section="1", quote="Trees are enough.")
def trees_are_enough(evidence):
    "Equal means."
    forest = Numbers(dataset="breast_cancer", setting="standard", method="forest", metric="accuracy")
    yield from compare(evidence, [(forest, forest(method="tree"))], "close", tolerance=1.0)
"""


@pytest.mark.slow
def test_a_part_of_the_plan_adds_to_the_tables_and_a_rerun_touches_none(toy):
    without_compiling(toy)
    whole = toy.snakemake("toy", "results/quick/scoreboard.csv")
    assert whole.code == 0, whole.text
    kept = {
        name: (toy.folder / name).read_bytes()
        for name in (RESULTS, "results/quick/toy/table1.md", "results/quick/toy/table1.csv")
    }
    part = toy.snakemake("toy", "--config", "only_methods=[tree]")
    assert part.code == 0, part.text
    assert {name: (toy.folder / name).read_bytes() for name in kept} == kept
    times = {name: (toy.folder / name).stat().st_mtime_ns for name in kept}

    again = toy.snakemake("rerun", "--config", "only_methods=[forest]")
    assert again.code == 0, again.text
    assert [job["job"] for job in again.jobs("rerun_trials")] == ["standard/forest"]
    assert "2 metrics agree with the archived ones within the tolerance of their method, 0 do not." in again.text
    assert "| toy | table1 | Cancer | forest | % | 90 |" in again.text, "the published cell, its archived and its new value"
    assert {name: (toy.folder / name).stat().st_mtime_ns for name in kept} == times
    edit_text(toy.folder / "studies" / "toy" / "protocol.py", ("right.mean()", "0.9 * right.mean()"))
    changed = toy.snakemake("rerun", "--config", "only_methods=[tree]")
    assert "1 metrics agree with the archived ones within the tolerance of their method, 1 do not." in changed.text, (
        changed.text
    )


@pytest.mark.slow
def test_a_study_whose_trial_fails_ends_with_an_error_unless_it_is_declared(toy):
    without_compiling(toy)
    edit(toy.folder / "config" / "methods.yaml", lambda methods: methods["forest"]["params"].update(n_estimators=-1))
    for target in ("toy", "tables"):
        run = toy.snakemake(target)
        assert run.code != 0, target
        assert "results/quick/report.html\n" not in run.text.split("Error in rule")[-1]
    expected = '    expected_failures=[ExpectedFailure(method="forest", message="n_estimators")],\n    tables='
    edit_text(toy.folder / "studies" / "toy" / "study.py", ("    tables=", expected))
    declared = toy.snakemake("toy")
    assert declared.code == 0, declared.text
    assert "failed" in (toy.folder / "results/quick/toy/table1.md").read_text()


@pytest.mark.slow
def test_claims_are_judged_and_snakemakes_own_report_holds_what_was_made(toy):
    without_compiling(toy)
    write_study(toy.folder, "toy", claims=CLAIM)
    run = toy.snakemake()
    assert run.code == 0, run.text
    assert (toy.folder / "results/quick/toy/trials.checked").is_file(), (
        "what fails where a trial has failed is part of every run"
    )
    judged = pd.read_csv(toy.folder / "results/quick/claims.csv").iloc[0]
    assert (judged["verdict"], judged["repeats"]) == ("holds", 5)
    assert "| toy | 1 |" in (toy.folder / "results/quick/scoreboard.md").read_text()
    assert "Trees are enough." in (toy.folder / "results/quick/report/toy.html").read_text()
    assert 'href="report/toy.html"' in (toy.folder / "results/quick/report.html").read_text()

    report = toy.snakemake("--report", "report.zip")
    assert report.code == 0, report.text
    with zipfile.ZipFile(toy.folder / "report.zip") as archive:
        names = {name.rsplit("/", 1)[-1] for name in archive.namelist()}
        page = archive.read("report/report.html").decode()
    assert {"table1.html", "claims.html", "scoreboard.html", "datasets.html"} <= names
    assert "A toy study. Our values with the published ones." in page, "a table's caption"
    assert "sentence by sentence" in page
    assert all(f'"{category}"' in page for category in ("toy", "findings", "data sets"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["repeats=0"], ["config: repeats", "0"]),
        pytest.param(["datasets=[mnist]"], ["config: datasets", "got ['mnist']"], marks=pytest.mark.slow),
        pytest.param(
            ["only_datasets=[digits]"],
            ["only_datasets: ['digits']", "no experiment", "['breast_cancer']"],
            marks=pytest.mark.slow,
        ),
        pytest.param(
            ["only_methods=[forrest]"], ["unknown method 'forrest'", "did you mean 'forest'?"], marks=pytest.mark.slow
        ),
        pytest.param(
            ["only_datset=[x]"], ["unknown key 'only_datset'", "did you mean 'only_datasets'?"], marks=pytest.mark.slow
        ),
    ],
)
def test_mistakes_end_at_once_in_one_readable_error(toy, arguments, words):
    run = toy.snakemake("-n", "--config", *arguments)
    assert run.code != 0
    assert "configuration error" in run.text
    assert all(word in run.text for word in words), run.text
    assert "Traceback" not in run.text


@pytest.mark.slow
def test_twenty_thousand_trials_are_planned_in_bounded_jobs(toy):
    """Twenty thousand trials in jobs of ten repeats; time and memory are in docs/workflow.md."""
    run = toy.snakemake(RESULTS, "-n", "--quiet", "rules", "--config", "repeats=10000", "batch_size=10")
    assert run.code == 0, run.text
    assert run.counts() == {"compile_kernels": 1, "prepare_dataset": 1, "run_trials": 2000, "collect_trials": 1, "total": 2003}


@pytest.mark.slow
def test_a_clone_with_archived_results_plans_its_own_trials_or_renders_what_is_archived(make_workspace):
    clone = make_workspace()
    shutil.copytree(ROOT / "figures" / "paper" / "tidy", clone.folder / "figures" / "paper" / "tidy")
    plan = ("puet", "-n", "--quiet", "rules", "--configfile", "config/paper.yaml")
    run = clone.snakemake(*plan)
    assert run.code == 0, run.text
    assert run.counts()["run_trials"] > 50
    kept = clone.snakemake(*plan, "--config", "train=none")
    assert kept.code == 0, kept.text
    assert kept.counts() == {
        "check_trials_puet": 1,
        "collect_trials": 1,
        "puet": 1,
        "render_figures_puet": 1,
        "render_tables_puet": 1,
        "total": 5,
    }


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
def test_grids_are_settled_and_told(make_workspace):
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
    # without the study there is nothing to settle, and nothing breaks
    assert clone.snakemake("-n", "--quiet", "rules", "--config", "studies=[puet]").code == 0
