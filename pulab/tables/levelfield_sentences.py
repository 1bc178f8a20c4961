"""What the level field says of learners at defaults: ranks, trivial answers, labels, costs, properties of tasks.

Each function yields the sentences of one question, made of numbers alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pulab.tables.inputs import Inputs
from pulab.tables.kinds.levelfield_costs import pareto_front, seconds, time_and_rank
from pulab.tables.kinds.levelfield_coverage import coverage
from pulab.tables.kinds.levelfield_curves import labels_needed
from pulab.tables.kinds.levelfield_pairs import ROPE
from pulab.tables.kinds.levelfield_properties import FACTS, correlations, properties
from pulab.tables.kinds.levelfield_ranks import first_places
from pulab.tables.kinds.levelfield_trivial import beside_trivial
from pulab.tables.levelfield import METRICS, Field, Ranking, best_of, over_tasks, plain_number
from pulab.tables.levelfield_words import Sentence, interval_of, listed, name_of, span, tasks_text
from pulib.statistics import bayesian_signed_rank

#: The least share of the tasks that a method needs to be compared with all others, on the tasks that all of them have.
EVERYBODY = 0.1


def about_coverage(spec: Mapping[str, Any], inputs: Inputs) -> Iterator[Sentence]:
    """How much stands behind the other sentences."""
    found = coverage(inputs.results, spec.get("roles", {}))
    references, others = (found[found.index.isin(list(spec["references"])) == part] for part in (True, False))
    for what, part in (("The references", references), ("The other settings", others)):
        if len(part):
            learners, tasks = (span(part[name].min(), part[name].max()) for name in ("learners", "tasks"))
            repeats = span(part["fewest"].min(), part["most"].max())
            text = f"{what} rest on {tasks} tasks, {learners} learners and {repeats} repeats."
            text = text.replace(" 1 tasks", " 1 task").replace(" 1 repeats", " 1 repeat")
            yield Sentence(text, "", "table_coverage", brief=True)


def about_ranks(spec: Mapping[str, Any], inputs: Inputs) -> Iterator[Sentence]:
    """The best-ranked learners of each reference and metric, and how sure that is."""
    settings = spec["references"]
    field = Field.of(spec, inputs.results, settings, ["accuracy", "auc"])
    rankings = {(s, metric): field.ranking(s, metric) for s in settings for metric in ("accuracy", "auc")}
    rankings = {key: ranking for key, ranking in rankings.items() if ranking.there}
    if rankings:
        yield Sentence(_at_a_glance(field, rankings), "figure_ranks", "table_overview", brief=True)
    for (setting, metric), ranking in rankings.items():
        place = f"{settings[setting].capitalize()}, {METRICS[metric]}"
        yield Sentence(
            _best(field, ranking, place, _gap(field, ranking, setting, metric)), "figure_ranks", f"table_ranks_{metric}"
        )
        yield Sentence(_beside_second(field, ranking, place), "figure_pairs", f"table_pairs_{metric}")
        everybody = field.ranking(setting, metric, least_share=EVERYBODY)
        slow = [m for m in everybody.order if m not in ranking.ranks.index]
        if everybody.there and slow:
            yield Sentence(_slow_ones(field, everybody, slow, place), "", f"table_ranks_all_{metric}")


def _at_a_glance(field: Field, rankings: Mapping[tuple[str, str], Ranking]) -> str:
    """Who has the best mean rank how often, and how sure and how far from what true labels give that is."""
    first, second = (pd.Series([ranking.order[k] for ranking in rankings.values()]).value_counts() for k in (0, 1))
    best, n = first.index[0], len(rankings)
    own = [(key, ranking) for key, ranking in rankings.items() if ranking.order[0] == best]
    wins, losses = (
        [int(part[best]) for part in parts] for parts in zip(*((r.pairs.wins, r.pairs.losses) for _, r in own), strict=True)
    )
    gaps = [gap for (setting, metric), ranking in own if np.isfinite(gap := _gap(field, ranking, setting, metric))]
    tasks, others = ([count(r) for _, r in own] for count in (lambda r: len(r.scores), lambda r: len(r.order) - 1))
    lost = span(min(losses), max(losses)) if max(losses) else "none"
    ceiling = (
        f" Supervised classifiers, with true labels, are {span(min(gaps), max(gaps), 1)} points ahead of it at their best."
        if gaps
        else ""
    )
    return (
        f"{name_of(field, best)} has the best mean rank in {first.iloc[0]} of {n} rankings (by accuracy and by AUC, in each "
        f"scenario), over {span(min(tasks), max(tasks))} tasks; {name_of(field, second.index[0])} is second in "
        f"{second.iloc[0]}. By Wilcoxon's test with Holm's correction the first beats {span(min(wins), max(wins))} of "
        f"{span(min(others), max(others))} other learners and loses to {lost}.{ceiling}"
    )


def _gap(field: Field, ranking: Ranking, setting: str, metric: str) -> float:
    """How far the best ceiling is ahead of the best-ranked learner, in points."""
    scores = field.scores(setting, metric).loc[ranking.scores.index]
    return float(100 * (best_of(scores, field.of_role(scores.columns, "ceiling")) - scores[ranking.order[0]]).mean())


def _best(field: Field, ranking: Ranking, place: str, gap: float) -> str:
    best, *others = ranking.order
    names = [f"{name_of(field, m)} ({ranking.ranks[m]:.2f})" for m in others[:3]]
    close = sum(ranking.ranks[m] - ranking.ranks[best] < ranking.test.critical_difference for m in others)
    first = first_places(ranking.scores)
    ceiling = f" Supervised classifiers are {gap:.1f} points ahead of it at their best." if np.isfinite(gap) else ""
    return (
        f"**{place}**: {name_of(field, best)} has the best mean rank, {ranking.ranks[best]:.2f} "
        f"over {len(ranking.scores)} tasks ({100 * ranking.scores[best].mean():.1f}% in the mean); then come {listed(names)}. "
        f"{close} of {len(others)} other learners are within Nemenyi's critical difference of it. It is first on "
        f"{first[best]:.3g} of {len(ranking.scores)} tasks, and {int((first > 0).sum())} learners are first somewhere.{ceiling}"
    )


def _slow_ones(field: Field, everybody: Ranking, slow: Sequence[str], place: str) -> str:
    best, n = everybody.order[0], len(everybody.scores)
    named = [f"{name_of(field, m)} ({everybody.ranks[m]:.2f})" for m in slow]
    return (
        f"{place}, on the {n} tasks of the learners that take long: of "
        f"{len(everybody.order)} learners {name_of(field, best)} has the best mean rank ({everybody.ranks[best]:.2f}); those "
        f"that take long have {listed(named)}."
    )


def _beside_second(field: Field, ranking: Ranking, place: str) -> str:
    best, second = ranking.order[:2]
    found = bayesian_signed_rank(ranking.scores[best], ranking.scores[second], rope=ROPE)
    wins, losses = int(ranking.pairs.wins[best]), int(ranking.pairs.losses[best])
    return (
        f"{place}: by Wilcoxon's test with Holm's correction {name_of(field, best)} beats {wins} "
        f"of {len(ranking.order) - 1} other learners and loses to {losses}. On a further task it is better than "
        f"{name_of(field, second)} by more than a point with probability {found.better:.2f}, the same within a point with "
        f"{found.same:.2f}, worse with {found.worse:.2f}."
    )


def about_trivial(spec: Mapping[str, Any], inputs: Inputs) -> Iterator[Sentence]:
    """Which learners lose a task to a trivial classifier."""
    field = Field.of(spec, inputs.results, spec["references"], ["accuracy"])
    parts = {setting: beside_trivial(field, inputs.results, setting) for setting in spec["references"]}
    parts = {setting: part[part["method"].isin(field.ranked(part["method"]))] for setting, part in parts.items()}
    if field.repeats > 1 and any(map(len, parts.values())):
        yield Sentence(_losers(field, pd.concat(list(parts.values()))), "", "table_trivial", brief=True)
    for setting, margins in parts.items():
        if len(margins):
            yield Sentence(_trivial_in(field, margins, spec["references"][setting].capitalize()), "", "table_trivial")
    yield from _before(spec, inputs, field)


def _losers(field: Field, margins: pd.DataFrame) -> str:
    """How many learners lose a task in either reference, and where nearly all of that is."""
    lost = margins[margins["lost"]].drop_duplicates(["dataset", "method"])
    text = f"{lost['method'].nunique()} of {margins['method'].nunique()} learners lose a task to the best trivial classifier"
    by_task = lost.groupby("dataset").size().sort_values(ascending=False)
    if by_task.empty:
        return f"{text}."
    worst = by_task.index[0]
    elsewhere = lost[lost["dataset"] != worst].groupby("method").size().sort_values(ascending=False)
    others = [f"{name_of(field, m)} ({k})" for m, k in elsewhere.items()]
    rest = f"others are lost by {listed(others)}" if others else "no other one is lost"
    return f"{text}: {by_task.iloc[0]} of them *{field.task(worst)}*; {rest}."


def _trivial_in(field: Field, margins: pd.DataFrame, place: str) -> str:
    tasks = margins.groupby("method").size()
    if field.repeats > 1:
        lost = margins[margins["lost"]].groupby("method").size().sort_values(ascending=False)
        named = [f"{name_of(field, m)} ({k} of {tasks[m]})" for m, k in lost.items()]
        who = f" Tasks are lost by {listed(named)}." if named else ""
        return (
            f"{place}: {len(tasks) - len(lost)} of {len(tasks)} learners lose no task to the best trivial classifier, beyond "
            f"the interval over {field.repeats} repeats.{who}"
        )
    below = margins[margins["mean"] < 0].groupby("method").size().sort_values(ascending=False)
    worse = [f"{name_of(field, m)} ({k} of {tasks[m]})" for m, k in below.items()]
    who = f" In the mean these are below it: {listed(worse)}." if worse else ""
    return f"{place}: a single repeat has no interval, and so decides nothing.{who}"


def _before(spec: Mapping[str, Any], inputs: Inputs, field: Field) -> Iterator[Sentence]:
    """How many tasks were lost by defaults as they were, where these were run again."""
    margins = pd.concat([beside_trivial(field, inputs.results, setting) for setting in spec["references"]])
    for now, old in spec.get("before", {}).items():
        after, before = (margins[margins["method"] == m].set_index(["setting", "dataset"]) for m in (now, old))
        both = after.index.intersection(before.index)
        if len(both):
            how, column = ("lost to", "lost") if field.repeats > 1 else ("was below", "below")
            lost = [int(part.assign(below=part["mean"] < 0).loc[both, column].sum()) for part in (before, after)]
            text = (
                f"*{field.label(now)}* {how} the best trivial classifier on {lost[0]} of {len(both)} tasks of both references "
                f"with its former default, and on {lost[1]} of them now; its smallest margin was "
                f"{plain_number(before.loc[both, 'mean'].min())} points and is {plain_number(after.loc[both, 'mean'].min())}."
            )
            yield Sentence(text, "", "table_trivial")


def about_labels(spec: Mapping[str, Any], inputs: Inputs) -> Iterator[Sentence]:
    """How few labels do for most of what a learner can, and who is ahead with few and with many."""
    levels = {setting: float(level) for setting, level in spec["labels"].items()}
    for metric in ("accuracy", "auc"):
        field = Field.of(spec, inputs.results, levels, [metric])
        needed = {m: labels_needed(field, m, levels, metric, 0.95) for m in field.ranked(field.table.columns)}
        median = pd.Series({m: middle(values) for m, values in needed.items() if len(values)}, dtype=float).sort_values()
        if median.empty:
            continue
        enough = {level: int((median <= level).sum()) for level in sorted(set(median))}
        counts = [f"{k} of {len(median)} with {level:,.0f}" for level, k in enough.items()]
        text = f"95% of its own best {METRICS[metric]} is reached, in the median over tasks, by {listed(counts)} labels."
        yield Sentence(text, f"figure_labels_{metric}", f"table_labels_{metric}", brief=metric == "accuracy")
        least = next(iter(levels))
        for setting in (least, [s for s in levels if len(field.scores(s, metric))][-1]):
            scores = field.scores(setting, metric)
            found = over_tasks(scores[field.ranked(scores.columns)].dropna(axis="columns")) if len(scores) else pd.DataFrame()
            if len(found):
                best = found["mean"].idxmax()
                text = (
                    f"With {levels[setting]:,.0f} labels the highest mean {METRICS[metric]} is that of "
                    f"{name_of(field, best)}: {interval_of(found.loc[best])}% over {tasks_text(len(scores))}."
                )
                yield Sentence(text, f"figure_labels_{metric}", f"table_labels_{metric}", brief=setting == least)


def middle(values: pd.Series) -> float:
    """The median, as one of the values.

    >>> middle(pd.Series([10.0, 10.0, 100.0, 1000.0]))
    10.0
    """
    return float(np.quantile(values, 0.5, method="inverted_cdf"))


def about_costs(spec: Mapping[str, Any], inputs: Inputs) -> Iterator[Sentence]:
    """The learners on the Pareto front of time and rank."""
    setting = next(iter(spec["references"]))
    field = Field.of(spec, inputs.results, [setting], ["accuracy", "auc"])
    times = seconds(inputs.timings, setting)
    for metric in ("accuracy", "auc"):
        points = time_and_rank(times, field.ranking(setting, metric).ranks)
        if points.empty:
            continue
        front = pareto_front(points)
        named = [f"{name_of(field, m)} ({points.loc[m, 'seconds']:.2g} s, rank {points.loc[m, 'rank']:.1f})" for m in front]
        text = (
            f"By time and {METRICS[metric]} no learner is both faster and better ranked than {listed(named)}; the slowest "
            f"takes {points['seconds'].max():.3g} s (medians over tasks, one thread)."
        )
        yield Sentence(text, "figure_costs", "table_costs", brief=metric == "accuracy")


def about_properties(spec: Mapping[str, Any], inputs: Inputs) -> Iterator[Sentence]:
    """By measure the strongest correlations, and how many are more than chance."""
    setting = next(iter(spec["references"]))
    tables = {"accuracy": "table_properties", "auc": "table_properties_auc"}
    field = Field.of(spec, inputs.results, [setting], [*tables, *FACTS])
    for metric, table in tables.items():
        scores = field.ranking(setting, metric).scores
        found = correlations(scores, properties(field, setting, metric)).dropna(subset=["rho"])
        if found.empty:
            continue
        significant = int((found["p_holm"] < 0.05).sum())
        strongest = found.reindex(found["rho"].abs().sort_values(ascending=False).index).head(3)
        named = [f"{name_of(field, r.method)} with {r.property} (ρ = {plain_number(r.rho, 2)})" for r in strongest.itertuples()]
        text = (
            f"By {METRICS[metric]}, of {len(found)} rank correlations between a property of the task and how far ahead a "
            f"learner is, {significant} {'is' if significant == 1 else 'are'} significant after Holm's correction over "
            f"{len(scores)} tasks. The strongest: "
            f"{listed(named)}."
        )
        yield Sentence(text, "figure_properties", table, brief=True)
