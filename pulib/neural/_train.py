"""The training loop of one network.

Bounded by arithmetic: nearly all of the time goes into matrix products (``benchmarks/neural.py`` measures the share).  The data
stay on the device; row numbers are drawn for a whole epoch at once, and each batch is gathered by them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from pulib.neural._batches import BatchSampler, Epoch, batch_weights
from pulib.neural._device_rows import DeviceRows
from pulib.neural._held_out import HeldOut
from pulib.neural._networks import Network
from pulib.neural._objectives import Objective
from pulib.neural._torch import flush_subnormals


@dataclass(frozen=True)
class Settings:
    """Settings of the loop, as for :class:`pulib.neural.NeuralPUClassifier`."""

    epochs: int
    learning_rate: float
    weight_decay: float
    optimizer: str
    device: Any
    betas: tuple[float, float] = (0.9, 0.999)


@dataclass
class Training:
    """One network, its data and its callbacks.

    Both callbacks receive the number of completed epochs; the module is then in evaluation mode.
    """

    module: torch.nn.Module  # holds the trained weights afterward
    rows: DeviceRows
    sampler: BatchSampler
    objective: Objective
    seed: int  # for the network's own randomness in training (such as dropout)
    weights: np.ndarray | None = None  # row weights
    population: np.ndarray | None = None  # row weights as part of U, in which known negatives count more
    evaluation: tuple[DeviceRows, np.ndarray] | None = None  # a test set, scored after each epoch
    held_out: HeldOut | None = None  # for early stopping
    before_epoch: Callable[[int], None] | None = None  # may change the sampler's rows
    after_epoch: Callable[[int], None] | None = None
    history: dict[str, list[float]] = field(default_factory=dict)


def make_optimizer(
    name: str, parameters: Any, learning_rate: float, weight_decay: float, betas: tuple[float, float] = (0.9, 0.999)
) -> torch.optim.Optimizer:
    """Create Adam or AdaGrad with coupled weight decay (added to the gradient) on every parameter."""
    parameters = list(parameters)
    if name == "adagrad":
        return torch.optim.Adagrad(parameters, lr=learning_rate, weight_decay=weight_decay)
    options: dict[str, Any] = {"lr": learning_rate, "weight_decay": weight_decay, "betas": betas}
    try:
        return torch.optim.Adam(parameters, **options, fused=True)
    except RuntimeError:  # no fused implementation
        return torch.optim.Adam(parameters, **options)


def train(training: Training, settings: Settings) -> None:
    """Train a network; its own randomness (such as dropout) depends only on ``training.seed``."""
    if type(training.module) is Network:  # has no randomness
        _train(training, settings)
        return
    with torch.random.fork_rng():
        torch.manual_seed(training.seed)
        _train(training, settings)


def _train(training: Training, settings: Settings) -> None:
    network = training.module.to(settings.device).train()
    steps = settings.learning_rate, settings.weight_decay, settings.betas
    optimizer = make_optimizer(settings.optimizer, network.parameters(), *steps)
    for epoch in range(settings.epochs):
        if training.before_epoch is not None:
            network.eval()
            training.before_epoch(epoch)
            network.train()
        with flush_subnormals():
            means = _one_epoch(training, optimizer, settings.device)
        _record(training.history, **dict(zip(training.objective.reports, means, strict=True)))
        _score_test_set(training)
        if training.after_epoch is not None:
            network.eval()
            training.after_epoch(epoch + 1)
            network.train()
        if training.held_out is not None:
            _record(training.history, held_out_risk=training.held_out.add(network))
            if training.held_out.exhausted:
                break
    if training.held_out is not None:
        training.held_out.restore(network)


def _one_epoch(training: Training, optimizer: torch.optim.Optimizer, device: Any) -> list[float]:
    """Train for one epoch, and return the means over batches of the reported values."""
    epoch, objective = training.sampler.epoch(), training.objective
    rows = torch.from_numpy(epoch.rows).to(device)
    sums = [torch.zeros((), device=device) for _ in objective.reports]
    shares = _shares(training, epoch)
    of_labeled, of_population = objective.factors
    for start, stop in epoch.bounds:
        weights = np.array(batch_weights(epoch.is_positive[start:stop], of_labeled)) * shares[start:stop]
        if of_population != 1.0:
            weights[1] *= of_population
        loss, reports = objective(training.module, training.rows.take(rows[start:stop]), epoch.is_positive[start:stop], weights)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        for total, reported in zip(sums, reports, strict=True):
            total += reported
    return [float(total / len(epoch.bounds)) for total in sums]


def _shares(training: Training, epoch: Epoch) -> np.ndarray:
    """Weights of the rows of an epoch, scaled so that each kind averages 1 over the data set (not within a batch)."""
    if training.weights is None and training.population is None:
        return np.ones(len(epoch.rows), np.float32)
    every = np.ones(len(training.rows)) if training.weights is None else training.weights
    weights = every, every if training.population is None else training.population
    of_labeled, of_unlabeled = (
        part[epoch.rows] / part[rows].mean()
        for part, rows in zip(weights, (training.sampler.positive, training.sampler.unlabeled), strict=True)
    )
    return np.where(epoch.is_positive, of_labeled, of_unlabeled).astype(np.float32)


def _record(history: dict[str, list[float]], **values: float) -> None:
    for name, value in values.items():
        history.setdefault(name, []).append(float(value))


def _score_test_set(training: Training) -> None:
    if training.evaluation is None:
        return
    rows, truth = training.evaluation
    training.module.eval()
    scores = rows.scores(training.module)
    training.module.train()
    _record(training.history, eval_accuracy=np.mean((scores > 0) == truth))
