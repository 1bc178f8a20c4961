"""Neural networks: fits of nnPU's network and the default one, compared with a plain PyTorch loop; scaling with n and d."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.record import Record
from pulib.neural import NeuralPUClassifier, torch_threads

#: The network and the settings of nnPU, and the defaults.
NETWORKS: dict[str, dict[str, Any]] = {
    "the MLP of nnPU": {
        "body_params": {"hidden_layers": 4, "width": 300, "batch_norm": True},
        "loss": "sigmoid",
        "weight_decay": 0.005,
        "input_scaling": None,
    },
    "the default network": {},
}


def generated_rows(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Return random rows and labels; a sixth of the rows are labeled."""
    return np.random.default_rng(0).normal(size=(n, d)).astype(np.float32), np.arange(n) < n // 6


def plain_fit(X: np.ndarray, labeled: np.ndarray, classifier: Any) -> None:
    """Fit the same network by a plain loop: torch.nn.Sequential, torch.optim.Adam, and the nnPU risk."""
    import torch

    torch.manual_seed(0)
    options = {"hidden_layers": 2, "width": 100, "batch_norm": False, **(classifier.body_params or {})}
    layers: list[Any] = []
    for i, o in pairwise([X.shape[1], *[options["width"]] * options["hidden_layers"]]):
        norms = [torch.nn.BatchNorm1d(o)] if options["batch_norm"] else []
        layers += [torch.nn.Linear(i, o, bias=not norms), *norms, torch.nn.ReLU()]
    net = torch.nn.Sequential(*layers, torch.nn.Linear(options["width"], 1))
    loss = torch.sigmoid if classifier.loss == "sigmoid" else torch.nn.functional.softplus  # of the negative margin
    optimizer = torch.optim.Adam(net.parameters(), weight_decay=classifier.weight_decay)
    if classifier.input_scaling is not None:
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    rows, mark = torch.from_numpy(X), torch.from_numpy(labeled)
    for _ in range(classifier.epochs):
        for part in torch.randperm(len(rows)).split(classifier.batch_size):
            g, p = net(rows[part]).squeeze(1), mark[part]
            n_p, n_u = p.sum().clamp(min=1), (~p).sum().clamp(min=1)
            r_p, r_pn = 0.4 * loss(-g[p]).sum() / n_p, 0.4 * loss(g[p]).sum() / n_p
            r_n = loss(g[~p]).sum() / n_u - r_pn
            optimizer.zero_grad()
            (-r_n if r_n < 0 else r_p + r_n).backward()
            optimizer.step()


def measure(record: Record, *, cases: Sequence[Sequence[int]], runs: int, rows: Sequence[int], features: Sequence[int]) -> None:
    """Compare networks with a plain loop, and measure one epoch over n and d.

    Parameters
    ----------
    record : Record
    cases : sequence of (n, d, batch size, epochs)
    runs : int
    rows, features : sequences of int
    """
    for n, d, batch_size, epochs in cases:
        for name, network in NETWORKS.items():
            _compare_with_plain_loop(record, n, d, name, {"batch_size": batch_size, "epochs": epochs, **network}, runs)
    few = rows[0]
    for name, options in {"linear": {"body": "linear"}, "MLP": {"body": "mlp", **NETWORKS["the MLP of nnPU"]}}.items():
        over_n, over_d = partial(epoch, d=100, **options), partial(epoch, few, **options)
        record.scale(f"an epoch, {name}", "n", rows, over_n, "n x 100, batches of 250", threads=1)
        record.scale(f"an epoch, {name}", "d", features, over_d, f"{few} x d, batches of 250", threads=1)


def _compare_with_plain_loop(record: Record, n: int, d: int, name: str, options: dict[str, Any], runs: int) -> None:
    X, labeled = generated_rows(n, d)
    shape = f"{n} x {d}, batches of {options['batch_size']}, {options['epochs']} epochs"
    classifier = NeuralPUClassifier(prior=0.4, random_state=0, n_threads=1, **options)
    for threads in sorted({1, record.threads}):
        classifier.set_params(n_threads=threads)
        with torch_threads(threads):
            record.compare(
                f"fit of {name}",
                shape,
                partial(classifier.fit, X, labeled),
                "a plain PyTorch loop",
                partial(plain_fit, X, labeled, classifier),
                runs=runs,
                threads=threads,
            )


def epoch(n: int, d: int, **options: Any) -> Callable[[], Any]:
    """Return a function that fits one epoch, in batches of 250, on one thread."""
    X, labeled = generated_rows(n, d)
    classifier = NeuralPUClassifier(prior=0.4, epochs=1, batch_size=250, n_threads=1, random_state=0, **options)
    return partial(classifier.fit, X, labeled)
