"""Networks: five repeats together beside one after the other, the share of time in matrix products, growth with n and d."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from pulib._benchmarks._record import Record, in_turn
from pulib.neural import NeuralPUClassifier, fit_together
from pulib.neural._torch import require_torch

REPEATS = 5


def generated_rows(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Random rows, a sixth of them labeled."""
    return np.random.default_rng(0).normal(size=(n, d)).astype(np.float32), np.arange(n) < n // 6


def plain_fit(X: np.ndarray, labeled: np.ndarray, batch_size: int, epochs: int, seed: int) -> None:
    """The loop that one would write: torch.nn.Sequential, torch.optim.Adam, and the sigmoid nnPU risk."""
    import torch

    torch.manual_seed(seed)
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


def product_share(X: np.ndarray, labeled: np.ndarray, **options: Any) -> float:
    """Self time of matrix products over the time of a fit, by PyTorch's profiler."""
    import torch

    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        NeuralPUClassifier(prior=0.4, n_threads=1, random_state=0, **options).fit(X, labeled)
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
    """Repeats of the MLP together and apart, and one epoch over n and d.

    Parameters
    ----------
    record : Record
    load : callable
        Not used: rows are random.
    cases : sequence of (n, d, batch size, epochs)
    runs : int
    rows, features : sequences of int
    """
    torch = require_torch("the benchmark of networks")
    torch.set_num_threads(record.threads)
    for n, d, batch_size, epochs in cases:
        _repeats(record, n, d, {"batch_size": batch_size, "epochs": epochs}, runs)
    for body in ("linear", "mlp"):
        options: dict[str, Any] = {"body": body, "batch_size": 250}
        record.scale(f"an epoch, {body}", "n", rows, partial(_epoch, d=100, **options), "n x 100, batches of 250", threads=1)
        few = rows[0]
        over_d = partial(_epoch, few, **options)
        record.scale(f"an epoch, {body}", "d", features, over_d, f"{few} x d, batches of 250", threads=1)


def _repeats(record: Record, n: int, d: int, options: dict[str, Any], runs: int) -> None:
    X, labeled = generated_rows(n, d)
    threads = record.threads

    def fresh(n_threads: int) -> list[NeuralPUClassifier]:
        return [NeuralPUClassifier(prior=0.4, random_state=seed, n_threads=n_threads, **options) for seed in range(REPEATS)]

    def together() -> None:
        fit_together(fresh(1), [X] * REPEATS, [labeled] * REPEATS, n_jobs=threads)

    def apart(n_threads: int) -> None:
        for classifier in fresh(n_threads):
            classifier.fit(X, labeled)

    def plain() -> None:
        for seed in range(REPEATS):
            plain_fit(X, labeled, options["batch_size"], options["epochs"], seed)

    works: dict[str, Callable[[], Any]] = {
        "one after the other, same result": partial(apart, 1),
        f"one after the other, {threads} threads each": partial(apart, threads),
        f"a plain PyTorch loop, {threads} threads": plain,
    }
    for work in (together, *works.values()):
        work()
    own, *others = in_turn([together, *works.values()], runs)
    note = f"{product_share(X, labeled, **options):.0%} of the time in matrix products"
    shape = f"{n} x {d}, batches of {options['batch_size']}, {options['epochs']} epochs"
    for name, times in zip(works, others, strict=True):
        record.add(f"{REPEATS} repeats of the MLP together", shape, own, name, times, note=note)


def _epoch(n: int, d: int, **options: Any) -> Callable[[], Any]:
    X, labeled = generated_rows(n, d)
    return partial(NeuralPUClassifier(prior=0.4, epochs=1, n_threads=1, random_state=0, **options).fit, X, labeled)
