"""The greater of two numbers, in a form that the compiler turns into vector instructions inside loops."""

from typing import Any

from numba import config
from numba.extending import intrinsic

_FLAGS = ["nnan", "nsz"]


@intrinsic
def _greater_in_vectors(typing_context, a, b):
    """``a if a > b else b`` for two numbers of one floating type, neither of them NaN.

    Written as a comparison and a selection that carry the flags "no NaN" and "−0 is 0" themselves: a conditional expression
    loses them on its way through the optimizer, and a maximum over an array then stays a scalar loop, four times as slow.
    """
    if a != b:
        return None

    def generate(context, builder, signature, arguments):
        x, y = arguments
        return builder.select(builder.fcmp_ordered(">", x, y, flags=_FLAGS), x, y, flags=_FLAGS)

    return a(a, b), generate


def _greater_in_python(a, b):
    return a if a > b else b


#: An intrinsic means nothing outside the compiler.
greater: Any = _greater_in_python if config.DISABLE_JIT else _greater_in_vectors
