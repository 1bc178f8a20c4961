"""Several members of one configuration in one training loop: stacked, or one after the other in each step.

On a GPU a small network leaves most of the machine idle, and a step costs what launching its kernels costs: stacked, R members
cost little more than one.  On a CPU the matrix products fill the machine by themselves, and batched ones are slower than single
ones (measured: a batched step of five took 1.2 times five single steps, by ``torch.func.vmap`` as by hand), so that members
take turns there, and :func:`pulib.neural.fit_together` gives each core some of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from pulib.neural._linear import Dense
from pulib.neural._networks import Network

_ELEMENTWISE = (nn.ReLU, nn.Softsign)


def can_stack(module: nn.Module) -> bool:
    """Whether every layer of the network has a form for several members."""
    return type(module) is Network and all(
        type(layer) in (Dense, nn.BatchNorm1d, *_ELEMENTWISE) for layer in [*module.body, module.head]
    )


class StackedNetwork(nn.Module):
    """R networks of one architecture that :func:`can_stack` accepts.

    Parameters
    ----------
    members : sequence of Network
        Their weights are the initial ones here; :meth:`export` writes them back.
    """

    def __init__(self, members: Sequence[Network]):
        super().__init__()
        self.layers = [*members[0].body, members[0].head]
        self.weights = nn.ParameterList()
        self.places: list[dict[str, int]] = []
        self.running: list[dict[str, torch.Tensor]] = []
        for number, layer in enumerate(self.layers):
            own = [[*member.body, member.head][number] for member in members]
            self.places.append({})
            for name, _ in layer.named_parameters():
                self.places[number][name] = len(self.weights)
                self.weights.append(nn.Parameter(torch.stack([getattr(m, name).detach() for m in own])))
            self.running.append({name: torch.stack([getattr(m, name) for m in own]) for name, _ in layer.named_buffers()})

    def _of(self, number: int, name: str) -> Any:
        """The members' values of a parameter, or None where the layer has none of that name."""
        place = self.places[number].get(name)
        return None if place is None else self.weights[place]

    def forward(self, inputs: Sequence[torch.Tensor]) -> torch.Tensor:
        """Scores of shape (R, n) for each member's own rows, a list of R tensors of shape (n, n_features)."""
        x = inputs[0].unsqueeze(1) if len(inputs) == 1 else torch.stack(tuple(inputs), 1)
        n, members = x.shape[:2]
        for number, layer in enumerate(self.layers):
            if isinstance(layer, Dense):
                x = torch.bmm(x.transpose(0, 1), self._of(number, "weight").transpose(1, 2)).transpose(0, 1)
                bias = self._of(number, "bias")
                x = x if bias is None else x + bias
            elif isinstance(layer, nn.BatchNorm1d):
                state = self.running[number]
                state["num_batches_tracked"] += 1
                x = F.batch_norm(
                    x.reshape(n, -1),
                    state["running_mean"].view(-1),
                    state["running_var"].view(-1),
                    self._of(number, "weight").view(-1),
                    self._of(number, "bias").view(-1),
                    training=True,
                    momentum=layer.momentum,  # type: ignore[arg-type]  # a number: the networks here never ask for a plain mean
                    eps=layer.eps,
                ).view(n, members, -1)
            else:
                x = layer(x)
        return x.squeeze(-1).t()

    @torch.no_grad()
    def export(self, r: int, target: Network) -> None:
        """Write the weights of member ``r`` into a network of its own."""
        for number, layer in enumerate([*target.body, target.head]):
            for name, place in self.places[number].items():
                getattr(layer, name).copy_(self.weights[place][r])
            for name, values in self.running[number].items():
                getattr(layer, name).copy_(values[r])


class LoopedNetwork(nn.Module):
    """Members of any architecture, one after the other in each step."""

    def __init__(self, members: Sequence[nn.Module]):
        super().__init__()
        self.members = nn.ModuleList(members)

    def forward(self, inputs: Sequence[torch.Tensor]) -> torch.Tensor:
        """Scores of shape (R, n) for each member's own rows."""
        return torch.stack([member(x).reshape(len(x)) for member, x in zip(self.members, inputs, strict=True)])

    def export(self, r: int, target: nn.Module) -> None:
        """Nothing: the members are trained in place."""
