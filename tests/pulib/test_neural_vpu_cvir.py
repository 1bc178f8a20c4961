"""VPU: the loss, its minimizer, and the threshold. CVIR: the estimates of (TED)^n, and weights."""

import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, log_expit

torch = pytest.importorskip("torch")

from pulib import CVIRClassifier, VariationalPUClassifier  # noqa: E402
from pulib.exceptions import PUWarning  # noqa: E402
from pulib.neural._batches import lowest  # noqa: E402
from pulib.neural._held_out import HeldOutVariational  # noqa: E402
from pulib.neural._losses import variational_loss  # noqa: E402
from tests.pulib.test_reductions import clouds  # noqa: E402

BOTH = {"body_params": {"width": 20}, "epochs": 25, "n_threads": 1, "random_state": 0}
SMALL = {**BOTH, "learning_rate": 5e-3}
CVIR = {**BOTH, "warm_up": 5}


def test_loss_is_minimal_for_multiples_of_the_posterior():
    """Four cells with known shares: of all Φ, multiples of Pr(y = 1 | cell) minimize the loss."""
    prior, of_positive, of_negative = 0.3, np.array([0.5, 0.3, 0.15, 0.05]), np.array([0.0, 0.1, 0.3, 0.6])
    population = prior * of_positive + (1 - prior) * of_negative
    posterior = prior * of_positive / population

    def loss(outputs):
        log_phi = torch.from_numpy(log_expit(outputs))
        return float(variational_loss(log_phi, log_phi, torch.from_numpy(of_positive), torch.from_numpy(population)))

    best = minimize(loss, np.zeros(4), method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-14, "maxiter": 10_000})
    phi = expit(best.x)
    np.testing.assert_allclose(phi / phi.max(), posterior / posterior.max(), atol=1e-4)
    scaled = [loss(np.log(c * posterior) - np.log1p(-c * posterior)) for c in (0.2, 0.9)]
    np.testing.assert_allclose(scaled, best.fun, atol=1e-9)
    assert loss(np.log(0.9 * posterior**2) - np.log1p(-0.9 * posterior**2)) > best.fun + 1e-3


def test_held_out_loss_treats_weights_as_repeated_rows():
    rng = np.random.default_rng(0)
    scores, positive, weights = rng.normal(size=12), np.arange(12) < 5, rng.integers(1, 4, 12).astype(float)
    held = HeldOutVariational(None, positive, weights, 0.0, "two_sample", 3)
    repeated, of_repeats = (np.repeat(part, weights.astype(int)) for part in (scores, positive))
    log_phi = log_expit(repeated)
    expected = np.log(np.mean(np.exp(log_phi[~of_repeats]))) - np.mean(log_phi[of_repeats])
    assert held._risk(scores) == pytest.approx(expected)
    assert HeldOutVariational(None, of_repeats, None, 0.0, "two_sample", 3)._risk(repeated) == pytest.approx(expected)


def test_groups_are_held_out_whole():
    X, y, _ = clouds(200, 1200, distance=2.4)
    params = {**SMALL, "epochs": 3}
    plain = VariationalPUClassifier(**params).fit(X, y)
    alone = VariationalPUClassifier(**params).fit(X, y, groups=np.arange(len(y)))
    assert not np.array_equal(plain.decision_function(X), alone.decision_function(X))  # drawn differently
    with pytest.raises(ValueError, match="all 1400 rows belong to group"):
        VariationalPUClassifier(**params).fit(X, y, groups=np.zeros(len(y)))


def test_warns_if_the_threshold_is_worse_than_a_constant_prediction():
    """Two overlapping normals and few positives: half of the greatest output is too low a threshold."""
    rng = np.random.default_rng(0)
    truth = np.r_[np.ones(300, bool), rng.random(1500) < 0.06]
    X = rng.normal(size=(1800, 1)) + 1.2 * truth[:, None]
    with pytest.warns(PUWarning, match=r"calls .* of the unlabeled rows positive, but .* would be wrong for"):
        VariationalPUClassifier("linear", **{**SMALL, "body_params": None}).fit(X, np.repeat([1, 0], [300, 1500]))
    X, y, _ = clouds(200, 1200, distance=2.4)
    with warnings.catch_warnings():
        warnings.simplefilter("error", PUWarning)
        VariationalPUClassifier(**SMALL).fit(X, y)


def test_weights_affect_which_rows_are_dropped():
    X, y, truth = clouds(400, 1500, distance=2.4)
    negatives_twice = np.where((y == 0) & ~truth, 2.0, 1.0)
    model = CVIRClassifier(prior="bbe", **CVIR).fit(X, y, sample_weight=negatives_twice)
    plain = CVIRClassifier(**CVIR).fit(X, y).set_params(prior="bbe").fit(X, y)
    assert not hasattr(plain, "prior_estimate_")  # that of the first fit
    with pytest.warns(UserWarning, match="Holding rows out needs two labeled and two unlabeled rows; there are 1 and 1500"):
        assert 0 < CVIRClassifier(prior="bbe", **CVIR).fit(X[399:], y[399:]).prior_ < 1
    assert model.prior_ < plain.prior_ - 0.08  # 0.25 against 0.4
    shares = plain.history_["share"]
    assert np.array_equal(shares > 0, np.arange(len(shares)) >= 5), "starts at the end of the warm-up"
    assert lowest(np.arange(4.0), np.arange(4), 0.5, np.array([1.0, 1.0, 1.0, 5.0])).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="all 1500 unlabeled rows have weight 0"):
        CVIRClassifier(prior=0.4, **CVIR).fit(X, y, sample_weight=y)
