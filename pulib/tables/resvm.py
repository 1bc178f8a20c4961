"""Tables of the RESVM chapter: intervals with marks and wins (2.2 to 2.4), and win counts (2.5).

Tidy results come in; cells as :mod:`pulib.tables.cells` describes go out.  Intervals are 95% intervals of the mean over repeats
(Student's t).  The papers' spreads are recovered from their intervals, so that verdicts can use them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from pulib.statistics import mean_ci, paired_wilcoxon, win_counts
from pulib.tables.cells import CELL_COLUMNS, Place
from pulib.tables.render import latex_escape
from pulib.tables.tuned import N_PUBLISHED

#: With fewer repeats the mean is shown without an interval.
LEAST_REPEATS = 3
_LEVELS = ((0.001, "•••"), (0.01, "••"), (0.05, "•"))


def mark(pvalue: float) -> str:
    """The paper's marks: • p < 0.05, •• p < 0.01, ••• p < 0.001.

    >>> mark(0.004), mark(0.5)
    ('••', '')
    """
    return next((marks for level, marks in _LEVELS if pvalue < level), "")


def scores_by_repeat(tidy: pd.DataFrame, dataset: str, setting: str, methods: Sequence[str], metric: str) -> pd.DataFrame:
    """One row per repeat in which all methods have a number, one column per method."""
    own = tidy[(tidy["dataset"] == dataset) & (tidy["setting"] == setting) & (tidy["metric"] == metric) & (tidy["step"] == -1)]
    wide = own.pivot_table(index="repeat", columns="method", values="value").reindex(columns=list(methods))
    return wide.dropna()


def interval_cells(
    tidy: pd.DataFrame,
    published: pd.DataFrame,
    rows: Sequence[Place],
    methods: Mapping[str, str],
    *,
    setting: str,
    metric: str,
    stand_ins: Mapping[str, str],
    n_published: int = N_PUBLISHED,
) -> pd.DataFrame:
    """Cells of one of tables 2.2 to 2.4: per data set the mean of each method, the test of the last two, and wins.

    Parameters
    ----------
    methods : mapping of method to column label
        In the paper's order; the test asks whether the last is better than the last but one.
    n_published : int
        Repeats behind the published intervals and wins.

    Returns
    -------
    DataFrame with the columns of cells and ``low, high, published_low, published_high, mark, published_mark``.  Wins are in
    percent of the repeats, so that different numbers of repeats can be compared.
    """
    known = published.set_index(["row", "column"])
    out = []
    for row in rows:
        dataset = stand_ins.get(row.select["dataset"], row.select["dataset"])
        common = {"row": row.label, "stand_in": dataset if dataset != row.select["dataset"] else ""}
        scores = 100.0 * scores_by_repeat(tidy, dataset, setting, list(methods), metric)
        status = _status(tidy, dataset, setting, len(scores))
        wins = win_counts(scores) if len(scores) else pd.Series(0.0, index=list(methods))
        for method, label in methods.items():
            values = scores[method].to_numpy()
            published_mean = _published_mean(known, row.known_as, label, n_published)
            out.append(common | status | published_mean | _mean(values) | {"column": label})
        out.append(common | status | _test(scores, list(methods)[-2:], known, row.known_as) | {"column": "p", "unit": "p"})
        for method, label in methods.items():
            share = _share(wins[method], len(scores), "ours")
            out.append(
                common
                | status
                | share
                | _published_wins(known, row.known_as, f"{label} wins", n_published)
                | {"column": f"{label} wins", "unit": "%"}
            )
    frame = pd.DataFrame(out).assign(paper="", table="")
    extra = ["low", "high", "published_low", "published_high", "mark", "published_mark"]
    return frame.reindex(columns=[*CELL_COLUMNS, *extra])


def _status(tidy: pd.DataFrame, dataset: str, setting: str, n: int) -> dict[str, Any]:
    if n:
        return {"status": "ok", "note": "", "n": n}
    own = tidy[(tidy["dataset"] == dataset) & (tidy["setting"] == setting) & (tidy["status"] != "ok")]
    if len(own):
        return {"status": own["status"].iloc[0], "note": own["message"].iloc[0], "n": 0}
    return {"status": "not run", "note": "not part of this run", "n": 0}


def _mean(values: np.ndarray) -> dict[str, float]:
    if len(values) < LEAST_REPEATS:
        sd = float(np.std(values, ddof=1)) if len(values) > 1 else np.nan
        return {"ours": float(np.mean(values)) if len(values) else np.nan, "ours_sd": sd, "low": np.nan, "high": np.nan}
    interval = mean_ci(values)
    return {"ours": interval.mean, "ours_sd": interval.sd, "low": interval.low, "high": interval.high}


def _published_mean(known: pd.DataFrame, row: str, column: str, n: int) -> dict[str, Any]:
    if (row, column) not in known.index:
        return {"published": np.nan, "published_sd": np.nan, "unit": "%"}
    cell = known.loc[(row, column)]
    half = (cell["high"] - cell["low"]) / 2.0
    sd = half * np.sqrt(n) / stats.t.ppf(0.975, n - 1)
    return {
        "published": (cell["low"] + cell["high"]) / 2.0,
        "published_sd": sd,
        "published_low": cell["low"],
        "published_high": cell["high"],
        "unit": "%",
    }


def _share(count: float, n: float, name: str) -> dict[str, float]:
    share = count / n if n else np.nan
    return {name: 100.0 * share, f"{name}_sd": 100.0 * np.sqrt(share * (1.0 - share))}


def _published_wins(known: pd.DataFrame, row: str, column: str, n: int) -> dict[str, float]:
    count = known.loc[(row, column), "mean"] if (row, column) in known.index else np.nan
    return _share(count, n, "published")


def _test(scores: pd.DataFrame, pair: list[str], known: pd.DataFrame, row: str) -> dict[str, Any]:
    published = known.loc[(row, "p"), "mark"] if (row, "p") in known.index else ""
    out: dict[str, Any] = {
        "published": np.nan,
        "published_sd": np.nan,
        "ours": np.nan,
        "ours_sd": np.nan,
        "mark": "",
        "published_mark": published,
    }
    if len(scores) > 1:
        out["ours"] = paired_wilcoxon(scores[pair[1]], scores[pair[0]], alternative="greater").pvalue
        out["mark"] = mark(out["ours"])
    return out


def interval_texts(cells: pd.DataFrame, decimals: int = 1, n_published: int = N_PUBLISHED) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Ours and published as text, rows by columns."""
    ours, published = {}, {}
    for cell in cells.itertuples(index=False):
        place = (cell.row, cell.column)
        if cell.status != "ok":
            ours[place] = cell.status if cell.column != "p" else "–"
        elif cell.column == "p":
            ours[place] = cell.mark or ("n.s." if np.isfinite(cell.ours) else "–")
        elif cell.column.endswith(" wins"):
            ours[place] = f"{round(cell.ours * cell.n / 100)}/{cell.n}"
        else:
            ours[place] = _range(cell.low, cell.high, decimals) if np.isfinite(cell.low) else f"{cell.ours:.{decimals}f}"
        if cell.column == "p":
            known = isinstance(cell.published_mark, str) and cell.published_mark
            published[place] = cell.published_mark if known else "n.s."
        elif cell.column.endswith(" wins"):
            published[place] = f"{round(cell.published * n_published / 100)}" if np.isfinite(cell.published) else "–"
        else:
            published[place] = _range(cell.published_low, cell.published_high, decimals)
    rows, columns = list(dict.fromkeys(cells["row"])), list(dict.fromkeys(cells["column"]))
    frames = (
        pd.DataFrame([[texts.get((r, c), "") for c in columns] for r in rows], rows, columns) for texts in (ours, published)
    )
    return next(frames), next(frames)


def _range(low: float, high: float, decimals: int) -> str:
    return f"{low:.{decimals}f}–{high:.{decimals}f}" if np.isfinite(low) else "–"


def write_interval_table(
    cells: pd.DataFrame,
    paths: Mapping[str, str | Path],
    *,
    title: str,
    caption: str = "",
    label: str = "",
    decimals: int = 1,
    n_published: int = N_PUBLISHED,
) -> None:
    """Write cells of :func:`interval_cells` as CSV, Markdown and LaTeX, the published values beside ours."""
    cells.to_csv(paths["csv"], index=False, float_format="%.6g")
    ours, published = interval_texts(cells, decimals, n_published)
    stand_ins = dict(zip(cells["row"], cells["stand_in"], strict=True))
    names = {row: f"{row} (stand-in: {stand_ins[row]})" if stand_ins[row] else row for row in ours.index}
    notes = sorted({f"{c.row}: {c.note}" for c in cells.itertuples() if c.note})
    repeats = sorted({int(n) for n in cells.loc[cells["status"] == "ok", "n"]})
    explained = (
        f"Ours (repeats: {', '.join(map(str, repeats)) or 'none'}; a mean if fewer than {LEAST_REPEATS}), then the "
        f"paper's in italics ({n_published}): 95% intervals of the mean; p of RESVM > BAG (• < 0.05, •• < 0.01, ••• < 0.001)."
    )
    head = ["", *ours.columns]
    lines = [f"**{title}**", "", *([caption, ""] if caption else []), "|" + "|".join(head) + "|", "|---" * len(head) + "|"]
    for row in ours.index:
        texts = [f"{a} · *{b}*" if b not in ("", "–") else a for a, b in zip(ours.loc[row], published.loc[row], strict=True)]
        lines.append("|" + "|".join([names[row], *texts]) + "|")
    lines += ["", explained, *(f"- {note}" for note in notes)]
    Path(paths["md"]).write_text("\n".join(lines) + "\n", encoding="utf-8")
    latex = [
        r"\begin{table}",
        r"\centering\footnotesize",
        rf"\caption{{{latex_escape(title)}. {latex_escape(caption)}}}",
        rf"\label{{{label}}}",
        rf"\begin{{tabular}}{{l{'r' * ours.shape[1]}}}",
        r"\toprule",
        " & ".join(map(latex_escape, head)) + r" \\",
        r"\midrule",
    ]
    for row in ours.index:
        latex.append(" & ".join(map(latex_escape, [names[row], *ours.loc[row]])) + r" \\")
        latex.append(" & ".join([r"\quad published", *(rf"\textit{{{latex_escape(t)}}}" for t in published.loc[row])]) + r" \\")
    latex += [r"\bottomrule", r"\end{tabular}", rf"\par {latex_escape(explained)}", r"\end{table}"]
    Path(paths["tex"]).write_text("\n".join(latex) + "\n", encoding="utf-8")


def win_cells(
    tidy: pd.DataFrame,
    published: pd.DataFrame,
    families: Mapping[str, Sequence[str]],
    methods: Mapping[str, str],
    settings: Mapping[str, str],
    metric: str,
    *,
    stand_ins: Mapping[str, str],
    n_published: int = N_PUBLISHED,
) -> pd.DataFrame:
    """Table 2.5: shares of wins over all repeats of all data sets, and the same with each family of one-against-rest tasks
    counted as one data set.

    Standard deviations are those of a single comparison, won or not; the paper's follow from its shares.  ``n`` and
    ``n_published`` are numbers of comparisons; where they count differently, of as many that counted the same and told as much.

    Parameters
    ----------
    families : mapping of name to data sets
        A family's wins are divided by the number of its tasks.  What has no scores here is named in the cells' notes.
    stand_ins : mapping
        Data set of the paper to the one that stands in for it here.
    n_published : int
        Repeats of each task behind the published shares.

    Returns
    -------
    DataFrame with the columns of cells and ``n_published``.
    """
    known = published.set_index(["row", "column"])["mean"]
    there = np.repeat([1.0 / len(tasks) for tasks in families.values() for _ in tasks], n_published)
    out = []
    for setting, label in settings.items():
        wins, weights, stood_in, left_out = _wins_by_task(tidy, families, methods, setting, metric, stand_ins)
        ran = {"status": "ok", "note": f"without {', '.join(left_out)}" if left_out else "", "stand_in": ", ".join(stood_in)}
        not_run = {"status": "not run", "note": "not part of this run", "stand_in": ""}
        here = np.repeat(weights["weight"], weights["n"])
        for kind, power in (("raw", 0), ("normalized", 1)):
            counts = (wins * weights["weight"].to_numpy()[:, None] ** power).sum()
            for method, column in methods.items():
                row, column = f"{label}, {kind}", f"{column} win %"
                ours = _share(counts[method], counts.sum(), "ours")
                theirs = _share(known.get((row, column), np.nan), 100.0, "published")
                numbers = {"n": _equivalent(here**power), "n_published": _equivalent(there**power)}
                place = {"row": row, "column": column, "unit": "%"}
                out.append({**place, **ours, **theirs, **numbers, **(ran if len(wins) else not_run)})
    return pd.DataFrame(out).assign(paper="", table="").reindex(columns=[*CELL_COLUMNS, "n_published"])


def _wins_by_task(
    tidy: pd.DataFrame,
    families: Mapping[str, Sequence[str]],
    methods: Mapping[str, str],
    setting: str,
    metric: str,
    stand_ins: Mapping[str, str],
) -> tuple[pd.DataFrame, pd.DataFrame, list[str], list[str]]:
    """Wins of each task that has scores, its repeats and weight, the sets that stand in, and what has none."""
    wins, weights, stood_in, left_out = [], [], [], []
    for family, tasks in families.items():
        lacking = []
        for task in tasks:
            scores = scores_by_repeat(tidy, stand_ins.get(task, task), setting, list(methods), metric)
            if not len(scores):
                lacking.append(task)
                continue
            # ties are shared, so that shares add up to 100
            wins.append(win_counts(scores, ties="split"))
            weights.append((len(scores), 1.0 / len(tasks)))
            stood_in += [stand_ins[task]] if task in stand_ins else []
        left_out += [family] if len(lacking) == len(tasks) else lacking
    columns = pd.DataFrame(wins, columns=list(methods)).reset_index(drop=True)
    return columns, pd.DataFrame(weights, columns=["n", "weight"]).astype({"n": int}), sorted(set(stood_in)), left_out


def _equivalent(weights: np.ndarray) -> int:
    """How many comparisons of equal weight would leave a share as uncertain as these do (Kish's effective sample size).

    >>> _equivalent(np.ones(20)), _equivalent(np.repeat([1.0, 0.1], [20, 200]))
    (20, 73)
    """
    return round(np.sum(weights) ** 2 / np.sum(np.square(weights))) if len(weights) else 0
