"""Made-up tidy results and times of a level field, for tests of its tables, figures, and answers."""

import numpy as np
import pandas as pd

from pulab.plan.load import load_study
from pulab.tables import Results
from pulab.trials import results
from pulab.trials.results import COLUMNS, TIMING_COLUMNS, typed

STUDY = load_study("levelfield")
TASKS = ["australian", "breast_cancer", "cancer", "digits", "ijcnn1", "mushrooms"]
LEARNERS = ["lf_pu_et", "lf_adapu", "lf_upu", "lf_naive_lr", "lf_elkan_noto_rf"]
UNRANKED = {"lf_supervised_rf": "ceiling", "lf_all_negative": "trivial", "lf_random_share": "trivial"}
#: How much better each method is, as a share.
ABILITY = dict(zip(LEARNERS, (0.16, 0.05, 0.08, 0.02, 0.14), strict=True)) | {
    "lf_supervised_rf": 0.2,
    "lf_all_negative": -0.15,
    "lf_random_share": -0.3,
}
#: How much each setting costs; one without any cost is a reference.
COST = dict.fromkeys(["estimated_two_sample", "estimated_one_sample", "two_sample", "one_sample"], 0.0)
COST |= {"labels_10": 0.12, "labels_100": 0.04, "labels_1000": 0.0}
COST |= {"wrong_10": 0.02, "wrong_30": 0.08, "biased_10": 0.05, "biased_border": 0.03, "prior_060": 0.04, "prior_140": 0.06}
COST |= {"prior_estimated_best_bin": 0.02, "prior_estimated_tice": 0.03, "switched_two": 0.05, "switched_one": 0.04}
COST |= {"size_500": 0.06, "size_2000": 0.04, "size_10000": 0.03, "size_50000": 0.02}
COST |= {f"rare_{p:02}_{n}": 0.1 - p / 400 for p in (1, 20) for n in (30, 100)}
CRITERIA = {"none": 0.0, "proxy_accuracy": 0.01, "proxy_auc": 0.005, "pu_score": -0.01, "pu_risk": 0.008, "oracle": 0.02}
FACTS = {"n_unlabeled": 1000.0, "n_features": 20.0, "prior_true": 0.4, "n_labeled": 100.0, "share_discrete": 0.5}


def make_tidy(tasks=TASKS, repeats=3, settings=COST, methods=None, seed=0):
    """Return tidy results: a task's level, a method's ability, a setting's cost, and noise."""
    rng = np.random.default_rng(seed)
    methods = methods or [*LEARNERS, *UNRANKED]
    rows = []
    for t, task in enumerate(tasks):
        level = 0.7 + 0.02 * t
        for setting in settings:
            for method in methods if COST[setting] == 0 else [m for m in methods if m in LEARNERS]:
                for repeat in range(repeats):
                    key = ("levelfield", task, setting, method, repeat)
                    score = level + ABILITY[method] - COST[setting] + rng.normal(0, 0.01)
                    rows += [(*key, name, value) for name, value in _measured(score, t, setting).items()]
        for method in LEARNERS[:3]:
            for repeat in range(repeats):
                score = level + ABILITY[method] + rng.normal(0, 0.005)
                found = {f"{m}_{c}": score + gain for c, gain in CRITERIA.items() for m in ("accuracy", "auc")}
                rows += [("levelfield", task, "tuning", method, repeat, name, value) for name, value in found.items()]
    frame = pd.DataFrame(rows, columns=[*COLUMNS[:6], "value"]).assign(step=-1, status="ok", message="")
    return typed(frame, COLUMNS)


def _measured(score, t, setting):
    given = 0.5 if setting.startswith("prior") else 0.45 if setting.startswith("estimated") else 0.4
    facts = {name: value * (1 + 0.1 * t) for name, value in FACTS.items()}
    names = ("accuracy", "balanced_accuracy", "f1", "auc", "average_precision")
    return (
        dict.fromkeys(names, score)
        | facts
        | {"prior_given": given, "share_positive": 0.4, "brier": 0.1, "calibration_error": 0.05}
    )


def make_timings(tidy):
    """Return times: a method takes 0.01 s times its position in the list, and twice as long with one sample."""
    keys = tidy[tidy["metric"] == "accuracy"][COLUMNS[:5]]
    place = keys["method"].map({m: k + 1 for k, m in enumerate([*LEARNERS, *UNRANKED])}).astype(float)
    place *= 1 + keys["setting"].eq("estimated_one_sample")
    parts = [keys.assign(metric=name, seconds=place * factor) for name, factor in (("fit", 0.01), ("predict", 0.001))]
    parts.append(keys.assign(metric="peak_memory_mb", seconds=10.0 * place))
    return typed(pd.concat(parts, ignore_index=True).assign(machine="a machine"), TIMING_COLUMNS)


def results_of(tidy, folder):
    results.write(tidy, folder / "tidy.parquet")
    results.write(make_timings(tidy), folder / "timings.parquet")
    return Results(STUDY, "quick", STUDY.methods_of(None), {}, folder / "tidy.parquet", folder / "timings.parquet")
