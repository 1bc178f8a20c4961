"""Rows that look repeated are found in tables of every kind, and not where there are none."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits

from pulib._warnings import issue_warning, repeats_warning
from pulib.exceptions import PUWarning
from pulib.utils import find_repeats


def families(n, size, d, noise, seed=0):
    """Return ``n`` families of ``size`` nearly equal rows, a fifth of the families labeled."""
    rng = np.random.default_rng(seed)
    X = np.repeat(rng.normal(size=(n, d)), size, axis=0) + rng.normal(0, noise, size=(n * size, d))
    order = rng.permutation(n * size)
    return X[order], np.repeat(rng.random(n) < 0.2, size)[order]


@pytest.mark.parametrize(("n", "size", "d", "noise"), [(60, 3, 3, 0.01), (150, 7, 10, 0.2), (500, 5, 2, 0.005)])
def test_families_are_found_with_their_size(n, size, d, noise):
    found = find_repeats(*families(n, size, d, noise))
    assert found.share > 0.3
    assert abs(found.size - size) <= 1 or d == 2  # in two dimensions, other families lie in between


def tight_clusters(rng):
    return np.concatenate([rng.normal(place, 0.01, size=(100, 4)) for place in range(8)])


def categories_and_a_number(rng):
    return np.c_[rng.integers(0, 2, size=(800, 12)), rng.normal(size=800)]


@pytest.mark.parametrize(
    "draw",
    [
        *(lambda rng, d=d: rng.normal(size=(800, d)) for d in (1, 2, 300)),
        lambda rng: rng.exponential(size=(800, 30)),
        lambda rng: load_digits().data[:800],
        tight_clusters,
        categories_and_a_number,
        lambda rng: rng.integers(0, 100, size=(800, 1)),
        lambda rng: rng.integers(0, 100, size=(800, 3)),
        lambda rng: rng.poisson(2, size=(800, 5)),
        lambda rng: np.exp(3 * rng.normal(size=(800, 4))),
        *(
            lambda rng, d=d, p=p: rng.normal(size=(800, d)) * (rng.random((800, d)) > p)
            for d, p in [(3, 0.5), (6, 0.7), (30, 0.9)]
        ),
        lambda rng: np.repeat(rng.normal(size=(400, 3)), 2, axis=0),  # equal rows: folds keep these together
        lambda rng: np.zeros((800, 2)),
        lambda rng: np.full((800, 2), np.nan),
    ],
)
def test_finds_no_repeats_in_independent_rows_clusters_and_categories(draw):
    rows = draw(np.random.default_rng(0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert find_repeats(rows, np.arange(800) < 100) is None


def test_frames_with_text_dates_and_holes():
    pd = pytest.importorskip("pandas")
    X, positive = families(100, 4, 3, 0.01)
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(X, columns=list("abc")).assign(
        place=rng.choice(["north", "south"], len(X)), note=[f"note {i}" for i in range(len(X))], d=X[:, 2].astype(object)
    )
    frame["day"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(X[:, 0] * 1000, unit="h")
    frame.loc[::9, "b"] = None
    assert find_repeats(frame, positive).size == 4
    assert find_repeats(frame[["place", "note"]], positive) is None
    shuffled = frame.apply(lambda column: rng.permutation(column))  # each column separately
    assert find_repeats(shuffled, positive) is None


def words(rng, n, length=25):
    return [" ".join(f"w{i}" for i in rng.integers(0, 2000, length)) for _ in range(n)]


def test_texts():
    own = words(np.random.default_rng(0), 300)
    assert find_repeats(own, np.arange(300) < 40) is None
    variants = [f"{text} {word}" for text in own[:100] for word in ("alpha", "beta", "gamma")]
    assert find_repeats(np.array(variants), np.arange(300) < 40).size == 3


def test_sparse_rows():
    rng = np.random.default_rng(0)
    rows = sparse.random(200, 5000, 0.01, format="csr", random_state=0)
    assert find_repeats(rows, np.arange(200) < 30) is None
    several = sparse.vstack([rows] * 3).tocsr()
    several.data *= rng.uniform(0.95, 1.05, several.nnz)
    assert find_repeats(several, np.arange(600) < 90).size == 3
    assert find_repeats(sparse.csr_array(several), np.arange(600) < 90).size == 3


def test_finds_adjacent_siblings_in_more_rows_than_are_sampled():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(40_000, 4)), 3, axis=0) + rng.normal(0, 1e-3, size=(120_000, 4))
    found = find_repeats(X, np.arange(120_000) % 600 < 3)
    assert found.share > 0.8
    assert found.size == 3


def test_warning_names_share_size_and_remedy():
    X, positive = families(80, 5, 4, 0.01)
    with pytest.warns(PUWarning, match=r"100% .* sets of about 5 .*OOB scores cannot be trusted\. Pass groups=, or"):
        issue_warning(repeats_warning(X, positive, "OOB scores", remedy="groups="))
    assert repeats_warning(np.random.default_rng(0).normal(size=(200, 4)), np.arange(200) < 50, "it", remedy="groups=") == ""
