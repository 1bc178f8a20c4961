"""What learners cost on this machine: each is fitted to a few of the rows, and to more as long as that is quick."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from pulab.trials.cost import Cost
from pulab.trials.protocol import scores_of
from purank.learners import Learner
from purank.prior import estimate_pi
from purank.question import Question
from purank.scoring import sample_rows

#: Rows that the learners are tried on: each size is looked at as long as the one before took less than so many seconds.
SIZES, QUICK = (500, 2_000, 8_000, 32_000), 0.8
#: Rows that are predicted, a warm-up apart.
LOOKED_AT = 2_000
#: Rows that the estimate of π is tried on, and the rows of either kind that it uses at most.
PRIOR_SIZES, PRIOR_ROWS = (2_000, 8_000), 50_000
#: How fast time can grow with rows, as a power of their number: of a fit, and of a prediction with the training rows.
FIT_POWERS, PREDICT_POWERS = (1.0, 3.0), (0.0, 1.0)


@dataclass(frozen=True)
class Tried:
    """What a learner took for some numbers of training rows, on one core.

    Attributes
    ----------
    sizes : tuple of int
        Training rows, ascending; empty where the learner failed.
    fits, predictions : tuple of float
        Seconds of a fit, and of the prediction of one row.
    memory : float
        Bytes by which the process grew at the largest size.
    """

    sizes: tuple[int, ...]
    fits: tuple[float, ...]
    predictions: tuple[float, ...]
    memory: float = 0.0

    def fit_seconds(self, n: int) -> float:
        """How long a fit to ``n`` rows takes."""
        return _at(n, self.sizes, self.fits, FIT_POWERS)

    def row_seconds(self, n: int) -> float:
        """How long a model of ``n`` training rows takes to predict one row."""
        return _at(n, self.sizes, self.predictions, PREDICT_POWERS)

    def memory_bytes(self, n: int) -> float:
        """By how much a fit to ``n`` rows makes the process grow."""
        return self.memory * max(n / self.sizes[-1], 1.0) if self.sizes else 0.0


def _at(n: int, sizes: tuple[int, ...], seconds: tuple[float, ...], powers: tuple[float, float]) -> float:
    """Between sizes that were tried along a line, beyond them by the power of the last two.

    >>> round(_at(400, (100, 200), (1.0, 4.0), (1.0, 3.0)), 1)
    16.0
    """
    if not sizes:
        return 0.0
    if n <= sizes[-1]:
        return float(np.interp(n, sizes, seconds))
    power = powers[0]
    if len(sizes) > 1:
        power = np.log(max(seconds[-1], 1e-9) / max(seconds[-2], 1e-9)) / np.log(sizes[-1] / sizes[-2])
    return float(seconds[-1] * (n / sizes[-1]) ** np.clip(power, *powers))


def try_learners(
    learners: list[Learner], X: np.ndarray, labeled: np.ndarray, prior: float, n_train: int, cores: int
) -> dict[str, Tried]:
    """Try each learner, as many at once as there are cores.

    Parameters
    ----------
    learners : list of Learner
    X, labeled : arrays
        Labeled and unlabeled rows.
    prior : float
        A guess of the share of positives among the unlabeled rows.
    n_train : int
        As many rows as a model will be trained on.
    cores : int
    """
    chosen = sample_rows(np.arange(len(X)), labeled, min(SIZES[-1] + LOOKED_AT, len(X)), seed=0)
    X, labeled = X[chosen], labeled[chosen]
    jobs = (delayed(try_learner)(learner, X, labeled, prior, n_train) for learner in learners)
    tried = Parallel(n_jobs=min(cores, len(learners)))(jobs)
    return {learner.name: one for learner, one in zip(learners, tried, strict=True)}


def try_learner(learner: Learner, X: np.ndarray, labeled: np.ndarray, prior: float, n_train: int) -> Tried:
    """Fit a learner to the first of :data:`SIZES`, and to greater ones as long as that is quick."""
    if learner.missing:
        return Tried((), (), ())
    most = min(n_train, len(X))
    sizes = sorted({min(size, most) for size in SIZES})
    found: list[tuple[int, float, float]] = []
    memory = 0.0
    looked_at = np.resize(np.arange(len(X)), LOOKED_AT)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            _fitted(learner, X, labeled, prior, sizes[0])  # kernels are compiled once
            for size in sizes:
                with Cost() as cost:
                    model = _fitted(learner, X, labeled, prior, size)
                start = time.process_time()
                scores_of(model, X[looked_at])
                model.predict(X[looked_at])
                found.append((size, cost.seconds, (time.process_time() - start) / LOOKED_AT))
                memory = 1e6 * cost.memory().get("peak_memory_mb", 0.0)
                if cost.seconds > QUICK:
                    break
        except Exception:  # its own job says what is wrong
            pass
    return Tried(tuple(one[0] for one in found), tuple(one[1] for one in found), tuple(one[2] for one in found), memory)


def _fitted(learner: Learner, X: np.ndarray, labeled: np.ndarray, prior: float, size: int) -> Any:
    rows = sample_rows(np.arange(len(X)), labeled, size, seed=size)
    return learner.build(prior, seed=0).fit(X[rows], labeled[rows].astype(np.int64))


def prior_seconds(question: Question, X: np.ndarray, labeled: np.ndarray, cores: int) -> float:
    """How long the estimate of π takes, along a line through two estimates on parts of the rows."""
    n = sum(min(int(side.sum()), PRIOR_ROWS) for side in (labeled, ~labeled))
    sizes, seconds = [], []
    try:
        estimate_pi(X[:500], _with_both(labeled[:500]), question.scenario, n_jobs=cores, n_bootstrap=10)  # compiles kernels
        for size in sorted({min(size, n) for size in PRIOR_SIZES}):
            rows = sample_rows(np.arange(len(X)), labeled, size, seed=0)
            start = time.perf_counter()
            estimate_pi(X[rows], labeled[rows], question.scenario, n_jobs=cores)
            sizes.append(size)
            seconds.append(time.perf_counter() - start)
    except ValueError:  # its own job says what is wrong
        return 0.0
    slope = max(seconds[-1] - seconds[0], 0.0) / max(sizes[-1] - sizes[0], 1)
    return seconds[-1] + slope * (n - sizes[-1])


def _with_both(labeled: np.ndarray) -> np.ndarray:
    """Labels of which at least a few are of either kind, whatever the rows."""
    labeled = labeled.copy()
    labeled[:10], labeled[-10:] = True, False
    return labeled
