"""The numbers behind the answers to the level field's questions; the templates ``levelfield_*.md.jinja`` put them into words.

One function per question returns the records that the template of the same name shows.  Questions about what lowers or raises
scores are in :mod:`~pulab.tables.levelfield_changes`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pulab.tables.inputs import Inputs
from pulab.tables.kinds.levelfield_costs import pareto_front, seconds, time_and_rank
from pulab.tables.kinds.levelfield_coverage import coverage
from pulab.tables.kinds.levelfield_curves import labels_needed
from pulab.tables.kinds.levelfield_pairs import ROPE
from pulab.tables.kinds.levelfield_properties import FACTS, correlations, properties
from pulab.tables.kinds.levelfield_ranks import first_places
from pulab.tables.kinds.levelfield_trivial import margins_over_trivial
from pulab.tables.levelfield import Field, Ranking, best_of, over_tasks, plain_number
from pulab.tables.sentences import Range
from pulib.statistics import bayesian_signed_rank

#: The least share of the tasks that a learner needs to be ranked where only the tasks that all learners share count.
SHARED_BY_ALL = 0.1


class Coverage(NamedTuple):
    """How much was run in the reference settings, or in the others."""

    references: bool
    tasks: Range
    learners: Range
    repeats: Range


def coverage_numbers(spec: Mapping[str, Any], inputs: Inputs) -> dict[str, Any]:
    """How much stands behind the other answers."""
    found = coverage(inputs.results, spec.get("roles", {}))
    is_reference = found.index.isin(list(spec["references"]))
    parts = {True: found[is_reference], False: found[~is_reference]}
    return {
        "parts": [
            Coverage(name, Range.of(part["tasks"]), Range.of(part["learners"]), Range(part["fewest"].min(), part["most"].max()))
            for name, part in parts.items()
            if len(part)
        ]
    }


class Ranked(NamedTuple):
    name: str
    rank: float


class Shared(NamedTuple):
    """The ranking of all learners, over the tasks on which all of them were run."""

    tasks: int
    learners: int
    best: Ranked
    partly_run: int
    best_partly_run: Ranked


class Leader(NamedTuple):
    """The best-ranked learner in one setting by one metric, compared with the others."""

    setting: str
    metric: str
    best: Ranked
    runners_up: list[Ranked]
    others: int
    tasks: int
    score: float
    inseparable: int
    first_on: float
    first_somewhere: int
    wins: int
    losses: int
    better: float
    same: float
    worse: float
    ceiling_lead: float
    shared: Shared | None


class Overall(NamedTuple):
    """The learner that most rankings have in the first place, over those rankings."""

    best: str
    first: int
    rankings: int
    second: str
    times_second: int
    tasks: Range
    others: Range
    wins: Range
    losses: Range
    ceiling_lead: Range | None


def ranks_numbers(spec: Mapping[str, Any], inputs: Inputs) -> dict[str, Any]:
    """The best-ranked learner of each reference and metric, and how certain that is."""
    field = Field.of(spec, inputs.results, spec["references"], ["accuracy", "auc"])
    leaders = []
    for setting, label in spec["references"].items():
        for metric in ("accuracy", "auc"):
            ranking = field.ranking(setting, metric)
            if ranking.there:
                leaders.append(_leader(field, ranking, setting, label, metric))
    return {"leaders": leaders, "overall": _overall(leaders) if leaders else None}


def _leader(field: Field, ranking: Ranking, setting: str, label: str, metric: str) -> Leader:
    ranked = [Ranked(field.label(m), float(ranking.ranks[m])) for m in ranking.order]
    best, second = ranking.order[:2]
    first = first_places(ranking.scores)
    scores = field.scores(setting, metric).loc[ranking.scores.index]
    ceiling = best_of(scores, field.of_role(scores.columns, "ceiling"))
    chances = bayesian_signed_rank(ranking.scores[best], ranking.scores[second], rope=ROPE)
    return Leader(
        setting=label,
        metric=metric,
        best=ranked[0],
        runners_up=ranked[1:4],
        others=len(ranked) - 1,
        tasks=len(ranking.scores),
        score=100 * float(ranking.scores[best].mean()),
        inseparable=sum(other.rank - ranked[0].rank < ranking.test.critical_difference for other in ranked[1:]),
        first_on=float(first[best]),
        first_somewhere=int((first > 0).sum()),
        wins=int(ranking.pairs.wins[best]),
        losses=int(ranking.pairs.losses[best]),
        better=chances.better,
        same=chances.same,
        worse=chances.worse,
        ceiling_lead=100 * float((ceiling - scores[best]).mean()),
        shared=_shared(field, field.ranking(setting, metric, least_share=SHARED_BY_ALL), ranking),
    )


def _shared(field: Field, everybody: Ranking, ranking: Ranking) -> Shared | None:
    partly_run = [m for m in everybody.order if m not in ranking.ranks.index]
    if not (everybody.there and partly_run):
        return None
    best, best_partly_run = (Ranked(field.label(m), everybody.ranks[m]) for m in (everybody.order[0], partly_run[0]))
    return Shared(len(everybody.scores), len(everybody.order), best, len(partly_run), best_partly_run)


def _overall(leaders: list[Leader]) -> Overall:
    ((best, first),) = Counter(leader.best.name for leader in leaders).most_common(1)
    ((second, times_second),) = Counter(leader.runners_up[0].name for leader in leaders).most_common(1)
    own = [leader for leader in leaders if leader.best.name == best]
    leads = [leader.ceiling_lead for leader in own if np.isfinite(leader.ceiling_lead)]
    tasks, others, wins, losses = (
        Range.of([getattr(leader, name) for leader in own]) for name in ("tasks", "others", "wins", "losses")
    )
    lead = Range.of(leads) if leads else None
    return Overall(best, first, len(leaders), second, times_second, tasks, others, wins, losses, lead)


class Below(NamedTuple):
    """On how many of its tasks a learner does worse than the best trivial classifier."""

    name: str
    below: int
    tasks: int


class Trivial(NamedTuple):
    """Who does worse than the best trivial classifier in one setting; by the mean alone where there is a single repeat."""

    setting: str
    learners: int
    repeats: int
    below: list[Below]


class Worst(NamedTuple):
    """The task on which most learners do worse than a trivial classifier, and who does so on others; over all references."""

    learners: int
    below: int
    task: str
    on_task: int
    elsewhere: list[Below]


class Former(NamedTuple):
    """A default as it is and as it was: comparisons (tasks by references) that it loses, and its worst margin in points."""

    name: str
    comparisons: int
    now: int
    before: int
    margin_now: float
    margin_before: float


def trivial_numbers(spec: Mapping[str, Any], inputs: Inputs) -> dict[str, Any]:
    """Which learners do worse than a trivial classifier."""
    field = Field.of(spec, inputs.results, spec["references"], ["accuracy"])
    everything = pd.concat([margins_over_trivial(field, inputs.results, setting) for setting in spec["references"]])
    # a single repeat has no interval: it can be below, but not significantly so
    everything = everything.assign(below=everything["lost"] if field.repeats > 1 else everything["mean"] < 0)
    margins = everything[everything["method"].isin(field.ranked(everything["method"]))]
    settings = [
        Trivial(label, part["method"].nunique(), field.repeats, _below(field, part))
        for setting, label in spec["references"].items()
        if len(part := margins[margins["setting"] == setting])
    ]
    former = [_former(field, everything, now, old) for now, old in spec.get("before", {}).items()]
    return {
        "overall": _worst(field, margins) if settings and field.repeats > 1 else None,
        "settings": settings,
        "former": [found for found in former if found],
    }


def _below(field: Field, margins: pd.DataFrame) -> list[Below]:
    counts = margins.groupby("method")["below"].agg(["sum", "size"]).sort_values("sum", ascending=False, kind="stable")
    return [Below(field.label(m), int(below), int(tasks)) for m, below, tasks in counts.itertuples(name=None) if below]


def _worst(field: Field, margins: pd.DataFrame) -> Worst:
    once = margins[margins["below"]].drop_duplicates(["dataset", "method"])
    by_task = once["dataset"].value_counts()
    elsewhere = _below(field, once[once["dataset"] != by_task.index[0]]) if len(by_task) else []
    task, on_task = (field.task(by_task.index[0]), int(by_task.iloc[0])) if len(by_task) else ("", 0)
    return Worst(margins["method"].nunique(), once["method"].nunique(), task, on_task, elsewhere)


def _former(field: Field, margins: pd.DataFrame, now: str, old: str) -> Former | None:
    after, before = (margins[margins["method"] == m].set_index(["setting", "dataset"]) for m in (now, old))
    both = after.index.intersection(before.index)
    if both.empty:
        return None
    after, before = after.loc[both], before.loc[both]
    lost = int(after["below"].sum()), int(before["below"].sum())
    return Former(field.label(now), len(both), *lost, after["mean"].min(), before["mean"].min())


class Enough(NamedTuple):
    """By number of labels how many learners reach 95% of their best score, in the median over tasks."""

    metric: str
    learners: int
    by_labels: list[tuple[float, int]]


class Highest(NamedTuple):
    """The learner with the highest mean score at some number of labels."""

    metric: str
    labels: float
    name: str
    score: float
    low: float
    high: float
    tasks: int
    fewest_labels: bool


def labels_numbers(spec: Mapping[str, Any], inputs: Inputs) -> dict[str, Any]:
    """How few labels are enough, and who is ahead with the fewest and the most of them."""
    levels = {setting: float(level) for setting, level in spec["labels"].items()}
    enough, highest = [], []
    for metric in ("accuracy", "auc"):
        field = Field.of(spec, inputs.results, levels, [metric])
        needed = [labels_needed(field, m, levels, metric, 0.95) for m in field.ranked(field.table.columns)]
        median = np.array([middle(values) for values in needed if len(values)])
        if not len(median):
            continue
        enough.append(Enough(metric, len(median), [(level, int((median <= level).sum())) for level in np.unique(median)]))
        run = [setting for setting in levels if len(field.scores(setting, metric))]
        for setting in dict.fromkeys((run[0], run[-1])):
            scores = field.scores(setting, metric)
            found = over_tasks(scores[field.ranked(scores.columns)].dropna(axis="columns"))
            if len(found):
                best = found["mean"].idxmax()
                mean, low, high = found.loc[best, ["mean", "low", "high"]]
                fewest = setting == next(iter(levels))
                highest.append(Highest(metric, levels[setting], field.label(best), mean, low, high, len(scores), fewest))
    return {"enough": enough, "highest": highest}


def middle(values: pd.Series) -> float:
    """The median, as one of the values.

    >>> middle(pd.Series([10.0, 10.0, 100.0, 1000.0]))
    10.0
    """
    return float(np.quantile(values, 0.5, method="inverted_cdf"))


class Timed(NamedTuple):
    name: str
    seconds: float
    rank: float


class Front(NamedTuple):
    """The Pareto front of time and mean rank, from the fastest learner to the best-ranked."""

    metric: str
    learners: list[Timed]
    slowest: Timed


def costs_numbers(spec: Mapping[str, Any], inputs: Inputs) -> dict[str, Any]:
    """The learners on the Pareto front of time and rank."""
    setting = next(iter(spec["references"]))
    field = Field.of(spec, inputs.results, [setting], ["accuracy", "auc"])
    times, fronts = seconds(inputs.timings, setting), []
    for metric in ("accuracy", "auc"):
        points = time_and_rank(times, field.ranking(setting, metric).ranks)
        if len(points):
            timed = {m: Timed(field.label(m), *points.loc[m, ["seconds", "rank"]]) for m in points.index}
            fronts.append(Front(metric, [timed[m] for m in pareto_front(points)], timed[points["seconds"].idxmax()]))
    return {"fronts": fronts}


class Related(NamedTuple):
    name: str
    fact: str
    rho: float

    @property
    def rho_text(self) -> str:
        return plain_number(self.rho, 2)


class Properties(NamedTuple):
    """Rank correlations between properties of the tasks and how far ahead a learner is."""

    metric: str
    correlations: int
    significant: int
    tasks: int
    strongest: list[Related]


def properties_numbers(spec: Mapping[str, Any], inputs: Inputs) -> dict[str, Any]:
    """By metric the strongest correlations, and how many are significant."""
    setting = next(iter(spec["references"]))
    field = Field.of(spec, inputs.results, [setting], ["accuracy", "auc", *FACTS])
    found = []
    for metric in ("accuracy", "auc"):
        scores = field.ranking(setting, metric).scores
        own = correlations(scores, properties(field, setting, metric)).dropna(subset=["rho"])
        if len(own):
            strongest = own.reindex(own["rho"].abs().sort_values(ascending=False).index).head(3)
            related = [Related(field.label(row.method), row.property, row.rho) for row in strongest.itertuples()]
            found.append(Properties(metric, len(own), int((own["p_holm"] < 0.05).sum()), len(scores), related))
    return {"metrics": found}
