"""Many SVMs over one kernel matrix: members of an ensemble, penalties of a grid, folds.

All of them share the kernel matrix.  All penalties tried on one resample share its small matrix.  Each fit starts from the best
multiple of an earlier solution for other penalties: along a ray, the dual objective is a parabola, so the best multiple has a
closed form.  A start that is already optimal is neither solved nor evaluated again.

Bounded by arithmetic (the solver's) for ensembles, and by memory for whole training sets of many thousand rows.

Kernels return after part of the work, and continue when called again with the same arrays (see :mod:`pulib.svm._runs`), because
Python only handles interrupts between calls.  The results are the same, bit for bit.
"""

from typing import NamedTuple

import numpy as np

from pulib._compiled import helper, kernel
from pulib._random import random_below, seed_state
from pulib.svm._smo import LANES, Box, intercept, moments, solve

_STREAM = np.uint64(0x9E3779B97F4A7C15)  # selects a separate random stream for unlabeled rows


class Sample(NamedTuple):
    """One training set, with zeros up to the padded width."""

    K: np.ndarray  # (n, width): as in pulib.svm._smo.solve
    diagonal: np.ndarray  # (width,)
    y: np.ndarray  # (width,): 1 for positives, -1 for unlabeled rows, 0 for rows held out and for padding
    copies: np.ndarray  # (width,): multiples of the penalties; 0 for rows that take no part


class Grid(NamedTuple):
    """Fits on each training set, one per pair of penalties, preferably in ascending order."""

    c_positive: np.ndarray  # (n_fits,)
    c_unlabeled: np.ndarray  # (n_fits,)
    tol: float
    max_iter: int


#: Entries of ``progress``, int64 of shape (8,): work left in this call, in entries of kernel rows to read; the current member
#: of the ensemble, fit of the path, and steps of that fit; the earlier fit that the current one started as a copy of; rows and
#: padded width of the member's matrix, and whether it has been gathered.
LEFT, MEMBER, FIT, STEPS, SAME, N_ROWS, WIDTH, GATHERED = range(8)


class Solutions(NamedTuple):
    """Solutions of all fits."""

    betas: np.ndarray  # (n_fits, width)
    Fs: np.ndarray  # (n_fits, width): their gradients y − K β
    biases: np.ndarray
    iterations: np.ndarray
    sources: np.ndarray  # the earlier fit that this one equals, or -1


class Room(NamedTuple):
    """Working memory of a loop over resamples, kept between calls."""

    place: np.ndarray  # int32 (n,): -1 everywhere
    rows: np.ndarray  # int32 (width,)
    K: np.ndarray  # (n_drawn * width,), of the matrix's type
    diagonal: np.ndarray  # (width,), of the matrix's type
    signs: np.ndarray  # (2, width): y and copies
    slab: np.ndarray  # (2 * n_fits * width,): coefficients and gradients
    fits: Solutions  # of (n_fits,); ``betas`` and ``Fs`` are not used
    work: np.ndarray  # (6, at least width and n_fits)


@kernel
def draw_resamples(seeds, n_positive, n_unlabeled, positive, unlabeled):
    """Draw a bootstrap resample per seed, as positions among the positives and among the unlabeled rows.

    A shorter resample is the beginning of a longer one, so that sizes are compared with common random numbers.  ``seeds`` are
    uint64; ``n_positive`` and ``n_unlabeled`` are the numbers of rows to draw from; ``positive`` and ``unlabeled``, int32
    arrays of shape (n_members, n_drawn), are written to.
    """
    state = np.empty(2, dtype=np.uint64)
    for e in range(len(seeds)):
        seed_state(seeds[e], state)
        for k in range(positive.shape[1]):
            positive[e, k] = random_below(state, n_positive)
        seed_state(seeds[e] ^ _STREAM, state)
        for k in range(unlabeled.shape[1]):
            unlabeled[e, k] = random_below(state, n_unlabeled)


@helper
def gather(K, drawn, n_positive, place, rows, sample):
    """Gather the kernel matrix of a resample, with each distinct row once; return their number and the padded width.

    ``drawn`` are rows of ``K``, with repetitions, the ``n_positive`` positives first.  ``place``, int32 of shape (n,), is -1
    everywhere on entry and on return.  The distinct rows are written to ``rows``, and the matrix to ``sample``, whose
    ``copies`` count how often each row was drawn.
    """
    sub, diagonal, y, copies = sample.K, sample.diagonal, sample.y, sample.copies
    n = 0
    for k in range(len(drawn)):
        r = drawn[k]
        if place[r] < 0:
            place[r] = n
            rows[n] = r
            copies[n] = 1.0
            y[n] = 1.0 if k < n_positive else -1.0
            n += 1
        else:
            copies[place[r]] += 1.0
    width = (n + LANES - 1) // LANES * LANES
    for a in range(n):
        place[rows[a]] = -1
        source, target = K[rows[a]], sub[a]
        for b in range(n):
            target[b] = source[np.uint32(rows[b])]  # unsigned: no test for negative indices
        for b in range(n, width):
            target[b] = 0.0
        diagonal[a] = target[a]
    for b in range(n, width):
        copies[b] = 0.0
        y[b] = 0.0
        diagonal[b] = 0.0
    return n, width


@helper
def _start(k, sample, grid, solutions, linear, quadratic, box):
    """Set the bounds and the best start of fit k; return the fit that the start is a copy of, or -1."""
    y, copies, lower, upper = sample.y, sample.copies, box.lower, box.upper
    c_positive, c_unlabeled = grid.c_positive, grid.c_unlabeled
    betas, Fs = solutions.betas, solutions.Fs
    width = len(y)
    for t in range(width):
        upper[t] = copies[t] * c_positive[k] if y[t] > 0.0 else 0.0
        lower[t] = -copies[t] * c_unlabeled[k] if y[t] < 0.0 else 0.0
    best, source, scale = 0.0, -1, 0.0
    for q in range(k):
        room = min(c_positive[k] / c_positive[q], c_unlabeled[k] / c_unlabeled[q])
        s = min(linear[q] / quadratic[q], room) if quadratic[q] > 0.0 else room
        if room >= 1.0 and abs(s - 1.0) < 0.01:
            s = 1.0  # the same point, which may be the optimum here too
        objective = s * linear[q] - 0.5 * s * s * quadratic[q]
        if objective > best:
            best, source, scale = objective, q, s
    if source < 0:
        for t in range(width):
            betas[k, t] = 0.0
            Fs[k, t] = y[t]
        return -1
    for t in range(width):
        b = scale * betas[source, t]
        # snap to a bound that rounding barely misses: reaching it would cost an iteration
        if b > upper[t] * (1.0 - 1e-12):
            b = upper[t]
        elif b < lower[t] * (1.0 - 1e-12):
            b = lower[t]
        betas[k, t] = b
        Fs[k, t] = y[t] - scale * (y[t] - Fs[source, t])
    return source if scale == 1.0 else -1


@kernel
def advance_path(sample, grid, solutions, work, progress):
    """Fit all pairs of penalties on one training set, each from the fits before it; return whether all are done.

    If not, call again.  ``solutions`` and ``progress`` are written to; ``work`` is a float64 array of shape (6, at least width
    and n_fits).
    """
    n_fits, width = solutions.betas.shape
    box = Box(work[0, :width], work[1, :width], work[2, :width], work[3, :width])
    linear, quadratic = work[4], work[5]
    while progress[FIT] < n_fits:
        k = progress[FIT]
        if progress[LEFT] <= 0:
            return False
        if progress[STEPS] == 0:
            progress[SAME] = _start(k, sample, grid, solutions, linear, quadratic, box)
        beta, F = solutions.betas[k], solutions.Fs[k]
        most = min(grid.max_iter - progress[STEPS], progress[LEFT] // width + np.int64(1))
        steps = solve(sample.K, sample.diagonal, F, beta, box, grid.tol, most)
        progress[LEFT] -= (steps + np.int64(1)) * width
        progress[STEPS] += steps
        if steps == most and progress[STEPS] < grid.max_iter:
            return False
        solutions.iterations[k] = progress[STEPS]
        solutions.sources[k] = progress[SAME] if progress[STEPS] == 0 else -1
        solutions.biases[k] = intercept(F, beta, box)
        linear[k], quadratic[k] = moments(F, beta, sample.y)
        progress[FIT], progress[STEPS] = k + np.int64(1), np.int64(0)
    return True


@helper
def _advance_member(K, drawn, n_positive, grid, room, progress):
    """Advance the path of one resample; return whether it is done."""
    n_fits = len(grid.c_positive)
    y, copies = room.signs[0], room.signs[1]
    if progress[GATHERED] == 0:
        width = _width_of(drawn, room.place)
        small = room.K[: min(len(drawn), len(K)) * width].reshape(min(len(drawn), len(K)), width)
        n, _ = gather(K, drawn, n_positive, room.place, room.rows, Sample(small, room.diagonal, y, copies))
        progress[N_ROWS], progress[WIDTH], progress[GATHERED] = n, width, np.int64(1)
        progress[FIT], progress[STEPS] = np.int64(0), np.int64(0)
        progress[LEFT] -= n * width
    n, width = progress[N_ROWS], progress[WIDTH]
    both = room.slab[: 2 * n_fits * width].reshape(2, n_fits, width)
    solutions = Solutions(both[0], both[1], room.fits.biases, room.fits.iterations, room.fits.sources)
    sample = Sample(room.K[: n * width].reshape(n, width), room.diagonal[:width], y[:width], copies[:width])
    return advance_path(sample, grid, solutions, room.work, progress)


@kernel
def advance_members(K, drawn, n_positive, grid, coefs, biases, room, progress):
    """Fit one SVM per row of ``drawn``, which are rows of ``K``, positives first; return whether all are done.

    ``grid`` has one pair of penalties.  The coefficients y α by row of K, summed over the copies of a row, are written to
    ``coefs``, float64 of shape (n_members, n); the biases and the numbers of iterations are written to ``biases``, float64 of
    shape (2, n_members).
    """
    while progress[MEMBER] < len(drawn):
        e = progress[MEMBER]
        if not _advance_member(K, drawn[e], n_positive, grid, room, progress):
            return False
        biases[0, e], biases[1, e] = room.fits.biases[0], room.fits.iterations[0]
        coefs[e] = 0.0
        for t in range(progress[N_ROWS]):
            coefs[e, room.rows[t]] = room.slab[t]
        progress[MEMBER], progress[GATHERED] = e + np.int64(1), np.int64(0)
    return True


@helper
def _width_of(drawn, place):
    """Padded number of distinct rows in ``drawn``, so that the small matrix is packed without gaps."""
    n = 0
    for k in range(len(drawn)):
        if place[drawn[k]] < 0:
            place[drawn[k]] = 0
            n += 1
    for k in range(len(drawn)):
        place[drawn[k]] = -1
    return (n + LANES - 1) // LANES * LANES


class Ballot(NamedTuple):
    """Votes of ensembles on the rows ``first .. first + n_rows - 1`` of the matrix, one ensemble per pair of penalties."""

    first: int
    votes: np.ndarray  # int32 (n_fits, n_rows): the signs of the members' decision values are added to it
    iterations: np.ndarray  # int64 (n_members, n_fits): the solver's
    values: np.ndarray  # float64 (n_rows,): workspace
    signs: np.ndarray  # int8 (n_fits, n_rows): workspace


@kernel
def advance_votes(K, drawn, n_positive, grid, ballot, room, progress):
    """Add up the votes of ensembles that share the resamples ``drawn``; return whether all are done.

    ``K`` is symmetric, so that row s holds the kernel values of support vector s with all rows to evaluate, contiguously.
    """
    n_fits, n_rows = ballot.votes.shape
    values, signs = ballot.values, ballot.signs
    while progress[MEMBER] < len(drawn):
        e = progress[MEMBER]
        if not _advance_member(K, drawn[e], n_positive, grid, room, progress):
            return False
        n, width = progress[N_ROWS], progress[WIDTH]
        betas = room.slab[: n_fits * width].reshape(n_fits, width)
        for k in range(n_fits):
            ballot.iterations[e, k] = room.fits.iterations[k]
            source = room.fits.sources[k]
            if source >= 0:
                for r in range(n_rows):
                    signs[k, r] = signs[source, r]
            else:
                _evaluate(K, room.rows[:n], betas[k], room.fits.biases[k], ballot.first, ballot.first + n_rows, values)
                progress[LEFT] -= n * n_rows
                for r in range(n_rows):
                    signs[k, r] = (1 if values[r] > 0.0 else 0) - (1 if values[r] < 0.0 else 0)
            for r in range(n_rows):
                ballot.votes[k, r] += signs[k, r]
        progress[MEMBER], progress[GATHERED] = e + np.int64(1), np.int64(0)
    return True


@helper
def _evaluate(K, rows, beta, bias, first, last, values):
    """Decision values of the rows ``first .. last - 1``, added up by support vector."""
    for r in range(len(values)):
        values[r] = bias
    for t in range(len(rows)):
        b = beta[t]
        if b != 0.0:
            source = K[rows[t], first:last]
            for r in range(len(values)):
                values[r] += b * source[r]
