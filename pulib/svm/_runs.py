"""Run the loops of :mod:`pulib.svm._paths` in calls of a fraction of a second each.

Python only handles an interrupt (Ctrl-C) between two calls.  The other threads stop at the end of their current calls.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable

import numpy as np

from pulib._compiled import WORK
from pulib.svm._paths import LEFT, Ballot, Grid, Room, Sample, Solutions, advance_members, advance_path, advance_votes
from pulib.svm._smo import padded


class Stop(threading.Event):
    """Event that stops the threads of a fit, set if an exception leaves the ``with`` block."""

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
    """Fit all pairs of penalties on one training set: see :func:`pulib.svm._paths.advance_path`."""
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
    """Fit one SVM per resample: see :func:`pulib.svm._paths.advance_members`."""
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
    """Add up the votes of ensembles on contiguous rows: see :func:`pulib.svm._paths.advance_votes`."""
    room = _make_room(K, drawn.shape[1], len(votes))
    ballot = Ballot(first, votes, iterations, np.empty(votes.shape[1]), np.empty(votes.shape, dtype=np.int8))
    _run(lambda progress: advance_votes(K, drawn, n_positive, grid, ballot, room, progress), stop)


def decide_held_out(
    K: np.ndarray, y: np.ndarray, grid: Grid, first: int, last: int, iterations: np.ndarray, stop: Stop | None = None
) -> np.ndarray:
    """Fit all rows except ``first .. last - 1`` for each pair of penalties; return decision values of those, a row per fit.

    The matrix is not copied.  The coefficients of held-out rows are bounded by 0, but the solver maintains their gradients,
    which are their decision values except for sign and bias.  ``y`` holds the signs of all rows, padded with 0; ``iterations``
    is written to.
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


def run_interruptibly(call: Callable[[], object], stop: Callable[[], object]) -> None:
    """Run another library's long call in a thread, so that an interrupt is raised at once.

    The interrupt discards the call's result.  ``stop`` then has to make the call end: it would keep a core busy, and crash once
    Python unloads the libraries that it uses.
    """
    failed: list[BaseException] = []

    def run() -> None:
        try:
            call()
        except BaseException as error:  # raised below, in the calling thread
            failed.append(error)

    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(run,), daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.1)
    except BaseException:
        stop()
        thread.join(1.0)
        raise
    if failed:
        raise failed[0]
