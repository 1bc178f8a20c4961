"""Figures of the level field: dot plots of scores, losses and ranks, times against ranks, and tasks by learners."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from pulab.figures.labels import quoted
from pulab.figures.panels import make_page
from pulab.figures.style import BLUE, INK, MUTED
from pulab.tables import Paper, Results
from pulab.tables.numerals import plain_number
from pulab.tables.sentences import Range, between, listing, sentence_case
from studies.levelfield import levels, numbers
from studies.levelfield.dots import draw_dots, draw_learners, draw_means
from studies.levelfield.field import Field, best_of, mean_over_methods, over_tasks
from studies.levelfield.leaders import may_be_chance
from studies.levelfield.levels import MAIN, MEASURES, METRICS, PLACES, TIMED, Level
from studies.levelfield.points import label_points

#: In points: the distance from the best that counts as level with it, and the distance beyond which colors do not change.
LEVEL, MOST = 1.0, 20.0
#: Number of the best-ranked learners that are labeled at their points, and that have a column in the figure of tasks.
N_NAMED, N_COLUMNS = 10, 15


# --- scores and losses --------------------------------------------------------------------------------------------------------


def figure_labels(results: Results, paper: Paper) -> Figure:
    """Draw scores by number of labels, on tasks with every number shown; the best with the fewest labels come first."""
    field, panels, ceilings = Field.of(results, ["two_sample", *levels.LABELS]), {}, []
    for metric in MEASURES:
        scores = {setting: field.scores(setting, metric) for setting in levels.LABELS}
        most = max(map(len, scores.values()))
        shown = {setting: table for setting, table in scores.items() if len(table) == most > 0}
        tasks = sorted(set.intersection(*(set(table.index) for table in shown.values()))) if shown else []
        panels[metric] = {setting: table.loc[tasks, field.ranked(table.columns)] for setting, table in shown.items()}
        reference = field.scores("two_sample", metric).reindex(tasks)
        ceilings.append(100 * best_of(reference, field.of_role(reference.columns, "ceiling")).mean())
    heading, order = "", pd.Series(dtype=float)
    if scores := {levels.LABELS[setting].label: table for setting, table in panels["accuracy"].items()}:
        fewest, most = next(iter(scores)), list(scores)[-1]
        leaders = ({m: 100 * scores[n][m].mean() for m in _leaders(scores[n])} for n in (fewest, most))
        first, last = (listing([f"{quoted(field.label(m))} ({mean:.1f}%)" for m, mean in own.items()]) for own in leaders)
        heading = f"With {fewest} labels, accuracy is highest for {first}; with {most}, for {last}"
        order = -100 * scores[fewest].mean()
    note = "Scores in percent; dashed: the best classifier trained on true labels of all rows. The title names two learners if "
    note += "the 95% interval of their difference includes zero"
    page = draw_learners(field, panels, _called(levels.LABELS, "{} labels"), order, heading, note, "%")
    for ax, best_with_truth in zip(page.axes, ceilings, strict=False):
        ax.axvline(best_with_truth, color=MUTED, linestyle="--", linewidth=1.0, zorder=1)
    return page.fig


def _leaders(scores: pd.DataFrame) -> list[str]:
    """Return the learner with the best mean, and also the runner-up if the interval of their difference includes zero."""
    best = list(scores.mean().sort_values(ascending=False, kind="stable").index[:2])
    behind = over_tasks(scores[[best[0]]].sub(scores[best[-1]], axis=0)).loc[best[0]]
    return best[:1] if behind["low"] > 0 else best


def figure_sizes(results: Results, paper: Paper) -> Figure:
    """Draw scores by number of unlabeled rows, on tasks with all sizes but the largest; the best with most rows come first."""
    field = Field.of(results, levels.SIZES)
    settings = [setting for setting in levels.SIZES if len(field.scores(setting, "auc"))]
    most = max((len(field.scores(setting, "auc")) for setting in settings), default=0)
    settings = [setting for setting in settings if len(field.scores(setting, "auc")) == most]
    panels = {metric: {s: _ranked_scores(field, s, metric) for s in settings} for metric in MEASURES}
    heading, order = "", pd.Series(dtype=float)
    if len(settings) > 1:
        fewest, last = settings[0], settings[-1]
        order = -100 * panels["auc"][last].mean()
        gained = over_tasks(mean_over_methods(numbers.gains(field, fewest, last, "auc")).to_frame("gained")).loc["gained"]
        verb = "adds" if gained["low"] > 0 else "costs"
        points = f"{verb} {plain_number(abs(gained['mean']))} points of AUC on average"
        shown = points if gained["low"] > 0 or gained["high"] < 0 else "shows no gain in AUC on average"
        names = [levels.SIZES[setting].label for setting in (fewest, last)]
        heading = f"Going from {names[0]} to {names[1]} unlabeled rows {shown}"
    note = "Scores in percent, with 100 labels and the estimated π"
    return draw_learners(field, panels, _called(levels.SIZES, "{} rows"), order, heading, note, "%").fig


def _ranked_scores(field: Field, setting: str, metric: str) -> pd.DataFrame:
    scores = field.scores(setting, metric)
    return scores[field.ranked(scores.columns)]


def figure_rare(results: Results, paper: Paper) -> Figure:
    """Draw scores by π with the fewest labels; the best with the rarest positives come first."""
    n, own = next(iter(levels.RARE.items()))
    field = Field.of(results, own, ["auc", "average_precision"])
    settings = [setting for setting in own if len(field.scores(setting, "auc"))]
    panels = {metric: {s: _ranked_scores(field, s, metric) for s in settings} for metric in ("auc", "average_precision")}
    heading, order = "", pd.Series(dtype=float)
    if settings:
        rarest, most = settings[0], settings[-1]
        order = -100 * panels["auc"][rarest].mean()
        best, ends = order.idxmin(), {m: (each[most], each[rarest]) for m, each in panels.items()}
        auc, precision = (
            " to ".join(f"{100 * scores.mean().get(best, np.nan):.1f}%" for scores in ends[m])
            for m in ("auc", "average_precision")
        )
        heading = (
            f"As π falls from {own[most]}% to {own[rarest]}%, the average precision of {quoted(field.label(best))} goes from "
            f"{precision}, its AUC from {auc}"
        )
    note = (
        f"In percent, with {n} labels and the estimated π; the best AUC at the lowest π first. A constant has the AUC of the "
        "dotted line and an average precision of π (ticks at the bottom)"
    )
    page = draw_learners(field, panels, {s: f"π = {own[s]}%" for s in own}, order, heading, note, "%", sharex=False)
    for ax, metric in zip(page.axes, panels, strict=False):
        if metric == "auc":
            ax.axvline(50, color=MUTED, linestyle=":", linewidth=1.2, zorder=1)
            continue
        for setting, line in zip(settings, list(ax.lines), strict=True):
            ax.axvline(own[setting], ymax=0.025, color=line.get_color(), linewidth=2)
    return page.fig


def _called(compared: Mapping[str, Level], text: str) -> dict[str, str]:
    return {setting: text.format(level.label) for setting, level in compared.items()}


def figure_biased(results: Results, paper: Paper) -> Figure:
    note = "Points lost compared with labels drawn at random. k: the labeling probability grows as the posterior, or the "
    note += "nearness to the boundary, to the power k"
    return draw_losses(results, levels.BIASED, "{}", "with labels on {}", note)


def figure_wrong(results: Results, paper: Paper) -> Figure:
    return draw_losses(results, levels.WRONG, "{} wrong", "with {} wrong labels", "Points lost compared with correct labels")


def figure_wrong_prior(results: Results, paper: Paper) -> Figure:
    note = "Points lost compared with the true π, by the multiple of π that is given"
    return draw_losses(results, levels.PRIORS, "{} π", "given {} times the true π", note)


def draw_losses(results: Results, compared: Mapping[str, Level], called: str, wording: str, note: str) -> Figure:
    """Draw what each learner loses at some levels compared with their references, from the smallest loss at the worst level."""
    field = Field.of(results, [*compared, *{level.reference for level in compared.values()}])
    panels = {metric: field.losses(compared, metric) for metric in MEASURES}
    heading, order = "", pd.Series(dtype=float)
    shared = {setting: 100 * table.dropna(axis="columns") for setting, table in panels["accuracy"].items()}
    if means := {setting: table.mean() for setting, table in shared.items() if table.size}:
        worst = max(means, key=lambda setting: means[setting].mean())
        order = means[worst]
        least = [f"{quoted(field.label(m))} ({plain_number(order[m])} points)" for m in _leaders(-shared[worst])]
        tasks, learners = panels["accuracy"][worst].shape
        among = f" among learners with all {tasks} tasks" if len(order) < learners else ""
        lose = "loses" if len(least) == 1 else "lose"
        heading = (
            f"{sentence_case(wording.format(compared[worst].label))}, {listing(least)} {lose} least accuracy{among}, "
            f"{quoted(field.label(order.idxmax()))} most ({plain_number(order.max())} points)"
        )
    note = f"{note}; values left of zero are gains"
    return draw_learners(field, panels, _called(compared, called), order, heading, note, "points lost").fig


def figure_estimated_prior(results: Results, paper: Paper) -> Figure:
    """Draw a row per estimator of π, from the one that costs least."""
    field = Field.of(results, ["two_sample", *levels.ESTIMATED])
    off = {s: 100 * own.abs().mean() for s, own in numbers.prior_errors(results.tidy, levels.ESTIMATED).items()}
    panels = {metric: field.losses({s: levels.ESTIMATED[s] for s in off}, metric) for metric in MEASURES}
    lost = {s: 100 * mean_over_methods(table).mean() for s, table in panels["accuracy"].items() if table.size}
    heading, costs = "", pd.Series(lost, dtype=float).sort_values(kind="stable")
    if len(costs):
        (nearest, points), cheapest = min(off.items(), key=lambda own: own[1]), costs.index[0]
        found = f"{sentence_case(levels.ESTIMATED[nearest].label)} is nearest to the true π ({points:.1f} points off)"
        least = " and" if cheapest == nearest else f"; {levels.ESTIMATED[cheapest].label}"
        heading = f"{found}{least} costs least accuracy ({plain_number(costs.iloc[0])} points)"
    rows = {s: f"{levels.ESTIMATED[s].label}\n(π is {off[s]:.1f} points off)" for s in costs.index}
    return draw_means(panels, rows, heading, "Points lost compared with the same learners given the true π", "points lost")


def figure_tuning(results: Results, paper: Paper) -> Figure:
    """Draw a row per criterion."""
    field = Field.of(results, ["tuning_none", *levels.TUNED])
    panels = {metric: {s: -lost for s, lost in field.losses(levels.TUNED, metric).items()} for metric in MEASURES}
    heading, rows = "", {s: own.label for s, own in levels.TUNED.items()} | {"tuning_oracle": "true labels"}
    found = over_tasks(pd.DataFrame({s: mean_over_methods(table) for s, table in panels["accuracy"].items() if table.size}))
    if len(found) > 1:
        gains = found["mean"].map("gains {:.1f} points of accuracy".format).where(found["low"] > 0, "shows no gain in accuracy")
        clear = found[found["low"] > 0]["mean"].drop("tuning_oracle", errors="ignore")
        best = f"Tuning by {rows[clear.idxmax()]} {gains[clear.idxmax()]}" if len(clear) else "No PU criterion shows a gain"
        heading = f"{best}; tuning by true labels {gains['tuning_oracle']}"
    note = (
        "Points gained over defaults by tuning on each criterion (grids are small; true labels are those of the held-out rows)"
    )
    return draw_means(panels, rows, heading, note, "points gained")


# --- ranks, times and tasks ---------------------------------------------------------------------------------------------------


def figure_ranks(results: Results, paper: Paper) -> Figure:
    """Draw learners from the best mean rank over scenarios and metrics; those that may be as good as the best are hollow."""
    field = Field.of(results, MAIN)
    rankings = {place: ranking for place in PLACES if (ranking := field.ranking(*place)).there}
    panels = {m: {s: rankings[s, m].task_ranks / 100 for s in MAIN if (s, m) in rankings} for m in MEASURES}
    order = pd.DataFrame({place: ranking.ranks for place, ranking in rankings.items()}).mean(axis=1).sort_values(kind="stable")
    heading, note = "", ""
    if rankings:
        firsts = Counter(ranking.order[0] for ranking in rankings.values())
        leaders = [quoted(field.label(method)) for method, times in firsts.items() if times == max(firsts.values())]
        has = "has" if len(leaders) == 1 else "each have"
        heading = sentence_case(
            f"{listing(leaders)} {has} the best mean rank in {max(firsts.values())} of {len(rankings)} rankings"
        )
        chance = [f"“{PLACES[place]}”" for place, ranking in rankings.items() if may_be_chance(ranking.task_ranks)]
        doubt = "each lead" if len(chance) == len(rankings) else f"the lead by {listing(chance)}"
        heading += f"; {doubt} may be chance" if chance else ""
        sizes = between(Range.of([len(ranking.scores) for ranking in rankings.values()]))
        left_out = sorted({name for ranking in rankings.values() for name in ranking.left_out})
        note = (
            f"Mean ranks over {sizes} tasks with 95% bootstrap intervals; π is estimated. Rows are ordered by the mean over "
            "all rankings. Hollow: not significantly behind the best of the ranking (Wilcoxon's test, 5% after Holm's "
            "correction over all pairs). The test compares scores, not ranks: a filled mark can be left of a hollow one."
            + (f" Not ranked, for lack of results: {'; '.join(left_out)}." if left_out else "")
        )
    rows = {method: field.label(method) for method in order.index}
    page = draw_dots(panels, rows, MAIN, heading, note, "mean rank (1 is best)")
    for ax, metric in zip(page.axes, [metric for metric in MEASURES if panels[metric]], strict=True):
        for setting, line in zip(panels[metric], ax.lines, strict=True):
            level = rankings[setting, metric].level.reindex(list(rows)).eq(True).to_numpy()
            x, y = (np.asarray(values)[level] for values in line.get_data())
            (hollow,) = ax.plot(
                x, y, linestyle="none", color=line.get_color(), markersize=4, markerfacecolor="white", zorder=3.5
            )
            hollow.set_marker(line.get_marker())
        ax.grid(axis="y", visible=True)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return page.fig


def figure_costs(results: Results, paper: Paper) -> Figure:
    """Draw seconds against mean rank: a panel per metric, with the best learners labeled and the Pareto front."""
    field, times = Field.of(results, [TIMED]), numbers.seconds(results.timings, TIMED)
    points = {metric: numbers.time_and_rank(times, field.ranking(TIMED, metric).ranks) for metric in MEASURES}
    points = {metric: found for metric, found in points.items() if len(found)}
    titles = []
    for metric, found in points.items():
        best = found["rank"].idxmin()
        name, spent = quoted(field.label(str(best))), found.loc[best, "seconds"]
        titles.append(f"By {METRICS[metric]}, {name} ranks best and takes {spent:.2g} s per task")
    note = (
        "Seconds to fit and predict on one thread, median over tasks. Filled marks and line: the Pareto front, where no other "
        f"learner is both faster and better ranked. Labeled: these and the {N_NAMED} best-ranked learners; the table has all."
    )
    page = make_page(titles, note=note, shape=(max(len(points), 1), 1), row_height=3.1, title_size=9, sharex=True, sharey=True)
    for ax in page.axes[:1]:  # the panels share their axes
        every = pd.concat(list(points.values()))
        ax.set(xscale="log", xlim=(every["seconds"].min() / 2, every["seconds"].max() * 6))
        ax.set_ylim(np.ceil(every["rank"].max()) + 0.8, max(0.2, every["rank"].min() - 2))
    corners = [draw_front(ax, found) for ax, found in zip(page.axes, points.values(), strict=True)]
    for ax, found, line in zip(page.axes, points.values(), corners, strict=True):
        front = numbers.pareto_front(found)
        named = found[found.index.isin(front) | (found["rank"].rank() <= N_NAMED)].sort_values("rank")
        others = list(found.drop(named.index).itertuples(index=False, name=None))
        label_points(ax, [(x, y, field.label(str(m))) for m, (x, y) in named.iterrows()], others=others, line=line)
    return page.fig


def draw_front(ax: Axes, points: pd.DataFrame) -> list[tuple[float, float]]:
    """Draw a mark per method, with the front filled and joined by a line; return the corners of the line."""
    front = points.loc[numbers.pareto_front(points)]
    rest = points.drop(front.index)
    ax.step(front["seconds"], front["rank"], where="post", color=BLUE, linewidth=0.9, zorder=1)
    ax.plot(front["seconds"], front["rank"], color=BLUE, marker="o", markersize=5, linestyle="none")
    ax.plot(rest["seconds"], rest["rank"], color=INK, mfc="white", marker="o", markersize=4.5, linestyle="none")
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    ax.set(xlabel="seconds", ylabel="mean rank (1 is best)")
    before = front["rank"].shift().fillna(front["rank"])
    return [
        corner for x, y, last in zip(front["seconds"], front["rank"], before, strict=True) for corner in ((x, last), (x, y))
    ]


def figure_tasks(results: Results, paper: Paper) -> Figure:
    """Draw how far each learner (column) is behind the best one of each task (row)."""
    setting = next(iter(MAIN))
    field = Field.of(results, [setting], ["accuracy"])
    ranking = field.ranking(setting, "accuracy")
    if not ranking.there:
        return make_page([]).fig
    best = ranking.scores.max(axis=1).sort_values(ascending=False, kind="stable")  # the hardest tasks at the bottom
    each = 100 * ranking.scores.rsub(best, axis=0).loc[best.index, ranking.order]
    behind, near = each.iloc[:, :N_COLUMNS], (each <= LEVEL).sum()
    nearest = [quoted(field.label(method)) for method in near.index[near == near.max()]]
    verb = "is" if len(nearest) == 1 else "are each"
    where = f"within {LEVEL:g} point of the best on {near.max()} of {len(each)} tasks, more often than any other"
    page = make_page(
        [""], heading=sentence_case(f"{listing(nearest)} {verb} {where}"),
        note=f"Points of accuracy behind the best of all {each.shape[1]} learners on the task; darkest: {MOST:g} or more. "
        f"Columns: the {behind.shape[1]} best-ranked learners, by mean rank. Rows: tasks, by their best score. Dots mark the "
        "best; in a row without a dot, the best learner is not shown.",
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
