"""Sentences of the PU Extra Trees paper that need more than one comparison, or forests whose trees are looked at.

No kept trial stores its trees.  Sentences about them are tested on forests that are grown here, on the two data sets that
scikit-learn brings, so that they need nothing but the program.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits

from pulab.claims.evidence import Evidence, Missing
from pulab.claims.own import Case, attempted, case, share_of
from pulib.trees import PUExtraTreesClassifier

SETS = [
    "epsilon",
    ["20newsgroups", "20newsgroups_svd"],
    "covtype",
    "mushrooms",
    "mnist",
    "cifar10",
    ["unsw_nb15", "unsw_nb15_82k"],
]
SEEDS = range(5)


def ahead_of_each_network(evidence: Evidence) -> Iterator[Case]:
    """Against each network by itself: the greater mean accuracy and F-score in more than half of the cases."""
    for rival in ("upu_mlp", "nnpu_mlp", "self_pu"):
        yield attempted(rival, partial(_ahead, evidence, rival))


def _ahead(evidence: Evidence, rival: str) -> Case:
    held, names = [], []
    for dataset in SETS:
        for metric in ("accuracy", "f_score"):
            select = {"dataset": dataset, "setting": "standard", "metric": metric}
            try:
                ours, theirs = (evidence.values({**select, "method": m}).mean() for m in ("puet_nnpu_quadratic", rival))
            except Missing:
                continue
            held.append(bool(ours > theirs))
            names.append(evidence.dataset(dataset))
    return share_of(rival, held, datasets=names)


def little_tuning(evidence: Evidence) -> Iterator[Case]:
    """On MNIST each choice of F and T is at most three points below the best one."""
    places = [(f"features_{f}", f"accuracy_{t}") for f in ("all", "sqrt", "one") for t in (1, 10)]
    select = {"dataset": "mnist", "method": "puet_nnpu_quadratic"}
    try:
        values_of = {place: evidence.values({**select, "setting": place[0], "metric": place[1]}) for place in places}
    except Missing as why:
        yield {"case": "mnist", "status": why.status, "reason": str(why)}
        return
    best = 100.0 * max(values.mean() for values in values_of.values())
    for (setting, metric), values in values_of.items():
        mean = 100.0 * values.mean()
        yield case(f"mnist, {setting}, {metric}", mean >= best - 3.0, mean, best, n=len(values), datasets=["mnist"])


def _tables() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Name, features and true labels (1 or 0)."""
    for name, loader in (("breast_cancer", load_breast_cancer), ("digits", load_digits)):
        X, y = loader(return_X_y=True)
        yield name, X, (y if name == "breast_cancer" else y % 2 == 0).astype(int)


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


def same_trees(evidence: Evidence) -> Iterator[Case]:
    """The quadratic and the savage loss split at the same places, by each estimator of the risk."""
    for name, X, y in _tables():
        for risk in ("pn", "nnpu", "upu"):
            same = []
            for seed in SEEDS:
                forests = [_forest(X, y, seed, risk, loss) for loss in ("quadratic", "savage")]
                same += [
                    np.array_equal(a.tree_.feature, b.tree_.feature) and np.array_equal(a.tree_.threshold, b.tree_.threshold)
                    for a, b in zip(*(forest.estimators_ for forest in forests), strict=True)
                ]
            yield case(f"{name}, {risk}, share of equal trees", all(same), 100.0 * float(np.mean(same)), 100.0, n=len(SEEDS))


def deeper_trees(evidence: Evidence) -> Iterator[Case]:
    """With the unbiased estimator the quadratic loss grows deeper trees than the logistic one, in each of five draws."""
    for name, X, y in _tables():
        depths = np.array(
            [
                [np.mean([tree.get_depth() for tree in _forest(X, y, seed, "upu", loss)]) for loss in ("quadratic", "logistic")]
                for seed in SEEDS
            ]
        )
        deeper = bool((depths[:, 0] > depths[:, 1]).all())
        yield case(f"{name}, mean depth", deeper, *depths.mean(axis=0), n=len(SEEDS))


def no_scaling(evidence: Evidence) -> Iterator[Case]:
    """Scaled to [0, 1], features give a training accuracy within a point of that of features as they stand."""
    for name, X, y in _tables():
        span = np.ptp(X, axis=0)
        scaled = (X - X.min(axis=0)) / np.where(span > 0, span, 1.0)
        accuracies = np.array([[_accuracy(table, y, seed) for table in (scaled, X)] for seed in SEEDS]).mean(axis=0)
        yield case(f"{name}, scaled and as they stand", abs(accuracies[0] - accuracies[1]) <= 1.0, *accuracies, n=len(SEEDS))


def _accuracy(X: np.ndarray, y: np.ndarray, seed: int) -> float:
    return 100.0 * float(np.mean(_forest(X, y, seed, "nnpu", "quadratic").predict(X) == y))
