"""CVIR: which rows are dropped, P against U as its limit, and the estimates of (TED)^n."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from pulib import CVIRClassifier  # noqa: E402
from pulib.neural._losses import pu_risks  # noqa: E402

SMALL = {"body_params": {"width": 20}, "epochs": 25, "warm_up": 5, "n_threads": 1, "random_state": 0}


def samples(n=1500, prior=0.4, n_labeled=400, seed=0):
    rng = np.random.default_rng(seed)
    truth = np.r_[np.ones(n_labeled, bool), rng.random(n) < prior]
    X = rng.normal(size=(len(truth), 3)) + np.where(truth, 1.2, -1.2)[:, None]
    return X, np.repeat([1, 0], [n_labeled, n]), truth


def weights_of(model):
    return [part.detach().numpy().tobytes() for part in model.module_.parameters()]


@pytest.mark.filterwarnings("ignore:prior=")
def test_with_nothing_to_drop_it_is_labeled_against_unlabeled_rows():
    """α = 0 is the same loop without selection, byte for byte; an α > 0 is not."""
    X, y, _ = samples()
    share = y.mean()  # of one sample with this π no unlabeled row is positive
    none = CVIRClassifier(prior=share, scenario="one_sample", **SMALL).fit(X, y)
    never = CVIRClassifier(prior=0.6, scenario="one_sample", **{**SMALL, "warm_up": SMALL["epochs"]}).fit(X, y)
    some = CVIRClassifier(prior=0.6, scenario="one_sample", **SMALL).fit(X, y)
    assert none.history_["share"].max() == pytest.approx(0.0, abs=1e-12)
    assert some.history_["share"].max() == pytest.approx((0.6 - share) / (1 - share))
    assert weights_of(none) == weights_of(never)
    assert weights_of(none) != weights_of(some)


def test_its_loss_is_the_balanced_logistic_one():
    scores = torch.tensor([2.0, -1.0, 0.5], dtype=torch.float64)
    halves = torch.tensor([[0.5, 0.0, 0.0], [0.0, 0.25, 0.25]], dtype=torch.float64)
    positive, negative = pu_risks(scores, *halves, "logistic", eta=1.0)
    expected = 0.5 * np.logaddexp(0, -2.0) + 0.5 * np.mean(np.logaddexp(0, [-1.0, 0.5]))
    assert float(positive + negative) == pytest.approx(expected)


def test_dropping_positives_ranks_better_and_calls_a_share_near_the_prior():
    X, y, truth = samples()
    kept = CVIRClassifier(prior=0.4, **SMALL).fit(X, y)
    assert np.mean(kept.predict(X) == truth) > 0.95
    assert abs(np.mean(kept.predict(X[400:])) - 0.4) < 0.05
    np.testing.assert_allclose(kept.history_["share"], np.r_[np.zeros(5), np.full(20, 0.4)])
    assert kept.threshold_ == pytest.approx(np.log(0.6 / 0.4))
    np.testing.assert_array_equal(kept.predict(X) == 1, kept.predict_proba(X)[:, 1] > 0.5)


@pytest.mark.parametrize("prior", [0.2, 0.6])
def test_ted_estimates_the_prior_with_the_network(prior):
    X, y, truth = samples(prior=prior)
    model = CVIRClassifier(prior="bbe", **SMALL).fit(X, y)
    assert abs(model.prior_ - prior) < 0.1
    assert np.mean(model.predict(X) == truth) > 0.94
    assert (model.history_["share"][:5] == 0).all()
    assert (model.history_["share"][5:] > 0).all()


def test_weights_count_in_what_is_dropped():
    X, y, truth = samples()
    negatives_twice = np.where((y == 0) & ~truth, 2.0, 1.0)
    model = CVIRClassifier(prior="bbe", **SMALL).fit(X, y, sample_weight=negatives_twice)
    plain = CVIRClassifier(prior="bbe", **SMALL).fit(X, y)
    assert model.prior_ < plain.prior_ - 0.08  # 0.25 against 0.4
    with pytest.raises(ValueError, match="all 1500 unlabeled rows have weight 0"):
        CVIRClassifier(prior=0.4, **SMALL).fit(X, y, sample_weight=y)
