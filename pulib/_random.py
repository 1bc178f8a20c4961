"""Random numbers inside Numba kernels: xoroshiro128+ with a state that the caller owns.

The state is a small array, so that draws depend only on the seed, not on the thread.

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
    """Without the compiler, silence NumPy's overflow warnings: 64-bit sums and products are meant to wrap around."""
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
    """Return the next 64 random bits and advance ``state``."""
    s0 = state[0]
    s1 = state[1]
    result = s0 + s1
    s1 ^= s0
    state[0] = ((s0 << np.uint64(24)) | (s0 >> np.uint64(40))) ^ s1 ^ (s1 << np.uint64(16))
    state[1] = (s1 << np.uint64(37)) | (s1 >> np.uint64(27))
    return result


@inlined
def random_double(state):
    """Draw uniformly from [0, 1) with 53 random bits."""
    return float(next_uint64(state) >> _SHIFT_11) * _TO_UNIT


@inlined
def random_below(state, n):
    """Draw an integer uniformly from 0..n-1 for 0 < n < 2**31 (bias below 2**-32; multiplies instead of dividing)."""
    return np.int64(((next_uint64(state) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@inlined
def between(low, high, share):
    """Return ``low + share * (high - low)``, even if the difference overflows."""
    width = high - low
    if np.isinf(width):
        return low * (1.0 - share) + high * share
    return low + share * width


def new_state(seed: int) -> np.ndarray:
    """Return a new generator state for one kernel call."""
    state = np.empty(2, dtype=np.uint64)
    seed_state(np.uint64(seed), state)
    return state


def seed_estimator(estimator: Any, seed: int) -> None:
    """Seed an estimator and its nested estimators (such as the steps of a pipeline) in place.

    Its own ``random_state``, if any, becomes ``seed`` (below 2³¹); each ``..__random_state`` becomes a draw from ``seed``.
    """
    names = sorted(name for name in estimator.get_params() if name.endswith("__random_state"))
    drawn = np.random.RandomState(seed).randint(2**31 - 1, size=len(names)).tolist()
    if "random_state" in estimator.get_params(deep=False):
        estimator.set_params(random_state=seed)
    if names:
        estimator.set_params(**dict(zip(names, drawn, strict=True)))


def draw_seeds(random_state: RandomState, n: int) -> np.ndarray:
    """Draw ``n`` seeds (uint64) from scikit-learn's ``random_state``, one per member of an ensemble.

    With an integer ``random_state``, the i-th seed does not depend on ``n``, so that ensembles can be extended.
    """
    rng = check_random_state(random_state)
    high, low = rng.randint(0, 2**32, size=(n, 2), dtype=np.uint32).T.astype(np.uint64)
    return (high << np.uint64(32)) | low
