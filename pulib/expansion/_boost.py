"""The boosting loop of table 1: two base learners per round, weighted by one Newton step.

The last bit of a residual can change a tree's split, so all sums here have the same order on every processor: there are no
matrix products, whose order of additions depends on the processor, and Newton steps are solved in closed form.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.tree import BaseDecisionTree

from pulib._random import draw_seeds, seed_estimator
from pulib._typing import RandomState

#: Eigenvalues below this share of the largest one count as zero.
_FLAT = 1e-10


@dataclass(frozen=True)
class Target:
    """One of the two targets: its rows, its loss on them, and the factor of its residuals."""

    rows: np.ndarray  # of the training data, ascending
    loss: Any  # RankedLoss or ListedLoss over these rows
    weight: float  # of the loss in eq. 3, and the target's initial guess in eq. 9: 1 or lambda
    scale: float  # residuals are minus the gradient times this
    seeds: np.ndarray  # one per round


@dataclass(frozen=True)
class JointRows:
    """The rows that have both a label and a preference, with the two losses on them (None if undefined)."""

    rows: np.ndarray
    losses: tuple


@dataclass(frozen=True)
class Round:
    """One round: a learner and a weight (learning rate included) per target."""

    learners: tuple
    weights: np.ndarray


@dataclass(frozen=True)
class Guess:
    """Initial guess (1, λ) of the weights of a round's learners (line 11 of table 1), with the data to improve it."""

    weights: np.ndarray
    scores: np.ndarray  # so far, on the rows that have both targets
    learners: np.ndarray  # (n, q): the learners' values there
    joint: JointRows

    def loss(self, scores: np.ndarray) -> float:
        """Return eq. 3 on these rows."""
        losses = zip(self.joint.losses, self.weights, strict=True)
        return sum(weight * loss.value(scores) for loss, weight in losses if loss is not None)

    def moved(self, scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Add the learners to the scores, with these weights."""
        return _moved(scores, self.learners, weights)

    def newton_step(self) -> np.ndarray:
        """Return the correction of the weights by a Newton step."""
        return newton_step(self.joint, self.weights, self.scores, self.learners, self.weights)


def newton_step(joint: JointRows, loss_weights: np.ndarray, f: np.ndarray, H: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Return the correction of eq. 9, which solves ``J delta + G = 0`` for the weights of the base learners.

    ``start`` is the initial guess of the weights, ``f`` are the scores so far on the joint rows, the columns of ``H`` are the
    base learners' values there, and ``loss_weights`` are (1, lambda).  The Newton iterate is ``start + delta``; eq. 10 is
    published with a minus.  If J is singular, for example because a learner is constant on these rows, delta is the shortest
    least-squares solution.
    """
    q = len(start)
    at = _moved(f, H, start)
    G = np.zeros(q)
    J = np.zeros((q, q))
    for loss, weight in zip(joint.losses, loss_weights, strict=True):
        if loss is not None:
            gradient, curvature = loss.gradient(at), loss.hessian_product(at, H)
            for i in range(q):
                G[i] += weight * np.sum(H[:, i] * gradient)
                for j in range(q):
                    J[i, j] += weight * np.sum(H[:, i] * curvature[:, j])
    if not (np.all(np.isfinite(J)) and np.all(np.isfinite(G))):
        return np.zeros_like(G)
    if q == 1:
        return -G / J[0, 0] if J[0, 0] else np.zeros(1)
    return np.array(_shortest_solution(J[0, 0], 0.5 * (J[0, 1] + J[1, 0]), J[1, 1], -G[0], -G[1]))


def _moved(f: np.ndarray, H: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return ``f + H @ weights``, added column by column."""
    for column, weight in zip(H.T, weights, strict=True):
        f = f + column * weight
    return f


def _shortest_solution(a: float, b: float, c: float, u: float, v: float) -> tuple[float, float]:
    """Shortest least-squares solution of ``[[a, b], [b, c]] x = (u, v)``, by the eigenvectors of the matrix.

    >>> [round(x, 12) for x in _shortest_solution(2.0, 1.0, 3.0, 5.0, 10.0)]
    [1.0, 3.0]
    >>> _shortest_solution(1.0, 0.0, 0.0, 2.0, 5.0)
    (2.0, 0.0)
    """
    a, b, c, u, v = map(float, (a, b, c, u, v))
    mean, half = 0.5 * (a + c), 0.5 * (a - c)
    radius = math.sqrt(half * half + b * b)
    # (x, y) is an eigenvector of mean + radius, and (-y, x) one of mean - radius
    x, y = (half + radius, b) if half >= 0 else (b, radius - half)
    length = math.sqrt(x * x + y * y)
    x, y = (x / length, y / length) if length > 0 else (1.0, 0.0)
    values = [mean + radius, mean - radius]
    greater = 0 if abs(values[0]) >= abs(values[1]) else 1
    if values[greater] == 0:
        return 0.0, 0.0
    values[1 - greater] = (a * c - b * b) / values[greater]
    along = [(u * x + v * y) / values[0] if abs(values[0]) > _FLAT * abs(values[greater]) else 0.0]
    along.append((v * x - u * y) / values[1] if abs(values[1]) > _FLAT * abs(values[greater]) else 0.0)
    return along[0] * x - along[1] * y, along[0] * y + along[1] * x


def make_copier(learner: Any) -> Callable[[int], Any]:
    """Return a function that copies the unfitted learner with a given seed, cheaply because there are hundreds of fits."""
    params = learner.get_params(deep=True) if hasattr(learner, "get_params") else {}
    nested = any("__" in name for name in params)
    if not nested and "random_state" not in params:
        return lambda seed: copy.copy(learner)

    def make(seed: int) -> Any:
        if nested:
            made = clone(learner)
            seed_estimator(made, seed)
        else:
            made = copy.copy(learner)
            made.random_state = seed
        return made

    return make


def fit_learner(
    make: Callable[[int], Any], X: np.ndarray, target: Target, residuals: np.ndarray, subsample: float, seed: Any
) -> Any:
    """Fit a base learner to the residuals of random rows of the target, drawn without replacement (lines 9 and 10)."""
    rng = np.random.RandomState(int(seed) & 0xFFFFFFFF)
    n = len(target.rows)
    size = max(1, int(subsample * n))
    chosen = np.arange(n) if size == n else np.sort(rng.permutation(n)[:size])
    fitted = make(rng.randint(np.iinfo(np.int32).max))
    return fitted.fit(X[target.rows[chosen]], residuals[chosen], **_unchecked(fitted))


def _unchecked(learner: Any) -> dict[str, bool]:
    """Options that keep scikit-learn's trees from checking the rows again."""
    return {"check_input": False} if isinstance(learner, BaseDecisionTree) else {}


def learner_values(fitted: Any, X: np.ndarray) -> np.ndarray:
    """Predictions of a base learner for validated rows, float32 in C order."""
    return fitted.predict(X, **_unchecked(fitted))


def boost(
    X: np.ndarray,
    targets: Sequence[Target],
    joint: JointRows,
    learner: Any,
    *,
    n_rounds: int,
    learning_rate: float,
    subsample: float,
    weigh: Callable[[Guess], np.ndarray],
) -> Iterator[tuple[Round, Any]]:
    """Yield the rounds of table 1, lines 6 to 13, each with the scores of all rows of ``X`` after it.

    The learner is copied for each of the one or two targets and each round.  ``weigh`` maps the initial guess to the weights of
    the learners; it is not called if no rows have both targets.
    """
    f = np.zeros(len(X))
    loss_weights = np.array([target.weight for target in targets])
    make = make_copier(clone(learner))
    for t in range(n_rounds):
        learners = []
        H = np.empty((len(X), len(targets)), order="F")
        for column, target in enumerate(targets):
            residuals = -target.scale * target.loss.gradient(f[target.rows])
            fitted = fit_learner(make, X, target, residuals, subsample, target.seeds[t])
            H[:, column] = learner_values(fitted, X)
            learners.append(fitted)
        guess = Guess(loss_weights, f[joint.rows], H[joint.rows], joint)
        weights = learning_rate * (weigh(guess) if len(joint.rows) else loss_weights)
        f = _moved(f, H, weights)
        yield Round(tuple(learners), weights), f


def target_seeds(random_state: RandomState, n_rounds: int) -> np.ndarray:
    """Seeds of shape (2, n_rounds); those of a target do not depend on whether there is another."""
    both = draw_seeds(random_state, 2 * n_rounds).reshape(n_rounds, 2)
    return both.T
