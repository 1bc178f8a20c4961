"""Building blocks of trials: methods, settings with their splits and tasks, and the experiments that cross them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal

from pulab.figures.style import COLORS, METHOD_MARKERS
from pulab.plan.versions import ESTIMATORS
from pulib.sampling import Scheme


class StudyError(ValueError):
    """A mistake in a study; the message names the study and the wrong name."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """What a trial does.  A study's tasks are subclasses, with a function for each in its ``protocol.py``.

    ``params`` go to every estimator that has parameters of these names.  ``given_prior`` is the π passed to methods: a multiple
    of the true π, or the name of the estimator of π.  ``scenario`` is the sampling scenario passed to learners, which use their
    default if it is None.
    """

    #: Name within the study.  Raise the version in the commit that changes the results of its function.
    name: ClassVar[str] = ""
    version: ClassVar[int] = 1

    params: Mapping[str, Any] = field(default_factory=dict)
    given_prior: float | str = 1.0
    scenario: Literal["two_sample", "one_sample"] | None = None


@dataclass(frozen=True, kw_only=True)
class Method:
    """A method: how to build, tune and draw it.

    Attributes
    ----------
    name, label : str
        In files, and in tables and figures.
    estimator : str
        Dotted path of the class.
    params : mapping
        Constructor parameters; a nested estimator is ``{"estimator": path, "params": {...}}``.
    grid : mapping
        What to tune: maps a parameter to its values, or to what the study's protocol reads.
    style : (color, marker), optional
        Colors are in :mod:`pulab.figures.style`.
    requires : tuple of str
        Packages required beyond pulib's own.
    labels : {"pu", "pn", "all"}
        Train on PU labels, on the positives and the split's negatives, or on the true labels of all rows.
    standardize : bool
        Whether to scale the features by the training rows.
    prior_name : str
        Name of the parameter that takes π.
    role : {"", "ceiling", "trivial", "rival"}
        Its role among the methods, if it is not a learner of pulib.
    features, box : mapping
        How to compute the features for training; the bounds of a random search.
    needs_gpu : bool
        Whether it runs only if PyTorch finds a GPU, and is shown as unavailable otherwise.
    by_dataset : mapping of str to Method
        Variants of the method on some data sets.
    """

    name: str
    label: str
    estimator: str
    params: Mapping[str, Any] = field(default_factory=dict)
    grid: Mapping[str, Any] = field(default_factory=dict)
    style: tuple[str, str] | None = None
    requires: tuple[str, ...] = ()
    labels: Literal["pu", "pn", "all"] = "pu"
    standardize: bool = False
    prior_name: str = "prior"
    role: Literal["", "ceiling", "trivial", "rival"] = ""
    features: Mapping[str, Any] = field(default_factory=dict)
    box: Mapping[str, Any] = field(default_factory=dict)
    needs_gpu: bool = False
    by_dataset: Mapping[str, Method] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_file_name("method", self.name)
        check_estimator(self.estimator, f"method {self.name}: estimator: ")
        check_style(self.style, f"method {self.name}: style: ")

    def but(self, name: str = "", label: str = "", **changes: Any) -> Method:
        """Return the method with some fields changed; ``params`` and ``grid`` are merged, also in the variants by data set."""
        on = {dataset: own.but(name, label, **changes) for dataset, own in self.by_dataset.items()}
        merged_fields = {key: merged(getattr(self, key), changes.pop(key, {})) for key in ("params", "grid")}
        more = {key: value for key, value in (("name", name), ("label", label)) if value}
        return _replaced(self, f"method {self.name}", by_dataset=on, **merged_fields, **more, **changes)

    def on(self, datasets: str | Iterable[str], **changes: Any) -> Method:
        """Return the method with some fields changed on some data sets."""
        names = [datasets] if isinstance(datasets, str) else list(datasets)
        own = {dataset: replace(self.for_dataset(dataset), by_dataset={}).but(**changes) for dataset in names}
        return replace(self, by_dataset={**self.by_dataset, **own})

    def for_dataset(self, dataset: str) -> Method:
        """Return the method as it runs on a data set."""
        return self.by_dataset.get(dataset, self)

    @property
    def is_compiled(self) -> bool:
        """Whether its class belongs to the library and runs compiled kernels."""
        return self.estimator.startswith("pulib.") and not self.estimator.startswith("pulib.neural.")


@dataclass(frozen=True)
class Setting:
    """How rows are labeled and held out for testing, and what a trial does.

    Attributes
    ----------
    name, label : str
    split : Scheme
    task : Task
    splits, tasks : mapping
        Variants on some data sets.
    """

    name: str
    label: str
    split: Scheme
    task: Task
    splits: Mapping[str, Scheme] = field(default_factory=dict)
    tasks: Mapping[str, Task] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_file_name("setting", self.name)

    def but(self, name: str = "", label: str = "", *, task: Task | None = None, **changes: Any) -> Setting:
        """Return the setting with fields of its split or task changed on all data sets, or with another task."""
        of_split, of_task = _split_and_task_changes(changes, self)
        tasks = {} if task else {dataset: replace(own, **of_task) for dataset, own in self.tasks.items()}
        return Setting(
            name or self.name,
            label or self.label,
            replace(self.split, **of_split),
            replace(task or self.task, **of_task),
            {dataset: replace(own, **of_split) for dataset, own in self.splits.items()},
            tasks,
        )

    def on(self, datasets: str | Iterable[str], **changes: Any) -> Setting:
        """Return the setting with fields of its split or task changed on some data sets."""
        names = [datasets] if isinstance(datasets, str) else list(datasets)
        of_split, of_task = _split_and_task_changes(changes, self)
        splits = {name: replace(self.split_for(name), **of_split) for name in names} if of_split else {}
        tasks = {name: replace(self.task_for(name), **of_task) for name in names} if of_task else {}
        return replace(self, splits={**self.splits, **splits}, tasks={**self.tasks, **tasks})

    def split_for(self, dataset: str) -> Scheme:
        return self.splits.get(dataset, self.split)

    def task_for(self, dataset: str) -> Task:
        return self.tasks.get(dataset, self.task)


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Size of jobs and the resources they request; None means the preset's value, or the default of a group.

    Attributes
    ----------
    batch_size : int
        Repeats per job.
    job : str
        Trials of one data set whose experiments share this name run in one job; without it, each setting and method has its
        own jobs.
    threads, mem_mb, runtime : int
        Cores, megabytes, minutes.
    """

    repeats: int | None = None
    batch_size: int | None = None
    job: str | None = None
    threads: int | None = None
    mem_mb: int | None = None
    runtime: int | None = None

    def __post_init__(self) -> None:
        for name, value in self.given().items():
            if isinstance(value, int) and value < 1:
                raise StudyError(f"{type(self).__name__.lower()}: {name}: expected 1 or more, got {value}")
        if self.job is not None:
            check_file_name("job", self.job)

    def given(self) -> dict[str, Any]:
        return {item.name: value for item in fields(Sizes) if (value := getattr(self, item.name)) is not None}


@dataclass(frozen=True, kw_only=True)
class Experiment(Sizes):
    """All combinations of some data sets, settings and methods."""

    datasets: Sequence[str]
    settings: Sequence[Setting]
    methods: Sequence[Method]


@dataclass(frozen=True, kw_only=True)
class Preset(Sizes):
    """What to run for a study.

    Attributes
    ----------
    stand_ins : mapping
        Maps a data set of the paper to its stand-in.
    """

    experiments: Sequence[Experiment]
    stand_ins: Mapping[str, str] = field(default_factory=dict)


def check_file_name(what: str, name: str) -> None:
    """Raise a :class:`StudyError` for a name that the rules would not recognize in the path of a file."""
    if not re.fullmatch("[A-Za-z0-9_]+", name):
        raise StudyError(f"{what} {name!r}: a name has only letters from A to Z, digits and underscores")


def check_estimator(path: str, where: str = "") -> str:
    """Return the path of a class; raise a :class:`StudyError` if pulib does not have it."""
    if path.startswith("pulib.") and path not in ESTIMATORS:
        named = f"{where}unknown estimator {path!r}{hint(path, ESTIMATORS)}"
        raise StudyError(f"{named}; pulab/plan/versions.py has those of pulib")
    return path


def check_style(style: Sequence[str] | None, where: str = "") -> Sequence[str] | None:
    """Return a color and a marker; raise a :class:`StudyError` for unknown ones."""
    if style is not None and len(style) != 2:
        raise StudyError(f"{where}expected a color and a marker, got {style!r}")
    for word, known, what in zip(style or (), (COLORS, METHOD_MARKERS), ("color", "marker"), strict=False):
        if word not in known:
            raise StudyError(f"{where}unknown {what} {word!r}{hint(word, known)}; expected one of {', '.join(known)}")
    return style


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Merge ``over`` into ``base``, recursively for nested mappings.

    >>> merged({"a": {"b": 1, "c": 2}}, {"a": {"b": 3}})
    {'a': {'b': 3, 'c': 2}}
    """
    out = dict(base)
    for key, value in over.items():
        both = isinstance(value, Mapping) and isinstance(out.get(key), Mapping)
        out[key] = merged(out[key], value) if both else value
    return out


def hint(word: str, known: Iterable[str]) -> str:
    """Suggest the nearest known word; empty if none is close.

    >>> hint("tabel", ["table", "figure"])
    " (did you mean 'table'?)"
    """
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _replaced(thing: Any, what: str, **changes: Any) -> Any:
    known = [item.name for item in fields(thing)]
    for name in changes:
        if name not in known:
            raise StudyError(f"{what}: unknown field {name!r}{hint(name, known)}; expected some of {sorted(known)}")
    return replace(thing, **changes)


def _split_and_task_changes(changes: Mapping[str, Any], setting: Setting) -> tuple[dict[str, Any], dict[str, Any]]:
    """Separate the changes of the split from those of the task."""
    of_split, of_task = ({item.name for item in fields(part)} for part in (setting.split, setting.task))
    for name in changes:
        if name in of_split & of_task:
            raise StudyError(f"setting {setting.name}: both the split and the task have {name!r}; rename it in one of them")
        if name not in of_split | of_task:
            known = sorted(of_split | of_task)
            raise StudyError(f"setting {setting.name}: unknown field {name!r}{hint(name, known)}; expected some of {known}")
    return (
        {name: value for name, value in changes.items() if name in of_split},
        {name: value for name, value in changes.items() if name in of_task},
    )
