"""Figures of the OPU paper, and others; each function draws the figure of its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pulab.figures.lines import curves_frame, draw_lines
from pulab.figures.panels import draw_empty_panel, make_page, method_handles, missing_note, panel_sets, title_of
from pulab.figures.printed import Printed, printed_numbers
from pulab.figures.series import aligned, interval_excludes_zero, mean_by_step, spread_within
from pulab.figures.style import INK, METHOD_MARKERS, MUTED, Style
from pulab.tables import Paper, Results
from pulab.tables.numerals import signed
from pulab.tables.sentences import Range, between, sentence_case
from pulib.plots import PALETTE

BENCHMARKS, IMAGES = ("vote", "australian", "mushrooms", "phishing"), ("cifar10_gist", "svhn_gist")
SETS = (*IMAGES, *BENCHMARKS)
#: Names of data sets in the published rows.
ROWS = {
    "vote": "Vote",
    "australian": "Australian",
    "mushrooms": "Mushroom",
    "phishing": "Phishing",
    "cifar10_gist": "CIFAR-10",
    "svhn_gist": "SVHN",
}
COLUMNS = {"opu_dh": "OPU DH", "opu_batch_dh": "extended OPU DH"}
#: Figure 1: for each series, the factor of its steps and the heading of its panel.
PANELS = {
    "accuracy_by_alpha_population": (1e6, "by λ, at the true π"),
    "accuracy_by_prior_percent_population": (100, "by the given π relative to\nthe true one, at the tuned λ"),
}
THEOREMS = {
    "Theorem 1": {"double hinge": "opu_dh", "square": "opu_sl", "logistic": "opu_lr"},
    "Theorem 2": {"double hinge": "opu_exact_dh", "square": "opu_exact_sl", "logistic": "opu_exact_lr"},
}
#: Data sets whose regret is drawn, and the λ that is used.
STREAMS, SUFFIX = ("mushrooms", "phishing"), "log10_alpha_-1"
SETTINGS = {"20%": "r20", "30%": "r30", "40%": "r40"}
#: By the form of the algorithm: the method with equation 6 as published, and the one with unbiased weights.
FORMS = {"row by row": ("opu_dh_eq6", "opu_dh"), "in batches": ("opu_batch_dh_eq6", "opu_batch_dh")}
#: Points of a stream per factor of ten in rows, and the maximum number of factors of ten.
PER_DECADE, DECADES = 3, 5
#: Height of a heat map's row, in inches.
CELL = 0.26
#: Blue above zero, brown below: distinct for color-blind readers, and darker than values near zero.  Numbers are white beyond
#: this share of the scale.
COLORS, DARK = "BrBG", 0.6
NOTE = (
    "Bold: the 95% interval over repeats (paired Student's t) excludes zero. Not bold: it includes zero, or there are fewer "
    "than three repeats."
)


def published(paper: Paper, share: str) -> dict[tuple[str, str], Printed]:
    """Return the published accuracies of tables 1 and 2 for a share of hidden positives."""
    return printed_numbers(paper, ("1", "2"), {dataset: f"{row} {share}" for dataset, row in ROWS.items()}, COLUMNS)


def named(sets: Mapping[str, str], ours: Mapping[str, float], theirs: Mapping[str, Printed]) -> dict[str, str]:
    """Label data sets with the accuracies that differences refer to: ours, and the published one in parentheses."""
    brackets = {name: f" ({theirs[name].mean:.1f})" if name in theirs else "" for name in sets}
    return {name: f"{title}: {ours.get(name, np.nan):.1f}{brackets[name]}" for name, title in sets.items()}


def figure1(results: Results, paper: Paper) -> Figure:
    """Draw how λ and the given class prior change the test accuracy, with a row per data set."""
    method, tidy = "opu_batch_dh", results.tidy
    tidy = tidy[(tidy["setting"] == "sensitivity") & (tidy["method"] == method)]
    sets = panel_sets(results, SETS, tidy.loc[tidy["status"] == "ok", "dataset"])
    frames = [percent_by_step(tidy, list(sets), series, unit) for series, (unit, _) in PANELS.items()] if sets else []
    at_truth = frames[-1][frames[-1]["column"] == 1.0] if frames else pd.DataFrame(columns=["row", "repeat", "value"])
    base = at_truth.set_index(["row", "repeat"])["value"].rename("base")
    moved = [frame.join(base, on=["row", "repeat"]).eval("value = value - base") for frame in frames]
    theirs = {name: number for (name, m), number in published(paper, "30%").items() if m == method}
    rows = named(sets, base.groupby("row").mean().to_dict(), theirs)
    page = make_page(
        [title for _, title in PANELS.values()] if sets else [],
        heading=_moves(results.labels[method], moved, sets),
        note=f"Points of test accuracy gained or lost, means over {at_truth['repeat'].nunique()} repeats. Next to the names: "
        f"accuracy in % at the true π and the tuned λ; in parentheses, the published one. {NOTE} "
        + missing_note(results, tidy, SETS, [method]),
        row_height=0.9 + CELL * len(sets), title_size=8.5, width_ratios=[7, 5] if sets else None,
    )  # fmt: skip
    limit = scale_end(*moved)
    for k, (ax, frame) in enumerate(zip(page.axes, moved, strict=True)):
        steps = sorted(frame["column"].unique())
        draw_differences(ax, frame, rows if k == 0 else dict.fromkeys(rows, ""), steps, limit)
        powers = [rf"$10^{{{round(np.log10(step))}}}$" for step in steps]
        ax.set_xticks(np.arange(len(steps)) + 0.5, powers if k == 0 else [f"{step:g}" for step in steps], rotation=0)
        ax.set_xlabel("λ" if k == 0 else "given π, as a multiple of the true π")
    return page.fig


def percent_by_step(tidy: pd.DataFrame, sets: Sequence[str], metric: str, unit: float) -> pd.DataFrame:
    """Return a series of several data sets in percent: ``row`` (data set), ``repeat``, ``column`` (scaled step), ``value``."""
    frames = [aligned(tidy[tidy["dataset"] == name], metric).assign(row=name) for name in sets]
    frame = pd.concat(frames, ignore_index=True)
    return frame.assign(column=frame["step"] / unit, value=100 * frame["value"])


def _moves(label: str, moved: Sequence[pd.DataFrame], sets: Mapping[str, str]) -> str:
    """State how far the mean accuracy of a set varies with λ, and with the given prior."""
    if not len(sets):
        return ""
    means = [frame.groupby(["row", "column"])["value"].mean().groupby("row") for frame in moved]
    by_weight, by_prior = (float((of_row.max() - of_row.min()).max()) for of_row in means)
    on = next(iter(sets.values())) if len(sets) == 1 else f"{len(sets)} sets"
    varies = f"varies by up to {by_weight:.0f} points with λ and by up to {by_prior:.0f} with the given π"
    return f"On {on}, the accuracy of {label.partition(',')[0]} {varies}"


def figure_regret(results: Results, paper: Paper) -> Figure:
    """Draw regret against the best weights in hindsight, and its bound: a row per theorem, a column per loss."""
    tidy = results.tidy[(results.tidy["setting"] == "regret") & (results.tidy["status"] == "ok")]
    there = list(dict.fromkeys(tidy["dataset"]))
    sets = [name for name in STREAMS if name in there] or there[: len(STREAMS)]
    # data sets rather than methods: they take the palette in order
    style_of = {name: Style(color, marker) for name, color, marker in zip(sets, PALETTE, METHOD_MARKERS, strict=False)}
    panels = [(f"{theorem}, {loss}", method) for theorem, of in THEOREMS.items() for loss, method in of.items()]
    page = make_page(
        [title for title, _ in panels], shape=(len(THEOREMS), 3), row_height=2.1, extra=0.6, title_size=8.5,
        heading=_growth(tidy, sets), sharey="row",
        note=f"Both axes are logarithmic. Lines: mean over {tidy['repeat'].nunique()} repeats, one standard deviation as "
        "a band where its lower end is above zero. Dashed: the theorem's bound. Dotted: growth as √T. Exponents: of T, over "
        "its last factor of four.",
    )  # fmt: skip
    for k, (ax, (_, method)) in enumerate(zip(page.axes, panels, strict=True)):
        draw_regret(ax, tidy[tidy["method"] == method], style_of)
        ax.set(xlabel="steps T" if k >= 3 else "", ylabel="regret" if k % 3 == 0 else "")
        ax.tick_params(labelleft=k % 3 == 0)
    handles = method_handles(style_of, {name: title_of(results, name) for name in sets})
    handles.append(Line2D([], [], color=MUTED, linestyle="--", label="bound"))
    handles.append(Line2D([], [], color=MUTED, linestyle=":", label="growth as √T"))
    page.add_legend(handles if sets else [])
    return page.fig


def draw_regret(ax: Axes, tidy: pd.DataFrame, style_of: Mapping[str, Style]) -> None:
    """Draw one method's regret and its bound by steps, on logarithmic axes, where a power of T is a straight line."""
    frames = {name: aligned(tidy[tidy["dataset"] == name], f"regret_{SUFFIX}").assign(line=name) for name in style_of}
    if not any(len(frame) for frame in frames.values()):
        draw_empty_panel(ax)
        return
    draw_lines(ax, pd.concat(frames.values()), style_of, _positive_spread)
    for name, style in style_of.items():
        bound = mean_by_step(tidy[tidy["dataset"] == name], f"bound_{SUFFIX}")
        ax.plot(bound.index, bound, color=style.color, linestyle="--", linewidth=1.0)
    steps = np.geomspace(1, max(frame["step"].max() for frame in frames.values() if len(frame)), 40)
    middle = [frame.groupby("step")["value"].mean().iloc[-1] for frame in frames.values() if len(frame)]
    # below everything that is measured, so that it covers nothing
    ax.plot(steps, 0.15 * min(middle) * np.sqrt(steps / steps[-1]), color=MUTED, linestyle=":", linewidth=1.2, zorder=1)
    ax.set(xscale="log", yscale="log")


def _positive_spread(values: pd.Series) -> tuple[float, float]:
    """Return the mean plus and minus one standard deviation; NaN if the lower end does not fit on a logarithmic axis."""
    low, high = spread_within()(values)
    return (low, high) if low > 0 else (np.nan, np.nan)


def _growth(tidy: pd.DataFrame, sets: Sequence[str]) -> str:
    """State the largest share of a bound that a regret reaches, and how regrets grow in the end."""
    own = [tidy[(tidy["dataset"] == name) & (tidy["method"] == method)] for name in sets for of in THEOREMS.values()
           for method in of.values()]  # fmt: skip
    shares = [share for part in own if len(share := regret_share(part))]
    exponents = [e for part in own if (e := growth_at_end(part)) is not None]
    if not shares or not exponents:
        return ""
    most = 100 * max(share.max() for share in shares)
    below = f"stays below its bound (at most {most:.0f}%)" if most < 100 else f"exceeds its bound (up to {most:.0f}%)"
    pace = "grows more slowly than √T" if max(exponents) < 0.5 else "does not always grow more slowly than √T"
    return f"Regret {below} and {pace} (exponents {between(Range.of(exponents), 2)})"


def growth_at_end(tidy: pd.DataFrame) -> float | None:
    """Return the exponent of T with which the mean regret grows over the last factor of four in T."""
    means = mean_by_step(tidy, f"regret_{SUFFIX}")
    last = means[means.index >= means.index.max() / 4] if len(means) else means
    if len(last) < 2 or (last <= 0).any():
        return None
    return float(np.polyfit(np.log(last.index.to_numpy(dtype=float)), np.log(last), 1)[0])


def regret_share(tidy: pd.DataFrame) -> pd.Series:
    """Return the largest share of the bound over repeats, by step."""
    names = ("regret", "bound")
    regret, bound = (aligned(tidy, f"{name}_{SUFFIX}").set_index(["repeat", "step"])["value"] for name in names)
    return (regret / bound).groupby("step").max()


def figure_weighting(results: Results, paper: Paper) -> Figure:
    """Draw the effect of the stream's weighting, by the share of positives whose labels are hidden."""
    methods, keys = [method for pair in FORMS.values() for method in pair], ["row", "column", "repeat"]
    tidy = results.tidy[results.tidy["setting"].isin(SETTINGS.values())]
    rows = tidy[(tidy["metric"] == "accuracy_pu_risk_population") & tidy["method"].isin(methods)]
    sets = panel_sets(results, SETS, rows["dataset"])
    column = rows["setting"].astype(str).map({setting: share for share, setting in SETTINGS.items()})
    rows = rows.assign(row=rows["dataset"].astype(str), column=column, value=100 * rows["value"])
    ours = {method: rows[rows["method"] == method].set_index(keys)["value"] for method in methods}
    differences = {
        form: (ours[eq6] - ours[unbiased]).dropna().reset_index(name="value") for form, (eq6, unbiased) in FORMS.items()
    }
    panels = {form: frame for form, frame in differences.items() if len(frame)}
    cases = [own["value"] for frame in panels.values() for _, own in frame.groupby(["row", "column"])]
    page = make_page(
        list(panels), heading=_ahead("", cases),
        note="Points of test accuracy by which equation 6 is ahead of the unbiased weighting, double hinge loss, means over "
        f"{rows['repeat'].nunique()} repeats. {NOTE} {missing_note(results, tidy, SETS, methods)}",
        shape=(1, max(1, len(panels))), row_height=0.9 + CELL * len(sets), title_size=9,
    )  # fmt: skip
    limit = scale_end(*panels.values())
    for k, (ax, frame) in enumerate(zip(page.axes, panels.values(), strict=True)):
        draw_differences(ax, frame, sets if k == 0 else dict.fromkeys(sets, ""), list(SETTINGS), limit)
        ax.tick_params(axis="x", rotation=0, labelsize=7.5)
        ax.set_xlabel("positives without a label")
    return page.fig


def _ahead(when: str, cases: Sequence[pd.Series]) -> str:
    """State how often equation 6 is ahead of the unbiased weighting, or behind it, given differences over repeats."""
    signs = [int(np.sign(values.mean())) * interval_excludes_zero(values) for values in cases]
    ahead = f"{when}equation 6 is ahead of unbiased weights in {signs.count(1)} of {len(cases)} cases"
    return sentence_case(f"{ahead}, behind in {signs.count(-1)}, undecided in {signs.count(0)}") if cases else ""


def figure_stream(results: Results, paper: Paper) -> Figure:
    """Draw how far equation 6 is ahead of the unbiased weighting, or behind it, by the number of rows seen."""
    metric, methods = "accuracy_by_rows_seen_population", [method for pair in FORMS.values() for method in pair]
    tidy = results.tidy[results.tidy["setting"] == "stream"]
    curves = tidy[(tidy["metric"] == metric) & tidy["method"].isin(methods)]
    sets = panel_sets(results, SETS, curves["dataset"])
    forms = {form: pair for form, pair in FORMS.items() if curves["method"].isin(pair).any()} if sets else {}
    differences, rows = {}, {}
    for form, (published_form, unbiased) in forms.items():
        frames = {
            name: thinned(
                curves_frame(curves[curves["dataset"] == name], {m: m for m in (published_form, unbiased)}, metric, 100)
            )
            for name in sets
        }
        differences[form] = pd.concat(
            [_difference(frame, published_form, unbiased).assign(row=name) for name, frame in frames.items()]
        )
        ours = {name: _last(frame[frame["line"] == unbiased]) for name, frame in frames.items()}
        theirs = {name: number for (name, m), number in published(paper, "30%").items() if m == unbiased}
        rows[form] = named(sets, ours, theirs)
    ends = [
        own.loc[own["column"] == own["column"].max(), "value"]
        for frame in differences.values()
        for _, own in frame.groupby("row")
    ]
    page = make_page(
        list(forms), heading=_ahead("after one pass, ", ends), shape=(max(1, len(forms)), 1),
        row_height=0.7 + CELL * len(sets), extra=0.5, title_size=9,
        note="Points of test accuracy by which equation 6 is ahead of the unbiased weighting, means over "
        f"{curves['repeat'].nunique()} repeats and over steps within a third of a decade. Next to the names: accuracy "
        f"in % of the unbiased weighting after one pass; in parentheses, the published one. {NOTE} "
        + missing_note(results, tidy, SETS, methods),
    )  # fmt: skip
    limit = scale_end(*differences.values())
    for ax, form in zip(page.axes, forms, strict=True):
        columns = range(differences[form]["column"].min(), differences[form]["column"].max() + 1)
        draw_differences(ax, differences[form], rows[form], columns, limit)
        powers = [k for k in range(DECADES + 1) if columns.start <= PER_DECADE * k <= columns.stop]
        ax.set_xticks([PER_DECADE * k - columns.start for k in powers], [rf"$10^{k}$" for k in powers], rotation=0)
    if page.axes:
        page.axes[-1].set_xlabel("rows seen")
    return page.fig


def draw_differences(
    ax: Axes, frame: pd.DataFrame, rows: Mapping[str, str], columns: Sequence[float | str], limit: float
) -> None:
    """Draw a heat map of mean differences, with numbers in bold if they differ from zero.

    ``frame`` has the columns ``row``, ``column`` and ``value``, with a row for each repeat.  ``rows`` maps rows to their
    labels, from top to bottom; a label may be empty.  The color scale extends from ``-limit`` to ``limit``.
    """
    groups = frame.groupby(["row", "column"], observed=True)["value"]
    means, differ = (groups.agg(of).unstack("column").reindex(index=list(rows), columns=list(columns))
                   for of in ("mean", interval_excludes_zero))  # fmt: skip
    sns.heatmap(
        means.astype(float), ax=ax, cmap=COLORS, vmin=-limit, vmax=limit, cbar=False, linewidths=0.6, linecolor="white",
        rasterized=True,
    )  # fmt: skip
    for (i, j), value in np.ndenumerate(means.to_numpy(dtype=float)):
        if np.isfinite(value):
            color, weight = "white" if abs(value) > DARK * limit else INK, "bold" if differ.iloc[i, j] else "normal"
            ax.text(j + 0.5, i + 0.5, signed(value, 0), ha="center", va="center", fontsize=6.5, color=color, weight=weight)
    ax.set_yticks(np.arange(len(rows)) + 0.5, list(rows.values()), rotation=0, fontsize=7.5)
    ax.tick_params(length=0)
    ax.set(xlabel="", ylabel="")
    ax.grid(False)
    engine: Any = ax.get_figure(root=True).get_layout_engine()  # type: ignore[union-attr]
    if engine:
        engine.set(w_pad=0.12, rect=(0.02, 0, 0.98, 1))  # row labels are wider at another resolution


def scale_end(*frames: pd.DataFrame) -> float:
    """Return the shared end of several panels' color scales: the largest absolute mean difference, at least one point."""
    means = [frame.groupby(["row", "column"], observed=True)["value"].mean().abs().max() for frame in frames if len(frame)]
    return float(max([1.0, *means]))


def _difference(frame: pd.DataFrame, one: str, other: str) -> pd.DataFrame:
    """Return one method's curve minus another's, by repeat and part."""
    by = frame.set_index(["repeat", "column"])
    return (by.loc[by["line"] == one, "value"] - by.loc[by["line"] == other, "value"]).dropna().reset_index()


def _last(frame: pd.DataFrame) -> float:
    """Return the mean of a curve's last part."""
    return float(frame.groupby("column")["value"].mean().iloc[-1]) if len(frame) else np.nan


def thinned(frame: pd.DataFrame) -> pd.DataFrame:
    """Average each repeat's curve over a few parts per factor of ten in steps (``column``).

    Single steps of a stream jump from one class to the other; only their average shows where the curve is.
    """
    part = np.floor(PER_DECADE * np.log10(frame["step"].clip(lower=1)) + 1e-9).astype(int)
    return frame.assign(column=part).groupby(["line", "repeat", "column"], as_index=False)["value"].mean()
