"""Linear layers with the fastest matrix product in PyTorch.

Bounded by arithmetic: three matrix products per layer and step.  On CPUs, PyTorch uses MKL for single-precision products, which
is limited to 256-bit vectors on AMD processors; oneDNN, also part of PyTorch, uses the processor's full width (on one core of
an EPYC 9005: 220 instead of 100 GFlop/s).  AMD processors with AVX-512 therefore use oneDNN's linear operator, which
``torch.compile`` also emits, if this build of PyTorch has it.  All others use PyTorch's own: oneDNN's operator first copies
transposed matrices, and made fits 1.2 to 2 times as slow on a Xeon and on an EPYC without AVX-512.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn


def _is_amd_with_avx512() -> bool:
    """Whether the processor is AMD's and has 512-bit vectors; False if unknown."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return "AuthenticAMD" in text and "avx512f" in text


def _find_onednn() -> Any:
    if not torch.backends.mkldnn.is_available():
        return None
    try:
        return torch.ops.mkldnn._linear_pointwise
    except (AttributeError, RuntimeError):  # a private operator, which may be missing
        return None


_onednn: Any = _find_onednn() if _is_amd_with_avx512() else None


def _product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Compute ``a @ b.T`` of two single-precision matrices with oneDNN, without gradients."""
    return _onednn(a, b, None, "none", [], "")


class _Linear(torch.autograd.Function):
    """``x @ weight.T`` with oneDNN, and its gradients."""

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
    """``torch.nn.Linear``, but faster on AMD processors with AVX-512."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.is_cuda or x.dim() != 2:
            return F.linear(x, self.weight, self.bias)
        by_onednn = _onednn is not None and x.dtype == torch.float32 and len(x) > 0
        y = _Linear.apply(x, self.weight) if by_onednn else F.linear(x, self.weight)
        return y if self.bias is None else y + self.bias
