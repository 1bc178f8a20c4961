"""Figures of the PU Extra Trees paper; each function draws the figure of its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from pulab.figures.lines import draw_lines
from pulab.figures.panels import NOT_RUN, make_page, make_sheet, method_handles, title_of
from pulab.figures.printed import printed_numbers
from pulab.figures.series import aligned, series_by_repeat, spread_within
from pulab.figures.style import BLUE, BROWN, Style, styles
from pulab.tables import Paper, Results
from pulab.tables.sentences import counted
from pulib.plots import COLUMN

UNSW = ("unsw_nb15", "unsw_nb15_82k")
TITLES = {"unsw_nb15_82k": "UNSW-NB15, 82k rows"}
#: Number of most important features that figure 1 shows, and that its title counts.
SHOWN, SHARED = 20, 10
TRAFFIC = [
    "dur",
    "spkts",
    "dpkts",
    "sbytes",
    "dbytes",
    "rate",
    "sttl",
    "dttl",
    "sload",
    "dload",
    "sloss",
    "dloss",
    "sinpkt",
    "dinpkt",
    "sjit",
    "djit",
    "swin",
    "stcpb",
    "dtcpb",
    "dwin",
    "tcprtt",
    "synack",
    "ackdat",
    "smean",
    "dmean",
    "trans_depth",
    "response_body_len",
    "ct_srv_src",
    "ct_state_ttl",
    "ct_dst_ltm",
    "ct_src_dport_ltm",
    "ct_dst_sport_ltm",
    "ct_dst_src_ltm",
    "is_ftp_login",
    "ct_ftp_cmd",
    "ct_flw_http_mthd",
    "ct_src_ltm",
    "ct_srv_dst",
    "is_sm_ips_ports",
]
CELLS = (
    "radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity", "concave points", "symmetry",
    "fractal dimension",
)  # fmt: skip
NAMES = dict.fromkeys(UNSW, TRAFFIC) | {
    "breast_cancer": [f"mean {c}" for c in CELLS] + [f"{c} error" for c in CELLS] + [f"worst {c}" for c in CELLS]
}
RANKINGS = {
    "accuracy_by_risk_reduction": ("risk reduction", Style(BLUE, "o")),
    "accuracy_by_impurity_reduction": ("impurity reduction", Style(BROWN, "s")),
}


def choose_dataset(tidy: pd.DataFrame, names: Sequence[str], stand_ins: Mapping[str, str]) -> tuple[str, pd.DataFrame]:
    """Return the first of the data sets, or its stand-in, that has results, and its rows."""
    candidates = [stand_ins.get(name, name) for name in names]
    with_results = set(tidy.loc[tidy["status"] == "ok", "dataset"])
    chosen = next((name for name in candidates if name in with_results), candidates[0])
    return chosen, tidy[tidy["dataset"] == chosen]


def figure1(results: Results, paper: Paper) -> Figure:
    dataset, tidy = choose_dataset(results.tidy, UNSW, results.stand_ins)
    tidy = tidy[tidy["setting"] == "standard"]
    methods = {"puet_nnpu_quadratic": "PU ET", "pn_et": "PN ET"}
    style_of = styles(methods, results)
    found = {method: series_by_repeat(tidy[tidy["method"] == method], "importance") for method in methods}
    found = {method: own for method, own in found.items() if len(own)}
    means = pd.DataFrame({method: own.mean() for method, own in found.items()})
    shown = means[(means.rank(ascending=False) <= SHOWN).any(axis=1)]
    shown = shown.sort_values(list(shown), ascending=False) if found else shown
    best = {method: set(own.nlargest(SHARED).index) for method, own in means.items()}
    note = (
        f"Means with one standard deviation over repeats ({_numbers({methods[m]: len(own) for m, own in found.items()})}) of "
        f"the {SHOWN} most important features of each method. Filled: among its {SHARED} most important ones."
    )
    heading = _shared_features([*best.values()], [methods[m] for m in best], title_of(results, dataset, TITLES))
    page = make_page([""] if found else [], heading=heading, row_height=0.17 * len(shown) + 0.3, note=note, extra=0.6)
    names = NAMES.get(dataset) or [f"feature {j}" for j in range(len(means))]
    page.fig.set_layout_engine("constrained", w_pad=0.12)  # long names are wider at another resolution
    for ax in page.axes:
        for place, (method, own) in enumerate(found.items()):
            at = np.arange(len(shown)) + 0.3 * (place - 0.5)
            _draw_importances(ax, own[shown.index], at, style_of[method], best[method])
        ax.axvline(0.0, color="#888888", linewidth=0.8, zorder=1)
        ax.set_yticks(range(len(shown)), [names[feature] for feature in shown.index], fontsize=7.5)
        ax.set(ylim=(len(shown) - 0.4, -0.6), xlabel="risk reduction")
    page.add_legend(method_handles({method: style_of[method] for method in found}, methods))
    return page.fig


def _draw_importances(ax: Axes, importances: pd.DataFrame, places: np.ndarray, style: Style, best: set[int]) -> None:
    """Draw means with standard deviations over repeats, a feature per column; features not among the best are hollow."""
    means, fills = importances.mean(), [style.color if feature in best else "white" for feature in importances]
    ax.errorbar(means, places, xerr=importances.std(), fmt="none", color=style.color, elinewidth=0.9)
    ax.scatter(means, places, s=18, marker=style.marker, c=fills, edgecolors=style.color, zorder=3)


def _shared_features(best: Sequence[set[int]], names: Sequence[str], title: str) -> str:
    """State how many of the most important features the two methods share."""
    if len(best) < 2:
        return title
    shared = len(best[0] & best[1])
    return f"{names[0]} and {names[1]} share {shared} of their {SHARED} most important features on {title}"


def _numbers(repeats: Mapping[str, int]) -> str:
    """List the number of repeats of each method.

    >>> _numbers({"PU ET": 5, "PN ET": 1})
    'PU ET: 5, PN ET: 1'
    """
    return ", ".join(f"{label}: {n}" for label, n in repeats.items())


def figure2(results: Results, paper: Paper) -> Figure:
    rows = {"PU ET": "puet_nnpu_quadratic", "PN ET (Gini)": "supervised_et"}
    return _maps(results, rows, "importance", "Risk reduction and Gini importance")


def figure3(results: Results, paper: Paper) -> Figure:
    return _maps(results, {"PU ET": "puet_nnpu_quadratic", "PN ET": "pn_et"}, "importance", "Risk reduction")


def figure4(results: Results, paper: Paper) -> Figure:
    rows = {"PU ET": "puet_nnpu_quadratic", "PN ET": "pn_et"}
    return _maps(results, rows, "normalized_importance", "Normalized risk reduction")


def _maps(results: Results, rows: Mapping[str, str], importance: str, wording: str) -> Figure:
    """Draw maps of the importances of pixels, with a column per digit and a row per method."""
    dataset, tidy = choose_dataset(results.tidy, ["mnist"], results.stand_ins)
    tidy = tidy[tidy["setting"] == "class_importance"]
    found = {
        (label, digit): importances
        for label, method in rows.items()
        for digit in range(10)
        if len(importances := series_by_repeat(tidy[tidy["method"] == method], f"{importance}_{digit}"))
    }
    maps = {key: importances.mean().to_numpy() for key, importances in found.items()}
    repeats = {label: len(importances) for (label, _), importances in found.items()}
    heading = _likeness(maps, list(rows), f"{wording} on {title_of(results, dataset)}")
    fig, body = make_sheet(2.0, f"Means over repeats ({_numbers(repeats)})." if found else "", heading)
    axes = body.subplots(len(rows), 10, squeeze=False)
    for row, label in zip(axes, rows, strict=True):
        row[0].set_ylabel(label, fontsize=7)
        for digit, ax in enumerate(row):
            if (label, digit) in maps:
                draw_map(ax, maps[label, digit])
            else:
                ax.set_axis_off()
                if digit == 0:  # one line for the row, which takes no space from the others
                    ax.text(0.0, 0.5, f"{label}: {NOT_RUN}", color="#555555", fontsize=8).set_in_layout(False)
            if ax in axes[0]:
                ax.set_title(str(digit), fontsize=8)
    images = [image for ax in axes.ravel() for image in ax.images]
    if images:
        bar = body.colorbar(images[0], ax=list(axes.ravel()), shrink=0.85, aspect=14, ticks=[0, 0.5, 1])
        bar.set_label("importance, relative to\nthe panel's greatest", fontsize=7)
        bar.ax.tick_params(labelsize=7)
    return fig


def _likeness(maps: Mapping[tuple[str, int], np.ndarray], rows: list[str], what: str) -> str:
    """State how similar the maps of the two rows are: the correlation over pixels, as a mean over digits."""
    first, second = rows
    alike = [
        np.corrcoef(maps[first, digit], maps[second, digit])[0, 1]
        for digit in range(10)
        if (first, digit) in maps and (second, digit) in maps
    ]
    return f"{what}: maps of {first} and {second} correlate at {np.mean(alike):.2f} on average" if alike else what


def draw_map(ax: Axes, importances: np.ndarray) -> None:
    """Draw importances of pixels as a square picture, relative to the largest one; negative importances count as 0."""
    side = round(np.sqrt(len(importances)))
    if side * side != len(importances):
        raise ValueError(f"{len(importances)} importances do not fill a square image")
    picture = np.clip(importances, 0.0, None).reshape(side, side)
    picture = picture / max(picture.max(), np.finfo(float).tiny)
    ax.imshow(picture, cmap="magma", vmin=0.0, vmax=1.0, interpolation="nearest")
    ax.set(xticks=[], yticks=[])
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)


def figure5(results: Results, paper: Paper) -> Figure:
    dataset, tidy = choose_dataset(results.tidy, UNSW, results.stand_ins)
    tidy = tidy[tidy["setting"] == "top_features"]
    frame = pd.concat([aligned(tidy, metric).assign(line=metric) for metric in RANKINGS], ignore_index=True)
    frame = frame.assign(value=100 * frame["value"])
    titles = [title_of(results, dataset, TITLES)] if len(frame) else []
    means = [frame[frame["line"] == metric].groupby("step")["value"].mean() for metric in RANKINGS]
    note = f"Means over {counted(frame['repeat'].nunique(), 'repeat')}, one standard deviation as a band."
    page = make_page([""] * len(titles), note=note, heading=_widest_gap(means, *titles), width=1.5 * COLUMN, row_height=3.0)
    for ax in page.axes:
        draw_lines(ax, frame, {metric: style for metric, (_, style) in RANKINGS.items()}, spread_within(0, 100))
        ax.fill_between(means[0].index, *means, facecolor="none", edgecolor="#BBBBBB", hatch="////", linewidth=0)
        ax.set(xlabel="number of features", ylabel="test accuracy in %")
        handles: list[Artist] = [
            Line2D([], [], color=style.color, marker=style.marker, label=label) for label, style in RANKINGS.values()
        ]
        handles.append(Patch(fc="none", ec="#BBBBBB", hatch="////", label=_area(tidy, dataset, paper)))
        ax.legend(handles=handles, loc="lower right", title="ranked by", alignment="left")
    return page.fig


def _widest_gap(means: list[pd.Series], title: str = "") -> str:
    gap = means[0] - means[1]
    if gap.dropna().empty:
        return ""
    k = int(gap.abs().idxmax())
    by, other = ("risk", "impurity") if gap[k] > 0 else ("impurity", "risk")
    points = f"{abs(gap[k]):.0f} points higher than by {other} reduction"
    return f"With {counted(k, 'feature')} chosen by {by} reduction, accuracy is {points} ({title})"


def _area(tidy: pd.DataFrame, dataset: str, paper: Paper) -> str:
    """Return the area between the curves, with accuracy as a share as in the paper, and the published area."""
    ours = tidy.loc[tidy["metric"] == "area_difference", "value"].mean()
    rows, columns = dict.fromkeys(UNSW, "UNSW-NB15"), {"puet_nnpu_quadratic": "area difference"}
    printed = printed_numbers(paper, "figure5", rows, columns).get((dataset, "puet_nnpu_quadratic"))
    text = f"area between them, accuracy as a share:\n{ours:.2f}"
    return f"{text} (published, all rows: {printed.mean:.2f})" if printed else text
