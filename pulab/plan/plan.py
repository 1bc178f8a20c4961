"""From configuration to a plan: the trials of a run, and their jobs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any

from pulab.plan.configuration import ConfigError
from pulab.plan.experiment import Method, Preset, Setting, hint
from pulab.plan.identity import Identity, Key, data_identity, files_fingerprint, hash_of, identity_of, loaders_of, source_of
from pulab.plan.load import Studies, folder_of, load_studies
from pulab.plan.models import Config
from pulab.plan.own import check_methods, check_paths
from pulab.plan.study import Recipe, Study
from pulib.datasets.registry import load_registry


@dataclass(frozen=True)
class Group:
    """All repeats of one (study, data set, setting, method), and the resources of their jobs.

    ``batch_size`` is the number of repeats per job.  Groups of one study and data set share jobs if they have the same ``job``;
    a group without it has its own.  Memory is in megabytes, ``runtime`` in minutes.
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

    @cached_property  # used hundreds of thousands of times
    def key(self) -> Key:
        return (self.study, self.dataset, self.setting, self.method)

    @property
    def place(self) -> str:
        """The key as text."""
        return "/".join(self.key)

    @property
    def job_name(self) -> str:
        """Name of the group's jobs within their study and data set."""
        return self.job or f"{self.setting}/{self.method}"


@dataclass(frozen=True)
class Job:
    """Trials that one process runs in sequence: the repeats ``first`` to ``last`` of some groups."""

    study: str
    dataset: str
    name: str
    first: int
    last: int
    #: each group with its repeats to run
    trials: tuple[tuple[Group, tuple[int, ...]], ...]

    @property
    def groups(self) -> list[Group]:
        return [group for group, _ in self.trials]

    @property
    def key(self) -> tuple[str, str, str, int, int]:
        return (self.study, self.dataset, self.name, self.first, self.last)

    def most(self, resource: str) -> int:
        """Return the largest request of its groups for a resource."""
        return max(getattr(group, resource) for group, _ in self.trials)


def cut_jobs(groups: Iterable[Group], archived: Mapping[Key, frozenset[int]] | None = None) -> Iterator[Job]:
    """Yield jobs for all repeats that are not archived: full batches, and one for the rest.

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
                (g, tuple(k for k in batch if k < g.repeats and k not in (archived or {}).get(g.key, ()))) for g in members
            )
            if trials := tuple((group, own) for group, own in wanted if own):
                yield Job(*place, batch[0], batch[-1], trials)


def job_rows(jobs: Iterable[Job]) -> list[list[object]]:
    """Return one row per job and group, with the columns :data:`pulab.trials.scale.JOB_COLUMNS`."""
    return [
        [number, *group.key, list(repeats), job.most("threads"), job.most("mem_mb")]
        for number, job in enumerate(jobs)
        for group, repeats in job.trials
    ]


def plan_rows(jobs: Iterable[Job]) -> list[list[object]]:
    """Return the key of each group that jobs run, with its number of repeats."""
    repeats: Counter[Key] = Counter()
    for job in jobs:
        repeats.update({group.key: len(own) for group, own in job.trials})
    return [[*key, n] for key, n in repeats.items()]


@dataclass
class Plan:
    """Everything that the rules need.

    Attributes
    ----------
    config : Config
    registry : dict
        Entries of data sets, by name.
    studies : mapping of str to Study
    methods : mapping of str to dict of str to Method
        Methods of each study in this preset.
    groups : dict
        All groups of this run, archived or not.
    whole : dict
        All groups without the options that select a part.
    """

    config: Config
    registry: dict[str, dict[str, Any]]
    studies: Mapping[str, Study]
    methods: Mapping[str, Mapping[str, Method]]
    groups: dict[Key, Group] = field(default_factory=dict)
    whole: dict[Key, Group] = field(default_factory=dict)
    #: maps a study to the archived repeats of its groups
    find_archived: Callable[[str], Mapping[Key, frozenset[int]]] = lambda study: {}
    _recipes: dict[Key, Recipe] = field(default_factory=dict)
    _identities: dict[Key, Identity] = field(default_factory=dict)
    _data: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def preset(self) -> str:
        return self.config.preset

    def preset_of(self, study: str) -> Preset:
        return self.studies[study].presets[self.preset]  # load_studies checked that it exists

    @cached_property
    def settings(self) -> dict[str, dict[str, Setting]]:
        """Settings by study and name."""
        return {name: study.settings_of(self.preset) for name, study in self.studies.items()}

    @cached_property
    def jobs(self) -> dict[tuple[str, str, str, int, int], Job]:
        """The jobs of this run."""
        return self._jobs(self.groups)

    @cached_property
    def whole_jobs(self) -> dict[tuple[str, str, str, int, int], Job]:
        """The jobs of a run without options that select a part."""
        return self._jobs(self.whole) if self.is_part else self.jobs

    def _jobs(self, groups: Mapping[Key, Group]) -> dict[tuple[str, str, str, int, int], Job]:
        if self.config.train == "none":
            return {}
        return {
            job.key: job
            for study in self.studies
            for job in cut_jobs((group for group in groups.values() if group.study == study), self._archived.get(study))
        }

    @cached_property
    def _archived(self) -> dict[str, Mapping[Key, frozenset[int]]]:
        """The repeats that need not be run, by study."""
        return {study: self.find_archived(study) for study in self.studies} if self.config.train == "missing" else {}

    def datasets(self) -> list[str]:
        """Return the prepared data sets that the jobs need."""
        return sorted({self.base(job.dataset) for job in self.jobs.values()})

    def base(self, dataset: str) -> str:
        """Return the data set whose prepared arrays a data set uses."""
        return self.registry[dataset].get("base", dataset)

    def method(self, study: str, method: str, dataset: str) -> Method:
        """Return a method as it runs on a data set."""
        return self.methods[study][method].for_dataset(dataset)

    def recipe(self, group: Group) -> Recipe:
        """Return everything that the results of a group depend on except their seeds."""
        if group.key not in self._recipes:
            study, setting = self.studies[group.study], self.settings[group.study][group.setting]
            base = self.base(group.dataset)
            if base not in self._data:
                self._data[base] = data_identity(group.dataset, self.registry)
            self._recipes[group.key] = Recipe(
                study=group.study,
                module=study.module,
                method=self.method(group.study, group.method, group.dataset),
                split=setting.split_for(group.dataset),
                task=setting.task_for(group.dataset),
                positive=self.registry[group.dataset]["positive"],
                data=self._data[base],
                loaders=tuple(loaders_of(group.dataset, self.registry)),
                versions=study.estimators,
            )
        return self._recipes[group.key]

    def identities(self, study: str) -> dict[Key, tuple[Identity, int]]:
        """Return the identity and number of trials of each group in the whole plan, even if this run is a part of it."""
        groups = self.whole.values() if self.whole else self.groups.values()
        return {group.key: (self.identity(group), group.repeats) for group in groups if group.study == study}

    def identity(self, group: Group) -> Identity:
        """Return the identity of a group's trials."""
        if group.key not in self._identities:
            self._identities[group.key] = identity_of(self.recipe(group))
        return self._identities[group.key]

    def source(self, group: Group) -> str:
        """Return the label of the source that would make a group's trials today."""
        return source_of(self.recipe(group))

    def sources(self) -> dict[Key, str]:
        """Return the source label of each group of the whole plan."""
        return {group.key: self.source(group) for group in (self.whole or self.groups).values()}

    @property
    def is_part(self) -> bool:
        """Whether an option selects a part of the plan."""
        config = self.config
        chosen = config.only_datasets or config.only_settings or config.only_methods or config.only_share < 1
        return bool(chosen or config.repeats)

    @property
    def shows_archived(self) -> bool:
        """Whether archived results replace trials not run here; an option for a part shows only the trials that were run."""
        return self.config.train != "all" or not self.is_part

    def compiled_methods(self) -> list[Method]:
        """Return one method of the jobs for each class of the library that runs compiled kernels."""
        methods = [self.recipe(group).method for job in self.jobs.values() for group in job.groups]
        ours = {method.estimator: method for method in methods if method.is_compiled}
        return [method for _, method in sorted(ours.items())]

    def packages(self, groups: Iterable[Group]) -> list[str]:
        """Return the packages beyond pulib's own that the methods of some groups need."""
        return sorted({name for group in groups for name in self.recipe(group).method.requires})


def load_plan(config: Mapping[str, Any], registry: dict[str, dict[str, Any]]) -> Plan:
    """Check the configuration, import its studies, and list the trials of the chosen preset.

    The first mistake raises a :class:`ConfigError` with file, key, what was found, and what is accepted.
    """
    found = load_studies(config, registry)
    check_methods(found.methods, found.config.methods)
    plan = plan_of(found, registry)
    check_paths(registry, sorted({group.dataset for group in (plan.whole or plan.groups).values()}))
    if not plan.groups:
        _explain_empty(plan)
    return plan


def plan_of(found: Studies, registry: dict[str, dict[str, Any]]) -> Plan:
    """Return the plan of loaded studies."""
    config = found.config
    plan = Plan(config, registry, found.studies, found.methods)
    no_part = {"only_datasets": [], "only_settings": [], "only_methods": [], "only_share": 1.0, "repeats": None}
    everything = config.model_copy(update=no_part)
    for name in plan.studies:
        plan.groups |= _groups_of(plan, found, name, config)
        plan.whole |= _groups_of(plan, found, name, everything) if plan.is_part else {}
    settings = {key[2] for key in plan.whole or plan.groups}
    if unknown := [name for name in config.only_settings if name not in settings]:
        raise ConfigError(f"config: only_settings: no study has a setting {unknown[0]!r}{hint(unknown[0], settings)}")
    for key, group in plan.groups.items():  # an option may ask for more repeats than the preset has
        if plan.is_part and plan.whole[key].repeats < group.repeats:
            plan.whole[key] = group
    return plan


def _explain_empty(plan: Plan) -> None:
    """Raise an error for an empty plan, which would overwrite the tables of another run with empty ones."""
    asked = [
        f"{key}: {own}" for key in ("only_datasets", "only_settings", "only_methods") if (own := getattr(plan.config, key))
    ]
    asked += [f"only_share: {plan.config.only_share}"] if plan.config.only_share < 1 else []
    there = sorted({name for study in plan.studies for part in plan.preset_of(study).experiments for name in part.datasets})
    raise ConfigError(
        f"config: {', '.join(asked)}: no experiment of the preset {plan.preset!r} of {', '.join(plan.studies)} matches; "
        f"its data sets are {there}"
    )


def _groups_of(plan: Plan, found: Studies, study: str, config: Config) -> dict[Key, Group]:
    groups: dict[Key, Group] = {}
    preset = plan.preset_of(study)
    asked = {name: value for name in ("repeats", "batch_size") if (value := getattr(config, name))}
    for experiment in [*preset.experiments, *found.experiments.get(study, [])]:
        sizes = preset.given() | experiment.given() | asked
        for dataset, setting, method in product(experiment.datasets, experiment.settings, experiment.methods):
            if not _is_selected(plan, study, dataset, setting.name, method.name, config):
                continue
            gpus = int(plan.method(study, method.name, dataset).needs_gpu)
            group = Group(study, dataset, setting.name, method.name, **sizes, gpus=gpus)
            if group.key not in groups or groups[group.key].repeats < group.repeats:
                groups[group.key] = group
    return groups


def _is_selected(plan: Plan, study: str, dataset: str, setting: str, method: str, config: Config) -> bool:
    datasets, settings, methods = config.only_datasets, config.only_settings, config.only_methods
    own = {dataset, plan.base(dataset)}
    drawn = int(hash_of([study, dataset, setting, method])[:8], 16) < config.only_share * 16**8  # the same draw each time
    return drawn and all(
        not asked or found & set(asked) for asked, found in ((datasets, own), (settings, {setting}), (methods, {method}))
    )


def make_plan(config: Mapping[str, Any], study: str = "") -> Plan:
    """Return the plan of Snakemake's configuration, or one study's part of it, for use in a job."""
    registry = load_registry(extra=config["datasets"])
    found = load_studies(config, registry)
    return plan_of(found if not study else replace(found, studies={study: found.studies[study]}), registry)


def rendered_from(plan: Plan, study: str, *places: str) -> str:
    """Hash everything that a study's tables and figures depend on: its folder, the helpers, and its texts and names.

    Snakemake compares parameters as text and would miss a changed title inside an object.
    """
    own = plan.studies[study]
    files = [file for file in sorted(folder_of(own).rglob("*")) if file.suffix in (".py", ".csv", ".jinja")]
    said = [
        repr(own),
        repr(plan.methods[study]),
        sorted({repr(plan.registry[key[1]].get("title")) for key in plan.whole or plan.groups if key[0] == study}),
    ]
    return hash_of([[file.name, file.read_text(encoding="utf-8")] for file in files] + said + [files_fingerprint(*places)])
