"""The tables of the level field: each function makes the table of its name, column by column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pulab.tables import Answers, Paper, Results, Table
from pulab.tables.numerals import interval_text, p_text, signed
from pulab.tables.results import method_class
from pulab.tables.sentences import sentence_case
from pulib.statistics import paired_wilcoxon
from studies.levelfield.answers import answers
from studies.levelfield.field import (
    AGAINST_ORACLE,
    BEFORE,
    BIASED,
    ESTIMATED,
    LABELS,
    MEASURES,
    METRICS,
    PLACES,
    PRIORS,
    REFERENCES,
    SHARED_BY_ALL,
    SWITCHED,
    TUNED,
    UNRANKED,
    WRONG,
    Field,
    Label,
    Level,
    Ranking,
    mean_over_methods,
    over_tasks,
)
from studies.levelfield.numbers import (
    ENOUGH,
    FACTS,
    against_the_best,
    correlations,
    coverage,
    labels_needed,
    loss_tests,
    margins_over_trivial,
    pareto_front,
    prior_errors,
    properties,
    seconds,
    time_and_rank,
)

#: Of the mean over learners, a row like any other.
ALL = "mean over learners"
#: Behind a mean rank that is not significantly behind the best one.
LEVEL = "•"
#: What the table of all metrics shows.
SHOWN = ("accuracy", "balanced_accuracy", "f1", "auc", "average_precision", "brier", "calibration_error")
OVER_TASKS = "means over tasks of means over {repeats}, with 95% bootstrap intervals over tasks in brackets"


class Column(NamedTuple):
    """A column's name, and a row per cell: ``mark`` (what people read), and ``ours, low, high, tasks`` as far as there are."""

    name: str
    cells: pd.DataFrame


def means(name: str, values: pd.DataFrame, *, with_sign: bool = False, pvalues: Mapping[Any, float] | None = None) -> Column:
    """Means over tasks of each column of ``values``, with intervals, and with p-values where there are some."""
    found = over_tasks(values)
    marks = [interval_text(*own, with_sign=with_sign) for own in found[["mean", "low", "high"]].to_numpy()]
    tests = [p_text(pvalues[key]) if pvalues is not None and key in pvalues else "" for key in found.index]
    marks = [f"{mark}, p {'' if p.startswith('<') else '= '}{p}" if p else mark for mark, p in zip(marks, tests, strict=True)]
    return Column(name, found.rename(columns={"mean": "ours"}).assign(mark=marks))


def numbers(name: str, values: pd.Series, write: Callable[[float], str] | pd.Series, **more: Any) -> Column:
    """A number per row, with texts or as ``write`` writes it; a dash where it is missing."""
    texts = write.reindex(values.index) if isinstance(write, pd.Series) else values.dropna().map(write).reindex(values.index)
    return Column(name, pd.DataFrame({"ours": values.astype(float), "mark": texts.astype(object).fillna(""), **more}))


def table_of(
    field: Field, rows: Mapping[Any, str], columns: Sequence[Column], *, legend: str, remarks: Sequence[str] = ()
) -> Table:
    """A table of columns, of which no cell is compared with a published number.

    Parameters
    ----------
    rows : mapping
        What the rows are called, by the keys that columns have them under.  What a method lacks was not run, unless it is
        one that is not ranked; one without any number says why in the first column.
    """
    cells = []
    for key, row in rows.items() if any(len(column.cells) for column in columns) else ():
        status, _, note = field.reasons.get(key, "not run").partition(": ")
        for column in columns[:1] if key in field.reasons else columns:
            if key in column.cells.index:
                cell = column.cells.loc[key].to_dict()
            elif field.role(key) in UNRANKED:
                continue
            else:
                cell = {"status": status, "note": note}
            cells.append({"row": row, "column": column.name, **_origin(row), **_origin(column.name), **cell})
    cells = cells or [{"row": "all methods", "column": "not part of this run", "status": "not run"}]
    given = dict.fromkeys(("dataset", "setting", "method", "metric", "mark", "note"), "") | {"tasks": 0, "status": "ok"}
    given |= dict.fromkeys(("ours", "low", "high"), np.nan)
    frame = pd.DataFrame([given | cell for cell in cells]).assign(n=field.repeats, kind="mark", unit="", stand_in="")
    frame = frame.assign(published=np.nan, published_mark="", ours_sd=np.nan)
    return Table(frame, legend=legend, remarks=[remark for remark in remarks if remark], judged=False)


def _origin(name: str) -> Mapping[str, str]:
    return getattr(name, "origin", {})


def methods_of(field: Field, ranking: Ranking, methods: Iterable[str] | None = None) -> dict[Any, str]:
    """Rows of methods from the best-ranked on, and those that have no number anywhere."""
    there = field.ordered(ranking, field.table.columns if methods is None else methods)
    return {method: field.label(method) for method in (*there, *field.reasons)}


def at(text: str, setting: str, metric: str) -> str:
    """A column's name, which remembers what its numbers are of."""
    return Label.of(text, setting=setting, metric=metric)


def left_out(rankings: Mapping[str, Ranking]) -> list[str]:
    """What comparisons had to leave out, by the places that this is about."""
    places: dict[str, list[str]] = {}
    for place, ranking in rankings.items():
        places.setdefault("; ".join(ranking.left_out), []).append(place)
    return [f"Left out in {' and '.join(where)} for lack of results: {names}." for names, where in places.items() if names]


# --- how much was run, and who ranks where ------------------------------------------------------------------------------------


def table_coverage(results: Results, paper: Paper) -> Table:
    """A row per setting."""
    found = coverage(results.tidy, results.roles)
    fewest, most = (found[name].astype(str) for name in ("fewest", "most"))
    columns = [numbers(name, found[name], str) for name in ("tasks", "learners", "ceilings", "trivial")]
    span = most.where(fewest == most, fewest + "–" + most)
    columns.append(numbers("repeats", found["most"], span, low=found["fewest"], high=found["most"]))
    rows = {setting: results.setting_labels.get(setting, setting) for setting in found.index}
    legend = "Counts include trials with results only. Repeats: the most that a task has, and the fewest if they differ."
    return table_of(Field.of(results, rows), rows, columns, legend=legend)


def table_overview(results: Results, paper: Paper) -> Table:
    """A row per learner: its class, its ranks, its accuracy, its time."""
    field = Field.of(results, REFERENCES)
    rankings = {place: field.ranking(*place) for place in PLACES}
    rankings = {place: ranking for place, ranking in rankings.items() if ranking.there}
    ranks = pd.DataFrame({place: ranking.ranks for place, ranking in rankings.items()}).dropna()
    ranks = ranks.loc[ranks.mean(axis=1).sort_values(kind="stable").index]
    own = results.study.methods_of(None)  # learners are named as the study has them, not as a preset shortens them
    classes = pd.Series({method: method_class(own[method]) for method in ranks.index}, dtype=object)
    columns = [Column("class", classes.to_frame("mark"))]
    for (setting, metric), ranking in rankings.items():
        best, rank = ranking.ranks.iloc[0], ranking.ranks[ranks.index]
        worse = best + ranking.test.critical_difference
        name = at(f"rank by {PLACES[setting, metric]}", setting, metric)
        # from ``low``, the best rank, to ``high``, the first that is significantly worse
        columns.append(
            numbers(
                name, rank, lambda r, worse=worse: f"{r:.2f} {LEVEL}" if r < worse else f"{r:.2f}",
                low=best, high=worse, tasks=len(ranking.scores),
            )
        )  # fmt: skip
    scores = pd.concat([field.scores(setting, "accuracy") for setting in REFERENCES])
    times = [seconds(results.timings, setting) for setting in REFERENCES]
    spent = {
        m: pd.concat([t.loc[(m, "fit")] + t.loc[(m, "predict")] for t in times if (m, "fit") in t.index]) for m in ranks.index
    }
    columns += [
        numbers("accuracy, %", 100 * scores.mean().reindex(ranks.index), "{:.1f}".format, tasks=scores.count()),
        numbers("seconds", pd.Series({m: own.median() for m, own in spent.items()}, dtype=float), "{:.2g}".format),
    ]
    legend = (
        f"Mean ranks over tasks: 1 is best; {LEVEL}: not significantly worse than the best one (Nemenyi, 5%). Rows are ordered "
        "by the mean of the ranks. Accuracy: mean over tasks and references, in percent. Seconds: fit and prediction on one "
        "thread, median over tasks. Means over {repeats}."
    )
    remarks = left_out({f"rank by {PLACES[place]}": ranking for place, ranking in rankings.items()})
    return table_of(field, {m: field.label(m) for m in ranks.index}, columns, legend=legend, remarks=remarks)


def table_ranks(results: Results, paper: Paper) -> Table:
    """A row per method: in each reference and by each metric its mean, its ranks, and its distance from the best-ranked."""
    field = Field.of(results, REFERENCES)
    rankings = {place: field.ranking(*place) for place in PLACES}
    columns, remarks = [], []
    for place, ranking in rankings.items():
        columns += _rank_columns(field, place, ranking)
        best = f"the best-ranked learner is {field.label(ranking.order[0])}; " if ranking.there else ""
        remarks.append(f"{sentence_case(PLACES[place])}: {best}{ranking.summary()}.")
    first = next((ranking for ranking in rankings.values() if ranking.there), rankings["two_sample", "accuracy"])
    legend = (
        f"In percent: {OVER_TASKS}. Ranks (1 is best) are over the learners that were run on most tasks, and the tasks that all "
        "of them share; among all: over all learners, on the few tasks on which all were run. Wins and losses against other "
        "learners are by Wilcoxon's test (two-sided, 5% after Holm's correction over all pairs). Behind: the best-ranked "
        "learner's score minus the row's, in points, with p of the same test, and the posterior probabilities that the "
        "best-ranked learner is better, equivalent, or worse (Bayesian signed-rank test with a region of practical equivalence "
        "of one point). Ceilings and trivial classifiers are not ranked."
    )
    remarks += left_out({PLACES[place]: ranking for place, ranking in rankings.items()})
    return table_of(field, methods_of(field, first), columns, legend=legend, remarks=remarks)


def _rank_columns(field: Field, place: tuple[str, str], ranking: Ranking) -> list[Column]:
    scores, everybody = field.scores(*place), field.ranking(*place, SHARED_BY_ALL)
    learners, tasks = field.ranked(scores.columns), len(ranking.scores)

    def ranked(name: str, values: pd.Series, write: Callable[[float], str], tasks: int = tasks) -> Column:
        return numbers(at(f"{name} by {PLACES[place]}", *place), values.reindex(learners), write, tasks=tasks)

    columns = [
        means(at(PLACES[place], *place), scores),
        ranked("mean rank", ranking.ranks, "{:.2f}".format),
        ranked("rank among all", everybody.ranks, "{:.2f}".format, len(everybody.scores)),
    ]
    if not ranking.there:
        return columns
    best, chances = ranking.order[0], against_the_best(ranking)
    wins, losses = ranking.pairs.wins, ranking.pairs.losses
    shown = scores.loc[ranking.scores.index].drop(columns=[m for m in learners if m not in ranking.ranks.index])
    behind = -shown.sub(shown[best], axis=0).drop(columns=best)
    texts = chances.map("{:.2f}".format).agg(" / ".join, axis=1)
    return [
        *columns,
        ranked("wins–losses", wins - losses, wins.astype(str) + "–" + losses.astype(str)),
        ranked("first", ranking.first_places, "{:.3g}".format),
        means(at(f"behind by {PLACES[place]}", *place), behind, with_sign=True, pvalues=ranking.pairs.pvalues[best].drop(best)),
        ranked("better / same / worse", chances["better"], texts),
    ]


def table_trivial(results: Results, paper: Paper) -> Table:
    """A row per learner: how many tasks it loses to the best trivial classifier, and its margins, in points."""
    field, columns, lost = Field.of(results, REFERENCES, ["accuracy"]), [], []
    for setting, label in REFERENCES.items():
        margins = margins_over_trivial(field, results.tidy, setting)
        before = margins["method"].isin(list(BEFORE.values()))
        lost += list(margins[margins["lost"] & ~before].itertuples())
        columns.append(_lost_tasks(f"tasks lost, {label}", margins[~before], setting))
        if before.any():
            former = margins[before].replace({"method": {old: now for now, old in BEFORE.items()}})
            columns.append(_lost_tasks(f"tasks lost before, {label}", former, setting))
        own = margins[~before].set_index("method")
        worst = own.loc[:, ["dataset", "mean", "low", "high"]].sort_values("mean", kind="stable").groupby(level=0).first()
        texts = worst["mean"].map(signed) + " (" + worst["dataset"].map(field.task) + ")"
        tasks = own.groupby(level=0).size()
        name = at(f"smallest margin, {label}", setting, "accuracy")
        columns.append(numbers(name, worst["mean"], texts, low=worst["low"], high=worst["high"], tasks=tasks))
        means = own["mean"].groupby(level=0).mean()
        columns.append(numbers(at(f"mean margin, {label}", setting, "accuracy"), means, signed, tasks=tasks))
    rows = methods_of(field, field.ranking("two_sample", "accuracy"))
    rows = {method: row for method, row in rows.items() if field.role(method) != "trivial"}
    texts = [
        f"{field.label(r.method)} loses {field.task(r.dataset)}, {REFERENCES[r.setting]}: {signed(r.mean)} points" for r in lost
    ]
    none = "No learner loses a task to a trivial classifier at its defaults."
    none = none if field.repeats > 1 else "Inconclusive: a single repeat has no interval."
    legend = (
        "Accuracy minus that of the task's best trivial classifier (all positive, all negative, a random share π), in points, "
        "paired over {repeats}. A task is lost if the 95% interval of the difference (Student's t) lies below zero."
    )
    return table_of(field, rows, columns, legend=legend, remarks=[f"Lost: {'; '.join(texts)}." if lost else none])


def _lost_tasks(name: str, margins: pd.DataFrame, setting: str) -> Column:
    counts = margins.groupby("method")["lost"].agg(["sum", "size"]).astype(int)
    texts = counts["sum"].astype(str) + " of " + counts["size"].astype(str)
    return numbers(at(name, setting, "accuracy"), counts["sum"], texts, tasks=counts["size"])


def table_tasks(results: Results, paper: Paper) -> Table:
    """A row per task, reference and metric: what the task is like, who is best, and every method's mean over repeats."""
    field = Field.of(results, REFERENCES, [*MEASURES, *FACTS])
    facts = pd.concat(
        {place: properties(field, *place) for place in PLACES if len(field.scores(*place))} or {("", ""): pd.DataFrame()}
    )
    scores = field.table[field.table.index.get_level_values("metric").isin(MEASURES)]
    tidy = results.tidy
    spread = tidy[tidy["setting"].isin(list(REFERENCES)) & tidy["metric"].isin(MEASURES) & (tidy["step"] == -1)]
    spreads = spread.groupby(["setting", "metric", "dataset", "method"], observed=True)["value"].std(ddof=1).unstack("method")
    columns = [
        numbers(name, facts[name], lambda value: f"{value:,.0f}" if value >= 2 else f"{value:.2f}", tasks=1)
        for name in FACTS.values() if name in facts
    ]  # fmt: skip
    learners = field.ranked(scores.columns)
    if learners:
        texts = scores[learners].idxmax(axis=1).map(lambda method: field.labels.get(method, method))
        best = 100 * scores[learners].max(axis=1)
        columns.append(numbers("best learner", best, texts + best.map(" {:.1f}".format), tasks=1))
    for method in field.ordered(field.ranking("two_sample", "accuracy"), scores.columns):
        own = 100 * scores[method].dropna()
        around = (100 * spreads[method]).reindex(own.index).map(" ({:.1f})".format).where(lambda text: text != " (nan)", "")
        columns.append(numbers(field.label(method), own, own.map("{:.1f}".format) + around, tasks=1))
    rows = {
        key: Label.of(f"{field.task(key[2])}, {PLACES[key[:2]]}", dataset=key[2], setting=key[0], metric=key[1])
        for key in sorted(scores.index, key=lambda key: (key[2], list(PLACES).index(key[:2])))
    }
    legend = "Means over {repeats}, in percent; standard deviation over repeats in parentheses."
    return table_of(field, rows, columns, legend=legend)


def table_metrics(results: Results, paper: Paper) -> Table:
    """A row per method: all that is measured, in either reference."""
    field = Field.of(results, REFERENCES, [*SHOWN, "share_positive", "prior_true"])
    columns = []
    for setting, label in REFERENCES.items():
        columns += [means(at(f"{METRICS[m]}, {label}", setting, m), field.scores(setting, m)) for m in SHOWN]
        share = field.scores(setting, "share_positive") / field.scores(setting, "prior_true")
        columns.append(means(at(f"share predicted positive, over π, {label}", setting, "share_positive"), share))
    legend = (
        f"In percent: {OVER_TASKS}. Brier score and expected calibration error (ten bins) of methods with probabilities: lower "
        "is better. The ideal share predicted positive is 100."
    )
    return table_of(field, methods_of(field, field.ranking("two_sample", "accuracy")), columns, legend=legend)


# --- what varies: labels, biases, mistakes, π, the scenario, tuning -----------------------------------------------------------


def table_labels(results: Results, paper: Paper) -> Table:
    """A row per method: scores by number of labels, and how many labels give most of its best score."""
    field, columns = Field.of(results, ["two_sample", *LABELS]), []
    for metric in MEASURES:
        columns.append(means(at(PLACES["two_sample", metric], "two_sample", metric), field.scores("two_sample", metric)))
        for setting, level in LABELS.items():
            columns.append(_level(METRICS[metric], level.label, field.scores(setting, metric), setting, metric))
        needed = {m: labels_needed(field, m, LABELS, metric) for m in field.ranked(field.table.columns)}
        found = pd.DataFrame(
            {m: np.quantile(own, [0.25, 0.5, 0.75], method="inverted_cdf") for m, own in needed.items() if len(own)},
            index=["low", "ours", "high"],
        ).T
        texts = found.apply(lambda own: f"{own['ours']:.0f} ({own['low']:.0f}–{own['high']:.0f})", axis=1)
        tasks = pd.Series({m: len(needed[m]) for m in found.index}, dtype=int)
        name = f"labels for {ENOUGH:.0%} of its best {METRICS[metric]}: median over tasks (quartiles)"
        columns.append(
            numbers(Label.of(name, metric=metric), found["ours"], texts, low=found["low"], high=found["high"], tasks=tasks)
        )
    rows = methods_of(field, field.ranking("two_sample", "accuracy"))
    return table_of(field, rows, columns, legend=f"In percent: {OVER_TASKS}.")


def _level(what: str, label: str, values: pd.DataFrame, setting: str, metric: str, **more: Any) -> Column:
    """The column of one level, named with the number of its tasks."""
    tasks = f", {len(values)} task{'s' * (len(values) != 1)}" if len(values) else ""
    return means(at(f"{what}, {label}{tasks}", setting, metric), values, **more)


def table_biased(results: Results, paper: Paper) -> Table:
    return loss_table(results, BIASED)


def table_wrong(results: Results, paper: Paper) -> Table:
    return loss_table(results, WRONG)


def table_wrong_prior(results: Results, paper: Paper) -> Table:
    return loss_table(results, PRIORS)


def table_scenarios(results: Results, paper: Paper) -> Table:
    return loss_table(results, SWITCHED, tested=True)


def loss_table(results: Results, levels: Mapping[str, Level], *, tested: bool = False) -> Table:
    """A row per method: its scores in the references of some levels, and what it loses at each level."""
    references = list(dict.fromkeys(level.reference for level in levels.values()))
    field, columns = Field.of(results, [*references, *levels]), []
    for metric in MEASURES:
        columns += [means(at(PLACES[s, metric], s, metric), field.scores(s, metric)) for s in references]
        for setting, lost in field.losses(levels, metric).items():
            columns.append(_loss(f"{METRICS[metric]} lost", levels[setting], lost, setting, metric, tested=tested))
    return _change_table(field, columns, field.ranking(references[0], "accuracy"), (
        f"Scores in percent, and points lost compared with them: {OVER_TASKS}."
        + " p: Wilcoxon's test over tasks after Holm's correction over the column." * tested
    ))  # fmt: skip


def _loss(what: str, level: Level, lost: pd.DataFrame, setting: str, metric: str, *, tested: bool = False) -> Column:
    """What each learner loses, and all of them on average."""
    pvalues = loss_tests(lost) if tested and len(lost) else None
    return _level(
        what, level.label, lost.assign(**{ALL: mean_over_methods(lost)}), setting, metric, with_sign=True, pvalues=pvalues
    )


def _change_table(field: Field, columns: Sequence[Column], ranking: Ranking, legend: str) -> Table:
    """The rows of learners that were run at some level, their mean, and of ceilings and trivial classifiers."""
    changed = {method for column in columns for method in column.cells.index if ALL in column.cells.index}
    rows = methods_of(field, ranking)
    ranked = {m: row for m, row in rows.items() if m in changed or m in field.reasons}
    return table_of(
        field, ranked | {ALL: ALL} | {m: row for m, row in rows.items() if field.role(m) in UNRANKED}, columns, legend=legend
    )


def table_estimated_prior(results: Results, paper: Paper) -> Table:
    """A row per estimator: how far it is off, and what that costs."""
    field = Field.of(results, ["two_sample", *ESTIMATED])
    errors = pd.DataFrame(prior_errors(results.tidy, ESTIMATED))
    lost = {metric: field.losses(ESTIMATED, metric) for metric in MEASURES}
    columns = [means("error without sign", errors.abs()), means("error", errors, with_sign=True)]
    for metric, own in lost.items():
        mean = pd.DataFrame({setting: mean_over_methods(table) for setting, table in own.items() if len(table)})
        pvalues = {setting: paired_wilcoxon(mean[setting], 0.0 * mean[setting]).pvalue for setting in mean}
        columns.append(means(Label.of(f"{METRICS[metric]} lost", metric=metric), mean, with_sign=True, pvalues=pvalues))
    learners = dict.fromkeys(method for table in lost["accuracy"].values() for method in table)
    for method in learners:
        own = pd.DataFrame({setting: table[method] for setting, table in lost["accuracy"].items() if method in table})
        columns.append(
            means(Label.of(f"accuracy lost, {field.label(method)}", method=method, metric="accuracy"), own, with_sign=True)
        )
    legend = (
        "Means over tasks with 95% bootstrap intervals; {repeats}. Error: estimated minus true π, in points, absolute and signed. "
        "Lost: points compared with the same learners given the true π, on average with p of Wilcoxon's test over tasks, then "
        "by learner."
    )
    rows = {setting: Label.of(level.label, setting=setting) for setting, level in ESTIMATED.items()}
    return table_of(field, rows, columns, legend=legend)


def table_tuning(results: Results, paper: Paper) -> Table:
    """A row per learner: its score at defaults, and what each criterion gains, and loses against the oracle."""
    field, columns = Field.of(results, ["two_sample", "tuning_none", *TUNED]), []
    for metric in MEASURES:
        defaults, reference = field.scores("tuning_none", metric), field.scores("two_sample", metric)
        others = reference[[m for m in reference if m not in field.ranked([m])]].reindex(defaults.index)
        columns.append(means(at(f"{METRICS[metric]}, defaults", "tuning", metric), pd.concat([defaults, others], axis=1)))
        for word, sign, levels in (("gained", -1, TUNED), ("lost", 1, AGAINST_ORACLE)):
            for setting, change in field.losses(levels, metric).items():
                columns.append(_loss(f"{METRICS[metric]} {word}", levels[setting], sign * change, "tuning", metric))
    legend = (
        f"Scores in percent, and points of them: {OVER_TASKS}. Gained: compared with the defaults; lost: compared with the oracle, "
        "which uses the true labels of the same held-out rows. Grids are small and always include the defaults."
    )
    return _change_table(field, columns, field.ranking("two_sample", "accuracy"), legend)


# --- what learners cost, and which suit which tasks ---------------------------------------------------------------------------


def table_costs(results: Results, paper: Paper) -> Table:
    """A row per method: its mean rank, its times and memory, and whether it is on the front."""
    field = Field.of(results, ["two_sample"], ["accuracy"])
    ranking, times = field.ranking("two_sample", "accuracy"), seconds(results.timings, "two_sample")
    front, methods = pareto_front(time_and_rank(times, ranking.ranks)), pd.Index(field.table.columns)
    columns = [numbers("mean rank, accuracy", ranking.ranks.reindex(methods), "{:.2f}".format, tasks=len(ranking.scores))]
    for name, label in (("fit", "fit, s"), ("predict", "predict, s"), ("peak_memory_mb", "memory, MB")):
        own = times.xs(name, level="metric") if name in times.index.get_level_values(-1) else pd.DataFrame(dtype=float)
        most, median = own.max(axis=1), own.median(axis=1)
        texts = most.map("{:.0f}".format) if "memory" in name else median.map("{:.3g}".format) + most.map(" ({:.3g})".format)
        columns.append(numbers(label, median, texts, low=own.min(axis=1), high=most, tasks=own.count(axis=1)))
    on_front = pd.Series(methods.isin(front), index=methods, dtype=float)
    columns.append(numbers("on the front", on_front, lambda yes: "yes" if yes else "–"))
    machines = sorted(set(results.timings.loc[results.timings["setting"] == "two_sample", "machine"]))
    legend = (
        "Seconds on one thread, after compilation: medians over tasks of medians over {repeats}, with the slowest task's in "
        "parentheses. Memory: by how much the process grew, in megabytes, for the largest task. On the front: no learner is both "
        "faster and better ranked."
    )
    remarks = [f"Measured on {'; '.join(machines)}." if machines else "", *left_out({"ranks": ranking})]
    return table_of(field, methods_of(field, ranking), columns, legend=legend, remarks=remarks)


def table_properties(results: Results, paper: Paper) -> Table:
    """A row per learner: how each property of a task goes with its lead, by either metric."""
    field = Field.of(results, ["two_sample"], [*MEASURES, *FACTS])
    rankings, columns = {metric: field.ranking("two_sample", metric) for metric in MEASURES}, []
    for metric, ranking in rankings.items():
        found = correlations(ranking.scores, properties(field, "two_sample", metric))
        for name, own in found.set_index("method").groupby("property", sort=False):
            texts = own["rho"].map(lambda rho: signed(rho, 2)) + np.where(own["p_holm"] < 0.05, "*", "")
            column = at(f"{name}, {METRICS[metric]}", "two_sample", metric)
            columns.append(numbers(column, own["rho"], texts.where(own["rho"].notna()), tasks=own["tasks"]))
    first = rankings["accuracy"]
    caveat = (
        f"Over {len(first.scores)} tasks, some of which are the same rows with the classes swapped, chance alone gives "
        f"correlations of up to about {1.96 / np.sqrt(max(len(first.scores) - 1, 1)):.2f}. A correlation is not a cause."
    )
    legend = (
        "Spearman's correlation over tasks between a property and a learner's score minus the mean of all learners on that task "
        "({repeats}); * significant at 5% after Holm's correction over a metric's columns."
    )
    remarks = [caveat if columns else "Too few tasks for a correlation.", *left_out(dict(rankings))]
    return table_of(field, {m: field.label(m) for m in first.order}, columns, legend=legend, remarks=remarks)


def table_answers(results: Results, paper: Paper) -> Answers:
    """The questions, answered in sentences."""
    return answers(results)
