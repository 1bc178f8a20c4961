"""The figures of the OPU paper, and more: each function draws the figure of its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from pulab.figures.labels import label_ends
from pulab.figures.lines import curves_frame, draw_lines, draw_mark
from pulab.figures.panels import (
    make_page,
    method_handles,
    missing_note,
    panel_sets,
    published_handle,
    say_nothing_to_draw,
    share_percent_axis,
    title_of,
)
from pulab.figures.printed import Printed, draw_printed, printed_numbers
from pulab.figures.series import aligned, mean_by_step, spread_within
from pulab.figures.style import METHOD_MARKERS, Style, styles
from pulab.tables import Paper, Results
from pulib.plots import PALETTE

BENCHMARKS, IMAGES = ("vote", "australian", "mushrooms", "phishing"), ("cifar10_gist", "svhn_gist")
#: What the published rows call data sets; the other images are drawn without published numbers.
ROWS = {
    "vote": "Vote",
    "australian": "Australian",
    "mushrooms": "Mushroom",
    "phishing": "Phishing",
    "cifar10_gist": "CIFAR-10",
}
COLUMNS = {"upu_dh": "UPU", "opu_dh": "OPU DH", "opu_batch_dh": "extended OPU DH"}
#: Of figure 1: the series, what it is in units of its steps, the label of the axis.
PANELS = {
    "accuracy_by_alpha_population": (1e6, r"$\lambda$"),
    "accuracy_by_prior_percent_population": (100, "given π, as a multiple of the true one"),
}
THEOREMS = {
    "Theorem 1": {"double hinge": "opu_dh", "square": "opu_sl", "logistic": "opu_lr"},
    "Theorem 2": {"double hinge": "opu_exact_dh", "square": "opu_exact_sl", "logistic": "opu_exact_lr"},
}
#: The λ of the regret that is drawn.
SUFFIX = "log10_alpha_-1"
SETTINGS = {"20%": "r20", "30%": "r30", "40%": "r40"}
WEIGHTED = {
    "UPU": "upu_dh",
    "OPU DH, eq. 6": "opu_dh_eq6",
    "OPU DH, unbiased": "opu_dh",
    "extended OPU DH, eq. 6": "opu_batch_dh_eq6",
    "extended OPU DH, unbiased": "opu_batch_dh",
}
FORMS = {
    "row by row": {"equation 6": "opu_dh_eq6", "unbiased": "opu_dh"},
    "in batches": {"equation 6": "opu_batch_dh_eq6", "unbiased": "opu_batch_dh"},
}
#: Heights of panels in inches, the distance between the methods of one setting, points of a stream per factor of ten in rows.
HEIGHT, STREAM_HEIGHT = 2.7, 2.0
DODGE, PER_DECADE = 0.15, 3


def published(paper: Paper, share: str, *methods: str) -> dict[tuple[str, str], Printed]:
    """Published accuracies of tables 1 and 2 with a share of the positives hidden."""
    rows = {dataset: f"{row} {share}" for dataset, row in ROWS.items()}
    return printed_numbers(paper, ("1", "2"), rows, {method: COLUMNS[method] for method in methods})


def figure1(results: Results, paper: Paper) -> Figure:
    rows = {"cifar10_gist": "CIFAR-10 30%", "svhn_gist": "SVHN 30%"}
    return _sensitivity(results, IMAGES, printed_numbers(paper, "2", rows, {"opu_batch_dh": "extended OPU DH"}))


def figure1_benchmarks(results: Results, paper: Paper) -> Figure:
    return _sensitivity(results, BENCHMARKS, published(paper, "30%", "opu_batch_dh"))


def _sensitivity(results: Results, datasets: Sequence[str], printed: Mapping[tuple[str, str], Printed]) -> Figure:
    """Test accuracy by λ, and by the given class prior, a line per data set."""
    method = "opu_batch_dh"
    tidy = results.tidy
    tidy = tidy[(tidy["setting"] == "sensitivity") & (tidy["method"] == method)]
    wanted = list(dict.fromkeys(results.stand_ins.get(name, name) for name in datasets))
    sets = [name for name in wanted if (tidy.loc[tidy["status"] == "ok", "dataset"] == name).any()]
    # data sets, not methods: they take the palette in their order
    style_of = {name: Style(color, marker) for name, color, marker in zip(sets, PALETTE, METHOD_MARKERS, strict=False)}
    names = {name: title_of(results, name) for name in sets}
    frames = {s: percent_by_step(tidy, sets, s, unit) for s, (unit, _) in PANELS.items()} if sets else {}
    note = "Means over repeats, one standard deviation as a band. Diamonds: published, at the tuned λ, with theirs."
    page = make_page(
        ["by λ, at the true π", "by the given π, at the tuned λ"] if sets else [],
        note=f"{note} {missing_note(results, tidy, datasets, [method])}",
        heading=_moves(results.labels[method], list(frames.values()), names),
        row_height=HEIGHT, title_size=9, sharey=True,
    )  # fmt: skip
    for ax, (series, frame) in zip(page.axes, frames.items(), strict=True):
        unit, label = PANELS[series]
        ends = draw_lines(ax, frame, style_of, spread_within(0, 100))
        ax.set(xlabel=label, ylabel="test accuracy in %")
        if unit > 100:
            ax.set_xscale("log")
            continue
        ax.set_xticks(sorted(frame["step"].unique()))
        for name in sets:
            if (name, method) in printed:
                draw_printed(ax, 1.0, printed[name, method], style_of[name].color, low=0, high=100)
    share_percent_axis(page.axes)
    if page.axes:
        label_ends(page.axes[-1], ends, names, height=HEIGHT - 0.7)
    return page.fig


def _moves(label: str, frames: list[pd.DataFrame], names: Mapping[str, str]) -> str:
    """How far the mean accuracy of a set moves with λ, and with the given prior."""
    if not frames:
        return ""
    means = [frame.groupby(["line", "step"])["value"].mean().groupby("line") for frame in frames]
    by_weight, by_prior = (float((of_line.max() - of_line.min()).max()) for of_line in means)
    on = next(iter(names.values())) if len(names) == 1 else f"{len(names)} sets"
    name = label.partition(",")[0]
    varies = f"varies by up to {by_weight:.0f} points with λ and by up to {by_prior:.0f} with the given π"
    return f"On {on}, the accuracy of {name} {varies}"


def percent_by_step(tidy: pd.DataFrame, sets: list[str], metric: str, unit: float) -> pd.DataFrame:
    """A series of several data sets, in percent: ``line`` (data set), ``step`` in its own unit, ``value``."""
    frames = [aligned(tidy[tidy["dataset"] == name], metric).assign(line=name) for name in sets]
    frame = pd.concat(frames, ignore_index=True)
    return frame.assign(step=frame["step"] / unit, value=100 * frame["value"])


def figure_regret(results: Results, paper: Paper) -> Figure:
    return _regret(results, "mushrooms")


def figure_regret_phishing(results: Results, paper: Paper) -> Figure:
    return _regret(results, "phishing")


def _regret(results: Results, name: str) -> Figure:
    """Regret against the best weights in hindsight: its growth, and its share of the bounds of theorems 1 and 2."""
    tidy = results.tidy
    tidy = tidy[(tidy["setting"] == "regret") & (tidy["status"] == "ok")]
    datasets = list(dict.fromkeys(tidy["dataset"]))
    name = name if name in datasets or not datasets else datasets[0]
    tidy = tidy[tidy["dataset"] == name]
    titles = [f"{theorem}, {what}" for theorem in THEOREMS for what in ("growth", "share of the bound")]
    exponents = [e for methods in THEOREMS.values() for m in methods.values() if (e := growth_at_end(tidy, m))]
    heading = title_of(results, name)
    if exponents:
        heading += f": at the end regret grows like T^{min(exponents):.2f} to T^{max(exponents):.2f} (√T: 0.50)"
    note = (
        "Left: mean over repeats, one standard deviation as a band; dashed: growth as √T; both axes are logarithmic. "
        "Right: the largest share over repeats. Exponents: over the last factor of four in T."
    )
    page = make_page(titles, heading=heading, note=note, shape=(len(THEOREMS), 2), row_height=2.5, title_size=9)
    for number, methods in enumerate(THEOREMS.values()):
        growth, share = page.axes[2 * number : 2 * number + 2]
        style_of = styles(methods.values(), results)
        labels = {method: label for label, method in methods.items()}
        ends = draw_growth(growth, tidy, style_of)
        if not ends:
            say_nothing_to_draw(growth)
            say_nothing_to_draw(share)
            continue
        draw_share(share, tidy, style_of)
        texts = {method: f"{labels[method]}: {_plain(end)} (bound {_plain(bound)})" for method, (end, bound) in ends.items()}
        handles = method_handles({method: style_of[method] for method in ends}, texts)
        growth.legend(handles=handles, loc="lower right", fontsize=7, title="regret at the end", title_fontsize=7)
    return page.fig


def draw_growth(ax: Axes, tidy: pd.DataFrame, style_of: Mapping[str, Style]) -> dict[str, tuple[float, float]]:
    """Regret relative to that at the stream's end, by steps, both axes logarithmic: growth as a power of T is a straight line.

    Returns regret and bound at the end, by method.
    """
    frame = curves_frame(tidy, {method: method for method in style_of}, f"regret_{SUFFIX}")
    bound = curves_frame(tidy, {method: method for method in style_of}, f"bound_{SUFFIX}")
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
        ax.set(yscale="log", xlabel="steps T", ylabel="regret(T) / regret at the end")
    return ends


def growth_at_end(tidy: pd.DataFrame, method: str) -> float | None:
    """The exponent of T with which the mean regret grows over the last factor of four in T."""
    means = mean_by_step(tidy[tidy["method"] == method], f"regret_{SUFFIX}")
    last = means[means.index >= means.index.max() / 4] if len(means) else means
    if len(last) < 2 or (last <= 0).any():
        return None
    return float(np.polyfit(np.log(last.index.to_numpy(dtype=float)), np.log(last), 1)[0])


def draw_share(ax: Axes, tidy: pd.DataFrame, style_of: Mapping[str, Style]) -> None:
    """Regret over its bound, the largest over repeats, both axes logarithmic; the theorem says below 1."""
    for method, style in style_of.items():
        share = regret_share(tidy[tidy["method"] == method])
        share = share[share > 0]
        ax.plot(share.index, share, color=style.color, marker=style.marker, markersize=3)
    ax.axhline(1.0, color="#444444", linestyle="--", linewidth=1.0)
    ax.text(0.01, 1.15, "the bound", transform=ax.get_yaxis_transform(), ha="left", va="bottom", fontsize=7)
    ax.set(xscale="log", yscale="log", xlabel="steps T", ylabel="regret(T) / bound(T)")
    ax.set_ylim(min(ax.get_ylim()[0], 0.009), 4.0)


def regret_share(tidy: pd.DataFrame) -> pd.Series:
    """The largest share of the bound over repeats, by step."""
    names = ("regret", "bound")
    regret, bound = (aligned(tidy, f"{name}_{SUFFIX}").set_index(["repeat", "step"])["value"] for name in names)
    return (regret / bound).groupby("step").max()


def _plain(value: float) -> str:
    """Three digits without powers of ten.

    >>> _plain(10834.2), _plain(1.7712)
    ('10,800', '1.77')
    """
    return f"{float(f'{value:.3g}'):,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def figure_weighting(results: Results, paper: Paper) -> Figure:
    """What the weighting of the stream does: test accuracy by the share of positives whose labels are hidden."""
    methods = {method: label for label, method in WEIGHTED.items()}
    style_of = styles(methods, results)
    tidy = results.tidy[results.tidy["setting"].isin(SETTINGS.values())]
    rows = tidy[(tidy["metric"] == "accuracy_pu_risk_population") & tidy["method"].isin(methods)]
    datasets = BENCHMARKS + IMAGES
    sets = panel_sets(results, datasets, rows["dataset"])
    note = "Means over repeats with one standard deviation. " + missing_note(results, tidy, datasets, methods)
    page = make_page(list(sets.values()), note=note, heading=_behind(rows, sets), row_height=2.2, title_size=9, sharey=True)
    printed = {share: published(paper, share, *COLUMNS) for share in SETTINGS}
    for k, (ax, dataset) in enumerate(zip(page.axes, sets, strict=True)):
        own = rows[rows["dataset"] == dataset]
        shown = [method for method in methods if (own["method"] == method).any()]
        for x, (share, setting) in enumerate(SETTINGS.items()):
            for j, method in enumerate(shown):
                place, style = x + DODGE * (j - (len(shown) - 1) / 2), style_of[method]
                values = 100 * own.loc[(own["setting"] == setting) & (own["method"] == method), "value"]
                draw_mark(ax, place, values, style, spread_within(0, 100))
                if number := printed[share].get((dataset, method)):
                    draw_printed(ax, place + 0.07, number, style.color, low=0, high=100, ms=3.5)
        ax.set_xticks(range(len(SETTINGS)), list(SETTINGS))
        ax.set(xlabel="positives without a label", ylabel="test accuracy in %" if k % 3 == 0 else "")
        ax.grid(axis="x", visible=False)
    handles = method_handles(style_of, methods)
    for handle in handles:
        handle.set_linestyle("none")
    share_percent_axis(page.axes)
    page.add_legend(handles + [published_handle()] * any(printed.values()))
    return page.fig


def _behind(rows: pd.DataFrame, sets: Mapping[str, str]) -> str:
    """How often equation 6 is behind the unbiased weighting where most labels are hidden."""
    share, setting = list(SETTINGS.items())[-1]
    means = rows[rows["setting"] == setting].groupby(["dataset", "method"], observed=True)["value"].mean().unstack()
    pairs = [(a, b) for name, a in WEIGHTED.items() for other, b in WEIGHTED.items()
             if name.endswith(", eq. 6") and other == name.replace("eq. 6", "unbiased")]  # fmt: skip
    behind = [means.loc[name, a] < means.loc[name, b] for a, b in pairs for name in sets if {a, b} <= set(means.columns)]
    if not behind:
        return ""
    times = f"{sum(behind)} of {len(behind)} cases"
    return f"With {share} of the labels hidden, equation 6 is behind the unbiased weighting in {times}"


def figure_stream(results: Results, paper: Paper) -> Figure:
    """Test accuracy by the number of rows seen: a column per data set, a row per form of the algorithm."""
    names = {method: label for row in FORMS.values() for label, method in row.items()}
    style_of, metric, datasets = styles(names, results), "accuracy_by_rows_seen_population", BENCHMARKS + IMAGES
    tidy = results.tidy[results.tidy["setting"] == "stream"]
    curves = tidy[(tidy["metric"] == metric) & tidy["method"].isin(names)]
    sets = panel_sets(results, datasets, curves["dataset"])
    printed = published(paper, "30%", "opu_dh", "opu_batch_dh")
    forms = {label: row for label, row in FORMS.items() if curves["method"].isin(row.values()).any()}
    panels = [(label, list(row.values()), name) for label, row in forms.items() for name in sets]
    frames = [
        thinned(curves_frame(curves[curves["dataset"] == name], {method: method for method in row}, metric, scale=100))
        for _, row, name in panels
    ]
    page = make_page(
        [sets[name] if k < len(sets) else "" for k, (_, _, name) in enumerate(panels)],
        note="Means over repeats, one standard error as a band. Diamonds: published, with one standard deviation. "
        + missing_note(results, tidy, datasets, names),
        heading=_first_behind(forms, frames), shape=(max(1, len(forms)), max(1, len(sets))),
        row_height=STREAM_HEIGHT, extra=0.5, title_size=8.5, sharey=True, sharex="col",
    )  # fmt: skip
    error, ends = spread_within(0, 100, standard_error=True), []
    for k, (ax, (label, row, name), frame) in enumerate(zip(page.axes, panels, frames, strict=True)):
        ends.append(draw_lines(ax, frame, {method: style_of[method] for method in row}, error))
        ax.set_xscale("log")
        ax.xaxis.set_minor_locator(NullLocator())  # some panels are too narrow for them
        for method in row:
            if (name, method) in printed:
                draw_printed(ax, frame["step"].max() * 1.9, printed[name, method], style_of[method].color, low=0, high=100)
        ax.set(xlabel="rows seen" if k >= len(panels) - len(sets) else "", ylabel="")
        ax.tick_params(labelleft=k % len(sets) == 0)
        if k % len(sets) == 0:
            ax.set_ylabel(f"{label}\ntest accuracy in %", fontsize=8)
    share_percent_axis(page.axes)
    for k in range(len(sets) - 1, len(panels), len(sets)) if sets else ():
        label_ends(page.axes[k], ends[k], names, height=STREAM_HEIGHT - 0.5)
    return page.fig


def _first_behind(forms: Mapping[str, Mapping[str, str]], frames: list[pd.DataFrame]) -> str:
    """How often the first form of the weighting ends behind the last one."""
    if not frames:
        return ""
    rows = [list(row.values()) for row in forms.values() for _ in range(len(frames) // len(forms))]
    ends = [frame.groupby(["line", "step"])["value"].mean().groupby("line").last() for frame in frames]
    both = [(end[row[0]], end[row[-1]]) for row, end in zip(rows, ends, strict=True) if {row[0], row[-1]} <= set(end.index)]
    first, last = next([*row][:1] + [*row][-1:] for row in forms.values())
    behind = sum(one < other for one, other in both)
    return f"After one pass, {first} is behind the {last} weighting in {behind} of {len(both)} panels"


def thinned(frame: pd.DataFrame) -> pd.DataFrame:
    """Curves whose steps are cut into a few parts per factor of ten; a repeat's values in a part count as their mean.

    Single steps of a stream jump from one class to the other; what they tell together is where the curve is.
    """
    part = np.floor(PER_DECADE * np.log10(frame["step"].clip(lower=1)) + 1e-9)
    groups = frame.assign(part=part).groupby(["line", "repeat", "part"], as_index=False)["value"].mean()
    return groups.assign(step=10 ** ((groups["part"] + 0.5) / PER_DECADE))
