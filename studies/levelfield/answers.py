"""The numbers behind the answers to the level field's questions; the templates put them into words.

One function per question returns what the template of the same name shows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from pulab.tables import Results
from pulab.tables.sentences import Effect, Range
from pulib.statistics import bayesian_signed_rank
from studies.levelfield.field import Field, Ranking, best_of, difference, over_tasks
from studies.levelfield.levels import BEFORE, ESTIMATED, LABELS, MEASURES, REFERENCES, SWITCHED
from studies.levelfield.tables.costs import pareto_front, seconds, time_and_rank
from studies.levelfield.tables.coverage import coverage
from studies.levelfield.tables.curves import labels_needed
from studies.levelfield.tables.pairs import ROPE
from studies.levelfield.tables.priors import prior_errors
from studies.levelfield.tables.properties import FACTS, correlations, properties
from studies.levelfield.tables.ranks import first_places
from studies.levelfield.tables.scenarios import scenario_tests
from studies.levelfield.tables.trivial import margins_over_trivial
from studies.levelfield.tables.tuning import ALL, gains_and_losses, tuned_field, tuned_scores

#: The least share of the tasks that a learner needs to be ranked where only the tasks that all learners share count.
SHARED_BY_ALL = 0.1


def coverage_numbers(results: Results) -> dict[str, Any]:
    """How much was run in the reference settings, and in the others."""
    found = coverage(results.tidy, results.roles)
    is_reference = found.index.isin(list(REFERENCES))
    parts = {True: found[is_reference], False: found[~is_reference]}
    return {
        "parts": [
            SimpleNamespace(
                references=references,
                tasks=Range.of(part["tasks"]),
                learners=Range.of(part["learners"]),
                repeats=Range(part["fewest"].min(), part["most"].max()),
            )
            for references, part in parts.items()
            if len(part)
        ]
    }


def ranks_numbers(results: Results) -> dict[str, Any]:
    """The best-ranked learner of each reference and metric, and how certain that is."""
    field = Field.of(results, REFERENCES, MEASURES)
    leaders = []
    for setting, label in REFERENCES.items():
        for metric in MEASURES:
            ranking = field.ranking(setting, metric)
            if ranking.there:
                leaders.append(_leader(field, ranking, setting, label, metric))
    return {"leaders": leaders, "overall": _overall(leaders) if leaders else None}


def _ranked(field: Field, ranking: Ranking, methods: list[str]) -> list[SimpleNamespace]:
    return [SimpleNamespace(name=field.label(method), rank=float(ranking.ranks[method])) for method in methods]


def _leader(field: Field, ranking: Ranking, setting: str, label: str, metric: str) -> SimpleNamespace:
    """The best-ranked learner in one setting by one metric, compared with the others."""
    leader, *others = _ranked(field, ranking, ranking.order)
    best, second = ranking.order[:2]
    first = first_places(ranking.scores)
    scores = field.scores(setting, metric).loc[ranking.scores.index]
    ceiling = best_of(scores, field.of_role(scores.columns, "ceiling"))
    chances = bayesian_signed_rank(ranking.scores[best], ranking.scores[second], rope=ROPE)
    return SimpleNamespace(
        setting=label,
        metric=metric,
        best=leader,
        runners_up=others[:3],
        others=len(others),
        tasks=len(ranking.scores),
        score=100 * float(ranking.scores[best].mean()),
        inseparable=sum(other.rank - leader.rank < ranking.test.critical_difference for other in others),
        first_on=float(first[best]),
        first_somewhere=int((first > 0).sum()),
        wins=int(ranking.pairs.wins[best]),
        losses=int(ranking.pairs.losses[best]),
        **chances._asdict(),
        ceiling_lead=100 * float((ceiling - scores[best]).mean()),
        shared=_shared(field, field.ranking(setting, metric, least_share=SHARED_BY_ALL), ranking),
    )


def _shared(field: Field, everybody: Ranking, ranking: Ranking) -> SimpleNamespace | None:
    """The ranking of all learners, over the tasks on which all of them were run."""
    partly_run = [m for m in everybody.order if m not in ranking.ranks.index]
    if not (everybody.there and partly_run):
        return None
    best, best_partly_run = _ranked(field, everybody, [everybody.order[0], partly_run[0]])
    return SimpleNamespace(
        tasks=len(everybody.scores),
        learners=len(everybody.order),
        best=best,
        partly_run=len(partly_run),
        best_partly_run=best_partly_run,
    )


def _overall(leaders: list[SimpleNamespace]) -> SimpleNamespace:
    """The learner that most rankings have in the first place, over those rankings."""
    ((best, first),) = Counter(leader.best.name for leader in leaders).most_common(1)
    ((second, times_second),) = Counter(leader.runners_up[0].name for leader in leaders).most_common(1)
    own = [leader for leader in leaders if leader.best.name == best]
    leads = [leader.ceiling_lead for leader in own if np.isfinite(leader.ceiling_lead)]
    return SimpleNamespace(
        best=best,
        first=first,
        rankings=len(leaders),
        second=second,
        times_second=times_second,
        **{name: Range.of([getattr(leader, name) for leader in own]) for name in ("tasks", "others", "wins", "losses")},
        ceiling_lead=Range.of(leads) if leads else None,
    )


def trivial_numbers(results: Results) -> dict[str, Any]:
    """Which learners do worse than a trivial classifier; by the mean alone where there is a single repeat."""
    field = Field.of(results, REFERENCES, ["accuracy"])
    everything = pd.concat([margins_over_trivial(field, results.tidy, setting) for setting in REFERENCES])
    # a single repeat has no interval: it can be below, but not significantly so
    everything = everything.assign(below=everything["lost"] if field.repeats > 1 else everything["mean"] < 0)
    margins = everything[everything["method"].isin(field.ranked(everything["method"]))]
    settings = [
        SimpleNamespace(setting=label, learners=part["method"].nunique(), repeats=field.repeats, below=_below(field, part))
        for setting, label in REFERENCES.items()
        if len(part := margins[margins["setting"] == setting])
    ]
    former = [_former(field, everything, now, old) for now, old in BEFORE.items()]
    return {
        "overall": _worst(field, margins) if settings and field.repeats > 1 else None,
        "settings": settings,
        "former": [found for found in former if found],
    }


def _below(field: Field, margins: pd.DataFrame) -> list[SimpleNamespace]:
    """On how many of its tasks a learner does worse than the best trivial classifier."""
    counts = margins.groupby("method")["below"].agg(["sum", "size"]).sort_values("sum", ascending=False, kind="stable")
    return [
        SimpleNamespace(name=field.label(method), below=int(below), tasks=int(tasks))
        for method, below, tasks in counts.itertuples(name=None)
        if below
    ]


def _worst(field: Field, margins: pd.DataFrame) -> SimpleNamespace:
    """The task on which most learners do worse than a trivial classifier, and who does so on others; over all references."""
    once = margins[margins["below"]].drop_duplicates(["dataset", "method"])
    by_task = once["dataset"].value_counts()
    task, on_task = next(by_task.items(), ("", 0))
    return SimpleNamespace(
        learners=margins["method"].nunique(),
        below=once["method"].nunique(),
        task=field.task(task),
        on_task=on_task,
        elsewhere=_below(field, once[once["dataset"] != task]),
    )


def _former(field: Field, margins: pd.DataFrame, now: str, old: str) -> SimpleNamespace | None:
    """A default as it is and as it was: comparisons (tasks by references) that it loses, and its worst margin in points."""
    after, before = (margins[margins["method"] == m].set_index(["setting", "dataset"]) for m in (now, old))
    both = after.index.intersection(before.index)
    if both.empty:
        return None
    after, before = after.loc[both], before.loc[both]
    return SimpleNamespace(
        name=field.label(now),
        comparisons=len(both),
        now=int(after["below"].sum()),
        before=int(before["below"].sum()),
        margin_now=after["mean"].min(),
        margin_before=before["mean"].min(),
    )


def labels_numbers(results: Results) -> dict[str, Any]:
    """By number of labels how many learners reach 95% of their best; and who is ahead with how many of them."""
    levels = {setting: float(level) for setting, level in LABELS.items()}
    enough, highest = [], []
    for metric in MEASURES:
        field = Field.of(results, levels, [metric])
        needed = [labels_needed(field, m, levels, metric, 0.95) for m in field.ranked(field.table.columns)]
        median = np.array([middle(values) for values in needed if len(values)])
        if not len(median):
            continue
        by_labels = [(level, int((median <= level).sum())) for level in np.unique(median)]
        enough.append(SimpleNamespace(metric=metric, learners=len(median), by_labels=by_labels))
        for setting in levels:
            scores = field.scores(setting, metric)
            found = over_tasks(scores[field.ranked(scores.columns)].dropna(axis="columns"))
            if len(found):
                best = found["mean"].idxmax()
                where = {"labels": levels[setting], "fewest_labels": setting == next(iter(levels))}
                numbers = found.loc[best, ["mean", "low", "high"]].to_dict()
                highest.append(SimpleNamespace(metric=metric, name=field.label(best), tasks=len(scores), **where, **numbers))
    return {"enough": enough, "highest": highest}


def middle(values: pd.Series) -> float:
    """The median, as one of the values.

    >>> middle(pd.Series([10.0, 10.0, 100.0, 1000.0]))
    10.0
    """
    return float(np.quantile(values, 0.5, method="inverted_cdf"))


def costs_numbers(results: Results) -> dict[str, Any]:
    """The Pareto front of time and mean rank, from the fastest learner to the best-ranked."""
    setting = next(iter(REFERENCES))
    field = Field.of(results, [setting], MEASURES)
    times, fronts = seconds(results.timings, setting), []
    for metric in MEASURES:
        points = time_and_rank(times, field.ranking(setting, metric).ranks)
        if len(points):
            timed = {m: SimpleNamespace(name=field.label(m), **own) for m, own in points.to_dict("index").items()}
            learners = [timed[m] for m in pareto_front(points)]
            fronts.append(SimpleNamespace(metric=metric, learners=learners, slowest=timed[points["seconds"].idxmax()]))
    return {"fronts": fronts}


def properties_numbers(results: Results) -> dict[str, Any]:
    """By metric the strongest correlations of properties with learners' leads, and how many are significant."""
    setting = next(iter(REFERENCES))
    field = Field.of(results, [setting], [*MEASURES, *FACTS])
    found = []
    for metric in MEASURES:
        scores = field.ranking(setting, metric).scores
        own = correlations(scores, properties(field, setting, metric)).dropna(subset=["rho"])
        if len(own):
            strongest = own.sort_values("rho", key=np.abs, ascending=False).head(3)
            related = [
                SimpleNamespace(name=field.label(row.method), fact=row.property, rho=row.rho) for row in strongest.itertuples()
            ]
            significant = int((own["p_holm"] < 0.05).sum())
            found.append(
                SimpleNamespace(
                    metric=metric, correlations=len(own), significant=significant, tasks=len(scores), strongest=related
                )
            )
    return {"metrics": found}


def change_numbers(results: Results, *, levels: Mapping[str, str], reference: str) -> dict[str, Any]:
    """How scores change from a reference to each of some levels."""
    field = Field.of(results, [*levels, reference], MEASURES)
    found = [_change(field, setting, level, reference) for setting, level in levels.items() if setting != reference]
    changes = [change for change in found if change]
    return {"changes": changes, "worst": min(changes, key=lambda change: change.accuracy.mean, default=None)}


def _change(field: Field, setting: str, level: str, reference: str) -> SimpleNamespace | None:
    """How scores change at one level: on average over learners and tasks, for the learners at both ends, and for those that
    were run on some of the tasks only."""
    gained = _gained(field, setting, reference)
    shared = gained.dropna(axis="columns")
    if shared.empty:
        return None
    auc = difference(field.scores(setting, "auc"), field.scores(reference, "auc"))
    partly_run = [
        SimpleNamespace(name=field.label(method), tasks=len(own), own=_mean(own), others=_mean(shared.loc[own.index]))
        for method in gained.columns.difference(shared.columns, sort=False)
        if len(own := gained[method].dropna())
    ]
    return SimpleNamespace(
        level=level,
        accuracy=_mean(shared),
        auc=_mean(auc[[m for m in shared if m in auc]]),
        partly_run=partly_run,
        **_extremes(field, shared),
    )


def _gained(field: Field, setting: str, reference: str) -> pd.DataFrame:
    """Accuracy that ranked methods gain over the reference, tasks by methods."""
    gained = difference(field.scores(setting, "accuracy"), field.scores(reference, "accuracy"))
    return gained[field.ranked(gained.columns)]


def _mean(gained: pd.DataFrame | pd.Series) -> Effect:
    """In points, over everything."""
    return Effect(100 * float(np.nanmean(gained)))


def _extremes(field: Field, gained: pd.DataFrame) -> dict[str, Any]:
    """The learners that gain most (or lose least), and least; of how many, and over how many tasks."""
    found = over_tasks(gained).sort_values("mean", ascending=False)[["mean", "low", "high"]]
    learners = [
        SimpleNamespace(name=field.label(method), effect=Effect(*numbers)) for method, *numbers in found.itertuples(name=None)
    ]
    return {"best": learners[0], "worst": learners[-1], "learners": gained.shape[1], "tasks": len(gained)}


def estimated_numbers(results: Results) -> dict[str, Any]:
    """Estimators of π, the one that changes accuracy least to its disadvantage first; ``error`` is in points, on average."""
    estimators = ESTIMATED
    field = Field.of(results, ["two_sample", *estimators], ["accuracy"])
    errors = prior_errors(results.tidy, estimators)
    gains = {setting: own.mean(axis=1) for setting in errors if len(own := _gained(field, setting, "two_sample"))}
    found = over_tasks(pd.DataFrame(gains)).sort_values("mean", ascending=False)
    return {
        "estimators": [
            SimpleNamespace(
                name=estimators[setting],
                error=100 * errors[setting].abs().mean(),
                effect=Effect(mean, low, high),
                tasks=int(tasks),
            )
            for setting, mean, low, high, tasks in found.itertuples(name=None)
        ]
    }


def scenario_numbers(results: Results) -> dict[str, Any]:
    """What the wrong scenario costs, and for how many learners significantly so."""
    found = []
    for switched, entry in SWITCHED.items():
        reference = entry.reference
        field = Field.of(results, [switched, reference], ["accuracy"])
        gained = _gained(field, switched, reference).dropna(axis="columns")
        if gained.empty:
            continue
        found.append(
            SimpleNamespace(
                data=REFERENCES.get(reference, reference),
                accuracy=_mean(gained),
                significantly_worse=int(((scenario_tests(gained) < 0.05) & (gained.mean() < 0)).sum()),
                **_extremes(field, gained),
            )
        )
    return {"scenarios": found}


def tuning_numbers(results: Results) -> dict[str, Any]:
    """Gains over the defaults by criterion, the best one first; the oracle sees the true labels of the held-out rows."""
    found = []
    for metric in MEASURES:
        tuned = tuned_scores(tuned_field(results, metric), metric)
        gains = {
            name.removeprefix("gain, "): over_tasks(table[[ALL]]).loc[ALL]
            for name, table in gains_and_losses(tuned).items()
            if name.startswith("gain")
        }
        effects = {name: Effect(gain["mean"], gain["low"], gain["high"]) for name, gain in gains.items()}
        if oracle := effects.pop("oracle", None):
            criteria = [SimpleNamespace(name=name, effect=effect) for name, effect in effects.items()]
            criteria.sort(key=lambda criterion: -criterion.effect.mean)
            tasks = int(gains["oracle"]["tasks"])
            found.append(SimpleNamespace(metric=metric, tasks=tasks, criteria=criteria, oracle=oracle))
    return {"tuned": found}
