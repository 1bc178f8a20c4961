"""Content of the level field's leaderboard: every learner on every task, in both scenarios, with π estimated and true."""

from __future__ import annotations

import pandas as pd

from pulab.reports.board import Board, Fact, Measure
from pulab.tables import Results
from studies.levelfield.levels import MAIN, TIMED

SETTINGS = {
    "estimated_two_sample": "two samples, π estimated",
    "estimated_one_sample": "one sample, π estimated",
    "two_sample": "two samples, π true",
    "one_sample": "one sample, π true",
}
MEASURES = (
    Measure("accuracy", "accuracy"),
    Measure("auc", "AUC"),
    Measure("average_precision", "average precision"),
    Measure("brier", "Brier score", "loss"),
    Measure("calibration_error", "calibration error", "loss"),
    Measure("seconds", "seconds, two samples", "seconds"),
)
FACTS = (
    Fact("rows", "training rows", (500, 1000, 2000)),
    Fact("prior_true", "π", (0.1, 0.3, 0.5), percent=True),
    Fact("n_labeled", "labels", (30, 100, 200)),
    Fact("share_discrete", "discrete features", (0.1, 0.9), percent=True),
)
NOTES = {"ceiling": "ceiling, true labels", "trivial": "trivial"}
PLACE = ["setting", "dataset", "method"]


def board(results: Results) -> Board:
    """Make the leaderboard of the study's results."""
    tidy = results.tidy
    main = tidy[tidy["setting"].isin(list(MAIN))]  # these settings define the tasks and repeats
    tidy = tidy[tidy["setting"].isin(list(SETTINGS)) & tidy["dataset"].isin(main["dataset"].unique())]
    tidy = tidy[tidy["repeat"] <= main["repeat"].max()]
    good = tidy[(tidy["status"] == "ok") & (tidy["step"] == -1)]
    numbers = good.groupby([*PLACE, "metric"], observed=True)["value"].mean().unstack("metric")
    numbers = numbers.reindex(columns=[*numbers.columns.union([measure.key for measure in MEASURES[:-1]])])
    failed = set(tidy.loc[tidy["status"] == "failed", PLACE].itertuples(index=False, name=None)) - set(numbers.index)
    methods = [name for name in results.labels if name in set(numbers.index.get_level_values("method"))]
    there = numbers.index.get_level_values("method").isin(methods)
    return Board(
        settings={name: label for name, label in SETTINGS.items() if name in set(numbers.index.get_level_values("setting"))},
        learners=pd.DataFrame(
            {
                "label": [results.labels[name] for name in methods],
                "note": [NOTES.get(results.roles.get(name, ""), "") for name in methods],
                "ranked": [results.roles.get(name, "") not in NOTES for name in methods],
            },
            index=methods,
        ),
        tasks=tasks_of(numbers, results),
        measures=MEASURES,
        facts=FACTS,
        values=numbers[there].join(seconds_of(results), on=["dataset", "method"])[[measure.key for measure in MEASURES]],
        failed=failed,
    )


def tasks_of(numbers: pd.DataFrame, results: Results) -> pd.DataFrame:
    """Return a row per task with its facts in the first setting."""
    facts = numbers.assign(rows=numbers["n_labeled"] + numbers["n_unlabeled"])[[fact.key for fact in FACTS]]
    first = facts.xs(facts.index[0][0], level="setting").groupby("dataset", sort=False).median()
    return first.assign(label=[results.title(name) for name in first.index]).sort_values(
        "label", key=lambda own: own.str.lower()
    )


def seconds_of(results: Results) -> pd.Series:
    """Return median seconds over repeats of a fit with its predictions by task and learner, for all settings."""
    times = results.timings[results.timings["setting"].eq(TIMED) & results.timings["metric"].isin(["fit", "predict"])]
    medians = times.groupby(["dataset", "method", "metric"], observed=True)["seconds"].median().unstack("metric")
    return medians.reindex(columns=["fit", "predict"]).sum(axis=1, min_count=2).rename("seconds")
