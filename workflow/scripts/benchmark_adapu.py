"""Speed of Ada-PU's rounds against one pass that only reads the codes, and of a fit against scikit-learn's AdaBoost."""

import os
import statistics
import time

import numba as nb
import numpy as np
import pandas as pd
from sklearn.ensemble import AdaBoostClassifier

from pulib.boosting import AdaPUClassifier
from pulib.boosting._binning import encode
from pulib.boosting._stump import StumpSearch
from pulib.boosting._threads import Threads
from pulib.boosting._weights import SampleWeights
from pulib.experiments.logs import start_log
from pulib.experiments.runner import machine_name


@nb.njit(nogil=True)
def read_all(codes, first, last):
    mixed = nb.uint8(0)
    for row in codes[first:last]:
        for code in row:
            mixed ^= code
    return mixed


def timed(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure(X, n_labeled, n_thresholds, threads):
    """Seconds of 30 rounds, and of passes that only read, in turn; the first round, which sums all rows, is left out."""
    data = encode(X, np.arange(len(X)), slice(None), max_bins=None, equal_width=True, run=threads.run)
    search = StumpSearch(data, SampleWeights.initial(0.4, n_labeled, len(X), "two_sample"), threads, n_thresholds)

    def boost():
        stump = search.find(1)
        search.apply(stump, 0.1 * np.log((1 - stump.error) / stump.error), True)

    def read():
        threads.run(lambda part: read_all(data.codes, *part), search.parts)

    return np.array([(timed(boost), timed(read)) for _ in range(31)])[1:].T


start_log(snakemake.log[0])
rng = np.random.default_rng(0)
n_labeled, n, d, jobs = 1000, 51_000, 3072, min(2, os.cpu_count())
truth = np.arange(n) < n_labeled + 20_000
X = np.empty((n, d), np.uint8)
for rows in np.array_split(np.arange(n), 30):
    base = rng.normal(size=(len(rows), 24)) + 0.5 * truth[rows, None]
    X[rows] = np.clip(128 + 40 * np.tile(base, d // 24) + 20 * rng.normal(size=(len(rows), d)), 0, 255)
cases = []
with Threads(jobs) as threads:
    for name, S in (("round, all thresholds", None), ("round, one random threshold", 1)):
        whole, read = measure(X, n_labeled, S, threads)
        rows = 2 * measure(X[::2].copy(), n_labeled // 2, S, threads)[0]
        features = 2 * measure(X[:, : d // 2].copy(), n_labeled, S, threads)[0]
        cases += [(name, (n, d), "reading the codes", whole, read)]
        cases += [(f"{name}, half the rows, twice", (n // 2, d), "all rows", rows, whole)]
        cases += [(f"{name}, half the features, twice", (n, d // 2), "all features", features, whole)]
y = (np.arange(n) < n_labeled).astype(int)
model = AdaPUClassifier(100, prior=0.4, learning_rate=0.2, splitter="best", n_jobs=jobs)
fit = [timed(lambda: model.fit(X, y)) for _ in range(3)]
reference = [100 * timed(lambda: AdaBoostClassifier(n_estimators=1).fit(X, truth))]
cases.append(("fit, 100 rounds, all thresholds", (n, d), "AdaBoostClassifier, one round, 100 times", fit, reference))
rows = []
for name, (height, width), other, ours, theirs in cases:
    a, b = statistics.median(ours), statistics.median(theirs)
    rows.append([name, f"{height} x {width}", other, a, b, b / a, min(ours), max(ours), jobs, machine_name()])
columns = ["benchmark", "shape", "reference", "ours_s", "reference_s", "ratio", "min", "max", "threads", "machine"]
pd.DataFrame(rows, columns=columns).to_csv(snakemake.output.csv, index=False, float_format="%.4g")
