"""Entries of tables and figures: a misspelled word ends the planning, and kinds declare the keys that they read."""

import copy
import re
from importlib import import_module
from pathlib import Path

import pytest

from pulab.trials import artifacts
from pulab.trials.artifacts import AnyArtifact, Artifact, keys_of, kinds_of
from pulab.plan.configuration import ConfigError, read_yaml
from pulab.plan.models import check_study

ROOT = Path(__file__).parents[2]
FUNCTIONS = {"tables": "render", "figures": "draw"}
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
#: A kind whose module cannot be imported here.
BARS = """
from __future__ import annotations

from not_installed import Axes
from pulab.trials.artifacts import OPTIONAL, Artifact, Method


class Keys(Artifact):
    bars: dict[Method, int]
    wide: bool = OPTIONAL


def draw(spec, tidy, published):
    return Axes(spec["bars"])
"""


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


KINDS = [(section, kind) for section in FUNCTIONS for kind in kinds_of(section)]


@pytest.mark.parametrize(("section", "kind"), KINDS)
def test_a_kind_declares_the_keys_that_it_reads(section, kind):
    """As required, if it reads them without asking whether they are there."""
    text = (ROOT / "pulab" / section / "kinds" / f"{kind}.py").read_text(encoding="utf-8")
    direct, asked = (set(re.findall(rf"""\bspec{way}["'](\w+)["']""", text)) for way in (r"\[", r"\.get\("))
    asked |= set(re.findall(r'"(\w+)" in spec\b', text))
    fields = keys_of(section, kind).model_fields
    assert (direct | asked) - ADDED <= fields.keys()
    assert direct - asked - ADDED <= {key for key, field in fields.items() if field.is_required()}


@pytest.mark.parametrize(("section", "kind"), KINDS)
def test_a_kind_is_checked_by_the_class_of_its_module(section, kind):
    module = import_module(f"pulab.{section}.kinds.{kind}")
    assert callable(getattr(module, FUNCTIONS[section]))
    kept, read = (
        {name: (str(field.annotation), field.is_required()) for name, field in keys.model_fields.items()}
        for keys in (getattr(module, "Keys", Artifact), keys_of(section, kind))
    )
    assert kept == read


def test_no_kind_and_no_key_is_there_for_nothing():
    files = (ROOT / "config" / "studies").glob("*.yaml")
    studies = [read_yaml(file) for file in files]
    used = {(section, entry["kind"]) for study in studies for section in FUNCTIONS for entry in study[section].values()}
    assert used == set(KINDS)
    files = (file for room in (*FUNCTIONS, "reports") for file in (ROOT / "pulab" / room).rglob("*.py"))
    texts = [file.read_text(encoding="utf-8") for file in files]
    words = set(re.findall(r"""["'](\w+)["']""", "\n".join(texts)))
    assert {key for kind in KINDS for key in keys_of(*kind).model_fields} - AnyArtifact.model_fields.keys() <= words


def test_a_module_alone_makes_a_kind_and_is_not_imported(tmp_path, monkeypatch):
    (tmp_path / "bars.py").write_text(BARS, encoding="utf-8")
    monkeypatch.setattr(artifacts, "_folder", lambda section: tmp_path)
    entry = {"kind": "bars", "title": "t", "bars": {"forest": 1}}

    def mistake(**changes):
        with pytest.raises(ConfigError) as error:
            artifacts.check_artifacts("figures", {"figure1": entry | changes}, "toy.yaml", method=["forest"])
        return str(error.value)

    artifacts.check_artifacts("figures", {"figure1": entry, "figure2": entry | {"wide": True}}, "toy.yaml", method=["forest"])
    assert mistake(bars={"oak": 1}).startswith("toy.yaml: figures.figure1.bars.oak: unknown method 'oak'")
    assert "figure1.wyde: unknown key 'wyde' (did you mean 'wide'?)" in mistake(wyde=True)
    assert "figure1.wide: " in mistake(wide=None)
    assert "figure1.kind: unknown kind 'bar' (did you mean 'bars'?); expected one of ['bars']" in mistake(kind="bar")
