"""From configuration to a plan: which trials a run consists of, and how they are cut into jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

from pulab.trials.configuration import ConfigError, check, check_name, deep_merge, lay_over, read_yaml
from pulab.trials.identity import Identity, Key, data_identity, identity_of, loaders_of
from pulab.trials.models import Config, Experiment, Registry, Sizes, check_study


@dataclass(frozen=True)
class Group:
    """All repeats of one (study, data set, setting, method), and what a job of some of them asks for.

    Attributes
    ----------
    batch_size : int
        Repeats per job.
    job : str or None
        Groups of one study and data set with the same name here share their jobs; one without a name has its own.
    mem_mb, runtime : int
        Megabytes, and minutes.
    """

    study: str
    dataset: str
    setting: str
    method: str
    repeats: int
    batch_size: int = 5
    job: str | None = None
    threads: int = 1
    mem_mb: int = 2000
    runtime: int = 60
    gpus: int = 0

    @property
    def key(self) -> Key:
        return (self.study, self.dataset, self.setting, self.method)

    @property
    def method_place(self) -> tuple[str, str, str]:
        """What :meth:`Plan.method` takes."""
        return (self.study, self.method, self.dataset)

    @property
    def job_name(self) -> str:
        """What the group's jobs are called within their study and data set."""
        return self.job or f"{self.setting}/{self.method}"


@dataclass(frozen=True)
class Job:
    """Trials that are run one after the other by one process: the repeats ``first`` to ``last`` of some groups."""

    study: str
    dataset: str
    name: str
    first: int
    last: int
    #: a group, and those of its repeats that are run
    trials: tuple[tuple[Group, tuple[int, ...]], ...]

    @property
    def groups(self) -> list[Group]:
        return [group for group, _ in self.trials]

    @property
    def key(self) -> tuple[str, str, str, int, int]:
        return (self.study, self.dataset, self.name, self.first, self.last)

    def most(self, resource: str) -> int:
        """The most that one of the groups asks for."""
        return max(getattr(group, resource) for group, _ in self.trials)


def cut_jobs(groups: Iterable[Group], published: Mapping[Key, frozenset[int]] | None = None) -> Iterator[Job]:
    """Jobs of all repeats that are not published: full batches, and one of what remains.

    >>> [(job.first, job.last) for job in cut_jobs([Group("p", "d", "s", "m", repeats=7)])]
    [(0, 4), (5, 6)]
    """
    shared: dict[tuple[str, str, str], list[Group]] = {}
    for group in groups:
        shared.setdefault((group.study, group.dataset, group.job_name), []).append(group)
    for place, members in shared.items():
        size, repeats = max(group.batch_size for group in members), max(group.repeats for group in members)
        for first in range(0, repeats, size):
            batch = range(first, min(first + size, repeats))
            wanted = (
                (g, tuple(k for k in batch if k < g.repeats and k not in (published or {}).get(g.key, ()))) for g in members
            )
            if trials := tuple((group, own) for group, own in wanted if own):
                yield Job(*place, batch[0], batch[-1], trials)


@dataclass
class Plan:
    """Everything that the rules look up.

    Attributes
    ----------
    registry, methods, studies : dict
        Entries by name.
    groups : dict
        All that this run consists of, run or published.
    whole : dict
        The same without options that ask for a part.
    """

    config: dict[str, Any]
    registry: dict[str, dict[str, Any]]
    methods: dict[str, dict[str, Any]]
    studies: dict[str, dict[str, Any]]
    groups: dict[Key, Group] = field(default_factory=dict)
    whole: dict[Key, Group] = field(default_factory=dict)
    #: from a study to those repeats of its groups whose results are published
    find_published: Callable[[str], Mapping[Key, frozenset[int]]] = lambda study: {}
    _specs: dict[Any, dict[str, Any]] = field(default_factory=dict)
    _identities: dict[Key, Identity] = field(default_factory=dict)

    @property
    def preset(self) -> str:
        return self.config["preset"]

    def preset_of(self, study: str) -> dict[str, Any]:
        """What a study's file says of the preset."""
        return self.studies[study]["presets"][self.preset]  # load_plan has looked that it is there

    @cached_property
    def jobs(self) -> dict[tuple[str, str, str, int, int], Job]:
        """The jobs of this run."""
        if self.config["train"] == "none":
            return {}
        missing = self.config["train"] == "missing"
        return {
            job.key: job
            for study in self.studies
            for job in cut_jobs(self.groups_of(study), self.find_published(study) if missing else None)
        }

    def groups_of(self, study: str) -> list[Group]:
        return [group for group in self.groups.values() if group.study == study]

    def datasets(self) -> list[str]:
        """Prepared sets that the jobs need, each once."""
        return sorted({self.base(job.dataset) for job in self.jobs.values()})

    def base(self, dataset: str) -> str:
        """The set whose prepared arrays a data set uses."""
        return self.registry[dataset].get("base", dataset)

    def setting(self, study: str, setting: str, dataset: str) -> dict[str, Any]:
        """A setting with what the preset and the data set change in it."""
        merged = lay_over(self.studies[study]["settings"][setting], self.preset_of(study).get("settings", {}), setting)
        merged = lay_over(merged, merged.get("datasets", {}), dataset)
        return {key: value for key, value in merged.items() if key != "datasets"}

    def method(self, study: str, method: str, dataset: str) -> dict[str, Any]:
        """A method's entry with what the study's preset and the data set change in it."""
        merged = lay_over(self.methods[method], self.preset_of(study).get("methods", {}), method)
        merged = lay_over(merged, merged.get("datasets", {}), dataset)
        return {key: value for key, value in merged.items() if key not in ("datasets", "label", "style")}

    def split_spec(self, study: str, dataset: str, setting: str) -> dict[str, Any]:
        """Everything that a split depends on, but for its seed."""
        key = (study, dataset, setting)
        if key not in self._specs:
            options = dict(self.setting(study, setting, dataset)["split"])
            scheme = options.pop("scheme")
            self._specs[key] = {"scheme": scheme, "options": options, "positive": self.registry[dataset]["positive"]}
        return self._specs[key]

    def trial_spec(self, group: Group) -> dict[str, Any]:
        """Everything that the results of a group depend on, but for their seeds, which follow from what they are."""
        if group.key not in self._specs:
            self._specs[group.key] = {
                "protocol": self.studies[group.study]["protocol"],
                "method": self.method(group.study, group.method, group.dataset),
                "setting": self.setting(group.study, group.setting, group.dataset).get("evaluate", {}),
                "split": self.split_spec(group.study, group.dataset, group.setting),
                "data": self._data(group.dataset),
                "loaders": loaders_of(group.dataset, self.registry),
            }
        return self._specs[group.key]

    def _data(self, dataset: str) -> dict[str, Any]:
        key = ("data", self.base(dataset))
        if key not in self._specs:
            self._specs[key] = data_identity(dataset, self.registry)
        return self._specs[key]

    def identities(self, study: str) -> dict[Key, tuple[Identity, int]]:
        """By group, for the whole plan whatever part of it this run is: the identity of its trials, and how many there are."""
        groups = self.whole.values() if self.whole else self.groups.values()
        return {group.key: (self.identity(group), group.repeats) for group in groups if group.study == study}

    def identity(self, group: Group) -> Identity:
        """What the numbers of a group's trials follow from."""
        if group.key not in self._identities:
            self._identities[group.key] = identity_of(self.trial_spec(group))
        return self._identities[group.key]

    @property
    def is_part(self) -> bool:
        """Whether an option asks for a part of the plan."""
        return bool(self.config["only_datasets"] or self.config["only_methods"] or self.config["repeats"])

    @property
    def shows_published(self) -> bool:
        """Whether published results stand in for what is not run here; an option for a part shows only what was run."""
        return self.config["train"] != "all" or not self.is_part

    def compiled_methods(self, jobs: Iterable[Job] | None = None) -> list[dict[str, Any]]:
        """Entries of some jobs' methods, or of all jobs', one for each class of the library that runs compiled kernels."""
        jobs = self.jobs.values() if jobs is None else jobs
        entries = [self.method(*group.method_place) for job in jobs for group, _ in job.trials]
        ours = {entry["estimator"]: entry for entry in entries if entry["estimator"].startswith("pulib.")}
        return [entry for name, entry in sorted(ours.items()) if not name.startswith("pulib.neural.")]

    def packages(self, groups: Iterable[Group]) -> list[str]:
        """Packages beyond pulib's own that the methods of some groups need."""
        entries = (self.method(*group.method_place) for group in groups)
        return sorted({name for entry in entries for name in entry.get("requires", [])})


def load_plan(config: Mapping[str, Any], registry: dict[str, dict[str, Any]], root: Path) -> Plan:
    """Read and check every configuration file below ``root``, and list the trials of the chosen preset.

    Raises
    ------
    ConfigError
        At the first mistake, with file, key, what was found, and what is accepted.
    """
    folder = root / "config"
    check(Config, config, "config")
    studies = [path.stem for path in (folder / "studies").glob("*.yaml")]
    methods = read_yaml(folder / "methods.yaml")
    check(Registry, methods, "config/methods.yaml", data_set=registry)
    methods = deep_merge(methods, config["methods"])
    check(Registry, methods, "config: methods", data_set=registry)
    check(Config, config, "config", study=studies, data_set=registry, method=methods)
    plan = Plan(config=dict(config), registry=registry, methods=methods, studies={})
    for name in config["studies"]:
        where = f"config/studies/{name}.yaml"
        plan.studies[name] = read_yaml(folder / "studies" / f"{name}.yaml")
        check_study(plan.studies[name], where, methods, registry)
        check_name(plan.preset, plan.studies[name]["presets"], "preset", f"{where}: presets")
    for name, experiments in config.get("experiments", {}).items():
        settings = {"setting": plan.studies[name]["settings"]} if name in plan.studies else {}
        check(list[Experiment], experiments, f"config: experiments.{name}", method=methods, data_set=registry, **settings)
    if config["train"] != "all" and plan.preset != "paper":
        where = f"config: train: {config['train']}"
        raise ConfigError(f"{where} needs the preset that has published results (paper), not {plan.preset!r}")
    for name in plan.studies:
        plan.groups |= _groups_of(plan, name, plan.config)
        everything = plan.config | {"only_datasets": [], "only_methods": [], "repeats": None}
        plan.whole |= _groups_of(plan, name, everything) if plan.is_part else {}
    for key, group in plan.groups.items():  # an option may ask for more repeats than the preset has
        if plan.is_part and plan.whole[key].repeats < group.repeats:
            plan.whole[key] = group
    if not plan.groups:
        _explain_empty(plan)
    return plan


def _explain_empty(plan: Plan) -> None:
    """A plan of nothing would write empty tables over those of another run."""
    asked = [f"{key}: {plan.config[key]}" for key in ("only_datasets", "only_methods") if plan.config[key]]
    experiments = [experiment for study in plan.studies for experiment in plan.preset_of(study)["experiments"]]
    there = sorted({name for experiment in experiments for name in experiment["datasets"]})
    raise ConfigError(
        f"config: {', '.join(asked)}: no experiment of the preset {plan.preset!r} of {', '.join(plan.studies)} is left to run; "
        f"its data sets are {there}"
    )


def _groups_of(plan: Plan, study: str, config: Mapping[str, Any]) -> dict[Key, Group]:
    groups: dict[Key, Group] = {}
    preset, added = plan.preset_of(study), plan.config.get("experiments", {}).get(study, [])
    for experiment in [*preset["experiments"], *added]:
        sizes = {**preset, **experiment, **{k: config[k] for k in ("repeats", "batch_size") if config[k]}}
        for dataset, setting, method in product(experiment["datasets"], experiment["settings"], experiment["methods"]):
            if not _is_asked_for(plan, dataset, method, config):
                continue
            group = _group(plan, (study, dataset, setting, method), sizes)
            if group.key not in groups or groups[group.key].repeats < group.repeats:
                groups[group.key] = group
    return groups


def _is_asked_for(plan: Plan, dataset: str, method: str, config: Mapping[str, Any]) -> bool:
    datasets, methods = config["only_datasets"], config["only_methods"]
    return (not datasets or bool({dataset, plan.base(dataset)} & set(datasets))) and (not methods or method in methods)


def _group(plan: Plan, key: Key, sizes: Mapping[str, Any]) -> Group:
    study, dataset, _, method = key
    needs_gpu = plan.method(study, method, dataset).get("options", {}).get("needs") == "gpu"
    return Group(*key, **{name: sizes[name] for name in Sizes.model_fields if name in sizes}, gpus=int(needs_gpu))
