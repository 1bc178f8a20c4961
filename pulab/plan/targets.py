"""Configuration of the targets ``speed`` and ``priors`` and of the rules for data sets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pulab.plan.configuration import check, check_name, read_yaml
from pulab.plan.models import Priors, SpeedEntry


def load_speed(registry: Mapping[str, Any], root: Path) -> dict[str, dict[str, Any]]:
    """Load what the target ``speed`` measures: title, caption, and arguments by preset for each kernel."""
    speed = read_yaml(root / "config" / "speed.yaml")
    check(dict[str, SpeedEntry], speed, "config/speed.yaml")
    for kernel, entry in speed.items():
        for preset in ("quick", "paper"):
            where = f"config/speed.yaml: {kernel}.{preset}"
            for name in speed_sets(entry[preset]):
                check_name(name, registry, "data set", where)
    return speed


def speed_sets(sizes: Mapping[str, Any]) -> list[str]:
    """Return the data sets on which a kernel is measured."""
    return [*sizes.get("datasets", []), *([sizes["dataset"]] if "dataset" in sizes else [])]


def load_priors(preset: str, registry: Mapping[str, Any], root: Path) -> dict[str, Any]:
    """Load what the target ``priors`` estimates: data sets, repeats and sizes."""
    entries = read_yaml(root / "config" / "priors.yaml")
    check(Priors, entries, "config/priors.yaml", data_set=registry)
    return entries[preset]


def download_spec(entry: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what the raw files of a data set depend on; URLs are left out because they may change without a rerun."""
    return [{key: value for key, value in file.items() if key != "urls"} for file in entry.get("files", [])]


def preparation_spec(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the arrays of a data set depend on; for example, a title may change without a rerun."""
    keys = ("loader", "options", "needs", "features_of", "target_names", "positive", "expected")
    return {key: entry.get(key) for key in keys}


def preparation_memory(entry: Mapping[str, Any]) -> int:
    """Megabytes needed to prepare a data set: three copies of the array, and Python.

    >>> preparation_memory({"expected": {"n": 50_000, "d": 784}})
    1470
    """
    expected = entry.get("expected", {})
    array = expected.get("n", 10_000) * expected.get("d", 100) * 4 / 1e6
    return int(1000 + min(3 * array, 7000))
