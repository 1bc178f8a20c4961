"""Speed of online PU learning beside scikit-learn's stochastic gradient descent, one thread, medians of several runs."""

import statistics
import time
import warnings

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.linear_model import SGDClassifier

from pulib.experiments.logs import start_log
from pulib.experiments.runner import machine_name
from pulib.linear import OnlinePUClassifier

RUNS = 5
CLASSES = [0, 1]


def streamed(make, X, y, size):
    model = make()
    for first in range(0, X.shape[0], size):
        model.partial_fit(X[first : first + size], y[first : first + size], classes=CLASSES)


def seconds(work, runs=RUNS):
    work()  # compiles, and warms the caches
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return taken


start_log(snakemake.log[0])
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
n, d = 200_000, 100
X, y = rng.normal(size=(n, d)), (rng.random(n) < 0.2).astype(int)
S = sparse.random_array((50_000, 100_000), density=1e-3, format="csr", rng=rng)
ours, reference = lambda: OnlinePUClassifier(prior=0.3), SGDClassifier
few = 2_000
wide = "50000 x 100000, 100 non-zeros a row"


def opu_stream(X, size, last=None):
    return lambda: streamed(ours, X[:last], y[:last], size)


def sgd_stream(X, size, last=None):
    return lambda: streamed(reference, X[:last], y[:last], size)


cases = [
    ("fit", f"{n} x {d}", lambda: ours().fit(X, y), "SGDClassifier.fit", lambda: reference(max_iter=1).fit(X, y), 1),
    ("partial_fit, 1000 rows", f"{n} x {d}", opu_stream(X, 1000), "SGDClassifier, 1000 rows", sgd_stream(X, 1000), 1),
    ("partial_fit, 1000 rows", f"{n} x {d}", opu_stream(X, 1000), "SGDClassifier, rows", sgd_stream(X, 1, few), n / few),
    ("partial_fit, rows", f"{few} x {d}", opu_stream(X, 1, few), "SGDClassifier, rows", sgd_stream(X, 1, few), 1),
    ("partial_fit, CSR, 1000 rows", wide, opu_stream(S, 1000), "SGDClassifier, 1000 rows", sgd_stream(S, 1000), 1),
]
rows = []
for benchmark, shape, mine, name, other, scale in cases:
    own, theirs = seconds(mine), [scale * s for s in seconds(other)]
    a, b = statistics.median(own), statistics.median(theirs)
    rows.append([benchmark, shape, name, a, b, b / a, min(own), max(own), 1, machine_name()])
columns = ["benchmark", "shape", "reference", "ours_s", "reference_s", "ratio", "min", "max", "threads", "machine"]
pd.DataFrame(rows, columns=columns).to_csv(snakemake.output.csv, index=False, float_format="%.4g")
