"""Time against mean rank: what each method costs, and which are on the Pareto front."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pulab.tables import Results, Table
from studies.levelfield.field import METRICS, Field, cell, left_out_note, sorted_rows, table_of

LEGEND = (
    "Seconds on one thread, after compilation: medians over tasks of medians over {repeats}, with the slowest task's in "
    "parentheses. Memory: by how much the process grew, in megabytes, for the largest task. On the front: no learner is both "
    "faster and better ranked."
)


def cost_table(results: Results, setting: str, metric: str) -> Table:
    """A row per method: its mean rank, its times and memory, and whether it is on the front."""
    field, timings = Field.of(results, [setting], [metric]), results.timings
    ranking, times = field.ranking(setting, metric), seconds(timings, setting)
    front = pareto_front(time_and_rank(times, ranking.ranks))
    cells: list[dict[str, Any]] = []
    for method in sorted_rows(field, ranking, field.table.columns):
        row, rank = field.label(method), ranking.ranks.get(method, np.nan)
        column = f"mean rank, {METRICS[metric]}"
        cells.append(cell(row, column, "–" if np.isnan(rank) else f"{rank:.2f}", rank, tasks=len(ranking.scores)))
        for name, label in (("fit", "fit, s"), ("predict", "predict, s"), ("peak_memory_mb", "memory, MB")):
            if (method, name) in times.index:
                own = times.loc[(method, name)].dropna()
                text = f"{own.max():.0f}" if "memory" in name else f"{own.median():.3g} ({own.max():.3g})"
                cells.append(cell(row, label, text, own.median(), low=own.min(), high=own.max(), tasks=len(own)))
        cells.append(cell(row, "on the front", "yes" if method in front else "–", float(method in front)))
    machines = sorted(set(timings.loc[timings["setting"] == setting, "machine"])) if len(cells) else []
    remarks = [f"Measured on {'; '.join(machines)}." if machines else ""]
    remarks += left_out_note({"ranks": ranking})
    return table_of(cells, field, legend=LEGEND, remarks=remarks, setting=setting, metric=metric)


def seconds(timings: pd.DataFrame, setting: str) -> pd.DataFrame:
    """Medians over repeats: a row per (method, what was measured), a column per task."""
    own = timings[timings["setting"] == setting]
    medians = own.groupby(["method", "metric", "dataset"], observed=True)["seconds"].median()
    return medians.unstack("dataset") if len(medians) else pd.DataFrame()


def time_and_rank(times: pd.DataFrame, ranks: pd.Series) -> pd.DataFrame:
    """Per ranked method its seconds (fit and prediction, the median over tasks) and its mean rank."""
    there = [m for m in ranks.index if (m, "fit") in times.index and (m, "predict") in times.index]
    total = {m: float((times.loc[(m, "fit")] + times.loc[(m, "predict")]).median()) for m in there}
    return pd.DataFrame({"seconds": pd.Series(total, dtype=float), "rank": ranks.reindex(there)})


def pareto_front(points: pd.DataFrame) -> list[str]:
    """Methods that no other one beats in both time and rank, from the fastest on.

    >>> pareto_front(pd.DataFrame({"seconds": [1.0, 2.0, 3.0], "rank": [5.0, 6.0, 2.0]}, index=["a", "b", "c"]))
    ['a', 'c']
    """
    ordered = points.sort_values(["seconds", "rank"])
    best = ordered["rank"].cummin().shift(fill_value=np.inf)
    return list(ordered.index[ordered["rank"] < best])
