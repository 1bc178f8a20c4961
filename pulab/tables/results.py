"""What the tables and figures of a study are made from: its numbers, and the names of its parts."""

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

#: By suffix the files that a table is written to.
Paths = Mapping[str, str | Path]
_NO_CELLS = ["table", "row", "column", "mean", "sd", "unit", "mark"]


@dataclass(frozen=True)
class Results:
    """A study's numbers, and what its parts are called, as one table or figure sees them.

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
        The table or figure that is made.
    shown : Shown
        The note on it.
    n_features : mapping of str to int
        Of the data sets, where the registry says it.
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
        """Of a study of the plan, whose tidy results and times are in two files."""
        titles = {name: entry.get("title", name) for name, entry in plan.registry.items()}
        sizes = {name: entry["expected"]["d"] for name, entry in plan.registry.items() if "d" in entry.get("expected", {})}
        own = plan.studies[study]
        return cls(own, plan.preset, plan.methods[study], titles, results_file, timings_file, n_features=sizes)

    def shows(self, name: str, shown: Shown) -> Results:
        """The same for another table or figure; what is read stays read where it uses as many repeats."""
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
        """Data set of the paper to the one that stands in for it."""
        return self.study.presets[self.preset].stand_ins

    @cached_property
    def labels(self) -> dict[str, str]:
        """Names of methods as people read them."""
        return {name: method.label for name, method in self.methods.items()}

    @cached_property
    def setting_labels(self) -> dict[str, str]:
        """Names of settings as people read them."""
        return {name: setting.label or name for name, setting in self.study.settings_of(self.preset).items()}

    @cached_property
    def roles(self) -> dict[str, str]:
        """What a method is to others, where it is no learner of pulib."""
        return {name: method.role for name, method in self.methods.items() if method.role}

    def title(self, dataset: str) -> str:
        return self.datasets.get(dataset, dataset)


@dataclass(frozen=True)
class Paper:
    """What a paper prints, a row per cell: ``table, row, column, mean, sd, unit`` and its other columns."""

    cells: pd.DataFrame

    @classmethod
    def read(cls, path: str | Path | Sequence[str]) -> Paper:
        """From a file, a list that holds it, or nothing where a study repeats no paper."""
        if isinstance(path, Sequence) and not isinstance(path, str):
            if not path:
                return cls(pd.DataFrame(columns=_NO_CELLS))
            path = path[0]
        frame = pd.read_csv(path, dtype={"table": str, "row": str, "column": str, "unit": str, "mark": str})
        return cls(frame)

    def table(self, name: str) -> pd.DataFrame:
        """The cells of one table; a :class:`StudyError` if the paper has others, but not this one."""
        known = sorted(set(self.cells["table"]))
        if known and name not in known:
            raise StudyError(f"published.csv has no table {name!r}{hint(name, known)}; its tables are {known}")
        return self.cells[self.cells["table"] == name]


@dataclass(frozen=True)
class Table:
    """A table of cells, with its texts.

    Attributes
    ----------
    cells : DataFrame
        As :func:`pulab.tables.cells_of` makes them.
    decimals : int or mapping
        The same in all columns, or by the column's label.
    caption : str, optional
        In the place of the one that the study says.
    legend : str
        How to read a cell, where it is not a mean with its sd; ``{repeats}`` in it becomes their number.
    remarks : sequence of str
        Sentences below the table, before the causes.
    kind : str
        Of the cells, unless the study or a cell says otherwise.
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
    """Sentences in the place of a table: rows of ``question, text, figure, table``, and the texts of the questions."""

    rows: pd.DataFrame
    questions: Mapping[str, str]

    def lists(self) -> dict[str, list[str]]:
        """Per question its sentences in Markdown; links are relative to the study's rendered files.

        >>> row = {"question": "costs", "text": "It takes 3 s.", "figure": "figure_costs", "table": "table_costs"}
        >>> Answers(pd.DataFrame([row]), {"costs": "What does it cost?"}).lists()["costs"]
        ['It takes 3 s. ([figure](figure_costs.svg), [cells](table_costs.csv))']
        """
        found: dict[str, list[str]] = {name: [] for name in self.questions}
        for row in self.rows.to_dict("records"):
            links = [f"[figure]({row['figure']}.svg)"] * bool(row["figure"]) + [f"[cells]({row['table']}.csv)"]
            found[row["question"]].append(f"{row['text']} ({', '.join(links)})")
        return {name: lines or ["Not run yet."] for name, lines in found.items()}
