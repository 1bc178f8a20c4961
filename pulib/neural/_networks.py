"""The papers' networks: a body that computes features, and a linear output.

Initial weights are normal with variance 1/fan-in, and biases are 0: the defaults of the library of nnPU's published code.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from numbers import Integral
from typing import Any

import torch
from torch import nn

from pulib.neural._linear import Dense

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "softsign": nn.Softsign}


class Network(nn.Module):
    """``head(body(x))``, one score per row: the body maps rows to features, and the head maps features to a score."""

    def __init__(self, body: nn.Sequential, head: nn.Module):
        super().__init__()
        self.body = body
        self.head = head

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(x)).squeeze(-1)


def linear_network(n_features: int) -> Network:
    """g(x) = w·x + b."""
    return _initialized(Network(nn.Sequential(), Dense(n_features, 1)))


def mlp_network(
    n_features: int, *, hidden_layers: int = 2, width: int = 100, activation: str = "relu", batch_norm: bool = False
) -> Network:
    """Fully connected layers of one width, without biases before a batch norm; the activation is "relu" or "softsign".

    nnPU's "6-layer MLP" (the count includes the input) is d-300-300-300-300-1 with batch norms: ``hidden_layers=4``.  Its
    five-layer network for 20 Newsgroups has ``hidden_layers=3``, and a three-layer one has ``hidden_layers=1``.
    """
    if activation not in ACTIVATIONS:
        raise ValueError(f"body_params: activation={activation!r}; expected one of {sorted(ACTIVATIONS)}")
    layers: list[nn.Module] = []
    size = n_features
    for _ in range(hidden_layers):
        layers.append(Dense(size, width, bias=not batch_norm))
        if batch_norm:
            layers.append(nn.BatchNorm1d(width))
        layers.append(ACTIVATIONS[activation]())
        size = width
    return _initialized(Network(nn.Sequential(*layers), Dense(size, 1)))


def cnn_network(
    n_features: int, *, image_shape: tuple[int, int, int] | None = None, channels: int = 96, head: int = 1000
) -> Network:
    """nnPU's 13-layer all-convolutional network for CIFAR-10, with a batch norm after each convolution.

    [C(3x3, c)] x 2 - C(3x3, c, stride 2) - [C(3x3, 2c)] x 2 - C(3x3, 2c, stride 2) - C(3x3, 2c) - C(1x1, 2c) - C(1x1, 10) -
    h - h - 1 with c = ``channels`` = 96 and h = ``head`` = 1000.

    ``image_shape`` is (channels, height, width); None assumes a square image in 3 colors, or else in 1.
    """
    shape = as_image_shape(n_features, image_shape)
    c = channels
    plan = [(c, 3, 1), (c, 3, 1), (c, 3, 2), (2 * c, 3, 1), (2 * c, 3, 1), (2 * c, 3, 2), (2 * c, 3, 1)]
    plan += [(2 * c, 1, 1), (10, 1, 1)]
    layers: list[nn.Module] = [nn.Unflatten(1, shape)]
    size, height, width = shape
    for out, kernel, stride in plan:
        layers += [nn.Conv2d(size, out, kernel, stride, padding=kernel // 2, bias=False), nn.BatchNorm2d(out), nn.ReLU()]
        size, height, width = out, -(-height // stride), -(-width // stride)
    layers += [nn.Flatten(), Dense(size * height * width, head), nn.ReLU(), Dense(head, head), nn.ReLU()]
    return _initialized(Network(nn.Sequential(*layers), Dense(head, 1)))


def as_image_shape(n_features: int, shape: Any = None) -> tuple[int, int, int]:
    """Return the colors, height and width of a row, as given or guessed."""
    if shape is None:
        return _square_shape(n_features)
    shape = tuple(int(v) for v in shape)
    if math.prod(shape) != n_features or len(shape) != 3:
        raise ValueError(f"body_params: image_shape={shape} has {math.prod(shape)} values, but X has {n_features} features")
    return shape


def _square_shape(n_features: int) -> tuple[int, int, int]:
    for colors in (3, 1):
        side = math.isqrt(n_features // colors)
        if colors * side * side == n_features:
            return colors, side, side
    raise ValueError(
        f"body='cnn': {n_features} features are not a square image in 1 or 3 colors; give "
        "body_params={'image_shape': (channels, height, width)}"
    )


def _initialized(network: Network) -> Network:
    for module in network.modules():
        if isinstance(module, nn.Linear | nn.Conv2d):
            nn.init.normal_(module.weight, std=1.0 / math.sqrt(module.weight[0].numel()))
            if module.bias is not None:
                nn.init.zeros_(module.bias)
    return network


def scores_of(network: nn.Module, x: torch.Tensor) -> torch.Tensor:
    """Scores of the rows of ``x``; an output of another size raises an error."""
    scores = network(x)
    if scores.numel() != len(x):
        raise ValueError(f"body: the network maps {len(x)} rows to shape {tuple(scores.shape)}; expected one score per row")
    return scores.reshape(len(x))


def is_fully_connected(network: nn.Module) -> bool:
    """Whether the network is one of this module's, without convolutions."""
    return type(network) is Network and not any(isinstance(module, nn.Conv2d) for module in network.modules())


BODIES: dict[str, Callable[..., Network]] = {"linear": linear_network, "mlp": mlp_network, "cnn": cnn_network}


def build_network(body: Any, n_features: int, params: Mapping[str, Any] | None, seed: int) -> nn.Module:
    """Build a new network with initial weights drawn from ``seed``.

    The body is "linear", "mlp" or "cnn", with ``params`` as options; a torch module, which is copied with its weights; or a
    callable, which is called with ``n_features`` and ``params``.  An unknown option of a named body raises an error.
    """
    import copy

    params = dict(params or {})
    if isinstance(body, nn.Module):
        if params:
            raise ValueError(f"body_params={params} applies to a named body or a function, not to a module")
        return copy.deepcopy(body).float()
    build = BODIES[body] if isinstance(body, str) else body
    if isinstance(body, str):
        options = {name: p.default for name, p in inspect.signature(build).parameters.items() if p.kind is p.KEYWORD_ONLY}
        unknown = sorted(set(params) - set(options))
        if unknown:
            raise ValueError(f"body_params: body={body!r} has no option {unknown[0]!r}; it has {list(options) or 'none'}")
        for name, value in params.items():
            least = 0 if name == "hidden_layers" else 1
            if type(options[name]) is int and not (isinstance(value, Integral) and int(value) >= least):
                raise ValueError(f"body_params: {name}={value!r}; expected a whole number from {least} on")
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = build(n_features, **params)
    if not isinstance(network, nn.Module):
        raise TypeError(f"body: the function returned {network!r}; expected a torch module")
    return network.float()
