"""Speed of tuning RESVM beside the same grid search as a loop over scikit-learn's SVC, one thread.

Rows are random, of MNIST's shape.  The reference fits a part of the candidates, and its time is scaled to all of them.
"""

import time

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from pulib._random import draw_seeds
from pulib.experiments.logs import start_log
from pulib.experiments.runner import machine_name
from pulib.model_selection import PUGridSearchCV
from pulib.protocols.resvm import expand_grid
from pulib.svm import RobustEnsembleSVC
from pulib.svm._search import draw_rows

N_FOLDS, N_TIMED, RUNS = 10, 4, 3
GRID = expand_grid(
    {"C": [1.0, 0.1, 10.0], "w_positive": [3.2, 1.6, 6.4, 0.8, 12.8, 25.6], "n_positive": [10, 5, 20]}
    | {"unlabeled_per_positive": [5, 10]}
)


def rows(n_features, rng):
    X = rng.random((2050, n_features), dtype=np.float32) * (rng.random((2050, n_features)) < 0.2)
    X[:250, : n_features // 10] += 0.3  # 50 labeled positives, and 200 among the unlabeled rows
    return X / np.sqrt(n_features / 784), np.repeat([1, 0], [50, 2000])


def search(X, y):
    estimator = RobustEnsembleSVC(kernel="linear", random_state=0)
    start = time.perf_counter()
    found = PUGridSearchCV(estimator, GRID, cv=N_FOLDS, random_state=0, refit=False).fit(X, y)
    return time.perf_counter() - start, found.cv_results_["params"]


def loop(X, y, candidates):
    start = time.perf_counter()
    K = (X @ X.T).astype(np.float64)
    for train, test in StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(X, y):
        P, U = train[y[train] == 1], train[y[train] == 0]
        for candidate in candidates:
            plan = RobustEnsembleSVC(**candidate)._plan(len(P), len(U))
            drawn, n_first = draw_rows(draw_seeds(0, 50), plan, P, U)
            labels = (np.arange(drawn.shape[1]) < n_first).astype(int)
            for member in drawn:
                machine = SVC(kernel="precomputed", class_weight={1: plan.c_positive, 0: plan.c_unlabeled})
                machine.fit(K[np.ix_(member, member)], labels).decision_function(K[np.ix_(test, member)])
    return time.perf_counter() - start


start_log(snakemake.log[0])
rng = np.random.default_rng(0)
table = []
for n_features in (78, 784, 7840):
    X, y = rows(n_features, rng)
    search(X, y)  # loads the compiled kernels
    times, candidates = zip(*(search(X, y) for _ in range(RUNS)), strict=True)
    timed = [candidates[0][k] for k in np.linspace(0, len(candidates[0]) - 1, N_TIMED).astype(int)]
    reference = loop(X, y, timed) * len(candidates[0]) / N_TIMED if n_features == 784 else float("nan")
    ours = float(np.median(times))
    shape = f"50 + 2000 x {n_features}, {len(candidates[0])} candidates, {N_FOLDS} folds, 50 machines"
    table.append(
        ["grid search of RESVM", shape, "loop over SVC(precomputed)", ours, reference, reference / ours, min(times), max(times)]
    )
columns = ["benchmark", "shape", "reference", "ours_s", "reference_s", "ratio", "min", "max"]
pd.DataFrame(table, columns=columns).assign(threads=1, machine=machine_name()).to_csv(
    snakemake.output.csv, index=False, float_format="%.4g"
)
