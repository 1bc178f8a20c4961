"""Sizes of test problems: without the compiler a kernel takes some hundred times as long."""

from numba import config

#: Whether kernels run as they are written (NUMBA_DISABLE_JIT=1), where coverage sees inside them.
NOT_COMPILED = bool(config.DISABLE_JIT)


def size(compiled: int, plain: int) -> int:
    """``plain`` where kernels are not compiled, else ``compiled``."""
    return plain if NOT_COMPILED else compiled
