"""Accuracy with the k most important features, by either importance, and the difference of the areas under the curves."""

from __future__ import annotations

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from pulab.figures.lines import draw_lines
from pulab.figures.panels import make_page, title_of
from pulab.figures.printed import printed_numbers
from pulab.figures.series import aligned, choose_dataset, spread_within
from pulab.figures.style import BLUE, BROWN, Style
from pulab.tables.inputs import Spec
from pulab.tables.sentences import counted
from pulab.trials.artifacts import OPTIONAL, Artifact, Dataset, Published
from pulib.plots import COLUMN

RANKINGS = {
    "accuracy_by_risk_reduction": ("risk reduction", Style(BLUE, "o")),
    "accuracy_by_impurity_reduction": ("impurity reduction", Style(BROWN, "s")),
}


class Keys(Artifact):
    choose: list[Dataset]
    published: Published
    titles: dict[Dataset, str] = OPTIONAL


def draw(spec: Spec, tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration, tidy results, and printed numbers."""
    dataset, tidy = choose_dataset(tidy, spec["choose"], spec["stand_ins"])
    tidy = tidy[tidy["setting"] == "top_features"]
    frame = pd.concat([aligned(tidy, metric).assign(line=metric) for metric in RANKINGS], ignore_index=True)
    frame = frame.assign(value=100 * frame["value"])
    titles = [title_of(spec, dataset)] if len(frame) else []
    means = [frame[frame["line"] == metric].groupby("step")["value"].mean() for metric in RANKINGS]
    note = "Means over repeats, one standard deviation as a band."
    page = make_page([""] * len(titles), note=note, heading=_finding(means, *titles), width=1.5 * COLUMN, row_height=3.0)
    for ax in page.axes:
        draw_lines(ax, frame, {metric: style for metric, (_, style) in RANKINGS.items()}, spread_within(0, 100))
        ax.fill_between(means[0].index, *means, facecolor="none", edgecolor="#BBBBBB", hatch="////", linewidth=0)
        ax.set(xlabel="number of features", ylabel="test accuracy in %")
        handles: list[Artist] = [
            Line2D([], [], color=style.color, marker=style.marker, label=label) for label, style in RANKINGS.values()
        ]
        handles.append(Patch(fc="none", ec="#BBBBBB", hatch="////", label=area_text(tidy, dataset, spec, published)))
        ax.legend(handles=handles, loc="lower right", title="ranked by", alignment="left")
    return page.fig


def _finding(means: list[pd.Series], title: str = "") -> str:
    """The gap where it is widest."""
    gap = means[0] - means[1]
    if gap.dropna().empty:
        return ""
    k = int(gap.abs().idxmax())
    by, other = ("risk", "impurity") if gap[k] > 0 else ("impurity", "risk")
    points = f"{abs(gap[k]):.0f} points higher than by {other} reduction"
    return f"With {counted(k, 'feature')} chosen by {by} reduction, accuracy is {points} ({title})"


def area_text(tidy: pd.DataFrame, dataset: str, spec: Spec, published: pd.DataFrame) -> str:
    """The area between the curves, with accuracy as a share as in the paper, and the printed one."""
    ours = tidy.loc[tidy["metric"] == "area_difference", "value"].mean()
    method = spec["published"]["method"]
    printed = printed_numbers(published, {**spec["published"], "columns": {method: "area difference"}}).get((dataset, method))
    text = f"area between them, accuracy as a share:\n{ours:.2f}"
    return f"{text} (published, all rows: {printed.mean:.2f})" if printed else text
