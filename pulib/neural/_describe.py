"""Descriptions of networks, for tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from pulib.neural._torch import require_torch


class NetworkFacts(NamedTuple):
    """A description of a network.

    Attributes
    ----------
    n_layers : int
        Number of layers as the papers count them: the input, and every layer with a matrix or filters.
    layers : str
        Description in the papers' notation, such as ``30-300-300-1, batch norm, ReLU``.
    """

    n_layers: int
    layers: str


def describe_body(body: str, n_features: int, body_params: Mapping[str, Any] | None = None) -> NetworkFacts:
    """Describe the network that an estimator would build for ``n_features`` features.

    Parameters
    ----------
    body : {"linear", "mlp", "cnn"}
        As for :class:`pulib.NeuralPUClassifier`.
    n_features : int
    body_params : mapping or None, default=None
        As for :class:`pulib.NeuralPUClassifier`.

    Returns
    -------
    facts : NetworkFacts

    Raises
    ------
    ImportError
        If PyTorch is not installed.
    ValueError
        If the body does not have one of the options.
    """
    nn = require_torch("describe_body").nn
    from pulib.neural._networks import Network, build_network, describe_network

    network = build_network(body, n_features, body_params, seed=0)
    assert isinstance(network, Network)
    layers = 1 + sum(isinstance(module, nn.Linear | nn.Conv2d) for module in network.modules())
    return NetworkFacts(layers, describe_network(network))
