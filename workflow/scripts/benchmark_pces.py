"""Speed of the sums over pairs: residuals of one SGBDota round by interpolation and pair by pair, medians of several runs."""

import statistics
import time

import numpy as np
import pandas as pd

from pulib.expansion._losses import RankedLoss
from pulib.experiments.logs import start_log
from pulib.experiments.runner import machine_name

SIZES = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000]
# the exact sums of more rows would take minutes
EXACT_UP_TO = 30_000
SPREADS = [1.0, 100.0]


def seconds(work, runs):
    work()  # compiles, and warms the caches
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return taken


def round_of(n, spread, method, threads):
    """Both residuals of one round: a tenth of the rows positive, preferences by a score without ties."""
    rng = np.random.default_rng(0)
    f = spread * rng.random(n)
    losses = RankedLoss.auc(rng.random(n) < 0.1, method, threads), RankedLoss.preference(rng.random(n), method, threads)
    return lambda: [loss.gradient(f) for loss in losses]


start_log(snakemake.log[0])
threads = snakemake.threads
rows = []
for spread in SPREADS:
    fast, exact = {}, {}
    for n in SIZES:
        fast[n] = seconds(round_of(n, spread, "fast", 1), 5 if n <= 100_000 else 3)
        if n <= EXACT_UP_TO:
            exact[n] = seconds(round_of(n, spread, "exact", threads), 3 if n <= 10_000 else 1)
        ours, theirs = statistics.median(fast[n]), statistics.median(exact.get(n, [np.nan]))
        shape = f"{n} rows, scores over {spread:g}"
        rows.append(
            [
                "residuals of a round",
                shape,
                f"exact, {threads} threads",
                ours,
                theirs,
                theirs / ours,
                min(fast[n]),
                max(fast[n]),
                1,
            ]
        )
    for name, times in (("fast", fast), ("exact", exact)):
        slope = np.polyfit(np.log10(list(times)), np.log10([statistics.median(t) for t in times.values()]), 1)[0]
        print(f"scores over {spread:g}: log-log slope of the {name} sums from {min(times)} to {max(times)} rows: {slope:.3f}")
frame = pd.DataFrame(
    rows, columns=["benchmark", "shape", "reference", "ours_s", "reference_s", "ratio", "min", "max", "threads"]
)
frame["machine"] = machine_name()
frame.to_csv(snakemake.output.csv, index=False, float_format="%.6g")
