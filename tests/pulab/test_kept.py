"""Kept trials: what made them, whether the present code would make them, and what one that is run again says of the others."""

import numpy as np
import pandas as pd
import pytest
from llvmlite.binding import get_host_cpu_name

from pulab.trials import confirm, kept, results
from pulab.trials.fingerprint import Made, made_by, source_of
from pulab.trials.trial import TrialResult
from pulib.datasets import Dataset

NOW = Made("c1", "d1", "s2", "numpy 2")
BEFORE = NOW._replace(source="s1")
KEY = ("study", "set", "plain", "method")


def numbers(*repeats, value=0.5, key=KEY):
    parts = [results.result_rows((*key, r), TrialResult(scalars={"auc": value + r}, series={"curve": [r, r]})) for r in repeats]
    return results.concat(parts, results.COLUMNS)


def made_of(made, *repeats):
    return kept.made_rows(numbers(*repeats), made)


def judge(rows, made, present=NOW):
    judged = kept.judge(rows, made, {KEY: present})
    return dict(zip(judged["repeat"], zip(judged["state"], judged["why"], strict=True), strict=True))


def test_the_record_of_a_batch_holds_what_made_its_trials_that_have_numbers(tmp_path):
    rows = pd.concat([numbers(0, 1), results.status_rows((*KEY, 2), "failed", "no")])
    made = kept.made_rows(rows, NOW)
    assert list(made["repeat"]) == [0, 1]
    results.write(made, kept.made_file(tmp_path / "study.parquet"))
    pd.testing.assert_frame_equal(kept.read_made(tmp_path / "study.parquet"), made)
    assert kept.read_made(tmp_path / "none.parquet").empty


@pytest.mark.parametrize(
    ("present", "answer"),
    [
        (NOW, ("current", "")),
        (NOW._replace(data=""), ("current", "")),
        (NOW._replace(versions="numpy 3"), ("current", "made with numpy 2")),
        (NOW._replace(source="s3"), ("outdated", "other source")),
        (NOW._replace(configuration="c2", data="d2"), ("outdated", "other configuration and data")),
    ],
)
def test_a_kept_trial_is_held_against_what_the_code_would_make_now(present, answer):
    assert judge(numbers(0), made_of(NOW, 0), present) == {0: answer}


def test_what_is_not_recorded_is_not_known_and_what_is_outdated_has_to_be_run():
    rows = pd.concat([numbers(0, 1, 2), numbers(0, key=("study", "set", "plain", "gone"))])
    made = pd.concat([made_of(NOW, 0), made_of(BEFORE, 1)])
    judged = kept.judge(rows, made, {KEY: NOW})
    assert dict(zip(judged["repeat"], judged["state"], strict=True)) | {} == {0: "unplanned", 1: "outdated", 2: "unknown"}
    assert kept.usable(judged)[KEY] == {0, 2}
    assert kept.counts(judged).iloc[0].to_dict() == {
        "study": "study",
        "current": 1,
        "outdated": 1,
        "unknown": 1,
        "unplanned": 1,
    }
    text = kept.tell(judged)
    assert "1 of 4 kept trials are what the present code would make." in text
    assert "| study | set | plain | method | other source | 1 | 1 |" in text


def test_the_record_follows_the_results_that_replace_others():
    old, new = made_of(BEFORE, 0, 1), made_of(NOW, 1)
    rows = pd.concat([numbers(1), results.status_rows((*KEY, 0), "unavailable", "no GPU here")])
    merged = kept.merge_made(old, rows, new)
    assert dict(zip(merged["repeat"], merged["source"], strict=True)) == {0: "s1", 1: "s2"}
    # new numbers whose origin is not known do not keep the name of the old ones
    assert list(kept.merge_made(old, rows, new.iloc[:0])["repeat"]) == [0]


def timings(seconds):
    return results.concat(
        [results.timing_rows((*KEY, r), {"trial": s}, "m") for r, s in seconds.items()], results.TIMING_COLUMNS
    )


def answer(rows, made, again, repeat):
    judged = kept.judge(rows, made, {KEY: NOW})
    asked = confirm.to_confirm(judged, timings({0: 3.0, 1: 1.0, 2: 2.0}), {KEY: NOW})
    assert list(asked["repeat"]) == [repeat]
    own = rows[rows["repeat"] == repeat]
    row = confirm.compare((*KEY, repeat), asked["was"].iloc[0], own, again, NOW)
    return confirm.apply(made, kept.with_numbers(rows), row), row


@pytest.mark.parametrize("record", [(), (0, 1, 2)])
def test_a_repeat_that_comes_out_the_same_renews_its_group(record):
    rows = numbers(0, 1, 2)
    made = made_of(BEFORE, *record) if record else made_of(BEFORE, 0).iloc[:0]
    renewed, _ = answer(rows, made, numbers(1), repeat=1)
    assert judge(rows, renewed) == dict.fromkeys(range(3), ("current", "confirmed by repeat 1"))
    assert confirm.to_confirm(kept.judge(rows, renewed, {KEY: NOW}), timings({}), {KEY: NOW}).empty


@pytest.mark.parametrize("wrong", ["last bit", "metric", "failed"])
def test_a_repeat_that_comes_out_otherwise_marks_its_group_once(wrong):
    rows, again = numbers(0, 1, 2), numbers(1)
    if wrong == "last bit":
        again["value"] = np.nextafter(again["value"], 2)
    elif wrong == "metric":
        again = again[again["metric"] != "auc"]
    else:
        again = results.status_rows((*KEY, 1), "failed", "ValueError: no")
    made, row = answer(rows, made_of(BEFORE, 0, 1, 2), again, repeat=1)
    assert judge(rows, made) == dict.fromkeys(range(3), ("outdated", "repeat 1 was run again and gave other numbers"))
    assert confirm.to_confirm(kept.judge(rows, made, {KEY: NOW}), timings({}), {KEY: NOW}).empty
    # changed code is tried again
    assert len(confirm.to_confirm(kept.judge(rows, made, {KEY: NOW}), timings({}), {KEY: NOW._replace(source="s3")})) == 1
    assert row["difference"].iloc[0] < 1e-15 if wrong == "last bit" else row["message"].iloc[0]


@pytest.mark.parametrize("versions", ["numpy 2, on another", ""])
def test_other_numbers_on_another_processor_say_nothing_of_the_code(versions):
    rows, again = numbers(0, 1, 2), numbers(1)
    again["value"] = np.nextafter(again["value"], 2)
    before = made_of(BEFORE._replace(versions=versions), 0, 1, 2)
    made, row = answer(rows, before, again, repeat=1)
    assert not row["equal"].any()
    assert judge(rows, made) == dict.fromkeys(range(3), ("outdated", "other source"))


def test_only_trials_of_the_same_origin_are_renewed_and_trials_made_since_are_left_alone():
    rows = numbers(0, 1, 2)
    made = pd.concat([made_of(BEFORE, 1), made_of(NOW._replace(source="s0"), 2), made_of(NOW, 0)])
    judged = kept.judge(rows, made, {KEY: NOW})
    assert list(confirm.to_confirm(judged, timings({}), {KEY: NOW})["repeat"]) == [1, 2]
    row = confirm.compare((*KEY, 1), "c1-d1-s1", rows[rows["repeat"] == 1], numbers(1), NOW)
    renewed = confirm.apply(made, kept.with_numbers(rows), row)
    assert [state for state, _ in judge(rows, renewed).values()] == ["current", "current", "outdated"]
    pd.testing.assert_frame_equal(confirm.apply(made_of(NOW, 0, 1, 2), kept.with_numbers(rows), row), made_of(NOW, 0, 1, 2))


def test_what_can_not_be_run_here_says_nothing():
    missing = results.status_rows((*KEY, 1), "unavailable", "needs a GPU")
    assert confirm.compare((*KEY, 1), "", numbers(1), missing, NOW).empty


SPEC = {
    "protocol": "pulab.protocols.pces.run",
    "method": {"label": "Random", "estimator": "pulab.protocols.pces.RandomRanking", "params": {}},
    "setting": {"task": "ranking"},
    "split": {"scheme": "expansion", "options": {"later": [0, 1], "train_share": 0.5, "stratify": False}, "positive": [0]},
}


def test_a_fingerprint_holds_what_decides_and_no_more():
    spec = SPEC | {"source": source_of(SPEC)}
    first = made_by(spec, {"content_sha256": "a"})
    assert made_by(spec | {"method": SPEC["method"] | {"label": "Chance", "requires": []}}, {"content_sha256": "a"}) == first
    assert made_by(spec, {"content_sha256": "b"}).data != first.data
    assert made_by(spec).data == ""
    assert made_by(spec | {"method": SPEC["method"] | {"params": {"random_state": 1}}}).configuration != first.configuration
    moved = SPEC | {"method": SPEC["method"] | {"estimator": "pulib.expansion.SGBDotaClassifier"}}
    assert source_of(moved) != first.source
    assert made_by(moved | {"source": ""}).configuration == first.configuration
    base = {"estimator": "pulab.protocols.pruned_tree.PrunedTreeRegressor"}
    within = [moved | {"method": moved["method"] | {"params": {"estimator": given}}} for given in (base, None)]
    assert source_of(within[0]) != source_of(within[1]) == source_of(moved)
    foreign = SPEC | {"method": {"estimator": "sklearn.ensemble.RandomForestClassifier", "params": {}}}
    assert source_of(foreign) == source_of(SPEC | {"method": {"params": {}}})
    assert "scikit-learn" in first.versions
    assert first.versions.endswith(f", on {get_host_cpu_name()}")


def test_a_trial_that_is_run_again_is_the_trial(tmp_path):
    rng = np.random.default_rng(0)
    target = np.repeat([0, 1, 2], 20)
    data = Dataset("toy", rng.normal(size=(60, 2)), target, (target == 0).astype(np.int8), meta={"available": True})
    key = ("pces", "toy", "expansion", "random")
    rows = confirm.run_again((*key, 3), SPEC, data, tmp_path / "first")
    again = confirm.run_again((*key, 3), SPEC, data, tmp_path / "second")
    assert rows["status"].eq("ok").all()
    assert confirm.compare((*key, 3), "", rows, again, NOW)["equal"].all()
    other = confirm.run_again((*key, 4), SPEC, data, tmp_path / "first")
    assert not confirm.compare((*key, 3), "", rows, other, NOW)["equal"].any()
