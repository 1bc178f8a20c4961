"""Training or test rows as a tensor on a device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from pulib.neural._networks import scores_of
from pulib.neural._scaling import Scaling

#: Number of rows to score at a time.
CHUNK = 1000


class DeviceRows:
    """A matrix, or some of its rows, on a device: uint8 (scaled when read), or scaled float32 for all other types."""

    def __init__(self, X: np.ndarray, scaling: Scaling | None, device: Any, rows: np.ndarray | None = None):
        self.scaling = None
        if X.dtype == np.uint8:
            self.X = torch.from_numpy(np.array(X if rows is None else X[rows])).to(device)
            if scaling is not None:
                parts = (scaling.shift, scaling.factor)
                self.scaling = tuple(torch.from_numpy(part.astype(np.float32)).to(device) for part in parts)
        else:
            n = len(X) if rows is None else len(rows)
            values = np.empty((n, X.shape[1]), dtype=np.float32)
            for start in range(0, n, CHUNK):
                part = slice(start, start + CHUNK)
                block = X[part if rows is None else rows[part]]
                values[part] = block if scaling is None else scaling.apply(block)
            self.X = torch.from_numpy(values).to(device)

    def __len__(self) -> int:
        return len(self.X)

    def _ready(self, part: torch.Tensor) -> torch.Tensor:
        if part.dtype == torch.float32:
            return part
        part = part.to(torch.float32)
        return part if self.scaling is None else part.sub_(self.scaling[0]).mul_(self.scaling[1])

    def take(self, rows: torch.Tensor) -> torch.Tensor:
        """Return rows by number, as scaled float32."""
        return self._ready(self.X.index_select(0, rows))

    def scores(self, network: torch.nn.Module) -> np.ndarray:
        """Scores of all rows."""
        return self.apply(lambda x: scores_of(network, x))

    def apply(self, function: Callable[[Any], Any]) -> np.ndarray:
        """Apply ``function`` to all rows, in chunks and without gradients."""
        with torch.no_grad():
            parts = [function(self._ready(self.X[start : start + CHUNK])) for start in range(0, len(self.X), CHUNK)]
        return torch.cat(parts).cpu().numpy()
