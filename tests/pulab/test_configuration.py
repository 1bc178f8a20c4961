"""The typed models of the configuration: a misspelled word ends the planning, whatever file and level it stands on."""

import ast
import copy
import dataclasses
import inspect
import json
import re
from functools import reduce
from pathlib import Path

import pydantic
import pytest
import yaml

from pulab.trials import options, schemas
from pulab.plan.configuration import ConfigError, read_yaml
from pulab.plan.plan import load_plan
from pulab.plan.targets import load_priors, load_speed, measured_arguments
from pulab.plan.versions import ESTIMATORS, LOADERS, PROTOCOLS
from pulib.datasets import load_registry
from pulib.datasets.registry import RegistryError
from pulib.sampling import SCHEMES

ROOT = Path(__file__).parents[2]
RESVM = "studies/resvm.yaml"
DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@pytest.fixture(scope="module")
def shipped():
    """The files of ``config/`` as they are, by their names."""
    files = [*(ROOT / "config").glob("*.yaml"), *(ROOT / "config" / "studies").glob("*.yaml")]
    return {file.relative_to(ROOT / "config").as_posix(): read_yaml(file) for file in files}


def plan_all(root, **changed):
    """What planning reads, with some files of ``config/`` in another version."""
    (root / "config" / "studies").mkdir(parents=True)
    for file in [*(ROOT / "config").glob("*.yaml"), *(ROOT / "config").glob("studies/*.yaml")]:
        name = file.relative_to(ROOT / "config").as_posix()
        if name in changed:
            (root / "config" / name).write_text(yaml.dump(changed[name], Dumper=DUMPER), encoding="utf-8")
        else:
            (root / "config" / name).symlink_to(file)
    config = read_yaml(root / "config" / "config.yaml")
    studies = [Path(name).stem for name in changed if name.startswith("studies/")]
    config |= {"studies": studies} if studies else {}  # the others are as they are in the test above
    registry = load_registry(extra=config["datasets"])
    load_plan(config, registry, root)
    load_speed(registry, root)
    load_priors("quick", registry, root)


#: File, the way to a key, what is written there instead, and words of the message.
MISTAKES = [
    ("config.yaml", ["only_dataset"], [], ["config: only_dataset: unknown key", "did you mean 'only_datasets'?"]),
    ("config.yaml", ["only_datasets"], "digits", ["config: only_datasets", "valid list, got 'digits'"]),
    ("config.yaml", ["studies"], ["resvm", "resvm"], ["config: studies", "twice"]),
    ("config.yaml", ["datasets"], {"own": {"title": "Own", "loader": "tabel", "positive": [1]}}, ["'tabel'", "mean 'table'?"]),
    ("methods.yaml", ["lf_nnpu", "lable"], "x", ["config/methods.yaml: lf_nnpu.lable: unknown key", "did you mean 'label'?"]),
    ("methods.yaml", ["lf_resvm", "style", "colour"], "x", ["methods.yaml: lf_resvm.style.colour: unknown key", "'color'"]),
    ("methods.yaml", ["lf_resvm", "style", "color"], "grene", ["lf_resvm.style.color", "'green'", "got 'grene'"]),
    ("methods.yaml", ["lf_nnpu", "options", "standardise"], True, ["lf_nnpu.options.standardise: unknown", "'standardize'?"]),
    ("studies/levelfield.yaml", ["presets", "quick", "methods", "lf_nnpu", "parms"], {},
     ["presets.quick.methods.lf_nnpu.parms: unknown", "'params'?"]),
    ("methods.yaml", ["adapu", "datasets", "epsilonn"], {}, ["adapu.datasets", "unknown data set 'epsilonn'", "'epsilon'?"]),
    ("methods.yaml", ["adapu", "estimator"], "pulib.boosting.AdaPUClasifier", ["adapu.estimator", "'pulib.boosting.AdaPUC"]),
    ("methods.yaml", ["adapu", "estimator"], "pulib.boosting._adapu.AdaPUClassifier", ["adapu.estimator", "match pattern"]),
    (RESVM, ["citations"], "x", ["config/studies/resvm.yaml: citations: unknown key", "did you mean 'citation'?"]),
    (RESVM, ["settings", "pu", "lable"], "x", ["resvm.yaml: settings.pu.lable: unknown key", "'label'?"]),
    (RESVM, ["settings", "pu", "split", "scheme"], "contamined", ["settings.pu.split.scheme: unknown", "'contaminated'?"]),
    (RESVM, ["settings", "pu", "split", "n_labelled"], 5, ["settings.pu.split.n_labelled: unknown key", "'n_labeled'?"]),
    (RESVM, ["settings", "pu", "datasets", "mnist*", "split", "n_unlabelled"], 5,
     ["settings.pu.datasets.mnist*.split.n_unlabelled: unknown key", "'n_unlabeled'?"]),
    (RESVM, ["settings", "pu", "datasets", "minst*"], {}, ["settings.pu.datasets.minst*", "unknown data set 'minst*'"]),
    (RESVM, ["settings", "pu", "evaluate", "n_fold"], 5, ["settings.pu.evaluate.n_fold: unknown key", "'n_folds'?"]),
    (RESVM, ["settings", "pu", "evaluate", "task"], "grid", ["settings.pu.evaluate.task", "'grid_search' or 'random_search'"]),
    (RESVM, ["presets", "quik"], {}, ["presets.quik", "'quick'"]),
    (RESVM, ["presets", "quick", "repeat"], 2, ["presets.quick.repeat: unknown key", "did you mean 'repeats'?"]),
    (RESVM, ["presets", "quick", "stand_ins", "cancr"], "digits", ["presets.quick.stand_ins.cancr", "'cancer'?"]),
    (RESVM, ["presets", "quick", "settings", "sweep_*", "evaluate", "iter"], 8,
     ["presets.quick.settings.sweep_*.evaluate.iter: unknown key", "'n_iter'?"]),
    (RESVM, ["presets", "quick", "methods", "resvm_bagg"], {}, ["presets.quick.methods", "unknown method 'resvm_bagg'"]),
    (RESVM, ["presets", "quick", "experiments", 0, "setings"], [], ["quick.experiments.0.setings: unknown", "'settings'?"]),
    (RESVM, ["presets", "quick", "experiments", 0, "methods"], ["resvm"], ["experiments.0.methods.0: unknown method 'resvm'"]),
    (RESVM, ["presets", "quick", "grids", "setting"], [], ["presets.quick.grids.setting: unknown key", "'settings'?"]),
    (RESVM, ["presets", "quick", "grids", "families", "circle_noise", "end"], {},
     ["grids.families.circle_noise.end: unknown key", "did you mean 'ends'?"]),
    (RESVM, ["tables", "table2_2", "captoin"], "x", ["tables.table2_2.captoin: unknown key", "did you mean 'caption'?"]),
    (RESVM, ["figures", "figure2_3", "kind"], "resvm_density", ["figures.figure2_3.kind: unknown kind", "'resvm_densities'?"]),
    (RESVM, ["causes", 0, "rows"], "x", ["causes.0.rows: unknown key", "did you mean 'row'?"]),
    (RESVM, ["causes", 0, "table"], "table9", ["causes.0.table", "unknown table 'table9'"]),
    (RESVM, ["causes", 0, "cause"], "bad luck", ["causes.0.cause", "'unexplained'", "got 'bad luck'"]),
    (RESVM, ["deviations", 0, "hear"], "x", ["deviations.0.hear: unknown key", "did you mean 'here'?"]),
    ("studies/levelfield.yaml", ["expected_failures", 0, "methd"], "x", ["expected_failures.0.methd: unknown", "'method'?"]),
    ("speed.yaml", ["resvm", "captions"], "x", ["config/speed.yaml: resvm.captions: unknown key", "'caption'?"]),
    ("speed.yaml", ["resvm", "quick", "n_fold"], 5, ["speed.yaml: resvm.quick: unknown key 'n_fold'", "'n_folds'?"]),
    ("priors.yaml", ["quick", "n_labelled"], 5, ["config/priors.yaml: quick.n_labelled: unknown key", "'n_labeled'?"]),
    ("priors.yaml", ["paper", "datasets", 0], "breast", ["priors.yaml: paper.datasets.0: unknown data set 'breast'"]),
]  # fmt: skip


def test_the_files_are_without_mistakes(tmp_path):
    plan_all(tmp_path)


@pytest.mark.parametrize(("file", "path", "value", "words"), MISTAKES)
def test_a_mistake_is_named_by_file_key_and_what_is_accepted(shipped, tmp_path, file, path, value, words):
    content = copy.deepcopy(shipped[file])
    reduce(lambda part, key: part[key], path[:-1], content)[path[-1]] = value
    with pytest.raises((ConfigError, RegistryError)) as error:
        plan_all(tmp_path, **{file: content})
    assert all(word in str(error.value) for word in words), str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_split_scheme_has_the_options_and_defaults_of_its_class(scheme):
    taken = {field.name: field.default for field in dataclasses.fields(SCHEMES[scheme])}
    listed = {name: field.default for name, field in options.SPLITS[scheme].model_fields.items() if name != "scheme"}
    assert {name: tuple(value) if isinstance(value, list) else value for name, value in listed.items()} == taken


def test_every_scheme_and_protocol_has_its_options():
    assert list(options.SPLITS) == list(SCHEMES)
    assert list(options.EVALUATE) == [f"pulab.protocols.{name}.run" for name in PROTOCOLS]


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_protocol_reads_the_options_that_a_setting_may_have(name):
    """Its own modules, and the skeleton that they share."""

    def read(pattern):
        text = "\n".join(file.read_text("utf-8") for file in (ROOT / "pulab" / "protocols").glob(pattern))
        return set(re.findall(r'\bsetting(?:\.get\(|\[)"(\w+)"', text))

    model = options.EVALUATE[f"pulab.protocols.{name}.run"]
    shared = read("skeleton.py")
    assert shared == {"task", *options.Trials.model_fields}
    assert shared | read(f"{name}*.py") == {"task", *model.model_fields}
    if "task" in model.model_fields:
        assert set(model.model_fields["task"].annotation.__args__) == set(PROTOCOLS[name])


def test_what_a_benchmark_takes_is_read_from_its_text():
    from pulab.benchmarks import resvm

    parameters = inspect.signature(resvm.measure).parameters.values()
    assert measured_arguments("resvm") == [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]


def test_schemas_are_those_of_the_models():
    """In every word where the same pydantic made them, else in their keys."""
    for name, kind in schemas.FILES.items():
        made, kept = schemas.make_schema(kind), json.loads((schemas.FOLDER / f"{name}.schema.json").read_text("utf-8"))
        assert keys_of(made) == keys_of(kept), "run python -m pulab.plan.schemas"
        assert made == kept or made["$comment"] != kept["$comment"], "run python -m pulab.plan.schemas"
    assert f"pydantic {pydantic.VERSION.rpartition('.')[0]}" in made["$comment"]


def keys_of(schema):
    return {name: set(part.get("properties", ())) for name, part in {**schema.get("$defs", {}), "": schema}.items()}


def test_no_path_in_the_configuration_leads_to_something_private(shipped):
    shipped = {name: json.dumps(content) for name, content in shipped.items()}
    private = re.compile(r"\bpul(?:ib|ab)(?:\.\w+)*\._\w+")
    assert not [(name, found) for name, text in shipped.items() for found in private.findall(text)]
    assert not [path for path in ESTIMATORS if "._" in path]
    assert all(name.isidentifier() for name in LOADERS)


def test_no_name_of_a_study_or_a_method_stands_in_code(shipped):
    """Claims name what a sentence is about; protocols and split schemes may be called as the study that they come from."""
    names = {*shipped["methods.yaml"], *(Path(name).stem for name in shipped if name.startswith("studies/"))}
    files = [file for folder in ("pulab", "workflow") for file in (ROOT / folder).rglob("*.py") if "claims" not in file.parts]
    assert len(files) > 100
    found = {(file.relative_to(ROOT).as_posix(), name) for file in files for name in strings_in(file) & names}
    found |= {
        (file.name, name)
        for file in [ROOT / "Snakefile", *(ROOT / "workflow" / "rules").glob("*.smk")]
        for name in names & set(re.findall(r"""["'](\w+)["']""", file.read_text("utf-8")))
    }
    schemes = {(f"pulab/trials/{file}.py", name) for file in ("options", "versions") for name in [*PROTOCOLS, *SCHEMES]}
    assert found <= schemes


def strings_in(file):
    """Whole strings: a name within a docstring's example is none."""
    nodes = ast.walk(ast.parse(file.read_text("utf-8")))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


@pytest.mark.parametrize("file", sorted((ROOT / "config").rglob("*.yaml")), ids=lambda file: file.name)
def test_yaml_is_data_without_merges_and_names_things_within_one_list_only(file):
    """Each entry is whole; parsers differ in how they order nested merges, besides."""
    anchors, lists, far = {}, [], []
    for event in yaml.parse(file.read_text("utf-8"), Loader=LOADER):
        assert getattr(event, "value", None) != "<<", f"line {event.start_mark.line + 1}: a merge"
        if isinstance(event, yaml.AliasEvent):
            far += [event.anchor] if not {*anchors[event.anchor]} & {*lists} else []
        elif getattr(event, "anchor", None):
            anchors[event.anchor] = tuple(lists)
        if isinstance(event, yaml.SequenceStartEvent):
            lists.append(event.start_mark.index)
        elif isinstance(event, yaml.SequenceEndEvent):
            lists.pop()
    assert not far


def test_each_setting_of_opu_hides_the_share_in_its_name(shipped):
    shares = {"r20": 0.2, "r30": 0.3, "r40": 0.4}  # section 6.2: "20%, 30%, 40%"
    for name, setting in shipped["studies/opu.yaml"]["settings"].items():
        share = shares.get(name[:3], 0.3)
        assert setting["split"]["r"] == share, name
        assert f"r = {share:.0%}" in setting["label"], name


def test_no_line_is_longer_than_160_characters():
    files = sorted((ROOT / "config").rglob("*.yaml"))
    assert len(files) > 10
    lines = [(file, number, line) for file in files for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)]
    assert not [f"{file.relative_to(ROOT)}:{number}" for file, number, line in lines if len(line) > 160]
