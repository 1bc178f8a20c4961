"""Facts about networks for tables."""

from __future__ import annotations

from torch import nn


def count_layers(network: nn.Module) -> int:
    """Layers as the papers count them: the input, and every layer with a matrix or filters."""
    return 1 + sum(isinstance(module, nn.Linear | nn.Conv2d) for module in network.modules())
