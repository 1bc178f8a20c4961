"""Training several repeats of one configuration together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from heapq import heappop, heappush
from threading import Lock
from typing import Any

from joblib import effective_n_jobs
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
    """Fit classifiers of one configuration, each on its own rows, together.

    On a GPU they are one batched network (but for convolutional ones).  On the CPU, where batched matrix products are slower
    than single ones, threads share them, epoch by epoch; each comes out as ``fit`` with ``n_threads=1`` makes it, to the bit,
    for any ``n_jobs``.

    Parameters
    ----------
    estimators : sequence of NeuralPUClassifier
        Equal but for ``random_state``, ``prior`` and ``callback``.
    X, y : sequences, one entry per classifier
        What each is fitted on.  Those with equal numbers of labeled and of unlabeled rows train together.
    eval_sets : sequence of (X, y), or None
    n_jobs : int or None
        Threads on the CPU; None is 1, -1 all cores.

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
    from pulib.neural._train import train, training_epochs

    eval_sets = [None] * len(estimators) if eval_sets is None else eval_sets
    if not len(estimators) == len(X) == len(y) == len(eval_sets):
        raise ValueError(f"{len(estimators)} estimators, but {len(X)} X, {len(y)} y and {len(eval_sets)} eval_sets")
    _check_alike(estimators)
    for estimator in estimators:
        estimator._validate_params()
    members = [e._prepare(*own) for e, *own in zip(estimators, X, y, eval_sets, strict=True)]
    settings = estimators[0]._settings()
    if not isinstance(estimators[0].body, str):  # may draw from PyTorch's one global generator
        with torch_threads(1):
            for member in members:
                train(member, settings)
    elif settings.device.type == "cuda":
        groups: dict[tuple[int, int], list[Any]] = {}
        for member in members:
            groups.setdefault((len(member.sampler.positive), len(member.sampler.unlabeled)), []).append(member)
        _run([training_epochs(group, settings) for group in groups.values()], 1, None)
    else:
        _run([training_epochs([member], settings) for member in members], effective_n_jobs(n_jobs), 1)
    for estimator, member in zip(estimators, members, strict=True):
        estimator._finish(member)
    return list(estimators)


def _run(trainings: Sequence[Iterator[int]], n_jobs: int, n_threads: int | None) -> None:
    """Advance all trainings to their ends, epoch by epoch: a free thread takes the one that is least far."""
    waiting = [(0, number) for number in range(len(trainings))]
    lock = Lock()

    def work() -> None:
        with torch_threads(n_threads):
            while True:
                with lock:
                    if not waiting:
                        return
                    _, number = heappop(waiting)
                epoch = next(trainings[number], None)
                if epoch is not None:
                    with lock:
                        heappush(waiting, (epoch, number))

    workers = min(n_jobs, len(trainings))
    if workers == 1:
        work()
        return
    with ThreadPoolExecutor(workers) as pool:
        for future in [pool.submit(work) for _ in range(workers)]:
            future.result()


def _check_alike(estimators: Sequence[NeuralPUClassifier]) -> None:
    first = clone(estimators[0]).get_params(deep=False)
    for estimator in estimators[1:]:
        for name, value in estimator.get_params(deep=False).items():
            same = value is estimators[0].get_params(deep=False)[name] or value == first[name]
            if name not in FREE and not same:
                raise ValueError(f"fit_together needs one configuration; {name} is {first[name]!r} and {value!r}")
