"""What the level field is asked, as statements that its numbers may contradict; thresholds are ours, named in ``tested``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pandas as pd

from pulab.claims.cases import Case, case, missing
from pulab.claims.evidence import Evidence, Missing
from pulab.claims.registry import claim
from studies.levelfield import levels, numbers
from studies.levelfield.field import Field, mean_over_methods
from studies.levelfield.levels import Level

#: Tasks without which no statement about methods is judged.
LEAST_TASKS = 3
NOT_RUN = Missing("pending", "its settings are not part of this run")
NOTHING = Missing("pending", "no results to judge by")


def _field(evidence: Evidence, settings: Iterable[str], metrics: Iterable[str] = levels.MEASURES) -> Field:
    return Field.of_tidy(evidence.results, settings, metrics, {}, {}, evidence.roles)


def _case(name: str, holds: bool, left: float, right: float, **more: Any) -> Case:
    """A case by its tasks (``datasets``), which is not judged on too few of them."""
    found = case(name, holds, left, right, **more)
    tasks = len(found.datasets.split())
    few = Missing("pending", f"{tasks} tasks of {LEAST_TASKS} have been run")
    return missing(name, few) if tasks < LEAST_TASKS else found


@claim(section="question 1", quote="It matters which learner you choose", decimals=2)
def methods_differ(evidence: Evidence) -> Iterator[Case]:
    """Friedman's test over tasks (Iman and Davenport's F, 5%) is significant at defaults, for each setting and metric; the
    ranks shown are the first and the last learner's."""
    field = _field(evidence, levels.MAIN)
    for setting, metric in levels.PLACES:
        name, ranking = evidence.words(setting, levels.METRICS[metric]), field.ranking(setting, metric)
        if not ranking.there:
            yield missing(name, Missing("pending", "too few tasks or learners have been run"))
            continue
        p, first, last = ranking.test.f_pvalue, float(ranking.ranks.iloc[0]), float(ranking.ranks.iloc[-1])
        name += ", ranks of the first and the last learner"
        yield _case(name, p < 0.05, first, last, n=field.repeats, pvalue=p, datasets=ranking.scores.index)


@claim(section="question 1", quote="No method is best everywhere", unit="%")
def nobody_ahead_everywhere(evidence: Evidence) -> Iterator[Case]:
    """The learner that is most often first is so on at most half of the tasks, for each setting and metric."""
    field = _field(evidence, levels.MAIN)
    for setting, metric in levels.PLACES:
        name, ranking = evidence.words(setting, levels.METRICS[metric]), field.ranking(setting, metric)
        scores, first = ranking.scores, ranking.first_places
        if scores.empty:
            yield missing(name, NOT_RUN)
            continue
        share = 100.0 * float(first.max()) / len(scores)
        name += f", {evidence.words(first.idxmax())}, percent of {len(scores)} tasks on which it is first"
        yield _case(name, share <= 50.0, share, 50.0, n=field.repeats, datasets=scores.index)


@claim(section="question 1", quote="No learner at defaults is worse than the best trivial classifier", unit="points")
def better_than_trivial(evidence: Evidence) -> Iterator[Case]:
    """On no task of either main setting is its accuracy below that of the best trivial classifier in each repeat, by a point or
    more on average."""
    field = _field(evidence, levels.MAIN, ["accuracy"])
    for setting in levels.MAIN:
        margins = numbers.margins_over_trivial(field, evidence.results, setting)
        for method in field.ranked(field.table.columns):
            own = margins[margins["method"] == method]
            if len(own):
                name, worst = evidence.words(setting, method, "smallest margin in points"), float(own["mean"].min())
                yield _case(name, not own["lost"].any(), worst, 0.0, n=field.repeats, datasets=own["dataset"])
        if margins.empty:
            yield missing(evidence.words(setting), NOTHING)


@claim(section="question 2", quote="A hundred labels give most of a learner's best accuracy", need="most", decimals=0)
def hundred_labels_do(evidence: Evidence) -> Iterator[Case]:
    """For most learners, the median task needs at most 100 labels to reach 95% of the learner's best accuracy."""
    field = _field(evidence, levels.LABELS)
    learners = field.ranked(field.table.columns)
    if not learners:
        yield missing("all learners", NOTHING)
    for method in learners:
        found = numbers.labels_needed(field, method, levels.LABELS, "accuracy")
        if found.empty:
            yield missing(evidence.words(method), NOT_RUN)
            continue
        median = float(found.quantile(0.5, interpolation="lower"))
        yield _case(evidence.words(method, "labels"), median <= 100.0, median, 100.0, n=field.repeats, datasets=found.index)


@claim(
    section="question 3",
    quote="Labels on clear cases alone cost more than one wrong label in ten",
    need="most",
    unit="points",
)
def bias_costs_more_than_mistakes(evidence: Evidence) -> Iterator[Case]:
    """For most learners, labels on clear cases only (k = 10) cost more points of accuracy than 10% wrong labels."""
    compared = {"biased_10": levels.BIASED["biased_10"], "wrong_10": levels.WRONG["wrong_10"]}
    field = _field(evidence, [*levels.TRUE_PRIOR, *compared])
    costs = field.losses(compared, "accuracy").values()
    for method in field.ranked(field.table.columns):
        if all(method in cost for cost in costs):
            biased, wrong = (100.0 * float(cost[method].mean()) for cost in costs)
            name = evidence.words(method, "points lost")
            yield _case(name, biased > wrong, biased, wrong, n=field.repeats, datasets=next(iter(costs)).index)
    if any(cost.empty for cost in costs):
        yield missing("all learners", NOTHING)


@claim(section="question 3", quote="A prior that is off by a fifth costs little", need="most", unit="points")
def slightly_wrong_prior(evidence: Evidence) -> Iterator[Case]:
    """For most learners, it costs at most two points of accuracy on average over tasks."""
    yield from _cost_at_most(evidence, ["prior_080", "prior_120"], "accuracy", 2.0)


def _cost_at_most(evidence: Evidence, settings: list[str], metric: str, most: float) -> Iterator[Case]:
    """Per learner and setting: what it costs compared with the right π, on average over tasks."""
    field = _field(evidence, ["two_sample", *settings])
    for setting, cost in field.losses({setting: levels.PRIORS[setting] for setting in settings}, metric).items():
        words = f"{levels.PRIORS[setting].label} π"
        for method in cost:
            yield _at_most(evidence.words(words, method, "points"), cost[method], most, field.repeats)
        if cost.empty:
            yield missing(words, NOTHING)


def _at_most(name: str, cost: pd.Series, most: float, repeats: int = 0) -> Case:
    """Whether a cost by task, in points, is at most so much on average."""
    mean = 100.0 * float(cost.mean())
    return _case(name, mean <= most, mean, most, n=repeats, datasets=cost.index)


@claim(section="question 3", quote="A wrong prior moves the threshold but leaves the ranking intact", unit="points")
def wrong_prior_leaves_ranking(evidence: Evidence) -> Iterator[Case]:
    """For each learner, a π that is off by 40% costs at most one point of AUC on average over tasks."""
    yield from _cost_at_most(evidence, ["prior_060", "prior_140"], "auc", 1.0)


@claim(section="question 4", quote="The class prior can be estimated", unit="points")
def estimates_are_near(evidence: Evidence) -> Iterator[Case]:
    """For each estimator, the mean absolute error over tasks is at most five points."""
    errors = numbers.prior_errors(evidence.results, levels.ESTIMATED)
    for setting, off in errors.items():
        yield _at_most(evidence.words(setting, "points"), off.abs(), 5.0)
    if not errors:
        yield missing("all estimators", NOTHING)


@claim(section="question 4", quote="An estimated prior is nearly as good as the true one", unit="points")
def estimates_cost_little(evidence: Evidence) -> Iterator[Case]:
    """For each estimator, at most one point of accuracy is lost on average over learners and tasks."""
    settings = {setting: levels.ESTIMATED[setting] for setting in numbers.prior_errors(evidence.results, levels.ESTIMATED)}
    field = _field(evidence, ["two_sample", *settings])
    for setting, lost in field.losses(settings, "accuracy").items():
        if lost.empty:
            yield missing(evidence.words(setting), NOT_RUN)
            continue
        yield _at_most(evidence.words(setting, "points"), mean_over_methods(lost), 1.0, field.repeats)
    if not settings:
        yield missing("all estimators", NOTHING)


@claim(section="question 5", quote="The wrong scenario costs accuracy, and setting the right one restores it", unit="%")
def wrong_scenario_costs(evidence: Evidence) -> Iterator[Case]:
    """For each learner, mean accuracy is higher with the right scenario than with the wrong one (Wilcoxon's test over tasks, 5%
    after Holm's correction)."""
    field = _field(evidence, [*levels.SWITCHED, *levels.TRUE_PRIOR])
    for switched, cost in field.losses(levels.SWITCHED, "accuracy").items():
        right, wrong = (field.scores(s, "accuracy") for s in (levels.SWITCHED[switched].reference, switched))
        tests = numbers.loss_tests(cost) if len(cost) else {}
        for method in cost:
            left, other = (100.0 * float(scores.loc[cost.index, method].mean()) for scores in (right, wrong))
            holds, p = bool(left > other and tests[method] < 0.05), float(tests[method])
            name = evidence.words(switched, method)
            yield _case(name, holds, left, other, n=field.repeats, pvalue=p, datasets=cost.index)
        if cost.empty:
            yield missing(evidence.words(switched), NOTHING)


@claim(section="question 6", quote="Tuning without negatives improves on the defaults", unit="points", decimals=2)
def tuning_gains(evidence: Evidence) -> Iterator[Case]:
    """For each criterion, accuracy is higher than at defaults on average over methods and tasks."""
    for criterion, loss in _tuned(evidence, {setting: levels.TUNED[setting] for setting in levels.AGAINST_ORACLE}):
        if loss.empty:
            yield missing(criterion, NOT_RUN)
            continue
        mean = -100.0 * float(loss.mean())
        yield _case(f"{criterion}, points gained", mean > 0.0, mean, 0.0, datasets=loss.index)


def _tuned(evidence: Evidence, compared: Mapping[str, Level]) -> Iterator[tuple[str, pd.Series]]:
    """By criterion what is lost against defaults, or the oracle, averaged over methods, by task."""
    field = _field(evidence, ["tuning_none", *levels.TUNED])
    for setting, lost in field.losses(compared, "accuracy").items():
        yield compared[setting].label, mean_over_methods(lost)


@claim(section="question 6", quote="Tuning without negatives is nearly as good as tuning with them", unit="points", decimals=2)
def tuning_near_the_oracle(evidence: Evidence) -> Iterator[Case]:
    """For each criterion, accuracy is at most one point below the oracle's on average over methods and tasks."""
    for criterion, loss in _tuned(evidence, levels.AGAINST_ORACLE):
        yield missing(criterion, NOT_RUN) if loss.empty else _at_most(f"{criterion}, points lost", loss, 1.0)


@claim(section="question 7", quote="Good ranks do not need long training", unit="s", decimals=2)
def best_is_not_slowest(evidence: Evidence) -> Iterator[Case]:
    """Fit and prediction of the best-ranked learner take at most as long as those of the median learner (two samples, medians
    over tasks)."""
    field, times = _field(evidence, [levels.TIMED]), numbers.seconds(evidence.timings, levels.TIMED)
    for metric in levels.MEASURES:
        points = numbers.time_and_rank(times, field.ranking(levels.TIMED, metric).ranks)
        if points.empty:
            yield missing(levels.METRICS[metric], NOT_RUN)
            continue
        best = numbers.pareto_front(points)[-1]  # the best-ranked is the front's slowest
        own, median = float(points.loc[best, "seconds"]), float(points["seconds"].median())
        name = evidence.words(levels.METRICS[metric], best, "seconds")
        yield _case(name, own <= median, own, median, n=field.repeats, datasets=times.columns)


@claim(
    section="question 8",
    quote="Properties of a task predict which learner is ahead",
    decimals=2,
)
def properties_decide(evidence: Evidence) -> Iterator[Case]:
    """For each setting and metric, a rank correlation between a property and a learner's lead stays significant after Holm's
    correction over all of them."""
    field = _field(evidence, levels.MAIN, [*levels.MEASURES, *numbers.FACTS])
    for setting, metric in levels.PLACES:
        name, scores = evidence.words(setting, levels.METRICS[metric]), field.ranking(setting, metric).scores
        if scores.empty:
            yield missing(name, NOT_RUN)
            continue
        found = numbers.correlations(scores, numbers.properties(field, setting, metric)).dropna(subset=["rho"])
        if found.empty:
            yield missing(name, Missing("pending", "too few tasks have been run"))
            continue
        top = found.loc[found["p_holm"].idxmin()]
        name = f"{name}, {evidence.words(top['method'], top['property'])}, rank correlation"
        p = float(top["p_holm"])
        yield _case(name, p < 0.05, float(top["rho"]), 0.0, n=field.repeats, pvalue=p, datasets=scores.index)


@claim(section="question 9", quote="More unlabeled rows help", unit="points", decimals=2)
def more_rows_help(evidence: Evidence) -> Iterator[Case]:
    """For each learner, AUC with 10,000 unlabeled rows is higher than with 500, on average over tasks."""
    field = _field(evidence, levels.SIZES)
    gained = numbers.gains(field, "size_500", "size_10000", "auc")
    for method in gained:
        mean = 100.0 * float(gained[method].mean())
        name = evidence.words(method, "points gained")
        yield _case(name, mean > 0.0, mean, 0.0, n=field.repeats, datasets=gained.index)
    if gained.empty:
        yield missing("all learners", NOT_RUN)


@claim(section="question 10", quote="With one positive in a hundred, every learner still beats a constant", unit="%")
def rare_positives_are_ranked(evidence: Evidence) -> Iterator[Case]:
    """For each learner and number of labels, AUC is above 50% over tasks (one-sided Wilcoxon test, 5% after Holm's
    correction)."""
    for n, settings in levels.RARE.items():
        setting, percent = next(iter(settings.items()))
        field = _field(evidence, [setting], ["auc"])
        scores = field.scores(setting, "auc")
        tests = numbers.beats_a_constant(scores[field.ranked(scores.columns)], "auc", percent)
        for method, p in tests.items():
            name, auc = evidence.words(f"{n} labels", method), 100.0 * float(scores[method].mean())
            yield _case(name, p < 0.05, auc, 50.0, n=field.repeats, pvalue=p, datasets=scores[method].dropna().index)
        if not tests:
            yield missing(f"{n} labels", NOT_RUN)


@claim(section="question 12", quote="The data say which method to choose", unit="points", decimals=2)
def data_choose(evidence: Evidence) -> Iterator[Case]:
    """By scenario and metric, a rule learned on half of the tasks gains on the other half, against always the first of the
    ranking, in at least 95 of 100 random halves."""
    field = _field(evidence, levels.MAIN, [*levels.MEASURES, *numbers.KNOWN])
    for setting, metric in levels.PLACES:
        name, scores = evidence.words(setting, levels.METRICS[metric]), field.ranking(setting, metric).scores
        halves = numbers.advice(scores, numbers.known_facts(field, setting))
        if halves.empty:
            yield missing(name, Missing("pending", "too few tasks have been run"))
            continue
        gain = 100.0 * (halves["rule"] - halves["first"])
        name += ", points gained in the fifth-worst of 100 halves"
        yield _case(
            name, bool(gain.quantile(0.05) > 0), float(gain.quantile(0.05)), 0.0, n=field.repeats, datasets=scores.index
        )
