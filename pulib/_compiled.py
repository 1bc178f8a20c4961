"""Compilation of loops: once per combination of argument types, fast, and cached on disk.

A *kernel* is called from Python, a *helper* only by kernels, and an *inlined* helper becomes part of its caller before types
are inferred.  The distinction saves compilation time: a function that Python can call needs code to unpack Python objects,
which may be longer than the helper itself.  All three are plain functions if ``NUMBA_DISABLE_JIT`` is set.

To keep the first call fast (``tests/pulib/test_compilation.py`` detects violations):

- pass ``np.int64(0)``, not ``0``: a literal has its own type, for which the helper is compiled again;
- loop over elements instead of ``a[:] = b`` or setting a row to a tuple, whose error message compiles text formatting;
- pass users' rows through :func:`frozen`: read-only and writable arrays have different types.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba as nb
import numpy as np
from numba.extending import register_jitable

from pulib._kernel_cache import USABLE, KernelCache


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Decorate a loop called from Python; ``options`` are those of :func:`numba.njit`."""
    return kept(function, nogil=True, **options)


def inlined(function: Callable[..., Any]) -> Any:
    """Decorate a short function that becomes part of the kernels that call it."""
    return kept(function, inline="always")


def kept(function: Callable[..., Any] | None, **options: Any) -> Any:
    """Apply :func:`numba.njit` and cache compiled code on disk, in the folders of :mod:`pulib._kernel_cache`."""
    if function is None:
        return lambda function: kept(function, **options)
    dispatcher = nb.njit(function, no_cfunc_wrapper=True, **options)
    if dispatcher is not function:  # with NUMBA_DISABLE_JIT, they are the same
        if USABLE:
            dispatcher._cache = KernelCache(function)
        else:  # a Numba version without this interface
            dispatcher.enable_caching()
    return dispatcher


#: Number of values that one call of a long kernel reads (0.1 to 0.5 s), since Python handles Ctrl-C only between calls.
WORK = 10**8


def helper(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Decorate a loop called by kernels; called from Python, it runs uncompiled."""
    decorate = register_jitable(no_cfunc_wrapper=True, **options)
    return decorate if function is None else decorate(function)


def frozen(X: np.ndarray) -> np.ndarray:
    """Return a read-only plain view, so that kernels are not compiled again for writable arrays or memory maps."""
    view = np.asarray(X).view(np.ndarray)[:]
    view.flags.writeable = False
    return view


def frozen_csr(X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ``data``, ``indices`` and ``indptr`` of a CSR matrix, read-only."""
    return frozen(X.data), frozen(X.indices), frozen(X.indptr)
