"""Snakemake itself: what a change reruns, bytes that do not depend on cores, errors, failures."""

import contextlib
import os
import shutil
import signal
import time

import pandas as pd
import pytest
import yaml

pytestmark = pytest.mark.workflow

PAPER = {
    "title": "A toy paper",
    "citation": "Nobody (2026)",
    "protocol": "pulib.protocols.toy.run",
    "settings": {"standard": {"split": {"kind": "case_control", "n_labeled": 40}}},
    "tables": {
        "table1": {
            "kind": "comparison",
            "title": "Accuracy",
            "published": "1",
            "metric": "accuracy",
            "scale": 100,
            "rows": [{"label": "Cancer", "select": {"dataset": "breast_cancer"}}],
            "columns": [{"label": m, "select": {"method": m}} for m in ("forest", "tree")],
        }
    },
    "figures": {},
}
PAPER["presets"] = {
    name: {
        "repeats": 5,
        "batch_size": 5,
        "experiments": [{"datasets": ["breast_cancer"], "settings": ["standard"], "methods": ["forest", "tree"]}],
    }
    for name in ("quick", "paper")
}
METHODS = {
    "forest": {
        "label": "forest",
        "estimator": "pulib.trees.PUExtraTreesClassifier",
        "params": {"n_estimators": 5, "prior": 0.4},
    },
    "tree": {"label": "tree", "estimator": "sklearn.tree.DecisionTreeClassifier", "params": {"max_depth": 3}},
}
PROTOCOL = """
import numpy as np
from pulib.experiments.trial import TrialResult

def run(context):
    X, split = np.asarray(context.data.X), context.split
    rows = np.concatenate([split.labeled, split.unlabeled])
    y = np.repeat([1, 0], [len(split.labeled), len(split.unlabeled)])
    model = context.make_estimator().fit(X[rows], y)
    right = model.predict(X[split.test]) == context.data.y[split.test]
    return TrialResult(scalars={"accuracy": right.mean()}, series={"right": right.astype(float)})
"""
RESULTS = "results/quick/tidy/toy.parquet"
BATCH = "results/quick/trials/toy/breast_cancer/standard/{method}/0-4.results.parquet"


@pytest.fixture
def toy(make_workspace):
    space = make_workspace()
    shutil.rmtree(space.folder / "config" / "papers")
    (space.folder / "config" / "papers").mkdir()
    (space.folder / "config" / "papers" / "toy.yaml").write_text(yaml.safe_dump(PAPER))
    (space.folder / "config" / "methods.yaml").write_text(yaml.safe_dump(METHODS))
    (space.folder / "config" / "published" / "toy.csv").write_text(
        "paper,table,row,column,mean,sd,unit\ntoy,1,Cancer,forest,90.0,1.0,%\n"
    )
    (space.folder / "pulib" / "protocols" / "toy.py").write_text(PROTOCOL)
    config = yaml.safe_load((space.folder / "config" / "config.yaml").read_text())
    (space.folder / "config" / "config.yaml").write_text(yaml.safe_dump(config | {"papers": ["toy"]}))
    return space


def edit(path, change):
    data = yaml.safe_load(path.read_text())
    change(data)
    path.write_text(yaml.safe_dump(data))


def test_what_a_change_reruns_and_what_it_leaves(toy):
    table = "figures/quick/toy/table1.md"
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
    assert [job["method"] for job in dry.jobs("run_trials")] == ["forest"]
    assert len(dry.jobs("collect_trials")) == len(dry.jobs("render_table")) == 1
    assert not dry.jobs("draw_splits")
    assert not dry.jobs("prepare_dataset")
    methods.write_text(original)
    assert "Nothing to be done" in toy.snakemake(table, "-n").text

    # the source of the module behind it: a comment changes nothing, code does, and only for its own method
    source = next((toy.folder / "pulib" / "trees").glob("_extra*.py"))
    code = source.read_text()
    source.write_text(code + "\n# a comment\n")
    assert "Nothing to be done" in toy.snakemake(table, "-n").text
    source.write_text(code + "\nCHANGED = True\n")
    assert [job["method"] for job in toy.snakemake(table, "-n").jobs("run_trials")] == ["forest"]
    source.write_text(code)

    # one repeat more
    dry = toy.snakemake(table, "-n", "--config", "repeats=6")
    assert sorted((job["method"], job["first"], job["last"]) for job in dry.jobs("run_trials")) == [
        ("forest", "5", "5"),
        ("tree", "5", "5"),
    ]
    before = (toy.folder / BATCH.format(method="forest")).read_bytes()
    more = toy.snakemake(table, "--config", "repeats=6")
    assert more.code == 0, more.text
    assert len(more.jobs("run_trials")) == 2
    assert (toy.folder / BATCH.format(method="forest")).read_bytes() == before
    assert pd.read_parquet(toy.folder / RESULTS).groupby("method")["repeat"].nunique().tolist() == [6, 6]


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
def test_killed_runs_go_on_where_they_stopped_and_end_with_the_same_bytes(toy):
    protocol = toy.folder / "pulib" / "protocols" / "toy.py"
    protocol.write_text(PROTOCOL.replace("def run(context):", "import time\n\ndef run(context):\n    time.sleep(0.4)"))
    assert toy.snakemake().code == 0
    whole = (toy.folder / RESULTS).read_bytes(), (toy.folder / "figures/quick/toy/table1.csv").read_bytes()
    for name in ("results", "figures", "resources"):
        shutil.rmtree(toy.folder / name)
    for seconds in (2.5, 4.0, 5.5):
        process = toy.start()
        time.sleep(seconds)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        assert toy.snakemake("--unlock").code == 0
    last = toy.snakemake()
    assert last.code == 0, last.text
    assert ((toy.folder / RESULTS).read_bytes(), (toy.folder / "figures/quick/toy/table1.csv").read_bytes()) == whole
    assert not list((toy.folder / "results").rglob("*.pkl")), "checkpoints of a finished batch are removed"


def test_a_failing_method_shows_in_its_cell_and_in_the_exit_code_and_loses_nothing_else(toy):
    edit(toy.folder / "config" / "methods.yaml", lambda m: m["forest"]["params"].update(n_estimators=-1))
    run = toy.snakemake()
    assert run.code != 0
    text = (toy.folder / "figures/quick/toy/table1.md").read_text()
    assert "failed" in text
    assert "n_estimators" in text
    cells = pd.read_csv(toy.folder / "figures/quick/toy/table1.csv").set_index("column")
    assert cells.loc["tree", "status"] == "ok"
    log = (toy.folder / "logs/quick/check/toy.log").read_text()
    assert "5 trials failed" in log
    assert "toy breast_cancer standard forest repeat 0" in log


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["repeats=0"], ["config: repeats", "0"]),
        (["only_methods=[forrest]"], ["unknown method 'forrest'", "did you mean 'forest'?"]),
        (["only_datset=[x]"], ["unknown key 'only_datset'", "did you mean 'only_datasets'?"]),
    ],
)
def test_mistakes_end_at_once_in_one_readable_error(toy, arguments, words):
    run = toy.snakemake("-n", "--config", *arguments)
    assert run.code != 0
    assert "configuration error" in run.text
    assert all(word in run.text for word in words), run.text
    assert "Traceback" not in run.text


def test_five_thousand_trials_are_planned_in_bounded_jobs(toy):
    """500 jobs of ten repeats; the time is the benchmark's business."""
    run = toy.snakemake(RESULTS, "-n", "--quiet", "rules", "--config", "repeats=2500", "batch_size=10")
    assert run.code == 0, run.text
    assert "run_trials            500" in " ".join(run.text.split("\n")) or "500" in run.text
