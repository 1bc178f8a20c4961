"""Entries of tables and figures: a misspelled word ends the planning, and the models say what the modules read."""

import copy
import re
from pathlib import Path

import pytest
import yaml

from pulab.trials.artifacts import FIGURES, TABLES
from pulab.trials.configuration import ConfigError
from pulab.trials.models import check_study

ROOT = Path(__file__).parents[2]
#: What the workflow adds to each entry.
ADDED = {
    "study", "name", "preset", "stand_ins", "options", "causes", "methods", "classes", "roles", "styles", "setting_labels",
    "datasets", "resolved", "timings",
}  # fmt: skip
STUDY = {
    "title": "t",
    "citation": "c",
    "protocol": "pulab.protocols.toy.run",
    "settings": {"standard": {"split": {"scheme": "case_control"}}},
    "presets": {
        "quick": {"repeats": 1, "experiments": [{"datasets": ["cancer"], "settings": ["standard"], "methods": ["tree"]}]}
    },
    "tables": {
        "table1": {
            "kind": "comparison",
            "title": "t",
            "published": "1",
            "metric": "accuracy",
            "rows": [{"label": "Cancer", "select": {"dataset": "cancer"}}],
            "columns": [{"label": "forest", "select": {"method": "forest"}}, {"label": "tree", "select": {"method": "tree"}}],
        }
    },
    "figures": {
        "figure1": {
            "kind": "adapu_curves",
            "title": "t",
            "xlabel": "rounds",
            "show_methods": ["forest"],
            "show_datasets": ["cancer"],
            "published": {"table": "1", "columns": {"tree": "Tree"}},
        }
    },
}


def check(study):
    check_study(study, "config/studies/toy.yaml", ["forest", "tree"], ["cancer", "digits"])


def test_a_study_without_mistakes_passes():
    check(STUDY)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (["tables", "table1", "kind"], "comparision", ["tables.table1.kind: unknown kind", "did you mean 'comparison'?"]),
        (["figures", "figure1", "kind"], "comparison", ["figures.figure1.kind: unknown kind 'comparison'"]),
        (["tables", "table1", "decimal"], 2, ["table1.decimal: unknown key", "did you mean 'decimals'?"]),
        (["tables", "table1", "decimals"], "2", ["table1.decimals", "valid integer", "got '2'"]),
        (["tables", "table1", "first_repeats"], 0, ["table1.first_repeats", "greater than or equal to 1"]),
        (["tables", "table1", "source"], "results_", ["table1.source", "'results' or 'timings'"]),
        (["tables", "table1", "rows", 0, "lable"], "x", ["table1.rows.0.lable: unknown key", "did you mean 'label'?"]),
        (["tables", "table1", "rows", 0, "select", "data"], "x", ["rows.0.select.data: unknown key", "'dataset'"]),
        (["tables", "table1", "columns", 1, "select", "method"], "trees", ["columns.1.select.method: unknown method 'trees'"]),
        (["figures", "figure1", "show_datasets"], ["digit"], ["show_datasets.0: unknown data set", "did you mean 'digits'?"]),
        (
            ["figures", "figure1", "published", "columns"],
            {"oak": "Oak"},
            ["figure1.published.columns.oak", "unknown method 'oak'"],
        ),
        (["figures", "figure1", "published", "tables"], "1", ["published.tables: unknown key", "did you mean 'table'?"]),
    ],
)
def test_a_mistake_names_file_key_and_what_is_accepted(path, value, words):
    study = copy.deepcopy(STUDY)
    place = study
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    with pytest.raises(ConfigError) as error:
        check(study)
    assert all(word in str(error.value) for word in ["config/studies/toy.yaml", *words]), error.value


def test_what_a_kind_needs_has_to_be_there():
    study = copy.deepcopy(STUDY)
    del study["tables"]["table1"]["metric"]
    with pytest.raises(ConfigError, match=r"toy.yaml: tables.table1.metric: missing"):
        check(study)


def modules(section, function):
    """Those of a folder that render a kind, by name, with their text."""
    texts = {file.stem: file.read_text(encoding="utf-8") for file in (ROOT / "pulab" / section / "kinds").glob("*.py")}
    return {name: text for name, text in texts.items() if re.search(rf"^(?:def {function}\(|{function} = )", text, re.M)}


@pytest.mark.parametrize(("section", "function", "kinds"), [("tables", "render", TABLES), ("figures", "draw", FIGURES)])
def test_every_kind_has_a_model_that_knows_the_keys_that_it_reads(section, function, kinds):
    found = modules(section, function)
    assert found.keys() == kinds.keys()
    for name, text in found.items():
        read = set(re.findall(r'\bspec(?:\.get\(|\[)"(\w+)"', text)) - ADDED
        assert read <= set(kinds[name].model_fields), name


def test_no_kind_has_a_model_for_nothing():
    files = (ROOT / "config" / "studies").glob("*.yaml")
    studies = [yaml.safe_load(file.read_text(encoding="utf-8")) for file in files]
    for section, kinds in (("tables", TABLES), ("figures", FIGURES)):
        assert {entry["kind"] for study in studies for entry in study[section].values()} == set(kinds)
