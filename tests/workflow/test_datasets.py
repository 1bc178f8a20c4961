"""Data sets in the workflow: one of a user's own by configuration alone, and sets that are unavailable.

The first of these runs is told by the logger of stages, so that what it says of a run and of a failure is held here too.
"""

import hashlib
import json

import pandas as pd
import pytest
import yaml

from tests.workflow.toy import edit_text

pytestmark = pytest.mark.workflow

LINEAR = {"estimator": "sklearn.linear_model.LogisticRegression"}  # nothing that would be compiled anew in each workspace
STAGES = ("--logger", "stages")


@pytest.fixture
def toy(toy):
    """The toy study with one method and one repeat, and with neither tables nor figures."""
    methods = {"cut": {"label": "cut", "estimator": "pulib.reductions.PUThresholdClassifier", "params": {"estimator": LINEAR}}}
    (toy.folder / "config" / "methods.yaml").write_text(yaml.safe_dump(methods))
    place = toy.folder / "studies" / "toy"
    edit_text(
        place / "study.py",
        ("n_labeled=40", "n_labeled=20"),
        ("repeats=5", "repeats=1"),
        ('    tables=named(table1=Shown("Accuracy", published=True)),\n', ""),
    )
    edit_text(place / "protocol.py", ("build(context)", "build(context, prior=split.prior)"))
    return toy


def run_on(space, *datasets):
    """Make these the data sets of the toy study."""
    edit_text(space.folder / "studies" / "toy" / "study.py", ('DATASETS = ["breast_cancer"]', f"DATASETS = {list(datasets)}"))


#: A table and a LIBSVM file whose first feature decides.
OWN = """
people:
  title: People
  loader: table
  options: {target: income}
  positive: [rich]
  files: [{name: people.csv, path: ~/people.csv}]
people_libsvm:
  title: People, LIBSVM
  loader: libsvm
  positive: [1]
  files: [{name: people.txt, path: people.txt}]
"""


@pytest.mark.slow
def test_a_users_data_set_needs_only_configuration(toy, monkeypatch):
    own, rows = yaml.safe_load(OWN), [(k % 7, k % 5) for k in range(300)]
    lines = [f"{a},{b},{'rich' if a > 3 else 'poor'}" for a, b in rows]
    (toy.folder / "people.csv").write_text("age,children,income\n" + "\n".join(lines) + "\n")
    (toy.folder / "people.txt").write_text("".join(f"{'+1' if a > 3 else '-1'} 1:{a} 2:{b}\n" for a, b in rows))
    monkeypatch.setenv("HOME", str(toy.folder))
    run_on(toy, "digits")
    mine = {"experiments": {"toy": [{"datasets": list(own), "settings": ["standard"], "methods": ["cut"]}]}}
    mine |= {"studies": ["toy"], "only_datasets": list(own)}
    (toy.folder / "mine.yaml").write_text(yaml.safe_dump(mine | {"datasets": own}))
    results, page = "results/quick/tidy/toy.parquet", "results/quick/datasets.md"
    run = toy.snakemake(results, page, "--configfile", "mine.yaml", *STAGES)
    assert run.code == 0, run.text
    assert "run_trials 2" in run.text
    assert "run_trials       2 of 2 done" in run.text
    assert "all 9 jobs done" in run.text
    assert "the results are in results/quick" in run.text, "its hook and the logger race for the last line"
    assert "rule run_trials:" not in run.text
    tidy = pd.read_parquet(toy.folder / results)
    accuracy = tidy[tidy["metric"] == "accuracy"].set_index("dataset")["value"]
    assert set(accuracy.index) == {"people", "people_libsvm"}
    assert (accuracy > 0.8).all()
    assert "| `people` | People | 300 |" in (toy.folder / page).read_text()

    # raw files that were removed or damaged are had again
    arrays, record = "resources/data/people/X.npy", toy.folder / "resources/raw/people/files.json"
    record.write_text("")
    (toy.folder / arrays).unlink()
    damaged = toy.snakemake(arrays, "--configfile", "mine.yaml")
    assert "error: resources/raw/people/files.json cannot be read" in damaged.text
    record.unlink()
    (record.parent / "people.csv").unlink()
    again = toy.snakemake(arrays, "--configfile", "mine.yaml")
    assert again.code == 0, again.text

    # what this run does not ask for is shown as the archived page has it
    (toy.folder / "figures" / "quick").mkdir(parents=True)
    (toy.folder / "results/quick/datasets.csv").rename(toy.folder / "figures/quick/datasets.csv")
    part = toy.snakemake(page, "--configfile", "mine.yaml", "--config", "only_datasets=[people]")
    assert part.code == 0, part.text
    assert "| `people_libsvm` | People, LIBSVM | 300 |" in (toy.folder / page).read_text()

    # a changed file is read anew, and a changed address would not be
    text = (toy.folder / "people.csv").read_text()
    (toy.folder / "people.csv").write_text(text + "6,1,rich\n")
    dry = toy.snakemake(results, "-n", "--configfile", "mine.yaml")
    assert [job["dataset"] for job in dry.jobs("prepare_dataset")] == ["people"]

    own["people"]["positive"] = ["ritch"]
    (toy.folder / "mine.yaml").write_text(yaml.safe_dump(mine | {"datasets": own}))
    wrong = toy.snakemake(results, "--configfile", "mine.yaml", *STAGES)
    assert wrong.code != 0
    assert "Error in rule prepare_dataset" in wrong.text
    assert "'ritch' is not one of its targets; they are poor, rich" in wrong.text


@pytest.mark.slow
@pytest.mark.happens("no network")
def test_a_data_set_that_cannot_be_downloaded_is_reported_and_tried_again(toy):
    folder = toy.folder
    body = "".join(f"{k % 2} 1:{k % 2} 2:{k % 9}\n" for k in range(200))
    (folder / "elsewhere" / "far").mkdir(parents=True)
    (folder / "elsewhere" / "far" / "far.txt").write_text(body)
    checksums = [{"value": hashlib.sha256(body.encode()).hexdigest(), "of": "upstream"}]
    far = {"title": "Far away", "loader": "libsvm", "positive": [1]}
    far["files"] = [{"name": "far.txt", "urls": ["http://127.0.0.1:9/far.txt"], "sha256": checksums}]
    run_on(toy, "far")
    (folder / "mine.yaml").write_text(yaml.safe_dump({"datasets": {"far": far}, "studies": ["toy"]}))
    common = ("results/quick/tidy/toy.parquet", "results/quick/datasets.md", "--configfile", "mine.yaml", "--retries", "0")

    # a full disk is no reason to go on without the data set: the run after it would not try again
    large = far | {"files": [far["files"][0] | {"bytes": 10**18}]}
    (folder / "large.yaml").write_text(yaml.safe_dump({"datasets": {"far": large}, "studies": ["toy"]}))
    full = toy.snakemake(common[0], "--configfile", "large.yaml", "--retries", "0", "--config", "missing_data=report")
    assert full.code != 0
    assert "error: the disk is full: free some of it, then run the same command again" in full.text

    fail = toy.snakemake(*common)
    assert fail.code != 0
    assert "far: file 'far.txt' could not be downloaded" in fail.text
    assert "http://127.0.0.1:9/far.txt" in fail.text

    run = toy.snakemake(*common, "--config", "missing_data=report")
    assert run.code == 0, run.text
    tidy = pd.read_parquet(folder / "results/quick/tidy/toy.parquet")
    assert set(tidy["status"]) == {"unavailable"}
    assert "far.txt" in (folder / "results/quick/datasets.md").read_text()
    assert json.loads((folder / "resources/data/far/meta.json").read_text())["available"] is False
    # what is asked for by name ends with an error that names it, though a run of the studies goes on without it
    run = toy.snakemake("data", *common[2:], "--config", "missing_data=report")
    assert run.code != 0
    assert "1 of 1 data sets are not available." in run.text
    assert "far.txt could not be downloaded" in run.text

    # the class prior is estimated, and speed measured, on what there is
    sizes = {"datasets": ["far"], "repeats": 1, "n_labeled": 10, "n_unlabeled": 10}
    (folder / "config" / "priors.yaml").write_text(yaml.safe_dump({"quick": sizes, "paper": sizes}))
    speed = {"title": "Trees", "caption": "Trees.", "quick": {"datasets": {"far": ["float32", 2]}}}
    (folder / "config" / "speed.yaml").write_text(yaml.safe_dump({"puet": speed | {"paper": speed["quick"]}}))
    others = ("results/quick/priors.md", "results/quick/speed/overview.md")
    run = toy.snakemake(*others, *common[2:], "--config", "missing_data=report")
    assert run.code == 0, run.text
    assert "Not available here: far." in (folder / others[0]).read_text()
    assert "far.txt could not be downloaded" in (folder / others[1]).read_text()

    run = toy.snakemake(*common, "--config", "missing_data=report", "mirror=elsewhere")
    assert run.code == 0, run.text
    tidy = pd.read_parquet(folder / "results/quick/tidy/toy.parquet")
    assert set(tidy["status"]) == {"ok"}, run.text + tidy.to_string()
    # where it came from is no reason to run anything again
    assert "Nothing to be done" in toy.snakemake(*common, "-n", "--config", "missing_data=report", "mirror=").text
