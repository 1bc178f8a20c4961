"""The greater of two numbers, in a form that the compiler turns into vector instructions inside loops."""

from typing import Any

from numba import config
from numba.extending import intrinsic

_FLAGS = ["nnan", "nsz"]


@intrinsic
def _greater_in_vectors(typing_context, a, b):
    """``a if a > b else b`` for two numbers of one floating type, neither of them NaN.

    The comparison and the selection carry the flags "no NaN" and "−0 is 0" themselves.  A conditional expression loses them in
    the optimizer, so that a maximum over an array remains a scalar loop, four times as slow.
    """
    if a != b:
        return None

    def generate(context, builder, signature, arguments):
        x, y = arguments
        return builder.select(builder.fcmp_ordered(">", x, y, flags=_FLAGS), x, y, flags=_FLAGS)

    return a(a, b), generate


def _greater_in_python(a, b):
    return a if a > b else b


#: An intrinsic only works inside the compiler.
greater: Any = _greater_in_python if config.DISABLE_JIT else _greater_in_vectors
