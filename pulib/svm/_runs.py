"""The loops of :mod:`pulib.svm._paths` from start to end, in calls of a fraction of a second each.

Python handles an interrupt (Ctrl-C) between two calls; in a call nothing sees it.  Threads other than the interrupted one end
with the call that they are in.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable

import numpy as np

from pulib._compiled import WORK
from pulib.svm._paths import (
    LEFT,
    Ballot,
    Grid,
    Room,
    Sample,
    Solutions,
    advance_members,
    advance_path,
    advance_votes,
)
from pulib.svm._smo import padded


class Stop(threading.Event):
    """Tells the threads of a fit that it was interrupted: set where the block is left by an exception."""

    def __enter__(self) -> Stop:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.set()


def _run(advance: Callable[[np.ndarray], bool], stop: Stop | None = None) -> None:
    progress = np.zeros(8, dtype=np.int64)
    while stop is None or not stop.is_set():
        progress[LEFT] = WORK
        if advance(progress):
            return


def solve_path(sample: Sample, grid: Grid, solutions: Solutions, work: np.ndarray, stop: Stop | None = None) -> None:
    """One training set, all pairs of penalties: see :func:`pulib.svm._paths.advance_path`."""
    _run(lambda progress: advance_path(sample, grid, solutions, work, progress), stop)


def _make_room(K: np.ndarray, n_drawn: int, n_fits: int) -> Room:
    n_drawn = min(n_drawn, len(K))
    width = padded(n_drawn)
    none = np.empty((0, 0))
    fits = Solutions(none, none, np.empty(n_fits), np.empty(n_fits, dtype=np.int64), np.empty(n_fits, dtype=np.int64))
    return Room(
        place=np.full(len(K), -1, dtype=np.int32),
        rows=np.empty(width, dtype=np.int32),
        K=np.empty(n_drawn * width, dtype=K.dtype),
        diagonal=np.empty(width, dtype=K.dtype),
        signs=np.empty((2, width)),
        slab=np.empty(2 * n_fits * width),
        fits=fits,
        work=np.empty((6, max(width, n_fits))),
    )


def fit_members(
    K: np.ndarray,
    drawn: np.ndarray,
    n_positive: int,
    grid: Grid,
    coefs: np.ndarray,
    biases: np.ndarray,
    stop: Stop | None = None,
) -> None:
    """One machine per resample: see :func:`pulib.svm._paths.advance_members`."""
    room = _make_room(K, drawn.shape[1], 1)
    _run(lambda progress: advance_members(K, drawn, n_positive, grid, coefs, biases, room, progress), stop)


def vote(
    K: np.ndarray,
    drawn: np.ndarray,
    n_positive: int,
    grid: Grid,
    first: int,
    votes: np.ndarray,
    iterations: np.ndarray,
    stop: Stop | None = None,
) -> None:
    """Ensembles' votes on neighboring rows: see :func:`pulib.svm._paths.advance_votes`."""
    room = _make_room(K, drawn.shape[1], len(votes))
    ballot = Ballot(first, votes, iterations, np.empty(votes.shape[1]), np.empty(votes.shape, dtype=np.int8))
    _run(lambda progress: advance_votes(K, drawn, n_positive, grid, ballot, room, progress), stop)


def decide_held_out(
    K: np.ndarray, y: np.ndarray, grid: Grid, first: int, last: int, iterations: np.ndarray, stop: Stop | None = None
) -> np.ndarray:
    """Fit all rows but ``first .. last - 1`` for every pair of penalties, and give the decision values of those, a row per fit.

    No copy of the matrix is made: rows held out have no room to move, and the solver keeps their gradients, which are their
    decision values but for sign and bias.  ``y`` are the signs of all rows, 0 beyond; ``iterations`` is written to.
    """
    n_fits, width = len(iterations), len(y)
    signs, diagonal = y.copy(), np.zeros(width, dtype=K.dtype)
    signs[first:last] = 0.0
    diagonal[: len(K)] = K.diagonal()
    fits = Solutions(
        np.empty((n_fits, width)), np.empty((n_fits, width)), np.empty(n_fits), iterations, np.empty(n_fits, dtype=np.int64)
    )
    solve_path(Sample(K, diagonal, signs, np.abs(signs)), grid, fits, np.empty((6, max(width, n_fits))), stop)
    return fits.biases[:, None] - fits.Fs[:, first:last]


def run_interruptibly(call: Callable[[], object]) -> None:
    """Run another library's long call in a thread: an interrupt is raised at once, and the call's result is discarded."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            call()
        except BaseException as error:  # raised below, in the thread that asked
            failed.append(error)

    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(run,), daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
    if failed:
        raise failed[0]
