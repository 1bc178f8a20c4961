"""Load PyTorch on use, and set its device, threads and handling of subnormal numbers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from pulib._optional import needed_by

_SUBNORMAL = 1e-40  # in single precision
_PER_THREAD = 1 << 16  # numbers: more than PyTorch processes in one thread if it has several


def require_torch(who: str) -> ModuleType:
    """Import ``torch``; if it is not installed, the error names the command that installs it."""
    with needed_by(who, extra="nn"):
        import torch
    return torch


def resolve_device(device: str) -> Any:
    """Return ``device`` as a torch.device; "auto" is the default GPU if there is one, else the CPU.

    An unknown name, or a GPU if PyTorch finds none, raises an error.
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
    """Run the calling thread's PyTorch operations on ``n_threads`` threads; None keeps the current setting."""
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
    """Flush subnormal numbers to 0 in the calling thread, and restore its setting afterward.

    Weight decay takes the weights of inputs that are always 0 below 1e-38, and saturated losses do so to gradients; some
    processors are many times slower there.  PyTorch's own threads keep the setting at their start.  They are started here
    first, so that results do not depend on which call started them.
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
