"""What the level field says in words.  Each function yields the sentences of one question, made of numbers alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pulab.tables.inputs import Inputs
from pulab.tables.levelfield import METRICS, Field, Ranking, best_of, difference, interval_text, over_tasks, plain_number
from pulab.tables.levelfield_costs import pareto_front, seconds, time_and_rank
from pulab.tables.levelfield_coverage import coverage
from pulab.tables.levelfield_curves import labels_needed
from pulab.tables.levelfield_pairs import ROPE
from pulab.tables.levelfield_priors import prior_errors
from pulab.tables.levelfield_properties import FACTS, correlations, properties
from pulab.tables.levelfield_ranks import first_places
from pulab.tables.levelfield_scenarios import scenario_tests
from pulab.tables.levelfield_trivial import beside_trivial
from pulab.tables.levelfield_tuning import ALL, gains_and_losses, tuned_scores
from pulib.statistics import bayesian_signed_rank

#: The least share of the tasks that a method needs to be compared with all others, on the tasks that all of them have.
EVERYBODY = 0.1
#: Tasks below which a mean over them says nothing of others.
FEWEST_TASKS = 3


class Sentence(NamedTuple):
    """A sentence with the names of the figure and the table that it is about."""

    text: str
    figure: str
    table: str


def about_coverage(spec: Mapping[str, Any], inputs: Inputs) -> Iterator[Sentence]:
    """How much stands behind the other sentences."""
    found = coverage(inputs.results, spec.get("roles", {}))
    references, others = (found[found.index.isin(list(spec["references"])) == part] for part in (True, False))
    for what, part in (("The references", references), ("The other settings", others)):
        if len(part):
            learners, tasks = (_span(part[name].min(), part[name].max()) for name in ("learners", "tasks"))
            repeats = _span(part["fewest"].min(), part["most"].max())
            text = f"{what} rest on {tasks} tasks, {learners} learners and {repeats} repeats."
            yield Sentence(text.replace(" 1 tasks", " 1 task").replace(" 1 repeats", " 1 repeat"), "", "table_coverage")


def _span(least: float, most: float) -> str:
    return f"{least:.0f} to {most:.0f}" if least < most else f"{most:.0f}"


def about_ranks(spec: Mapping[str, Any], inputs: Inputs) -> Iterator[Sentence]:
    """The best-ranked learners of each reference and metric, and how sure that is."""
    settings = spec["references"]
    field = Field.of(spec, inputs.results, settings, ["accuracy", "auc"])
    for setting, place in settings.items():
        for metric in ("accuracy", "auc"):
            ranking = field.ranking(setting, metric)
            if ranking.there:
                yield Sentence(_podium(field, ranking, place, setting, metric), "figure_ranks", f"table_ranks_{metric}")
                yield Sentence(_beside_second(field, ranking, place, metric), "figure_pairs", f"table_pairs_{metric}")
                everybody = field.ranking(setting, metric, least_share=EVERYBODY)
                slow = [m for m in everybody.order if m not in ranking.ranks.index]
                if everybody.there and slow:
                    yield Sentence(_slow_ones(field, everybody, slow, place, metric), "", f"table_ranks_all_{metric}")


def _podium(field: Field, ranking: Ranking, place: str, setting: str, metric: str) -> str:
    best, *others = ranking.order
    names = [f"{_name(field, m)} ({ranking.ranks[m]:.2f})" for m in others[:3]]
    close = sum(ranking.ranks[m] - ranking.ranks[best] < ranking.test.critical_difference for m in others)
    first = first_places(ranking.scores)
    scores = field.scores(setting, metric).loc[ranking.scores.index]
    gap = 100 * (best_of(scores, field.of_role(scores.columns, "ceiling")) - scores[best]).mean()
    ceiling = (
        f" Supervised classifiers, with true labels, are {gap:.1f} points ahead of it at their best."
        if np.isfinite(gap)
        else ""
    )
    return (
        f"**{place.capitalize()}, {METRICS[metric]}**: {_name(field, best)} has the best mean rank, {ranking.ranks[best]:.2f} "
        f"over {len(ranking.scores)} tasks ({100 * ranking.scores[best].mean():.1f}% in the mean); then come {_listed(names)}. "
        f"{close} of {len(others)} other learners are within Nemenyi's critical difference of it. It is first on "
        f"{first[best]:.3g} of {len(ranking.scores)} tasks, and {int((first > 0).sum())} learners are first somewhere.{ceiling}"
    )


def _slow_ones(field: Field, everybody: Ranking, slow: Sequence[str], place: str, metric: str) -> str:
    best, n = everybody.order[0], len(everybody.scores)
    named = [f"{_name(field, m)} ({everybody.ranks[m]:.2f})" for m in slow]
    return (
        f"{place.capitalize()}, {METRICS[metric]}, on the {n} tasks that learners were run on which take long: of "
        f"{len(everybody.order)} learners {_name(field, best)} has the best mean rank ({everybody.ranks[best]:.2f}); those "
        f"that take long are {_listed(named)}."
    )


def _beside_second(field: Field, ranking: Ranking, place: str, metric: str) -> str:
    best, second = ranking.order[:2]
    found = bayesian_signed_rank(ranking.scores[best], ranking.scores[second], rope=ROPE)
    wins, losses = int(ranking.pairs.wins[best]), int(ranking.pairs.losses[best])
    return (
        f"{place.capitalize()}, {METRICS[metric]}: by Wilcoxon's test with Holm's correction {_name(field, best)} beats {wins} "
        f"of {len(ranking.order) - 1} other learners and loses to {losses}. On a further task it is better than "
        f"{_name(field, second)} by more than a point with probability {found.better:.2f}, the same within a point with "
        f"{found.same:.2f}, worse with {found.worse:.2f}."
    )


def about_trivial(spec: Mapping[str, Any], inputs: Inputs) -> Iterator[Sentence]:
    """Which learners lose a task to a trivial classifier."""
    field = Field.of(spec, inputs.results, spec["references"], ["accuracy"])
    for setting, place in spec["references"].items():
        margins = beside_trivial(field, inputs.results, setting)
        margins = margins[margins["method"].isin(field.ranked(field.table.columns))]
        if margins.empty:
            continue
        lost = margins[margins["lost"]].groupby("method").size().sort_values(ascending=False)
        n, tasks = margins["method"].nunique(), margins["dataset"].nunique()
        if field.repeats > 1:
            named = [f"{_name(field, m)} ({k} of {tasks})" for m, k in lost.items()]
            who = f" Tasks are lost by {_listed(named)}." if named else ""
            text = (
                f"{place.capitalize()}: {n - len(lost)} of {n} learners lose no task to the best trivial classifier, beyond "
                f"the interval over {field.repeats} repeats.{who}"
            )
        else:
            text = f"{place.capitalize()}: a single repeat has no interval, and so decides nothing."
            below = margins[margins["mean"] < 0].groupby("method").size().sort_values(ascending=False)
            if len(below):
                worse = [f"{_name(field, m)} ({k} of {tasks})" for m, k in below.items()]
                text += f" In the mean these are below it: {_listed(worse)}."
        yield Sentence(text, "", "table_trivial")
    yield from _before(spec, inputs, field)


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
                f"with its former default, and is so on {lost[1]} of them now; its smallest margin was "
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
        text = f"95% of its own best {METRICS[metric]} is reached, in the median over tasks, by {_listed(counts)} labels."
        yield Sentence(text, f"figure_labels_{metric}", f"table_labels_{metric}")
        for setting in (next(iter(levels)), [s for s in levels if len(field.scores(s, metric))][-1]):
            scores = field.scores(setting, metric)
            found = over_tasks(scores[field.ranked(scores.columns)].dropna(axis="columns")) if len(scores) else pd.DataFrame()
            if len(found):
                best = found["mean"].idxmax()
                text = (
                    f"With {levels[setting]:,.0f} labels the highest mean {METRICS[metric]} is that of "
                    f"{_name(field, best)}: {_interval(found.loc[best])}% over {_tasks(len(scores))}."
                )
                yield Sentence(text, f"figure_labels_{metric}", f"table_labels_{metric}")


def middle(values: pd.Series) -> float:
    """The median, as one of the values.

    >>> middle(pd.Series([10.0, 10.0, 100.0, 1000.0]))
    10.0
    """
    return float(np.quantile(values, 0.5, method="inverted_cdf"))


def about_biased(spec: Mapping[str, Any], inputs: Inputs) -> Iterator[Sentence]:
    """What labels cost that are not drawn at random."""
    yield from _losses(spec, inputs, spec["biased"], "one_sample", "Labels on {level} cost", "figure_biased", "table_biased")


def about_wrong(spec: Mapping[str, Any], inputs: Inputs) -> Iterator[Sentence]:
    """What labels cost that are wrong."""
    yield from _losses(spec, inputs, spec["wrong"], "two_sample", "{level} wrong labels cost", "figure_wrong", "table_wrong")


def about_prior(spec: Mapping[str, Any], inputs: Inputs) -> Iterator[Sentence]:
    """What a wrong π costs."""
    words, figure, table = "A π told as {level} times the true one costs", "figure_wrong_prior", "table_wrong_prior"
    yield from _losses(spec, inputs, spec["priors"], "two_sample", words, figure, table)


def _losses(
    spec: Mapping[str, Any], inputs: Inputs, levels: Mapping[str, str], reference: str, words: str, figure: str, table: str
) -> Iterator[Sentence]:
    field = Field.of(spec, inputs.results, [*levels, reference], ["accuracy", "auc"])
    for setting, level in levels.items():
        lost = difference(field.scores(reference, "accuracy"), field.scores(setting, "accuracy"))
        everybody = lost[field.ranked(lost.columns)]
        lost = everybody.dropna(axis="columns")
        if lost.empty or setting == reference:
            continue
        found = over_tasks(lost).sort_values("mean")
        ranking = difference(field.scores(reference, "auc"), field.scores(setting, "auc"))[list(lost)].mean(axis=None)
        start = words.format(level=level)
        least, most = (f"{_name(field, found.index[k])} ({_interval(found.iloc[k])})" for k in (0, -1))
        text = (
            f"{start[0].upper()}{start[1:]} {plain_number(100 * lost.mean(axis=None))} points of accuracy in the mean over "
            f"{len(found)} learners and {_tasks(len(lost))}, and {plain_number(100 * ranking)} of AUC: least {least}, most "
            f"{most}."
        )
        yield Sentence(text, figure, table)
        for method in everybody.columns.difference(lost.columns, sort=False):
            own = everybody[method].dropna()
            others = plain_number(100 * lost.loc[own.index].mean(axis=None))
            text = (
                f"{_name(field, method)} was run on {_tasks(len(own))} of these: it loses {plain_number(100 * own.mean())} "
                f"points where the learners above lose {others}."
            )
            yield Sentence(text, figure, table)


def about_estimated(spec: Mapping[str, Any], inputs: Inputs) -> Iterator[Sentence]:
    """What each estimator of π is off by, and costs."""
    estimators = spec["estimators"]
    field = Field.of(spec, inputs.results, ["two_sample", *estimators], ["accuracy"])
    errors, costs = prior_errors(inputs.results, estimators), {}
    for setting in errors:
        lost = difference(field.scores("two_sample", "accuracy"), field.scores(setting, "accuracy"))
        if len(lost):
            costs[setting] = lost[field.ranked(lost.columns)].mean(axis=1)
    found = over_tasks(pd.DataFrame(costs)).sort_values("mean")
    for k, setting in enumerate(found.index):
        order = "costs least" if k == 0 and len(found) > 1 else "costs most" if k == len(found) - 1 and k else "costs"
        text = (
            f"π by {estimators[setting]} is off by {100 * errors[setting].abs().mean():.1f} points in the mean over "
            f"{_tasks(len(errors[setting]))}, and {order}: {_interval(found.loc[setting])} points of accuracy."
        )
        yield Sentence(text, "figure_estimated_prior", "table_estimated_prior")


def about_scenario(spec: Mapping[str, Any], inputs: Inputs) -> Iterator[Sentence]:
    """What the wrong scenario costs, and for how many it is significant that the right one mends it."""
    for switched, entry in spec["switched"].items():
        field = Field.of(spec, inputs.results, [switched, entry["reference"]], ["accuracy"])
        cost = difference(field.scores(entry["reference"], "accuracy"), field.scores(switched, "accuracy"))
        cost = cost[field.ranked(cost.columns)].dropna(axis="columns")
        if cost.empty:
            continue
        found, tests = over_tasks(cost).sort_values("mean"), scenario_tests(cost)
        mended = int(((tests < 0.05) & (cost.mean() > 0)).sum())
        text = (
            f"{entry['label'].capitalize()}: the wrong scenario costs {plain_number(100 * cost.mean(axis=None))} points of "
            f"accuracy in the mean over {len(found)} learners and {_tasks(len(cost))}, from {_interval(found.iloc[0])} "
            f"({_name(field, found.index[0])}) to {_interval(found.iloc[-1])} ({_name(field, found.index[-1])}). The right one "
            f"is significantly better for {mended} of them (Wilcoxon, Holm)."
        )
        yield Sentence(text, "figure_scenarios", "table_scenarios")


def about_tuning(spec: Mapping[str, Any], inputs: Inputs) -> Iterator[Sentence]:
    """What each criterion gains and loses."""
    for metric in ("accuracy", "auc"):
        _, tuned = tuned_scores({**spec, "setting": "tuning", "reference": "two_sample"}, inputs.results, metric)
        found = {name: over_tasks(table[[ALL]]).loc[ALL] for name, table in gains_and_losses(tuned).items()}
        gains = {name.removeprefix("gain, "): part for name, part in found.items() if name.startswith("gain")}
        for name in sorted(gains, key=lambda name: -gains[name]["mean"]):
            lost = found.get(f"loss, {name}")
            beside = "" if lost is None else f", and loses {_interval(lost)} against the oracle"
            who = "the oracle, which sees the truth of the held-out rows," if name == "oracle" else name
            over = _tasks(int(gains[name]["tasks"]))
            text = (
                f"Tuning by {who} gains {_interval(gains[name])} points of {METRICS[metric]} over defaults, on {over}{beside}."
            )
            yield Sentence(text, "figure_tuning", f"table_tuning_{metric}")


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
        named = [f"{_name(field, m)} ({points.loc[m, 'seconds']:.2g} s, rank {points.loc[m, 'rank']:.1f})" for m in front]
        text = (
            f"By time and {METRICS[metric]} no learner is both faster and better ranked than {_listed(named)}; the slowest "
            f"takes {points['seconds'].max():.3g} s (medians over tasks, one thread)."
        )
        yield Sentence(text, "figure_costs", "table_costs")


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
        named = [f"{_name(field, r.method)} with {r.property} (ρ = {plain_number(r.rho, 2)})" for r in strongest.itertuples()]
        text = (
            f"By {METRICS[metric]}, of {len(found)} rank correlations between a property of the task and how far ahead a "
            f"learner is, {significant} {'is' if significant == 1 else 'are'} significant after Holm's correction over "
            f"{len(scores)} tasks. The strongest: "
            f"{_listed(named)}."
        )
        yield Sentence(text, "figure_properties", table)


def _tasks(n: int) -> str:
    """How many tasks a mean is over, with a warning where they are too few to speak of others.

    >>> _tasks(1), _tasks(8)
    ('1 task (too few to speak of others)', '8 tasks')
    """
    counted = f"{n} task" if n == 1 else f"{n} tasks"
    return f"{counted} (too few to speak of others)" if n < FEWEST_TASKS else counted


def _name(field: Field, method: str) -> str:
    """A method's name, set apart, since some have commas."""
    return f"*{field.label(method)}*"


def _interval(found: pd.Series) -> str:
    return interval_text(found["mean"], found["low"], found["high"])


def _listed(names: Sequence[str]) -> str:
    """Words with commas and an "and".

    >>> _listed(["a", "b", "c"]), _listed(["a"])
    ('a, b and c', 'a')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
