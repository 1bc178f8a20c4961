"""Sentences about trees, tested on forests that are grown here, and two more about the experiments.

No kept trial stores its trees.  Forests are grown on the two data sets that scikit-learn brings, so that they need nothing
but the program.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pulab.claims.cases import Case, against, case, compare, missing
from pulab.claims.evidence import Evidence, Missing, shipped_sets
from pulab.claims.puet.experiments import ACCURACY, CHOICES, CHOSEN_FEATURES, FOREST, SETS
from pulab.claims.registry import claim
from pulib.trees import PUExtraTreesClassifier

SEEDS = range(5)


@claim(
    section="abstract",
    quote="various loss functions lead to the same decision trees",
    unit="%",
    holds_in_part="""They do with full labels and with the non-negative estimator, tree for tree. With the unbiased estimator
        they do not: where the estimated weight of the negatives is below zero, the quadratic loss falls without bound, whereas
        the savage loss is bounded.""",
)
def same_trees(evidence: Evidence) -> Iterator[Case]:
    """We grow forests on scikit-learn's two data sets (five draws): with the quadratic and the savage loss, each tree splits at
    the same places, for each of the three risk estimators."""
    for name, X, y in shipped_sets():
        for risk in ("pn", "nnpu", "upu"):
            same = []
            for seed in SEEDS:
                forests = [_forest(X, y, seed, risk, loss) for loss in ("quadratic", "savage")]
                same += [
                    np.array_equal(a.tree_.feature, b.tree_.feature) and np.array_equal(a.tree_.threshold, b.tree_.threshold)
                    for a, b in zip(*(forest.estimators_ for forest in forests), strict=True)
                ]
            words = evidence.words(name, risk, "share of equal trees")
            yield case(words, all(same), 100.0 * float(np.mean(same)), 100.0, n=len(SEEDS))


@claim(section="appendix K", quote="confirming that uPU suffers more from overfitting than nnPU", unit="%")
def nnpu_before_upu(evidence: Evidence) -> Iterator[Case]:
    """With either loss, forests have a higher accuracy with the non-negative estimator (paired t-tests, one-sided, 5%)."""
    pairs = [
        *against(ACCURACY.on(SETS), FOREST, "puet_upu_quadratic"),
        *against(ACCURACY.on(SETS), "puet_nnpu_logistic", "puet_upu_logistic"),
    ]
    yield from compare(evidence, pairs, "greater", test="t")


@claim(section="5.1", quote="more aggressive splitting behavior of quadratic loss leads to deeper trees")
def deeper_trees(evidence: Evidence) -> Iterator[Case]:
    """We grow forests on scikit-learn's two data sets with the unbiased estimator: the mean depth is larger with the quadratic
    than with the logistic loss, in each of five draws. The stored trials do not contain their trees."""
    for name, X, y in shipped_sets():
        depths = np.array(
            [
                [np.mean([tree.get_depth() for tree in _forest(X, y, seed, "upu", loss)]) for loss in ("quadratic", "logistic")]
                for seed in SEEDS
            ]
        )
        deeper = bool((depths[:, 0] > depths[:, 1]).all())
        yield case(evidence.words(name, "mean depth"), deeper, *depths.mean(axis=0), n=len(SEEDS))


@claim(
    section="5",
    quote="No such scaling of the data is required for PU ET",
    unit="%",
    holds="Thresholds are drawn uniformly over a feature's range, so scaling moves them with the feature.",
)
def no_scaling(evidence: Evidence) -> Iterator[Case]:
    """We grow forests on scikit-learn's two data sets (five draws): scaling the features to [0, 1] changes the accuracy by at
    most one point. The stored trials have one scaling each."""
    for name, X, y in shipped_sets():
        span = np.ptp(X, axis=0)
        scaled = (X - X.min(axis=0)) / np.where(span > 0, span, 1.0)
        accuracies = np.array([[_accuracy(table, y, seed) for table in (scaled, X)] for seed in SEEDS]).mean(axis=0)
        near = abs(accuracies[0] - accuracies[1]) <= 1.0
        yield case(evidence.words(name, "scaled and unscaled"), near, *accuracies, n=len(SEEDS))


@claim(
    section="abstract",
    quote="requires little hyperparameter tuning as compared to neural network based PU learning",
    unit="%",
    holds_in_part="""One random feature per node (F = 1) costs up to 13 points, and all features 1 to 3; with ⌈√d⌉, the number
        of thresholds makes no difference.""",
)
def little_tuning(evidence: Evidence) -> Iterator[Case]:
    """On MNIST, the accuracy with each of the six choices of F and T is at most three points below the best one."""
    choices = [CHOICES(setting=f, metric=t) for f in CHOSEN_FEATURES for t in ("accuracy_1", "accuracy_10")]
    try:
        values = [evidence.values(choice) for choice in choices]
    except Missing as why:
        yield missing(evidence.words("mnist"), why)
        return
    best = max(float(own.mean()) for own in values)
    for choice, own in zip(choices, values, strict=True):
        mean = float(own.mean())
        name = evidence.words("mnist", choice.setting, choice.metric)
        yield case(name, mean >= best - 3.0, mean, best, n=len(own), datasets=["mnist"])


def _labels(y: np.ndarray, seed: int) -> np.ndarray:
    """A hundred of the positives labeled; all other rows unlabeled."""
    labeled = np.zeros_like(y)
    labeled[np.random.default_rng(seed).choice(np.flatnonzero(y), 100, replace=False)] = 1
    return labeled


def _forest(X: np.ndarray, y: np.ndarray, seed: int, risk: str, loss: str) -> PUExtraTreesClassifier:
    """Grown as in the paper: the labeled positives are unlabeled rows, too."""
    if risk == "pn":
        return PUExtraTreesClassifier(20, risk="pn", loss=loss, random_state=seed).fit(X, y)
    labels = _labels(y, seed)
    both = np.concatenate([X[labels == 1], X]), np.concatenate([np.ones(100, int), np.zeros(len(X), int)])
    return PUExtraTreesClassifier(20, prior=float(y.mean()), risk=risk, loss=loss, random_state=seed).fit(*both)


def _accuracy(X: np.ndarray, y: np.ndarray, seed: int) -> float:
    return 100.0 * float(np.mean(_forest(X, y, seed, "nnpu", "quadratic").predict(X) == y))
