"""What runs again after a change or a fault: each line of the table in docs/workflow.md, done for real."""

import json
import re
import shlex
import shutil
import time
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from tests.workflow import test_datasets, test_faults
from tests.workflow.conftest import ROOT, Workspace, finish
from tests.workflow.toy import RESULTS, edit, edit_text

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

TABLE, FIGURE = "results/quick/toy/table1.csv", "results/quick/toy/figure1.svg"
KEPT = (RESULTS, TABLE)


def test_each_line_of_the_table_has_a_test():
    table = (ROOT / "docs" / "workflow.md").read_text(encoding="utf-8").split("## What happens when")[1].split("\n##")[0]
    lines = re.findall(r"^\| (.+?) \| .+ \|$", table, re.M)[1:]
    modules = [globals(), *map(vars, (test_datasets, test_faults))]
    tests = [made for module in modules for name, made in module.items() if name.startswith("test_") and callable(made)]
    tried = Counter(mark.args[0] for made in tests for mark in getattr(made, "pytestmark", ()) if mark.name == "happens")
    assert tried == Counter(lines)


@pytest.fixture
def done(ended):
    """A run that has ended, and what it gave."""
    return ended, shown(ended)


def shown(space):
    return [(space.folder / name).read_bytes() for name in KEPT]


def again(space, *arguments, target=TABLE):
    """Rules that run in a run that goes well."""
    run = space.snakemake(target, *arguments)
    assert run.code == 0, run.text
    return run.counts()


@pytest.mark.happens("a title, a caption, a label")
@pytest.mark.happens("a helper in `pulab/tables` or `pulab/figures`")
@pytest.mark.happens("a method's parameter")
@pytest.mark.happens("more repeats")
def test_a_change_runs_what_depends_on_it(done):
    space, whole = done
    study, helper = space.folder / "studies/toy/study.py", space.folder / "pulab/figures/style.py"
    said, code = study.read_text(), helper.read_text()
    edit_text(study, ('Shown("Accuracy", p', 'Shown("How right", p'))
    rendered = {"render_study_toy": 1, "check_trials_toy": 1, "toy": 1, "total": 3}
    assert space.snakemake("toy", "-n").counts() == rendered
    study.write_text(said)
    helper.write_text(f"{code}\nCHANGED = True\n")
    assert space.snakemake("toy", "-n").counts() == rendered
    helper.write_text(code)
    tables = space.folder / "pulab/tables/render.py"
    tables.write_text(f"{tables.read_text()}\nCHANGED = True\n")
    figure = (space.folder / FIGURE).read_bytes()
    assert again(space, target="toy") == rendered
    assert shown(space) == whole
    assert (space.folder / FIGURE).read_bytes() == figure

    edit(space.folder / "config" / "methods.yaml", lambda methods: methods["tree"]["params"].update(max_depth=2))
    edit_text(study, ('Shown("Accuracy", p', 'Shown("How right", p'))
    began = time.time()
    run = space.snakemake(TABLE, "--config", "repeats=6")
    assert run.code == 0, run.text
    assert sorted((job["first"], job["last"]) for job in run.jobs("run_trials")) == [("0", "4"), ("5", "5")]
    written = [file.stat().st_mtime for file in (space.folder / "results/quick/store/toy").rglob("forest/*.json")]
    assert sum(at > began for at in written) == 1
    changed = shown(space)
    assert changed != whole
    shutil.rmtree(space.folder / "results")
    again(space, "--config", "repeats=6")
    assert shown(space) == changed


@pytest.mark.happens("a part of the plan (`only_methods`, `only_datasets`)")
@pytest.mark.happens("the version of a class or a task")
def test_a_part_runs_no_finished_trials_and_a_raised_version_reruns_its_trials(done):
    space, whole = done
    ran = again(space, "--config", "only_methods=[tree]", target="all")
    assert ran.keys() == {"make_report", "all", "total"}, "the report names the options"
    assert shown(space) == whole
    edit_text(space.folder / "studies/toy/study.py", ('= "classify"\n', '= "classify"\n    version: ClassVar[int] = 2\n'))
    assert again(space)["run_trials"] == 1
    assert shown(space) == whole


CHANGED = "trials were made by code that has changed since"


def accuracy(space, method):
    rows = pd.read_parquet(space.folder / RESULTS)
    return rows.loc[(rows["method"] == method) & (rows["metric"] == "accuracy"), "value"].tolist()


def written(space):
    """When each trial of the store was written."""
    return {str(file): file.stat().st_mtime_ns for file in (space.folder / "results" / "quick" / "store").rglob("*-*.json")}


def text_of(space, *arguments, target=RESULTS):
    """What a run that goes well says."""
    done = space.snakemake(target, *arguments)
    assert done.code == 0, done.text
    return done.text


@pytest.mark.happens("a formula or a kernel")
def test_a_changed_formula_is_reported_and_rerun_on_request(toy):
    text_of(toy)
    before, stored = accuracy(toy, "forest"), written(toy)
    formula = ("return 4.0 * w_p * (w_n / w)", "return w_p * abs(math.sin(w_n))")
    edit_text(toy.folder / "pulib" / "_trees" / "_risks.py", formula)
    # whatever else makes the rule run, the numbers of other code are not replaced unasked
    (toy.folder / RESULTS).unlink()
    text = text_of(toy)
    message = f"5 {CHANGED}; `--config retrain=changed` runs them again"
    assert text.count(message) == 2, "at the start, and as the last words"
    assert "pytest tests/golden" in text
    assert accuracy(toy, "forest") == before
    text = text_of(toy, "--config", "retrain=changed")
    assert message not in text.rpartition("steps (100%) done")[2]
    assert accuracy(toy, "forest") != before
    assert sum(at != stored[name] for name, at in written(toy).items()) == 5, "the tree's code is what it was"
    assert "Nothing to be done" in text_of(toy, "--config", "retrain=changed")


def test_a_renamed_variable_changes_the_message_but_no_number(ended):
    """The count of current trials and the report say it, until the trials are run again."""
    before = (ended.folder / RESULTS).read_bytes()
    current, report = "results/quick/current.md", "results/quick/report.html"
    edit_text(ended.folder / "studies" / "toy" / "protocol.py", ("right", "hits"), ('"hits": ', '"right": '))
    text_of(ended, report, target=current)
    for page in (current, report, "results/quick/report/toy.html"):
        assert f"10 {CHANGED}" in (ended.folder / page).read_text()
    assert json.loads((ended.folder / "results/quick/forced.json").read_text())["forced"] == []
    text_of(ended, RESULTS, "--config", "retrain=changed", target=current)
    assert "changed since" not in (ended.folder / current).read_text()
    assert (ended.folder / RESULTS).read_bytes() == before


def test_forced_trials_retrain_and_only_those_of_named_methods(ended):
    """By the name of the rule, test_cluster.py forces it."""
    numbers = accuracy(ended, "forest")
    (batch,) = (str(file.relative_to(ended.folder)) for file in (ended.folder / "results/quick/trials").rglob("0-4.csv"))
    everything = [["--forcerun", batch], ["--forceall"]]
    for force in (*everything, ["--config", "retrain=all", "only_methods=[tree]"]):
        before = written(ended)
        text = text_of(ended, *force)
        assert sum(at != before[name] for name, at in written(ended).items()) == (10 if force in everything else 5)
        assert accuracy(ended, "forest") == numbers
        assert "code that has changed" not in text
    edit_text(
        ended.folder / "studies" / "toy" / "protocol.py", ("def run(context):", "def run(context):\n    raise ValueError")
    )
    run = ended.snakemake("toy", "--config", "retrain=all")
    assert run.failures() == ["check_trials_toy"]
    assert "toy breast_cancer standard forest repeat 4: ValueError" in run.text
    assert "failed" in (ended.folder / TABLE).read_text(), "and not the numbers of the code before"


@pytest.mark.happens("a deleted or damaged stored trial")
def test_a_deleted_trial_runs_again_and_a_damaged_one_is_set_aside_and_runs_again(done):
    space, whole = done
    stored = next((space.folder / "results/quick/store/toy").rglob("3-*.json"))
    stored.unlink()
    assert again(space)["run_trials"] == 1
    assert shown(space) == whole
    stored.write_bytes(stored.read_bytes()[:-40])
    for name in (RESULTS, TABLE):
        (space.folder / name).unlink()
    run = space.snakemake(TABLE)
    assert run.code != 0, run.text
    assert run.failures() == ["collect_trials"]
    assert f"{stored.relative_to(space.folder)} cannot be read (its checksum does not match its content)" in run.text
    lost = "0-4.csv lists 1 trials that are missing from results/quick/store: run the same command again"
    assert lost in run.text
    assert stored.with_suffix(".unreadable").is_file()
    again(space)
    assert shown(space) == whole


@pytest.mark.happens("a table's CSV edited by hand")
@pytest.mark.happens("a deleted table, figure, report, or tidy file")
def test_a_table_edited_by_hand_is_an_error_and_deleted_files_are_made_again(done):
    space, whole = done
    edit_text(space.folder / TABLE, ("forest", "Forest"))
    run = space.snakemake("all")
    assert run.code != 0
    assert f"{TABLE} has changed since it was rendered: delete it" in run.text
    report = [space.folder / name for name in ("results/quick/report.html", "results/quick/report")]
    for file in (*map(space.folder.joinpath, (*KEPT, FIGURE)), report[0]):
        file.unlink()
    shutil.rmtree(report[1])
    ran = again(space, target="all")
    assert "run_trials" not in ran
    assert ran["make_report"] == ran["collect_trials"] == 1
    assert shown(space) == whole
    assert all(place.exists() for place in (*report, space.folder / FIGURE))
    page = space.folder / "studies" / "toy" / "page.md"
    page.write_text("# Toy\n\n## Deviations\n\nIt settles nothing.\n")
    assert again(space, "-n", target="all").keys() == {"make_report", "all", "total"}


@pytest.mark.happens("a damaged tidy file or prepared array")
def test_damaged_files_are_named_and_made_again_once_deleted(done):
    space, whole = done
    arrays = space.folder / "resources/data/breast_cancer/X.npy"
    X = np.load(arrays)
    X[0, 0] += 1
    np.save(arrays, X)
    for damaged, needed in ((arrays, next((space.folder / "results/quick/store/toy").rglob("3-*.json"))), (RESULTS, TABLE)):
        place = space.folder / damaged
        if damaged == RESULTS:
            place.write_bytes(place.read_bytes()[:-40])
        (space.folder / needed).unlink()
        run = space.snakemake(TABLE)
        assert run.code != 0
        assert re.search(rf"error: .*{place.name} .*delete", run.text), run.text
        place.unlink()
        again(space)
        assert shown(space) == whole


@pytest.mark.happens("a second run at the same time")
def test_a_second_simultaneous_run_ends_and_the_first_continues(done):
    space, whole = done
    shutil.rmtree(space.folder / "results")
    first = space.start(TABLE)
    try:
        locked = space.folder / ".snakemake" / "locks"
        while first.poll() is None and not any(locked.glob("*output.lock")):
            pass
        second = space.snakemake(TABLE)
    finally:
        run = finish(first)
    assert second.code != 0
    assert "cannot be locked" in second.text
    assert run.code == 0, run.text
    assert shown(space) == whole


def test_a_users_class_is_imported_from_the_folder_of_its_configuration_file(toy, tmp_path):
    """Its run is that of the example below; a misspelled parameter of it is found before anything runs."""
    (tmp_path / "my_method.py").write_text(
        "from sklearn.linear_model import LogisticRegression\n\n\nclass Mine(LogisticRegression):\n    pass\n"
    )
    own = tmp_path / "mine.yaml"
    text = (
        "methods:\n  mine: {label: Mine, estimator: my_method.Mine, params: {C: 2.0, max_iter: 500}}\n"
        "experiments:\n  toy: [{datasets: [breast_cancer], settings: [standard], methods: [mine]}]\n"
    )
    own.write_text(text)
    assert toy.snakemake(RESULTS, "--configfile", str(own), "-n").counts()["run_trials"] == 3
    for wrong, words in (
        (text.replace("max_iter: 500", "max_itr: 5"), f"{own}: methods.mine: my_method.Mine takes no parameter 'max_itr' (did"),
        (text.replace("max_iter: 500", "C: 1.0"), "the key 'C' occurs twice"),
        (text.replace("my_method.Mine", "my_method.Mien"), "my_method has no 'Mien' (did you mean 'Mine'?)"),
        ("methods:\n  mine: {label: Mine\n  x: [\n", f"{own}: not valid YAML"),
    ):
        own.write_text(wrong)
        run = toy.snakemake(RESULTS, "--configfile", str(own), "-n")
        assert run.code != 0
        assert words in run.text
        assert "Traceback" not in run.text
    assert "line 3, column 4" in run.text


@pytest.mark.parametrize(
    ("mirror", "words"),
    [
        ("nowhere", "--config: mirror: 'nowhere' is neither an existing folder nor a URL"),
        ("http://a,http://b", "pass a list: --config mirror='[a,b]'"),
    ],
)
def test_a_missing_mirror_is_an_error_before_anything_runs(toy, mirror, words):
    run = toy.snakemake(RESULTS, "-n", "--config", f"mirror={mirror}")
    assert run.code != 0
    assert words in run.text


def test_the_example_of_the_configuration_page_runs_verbatim(make_workspace, tmp_path):
    """From a folder of one's own, with a small table."""
    text = (ROOT / "config" / "README.md").read_text(encoding="utf-8")
    (configured,) = re.findall(r"```yaml\n(datasets:.*?)```", text, re.DOTALL)
    (command,) = re.findall(r"```bash\nsnakemake (.* --configfile mine.yaml .*)\n```", text)
    (tmp_path / "mine.yaml").write_text(configured)
    (tmp_path / "my_method.py").write_text(
        "from sklearn.linear_model import LogisticRegression\n\n\nclass MyClassifier(LogisticRegression):\n    pass\n"
    )
    rows = [(k % 7, k % 5, "yes" if k % 7 > 3 else "no") for k in range(90)]
    pd.DataFrame(rows, columns=["age", "children", "likes"]).to_csv(tmp_path / "people.csv", index=False)
    space = make_workspace()
    arguments = shlex.split(command.removeprefix("--cores all "))
    run = Workspace(tmp_path).snakemake("-s", str(space.folder / "Snakefile"), *arguments, PYTHONPATH=str(space.folder))
    assert run.code == 0, run.text
    rows = pd.read_parquet(tmp_path / "results/quick/tidy/levelfield.parquet")
    assert set(rows["status"]) == {"ok"}
    assert rows.groupby("method")["repeat"].nunique().to_dict() == {"lf_naive_lr": 3, "mine": 3}
