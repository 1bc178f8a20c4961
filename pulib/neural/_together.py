"""Training several repeats of one configuration together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import clone

from pulib.neural._classifier import NeuralPUClassifier
from pulib.neural._torch import require_torch, torch_threads

#: What may differ between classifiers that are trained together.
FREE = frozenset({"random_state", "prior", "callback", "n_threads"})


def fit_together(
    estimators: Sequence[NeuralPUClassifier],
    X: Any,
    y: Any,
    eval_sets: Sequence[Any] | None = None,
    *,
    n_jobs: int | None = None,
) -> list[NeuralPUClassifier]:
    """Fit classifiers of one configuration, each on its own rows, as batched networks.

    On the CPU each comes out as ``fit`` with ``n_threads=1`` makes it, to the bit, for any ``n_jobs``.  On a GPU all of them
    are one batched network.

    Parameters
    ----------
    estimators : sequence of NeuralPUClassifier
        Equal but for ``random_state``, ``prior`` and ``callback``.
    X, y : sequences, one entry per classifier
        What each is fitted on.  Those with equal numbers of labeled and of unlabeled rows train together.
    eval_sets : sequence of (X, y), or None
    n_jobs : int or None
        Threads, each with a share of the classifiers; None is 1, -1 all cores.

    Returns
    -------
    list of the same estimators, fitted

    Raises
    ------
    ValueError
        If two of them differ in anything else, or the sequences differ in length.

    Examples
    --------
    >>> import pytest; _ = pytest.importorskip("torch")
    >>> import numpy as np
    >>> from pulib.neural import NeuralPUClassifier, fit_together
    >>> X = np.random.default_rng(0).normal(size=(100, 3))
    >>> y = np.arange(100) < 20
    >>> repeats = [NeuralPUClassifier("linear", prior=0.4, epochs=2, random_state=seed) for seed in range(5)]
    >>> [round(clf.history_["risk"].size) for clf in fit_together(repeats, [X] * 5, [y] * 5)]
    [2, 2, 2, 2, 2]
    """
    require_torch("fit_together")
    from pulib.neural._train import Member, train_members

    eval_sets = [None] * len(estimators) if eval_sets is None else eval_sets
    if not len(estimators) == len(X) == len(y) == len(eval_sets):
        raise ValueError(f"{len(estimators)} estimators, but {len(X)} X, {len(y)} y and {len(eval_sets)} eval_sets")
    _check_alike(estimators)
    for estimator in estimators:
        estimator._validate_params()
    members = [e._prepare(*own) for e, *own in zip(estimators, X, y, eval_sets, strict=True)]
    groups: dict[tuple[int, int], list[Member]] = {}
    for member in members:
        groups.setdefault((len(member.sampler.positive), len(member.sampler.unlabeled)), []).append(member)
    settings = estimators[0]._settings()
    own_modules = not isinstance(estimators[0].body, str)  # may draw from PyTorch's one global generator
    workers = 1 if settings.device.type == "cuda" or own_modules else effective_n_jobs(n_jobs)

    def train(part: list[Member]) -> None:
        with torch_threads(None if settings.device.type == "cuda" else 1):
            train_members(part, settings)

    parts = [part for group in groups.values() for part in ([[m] for m in group] if own_modules else _shares(group, workers))]
    Parallel(n_jobs=min(workers, len(parts)), backend="threading")(delayed(train)(part) for part in parts)
    for estimator, member in zip(estimators, members, strict=True):
        estimator._finish(member)
    return list(estimators)


def _check_alike(estimators: Sequence[NeuralPUClassifier]) -> None:
    first = clone(estimators[0]).get_params(deep=False)
    for estimator in estimators[1:]:
        for name, value in estimator.get_params(deep=False).items():
            same = value is estimators[0].get_params(deep=False)[name] or value == first[name]
            if name not in FREE and not same:
                raise ValueError(f"fit_together needs one configuration; {name} is {first[name]!r} and {value!r}")


def _shares(members: list[Any], workers: int) -> list[list[Any]]:
    return [members[k::workers] for k in range(min(workers, len(members)))]
