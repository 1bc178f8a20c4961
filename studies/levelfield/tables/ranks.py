"""Tables of what was run, the ranks of learners, and the tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd

from pulab.plan import Method
from pulab.tables import Paper, Results, Table
from pulab.tables.numerals import signed
from pulab.tables.sentences import sentence_case
from studies.levelfield import numbers
from studies.levelfield.columns import (
    OVER_TASKS,
    Column,
    at,
    failures,
    left_out,
    means,
    of_columns,
    rows_of,
    values,
    with_dashes,
    write,
)
from studies.levelfield.field import Field, Label, Ranking, best_of
from studies.levelfield.leaders import CHANCE, LEVEL, may_be_chance
from studies.levelfield.levels import MAIN, MEASURES, METRICS, PLACES, TIMED, TRUE_PRIOR, WITH_TRUE_PRIOR
from studies.levelfield.study.experiments import APPENDIX, SEEN

#: Metrics in the table of all metrics.
SHOWN = ("accuracy", "balanced_accuracy", "f1", "auc", "average_precision")
#: Metrics of probabilities: lower is better.
CALIBRATION = ("brier", "calibration_error")
TEST = "Wilcoxon's test over tasks, 5% after Holm's correction over all pairs"


def table_coverage(results: Results, paper: Paper) -> Table:
    """Make a row per setting."""
    found = numbers.coverage(results.tidy, results.roles)
    fewest, most = found["fewest"], found["most"]
    columns = [values(name, found[name], "{}") for name in ("tasks", "learners", "ceilings", "trivial")]
    span = write("{}–{}", fewest, most).where(fewest < most, write("{}", most))
    columns.append(values("repeats", most, span, low=fewest, high=most))
    rows = {setting: results.setting_labels.get(setting, setting) for setting in found.index}
    legend = (
        "Only trials with results are counted. Repeats: the largest number per task, preceded by the smallest if they differ."
    )
    return of_columns(Field.of(results, rows), rows, columns, legend=legend)


def table_overview(results: Results, paper: Paper) -> Table:
    """Make a row per learner: its class, ranks, accuracy, what the true π would add, and its time."""
    field = Field.of(results, [*MAIN, *TRUE_PRIOR])
    rankings = {place: field.ranking(*place) for place in PLACES}
    rankings = {place: ranking for place, ranking in rankings.items() if ranking.there}
    ranks = pd.DataFrame({place: ranking.ranks for place, ranking in rankings.items()}).dropna()
    ranks = ranks.loc[ranks.mean(axis=1).sort_values(kind="stable").index]
    own = results.study.methods_of(None)  # the study's learners, not shortened for a preset
    classes = pd.Series({method: method_class(own[method]) for method in ranks.index}, dtype=object)
    columns = [Column("class", classes.to_frame("mark"))]
    for place, ranking in rankings.items():
        rank = ranking.ranks[ranks.index]
        texts = write("{:.2f}", rank).where(~ranking.level[ranks.index], write(f"{{:.2f}} {LEVEL}", rank))
        chance = CHANCE if may_be_chance(ranking.task_ranks) else ""
        notes = np.where(rank.index == ranking.order[0], chance, "")
        columns.append(values(at(*place, "rank by {}"), rank, texts, tasks=len(ranking.scores), note=notes))
    scores, with_true = (
        pd.concat([field.scores(s, "accuracy") for s in own], keys=range(len(own))).reindex(columns=ranks.index)
        for own in (MAIN, TRUE_PRIOR)
    )
    means, changed = 100 * scores.mean(), 100 * (with_true - scores)
    takes_prior = changed.ne(0).any() & (changed.count() == scores.count())  # nothing changes for the others
    gained = changed.mean().where(takes_prior)
    behind = means.max() - means
    timed = numbers.time_and_rank(numbers.seconds(results.timings, TIMED), ranks.mean(axis=1))
    columns += [
        values("accuracy, %", means, "{:.1f}", tasks=scores.count()),
        values("points behind", behind, "{:.1f}"),
        with_dashes(values("gained with the true π", gained, signed, tasks=changed.count()), ranks.index),
        values("seconds", timed["seconds"].reindex(ranks.index), "{:.2g}"),
    ]
    legend = (
        f"Mean ranks over tasks: 1 is best; {LEVEL}: not significantly behind the best one ({TEST}), which does not make "
        "the two equal. Rows are ordered by the mean of the ranks. Accuracy: mean over tasks and scenarios, in percent. Points "
        "behind: below the highest accuracy. Gained with the true π: points of accuracy, for learners that take π and ran with "
        "both the estimated and the true π. Seconds: fit and prediction with two samples on one thread, median over tasks. "
        "Means over {repeats}."
    )
    remarks = left_out({f"rank by {PLACES[place]}": ranking for place, ranking in rankings.items()})
    return of_columns(field, {m: field.label(m) for m in ranks.index}, columns, legend=legend, remarks=remarks)


def table_ranks(results: Results, paper: Paper) -> Table:
    """Make a row per method: by scenario and metric, its mean, its ranks, and its distance from the best-ranked learner."""
    field = Field.of(results, [*MAIN, *TRUE_PRIOR])
    rankings = {place: field.ranking(*place) for place in PLACES}
    columns, remarks = [], []
    for place, ranking in rankings.items():
        columns += _rank_columns(field, place, ranking)
        best = f"the best-ranked learner is {field.label(ranking.order[0])}; " if ranking.there else ""
        remarks.append(f"{sentence_case(PLACES[place])}: {best}{ranking.summary()}.")
    first = next((place for place, ranking in rankings.items() if ranking.there), next(iter(PLACES)))
    legend = (
        f"In percent: {OVER_TASKS}. Ranks (1 is best) are over the ranked learners and the tasks that all of them share; a "
        "learner that failed on a task ranks last there. With the true π: learners are given the true π. New tasks: without "
        "the tasks on which a default was chosen. Without failures: only learners that failed on no task. Wins and losses: "
        "other learners that are significantly worse and better (two-sided Wilcoxon tests, 5% after Holm's correction over all "
        "pairs). Behind: the best-ranked learner's score minus the row's, in points, with p of the same test. Better / same / "
        "worse: posterior probabilities that the best-ranked learner is better, equivalent, or worse (Bayesian signed-rank "
        "test with a region of practical equivalence of one point). Ceilings and trivial classifiers are not ranked."
    )
    remarks += [*failures(field), *left_out({PLACES[place]: ranking for place, ranking in rankings.items()})]
    return of_columns(field, rows_of(field, *first), columns, legend=legend, remarks=remarks)


def _rank_columns(field: Field, place: tuple[str, str], ranking: Ranking) -> list[Column]:
    scores, true_place = field.scores(*place), (WITH_TRUE_PRIOR[place[0]], place[1])
    learners = field.ranked(scores.columns)

    def ranked(name: str, found: pd.Series, texts: str | pd.Series, own: Ranking = ranking) -> Column:
        return values(at(*place, f"{name} by {{}}"), found.reindex(learners), texts, tasks=len(own.scores))

    columns = [means(at(*place), scores), ranked("mean rank", ranking.ranks, "{:.2f}")]
    others = {
        "rank with the true π": field.ranking(*true_place),
        "rank on new tasks": field.ranking(*place, without=SEEN),
        "rank among learners without failures": field.ranking(*place, only_finished=True),
    }
    columns += [ranked(name, own.ranks, "{:.2f}", own) for name, own in others.items()]
    if not ranking.there:
        return columns
    best, pairs, chances = ranking.order[0], ranking.pairs, numbers.against_the_best(ranking, ranking.order[1:])
    compared = scores.loc[ranking.scores.index, [m for m in scores if m in ranking.ranks or m not in learners]]
    behind = -compared.sub(compared[best], axis=0).drop(columns=best)
    distance = means(at(*place, "behind by {}"), behind, with_sign=True, pvalues=pairs.pvalues[best].drop(best))
    distance = with_dashes(distance, scores.columns)
    distance.cells.loc[best, "mark"] = "best-ranked"
    probabilities = write("{:.2f} / {:.2f} / {:.2f}", chances["better"], chances["same"], chances["worse"])
    return [
        *columns,
        ranked("wins–losses", pairs.wins - pairs.losses, write("{}–{}", pairs.wins, pairs.losses)),
        ranked("first", ranking.first_places, "{:.3g}"),
        distance,
        ranked("better / same / worse", chances["better"], probabilities),
    ]


def table_trivial(results: Results, paper: Paper) -> Table:
    """Make a row per learner: how many tasks it loses to the best trivial classifier, and its margins in points."""
    field, columns, hard = Field.of(results, MAIN, ["accuracy"]), [], []
    for setting, label in MAIN.items():
        margins = numbers.margins_over_trivial(field, results.tidy, setting)
        losers = margins.groupby("dataset")["lost"].mean()
        if (losers > 0.5).any():
            hard.append(f"With {label}, most learners lose {', '.join(map(field.task, losers.index[losers > 0.5]))}.")
        by_method = margins.sort_values("mean", kind="stable").groupby("method")
        worst, tasks, counts = by_method.first(), by_method.size(), by_method["lost"].sum().astype(int)
        name = at(setting, "accuracy", f"tasks lost, {label}")
        columns.append(values(name, counts, write("{} of {}", counts, tasks), tasks=tasks))
        texts = write("{} ({})", worst["mean"].map(signed), worst["dataset"].map(field.task))
        name = at(setting, "accuracy", f"smallest margin, {label}")
        columns.append(values(name, worst["mean"], texts, tasks=tasks))
        columns.append(values(at(setting, "accuracy", f"mean margin, {label}"), by_method["mean"].mean(), signed, tasks=tasks))
    shown = rows_of(field, next(iter(MAIN)))
    rows = {method: row for method, row in shown.items() if field.role(method) != "trivial"}
    legend = (
        "Accuracy minus that of the task's best trivial classifier (all positive, all negative, a random share π), in points, "
        "paired over {repeats}. A task is lost if the difference is negative in each repeat and at least one point on average."
    )
    return of_columns(field, rows, columns, legend=legend, remarks=hard or ["No task is lost by most learners."])


def table_tasks(results: Results, paper: Paper) -> Table:
    """Make a row per task, with the estimated π."""
    return _task_table(results, MAIN)


def table_appendix(results: Results, paper: Paper) -> Table:
    """Make a row per other class of some data sets, with the true π; these are in no ranking and no test."""
    return _task_table(results, TRUE_PRIOR, APPENDIX)


def _task_table(results: Results, references: Mapping[str, str], only: Sequence[str] = ()) -> Table:
    """Make a row per task: its properties, and by scenario and metric the best learner and the best ceiling."""
    # use all repeats of a setting: settings are not compared here
    fields = {setting: Field.of(results, [setting], [*MEASURES, *numbers.FACTS]) for setting in references}
    first = next(iter(fields.values()))
    columns = []
    for fact, name in numbers.FACTS.items():
        own = first.scores(next(iter(references)), fact).median(axis=1)
        columns.append(values(name, own, lambda v: f"{v:,.0f}" if v >= 2 else f"{v:.2f}", tasks=1))
    for (setting, label), metric in product(references.items(), MEASURES):
        field, place = fields[setting], {"setting": setting, "metric": metric}
        scores = 100 * field.scores(setting, metric)
        learners = field.ranked(scores.columns)
        if not learners or scores.empty:
            continue
        best, who = scores[learners].max(axis=1), scores[learners].idxmax(axis=1)
        texts = write("{} {:.1f}", who.map(field.label), best)
        name = f"{METRICS[metric]}, {label}"
        columns.append(values(Label.of(f"best learner by {name}", **place), best, texts, tasks=1))
        ceiling = best_of(scores, field.of_role(scores.columns, "ceiling"))
        columns.append(values(Label.of(f"ceiling by {name}", **place), ceiling, "{:.1f}", tasks=1))
    there = {task for column in columns for task in column.cells.index if not only or task in only}
    rows = {task: Label.of(first.task(task), dataset=task) for task in sorted(there)}
    legend = "Means over {repeats}, in percent. The report's leaderboard and the tidy results show all learners on each task."
    return of_columns(first, rows, columns, legend=legend)


def table_metrics(results: Results, paper: Paper) -> Table:
    """Make a row per method: all metrics of predictions and scores, in both scenarios."""
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
    """Make a row per method with probabilities: how good they are, with the estimated and with the true π."""
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
        f"In hundredths: {OVER_TASKS}. The Brier score is the mean squared difference between probability and truth. The "
        "expected calibration error is the mean absolute difference between probabilities and shares of positives over ten "
        "bins of equal width. Lower is better."
    )
    return of_columns(field, rows, columns, legend=legend)


def method_class(method: Method) -> str:
    """Describe how to construct a method: its class, the class that it wraps, and parameters other than defaults.

    >>> wrapped = {"estimator": {"estimator": "sklearn.svm.SVC", "params": {"gamma": 0.1}}, "n_estimators": 10}
    >>> method_class(Method(name="m", label="m", estimator="pulib.reductions.PUBaggingClassifier", params=wrapped))
    'PUBaggingClassifier(SVC(), n_estimators=10)'
    """
    params = dict(method.params)
    inner = params.pop("estimator", None)
    own, *wrapped = (
        path.rpartition(".")[2] for path in (method.estimator, *([inner["estimator"]] if isinstance(inner, Mapping) else []))
    )
    given = [f"{name}()" for name in wrapped]
    given += [f'{name}="{value}"' if isinstance(value, str) else f"{name}={value}" for name, value in params.items()]
    return own + (f"({', '.join(given)})" if given else "")
