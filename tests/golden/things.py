"""All that decides numbers, by kind: its cases, its declared version, its tolerance, and the published trials that it made."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pandas as pd

from pulab.plan.configuration import deep_merge, read_yaml
from pulab.plan.plan import Plan, load_plan
from pulab.trials import versions
from pulab.trials.results import KEY
from pulab.trials.tolerances import tolerance_of
from pulib.datasets.registry import load_registry
from tests.golden import estimators, loaders, protocols, searches, splits, store

ROOT = Path(__file__).resolve().parents[2]
KINDS: dict[str, ModuleType] = {
    "estimator": estimators,
    "loader": loaders,
    "protocol": protocols,
    "search": searches,
    "split": splits,
}
TABLES = {"estimator": "ESTIMATORS", "loader": "LOADERS", "protocol": "PROTOCOLS", "split": "SPLITS"}


class Thing(NamedTuple):
    kind: str
    name: str

    @property
    def declared(self) -> int | None:
        """Its version; None for what the versions of others answer for."""
        if self.kind == "protocol":
            protocol, _, task = self.name.partition(".")
            return versions.PROTOCOLS.get(protocol, {}).get(task)
        return getattr(versions, TABLES[self.kind]).get(self.name) if self.kind in TABLES else None

    def cases(self, recorded: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        return KINDS[self.kind].cases(self.name, recorded)

    def moved(self, found: Mapping[str, Any], recorded: Mapping[str, Any]) -> dict[str, float]:
        """The differences beyond the tolerance."""
        bound = tolerance_of(self.name).golden
        gaps = store.differences(found, recorded)
        # a class that is called positive or not may change with the last bit of a score
        return {key: gap for key, gap in gaps.items() if gap > bound and not (bound > 1e-9 and key.endswith(": predict"))}


def things() -> list[Thing]:
    return [Thing(kind, name) for kind, module in KINDS.items() for name in module.names()]


def changed_defaults(thing: Thing, recorded: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """By parameter, a default that is another one than was recorded."""
    now = estimators.defaults(thing.name)
    return {name: (old, now[name]) for name, old in recorded.items() if name in now and now[name] != old}


@functools.cache
def whole_plan() -> Plan:
    config = deep_merge(read_yaml(ROOT / "config/config.yaml"), read_yaml(ROOT / "config/paper.yaml"))
    return load_plan(config, load_registry(), ROOT)


def published_trials(thing: Thing, default: str = "") -> int:
    """How many published trials a new version would make outdated."""
    if thing.kind == "search":
        return sum(published_trials(Thing("protocol", name)) for name in ("resvm.grid_search", "resvm.random_search"))
    plan, total = whole_plan(), 0
    for study in plan.studies:
        published = pd.read_parquet(ROOT / "figures/paper/tidy" / f"{study}.parquet", columns=KEY).drop_duplicates()
        sizes = published.groupby(KEY[:4]).size().to_dict()
        for group in plan.groups_of(study):
            spec = plan.trial_spec(group)
            uses = versions.declared_versions(spec, spec["loaders"])
            given = [
                (params, tuned)
                for path, params, tuned in versions.estimators_in([spec["method"], spec["setting"]])
                if path == thing.name
            ]
            leaves = not default or any(default not in params and default not in tuned for params, tuned in given)
            total += sizes.get(group.key, 0) if f"{thing.kind} {thing.name}" in uses and leaves else 0
    return total
