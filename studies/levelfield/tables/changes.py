"""Tables of what varies: labels, biases, mistakes, π, the scenario, tuning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from pulab.tables import Paper, Results, Table
from pulib.statistics import paired_wilcoxon
from studies.levelfield import levels, numbers
from studies.levelfield.columns import (
    OVER_TASKS,
    Column,
    at,
    level_means,
    means,
    of_columns,
    rows_of,
    values,
    with_dashes,
    write,
)
from studies.levelfield.field import UNRANKED, Field, Label, affected, mean_over_methods
from studies.levelfield.levels import MAIN, MEASURES, METRICS, TRUE_PRIOR, Level

#: Name of the row with the mean over learners.
ALL = "mean over learners"
#: Names of the rows with the error of an estimated π.
ABSOLUTE, ERROR = "absolute error", "error"
TESTED = "p: Wilcoxon's test over tasks of no change, after Holm's correction over the column."


def table_labels(results: Results, paper: Paper) -> Table:
    """Make a row per method: scores by number of labels, and how many labels give most of its best score."""
    field, columns = Field.of(results, ["two_sample", *levels.LABELS]), []
    for metric in MEASURES:
        columns.append(means(at("two_sample", metric), field.scores("two_sample", metric)))
        columns += [
            level_means(setting, metric, "{}", level, field.scores(setting, metric)) for setting, level in levels.LABELS.items()
        ]
        needed = {m: numbers.labels_needed(field, m, levels.LABELS, metric) for m in field.ranked(field.table.columns)}
        quartiles = {m: np.quantile(own, [0.25, 0.5, 0.75], method="inverted_cdf") for m, own in needed.items() if len(own)}
        found = pd.DataFrame.from_dict(quartiles, orient="index", columns=["low", "median", "high"], dtype=float)
        name = at("", metric, f"labels for {numbers.ENOUGH:.0%} of its best {{}}: median over tasks (quartiles)")
        texts = write("{:.0f} ({:.0f}–{:.0f})", found["median"], found["low"], found["high"])
        tasks = pd.Series({m: len(needed[m]) for m in quartiles}, dtype=int)
        columns.append(values(name, found["median"], texts, low=found["low"], high=found["high"], tasks=tasks))
    return of_columns(field, rows_of(field, "two_sample"), columns, legend=f"In percent: {OVER_TASKS}.")


def table_biased(results: Results, paper: Paper) -> Table:
    return loss_table(results, levels.BIASED)


def table_wrong(results: Results, paper: Paper) -> Table:
    return loss_table(results, levels.WRONG)


def table_wrong_prior(results: Results, paper: Paper) -> Table:
    return loss_table(results, levels.PRIORS)


def table_scenarios(results: Results, paper: Paper) -> Table:
    return loss_table(results, levels.SWITCHED)


def loss_table(results: Results, compared: Mapping[str, Level]) -> Table:
    """Make a row per method: its scores in the references of some levels, and what it loses at each level."""
    references = list(dict.fromkeys(level.reference for level in compared.values()))
    field, columns = Field.of(results, [*references, *compared]), []
    for metric in MEASURES:
        columns += [means(at(reference, metric), field.scores(reference, metric)) for reference in references]
        columns += _losses(field, compared, metric, "{} lost")
    legend = f"Scores in percent, and points lost compared with them: {OVER_TASKS}. {TESTED}"
    return _change_table(field, columns, references[0], legend)


def _losses(field: Field, compared: Mapping[str, Level], metric: str, text: str, sign: int = 1) -> list[Column]:
    """Return what each learner loses (or gains) at some levels, with tests, and the mean over learners."""
    columns = []
    for setting, lost in field.losses(compared, metric).items():
        change = (sign * lost).assign(**{ALL: sign * mean_over_methods(lost)})
        tests = numbers.loss_tests(lost) if lost.size else None
        columns.append(level_means(setting, metric, text, compared[setting], change, with_sign=True, pvalues=tests))
    return columns


def _change_table(field: Field, columns: Sequence[Column], reference: str, legend: str) -> Table:
    """Make the rows of learners that were run at some level, of their mean, and of ceilings and trivial classifiers."""
    changed = {method for column in columns for method in column.cells.index if ALL in column.cells.index}
    rows = rows_of(field, reference)
    unranked = {m: row for m, row in rows.items() if field.role(m) in UNRANKED}
    ranked = {m: row for m, row in rows.items() if m in changed or m in field.reasons}
    columns = [with_dashes(own, own.cells.index.union([ALL], sort=False)) if len(own.cells) else own for own in columns]
    return of_columns(field, ranked | {ALL: ALL} | unranked, columns, legend=legend)


def table_estimated_prior(results: Results, paper: Paper) -> Table:
    """Make a row per learner that uses π: what it loses by the estimate in the main settings, and by each estimator."""
    main, few = Field.of(results, [*MAIN, *TRUE_PRIOR]), Field.of(results, ["two_sample", *levels.ESTIMATED])
    compared = levels.OWN_PRIOR | levels.ESTIMATED
    takes_prior = {setting: affected(lost) for setting, lost in main.losses(levels.OWN_PRIOR, "accuracy").items()}
    errors, columns = pd.DataFrame(numbers.prior_errors(results.tidy, compared)), []
    for metric in MEASURES:
        of_main = {s: lost.filter(takes_prior[s]) for s, lost in main.losses(levels.OWN_PRIOR, metric).items()}
        for setting, lost in (of_main | few.losses(levels.ESTIMATED, metric)).items():
            if lost.size:
                name = f"{METRICS[metric]} lost, {compared[setting].label}, {len(lost)} tasks"
                columns.append(_costs(Label.of(name, setting=setting, metric=metric), errors[setting], lost))
    learners = {method for column in columns for method in column.cells.index}
    rows = {method: row for method, row in rows_of(main, "two_sample").items() if method in learners}
    legend = (
        "Means over tasks with 95% bootstrap intervals. Error: estimated minus true π, in points. Lost: points lost compared "
        "with the same learners given the true π, on average over the learners that use π (with p of Wilcoxon's test over "
        "tasks), then by learner. The columns of two samples and of one sample are the main settings, with the library's "
        "default estimator; the others have {repeats}."
    )
    return of_columns(few, {ABSOLUTE: ABSOLUTE, ERROR: ERROR, ALL: ALL} | rows, columns, legend=legend)


def _costs(name: str, error: pd.Series, lost: pd.DataFrame) -> Column:
    """Return the error of π, and what it costs each learner and all of them."""
    mean = mean_over_methods(lost)
    pvalues = {ALL: paired_wilcoxon(mean.dropna(), 0.0 * mean.dropna()).pvalue}
    signed = means(name, lost.assign(**{ALL: mean, ERROR: error}), with_sign=True, pvalues=pvalues)
    return Column(name, pd.concat([means(name, error.abs().to_frame(ABSOLUTE)).cells, signed.cells]))


def table_tuning(results: Results, paper: Paper) -> Table:
    """Make a row per learner: its score with defaults, and what each criterion gains, and loses compared with the oracle."""
    field, columns = Field.of(results, ["two_sample", "tuning_none", *levels.TUNED]), []
    for metric in MEASURES:
        defaults, reference = field.scores("tuning_none", metric), field.scores("two_sample", metric)
        others = reference[[m for m in reference if field.role(m) in UNRANKED]].reindex(defaults.index)
        columns.append(means(at("tuning", metric, "{}, defaults"), pd.concat([defaults, others], axis=1)))
        columns += _losses(field, levels.TUNED, metric, "{} gained", -1)
        columns += _losses(field, levels.AGAINST_ORACLE, metric, "{} lost")
    legend = (
        f"Scores in percent, gains and losses in points: {OVER_TASKS}. Gained: compared with the defaults; lost: compared with "
        f"the oracle, which uses the true labels of the same held-out rows. {TESTED} Grids are small and include the defaults."
    )
    return _change_table(field, columns, "two_sample", legend)
