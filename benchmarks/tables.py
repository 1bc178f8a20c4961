"""Tables of speed: compared with a reference, over the size of the data, and by version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from pulab.tables import cells_of, sheet_of
from pulab.tables.sheet import Sheet

#: Peaks below this many megabytes are not measured well: the allocator keeps some pages between calls.
LEAST_MEMORY = 5.0


def slopes(table: pd.DataFrame, value: str = "seconds", least: float = 0.0) -> dict[tuple[str, str], float]:
    """Return log-log slopes of the scaling series, by benchmark and axis; NaN with fewer than two usable sizes.

    Parameters
    ----------
    table : DataFrame
        Measurements, with the columns ``measured``, ``benchmark``, ``axis``, ``size`` and the value's.
    value : {"seconds", "memory_mb"}
    least : float
        Smaller values are left out, because they are not measured well.

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
    """Format seconds in the most readable unit.

    >>> duration(83.2), duration(0.0213), duration(4.2e-5), duration(float("nan"))
    ('83.2 s', '21.3 ms', '42 µs', '–')
    """
    if pd.isna(seconds):
        return "–"
    for factor, unit in ((1, "s"), (1e3, "ms")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def _work(row: pd.Series) -> str:
    """Return the name of a table's row: what is measured, on which data, with how many threads, compared with what."""
    against = f"against {row['reference']}" if pd.notna(row["reference"]) and row["reference"] else ""
    shape = row["shape"] if pd.notna(row["shape"]) else ""
    threads = "" if pd.isna(row["threads"]) else f"{int(row['threads'])} thread{'s' * (int(row['threads']) != 1)}"
    return ", ".join(filter(None, [row["benchmark"], shape, threads, against]))


def ratio_cells(table: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of comparisons, with a table row for each: both times, and how many times faster ours is."""
    cells: list[dict[str, Any]] = []
    for _, row in table[table["measured"] == "ratio"].iterrows():
        of_row = {"row": _work(row), "kind": "mark", "n": row["runs"], "unit": "s"}
        times = (("ours", row["seconds"]), ("reference", row["reference_seconds"]))
        cells += [of_row | {"column": name, "ours": seconds, "mark": duration(seconds)} for name, seconds in times]
        ratio = {"ours": row["ratio"], "low": row["ratio_min"], "high": row["ratio_max"], "note": row["note"]}
        if pd.isna(row["ratio"]):
            ratio |= {"status": "unavailable", "mark": "–"}
        else:
            ratio["mark"] = f"{row['ratio']:.3g}x ({row['ratio_min']:.3g}–{row['ratio_max']:.3g})"
        cells.append(of_row | ratio | {"column": "times faster (worst–best)", "unit": "times"})
    return cells_of(cells)


def scaling_cells(table: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of scaling series, with a table row for each: the ends of time and memory, and their slopes."""
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
                mark = "–" if pd.isna(slope) else f"{slope:.2f}"
                cells.append(of_row | {"column": f"slope of {measured}", "ours": slope, "mark": mark})
    return cells_of(cells)


def version_cells(history: pd.DataFrame, titles: Mapping[str, str]) -> pd.DataFrame:
    """Return the cells of versions, with a table row per version and machine: the median ratio of each kernel's comparisons.

    Parameters
    ----------
    history : DataFrame
        With the columns :data:`benchmarks.history.COLUMNS`.
    titles : mapping of kernel to title
        Other kernels are left out.
    """
    known = history[history["kernel"].isin(list(titles))]
    found = known.groupby(["date", "commit", "machine", "kernel"])["ratio"].agg(["median", "size"])
    order = sorted(found.index, key=lambda place: (*place[:3], list(titles).index(place[3])))
    return cells_of(
        {"row": ", ".join(filter(None, version)), "column": titles[kernel], "kind": "mark", "unit": "times"}
        | {"ours": median, "mark": f"{median:.3g}x ({int(size)})"}
        for *version, kernel in order
        for median, size in [found.loc[(*version, kernel)]]
    )


def speed_sheet(measured: Mapping[str, pd.DataFrame], speed: Mapping[str, Mapping[str, Any]], history: pd.DataFrame) -> Sheet:
    """Make the table of speed: each kernel compared with its reference, its scaling, and each version's median ratios.

    Parameters
    ----------
    measured : mapping of kernel to its measurements
    speed : mapping of kernel to its ``title`` and ``caption``
    history : DataFrame
        See :func:`version_cells`.
    """
    titles = {name: speed[name]["title"] for name in measured}
    table = pd.concat([own.assign(benchmark=f"{titles[name]}: " + own["benchmark"]) for name, own in measured.items()])
    parts = (ratio_cells(table), scaling_cells(table), version_cells(history, titles))
    sheets = [sheet_of(cells, title="") for cells in parts if len(cells)]
    machines = "; ".join(sorted(set(table["machine"] + ", " + table["date"])))
    legend = (
        f"Medians of several runs, on {machines}. Slopes are log-log. Memory is peak resident memory minus that before the "
        f"run; its slope uses only sizes that took {LEAST_MEMORY:g} MB or more. By version: the median ratio of a kernel's "
        "comparisons, with their number in parentheses; versions may differ in what was compared."
    )
    notes = [f"{titles[name]}: {speed[name]['caption']}" for name in measured]
    caption = "Speedup of every kernel over its reference, both measured in one process, except for first uses."
    grids = [grid for sheet in sheets for grid in sheet.grids]
    return Sheet("Speed", caption, grids, legend, [*notes, *(note for sheet in sheets for note in sheet.notes)])
