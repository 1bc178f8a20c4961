"""Affine maps on the fastest matrix product that PyTorch has for them.

Bounded by arithmetic: three matrix products per layer and step.  On the CPU PyTorch sends single-precision products to MKL,
which on AMD processors stays on 256-bit vectors; oneDNN, the other library inside PyTorch, uses what the processor has
(measured on an EPYC 9005: 100 against 220 GFlop/s on one core).  On AMD processors with AVX-512 oneDNN's fully connected layer
is called, the one that ``torch.compile`` emits, where this build of PyTorch has it.  Elsewhere it is PyTorch's own: oneDNN's
layer first copies what is transposed, and a fit took 1.2 to 2 times as long with it on a Xeon and on an EPYC without AVX-512.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn


def _is_amd_with_avx512(cpuinfo: str = "/proc/cpuinfo") -> bool:
    """Whether the processor is AMD's and has 512-bit vectors; where it cannot be asked it is taken for another."""
    try:
        said = Path(cpuinfo).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return "AuthenticAMD" in said and "avx512f" in said


def _find_onednn() -> Any:
    if not torch.backends.mkldnn.is_available():
        return None
    try:
        return torch.ops.mkldnn._linear_pointwise
    except (AttributeError, RuntimeError):  # an operator inside PyTorch, without a promise that it stays
        return None


_onednn: Any = _find_onednn() if _is_amd_with_avx512() else None


def _product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """``a @ b.T`` of two single-precision matrices by oneDNN, without gradients."""
    return _onednn(a, b, None, "none", [], "")


class _Linear(torch.autograd.Function):
    """x @ weight.T by oneDNN, and its gradients."""

    @staticmethod
    def forward(ctx: Any, x: Any, weight: Any) -> Any:
        ctx.save_for_backward(x, weight)
        return _product(x, weight)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        x, weight = ctx.saved_tensors
        x_grad = _product(grad, weight.t()) if ctx.needs_input_grad[0] else None
        return x_grad, _product(grad.t(), x.t())


class Dense(nn.Linear):
    """``torch.nn.Linear``, faster on CPUs for which MKL is not made."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.is_cuda or x.dim() != 2:
            return F.linear(x, self.weight, self.bias)
        by_onednn = _onednn is not None and x.dtype == torch.float32 and len(x) > 0
        y = _Linear.apply(x, self.weight) if by_onednn else F.linear(x, self.weight)
        return y if self.bias is None else y + self.bias
