"""The evidence for the defaults of ``NeuralPUClassifier``: ``python docs/network_defaults.py choose`` (then ``confirm``).

Each network of the grid is fitted to rows of the level field's tasks, with π given, and scored on test rows with true classes.
One half of the sources serves to choose, the other to confirm.  Results go to ``network_defaults.csv`` beside this file: a line
for each fit, with the processor time of one thread; ``python docs/network_defaults.py table`` prints the table of the docs.
"""

import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from pulib import NeuralPUClassifier, load_dataset
from pulib.sampling import Mechanism

FILE = Path(__file__).with_suffix(".csv")
TASKS = {
    "choose": ("breast_cancer", "mushrooms", "vote", "segment_ground", "covtype", "mnist", "20newsgroups_svd"),
    "confirm": ("australian", "digits", "cancer", "phishing", "ijcnn1", "unsw_nb15_82k", "circle_noise"),
}
SPLIT = {"max_unlabeled": 1500, "max_test": 3000}
SCENARIOS, DRAWS = ("two_sample", "one_sample"), 2
BASE = {"loss": "logistic", "weight_decay": 0.01, "n_threads": 1}
CHOSEN = "decay .05"
#: By name: what is changed in ``BASE``.
GRID = {
    "base": {},
    "decay .05": {"weight_decay": 0.05},
    "decay .002": {"weight_decay": 0.002},
    "sigmoid": {"loss": "sigmoid"},
    "sigmoid, decay .05": {"loss": "sigmoid", "weight_decay": 0.05},
    "width 300": {"body_params": {"width": 300}},
    "epochs 50": {"epochs": 50},
    "batch 100": {"batch_size": 100},
    "stop after 10": {"n_iter_no_change": 10},
}
CONFIRMED = ("base", "decay .05", "sigmoid", "sigmoid, decay .05")


def fits(half):
    """One record for each fit."""
    for task in TASKS[half]:
        data = load_dataset(task)
        for scenario in SCENARIOS:
            for repeat in range(DRAWS):
                split = Mechanism(scenario=scenario, **SPLIT).draw(data, random_state=repeat, repeat=repeat)
                X, y = (split.arrays.get(name, getattr(data, name)) for name in "Xy")
                rows = np.r_[split.labeled, split.unlabeled]
                marks = np.repeat([1, 0], [len(split.labeled), len(split.unlabeled)])
                X_test, truth = np.asarray(X[split.test]), np.asarray(y[split.test]) == 1
                for name in GRID if half == "choose" else CONFIRMED:
                    net = NeuralPUClassifier(prior=split.prior, scenario=scenario, random_state=0, **(BASE | GRID[name]))
                    start = time.process_time()
                    net.fit(np.asarray(X[rows]), marks)
                    seconds, scores = time.process_time() - start, net.decision_function(X_test)
                    auc, accuracy = roc_auc_score(truth, scores), np.mean((scores > 0) == truth)
                    yield half, task, scenario, repeat, name, len(rows), round(auc, 4), round(accuracy, 4), round(seconds, 2)


def measure(half):
    columns = ["half", "task", "scenario", "repeat", "network", "n", "auc", "accuracy", "seconds"]
    kept = pd.read_csv(FILE).query("half != @half") if FILE.exists() else None
    pd.concat([kept, pd.DataFrame(fits(half), columns=columns)]).to_csv(FILE, index=False, lineterminator="\n")


def table():
    """Means over tasks, scenarios and draws, as Markdown."""
    trials = pd.read_csv(FILE)
    means = trials.groupby(["network", "half"])[["auc", "accuracy"]].mean().unstack()
    lines = ["| network | AUC / accuracy, to choose | to confirm | mean seconds of a fit |", "|---|---|---|---|"]
    for name in GRID:
        cells = []
        for half in TASKS:
            auc, accuracy = means.loc[name, ("auc", half)], means.loc[name, ("accuracy", half)]
            cells.append("" if np.isnan(auc) else f"{auc:.3f} / {100 * accuracy:.1f}".removeprefix("0"))
        mean = trials[trials.network == name].seconds.mean()
        shown = f"**{name}** (the default)" if name == CHOSEN else name
        lines.append(f"| {shown} | {' | '.join(cells)} | {mean:.1f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1] == "table":
        print(table())
    else:
        measure(sys.argv[1])
