"""The rows of a training or test set as a tensor, scaled on the way into the network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

#: Rows that are scored at once.
CHUNK = 1000


def fit_scaling(X: np.ndarray, scaling: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """``(shift, factor)`` with which inputs become ``(x − shift)·factor``.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    scaling : None, "minmax" or float
        Nothing; each feature to [0, 1] over the rows of ``X``; division by a number.
    """
    if scaling is None:
        return None
    if scaling == "minmax":
        low, high = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
        return low.astype(np.float32), (1.0 / np.where(high > low, high - low, 1.0)).astype(np.float32)
    return np.zeros(X.shape[1], dtype=np.float32), np.full(X.shape[1], 1.0 / scaling, dtype=np.float32)


class DeviceRows:
    """A matrix on a device, 8-bit integers as they are, anything else as scaled float32.

    Parameters
    ----------
    X : uint8 or float32 array of shape (n_samples, n_features)
    scaling : what :func:`fit_scaling` gave
    device : torch device
    """

    def __init__(self, X: np.ndarray, scaling: tuple[np.ndarray, np.ndarray] | None, device: Any):
        self.scaling = None
        if X.dtype == np.uint8:
            self.X = torch.from_numpy(np.array(X)).to(device)
            if scaling is not None:
                self.scaling = tuple(torch.from_numpy(part).to(device) for part in scaling)
        else:
            values = np.array(X, dtype=np.float32)
            if scaling is not None:
                values -= scaling[0]
                values *= scaling[1]
            self.X = torch.from_numpy(values).to(device)

    def __len__(self) -> int:
        return len(self.X)

    def _ready(self, part: torch.Tensor) -> torch.Tensor:
        if part.dtype == torch.float32:
            return part
        part = part.to(torch.float32)
        return part if self.scaling is None else part.sub_(self.scaling[0]).mul_(self.scaling[1])

    def take(self, rows: torch.Tensor) -> torch.Tensor:
        """Rows by number, as the network wants them."""
        return self._ready(self.X.index_select(0, rows))

    def apply(self, function: Callable[[Any], Any]) -> np.ndarray:
        """``function`` of all rows, chunk by chunk, without gradients."""
        with torch.no_grad():
            parts = [function(self._ready(self.X[start : start + CHUNK])) for start in range(0, len(self.X), CHUNK)]
        return torch.cat(parts).cpu().numpy()
