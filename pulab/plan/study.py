"""What a study is made of: typed objects that its ``study.py`` puts together, and that planning reads.

Nothing heavy is imported here, and nothing in a ``study.py`` but this, :mod:`pulib.sampling` and other studies' objects.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import product
from typing import Any, ClassVar, Literal

from pulib.sampling import Scheme

#: The reading of the text that a cell follows: the main one, which the headline counts; another one; or, where the main one was
#: settled when the published values were known, the one that was fixed before; or none of a paper that is reproduced, but a
#: number that was published elsewhere, which is judged and counted apart.
Reading = Literal["main", "other", "before", "elsewhere"]


class StudyError(ValueError):
    """A mistake in a study, with the study and the name in its message."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """What a trial does.  A study's tasks are subclasses, and its ``protocol.py`` has a function for each.

    Attributes
    ----------
    params : mapping
        Parameters of every estimator that has some of these names.
    given_prior : float or str
        The π that methods are given: a multiple of the true one, or the name of the estimator that estimates it.
    scenario : {"two_sample", "one_sample"}, optional
        How learners are told that the rows were sampled; their own default if None.
    """

    #: Its name within the study; raise the version in the commit that changes what its function gives.
    name: ClassVar[str] = ""
    version: ClassVar[int] = 1
    #: The numbers and times that its function gives; ``{name}`` stands for each value (or key) of that field, and ``*`` for
    #: what depends on the data or the method.
    measures: ClassVar[tuple[str, ...]] = ()

    params: Mapping[str, Any] = field(default_factory=dict)
    given_prior: float | str = 1.0
    scenario: Literal["two_sample", "one_sample"] | None = None

    def measured(self) -> set[str]:
        """``measures`` with the values of its fields, and the seconds of the whole trial."""
        found = {"trial"}
        for name in self.measures:
            of_fields = {item: getattr(self, item) for item in re.findall(r"\{(\w+)\}", name)}
            for values in product(*of_fields.values()):
                texts = [f"{value:g}" if isinstance(value, float) else str(value) for value in values]
                found.add(name.format_map(dict(zip(of_fields, texts, strict=True))))
        return found


@dataclass(frozen=True, kw_only=True)
class Method:
    """A method: what is built, tuned and drawn.

    Attributes
    ----------
    name, label : str
        In files, and in tables and figures.
    estimator : str
        Dotted path of the class.
    params : mapping
        Constructor parameters; a nested estimator is ``{"estimator": path, "params": {...}}``.
    grid : mapping
        What is tuned: maps a parameter to its values, or to what the study's protocol reads.
    style : (color, marker), optional
        :mod:`pulab.figures.style` has the colors.
    requires : tuple of str
        Packages beyond pulib's own.
    labels : {"pu", "pn", "all"}
        Train on PU labels, on the positives and the split's negatives, or on the true labels of all rows.
    standardize : bool
        Scale the features by the training rows.
    prior_name : str
        The parameter that is given π.
    role : {"", "ceiling", "trivial", "rival"}
        What it is among the others, if it is not a learner of pulib.
    features, box : mapping
        How the features are computed on which it is trained; the ends of the range from which a random search draws.
    needs_gpu : bool
        Run only if PyTorch finds one, otherwise shown as unavailable.
    by_dataset : mapping of str to Method
        The method on some data sets, where it differs.
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

    def but(self, name: str = "", label: str = "", **changes: Any) -> Method:
        """The same method with some fields changed; ``params`` and ``grid`` are laid over its own, also on its data sets."""
        on = {dataset: own.but(name, label, **changes) for dataset, own in self.by_dataset.items()}
        laid = {key: merged(getattr(self, key), changes.pop(key, {})) for key in ("params", "grid")}
        more = {key: value for key, value in (("name", name), ("label", label)) if value}
        return _replaced(self, f"method {self.name}", by_dataset=on, **laid, **more, **changes)

    def on(self, datasets: str | Iterable[str], **changes: Any) -> Method:
        """The same method, with some fields changed on some data sets."""
        names = [datasets] if isinstance(datasets, str) else list(datasets)
        own = {dataset: replace(self.for_dataset(dataset), by_dataset={}).but(**changes) for dataset in names}
        return replace(self, by_dataset={**self.by_dataset, **own})

    def for_dataset(self, dataset: str) -> Method:
        """The method as it runs on a data set."""
        return self.by_dataset.get(dataset, self)

    @property
    def is_compiled(self) -> bool:
        """Whether it is a class of the library that runs compiled kernels."""
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
        Those of some data sets, where they differ.
    """

    name: str
    label: str
    split: Scheme
    task: Task
    splits: Mapping[str, Scheme] = field(default_factory=dict)
    tasks: Mapping[str, Task] = field(default_factory=dict)

    def but(self, name: str = "", label: str = "", *, task: Task | None = None, **changes: Any) -> Setting:
        """The same setting with fields of its split or its task changed, on all data sets; or with another task."""
        of_split, of_task = _sorted_out(changes, self)
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
        """The same setting, with fields of its split or its task changed on some data sets."""
        names = [datasets] if isinstance(datasets, str) else list(datasets)
        of_split, of_task = _sorted_out(changes, self)
        splits = {name: replace(self.split_for(name), **of_split) for name in names} if of_split else {}
        tasks = {name: replace(self.task_for(name), **of_task) for name in names} if of_task else {}
        return replace(self, splits={**self.splits, **splits}, tasks={**self.tasks, **tasks})

    def split_for(self, dataset: str) -> Scheme:
        return self.splits.get(dataset, self.split)

    def task_for(self, dataset: str) -> Task:
        return self.tasks.get(dataset, self.task)


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """The size of jobs, and the resources that they request; what is None is the preset's, or the default of a group.

    Attributes
    ----------
    batch_size : int
        Repeats per job.
    job : str
        Trials of one data set whose experiments have the same name here run in one job; without it, a job has one setting and
        method.
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
    """What to run of a study.

    Attributes
    ----------
    stand_ins : mapping
        Maps a data set of the paper to its stand-in.
    """

    experiments: Sequence[Experiment]
    stand_ins: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Shown:
    """A table or a figure; the function of its name in ``tables.py`` or ``figures.py`` makes it.

    Attributes
    ----------
    title : str
    section : str
        The place in the paper, or the question that it answers.
    caption : str
    cells : str
        What a table's cells are, if its function does not say it (:data:`pulab.tables.verdict.KINDS`).
    reading : Reading
        Of a table's cells, unless a row or a column says it.
    published : bool
        Whether a paper has this table.
    points : float, optional
        Points in one unit of its cells, if the unit does not show it.
    first_repeats : int, optional
        How many repeats are used, if not the study's.
    folded : bool
        Of a figure that says what one sentence says: the report has the sentence, and the figure in a fold.
    """

    title: str
    section: str = ""
    caption: str = ""
    cells: str = ""
    reading: Reading = "main"
    published: bool = False
    points: float | None = None
    first_repeats: int | None = None
    folded: bool = False


@dataclass(frozen=True, kw_only=True)
class Cause:
    """Why published cells are not reproduced; any cell where a field is empty.

    Attributes
    ----------
    table, row, column, verdict : str or tuple of str
    cause : {"data", "reading", "paper", "spread", "unexplained"}
    why, tried : str
    """

    table: str | tuple[str, ...] = ()
    row: str | tuple[str, ...] = ()
    column: str | tuple[str, ...] = ()
    verdict: str | tuple[str, ...] = ()
    cause: Literal["data", "reading", "paper", "spread", "unexplained"]
    why: str
    tried: str = ""


@dataclass(frozen=True, kw_only=True)
class ExpectedFailure:
    """Trials that may fail and end no run; any where a field is empty.  ``message`` is a part of theirs."""

    dataset: str = ""
    setting: str = ""
    method: str = ""
    message: str = ""


@dataclass(frozen=True)
class Recipe:
    """Everything that the results of a group of trials follow from, but for their seeds, which follow from their key.

    Attributes
    ----------
    study, module : str
    method, split, task
        As they are on the data set.
    positive : object
        The labels that count as positive.
    data : mapping
        As :func:`pulab.plan.identity.data_identity` gives it.
    loaders : tuple of str
        That the data comes through.
    versions : mapping
        Of the study's own estimators.
    """

    study: str
    module: str
    method: Method
    split: Scheme
    task: Task
    positive: Any
    data: Mapping[str, Any]
    loaders: tuple[str, ...]
    versions: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class Study:
    """A paper, or a question.

    Attributes
    ----------
    name : str
        That of its folder.
    methods : sequence of Method
        All that it uses, in the order of tables and figures; an experiment may have its own variant under the same name.
    presets : mapping
        What to run, by preset.
    tables, figures : mapping of str to Shown
    causes : sequence of Cause
        If several match a cell, the first one applies.
    first_repeats : int, optional
        How many repeats tables, figures and claims use, unless they set it themselves; all if None.
    overview : str
        The table whose first rows the front page shows.
    board : str
        The title of its leaderboard, which the function ``board`` in its ``board.py`` makes; empty where there is none.
    answers : str
        The table whose rows answer the study's questions.
    questions : mapping
        Their texts, by key.
    estimators : mapping
        Versions of estimators of its own, by dotted path.
    module : str
        The package, from which protocol, tables, figures and claims are imported when they are needed.
    """

    name: str
    title: str
    citation: str = ""
    methods: Sequence[Method]
    presets: Mapping[str, Preset]
    tables: Mapping[str, Shown] = field(default_factory=dict)
    figures: Mapping[str, Shown] = field(default_factory=dict)
    causes: Sequence[Cause] = ()
    expected_failures: Sequence[ExpectedFailure] = ()
    first_repeats: int | None = None
    overview: str = ""
    board: str = ""
    answers: str = ""
    questions: Mapping[str, str] = field(default_factory=dict)
    estimators: Mapping[str, int] = field(default_factory=dict)
    module: str = ""

    def __post_init__(self) -> None:
        self.methods_of(None)
        for preset in self.presets:
            self.settings_of(preset)
            self.methods_of(preset)
        for cause in self.causes:
            named_tables = [cause.table] if isinstance(cause.table, str) else cause.table
            self._check_names(named_tables, self.tables, f"cause {cause.why[:40]!r}", "table")
        settings = {name for preset in self.presets for name in self.settings_of(preset)}
        methods = {name for preset in self.presets for name in self.methods_of(preset)}
        for failure in self.expected_failures:
            self._check_names([failure.setting], settings, "expected failure", "setting")
            self._check_names([failure.method], methods, "expected failure", "method")

    @property
    def repeats_paper(self) -> bool:
        """Whether it has tables of a paper that is reproduced."""
        return any(shown.published and shown.reading != "elsewhere" for shown in self.tables.values())

    def settings_of(self, preset: str) -> dict[str, Setting]:
        """The settings of a preset's experiments, by name.

        Raises
        ------
        StudyError
            If two different settings have one name.
        """
        used = [setting for experiment in self.presets[preset].experiments for setting in experiment.settings]
        return self._by_name(used, f"preset {preset}: settings")

    def methods_of(self, preset: str | None) -> dict[str, Method]:
        """All methods by name, as the preset's experiments have them.

        Raises
        ------
        StudyError
            If two different methods have one name.
        """
        own = self._by_name(self.methods, "methods")
        if preset is None:
            return own
        used = [method for experiment in self.presets[preset].experiments for method in experiment.methods]
        return own | self._by_name(used, f"preset {preset}: methods")

    def _check_names(self, names: Iterable[str], known: Iterable[str], where: str, what: str) -> None:
        for name in names:
            if name and name not in known:
                raise StudyError(f"study {self.name}: {where}: unknown {what} {name!r}{hint(name, known)}")

    def _by_name(self, things: Iterable[Any], what: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for thing in things:
            if found.setdefault(thing.name, thing) != thing:
                raise StudyError(f"study {self.name}: {what}: {thing.name!r} has two different contents; give one another name")
        return found


def named(**shown: Shown) -> dict[str, Shown]:
    """Tables or figures by their names, in their order."""
    return shown


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """``base`` with the values of ``over`` laid on top, mapping by mapping.

    >>> merged({"a": {"b": 1, "c": 2}}, {"a": {"b": 3}})
    {'a': {'b': 3, 'c': 2}}
    """
    out = dict(base)
    for key, value in over.items():
        both = isinstance(value, Mapping) and isinstance(out.get(key), Mapping)
        out[key] = merged(out[key], value) if both else value
    return out


def hint(word: str, known: Iterable[str]) -> str:
    """The nearest known word, as a question, where one is near.

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


def _sorted_out(changes: Mapping[str, Any], setting: Setting) -> tuple[dict[str, Any], dict[str, Any]]:
    """Which of the changes are about the split, and which about the task."""
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
