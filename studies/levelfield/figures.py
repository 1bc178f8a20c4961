"""The figures of the level field: dot plots of scores and of what is lost, ranks, times against ranks, and tasks by learners."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

from pulab.figures.labels import label_points, quoted
from pulab.figures.panels import Page, make_page
from pulab.figures.style import BLUE, INK, MUTED
from pulab.tables import Paper, Results
from pulab.tables.numerals import plain_number
from pulab.tables.sentences import Range, between, sentence_case
from studies.levelfield.field import (
    BIASED,
    ESTIMATED,
    LABELS,
    MEASURES,
    METRICS,
    PLACES,
    PRIORS,
    REFERENCES,
    TUNED,
    WRONG,
    Field,
    Level,
    best_of,
    mean_over_methods,
    over_tasks,
)
from studies.levelfield.numbers import largest_block, pareto_front, prior_errors, seconds, time_and_rank

#: By metric and setting, tasks by learners.
Panels = Mapping[str, Mapping[str, pd.DataFrame]]
#: Points behind the best that count as level with it, and those beyond which colors do not change.
LEVEL, MOST = 1.0, 20.0


# --- scores and losses: a row per learner, or per level -----------------------------------------------------------------------


def figure_labels(results: Results, paper: Paper) -> Figure:
    """Scores by number of labels, on the tasks that have every number shown."""
    field, panels = Field.of(results, ["two_sample", *LABELS]), {}
    for metric in MEASURES:
        scores = {setting: field.scores(setting, metric) for setting in LABELS}
        levels, tasks = largest_block({setting: table.index for setting, table in scores.items() if len(table)})
        panels[metric] = {s: scores[s].loc[tasks, field.ranked(scores[s].columns)] for s in levels}
    order, heading = pd.Series(dtype=float), ""
    if first := panels["accuracy"]:
        means = {LABELS[setting].label: 100 * table.mean() for setting, table in first.items()}
        order = -next(iter(means.values()))
        best = {n: f"{quoted(field.label(own.idxmax()))} has the best accuracy ({own.max():.1f}%)" for n, own in means.items()}
        heading = "; ".join(f"With {n} labels, {best[n]}" for n in dict.fromkeys((next(iter(best)), list(best)[-1])))
    note = "Dashed: the best classifier with true labels of as many rows. Scores in percent by number of labels"
    page = draw_learners(field, panels, LABELS, order, heading, note, "%")
    for ax, own in zip(page.axes, panels.items(), strict=False):
        scores = field.scores("two_sample", own[0]).reindex(next(iter(own[1].values())).index)
        best_with_truth = 100 * best_of(scores, field.of_role(scores.columns, "ceiling")).mean()
        if pd.notna(best_with_truth):
            ax.axvline(best_with_truth, color=MUTED, linestyle="--", linewidth=1.0, zorder=1)
    return page.fig


def figure_biased(results: Results, paper: Paper) -> Figure:
    remark = "k: the power of the posterior, or of nearness to the boundary, that decides which positives are labeled. "
    return draw_losses(results, BIASED, "with labels on {}", f"{remark}Points lost against labels drawn at random")


def figure_wrong(results: Results, paper: Paper) -> Figure:
    return draw_losses(results, WRONG, "with {} wrong labels", "Points lost against correct labels")


def figure_wrong_prior(results: Results, paper: Paper) -> Figure:
    return draw_losses(
        results, PRIORS, "given {} times the true π", "Points lost against the true π, by the multiple that is given"
    )


def draw_losses(results: Results, levels: Mapping[str, Level], wording: str, note: str) -> Figure:
    """What each learner loses at some levels against their references; learners that lose least at the worst one come first."""
    field = Field.of(results, [*levels, *{level.reference for level in levels.values()}])
    panels = {metric: field.losses(levels, metric) for metric in MEASURES}
    order, heading = pd.Series(dtype=float), ""
    shared = {s: 100 * table.dropna(axis="columns") for s, table in panels["accuracy"].items()}
    if means := {s: table.mean() for s, table in shared.items() if table.size}:
        worst = max(means, key=lambda setting: means[setting].mean())
        order = means[worst]
        least, most = (f"{quoted(field.label(m))} loses {plain_number(order[m])}" for m in (order.idxmin(), order.idxmax()))
        heading = f"{sentence_case(wording.format(levels[worst].label))}, {least} points of accuracy, and {most}"
    return draw_learners(field, panels, levels, order, heading, f"{note}; left of zero: gained", "points lost").fig


def draw_learners(
    field: Field, panels: Panels, levels: Mapping[str, Level], order: pd.Series, heading: str, note: str, xlabel: str
) -> Page:
    """A panel per metric, a row per learner (those with the least value of ``order`` first), a mark per level."""
    panels = {metric: own for metric, own in panels.items() if any(table.size for table in own.values())}
    shown = next(iter(panels.values()), {})
    tasks = pd.DataFrame({setting: table.count() for setting, table in shown.items()}).min(axis=1)
    learners = [*order.sort_values(kind="stable").index, *tasks.index.difference(order.index, sort=False)]
    few = {m: f" ({n:.0f} task{'s' * (n != 1)})" for m, n in tasks.items() if n < tasks.max()}
    page = make_page(
        [METRICS[metric] for metric in panels], heading=heading, sharey=True, sharex=True, title_size=9,
        note=f"{note}: means over {tasks.max():.0f} tasks, or as many as a name says, with 95% bootstrap intervals.",
        row_height=1.1 + (0.08 + 0.07 * len(shown)) * max(len(learners), 3),
    )  # fmt: skip
    _leave_room_for_names(page.fig)
    colors = dict(zip(shown, colormaps["viridis_r"](np.linspace(0.12, 1.0, len(shown))), strict=True))
    markers = dict(zip(shown, "os^vPX*", strict=False))
    for k, (ax, own) in enumerate(zip(page.axes, panels.values(), strict=True)):
        for j, (setting, table) in enumerate(own.items()):
            shift = 0.7 * ((j + 0.5) / len(own) - 0.5)
            draw_intervals(ax, over_tasks(table).reindex(learners), colors[setting], markers[setting], shift)
        _name_rows(ax, [field.label(m) + few.get(m, "") for m in learners], zero=xlabel != "%")
        ax.tick_params(axis="y", labelsize=7.5, labelleft=k == 0)
        ax.set_xlabel(xlabel)
    page.add_legend(
        [Line2D([], [], color=colors[s], marker=markers[s], linestyle="none", label=levels[s].label) for s in shown]
    )
    return page


def figure_estimated_prior(results: Results, paper: Paper) -> Figure:
    """A row per estimator, from the one that costs least on."""
    field, errors = Field.of(results, ["two_sample", *ESTIMATED]), prior_errors(results.tidy, ESTIMATED)
    off = {setting: 100 * own.abs().mean() for setting, own in errors.items()}
    names = {setting: f"{ESTIMATED[setting].label}\n(π is {points:.1f} points off)" for setting, points in off.items()}
    panels = {metric: {s: table for s, table in field.losses(ESTIMATED, metric).items() if s in off} for metric in MEASURES}
    heading = ""
    if costs := _average(panels["accuracy"]):
        nearest, cheapest = min(off, key=off.__getitem__), min(costs, key=costs.__getitem__)
        found = sentence_case(f"{ESTIMATED[nearest].label} is nearest to the true π ({off[nearest]:.1f} points off)")
        least = "and" if cheapest == nearest else f"; {ESTIMATED[cheapest].label}"
        heading = (
            f"{found}{' ' if cheapest == nearest else ''}{least} costs least accuracy ({plain_number(costs[cheapest])} points)"
        )
    panels = {metric: {s: own[s] for s in sorted(own, key=lambda s: costs.get(s, np.inf))} for metric, own in panels.items()}
    return draw_means(panels, names, heading, "Points lost against the same learners given the true π", "points lost")


def figure_tuning(results: Results, paper: Paper) -> Figure:
    """A row per criterion."""
    field = Field.of(results, ["tuning_none", *TUNED])
    panels = {metric: {s: -table for s, table in field.losses(TUNED, metric).items()} for metric in MEASURES}
    names = {setting: level.label for setting, level in TUNED.items()} | {"tuning_oracle": "true labels"}
    heading, gains = "", _average(panels["accuracy"])
    bound = gains.pop("tuning_oracle", np.nan)
    if gains:
        best = max(gains, key=gains.__getitem__)
        words = f"{'gains' if gains[best] >= 0 else 'loses'} {abs(gains[best]):.1f} points of accuracy on average"
        heading = f"Tuning by {names[best]} {words}; by true labels, {plain_number(bound)}"
    note = (
        "Points gained over defaults by tuning on each criterion (grids are small; true labels are those of the held-out rows)"
    )
    return draw_means(panels, names, heading, note, "points gained")


def _average(tables: Mapping[str, pd.DataFrame]) -> dict[str, float]:
    """In points, over the methods and tasks that each level has."""
    return {setting: 100 * float(mean_over_methods(table).mean()) for setting, table in tables.items() if table.size}


def draw_means(panels: Panels, names: Mapping[str, str], heading: str, note: str, xlabel: str) -> Figure:
    """A panel per metric, a row per level: the mean over learners with its interval, above it each learner's own mean."""
    panels = {metric: {s: table for s, table in own.items() if table.size} for metric, own in panels.items()}
    panels = {metric: own for metric, own in panels.items() if own}
    tasks, learners = next((table.shape for own in panels.values() for table in own.values()), (0, 0))
    note += f". Circles: means over {learners} learners and {tasks} tasks with 95% bootstrap intervals; ticks above them: each learner's mean."
    page = make_page(
        [METRICS[metric] for metric in panels], note=note, heading=heading, title_size=9, sharex=True, sharey=True,
        row_height=0.9 + 0.32 * max(len(own) for own in [*panels.values(), "no"]),
    )  # fmt: skip
    for k, (ax, own) in enumerate(zip(page.axes, panels.values(), strict=True)):
        for row, table in enumerate(own.values()):
            each = 100 * table.mean()
            ax.plot(each, np.full(len(each), row - 0.2), linestyle="none", marker="|", markersize=6, color=MUTED, zorder=1)
        draw_intervals(
            ax, over_tasks(pd.DataFrame({s: mean_over_methods(table) for s, table in own.items()})).reindex(own), shift=0.12
        )
        _name_rows(ax, [names[setting] for setting in own])
        ax.tick_params(labelleft=k == 0)
        ax.set_xlabel(xlabel)
    return page.fig


def draw_intervals(ax: Axes, found: pd.DataFrame, color: object = INK, marker: str = "o", shift: float = 0.0) -> None:
    """Means with their intervals (``mean, low, high``), a row below the other, each ``shift`` rows further down."""
    rows = np.arange(len(found)) + shift
    ax.hlines(rows, found["low"], found["high"], color=color, linewidth=1.0, zorder=2)
    ax.plot(found["mean"], rows, color=color, marker=marker, markersize=4, linestyle="none", zorder=3)


def _name_rows(ax: Axes, names: Sequence[str], *, zero: bool = True) -> None:
    """Names from the top; with a line at zero where values are differences."""
    ax.set_yticks(range(len(names)), list(names))
    ax.set_ylim(len(names) - 0.4, -0.6)
    if zero:
        ax.axvline(0.0, color="#444444", linewidth=0.8, zorder=1)
    ax.grid(axis="y", visible=False)


def _leave_room_for_names(fig: Figure) -> None:
    """Room at the left edge: long names come out wider at another resolution than the one that the page is laid out in."""
    fig.set_layout_engine("constrained", rect=(0.015, 0, 0.985, 1))


# --- ranks, times and tasks ---------------------------------------------------------------------------------------------------


def figure_ranks(results: Results, paper: Paper) -> Figure:
    """Learners from the best mean rank over all settings and metrics on."""
    field = Field.of(results, REFERENCES)
    styles = dict(zip(PLACES, product((INK, "#B07A00"), "o^"), strict=True))
    rankings = {place: field.ranking(*place) for place in PLACES}
    rankings = {place: ranking for place, ranking in rankings.items() if ranking.there}
    ranks = pd.DataFrame({place: ranking.ranks for place, ranking in rankings.items()})
    order = ranks.mean(axis=1).sort_values(kind="stable").index
    heading, note = "", ""
    if rankings:
        leader, times = Counter(ranking.order[0] for ranking in rankings.values()).most_common(1)[0]
        name = sentence_case(quoted(field.label(leader)))
        heading = f"{name} has the best mean rank in {times} of {len(rankings)} rankings"
        sizes = between(Range.of([len(ranking.scores) for ranking in rankings.values()]))
        note = f"Mean ranks over {sizes} tasks. Hollow: behind the best of the ranking by more than Nemenyi's critical difference (5%)."
        left_out = sorted({name for ranking in rankings.values() for name in ranking.left_out})
        note += f" Not ranked, for lack of numbers: {'; '.join(left_out)}." if left_out else ""
    page = make_page([""] if rankings else [], heading=heading, note=note, row_height=0.9 + 0.21 * max(len(order), 3))
    _leave_room_for_names(page.fig)
    for ax in page.axes:
        for number, (place, ranking) in enumerate(rankings.items()):
            color, marker = styles[place]
            rows = np.arange(len(order)) + 0.16 * (number - (len(rankings) - 1) / 2)  # equal ranks stay visible
            own = ranking.ranks.reindex(order)
            level = own - own.min() <= ranking.test.critical_difference
            for faces, chosen in ((color, level), ("white", ~level)):
                ax.plot(own[chosen], rows[chosen], color=color, mfc=faces, marker=marker, markersize=4.5, linestyle="none")
        _name_rows(ax, [field.label(m) for m in order], zero=False)
        ax.grid(axis="y", visible=True)
        ax.set(xlim=(0.5, len(order) + 0.5), xlabel="mean rank (1 is best)")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    page.add_legend([
        Line2D([], [], color=styles[place][0], marker=styles[place][1], linestyle="none", label=PLACES[place]) for place in rankings
    ])  # fmt: skip
    return page.fig


def figure_costs(results: Results, paper: Paper) -> Figure:
    """Seconds against mean rank: a panel per metric, every learner named at its point, with the Pareto front."""
    field, times = Field.of(results, ["two_sample"]), seconds(results.timings, "two_sample")
    points = {metric: time_and_rank(times, field.ranking("two_sample", metric).ranks) for metric in MEASURES}
    points = {metric: found for metric, found in points.items() if len(found)}
    titles = []
    for metric, found in points.items():
        best = found["rank"].idxmin()
        name, spent = quoted(field.label(str(best))), found.loc[best, "seconds"]
        titles.append(f"By {METRICS[metric]}, {name} ranks best and takes {spent:.2g} s per task")
    note = (
        "Seconds of fitting and predicting on one thread, the median over tasks. Filled, with the line: the Pareto front; no "
        "other learner is both faster and better ranked."
    )
    page = make_page(titles, note=note, shape=(max(len(points), 1), 1), row_height=3.1, title_size=9, sharex=True, sharey=True)
    corners = [draw_front(ax, found) for ax, found in zip(page.axes, points.values(), strict=True)]
    for ax, found, line in zip(page.axes, points.values(), corners, strict=True):
        named = found.sort_values("rank")
        label_points(ax, [(x, y, field.label(str(m))) for m, (x, y) in named.iterrows()], line=line)
    return page.fig


def draw_front(ax: Axes, points: pd.DataFrame) -> list[tuple[float, float]]:
    """A mark per method; those of the front are filled and joined.  Returns the corners of the line that joins them."""
    front = points.loc[pareto_front(points)]
    rest = points.drop(front.index)
    ax.step(front["seconds"], front["rank"], where="post", color=BLUE, linewidth=0.9, zorder=1)
    ax.plot(front["seconds"], front["rank"], color=BLUE, marker="o", markersize=5, linestyle="none")
    ax.plot(rest["seconds"], rest["rank"], color=INK, mfc="white", marker="o", markersize=4.5, linestyle="none")
    ax.set_xscale("log")
    ax.set_xlim(points["seconds"].min() / 2, points["seconds"].max() * 6)
    ax.set_ylim(np.ceil(points["rank"].max()) + 0.8, 0.2)
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    ax.set(xlabel="seconds", ylabel="mean rank (1 is best)")
    before = front["rank"].shift().fillna(front["rank"])
    return [
        corner for x, y, last in zip(front["seconds"], front["rank"], before, strict=True) for corner in ((x, last), (x, y))
    ]


def figure_tasks(results: Results, paper: Paper) -> Figure:
    """A row per task, a column per learner: how far each learner is behind the best one of each task."""
    field = Field.of(results, ["two_sample"], ["accuracy"])
    ranking = field.ranking("two_sample", "accuracy")
    if not ranking.there:
        return make_page([]).fig
    best = ranking.scores.max(axis=1).sort_values(ascending=False, kind="stable")  # the hardest tasks at the bottom
    behind = 100 * ranking.scores.rsub(best, axis=0).loc[best.index, ranking.order]
    near = int((behind[ranking.order[0]] <= LEVEL).sum())
    name = sentence_case(quoted(field.label(ranking.order[0])))
    page = make_page(
        [""], heading=f"{name} is within {LEVEL:g} point of the best on {near} of {len(behind)} tasks",
        note=f"Accuracy: points behind the best learner of the task, means over {field.repeats} repeats. Dots: the best. Learners by mean rank, tasks by their best score.",
        row_height=1.9 + 0.16 * len(behind),
    )  # fmt: skip
    ax = page.axes[0]
    bar = {"label": "points behind the best", "shrink": 0.7, "extend": "max"}
    sns.heatmap(behind, ax=ax, vmin=0, vmax=MOST, cmap="viridis_r", rasterized=True, cbar_kws=bar)
    rows, columns = np.nonzero(behind.to_numpy() == 0)
    ax.plot(columns + 0.5, rows + 0.5, linestyle="none", marker="o", markersize=2.5, color="black", rasterized=True)
    ax.set(xlabel="", ylabel="")
    ax.grid(False)
    names = [field.label(m) for m in behind.columns]
    ax.set_xticks(np.arange(len(names)) + 0.5, names, rotation=55, ha="right", rotation_mode="anchor", fontsize=6.5)
    ax.set_yticks(np.arange(len(behind)) + 0.5, [field.task(task) for task in behind.index], rotation=0, fontsize=6.5)
    return page.fig
