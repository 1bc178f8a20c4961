"""Finished trials that run again: where a rule is forced, and where the code that made them has changed since."""

import json

import pandas as pd
import pytest

from tests.workflow.toy import RESULTS, edit_text

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

CHANGED = "5 trials were made by code that has changed since; `--config retrain=changed` runs them again"


def accuracy(space, method):
    rows = pd.read_parquet(space.folder / RESULTS)
    return rows.loc[(rows["method"] == method) & (rows["metric"] == "accuracy"), "value"].tolist()


def written(space):
    """When each trial of the store was written."""
    return {str(file): file.stat().st_mtime_ns for file in (space.folder / "results" / "quick" / "store").rglob("*-*.json")}


def run(space, *arguments, target=RESULTS):
    done = space.snakemake(target, *arguments)
    assert done.code == 0, done.text
    return done.text


@pytest.mark.happens("a formula or a kernel")
def test_a_changed_formula_is_told_of_and_runs_again_when_it_is_asked_for(toy):
    run(toy)
    before, stored = accuracy(toy, "forest"), written(toy)
    edit_text(
        toy.folder / "pulib" / "_trees" / "_risks.py", ("return 4.0 * w_p * (w_n / w)", "return w_p * abs(math.sin(w_n))")
    )
    # whatever else makes the rule run, the numbers of other code are not replaced unasked
    (toy.folder / RESULTS).unlink()
    text = run(toy)
    assert text.count(CHANGED) == 2, "at the start, and as the last words"
    assert "pytest tests/golden" in text
    assert accuracy(toy, "forest") == before
    text = run(toy, "--config", "retrain=changed")
    assert CHANGED not in text.rpartition("steps (100%) done")[2]
    assert accuracy(toy, "forest") != before
    assert sum(at != stored[name] for name, at in written(toy).items()) == 5, "the tree's code is what it was"
    assert "Nothing to be done" in run(toy, "--config", "retrain=changed")


def test_a_renamed_variable_changes_labels_and_no_number(ended):
    before = (ended.folder / RESULTS).read_bytes()
    edit_text(ended.folder / "studies" / "toy" / "protocol.py", ("right", "hits"), ('"hits": ', '"right": '))
    text = run(ended, "--config", "retrain=changed")
    assert "10 trials were made by code that has changed since" in text
    assert (ended.folder / RESULTS).read_bytes() == before


def test_what_is_forced_trains_and_only_some_methods_if_they_are_named(ended):
    """By the name of the rule, test_cluster.py forces it."""
    numbers = accuracy(ended, "forest")
    (batch,) = (str(file.relative_to(ended.folder)) for file in (ended.folder / "results/quick/trials").rglob("0-4.csv"))
    everything = [["--forcerun", batch], ["--forceall"]]
    for force in (*everything, ["--config", "retrain=all", "only_methods=[tree]"]):
        before = written(ended)
        text = run(ended, *force)
        assert sum(at != before[name] for name, at in written(ended).items()) == (10 if force in everything else 5)
        assert accuracy(ended, "forest") == numbers
        assert "code that has changed" not in text


def test_the_count_of_current_trials_and_the_report_say_it(ended):
    current, report = "results/quick/current.md", "results/quick/report.html"
    edit_text(
        ended.folder / "studies" / "toy" / "protocol.py", ('"accuracy": right.mean()', '"accuracy": right.sum() / len(right)')
    )
    run(ended, report, target=current)
    pages = [ended.folder / report, ended.folder / "results/quick/report/toy.html"]
    assert all("10 trials were made by code that has changed since" in page.read_text() for page in pages)
    assert "10 trials were made by code that has changed since" in (ended.folder / current).read_text()
    assert json.loads((ended.folder / "results/quick/forced.json").read_text())["forced"] == []
    run(ended, "--config", "retrain=changed", target=current)
    assert "changed since" not in (ended.folder / current).read_text()
