"""SGBDota's sums over pairs, by interpolation and pair by pair; scaling with the number of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.record import Record
from pulib.expansion import SGBDotaClassifier
from pulib.kernels import RankedLoss


def residuals(n: int, *, spread: float, method: str, threads: int) -> Callable[[], Any]:
    """Return a function for both residuals of a round, with a tenth of the rows positive and a preference without ties."""
    rng = np.random.default_rng(0)
    f = spread * rng.random(n)
    losses = RankedLoss.auc(rng.random(n) < 0.1, method, threads), RankedLoss.preference(rng.random(n), method, threads)
    return lambda: [loss.gradient(f) for loss in losses]


def boosting(n: int, d: int) -> Callable[[], Any]:
    """Return a function for a whole fit of 20 rounds, including the preference's trees."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = (X[:, 0] + rng.normal(size=n) > 1).astype(int)
    return partial(SGBDotaClassifier(20, drop_fraction=0.2, random_state=0).fit, X, y)


def measure(
    record: Record,
    *,
    compared: Sequence[int],
    rows: Sequence[int],
    rows_fit: Sequence[int],
    features: Sequence[int],
    spreads: Sequence[float],
    runs: int,
) -> None:
    """Compare the residuals of a round by both methods, and measure whole fits over n and d.

    Parameters
    ----------
    record : Record
    compared : sequence of int
        Sizes at which the two methods are compared.
    rows, rows_fit, features : sequences of int
    spreads : sequence of float
        Ranges of the scores; a wide one needs more cells for the interpolation.
    runs : int
    """
    threads = record.threads
    for spread in spreads:
        over = f"scores over {spread:g}"
        for n in compared:
            fast = residuals(n, spread=spread, method="fast", threads=1)
            exact = residuals(n, spread=spread, method="exact", threads=threads)
            reference = f"pair by pair, {threads} threads"
            record.compare("residuals of a round", f"{n} rows, {over}", fast, reference, exact, runs=runs, threads=1)
        make = partial(residuals, spread=spread, method="fast", threads=1)
        record.scale(f"residuals, fast, {over}", "n", rows, make, over, runs=runs, threads=1)
    record.scale("SGBDota, 20 rounds", "n", rows_fit, partial(boosting, d=10), "n x 10", runs=1, threads=1)
    few = rows_fit[0]
    record.scale("SGBDota, 20 rounds", "d", features, partial(boosting, few), f"{few} x d", runs=1, threads=1)
