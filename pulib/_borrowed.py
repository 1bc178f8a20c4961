"""Arrays as kernels hand them on: an address, a shape and strides, without an owner.

An array in Numba has seven to nine members and counts its references: a helper that is given a tuple of twenty arrays takes two
hundred arguments, and taking an array out of the tuple costs two atomic operations.  Where helpers pass tuples on, a kernel
borrows them first (``data = borrowed(data)``); docs/inside.md says what that gains.

A borrowed array is read and written an element at a time, at places that are not negative and not checked; it has a shape and a
length.  One of one dimension can be cut to a part (:func:`part`), which is an ordinary array.  The kernel's caller keeps the
memory alive.  Where Numba lacks the interfaces that this takes, or does not compile, arrays stay as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import config
from numba.extending import register_jitable

#: The version of Numba with which borrowed arrays were last measured and tested.
TRIED = "0.68.1"


@register_jitable
def _itself(value: Any) -> Any:
    return value


@register_jitable
def _cut(array: np.ndarray, start: int, stop: int) -> np.ndarray:
    return array[start:stop]


#: An array, or a named tuple with arrays in it, without owners; and the elements ``start .. stop`` of a borrowed array of one
#: dimension, as an array.  Kernels call them.
borrowed: Any = _itself
part: Any = _cut
if not config.DISABLE_JIT:
    try:
        from pulib import _borrowed_arrays
    except (ImportError, AttributeError):  # a Numba without this interface
        pass
    else:
        borrowed, part = _borrowed_arrays.borrowed, _borrowed_arrays.part
