"""Problem sizes for tests: without the compiler, kernels are about a hundred times slower."""

from numba import config

#: Whether kernels run uncompiled (NUMBA_DISABLE_JIT=1), so that coverage sees inside them.
NOT_COMPILED = bool(config.DISABLE_JIT)


def size(compiled: int, plain: int) -> int:
    """Return ``plain`` if kernels are not compiled, else ``compiled``."""
    return plain if NOT_COMPILED else compiled
