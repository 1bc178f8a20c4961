"""Inputs of a study's tables and figures: its numbers and the names of its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import pandas as pd

from pulab.plan.experiment import Method, StudyError, hint
from pulab.plan.plan import Plan
from pulab.plan.study import Shown, Study
from pulab.trials import results as tidy_results

#: Output files of a table, by suffix.
Paths = Mapping[str, str | Path]
_NO_CELLS = ["table", "row", "column", "mean", "sd", "unit", "mark"]


@dataclass(frozen=True)
class Results:
    """A study's numbers and display names, for one table or figure.

    Attributes
    ----------
    study : Study
    preset : str
    methods : mapping of str to Method
    datasets : mapping of str to str
        Titles of data sets.
    results_file, timings_file : path
        Tidy results and times.
    name : str
        Name of the table or figure.
    shown : Shown
        Its description in the study.
    n_features : mapping of str to int
        By data set, where the registry has it.
    """

    study: Study
    preset: str
    methods: Mapping[str, Method]
    datasets: Mapping[str, str]
    results_file: str | Path
    timings_file: str | Path
    name: str = ""
    shown: Shown = field(default_factory=lambda: Shown(""))
    n_features: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, plan: Plan, study: str, results_file: str | Path, timings_file: str | Path) -> Results:
        """Make results for a study of the plan from its files of tidy results and times."""
        titles = {name: entry.get("title", name) for name, entry in plan.registry.items()}
        sizes = {name: entry["expected"]["d"] for name, entry in plan.registry.items() if "d" in entry.get("expected", {})}
        own = plan.studies[study]
        return cls(own, plan.preset, plan.methods[study], titles, results_file, timings_file, n_features=sizes)

    def shows(self, name: str, shown: Shown) -> Results:
        """Return a copy for another table or figure; data that was read is kept if it uses the same number of repeats."""
        other = replace(self, name=name, shown=shown)
        if other.first_repeats == self.first_repeats:
            kept = {key: value for key, value in vars(self).items() if key in ("tidy", "timings")}
            vars(other).update(kept)
        return other

    @property
    def first_repeats(self) -> int | None:
        return self.shown.first_repeats or self.study.first_repeats

    @cached_property
    def tidy(self) -> pd.DataFrame:
        """Tidy results of the repeats that are shown."""
        return tidy_results.first_repeats(tidy_results.read(self.results_file), self.first_repeats)

    @cached_property
    def timings(self) -> pd.DataFrame:
        """Times of the repeats that are shown."""
        return tidy_results.first_repeats(tidy_results.read(self.timings_file), self.first_repeats)

    @property
    def stand_ins(self) -> Mapping[str, str]:
        """Stand-in of each data set of the paper that has one."""
        return self.study.presets[self.preset].stand_ins

    @cached_property
    def labels(self) -> dict[str, str]:
        """Display names of methods."""
        return {name: method.label for name, method in self.methods.items()}

    @cached_property
    def setting_labels(self) -> dict[str, str]:
        """Display names of settings."""
        return {name: setting.label or name for name, setting in self.study.settings_of(self.preset).items()}

    @cached_property
    def roles(self) -> dict[str, str]:
        """Roles of methods that are not learners of pulib."""
        return {name: method.role for name, method in self.methods.items() if method.role}

    def title(self, dataset: str) -> str:
        return self.datasets.get(dataset, dataset)


@dataclass(frozen=True)
class Paper:
    """Published values, one row per cell: ``table, row, column, mean, sd, unit`` and the file's other columns."""

    cells: pd.DataFrame

    @classmethod
    def read(cls, files: Sequence[str | Path]) -> Paper:
        """Read a list of at most one file; empty if the study repeats no paper."""
        if not files:
            return cls(pd.DataFrame(columns=_NO_CELLS))
        return cls(pd.read_csv(files[0], dtype={"table": str, "row": str, "column": str, "unit": str, "mark": str}))

    def table(self, name: str) -> pd.DataFrame:
        """Return the cells of one table; raise :class:`StudyError` if the paper has tables but not this one."""
        known = sorted(set(self.cells["table"]))
        if known and name not in known:
            raise StudyError(f"published.csv has no table {name!r}{hint(name, known)}; its tables are {known}")
        return self.cells[self.cells["table"] == name]


@dataclass(frozen=True)
class Table:
    """A table of cells with its texts.

    Attributes
    ----------
    cells : DataFrame
        From :func:`pulab.tables.cells_of`.
    decimals : int or mapping
        For all columns, or by column label.
    caption : str, optional
        Replaces the study's caption.
    legend : str
        How to read a cell that is not a mean with its sd; ``{repeats}`` is replaced by the number of repeats.
    remarks : sequence of str
        Sentences below the table, before the causes.
    kind : str
        Of the cells, unless the study or a cell overrides it.
    n_published : int
        Repeats behind the published numbers.
    judged : bool
        Whether cells are compared with published ones.
    """

    cells: pd.DataFrame
    decimals: int | Mapping[str, int] = 2
    caption: str | None = None
    legend: str = ""
    remarks: Sequence[str] = ()
    kind: str = "performance"
    n_published: int = 5
    judged: bool = True


@dataclass(frozen=True)
class Answers:
    """Sentences shown instead of a table: rows of ``question, text, figure, table``, and the text of each question."""

    rows: pd.DataFrame
    questions: Mapping[str, str]

    def lists(self) -> dict[str, list[str]]:
        """Return Markdown sentences per question, with links relative to the study's rendered files.

        >>> row = {"question": "costs", "text": "It takes 3 s.", "figure": "figure_costs", "table": "table_costs"}
        >>> Answers(pd.DataFrame([row]), {"costs": "What does it cost?"}).lists()["costs"]
        ['It takes 3 s. ([figure](figure_costs.svg), [cells](table_costs.csv))']
        """
        found: dict[str, list[str]] = {name: [] for name in self.questions}
        for row in self.rows.to_dict("records"):
            links = [f"[figure]({row['figure']}.svg)"] * bool(row["figure"]) + [f"[cells]({row['table']}.csv)"]
            found[row["question"]].append(f"{row['text']} ({', '.join(links)})")
        return {name: lines or ["Not run yet."] for name, lines in found.items()}
