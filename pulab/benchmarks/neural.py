"""Networks: a fit beside a plain PyTorch loop, the share of time in matrix products, growth with n and d."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from pulab.benchmarks.record import Record
from pulib.neural import NeuralPUClassifier, SelfPUClassifier
from pulib.neural._torch import require_torch, torch_threads


def generated_rows(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Random rows, a sixth of them labeled."""
    return np.random.default_rng(0).normal(size=(n, d)).astype(np.float32), np.arange(n) < n // 6


def plain_fit(X: np.ndarray, labeled: np.ndarray, batch_size: int, epochs: int) -> None:
    """The loop that one would write: torch.nn.Sequential, torch.optim.Adam, and the sigmoid nnPU risk."""
    import torch

    torch.manual_seed(0)
    layers: list[Any] = []
    for i, o in pairwise([X.shape[1], 300, 300, 300, 300]):
        layers += [torch.nn.Linear(i, o, bias=False), torch.nn.BatchNorm1d(o), torch.nn.ReLU()]
    net = torch.nn.Sequential(*layers, torch.nn.Linear(300, 1))
    optimizer = torch.optim.Adam(net.parameters(), weight_decay=0.005)
    rows, mark = torch.from_numpy(X), torch.from_numpy(labeled)
    for _ in range(epochs):
        for part in torch.randperm(len(rows)).split(batch_size):
            g, p = net(rows[part]).squeeze(1), mark[part]
            n_p, n_u = p.sum().clamp(min=1), (~p).sum().clamp(min=1)
            r_p, r_pn = 0.4 * torch.sigmoid(-g[p]).sum() / n_p, 0.4 * torch.sigmoid(g[p]).sum() / n_p
            r_n = torch.sigmoid(g[~p]).sum() / n_u - r_pn
            optimizer.zero_grad()
            (-r_n if r_n < 0 else r_p + r_n).backward()
            optimizer.step()


def product_share(classifier: Any, X: np.ndarray, labeled: np.ndarray) -> float:
    """Self time of matrix products over the time of a fit, by PyTorch's profiler."""
    import torch

    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        classifier.fit(X, labeled)
    times = {event.key: event.self_cpu_time_total for event in profile.key_averages()}
    products = ("linear_pointwise", "aten::mm", "aten::bmm", "aten::addmm")
    return sum(t for key, t in times.items() if key.endswith(products)) / sum(times.values())


def measure(
    record: Record,
    load: Callable[[str], Any],
    *,
    cases: Sequence[Sequence[int]],
    runs: int,
    rows: Sequence[int],
    features: Sequence[int],
) -> None:
    """The MLP beside a plain loop, and one epoch over n and d.

    Parameters
    ----------
    record : Record
    load : callable
        Not used: rows are random.
    cases : sequence of (n, d, batch size, epochs)
    runs : int
    rows, features : sequences of int
    """
    require_torch("the benchmark of networks")
    for n, d, batch_size, epochs in cases:
        _beside_a_plain_loop(record, n, d, {"batch_size": batch_size, "epochs": epochs}, runs)
    n, d, batch_size, epochs = cases[-1]
    _self_pu(record, n, d, {"batch_size": batch_size, "epochs": epochs}, runs)
    for body, name in (("linear", "linear"), ("mlp", "MLP")):
        options: dict[str, Any] = {"body": body, "batch_size": 250}
        record.scale(f"an epoch, {name}", "n", rows, partial(epoch, d=100, **options), "n x 100, batches of 250", threads=1)
        few = rows[0]
        over_d = partial(epoch, few, **options)
        record.scale(f"an epoch, {name}", "d", features, over_d, f"{few} x d, batches of 250", threads=1)


def _beside_a_plain_loop(record: Record, n: int, d: int, options: dict[str, Any], runs: int) -> None:
    X, labeled = generated_rows(n, d)
    shape = f"{n} x {d}, batches of {options['batch_size']}, {options['epochs']} epochs"
    classifier = NeuralPUClassifier(prior=0.4, random_state=0, n_threads=1, **options)
    note = f"{product_share(classifier, X, labeled):.0%} of the time in matrix products"
    for threads in sorted({1, record.threads}):
        classifier.set_params(n_threads=threads)
        with torch_threads(threads):
            record.compare(
                "fit of the MLP",
                shape,
                partial(classifier.fit, X, labeled),
                "a plain PyTorch loop",
                partial(plain_fit, X, labeled, **options),
                runs=runs,
                threads=threads,
                note=note,
            )


def _self_pu(record: Record, n: int, d: int, options: dict[str, Any], runs: int) -> None:
    """Self-PU beside nnPU: two students, each with its teacher's and the other student's scores of every batch.

    A batch is scored and its gradient taken, which is three products a layer, and scored twice more: for two students at least
    10/3 of nnPU's products.
    """
    X, labeled = generated_rows(n, d)
    common = {"body": "mlp", "prior": 0.4, "random_state": 0, "n_threads": 1, **options}
    ours, theirs = SelfPUClassifier(teacher_start=0, **common), NeuralPUClassifier(**common)
    with torch_threads(1):
        record.compare(
            "fit of Self-PU, with teachers from the first epoch on",
            f"{n} x {d}, batches of {options['batch_size']}, {options['epochs']} epochs",
            partial(ours.fit, X, labeled),
            "nnPU, as many epochs",
            partial(theirs.fit, X, labeled),
            runs=runs,
            threads=1,
            note=f"{product_share(ours, X, labeled):.0%} of the time in matrix products; these are at least 3.3 times nnPU's",
        )


def epoch(n: int, d: int, **options: Any) -> Callable[[], Any]:
    """One epoch on one thread."""
    X, labeled = generated_rows(n, d)
    return partial(NeuralPUClassifier(prior=0.4, epochs=1, n_threads=1, random_state=0, **options).fit, X, labeled)
