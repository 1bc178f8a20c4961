"""Regret against the best weights in hindsight: its growth, and its share of the bounds of theorems 1 and 2."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pulab.figures.lines import curves_frame, draw_lines
from pulab.figures.panels import make_page, method_handles, say_nothing_to_draw, title_of
from pulab.figures.series import aligned, mean_by_step, spread_within
from pulab.figures.style import Style, styles
from pulab.tables.inputs import Spec
from pulab.trials.artifacts import Artifact, Dataset, Method


class Keys(Artifact):
    theorems: dict[str, dict[str, Method]]
    show_dataset: Dataset
    log10_alpha: int


def draw(spec: Spec, tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration and tidy results."""
    tidy = tidy[(tidy["setting"] == "regret") & (tidy["status"] == "ok")]
    datasets = list(dict.fromkeys(tidy["dataset"]))
    name = spec["show_dataset"] if spec["show_dataset"] in datasets or not datasets else datasets[0]
    tidy = tidy[tidy["dataset"] == name]
    suffix = f"log10_alpha_{spec['log10_alpha']}"
    titles = [f"{theorem}, {what}" for theorem in spec["theorems"] for what in ("growth", "share of the bound")]
    exponents = [e for methods in spec["theorems"].values() for m in methods.values() if (e := growth_at_end(tidy, m, suffix))]
    heading = title_of(spec, name)
    if exponents:
        heading += f": at the end regret grows like T^{min(exponents):.2f} to T^{max(exponents):.2f} (√T: 0.50)"
    note = (
        "Left: mean over repeats, one standard deviation as a band; dashed: growth as √T; a straight line is growth as log T. "
        "Right: the largest share over repeats. Exponents: over the last factor of four in T."
    )
    page = make_page(titles, heading=heading, note=note, shape=(len(spec["theorems"]), 2), row_height=2.5, title_size=9)
    for number, methods in enumerate(spec["theorems"].values()):
        growth, share = page.axes[2 * number : 2 * number + 2]
        style_of = styles(methods.values(), spec)
        labels = {method: label for label, method in methods.items()}
        ends = draw_growth(growth, tidy, style_of, suffix)
        if not ends:
            say_nothing_to_draw(growth)
            say_nothing_to_draw(share)
            continue
        draw_share(share, tidy, style_of, suffix)
        texts = {method: f"{labels[method]}: {_plain(end)} (bound {_plain(bound)})" for method, (end, bound) in ends.items()}
        handles = method_handles({method: style_of[method] for method in ends}, texts)
        growth.legend(handles=handles, loc="upper left", fontsize=7, title="regret at the end", title_fontsize=7)
    return page.fig


def draw_growth(ax: Axes, tidy: pd.DataFrame, style_of: Mapping[str, Style], suffix: str) -> dict[str, tuple[float, float]]:
    """Regret relative to that at the stream's end, by steps on a logarithmic axis: growth as log T is a straight line.

    Returns regret and bound at the end, by method.
    """
    frame = curves_frame(tidy, {method: method for method in style_of}, f"regret_{suffix}")
    bound = curves_frame(tidy, {method: method for method in style_of}, f"bound_{suffix}")
    ends, parts = {}, []
    for method, curve in frame.groupby("line", sort=False):
        means = curve.groupby("step")["value"].mean()
        ends[method] = (means.iloc[-1], bound[bound["line"] == method].groupby("step")["value"].mean().iloc[-1])
        parts.append(curve.assign(value=curve["value"] / means.iloc[-1]))
    if ends:
        draw_lines(ax, pd.concat(parts), style_of, spread_within())
        ax.set_xscale("log")
        steps = np.geomspace(1, max(curve["step"].max() for curve in parts), 40)
        ax.plot(steps, np.sqrt(steps / steps[-1]), color="#444444", linestyle="--", linewidth=1.0, zorder=1)
        ax.annotate("√T", (steps[33], np.sqrt(steps[33] / steps[-1])), (4, -8), textcoords="offset points", fontsize=8)
        ax.set(xlabel="steps T", ylabel="regret(T) / regret at the end", ylim=(0, 1.75))
    return ends


def growth_at_end(tidy: pd.DataFrame, method: str, suffix: str) -> float | None:
    """The exponent of T with which the mean regret grows over the last factor of four in T."""
    means = mean_by_step(tidy[tidy["method"] == method], f"regret_{suffix}")
    last = means[means.index >= means.index.max() / 4] if len(means) else means
    if len(last) < 2 or (last <= 0).any():
        return None
    return float(np.polyfit(np.log(last.index.to_numpy(dtype=float)), np.log(last), 1)[0])


def draw_share(ax: Axes, tidy: pd.DataFrame, style_of: Mapping[str, Style], suffix: str) -> None:
    """Regret over its bound, the largest over repeats, both axes logarithmic; the theorem says below 1."""
    for method, style in style_of.items():
        share = regret_share(tidy[tidy["method"] == method], suffix)
        share = share[share > 0]
        ax.plot(share.index, share, color=style.color, marker=style.marker, markersize=3)
    ax.axhline(1.0, color="#444444", linestyle="--", linewidth=1.0)
    ax.text(0.99, 0.8, "the bound", transform=ax.get_yaxis_transform(), ha="right", va="top", fontsize=7)
    ax.set(xscale="log", yscale="log", xlabel="steps T", ylabel="regret(T) / bound(T)")
    ax.set_ylim(min(ax.get_ylim()[0], 0.009), 2.0)


def regret_share(results: pd.DataFrame, suffix: str) -> pd.Series:
    """The largest share of the bound over repeats, by step."""
    names = ("regret", "bound")
    regret, bound = (aligned(results, f"{name}_{suffix}").set_index(["repeat", "step"])["value"] for name in names)
    return (regret / bound).groupby("step").max()


def _plain(value: float) -> str:
    """Three digits without powers of ten.

    >>> _plain(10834.2), _plain(1.7712)
    ('10,800', '1.77')
    """
    return f"{float(f'{value:.3g}'):,.0f}" if abs(value) >= 100 else f"{value:.3g}"
