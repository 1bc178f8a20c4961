"""The bench on a table of one's own: labels as they are, the truth of some rows or of none, and a report on what is known."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

import pulib
from pulab.protocols import bench
from pulab.tables.inputs import Inputs
from pulab.tables.kinds import bench_report
from pulab.trials import results
from pulab.trials.runner import run_repeat
from pulab.trials.trial import TrialContext
from pulib.datasets import load_registry
from pulib.sampling import given_split, make_splits

ROOT = Path(__file__).parents[2]
STUDY = yaml.safe_load((ROOT / "config" / "studies" / "bench.yaml").read_text(encoding="utf-8"))
METHODS = yaml.safe_load((ROOT / "config" / "methods.yaml").read_text(encoding="utf-8"))
OWN = yaml.safe_load((ROOT / "config" / "own.yaml").read_text(encoding="utf-8"))
TRIED = ["lf_naive_lr", "lf_elkan_noto_lr", "lf_all_negative", "lf_random_share"]


def write_table(path, n=60, n_test=20, seed=0):
    """Two numbers and a word per row, one of them missing; some positives are labeled, and the last rows' truth is known."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    frame = pd.DataFrame(rng.normal(size=(n, 2)) + 2.0 * truth[:, None], columns=["age", "pay"])
    frame["job"] = rng.choice(["cook", "nurse"], n)
    frame.loc[3, "pay"] = np.nan
    test = np.arange(n) >= n - n_test
    frame["labeled"] = np.where(truth & (rng.random(n) < 0.4) & ~test, 1, np.nan)
    frame["truth"] = np.where(test, truth, np.nan)
    if not n_test:
        frame = frame.drop(columns="truth")
    frame.to_csv(path, index=False)


def load(folder, **options):
    entry = OWN["datasets"]["own"]
    given = {**entry["options"], **options}
    entry = {**entry, "options": given, "files": [{"name": "table.csv", "path": str(folder / "my_table.csv")}]}
    return pulib.load_dataset("own", data_dir=folder, registry=load_registry(extra={"own": entry}))


def run_bench(data, folder, methods=TRIED, repeats=2):
    """Tidy results and times, as the workflow would collect them, in files."""
    evaluate = STUDY["settings"]["as_given"].get("evaluate", {})
    splits = make_splits(data, "given", {repeat: repeat for repeat in range(repeats)}, held_out=0.3)
    outcomes = []
    for method in methods:
        for repeat, split in splits.items():
            entry = {key: value for key, value in METHODS[method].items() if key != "label"}
            context = TrialContext("bench", "own", "as_given", method, repeat, data, split, entry, evaluate)
            outcomes.append(run_repeat(context, bench.run))
    results.write(results.concat([o.rows for o in outcomes], results.COLUMNS), folder / "tidy.parquet")
    results.write(results.concat([o.timings for o in outcomes], results.TIMING_COLUMNS), folder / "times.parquet")
    return Inputs(folder / "tidy.parquet", folder / "times.parquet", [])


def spec_of(name):
    labels = {method: entry["label"] for method, entry in METHODS.items()}
    roles = {name: entry.get("options", {}).get("role") for name, entry in METHODS.items()}
    shared = {
        "study": "bench",
        "preset": "own",
        "datasets": {},
        "methods": labels,
        "roles": {k: v for k, v in roles.items() if v},
    }
    return {**STUDY["tables"][name], **shared, "name": name}


def report(inputs, tmp_path):
    paths = {suffix: str(tmp_path / f"report.{suffix}") for suffix in ("csv", "md", "tex")}
    bench_report.render(spec_of("table_report"), inputs, paths)
    return (tmp_path / "report.md").read_text(encoding="utf-8")


def test_labels_are_taken_as_they_are(tmp_path):
    write_table(tmp_path / "my_table.csv")
    data = load(tmp_path, truth="truth")
    frame = pd.read_csv(tmp_path / "my_table.csv")
    np.testing.assert_array_equal(data.target == 1, frame["labeled"] == 1)
    np.testing.assert_array_equal(data.target >= 2, frame["truth"].notna())
    np.testing.assert_array_equal(data.target == 2, frame["truth"] == 1)
    assert data.feature_names == ["age", "pay", "job=cook", "job=nurse"]
    assert data.meta["details"]["scenario"] == "one_sample"
    split = given_split(data, random_state=1)
    parts = [split.labeled, split.unlabeled, split.test, *split.arrays.values()]
    assert sorted(np.concatenate(parts)) == list(range(len(data.y)))
    assert (data.target[split.labeled] == 1).all()
    assert (data.target[split.arrays["held_out_unlabeled"]] == 0).all()
    other = given_split(data, random_state=2)
    np.testing.assert_array_equal(split.test, other.test)
    assert not np.array_equal(split.unlabeled, other.unlabeled)


def test_what_the_user_says_is_part_of_what_results_depend_on(tmp_path):
    """Another scenario or π makes trials run again."""
    names = []
    for k, said in enumerate(({}, {"prior": 0.3}, {"scenario": "two_sample"})):
        (tmp_path / str(k)).mkdir()
        write_table(tmp_path / str(k) / "my_table.csv")
        names.append(load(tmp_path / str(k), **said).meta["target_names"]["0"])
    assert len(set(names)) == 3


@pytest.mark.parametrize("change", [{"label": "nothing"}, {"pos_label": "yes"}, {"truth": "nothing"}])
def test_a_wrong_name_is_told(change, tmp_path):
    write_table(tmp_path / "my_table.csv")
    with pytest.raises(Exception, match=r"no column 'nothing'|no 'yes' in column 'labeled'"):
        load(tmp_path, **change)


def test_truth_in_other_words_than_labels_is_told(tmp_path):
    """Else every test row would count as negative."""
    write_table(tmp_path / "my_table.csv")
    frame = pd.read_csv(tmp_path / "my_table.csv")
    named = frame.assign(labeled=np.where(frame["labeled"] == 1, "yes", "no"))
    named.to_csv(tmp_path / "my_table.csv", index=False)
    with pytest.raises(Exception, match=r"column 'truth', the truth, must hold 'yes' for positive rows.*it contains"):
        load(tmp_path, pos_label="yes", truth="truth")


def test_known_truth_gives_accuracy_and_no_test_row_trains(tmp_path):
    write_table(tmp_path / "my_table.csv", n=80)
    data = load(tmp_path, truth="truth", prior=0.4)
    inputs = run_bench(data, tmp_path)
    tidy = inputs.results
    assert set(tidy["status"]) == {"ok"}, set(tidy["message"])
    values = tidy.pivot_table(index="method", columns="metric", values="value")
    positive = (data.target == 2).sum() / (data.target >= 2).sum()
    assert values.loc["lf_all_negative", "accuracy"] == pytest.approx(1 - positive)
    assert (values["prior_told"] == 0.4).all()
    assert (values["n_labeled"] == (data.target == 1).sum()).all()
    assert values.loc["lf_naive_lr", "auc"] > 0.8
    text = report(inputs, tmp_path)
    assert "π is 0.40, as you gave it" in text
    assert "20 test rows estimate a method's accuracy to within about 22 points" in text
    assert "By accuracy on the test rows, the best learners are" in text
    assert "What PU data alone cannot show" not in text


def test_without_any_truth_the_report_says_what_can_not_be_known(tmp_path):
    write_table(tmp_path / "my_table.csv", n=50, n_test=0)
    inputs = run_bench(load(tmp_path), tmp_path)
    tidy = inputs.results
    assert set(tidy["status"]) == {"ok"}, set(tidy["message"])
    measured = set(tidy["metric"])
    assert {"proxy_accuracy", "proxy_auc", "pu_score", "pu_risk"} <= measured
    assert not {"accuracy", "auc", "f1"} & measured
    text = report(inputs, tmp_path)
    assert "no test row whose truth is known" in text
    assert "What PU data alone cannot show: whether labels are selected at random" in text
    assert "π is estimated" in text
    assert "on the test rows" not in text


def test_proxies_are_those_of_the_library():
    from pulib.metrics import proxy_accuracy, proxy_auc

    rng = np.random.default_rng(0)
    scores = rng.normal(size=30)
    answers = (scores > 0).astype(int)
    y = np.repeat([1, 0], [10, 20])
    found = bench.without_negatives([10, 20], answers, scores, 0.5, "one_sample")
    assert found["proxy_accuracy"] == proxy_accuracy(y, answers, prior=0.5, scenario="one_sample")
    assert found["proxy_auc"] == proxy_auc(y, scores, prior=0.5, scenario="one_sample")
    assert found["share_positive"] == answers.mean()
    assert bench.without_negatives([10, 20], answers, scores, 0.5, "two_sample")["share_positive"] == answers[10:].mean()


def test_every_learner_of_the_level_field_is_on_the_bench_but_the_slowest():
    named = {name for part in STUDY["presets"]["own"]["experiments"] for name in part["methods"]}
    elsewhere = {name for name, entry in METHODS.items() if entry.get("options", {}).get("role") in ("ceiling", "before")}
    own = {name for name in METHODS if name.startswith("lf_")}
    assert own - named - elsewhere == {"lf_upu_mlp", "lf_self_pu", "lf_bagging_rf", "lf_biased", "lf_pu_toolbox_nnpu"}
