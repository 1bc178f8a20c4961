"""The numbers behind the answers about what changes scores: biased or wrong labels, a wrong or estimated π, the wrong scenario,
and tuning; see :mod:`~pulab.tables.levelfield_answers`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pulab.tables.inputs import Inputs
from pulab.tables.kinds.levelfield_priors import prior_errors
from pulab.tables.kinds.levelfield_scenarios import scenario_tests
from pulab.tables.kinds.levelfield_tuning import ALL, gains_and_losses, tuned_scores
from pulab.tables.levelfield import Field, difference, over_tasks
from pulab.tables.sentences import Effect


class Learner(NamedTuple):
    """A learner, and how its score changes."""

    name: str
    effect: Effect


class Partly(NamedTuple):
    """A learner that was run on some of the tasks only, compared with the others there."""

    name: str
    tasks: int
    own: Effect
    others: Effect


class Change(NamedTuple):
    """How scores change at one level: on average over learners and tasks, and for the learners at both ends."""

    level: str
    learners: int
    tasks: int
    accuracy: Effect
    auc: Effect
    best: Learner
    worst: Learner
    partly_run: list[Partly]


def biased_numbers(spec: Mapping[str, Any], inputs: Inputs) -> dict[str, Any]:
    """How scores change if labeled positives are not selected at random."""
    return _changes(spec, inputs, spec["biased"], "one_sample")


def wrong_numbers(spec: Mapping[str, Any], inputs: Inputs) -> dict[str, Any]:
    """How scores change if some labels are wrong."""
    return _changes(spec, inputs, spec["wrong"], "two_sample")


def prior_numbers(spec: Mapping[str, Any], inputs: Inputs) -> dict[str, Any]:
    """How scores change if the given π is wrong."""
    return _changes(spec, inputs, spec["priors"], "two_sample")


def _changes(spec: Mapping[str, Any], inputs: Inputs, levels: Mapping[str, str], reference: str) -> dict[str, Any]:
    field = Field.of(spec, inputs.results, [*levels, reference], ["accuracy", "auc"])
    found = [_change(field, setting, level, reference) for setting, level in levels.items() if setting != reference]
    changes = [change for change in found if change]
    return {"changes": changes, "worst": min(changes, key=lambda change: change.accuracy.mean, default=None)}


def _change(field: Field, setting: str, level: str, reference: str) -> Change | None:
    gained = difference(field.scores(setting, "accuracy"), field.scores(reference, "accuracy"))
    gained = gained[field.ranked(gained.columns)]
    shared = gained.dropna(axis="columns")
    if shared.empty:
        return None
    auc = difference(field.scores(setting, "auc"), field.scores(reference, "auc"))
    partly_run = []
    for method in gained.columns.difference(shared.columns, sort=False):
        own = gained[method].dropna()
        partly_run.append(Partly(field.label(method), len(own), _mean(own), _mean(shared.loc[own.index])))
    best, worst = _extremes(field, shared)
    averages = _mean(shared), _mean(auc[[m for m in shared if m in auc]])
    return Change(level, shared.shape[1], len(shared), *averages, best, worst, partly_run)


def _mean(gained: pd.DataFrame | pd.Series) -> Effect:
    """In points, over everything."""
    return Effect(100 * float(np.nanmean(gained)))


def _extremes(field: Field, gained: pd.DataFrame) -> tuple[Learner, Learner]:
    """The learners that gain most (or lose least), and least."""
    found = over_tasks(gained).sort_values("mean", ascending=False)[["mean", "low", "high"]]
    learners = [Learner(field.label(method), Effect(*numbers)) for method, *numbers in found.itertuples(name=None)]
    return learners[0], learners[-1]


class Estimated(NamedTuple):
    """An estimator of π: how far it is off on average, in points, and how scores change with it in place of the true π."""

    name: str
    error: float
    effect: Effect
    tasks: int


def estimated_numbers(spec: Mapping[str, Any], inputs: Inputs) -> dict[str, Any]:
    """Estimators of π, the one that changes accuracy least to its disadvantage first."""
    estimators = spec["estimators"]
    field = Field.of(spec, inputs.results, ["two_sample", *estimators], ["accuracy"])
    errors, gains = prior_errors(inputs.results, estimators), {}
    for setting in errors:
        gained = difference(field.scores(setting, "accuracy"), field.scores("two_sample", "accuracy"))
        if len(gained):
            gains[setting] = gained[field.ranked(gained.columns)].mean(axis=1)
    found = over_tasks(pd.DataFrame(gains)).sort_values("mean", ascending=False)
    return {
        "estimators": [
            Estimated(estimators[setting], 100 * errors[setting].abs().mean(), Effect(mean, low, high), int(tasks))
            for setting, mean, low, high, tasks in found.itertuples(name=None)
        ]
    }


class Switched(NamedTuple):
    """How accuracy changes if a learner assumes the wrong scenario."""

    data: str
    learners: int
    tasks: int
    accuracy: Effect
    best: Learner
    worst: Learner
    significantly_worse: int


def scenario_numbers(spec: Mapping[str, Any], inputs: Inputs) -> dict[str, Any]:
    """What the wrong scenario costs, and for how many learners significantly so."""
    found = []
    for switched, entry in spec["switched"].items():
        reference = entry["reference"]
        field = Field.of(spec, inputs.results, [switched, reference], ["accuracy"])
        gained = difference(field.scores(switched, "accuracy"), field.scores(reference, "accuracy"))
        gained = gained[field.ranked(gained.columns)].dropna(axis="columns")
        if gained.empty:
            continue
        significant = int(((scenario_tests(gained) < 0.05) & (gained.mean() < 0)).sum())
        data = spec["references"].get(reference, reference)
        found.append(Switched(data, gained.shape[1], len(gained), _mean(gained), *_extremes(field, gained), significant))
    return {"scenarios": found}


class Tuned(NamedTuple):
    """Gains over the defaults by criterion, the best one first; the oracle sees the true labels of the held-out rows."""

    metric: str
    tasks: int
    criteria: list[Learner]
    oracle: Effect


def tuning_numbers(spec: Mapping[str, Any], inputs: Inputs) -> dict[str, Any]:
    """What each criterion gains over the defaults."""
    found = []
    for metric in ("accuracy", "auc"):
        _, tuned = tuned_scores({**spec, "setting": "tuning", "reference": "two_sample"}, inputs.results, metric)
        gains = {
            name.removeprefix("gain, "): over_tasks(table[[ALL]]).loc[ALL]
            for name, table in gains_and_losses(tuned).items()
            if name.startswith("gain")
        }
        effects = {name: Effect(gain["mean"], gain["low"], gain["high"]) for name, gain in gains.items()}
        if oracle := effects.pop("oracle", None):
            criteria = sorted((Learner(name, effect) for name, effect in effects.items()), key=lambda c: -c.effect.mean)
            found.append(Tuned(metric, int(gains["oracle"]["tasks"]), criteria, oracle))
    return {"tuned": found}
