"""Label mechanisms: sums of propensities, what settings of a repeat share, and errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from pulib.datasets import Dataset
from pulib.sampling import Mechanism, label_biased, label_one_sample, label_two_sample, label_wrong, make_splits

TRUTH = np.arange(60) % 3 == 0
POSTERIOR = np.linspace(0.02, 0.98, 60)


@given(
    st.lists(st.floats(1e-3, 1.0), min_size=1, max_size=30).flatmap(
        lambda p: st.tuples(st.just(p), st.integers(1, len(p)), st.floats(0.1, 20), st.integers(0, 99))
    )
)
def test_propensities_sum_to_the_number_of_labels(drawn):
    p, n_labeled, power, seed = drawn
    truth = np.ones(len(p), bool)
    labeled, propensity = label_biased(truth, p, n_labeled, power=power, random_state=seed)
    assert labeled.sum() == n_labeled
    assert np.all((propensity >= 0) & (propensity <= 1))
    assert_allclose(propensity.sum(), n_labeled, rtol=1e-6)


def test_existing_wrong_labels_count():
    labeled = label_one_sample(TRUTH, 8, random_state=0)
    once = label_wrong(np.where(labeled, 1, -1), np.where(TRUTH, 1, -1), 0.25, random_state=0)
    twice = label_wrong(once, TRUTH, 0.75, random_state=1)
    assert (twice.sum(), (twice & ~TRUTH).sum()) == (8, 6)
    assert (once & ~TRUTH <= twice & ~TRUTH).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: label_one_sample(TRUTH, 21), "expected 1 to 20"),
        (lambda: label_one_sample(TRUTH, 2.0), "n_labeled=2.0; expected 1 to 20"),
        (lambda: label_one_sample(["0", "1", "1"], 1), "truth contains '0'; expected True or 1"),
        (lambda: label_two_sample(TRUTH, 20), "leaves 0 positives and 0 of"),
        (lambda: label_biased(TRUTH, POSTERIOR, 7, kind="odd"), "kind='odd'"),
        (lambda: label_biased(TRUTH, POSTERIOR, 7, power=0), "power=0"),
        (lambda: label_biased(TRUTH, 2 * POSTERIOR, 7), r"probability in \[0, 1\]"),
        (lambda: label_biased(TRUTH, POSTERIOR, 21), "expected 1 to 20"),
        (lambda: label_wrong(TRUTH, TRUTH, 1.5), "share=1.5"),
        (lambda: label_wrong(np.ones(60, bool), TRUTH, 0.9), "more wrong labels"),
        (lambda: drawn(n_labeled=0), "n_labeled=0"),
        (lambda: drawn(n_labeled=5000), "n_labeled=5000"),
        (lambda: drawn(prior=0.001), r"prior=0.001: of \d+ positives and \d+ negatives, \d+ rows would be left"),
    ],
)
def test_bad_arguments_raise_an_error(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def toy(n=800, share=0.4):
    rng = np.random.default_rng(0)
    y = (rng.random(n) < share).astype(np.int8)
    return Dataset("toy", X=rng.normal(size=(n, 2)) + y[:, None], target=y, y=y)


def drawn(**options):
    return make_splits(toy(), Mechanism(**options), {0: 3})[0]


def test_settings_of_a_repeat_differ_only_in_what_they_set():
    usual, few, wrong = drawn(), drawn(n_labeled=10), drawn(wrong_share=0.2)
    for other in (few, wrong):
        assert_allclose(other.test, usual.test)
        assert_allclose(other.unlabeled, usual.unlabeled)
    assert set(few.labeled) < set(usual.labeled)
    assert len(wrong.labeled) == len(usual.labeled)
    one, biased = drawn(scenario="one_sample"), drawn(scenario="one_sample", kind="posterior", power=10.0)
    assert_allclose(np.union1d(one.labeled, one.unlabeled), np.union1d(biased.labeled, biased.unlabeled))
    assert len(one.labeled) == len(biased.labeled)
    assert toy().X[biased.labeled].mean() > toy().X[one.labeled].mean() + 0.2
