"""Weight per code, for every threshold of every feature.

*Narrow* (one-byte codes): histograms are kept from round to round.  A round multiplies the weights on each side of its stump by
one factor, so only the rows of the smaller side are visited: their weights are subtracted from the histogram, and both parts
are multiplied and added.  *Wide* (more codes): each feature is summed again, exactly, in fixed point.

Bounded by the processor's stores, one per row and feature visited.  Four features share the loads of a row's number and weight,
and even and odd rows have separate histograms, so that runs of equal codes do not wait for each other.
"""

from typing import NamedTuple

import numpy as np

from pulib._compiled import helper, kernel

NARROW = 256
_GROUP = 4


class MovedRows(NamedTuple):
    """Rows on one side of a stump, with their weights before it, and the factors of the weights on both sides."""

    rows: np.ndarray  # (n,) int32, n even: padded with weight 0
    weights: np.ndarray  # (n,) int64: in units of ``unit``
    unit: float
    factor_out: float  # of the other side
    factor_in: float


class Histograms(NamedTuple):
    """Weight per code of every feature, and the candidate thresholds."""

    positive: np.ndarray  # (n_features, 256) float64
    negative: np.ndarray
    n_codes: np.ndarray  # (n_features,) int64
    tried: np.ndarray  # (n_features, 256) bool: codes whose upper end is a candidate threshold


class Bounds(NamedTuple):
    """Sums of the weights, and the least ε_nn at which a stump is possibly, or certainly, admissible."""

    total_positive: float
    total_negative: float
    possible: float
    certain: float


class FixedWeights(NamedTuple):
    """Weights in fixed point, their sums, and how far below 0 ε_nn may be."""

    positive: np.ndarray  # int64; covers the first rows only
    negative: np.ndarray
    total_positive: int
    total_negative: int
    slack: int


class BestCuts(NamedTuple):
    """Best stump of each feature; int64 arrays of shape (n_features,), with polarity 0 if none is admissible."""

    errors: np.ndarray
    cuts: np.ndarray
    polarities: np.ndarray


@helper
def _add_rows(codes, feature, rows, weights, sums):
    """Sum the weights of an even number of rows by the codes of four features; ``sums`` is int64 of shape (4 * 2 * 256,)."""
    sums[:] = 0
    c0 = codes[feature]
    c1 = codes[feature + 1]
    c2 = codes[feature + 2]
    c3 = codes[feature + 3]
    for k in range(0, rows.shape[0], 2):
        i = rows[k]
        j = rows[k + 1]
        a = weights[k]
        b = weights[k + 1]
        sums[np.intp(c0[i])] += a
        sums[512 + np.intp(c1[i])] += a
        sums[1024 + np.intp(c2[i])] += a
        sums[1536 + np.intp(c3[i])] += a
        sums[256 + np.intp(c0[j])] += b
        sums[768 + np.intp(c1[j])] += b
        sums[1280 + np.intp(c2[j])] += b
        sums[1792 + np.intp(c3[j])] += b


@kernel
def advance(codes: np.ndarray, moved: MovedRows, first: int, last: int, histogram: np.ndarray) -> None:
    """Replace each histogram by ``factor_out * (itself - part) + factor_in * part``, where ``part`` is that of the moved rows.

    ``codes`` are uint8 of shape (n_features, n_rows), ``histogram`` is float64 of shape (n_features, 256), and ``first`` and
    ``last`` are multiples of 4.
    """
    sums = np.empty(_GROUP * 2 * NARROW, np.int64)
    for feature in range(first, last, _GROUP):
        _add_rows(codes, feature, moved.rows, moved.weights, sums)
        for k in range(_GROUP):
            base = 2 * NARROW * k
            for c in range(NARROW):
                part = np.float64(sums[base + c] + sums[base + NARROW + c]) * moved.unit
                rest = histogram[feature + k, c] - part
                histogram[feature + k, c] = moved.factor_out * rest + moved.factor_in * part


@helper
def _scores(left_positive, left_negative, total_positive, total_negative):
    """Return ε and ε_nn (eq. 8) of both polarities, from the weights left of the threshold: (ε+, nn+, ε−, nn−)."""
    right_positive = total_positive - left_positive
    right_negative = total_negative - left_negative
    return left_positive + right_negative, right_negative, right_positive + left_negative, left_negative


@kernel
def screen(histograms, bounds, first, last, certain, possible):
    """Find the least ε of each feature, from histograms that are known up to an error.

    The least ε of stumps that are certainly, or possibly, admissible is written to ``certain`` and ``possible``, float64 arrays
    of shape (n_features,); it is infinite if there are none.
    """
    for feature in range(first, last):
        sure = np.inf
        maybe = np.inf
        a = 0.0
        b = 0.0
        for c in range(histograms.n_codes[feature] - 1):
            a += histograms.positive[feature, c]
            b += histograms.negative[feature, c]
            if not histograms.tried[feature, c]:
                continue
            e1, m1, e2, m2 = _scores(a, b, bounds.total_positive, bounds.total_negative)
            if m1 >= bounds.possible:
                maybe = min(maybe, e1)
                if m1 >= bounds.certain:
                    sure = min(sure, e1)
            if m2 >= bounds.possible:
                maybe = min(maybe, e2)
                if m2 >= bounds.certain:
                    sure = min(sure, e2)
        certain[feature] = sure
        possible[feature] = maybe


@kernel
def finalists(histograms, bounds, most, features, out):
    """Find the stumps on ``features`` that are possibly admissible and have ε of at most ``most``; return their number.

    Their features and cuts are written to ``out``, int64 of shape (2, 256 * number of features).
    """
    count = 0
    for feature in features:
        a = 0.0
        b = 0.0
        for c in range(histograms.n_codes[feature] - 1):
            a += histograms.positive[feature, c]
            b += histograms.negative[feature, c]
            if not histograms.tried[feature, c]:
                continue
            e1, m1, e2, m2 = _scores(a, b, bounds.total_positive, bounds.total_negative)
            if (m1 >= bounds.possible and e1 <= most) or (m2 >= bounds.possible and e2 <= most):
                out[0, count] = feature
                out[1, count] = c
                count += 1
    return count


@kernel
def best_cuts(codes, n_codes, weights, enough, first, last, best):
    """Find the least admissible ε of each feature over all its thresholds, exactly, and write it to ``best``.

    Ties go to the smallest cut, then to polarity +1.  The first stump with at most the error ``enough`` wins, even if later
    ones are better.  ``codes`` are integers of shape (n_features, n_rows).
    """
    errors, cuts, polarities = best.errors, best.cuts, best.polarities
    sums = np.empty((2, n_codes.max()), np.int64)
    for feature in range(first, last):
        m = n_codes[feature]
        polarities[feature] = 0
        if m < 2:
            continue
        row = codes[feature]
        sums[:, :m] = 0
        for i in range(weights.positive.shape[0]):
            sums[0, row[i]] += weights.positive[i]
        for i in range(weights.negative.shape[0]):
            sums[1, row[i]] += weights.negative[i]
        a = np.int64(0)
        b = np.int64(0)
        for c in range(m - 1):
            a += sums[0, c]
            b += sums[1, c]
            e1, m1, e2, m2 = _scores(a, b, weights.total_positive, weights.total_negative)
            if polarities[feature] != 0 and errors[feature] <= enough:
                break
            if m1 >= -weights.slack and (polarities[feature] == 0 or e1 < errors[feature]):
                errors[feature] = e1
                cuts[feature] = c
                polarities[feature] = 1
            if m2 >= -weights.slack and (polarities[feature] == 0 or (e2 < errors[feature] and errors[feature] > enough)):
                errors[feature] = e2
                cuts[feature] = c
                polarities[feature] = -1
