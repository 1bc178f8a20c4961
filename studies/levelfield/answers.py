"""Answers to the questions of the level field: one function per question returns numbers, and templates make sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from pulab.tables import Answers, Results
from pulab.tables.sentences import Range, Sentence, sentences
from studies.levelfield import levels, numbers
from studies.levelfield.effects import Effect
from studies.levelfield.field import Field, Ranking, affected, best_of, mean_over_methods, over_tasks
from studies.levelfield.levels import MAIN, TRUE_PRIOR, Level

TEMPLATES = Path(__file__).parent / "templates"


def answers(results: Results) -> Answers:
    """Return a list of sentences per question, instead of a table."""
    found = {
        name: sentences(TEMPLATES / f"{name}.md.jinja", metric_names=levels.METRICS, **NUMBERS[name](results))
        for name in results.study.questions
    }
    rows = [{"question": name, **sentence._asdict()} for name, own in found.items() for sentence in own]
    return Answers(pd.DataFrame(rows, columns=["question", *Sentence._fields]), results.study.questions)


def coverage_numbers(results: Results) -> dict[str, Any]:
    """Return what was run in the main settings and in the others, and how well one repeat ranks learners."""
    found = numbers.coverage(results.tidy, results.roles)
    parts = []
    for references, part in found.groupby(~found.index.isin(list(MAIN))):
        ranges = {name: Range.of(part[name]) for name in ("tasks", "learners")}
        repeats = Range(part["fewest"].min(), part["most"].max())
        parts.append(SimpleNamespace(references=not references, repeats=repeats, **ranges))
    main = results.tidy[results.tidy["dataset"].isin(results.tidy.loc[results.tidy["setting"].isin(list(MAIN)), "dataset"])]
    single = pd.concat([numbers.single_repeats(main, results.roles, *place) for place in product(TRUE_PRIOR, levels.MEASURES)])
    counts = {name: Range.of(single[name]) for name in ("tasks", "learners", "repeats") if len(single)}
    return {"parts": parts, "single": {"rho": single["rho"], **counts} if counts else None}


def ranks_numbers(results: Results) -> dict[str, Any]:
    """Return the best-ranked learner of each scenario and metric, and how certain its lead is."""
    field = Field.of(results, MAIN)
    rankings = {place: field.ranking(*place) for place in levels.PLACES}
    return {"leaders": [_leader(field, place, ranking) for place, ranking in rankings.items() if ranking.there]}


def _leader(field: Field, place: tuple[str, str], ranking: Ranking) -> SimpleNamespace:
    """Compare the best-ranked learner in one setting by one metric with the others."""
    leader, *others = _ranked(field, ranking, ranking.order)
    best, second = ranking.order[:2]
    first = ranking.first_places
    scores = field.scores(*place).loc[ranking.scores.index]
    ceiling = best_of(scores, field.of_role(scores.columns, "ceiling"))
    return SimpleNamespace(
        setting=MAIN[place[0]],
        metric=place[1],
        best=leader,
        runners_up=others[:3],
        others=len(others),
        tasks=len(ranking.scores),
        score=100 * float(ranking.scores[best].mean()),
        first_on=float(first[best]),
        first_somewhere=int((first > 0).sum()),
        wins=int(ranking.pairs.wins[best]),
        losses=int(ranking.pairs.losses[best]),
        **numbers.against_the_best(ranking, [second]).loc[second].to_dict(),
        ceiling_lead=100 * float((ceiling - scores[best]).mean()),
    )


def _ranked(field: Field, ranking: Ranking, methods: list[str]) -> list[SimpleNamespace]:
    return [SimpleNamespace(name=field.label(method), rank=float(ranking.ranks[method])) for method in methods]


def trivial_numbers(results: Results) -> dict[str, Any]:
    """Return how many learners do worse than a trivial classifier."""
    field = Field.of(results, MAIN, ["accuracy"])
    margins = pd.concat([numbers.margins_over_trivial(field, results.tidy, setting) for setting in MAIN])
    margins = margins[margins["method"].isin(field.ranked(margins["method"]))]
    return {"overall": _overall_lost(field, margins) if len(margins) else None}


def _overall_lost(field: Field, margins: pd.DataFrame) -> SimpleNamespace:
    """Return the number of tasks lost to a trivial classifier in either scenario: the fewest, the median and the most."""
    lost = margins[margins["lost"]].drop_duplicates(["dataset", "method"])["method"].value_counts()
    counts = lost.reindex(margins["method"].unique(), fill_value=0).sort_values(kind="stable")
    fewest, most = (SimpleNamespace(name=field.label(counts.index[k]), below=int(counts.iloc[k])) for k in (0, -1))
    return SimpleNamespace(
        learners=len(counts),
        below=int((counts > 0).sum()),
        fewest=fewest,
        median=float(counts.median()),
        most=most,
        tasks=margins["dataset"].nunique(),
    )


def labels_numbers(results: Results) -> dict[str, Any]:
    """Return how many learners reach 95% of their best by number of labels, and the best learner for each number."""
    field = Field.of(results, levels.LABELS)
    enough, highest = [], []
    for metric in levels.MEASURES:
        needed = [numbers.labels_needed(field, m, levels.LABELS, metric) for m in field.ranked(field.table.columns)]
        median = np.array([np.quantile(own, 0.5, method="inverted_cdf") for own in needed if len(own)])
        if not len(median):
            continue
        by_labels = [(level, int((median <= level).sum())) for level in np.unique(median)]
        enough.append(SimpleNamespace(metric=metric, learners=len(median), by_labels=by_labels))
        for setting, level in levels.LABELS.items():
            scores = field.scores(setting, metric)
            found = over_tasks(scores[field.ranked(scores.columns)].dropna(axis="columns"))
            if len(found):
                best = found["mean"].idxmax()
                where = {"metric": metric, "labels": level.label}
                highest.append(SimpleNamespace(name=field.label(best), **where, **found.loc[best].to_dict()))
    return {"enough": enough, "highest": highest}


def change_numbers(results: Results, *, compared: Mapping[str, Level]) -> dict[str, Any]:
    """Return how scores change from a reference to each of some levels."""
    field = Field.of(results, [*compared, *{level.reference for level in compared.values()}])
    accuracy, auc = (field.losses(compared, metric) for metric in levels.MEASURES)
    found = [_change(field, level, accuracy[setting], auc[setting]) for setting, level in compared.items()]
    changes = [change for change in found if change]
    return {"changes": changes, "worst": min(changes, key=lambda change: change.accuracy.mean, default=None)}


def _change(field: Field, level: Level, lost: pd.DataFrame, lost_auc: pd.DataFrame) -> SimpleNamespace | None:
    """Return how scores change at one level.

    Changes are on average over learners and tasks, for the learners at both ends, and for learners that were run on some of
    the tasks only.
    """
    gained = -lost[affected(lost)]
    shared = gained.dropna(axis="columns")
    if shared.empty:
        return None
    found = over_tasks(shared).sort_values("mean", ascending=False)[["mean", "low", "high"]]
    ends = [SimpleNamespace(name=field.label(found.index[k]), effect=Effect(*found.iloc[k])) for k in (0, -1)]
    tests = numbers.loss_tests(lost[shared.columns])
    return SimpleNamespace(
        level=level.label,
        reference=TRUE_PRIOR.get(level.reference, ""),
        accuracy=_mean(shared),
        auc=_mean(-lost_auc[[m for m in shared if m in lost_auc]]),
        significantly_worse=int(((tests < 0.05) & (shared.mean() < 0)).sum()),
        partly_run=[
            SimpleNamespace(name=field.label(method), tasks=len(own), own=_mean(own), others=_mean(shared.loc[own.index]))
            for method in gained.columns.difference(shared.columns, sort=False)
            if len(own := gained[method].dropna())
        ],
        best=ends[0],
        worst=ends[1],
        learners=shared.shape[1],
        tasks=len(shared),
    )


def _mean(gained: pd.DataFrame | pd.Series) -> Effect:
    """Return the mean of everything, in points."""
    return Effect(100 * float(np.nanmean(gained)))


def estimated_numbers(results: Results) -> dict[str, Any]:
    """Return what the main settings' estimate of π costs, and estimators of π, from the one that costs the least accuracy.

    ``error`` is in points, on average.
    """
    own = change_numbers(results, compared=levels.OWN_PRIOR)["changes"]
    lost = Field.of(results, ["two_sample", *levels.ESTIMATED]).losses(levels.ESTIMATED, "accuracy")
    errors = numbers.prior_errors(results.tidy, levels.OWN_PRIOR | levels.ESTIMATED)
    effects = _effects({setting: table for setting, table in lost.items() if setting in errors})
    estimators = {
        setting: SimpleNamespace(name=levels.ESTIMATED[setting].label, error=100 * errors[setting].abs().mean(), **vars(effect))
        for setting, effect in effects.items()
    }
    return {
        "own": own,
        "own_errors": {levels.OWN_PRIOR[s].label: 100 * errors[s].abs().mean() for s in levels.OWN_PRIOR if s in errors},
        "estimators": list(estimators.values()),
        "default": estimators.get(levels.DEFAULT_ESTIMATOR),
    }


def _effects(lost: Mapping[str, pd.DataFrame]) -> dict[str, SimpleNamespace]:
    """Return the mean effect over methods by setting, with the best one first."""
    means = {setting: -mean_over_methods(table) for setting, table in lost.items() if len(table)}
    found = over_tasks(pd.DataFrame(means)).sort_values("mean", ascending=False, kind="stable")
    return {name: SimpleNamespace(effect=Effect(*own), tasks=int(n)) for name, *own, n in found.itertuples(name=None)}


def tuning_numbers(results: Results) -> dict[str, Any]:
    """Return gains over the defaults by criterion, with the best one first; the oracle uses true labels of held-out rows."""
    field, found = Field.of(results, ["tuning_none", *levels.TUNED]), []
    for metric in levels.MEASURES:
        effects = _effects(field.losses(levels.TUNED, metric))
        if oracle := effects.pop("tuning_oracle", None):
            criteria = [SimpleNamespace(name=levels.TUNED[name].label, effect=own.effect) for name, own in effects.items()]
            found.append(SimpleNamespace(metric=metric, tasks=oracle.tasks, criteria=criteria, oracle=oracle.effect))
    return {"tuned": found}


def costs_numbers(results: Results) -> dict[str, Any]:
    """Return the Pareto front of time and mean rank by accuracy, from the fastest learner to the best-ranked."""
    field, times = Field.of(results, [levels.TIMED], ["accuracy"]), numbers.seconds(results.timings, levels.TIMED)
    points = numbers.time_and_rank(times, field.ranking(levels.TIMED, "accuracy").ranks)
    timed = {m: SimpleNamespace(name=field.label(m), **own) for m, own in points.to_dict("index").items()}
    return {
        "learners": [timed[m] for m in numbers.pareto_front(points)],
        "slowest": timed[points["seconds"].idxmax()] if timed else None,
    }


def properties_numbers(results: Results) -> dict[str, Any]:
    """Return by metric the strongest correlations of properties with learners' leads, and how many are significant."""
    setting = next(iter(MAIN))
    field, found = Field.of(results, [setting], [*levels.MEASURES, *numbers.FACTS]), []
    for metric in levels.MEASURES:
        scores = field.ranking(setting, metric).scores
        own = numbers.correlations(scores, numbers.properties(field, setting, metric)).dropna(subset=["rho"])
        strongest = own.sort_values("rho", key=np.abs, ascending=False).head(3).itertuples()
        related = [SimpleNamespace(name=field.label(row.method), fact=row.property, rho=row.rho) for row in strongest]
        counts = {"correlations": len(own), "significant": int((own["p_holm"] < 0.05).sum()), "tasks": len(scores)}
        if related:
            found.append(SimpleNamespace(metric=metric, strongest=related, **counts))
    return {"metrics": found}


def sizes_numbers(results: Results) -> dict[str, Any]:
    """Return what more unlabeled rows change: between two sizes, over the tasks that have both."""
    field, settings = Field.of(results, levels.SIZES), list(levels.SIZES)
    found: list[SimpleNamespace] = []
    for fewer, more in ((settings[0], settings[2]), (settings[2], settings[3]), (settings[0], settings[1])):
        gains = {m: numbers.gains(field, fewer, more, m) for m in levels.MEASURES}
        times = [numbers.seconds(results.timings, setting) for setting in (fewer, more)]
        if gains["accuracy"].empty or (found and settings[1] == more):
            continue
        found.append(
            SimpleNamespace(
                fewer=levels.SIZES[fewer].label,
                more=levels.SIZES[more].label,
                accuracy=_mean(gains["accuracy"]),
                auc=_mean(gains["auc"]),
                learners=gains["accuracy"].shape[1],
                tasks=len(gains["accuracy"]),
                order=numbers.same_order(field, fewer, more, "auc"),
                slower=numbers.times_as_long(times[0], times[1], gains["accuracy"].index),
            )
        )
    return {"steps": found}


def rare_numbers(results: Results) -> dict[str, Any]:
    """Return how many learners beat a constant where positives are rarest, by number of labels."""
    settings = [setting for own in levels.RARE.values() for setting in own]
    field = Field.of(results, settings, ["auc", "average_precision"])
    found = [_rarest(field, labels, own) for labels, own in levels.RARE.items()]
    return {"levels": [level for level in found if level]}


def _rarest(field: Field, labels: int, percents: Mapping[str, int]) -> SimpleNamespace | None:
    """Return how many learners beat a constant in the first setting with both scores, from the rarest positives on."""
    for setting, percent in percents.items():
        by_metric = {}
        for metric in ("auc", "average_precision"):
            scores = field.scores(setting, metric)
            scores = scores[field.ranked(scores.columns)].dropna(axis="columns")
            tests = numbers.beats_a_constant(scores, metric, percent)
            if scores.empty:
                continue
            best = scores.mean().idxmax()
            by_metric[metric] = SimpleNamespace(
                name=field.label(best), score=100 * scores[best].mean(), learners=scores.shape[1], tasks=len(scores),
                better=sum(p < 0.05 for p in tests.values()), tested=bool(tests),
            )  # fmt: skip
        if len(by_metric) == 2:
            return SimpleNamespace(labels=labels, percent=percent, **by_metric)
    return None


def calibration_numbers(results: Results) -> dict[str, Any]:
    """Return the best learners by the Brier score in each scenario, and how many are off by ten points or more."""
    field, found = Field.of(results, MAIN, ["brier", "calibration_error"]), []
    for setting, label in MAIN.items():
        brier, error = (field.scores(setting, metric) for metric in ("brier", "calibration_error"))
        errors = 100 * error[field.ranked(error.columns)].mean().sort_values()
        if errors.empty:
            continue
        ranking = field.ranking(setting, "brier", lower_is_better=True)
        ranked = _ranked(field, ranking, ranking.order[:3]) if ranking.there else []
        found.append(
            SimpleNamespace(
                setting=label,
                best=ranked,
                brier=100 * float(brier[ranking.order[0]].mean()) if ranked else np.nan,
                closest=SimpleNamespace(name=field.label(errors.index[0]), error=float(errors.iloc[0])),
                off=int((errors >= 10).sum()),
                learners=len(errors),
                tasks=len(brier),
            )
        )
    return {"settings": found}


def advice_numbers(results: Results) -> dict[str, Any]:
    """Return what it gains to choose a learner by facts of the data, on tasks that the rule has not seen."""
    field, found = Field.of(results, MAIN, [*levels.MEASURES, *numbers.KNOWN]), []
    for setting, metric in levels.PLACES:
        ranking = field.ranking(setting, metric)
        halves = 100 * numbers.advice(ranking.scores, numbers.known_facts(field, setting))
        if len(halves):
            gain = halves["rule"] - halves["first"]
            effect = Effect(float(gain.mean()), float(gain.quantile(0.05)), float(gain.quantile(0.95)))
            best = float((halves["best"] - halves["first"]).mean())
            found.append(
                SimpleNamespace(words=levels.PLACES[setting, metric], effect=effect, best=best, tasks=len(ranking.scores))
            )
    return {"rules": found, "needed": 2 * numbers.LEAST_TASKS, "halves": numbers.N_HALVES}


#: Functions that compute the numbers for each question's template.
NUMBERS: dict[str, Callable[[Results], dict[str, Any]]] = {
    "coverage": coverage_numbers,
    "ranks": ranks_numbers,
    "trivial": trivial_numbers,
    "labels": labels_numbers,
    "biased": partial(change_numbers, compared=levels.BIASED),
    "wrong": partial(change_numbers, compared=levels.WRONG),
    "prior": partial(change_numbers, compared=levels.PRIORS),
    "estimated": estimated_numbers,
    "scenario": partial(change_numbers, compared=levels.SWITCHED),
    "tuning": tuning_numbers,
    "costs": costs_numbers,
    "properties": properties_numbers,
    "sizes": sizes_numbers,
    "rare": rare_numbers,
    "calibration": calibration_numbers,
    "advice": advice_numbers,
}
