"""What an estimated π is off by, and what that costs, by estimator: the mean over learners, among them each learner."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from pulab.figures.panels import make_page
from pulab.tables import Results
from pulab.tables.sentences import sentence_case
from studies.levelfield.drawing import draw_intervals, draw_means_among_learners, name_rows
from studies.levelfield.field import METRICS, Field, difference, over_tasks
from studies.levelfield.levels import ESTIMATED, MEASURES
from studies.levelfield.tables.priors import prior_errors


def draw_priors(results: Results) -> Figure:
    """A row per estimator, from the one that costs least on."""
    reference, metrics = "two_sample", MEASURES
    field = Field.of(results, [reference, *ESTIMATED], metrics)
    errors = prior_errors(results.tidy, ESTIMATED)
    costs = {
        metric: {s: difference(field.scores(reference, metric), field.scores(s, metric)) for s in errors} for metric in metrics
    }
    first = costs[metrics[0]]
    shown = [s for s in first if first[s].size]
    # from the estimator that costs least on
    shown.sort(key=lambda s: first[s][field.ranked(first[s].columns)].mean(axis=1).mean())
    names = {s: ESTIMATED[s] for s in shown}
    off = over_tasks(pd.DataFrame({names[s]: errors[s].abs() for s in shown}))
    learners = {m for table in first.values() for m in field.ranked(table.columns)}
    titles = ["error of π", *(f"{METRICS[metric]} lost" for metric in metrics)] if shown else []
    note = (
        "Left: estimated minus true π without its sign. Right: points lost against the same learner given the "
        "true π. Circles: means "
        f"over {int(off['tasks'].max())} tasks with 95% bootstrap intervals (right: of the mean over "
        f"{len(learners)} learners). "
        "Ticks above them: each learner's mean."
    ) if shown else ""  # fmt: skip
    page = make_page(titles, note=note, heading=_finding(off) if shown else "", shape=(1, max(len(titles), 1)),
                     row_height=0.9 + 0.3 * max(len(shown), 2), title_size=9, sharey=True)  # fmt: skip
    for k, ax in enumerate(page.axes):
        if k == 0:
            draw_intervals(ax, off.reindex(list(names.values())), shift=0.12)
            name_rows(ax, list(names.values()))
            ax.set_xlim(left=0.0)
        else:
            tables = {names[s]: costs[metrics[k - 1]][s] for s in shown}
            draw_means_among_learners(ax, {name: table[field.ranked(table.columns)] for name, table in tables.items()})
        ax.tick_params(labelleft=k == 0)
        ax.set_xlabel("points" if k == 0 else "points lost")
    if len(page.axes) > 2:
        limits = [ax.get_xlim() for ax in page.axes[1:]]
        for ax in page.axes[1:]:
            ax.set_xlim(min(low for low, _ in limits), max(high for _, high in limits))
    return page.fig


def _finding(off: pd.DataFrame) -> str:
    """Who costs least, and who is nearest to π."""
    cheapest, nearest = off.index[0], off["mean"].idxmin()
    found = sentence_case(f"{nearest} is nearest to the true π ({off.loc[nearest, 'mean']:.1f} points off)")
    return f"{found} and costs least" if cheapest == nearest else f"{found}; {cheapest} costs least accuracy"
