"""Figures of the RESVM chapter: contamination of resamples, densities, curves, and one iteration as a diagram."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.patches import FancyBboxPatch

from pulib.plots._style import colors_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def resample_contamination(
    sizes: Sequence[int], contamination: float = 0.1, n_draws: int = 20_000, confidence: float = 0.95, random_state: int = 0
) -> pd.DataFrame:
    """Contamination of bootstrap resamples by their size (section 2.3.1, figure 2.1).

    Parameters
    ----------
    sizes : sequence of int
        Sizes of the resamples.
    contamination : float in [0, 1]
        Of the set that is resampled.
    n_draws : int
        Resamples of each size.
    confidence : float in (0, 1)
        Share of the resamples between the quantiles ``low`` and ``high``.

    Returns
    -------
    frame : DataFrame with the columns ``size, mean, low, high``, shares in [0, 1]

    Examples
    --------
    >>> frame = resample_contamination([10, 1000], contamination=0.1, n_draws=2000)
    >>> bool(frame["high"].is_monotonic_decreasing)
    True
    """
    rng = np.random.default_rng(random_state)
    tail = (1.0 - confidence) / 2.0
    out = []
    for size in sizes:
        # draws with replacement: the number of wrong rows is binomial
        shares = rng.binomial(size, contamination, size=n_draws) / size
        low, high = np.quantile(shares, [tail, 1.0 - tail])
        out.append({"size": int(size), "mean": shares.mean(), "low": low, "high": high})
    return pd.DataFrame(out)


def plot_resample_contamination(ax: Axes, frame: pd.DataFrame, contamination: float) -> None:
    """Mean and interval of the contamination, in percent, by size of the resample."""
    below, above = 100 * (frame["mean"] - frame["low"]), 100 * (frame["high"] - frame["mean"])
    ax.errorbar(
        frame["size"], 100 * frame["mean"], yerr=[below, above], fmt="o", capsize=3, linewidth=1.2, label="mean, 95% interval"
    )
    ax.axhline(100 * contamination, color="#888888", linewidth=0.8, linestyle="--", label="original set")
    ax.set_xscale("log")
    ax.set_xlabel("size of the resample")
    ax.set_ylabel("contamination (%)")
    ax.legend()


def plot_density(ax: Axes, values: np.ndarray, extent: float, title: str) -> None:
    """A density on a square grid, as stored row by row."""
    side = round(len(values) ** 0.5)
    axis = np.linspace(-extent, extent, side)
    ax.contourf(axis, axis, np.asarray(values).reshape(side, side), levels=12, cmap="viridis")
    ax.set_aspect("equal")
    ax.set_title(title)
    ax.grid(False)


def plot_curves(ax: Axes, curves: Mapping[str, np.ndarray], *, kind: str) -> None:
    """Precision-recall (``kind="pr"``) or ROC curves, by method, at evenly spaced recalls or false positive rates."""
    colors = colors_of(list(curves))
    for name, values in curves.items():
        ax.plot(np.linspace(0, 1, len(values)), values, color=colors[name], label=name)
    if kind == "roc":
        ax.plot([0, 1], [0, 1], color="#888888", linewidth=0.8, linestyle="--")
    ax.set_xlabel("recall" if kind == "pr" else "false positive rate")
    ax.set_ylabel("precision" if kind == "pr" else "true positive rate")
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1.01)


def plot_iteration(ax: Axes, steps: Sequence[Mapping[str, Any]], arrows: Sequence[tuple[str, str]]) -> None:
    """Boxes with text, and arrows between them.

    Parameters
    ----------
    steps : sequence of dicts with ``name, x, y, title, lines``
        Places are those of the boxes' centers, in units of boxes.
    arrows : sequence of (from, to)
    """
    width, height = 0.9, 0.74
    place = {step["name"]: (step["x"], step["y"]) for step in steps}
    for a, b in arrows:
        (x0, y0), (x1, y1) = place[a], place[b]
        ax.annotate(
            "",
            xy=(x1, y1 + np.sign(y0 - y1) * height / 2),
            xytext=(x0, y0 - np.sign(y0 - y1) * height / 2),
            arrowprops={"arrowstyle": "-|>", "color": "#555555", "linewidth": 0.9, "shrinkA": 1, "shrinkB": 1},
        )
    for step in steps:
        x, y = step["x"] - width / 2, step["y"] - height / 2
        box = FancyBboxPatch(
            (x, y), width, height, boxstyle="round,pad=0,rounding_size=0.06", fc="#F2F6FA", ec="#0072B2", lw=0.9
        )
        ax.add_patch(box)
        ax.text(step["x"], step["y"] + height / 2 - 0.07, step["title"], ha="center", va="top", fontsize=8, fontweight="bold")
        ax.text(step["x"], step["y"] - 0.09, "\n".join(step["lines"]), ha="center", va="center", fontsize=6.5)
    ax.set_xlim(min(x for x, _ in place.values()) - 0.5, max(x for x, _ in place.values()) + 0.5)
    ax.set_ylim(min(y for _, y in place.values()) - 0.45, max(y for _, y in place.values()) + 0.45)
    ax.axis("off")
