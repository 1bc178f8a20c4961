"""One record per displayed number, from the trials to the page.

Tables, their CSV files, and the scoreboard hold cells as a frame with one row per record (:func:`cells_of`).
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
from pulab.trials.results import read_csv

_NAN = math.nan


@dataclass(frozen=True, kw_only=True)
class Record:
    """A displayed number, what it measures, the published value, and their comparison.

    Attributes
    ----------
    study, table, row, column : str
        Where the number is shown.
    dataset, setting, method, metric : str
        The trials behind it and the metric averaged over them; empty where not applicable: a mean over tasks has no data set.
    scale : float
        Factor from the metric to the cell's unit.
    reading, kind : str
        See :mod:`pulab.tables.verdict`.
    tasks : int
        Number of tasks averaged over.
    n : int
        Number of repeats.
    ours, ours_sd, low, high, mark, total
        Value, spread over repeats, interval, text shown instead of the value, and the total of which the value is a share.
    published, ..., n_published
        The same for the paper.
    difference, se : float
        In points; ``points`` is the number of points in one unit.
    verdict, cause, why, stand_in, status, note : str
    printed : str
        Table, row and column of the published value in the paper.
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
        """Make a record from a row of a frame; missing values become defaults."""
        return cls(**{name: cell[name] for name in RECORD_COLUMNS if name in cell and not pd.isna(cell[name])})

    @property
    def place(self) -> str:
        return f"{self.row} / {self.column}"

    @property
    def origin(self) -> tuple[str, str, str, str]:
        return self.study, self.dataset, self.setting, self.method

    def text(self, decimals: int) -> str:
        """Format our number: a count with its total, an interval, a mark, or a mean with its spread."""
        if self.status != "ok":
            return self.status
        if self.kind == "mark" and self.mark:
            return self.mark
        share = "" if math.isnan(self.total) else f"/{self.total:.0f}"
        return self._number(decimals, self.ours, self.ours_sd, self.low, self.high, self.total) + share * (
            not math.isnan(self.ours)
        )

    def published_text(self, decimals: int) -> str:
        """Format the published number like ours; empty if there is none."""
        if self.kind == "mark" and self.published_mark:
            return self.published_mark
        text = self._number(
            decimals, self.published, self.published_sd, self.published_low, self.published_high, self.published_total
        )
        return "" if text == "–" else text

    def _number(self, decimals: int, value: float, sd: float, low: float, high: float, total: float) -> str:
        if math.isnan(value):
            return "–"
        if not math.isnan(total):  # a share of comparisons reads best as a count
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
        """Sign of the verdict and signed difference in points; empty if not judged.

        >>> Record(verdict="close", difference=-1.96).sign
        '≈ −2.0'
        """
        if self.verdict not in VERDICTS:
            return ""
        if math.isnan(self.difference) or (self.kind == "fact" and self.difference == 0):
            return SIGNS[self.verdict]
        digits = 1 if self.kind != "fact" or not float(self.difference).is_integer() else 0
        return f"{SIGNS[self.verdict]} {signed(self.difference, digits)}"


#: Columns of the file with all cells.
RECORD_COLUMNS = [entry.name for entry in fields(Record)]
_TRIALS = ["dataset", "setting", "method", "metric"]
_PRINTED = ["study", "printed"]
_TEXTS = [entry.name for entry in fields(Record) if entry.type == "str"]


def printed_results(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the published results that the headline counts, each once, in the study's main interpretation."""
    printed = cells["published"].notna() & cells["kind"].isin(RESULTS)
    main = cells[printed & (cells["reading"] == "main")]
    return main[~_repeated(main)]


def fixed_before(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the published performances in the interpretations fixed before the published values were known.

    Results without a separate interpretation of this kind use the main one.
    """
    performances = cells[cells["published"].notna() & (cells["kind"] == "performance")]
    before = performances[performances["reading"] == "before"]
    main = printed_results(performances)
    replaced = pd.MultiIndex.from_frame(main[_PRINTED]).isin(pd.MultiIndex.from_frame(before[_PRINTED]))
    return pd.concat([main[~replaced], before])


def _repeated(cells: pd.DataFrame) -> pd.Series:
    """Mark cells that repeat an earlier table of the study: same published value, same trials."""
    trials = cells[_TRIALS] != ""
    first = cells.groupby(["study", "published", *_TRIALS], sort=False)["table"].transform("first")
    return trials.all(axis=1) & (first != cells["table"])


def judged_performances(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the :func:`printed_results` that are performances with a verdict."""
    results = printed_results(cells)
    return results[(results["kind"] == "performance") & results["verdict"].isin(VERDICTS)]


def shown_causes(cells: pd.DataFrame) -> pd.Series:
    """Mark cells with a *shown* cause: another stored interpretation of the published result reproduces it.

    All other causes are *suspected*.
    """
    reproduces = (cells["reading"] != "main") & (cells["verdict"] == "reproduced") & (cells["printed"] != "")
    found = pd.MultiIndex.from_frame(cells.loc[reproduces, _PRINTED])
    missed = (cells["reading"] == "main") & cells["verdict"].isin(VERDICTS[1:])
    return missed & pd.MultiIndex.from_frame(cells[_PRINTED]).isin(found)


def rerun_target(preset: str) -> str:
    """Return the rerun command up to the selection of trials."""
    configured = "" if preset == "quick" else f" --configfile config/{preset}.yaml"
    return f"snakemake rerun --cores all{configured} --config"


def cells_of(rows: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return a frame with one row per record; an unknown attribute raises an error."""
    given = ({name: part for name, part in row.items() if not pd.isna(part)} for row in rows)
    return pd.DataFrame([vars(Record(**row)) for row in given], columns=RECORD_COLUMNS)


def records(cells: pd.DataFrame) -> list[Record]:
    """Return one record per row."""
    return [Record.of(cell) for cell in cells.to_dict("records")]


def write_cells(cells: pd.DataFrame, path: str | Path) -> None:
    """Write cells as CSV without the columns that are empty throughout; a table without cells keeps all columns."""
    there = (cells[RECORD_COLUMNS].notna() & (cells[RECORD_COLUMNS] != "")).any()
    shown = [name for name in RECORD_COLUMNS if there[name]] or RECORD_COLUMNS
    cells[shown].to_csv(path, index=False, float_format="%.6g")


def read_cells(path: str | Path) -> pd.DataFrame:
    """Read a file written by :func:`write_cells`; missing texts become empty strings."""
    frame = read_csv(path, dtype={"table": str, "row": str, "column": str}, low_memory=False).reindex(columns=RECORD_COLUMNS)
    frame[_TEXTS] = frame[_TEXTS].astype(object).where(lambda cell: cell.notna(), "")
    return frame


def cell_key(study: str, table: str, row: int, column: int) -> str:
    """Return a cell's id in the report's pages, given its row and column indices."""
    return f"c-{study}-{table}-{row}-{column}"
