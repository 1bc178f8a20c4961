"""Rows of one group are drawn, held out, and scored together."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pulib import AdaPUClassifier, PUExtraTreesClassifier, PUThresholdClassifier
from pulib._held_out import hold_out
from pulib._random import new_state
from pulib._trees._out_of_bag import draw_bootstrap, out_of_bag
from pulib._trees._rows import rows_of


def patients(seed=0, n=150, visits=5):
    """Nearly equal rows of each patient; labels, by patient, are noise."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n), visits)
    X = rng.normal(size=(n, 4))[groups] + 0.01 * rng.normal(size=(n * visits, 4))
    return X, (rng.random(n) < 0.3).astype(int)[groups], groups


@pytest.mark.parametrize(("mixed", "weighted"), [(False, True), (True, False)])
def test_bag_contains_only_rows_of_its_groups(mixed, weighted):
    rng = np.random.default_rng(1)
    groups = rng.integers(0, 12, 90)
    positive = rng.random(90) < 0.4 if mixed else groups < 5
    weights = np.where(np.arange(90) % 7 == 0, 0.0, rng.gamma(1.0, size=90)) if weighted else None
    rows = rows_of(positive, weights, bootstrap=True, groups=groups)
    times_out = np.zeros(90)
    for seed in range(300):
        labeled, unlabeled = draw_bootstrap(rows, new_state(seed))
        assert (len(labeled), len(unlabeled)) == (len(rows.labeled), len(rows.unlabeled))
        assert positive[labeled].all()
        assert not positive[unlabeled].any()
        drawn = np.concatenate([labeled, unlabeled])
        if weighted:
            assert weights[drawn].all()
        out = out_of_bag(rows, 90, new_state(seed))
        np.testing.assert_array_equal(out, ~np.isin(groups, groups[drawn]))
        times_out += out
    assert (times_out > 30).all()  # about a third of the bags leave a group out


def test_equal_groups_are_drawn_equally_often_and_their_rows_by_weight():
    groups, weights = np.repeat(np.arange(20), 4), np.tile([1.0, 1.0, 1.0, 5.0], 20)
    rows = rows_of(groups < 8, weights, groups=groups, bootstrap=True)
    drawn = np.concatenate([np.concatenate(draw_bootstrap(rows, new_state(seed))) for seed in range(400)])
    counts = np.bincount(groups[drawn], minlength=20)
    np.testing.assert_allclose(counts / counts.mean(), 1.0, atol=0.2)
    assert np.mean(weights[drawn] == 5) == pytest.approx(5 / 8, abs=0.03)


def test_bag_has_unlabeled_rows_even_if_few_groups_have():
    groups = np.repeat(np.arange(6), 4)
    positive = np.ones(24, bool)
    positive[3] = False  # one unlabeled row in total
    rows = rows_of(positive, groups=groups, bootstrap=True)
    for seed in range(50):
        assert draw_bootstrap(rows, new_state(seed))[1].tolist() == [3]


def test_groups_keep_repeated_rows_out_of_bag():
    X, y, groups = patients(2)
    options = {"prior": 0.4, "bootstrap": True, "oob_score": True, "calibration": "isotonic", "random_state": 0}
    leaky = PUExtraTreesClassifier(40, **options).fit(X, y)
    model = PUExtraTreesClassifier(40, **options).fit(X, y, groups=groups.astype(str))
    assert roc_auc_score(y, leaky.oob_decision_function_) > 0.9
    assert 0.35 < roc_auc_score(y, model.oob_decision_function_) < 0.65
    assert model.predict_proba(X)[:, 1].max() < leaky.predict_proba(X)[:, 1].max()


def test_forests_with_groups_depend_only_on_the_seed():
    X, y, groups = patients(3, n=40)
    options = {"prior": 0.4, "bootstrap": True, "oob_score": True, "random_state": 4}
    expected = PUExtraTreesClassifier(11, **options).fit(X, y, groups=groups)
    model = PUExtraTreesClassifier(5, n_jobs=2, warm_start=True, **options).fit(X, y, groups=groups)
    model.set_params(n_estimators=11).fit(X, y, groups=groups)
    assert model.oob_decision_function_.tobytes() == expected.oob_decision_function_.tobytes()


@pytest.mark.parametrize(("mixed", "fraction"), [(False, 0.4), (True, 0.1)])
def test_groups_are_held_out_as_a_whole(mixed, fraction):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        groups = rng.integers(0, 60, 500)
        positive = rng.random(500) < 0.3 if mixed else groups < 20
        held = hold_out(positive, fraction, seed, groups)
        assert not np.isin(groups[held], groups[~held]).any()
        for kind in (positive, ~positive):
            assert fraction - 0.02 < held[kind].mean() < fraction + 0.15
        again = hold_out(positive, fraction, np.random.RandomState(seed), groups)
        assert (again == held).all()


def test_warns_if_groups_cannot_be_split():
    positive, groups = np.arange(20) < 8, np.repeat([0, 1], [8, 12])
    with pytest.warns(UserWarning, match="No choice of whole groups to hold out"):
        assert not hold_out(positive, 0.1, 0, groups).any()


def test_ada_pu_holds_groups_out():
    X, y, groups = patients(5)
    weights = 1.0 * (np.arange(len(y)) % 4 != 0)  # rows of weight 0 have no group
    for given in (None, weights):
        model = AdaPUClassifier(60, prior=0.4, random_state=0).fit(X, y, sample_weight=given, groups=groups)
        kept = np.ones(len(y), bool) if given is None else given > 0
        held = np.zeros(kept.sum(), bool)
        held[model._held_out] = True
        assert 0 < held.sum() < len(held)
        assert not np.isin(groups[kept][held], groups[kept][~held]).any()


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (lambda n: np.zeros(n), "all 200 rows belong to group 0.0|1 groups with labeled and 1 with unlabeled"),
        (lambda n: np.arange(n - 1), "inconsistent numbers of samples"),
        (lambda n: np.where(np.arange(n) == 3, np.nan, np.arange(n)), "groups contains 1 missing values"),
        (lambda n: np.zeros((n, 2)), "should be a 1d array"),
    ],
)
def test_bad_groups_raise_an_error(groups, message):
    X, y, _ = patients(6, n=40)
    forest = PUExtraTreesClassifier(3, prior=0.4, bootstrap=True)
    for learner in (forest, AdaPUClassifier(3, prior=0.4), PUThresholdClassifier(forest, prior=0.4)):
        with pytest.raises(ValueError, match=message):
            learner.fit(X, y, groups=groups(len(y)))


@pytest.mark.parametrize("learner", [PUExtraTreesClassifier, AdaPUClassifier])
def test_groups_are_routed(learner):
    X, y, groups = patients(7, n=40)
    options = {"prior": 0.4, "random_state": 0}
    options |= {"bootstrap": True} if learner is PUExtraTreesClassifier else {}
    scaled = StandardScaler().fit_transform(X)
    expected = learner(5, **options).fit(scaled, y, groups=groups)
    with config_context(enable_metadata_routing=True):
        routed = make_pipeline(StandardScaler(), learner(5, **options).set_fit_request(groups=True))
        routed.fit(X, y, groups=groups)
    assert routed.decision_function(X).tobytes() == expected.decision_function(scaled).tobytes()
    plain = learner(5, **options).fit(scaled, y)
    assert plain.decision_function(scaled).tobytes() != expected.decision_function(scaled).tobytes()
