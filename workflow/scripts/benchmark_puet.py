"""Speed of PU Extra Trees beside scikit-learn's extra trees on the same P-against-U labels, trees and threads; medians."""

import statistics
import time

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.ensemble import ExtraTreesClassifier

from pulib.datasets import load_dataset
from pulib.experiments.logs import start_log
from pulib.experiments.runner import machine_name
from pulib.sampling import case_control_split
from pulib.trees import PUExtraTreesClassifier

SETS = {"mnist": (np.uint8, 60000, 784), "cifar10": (np.uint8, 50000, 3072), "covtype": (np.float32, 464809, 54)}
RUNS = 3

start_log(snakemake.log[0])
quick = snakemake.params.preset == "quick"
trees, threads, shrink = (20, snakemake.threads, 10 if quick else 1)
common = {"n_jobs": threads, "random_state": 0}


def generated(dtype, n, d, seed=0):
    X, y = make_classification(n + n // 5, d, n_informative=10, n_redundant=0, class_sep=0.7, random_state=seed)
    X = np.clip(128 + 24 * X, 0, 255) if dtype == np.uint8 else X
    X, y = X.astype(dtype), (y == 1)
    labeled = np.flatnonzero(y[:n])[:1000]
    return np.concatenate([X[labeled], X[:n]]), np.repeat([1, 0], [len(labeled), n]), X[n:], float(y.mean())


def real(name):
    data = load_dataset(name, data_dir=snakemake.params.resources, mirror=snakemake.params.mirrors)
    split = case_control_split(data, random_state=0)
    X = np.concatenate([data.X[split.labeled], data.X[split.unlabeled]]).astype(SETS[name][0])
    y = np.repeat([1, 0], [len(split.labeled), len(split.unlabeled)])
    return X, y, np.asarray(data.X[split.test]).astype(X.dtype), split.prior


def seconds(work, runs=RUNS):
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return taken


def row(benchmark, shape, name, own, theirs):
    a, b = statistics.median(own), statistics.median(theirs) if theirs else np.nan
    return [benchmark, shape, name, a, b, b / a, min(own), max(own), threads, machine_name()]


rows = []
for name, (dtype, n, d) in SETS.items():
    try:
        X, y, X_test, prior = generated(dtype, n // shrink, d) if quick else real(name)
        label = f"{'generated like ' if quick else ''}{name}, {len(X)} x {d}, {np.dtype(dtype).name}, {trees} trees"
    except OSError as error:
        print(f"{name} cannot be had ({error}); generated data of its shape instead")
        X, y, X_test, prior = generated(dtype, n, d)
        label = f"generated like {name}, {len(X)} x {d}, {np.dtype(dtype).name}, {trees} trees"
    reference = ExtraTreesClassifier(trees, **common)
    fit = seconds(lambda X=X, y=y, m=reference: m.fit(X, y), 1 if quick else RUNS)
    predict = seconds(lambda X=X_test, m=reference: m.predict(X))
    for risk in ("nnpu", "pn"):
        ours = PUExtraTreesClassifier(trees, prior=prior, risk=risk, **common).fit(X[:2000], y[:2000])
        ours.predict(X_test[:10])  # compiled by now
        rows.append(row(f"fit, {risk}", label, "ExtraTreesClassifier.fit", seconds(lambda X=X, y=y, m=ours: m.fit(X, y)), fit))
        rows.append(row(f"predict, {risk}", label, "predict", seconds(lambda X=X_test, m=ours: m.predict(X)), predict))
for splitter in ("random", "best"):  # growth with the number of rows: ours alone
    for n in (10_000, 100_000) if quick else (10_000, 100_000, 1_000_000):
        X, y, _, prior = generated(np.float32, n, 20)
        one = PUExtraTreesClassifier(1, prior=prior, splitter=splitter, **common)
        rows.append(
            row(f"one tree, {splitter}", f"{len(X)} x 20, float32", "", seconds(lambda X=X, y=y, m=one: m.fit(X, y)), [])
        )
columns = ["benchmark", "shape", "reference", "ours_s", "reference_s", "ratio", "min", "max", "threads", "machine"]
pd.DataFrame(rows, columns=columns).to_csv(snakemake.output.csv, index=False, float_format="%.4g")
