"""Typed models of the files in ``config/``.

``workflow/schemas`` is generated from these (``python -m pulab.plan.schemas``), for editors.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints

from pulab.plan.configuration import Dataset, Entry, Method, Setting
from pulab.plan.experiment import Method as MethodObject
from pulab.plan.experiment import check_estimator, check_style

Preset = Literal["quick", "paper"]
Count = Annotated[int, Field(ge=1)]
Params = dict[str, Any]
Word = Annotated[str, StringConstraints(pattern="^[a-z0-9_]+$")]


Path = Annotated[str, StringConstraints(pattern=r"^[A-Za-z]\w*(\.[A-Za-z]\w*)+$")]
EstimatorPath = Annotated[Path, AfterValidator(check_estimator)]
StudyPath = Annotated[str, StringConstraints(pattern=r"^[A-Za-z]\w*(\.[A-Za-z]\w*)*$")]


class MethodChange(Entry):
    """Changes to a method, as :class:`pulab.plan.experiment.Method` has its fields."""

    label: str | None = None
    estimator: EstimatorPath | None = None
    params: Params | None = None
    grid: Params | None = None
    style: Annotated[list[str], Field(min_length=2, max_length=2), AfterValidator(check_style)] | None = None
    requires: list[str] | None = None
    labels: Literal["pu", "pn", "all"] | None = None
    standardize: bool | None = None
    prior_name: str | None = None
    role: Literal["ceiling", "trivial", "rival"] | None = None
    features: Params | None = None
    box: dict[str, list[float]] | None = None
    needs_gpu: bool | None = None

    def changes(self) -> dict[str, Any]:
        """Return the given values as fields of a method."""
        given = self.model_dump(exclude_none=True, exclude={"datasets"}, exclude_unset=True)
        return {key: tuple(value) if key in ("style", "requires") else value for key, value in given.items()}


class MethodEntry(MethodChange):
    """A method of ``config/methods.yaml``, or changes to one; ``datasets`` has changes by data set."""

    datasets: dict[Dataset, MethodChange] = {}

    def applied_to(self, method: MethodObject) -> MethodObject:
        """Return the method with these changes."""
        changed = method.but(**self.changes())
        for dataset, change in self.datasets.items():
            changed = changed.on(dataset, **change.changes())
        return changed

    def as_method(self, name: str) -> MethodObject:
        """Return a method made from this entry alone."""
        own = {"label": name, **self.changes()}
        return self.applied_to(MethodObject(name=name, label=own["label"], estimator=own["estimator"]))


Registry = dict[Word, MethodEntry]


class ExperimentEntry(Entry):
    """All combinations of some data sets, settings and methods, by name, with the sizes of its jobs."""

    datasets: Annotated[list[Dataset], Field(min_length=1)]
    settings: Annotated[list[Setting], Field(min_length=1)]
    methods: Annotated[list[Method], Field(min_length=1)]
    repeats: Count | None = None
    batch_size: Count | None = None
    job: Word | None = None
    threads: Count | None = None
    mem_mb: Count | None = None
    runtime: Count | None = None


class Config(Entry):
    """``config/config.yaml`` and its overlays, which say what each key is for."""

    preset: Preset
    studies: Annotated[list[StudyPath], Field(min_length=1), AfterValidator(lambda names: _without_duplicates(names))]
    only_datasets: list[Dataset]
    only_settings: list[str] = []
    only_methods: list[Method]
    only_share: Annotated[float, Field(gt=0, le=1)] = 1.0
    repeats: Count | None
    batch_size: Count | None
    resources_dir: Annotated[str, Field(min_length=1)]
    mirror: str | list[str] | None
    missing_data: Literal["fail", "report"]
    report: Literal["pages", "single"]
    train: Literal["all", "missing", "none"]
    retrain: Literal["none", "changed", "all"]
    datasets: Params
    methods: Registry
    experiments: dict[str, list[ExperimentEntry]] = {}


def _without_duplicates(names: list[str]) -> list[str]:
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"{twice[0]!r} occurs twice in {names}")
    return names


class SpeedEntry(Entry):
    """A kernel of ``config/speed.yaml``.

    Without the package that it ``needs``, the kernel is left out. ``quick`` and ``paper`` are arguments of ``measure`` in the
    module of :mod:`benchmarks` with the kernel's name.
    """

    title: str
    caption: str
    needs: str | None = None
    mem_mb: Count = 8000
    quick: Params
    paper: Params


class PriorSizes(Entry):
    """The data sets on which the class prior is estimated, how often, and from how many rows."""

    datasets: Annotated[list[Dataset], Field(min_length=1)]
    repeats: Count
    n_labeled: Annotated[int, Field(ge=2)]
    n_unlabeled: Annotated[int, Field(ge=2)]


class Priors(Entry):
    """``config/priors.yaml``."""

    quick: PriorSizes
    paper: PriorSizes
