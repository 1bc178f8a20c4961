"""What the targets ``speed``, ``priors`` and ``grids``, and the rules of data sets, take of the configuration."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pulab.plan.configuration import check, check_name, read_yaml
from pulab.plan.models import Priors, SpeedEntry
from pulab.plan.plan import Plan


def load_speed(registry: Mapping[str, Any], root: Path) -> dict[str, dict[str, Any]]:
    """What is measured by the target ``speed``: per kernel its title, caption, and arguments by preset."""
    speed = read_yaml(root / "config" / "speed.yaml")
    check(dict[str, SpeedEntry], speed, "config/speed.yaml")
    for kernel, entry in speed.items():
        accepted = measured_arguments(entry.get("module", kernel))
        for preset in ("quick", "paper"):
            where = f"config/speed.yaml: {kernel}.{preset}"
            for key in entry[preset]:
                check_name(key, accepted, "key", where)
            for name in speed_sets(entry[preset]):
                check_name(name, registry, "data set", where)
    return speed


def measured_arguments(module: str) -> list[str]:
    """The arguments of a benchmark's ``measure``, from its text: importing it would import what it measures."""
    file = Path(__file__).parents[1] / "benchmarks" / f"{module}.py"
    tree = ast.parse(file.read_text(encoding="utf-8"))
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "measure"]
    return [argument.arg for argument in found[0].args.kwonlyargs]


def speed_sets(sizes: Mapping[str, Any]) -> list[str]:
    """The data sets that a kernel is measured on."""
    return [*sizes.get("datasets", []), *([sizes["dataset"]] if "dataset" in sizes else [])]


def load_priors(preset: str, registry: Mapping[str, Any], root: Path) -> dict[str, Any]:
    """What the target ``priors`` estimates: data sets, repeats and sizes."""
    entries = read_yaml(root / "config" / "priors.yaml")
    check(Priors, entries, "config/priors.yaml", data_set=registry)
    return entries.get(preset, entries["quick"])


def find_grids(plan: Plan) -> dict[str, dict[str, Any]]:
    """By family of data sets: the study that settles its grids, on which settings, for which methods, and its own entry."""
    grids = {study: plan.preset_of(study).get("grids") for study in plan.studies}
    return {
        name: {"study": study, "settings": entry["settings"], "methods": entry["methods"], **family}
        for study, entry in grids.items()
        if entry
        for name, family in entry["families"].items()
    }


def grid_tasks(plan: Plan, family: Mapping[str, Any], method: str) -> dict[str, Any]:
    """The tasks of a family of data sets that share a method's grid, and where its values begin."""
    study, first = family["study"], family["datasets"][0]
    grid = plan.method(study, family["methods"][method], first)["grid"]
    groups = [
        {
            "key": (study, dataset, setting, method),
            "positive": plan.registry[dataset]["positive"],
            "base": plan.base(dataset),
            "method": plan.method(study, method, dataset) | {"grid": grid},
            "setting": plan.setting(study, setting, dataset).get("evaluate", {}),
            "split": plan.split_spec(study, dataset, setting),
        }
        for dataset in family["datasets"]
        for setting in family["settings"]
    ]
    sizes = {"steps": family["steps"], "ends": family["ends"], "repeats": list(range(family["repeats"]))}
    return {"grid": grid, "groups": groups, **sizes}


def download_spec(entry: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the raw files of a data set depend on: an address may change without a rerun."""
    return [{key: value for key, value in file.items() if key != "urls"} for file in entry.get("files", [])]


def preparation_spec(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What its arrays depend on: a title may change without a rerun."""
    keys = ("loader", "options", "needs", "features_of", "target_names", "positive", "expected")
    return {key: entry.get(key) for key in keys}


def preparation_memory(entry: Mapping[str, Any]) -> int:
    """Megabytes that preparing it takes: three copies of the array, and Python.

    >>> preparation_memory({"expected": {"n": 50_000, "d": 784}})
    1470
    """
    expected = entry.get("expected", {})
    array = expected.get("n", 10_000) * expected.get("d", 100) * 4 / 1e6
    return int(1000 + min(3 * array, 7000))
