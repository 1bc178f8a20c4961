"""The tables of the level field: each function makes the table of its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pulab.tables import Answers, Paper, Results, Table
from pulab.tables.numerals import signed
from pulab.tables.results import method_class
from pulab.tables.sentences import sentence_case
from pulib.statistics import paired_wilcoxon
from studies.levelfield import levels, numbers
from studies.levelfield.answers import answers
from studies.levelfield.columns import Column, at, left_out, means, of_columns, rows_of, values, with_dashes, write
from studies.levelfield.field import UNRANKED, Field, Label, Ranking, mean_over_methods
from studies.levelfield.levels import MAIN, MEASURES, METRICS, PLACES, TRUE_PRIOR, WITH_TRUE_PRIOR, Level
from studies.levelfield.study.experiments import APPENDIX, FIRST

#: Of the mean over learners, a row like any other.
ALL = "mean over learners"
#: Behind a mean rank whose learner is not significantly different from the best one.
LEVEL = "•"
#: What the table of all metrics shows.
SHOWN = ("accuracy", "balanced_accuracy", "f1", "auc", "average_precision")
#: Of probabilities: lower is better.
CALIBRATION = ("brier", "calibration_error")
#: What legends share.
OVER_TASKS = "means over tasks of means over {repeats}, with 95% bootstrap intervals over tasks in brackets"
TEST = "Wilcoxon's test over tasks, 5% after Holm's correction over all pairs"
TESTED = "p: Wilcoxon's test over tasks that nothing changes, after Holm's correction over the column."


# --- how much was run, and who ranks where ------------------------------------------------------------------------------------


def table_coverage(results: Results, paper: Paper) -> Table:
    """A row per setting."""
    found = numbers.coverage(results.tidy, results.roles)
    fewest, most = found["fewest"], found["most"]
    columns = [values(name, found[name], "{}") for name in ("tasks", "learners", "ceilings", "trivial")]
    span = write("{}–{}", fewest, most).where(fewest < most, write("{}", most))
    columns.append(values("repeats", most, span, low=fewest, high=most))
    rows = {setting: results.setting_labels.get(setting, setting) for setting in found.index}
    legend = "Counts include trials with results only. Repeats: the most that a task has, and the fewest if they differ."
    return of_columns(Field.of(results, rows), rows, columns, legend=legend)


def table_overview(results: Results, paper: Paper) -> Table:
    """A row per learner: its class, its ranks, its accuracy with the estimated and with the true π, its time."""
    field = Field.of(results, [*MAIN, *TRUE_PRIOR])
    rankings = {place: field.ranking(*place) for place in PLACES}
    rankings = {place: ranking for place, ranking in rankings.items() if ranking.there}
    ranks = pd.DataFrame({place: ranking.ranks for place, ranking in rankings.items()}).dropna()
    ranks = ranks.loc[ranks.mean(axis=1).sort_values(kind="stable").index]
    own = results.study.methods_of(None)  # learners are named as the study has them, not as a preset shortens them
    classes = pd.Series({method: method_class(own[method]) for method in ranks.index}, dtype=object)
    columns = [Column("class", classes.to_frame("mark"))]
    for place, ranking in rankings.items():
        rank = ranking.ranks[ranks.index]
        texts = write("{:.2f}", rank).where(~ranking.level[ranks.index], write(f"{{:.2f}} {LEVEL}", rank))
        best = ranking.ranks.iloc[0]
        columns.append(values(at(*place, "rank by {}"), rank, texts, low=best, tasks=len(ranking.scores)))
    scores, with_true = (pd.concat([field.scores(s, "accuracy") for s in own]) for own in (MAIN, TRUE_PRIOR))
    means, true_means = (100 * part.reindex(columns=ranks.index).mean() for part in (scores, with_true))
    behind = means.iloc[:1].sum() - means  # of no learner nothing
    times = pd.concat([numbers.seconds(results.timings, setting) for setting in MAIN], axis=1)
    spent = {m: (times.loc[(m, "fit")] + times.loc[(m, "predict")]).median() for m in ranks.index if (m, "fit") in times.index}
    columns += [
        values("accuracy, %", means, "{:.1f}", tasks=scores.count()),
        values("points behind", behind, "{:.1f}"),
        with_dashes(values("with the true π, %", true_means, "{:.1f}"), ranks.index),
        values("seconds", pd.Series(spent, dtype=float).reindex(ranks.index), "{:.2g}"),
    ]
    legend = (
        f"Mean ranks over tasks: 1 is best; {LEVEL}: not significantly behind the best one ({TEST}), which does not make "
        "the two equal. Rows are ordered by the mean of the ranks. Accuracy: mean over tasks and scenarios, in percent, with "
        "the estimated π and with the true one; points behind: how much lower than in the first row. Seconds: fit and "
        "prediction on one thread, median over tasks. Means over {repeats}."
    )
    remarks = left_out({f"rank by {PLACES[place]}": ranking for place, ranking in rankings.items()})
    return of_columns(field, {m: field.label(m) for m in ranks.index}, columns, legend=legend, remarks=remarks)


def table_ranks(results: Results, paper: Paper) -> Table:
    """A row per method: in each scenario and by each metric its mean, its ranks, and its distance from the best-ranked."""
    field = Field.of(results, [*MAIN, *TRUE_PRIOR])
    rankings = {place: field.ranking(*place) for place in PLACES}
    columns, remarks = [], []
    for place, ranking in rankings.items():
        columns += _rank_columns(field, place, ranking)
        best = f"the best-ranked learner is {field.label(ranking.order[0])}; " if ranking.there else ""
        remarks.append(f"{sentence_case(PLACES[place])}: {best}{ranking.summary()}.")
    first = next((place for place, ranking in rankings.items() if ranking.there), next(iter(PLACES)))
    legend = (
        f"In percent: {OVER_TASKS}. Ranks (1 is best) are over the ranked learners and the tasks that all of them share; who "
        "failed on a task is last there. With the true π: the same if learners are given it. New tasks: without those of the "
        "first edition, which defaults have seen. Finished: over the learners that failed nowhere. Wins and losses against "
        "other learners are by Wilcoxon's test (two-sided, 5% after Holm's correction over all pairs). Behind: the best-ranked "
        "learner's score minus the row's, in points, with p of the same test, and the posterior probabilities that the "
        "best-ranked learner is better, equivalent, or worse (Bayesian signed-rank test with a region of practical equivalence "
        "of one point). Ceilings and trivial classifiers are not ranked."
    )
    remarks += [*_failures(field), *left_out({PLACES[place]: ranking for place, ranking in rankings.items()})]
    return of_columns(field, rows_of(field, *first), columns, legend=legend, remarks=remarks)


def _failures(field: Field) -> list[str]:
    """Who failed where, and why: a sentence per learner and reason."""
    found: dict[tuple[str, str], set[str]] = {}
    for (_, task, method), why in field.failures.items():
        found.setdefault((method, why), set()).add(task)
    return [
        f"{field.label(method)} failed on {', '.join(field.task(task) for task in sorted(tasks))}: {why.rstrip('.')}."
        for (method, why), tasks in found.items()
    ]


def _rank_columns(field: Field, place: tuple[str, str], ranking: Ranking) -> list[Column]:
    scores, true_place = field.scores(*place), (WITH_TRUE_PRIOR[place[0]], place[1])
    learners = field.ranked(scores.columns)

    def ranked(name: str, found: pd.Series, texts: str | pd.Series, own: Ranking = ranking) -> Column:
        return values(at(*place, f"{name} by {{}}"), found.reindex(learners), texts, tasks=len(own.scores))

    columns = [means(at(*place), scores), ranked("mean rank", ranking.ranks, "{:.2f}")]
    others = {
        "rank with the true π": field.ranking(*true_place),
        "rank on new tasks": field.ranking(*place, without=FIRST),
        "rank among those that finished": field.ranking(*place, only_finished=True),
    }
    columns += [ranked(name, own.ranks, "{:.2f}", own) for name, own in others.items()]
    if not ranking.there:
        return columns
    best, pairs, chances = ranking.order[0], ranking.pairs, numbers.against_the_best(ranking)
    compared = scores.loc[ranking.scores.index, [m for m in scores if m in ranking.ranks or m not in learners]]
    behind = -compared.sub(compared[best], axis=0).drop(columns=best)
    distance = means(at(*place, "behind by {}"), behind, with_sign=True, pvalues=pairs.pvalues[best].drop(best))
    distance = with_dashes(distance, scores.columns)
    distance.cells.loc[best, "mark"] = "the best-ranked"
    probabilities = write("{:.2f} / {:.2f} / {:.2f}", chances["better"], chances["same"], chances["worse"])
    return [
        *columns,
        ranked("wins–losses", pairs.wins - pairs.losses, write("{}–{}", pairs.wins, pairs.losses)),
        ranked("first", ranking.first_places, "{:.3g}"),
        distance,
        ranked("better / same / worse", chances["better"], probabilities),
    ]


def table_trivial(results: Results, paper: Paper) -> Table:
    """A row per learner: how many tasks it loses to the best trivial classifier, and its margins, in points."""
    field, columns, lost = Field.of(results, MAIN, ["accuracy"]), [], []
    for setting, label in MAIN.items():
        margins = numbers.margins_over_trivial(field, results.tidy, setting)
        lost += [
            f"{field.label(r.method)} loses {field.task(r.dataset)}, {label}: {signed(r.mean)} points"
            for r in margins[margins["lost"]].itertuples()
        ]
        by_method = margins.sort_values("mean", kind="stable").groupby("method")
        worst, tasks, counts = by_method.first(), by_method.size(), by_method["lost"].sum().astype(int)
        name = at(setting, "accuracy", f"tasks lost, {label}")
        columns.append(values(name, counts, write("{} of {}", counts, tasks), tasks=tasks))
        texts = write("{} ({})", worst["mean"].map(signed), worst["dataset"].map(field.task))
        name = at(setting, "accuracy", f"smallest margin, {label}")
        columns.append(values(name, worst["mean"], texts, low=worst["low"], high=worst["high"], tasks=tasks))
        columns.append(values(at(setting, "accuracy", f"mean margin, {label}"), by_method["mean"].mean(), signed, tasks=tasks))
    shown = rows_of(field, next(iter(MAIN)))
    rows = {method: row for method, row in shown.items() if field.role(method) != "trivial"}
    none = "No learner loses a task to a trivial classifier at its defaults."
    none = none if field.repeats > 1 else "Inconclusive: a single repeat has no interval."
    legend = (
        "Accuracy minus that of the task's best trivial classifier (all positive, all negative, a random share π), in points, "
        "paired over {repeats}. A task is lost if the 95% interval of the difference (Student's t) lies below zero."
    )
    return of_columns(field, rows, columns, legend=legend, remarks=[f"Lost: {'; '.join(lost)}." if lost else none])


def table_tasks(results: Results, paper: Paper) -> Table:
    """A row per task, scenario and metric, with the estimated π."""
    return _task_table(results, MAIN)


def table_appendix(results: Results, paper: Paper) -> Table:
    """The other classes of some data sets, with the true π; no ranking and no test has them."""
    return _task_table(results, TRUE_PRIOR, APPENDIX)


def _task_table(results: Results, references: Mapping[str, str], only: Sequence[str] = ()) -> Table:
    """What a task is like, who is best, and every method's mean over repeats."""
    field = Field.of(results, references)
    # all repeats that a setting has: settings are not compared here
    each = [Field.of(results, [setting], [*MEASURES, *numbers.FACTS]).table for setting in references]
    table = pd.concat([own for own in each if len(own)] or each)
    table = table[table.index.get_level_values("dataset").isin(list(only))] if only else table
    scores = table[table.index.get_level_values("metric").isin(MEASURES)]
    tidy = results.tidy[(results.tidy["status"] == "ok") & (results.tidy["step"] == -1)]
    spreads = tidy.groupby(["setting", "metric", "dataset", "method"], observed=True)["value"].std(ddof=1).unstack("method")
    columns, learners = [], field.ranked(scores.columns)
    for fact, name in numbers.FACTS.items():
        of_task = table[table.index.get_level_values("metric") == fact].median(axis=1).droplevel("metric")
        own = pd.Series({(s, m, task): of_task.get((s, task), np.nan) for s, m, task in scores.index}, dtype=float)
        columns.append(values(name, own, lambda v: f"{v:,.0f}" if v >= 2 else f"{v:.2f}", tasks=1))
    if learners:
        best, who = scores[learners].max(axis=1), scores[learners].idxmax(axis=1).map(lambda m: field.labels.get(m, m))
        columns.append(values("best learner", 100 * best, write("{} {:.1f}", who, 100 * best), tasks=1))
    for method in field.ordered(field.ranking(next(iter(references)), "accuracy"), scores.columns):
        own = 100 * scores[method].dropna()
        around = (100 * spreads[method]).reindex(own.index)
        texts = write("{:.1f} ({:.1f})", own, around).where(around.notna(), write("{:.1f}", own))
        columns.append(values(field.label(method), own, texts, tasks=1))
    places = {(s, m): f"{METRICS[m]}, {label}" for s, label in references.items() for m in MEASURES}
    rows = {
        (s, m, task): Label.of(f"{field.task(task)}, {words}", dataset=task, setting=s, metric=m)
        for task in sorted(set(scores.index.get_level_values("dataset")))
        for (s, m), words in places.items()
        if (s, m, task) in scores.index
    }
    legend = "Means over {repeats}, in percent; standard deviation over repeats in parentheses."
    return of_columns(field, rows, columns, legend=legend)


def table_metrics(results: Results, paper: Paper) -> Table:
    """A row per method: all that is measured of answers and scores, in either scenario."""
    columns = []
    for setting, label in MAIN.items():
        field = Field.of(results, [setting], [*SHOWN, "share_positive", "prior_true"])
        own = [means(at(setting, m, f"{METRICS[m]}, {label}"), field.scores(setting, m)) for m in SHOWN]
        share = field.scores(setting, "share_positive") / field.scores(setting, "prior_true")
        own.append(means(at(setting, "share_positive", f"{{}}, over π, {label}"), share))
        columns += [with_dashes(column, field.scores(setting, "accuracy").columns) for column in own]
    legend = f"In percent: {OVER_TASKS}. The ideal share predicted positive is 100."
    field = Field.of(results, MAIN)
    return of_columns(field, rows_of(field, next(iter(MAIN))), columns, legend=legend)


def table_calibration(results: Results, paper: Paper) -> Table:
    """A row per method with probabilities: how good they are, with the estimated and with the true π."""
    field, columns = Field.of(results, [*MAIN, *TRUE_PRIOR], CALIBRATION), []
    for setting, label in MAIN.items():
        for metric in CALIBRATION:
            for own, words in ((setting, label), (WITH_TRUE_PRIOR[setting], f"{label}, true π")):
                columns.append(means(at(own, metric, f"{{}}, {words}"), field.scores(own, metric)))
        ranks = field.ranking(setting, "brier", lower_is_better=True)
        columns.append(values(at(setting, "brier", f"rank by {{}}, {label}"), ranks.ranks, "{:.2f}", tasks=len(ranks.scores)))
    rows = {method: field.label(method) for method in field.table.columns}
    columns = [with_dashes(column, rows) for column in columns]
    legend = (
        f"In hundredths: {OVER_TASKS}. The Brier score is the mean squared distance of a probability from the truth, the "
        "expected calibration error the mean distance of probabilities from shares of positives over ten bins of equal width. "
        "Lower is better."
    )
    return of_columns(field, rows, columns, legend=legend)


# --- what varies: labels, biases, mistakes, π, the scenario, tuning -----------------------------------------------------------


def table_labels(results: Results, paper: Paper) -> Table:
    """A row per method: scores by number of labels, and how many labels give most of its best score."""
    field, columns = Field.of(results, ["two_sample", *levels.LABELS]), []
    for metric in MEASURES:
        columns.append(means(at("two_sample", metric), field.scores("two_sample", metric)))
        columns += [
            _level(setting, metric, "{}", level, field.scores(setting, metric)) for setting, level in levels.LABELS.items()
        ]
        needed = {m: numbers.labels_needed(field, m, levels.LABELS, metric) for m in field.ranked(field.table.columns)}
        quartiles = {m: np.quantile(own, [0.25, 0.5, 0.75], method="inverted_cdf") for m, own in needed.items() if len(own)}
        found = pd.DataFrame.from_dict(quartiles, orient="index", columns=["low", "median", "high"], dtype=float)
        name = at("", metric, f"labels for {numbers.ENOUGH:.0%} of its best {{}}: median over tasks (quartiles)")
        texts = write("{:.0f} ({:.0f}–{:.0f})", found["median"], found["low"], found["high"])
        tasks = pd.Series({m: len(needed[m]) for m in quartiles}, dtype=int)
        columns.append(values(name, found["median"], texts, low=found["low"], high=found["high"], tasks=tasks))
    return of_columns(field, rows_of(field, "two_sample"), columns, legend=f"In percent: {OVER_TASKS}.")


def _level(setting: str, metric: str, text: str, level: Level, scores: pd.DataFrame, **more: Any) -> Column:
    """The column of one level, named with the number of its tasks."""
    tasks = f", {len(scores)} task{'s' * (len(scores) != 1)}" if len(scores) else ""
    return means(at(setting, metric, f"{text}, {level.label}{tasks}"), scores, **more)


def table_biased(results: Results, paper: Paper) -> Table:
    return loss_table(results, levels.BIASED)


def table_wrong(results: Results, paper: Paper) -> Table:
    return loss_table(results, levels.WRONG)


def table_wrong_prior(results: Results, paper: Paper) -> Table:
    return loss_table(results, levels.PRIORS)


def table_scenarios(results: Results, paper: Paper) -> Table:
    return loss_table(results, levels.SWITCHED)


def loss_table(results: Results, compared: Mapping[str, Level]) -> Table:
    """A row per method: its scores in the references of some levels, and what it loses at each level."""
    references = list(dict.fromkeys(level.reference for level in compared.values()))
    field, columns = Field.of(results, [*references, *compared]), []
    for metric in MEASURES:
        columns += [means(at(reference, metric), field.scores(reference, metric)) for reference in references]
        columns += _losses(field, compared, metric, "{} lost")
    legend = f"Scores in percent, and points lost compared with them: {OVER_TASKS}. {TESTED}"
    return _change_table(field, columns, references[0], legend)


def _losses(field: Field, compared: Mapping[str, Level], metric: str, text: str, sign: int = 1) -> list[Column]:
    """What each learner loses (or gains) at some levels, with tests, and all of them on average."""
    columns = []
    for setting, lost in field.losses(compared, metric).items():
        change = (sign * lost).assign(**{ALL: sign * mean_over_methods(lost)})
        tests = numbers.loss_tests(lost) if lost.size else None
        columns.append(_level(setting, metric, text, compared[setting], change, with_sign=True, pvalues=tests))
    return columns


def _change_table(field: Field, columns: Sequence[Column], reference: str, legend: str) -> Table:
    """The rows of learners that were run at some level, of their mean, and of ceilings and trivial classifiers."""
    changed = {method for column in columns for method in column.cells.index if ALL in column.cells.index}
    rows = rows_of(field, reference)
    unranked = {m: row for m, row in rows.items() if field.role(m) in UNRANKED}
    ranked = {m: row for m, row in rows.items() if m in changed or m in field.reasons}
    columns = [with_dashes(own, own.cells.index.union([ALL], sort=False)) if len(own.cells) else own for own in columns]
    return of_columns(field, ranked | {ALL: ALL} | unranked, columns, legend=legend)


def table_estimated_prior(results: Results, paper: Paper) -> Table:
    """A row per estimator, and per scenario of all tasks: how far the estimate is off, and what that costs."""
    compared = levels.OWN_PRIOR | levels.ESTIMATED
    field = Field.of(results, ["two_sample", *levels.ESTIMATED])
    own = Field.of(results, [*MAIN, *TRUE_PRIOR])
    errors = pd.DataFrame(numbers.prior_errors(results.tidy, compared))
    columns = [means("error without sign", errors.abs()), means("error", errors, with_sign=True)]
    for metric in MEASURES:
        by_estimator = {setting: table for setting, table in field.losses(levels.ESTIMATED, metric).items() if len(table)}
        lost = {s: table for s, table in own.losses(levels.OWN_PRIOR, metric).items() if len(table)} | by_estimator
        mean = pd.DataFrame({setting: mean_over_methods(table) for setting, table in lost.items()})
        tests = {setting: paired_wilcoxon(mean[setting].dropna(), 0.0 * mean[setting].dropna()).pvalue for setting in mean}
        columns.append(means(at("", metric, "{} lost"), mean, with_sign=True, pvalues=tests))
        for method in dict.fromkeys(method for table in by_estimator.values() for method in table):
            found = pd.DataFrame({setting: table[method] for setting, table in lost.items() if method in table})
            name = f"{METRICS[metric]} lost, {field.label(method)}"
            columns.append(means(Label.of(name, method=method, metric=metric), found, with_sign=True))
    legend = (
        "Means over tasks with 95% bootstrap intervals; {repeats}. Error: estimated minus true π, in points, absolute and "
        "signed. Lost: points compared with the same learners given the true π, on average over learners with p of Wilcoxon's "
        "test over tasks, then by learner. The first two rows are of all tasks and learners, with the library's default."
    )
    rows = {setting: Label.of(level.label, setting=setting) for setting, level in levels.ESTIMATED.items()}
    rows = {s: Label.of(f"as in the main tables, {level.label}", setting=s) for s, level in levels.OWN_PRIOR.items()} | rows
    return of_columns(field, rows, columns, legend=legend)


def table_tuning(results: Results, paper: Paper) -> Table:
    """A row per learner: its score at defaults, and what each criterion gains, and loses against the oracle."""
    field, columns = Field.of(results, ["two_sample", "tuning_none", *levels.TUNED]), []
    for metric in MEASURES:
        defaults, reference = field.scores("tuning_none", metric), field.scores("two_sample", metric)
        others = reference[[m for m in reference if field.role(m) in UNRANKED]].reindex(defaults.index)
        columns.append(means(at("tuning", metric, "{}, defaults"), pd.concat([defaults, others], axis=1)))
        columns += _losses(field, levels.TUNED, metric, "{} gained", -1)
        columns += _losses(field, levels.AGAINST_ORACLE, metric, "{} lost")
    legend = (
        f"Scores in percent, and points of them: {OVER_TASKS}. Gained: compared with the defaults; lost: compared with the "
        f"oracle, which uses the true labels of the same held-out rows. {TESTED} Grids are small and include the defaults."
    )
    return _change_table(field, columns, "two_sample", legend)


# --- what learners cost, and which suit which tasks ---------------------------------------------------------------------------


def table_costs(results: Results, paper: Paper) -> Table:
    """A row per method: its mean rank, its times and memory, and whether it is on the front."""
    setting = next(iter(MAIN))
    field = Field.of(results, [setting], ["accuracy"])
    ranking, times = field.ranking(setting, "accuracy"), numbers.seconds(results.timings, setting)
    front, methods = numbers.pareto_front(numbers.time_and_rank(times, ranking.ranks)), pd.Index(field.table.columns)
    columns = [values("mean rank, accuracy", ranking.ranks.reindex(methods), "{:.2f}", tasks=len(ranking.scores))]
    for name, label in (("fit", "fit, s"), ("predict", "predict, s"), ("peak_memory_mb", "memory, MB")):
        own = times.xs(name, level="metric") if name in times.index.get_level_values(-1) else pd.DataFrame(dtype=float)
        most, median = own.max(axis=1), own.median(axis=1)
        texts = write("{:.0f}", most) if "memory" in name else write("{:.3g} ({:.3g})", median, most)
        columns.append(values(label, median, texts, low=own.min(axis=1), high=most, tasks=own.count(axis=1)))
    on_front = pd.Series(methods.isin(front), index=methods, dtype=float)
    columns.append(values("on the front", on_front, lambda yes: "yes" if yes else "–"))
    machines = sorted(set(results.timings.loc[results.timings["setting"] == setting, "machine"]))
    legend = (
        "Seconds on one thread, after compilation: medians over tasks of medians over {repeats}, with the slowest task's in "
        "parentheses. Memory: by how much the process grew, in megabytes, for the largest task. On the front: no learner is "
        "both faster and better ranked."
    )
    remarks = [f"Measured on {'; '.join(machines)}." if machines else "", *left_out({"ranks": ranking})]
    return of_columns(field, rows_of(field, setting), columns, legend=legend, remarks=remarks)


def table_properties(results: Results, paper: Paper) -> Table:
    """A row per learner: how each property of a task goes with its lead, by either metric."""
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
    """A row per way to choose a learner, judged on tasks that it has not seen."""
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
        f"Means over {numbers.N_HALVES} random halves of the tasks, in percent, and points gained over always the same learner "
        "(with the range of nine in ten halves). On one half, the learner with the best mean rank is found, and a tree of "
        "depth two learns from rows, features, π as estimated, labels, and the share of discrete features how far each "
        "learner is ahead; both are judged on the other half. Means over {repeats}."
    )
    rows = {
        "first": "always the first of the ranking",
        "rule": "chosen by a tree of depth two",
        "best": "the best of each task",
    }
    return of_columns(field, rows, columns, legend=legend)


# --- more rows, and fewer positives -------------------------------------------------------------------------------------------


def table_sizes(results: Results, paper: Paper) -> Table:
    """A row per learner: scores, ranks and seconds by number of unlabeled rows."""
    field, columns = Field.of(results, levels.SIZES), []
    for metric in MEASURES:
        columns += [_level(s, metric, "{}", level, field.scores(s, metric)) for s, level in levels.SIZES.items()]
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
    return of_columns(field, rows, columns, legend=legend, remarks=_failures(field))


def table_rare(results: Results, paper: Paper) -> Table:
    """A row per method: AUC and average precision by π and number of labels."""
    settings = [setting for own in levels.RARE.values() for setting in own]
    field, columns = Field.of(results, settings, ["auc", "average_precision"]), []
    for metric in ("auc", "average_precision"):
        for n, own in levels.RARE.items():
            for setting, percent in own.items():
                scores, level = field.scores(setting, metric), Level(f"π = {percent}%, {n} labels")
                tests = numbers.beats_a_constant(scores[field.ranked(scores.columns)], metric, percent)
                columns.append(_level(setting, metric, "{}", level, scores, pvalues=tests))
    legend = (
        f"In percent: {OVER_TASKS}. Positives are left out until π is reached. A constant has an AUC of 50% and an average "
        "precision of π; p: Wilcoxon's one-sided test over tasks that a learner is no better, after Holm's correction over the "
        "column."
    )
    rows = {method: field.label(method) for method in (*field.table.columns, *field.reasons)}
    return of_columns(field, rows, columns, legend=legend, remarks=_failures(field))


def table_answers(results: Results, paper: Paper) -> Answers:
    """The questions, answered in sentences."""
    return answers(results)
