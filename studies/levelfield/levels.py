"""The settings of each question, their references, and display names of settings and metrics."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from studies.levelfield.study.experiments import (
    ESTIMATORS,
    MAIN_SETTINGS,
    N_LABELS,
    N_LABELS_RARE,
    N_UNLABELED,
    RARE_PERCENT,
    TRUE_PRIOR_SETTINGS,
)

#: Display names of metrics and criteria of tuning.
METRICS = {
    "accuracy": "accuracy",
    "auc": "AUC",
    "balanced_accuracy": "balanced accuracy",
    "f1": "F1",
    "average_precision": "average precision",
    "brier": "Brier score",
    "calibration_error": "calibration error",
    "share_positive": "share predicted positive",
    "proxy_accuracy": "proxy accuracy",
    "proxy_auc": "proxy AUC",
    "pu_score": "PU score",
    "pu_risk": "PU risk",
    "oracle": "oracle",
}
MEASURES = ("accuracy", "auc")
SCENARIOS = ("two samples", "one sample")
#: Settings in which learners are given the π that a user would have, and the same with the true π.
MAIN = dict(zip(MAIN_SETTINGS, SCENARIOS, strict=True))
TRUE_PRIOR = dict(zip(TRUE_PRIOR_SETTINGS, SCENARIOS, strict=True))
#: The setting whose times and memory are shown.
TIMED = MAIN_SETTINGS[0]
#: For each main setting, the one with the true π.
WITH_TRUE_PRIOR = dict(zip(MAIN, TRUE_PRIOR, strict=True))
#: Main settings and metrics; there is a ranking for each pair.
PLACES = {place: f"{METRICS[place[1]]}, {MAIN[place[0]]}" for place in product(MAIN, MEASURES)}


class Level(NamedTuple):
    """Name of a setting, and the setting that it is compared with."""

    label: str
    reference: str = "two_sample"


LABELS = {f"labels_{n}": Level(f"{n:,}") for n in N_LABELS}
BIASED = {f"biased_{k}": Level(f"clear cases (k = {k})", "one_sample") for k in (1, 3, 10)}
BIASED["biased_border"] = Level("doubtful cases (k = 10)", "one_sample")
WRONG = {f"wrong_{p:02}": Level(f"{p}%") for p in (5, 10, 20, 30)}
PRIORS = {f"prior_{p:03}": Level(f"{p / 100:g}") for p in (60, 80, 120, 140)}
ESTIMATED = {f"prior_estimated_{name}": Level(label) for name, label in ESTIMATORS.items()}
#: The setting with the library's default estimator.
DEFAULT_ESTIMATOR = "prior_estimated_best_bin"
SWITCHED = {
    "switched_two": Level("one sample, fitted as two", "one_sample"),
    "switched_one": Level("two samples, fitted as one"),
}
#: Criteria of tuning; :class:`Field` has a setting for what each of them chose.
CRITERIA = ("proxy_accuracy", "proxy_auc", "pu_score", "pu_risk", "oracle")
TUNED = {f"tuning_{name}": Level(METRICS[name], "tuning_none") for name in CRITERIA}
AGAINST_ORACLE = {name: Level(own.label, "tuning_oracle") for name, own in TUNED.items() if name != "tuning_oracle"}
#: Settings that show what estimating π costs, in each scenario.
OWN_PRIOR = {setting: Level(MAIN[setting], true) for setting, true in WITH_TRUE_PRIOR.items()}
SIZES = {f"size_{n}": Level(f"{n:,}") for n in N_UNLABELED}
#: By number of labels, the settings with rare positives and their π in percent.
RARE = {n: {f"rare_{p:02}_{n}": p for p in RARE_PERCENT} for n in N_LABELS_RARE}
