"""What each round of boosting finds and leaves behind: a row per quantity, a column per data set, a line per run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pulab.figures.labels import End, label_ends
from pulab.figures.panels import make_page, missing_note, panel_sets
from pulab.figures.series import series_by_repeat
from pulab.figures.style import Style, styles
from pulab.tables.inputs import Spec
from pulab.trials.artifacts import OPTIONAL, Artifact, Dataset, Method

#: Rounds that count as one: single ones jump.
ROUNDS = 5
ROW_HEIGHT = 1.45


class Quantity(NamedTuple):
    """A row of panels: the label of its axis, the factor of its values, and where they can not be left, or should not."""

    label: str
    scale: float = 1.0
    limits: tuple[float, float] | None = None
    bounds: tuple[float, ...] = ()


QUANTITIES = {
    "error": Quantity("ε of the stump", limits=(0.0, 0.54), bounds=(0.0, 0.5)),
    "negative_share": Quantity("share of negative\nweight", limits=(0.2, 0.54), bounds=(0.5,)),
    "accuracy": Quantity("test accuracy\nin %", scale=100),
}


class Keys(Artifact):
    traces: dict[str, str]
    like: dict[str, Method]
    show_method: Method
    show_datasets: list[Dataset]
    titles: dict[Dataset, str] = OPTIONAL


def draw(spec: Spec, tidy: pd.DataFrame, published: pd.DataFrame) -> Figure:
    """The figure, from its entry in the study's configuration and tidy results."""
    tidy = tidy[tidy["setting"] == "traces"]
    sets = panel_sets(spec, tidy.loc[tidy["status"] == "ok", "dataset"])
    titles = [title if row == 0 else "" for row in range(len(QUANTITIES)) for title in sets.values()]
    style_of = styles(spec["traces"], {"styles": {name: spec["styles"][method] for name, method in spec["like"].items()}})
    note = " ".join(filter(None, [
        f"Lines: medians over repeats and {ROUNDS} rounds; bands: quartiles over repeats; both as far as half of the "
        "repeats go. Dotted: bounds of definition 4.1 and theorem 4.2.",
        missing_note(spec, tidy, [spec["show_method"]]),
    ]))  # fmt: skip
    page = make_page(
        titles, note=note, heading=_finding(tidy, spec, sets), shape=(len(QUANTITIES), max(1, len(sets))),
        row_height=ROW_HEIGHT, extra=0.4, title_size=9, sharey="row", sharex=True,
    )  # fmt: skip
    panels = [(quantity, dataset) for quantity in QUANTITIES for dataset in sets]
    for k, (ax, (quantity, dataset)) in enumerate(zip(page.axes, panels, strict=True)):
        own = tidy[tidy["dataset"] == dataset]
        ends = []
        for name, style in style_of.items():
            values = QUANTITIES[quantity].scale * series_by_repeat(own, f"{quantity}_by_round_{name}")
            end = draw_runs(ax, values, style)
            ends += [End(*end, spec["traces"][name], style.color)] if end else []
        dress(ax, QUANTITIES[quantity])
        first, last = k % len(sets) == 0, k >= len(panels) - len(sets)
        ax.set(xlabel="rounds" if last else "", ylabel=QUANTITIES[quantity].label if first else "")
        ax.tick_params(labelbottom=last, labelleft=first)
        if last and dataset == list(sets)[-1]:
            label_ends(ax, ends, height=0.8 * ROW_HEIGHT, size=6.5)
    return page.fig


def _finding(tidy: pd.DataFrame, spec: Spec, sets: Mapping[str, str]) -> str:
    """The run that loses most between its best round and the last one, over all sets."""
    lost = {}
    for dataset, title in sets.items():
        for name in spec["traces"]:
            runs = series_by_repeat(tidy[tidy["dataset"] == dataset], f"accuracy_by_round_{name}")
            if len(runs):
                lost[title, name] = (100 * (runs.max(axis=1) - runs.ffill(axis=1).iloc[:, -1])).median()
    if not lost:
        return ""
    title, name = max(lost, key=lost.__getitem__)
    return f"With {spec['traces'][name]}, Ada-PU ends {lost[title, name]:.0f} points below its best round on {title}"


def draw_runs(ax: Axes, runs: pd.DataFrame, style: Style) -> tuple[float, float] | None:
    """The median of the repeats as a line and their quartiles as a band; returns where the line ends.

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


def dress(ax: Axes, quantity: Quantity) -> None:
    """Limits, and the bounds of the theory as dotted lines."""
    for bound in quantity.bounds:
        ax.axhline(bound, color="#444444", linestyle=":", linewidth=0.9, zorder=1)
    if quantity.limits is not None:
        ax.set_ylim(*quantity.limits)
    ax.set_xticks(range(0, 101, 25))
