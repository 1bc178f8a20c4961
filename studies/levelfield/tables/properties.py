"""Which properties of a task go with which method being ahead: rank correlations over tasks, corrected for their number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from pulab.tables import Results, Table
from pulab.tables.numerals import signed
from pulib.statistics import holm
from studies.levelfield.field import METRICS, Field, best_of, cell, left_out_note, table_of

#: Facts of a trial, by the names that people read; the ceiling is added to them.
FACTS = {
    "n_unlabeled": "unlabeled rows",
    "n_features": "features",
    "prior_true": "π",
    "n_labeled": "labels",
    "share_discrete": "share of discrete features",
}
CEILING = "supervised ceiling"
#: Tasks without which a rank correlation says nothing.
LEAST_TASKS = 5
LEGEND = (
    "Spearman's correlation over tasks between a property and a learner's {metric} minus the mean of all learners on that "
    "task ({{repeats}}); * significant at 5% after Holm's correction over the table."
)


def property_table(results: Results, setting: str, metric: str) -> Table:
    """Learners by properties of tasks."""
    field = Field.of(results, [setting], [metric, *FACTS])
    ranking = field.ranking(setting, metric)
    found = correlations(ranking.scores, properties(field, setting, metric))
    cells: list[dict[str, Any]] = []
    for method in [m for m in ranking.order if m in set(found["method"])]:
        for row in found[found["method"] == method].itertuples():
            text = "–" if np.isnan(row.rho) else signed(row.rho, 2) + ("*" if row.p_holm < 0.05 else "")
            cells.append(cell(field.label(method), row.property, text, row.rho, tasks=row.tasks))
    remarks = [independence(ranking.scores)] if len(found) else ["Too few tasks for a correlation."]
    legend = LEGEND.format(metric=METRICS[metric])
    remarks += left_out_note({"ranks": ranking})
    return table_of(cells, field, legend=legend, remarks=remarks, setting=setting, metric=metric)


def properties(field: Field, setting: str, metric: str) -> pd.DataFrame:
    """A row per task, a column per property: facts of its trials, and the best score with true labels."""
    facts = {label: field.scores(setting, name).median(axis=1) for name, label in FACTS.items()}
    scores = field.scores(setting, metric)
    table = pd.DataFrame({name: values for name, values in facts.items() if len(values)}, index=scores.index)
    ceilings = field.of_role(scores.columns, "ceiling")
    return table.assign(**{CEILING: best_of(scores, ceilings)}) if ceilings else table


def correlations(scores: pd.DataFrame, facts: pd.DataFrame) -> pd.DataFrame:
    """Rank correlations of every property with every method's advantage.

    Returns
    -------
    DataFrame with ``method, property, rho, p, p_holm, tasks``; missing where a property does not vary, and empty for fewer than
    five tasks.
    """
    columns = ["method", "property", "rho", "p", "p_holm", "tasks"]
    facts = facts.reindex(scores.index)
    if len(scores) < LEAST_TASKS:
        return pd.DataFrame(columns=columns)
    ahead = scores.sub(scores.mean(axis=1), axis=0)
    rows = []
    for method in ahead:
        for name in facts:
            pair = pd.concat([ahead[method], facts[name]], axis=1).dropna()
            varies = len(pair) >= LEAST_TASKS and pair.nunique().min() > 1
            rho, p = spearmanr(pair.iloc[:, 0], pair.iloc[:, 1]) if varies else (np.nan, np.nan)
            rows.append([method, name, float(rho), float(p), np.nan, len(pair)])
    found = pd.DataFrame(rows, columns=columns)
    known = found["p"].notna()
    found.loc[known, "p_holm"] = holm(found.loc[known, "p"].to_numpy())
    return found


def independence(scores: pd.DataFrame) -> str:
    """The caveat about so few tasks."""
    return (
        f"Over {len(scores)} tasks, some of which are the same rows with the classes swapped, chance alone gives correlations "
        f"of up to about {1.96 / np.sqrt(max(len(scores) - 1, 1)):.2f}. A correlation is not a cause."
    )
