"""Tables of what is measured: speed, compared with a reference and as it grows with the data, and estimates of the prior."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pulab.tables import cells_of, sheet_of
from pulab.tables.sheet import Sheet

#: Megabytes below which the peak is not measured well: the allocator keeps some pages between calls.
LEAST_MEMORY = 5.0
#: What a comparison is of: two rows that agree in these can be compared.
WHAT = ["kernel", "benchmark", "shape", "reference", "threads"]
#: Of the comparisons of several versions, ``speed/history.csv``.
HISTORY_COLUMNS = ["date", "commit", "machine", *WHAT, "ratio", "ratio_min", "ratio_max"]


def elsewhere(history: pd.DataFrame, measured: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The latest comparisons of each kernel on a processor on which these measurements were not made."""
    found = {}
    for kernel, table in measured.items():
        others = history[(history["kernel"] == kernel) & ~history["machine"].isin(table["machine"])]
        found[kernel] = others.sort_values("date", kind="stable").drop_duplicates(WHAT, keep="last")
    return found


def slopes(table: pd.DataFrame, value: str = "seconds", least: float = 0.0) -> dict[tuple[str, str], float]:
    """Log-log slopes of the scaling series, by benchmark and axis; NaN with fewer than two usable sizes.

    Parameters
    ----------
    table : DataFrame
        Measurements, with the columns ``measured``, ``benchmark``, ``axis``, ``size`` and the value's.
    value : {"seconds", "memory_mb"}
    least : float
        Values below are left out: what is too small is not measured well.

    Examples
    --------
    >>> import pandas as pd
    >>> from benchmarks.tables import slopes
    >>> rows = [("scaling", "sort", "n", n, n**1.5) for n in (10, 100, 1000)]
    >>> found = slopes(pd.DataFrame(rows, columns=["measured", "benchmark", "axis", "size", "seconds"]))
    >>> round(found["sort", "n"], 6)
    1.5
    """
    slope_of = {}
    for key, series in table[table["measured"] == "scaling"].groupby(["benchmark", "axis"], sort=False):
        used = series[(series[value] > 0) & (series[value] >= least)]
        enough = used["size"].nunique() > 1
        slope_of[key] = float(np.polyfit(np.log(used["size"]), np.log(used[value]), 1)[0]) if enough else float("nan")
    return slope_of


def duration(seconds: float) -> str:
    """Seconds in the unit that reads best.

    >>> duration(83.2), duration(0.0213), duration(4.2e-5), duration(float("nan"))
    ('83.2 s', '21.3 ms', '42 µs', '–')
    """
    if pd.isna(seconds):
        return "–"
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1 or unit == "µs":
            return f"{seconds * factor:.3g} {unit}"
    raise AssertionError("unreachable")


def threads_text(threads: float | str) -> str:
    """How many threads a work used, in words; empty where that is not known."""
    return "" if pd.isna(threads) else f"{int(threads)} thread{'s' * (int(threads) != 1)}"


def _work(row: pd.Series) -> str:
    """What was measured, as the name of a table's row: what is done, to what, compared with what, by how many threads."""
    against = f"against {row['reference']}" if pd.notna(row["reference"]) and row["reference"] else ""
    shape = row["shape"] if pd.notna(row["shape"]) else ""
    return ", ".join(filter(None, [row["benchmark"], shape, against, threads_text(row["threads"])]))


def ratio_cells(table: pd.DataFrame, others: pd.DataFrame | None = None) -> pd.DataFrame:
    """The cells of comparisons, a row of the table for each: both times, and how many times faster ours is.

    Parameters
    ----------
    table : DataFrame
        Measurements, a row per comparison or size.
    others : DataFrame, optional
        The same comparisons on another processor, as :func:`elsewhere` finds them.
    """
    same = ["benchmark", "shape", "reference", "threads"]
    there = {} if others is None else {tuple(row[same]): row for _, row in others.iterrows()}
    cells: list[dict[str, Any]] = []
    for _, row in table[table["measured"] == "ratio"].iterrows():
        of_row = {"row": _work(row), "kind": "mark", "n": row["runs"], "unit": "s"}
        status = {"status": "unavailable", "note": row["note"]} if pd.isna(row["ratio"]) else {"note": row["note"]}
        times = (("ours", row["seconds"]), ("reference", row["reference_seconds"]))
        cells += [of_row | {"column": name, "ours": seconds, "mark": duration(seconds)} for name, seconds in times]
        cells.append(of_row | _times_cell(row) | status | {"column": "times faster (worst–best)", "unit": "times"})
        if (other := there.get(tuple(row[same]))) is not None:
            mark = f"{_times(other)}, {other['machine']}, {other['date']}"
            cells.append(of_row | _times_cell(other) | {"column": "on another processor", "unit": "times", "mark": mark})
    return cells_of(cells)


def _times_cell(row: pd.Series) -> dict[str, Any]:
    return {"ours": row["ratio"], "low": row["ratio_min"], "high": row["ratio_max"], "mark": _times(row)}


def _times(row: pd.Series) -> str:
    return "–" if pd.isna(row["ratio"]) else f"{row['ratio']:.3g}x ({row['ratio_min']:.3g}–{row['ratio_max']:.3g})"


def scaling_cells(table: pd.DataFrame) -> pd.DataFrame:
    """The cells of series over sizes, a row of the table for each: the ends of time and memory, and their slopes."""
    found = {"time": slopes(table), "memory": slopes(table, "memory_mb", LEAST_MEMORY)}
    cells: list[dict[str, Any]] = []
    for (name, axis), series in table[table["measured"] == "scaling"].groupby(["benchmark", "axis"], sort=False):
        first, last = series.iloc[0], series.iloc[-1]
        ends = {
            "over": ("size", f"{axis} = {first['size']:,.0f} to {last['size']:,.0f}"),
            "time": ("seconds", f"{duration(first['seconds'])} to {duration(last['seconds'])}"),
            "peak memory": ("memory_mb", f"{first['memory_mb']:.3g} to {last['memory_mb']:.3g} MB"),
        }
        of_row = {"row": _work(first), "kind": "mark", "n": first["runs"]}
        for column, (quantity, mark) in ends.items():
            cells.append(of_row | {"column": column, "low": first[quantity], "high": last[quantity], "mark": mark})
            if (measured := column.rpartition(" ")[2]) in found:
                slope = found[measured][name, axis]
                cells.append(of_row | {"column": f"slope of {measured}", "ours": slope, "mark": _slope(slope)})
    return cells_of(cells)


def _slope(value: float) -> str:
    return "–" if pd.isna(value) else f"{value:.2f}"


def speed_sheet(table: pd.DataFrame, *, title: str, caption: str, others: pd.DataFrame | None = None) -> Sheet:
    """Everything that was measured of a kernel.

    Parameters
    ----------
    table : DataFrame
        Measurements, a row per comparison or size.
    title, caption : str
    others : DataFrame, optional
        As of :func:`ratio_cells`.
    """
    parts = [sheet_of(cells, title="") for cells in (ratio_cells(table, others), scaling_cells(table)) if len(cells)]
    measured = table.dropna(subset="machine")
    machines = "; ".join(
        sorted({f"{machine}, {day}" for machine, day in zip(measured["machine"], measured["date"], strict=True)})
    )
    legend = (
        f"Medians of several runs, on {machines}. Slopes are log-log; memory is what was resident at the peak, above what was "
        f"before, and its slope is over sizes that took {LEAST_MEMORY:g} MB or more."
    )
    grids, notes = ([one for part in parts for one in getattr(part, name)] for name in ("grids", "notes"))
    return Sheet(title, caption, grids, legend, notes)


def read_history(folders: Iterable[Path]) -> pd.DataFrame:
    """The history in the first folder that has one, ``speed/history.csv``; no rows where none has."""
    files = [file for folder in folders if (file := folder / "speed" / "history.csv").is_file()]
    return pd.read_csv(files[0]) if files else pd.DataFrame(columns=HISTORY_COLUMNS)


def version_cells(history: pd.DataFrame, titles: Mapping[str, str]) -> pd.DataFrame:
    """The cells of versions, a row of the table for each on each machine: the median ratio of a kernel's comparisons.

    Parameters
    ----------
    history : DataFrame
        With :data:`HISTORY_COLUMNS`.
    titles : mapping of kernel to title
        Other kernels are left out.
    """
    known = history[history["kernel"].isin(list(titles))]
    found = known.groupby(["date", "commit", "machine", "kernel"])["ratio"].agg(["median", "size"])
    order = sorted(found.index, key=lambda place: (*place[:3], list(titles).index(place[3])))
    return cells_of(
        {"row": ", ".join(filter(None, version)), "column": titles[kernel], "kind": "mark", "unit": "times"}
        | {"ours": median, "n": size, "mark": f"{median:.3g}x ({int(size)})"}
        for *version, kernel in order
        for median, size in [found.loc[(*version, kernel)]]
    )


def overview_sheet(
    measured: Mapping[str, pd.DataFrame],
    titles: Mapping[str, str],
    others: Mapping[str, pd.DataFrame] | None = None,
    history: pd.DataFrame | None = None,
) -> Sheet:
    """Every kernel compared with its reference, and below that each version's median ratios.

    Parameters
    ----------
    measured : mapping of kernel to its measurements
    titles : mapping of kernel to title
    others : mapping of DataFrame, optional
        As :func:`elsewhere` finds them.
    history : DataFrame, optional
        As of :func:`version_cells`.
    """
    table = _named(measured, titles)
    caption = "Every kernel compared with its reference, in one process (speedup)."
    shown = table[table["measured"] == "ratio"]
    sheet = speed_sheet(shown, title="Speed", caption=caption, others=_named(others, titles) if others else None)
    if history is None or history.empty:
        return sheet
    grids = sheet_of(version_cells(history, titles), title="").grids
    legend = (
        "By version: the median ratio of a kernel's comparisons and their number; versions may differ in what was compared."
    )
    return replace(sheet, grids=[*sheet.grids, *grids], legend=f"{sheet.legend} {legend}")


def speed_sheets(folders: Sequence[Path], speed: Mapping[str, Mapping[str, str]]) -> dict[str, Sheet]:
    """By heading, what the first folder that has it holds, ``speed/<kernel>.csv``; nothing where none has any.

    Parameters
    ----------
    folders : sequence of Path
    speed : mapping of kernel to its ``title`` and ``caption``
    """
    files = {name: [file for folder in folders if (file := folder / "speed" / f"{name}.csv").is_file()] for name in speed}
    tables = {name: pd.read_csv(there[0]) for name, there in files.items() if there}
    if not tables:
        return {}
    titles, history = {name: speed[name]["title"] for name in tables}, read_history(folders)
    others = elsewhere(history, tables)
    return {"Speed": overview_sheet(tables, titles, others, history)} | {
        f"Speed: {title}": speed_sheet(tables[name], title=title, caption=speed[name]["caption"], others=others[name])
        for name, title in titles.items()
    }


def _named(tables: Mapping[str, pd.DataFrame], titles: Mapping[str, str]) -> pd.DataFrame:
    return pd.concat([own.assign(benchmark=f"{titles[name]}: " + own["benchmark"]) for name, own in tables.items()])


def prior_cells(errors: pd.DataFrame) -> pd.DataFrame:
    """The cells of estimated priors: by data set the true share, and each method's mean error and greatest absolute error.

    Parameters
    ----------
    errors : DataFrame
        Columns ``dataset``, ``method``, ``prior`` (the true share) and ``estimate``.
    """
    errors = errors.assign(error=errors["estimate"] - errors["prior"])
    cells: list[dict[str, Any]] = []
    for name, own in errors.groupby("dataset", sort=False):
        of_set = {"row": name, "dataset": name, "kind": "mark"}
        share = float(own["prior"].mean())
        cells.append(of_set | {"column": "π", "ours": share, "mark": f"{share:.3f}"})
        for method, found in own.groupby("method", sort=False)["error"]:
            mark = f"{found.mean():+.3f} ({found.abs().max():.3f})"
            cells.append(of_set | {"column": method, "ours": found.mean(), "n": len(found), "mark": mark})
    return cells_of(cells)


def prior_sheet(errors: pd.DataFrame, sizes: Mapping[str, Any]) -> Sheet:
    """Errors of the class prior's estimates, with what they rest on (``config/priors.yaml``)."""
    caption = (
        f"Mean error of the estimated class prior over {sizes['repeats']} random samples of at most {sizes['n_labeled']} "
        f"labeled and {sizes['n_unlabeled']} unlabeled rows, with the largest absolute error in parentheses. π is the share of "
        "positives among the unlabeled rows."
    )
    missing = [name for name in sizes["datasets"] if name not in set(errors["dataset"])]
    note = f"Not available here: {', '.join(missing)}." if missing else ""
    return Sheet("", caption, sheet_of(prior_cells(errors), title="").grids, note)
