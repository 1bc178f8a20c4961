"""What the level field is asked, as statements that its numbers may contradict."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial, wraps
from itertools import product

import pandas as pd

from pulab.claims.evidence import Evidence, Missing
from pulab.claims.own import Case, attempted, case, missing, share_of
from pulab.tables.levelfield import METRICS, Field, difference
from pulab.tables.levelfield_costs import pareto_front, seconds, time_and_rank
from pulab.tables.levelfield_curves import labels_needed
from pulab.tables.levelfield_priors import prior_errors
from pulab.tables.levelfield_properties import FACTS, correlations, properties
from pulab.tables.levelfield_ranks import first_places
from pulab.tables.levelfield_scenarios import scenario_tests
from pulab.tables.levelfield_trivial import beside_trivial
from pulab.tables.levelfield_tuning import ALL, CRITERIA, gains_and_losses, tuned_scores

REFERENCES = {"two_sample": "two samples", "one_sample": "one sample"}
LABELS = {f"labels_{n}": float(n) for n in (10, 30, 100, 300, 1000, 3000)}
SWITCHED = {"switched_two": "one_sample", "switched_one": "two_sample"}
#: Tasks without which no statement about methods is judged.
LEAST_TASKS = 3
NOT_RUN = "its settings are not part of this run"


def _field(evidence: Evidence, settings: Mapping[str, object] | list[str], metrics: list[str]) -> Field:
    spec = {"methods": {}, "roles": evidence.roles}
    return Field.of(spec, evidence.results, settings, metrics)


def _needed(frame: pd.DataFrame | pd.Series, why: str = NOT_RUN) -> None:
    if not len(frame):
        raise Missing("pending", why)


def _judged_on_enough(function: Callable[[Evidence], Iterator[Case]]) -> Callable[[Evidence], Iterator[Case]]:
    """Cases of too few tasks are not judged."""

    @wraps(function)
    def judged(evidence: Evidence) -> Iterator[Case]:
        for found in function(evidence):
            tasks = len(found.get("datasets", "").split())
            few = found["status"] in ("holds", "fails") and tasks < LEAST_TASKS
            yield missing(found["case"], Missing("pending", f"{tasks} tasks of {LEAST_TASKS} have been run")) if few else found

    return judged


@_judged_on_enough
def nobody_ahead_everywhere(evidence: Evidence) -> Iterator[Case]:
    """By setting and metric: the learner that is first most often is so on at most half of the tasks."""
    field = _field(evidence, REFERENCES, ["accuracy", "auc"])
    for setting in REFERENCES:
        for metric in ("accuracy", "auc"):

            def most_often(setting: str = setting, metric: str = metric) -> Case:
                scores = field.ranking(setting, metric).scores
                _needed(scores)
                first = first_places(scores)
                name = f"{setting}, {METRICS[metric]}, {first.idxmax()}, percent of {len(scores)} tasks on which it is first"
                share = 100.0 * float(first.max()) / len(scores)
                return case(name, share <= 50.0, share, 50.0, n=field.repeats, datasets=scores.index)

            yield attempted(f"{setting}, {METRICS[metric]}", most_often)


@_judged_on_enough
def methods_differ(evidence: Evidence) -> Iterator[Case]:
    """Friedman's test by setting and metric."""
    field = _field(evidence, REFERENCES, ["accuracy", "auc"])
    for setting in REFERENCES:
        for metric in ("accuracy", "auc"):

            def tested(setting: str = setting, metric: str = metric) -> Case:
                ranking = field.ranking(setting, metric)
                if not ranking.there:
                    raise Missing("pending", "too few tasks or learners have been run")
                p = ranking.test.f_pvalue
                name = f"{setting}, {METRICS[metric]}, ranks of the first and the last learner"
                first, last = float(ranking.ranks.iloc[0]), float(ranking.ranks.iloc[-1])
                return case(name, p < 0.05, first, last, n=field.repeats, pvalue=p, datasets=ranking.scores.index)

            yield attempted(f"{setting}, {METRICS[metric]}", tested)


@_judged_on_enough
def better_than_trivial(evidence: Evidence) -> Iterator[Case]:
    """Per setting and learner of pulib: on no task is it worse than the best trivial classifier, beyond its interval."""
    field = _field(evidence, REFERENCES, ["accuracy"])
    for setting in REFERENCES:
        margins = beside_trivial(field, evidence.results, setting)
        if field.repeats < 2:
            yield missing(setting, Missing("pending", "a single repeat has no interval"))
            continue
        learners = field.of_role(field.table.columns, "learner")
        for method in learners:
            own = margins[margins["method"] == method]
            if len(own):
                worst = float(own["mean"].min())
                name = f"{setting}, {method}, smallest margin in points"
                yield case(name, not own["lost"].any(), worst, 0.0, n=field.repeats, datasets=own["dataset"])
        if margins.empty:
            yield attempted(setting, partial(share_of, setting, []))


@_judged_on_enough
def hundred_labels_do(evidence: Evidence) -> Iterator[Case]:
    """Per learner: the median task needs at most 100 labels for 95% of the learner's own best accuracy."""
    field = _field(evidence, LABELS, ["accuracy"])
    learners = field.ranked(field.table.columns)
    if not learners:
        yield attempted("all learners", partial(share_of, "all learners", []))
    for method in learners:

        def needed(method: str = method) -> Case:
            found = labels_needed(field, method, LABELS, "accuracy", 0.95)
            _needed(found)
            median = float(found.quantile(0.5, interpolation="lower"))
            return case(f"{method}, labels", median <= 100.0, median, 100.0, n=field.repeats, datasets=found.index)

        yield attempted(method, needed)


@_judged_on_enough
def bias_costs_more_than_mistakes(evidence: Evidence) -> Iterator[Case]:
    """Per learner: clear cases alone (k = 10) cost more accuracy than 10% wrong labels, in the mean over tasks."""
    field = _field(evidence, [*REFERENCES, "biased_10", "wrong_10"], ["accuracy"])
    costs = [difference(field.scores(r, "accuracy"), field.scores(s, "accuracy")) for r, s in _BIASED_AND_WRONG]
    for method in field.ranked(field.table.columns):
        if all(method in cost for cost in costs):
            biased, wrong = (100.0 * float(cost[method].mean()) for cost in costs)
            yield case(f"{method}, points lost", biased > wrong, biased, wrong, n=field.repeats, datasets=costs[0].index)
    if any(cost.empty for cost in costs):
        yield attempted("all learners", partial(share_of, "all learners", []))


_BIASED_AND_WRONG = (("one_sample", "biased_10"), ("two_sample", "wrong_10"))


@_judged_on_enough
def slightly_wrong_prior(evidence: Evidence) -> Iterator[Case]:
    """Per learner and direction: π told 20% off costs at most two points of accuracy in the mean over tasks."""
    yield from _cost_at_most(evidence, {"prior_080": "told 0.8 π", "prior_120": "told 1.2 π"}, "accuracy", 2.0)


@_judged_on_enough
def wrong_prior_leaves_ranking(evidence: Evidence) -> Iterator[Case]:
    """Per learner and direction: π told 40% off costs at most one point of AUC in the mean over tasks."""
    yield from _cost_at_most(evidence, {"prior_060": "told 0.6 π", "prior_140": "told 1.4 π"}, "auc", 1.0)


def _cost_at_most(evidence: Evidence, settings: Mapping[str, str], metric: str, most: float) -> Iterator[Case]:
    field = _field(evidence, ["two_sample", *settings], [metric])
    for setting, words in settings.items():
        cost = difference(field.scores("two_sample", metric), field.scores(setting, metric))
        for method in field.ranked(cost.columns):
            mean = 100.0 * float(cost[method].mean())
            yield case(f"{words}, {method}, points", mean <= most, mean, most, n=field.repeats, datasets=cost.index)
        if cost.empty:
            yield attempted(words, partial(share_of, words, []))


@_judged_on_enough
def estimates_cost_little(evidence: Evidence) -> Iterator[Case]:
    """Per estimator: at most one point of accuracy, in the mean over learners and tasks, beside the true π."""
    settings = sorted(s for s in set(evidence.results["setting"]) if s.startswith("prior_estimated_"))
    field = _field(evidence, ["two_sample", *settings], ["accuracy"])
    for setting in settings:

        def cost(setting: str = setting) -> Case:
            lost = difference(field.scores("two_sample", "accuracy"), field.scores(setting, "accuracy"))
            _needed(lost)
            mean = 100.0 * float(lost[field.ranked(lost.columns)].mean(axis=1).mean())
            return case(f"{setting}, points", mean <= 1.0, mean, 1.0, n=field.repeats, datasets=lost.index)

        yield attempted(setting, cost)
    if not settings:
        yield attempted("all estimators", partial(share_of, "all estimators", []))


@_judged_on_enough
def estimates_are_near(evidence: Evidence) -> Iterator[Case]:
    """Per estimator: within five points of the true π, without sign, in the mean over tasks."""
    settings = sorted(s for s in set(evidence.results["setting"]) if s.startswith("prior_estimated_"))
    for setting, errors in prior_errors(evidence.results, dict.fromkeys(settings, "")).items():
        off = 100.0 * float(errors.abs().mean())
        yield case(f"{setting}, points", off <= 5.0, off, 5.0, datasets=errors.index)
    if not settings:
        yield attempted("all estimators", partial(share_of, "all estimators", []))


@_judged_on_enough
def wrong_scenario_costs(evidence: Evidence) -> Iterator[Case]:
    """Per learner and direction: accuracy is lost by the wrong scenario (Wilcoxon's test over tasks, Holm's correction)."""
    field = _field(evidence, [*SWITCHED, *REFERENCES], ["accuracy"])
    for switched, reference in SWITCHED.items():
        right, wrong = (field.scores(s, "accuracy") for s in (reference, switched))
        cost = difference(right, wrong)
        tests = scenario_tests(cost) if len(cost) else {}
        for method in field.ranked(cost.columns):
            left, other = (100.0 * float(scores.loc[cost.index, method].mean()) for scores in (right, wrong))
            holds, p = bool(left > other and tests[method] < 0.05), float(tests[method])
            yield case(f"{switched}, {method}", holds, left, other, n=field.repeats, pvalue=p, datasets=cost.index)
        if cost.empty:
            yield attempted(switched, partial(share_of, switched, []))


@_judged_on_enough
def tuning_gains(evidence: Evidence) -> Iterator[Case]:
    """Per criterion without negatives: accuracy beside the defaults', in the mean over methods and tasks."""
    tuned = _tuned(evidence)
    for criterion in CRITERIA[:-1]:

        def gained(criterion: str = criterion) -> Case:
            _needed(tuned)
            gain = 100.0 * float(tuned[f"gain, {METRICS[criterion]}"][ALL].mean())
            return case(
                f"{METRICS[criterion]}, points gained",
                gain > 0.0,
                gain,
                0.0,
                datasets=tuned[f"gain, {METRICS[criterion]}"].index,
            )

        yield attempted(METRICS[criterion], gained)


@_judged_on_enough
def tuning_near_the_oracle(evidence: Evidence) -> Iterator[Case]:
    """Per criterion without negatives: at most one point of accuracy below the oracle, in the mean over methods and tasks."""
    tuned = _tuned(evidence)
    for criterion in CRITERIA[:-1]:

        def lost(criterion: str = criterion) -> Case:
            _needed(tuned)
            loss = 100.0 * float(tuned[f"loss, {METRICS[criterion]}"][ALL].mean())
            return case(
                f"{METRICS[criterion]}, points lost",
                loss <= 1.0,
                loss,
                1.0,
                datasets=tuned[f"loss, {METRICS[criterion]}"].index,
            )

        yield attempted(METRICS[criterion], lost)


def _tuned(evidence: Evidence) -> dict[str, pd.DataFrame]:
    spec = {"methods": {}, "roles": evidence.roles, "setting": "tuning", "reference": "two_sample"}
    return gains_and_losses(tuned_scores(spec, evidence.results, "accuracy")[1])


@_judged_on_enough
def best_is_not_slowest(evidence: Evidence) -> Iterator[Case]:
    """By metric: the best-ranked learner takes at most as long as the median learner."""
    field = _field(evidence, ["two_sample"], ["accuracy", "auc"])
    times = seconds(evidence.timings, "two_sample")
    for metric in ("accuracy", "auc"):

        def compared(metric: str = metric) -> Case:
            points = time_and_rank(times, field.ranking("two_sample", metric).ranks)
            _needed(points)
            best = pareto_front(points)[-1]  # the best-ranked is the front's slowest
            own, median = float(points.loc[best, "seconds"]), float(points["seconds"].median())
            return case(
                f"{METRICS[metric]}, {best}, seconds", own <= median, own, median, n=field.repeats, datasets=times.columns
            )

        yield attempted(METRICS[metric], compared)


@_judged_on_enough
def properties_decide(evidence: Evidence) -> Iterator[Case]:
    """By setting and measure: the surest rank correlation of a property with a learner's advantage, after Holm's correction."""
    metrics = ("accuracy", "auc")
    field = _field(evidence, REFERENCES, [*metrics, *FACTS])
    for setting, metric in product(REFERENCES, metrics):

        def strongest(setting: str = setting, metric: str = metric) -> Case:
            scores = field.ranking(setting, metric).scores
            _needed(scores)
            found = correlations(scores, properties(field, setting, metric)).dropna(subset=["rho"])
            _needed(found, "too few tasks have been run")
            top = found.loc[found["p_holm"].idxmin()]
            name = f"{setting}, {METRICS[metric]}, {top['method']}, {top['property']}, rank correlation"
            holds, p = bool(top["p_holm"] < 0.05), float(top["p_holm"])
            return case(name, holds, float(top["rho"]), 0.0, n=field.repeats, pvalue=p, datasets=scores.index)

        yield attempted(f"{setting}, {METRICS[metric]}", strongest)
