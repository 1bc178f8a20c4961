"""The configuration and the studies' objects: a misspelled word ends the planning, wherever it stands."""

import ast
import copy
import dataclasses
import inspect
import json
import re
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import get_args

import pydantic
import pytest
import yaml

from pulab.plan import Cause, ExpectedFailure, Preset, Setting, Shown, Task, load, schemas
from pulab.plan.canonical import estimators_in
from pulab.plan.configuration import ConfigError, read_yaml
from pulab.plan.experiment import StudyError
from pulab.plan.load import folder_of, load_study, shared_methods, study_names
from pulab.plan.plan import load_plan
from pulab.plan.study import Reading
from pulab.plan.targets import load_priors, load_speed
from pulab.plan.versions import ESTIMATORS, LOADERS
from pulab.tables.verdict import CAUSES, KINDS
from pulab.trials.protocol import scenario_of
from pulab.trials.runner import protocol_of
from pulib.datasets import load_registry
from pulib.datasets.registry import RegistryError
from pulib.sampling import Contaminated
from tests.pulab.toy import PLAIN, setting, study_of, tree

ROOT = Path(__file__).parents[2]
CONFIG = sorted((ROOT / "config").rglob("*.yaml"))
STUDIES = {name: load_study(name) for name in study_names()}
DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@pytest.fixture(scope="module")
def shipped():
    """The files of ``config/`` as they are, by their names."""
    return {file.name: read_yaml(file) for file in CONFIG}


@pytest.fixture
def plan_all(tmp_path, monkeypatch):
    """Read what planning reads, with some files of ``config/`` in another version."""

    def plan(**changed):
        (tmp_path / "config").mkdir()
        for file in CONFIG:
            if file.name in changed:
                text = yaml.dump(changed[file.name], Dumper=DUMPER)
                (tmp_path / "config" / file.name).write_text(text, encoding="utf-8")
            else:
                (tmp_path / "config" / file.name).symlink_to(file)
        config = read_yaml(tmp_path / "config" / "config.yaml")
        registry = load_registry(extra=config["datasets"])
        load_plan(config, registry)
        load_speed(registry, tmp_path)
        load_priors("quick", registry, tmp_path)
        monkeypatch.setattr(load, "ROOT", tmp_path)
        shared_methods.__wrapped__()

    return plan


OWN = {"datasets": ["digits"], "settings": ["r30"], "methods": ["opu_dh"]}
TREE = {"label": "Tree", "estimator": "sklearn.tree.DecisionTreeClassifier"}
#: File, the way to a key, what is written there instead, and words of the message.
MISTAKES = [
    ("config.yaml", ["only_dataset"], [], ["config: only_dataset: unknown key", "did you mean 'only_datasets'?"]),
    ("config.yaml", ["only_datasets"], "digits", ["config: only_datasets", "valid list, got 'digits'"]),
    ("config.yaml", ["studies"], ["resvm", "resvm"], ["config: studies", "twice"]),
    ("config.yaml", ["studies"], ["resvn"], ["config: studies: unknown study 'resvn'", "did you mean 'resvm'?"]),
    ("config.yaml", ["datasets"], {"own": {"title": "Own", "loader": "tabel", "positive": [1]}}, ["'tabel'", "mean 'table'?"]),
    ("config.yaml", ["methods"], {"opu_dh": {"datasets": {"digts": {}}}}, ["config: methods.opu_dh.datasets", "'digits'?"]),
    ("config.yaml", ["methods"], {"opu_dg": {"params": {}}}, ["config: methods: unknown method 'opu_dg'", "mean 'opu_dh'?"]),
    ("config.yaml", ["methods"], {"opu_dh": {"standardise": True}}, ["opu_dh.standardise: unknown key", "'standardize'?"]),
    ("config.yaml", ["methods"], {"opu_dh": {"params": {"loss": "x"}}}, ["methods.opu_dh", "'loss' parameter", "Got 'x'"]),
    ("config.yaml", ["methods"], {"own": TREE | {"params": {"max_depth": "x"}}}, ["own", "Tree", "'max_depth' parameter"]),
    ("config.yaml", ["methods"], {"resvm_resvm": {"grid": {"gama": [1]}}}, ["methods.resvm_resvm", "'gama'", "'gamma'?"]),
    ("config.yaml", ["methods"], {"own": TREE | {"grid": {"max_dept": [1]}}}, ["methods.own", "'max_dept'", "'max_depth'?"]),
    ("config.yaml", ["methods"], {"lf_naive_lr": {"grid": {"estimator__c": [1]}}}, ["lf_naive_lr", "'estimator__c'"]),
    ("config.yaml", ["experiments"], {"opu": [OWN | {"setings": []}]}, ["experiments.opu.0.setings: unknown", "'settings'?"]),
    ("config.yaml", ["experiments"], {"opu": [OWN | {"settings": ["r31"]}]}, ["experiments.opu", "unknown setting 'r31'"]),
    ("config.yaml", ["experiments"], {"opu": [OWN | {"methods": ["resvm"]}]}, ["experiments.opu", "unknown method 'resvm'"]),
    ("methods.yaml", ["nnpu_mlp", "lable"], "x", ["config/methods.yaml: nnpu_mlp.lable: unknown key", "did you mean 'label'?"]),
    ("methods.yaml", ["nnpu_mlp", "style"], ["green"], ["methods.yaml: nnpu_mlp.style", "at least 2 items"]),
    ("methods.yaml", ["nnpu_mlp", "style"], ["gren", "^"], ["nnpu_mlp.style: unknown color 'gren'", "'green'?", "vermilion"]),
    ("config.yaml", ["methods"], {"opu_dh": {"style": ["green", "D"]}}, ["opu_dh.style: unknown marker 'D'", "one of o, s"]),
    ("methods.yaml", ["nnpu_mlp", "datasets", "mnist", "parms"], {}, ["nnpu_mlp.datasets.mnist.parms: unknown", "'params'?"]),
    ("methods.yaml", ["nnpu_mlp", "labels"], "all_of_them", ["nnpu_mlp.labels", "'pu', 'pn' or 'all'", "'all_of_them'"]),
    ("methods.yaml", ["nnpu_mlp", "estimator"], "pulib.neural.NeuralPUClasifier", ["nnpu_mlp.estimator", "'pulib.neural.N"]),
    ("methods.yaml", ["nnpu_mlp", "estimator"], "pulib.neural._base.NeuralPU", ["nnpu_mlp.estimator", "match pattern"]),
    ("speed.yaml", ["resvm", "captions"], "x", ["config/speed.yaml: resvm.captions: unknown key", "'caption'?"]),
    ("speed.yaml", ["resvm", "quick", "dataset"], "mnsit", ["speed.yaml: resvm.quick: unknown data set 'mnsit'", "'mnist'?"]),
    ("priors.yaml", ["quick", "n_labelled"], 5, ["config/priors.yaml: quick.n_labelled: unknown key", "'n_labeled'?"]),
    ("priors.yaml", ["paper", "datasets", 0], "breast", ["priors.yaml: paper.datasets.0: unknown data set 'breast'"]),
]  # fmt: skip


def test_the_files_are_without_mistakes(plan_all):
    plan_all()


@pytest.mark.parametrize(("file", "path", "value", "words"), MISTAKES)
def test_a_mistake_is_named_by_file_key_and_what_is_accepted(shipped, plan_all, file, path, value, words):
    content = copy.deepcopy(shipped[file])
    reduce(lambda part, key: part[key], path[:-1], content)[path[-1]] = value
    with pytest.raises((ConfigError, RegistryError)) as error:
        plan_all(**{file: content})
    assert all(word in str(error.value) for word in words), str(error.value)
    assert "\n" not in str(error.value)


pu = Setting("pu", "PU", Contaminated(), PLAIN)
#: A misspelled or contradictory object, and words of the message.
OBJECTS = [
    (lambda: tree.but(parms={}), StudyError, ["method tree: unknown field 'parms'", "did you mean 'params'?"]),
    (lambda: pu.but(n_labelled=5), StudyError, ["setting pu: unknown field 'n_labelled'", "did you mean 'n_labeled'?"]),
    (lambda: pu.on("mnist", n_unlabelled=5), StudyError, ["setting pu: unknown field 'n_unlabelled'", "'n_unlabeled'?"]),
    (lambda: tree.but(style=("gren", "^")), StudyError, ["method tree: style: unknown color 'gren'", "'green'?"]),
    (lambda: tree.but(style=("green",)), StudyError, ["method tree: style: expected a color and a marker", "('green',)"]),
    (lambda: tree.but(estimator="pulib.tree.X"), StudyError, ["method tree: estimator: unknown estimator 'pulib.tree.X'"]),
    (lambda: tree.but("tree-2"), StudyError, ["method 'tree-2': a name has only letters"]),
    (lambda: setting.but("n=100"), StudyError, ["setting 'n=100': a name has only letters"]),
    (lambda: Preset(job="a b", experiments=[]), StudyError, ["job 'a b': a name has only letters"]),
    (lambda: study_of(name="my-toy"), StudyError, ["study 'my-toy': a name has only letters"]),
    (lambda: study_of(name="tidy"), StudyError, ["study 'tidy': a folder of results has this name; rename the study"]),
    (lambda: Preset(repeats=0, experiments=[]), StudyError, ["preset: repeats: expected 1 or more, got 0"]),
    (lambda: study_of(causes=[Cause(table="tabel", cause="data", why="w")]), StudyError, ["cause 'w': unknown table 'tabel'"]),
    (lambda: study_of(expected_failures=[ExpectedFailure(method="treex")]), StudyError, ["unknown method 'treex'", "'tree'?"]),
    (lambda: study_of(expected_failures=[ExpectedFailure(setting="x")]), StudyError, ["expected failure: unknown setting 'x'"]),
    (lambda: study_of(methods=[tree, tree.but(params={"max_depth": 2})]), StudyError, ["p: methods: 'tree'", "defined twice"]),
    (lambda: study_of(settings=[setting, setting.but(n_labeled=7)]), StudyError, ["preset quick: settings: 'standard'"]),
]  # fmt: skip


@pytest.mark.parametrize(("make", "error", "words"), OBJECTS)
def test_a_mistake_in_a_study_is_an_error_when_it_is_made(make, error, words):
    with pytest.raises(error) as caught:
        make()
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_a_field_name_shared_by_split_and_task_is_an_error():
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Clash(Task):
        n_labeled: int = 3

    with pytest.raises(StudyError, match="both the split and the task have 'n_labeled'"):
        Setting("pu", "PU", Contaminated(), Clash()).but(n_labeled=5)


@pytest.mark.parametrize("name", STUDIES)
def test_words_of_a_studys_objects_are_known_ones(name):
    """Types do not hold words at run time: labels, roles, causes and scenarios."""
    study = STUDIES[name]
    assert study.name == name
    for method in methods_of(name):
        assert method.labels in ("pu", "pn", "all")
        assert method.role in ("", "ceiling", "trivial", "before", "rival")
        assert all(re.fullmatch(r"[a-z0-9_]+", word) for word in (method.name, *method.by_dataset)), method.name
    assert {cause.cause for cause in study.causes} <= CAUSES.keys()
    assert all(failure.message for failure in study.expected_failures)
    assert {study.answers} <= {*study.tables, ""}
    for task in tasks_of(name):
        assert scenario_of(dataclasses.make_dataclass("Context", ["task"])(task)) in ("two_sample", "one_sample")


@pytest.mark.parametrize("name", STUDIES)
def test_shown_tables_and_figures_use_known_words(name):
    study = STUDIES[name]
    for own, shown in (*study.tables.items(), *study.figures.items()):
        assert re.fullmatch(r"[a-z0-9_]+", own)
        assert isinstance(shown, Shown)
        assert shown.title
        assert shown.cells in ("", *KINDS)
        assert shown.reading in get_args(Reading)
        assert shown.first_repeats is None or shown.first_repeats >= 1
        assert not shown.published or (folder_of(study) / "published.csv").is_file()
    assert not study.tables.keys() & study.figures.keys(), "a file has the name of one of them"
    assert all(shown.caption for shown in study.figures.values())
    assert len({shown.title for shown in study.figures.values()}) == len(study.figures)


@pytest.mark.parametrize("section", ["tables", "figures"])
@pytest.mark.parametrize("name", STUDIES)
def test_every_shown_table_and_figure_has_a_function_and_vice_versa(name, section):
    """It takes results and the paper; a public function that is called like a table or a figure is shown."""
    module = import_module(f"{STUDIES[name].module}.{section}")
    shown, kind = getattr(STUDIES[name], section), section.removesuffix("s")
    assert shown
    for own in shown:
        inspect.signature(getattr(module, own)).bind("results", "paper")
    found = {own for own, value in vars(module).items() if own.startswith(kind) and own != kind and inspect.isfunction(value)}
    own = {word for word in found if vars(module)[word].__module__.startswith(STUDIES[name].module)}
    assert own <= shown.keys()


def methods_of(name):
    """All methods of a study, as presets and data sets have them."""
    study = STUDIES[name]
    methods = [method for preset in study.presets for method in study.methods_of(preset).values()]
    return [own for method in methods for own in (method, *method.by_dataset.values())]


def tasks_of(name):
    """All tasks that a study runs."""
    settings = [own for preset in STUDIES[name].presets for own in STUDIES[name].settings_of(preset).values()]
    return [task for own in settings for task in (own.task, *own.tasks.values())]


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_has_a_function_for_each_of_its_tasks_and_no_other(name):
    used = {type(task) for task in tasks_of(name)}
    run = import_module(f"{STUDIES[name].module}.protocol").RUN
    assert used == run.keys()
    assert all(map(callable, run.values()))
    assert len({kind.name for kind in used}) == len(used)
    assert all(kind.name and kind.version >= 1 for kind in used)
    recipe = dataclasses.make_dataclass("Recipe", ["module", "task"])(STUDIES[name].module, tasks_of(name)[0])
    assert protocol_of(recipe) is run[type(recipe.task)]


def test_schemas_are_those_of_the_models():
    """In every word where the same pydantic made them, else in their keys; and there is no other."""
    assert {f"{name}.schema.json" for name in schemas.FILES} == {file.name for file in schemas.FOLDER.iterdir()}
    for name, kind in schemas.FILES.items():
        made, kept = schemas.make_schema(kind), json.loads((schemas.FOLDER / f"{name}.schema.json").read_text("utf-8"))
        assert keys_of(made) == keys_of(kept), "run python -m pulab.plan.schemas"
        assert made == kept or made["$comment"] != kept["$comment"], "run python -m pulab.plan.schemas"
    assert f"pydantic {pydantic.VERSION.rpartition('.')[0]}" in made["$comment"]


def keys_of(schema):
    return {name: set(part.get("properties", ())) for name, part in {**schema.get("$defs", {}), "": schema}.items()}


def test_no_path_in_the_configuration_leads_to_something_private(shipped):
    texts = {name: json.dumps(content) for name, content in shipped.items()}
    private = re.compile(r"\bpul(?:ib|ab)(?:\.\w+)*\._\w+")
    assert not [(name, found) for name, text in texts.items() for found in private.findall(text)]
    named = {path for name in STUDIES for part in (*tasks_of(name), *methods_of(name)) for path in estimators_in(part)}
    assert len(named) > 20
    assert not [path for path in {*ESTIMATORS, *named} if "._" in path]
    assert {path for path in named if path.startswith("pulib.")} <= ESTIMATORS.keys()
    assert all(name.isidentifier() for name in LOADERS)


def test_code_contains_no_names_of_studies_or_methods():
    """Claims name what a sentence is about; split schemes may be called as the study that they come from."""
    names = {*STUDIES, *(name for study in STUDIES.values() for name in study.methods_of(None))}
    names.remove("elsewhere")  # a reading of this name, too
    files = [file for folder in ("pulab", "workflow") for file in (ROOT / folder).rglob("*.py") if "claims" not in file.parts]
    assert len(files) > 80
    found = {(file.relative_to(ROOT).as_posix(), name) for file in files for name in strings_in(file) & names}
    found |= {
        (file.name, name)
        for file in [ROOT / "Snakefile", *(ROOT / "workflow" / "rules").glob("*.smk")]
        for name in names & set(re.findall(r"""["'](\w+)["']""", file.read_text("utf-8")))
    }
    assert not found


def strings_in(file):
    """Whole strings: a name within a docstring's example is none."""
    nodes = ast.walk(ast.parse(file.read_text("utf-8")))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


@pytest.mark.parametrize("file", CONFIG, ids=lambda file: file.name)
def test_yaml_is_data_without_nested_merges(file):
    """Parsers differ in how they order nested merges: what is merged into an entry merges nothing itself at that level."""
    node = yaml.compose(file.read_text("utf-8"), Loader=LOADER)
    merged = [value for part in mappings_in(node) for key, value in part.value if key.value == "<<"]
    assert not [part.start_mark.line + 1 for part in merged for key, _ in part.value if key.value == "<<"]


def mappings_in(node):
    """A YAML node's mappings, also those in it."""
    if isinstance(node, yaml.MappingNode):
        yield node
    if isinstance(node, yaml.CollectionNode):
        for part in node.value:
            yield from mappings_in(part[1] if isinstance(node, yaml.MappingNode) else part)


def test_each_setting_of_opu_hides_the_share_in_its_name():
    shares = {"r20": 0.2, "r30": 0.3, "r40": 0.4}  # section 6.2: "20%, 30%, 40%"
    settings = {**STUDIES["opu"].settings_of("quick"), **STUDIES["opu"].settings_of("paper")}
    assert settings.keys() > shares.keys()
    for name, own in settings.items():
        share = shares.get(name[:3], 0.3)
        assert {split.r for split in (own.split, *own.splits.values())} == {share}, name
        assert f"r = {share:.0%}" in own.label, name
