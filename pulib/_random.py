"""Random numbers inside Numba kernels: xoroshiro128+ over a state that the caller owns.

A kernel takes its state as a small array, so that its draws depend on the seed alone and never on the thread that runs it.
Bounded by arithmetic: a draw is a handful of integer operations on one cache line.

References: Blackman and Vigna, Scrambled linear pseudorandom number generators (2021); Lemire, Fast random integer
generation in an interval (2019).
"""

import functools
from collections.abc import Callable
from typing import Any

import numba as nb
import numpy as np
from sklearn.utils import check_random_state

from pulib._compiled import helper, inlined, kernel
from pulib._typing import RandomState


def _wraps_around(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Without the compiler, silence NumPy's warning that 64-bit products and sums wrap around, which is intended."""
    if not nb.config.DISABLE_JIT:
        return kernel

    @functools.wraps(kernel)
    def run(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return kernel(*arguments)

    return run


_SHIFT_11 = np.uint64(11)
_TO_UNIT = 1.0 / 9007199254740992.0  # 2**-53


@_wraps_around
@helper
def _splitmix64(z):
    z = z + np.uint64(0x9E3779B97F4A7C15)
    s = z
    s = (s ^ (s >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    s = (s ^ (s >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z, s ^ (s >> np.uint64(31))


@kernel
def seed_state(seed, state):
    """Fill ``state`` (uint64, shape (2,)) from one unsigned 64-bit seed."""
    z = np.uint64(seed)
    z, state[0] = _splitmix64(z)
    z, state[1] = _splitmix64(z)


@_wraps_around
@inlined
def next_uint64(state):
    """The next 64 random bits; advances ``state``."""
    s0 = state[0]
    s1 = state[1]
    result = s0 + s1
    s1 ^= s0
    state[0] = ((s0 << np.uint64(24)) | (s0 >> np.uint64(40))) ^ s1 ^ (s1 << np.uint64(16))
    state[1] = (s1 << np.uint64(37)) | (s1 >> np.uint64(27))
    return result


@inlined
def random_double(state):
    """Uniform on [0, 1) with 53 random bits."""
    return float(next_uint64(state) >> _SHIFT_11) * _TO_UNIT


@inlined
def random_below(state, n):
    """An integer uniform on 0..n-1 for 0 < n < 2**31 (bias below 2**-32, by multiplication instead of division)."""
    return np.int64(((next_uint64(state) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@inlined
def between(low, high, share):
    """``low + share * (high - low)``, also where the difference of two finite numbers is infinite."""
    width = high - low
    if np.isinf(width):
        return low * (1.0 - share) + high * share
    return low + share * width


def new_state(seed: int) -> np.ndarray:
    """A generator state of its own for one kernel call."""
    state = np.empty(2, dtype=np.uint64)
    seed_state(np.uint64(seed), state)
    return state


def seed_estimator(estimator: Any, seed: int) -> None:
    """Give an estimator its seed, and further ones to whatever is nested in it (a pipeline's steps, say).

    It is set in place: ``random_state`` to ``seed``, below 2³¹, where it has one itself, every ``..__random_state`` to a draw
    from it.
    """
    names = sorted(name for name in estimator.get_params() if name.endswith("__random_state"))
    drawn = np.random.RandomState(seed).randint(2**31 - 1, size=len(names)).tolist()
    if "random_state" in estimator.get_params(deep=False):
        estimator.set_params(random_state=seed)
    if names:
        estimator.set_params(**dict(zip(names, drawn, strict=True)))


def draw_seeds(random_state: RandomState, n: int) -> np.ndarray:
    """``n`` seeds (uint64) from scikit-learn's ``random_state``, one per member of an ensemble.

    The i-th seed does not depend on ``n`` when ``random_state`` is an integer, so that an ensemble can be grown on.
    """
    rng = check_random_state(random_state)
    high, low = rng.randint(0, 2**32, size=(n, 2), dtype=np.uint32).T.astype(np.uint64)
    return (high << np.uint64(32)) | low
