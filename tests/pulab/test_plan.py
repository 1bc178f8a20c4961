"""The plan: what a configuration asks for, and errors that name the key."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulab.plan import Experiment, Method, Preset, Setting, identity
from pulab.plan import load as loading
from pulab.plan.configuration import ConfigError, read_yaml
from pulab.plan.experiment import merged
from pulab.plan.load import load_study, study_names
from pulab.plan.plan import Group, cut_jobs, load_plan, make_plan, rendered_from
from pulib.datasets import load_registry
from pulib.sampling import SCHEMES, CaseControl
from tests.pulab.toy import FOREST, PLAIN, study_of

ROOT = Path(__file__).parents[2]

REGISTRY = {
    "mnist": {"title": "MNIST", "positive": [0, 2], "loader": "idx"},
    "mnist_digit_7": {"title": "MNIST, 7", "positive": [7], "base": "mnist"},
    "digits": {"title": "digits", "positive": [0], "loader": "digits"},
    "own": {"title": "Own", "positive": [0], "loader": "table", "files": [{"name": "a.csv", "path": "gone/a.csv"}]},
}
MNIST = ("mnist", "mnist_digit_7")
a = Method(name="a", label="A", estimator=FOREST, params={"n_estimators": 100, "loss": "savage"}).on(
    MNIST, params={"loss": "logistic"}
)
b = Method(name="b", label="B", estimator="sklearn.tree.DecisionTreeClassifier")
net = Method(name="net", label="Net", estimator="pulib.neural.NeuralPUClassifier", requires=("torch",))
standard = Setting("standard", "standard", CaseControl(n_labeled=1000), PLAIN).on("digits", n_labeled=50)
small = a.but(params={"n_estimators": 10, "max_depth": 3})
PAPER = Preset(
    repeats=5,
    experiments=[
        Experiment(datasets=MNIST, settings=[standard], methods=[a], threads=2),
        Experiment(datasets=["mnist"], settings=[standard], methods=[a], repeats=7),
    ],
)
OWN = {"datasets": ["mnist"], "settings": ["standard"], "methods": ["a"]}


def on_digits(*methods, **sizes):
    return Experiment(datasets=["digits"], settings=[standard], methods=methods, **sizes)


def quick(*experiments, **sizes):
    return Preset(experiments=experiments, **{"repeats": 2, **sizes})


QUICK = quick(on_digits(small, b, net))


def study(quick=QUICK, paper=PAPER):
    return study_of(methods=[a, b, net], presets={"quick": quick, "paper": paper})


@pytest.fixture
def load(monkeypatch):
    """The plan of a study that is called p."""

    def load(entry=None, registry=REGISTRY, **changes):
        found = {"p": entry or study()}
        monkeypatch.setattr(loading, "load_study", lambda name: found[name] if name in found else load_study(name))
        return load_plan(read_yaml(ROOT / "config" / "config.yaml") | {"studies": ["p"]} | changes, registry)

    return load


def batches(plan, *key):
    """First and last repeat of the jobs of a group."""
    return [job[-2:] for job in plan.jobs if job[:3] == (*key[:2], f"{key[2]}/{key[3]}")]


def test_groups_of_the_quick_plan_have_separate_jobs(load):
    plan = load()
    assert sorted(plan.groups) == [("p", "digits", "standard", name) for name in ("a", "b", "net")]
    assert sorted(plan.jobs) == [("p", "digits", f"standard/{name}", 0, 1) for name in ("a", "b", "net")]
    assert [plan.packages(job.groups) for _, job in sorted(plan.jobs.items())] == [[], [], ["torch"]]


def test_trials_that_run_together_are_one_job_for_a_data_set_and_a_name(load):
    own = on_digits(net, repeats=3, job="nets", mem_mb=7000)
    plan = load(study(quick(on_digits(small, b), own, job="trees")))
    trees, nets = plan.jobs.values()
    assert trees.key == ("p", "digits", "trees", 0, 1)
    assert [(group.method, repeats) for group, repeats in trees.trials] == [("a", (0, 1)), ("b", (0, 1))]
    assert (nets.key, nets.most("mem_mb"), plan.packages(nets.groups)) == (("p", "digits", "nets", 0, 2), 7000, ["torch"])


@given(st.lists(st.tuples(st.integers(1, 12), st.integers(1, 5), st.booleans(), st.sets(st.integers(0, 11))), max_size=5))
def test_every_repeat_that_is_not_archived_is_in_exactly_one_job(drawn):
    groups = [
        Group("p", "d", "s", f"m{n}", repeats, size, job="all" if together else None)
        for n, (repeats, size, together, _) in enumerate(drawn)
    ]
    archived = {group.key: frozenset(known) for group, (*_, known) in zip(groups, drawn, strict=True)}
    run = [(group.key, repeat) for job in cut_jobs(groups, archived) for group, repeats in job.trials for repeat in repeats]
    assert sorted(run) == sorted((g.key, k) for g in groups for k in range(g.repeats) if k not in archived[g.key])
    assert all(job.first <= k <= job.last for job in cut_jobs(groups) for _, repeats in job.trials for k in repeats)


def test_overrides_apply_from_the_general_to_the_special(load):
    plan = load()
    assert plan.method("p", "a", "digits").params == {"n_estimators": 10, "loss": "savage", "max_depth": 3}
    assert plan.method("p", "a", "mnist").params == {"n_estimators": 10, "loss": "logistic", "max_depth": 3}
    assert split_on(plan, "digits") == CaseControl(n_labeled=50)
    plan = load(preset="paper")
    assert plan.method("p", "a", "mnist").params == {"n_estimators": 100, "loss": "logistic"}
    assert split_on(plan, "mnist") == CaseControl(n_labeled=1000)
    plan = load(methods={"a": {"params": {"n_estimators": 7}, "datasets": {"digits": {"params": {"loss": "sigmoid"}}}}})
    assert plan.method("p", "a", "digits").params == {"n_estimators": 7, "loss": "sigmoid", "max_depth": 3}
    assert plan.method("p", "a", "mnist").params == {"n_estimators": 7, "loss": "logistic", "max_depth": 3}


def split_on(plan, dataset):
    return plan.recipe(plan.groups["p", dataset, "standard", "a"]).split


def test_sets_that_share_arrays_are_prepared_once_and_the_most_repeats_win(load):
    plan = load(preset="paper")
    assert plan.datasets() == ["mnist"]
    assert plan.groups[("p", "mnist", "standard", "a")].repeats == 7
    assert batches(plan, "p", "mnist_digit_7", "standard", "a") == [(0, 4)]


def test_more_repeats_leave_full_batches_as_they_are(load):
    five, six = (batches(load(repeats=n), "p", "digits", "standard", "a") for n in (5, 6))
    assert six == [*five, (5, 5)]


def test_what_a_job_asks_for_comes_from_its_experiment_and_a_gpu_from_its_method_too(load):
    kept = b.on("digits", needs_gpu=True)
    plan = load(study(quick(on_digits(small, kept, threads=4, mem_mb=9000, runtime=7))))
    group = plan.groups["p", "digits", "standard", "a"]
    assert (group.threads, group.mem_mb, group.runtime, group.gpus) == (4, 9000, 7, 0)
    assert plan.groups["p", "digits", "standard", "b"].gpus == 1


def test_only_datasets_takes_a_set_and_those_that_share_its_arrays(load):
    assert {g[1] for g in load(preset="paper", only_datasets=["mnist"]).groups} == {"mnist", "mnist_digit_7"}
    assert {g[1] for g in load(preset="paper", only_datasets=["mnist_digit_7"]).groups} == {"mnist_digit_7"}
    assert load(only_methods=["b"]).groups.keys() == {("p", "digits", "standard", "b")}


def test_only_settings_takes_those_of_that_name_and_no_unknown_one():
    config = read_yaml(ROOT / "config" / "config.yaml") | {"studies": ["opu"], "preset": "paper"}
    every = make_plan(config).groups.keys()
    assert {key[2] for key in every} > {"r20"}
    part = make_plan(config | {"only_settings": ["r20"]})
    assert part.groups.keys() == {key for key in every if key[2] == "r20"}
    assert part.is_part
    assert part.whole.keys() == every
    with pytest.raises(ConfigError, match=r"only_settings: no study has a setting 'r21' \(did you mean 'r2"):
        make_plan(config | {"only_settings": ["r21"]})


def test_only_share_selects_about_that_share_and_the_same_each_time():
    config = read_yaml(ROOT / "config" / "config.yaml") | {"studies": ["opu"], "preset": "paper"}
    every = make_plan(config).groups.keys()
    tenth, half, again = (make_plan(config | {"only_share": share}) for share in (0.1, 0.5, 0.1))
    assert tenth.groups.keys() == again.groups.keys() < half.groups.keys() < every == tenth.whole.keys()
    assert abs(len(half.groups) / len(every) - 0.5) < 0.2
    assert len({key[2] for key in half.groups}) > 1
    one = list(next(iter(half.groups)))
    none = {"only_datasets": [one[1]], "only_settings": [one[2]], "only_methods": [one[3]], "only_share": 1e-9}
    with pytest.raises(ConfigError, match=r"only_methods: .*, only_share: 1e-09: no experiment of the preset 'paper' of opu"):
        load_plan(config | none, load_registry())
    with pytest.raises(ConfigError, match=r"only_share.* 0"):
        make_plan(config | {"only_share": 0})


def test_a_users_methods_and_experiments_are_added_to_the_studys(load):
    mine = {"label": "Mine", "estimator": "sklearn.tree.ExtraTreeClassifier", "params": {"max_depth": 1}}
    before = load()
    plan = load(methods={"mine": mine}, experiments={"p": [OWN | {"methods": ["a", "mine"]}]})
    new = [("p", "mnist", "standard", name) for name in ("a", "mine")]
    assert plan.groups.keys() - before.groups.keys() == {*new}
    assert plan.groups.items() >= before.groups.items()
    assert plan.groups[new[0]].repeats == 2, "the paper's"
    assert plan.recipe(plan.groups[new[1]]).method == Method(**mine, name="mine")


def test_missing_plans_what_is_not_archived_and_none_plans_nothing(load):
    key, other = (("p", name, "standard", "a") for name in MNIST)
    archived = {key: frozenset((0, 1, 2, 3, 5)), other: frozenset(range(5))}

    def plan(train, **changes):
        plan = load(preset="paper", only_datasets=["mnist"], only_methods=["a"], train=train, **changes)
        plan.find_archived = lambda study: archived
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
    assert (whole.is_part, whole.shows_archived) == (False, True)
    part = load(preset="paper", only_datasets=["mnist_digit_7"], only_methods=["a"], repeats=1)
    assert (part.is_part, part.shows_archived) == (True, False), "an option shows only what was run"
    assert load(preset="paper", only_datasets=["mnist"], train="none").shows_archived
    assert list(part.groups) == [("p", "mnist_digit_7", "standard", "a")]
    assert part.whole == whole.groups
    assert part.identities("p") == whole.identities("p")
    more = load(preset="paper", only_datasets=["mnist"], only_methods=["a"], repeats=50)
    assert more.identities("p")[("p", "mnist", "standard", "a")][1] == 50


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"train": "missing"}, ["config: train", "missing", "paper", "'quick'"]),
        ({"repeats": 0}, ["config: repeats", "0"]),
        ({"preset": "paperr"}, ["config: preset", "paperr", "quick"]),
        ({"only_datasets": ["mnis"]}, ["only_datasets", "'mnis'", "did you mean 'mnist'?"]),
        ({"only_methods": ["c"]}, ["only_methods", "'c'", "expected one of"]),
        ({"only_datasets": ["mnist"]}, ["only_datasets: ['mnist']", "no experiment of the preset 'quick' of p", "['digits']"]),
        ({"experiments": {"resvn": []}}, ["config: experiments", "unknown study 'resvn'", "did you mean 'resvm'?"]),
        ({"methods": {"b": {"needs_gpu": "tpu"}}}, ["methods", "b.needs_gpu", "'tpu'", "boolean"]),
        (study(quick(Experiment(datasets=["digts"], settings=[standard], methods=[a]))),
         ["study p: preset quick", "unknown data set 'digts'", "did you mean 'digits'?"]),
        (study(quick(on_digits(a), stand_ins={"mnist": "digts"})), ["study p: preset quick", "'digts'", "'digits'?"]),
        (study(quick(on_digits(a.on("mnits", standardize=True)))), ["preset quick", "unknown data set 'mnits'", "'mnist'?"]),
        (study(quick(Experiment(datasets=["digits"], settings=[standard.on("digts", n_labeled=3)], methods=[a]))),
         ["study p: preset quick", "'digts'", "'digits'?"]),
        (study(quick(on_digits(a.but(params={"n_estimator": 3})))),
         ["study p: method a: pulib.trees.PUExtraTreesClassifier", "takes no parameter 'n_estimator'", "'n_estimators'?"]),
        ({"experiments": {"p": [OWN | {"datasets": ["own"]}]}, "only_datasets": ["digits"]},
         ["config: datasets.own: files: path: there is no file", "/gone/a.csv'"]),
        (study_of(presets={"paper": PAPER}), ["study p: no preset 'quick'", "['paper']"]),
    ],
)  # fmt: skip
def test_a_mistake_ends_in_one_readable_error_that_names_its_place(load, asked, words):
    with pytest.raises(ConfigError) as caught:
        load(**asked) if isinstance(asked, dict) else load(asked)
    assert all(word in str(caught.value) for word in words), str(caught.value)
    assert "\n" not in str(caught.value)


def write_study(folder, text):
    """A package ``mine`` with a study of one's own."""
    (folder / "mine").mkdir()
    (folder / "mine" / "__init__.py").touch()
    (folder / "mine" / "study.py").write_text(text, encoding="utf-8")


MINE = """
from pulab.plan import Preset, Study
from tests.pulab.toy import quick_of, tree

STUDY = Study(name="mine", title="Mine", methods=[tree], presets={"quick": quick_of([tree])})
"""


@pytest.fixture
def forgets(monkeypatch):
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] in ("mine", "theirs")]:
        del sys.modules[name]


@pytest.mark.usefixtures("forgets")
def test_a_users_study_is_an_importable_package(tmp_path, monkeypatch):
    write_study(tmp_path, MINE)
    monkeypatch.syspath_prepend(tmp_path)
    plan = make_plan(read_yaml(ROOT / "config" / "config.yaml") | {"studies": ["mine", "opu"]}, "mine")
    assert list(plan.groups) == [("mine", "digits", "standard", "tree")]
    assert plan.studies["mine"].module == "mine"
    assert loading.folder_of(plan.studies["mine"]) == tmp_path / "mine"
    (tmp_path / "theirs").symlink_to(tmp_path / "mine")
    with pytest.raises(ConfigError, match=f"{tmp_path}/mine and {tmp_path}/theirs have the same name, 'mine'"):
        make_plan(read_yaml(ROOT / "config" / "config.yaml") | {"studies": ["mine", "theirs"]})


@pytest.mark.usefixtures("forgets")
@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        (MINE.replace("[tree]", '[tree, tree.but(params={"max_depth": 9})]', 1), ConfigError, "study mine: methods: 'tree'"),
        (MINE.replace("title=", "titlle="), TypeError, "'titlle'"),
        ("import no_such_module_here", ModuleNotFoundError, "no_such_module_here"),
    ],
)
def test_an_error_in_a_users_study_is_not_reported_as_a_missing_study(tmp_path, monkeypatch, text, error, words):
    write_study(tmp_path, text)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(error, match=words):
        load_study("mine")


def test_the_repositorys_studies_are_found_as_modules_or_packages():
    assert study_names() == sorted(read_yaml(ROOT / "config" / "config.yaml")["studies"])
    for name in study_names():
        assert load_study(name).module == f"studies.{name}"


def test_a_jobs_plan_is_its_studys_part_of_the_whole_plan():
    config = read_yaml(ROOT / "config" / "config.yaml")
    whole, part = make_plan(config), make_plan(config, "opu")
    assert part.groups == {key: group for key, group in whole.groups.items() if key[0] == "opu"}
    assert part.identities("opu") == whole.identities("opu")
    assert list(part.studies) == ["opu"]


@pytest.mark.parametrize("name", ["helper.py", "page.html", "page.css", "board.js", "index.md", "ranks.md.jinja"])
def test_what_is_rendered_is_made_again_after_a_change_of_code_or_of_a_template(name, tmp_path, monkeypatch):
    monkeypatch.setattr(identity, "ROOT", tmp_path)
    (tmp_path / "reports" / "templates").mkdir(parents=True)
    found = set()
    for text in ("a", "b"):
        (tmp_path / "reports" / "templates" / name).write_text(text)
        found.add(identity.files_fingerprint.__wrapped__("reports"))
    assert len(found) == 2


def test_what_is_rendered_is_made_again_after_a_change_of_what_a_study_says_or_is_made_by(load):
    entry = study()
    before = rendered_from(load(entry), "p", "pulab/tables")
    assert rendered_from(load(replace(entry)), "p", "pulab/tables") == before
    assert rendered_from(load(replace(entry, title="T2")), "p", "pulab/tables") != before
    assert rendered_from(load(entry, methods={"b": {"label": "B2"}}), "p", "pulab/tables") != before
    assert rendered_from(load(replace(entry, module="studies.opu")), "p", "pulab/tables") != before
    assert rendered_from(load(entry), "p", "pulab/figures") != before
    titled = {**REGISTRY, "digits": REGISTRY["digits"] | {"title": "Digits"}}
    assert rendered_from(load(entry, titled), "p", "pulab/tables") != before


def test_the_shipped_configuration_is_valid_in_both_presets():
    base = read_yaml(ROOT / "config" / "config.yaml")
    over = read_yaml(ROOT / "config" / "paper.yaml")
    for config in (base, merged(base, over)):
        plan = load_plan(config, load_registry())
        assert plan.studies.keys() == {group.study for group in plan.groups.values()}, "a study runs nothing"
        for group in plan.groups.values():
            split = plan.recipe(group).split
            assert isinstance(split, SCHEMES[split.name])
            assert {split: group}[split] is group, "a job keeps its splits by scheme"


def test_planning_imports_no_library_that_learns():
    """Whoever plans would wait for it: these imports are those of ``workflow/rules/common.smk``, and the studies'."""
    common = (ROOT / "workflow" / "rules" / "common.smk").read_text(encoding="utf-8")
    imports = [line for line in common.splitlines() if re.match(r"(from|import) (pu|studies)", line)]
    assert len(imports) > 10
    plan = "print(len(make_plan(read_yaml('config/config.yaml')).groups), *sys.modules)"
    more = ["import sys", "from pulab.plan.configuration import read_yaml", "from pulab.plan.plan import make_plan"]
    code = "; ".join([*imports, *more, plan])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    n_groups, *modules = done.stdout.split()
    assert int(n_groups) > 100
    assert {"studies.opu.study", "studies.levelfield.study.methods"} < {*modules}
    assert {"numba", "pandas", "scipy", "sklearn", "torch", "matplotlib"} & {*modules} == set()
