"""Everything that decides numbers, by kind, with its cases, version, tolerance, and archived trials."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pandas as pd

from pulab.plan import versions
from pulab.plan.canonical import short_name
from pulab.plan.configuration import read_yaml
from pulab.plan.experiment import merged
from pulab.plan.identity import declared_versions
from pulab.plan.plan import Plan, load_plan
from pulab.trials.results import KEY
from pulab.trials.tolerances import tolerance_of
from pulib.datasets.registry import load_registry
from pulib.sampling import SCHEMES
from tests.golden import estimators, loaders, protocols, splits, store

ROOT = Path(__file__).resolve().parents[2]
KINDS: dict[str, ModuleType] = {"estimator": estimators, "loader": loaders, "protocol": protocols, "split": splits}


def declared_versions_of(kind: str) -> dict[str, tuple[int, str]]:
    """Return version and place of declaration by name; empty for a kind without versions."""
    if kind == "estimator":
        return estimators.declared()
    if kind == "loader":
        return {name: (version, "LOADERS in pulab/plan/versions.py") for name, version in versions.LOADERS.items()}
    if kind == "split":
        return {name: (scheme.version, _in_class(scheme)) for name, scheme in SCHEMES.items()}
    if kind == "protocol":
        return {name: (task.version, _in_class(task)) for name, (task, _) in protocols.tasks().items()}
    return {}


def _in_class(kind: type) -> str:
    return f"in the class {kind.__module__}.{kind.__qualname__}"


class Thing(NamedTuple):
    kind: str
    name: str

    @property
    def declared(self) -> int | None:
        """Its version; None if it is covered by the versions of others."""
        return declared_versions_of(self.kind).get(self.name, (None, ""))[0]

    @property
    def place(self) -> str:
        """Where its version is declared."""
        return declared_versions_of(self.kind)[self.name][1]

    def cases(self, recorded: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        return KINDS[self.kind].cases(self.name, recorded)

    def moved(self, found: Mapping[str, Any], recorded: Mapping[str, Any]) -> dict[str, float]:
        """Return the differences beyond the tolerance."""
        bound = tolerance_of(self.name).golden
        gaps = store.differences(found, recorded)
        # a score's last bit can change a predicted class, and that of a stopping rule the number of steps
        discrete = (": predict", ": n_iter_") if bound > 1e-9 else ()
        return {key: gap for key, gap in gaps.items() if gap > bound and not key.endswith(discrete)}


def things() -> list[Thing]:
    return [Thing(kind, name) for kind, module in KINDS.items() for name in module.names()]


def changed_defaults(thing: Thing, recorded: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return the recorded and the current value of each default that differs."""
    now = estimators.defaults(thing.name)
    return {name: (old, now[name]) for name, old in recorded.items() if name in now and now[name] != old}


@functools.cache
def whole_plan() -> Plan:
    config = merged(read_yaml(ROOT / "config/config.yaml"), read_yaml(ROOT / "config/paper.yaml"))
    return load_plan(config, load_registry())


def archived_trials(thing: Thing) -> int:
    """Count the archived trials that a new version would make outdated."""
    plan, total = whole_plan(), 0
    word = f"{thing.kind} {short_name(thing.name) if thing.kind == 'estimator' else thing.name}"
    for study in plan.studies:
        archived = pd.read_parquet(ROOT / "figures/paper/tidy" / f"{study}.parquet", columns=KEY).drop_duplicates()
        sizes = archived.groupby(KEY[:4]).size().to_dict()
        for group in (own for own in plan.groups.values() if own.study == study):
            total += sizes.get(group.key, 0) if word in declared_versions(plan.recipe(group)) else 0
    return total
