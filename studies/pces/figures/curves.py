"""Figure 3: the AUC of SGBDota by p at λ = 1, and every method's AUC, ours and published."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pulab.figures.lines import curves_frame, draw_lines
from pulab.figures.panels import make_page, method_handles, missing_note, panel_sets
from pulab.figures.printed import Printed, draw_printed, printed_numbers
from pulab.figures.series import spread_within
from pulab.figures.style import PUBLISHED_MARKER, Style, styles
from pulab.tables import Paper, Results
from pulab.tables.verdict import CLOSE
from studies.pces.figures.places import COLUMNS, N_PUBLISHED, ROWS, TITLES, splits_of
from studies.pces.study import REAL

ERROR = spread_within(0, 1, standard_error=True)
SERIES = "auc_by_p_percent_lambda_1"
LEVELS = {
    "get_ensemble": "GetEnsemble",
    "pu_svm": "PU-SVM",
    "random_forest_100": "Random Forests",
    "sgbauc_pruned": "SGBAUC",
    "random_ranking": "Random",
}


def draw_curves(results: Results, paper: Paper, form: str) -> Figure:
    """Draw the figure for one form of SGBDota: ``pruned``, or ``initial``, which omits the Newton step."""
    tidy = results.tidy[results.tidy["setting"] == "expansion"]
    forms = {f"sgbdota_{number}_{form}": f"SGBDota-{number}" for number in (1, 2, 3)}
    methods = forms | LEVELS
    style_of = styles(methods, results)
    sets = panel_sets(results, REAL, tidy.loc[tidy["status"] == "ok", "dataset"], TITLES)
    columns = {method: COLUMNS[method] for method in methods}
    printed = {
        key: standard_error_of(number, N_PUBLISHED) for key, number in printed_numbers(paper, "2", ROWS, columns).items()
    }
    frames = {name: curves_frame(tidy[tidy["dataset"] == name], {method: method for method in forms}, SERIES) for name in sets}
    frames = {name: frame.assign(step=frame["step"] / 100) for name, frame in frames.items()}
    areas = tidy[(tidy["metric"] == "auc") & (tidy["step"] == -1) & tidy["dataset"].isin(sets)]
    heading = " ".join(filter(None, [_finding(frames, sets, results), _agreement(areas, printed, methods)]))
    note = (
        f"Means over {splits_of(areas)} with one standard error. Left: SGBDota by p at λ = 1; right: every method, SGBDota "
        "with p chosen by the lowest preference loss. Dotted: chance. " + missing_note(results, tidy, REAL, methods, TITLES)
    )
    page = make_page(
        [title for name in sets.values() for title in (f"{name}: by p", f"{name}: all methods")],
        note=note, heading=heading, shape=(max(1, len(sets)), 2), row_height=1.75, extra=0.9,
        title_size=8.5, sharey=True, width_ratios=[1, 1.1],
    )  # fmt: skip
    for number, (name, frame) in enumerate(frames.items()):
        by_p, by_method = page.axes[2 * number : 2 * number + 2]
        last = number == len(sets) - 1
        draw_lines(by_p, frame, style_of, ERROR)
        grid = sorted(frame["step"].unique())
        named = [p for p in grid if p == grid[-1] or grid[-1] - p > 0.07]  # others would overlap the last one
        by_p.set_xticks(named, [f"{p:g}" for p in named])
        by_p.set_xticks([p for p in grid if p not in named], minor=True)
        by_p.set(xlabel="p" if last else "", ylabel="AUC")
        draw_areas(by_method, areas[areas["dataset"] == name], style_of, {m: printed.get((name, m)) for m in methods})
        by_method.set_xticks(range(len(methods)), list(methods.values()) if last else [""] * len(methods))
        by_method.tick_params(axis="x", rotation=40, length=0)
        for label in by_method.get_xticklabels():
            label.set(ha="right", rotation_mode="anchor", fontsize=7)
        for ax in (by_p, by_method):
            ax.axhline(0.5, color="#444444", linestyle=":", linewidth=0.9, zorder=1)
    shown = {method: style_of[method] for method in forms}
    ours = Line2D([], [], color="#444444", marker="o", linestyle="none", label="right, filled: ours")
    theirs: dict[str, Any] = {"marker": PUBLISHED_MARKER, "mfc": "white", "linestyle": "none"}
    mark_handles = [ours, Line2D([], [], color="#444444", label="right, hollow: published", **theirs)]
    page.add_legend(method_handles(shown, methods) + mark_handles * bool(printed))
    return page.fig


def _finding(frames: Mapping[str, pd.DataFrame], sets: Mapping[str, str], results: Results) -> str:
    """State where p matters most."""
    spans = {}
    for name, frame in frames.items():
        for method, means in frame.groupby(["line", "step"])["value"].mean().groupby("line"):
            spans[name, method] = (means.min(), means.max())
    if not spans:
        return ""
    name, method = max(spans, key=lambda key: spans[key][1] - spans[key][0])
    low, high = spans[name, method]
    return f"p matters most for {results.labels[method]} on {sets[name]} (AUC {low:.2f} to {high:.2f})."


def _agreement(areas: pd.DataFrame, printed: Mapping[tuple[str, str], Printed], methods: Iterable[str]) -> str:
    """State how many of our means are close to the published ones."""
    ours = areas[areas["method"].isin(methods)].groupby(["dataset", "method"])["value"].mean()
    gaps = [abs(mean - printed[key].mean) for key, mean in ours.items() if key in printed]
    close = sum(gap <= CLOSE / 100 for gap in gaps)
    return f"{close} of {len(gaps)} AUCs are within {CLOSE / 100:g} of the published ones" if gaps else ""


def standard_error_of(number: Printed, n: int) -> Printed:
    """Return a published mean with its standard error instead of its standard deviation."""
    half = (number.high - number.mean) / n**0.5
    return Printed(number.mean, number.mean - half, number.mean + half)


def draw_areas(ax: Axes, rows: pd.DataFrame, style_of: Mapping[str, Style], printed: Mapping[str, Printed | None]) -> None:
    """Draw the mean and standard error of the AUC over the splits, with a place per method, ours and published."""
    rows = rows[(rows["metric"] == "auc") & (rows["step"] == -1)]
    for place, (method, style) in enumerate(style_of.items()):
        values = rows.loc[rows["method"] == method, "value"]
        if len(values):
            ax.plot([place] * 2, ERROR(values), color=style.color, linewidth=0.9)
            ax.plot([place], [values.mean()], color=style.color, marker=style.marker, markersize=4.5, markeredgewidth=0)
        if number := printed.get(method):
            draw_printed(ax, place + 0.28, number, style.color, low=0, high=1, ms=4.5)
    ax.set(xlabel="", ylabel="", xlim=(-0.5, len(style_of) - 0.3))
    ax.grid(axis="x", visible=False)
