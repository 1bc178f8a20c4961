"""GIST against a naive implementation; luminance, word vectors, and scaling on inputs checked by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from pulib.datasets.features import GistBank, as_floats, luminance, mean_word_vectors
from tests.pulib.naive.gist import naive_gist


@settings(max_examples=8)
@given(
    arrays.arrays(np.uint8, st.sampled_from([(16, 16), (32, 32)])),
    st.sampled_from([(8, 8, 8, 8), (4, 2), (3,)]),
    st.sampled_from([2, 4]),
)
def test_gist_equals_its_definition(image, orientations, grid):
    bank = GistBank(len(image), orientations, grid)
    fast = bank.transform(image[None].astype(np.float32))[0]
    np.testing.assert_allclose(fast, naive_gist(image, orientations, grid), rtol=2e-3, atol=2e-5)


def test_gist_does_not_depend_on_threads_and_batches():
    images = np.random.default_rng(0).integers(0, 256, (150, 16, 16)).astype(np.float32)
    bank = GistBank(16)
    assert bank.n_features == len(set(bank.feature_names)) == 512  # 32 filters on 16 blocks
    one = bank.transform(images, n_threads=1)
    assert np.array_equal(one, bank.transform(images, n_threads=3))
    np.testing.assert_allclose(one[70:72], bank.transform(images[70:72]), rtol=1e-4, atol=1e-6)
    with pytest.raises(ValueError, match="out=None"):
        bank.transform(lambda start, stop: images[start:stop])
    with pytest.raises(ValueError, match="multiple of grid=5"):
        GistBank(16, grid=5)


def test_luminance_weights_color_planes_and_keeps_gray_images():
    pixels = np.kron(np.eye(3, dtype=np.uint8), np.full(4, 200, np.uint8))
    np.testing.assert_allclose(luminance(pixels)[:, 0, 0], [59.8, 117.4, 22.8], rtol=1e-6)
    pixels = np.arange(2 * 784, dtype=np.uint16).reshape(2, 784)
    np.testing.assert_array_equal(luminance(pixels), pixels.reshape(2, 28, 28))
    message = r"50 values per row are not a square image: expected side² \(gray\) or 3 side² \(color\)"
    with pytest.raises(ValueError, match=message):
        luminance(np.zeros((2, 50), np.uint8))


def test_mean_word_vectors_report_the_share_of_tokens_found():
    lines = [b"the 1 0 0", b"cat 0 2 0", b"the 9 9 9", b"42 0 0 4"]
    means, report = mean_word_vectors(["The cat, the_cat; THE dog's", "", "unknown words", "42"], lines, 3)
    np.testing.assert_allclose(means, [[3 / 5, 4 / 5, 0], [0, 0, 0], [0, 0, 0], [0, 0, 4]])
    # known tokens: 3 the, 2 cat, 42; unknown ones: dog, s, unknown, words
    assert report["share_of_tokens_found"] == 0.6
    assert report["share_of_distinct_tokens_found"] == pytest.approx(3 / 7, abs=1e-6)
    assert report["texts_without_a_known_token"] == 2


def test_mean_word_vectors_in_blocks(monkeypatch):
    rng = np.random.default_rng(1)
    words = [f"w{k}" for k in range(50)]
    vectors = rng.normal(size=(50, 4)).astype(np.float32)
    lines = [f"{w} {' '.join(map(repr, v.tolist()))}".encode() for w, v in zip(words, vectors, strict=True)]
    drawn = [rng.integers(50, size=rng.integers(1, 30)) for _ in range(20)]
    monkeypatch.setattr("pulib.datasets.features._text.BLOCK", 7)
    means, _ = mean_word_vectors([" ".join(words[k] for k in text) for text in drawn], lines, 4)
    np.testing.assert_allclose(means, [vectors[text].mean(axis=0) for text in drawn], atol=1e-6)


def test_error_names_a_damaged_line_of_word_vectors():
    with pytest.raises(ValueError, match=r"line 2: expected 3 numbers after b'cat', got 2"):
        mean_word_vectors(["the cat"], [b"the 1 2 3", b"cat 1 2"], 3)


def test_conversion_keeps_single_precision_and_converts_bytes():
    assert as_floats(np.array([[0], [255]], np.uint8)).dtype == np.float32
    assert as_floats(np.eye(2, dtype=np.float32)).dtype == np.float32
