"""The kernels of the stump search against sums that anyone can follow."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from pulib.boosting._binning import aligned_zeros, equal_width_edges, padded
from pulib.boosting._histogram import BestCuts, FixedWeights, MovedRows, advance, best_cuts
from pulib.boosting._sums_above import sum_above, sums_above
from pulib.kernels import encode
from tests.pulib.naive.boosting import sums_above as naive_sums_above


def run(function, items):
    return [function(item) for item in items]


@settings(deadline=None, max_examples=40)
@given(
    X=arrays.arrays(
        st.sampled_from([np.float64, np.float32, np.uint8, np.int64]),
        arrays.array_shapes(min_dims=2, max_dims=2, max_side=40),
        elements=st.integers(0, 100),
    ),
    max_bins=st.sampled_from([None, 2, 5]),
    equal_width=st.booleans(),
)
def test_codes_order_the_values(X, max_bins, equal_width):
    order = np.random.default_rng(0).permutation(len(X))
    data = encode(X, order, slice(None), max_bins=max_bins, equal_width=equal_width, run=run)
    assert data.codes.shape == (padded(X.shape[1], 8), padded(len(X), 64))
    assert data.codes.ctypes.data % 64 == 0
    for feature, column in enumerate(X[order].T):
        codes, edges = data.codes[feature, : len(X)], data.edges[data.starts[feature] : data.starts[feature + 1]]
        assert data.n_codes[feature] == len(edges) <= (max_bins or len(X))
        np.testing.assert_array_equal(codes, [sum(edge < value for edge in edges) for value in column])
        if data.exact[feature]:
            np.testing.assert_array_equal(edges, np.unique(column))
        for code in range(len(edges) - 1):
            np.testing.assert_array_equal(codes > code, column > data.threshold_between(feature, code))


@settings(deadline=None, max_examples=30)
@given(
    seed=st.integers(0, 2**31),
    kind=st.sampled_from([np.uint8, np.uint16, np.uint32]),
    n=st.integers(1, 200),
    groups=st.integers(1, 3),
    part=st.floats(0, 1),
)
def test_sums_above_cuts(seed, kind, n, groups, part):
    rng = np.random.default_rng(seed)
    codes = aligned_zeros((8 * groups, padded(n, 64)), kind)
    most = min(np.iinfo(kind).max, 70_000)
    codes[:, :n] = rng.integers(0, most, (8 * groups, n), endpoint=True)
    weights = aligned_zeros((padded(max(1, int(part * n)), 64),), np.int64)
    weights[: int(part * n)] = rng.integers(-(2**55), 2**55, int(part * n))
    cuts = rng.integers(0, most, 8 * groups, endpoint=True).astype(kind)
    sums = np.full(8 * groups, -1)
    sums_above(codes, weights, cuts, 0, 8 * groups, sums)
    expected = [naive_sums_above(row, weights, cut) for row, cut in zip(codes, cuts, strict=True)]
    assert sums.tolist() == expected
    assert [sum_above(row, weights, cut) for row, cut in zip(codes, cuts, strict=True)] == expected


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 2**31), n=st.integers(2, 200), share=st.floats(0, 1))
def test_carried_histograms_are_fresh_ones(seed, n, share):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 255, (8, n), endpoint=True).astype(np.uint8)
    weights = rng.integers(0, 2**40, n)
    picked = rng.random(n) < share
    rows = np.flatnonzero(picked).astype(np.int32)
    rows = np.append(rows, np.int32(0)) if len(rows) % 2 else rows
    taken = weights[rows] * (np.arange(len(rows)) < picked.sum())
    unit = 2.0**-40
    before = np.array([np.bincount(row, weights * unit, 256) for row in codes])
    advance(codes, MovedRows(rows, taken, unit, factor_out=0.5, factor_in=3.0), 0, 8, before)
    after = weights * unit * np.where(picked, 3.0, 0.5)
    np.testing.assert_allclose(before, [np.bincount(row, after, 256) for row in codes], atol=1e-12 * n)


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 2**31), n=st.integers(2, 60), most=st.integers(1, 9))
def test_best_cuts(seed, n, most):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, most, (8, n), endpoint=True).astype(np.uint16)
    positive, negative = rng.integers(0, 9, n // 2), rng.integers(-3, 9, n)
    totals = (int(positive.sum()), int(negative.sum()))
    best = BestCuts(*np.zeros((3, 8), np.int64))
    n_codes = codes.max(axis=1).astype(np.int64) + 1
    weights = FixedWeights(positive, negative, *totals, slack=0)
    best_cuts(codes, n_codes, weights, np.iinfo(np.int64).min, 0, 8, best)
    for feature, row in enumerate(codes):
        found = []
        for cut in range(n_codes[feature] - 1):
            a, b = naive_sums_above(row, positive, cut), naive_sums_above(row, negative, cut)
            found += [(totals[0] - a + b, cut, -1)] if b >= 0 else []
            found += [(a + totals[1] - b, cut, 1)] if totals[1] - b >= 0 else []
        if found:
            assert (best.errors[feature], best.cuts[feature], -best.polarities[feature]) == min(found)
            enough = min(found)[0] + 3
            best_cuts(codes, n_codes, weights, enough, feature, feature + 1, best)
            first = min((cut, minus, error) for error, cut, minus in found if error <= enough)
            assert (best.cuts[feature], -best.polarities[feature], best.errors[feature]) == first
        else:
            assert best.polarities[feature] == 0


def test_edges_of_one_width_cut_the_range_evenly():
    np.testing.assert_allclose(equal_width_edges(2.0, 10.0, 4), [4.0, 6.0, 8.0, 10.0])
    huge = 1.5e308  # whose difference is beyond the greatest number
    np.testing.assert_allclose(equal_width_edges(-huge, huge, 2), [0.0, huge], atol=1e295)
