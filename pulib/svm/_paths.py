"""Many support vector machines over one kernel matrix: members of an ensemble, penalties of a grid, folds.

What is shared: the kernel matrix among all of them; the small matrix of one resample among all penalties tried on it; and
solutions among penalties, since each fit starts from the best multiple of one found before (the dual objective along a ray is a
parabola, so the best multiple is known without work).  A start that is optimal already is not solved, nor evaluated, again.

Bounded by arithmetic (the solver's) for ensembles, and by memory for whole training sets of many thousand rows.
"""

from typing import NamedTuple

import numpy as np

from pulib._compiled import helper, kernel
from pulib._random import random_below, seed_state
from pulib.svm._smo import LANES, Box, intercept, moments, solve

_STREAM = np.uint64(0x9E3779B97F4A7C15)  # unlabeled rows are drawn from a stream of their own


class Sample(NamedTuple):
    """One training set, with zeros up to the padded width."""

    K: np.ndarray  # (n, width): as pulib.svm._smo.solve takes it
    diagonal: np.ndarray  # (width,)
    y: np.ndarray  # (width,): 1 for positives, -1 for unlabeled rows, 0 for rows held out and for padding
    copies: np.ndarray  # (width,): multiples of the penalties; 0 for rows that take no part


class Grid(NamedTuple):
    """What is fitted on each training set: a machine for every pair of penalties, best in ascending order."""

    c_positive: np.ndarray  # (n_fits,)
    c_unlabeled: np.ndarray  # (n_fits,)
    tol: float
    max_iter: int


class Solutions(NamedTuple):
    """What came out, fit by fit."""

    betas: np.ndarray  # (n_fits, width)
    Fs: np.ndarray  # (n_fits, width): their gradients y − K β
    biases: np.ndarray
    iterations: np.ndarray
    sources: np.ndarray  # the earlier fit that this one equals, or -1


@kernel
def draw_resamples(seeds, n_positive, n_unlabeled, positive, unlabeled):
    """Bootstrap resamples, one per seed: places of rows among the positives and among the unlabeled.

    The first k draws of a longer resample are those of a shorter one, so that sizes are compared on common random numbers.

    Parameters
    ----------
    seeds : uint64 array (n_members,)
    n_positive, n_unlabeled : int
        How many rows there are to draw from.
    positive, unlabeled : int32 arrays (n_members, n_drawn), written to
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
    """The kernel matrix of a resample, each distinct row once.

    Parameters
    ----------
    K : float array (n, n or more)
    drawn : int array
        Rows of K, positives first, with repetitions.
    n_positive : int
        How many of ``drawn`` are positives.
    place : int32 array (n,)
        -1 everywhere, on entry and on return.
    rows : int32 array, written to
        The distinct rows.
    sample : Sample, written to
        ``copies`` says how often each was drawn.

    Returns
    -------
    n, width : int
        The number of distinct rows, and the padded width.
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
            target[b] = source[np.uint32(rows[b])]  # unsigned: no test for indices that count from the end
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
    """Set the bounds of fit k and the best start for it; the number of the fit that it equals, or -1."""
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
        # a bound that rounding has missed by a hair would cost an iteration to reach
        if b > upper[t] * (1.0 - 1e-12):
            b = upper[t]
        elif b < lower[t] * (1.0 - 1e-12):
            b = lower[t]
        betas[k, t] = b
        Fs[k, t] = y[t] - scale * (y[t] - Fs[source, t])
    return source if scale == 1.0 else -1


@kernel
def solve_path(sample, grid, solutions, work):
    """One training set, all pairs of penalties, each fit started from those before it.

    Parameters
    ----------
    sample : Sample
    grid : Grid
    solutions : Solutions, written to
    work : float64 array (6, at least width and n_fits)
    """
    n_fits, width = solutions.betas.shape
    box = Box(work[0, :width], work[1, :width], work[2, :width], work[3, :width])
    linear, quadratic = work[4], work[5]
    for k in range(n_fits):
        same = _start(k, sample, grid, solutions, linear, quadratic, box)
        beta, F = solutions.betas[k], solutions.Fs[k]
        steps = solve(sample.K, sample.diagonal, F, beta, box, grid.tol, grid.max_iter)
        solutions.iterations[k] = steps
        solutions.sources[k] = same if steps == 0 else -1
        solutions.biases[k] = intercept(F, beta, box)
        linear[k], quadratic[k] = moments(F, beta, sample.y)


@kernel
def fit_members(K, drawn, n_positive, grid, coefs, biases, iterations):
    """Fit one machine per row of ``drawn``.

    Parameters
    ----------
    K : float array (n, n or more)
    drawn : int array (n_members, n_drawn)
        Rows of K, the ``n_positive`` positives first.
    grid : Grid
        Of one pair of penalties.
    coefs : float64 array (n_members, n), written to
        Coefficients y α by row of K, summed over the copies of a row.
    biases : float64 array (n_members,), written to
    iterations : int64 array (n_members,), written to
    """
    n_drawn = min(drawn.shape[1], len(K))
    width = (n_drawn + LANES - 1) // LANES * LANES
    place = np.full(len(K), -1, dtype=np.int32)
    rows = np.empty(width, dtype=np.int32)
    copies, y = np.empty(width), np.empty(width)
    sub = np.empty(n_drawn * width, dtype=K.dtype)
    diagonal = np.empty(width, dtype=K.dtype)
    slab = np.empty(2 * width)
    work = np.empty((6, width))
    sources = np.empty(1, dtype=np.int64)
    for e in range(len(drawn)):
        packed = _width_of(drawn[e], place)
        small = sub[: n_drawn * packed].reshape(n_drawn, packed)
        n, m = gather(K, drawn[e], n_positive, place, rows, Sample(small, diagonal, y, copies))
        beta, F = slab[:m].reshape(1, m), slab[m : 2 * m].reshape(1, m)
        solutions = Solutions(beta, F, biases[e : e + 1], iterations[e : e + 1], sources)
        solve_path(Sample(small[:n], diagonal[:m], y[:m], copies[:m]), grid, solutions, work)
        coefs[e] = 0.0
        for t in range(n):
            coefs[e, rows[t]] = beta[0, t]


@helper
def _width_of(drawn, place):
    """The padded number of distinct rows among ``drawn``, so that the small matrix is packed without gaps."""
    n = 0
    for k in range(len(drawn)):
        if place[drawn[k]] < 0:
            place[drawn[k]] = 0
            n += 1
    for k in range(len(drawn)):
        place[drawn[k]] = -1
    return (n + LANES - 1) // LANES * LANES


@kernel
def vote(K, drawn, n_positive, first, last, grid, votes, iterations):
    """Votes of ensembles on the rows ``first .. last - 1`` of K, one ensemble per pair of penalties, all on the same resamples.

    Parameters
    ----------
    K : float array (n, n or more)
        Symmetric: row s holds the kernel values of all rows to evaluate with a support vector s, side by side.
    drawn : int array (n_members, n_drawn)
        As for :func:`fit_members`.
    grid : Grid
    votes : int32 array (n_fits, last - first)
        The sum of the signs of the members' decision values is added to it.
    iterations : int64 array (n_members, n_fits), written to
        The solver's iterations.
    """
    n_fits, n_rows = votes.shape
    n_drawn = min(drawn.shape[1], len(K))
    width = (n_drawn + LANES - 1) // LANES * LANES
    place = np.full(len(K), -1, dtype=np.int32)
    rows = np.empty(width, dtype=np.int32)
    copies, y = np.empty(width), np.empty(width)
    sub = np.empty(n_drawn * width, dtype=K.dtype)
    diagonal = np.empty(width, dtype=K.dtype)
    slab = np.empty(2 * n_fits * width)
    work = np.empty((6, max(width, n_fits)))
    biases = np.empty(n_fits)
    steps = np.empty(n_fits, dtype=np.int64)
    sources = np.empty(n_fits, dtype=np.int64)
    values = np.empty(n_rows)
    signs = np.empty((n_fits, n_rows), dtype=np.int8)
    for e in range(len(drawn)):
        packed = _width_of(drawn[e], place)
        small = sub[: n_drawn * packed].reshape(n_drawn, packed)
        n, m = gather(K, drawn[e], n_positive, place, rows, Sample(small, diagonal, y, copies))
        both = slab[: 2 * n_fits * m].reshape(2, n_fits, m)
        betas = both[0]
        solutions = Solutions(betas, both[1], biases, steps, sources)
        solve_path(Sample(small[:n], diagonal[:m], y[:m], copies[:m]), grid, solutions, work)
        for k in range(n_fits):
            iterations[e, k] = steps[k]
            if sources[k] >= 0:
                for r in range(n_rows):
                    signs[k, r] = signs[sources[k], r]
            else:
                _evaluate(K, rows[:n], betas[k], biases[k], first, last, values)
                for r in range(n_rows):
                    signs[k, r] = (1 if values[r] > 0.0 else 0) - (1 if values[r] < 0.0 else 0)
            for r in range(n_rows):
                votes[k, r] += signs[k, r]


@helper
def _evaluate(K, rows, beta, bias, first, last, values):
    """Decision values of neighboring rows, support vector by support vector."""
    for r in range(len(values)):
        values[r] = bias
    for t in range(len(rows)):
        b = beta[t]
        if b != 0.0:
            source = K[rows[t], first:last]
            for r in range(len(values)):
                values[r] += b * source[r]


@kernel
def decide_held_out(K, diagonal, y, grid, first, last, values, iterations):
    """Fit all rows but ``first .. last - 1`` for every pair of penalties, and give the decision values of those.

    No copy of the matrix is made: rows held out have no room to move, and the solver keeps their gradients, which are their
    decision values but for sign and bias.

    Parameters
    ----------
    y : float64 array (width,)
        Signs of all rows, 0 beyond.
    grid : Grid
    values : float64 array (n_fits, last - first), written to
    iterations : int64 array (n_fits,), written to
    """
    n_fits, width = len(values), len(y)
    training_signs = y.copy()
    training_signs[first:last] = 0.0
    sample = Sample(K, diagonal, training_signs, np.abs(training_signs))
    betas, Fs = np.empty((n_fits, width)), np.empty((n_fits, width))
    biases, sources = np.empty(n_fits), np.empty(n_fits, dtype=np.int64)
    solve_path(sample, grid, Solutions(betas, Fs, biases, iterations, sources), np.empty((6, max(width, n_fits))))
    for k in range(n_fits):
        for r in range(last - first):
            values[k, r] = biases[k] - Fs[k, first + r]
