"""A forest in parts has the same trees as a single fit, to the bit, whichever process grows them."""

import os
import pickle

import joblib
import numpy as np
import pytest
from scipy import sparse

from pulib import PUExtraTreesClassifier
from pulib.trees import fit_part, join_parts

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 4))
Y = (X[:, 0] + RNG.normal(size=300) > 1).astype(int)
FOREST = PUExtraTreesClassifier(7, prior=0.4, random_state=3)
HOLES = np.where(RNG.random(X.shape) < 0.2, np.nan, X)
WEIGHTS = RNG.integers(0, 4, 300)


def parts_of(forest, n_parts, rows=X, weights=None):
    """Return parts as made by jobs elsewhere, and not in order."""
    return [pickle.loads(pickle.dumps(fit_part(forest, rows, Y, part, n_parts, weights))) for part in reversed(range(n_parts))]


@pytest.mark.parametrize(
    ("params", "rows"),
    [
        ({"risk": "pn", "splitter": "best"}, X),
        ({"prior": None, "scenario": "one_sample"}, X),
        ({"bootstrap": True, "n_jobs": 2}, HOLES),
        ({"random_state": np.int64(5), "bootstrap": True}, sparse.csr_matrix(np.round(X))),
        ({"bootstrap": True, "oob_score": True, "calibration": "isotonic"}, X),
        ({"calibration": "sigmoid"}, X),
    ],
    ids=["pn", "estimated prior", "missing", "sparse", "out of bag", "calibrated"],
)
def test_joined_parts_equal_a_single_fit(params, rows):
    forest = PUExtraTreesClassifier(5, **{"prior": 0.4, "random_state": 1} | params)
    joined = join_parts(parts_of(forest, 2, rows, WEIGHTS), rows, Y, WEIGHTS)
    assert joblib.hash(joined) == joblib.hash(forest.fit(rows, Y, WEIGHTS))
    if forest.oob_score:
        assert np.isfinite(joined.oob_decision_function_[WEIGHTS == 0]).all()


def test_joining_does_not_change_the_parts_and_the_forest_can_grow():
    parts = parts_of(FOREST, 3)
    before = joblib.hash(parts)
    whole = join_parts(parts).set_params(warm_start=True, n_estimators=9).fit(X, Y)
    assert joblib.hash(parts) == before
    single = PUExtraTreesClassifier(9, prior=0.4, random_state=3, warm_start=True).fit(X, Y)
    assert joblib.hash(whole.estimators_) == joblib.hash(single.estimators_)


@pytest.mark.parametrize(
    ("forest", "part", "n_parts", "message"),
    [
        (FOREST, 0, 8, "n_parts=8; expected 1 to 7"),
        (FOREST, 3, 3, "part=3; expected 0 to 2"),
        (PUExtraTreesClassifier(7, prior=0.4), 0, 3, "random_state=None; .* Pass an integer"),
        (PUExtraTreesClassifier(7, random_state=0, warm_start=True), 0, 3, "To add trees, set it on the joined forest"),
        (PUExtraTreesClassifier(7, random_state=0, prior=2.0), 0, 3, "'prior' parameter"),
    ],
)
def test_bad_parts_raise_an_error(forest, part, n_parts, message):
    with pytest.raises(ValueError, match=message):
        fit_part(forest, X, Y, part, n_parts)


def test_parts_that_do_not_match_raise_an_error():
    first, *_, last = parts = sorted(parts_of(FOREST, 3), key=lambda part: part.part_.start)
    other_prior = fit_part(PUExtraTreesClassifier(7, prior=0.5, random_state=3), X, Y, 1, 3)
    other_rows = fit_part(FOREST, X[1:], Y[1:], 1, 3)
    wider = fit_part(FOREST, np.hstack([X, X]), Y, 1, 3)
    for given, message in (
        ([], "no parts"),
        ([first, last], "trees 2 to 3 of 7 are in no part"),
        (parts[1:], "trees 0 to 1 of 7"),
        (parts[:2], "trees 4 to 6 of 7"),
        ([*parts, last], "trees 4 to 6 are in more than one part"),
        ([first, other_prior, last], "prior is 0.4 in the part of trees 0 to 1, and 0.5 in that of 2 to 3"),
        ([first, other_rows, last], "299 rows, .* but the existing trees 0 to 1 were fitted to 300 rows"),
        ([first, wider, last], "n_features_in is 4"),
        ([PUExtraTreesClassifier(1, prior=0.4).fit(X, Y)], "is not a part of a forest"),
        (
            parts_of(PUExtraTreesClassifier(4, prior=0.4, random_state=0, calibration="sigmoid"), 2),
            r"join_parts\(parts, X, y\)",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            join_parts(given)


def _grow(path, part, n_parts):
    rows = np.load(path / "X.npy", mmap_mode="r")
    return os.getpid(), fit_part(FOREST, rows, np.load(path / "y.npy"), part, n_parts)


@pytest.mark.slow
def test_parts_on_two_workers_of_dask(tmp_path):
    """Each worker maps the rows from a file; rows given as arrays are sent by joblib."""
    why = "distributed is not installed: pip install -e '.[dask]'"
    distributed = pytest.importorskip("distributed", reason=why)
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", Y)
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=str(tmp_path)
    )
    with cluster, distributed.Client(cluster):
        with joblib.parallel_config(backend="dask"):
            done = joblib.Parallel()(joblib.delayed(_grow)(tmp_path, part, 4) for part in range(4))
        with joblib.parallel_config(backend="dask", scatter=[X, Y]):
            sent = joblib.Parallel()(joblib.delayed(fit_part)(FOREST, X, Y, part, 3) for part in range(3))
    workers, mapped = zip(*done, strict=True)
    assert len(set(workers) - {os.getpid()}) == 2
    single = joblib.hash(FOREST.fit(X, Y))
    assert joblib.hash(join_parts(mapped)) == single
    assert joblib.hash(join_parts(sent)) == single
