"""The plan: what a configuration asks for, and errors that name the key."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pulab.plan.configuration import ConfigError, deep_merge, read_yaml
from pulab.plan.plan import Group, cut_jobs, load_plan
from pulib.datasets import load_registry

ROOT = Path(__file__).parents[2]

REGISTRY = {
    "mnist": {"title": "MNIST", "positive": [0, 2], "loader": "idx"},
    "mnist_digit_7": {"title": "MNIST, 7", "positive": [7], "base": "mnist"},
    "digits": {"title": "digits", "positive": [0], "loader": "digits"},
}
METHODS = {
    "a": {
        "label": "A",
        "estimator": "pulib.trees.PUExtraTreesClassifier",
        "params": {"n": 100, "loss": "x"},
        "datasets": {"mnist*": {"params": {"loss": "y"}}},
    },
    "b": {"label": "B", "estimator": "sklearn.tree.B"},
    "net": {"label": "Net", "estimator": "pulib.neural.NeuralPUClassifier", "requires": ["torch"]},
}


OWN_JOB = {"job": "nets", "mem_mb": 7000}
OWN = {"datasets": ["mnist"], "settings": ["standard"], "methods": ["a"]}


def study(**changes):
    entry = {
        "title": "T",
        "citation": "C",
        "protocol": "pulab.protocols.p.run",
        "settings": {
            "standard": {
                "split": {"scheme": "case_control", "n_labeled": 1000},
                "datasets": {"digits": {"split": {"n_labeled": 50}}},
            }
        },
        "presets": {
            "quick": {
                "repeats": 2,
                "methods": {"a": {"params": {"n": 10, "depth": 3}}},
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
    return deep_merge(entry, changes)


@pytest.fixture
def load(tmp_path):
    def load(entry=None, catalog=None, **changes):
        folder = tmp_path / "config" / "studies"
        folder.mkdir(parents=True, exist_ok=True)
        (tmp_path / "config" / "methods.yaml").write_text(yaml.safe_dump(catalog or METHODS))
        (folder / "p.yaml").write_text(yaml.safe_dump(entry or study()))
        config = read_yaml(ROOT / "config" / "config.yaml") | {"studies": ["p"]} | changes
        return load_plan(config, REGISTRY, tmp_path)

    return load


def batches(plan, *key):
    """First and last repeat of the jobs of a group."""
    return [job[-2:] for job in plan.jobs if job[:3] == (*key[:2], f"{key[2]}/{key[3]}")]


def test_the_quick_plan_has_its_groups_each_with_jobs_of_its_own(load):
    plan = load()
    assert sorted(plan.groups) == [("p", "digits", "standard", name) for name in ("a", "b", "net")]
    assert sorted(plan.jobs) == [("p", "digits", f"standard/{name}", 0, 1) for name in ("a", "b", "net")]
    assert [plan.packages(job.groups) for _, job in sorted(plan.jobs.items())] == [[], [], ["torch"]]


def test_trials_that_run_together_are_one_job_for_a_data_set_and_a_name(load):
    entry = study()
    preset = entry["presets"]["quick"]
    preset["job"] = "trees"
    preset["experiments"][0]["methods"] = ["a", "b"]
    preset["experiments"].append({"datasets": ["digits"], "settings": ["standard"], "methods": ["net"], "repeats": 3} | OWN_JOB)
    plan = load(entry)
    trees, nets = plan.jobs.values()
    assert trees.key == ("p", "digits", "trees", 0, 1)
    assert [(group.method, repeats) for group, repeats in trees.trials] == [("a", (0, 1)), ("b", (0, 1))]
    assert (nets.key, nets.most("mem_mb"), plan.packages(nets.groups)) == (("p", "digits", "nets", 0, 2), 7000, ["torch"])


@given(st.lists(st.tuples(st.integers(1, 12), st.integers(1, 5), st.booleans(), st.sets(st.integers(0, 11))), max_size=5))
def test_every_repeat_that_is_not_kept_is_in_just_one_job(drawn):
    groups = [
        Group("p", "d", "s", f"m{n}", repeats, size, job="all" if together else None)
        for n, (repeats, size, together, _) in enumerate(drawn)
    ]
    published = {group.key: frozenset(known) for group, (*_, known) in zip(groups, drawn, strict=True)}
    run = [(group.key, repeat) for job in cut_jobs(groups, published) for group, repeats in job.trials for repeat in repeats]
    assert sorted(run) == sorted((g.key, k) for g in groups for k in range(g.repeats) if k not in published[g.key])
    assert all(job.first <= k <= job.last for job in cut_jobs(groups) for _, repeats in job.trials for k in repeats)


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
    assert batches(plan, "p", "mnist_digit_7", "standard", "a") == [(0, 4)]


def test_more_repeats_leave_full_batches_as_they_are(load):
    five, six = (batches(load(repeats=n), "p", "digits", "standard", "a") for n in (5, 6))
    assert six == [*five, (5, 5)]


def test_what_a_job_asks_for_comes_from_its_experiment_and_a_gpu_from_its_method_too(load):
    sizes = {"threads": 4, "mem_mb": 9000, "runtime": 7}
    experiment = {"datasets": ["digits"], "settings": ["standard"], "methods": ["a", "b"], **sizes}
    entry = study()
    entry["presets"]["quick"]["experiments"] = [experiment]
    methods = deep_merge(METHODS, {"b": {"datasets": {"digits": {"options": {"needs": "gpu"}}}}})
    group = load(entry, methods).groups[("p", "digits", "standard", "a")]
    assert (group.threads, group.mem_mb, group.runtime, group.gpus) == (4, 9000, 7, 0)
    assert load(entry, methods).groups[("p", "digits", "standard", "b")].gpus == 1


def test_only_datasets_takes_a_set_and_those_that_share_its_arrays(load):
    assert {g[1] for g in load(preset="paper", only_datasets=["mnist"]).groups} == {"mnist", "mnist_digit_7"}
    assert {g[1] for g in load(preset="paper", only_datasets=["mnist_digit_7"]).groups} == {"mnist_digit_7"}
    assert load(only_methods=["b"]).groups.keys() == {("p", "digits", "standard", "b")}


def test_experiments_of_ones_own_join_those_of_the_study(load):
    before = load()
    plan = load(experiments={"p": [OWN]})
    assert plan.groups.keys() - before.groups.keys() == {("p", "mnist", "standard", "a")}
    assert plan.groups.items() >= before.groups.items()
    assert plan.groups[("p", "mnist", "standard", "a")].repeats == 2, "the paper's"
    plan = load(experiments={"p": [OWN | {"repeats": 3, "threads": 2}]}, preset="paper", only_datasets=["mnist_digit_7"])
    assert list(plan.groups) == [("p", "mnist_digit_7", "standard", "a")]


def test_missing_plans_what_is_not_kept_and_none_plans_nothing(load):
    key = ("p", "mnist", "standard", "a")

    def plan(train, **changes):
        plan = load(preset="paper", only_datasets=["mnist"], only_methods=["a"], train=train, **changes)
        plan.find_published = lambda study: {
            key: frozenset((0, 1, 2, 3, 5)),
            ("p", "mnist_digit_7", *key[2:]): frozenset(range(5)),
        }
        return plan

    def run(plan):
        return {job.key[-2:]: repeats for job in plan.jobs.values() for _, repeats in job.trials}

    assert run(plan("missing")) == {(0, 4): (4,), (5, 6): (6,)}
    assert run(plan("missing", batch_size=1)) == {(4, 4): (4,), (6, 6): (6,)}
    assert batches(plan("all"), *key) == [(0, 4), (5, 6)]
    for nothing in (plan("none"), plan("missing", repeats=4)):
        assert nothing.jobs == {}
        assert nothing.datasets() == []
        assert nothing.groups, "what tables are made of"


def test_an_option_asks_for_a_part_and_the_whole_stays_known(load):
    whole = load(preset="paper")
    assert (whole.is_part, whole.shows_published) == (False, True)
    part = load(preset="paper", only_datasets=["mnist_digit_7"], only_methods=["a"], repeats=1)
    assert (part.is_part, part.shows_published) == (True, False), "an option shows only what was run"
    assert load(preset="paper", only_datasets=["mnist"], train="none").shows_published
    assert list(part.groups) == [("p", "mnist_digit_7", "standard", "a")]
    assert part.whole == whole.groups
    assert part.identities("p") == whole.identities("p")
    more = load(preset="paper", only_datasets=["mnist"], only_methods=["a"], repeats=50)
    assert more.identities("p")[("p", "mnist", "standard", "a")][1] == 50


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"train": "missing"}, ["config: train", "missing", "paper", "'quick'"]),
        ({"train": "some"}, ["config: train", "'some'", "missing"]),
        ({"repeats": 0}, ["config: repeats", "0"]),
        ({"preset": "paperr"}, ["config: preset", "paperr", "quick"]),
        ({"only_datsets": ["mnist"]}, ["only_datsets", "did you mean 'only_datasets'?"]),
        ({"only_datasets": ["mnis"]}, ["only_datasets", "'mnis'", "did you mean 'mnist'?"]),
        ({"only_methods": ["c"]}, ["only_methods", "'c'", "expected one of"]),
        ({"studies": ["q"]}, ["config: studies", "'q'", "['p']"]),
        ({"methods": {"a": {"parms": {}}}}, ["config: methods", "a", "'parms'", "did you mean 'params'?"]),
        ({"datasets": ["mnist"]}, ["config: datasets", "valid dictionary"]),
        ({"only_datasets": ["mnist"]}, ["only_datasets: ['mnist']", "no experiment of the preset 'quick' of p", "['digits']"]),
        ({"experiments": {"q": []}}, ["config: experiments", "unknown study 'q'", "['p']"]),
        ({"experiments": {"p": {}}}, ["config: experiments.p", "valid list"]),
        ({"experiments": {"p": [OWN | {"dataset": "a"}]}}, ["config: experiments.p", "unknown key 'dataset'", "'datasets'"]),
        ({"experiments": {"p": [OWN | {"datasets": ["mnits"]}]}}, ["experiments.p.0", "'mnits'", "did you mean 'mnist'?"]),
        ({"methods": {"c": {"label": "C"}}}, ["methods", "c", "estimator"]),
        ({"methods": {"b": {"options": {"needs": "tpu"}}}}, ["methods", "b.options.needs", "'tpu'", "gpu"]),
    ],
)
def test_mistakes_in_the_configuration_end_in_one_readable_error(load, change, words):
    with pytest.raises(ConfigError) as caught:
        load(**change)
    assert all(word in str(caught.value) for word in words), str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"presets": {"quick": {"repeats": 0}}}, ["studies/p.yaml", "presets.quick.repeats"]),
        ({"presets": {"quick": {"experiments": [{"datasets": ["digts"], "settings": ["standard"], "methods": ["a"]}]}}},
         ["presets.quick.experiments.0", "'digts'", "did you mean 'digits'?"]),
        ({"presets": {"quick": {"experiments": [{"datasets": ["digits"], "settings": ["standrd"], "methods": ["a"]}]}}},
         ["'standrd'", "did you mean 'standard'?"]),
        ({"presets": {"quick": {"experiments": [{"datasets": ["digits"], "settings": ["standard"], "methods": ["aa"]}]}}},
         ["unknown method 'aa'"]),
        ({"presets": {"quick": {"batchsize": 3}}}, ["presets.quick", "'batchsize'", "did you mean 'batch_size'?"]),
        ({"tables": {"table1": {"title": "t"}}}, ["tables.table1.kind: missing"]),
    ],
)  # fmt: skip
def test_mistakes_in_a_studies_file_name_file_and_key(load, change, words):
    with pytest.raises(ConfigError) as caught:
        load(entry=study(**change))
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_the_shipped_configuration_is_valid_in_both_presets():
    base = read_yaml(ROOT / "config" / "config.yaml")
    over = read_yaml(ROOT / "config" / "paper.yaml")
    for config in (base, deep_merge(base, over)):
        plan = load_plan(config, load_registry(), ROOT)
        for study_name in plan.studies:
            assert plan.groups_of(study_name), f"{study_name} runs nothing in preset {plan.preset}"
        for group in plan.groups.values():
            assert plan.trial_spec(group)["split"]["scheme"]


def test_planning_imports_no_library_that_learns():
    """Whoever plans would wait for it: these imports are those of ``workflow/rules/common.smk``."""
    modules = "pulab.reports.specs, pulab.plan.files, pulab.trials.runner, pulab.trials.scale, pulab.plan.targets"
    code = f"import sys, {modules}, pulib.datasets.prepare, pulib.datasets.registry; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"numba", "scipy", "sklearn", "torch"} & set(done.stdout.split()) == set()
