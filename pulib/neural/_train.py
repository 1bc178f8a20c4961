"""The training loop, for one network or several of one configuration together.

Bounded by arithmetic: nearly all of the time goes into matrix products (``pulib/_benchmarks/neural.py`` measures the
share).  The data stay on the device; a batch is gathered by row numbers that were drawn for the whole epoch at once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from pulib.neural._batches import BatchSampler, batch_weights
from pulib.neural._losses import pu_objective, pu_risks
from pulib.neural._networks import Network
from pulib.neural._rows import Rows
from pulib.neural._stacked import LoopedNetwork, StackedNetwork, can_stack
from pulib.neural._torch import flush_subnormals

#: Scores of a member are padded to a multiple of this: a processor's vectors round differently from what is left over at the
#: end of an array, so that a member's numbers would depend on which others are there.
LANES = 64


@dataclass(frozen=True)
class Settings:
    """What all members share."""

    risk: str
    loss: str
    beta: float
    gamma: float
    epochs: int
    learning_rate: float
    weight_decay: float
    optimizer: str
    device: Any


@dataclass
class Member:
    """One network and what it is trained on.

    Attributes
    ----------
    module : torch module
        The network; holds the trained weights afterwards.
    rows : Rows
    sampler : BatchSampler
    prior : float
    seed : int
        Of what the network itself draws while it trains (dropout, say).
    evaluation : (Rows, bool array) or None
        A test set, scored after each epoch.
    after_epoch : callable or None
        Called with the number of epochs done; the module is up to date then, and in evaluation mode.
    history : dict of lists
    """

    module: torch.nn.Module
    rows: Rows
    sampler: BatchSampler
    prior: float
    seed: int
    evaluation: tuple[Rows, np.ndarray] | None = None
    after_epoch: Callable[[int], None] | None = None
    history: dict[str, list[float]] = field(default_factory=dict)


def make_optimizer(name: str, parameters: Any, learning_rate: float, weight_decay: float) -> torch.optim.Optimizer:
    """Adam or AdaGrad, the weight decay added to the gradient (coupled), on every parameter."""
    parameters = list(parameters)
    if name == "adagrad":
        return torch.optim.Adagrad(parameters, lr=learning_rate, weight_decay=weight_decay)
    try:
        return torch.optim.Adam(parameters, lr=learning_rate, weight_decay=weight_decay, fused=True)
    except RuntimeError:  # a PyTorch or a device without the fused form
        return torch.optim.Adam(parameters, lr=learning_rate, weight_decay=weight_decay)


def training_epochs(members: Sequence[Member], settings: Settings) -> Iterator[int]:
    """Train networks of one configuration, each as it would be trained alone; pauses after every epoch.

    Parameters
    ----------
    members : sequence of Member
        Of equal numbers of labeled and of unlabeled rows.
    settings : Settings

    Yields
    ------
    epoch : int
        The number of epochs done.
    """
    modules: list[Any] = [member.module.to(settings.device).train() for member in members]
    stack = settings.device.type == "cuda" and all(can_stack(module) for module in modules)
    net: Any = (StackedNetwork(modules) if stack else LoopedNetwork(modules)).to(settings.device).train()
    optimizer = make_optimizer(settings.optimizer, net.parameters(), settings.learning_rate, settings.weight_decay)
    for epoch in range(settings.epochs):
        with flush_subnormals():
            risks, shares = _one_epoch(net, optimizer, members, settings)
        last = epoch == settings.epochs - 1
        for r, member in enumerate(members):
            _record(member.history, risk=risks[r], corrected_share=shares[r])
            if last or member.evaluation is not None or member.after_epoch is not None:
                net.export(r, member.module)
                _look(member, epoch)
        yield epoch + 1


def train(member: Member, settings: Settings) -> None:
    """Train one network; what it draws itself (dropout, say) comes from its own seed."""
    if type(member.module) is Network:  # draws nothing
        deque(training_epochs([member], settings), maxlen=0)
        return
    with torch.random.fork_rng():
        torch.manual_seed(member.seed)
        deque(training_epochs([member], settings), maxlen=0)


def _one_epoch(net: Any, optimizer: Any, members: Sequence[Member], settings: Settings) -> tuple[np.ndarray, np.ndarray]:
    """One pass; mean risk of its batches and share of corrected steps, for each member."""
    device = settings.device
    epochs = [member.sampler.epoch() for member in members]
    rows = [torch.from_numpy(epoch.rows).to(device) for epoch in epochs]
    risks = torch.zeros(len(members), device=device)
    corrections = torch.zeros(len(members), device=device)
    for start, stop in epochs[0].bounds:
        padded = np.zeros((2, len(members), -(-(stop - start) // LANES) * LANES), dtype=np.float32)
        for r, (own, member) in enumerate(zip(epochs, members, strict=True)):
            padded[:, r, : stop - start] = batch_weights(own.is_positive[start:stop], member.prior)
        positive_weight, unlabeled_weight = torch.from_numpy(padded).to(device)
        inputs = [member.rows.take(own[start:stop]) for member, own in zip(members, rows, strict=True)]
        scores = F.pad(net(inputs), (0, padded.shape[2] - (stop - start)))
        positive, negative = pu_risks(scores, positive_weight, unlabeled_weight, settings.loss)
        objective, reported, corrected = pu_objective(positive, negative, settings.risk, settings.beta, settings.gamma)
        optimizer.zero_grad(set_to_none=True)
        objective.sum().backward()
        optimizer.step()
        risks += reported
        corrections += corrected
    n_batches = len(epochs[0].bounds)
    return (risks / n_batches).cpu().numpy(), (corrections / n_batches).cpu().numpy()


def _record(history: dict[str, list[float]], **values: float) -> None:
    for name, value in values.items():
        history.setdefault(name, []).append(float(value))


def _look(member: Member, epoch: int) -> None:
    """Score the member's test set, and let its callback see it."""
    member.module.eval()
    if member.evaluation is not None:
        rows, truth = member.evaluation
        scores = rows.apply(lambda x: member.module(x).reshape(len(x)))
        _record(member.history, eval_accuracy=np.mean((scores > 0) == truth))
    if member.after_epoch is not None:
        member.after_epoch(epoch + 1)
    member.module.train()
