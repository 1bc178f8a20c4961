"""The typed models of the configuration: what each file of ``config/`` may hold.

``workflow/schemas`` is generated from these (``python -m pulab.trials.schemas``), for editors.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints

from pulab.trials.artifacts import AnyArtifact, check_artifacts
from pulab.trials.configuration import (
    Dataset,
    Datasets,
    Entry,
    Method,
    Methods,
    Setting,
    Settings,
    Study,
    Tables,
    check,
    hint,
)
from pulab.trials.options import Count, Params, Split, check_settings
from pulab.trials.versions import ESTIMATORS

Preset = Literal["quick", "paper"]
Word = Annotated[str, StringConstraints(pattern="^[a-z0-9_]+$")]


def _public(path: str) -> str:
    if path.startswith(("pulib.", "pulab.")) and path not in ESTIMATORS:
        raise ValueError(f"unknown estimator {path!r}{hint(path, ESTIMATORS)}; pulab/trials/versions.py has those of pulib")
    return path


Path = Annotated[str, StringConstraints(pattern=r"^[A-Za-z]\w*(\.[A-Za-z]\w*)+$")]
EstimatorPath = Annotated[Path, AfterValidator(_public)]


class Style(Entry):
    """A method's color and marker in all figures; :mod:`pulab.figures.style` has the colors."""

    color: Literal[
        "blue",
        "vermilion",
        "green",
        "pink",
        "orange",
        "sky",
        "black",
        "brown",
        "violet",
        "plum",
        "navy",
        "olive",
        "forest",
        "maroon",
    ]
    marker: Literal["o", "s", "^", "v", "P", "X", "*", "<", ">", "p", "h"]


class MethodOptions(Entry):
    """Further options for the protocols.

    Attributes
    ----------
    labels : {"pn", "all"}
        Whether to train on the positives and the split's negatives, or on the true labels of all rows.
    standardize : bool
    prior : str
        The parameter that is given π, if its name is not ``prior``.
    role : str
        The method's role among the others, if it is not a learner of pulib.
    features : dict
        How the features on which it is trained are computed.
    box : dict
        For each parameter, the ends of the range from which a random search draws.
    needs : {"gpu"}
        Run only if PyTorch finds one, otherwise shown as unavailable.
    """

    labels: Literal["pn", "all"] | None = None
    standardize: bool = False
    prior: str = "prior"
    role: Literal["ceiling", "trivial", "before", "rival"] | None = None
    features: Params = {}
    box: dict[str, list[float]] = {}
    needs: Literal["gpu"] | None = None


class MethodChange(Entry):
    """Changes to a method's entry."""

    estimator: EstimatorPath | None = None
    params: Params = {}
    grid: Params = {}
    options: MethodOptions = MethodOptions()


class StudyMethodChange(MethodChange):
    """A study's changes to a method's entry."""

    datasets: dict[Datasets, MethodChange] = {}


class MethodEntry(StudyMethodChange):
    """A method of ``config/methods.yaml``.

    Attributes
    ----------
    label : str
        The name in tables and figures.
    params : dict
        Constructor parameters.
    grid : dict
        What is tuned: maps a parameter to a list of values, or to what the study's protocol reads.
    requires : list of str
        Packages beyond pulib's own.
    datasets : dict
        Changes by data set (shell-style patterns).
    """

    label: str
    estimator: EstimatorPath
    style: Style | None = None
    requires: list[str] = []


Registry = dict[Word, MethodEntry]


class SettingChange(Entry):
    """Changes to a setting; :func:`pulab.trials.options.check_settings` checks them."""

    split: Params = {}
    evaluate: Params = {}


class SettingEntry(Entry):
    """How rows are labeled and held out for testing, and what a trial does.

    Attributes
    ----------
    split : Split
        ``scheme`` is a name of :mod:`pulib.sampling`.
    evaluate : dict
        What the study's protocol reads; ``task`` says what a trial does.
    datasets : dict
        Changes by data set (shell-style patterns).
    """

    label: str = ""
    split: Split
    evaluate: Params = {}
    datasets: dict[Datasets, SettingChange] = {}


class Sizes(Entry):
    """The size of a job, and the resources that it requests.

    Attributes
    ----------
    batch_size : int
        Repeats per job.
    job : str
        Trials of one data set whose experiments have the same name here run in one job; without it, a job has one setting and
        method.
    runtime : int
        Minutes.
    """

    repeats: Count | None = None
    batch_size: Count | None = None
    job: Word | None = None
    threads: Count | None = None
    mem_mb: Count | None = None
    runtime: Count | None = None


class Experiment(Sizes):
    """All combinations of some data sets, settings and methods."""

    datasets: Annotated[list[Dataset], Field(min_length=1)]
    settings: Annotated[list[Setting], Field(min_length=1)]
    methods: Annotated[list[Method], Field(min_length=1)]


class GridFamily(Entry):
    """Data sets that share one grid.

    Attributes
    ----------
    ends : dict
        The largest value of each parameter.
    steps : dict
        The factor from one value of a parameter to the next.
    """

    datasets: Annotated[list[Dataset], Field(min_length=1)]
    repeats: Count
    ends: dict[str, float]
    steps: dict[str, Annotated[float, Field(gt=1)]]


class Grids(Entry):
    """The grids that the target ``grids`` chooses.

    Attributes
    ----------
    methods : dict
        Maps a method whose grid is chosen to the method with whose grid it begins.
    """

    settings: Annotated[list[Setting], Field(min_length=1)]
    methods: dict[Method, Method]
    families: dict[Word, GridFamily]


class StudyPreset(Sizes):
    """What to run of a study.

    Attributes
    ----------
    stand_ins : dict
        Maps a data set of the paper to its stand-in.
    settings, methods : dict
        Changes by setting and by method (shell-style patterns).
    """

    repeats: Count
    experiments: Annotated[list[Experiment], Field(min_length=1)]
    stand_ins: dict[Dataset, Dataset] = {}
    settings: dict[Settings, SettingChange] = {}
    methods: dict[Methods, StudyMethodChange] = {}
    grids: Grids | None = None


class Deviation(Entry):
    """Where a study settles what its paper leaves open, or deviates from it; ``key`` is the place in the configuration."""

    topic: str
    paper: str
    here: str
    key: str = ""


Patterns = str | list[str]


class Cause(Entry):
    """Why published cells are not reproduced; shell-style patterns, any cell if absent."""

    table: Tables | list[Tables] | None = None
    row: Patterns | None = None
    column: Patterns | None = None
    verdict: Patterns | None = None
    cause: Literal["data", "reading", "paper", "spread", "unexplained"]
    why: str
    tried: str = ""


class ExpectedFailure(Entry):
    """Trials that may fail without ending the run with an error; shell-style patterns, any if absent."""

    dataset: Datasets | None = None
    setting: Settings | None = None
    method: Methods | None = None
    message: str | None = None


class StudyEntry(Entry):
    """A file of ``config/studies``.

    Attributes
    ----------
    protocol, claims : str
        Dotted paths of the function that runs a trial, and of the module that tests the paper's claims.
    causes : list
        If several match a cell, the first one applies.
    first_repeats : int
        How many repeats tables, figures and claims use, unless they set it themselves; all if absent.
    """

    title: str
    citation: str
    protocol: Path
    claims: Path | None = None
    first_repeats: Count | None = None
    settings: Annotated[dict[str, SettingEntry], Field(min_length=1)]
    presets: Annotated[dict[Preset, StudyPreset], Field(min_length=1)]
    tables: dict[str, AnyArtifact]
    figures: dict[str, AnyArtifact]
    causes: list[Cause] = []
    expected_failures: list[ExpectedFailure] = []
    deviations: list[Deviation] = []


class Config(Entry):
    """``config/config.yaml`` and its overlays.

    Attributes
    ----------
    preset : str
        Which block of ``config/studies/*.yaml`` to run.
    only_datasets, only_methods : list of str
        Run only these; empty for all.
    repeats, batch_size : int
        Override every experiment's.
    mirror : str or list of str
        Folders or base addresses to try before the canonical addresses.
    train : str
        Which trials to train; the others come from ``figures/paper``.
    datasets, methods, experiments : dict
        Your own entries, as in ``pulib/datasets/registry.yaml``, ``config/methods.yaml`` (or changes to its methods) and
        ``config/studies/<study>.yaml``.
    """

    preset: Preset
    studies: Annotated[list[Study], Field(min_length=1), AfterValidator(lambda names: _each_once(names))]
    only_datasets: list[Dataset]
    only_methods: list[Method]
    repeats: Count | None
    batch_size: Count | None
    resources_dir: Annotated[str, Field(min_length=1)]
    mirror: str | list[str] | None
    missing_data: Literal["fail", "report"]
    report: Literal["pages", "single"]
    train: Literal["all", "missing", "none"]
    datasets: Params
    methods: Params
    experiments: dict[Study, list[Params]] = {}


def _each_once(names: list[str]) -> list[str]:
    if len(set(names)) < len(names):
        raise ValueError(f"{names} names something twice")
    return names


class SpeedEntry(Entry):
    """A kernel of ``config/speed.yaml``.

    Attributes
    ----------
    module : str
        A module of :mod:`pulab.benchmarks`; by default, the one with the kernel's name.
    needs : str
        A Python package without which the kernel is left out.
    quick, paper : dict
        Arguments of the module's ``measure``.
    """

    title: str
    caption: str
    module: Word | None = None
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


def check_study(study: Any, where: str, methods: Collection[str], datasets: Collection[str]) -> None:
    """Hold a study's file against its model, and its settings against the options of their schemes and protocol.

    Raises
    ------
    ConfigError
        At the first mistake, with file, key, what was found, and what is accepted.
    """
    parts: Mapping[str, Any] = study if isinstance(study, Mapping) else {}
    names = {key.removesuffix("s"): parts.get(key) or () for key in ("settings", "tables")}
    check(StudyEntry, study, where, method=methods, data_set=datasets, **names)
    for section in ("tables", "figures"):
        check_artifacts(section, study[section], where, method=methods, data_set=datasets, setting=study["settings"])
    check_settings(study, where, methods)
