"""Figures of the Ada-PU paper; each function draws the figure of its name."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pulab.figures.labels import End, label_ends, quoted
from pulab.figures.lines import curves_frame, draw_lines
from pulab.figures.panels import grid_shape, make_page, missing_note, panel_sets, share_percent_axis
from pulab.figures.printed import Printed, draw_printed, printed_numbers
from pulab.figures.series import interval_excludes_zero, mean_by_step, series_by_repeat, spread_within
from pulab.figures.style import Style, spread_styles, styles
from pulab.tables import Paper, Results
from pulab.tables.sentences import Range, between, listing
from studies.adapu.study import RATES

SETS = ("cifar10", "epsilon", "unsw_nb15", "unsw_nb15_82k", "breast_cancer", "mnist")
TITLES = {"epsilon": "Epsilon", "unsw_nb15_82k": "UNSW-NB15, 82k rows"}
#: Rows of table 2 by data set, and its columns by method.
ROWS = {
    "cifar10": "CIFAR-10",
    "epsilon": "EPSILON",
    "unsw_nb15": "UNSW-NB15",
    "unsw_nb15_82k": "UNSW-NB15",
    "breast_cancer": "BREASTCANCER",
}
COLUMNS = {
    "adapu": "ADAPU",
    "nnpu_cnn": "NNPU-CNN",
    "nnpu_mlp": "NNPU-MLP",
    "nnpu_linear": "NNPU-LINEAR",
    "upu_mlp": "UPU",
    "pn_adaboost": "ADABOOST",
    "pn_gbdt": "GBDT",
    "pn_xgboost": "XGBOOST",
}
NOTE = (
    "Published: table 2. On CIFAR-10, the paper's Ada-PU uses features of a CNN, ours pixels; the paper's UNSW-NB15 has all "
    "rows."
)
#: Height of a row of panels, in inches.
HEIGHT = 2.3
#: Number of rounds of traces that are averaged, since single rounds jump.
ROUNDS = 5
CHOICES = {"adapu": "random thresholds", "adapu_best": "all thresholds"}
TRACES = {"full": "β = 1, ten thresholds", "main": "β of table 2, ten thresholds", "one": "β of table 2, one threshold"}


class Quantity(NamedTuple):
    """A panel: its title, the factor of its values, its axis limits, and the bounds drawn as dotted lines."""

    label: str
    scale: float = 1.0
    limits: tuple[float, float] | None = None
    bounds: tuple[float, ...] = ()


QUANTITIES = {
    "error": Quantity("ε of the stump", limits=(0.0, 0.54), bounds=(0.0, 0.5)),
    "negative_share": Quantity("share of negative weight", limits=(0.2, 0.54), bounds=(0.5,)),
    "accuracy": Quantity("test accuracy in %", scale=100),
}


def figure1(results: Results, paper: Paper) -> Figure:
    return _curves(results, paper, ("adapu", "nnpu_cnn", "nnpu_mlp", "nnpu_linear", "upu_mlp"), "rounds or epochs")


def figure2(results: Results, paper: Paper) -> Figure:
    return _curves(results, paper, ("adapu", "pn_adaboost", "pn_gbdt", "pn_xgboost"), "rounds")


def figure3(results: Results, paper: Paper) -> Figure:
    return _curves(results, paper, ("adapu", "adapu_best"), "rounds")


def _curves(results: Results, paper: Paper, methods: Sequence[str], xlabel: str) -> Figure:
    """Draw test accuracy by round: a panel per data set, a line per method, and the paper's accuracies to the right."""
    tidy = results.tidy[results.tidy["setting"] == "published"]
    style_of = styles(methods, results)
    printed = printed_numbers(paper, "2", ROWS, {method: COLUMNS[method] for method in methods if method in COLUMNS})
    curves = tidy[(tidy["status"] == "ok") & tidy["method"].isin(style_of) & (tidy["metric"] == "accuracy_by_round")]
    sets = panel_sets(results, SETS, curves["dataset"], TITLES)
    frames = {
        name: curves_frame(curves[curves["dataset"] == name], {m: m for m in style_of}, "accuracy_by_round", scale=100)
        for name in sets
    }
    note = f"Means of {curves['repeat'].nunique()} repeats, one standard deviation as a band. Clearly: the 95% interval of the "
    note += "difference after the last round (paired Student's t) excludes zero."
    if printed:
        note += " Diamonds: published accuracies with one standard deviation. " + NOTE
    note = f"{note} {missing_note(results, tidy, SETS, style_of, TITLES)}"
    rows, columns = grid_shape(max(1, len(sets)))
    page = make_page(
        [title for name in sets.values() for title in (name, "")], note=note, heading=_ahead(frames, methods, results),
        shape=(rows, 2 * columns), row_height=HEIGHT, title_size=9, width_ratios=[5, 1.25] * columns,
    )  # fmt: skip
    colors = {method: style.color for method, style in style_of.items()}
    names = {method: textwrap.fill(results.labels[method], 14) for method in style_of}
    panels = zip(page.axes[::2], page.axes[1::2], frames.items(), strict=True)
    for ax, strip, (name, frame) in panels:
        ends = draw_lines(ax, frame, style_of, spread_within(0, 100), marker_steps=20)
        ax.set(xlabel=xlabel, ylabel="test accuracy in %", xticks=range(0, 101, 25), xlim=(0, 101))
        theirs = {method: number for (dataset, method), number in printed.items() if dataset == name}
        _draw_strip(strip, ax, theirs, colors)
        share_percent_axis([ax, strip])
        for method in theirs.keys() - set(frame["line"]):  # no line is labeled with its name
            at = list(colors).index(method), theirs[method].mean
            strip.annotate(
                results.labels[method], at, (-4, -10), textcoords="offset points", fontsize=6.5, annotation_clip=False
            )
        label_ends(ax, ends, names, height=HEIGHT - 0.6)
    return page.fig


def _draw_strip(strip: Axes, ax: Axes, numbers: Mapping[str, Printed], colors: Mapping[str, str]) -> None:
    """Draw published percentages in separate axes next to curves; nothing if there are none.

    ``strip`` has the numbers and ``ax`` the curves; they share the vertical axis.  Each name in ``colors`` has a place, in this
    order.
    """
    strip.sharey(ax)
    strip.tick_params(left=False, labelleft=False)
    strip.set(xlim=(-0.7, len(colors) - 0.3), xticks=[], facecolor="#F6F6F6")
    strip.spines[:].set_visible(False)
    strip.set_visible(bool(numbers))
    for k, (name, color) in enumerate(colors.items()):
        if name in numbers:
            draw_printed(strip, k, numbers[name], color, low=0, high=100)
    strip.set_title("published" if numbers else "", fontsize=6.5, fontweight="normal", loc="center")


def _ahead(frames: Mapping[str, pd.DataFrame], methods: Sequence[str], results: Results) -> str:
    """State on how many sets the first method ends ahead of all others, or behind one, given differences over repeats."""
    first = methods[0]
    ends = [frame.sort_values("step").groupby(["repeat", "line"])["value"].last().unstack() for frame in frames.values()]
    ends = [end for end in ends if first in end and end.shape[1] > 1]
    if not ends:
        return ""
    others = [quoted(results.labels[m]) for m in methods[1:] if any(m in end for end in ends)]
    differences = [end.drop(columns=first).rsub(end[first], axis=0) for end in ends]
    signs = [[np.sign(own[m].mean()) * interval_excludes_zero(own[m].dropna()) for m in own] for own in differences]
    ahead, behind = sum(min(own) > 0 for own in signs), sum(min(own) < 0 for own in signs)
    return (
        f"{results.labels[first]} ends clearly ahead of {listing(others)} on {ahead or 'none'} of {len(ends)} sets, behind "
        f"{'one of them ' if len(others) > 1 else ''}on {behind or 'none'}, undecided on "
        f"{len(ends) - ahead - behind or 'none'}"
    )


def figure4(results: Results, paper: Paper) -> Figure:
    """Draw how often boosting chose its features, from the most to the least frequent one."""
    style_of = styles(CHOICES, results)
    tidy = results.tidy[results.tidy["setting"] == "published"]
    counted = tidy[tidy["metric"] == "feature_counts"]
    groups = list(counted.groupby(["dataset", "method"], observed=True))
    counts = {key: frequencies(own) for key, own in groups}
    used = {key: own[own["value"] > 0].groupby("repeat").size() for key, own in groups}
    sets = panel_sets(results, SETS, counted["dataset"], TITLES)
    sets = {name: title for name, title in sets.items() if all((name, method) in counts for method in style_of)}
    n = counted["repeat"].nunique()
    note = f"Mean of {n} repeat{'s' * (n != 1)}; both axes logarithmic. Numbers: features chosen in a repeat, with "
    note += "one standard deviation. Clearly: the 95% interval of the difference (paired Student's t) excludes zero."
    note = " ".join(filter(None, [note, missing_note(results, tidy, SETS, style_of, TITLES)]))
    page = make_page(
        list(sets.values()), note=note, heading=_spread(used, sets), row_height=1.9, title_size=9,
        sharex=True, sharey=True,
    )  # fmt: skip
    for ax, name in zip(page.axes, sets, strict=True):
        for k, (method, style) in enumerate(style_of.items()):
            chosen = counts[name, method]
            places = np.arange(1, len(chosen) + 1)
            every = 0.15 if len(chosen) > 8 else None
            marks: dict[str, Any] = {"marker": style.marker, "markevery": every, "markersize": 4, "markeredgewidth": 0}
            ax.plot(places, chosen, color=style.color, **marks)
            text = f"{CHOICES[method]}: {used[name, method].mean():.0f} ± {used[name, method].std(ddof=0):.0f} features"
            ax.text(0.98, 0.96 - 0.1 * k, text, transform=ax.transAxes, ha="right", va="top", fontsize=7, color=style.color)
        ax.set(xscale="log", yscale="log", xlabel="features, by how often they are chosen", ylabel="times chosen")
    return page.fig


def frequencies(results: pd.DataFrame) -> np.ndarray:
    """Return the mean over repeats of how often features are chosen, in descending order of frequency in each repeat."""
    by_repeat = [np.sort(own["value"].to_numpy())[::-1] for _, own in results.groupby("repeat")]
    mean = np.mean(by_repeat, axis=0)
    return mean[mean > 0]


def _spread(used: Mapping[tuple[str, str], pd.Series], sets: Mapping[str, str]) -> str:
    """State on how many sets the first method uses more features than the second, given differences over repeats."""
    if not sets:
        return ""
    first, second = CHOICES
    differences = [used[name, first] - used[name, second] for name in sets]
    more = sum(interval_excludes_zero(own) and own.mean() > 0 for own in differences)
    return (
        f"Boosting uses clearly more features with {CHOICES[first]} than with {CHOICES[second]} on {more} of {len(sets)} sets"
    )


def figure5(results: Results, paper: Paper) -> Figure:
    """Draw test accuracy by round and β: a heat map per data set, a row per β."""
    tidy = results.tidy[results.tidy["setting"] == "learning_rates"]
    sets = panel_sets(results, SETS, tidy.loc[tidy["status"] == "ok", "dataset"], TITLES)
    printed = printed_numbers(paper, "2", ROWS, {"adapu": "ADAPU"})
    grids = {name: rate_grid(tidy[tidy["dataset"] == name], RATES) for name in sets}
    titles = []
    for name, title in sets.items():
        number = printed.get((name, "adapu"))
        titles.append(f"{title}; published {number.mean:.1f}" if number else title)
    note = f"Means of {tidy['repeat'].nunique()} repeats. Circles: a row's best round. To the right: a row's last accuracy. "
    note += (NOTE + " " if printed else "") + missing_note(results, tidy, SETS, ["adapu"], TITLES)
    page = make_page(titles, note=note, heading=_best_rates(grids), row_height=2.2, title_size=8.5)
    numbers = np.concatenate([grid.to_numpy().ravel() for grid in grids.values()] or [np.zeros(1)])
    limits = [np.nanmin(numbers), np.nanmax(numbers)]
    for ax, grid in zip(page.axes, grids.values(), strict=True):
        draw_rates(ax, grid, limits)
    if grids:
        bar = page.body.colorbar(page.axes[0].collections[0], ax=page.axes + page.spare, shrink=0.6)
        bar.set_label("test accuracy in %")
    return page.fig


def _best_rates(grids: Mapping[str, pd.DataFrame]) -> str:
    """State the range of the best β after the last round, and how far the largest β is behind it."""
    if not grids:
        return ""
    ends = [grid.iloc[:, -1] for grid in grids.values()]
    greatest = ends[0].index[0]
    best = Range.of([float(end.idxmax()) for end in ends])
    lost = between(Range.of([end.max() - end[greatest] for end in ends]))
    rates = f"lies between {best.low:g} and {best.high:g}" if best.low < best.high else f"is {best.low:g}"
    return f"After the last round of Ada-PU, the best β {rates}; β = {greatest} is {lost} points behind it"


def rate_grid(results: pd.DataFrame, rates: Sequence[float]) -> pd.DataFrame:
    """Return mean accuracy in percent, with a row per β, the largest on top, and a column per round."""
    rows = {f"{rate:g}": mean_by_step(results, f"accuracy_by_round_{rate:g}") for rate in sorted(rates, reverse=True)}
    return 100 * pd.DataFrame(rows).T


def draw_rates(ax: Axes, grid: pd.DataFrame, limits: list[float]) -> None:
    """Draw the heat map, with each row's best round marked and its last accuracy to its right."""
    sns.heatmap(grid, ax=ax, vmin=limits[0], vmax=limits[1], cmap="viridis", cbar=False, rasterized=True)
    rounds = grid.columns.to_numpy()
    shown = [k for k, number in enumerate(rounds) if number in (1, 25, 50, 75, 100)]
    ax.set_xticks([k + 0.5 for k in shown], [str(rounds[k]) for k in shown], rotation=0)
    ax.tick_params(axis="y", rotation=0, length=0)
    ax.set(xlabel="rounds", ylabel="β")
    for row, values in enumerate(grid.to_numpy()):
        ax.plot(np.nanargmax(values) + 0.5, row + 0.5, marker="o", mfc="white", mec="black", markersize=3.5, clip_on=False)
        ax.text(len(rounds) + 1.5, row + 0.5, f"{values[-1]:.1f}", fontsize=6.5, va="center")


def figure_traces(results: Results, paper: Paper) -> Figure:
    """Draw what each round finds and leaves behind, on the set with the largest loss: a panel per quantity, a line per run."""
    tidy, names = results.tidy[results.tidy["setting"] == "traces"], ("breast_cancer", "unsw_nb15_82k", "mnist")
    sets = panel_sets(results, names, tidy.loc[tidy["status"] == "ok", "dataset"], TITLES)
    dataset, heading = _greatest_loss(tidy, sets)
    runs, own = tidy[tidy["dataset"] == dataset], results.methods["adapu"].style
    style_of = spread_styles(TRACES, {"main": own} if own else {})
    page = make_page(
        [f"{letter}  {quantity.label}" for letter, quantity in zip("abc", QUANTITIES.values(), strict=True)] if dataset else [],
        note=f"Lines: medians over {runs['repeat'].nunique()} repeats and {ROUNDS} rounds; bands: quartiles over repeats; both "
        "end when fewer than half of the repeats continue. Dotted: bounds of definition 4.1 (a) and theorem 4.2 (a, b).",
        heading=heading, shape=(1, len(QUANTITIES)), row_height=2.1, title_size=7.5,
    )  # fmt: skip
    for ax, (name, quantity) in zip(page.axes, QUANTITIES.items(), strict=False):
        ends = []
        for run, style in style_of.items():
            end = draw_runs(ax, quantity.scale * series_by_repeat(runs, f"{name}_by_round_{run}"), style)
            ends += [End(*end, TRACES[run], style.color)] if end else []
        for bound in quantity.bounds:
            ax.axhline(bound, color="#444444", linestyle=":", linewidth=0.9, zorder=1)
        if quantity.limits is not None:
            ax.set_ylim(*quantity.limits)
        ax.set(xlabel="rounds", xticks=range(0, 101, 25))
    if page.axes:
        label_ends(page.axes[-1], ends, height=1.5)
    return page.fig


def _greatest_loss(tidy: pd.DataFrame, sets: Mapping[str, str]) -> tuple[str, str]:
    """Return the set on which a run loses most between its best and its last round, and a sentence about it."""
    lost = {}
    for dataset in sets:
        for name in TRACES:
            runs = series_by_repeat(tidy[tidy["dataset"] == dataset], f"accuracy_by_round_{name}")
            if len(runs):
                lost[dataset, name] = (100 * (runs.max(axis=1) - runs.ffill(axis=1).iloc[:, -1])).median()
    if not lost:
        return "", ""
    dataset, name = max(lost, key=lost.__getitem__)
    ends = f"ends {lost[dataset, name]:.0f} points below its best round on {sets[dataset]}"
    return dataset, f"With {TRACES[name]}, Ada-PU {ends}"


def draw_runs(ax: Axes, runs: pd.DataFrame, style: Style) -> tuple[float, float] | None:
    """Draw the median of the repeats as a line and their quartiles as a band; return the end of the line.

    Parameters
    ----------
    runs : DataFrame
        A row per repeat, a column per round.
    """
    shown = runs.loc[:, runs.notna().mean() >= 0.5] if len(runs) else runs
    if shown.empty:
        return None
    parts = shown.T.groupby((shown.columns - 1) // ROUNDS)
    per_part = parts.median().T
    at = parts.apply(lambda part: part.index.to_numpy().mean()).to_numpy()
    low, middle, high = (per_part.quantile(share).to_numpy() for share in (0.25, 0.5, 0.75))
    ax.fill_between(at, low, high, color=style.color, alpha=0.16, linewidth=0)
    ax.plot(at, middle, color=style.color, marker=style.marker, markevery=4, markersize=3.5, markeredgewidth=0, linewidth=1.3)
    return float(at[-1]), float(middle[-1])
