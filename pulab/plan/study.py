"""Building blocks of a study: typed objects that its ``study.py`` combines and that planning reads.

Nothing heavy is imported here or in a ``study.py``, because planning imports both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pulab.plan.experiment import Method, Preset, Setting, StudyError, Task, check_file_name, hint
from pulib.sampling import Scheme

#: The interpretation of the text behind a cell: the main one, which the headline counts; another one; if the main one was
#: settled after the published values were known, the one fixed before; or "elsewhere": a number published outside a reproduced
#: paper, which is judged and counted separately.
Reading = Literal["main", "other", "before", "elsewhere"]


@dataclass(frozen=True)
class Shown:
    """A table or figure; a function of the same name in ``tables.py`` or ``figures.py`` makes it.

    Attributes
    ----------
    title : str
    section : str
        Section of the paper, or the question answered.
    caption : str
    cells : str
        Kind of a table's cells, unless its function sets it (:data:`pulab.tables.verdict.KINDS`).
    reading : Reading
        Of a table's cells, unless a row or column overrides it.
    published : bool
        Whether a paper has this table.
    points : float, optional
        Points in one unit of its cells, if not implied by the unit.
    first_repeats : int, optional
        Number of repeats to use, if different from the study's.
    folded : bool
        Whether a sentence says the same as the figure: the report then shows the sentence and folds the figure.
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
    """Why published cells are not reproduced; an empty field matches any cell."""

    table: str | tuple[str, ...] = ()
    row: str | tuple[str, ...] = ()
    column: str | tuple[str, ...] = ()
    verdict: str | tuple[str, ...] = ()
    cause: Literal["data", "reading", "paper", "spread", "unexplained"]
    why: str
    tried: str = ""


@dataclass(frozen=True, kw_only=True)
class ExpectedFailure:
    """Trials that may fail without ending a run; an empty field matches any trial.  ``message`` is a part of the error."""

    dataset: str = ""
    setting: str = ""
    method: str = ""
    message: str = ""


@dataclass(frozen=True)
class Recipe:
    """Everything that determines the results of a group of trials except their seeds, which depend on their key.

    Attributes
    ----------
    study, module : str
    method, split, task
        As used on the data set.
    positive : object
        The labels that count as positive.
    data : mapping
        From :func:`pulab.plan.identity.data_identity`.
    loaders : tuple of str
        Loaders that the data comes through.
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
    """A paper or a question.

    Attributes
    ----------
    name : str
        Name of its folder.
    methods : sequence of Method
        All methods, in the order of tables and figures; an experiment may use a variant under the same name.
    presets : mapping
        What to run, by preset.
    tables, figures : mapping of str to Shown
    causes : sequence of Cause
        If several match a cell, the first one applies.
    first_repeats : int, optional
        Number of repeats for tables, figures and claims that do not set it; all if None.
    board : str
        Title of the leaderboard, made by the study's ``board.py`` and ``leaders.py``; empty if there is none.
    answers : str
        Name of the table whose rows answer the study's questions.
    questions : mapping
        Texts of the questions, by key.
    estimators : mapping
        Versions of the study's own estimators, by dotted path.
    module : str
        The package; protocol, tables, figures and claims are imported from it when needed.
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
    board: str = ""
    answers: str = ""
    questions: Mapping[str, str] = field(default_factory=dict)
    estimators: Mapping[str, int] = field(default_factory=dict)
    module: str = ""

    def __post_init__(self) -> None:
        check_file_name("study", self.name)
        if self.name in ("report", "store", "tidy"):  # Snakemake refuses the names of rules
            raise StudyError(f"study {self.name!r}: a folder of results has this name; rename the study")
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
        """Whether it has tables of a paper that it reproduces."""
        return any(shown.published and shown.reading != "elsewhere" for shown in self.tables.values())

    def settings_of(self, preset: str) -> dict[str, Setting]:
        """Return a preset's settings by name; raise :class:`StudyError` if two different settings share a name."""
        used = [setting for experiment in self.presets[preset].experiments for setting in experiment.settings]
        return self._by_name(used, f"preset {preset}: settings")

    def methods_of(self, preset: str | None) -> dict[str, Method]:
        """Return a preset's methods by name; raise :class:`StudyError` if two different methods share a name."""
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
                raise StudyError(f"study {self.name}: {what}: {thing.name!r} is defined twice, differently; rename one")
        return found


def named(**shown: Shown) -> dict[str, Shown]:
    """Return tables or figures by name, in order."""
    return shown
