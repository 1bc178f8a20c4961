"""The typed models of the configuration: what each file of ``config/`` may hold.

``workflow/schemas`` is generated from these (``python -m pulab.trials.schemas``), for editors.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints

from pulab.trials.artifacts import Figure, Table
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
from pulab.trials.options import Params, Split, check_settings
from pulab.trials.versions import ESTIMATORS

Preset = Literal["quick", "paper"]
Count = Annotated[int, Field(ge=1)]
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
    """What the protocols read besides.

    Attributes
    ----------
    labels : {"pn", "all"}
        Trained on the positives and the split's negatives, or on the true labels of all rows.
    standardize : bool
    prior : str
        The parameter that takes π, where its name is another.
    role : str
        What the method is to the others, where it is no learner of pulib.
    features : dict
        What makes the features that it is trained on.
    box : dict
        By parameter, the ends of what a random search draws from.
    needs : {"gpu"}
        Run where PyTorch finds one, else shown as unavailable.
    """

    labels: Literal["pn", "all"] | None = None
    standardize: bool = False
    prior: str = "prior"
    role: Literal["ceiling", "trivial", "before", "rival"] | None = None
    features: Params = {}
    box: dict[str, list[float]] = {}
    needs: Literal["gpu"] | None = None


class MethodChange(Entry):
    """What is laid over a method's entry."""

    estimator: EstimatorPath | None = None
    params: Params = {}
    grid: Params = {}
    options: MethodOptions = MethodOptions()


class StudyMethodChange(MethodChange):
    """What a study lays over a method's entry."""

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
        What is tuned: from a parameter to a list of values, or to what the study's protocol reads.
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
    """What is laid over a setting; :func:`pulab.trials.options.check_settings` looks at what it holds."""

    split: Params = {}
    evaluate: Params = {}


class SettingEntry(Entry):
    """How rows are labeled and held out for testing, and what a trial does.

    Attributes
    ----------
    split : Split
        By ``scheme``, a name of :mod:`pulib.sampling`.
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
    """What a job is, and what it asks for.

    Attributes
    ----------
    batch_size : int
        Repeats per job.
    job : str
        Trials of one data set whose experiments have the same name here run in one job; without it a job has one setting and
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
        No value of a parameter is greater.
    steps : dict
        The factor from one value of a parameter to the next.
    """

    datasets: Annotated[list[Dataset], Field(min_length=1)]
    repeats: Count
    ends: dict[str, float]
    steps: dict[str, Annotated[float, Field(gt=1)]]


class Grids(Entry):
    """What the target ``grids`` settles.

    Attributes
    ----------
    methods : dict
        From a method whose grid is settled to the one from whose grid it begins.
    """

    settings: Annotated[list[Setting], Field(min_length=1)]
    methods: dict[Method, Method]
    families: dict[Word, GridFamily]


class StudyPreset(Sizes):
    """What is run of a study.

    Attributes
    ----------
    stand_ins : dict
        From a data set of the paper to the one that stands in for it.
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
    """Where a study settles what its paper leaves open, or does otherwise; ``key`` is the place in the configuration."""

    topic: str
    paper: str
    here: str
    key: str = ""


Patterns = str | list[str]


class Cause(Entry):
    """Why published cells are not reproduced; shell-style patterns, any cell where absent."""

    table: Tables | list[Tables] | None = None
    row: Patterns | None = None
    column: Patterns | None = None
    verdict: Patterns | None = None
    cause: Literal["data", "reading", "paper", "spread", "unexplained"]
    why: str
    tried: str = ""


class ExpectedFailure(Entry):
    """Trials that may fail without the run ending with an error; shell-style patterns, any where absent."""

    dataset: Datasets | None = None
    setting: Settings | None = None
    method: Methods | None = None
    message: str | None = None


class StudyEntry(Entry):
    """A file of ``config/studies``.

    Attributes
    ----------
    protocol, claims : str
        Dotted paths of the function that runs a trial, and of the module that tests what the paper says in words.
    causes : list
        Of several that fit a cell the first one counts.
    first_repeats : int
        How many repeats tables, figures and claims look at, unless they say so themselves; all where absent.
    """

    title: str
    citation: str
    protocol: Path
    claims: Path | None = None
    first_repeats: Count | None = None
    settings: Annotated[dict[str, SettingEntry], Field(min_length=1)]
    presets: Annotated[dict[Preset, StudyPreset], Field(min_length=1)]
    tables: dict[str, Table]
    figures: dict[str, Figure]
    causes: list[Cause] = []
    expected_failures: list[ExpectedFailure] = []
    deviations: list[Deviation] = []


class Config(Entry):
    """``config/config.yaml`` and what is laid over it.

    Attributes
    ----------
    preset : str
        Which block of ``config/studies/*.yaml`` is run.
    only_datasets, only_methods : list of str
        Nothing else is run; empty for all.
    repeats, batch_size : int
        Override every experiment's.
    mirror : str or list of str
        Folders or base addresses to look in before the canonical addresses.
    train : str
        Which trials are trained; what is not comes from ``figures/paper``.
    datasets, methods, experiments : dict
        Of one's own, as in ``pulib/datasets/registry.yaml``, ``config/methods.yaml`` (changes to its methods, too) and
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
        Of :mod:`pulab.benchmarks`; the kernel's name where absent.
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
    check_settings(study, where, methods)
