"""Cells of the RESVM chapter's tables 2.2 to 2.4, from tidy results: intervals with marks, and wins.

Intervals are 95% intervals of the mean over repeats (Student's t).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from pulab.tables.cells import Place, printed_place
from pulab.tables.record import cells_of
from pulab.tables.verdict import NOT_SIGNIFICANT, REVERSED
from pulib.statistics import mean_ci, paired_wilcoxon, win_counts

AREA = "pr_auc"
#: Repeats behind the chapter's numbers, unless a table sets another number.
N_PUBLISHED = 20
#: With fewer repeats, the mean is shown without an interval and nothing is tested, since p could not be below 5%.
LEAST_REPEATS = 5
_LEVELS = ((0.001, "•••"), (0.01, "••"), (0.05, "•"))


def mark(pvalue: float) -> str:
    """Return the paper's mark: • p < 0.05, •• p < 0.01, ••• p < 0.001, n.s. otherwise; "reversed" if the opposite holds."""
    if pvalue > 1 - _LEVELS[-1][0]:
        return REVERSED
    return next((marks for level, marks in _LEVELS if pvalue < level), NOT_SIGNIFICANT)


def scores_by_repeat(tidy: pd.DataFrame, dataset: str, setting: str, methods: Sequence[str]) -> pd.DataFrame:
    """Return areas under the PR curve: one row per repeat in which all methods have a number, one column per method."""
    return _every_score(tidy, dataset, setting, methods).dropna()


def _every_score(tidy: pd.DataFrame, dataset: str, setting: str, methods: Sequence[str]) -> pd.DataFrame:
    """Return the same, including repeats in which a method has no number."""
    rows = tidy[(tidy["dataset"] == dataset) & (tidy["setting"] == setting) & (tidy["metric"] == AREA) & (tidy["step"] == -1)]
    scores = rows.pivot(index="repeat", columns="method", values="value")  # a third of the time of pivot_table, which averages
    return scores.dropna(how="all").reindex(columns=list(methods))


def interval_cells(
    tidy: pd.DataFrame,
    published: pd.DataFrame,
    rows: Sequence[Place],
    methods: Mapping[str, str],
    *,
    setting: str,
    stand_ins: Mapping[str, str],
    n_published: int = N_PUBLISHED,
) -> pd.DataFrame:
    """Return cells of one of tables 2.2 to 2.4: by data set, the mean of each method, the test of the last two, and wins.

    Wins are in percent of the repeats, so that different numbers of repeats can be compared; ``total`` is that number.

    Parameters
    ----------
    methods : mapping of method to column label
        In the paper's order; the test asks whether the last one is better than the second to last.
    n_published : int
        Number of repeats behind the published intervals and wins.
    """
    published_cells, table = published.set_index(["row", "column"]), next(iter(published.get("table", [])), "")
    out = []
    for row in rows:
        dataset = stand_ins.get(row.select["dataset"], row.select["dataset"])
        common = {"row": row.label, "reading": row.reading, "stand_in": dataset if dataset != row.select["dataset"] else ""}
        common |= {"dataset": dataset, "setting": setting, "metric": AREA, "scale": 100.0}
        every = 100.0 * _every_score(tidy, dataset, setting, list(methods))
        # a mean uses all repeats of a method; comparisons of methods use the repeats that all of them have
        scores = every.dropna()
        status = _status(tidy, dataset, setting, len(scores))
        wins = win_counts(scores, ties="split") if len(scores) else pd.Series(0.0, index=list(methods))
        for method, label in methods.items():
            values = every[method].dropna().to_numpy()
            published_mean = _published_mean(published_cells, row.known_as, label, n_published)
            printed = printed_place(table, row.known_as, label)
            out.append(
                common
                | _status(tidy, dataset, setting, len(values))
                | published_mean
                | _mean(values)
                | {"column": label, "kind": "performance", "method": method, "printed": printed}
            )
        tested = _test(scores, list(methods)[-2:], published_cells, row.known_as)
        out.append(common | status | tested | {"column": "p", "unit": "p", "kind": "mark"})
        for method, label in methods.items():
            ours = share(wins[method], len(scores), "ours") | {"total": len(scores), "published_total": n_published}
            theirs = _published_wins(published_cells, row.known_as, f"{label} wins", n_published)
            of_method = {"column": f"{label} wins", "unit": "%", "kind": "wins", "method": method}
            out.append(common | status | ours | theirs | of_method)
    return cells_of(out)


def _status(tidy: pd.DataFrame, dataset: str, setting: str, n: int) -> dict[str, Any]:
    if n:
        return {"n": n}
    not_run = tidy[(tidy["dataset"] == dataset) & (tidy["setting"] == setting) & (tidy["status"] != "ok")]
    if len(not_run):
        return {"status": not_run["status"].iloc[0], "note": not_run["message"].iloc[0], "n": 0}
    return {"status": "not run", "note": "not part of this run", "n": 0}


def _mean(values: np.ndarray) -> dict[str, float]:
    if len(values) < LEAST_REPEATS:
        sd = float(np.std(values, ddof=1)) if len(values) > 1 else np.nan
        return {"ours": float(np.mean(values)) if len(values) else np.nan, "ours_sd": sd, "low": np.nan, "high": np.nan}
    interval = mean_ci(values)
    return {"ours": interval.mean, "ours_sd": interval.sd, "low": interval.low, "high": interval.high}


def _published_mean(published_cells: pd.DataFrame, row: str, column: str, n: int) -> dict[str, Any]:
    if (row, column) not in published_cells.index:
        return {"unit": "%"}
    cell = published_cells.loc[(row, column)]
    half = (cell["high"] - cell["low"]) / 2.0
    sd = half * np.sqrt(n) / stats.t.ppf(0.975, n - 1)
    return {
        "published": (cell["low"] + cell["high"]) / 2.0,
        "published_sd": sd,
        "published_low": cell["low"],
        "published_high": cell["high"],
        "unit": "%",
    }


def share(count: float, n: float, name: str) -> dict[str, float]:
    """Return a share in percent, with the standard deviation of a single comparison (won or not)."""
    part = count / n if n else np.nan
    return {name: 100.0 * part, f"{name}_sd": 100.0 * np.sqrt(part * (1.0 - part))}


def _published_wins(published_cells: pd.DataFrame, row: str, column: str, n: int) -> dict[str, float]:
    count = published_cells.loc[(row, column), "mean"] if (row, column) in published_cells.index else np.nan
    return share(count, n, "published")


def _test(scores: pd.DataFrame, pair: list[str], published_cells: pd.DataFrame, row: str) -> dict[str, Any]:
    published = published_cells["mark"].get((row, "p"), np.nan) if len(published_cells) else np.nan
    out: dict[str, Any] = {}
    if (row, "p") in published_cells.index:  # tests that were not significant have no published mark
        out["published_mark"] = published if isinstance(published, str) else NOT_SIGNIFICANT
    if len(scores) and len(scores) < LEAST_REPEATS:
        return out | {"status": "not run", "note": f"no test of fewer than {LEAST_REPEATS} repeats"}
    if len(scores):
        p = paired_wilcoxon(scores[pair[1]], scores[pair[0]], alternative="greater").pvalue
        out |= {"ours": p, "mark": mark(p)}
    return out
