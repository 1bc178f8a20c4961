"""PyTorch: loaded on use, with the device, the number of threads and the arithmetic that a fit asks for."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from pulib._optional import needed_by

_SUBNORMAL = 1e-40  # in single precision
_PER_THREAD = 1 << 16  # numbers, more than PyTorch gives to one thread where there are several


def require_torch(who: str) -> ModuleType:
    """The ``torch`` module; where PyTorch is not installed, the error names the command that installs it."""
    with needed_by(who, extra="nn"):
        import torch
    return torch


def resolve_device(device: str) -> Any:
    """``device`` as a torch.device; "auto" is the first GPU, if there is one, else the CPU.

    A name that is unknown to PyTorch, or that of a GPU that is not there, raises an error.
    """
    torch = require_torch("resolve_device")
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        resolved = torch.device(device)
    except RuntimeError:
        raise ValueError(f"device={device!r} is unknown; expected 'auto', 'cpu', or a GPU such as 'cuda:0'") from None
    if resolved.type == "cuda" and not torch.cuda.is_available():
        raise ValueError(f"device={device!r}, but PyTorch finds no GPU here; use device='auto' or device='cpu'")
    return resolved


@contextlib.contextmanager
def torch_threads(n_threads: int | None) -> Iterator[None]:
    """Run the calling thread's PyTorch operations on ``n_threads`` threads (None leaves the setting as it is)."""
    torch = require_torch("torch_threads")
    if n_threads is None:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(n_threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def flush_subnormals() -> Iterator[None]:
    """Take numbers below the smallest normal one for 0 in the calling thread, and put its setting back afterwards.

    Weight decay takes weights that never see anything but 0 below 1e-38, and saturated losses do it to gradients; there some
    processors are many times slower.  Threads of PyTorch's own keep the setting that they were started with: they are started
    here first, so that a result does not depend on which call was the one to start them.
    """
    torch = require_torch("flush_subnormals")
    threads = torch.get_num_threads()
    if threads > 1:
        torch.zeros(threads * _PER_THREAD).add_(1.0)
    before = not (torch.full((1,), _SUBNORMAL) * 1.0).item()
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(before)
