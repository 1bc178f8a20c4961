"""Tables of speed: comparisons with a reference, what bounds a kernel, and growth with the data's size."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from pulab.benchmarks import LEAST_MEMORY, slopes
from pulab.tables.sheet import Grid, Sheet


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


def ratio_cells(table: pd.DataFrame, others: pd.DataFrame | None = None) -> pd.DataFrame:
    """One row of text per comparison.

    Parameters
    ----------
    table : DataFrame
        With the columns of :data:`pulab.benchmarks.record.COLUMNS`.
    others : DataFrame, optional
        The same comparisons on another processor, as :func:`pulab.benchmarks.history.elsewhere` finds them.
    """
    same = ["benchmark", "shape", "reference", "threads"]
    there = {} if others is None else {tuple(row[same]): row for _, row in others.iterrows()}
    rows = []
    for _, row in table[table["measured"] == "ratio"].iterrows():
        other = there.get(tuple(row[same]))
        elsewhere = "" if other is None else f"{_times(other)}, {other['machine']}, {other['date']}"
        texts = ["" if pd.isna(row[name]) else str(row[name]) for name in ("shape", "reference", "note")]
        seconds = duration(row["seconds"]), duration(row["reference_seconds"])
        runs = "" if pd.isna(row["runs"]) else f"{row['runs']:.0f}"
        rows.append([row["benchmark"], *texts[:2], *seconds, _times(row), runs, elsewhere, str(row["threads"]), texts[2]])
    columns = ["what", "on", "compared with", "ours", "reference", "times faster (worst–best)", "runs", "on another processor"]
    found = pd.DataFrame(rows, columns=[*columns, "threads", "note"])
    return found if there else found.drop(columns="on another processor")


def _times(row: pd.Series) -> str:
    return "–" if pd.isna(row["ratio"]) else f"{row['ratio']:.3g}x ({row['ratio_min']:.3g}–{row['ratio_max']:.3g})"


def bound_cells(table: pd.DataFrame) -> pd.DataFrame:
    """One row of text per kernel: its rate, what the machine allows, and the share of it."""
    rows = []
    for row in table[table["measured"] == "bound"].itertuples():
        rates = [f"{rate(row.amount / seconds)} {row.unit}/s" for seconds in (row.seconds, row.reference_seconds)]
        share = f"{row.ratio:.0%} ({row.ratio_min:.0%}–{row.ratio_max:.0%})"
        rows.append([row.benchmark, row.shape, duration(row.seconds), rates[0], str(row.reference), rates[1], share, row.note])
    columns = ["what", "on", "time", "rate", "bound by", "allows", "share of it (worst–best)", "model of the work"]
    return pd.DataFrame(rows, columns=columns)


def rate(per_second: float) -> str:
    """A rate with the prefix of its size.

    >>> rate(2.34e10), rate(5.6e7), rate(1200.0)
    ('23.4 G', '56 M', '0.0012 M')
    """
    return f"{per_second / 1e9:.3g} G" if per_second >= 1e9 else f"{per_second / 1e6:.3g} M"


def scaling_cells(table: pd.DataFrame) -> pd.DataFrame:
    """One row of text per series: ends and slopes."""
    seconds, memory = slopes(table), slopes(table, "memory_mb", LEAST_MEMORY)
    rows = []
    for (name, axis), series in table[table["measured"] == "scaling"].groupby(["benchmark", "axis"], sort=False):
        first, last = series.iloc[0], series.iloc[-1]
        texts = [name, str(first["shape"]), f"{axis} = {first['size']:,.0f} to {last['size']:,.0f}"]
        texts += [f"{duration(first['seconds'])} to {duration(last['seconds'])}", _slope(seconds[name, axis])]
        texts += [f"{first['memory_mb']:.3g} to {last['memory_mb']:.3g} MB", _slope(memory[name, axis]), str(first["threads"])]
        rows.append(texts)
    columns = ["what", "fixed", "over", "time", "slope of time", "peak memory", "slope of memory", "threads"]
    return pd.DataFrame(rows, columns=columns)


def _slope(value: float) -> str:
    return "–" if pd.isna(value) else f"{value:.2f}"


def speed_sheet(table: pd.DataFrame, *, title: str, caption: str, others: pd.DataFrame | None = None) -> Sheet:
    """Everything that was measured of a kernel.

    Parameters
    ----------
    table : DataFrame
        As :meth:`pulab.benchmarks.Record.table` makes it.
    title, caption : str
    others : DataFrame, optional
        As of :func:`ratio_cells`.
    """
    parts = [cells for cells in (ratio_cells(table, others), bound_cells(table), scaling_cells(table)) if len(cells)]
    measured = table.dropna(subset="machine")
    machines = "; ".join(
        sorted({f"{machine}, {day}" for machine, day in zip(measured["machine"], measured["date"], strict=True)})
    )
    legend = (
        f"Medians, on {machines}. Slopes are log-log; memory is what was resident at the peak, above what was before, and its "
        f"slope is over sizes that took {LEAST_MEMORY:g} MB or more."
    )
    grids = [Grid.of(cells.columns, cells.itertuples(index=False), dense=True) for cells in parts]
    return Sheet(title, caption, grids, legend)


def overview_sheet(measured: Mapping[str, pd.DataFrame], others: Mapping[str, pd.DataFrame] | None = None) -> Sheet:
    """Every kernel compared with its reference and with its bound; by title."""
    table = _named(measured)
    caption = "Every kernel compared with its reference, in one process (speedup), and with the bound on its speed."
    shown = table[table["measured"].isin(["ratio", "bound"])]
    return speed_sheet(shown, title="Speed", caption=caption, others=_named(others) if others else None)


def _named(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    return pd.concat([own.assign(benchmark=f"{name}: " + own["benchmark"]) for name, own in tables.items()])
