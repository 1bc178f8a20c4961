"""Where files of a run are, what is archived, and what the other targets take of the configuration."""

import json
import os
from pathlib import Path

import pytest

from pulab.plan import targets
from pulab.plan.configuration import read_yaml
from pulab.plan.experiment import merged
from pulab.plan.files import Files
from pulab.plan.plan import load_plan
from pulab.reports.claims import read_claims
from pulab.tables.record import read_cells
from pulab.tables.sheet import read_sheet
from pulab.trials import results
from pulib.datasets import UnreadableFileError, load_registry

ROOT = Path(__file__).parents[2]
REGISTRY = load_registry()


def load(**changes):
    config = read_yaml(ROOT / "config" / "config.yaml")
    return load_plan(merged(config, changes), REGISTRY)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Files(load(studies=["resvm", "opu"], resources_dir="data"), tmp_path / "clone")


def test_sets_that_share_arrays_share_files(files):
    assert files.prepared("mnist_digit_7", "X.npy") == files.prepared("mnist", "X.npy") == ["data/data/mnist/X.npy"]
    assert files.all_prepared("meta.json") == [f"data/data/{name}/meta.json" for name in files.plan.datasets()]
    assert files.prepared_from("mnist_gist") == files.prepared("mnist")
    assert files.prepared_from("mnist") == ["data/raw/mnist/files.json"]


@pytest.mark.parametrize("read", [read_cells, read_claims, read_sheet, results.read, results.read_csv])
def test_an_empty_file_of_a_run_is_named(tmp_path, read):
    (tmp_path / "empty").touch()
    with pytest.raises(UnreadableFileError, match=f"{tmp_path}/empty cannot be read .*: delete it and run the same command"):
        read(tmp_path / "empty")


def test_archiving_must_not_lose_archived_results(files):
    assert "--configfile config/paper.yaml" in files.archiving_fault()
    part = {"preset": "paper", "only_datasets": ["vote"]}
    assert "would lose all other trials" in Files(load(**part), ROOT).archiving_fault()
    for plan in (load(preset="paper"), load(**part, train="missing")):
        assert not Files(plan, ROOT).archiving_fault()
    assert "archive: adapu, elsewhere" in Files(load(preset="paper", studies=["opu"]), ROOT).archiving_fault()


def test_jobs_and_artifacts_have_files_and_a_job_another_where_it_is_run_once_more(files):
    job = next(job for job in files.plan.jobs.values() if job.study == "resvm")
    place = f"trials/resvm/{job.dataset}/{job.name}/{job.first}-{job.last}.csv"
    assert (files.job(job), files.job(job, "again")) == (f"results/quick/{place}", f"again/{place}")
    assert len(files.jobs("resvm")) + len(files.jobs("opu")) == len(files.plan.jobs)
    assert files.rerun.startswith("results/quick/rerun/")
    study = files.plan.studies["resvm"]
    assert len(files.rendered("resvm")) == 3 * len(study.tables) + 2 * len(study.figures)
    assert files.of_all(files.figures) == [*files.figures("resvm"), *files.figures("opu")]


def test_only_existing_files_are_listed_as_archived(files):
    assert (files.archived("datasets.csv"), files.archived_trials("opu")) == ([], [])
    for name in ("tidy/opu.parquet", "tidy/opu.timings.parquet", "datasets.csv"):
        file = files.root / "figures" / "quick" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    assert files.archived("datasets.csv", "datasets.md") == [os.path.join("clone", "figures", "quick", "datasets.csv")]
    assert [Path(file).name for file in files.archived_trials("opu")] == ["opu.parquet", "opu.timings.parquet"]
    assert files.archived_repeats("resvm") == {}


def test_published_values_are_in_the_folder_of_the_study():
    found = Files(load(), ROOT)
    assert [Path(file).resolve() for file in found.published("opu")] == [ROOT / "studies" / "opu" / "published.csv"]
    assert found.published("levelfield") == [], "it repeats no paper"


def test_archived_repeats_are_those_of_the_present_identity():
    plan = load(studies=["adapu"], preset="paper", train="missing")
    found = Files(plan, ROOT).archived_repeats("adapu")
    assert found.keys() <= plan.identities("adapu").keys()
    assert sum(map(len, found.values())) > 300


def test_the_last_lines_say_what_was_made_from_what(files):
    (nothing,) = files.run_summary(0.0)
    assert nothing.startswith("the results are in results/quick; ")
    tidy = Path("results/quick/tidy")
    tidy.mkdir(parents=True)
    (tidy / "opu.sources.json").write_text(json.dumps({"run here": 3, "archived": 4}))
    (tidy / "opu.parquet").touch()
    Path("results/quick/report.html").touch()
    trials, report = files.run_summary(0.0)
    assert trials == "3 trials in results/quick/tidy were run here; 4 are archived trials from figures/quick"
    assert report.endswith("report are in results/quick: results/quick/report.html")
    os.utime(tidy / "opu.parquet", (2e9, 2e9))
    assert "makes the report" in list(files.run_summary(0.0))[-1], "the report is older than the results"
    made = Path(files.resources, "data", "mnist")
    made.mkdir(parents=True)
    (made / "meta.json").touch()
    os.utime(made / "meta.json", (3e9, 3e9))
    assert list(files.run_summary(2.5e9)) == [f"the data sets are in {made.parent}"]
    Path("results/quick/plan.md").touch()
    assert list(files.run_summary(0.0)) == ["the plan is in results/quick/plan.md; nothing was trained"]
    agreement = Path(files.rerun, "agreement.md")
    agreement.parent.mkdir(parents=True)
    agreement.write_text("all agree\n")
    assert list(files.run_summary(0.0)) == ["all agree"]
    assert list(files.run_summary(3e9)) != ["all agree"], "made by another run"


def test_the_preparation_of_a_data_set_does_not_depend_on_urls_or_title():
    entry = {"files": [{"name": "a", "urls": ["x"], "sha256": "1"}], "loader": "table", "title": "A"}
    assert targets.download_spec(entry) == [{"name": "a", "sha256": "1"}]
    assert targets.preparation_spec(entry)["loader"] == "table"
    assert "title" not in targets.preparation_spec(entry)
    assert targets.preparation_memory({}) == 1012
    assert targets.preparation_memory({"expected": {"n": 10**7, "d": 1000}}) == 8000
