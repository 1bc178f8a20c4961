"""Label mechanisms: the propensities that they produce, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from pulib.datasets import Dataset
from pulib.sampling import (
    Biased,
    Mechanism,
    label_biased,
    label_one_sample,
    label_two_sample,
    label_wrong,
    make_splits,
)

TRUTH = np.arange(60) % 3 == 0
POSTERIOR = np.linspace(0.02, 0.98, 60)


def frequencies(label, n=1000):
    return np.mean([label(seed) for seed in range(n)], axis=0)


def test_one_sample_labels_all_positives_alike():
    share = frequencies(lambda seed: label_one_sample(TRUTH, 8, random_state=seed))
    assert np.all(share[~TRUTH] == 0)
    assert_allclose(share[TRUTH], 8 / 20, atol=0.05)


def test_two_samples_keep_the_share_of_positives():
    for seed in range(20):
        labeled, unlabeled = label_two_sample(TRUTH, 6, random_state=seed)
        assert len(labeled) == 6
        assert TRUTH[labeled].all()
        assert not np.intersect1d(labeled, unlabeled).size
        assert np.mean(TRUTH[unlabeled]) == pytest.approx(1 / 3)


@pytest.mark.parametrize(("kind", "power"), [("posterior", 1.0), ("boundary", 10.0)])
def test_biased_labels_have_their_propensities(kind, power):
    _, expected = label_biased(TRUTH, POSTERIOR, 7, kind=kind, power=power, random_state=0)
    share = frequencies(lambda seed: label_biased(TRUTH, POSTERIOR, 7, kind=kind, power=power, random_state=seed)[0])
    assert np.all(share[~TRUTH] == 0)
    assert_allclose(share[TRUTH], expected[TRUTH], atol=0.05)
    weight = POSTERIOR**power if kind == "posterior" else (1 - np.abs(POSTERIOR - 0.5)) ** power
    below = expected < 1
    assert_allclose(expected[below] / weight[below], (expected / weight)[below][0])


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


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_wrong_labels_are_negatives_drawn_alike(share):
    labeled = label_one_sample(TRUTH, 8, random_state=0)
    got = frequencies(lambda seed: label_wrong(labeled, TRUTH, share, random_state=seed))
    assert_allclose(got[~TRUTH], share * 8 / 40, atol=0.05)
    assert_allclose(got[labeled], 1 - share, atol=0.05)
    assert np.all(got[TRUTH & ~labeled] == 0)


def test_wrong_labels_that_are_there_already_count():
    labeled = label_one_sample(TRUTH, 8, random_state=0)
    once = label_wrong(labeled, TRUTH, 0.25, random_state=0)
    twice = label_wrong(once, TRUTH, 0.75, random_state=1)
    assert (twice.sum(), (twice & ~TRUTH).sum()) == (8, 6)
    assert (once & ~TRUTH <= twice & ~TRUTH).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: label_one_sample(TRUTH, 21), "expected 1 to 20"),
        (lambda: label_two_sample(TRUTH, 20), "have to stay unlabeled"),
        (lambda: label_biased(TRUTH, POSTERIOR, 7, kind="odd"), "kind='odd'"),
        (lambda: label_biased(TRUTH, POSTERIOR, 7, power=0), "power=0"),
        (lambda: label_biased(TRUTH, 2 * POSTERIOR, 7), "from 0 to 1"),
        (lambda: label_biased(TRUTH, POSTERIOR, 21), "expected 1 to 20"),
        (lambda: label_wrong(TRUTH, TRUTH, 1.5), "share=1.5"),
        (lambda: label_wrong(np.ones(60, bool), TRUTH, 0.9), "more wrong labels"),
        (lambda: drawn(n_labeled=0), "n_labeled=0"),
        (lambda: drawn(n_labeled=5000), "n_labeled=5000"),
        (lambda: drawn(prior=0.001), r"prior=0.001: of \d+ positives and \d+ negatives, \d+ rows would be left"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def toy(n=800, share=0.4):
    rng = np.random.default_rng(0)
    y = (rng.random(n) < share).astype(np.int8)
    return Dataset("toy", X=rng.normal(size=(n, 2)) + y[:, None], target=y, y=y)


def test_biased_split_labels_the_clear_cases():
    data, y = toy(), toy().y
    split = make_splits(data, Biased(n_labeled=60, power=10.0), {0: 7})[0]
    assert len(split.labeled) == 60
    assert y[split.labeled].all()
    assert len(split.labeled) + len(split.unlabeled) + len(split.test) == len(y)
    hidden = split.unlabeled[y[split.unlabeled] == 1]
    assert data.X[split.labeled].mean() > data.X[hidden].mean() + 0.4
    doubtful = Biased(n_labeled=60, kind="boundary", power=10.0).draw(data, random_state=7)
    assert data.X[doubtful.labeled].mean() < data.X[split.labeled].mean() - 0.4
    assert split.arrays["propensity"].shape == (len(split.labeled) + len(split.unlabeled),)


def drawn(**options):
    return make_splits(toy(), Mechanism(**options), {0: 3})[0]


@pytest.mark.parametrize(
    "options",
    [
        {"n_labeled": 5},
        {"wrong_share": 0.3, "max_unlabeled": 100, "max_test": 50},
        {"scenario": "one_sample", "kind": "boundary", "power": 3.0},
        {"scenario": "one_sample", "wrong_share": 0.1, "max_unlabeled": 200, "max_test": 50},
    ],
)
def test_parts_of_a_mechanism_split_share_no_row(options):
    split, y = drawn(**options), toy().y
    rows = np.concatenate([split.labeled, split.unlabeled, split.test])
    assert len(np.unique(rows)) == len(rows)
    assert np.mean(y[split.labeled] == 0) == pytest.approx(options.get("wrong_share", 0.0), abs=0.5 / len(split.labeled))
    one = options.get("scenario") == "one_sample"
    population = np.concatenate([split.labeled, split.unlabeled]) if one else split.unlabeled
    assert split.prior == pytest.approx(np.mean(y[population]))
    assert len(population) <= options.get("max_unlabeled", 560)
    assert len(split.test) <= options.get("max_test", 240)
    if "n_labeled" in options:
        assert len(split.labeled) == options["n_labeled"]
    elif one:
        assert len(split.labeled) == y[population].sum() // 5


@pytest.mark.parametrize(("prior", "sizes"), [(0.02, {}), (0.1, {"max_unlabeled": 100, "max_test": 50}), (0.8, {})])
def test_classes_are_thinned_out_until_the_prior_is_reached(prior, sizes):
    split, y = drawn(prior=prior, n_labeled=30, **sizes), toy().y
    rows = np.concatenate([split.labeled, split.unlabeled, split.test])
    assert len(np.unique(rows)) == len(rows)
    for part in (split.unlabeled, split.test):
        assert np.mean(y[part]) == pytest.approx(prior, abs=0.5 / len(part))
    assert split.prior == pytest.approx(np.mean(y[split.unlabeled]))
    assert len(split.unlabeled) <= sizes.get("max_unlabeled", 560)
    assert len(split.test) <= sizes.get("max_test", 240)
    assert y[split.labeled].all()
    assert_allclose(split.labeled, drawn(n_labeled=30, **sizes).labeled)  # the labels are those without a prior


def test_settings_of_a_repeat_differ_in_what_they_are_about_alone():
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
