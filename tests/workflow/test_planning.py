"""The plan: what a configuration asks for, and errors that name the key."""

import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "workflow"))

import planning  # noqa: E402

from pulib.experiments import results  # noqa: E402
from pulib.experiments.trial import TrialResult  # noqa: E402

REGISTRY = {
    "mnist": {"title": "MNIST", "positive": [0, 2]},
    "mnist_digit_7": {"title": "MNIST, 7", "positive": [7], "base": "mnist"},
    "digits": {"title": "digits", "positive": [0]},
}
METHODS = {
    "a": {
        "label": "A",
        "estimator": "pulib.trees.A",
        "params": {"n": 100, "loss": "x"},
        "presets": {"quick": {"params": {"n": 10}}},
        "datasets": {"mnist*": {"params": {"loss": "y"}}},
    },
    "b": {"label": "B", "estimator": "sklearn.tree.B"},
    "net": {"label": "Net", "pending": "not built yet"},
}


OWN = {"datasets": ["mnist"], "settings": ["standard"], "methods": ["a"]}


def paper(**changes):
    entry = {
        "title": "T",
        "citation": "C",
        "protocol": "pulib.protocols.p.run",
        "settings": {
            "standard": {
                "split": {"kind": "case_control", "n_labeled": 1000},
                "datasets": {"digits": {"split": {"n_labeled": 50}}},
            }
        },
        "presets": {
            "quick": {
                "repeats": 2,
                "methods": {"a": {"params": {"depth": 3}}},
                "experiments": [{"datasets": ["digits"], "settings": ["standard"], "methods": ["a", "b", "net"]}],
            },
            "paper": {
                "repeats": 5,
                "experiments": [
                    {"datasets": ["mnist", "mnist_digit_7"], "settings": ["standard"], "methods": ["a"], "threads": 2},
                    {"datasets": ["mnist"], "settings": ["standard"], "methods": ["a"], "repeats": 7},
                ],
            },
        },
        "tables": {},
        "figures": {},
    }
    return planning.deep_merge(entry, changes)


@pytest.fixture
def load(tmp_path):
    def load(entry=None, catalog=None, **changes):
        folder = tmp_path / "config" / "papers"
        folder.mkdir(parents=True, exist_ok=True)
        (tmp_path / "config" / "methods.yaml").write_text(yaml.safe_dump(catalog or METHODS))
        (folder / "p.yaml").write_text(yaml.safe_dump(entry or paper()))
        config = yaml.safe_load((ROOT / "config" / "config.yaml").read_text()) | {"papers": ["p"]} | changes
        return planning.load_plan(config, REGISTRY, root=tmp_path)

    return load


def test_quick_plan_has_its_groups_and_says_what_is_pending(load):
    plan = load()
    assert sorted(plan.groups) == [("p", "digits", "standard", "a"), ("p", "digits", "standard", "b")]
    assert plan.unbuilt == [("p", "digits", "standard", "net", 2, "not built yet")]


def test_overrides_apply_from_the_general_to_the_special(load):
    plan = load()
    assert plan.method("p", "a", "digits")["params"] == {"n": 10, "loss": "x", "depth": 3}
    assert plan.setting("p", "standard", "digits")["split"]["n_labeled"] == 50
    plan = load(preset="paper")
    assert plan.method("p", "a", "mnist")["params"] == {"n": 100, "loss": "y"}
    assert plan.setting("p", "standard", "mnist")["split"]["n_labeled"] == 1000


def test_sets_that_share_arrays_are_prepared_once_and_the_most_repeats_win(load):
    plan = load(preset="paper")
    assert plan.datasets() == ["mnist"]
    assert plan.groups[("p", "mnist", "standard", "a")].repeats == 7
    assert plan.groups[("p", "mnist_digit_7", "standard", "a")].batches() == [(0, 4)]


def test_more_repeats_leave_full_batches_as_they_are(load):
    five, six = (load(repeats=n).groups[("p", "digits", "standard", "a")].batches() for n in (5, 6))
    assert set(five) < set(six)
    assert set(six) - set(five) == {(5, 5)}


def test_what_a_job_asks_for_comes_from_its_experiment_and_a_gpu_from_its_method_too(load):
    sizes = {"threads": 4, "mem_mb": 9000, "runtime": 7}
    experiment = {"datasets": ["digits"], "settings": ["standard"], "methods": ["a", "b"], **sizes}
    entry = paper()
    entry["presets"]["quick"]["experiments"] = [experiment]
    methods = planning.deep_merge(METHODS, {"b": {"datasets": {"digits": {"options": {"needs": "gpu"}}}}})
    group = load(entry, methods).groups[("p", "digits", "standard", "a")]
    assert (group.threads, group.mem_mb, group.runtime, group.gpus) == (4, 9000, 7, 0)
    assert load(entry, methods).groups[("p", "digits", "standard", "b")].gpus == 1
    experiment["gpus"] = 2
    assert [group.gpus for group in load(entry, methods).groups.values()] == [2, 2]


def test_only_datasets_takes_a_set_and_those_that_share_its_arrays(load):
    assert {g[1] for g in load(preset="paper", only_datasets=["mnist"]).groups} == {"mnist", "mnist_digit_7"}
    assert {g[1] for g in load(preset="paper", only_datasets=["mnist_digit_7"]).groups} == {"mnist_digit_7"}
    assert load(only_methods=["b"]).groups.keys() == {("p", "digits", "standard", "b")}


def test_experiments_of_ones_own_join_those_of_the_paper(load):
    before = load()
    plan = load(experiments={"p": [OWN]})
    assert plan.groups.keys() - before.groups.keys() == {("p", "mnist", "standard", "a")}
    assert plan.groups.items() >= before.groups.items()
    assert plan.groups[("p", "mnist", "standard", "a")].repeats == 2, "the paper's"
    plan = load(experiments={"p": [OWN | {"repeats": 3, "threads": 2}]}, preset="paper", only_datasets=["mnist_digit_7"])
    assert list(plan.groups) == [("p", "mnist_digit_7", "standard", "a")]


def test_missing_plans_only_batches_without_kept_numbers(load, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    key = ("p", "mnist", "standard", "a")
    assert load(preset="paper", tidy="missing").groups[key].batches() == [(0, 4), (5, 5), (6, 6)]
    rows = [results.result_rows((*key, repeat), TrialResult({"accuracy": 0.5})) for repeat in (0, 1, 2, 3, 5)]
    rows += [results.result_rows(("p", "mnist_digit_7", "standard", "a", k), TrialResult({"accuracy": 0.5})) for k in range(5)]
    rows.append(results.status_rows((*key, 6), "failed", "it raised"))
    (tmp_path / "figures" / "paper" / "tidy").mkdir(parents=True)
    results.write(results.concat(rows, results.COLUMNS), tmp_path / "figures" / "paper" / "tidy" / "p.parquet")
    assert load(preset="paper", tidy="missing").groups[key].batches() == [(0, 4), (6, 6)]
    assert load(preset="paper", tidy="missing", batch_size=1).groups[key].batches() == [(4, 4), (6, 6)]
    assert load(preset="paper", tidy="run").groups[key].batches() == [(0, 4), (5, 5), (6, 6)]
    known = load(preset="paper", tidy="missing", repeats=4, batch_size=4)
    assert known.groups[key].batches() == known.datasets() == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"tidy": "missing"}, ["config: tidy", "missing", "paper", "'quick'"]),
        ({"repeats": 0}, ["config: repeats", "0"]),
        ({"preset": "paperr"}, ["config: preset", "paperr", "quick"]),
        ({"only_datsets": ["mnist"]}, ["only_datsets", "did you mean 'only_datasets'?"]),
        ({"only_datasets": ["mnis"]}, ["only_datasets", "'mnis'", "did you mean 'mnist'?"]),
        ({"only_methods": ["c"]}, ["only_methods", "'c'", "expected one of"]),
        ({"papers": ["q"]}, ["config: papers", "'q'", "['p']"]),
        ({"methods": {"a": {"parms": {}}}}, ["config: methods", "a", "'parms'", "did you mean 'params'?"]),
        ({"datasets": ["mnist"]}, ["config: datasets", "is not of type 'object'"]),
        ({"only_datasets": ["mnist"]}, ["only_datasets: ['mnist']", "no experiment of the preset 'quick' of p", "['digits']"]),
        ({"experiments": {"q": []}}, ["config: experiments", "unknown paper 'q'", "['p']"]),
        ({"experiments": {"p": {}}}, ["config: experiments.p", "is not of type 'array'"]),
        ({"experiments": {"p": [OWN | {"dataset": "a"}]}}, ["config: experiments.p", "unknown key 'dataset'", "'datasets'"]),
        ({"experiments": {"p": [OWN | {"datasets": ["mnits"]}]}}, ["experiments.p.0", "'mnits'", "did you mean 'mnist'?"]),
        ({"methods": {"c": {"label": "C"}}}, ["methods", "c", "estimator"]),
        ({"methods": {"b": {"options": {"needs": "tpu"}}}}, ["methods", "b.options.needs", "'tpu'", "gpu"]),
    ],
)
def test_mistakes_in_the_configuration_end_in_one_readable_error(load, change, words):
    with pytest.raises(planning.ConfigError) as caught:
        load(**change)
    assert all(word in str(caught.value) for word in words), str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"presets": {"quick": {"repeats": 0}}}, ["papers/p.yaml", "presets.quick.repeats"]),
        ({"presets": {"quick": {"experiments": [{"datasets": ["digts"], "settings": ["standard"], "methods": ["a"]}]}}},
         ["presets.quick.experiments.0", "'digts'", "did you mean 'digits'?"]),
        ({"presets": {"quick": {"experiments": [{"datasets": ["digits"], "settings": ["standrd"], "methods": ["a"]}]}}},
         ["'standrd'", "did you mean 'standard'?"]),
        ({"presets": {"quick": {"experiments": [{"datasets": ["digits"], "settings": ["standard"], "methods": ["aa"]}]}}},
         ["unknown method 'aa'"]),
        ({"presets": {"quick": {"batchsize": 3}}}, ["presets.quick", "'batchsize'", "did you mean 'batch_size'?"]),
        ({"tables": {"table1": {"title": "t"}}}, ["tables.table1", "kind"]),
    ],
)  # fmt: skip
def test_mistakes_in_a_papers_file_name_file_and_key(load, change, words):
    with pytest.raises(planning.ConfigError) as caught:
        load(entry=paper(**change))
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_the_shipped_configuration_is_valid_in_both_presets():
    from pulib.datasets.registry import load_registry

    base = yaml.safe_load((ROOT / "config" / "config.yaml").read_text())
    over = yaml.safe_load((ROOT / "config" / "paper.yaml").read_text())
    for config in (base, planning.deep_merge(base, over)):
        plan = planning.load_plan(config, load_registry())
        for paper_name in plan.papers:
            assert plan.groups_of(paper_name), f"{paper_name} runs nothing in preset {plan.preset}"
        for key in plan.groups:
            plan.method(key[0], key[3], key[1])
            plan.setting(key[0], key[2], key[1])
