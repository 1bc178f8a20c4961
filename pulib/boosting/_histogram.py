"""Weight per code, for every threshold of every feature.

Two ways.  *Narrow* (one-byte codes): the histograms are kept from round to round.  A round multiplies the weights on each
side of its stump by one factor, so that only the rows of the smaller side have to be visited: what they held is taken out of
the histogram, and both parts come back multiplied.  *Wide* (more codes): each feature is summed anew, exactly, in fixed point.

Bounded by the processor's stores, one per row and feature visited: four features share the loads of a row's number and weight,
and even and odd rows have histograms of their own, so that runs of equal codes do not wait for each other.
"""

import numpy as np

from pulib._compiled import helper, kernel

NARROW = 256
_GROUP = 4


@helper
def _add_rows(codes, feature, rows, weights, n, sums):
    """Add the weights of ``rows[:n]`` (n even) to the histograms of four features; sums: int64, shape (4 * 2 * 256,)."""
    sums[:] = 0
    c0 = codes[feature]
    c1 = codes[feature + 1]
    c2 = codes[feature + 2]
    c3 = codes[feature + 3]
    for k in range(0, n, 2):
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
def advance(codes, rows, weights, n, unit, factor_out, factor_in, first, last, scratch, histogram):
    """Replace each histogram by ``factor_out * (itself - part) + factor_in * part``, part being that of ``rows[:n]``.

    Parameters
    ----------
    codes : uint8 array of shape (n_features, n_rows)
    rows, weights : int32 and int64 arrays
        Row numbers and their weights in units of ``unit``; n is even (pad with weight 0).
    first, last : int
        Features; multiples of 4.
    scratch : int64 array of shape (2048,)
    histogram : float64 array of shape (n_features, 256)
    """
    for feature in range(first, last, _GROUP):
        _add_rows(codes, feature, rows, weights, n, scratch)
        for k in range(_GROUP):
            base = 2 * NARROW * k
            for c in range(NARROW):
                part = np.float64(scratch[base + c] + scratch[base + NARROW + c]) * unit
                own = histogram[feature + k, c]
                histogram[feature + k, c] = factor_out * (own - part) + factor_in * part


@helper
def _scores(left_positive, left_negative, total_positive, total_negative):
    """ε and ε_nn (eq. 8) of both polarities, from the weights left of the threshold: (ε+, nn+, ε−, nn−)."""
    right_positive = total_positive - left_positive
    right_negative = total_negative - left_negative
    return left_positive + right_negative, right_negative, right_positive + left_negative, left_negative


@kernel
def screen(positive, negative, n_codes, tried, totals, slack, error, first, last, certain, possible):
    """Least ε of each feature, from histograms that are known up to ``error``.

    Parameters
    ----------
    positive, negative : float64 arrays of shape (n_features, 256)
    n_codes : int64 array
    tried : bool array of shape (n_features, 256)
        Codes whose upper end is a candidate threshold.
    totals : pair of float
    slack : float
        ε_nn may be as low as ``-slack``.
    certain, possible : float64 arrays of shape (n_features,)
        Written: the least ε of stumps that are certainly, or possibly, admissible; infinity where there is none.
    """
    for feature in range(first, last):
        sure = np.inf
        maybe = np.inf
        a = 0.0
        b = 0.0
        for c in range(n_codes[feature] - 1):
            a += positive[feature, c]
            b += negative[feature, c]
            if not tried[feature, c]:
                continue
            e1, m1, e2, m2 = _scores(a, b, totals[0], totals[1])
            if m1 >= -slack - error:
                maybe = min(maybe, e1)
                if m1 >= -slack + error:
                    sure = min(sure, e1)
            if m2 >= -slack - error:
                maybe = min(maybe, e2)
                if m2 >= -slack + error:
                    sure = min(sure, e2)
        certain[feature] = sure
        possible[feature] = maybe


@kernel
def finalists(positive, negative, n_codes, tried, totals, slack, error, bound, feature, out):
    """Codes of a feature where a possibly admissible stump has ε of at most ``bound``; returns how many."""
    count = 0
    a = 0.0
    b = 0.0
    for c in range(n_codes[feature] - 1):
        a += positive[feature, c]
        b += negative[feature, c]
        if not tried[feature, c]:
            continue
        e1, m1, e2, m2 = _scores(a, b, totals[0], totals[1])
        if (m1 >= -slack - error and e1 <= bound) or (m2 >= -slack - error and e2 <= bound):
            out[count] = c
            count += 1
    return count


@kernel
def best_cuts(codes, positive, negative, n_codes, totals, slack, enough, first, last, scratch, errors, cuts, polarities):
    """Least admissible ε of each feature over all its thresholds, exactly.

    Parameters
    ----------
    codes : integer array of shape (n_features, n_rows)
    positive, negative : int64 arrays
        Weights in fixed point; ``positive`` covers the first rows only.
    totals : pair of int
    slack : int
    enough : int
        The first stump of at most this error is taken, whatever follows.
    scratch : int64 array of shape (2, the greatest number of codes)
    errors, cuts, polarities : int64 arrays of shape (n_features,)
        Written; ``polarities`` is 0 where no stump is admissible.  Of equal ones the least cut counts, and +1 before -1.
    """
    for feature in range(first, last):
        m = n_codes[feature]
        polarities[feature] = 0
        if m < 2:
            continue
        row = codes[feature]
        scratch[:, :m] = 0
        for i in range(positive.shape[0]):
            scratch[0, row[i]] += positive[i]
        for i in range(negative.shape[0]):
            scratch[1, row[i]] += negative[i]
        a = np.int64(0)
        b = np.int64(0)
        for c in range(m - 1):
            a += scratch[0, c]
            b += scratch[1, c]
            e1, m1, e2, m2 = _scores(a, b, totals[0], totals[1])
            if polarities[feature] != 0 and errors[feature] <= enough:
                break
            if m1 >= -slack and (polarities[feature] == 0 or e1 < errors[feature]):
                errors[feature] = e1
                cuts[feature] = c
                polarities[feature] = 1
            if m2 >= -slack and (polarities[feature] == 0 or (e2 < errors[feature] and errors[feature] > enough)):
                errors[feature] = e2
                cuts[feature] = c
                polarities[feature] = -1
