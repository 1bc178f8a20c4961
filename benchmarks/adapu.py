"""Ada-PU: rounds compared with a pass that only reads the codes, fits with scikit-learn's AdaBoost; scaling with n and d."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numba as nb
import numpy as np
from sklearn.ensemble import AdaBoostClassifier

from benchmarks.record import Record, in_turn, seconds_of
from pulib.boosting import AdaPUClassifier
from pulib.kernels import SampleWeights, StumpSearch, Threads, encode
from pulib.sampling import case_control_split

PRIOR = 0.4
#: Thresholds per round, and their names in the table.
SEARCHES = {None: "all thresholds", 1: "one random threshold"}


@nb.njit(nogil=True)
def _read_all(codes, first, last):
    """Read rows of 8-bit codes once; the result keeps the compiler from removing the loop."""
    mixed = nb.uint8(0)
    for row in codes[first:last]:
        for code in row:
            mixed ^= code
    return mixed


def generated_rows(n: int, d: int, n_labeled: int) -> tuple[np.ndarray, np.ndarray]:
    """Return 8-bit rows with correlated features, like pixels, and the true labels; the first rows are the labeled ones."""
    rng = np.random.default_rng(0)
    truth = np.arange(n) < n_labeled + int(PRIOR * (n - n_labeled))
    X = np.empty((n, d), np.uint8)
    for rows in np.array_split(np.arange(n), 30):
        base = rng.normal(size=(len(rows), 24)) + 0.5 * truth[rows, None]
        tiled = np.tile(base, -(-d // 24))[:, :d]
        X[rows] = np.clip(128 + 40 * tiled + 20 * rng.normal(size=(len(rows), d)), 0, 255)
    return X, truth


def rounds(X: np.ndarray, n_labeled: int, n_thresholds: int | None, threads: Threads) -> tuple[Callable, Callable]:
    """Return two functions on the same codes: a round of boosting, after the first one, and a pass that reads them."""
    data = encode(X, np.arange(len(X)), slice(None), max_bins=None, equal_width=True, run=threads.run)
    search = StumpSearch(data, SampleWeights.initial(PRIOR, n_labeled, len(X), "two_sample"), threads, n_thresholds)

    def boost():
        stump = search.find(1)
        assert stump is not None, "generated rows always have an admissible stump"
        search.apply(stump, 0.1 * np.log((1 - stump.error) / stump.error), True)

    boost()
    return boost, lambda: threads.run(lambda part: _read_all(data.codes, *part), search.strategy.parts)


def measure(
    record: Record,
    *,
    shape: Sequence[int],
    n_rounds: int,
    rows: Sequence[int],
    features: Sequence[int],
    dataset: str | None = None,
) -> None:
    """Measure rounds, the whole fit, and fits over n and d.

    Parameters
    ----------
    record : Record
    shape : (n, d)
        Shape of the generated codes, if there is no data set.
    n_rounds : int
        Number of timed rounds.
    rows, features : sequences of int
    dataset : str, optional
        Name of a data set with 8-bit features.
    """
    n_labeled = min(1000, shape[0] // 10)
    n, d = shape
    X, truth = generated_rows(n, d, n_labeled)
    name = "generated"
    if dataset is not None:
        data = record.load(dataset)
        split = case_control_split(data, random_state=0)
        chosen = np.concatenate([split.labeled, split.unlabeled])
        X, truth, n_labeled, name = np.asarray(data.X[chosen]), np.asarray(data.y)[chosen] == 1, len(split.labeled), dataset
    label = f"{name}, {X.shape[0]} x {X.shape[1]}, 8-bit codes"
    with Threads(record.threads) as threads:
        for S, what in SEARCHES.items():
            boost, read = rounds(X, n_labeled, S, threads)
            ours, theirs = in_turn([boost, read], n_rounds)
            record.add(f"round, {what}", label, ours, "reading the codes", theirs)
    _whole_fit(record, X, truth, n_labeled, label)
    _growth(record, rows, features)


def _whole_fit(record: Record, X: np.ndarray, truth: np.ndarray, n_labeled: int, label: str) -> None:
    y = (np.arange(len(X)) < n_labeled).astype(int)
    ours = [seconds_of(partial(_boosting(100, record).fit, X, y)) for _ in range(3)]
    # all of scikit-learn's rounds take equally long: one is timed, several times if it is quick
    one_round = partial(AdaBoostClassifier(n_estimators=1).fit, X, truth)
    theirs = [seconds_of(one_round)]
    theirs += [seconds_of(one_round) for _ in range(2 if theirs[0] < 20 else 0)]
    hundred = [100 * s for s in theirs]
    record.add("fit, 100 rounds, all thresholds", label, ours, "AdaBoostClassifier, one round, times 100", hundred)


def _growth(record: Record, rows: Sequence[int], features: Sequence[int]) -> None:
    middle_n, middle_d, n_labeled = rows[-1] // 2, features[-1] // 2, 100

    def fit(n: int, d: int) -> Callable[[], Any]:
        X, _ = generated_rows(n, d, n_labeled)
        return partial(_boosting(20, record).fit, X, (np.arange(n) < n_labeled).astype(int))

    record.scale("fit, 20 rounds", "n", rows, lambda n: fit(n, middle_d), f"n x {middle_d}")
    record.scale("fit, 20 rounds", "d", features, lambda d: fit(middle_n, d), f"{middle_n} x d")


def _boosting(n_rounds: int, record: Record) -> AdaPUClassifier:
    options: dict[str, Any] = {"n_iter_no_change": None, "splitter": "best", "n_jobs": record.threads}
    return AdaPUClassifier(n_rounds, prior=PRIOR, learning_rate=0.2, **options)
