"""From configuration to a plan: which trials, tables and figures a run consists of.

Plain Python without Snakemake in it, so that it can be tested by itself; ``rules/common.smk`` is its only user.
"""

from __future__ import annotations

import copy
import difflib
import fnmatch
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, reduce
from pathlib import Path
from typing import Any

import pandas as pd
import yaml
from jsonschema import Draft202012Validator

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


class ConfigError(ValueError):
    """A mistake in the configuration, with the file and the key in its message."""


def read_yaml(path: Path) -> Any:
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such configuration file") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not valid YAML: {error}") from None


@cache
def _validator(schema: str, *part: str) -> Draft202012Validator:
    whole = read_yaml(HERE / "schemas" / f"{schema}.schema.yaml")
    return Draft202012Validator(reduce(lambda found, key: found[key], part, whole))


def validate(instance: Any, schema: str, where: str, part: tuple[str, ...] = ()) -> None:
    """Raise a :class:`ConfigError` that names the key if ``instance`` does not fit the schema, or a part of one."""
    errors = sorted(
        _validator(schema, *part).iter_errors(instance), key=lambda e: (-len(e.absolute_path), str(e.absolute_path))
    )
    if errors:
        error = errors[0]
        key = ".".join(str(part) for part in error.absolute_path) or "(top level)"
        raise ConfigError(f"{where}: {key}: {_explain(error)}")


def _explain(error) -> str:
    if error.validator == "additionalProperties":
        known = sorted(error.schema.get("properties", {}))
        unknown = sorted(set(error.instance) - set(known))[0]
        return f"unknown key {unknown!r}{_hint(unknown, known)}; expected some of {known}"
    if error.validator == "anyOf":
        return "; or ".join(sorted({part.message for part in error.context}))
    return error.message


def _hint(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def known_or_error(name: str, known: Iterable[str], what: str, where: str) -> str:
    """``name`` if it is known, else an error that suggests the nearest known one."""
    known = sorted(known)
    if name not in known:
        raise ConfigError(f"{where}: unknown {what} {name!r}{_hint(name, known)}; expected one of {known}")
    return name


def deep_merge(base: Mapping, over: Mapping) -> dict:
    """``base`` with the values of ``over`` laid on top, mapping by mapping."""
    merged = dict(base)
    for key, value in over.items():
        if isinstance(value, Mapping) and isinstance(merged.get(key), Mapping):
            merged[key] = deep_merge(merged[key], value)
        else:
            merged[key] = value
    return merged


@dataclass(frozen=True)
class Group:
    """All repeats of one (paper, data set, setting, method)."""

    paper: str
    dataset: str
    setting: str
    method: str
    repeats: int
    batch_size: int
    threads: int
    mem_mb: int
    runtime: int
    known: frozenset[int] = frozenset()
    gpus: int = 0

    @property
    def key(self) -> tuple[str, str, str, str]:
        return (self.paper, self.dataset, self.setting, self.method)

    def batches(self) -> list[tuple[int, int]]:
        """First and last repeat of each job that has a result to add.

        Full batches come first, so that more repeats leave them as they are.
        """
        every = batches(self.repeats, self.batch_size)
        return [(first, last) for first, last in every if not self.known.issuperset(range(first, last + 1))]


def batches(repeats: int, size: int) -> list[tuple[int, int]]:
    """Cut ``repeats`` into full batches and single repeats.

    >>> batches(6, 5)
    [(0, 4), (5, 5)]
    """
    full = repeats // size
    return [(k * size, (k + 1) * size - 1) for k in range(full)] + [(k, k) for k in range(full * size, repeats)]


@dataclass
class Plan:
    """Everything that the rules look up."""

    config: dict[str, Any]
    registry: dict[str, dict[str, Any]]
    methods: dict[str, dict[str, Any]]
    papers: dict[str, dict[str, Any]]
    #: what each paper says in words, for those that have a file of claims
    claims: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    claim_labels: dict[str, dict[str, str]] = field(default_factory=dict)
    groups: dict[tuple[str, str, str, str], Group] = field(default_factory=dict)
    unbuilt: list[tuple[str, str, str, str, int, str]] = field(default_factory=list)

    @property
    def preset(self) -> str:
        return self.config["preset"]

    def groups_of(self, paper: str) -> list[Group]:
        return [group for group in self.groups.values() if group.paper == paper]

    def datasets(self) -> list[str]:
        """Prepared sets that the plan needs, each once."""
        return sorted({self.base(group.dataset) for group in self.groups.values() if group.batches()})

    def base(self, dataset: str) -> str:
        """The set whose prepared arrays a data set uses."""
        return self.registry[dataset].get("base", dataset)

    def setting(self, paper: str, setting: str, dataset: str) -> dict[str, Any]:
        """A setting with what the preset and the data set change in it."""
        entry = self.papers[paper]
        merged = entry["settings"][setting]
        for overrides in (entry["presets"][self.preset].get("settings", {}),):
            for pattern, over in overrides.items():
                if fnmatch.fnmatchcase(setting, pattern):
                    merged = deep_merge(merged, over)
        per_dataset = merged.get("datasets", {})
        for pattern, over in per_dataset.items():
            if fnmatch.fnmatchcase(dataset, pattern):
                merged = deep_merge(merged, over)
        return {key: value for key, value in merged.items() if key != "datasets"}

    def method(self, paper: str, method: str, dataset: str) -> dict[str, Any]:
        """A method's entry with what the paper's preset, the preset and the data set change in it."""
        entry = copy.deepcopy(self.methods[method])
        layers = [self.papers[paper]["presets"][self.preset].get("methods", {})]
        merged = deep_merge(entry, entry.get("presets", {}).get(self.preset, {}))
        for layer in layers:
            for pattern, over in layer.items():
                if fnmatch.fnmatchcase(method, pattern):
                    merged = deep_merge(merged, over)
        for pattern, over in merged.get("datasets", {}).items():
            if fnmatch.fnmatchcase(dataset, pattern):
                merged = deep_merge(merged, over)
        return {key: value for key, value in merged.items() if key not in ("datasets", "presets", "label", "notes")}


def load_plan(config: Mapping[str, Any], registry: dict[str, dict[str, Any]], root: Path = ROOT) -> Plan:
    """Read and check every configuration file, and list the trials of the chosen preset.

    Raises
    ------
    ConfigError
        At the first mistake, with file, key, what was found, and what is accepted.
    """
    config = dict(config)
    validate_config(config)
    methods = read_yaml(root / "config" / "methods.yaml")
    validate(methods, "methods", "config/methods.yaml")
    methods = deep_merge(methods, config["methods"])
    validate(methods, "methods", "config: methods")
    papers = {}
    known_papers = [p.stem for p in (root / "config" / "papers").glob("*.yaml")]
    for name in config["papers"]:
        known_or_error(name, known_papers, "paper", "config: papers")
        papers[name] = read_yaml(root / "config" / "papers" / f"{name}.yaml")
        validate(papers[name], "paper", f"config/papers/{name}.yaml")
    for name, own in config.get("experiments", {}).items():
        known_or_error(name, known_papers, "paper", "config: experiments")
        validate(own, "paper", f"config: experiments.{name}", ("$defs", "preset", "properties", "experiments"))
    for name in config["only_datasets"]:
        known_or_error(name, registry, "data set", "config: only_datasets")
    for name in config["only_methods"]:
        known_or_error(name, methods, "method", "config: only_methods")
    plan = Plan(config=config, registry=registry, methods=methods, papers=papers)
    if config["tidy"] == "missing" and plan.preset != "paper":
        raise ConfigError(f"config: tidy: missing needs the preset that has kept results (paper), not {plan.preset!r}")
    for name in papers:
        _add_groups(plan, name)
        if config["tidy"] == "missing":
            _leave_out_known(plan, name, Path(f"figures/{plan.preset}/tidy/{name}.parquet"))
        _add_claims(plan, name, root / "config" / "claims" / f"{name}.yaml")
    if not plan.groups and not plan.unbuilt:
        _explain_empty(plan)
    return plan


def validate_config(config: Mapping[str, Any]) -> None:
    """The types of what ``config.yaml`` and the files laid over it hold; to be checked before anything reads them."""
    validate(config, "config", "config")


def _explain_empty(plan: Plan) -> None:
    """A plan of nothing would write empty tables over those of another run."""
    config = plan.config
    asked = [f"{key}: {config[key]}" for key in ("only_datasets", "only_methods") if config[key]]
    presets = [entry["presets"][plan.preset] for entry in plan.papers.values()]
    there = sorted({name for preset in presets for experiment in preset["experiments"] for name in experiment["datasets"]})
    raise ConfigError(
        f"config: {', '.join(asked)}: no experiment of the preset {plan.preset!r} of {', '.join(plan.papers)} is left to run; "
        f"its data sets are {there}"
    )


def _leave_out_known(plan: Plan, paper: str, kept: Path) -> None:
    """Plan only batches that hold a trial without numbers in the results that the repository keeps."""
    if not kept.is_file():
        return
    columns = ["dataset", "setting", "method", "repeat"]
    trials = pd.read_parquet(kept, columns=columns, filters=[("status", "==", "ok")]).drop_duplicates()
    for key, repeats in trials.groupby(columns[:3])["repeat"]:
        group = plan.groups.get((paper, *key))
        if group is not None:
            plan.groups[group.key] = replace(group, known=frozenset(repeats.tolist()))


def _add_claims(plan: Plan, name: str, path: Path) -> None:
    """A paper need not have claims."""
    if path.is_file():
        entry = read_yaml(path)
        validate(entry, "claims", f"config/claims/{name}.yaml")
        plan.claims[name] = entry["claims"]
        plan.claim_labels[name] = entry.get("labels", {})


def _add_groups(plan: Plan, name: str) -> None:
    entry = plan.papers[name]
    preset = entry["presets"].get(plan.preset)
    if preset is None:
        return
    where = f"config/papers/{name}.yaml: presets.{plan.preset}.experiments"
    own = plan.config.get("experiments", {}).get(name, [])
    experiments = {f"{where}.{number}": experiment for number, experiment in enumerate(preset["experiments"])}
    experiments |= {f"config: experiments.{name}.{number}": experiment for number, experiment in enumerate(own)}
    for place, experiment in experiments.items():
        for dataset in experiment["datasets"]:
            known_or_error(dataset, plan.registry, "data set", place)
            if plan.config["only_datasets"] and not _selected(plan, dataset):
                continue
            for setting in experiment["settings"]:
                known_or_error(setting, entry["settings"], "setting", place)
                for method in experiment["methods"]:
                    known_or_error(method, plan.methods, "method", place)
                    if not plan.config["only_methods"] or method in plan.config["only_methods"]:
                        _add_group(plan, name, dataset, setting, method, {**preset, **experiment})


def _gpus(plan: Plan, paper: str, method: str, dataset: str, options: Mapping[str, Any]) -> int:
    """What the experiment asks for; at least one for a method that runs on a GPU only."""
    needed = plan.method(paper, method, dataset).get("options", {}).get("needs") == "gpu"
    return max(options.get("gpus", 0), int(needed))


def _selected(plan: Plan, dataset: str) -> bool:
    return dataset in plan.config["only_datasets"] or plan.base(dataset) in plan.config["only_datasets"]


def _add_group(plan: Plan, paper: str, dataset: str, setting: str, method: str, options: Mapping[str, Any]) -> None:
    repeats = plan.config["repeats"] or options["repeats"]
    key = (paper, dataset, setting, method)
    pending = plan.methods[method].get("pending")
    if pending:
        plan.unbuilt.append((*key, repeats, pending))
        return
    group = Group(
        *key,
        repeats=repeats,
        batch_size=plan.config["batch_size"] or options.get("batch_size", 5),
        threads=options.get("threads", 1),
        mem_mb=options.get("mem_mb", 2000),
        runtime=options.get("runtime", 60),
        gpus=_gpus(plan, paper, method, dataset, options),
    )
    known = plan.groups.get(key)
    if known is None or known.repeats < group.repeats:
        plan.groups[key] = group


def load_speed(registry: Mapping[str, Any], root: Path = ROOT) -> dict[str, dict[str, Any]]:
    """What is measured by the target ``speed``: per kernel its title, caption, and arguments by preset."""
    speed = read_yaml(root / "config" / "speed.yaml")
    validate(speed, "speed", "config/speed.yaml")
    for kernel, entry in speed.items():
        for preset in ("quick", "paper"):
            for name in speed_sets(entry[preset]):
                known_or_error(name, registry, "data set", f"config/speed.yaml: {kernel}.{preset}")
    return speed


def load_priors(preset: str, registry: Mapping[str, Any], root: Path = ROOT) -> dict[str, Any]:
    """What the target ``priors`` estimates: data sets, repeats and sizes."""
    entries = read_yaml(root / "config" / "priors.yaml")
    validate(entries, "priors", "config/priors.yaml")
    for name in entries[preset]["datasets"]:
        known_or_error(name, registry, "data set", f"config/priors.yaml: {preset}")
    return entries[preset]


def speed_sets(sizes: Mapping[str, Any]) -> list[str]:
    """The data sets that a kernel is measured on."""
    return [*sizes.get("datasets", []), *([sizes["dataset"]] if "dataset" in sizes else [])]
