"""How loops are compiled: once for each type of their arguments, in little time, and kept on disk.

A *kernel* is called from Python, a *helper* by kernels only, and an *inlined* helper becomes part of its caller before types
are known.  The difference is time: what Python can call needs code that takes Python's objects apart, which for a helper on a
few arrays is longer than the helper.  All three are plain functions where ``NUMBA_DISABLE_JIT`` is set.

What else keeps the first call short (``tests/pulib/test_compilation.py`` finds what does not):

- a number written in a call has a type of its own and compiles a helper again: ``np.int64(0)``, not ``0``;
- ``a[:] = b``, or a row set to a tuple, brings text formatting with it, for an error that says both shapes: loop over elements;
- an array that may be read-only, or not, has two types: what reads rows of users is given :func:`frozen` ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba as nb
import numpy as np
from numba.extending import register_jitable

from pulib._kernel_cache import USABLE, KernelCache


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Decorate a loop that Python calls; ``options`` are those of :func:`numba.njit`."""
    return kept(function, nogil=True, **options)


def inlined(function: Callable[..., Any]) -> Any:
    """Decorate a few lines that become part of the kernels that call them."""
    return kept(function, inline="always")


def kept(function: Callable[..., Any] | None, **options: Any) -> Any:
    """:func:`numba.njit` with what it compiles kept on disk, in the folders of :mod:`pulib._kernel_cache`."""
    if function is None:
        return lambda function: kept(function, **options)
    dispatcher = nb.njit(function, no_cfunc_wrapper=True, **options)
    if dispatcher is not function:  # as it is with NUMBA_DISABLE_JIT
        if USABLE:
            dispatcher._cache = KernelCache(function)
        else:  # a Numba without this interface
            dispatcher.enable_caching()
    return dispatcher


#: Values that one call of a long kernel reads, a tenth to half of a second: Python sees Ctrl-C between calls only.
WORK = 10**8


def helper(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Decorate a loop that kernels call; Python calling it runs it uncompiled."""
    decorate = register_jitable(no_cfunc_wrapper=True, **options)
    return decorate if function is None else decorate(function)


def frozen(X: np.ndarray) -> np.ndarray:
    """A read-only plain view, so that kernels are compiled once per type and not again for memory maps."""
    view = np.asarray(X).view(np.ndarray)[:]
    view.flags.writeable = False
    return view


def frozen_csr(X: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """``data``, ``indices`` and ``indptr`` of a CSR matrix, read-only."""
    return frozen(X.data), frozen(X.indices), frozen(X.indptr)
