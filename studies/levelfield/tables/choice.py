"""Tables of what learners cost, which learners suit which tasks, more rows, and fewer positives."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pulab.tables import Paper, Results, Table
from pulab.tables.numerals import signed
from studies.levelfield import levels, numbers
from studies.levelfield.columns import OVER_TASKS, at, failures, left_out, level_means, of_columns, rows_of, values, write
from studies.levelfield.field import Field, Label
from studies.levelfield.levels import MAIN, MEASURES, METRICS, PLACES, TIMED, Level


def table_costs(results: Results, paper: Paper) -> Table:
    """Make a row per method: its mean rank, times and memory, and whether it is on the Pareto front."""
    field = Field.of(results, [TIMED], ["accuracy"])
    ranking, times = field.ranking(TIMED, "accuracy"), numbers.seconds(results.timings, TIMED)
    front, methods = numbers.pareto_front(numbers.time_and_rank(times, ranking.ranks)), pd.Index(field.table.columns)
    columns = [values("mean rank, accuracy", ranking.ranks.reindex(methods), "{:.2f}", tasks=len(ranking.scores))]
    for name, label in (("fit", "fit, s"), ("predict", "predict, s"), ("peak_memory_mb", "memory, MB")):
        own = times.xs(name, level="metric") if name in times.index.get_level_values(-1) else pd.DataFrame(dtype=float)
        most, median = own.max(axis=1), own.median(axis=1)
        texts = write("{:.0f}", most) if "memory" in name else write("{:.3g} ({:.3g})", median, most)
        columns.append(values(label, median, texts, low=own.min(axis=1), high=most, tasks=own.count(axis=1)))
    on_front = pd.Series(methods.isin(front), index=methods, dtype=float)
    columns.append(values("on the front", on_front, lambda yes: "yes" if yes else "–"))
    machines = sorted(set(results.timings.loc[results.timings["setting"] == TIMED, "machine"]))
    legend = (
        "Seconds on one thread, after compilation: medians over tasks of medians over {repeats}, with the slowest task's in "
        "parentheses. Memory: growth of the process, in megabytes, on the largest task. On the front: no learner is "
        "both faster and better ranked."
    )
    remarks = [f"Measured on {'; '.join(machines)}." if machines else "", *left_out({"ranks": ranking})]
    return of_columns(field, rows_of(field, TIMED), columns, legend=legend, remarks=remarks)


def table_properties(results: Results, paper: Paper) -> Table:
    """Make a row per learner: the correlation of its lead with each property of a task, by each metric."""
    setting = next(iter(MAIN))
    field = Field.of(results, [setting], [*MEASURES, *numbers.FACTS])
    rankings, columns = {metric: field.ranking(setting, metric) for metric in MEASURES}, []
    for metric, ranking in rankings.items():
        found = numbers.correlations(ranking.scores, numbers.properties(field, setting, metric))
        for name, own in found.set_index("method").groupby("property", sort=False):
            stars = own["p_holm"].lt(0.05).map({True: "*", False: ""})
            texts = write("{}{}", own["rho"].map(lambda rho: signed(rho, 2)), stars)
            column = at(setting, metric, f"{name}, {METRICS[metric]}")
            columns.append(values(column, own["rho"], texts, tasks=own["tasks"]))
    first = rankings["accuracy"]
    caveat = (
        f"Over {len(first.scores)} tasks, chance alone gives correlations of up to about "
        f"{1.96 / np.sqrt(max(len(first.scores) - 1, 1)):.2f}. A correlation is not a cause."
    )
    legend = (
        "Spearman's correlation over tasks between a property and a learner's score minus the mean of all learners on that "
        "task ({repeats}); * significant at 5% after Holm's correction over a metric's columns."
    )
    remarks = [caveat if columns else "Too few tasks for a correlation.", *left_out(dict(rankings))]
    return of_columns(field, {m: field.label(m) for m in first.order}, columns, legend=legend, remarks=remarks)


def table_advice(results: Results, paper: Paper) -> Table:
    """Make a row per way of choosing a learner, judged on tasks that it has not seen."""
    field, columns = Field.of(results, MAIN, [*MEASURES, *numbers.KNOWN]), []
    for setting, metric in PLACES:
        found = 100 * numbers.advice(field.ranking(setting, metric).scores, numbers.known_facts(field, setting))
        gained = found.sub(found["first"], axis=0)
        low, high = gained.quantile(0.05), gained.quantile(0.95)
        if len(found):
            texts = write("{:.1f}", found.mean())
            columns.append(values(at(setting, metric), found.mean(), texts, tasks=len(found)))
            texts = write("{} [{}, {}]", gained.mean().map(signed), low.map(signed), high.map(signed))
            columns.append(values(at(setting, metric, "{} gained"), gained.mean(), texts, low=low, high=high))
    legend = (
        f"Means over {numbers.N_HALVES} random splits of the tasks into halves, in percent, and points gained over always "
        "using the best-ranked learner (with the range of 90% of the splits). One half determines the best-ranked learner and "
        "a tree of depth two, which predicts each learner's lead from rows, features, labels, the estimated π, and the share "
        "of discrete features; both are evaluated on the other half. Means over {repeats}."
    )
    rows = {
        "first": "always the best-ranked learner",
        "rule": "chosen by a tree of depth two",
        "best": "the best learner of each task",
    }
    return of_columns(field, rows, columns, legend=legend)


def table_sizes(results: Results, paper: Paper) -> Table:
    """Make a row per learner: scores, ranks and seconds by number of unlabeled rows."""
    field, columns = Field.of(results, levels.SIZES), []
    for metric in MEASURES:
        columns += [level_means(s, metric, "{}", level, field.scores(s, metric)) for s, level in levels.SIZES.items()]
        ranks = {s: field.ranking(s, metric) for s in levels.SIZES}
        columns += [
            values(at(s, metric, f"rank by {{}}, {levels.SIZES[s].label}"), own.ranks, "{:.2f}", tasks=len(own.scores))
            for s, own in ranks.items()
            if own.there
        ]
    for setting, level in levels.SIZES.items():
        times = numbers.seconds(results.timings, setting)
        if len(times):
            fit = times.xs("fit", level="metric").median(axis=1)
            columns.append(values(Label.of(f"fit, s, {level.label}", setting=setting), fit, "{:.2g}"))
    legend = (
        f"By number of unlabeled rows, with 100 labeled ones and the estimated π, in percent: {OVER_TASKS}. Fit: seconds of "
        "one thread, median over tasks. Few tasks have 50,000 rows."
    )
    rows = {method: field.label(method) for method in (*field.table.columns, *field.reasons)}
    return of_columns(field, rows, columns, legend=legend, remarks=failures(field))


def table_rare(results: Results, paper: Paper) -> Table:
    """Make a row per method: AUC and average precision by π and number of labels."""
    settings = [setting for own in levels.RARE.values() for setting in own]
    field, columns = Field.of(results, settings, ["auc", "average_precision"]), []
    for metric in ("auc", "average_precision"):
        for n, own in levels.RARE.items():
            for setting, percent in own.items():
                scores, level = field.scores(setting, metric), Level(f"π = {percent}%, {n} labels")
                tests = numbers.beats_a_constant(scores[field.ranked(scores.columns)], metric, percent)
                columns.append(level_means(setting, metric, "{}", level, scores, pvalues=tests))
    legend = (
        f"In percent: {OVER_TASKS}. Positives are removed until π is reached. A constant has an AUC of 50% and an average "
        "precision of π; p: one-sided Wilcoxon test over tasks of whether a learner is better, after Holm's correction over "
        "the column."
    )
    rows = {method: field.label(method) for method in (*field.table.columns, *field.reasons)}
    return of_columns(field, rows, columns, legend=legend, remarks=failures(field))
