"""Tables of the level field, made column by column; each cell records the origin of its number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from pulab.tables import Table, cells_of
from studies.levelfield.effects import interval_text, p_text
from studies.levelfield.field import UNRANKED, Field, Label, Ranking, over_tasks
from studies.levelfield.levels import METRICS, PLACES, Level

#: Description of a table's scores, for its legend.
OVER_TASKS = "means over tasks of means over {repeats}, with 95% bootstrap intervals over tasks in brackets"


class Column(NamedTuple):
    """A column's name, and a row per cell: ``mark`` (the text shown), and ``ours, low, high, tasks`` where available."""

    name: str
    cells: pd.DataFrame


def means(name: str, scores: pd.DataFrame, *, with_sign: bool = False, pvalues: Mapping[Any, float] | None = None) -> Column:
    """Return means over tasks for each column of ``scores``, with intervals, and with p-values where given."""
    found = over_tasks(scores)
    marks = [interval_text(*own, with_sign=with_sign) for own in found[["mean", "low", "high"]].to_numpy()]
    tests = [p_text(pvalues[key]) if pvalues is not None and key in pvalues else "" for key in found.index]
    marks = [f"{mark}, p {'' if p.startswith('<') else '= '}{p}" if p else mark for mark, p in zip(marks, tests, strict=True)]
    return Column(name, found.rename(columns={"mean": "ours"}).assign(mark=marks))


def values(name: str, found: pd.Series, texts: str | Callable[[float], str] | pd.Series, **more: Any) -> Column:
    """Return a number per row, with given texts or formatted by a string or function; a dash where it is missing."""
    if isinstance(texts, str):
        texts = write(texts, found)
    elif not isinstance(texts, pd.Series):
        texts = pd.Series([texts(value) for value in found], index=found.index, dtype=object)
    texts = texts.reindex(found.index).where(found.notna(), "")
    return Column(name, pd.DataFrame({"ours": found.astype(float), "mark": texts, **more}))


def write(text: str, *parts: pd.Series) -> pd.Series:
    """Apply a format string to the parts, row by row."""
    return pd.Series([text.format(*own) for own in zip(*parts, strict=True)], index=parts[0].index, dtype=object)


def with_dashes(column: Column, rows: Iterable[Any]) -> Column:
    """Add dashes where a number does not apply, as opposed to not run: for example, for a learner without probabilities."""
    return Column(column.name, column.cells.reindex(list(rows)).fillna({"mark": ""}))


def of_columns(
    field: Field, rows: Mapping[Any, str], columns: Sequence[Column], *, legend: str, remarks: Sequence[str] = ()
) -> Table:
    """Make a table of columns without comparisons with published numbers.

    Parameters
    ----------
    rows : mapping
        Names of the rows, by the keys of the columns.  A missing number of a method was not run, unless the method is not
        ranked; a method without any number has the reason in the first column.
    """
    cells = []
    for key, row in rows.items() if any(len(column.cells) for column in columns) else ():
        status, _, note = field.reasons.get(key, "not run").partition(": ")
        for column in columns[:1] if key in field.reasons else columns:
            if key in column.cells.index:
                cell = column.cells.loc[key].to_dict()
            elif field.role(key) in UNRANKED:
                continue
            else:
                cell = {"status": status, "note": note}
            cells.append({"row": row, "column": column.name, **_origin(row), **_origin(column.name), **cell})
    cells = cells or [{"row": "all methods", "column": "not part of this run", "status": "not run"}]
    shown = cells_of(cell | {"kind": "mark", "n": field.repeats} for cell in cells)
    return Table(shown, legend=legend, remarks=[remark for remark in remarks if remark], judged=False)


def _origin(name: str) -> Mapping[str, str]:
    return getattr(name, "origin", {})


def rows_of(field: Field, setting: str, metric: str = "accuracy") -> dict[Any, str]:
    """Return rows of methods, from the best-ranked, followed by those without any number."""
    there = field.ordered(field.ranking(setting, metric), field.table.columns)
    return {method: field.label(method) for method in (*there, *field.reasons)}


def at(setting: str, metric: str, text: str = "{}") -> str:
    """Return the name of a metric in a setting for use in a column's name, which records both."""
    words = PLACES.get((setting, metric)) or METRICS[metric]
    return Label.of(text.format(words), setting=setting, metric=metric)


def left_out(rankings: Mapping[str, Ranking]) -> list[str]:
    """List what comparisons had to leave out, with the rankings concerned."""
    places: dict[str, list[str]] = {}
    for place, ranking in rankings.items():
        places.setdefault("; ".join(ranking.left_out), []).append(place)
    return [f"Left out of {' and '.join(where)} for lack of results: {names}." for names, where in places.items() if names]


def level_means(setting: str, metric: str, text: str, level: Level, scores: pd.DataFrame, **more: Any) -> Column:
    """Return the column of one level, named with the number of its tasks."""
    tasks = f", {len(scores)} task{'s' * (len(scores) != 1)}" if len(scores) else ""
    return means(at(setting, metric, f"{text}, {level.label}{tasks}"), scores, **more)


def failures(field: Field) -> list[str]:
    """Return a sentence per learner and reason on the tasks on which it failed."""
    found: dict[tuple[str, str], set[str]] = {}
    for (_, task, method), why in field.failures.items():
        found.setdefault((method, why), set()).add(task)
    return [
        f"{field.label(method)} failed on {', '.join(field.task(task) for task in sorted(tasks))}: {why.rstrip('.')}."
        for (method, why), tasks in found.items()
    ]
