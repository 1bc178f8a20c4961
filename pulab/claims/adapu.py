"""The theorems of the Ada-PU paper, on boosted stumps whose every round is looked at.

They are about the rows that were trained on, which no kept trial stores; they are tested on boosting that runs here, on the two
data sets that scikit-learn brings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits

from pulab.claims.evidence import Evidence
from pulab.claims.own import Case, case
from pulib.boosting import AdaPUClassifier

ROUNDS = 100
SEEDS = range(5)


@dataclass(frozen=True)
class Run:
    """One run of boosting, as the theorems see it.

    Attributes
    ----------
    errors : array of shape (n_rounds,)
        ε_t.
    loss, wrong : arrays of shape (n_rounds,)
        The exponential loss and the classification error that P and U estimate, after each round.
    margin : float
        The least y H(x) / Σ α over the labeled positives after the last round.
    """

    name: str
    errors: np.ndarray
    loss: np.ndarray
    wrong: np.ndarray
    margin: float

    @property
    def product(self) -> np.ndarray:
        return np.cumprod(2.0 * np.sqrt(np.clip(self.errors * (1.0 - self.errors), 0.0, None)))


@cache
def _runs() -> tuple[Run, ...]:
    runs = []
    for name, loader in (("breast_cancer", load_breast_cancer), ("digits", load_digits)):
        X, y = loader(return_X_y=True)
        positive = y == 1 if name == "breast_cancer" else y % 2 == 0
        runs += [_run(name, X, positive, seed) for seed in SEEDS]
    return tuple(runs)


def _run(name: str, X: np.ndarray, positive: np.ndarray, seed: int) -> Run:
    labeled = np.random.default_rng(seed).choice(np.flatnonzero(positive), 100, replace=False)
    rows = np.concatenate([X[labeled], X])
    labels = np.concatenate([np.ones(100, int), np.zeros(len(X), int)])
    prior = float(positive.mean())
    model = AdaPUClassifier(
        ROUNDS, prior=prior, learning_rate=1.0, n_iter_no_change=None, normalize_weights=True, random_state=seed
    )
    model.fit(rows, labels)
    loss, wrong = [], []
    for scores in model.staged_decision_function(rows):
        of_labeled, of_unlabeled = scores[labels == 1], scores[labels == 0]
        # equation 7: labeled rows count as positives with π, and against U's share of them with -π
        loss.append(prior * np.exp(-of_labeled).mean() + np.exp(of_unlabeled).mean() - prior * np.exp(of_labeled).mean())
        wrong.append(prior * (of_labeled <= 0).mean() + (of_unlabeled > 0).mean() - prior * (of_labeled > 0).mean())
    # definition 4.1 assumes that every error is positive; boosting ends where one is not, but for rounding
    errors = np.asarray(model.estimator_errors_)
    rounds = int(np.argmax(errors <= 0)) if (errors <= 0).any() else len(errors)
    margin = float(of_labeled.min() / np.sum(model.estimator_weights_))
    return Run(name, errors[:rounds], np.array(loss[:rounds]), np.array(wrong[:rounds]), margin)


def greedy(evidence: Evidence) -> Iterator[Case]:
    """The exponential loss that P and U estimate falls in every round."""
    for name, runs in _by_name():
        falls = [float(np.mean(np.diff(run.loss, prepend=1.0) <= 1e-9)) for run in runs]
        yield case(f"{name}, percent of rounds in which it falls", min(falls) == 1.0, 100.0 * min(falls), 100.0, n=len(runs))


def exponential_rate(evidence: Evidence) -> Iterator[Case]:
    """The loss is the product of theorem 4.2, the error that P and U estimate stays below it and is gone in the end."""
    for name, runs in _by_name():
        gap = max(float(np.abs(run.loss - run.product).max()) for run in runs)
        yield case(f"{name}, loss beside the product", gap < 1e-6, gap, 0.0, n=len(runs))
        below = min(float(np.mean(run.wrong <= run.product + 1e-9)) for run in runs)
        yield case(f"{name}, percent of rounds below the bound", below == 1.0, 100.0 * below, 100.0, n=len(runs))
        last = float(np.mean([run.wrong[-1] for run in runs]))
        yield case(f"{name}, percent wrong after the last round", last <= 0.01, 100.0 * last, 1.0, n=len(runs))


def large_margins(evidence: Evidence) -> Iterator[Case]:
    """After the last round each labeled positive has a positive margin."""
    for name, runs in _by_name():
        least = min(run.margin for run in runs)
        yield case(f"{name}, least margin", least > 0.0, least, 0.0, n=len(runs))


def _by_name() -> Iterator[tuple[str, list[Run]]]:
    for name in dict.fromkeys(run.name for run in _runs()):
        yield name, [run for run in _runs() if run.name == name]
