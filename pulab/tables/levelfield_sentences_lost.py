"""What the level field says of losses: by biased and wrong labels, a wrong or estimated π, the wrong scenario; and of tuning.

Each function yields the sentences of one question, made of numbers alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd

from pulab.tables.inputs import Inputs
from pulab.tables.kinds.levelfield_priors import prior_errors
from pulab.tables.kinds.levelfield_scenarios import scenario_tests
from pulab.tables.kinds.levelfield_tuning import ALL, gains_and_losses, tuned_scores
from pulab.tables.levelfield import METRICS, Field, difference, over_tasks, plain_number
from pulab.tables.levelfield_words import Sentence, change, interval_of, listed, name_of, tasks_text


class _Words(NamedTuple):
    """How losses of one kind are told: all levels at once, one level as a subject with its verbs, one level as a place."""

    all_levels: str
    level: str
    verbs: tuple[str, str]
    at_level: str


_MANY, _ONE = ("cost", "gain"), ("costs", "gains")


def about_biased(spec: Mapping[str, Any], inputs: Inputs) -> Iterator[Sentence]:
    """What labels cost that are not drawn at random."""
    words = _Words("Labels that are not drawn at random cost", "Labels on {level}", _MANY, "on {level}")
    yield from _losses(spec, inputs, spec["biased"], "one_sample", words, "biased")


def about_wrong(spec: Mapping[str, Any], inputs: Inputs) -> Iterator[Sentence]:
    """What labels cost that are wrong."""
    words = _Words("Wrong labels cost", "{level} wrong labels", _MANY, "at {level}")
    yield from _losses(spec, inputs, spec["wrong"], "two_sample", words, "wrong")


def about_prior(spec: Mapping[str, Any], inputs: Inputs) -> Iterator[Sentence]:
    """What a wrong π costs."""
    words = _Words("A wrong π costs", "A π told as {level} times the true one", _ONE, "at {level} π")
    yield from _losses(spec, inputs, spec["priors"], "two_sample", words, "wrong_prior")


def _losses(
    spec: Mapping[str, Any], inputs: Inputs, levels: Mapping[str, str], reference: str, words: _Words, name: str
) -> Iterator[Sentence]:
    """All levels in a sentence, then each in its own; ``figure_<name>`` and ``table_<name>`` show them."""
    field = Field.of(spec, inputs.results, [*levels, reference], ["accuracy", "auc"])
    everybody = {
        level: difference(field.scores(reference, "accuracy"), field.scores(setting, "accuracy"))
        for setting, level in levels.items()
        if setting != reference
    }
    everybody = {level: lost[field.ranked(lost.columns)] for level, lost in everybody.items()}
    shared = {level: whole for level, lost in everybody.items() if len(whole := lost.dropna(axis="columns"))}
    settings = {level: setting for setting, level in levels.items()}
    where = f"figure_{name}", f"table_{name}"
    if shared:
        yield Sentence(_all_levels(field, shared, words), *where, brief=True)
    worst = max(shared, key=lambda level: shared[level].mean(axis=None)) if shared else ""
    for level, lost in shared.items():
        ranking = difference(field.scores(reference, "auc"), field.scores(settings[level], "auc"))[list(lost)].mean(axis=None)
        start = words.level.format(level=level)
        costs = change(100 * lost.mean(axis=None), words.verbs), change(100 * ranking, words.verbs)
        least, most = _extremes(field, lost)
        text = (
            f"{start[0].upper()}{start[1:]} {costs[0]} of accuracy in the mean over {lost.shape[1]} learners and "
            f"{tasks_text(len(lost))}, and {costs[1]} of AUC; least is lost by {least}, most by {most}."
        )
        yield Sentence(text, *where)
        for method in everybody[level].columns.difference(lost.columns, sort=False):
            own = everybody[level][method].dropna()
            others = change(100 * lost.loc[own.index].mean(axis=None), ("lose", "gain"))
            text = (
                f"{name_of(field, method)}, {words.at_level.format(level=level)} and over {tasks_text(len(own))}, "
                f"{change(100 * own.mean(), ('loses', 'gains'))} of accuracy; there the learners above {others}."
            )
            yield Sentence(text, *where, brief=level == worst)


def _all_levels(field: Field, shared: Mapping[str, pd.DataFrame], words: _Words) -> str:
    """What each level costs in the mean, and who bears the worst one."""
    means = {level: 100 * lost.mean(axis=None) for level, lost in shared.items()}
    each = [f"{plain_number(mean)} {words.at_level.format(level=level)}" for level, mean in means.items()]
    each[0] = each[0].replace(" ", " points of accuracy ", 1)
    worst = max(means, key=lambda level: means[level])
    least, most = _extremes(field, shared[worst])
    return (
        f"{words.all_levels} {listed(each)}, in the mean over {shared[worst].shape[1]} learners and "
        f"{tasks_text(len(shared[worst]))}. {words.at_level.format(level=worst).capitalize()} least is lost by {least}, most "
        f"by {most}."
    )


def _extremes(field: Field, lost: pd.DataFrame) -> tuple[str, str]:
    """The learners that lose least and most, with how much."""
    found = over_tasks(lost).sort_values("mean")
    least, most = (f"{name_of(field, found.index[k])} ({interval_of(found.iloc[k])})" for k in (0, -1))
    return least, most


def about_estimated(spec: Mapping[str, Any], inputs: Inputs) -> Iterator[Sentence]:
    """What each estimator of π is off by, and costs."""
    estimators, where = spec["estimators"], ("figure_estimated_prior", "table_estimated_prior")
    field = Field.of(spec, inputs.results, ["two_sample", *estimators], ["accuracy"])
    errors, costs = prior_errors(inputs.results, estimators), {}
    for setting in errors:
        lost = difference(field.scores("two_sample", "accuracy"), field.scores(setting, "accuracy"))
        if len(lost):
            costs[setting] = lost[field.ranked(lost.columns)].mean(axis=1)
    found = over_tasks(pd.DataFrame(costs)).sort_values("mean")
    off = {setting: 100 * errors[setting].abs().mean() for setting in found.index}
    if len(found) > 1:
        least, most = (
            f"by *{estimators[setting]}* (off by {off[setting]:.1f} points) costs {interval_of(found.loc[setting])}"
            for setting in (found.index[0], found.index[-1])
        )
        over = tasks_text(int(found["tasks"].max()))
        text = f"Beside the true π, one estimated {least} points of accuracy over {over}, one {most}; the others lie between."
        yield Sentence(text, *where, brief=True)
    for setting in found.index:
        text = (
            f"π by {estimators[setting]} is off by {off[setting]:.1f} points in the mean over "
            f"{tasks_text(len(errors[setting]))}, and costs {interval_of(found.loc[setting])} points of accuracy."
        )
        yield Sentence(text, *where, brief=len(found) == 1)


def about_scenario(spec: Mapping[str, Any], inputs: Inputs) -> Iterator[Sentence]:
    """What the wrong scenario costs, and for how many it is significant that the right one mends it."""
    for switched, entry in spec["switched"].items():
        field = Field.of(spec, inputs.results, [switched, entry["reference"]], ["accuracy"])
        cost = difference(field.scores(entry["reference"], "accuracy"), field.scores(switched, "accuracy"))
        cost = cost[field.ranked(cost.columns)].dropna(axis="columns")
        if cost.empty:
            continue
        (least, most), tests = _extremes(field, cost), scenario_tests(cost)
        mended = int(((tests < 0.05) & (cost.mean() > 0)).sum())
        text = (
            f"{entry['label'].capitalize()}: the wrong scenario {change(100 * cost.mean(axis=None))} of accuracy in the mean "
            f"over {cost.shape[1]} learners and {tasks_text(len(cost))}; least is lost by {least}, most by {most}. The right "
            f"one is significantly better for {mended} of them (Wilcoxon, Holm)."
        )
        yield Sentence(text, "figure_scenarios", "table_scenarios", brief=True)


def about_tuning(spec: Mapping[str, Any], inputs: Inputs) -> Iterator[Sentence]:
    """What each criterion gains over defaults, and where it stands beside the oracle."""
    for metric in ("accuracy", "auc"):
        where = "figure_tuning", f"table_tuning_{metric}"
        _, tuned = tuned_scores({**spec, "setting": "tuning", "reference": "two_sample"}, inputs.results, metric)
        found = {name: over_tasks(table[[ALL]]).loc[ALL] for name, table in gains_and_losses(tuned).items()}
        gains = {name.removeprefix("gain, "): part for name, part in found.items() if name.startswith("gain")}
        if not gains:
            continue
        order = sorted(gains, key=lambda name: -gains[name]["mean"])
        over = tasks_text(int(gains["oracle"]["tasks"]))
        blind = [f"{plain_number(gains[name]['mean'])} by {name}" for name in order if name != "oracle"]
        blind[0] = blind[0].replace(" by", f" points of {METRICS[metric]} over defaults by", 1)
        text = (
            f"Tuning without negatives gains {listed(blind)}, over {over}; the oracle, which sees the truth of the held-out "
            f"rows, gains {plain_number(gains['oracle']['mean'])}."
        )
        yield Sentence(text, *where, brief=True)
        for name in order:
            beside = "" if name == "oracle" else f"; it is {_against_oracle(found[f'loss, {name}'])}"
            text = f"Tuning by {name if name != 'oracle' else 'the oracle'} gains {interval_of(gains[name])} points of "
            yield Sentence(f"{text}{METRICS[metric]} over defaults, over {over}{beside}.", *where)


def _against_oracle(lost: pd.Series) -> str:
    """Where a criterion stands beside the oracle, with the interval on the side that is named.

    >>> _against_oracle(pd.Series({"mean": -0.2, "low": -1.6, "high": 0.5}))
    '0.2 [−0.5, 1.6] points above the oracle'
    """
    if not plain_number(lost["mean"]).startswith("−"):
        return f"{interval_of(lost)} points below the oracle"
    ahead = pd.Series({"mean": -lost["mean"], "low": -lost["high"], "high": -lost["low"]})
    return f"{interval_of(ahead)} points above the oracle"
