"""What a study is made of: typed objects that its ``study.py`` puts together, and that planning reads.

Nothing heavy is imported here, and nothing in a ``study.py`` but this, :mod:`pulib.sampling` and other studies' objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pulab.plan.experiment import Method, Preset, Setting, StudyError, Task, hint
from pulib.sampling import Scheme

#: The reading of the text that a cell follows: the main one, which the headline counts; another one; or, where the main one was
#: settled when the published values were known, the one that was fixed before; or none of a paper that is reproduced, but a
#: number that was published elsewhere, which is judged and counted apart.
Reading = Literal["main", "other", "before", "elsewhere"]


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
    """Why published cells are not reproduced; any cell where a field is empty."""

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
    board : str
        The title of its leaderboard, which its ``board.py`` and ``leaders.py`` make; empty where there is none.
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
        """The settings of a preset's experiments, by name; two different ones of one name are a :class:`StudyError`."""
        used = [setting for experiment in self.presets[preset].experiments for setting in experiment.settings]
        return self._by_name(used, f"preset {preset}: settings")

    def methods_of(self, preset: str | None) -> dict[str, Method]:
        """All methods by name, as the preset has them; two different ones of one name are a :class:`StudyError`."""
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
