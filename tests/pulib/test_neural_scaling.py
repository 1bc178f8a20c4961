"""Features of any scale in networks: inputs are standardized in double precision, however they are stored."""

import tracemalloc
import warnings
from functools import cache
from itertools import cycle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

torch = pytest.importorskip("torch")

from pulib import NeuralPUClassifier, SelfPUClassifier  # noqa: E402
from pulib.exceptions import PUWarning  # noqa: E402
from pulib.neural._scaling import moments  # noqa: E402
from tests.pulib.test_neural import Watch, blobs  # noqa: E402

CLASSES = pytest.mark.parametrize("cls", [NeuralPUClassifier, SelfPUClassifier])
FAST = {"prior": 0.4, "epochs": 8, "batch_size": 50, "body_params": {"width": 16}, "n_threads": 1, "random_state": 0}
UNITS = {
    "hundreds above ten thousand": (100.0, 1e4),
    "tiny": (1e-9, 0.0),
    "huge": (1e150, 1e150),
    "different scales": (np.array([1e-6, 1.0, 1e9, 1e3]), np.array([0.0, 50.0, -1e12, 1e5])),
}


@cache
def scores_of_standard_units(cls):
    X, y, _ = blobs(400, gap=1.0, seed=5)
    return cls(**FAST).fit(X, y).decision_function(X)


@pytest.mark.parametrize(("unit", "cls"), list(zip(UNITS, cycle([NeuralPUClassifier, SelfPUClassifier]), strict=False)))
def test_units_of_the_features_do_not_matter(unit, cls):
    X, y, truth = blobs(400, gap=1.0, seed=5)
    factor, shift = UNITS[unit]
    expected = scores_of_standard_units(cls)
    got = cls(**FAST).fit(X * factor + shift, y).decision_function(X * factor + shift)
    np.testing.assert_allclose(got, expected, rtol=0.02, atol=0.02)
    if cls is NeuralPUClassifier:  # Self-PU needs more epochs
        assert roc_auc_score(truth, got) > 0.85


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**31),
    n=st.integers(1, 60),
    d=st.integers(1, 5),
    weighted=st.booleans(),
    part=st.sampled_from([10, 999]),
)
def test_moments_agree_with_numpy(seed, n, d, weighted, part):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-5, 6, d) + 10.0 ** rng.integers(-3, 7, d)
    X[:, rng.random(d) < 0.3] = 0.1
    weights = rng.gamma(1.0, size=n) if weighted else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pulib.neural._scaling._CHUNK", part)
        mean, spread = moments(X, weights)
    expected = np.average(X, axis=0, weights=weights)
    np.testing.assert_allclose(mean, expected, rtol=1e-12)
    deviation = np.sqrt(np.average((X - expected) ** 2, axis=0, weights=weights))
    varies = X.min(axis=0) < X.max(axis=0)
    np.testing.assert_allclose(spread[varies], deviation[varies], rtol=1e-6)
    assert not spread[~varies].any()


def test_each_color_of_an_image_is_scaled_as_a_whole():
    rng = np.random.default_rng(4)
    X = rng.integers(0, 200, size=(90, 2 * 36), dtype=np.uint8)
    X[:, :5] = 0  # a dark corner, which may be bright in a new image
    y = np.arange(90) < 30
    body = {"image_shape": (2, 6, 6), "channels": 4, "head": 8}
    params = {"prior": 0.4, "epochs": 1, "batch_size": 30, "random_state": 0, "body_params": body}
    model = NeuralPUClassifier("cnn", **params).fit(X, y)
    assert len(np.unique(model.scaling_.shift)) == len(np.unique(model.scaling_.factor)) == 2
    for color, pixels in enumerate((slice(0, 36), slice(36, 72))):
        assert model.scaling_.shift[36 * color] == pytest.approx(X[:, pixels].mean())
        assert 1 / model.scaling_.factor[36 * color] == pytest.approx(X[:, pixels].std())
    by_pixel = NeuralPUClassifier("cnn", input_scaling="standardize", **params).fit(X, y)
    assert by_pixel.scaling_.factor[:5].tolist() == [0.0] * 5


@CLASSES
def test_user_networks_receive_unscaled_rows_and_warn_about_extreme_scales(cls):
    X, y, _ = blobs(120, seed=10)
    seen = []
    options = {"prior": 0.4, "epochs": 1, "batch_size": 1000}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cls(lambda d: Watch(d, seen), **options).fit(X, y)
        np.testing.assert_allclose(np.sort(seen[0], axis=0), np.sort(X, axis=0).astype(np.float32))
        for silent in (None, "minmax", "standardize", 255):
            cls(lambda d: Watch(d, []), input_scaling=silent, **options).fit(100 * X + 1e4, y)
    for unscaled in (100 * X + 1e4, 1e-5 * X, (X * [1, 1, 1e3, 1])):
        with pytest.warns(PUWarning, match=r"your own network.*input_scaling='standardize'") as caught:
            cls(torch.nn.Linear(4, 1), **options).fit(unscaled, y)
        assert len(caught) == 1


@CLASSES
def test_error_names_the_column_too_large_for_single_precision(cls):
    X, y, _ = blobs(120, seed=11)
    model = cls(**FAST).fit(X, y)
    far = X[:3].copy()
    far[1, 2] = 1e300
    with pytest.raises(ValueError, match=r"too large for dtype\('float32'\).*column 2"):
        model.decision_function(far)


def test_mapped_rows_are_copied_once_into_single_precision(tmp_path):
    n, d = 20_000, 200
    rng = np.random.default_rng(0)
    np.save(tmp_path / "X.npy", rng.normal(size=(n, d)) * 50)
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = NeuralPUClassifier("linear", prior=0.4, epochs=1, batch_size=1000, n_threads=1, n_iter_no_change=1)
    y = (rng.random(n) < 0.1).astype(int)
    model.fit(X[:2000], y[:2000])
    tracemalloc.start()
    try:
        model.fit(X, y)
        held = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    as_single = 4 * n * d
    assert as_single < held < as_single + 4 * (8 << 21)  # a few chunks of double precision
