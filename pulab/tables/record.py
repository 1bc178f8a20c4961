"""One record for every number that is shown, from the trials to the page.

Tables hold their cells as a frame with a row per record (:func:`cells_of`), and so do their CSV files and the scoreboard.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pandas as pd

from pulab.tables.numerals import signed
from pulab.tables.verdict import RESULTS, SIGNS, VERDICTS

_NAN = math.nan


@dataclass(frozen=True, kw_only=True)
class Record:
    """A number, what it is a number of, what the paper publishes in its place, and what came of the comparison.

    Attributes
    ----------
    study, table, row, column : str
        Where it is shown.
    dataset, setting, method, metric : str
        The trials behind it, and what is averaged over them; empty for what it is not about: a mean over tasks has no set.
    scale : float
        The metric times this has the unit of the cell.
    reading, kind : str
        See :mod:`pulab.tables.verdict`.
    tasks : int
        Over how many of the tasks it is a mean.
    n : int
        Repeats.
    ours, ours_sd, low, high, mark, total
        The value, its spread over repeats, an interval, a text in its place, and of how many it is a share.
    published, ..., n_published
        The same of the paper.
    difference, se : float
        In points; ``points`` are those of one unit.
    verdict, cause, why, stand_in, status, note : str
    printed : str
        The table, row and column in which the paper prints the published value.
    """

    study: str = ""
    table: str = ""
    row: str = ""
    column: str = ""
    kind: str = ""
    reading: str = ""
    dataset: str = ""
    setting: str = ""
    method: str = ""
    metric: str = ""
    scale: float = 1.0
    published: float = _NAN
    published_sd: float = _NAN
    published_low: float = _NAN
    published_high: float = _NAN
    published_mark: str = ""
    published_total: float = _NAN
    n_published: float = _NAN
    ours: float = _NAN
    ours_sd: float = _NAN
    low: float = _NAN
    high: float = _NAN
    mark: str = ""
    total: float = _NAN
    tasks: float = _NAN
    n: float = 0
    unit: str = ""
    points: float = _NAN
    difference: float = _NAN
    se: float = _NAN
    verdict: str = ""
    cause: str = ""
    why: str = ""
    stand_in: str = ""
    status: str = "ok"
    note: str = ""
    printed: str = ""

    @classmethod
    def of(cls, cell: Mapping[str, Any]) -> Record:
        """From a row of a frame, with nothing where that has nothing."""
        return cls(**{name: cell[name] for name in RECORD_COLUMNS if name in cell and not pd.isna(cell[name])})

    @property
    def place(self) -> str:
        return f"{self.row} / {self.column}"

    @property
    def origin(self) -> tuple[str, str, str, str]:
        return self.study, self.dataset, self.setting, self.method

    def text(self, decimals: int) -> str:
        """Our number as a table shows it: a count with its total, an interval, a mark, or a mean with its spread."""
        if self.status != "ok":
            return self.status
        if self.kind == "mark" and self.mark:
            return self.mark
        share = "" if math.isnan(self.total) else f"/{self.total:.0f}"
        return self._number(decimals, self.ours, self.ours_sd, self.low, self.high, self.total) + share * (
            not math.isnan(self.ours)
        )

    def published_text(self, decimals: int) -> str:
        """The published number, written like ours; empty where the paper has none."""
        if self.kind == "mark" and self.published_mark:
            return self.published_mark
        text = self._number(
            decimals, self.published, self.published_sd, self.published_low, self.published_high, self.published_total
        )
        return "" if text == "–" else text

    def _number(self, decimals: int, value: float, sd: float, low: float, high: float, total: float) -> str:
        if math.isnan(value):
            return "–"
        if not math.isnan(total):  # a share of so many comparisons reads best as the count that it is
            count = value / 100.0 * total
            return f"{count:.{0 if abs(count - round(count)) < 1e-6 else 1}f}"
        if not (math.isnan(low) or math.isnan(high)):
            return f"{low:.{decimals}f}–{high:.{decimals}f}"
        if self.unit == "p":
            return f"{value:.2g}"
        spread = "" if math.isnan(sd) or (decimals == 0 and sd == 0) else f" ({sd:.{decimals}f})"
        return f"{value:.{decimals}f}{spread}"

    @property
    def sign(self) -> str:
        """The sign of the verdict and the signed difference in points; empty for what is not judged.

        >>> Record(verdict="close", difference=-1.96).sign
        '≈ −2.0'
        """
        if self.verdict not in VERDICTS:
            return ""
        if math.isnan(self.difference) or (self.kind == "fact" and self.difference == 0):
            return SIGNS[self.verdict]
        digits = 1 if self.kind != "fact" or not float(self.difference).is_integer() else 0
        return f"{SIGNS[self.verdict]} {signed(self.difference, digits)}"


#: Of the file that holds all cells.
RECORD_COLUMNS = [entry.name for entry in fields(Record)]
_TRIALS = ["dataset", "setting", "method", "metric"]
_PRINTED = ["study", "printed"]
_TEXTS = [entry.name for entry in fields(Record) if entry.type == "str"]


def printed_results(cells: pd.DataFrame) -> pd.DataFrame:
    """The cells that the headline is about: results that a paper prints, each once, by the study's main reading."""
    printed = cells["published"].notna() & cells["kind"].isin(RESULTS)
    main = cells[printed & (cells["reading"] == "main")]
    return main[~_repeated(main)]


def fixed_before(cells: pd.DataFrame) -> pd.DataFrame:
    """The same performances by the readings that were fixed before the published values were known.

    A result that has only one such reading, the main one, has that.
    """
    performances = cells[cells["published"].notna() & (cells["kind"] == "performance")]
    before = performances[performances["reading"] == "before"]
    main = printed_results(performances)
    replaced = pd.MultiIndex.from_frame(main[_PRINTED]).isin(pd.MultiIndex.from_frame(before[_PRINTED]))
    return pd.concat([main[~replaced], before])


def _repeated(cells: pd.DataFrame) -> pd.Series:
    """Which cells a paper prints again: the same value for the same trials as in an earlier table of the study."""
    trials = cells[_TRIALS] != ""
    first = cells.groupby(["study", "published", *_TRIALS], sort=False)["table"].transform("first")
    return trials.all(axis=1) & (first != cells["table"])


def judged_performances(cells: pd.DataFrame) -> pd.DataFrame:
    """Those of :func:`printed_results` that are performances and have a verdict."""
    results = printed_results(cells)
    return results[(results["kind"] == "performance") & results["verdict"].isin(VERDICTS)]


def shown_causes(cells: pd.DataFrame) -> pd.Series:
    """Which cells have a cause that is *shown*: another stored reading of the same printed result reproduces it.

    The causes of all others are *suspected*.
    """
    reproduces = (cells["reading"] != "main") & (cells["verdict"] == "reproduced") & (cells["printed"] != "")
    found = pd.MultiIndex.from_frame(cells.loc[reproduces, _PRINTED])
    missed = (cells["reading"] == "main") & cells["verdict"].isin(VERDICTS[1:])
    return missed & pd.MultiIndex.from_frame(cells[_PRINTED]).isin(found)


def rerun_target(preset: str) -> str:
    """What comes before the choice of trials in a command that runs them once more."""
    configured = "" if preset == "quick" else f" --configfile config/{preset}.yaml"
    return f"snakemake rerun --cores all{configured} --config"


def cells_of(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """A frame of cells, a row per record: of the attributes that each has; an attribute that no record has is an error."""
    given = ({name: part for name, part in row.items() if not pd.isna(part)} for row in rows)
    return pd.DataFrame([vars(Record(**row)) for row in given], columns=RECORD_COLUMNS)


def records(cells: pd.DataFrame) -> list[Record]:
    """A record per row."""
    return [Record.of(cell) for cell in cells.to_dict("records")]


def write_cells(cells: pd.DataFrame, path: str | Path) -> None:
    """Cells as CSV, without the attributes that none of them has; a table without cells has the names of all."""
    there = (cells[RECORD_COLUMNS].notna() & (cells[RECORD_COLUMNS] != "")).any()
    shown = [name for name in RECORD_COLUMNS if there[name]] or RECORD_COLUMNS
    cells[shown].to_csv(path, index=False, float_format="%.6g")


def read_cells(path: str | Path) -> pd.DataFrame:
    """What :func:`write_cells` wrote: attributes of records, with texts where there is nothing."""
    frame = pd.read_csv(path, dtype={"table": str, "row": str, "column": str}, low_memory=False).reindex(columns=RECORD_COLUMNS)
    frame[_TEXTS] = frame[_TEXTS].astype(object).where(lambda cell: cell.notna(), "")
    return frame


def cell_key(study: str, table: str, row: int, column: int) -> str:
    """A cell's name in the pages of the report, by the places of its row and column."""
    return f"c-{study}-{table}-{row}-{column}"
