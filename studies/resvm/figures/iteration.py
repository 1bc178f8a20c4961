"""Figure 2.2: one iteration of the benchmark, step by step, and what it found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from pulab.figures.panels import make_page, make_sheet
from pulab.figures.style import styles
from pulab.tables import Results
from pulab.tables.sentences import listing
from studies.resvm.places import METHODS

PLAIN = "#555555"


def draw_iteration(results: Results) -> Figure:
    """Draw the first repeat on digit 7 in the PU learning setting."""
    tidy, dataset = results.tidy, results.stand_ins.get("mnist_digit_7", "mnist_digit_7")
    first = (tidy["repeat"] == 0) & (tidy["step"] == -1)
    rows = tidy[(tidy["dataset"] == dataset) & (tidy["setting"] == "pu") & first]
    scalars = {method: dict(part[["metric", "value"]].itertuples(index=False)) for method, part in rows.groupby("method")}
    areas = {m: 100 * scalars[m]["pr_auc"] for m in METHODS if "pr_auc" in scalars.get(m, {})}
    if not areas:
        return make_page([]).fig
    title, compared = results.title(dataset), listing([results.labels[method] for method in areas])
    found = ", ".join(f"{area:.0f}%" for area in areas.values())
    heading = f"Each repeat gives {compared} the same rows and the same folds (first repeat on {title}: areas {found})"
    fig, body = make_sheet(4.2, "P: labeled rows; U: unlabeled rows. |·|: their number.", heading)
    style_of = styles(METHODS, results)
    steps, arrows = steps_of(results.labels, scalars, title, {method: style.color for method, style in style_of.items()})
    draw_steps(body.add_subplot(), steps, arrows)
    return fig


def steps_of(
    labels: Mapping[str, str], scalars: Mapping[str, Mapping[str, float]], title: str, colors: Mapping[str, str]
) -> tuple[list[dict[str, Any]], list[tuple[str, str]]]:
    """Return boxes and arrows: the data, the draw, each method's search and fit, and the comparison.

    Parameters
    ----------
    labels : mapping of method to name
    scalars : mapping of method to its scalars in the first repeat
    title : str
        Title of the data set.
    colors : mapping of method to color
    """
    sizes = scalars.get(METHODS[-1], {})
    drawn = [
        f"|P| = {sizes.get('n_labeled', 0):.0f}, {sizes.get('contamination_labeled', 0):.0%} contaminated",
        f"|U| = {sizes.get('n_unlabeled', 0):.0f}, {sizes.get('contamination_unlabeled', 0):.0%} contaminated",
        f"for testing {sizes.get('n_test_positive', 0):.0f} positive, {sizes.get('n_test_negative', 0):.0f} negative",
    ]
    compared = ["areas of all methods, paired by repeat", "tests of significance"]
    steps = [
        {"name": "data", "x": 1, "y": 4, "title": "data set", "lines": [title], "color": PLAIN},
        {"name": "split", "x": 1, "y": 3, "title": "draw P, U and test rows", "lines": drawn, "color": PLAIN},
        {"name": "tables", "x": 1, "y": 1, "title": "compare, over all repeats", "lines": compared, "color": PLAIN},
    ]
    arrows = [("data", "split")]
    for x, method in enumerate(METHODS):
        values = scalars.get(method, {})
        lines = [
            f"tuned over {values.get('n_candidates', 0):.0f} candidates, the same folds",
            f"best PU score {values.get('pu_score', float('nan')):.2f}",
            "fitted on all of P and U",
            f"area under the PR curve {100 * values.get('pr_auc', float('nan')):.1f}%",
        ]
        steps.append({"name": method, "x": x, "y": 2, "title": labels[method], "lines": lines, "color": colors[method]})
        arrows += [("split", method), (method, "tables")]
    return steps, arrows


def draw_steps(ax: Axes, steps: Sequence[Mapping[str, Any]], arrows: Sequence[tuple[str, str]]) -> None:
    """Draw boxes with text, and arrows between them.

    Parameters
    ----------
    steps : sequence of dicts with ``name, x, y, title, lines, color``
        ``x`` and ``y`` are the centers of the boxes, in units of boxes.
    arrows : sequence of (from, to)
    """
    width, height = 0.92, {step["name"]: 0.3 + 0.115 * len(step["lines"]) for step in steps}
    place = {step["name"]: (step["x"], step["y"]) for step in steps}
    for a, b in arrows:
        (x0, y0), (x1, y1) = place[a], place[b]
        tip, tail = y1 + np.sign(y0 - y1) * height[b] / 2, y0 - np.sign(y0 - y1) * height[a] / 2
        style = {"arrowstyle": "-|>", "color": "#555555", "linewidth": 0.9, "shrinkA": 1, "shrinkB": 1}
        ax.annotate("", xy=(x1, tip), xytext=(x0, tail), arrowprops=style)
    for step in steps:
        box_height = height[step["name"]]
        corner = (step["x"] - width / 2, step["y"] - box_height / 2)
        shape = "round,pad=0,rounding_size=0.06"
        ax.add_patch(FancyBboxPatch(corner, width, box_height, boxstyle=shape, fc="#F5F7F9", ec=step["color"], lw=1.2))
        ax.text(
            step["x"], step["y"] + box_height / 2 - 0.07, step["title"], ha="center", va="top", fontsize=8, fontweight="bold"
        )
        ax.text(step["x"], step["y"] - 0.09, "\n".join(step["lines"]), ha="center", va="center", fontsize=6.5)
    ax.set_xlim(min(x for x, _ in place.values()) - 0.5, max(x for x, _ in place.values()) + 0.5)
    ax.set_ylim(min(y for _, y in place.values()) - 0.45, max(y for _, y in place.values()) + 0.45)
    ax.axis("off")
