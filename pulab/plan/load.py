"""Load what the configuration names: its own file, the shared methods, and the studies."""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from pulab.plan.configuration import ConfigError, check, hint, read_yaml
from pulab.plan.experiment import Experiment, Method, StudyError
from pulab.plan.models import Config, ExperimentEntry, Registry
from pulab.plan.study import Study

ROOT = Path(__file__).resolve().parents[2]
#: The package of the repository's studies.
STUDIES = "studies"


@dataclass(frozen=True)
class Studies:
    """The checked configuration and what it names.

    ``methods`` has the methods of each study by name, after changes by the preset and the configuration; ``experiments`` has
    the user's own.
    """

    config: Config
    studies: dict[str, Study]
    methods: dict[str, dict[str, Method]]
    experiments: dict[str, list[Experiment]]


@cache
def shared_methods() -> dict[str, Method]:
    """Return the methods of ``config/methods.yaml``, which several studies share, by name."""
    entries = check(Registry, read_yaml(ROOT / "config" / "methods.yaml"), "config/methods.yaml")
    return {name: entry.as_method(name) for name, entry in entries.items()}


def load_study(name: str) -> Study:
    """Load a study by the name of its folder in ``studies/``, or by the dotted module of a user's own.

    Raises a :class:`ConfigError` if there is none, or if it contradicts itself.
    """
    module = name if "." in name or importlib.util.find_spec(f"{STUDIES}.{name}") is None else f"{STUDIES}.{name}"
    try:
        found = importlib.import_module(f"{module}.study")
    except ModuleNotFoundError as error:
        if error.name not in (module, module.partition(".")[0], f"{module}.study"):
            raise
        known = study_names()
        raise ConfigError(
            f"config: studies: unknown study {name!r}{hint(name, known)}; expected one of {known}, or a module"
        ) from None
    except StudyError as error:
        raise ConfigError(str(error)) from None
    return replace(found.STUDY, module=module)


def folder_of(study: Study) -> Path:
    """Return the folder of a study."""
    found = importlib.util.find_spec(study.module)
    assert found is not None
    assert found.submodule_search_locations
    return Path(found.submodule_search_locations[0])


def deviations_of(study: Study) -> str:
    """Return the deviations listed on a study's page, as Markdown without links; empty if there are none."""
    page = folder_of(study) / "page.md"
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    found = re.search(r"^## Deviations\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    listed = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", found[1]).strip() if found else ""
    return "" if listed == "None." else listed


def study_names() -> list[str]:
    """Return the names of the repository's studies."""
    return sorted(
        path.name for path in (ROOT / STUDIES).iterdir() if (path / "study.py").is_file() or (path / "study").is_dir()
    )


def load_studies(config: Mapping[str, Any], registry: Mapping[str, Any]) -> Studies:
    """Check the configuration and import its studies.

    The first mistake raises a :class:`ConfigError` with file, key, what was found, and what is accepted.
    """
    checked: Config = check(Config, config, "config", data_set=registry)
    studies: dict[str, Study] = {}
    for study in map(load_study, checked.studies):
        if studies.setdefault(study.name, study) is not study:
            folders = " and ".join(str(folder_of(own)) for own in (studies[study.name], study))
            raise ConfigError(f"config: studies: {folders} have the same name, {study.name!r}; rename one of them")
    for name, study in studies.items():
        if checked.preset not in study.presets:
            raise ConfigError(f"study {name}: no preset {checked.preset!r}; expected one of {sorted(study.presets)}")
        _check_datasets(study, registry)
    methods = {name: study.methods_of(checked.preset) for name, study in studies.items()}
    for name, entry in checked.methods.items():  # a change of an existing method, or a new one
        owners = [own for own in methods.values() if name in own]
        for own in owners:
            own[name] = entry.applied_to(own[name])
        if not owners and entry.estimator is None:
            known = {known for own in methods.values() for known in own}
            raise ConfigError(f"config: methods: unknown method {name!r}{hint(name, known)}; a new one needs an estimator")
        for own in [] if owners else methods.values():
            own[name] = entry.as_method(name)
    known_methods = {name for own in methods.values() for name in own}
    check(Config, config, "config", data_set=registry, method=known_methods)
    if checked.train != "all" and checked.preset != "paper":
        where = f"config: train: {checked.train}"
        raise ConfigError(f"{where} needs the preset that has archived results (paper), not {checked.preset!r}")
    experiments = {
        name: [_experiment(entry, studies[name], checked.preset, methods[name]) for entry in own]
        for name, own in checked.experiments.items()
        if name in studies
    }
    unknown = sorted(set(checked.experiments) - set(studies) - set(study_names()))
    if unknown:
        raise ConfigError(f"config: experiments: unknown study {unknown[0]!r}{hint(unknown[0], study_names())}")
    return Studies(checked, studies, methods, experiments)


def _check_datasets(study: Study, registry: Mapping[str, Any]) -> None:
    for preset, entry in study.presets.items():
        named = [name for experiment in entry.experiments for name in experiment.datasets]
        named += [name for setting in study.settings_of(preset).values() for name in [*setting.splits, *setting.tasks]]
        named += [name for method in study.methods_of(preset).values() for name in method.by_dataset]
        named += [failure.dataset for failure in study.expected_failures if failure.dataset]
        for name in [*named, *entry.stand_ins, *entry.stand_ins.values()]:
            if name not in registry:
                raise ConfigError(f"study {study.name}: preset {preset}: unknown data set {name!r}{hint(name, registry)}")


def _experiment(entry: ExperimentEntry, study: Study, preset: str, methods: Mapping[str, Method]) -> Experiment:
    settings = study.settings_of(preset)
    known = {"setting": settings, "method": methods}
    check(ExperimentEntry, entry.model_dump(exclude_none=True), f"config: experiments.{study.name}", **known)
    sizes = entry.model_dump(exclude_none=True, exclude={"datasets", "settings", "methods"})
    return Experiment(
        datasets=entry.datasets,
        settings=[settings[name] for name in entry.settings],
        methods=[methods[name] for name in entry.methods],
        **sizes,
    )
