"""The best-ranked learner against each other one: differences, Wilcoxon's test with Holm's correction, and a Bayesian test."""

from __future__ import annotations

from collections.abc import Mapping

from pulab.tables.inputs import Cell, Inputs, Paths, Spec
from studies.levelfield.field import Field, Ranking, cell, left_out_note, not_run, over_tasks, p_text, summary_cell, write_cells
from pulab.trials.artifacts import Artifact, Setting
from pulib.statistics import bayesian_signed_rank

#: Points that do not matter.
ROPE = 0.01
LEGEND = (
    "The best-ranked learner's score minus the row's, in points, with a 95% bootstrap interval over tasks (means over "
    "{repeats}); p of Wilcoxon's test (two-sided, after Holm's correction over all pairs of learners); and the posterior "
    "probabilities that the best-ranked learner is better, equivalent, or worse (Bayesian signed-rank test with a region of "
    "practical equivalence of one point)."
)


class Keys(Artifact):
    metric: str
    settings: dict[Setting, str]


def render(spec: Spec, inputs: Inputs, paths: Paths) -> None:
    """Write the table that ``spec``, its entry in the study's configuration, describes."""
    field = Field.of(spec, inputs.results, spec["settings"], [spec["metric"]])
    rankings = {label: field.ranking(setting, spec["metric"]) for setting, label in spec["settings"].items()}
    cells, remarks = [], []
    compared = {label: against_the_best(ranking) for label, ranking in rankings.items()}
    first = next((ranking for ranking in rankings.values() if ranking.there), next(iter(rankings.values())))
    for method in first.order:
        for label, ranking in rankings.items():
            cells += _cells(field, method, label, ranking, compared[label])
    for setting, label in spec["settings"].items():
        ranking = rankings[label]
        if not ranking.there:
            continue
        remarks.append(f"{label}: the best-ranked learner is {field.label(ranking.order[0])}; {ranking.summary()}.")
        scores = field.scores(setting, spec["metric"]).loc[ranking.scores.index]
        others = scores.drop(columns=field.ranked(scores.columns))
        found = over_tasks(-others.sub(scores[ranking.order[0]], axis=0))
        cells += [summary_cell(field.label(m), f"difference, {label}", found, m, signed=True) for m in others]
    write_cells(spec, cells, paths, repeats=field.repeats, legend=LEGEND, remarks=remarks + left_out_note(rankings))


def against_the_best(ranking: Ranking) -> dict[str, tuple[float, float, float]]:
    """Posterior probabilities that the best-ranked method is better than each other one, the same, and worse."""
    if not ranking.there:
        return {}
    best, *others = ranking.order
    return {m: bayesian_signed_rank(ranking.scores[best], ranking.scores[m], rope=ROPE) for m in others}


def _cells(
    field: Field, method: str, label: str, ranking: Ranking, compared: Mapping[str, tuple[float, float, float]]
) -> list[Cell]:
    row, columns = field.label(method), [f"{name}, {label}" for name in ("difference", "p", "better / same / worse")]
    if method not in compared:
        text = "the best-ranked" if ranking.there and method == ranking.order[0] else ""
        return [cell(row, columns[0], text) if text else not_run(row, columns[0]), *(cell(row, c, "") for c in columns[1:])]
    best, tasks = ranking.order[0], len(ranking.scores)
    difference = over_tasks((ranking.scores[best] - ranking.scores[method]).to_frame(method))
    p, probabilities = float(ranking.pairs.pvalues.loc[best, method]), compared[method]
    return [
        summary_cell(row, columns[0], difference, method, signed=True),
        cell(row, columns[1], p_text(p), p, tasks=tasks),
        cell(row, columns[2], " / ".join(f"{q:.2f}" for q in probabilities), probabilities[0], tasks=tasks),
    ]
