"""A warm start scores old members on rows that they did not learn from, and rejects other rows or features."""

import pickle

import numpy as np
import pytest

from pulib import AdaPUClassifier, PUExtraTreesClassifier
from pulib._random import new_state
from pulib._trees._out_of_bag import draw_bootstrap
from pulib._trees._rows import rows_of
from tests.pulib.test_trees import make_problem

STATES = {"none": lambda: None, "integer": lambda: 11, "generator": lambda: np.random.RandomState(11)}


def noise(seed=0, n=260, d=5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), (rng.random(n) < 0.4).astype(int)


def forest(n_estimators=12, **options):
    given = {"prior": 0.4, "bootstrap": True, "oob_score": True, "warm_start": True} | options
    return PUExtraTreesClassifier(n_estimators, **given)


def held_out_votes(model, X, bags):
    """Return the mean vote of trees that drew no row equal to a row or, if there are none, not the row itself."""
    scores = np.full(len(X), np.nan)
    leaves = model.apply(X)
    for i, row in enumerate(X):
        equal = set(np.flatnonzero((row == X).all(axis=1)).tolist())
        apart, alone = (
            [tree.tree_.value[leaves[i, t]] for t, tree in enumerate(model.estimators_) if not rows & bags[t]]
            for rows in (equal, {i})
        )
        if apart or alone:
            scores[i] = np.mean(apart or alone)
    return scores


@pytest.mark.parametrize(("state", "weighted"), [("integer", False), ("generator", True)])
def test_old_trees_score_only_rows_that_they_did_not_draw(state, weighted, monkeypatch):
    X, y = make_problem(7)  # includes equal rows
    weights = np.random.default_rng(2).gamma(1.0, size=len(y)) if weighted else None
    bags = []

    def recorded(rows, generator):
        labeled, unlabeled = draw_bootstrap(rows, generator)
        bags.append({*labeled.tolist(), *unlabeled.tolist()})
        return labeled, unlabeled

    monkeypatch.setattr("pulib._trees._growing.draw_bootstrap", recorded)  # where trees are grown, not where they are scored
    model = forest(5, random_state=STATES[state]())
    for n_estimators in (5, 9, 10):
        model.set_params(n_estimators=n_estimators).fit(X, y, weights)
        np.testing.assert_allclose(model.oob_decision_function_, held_out_votes(model, X, bags))
    assert len(bags) == 10


@pytest.mark.parametrize("change", [{"random_state": 99}, {"random_state": None, "max_depth": 2}])
def test_changed_parameters_do_not_redraw_bags(change):
    X, y = noise(4)
    model = forest(random_state=np.random.RandomState(5)).fit(X, y)
    expected = model.oob_decision_function_
    model = pickle.loads(pickle.dumps(model)).set_params(**change).fit(X, y)  # no tree is added
    assert model.oob_decision_function_.tobytes() == expected.tobytes()


def test_trees_that_drew_every_row_score_none():
    X, y = noise(5)
    model = forest(6, bootstrap=False, oob_score=False, random_state=1).fit(X, y)
    model.set_params(n_estimators=16, bootstrap=True, oob_score=True).fit(X, y)
    bags = [set(range(len(y)))] * 6
    rows = rows_of(y == 1, bootstrap=True)
    bags += [set(np.concatenate(draw_bootstrap(rows, new_state(seed))).tolist()) for seed in model._seeds[6:]]
    np.testing.assert_allclose(model.oob_decision_function_, held_out_votes(model, X, bags))


CHANGES = {
    "100 of them labeled, but the": lambda given: given | {"y": np.r_[np.zeros(4), given["y"][4:]]},
    "259 rows": lambda given: {name: values[1:] for name, values in given.items()},
    "X has 4 features": lambda given: given | {"X": given["X"][:, :4]},
}
LEARNERS = {
    "forest": lambda: forest(4, oob_score=False, random_state=0),
    "Ada-PU": lambda: AdaPUClassifier(4, prior=0.4, warm_start=True, random_state=0),
}


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("message", CHANGES)
def test_other_rows_or_features_raise_an_error(learner, message):
    X, y = noise(8)
    y = np.r_[np.ones(4), np.random.default_rng(8).permutation(np.r_[np.ones(100), np.zeros(156)])]
    given = {"X": X, "y": y, "sample_weight": 1.0 + np.arange(len(y)) % 3, "groups": np.arange(len(y)) // 4}
    model = LEARNERS[learner]().fit(**given)
    expected = model.decision_function(X)
    model.set_params(n_estimators=6)
    with pytest.raises(ValueError, match=message):
        model.fit(**CHANGES[message](given))
    assert model.decision_function(X).tobytes() == expected.tobytes()
    # the same rows in another form
    model.fit(**given | {"X": np.asfortranarray(X), "sample_weight": 2.5 * given["sample_weight"]})


@pytest.mark.parametrize("state", ["none", "generator"])
def test_ada_pu_holds_the_same_rows_out(state):
    X, y = noise(9, n=400)
    options = {"prior": 0.4, "splitter": "best", "n_iter_no_change": 100, "validation_fraction": 0.3}
    model = AdaPUClassifier(5, warm_start=True, random_state=STATES[state](), **options).fit(X, y)
    risks, n_known = model.held_out_risks_, model.n_iter_
    model = pickle.loads(pickle.dumps(model)).set_params(n_estimators=30).fit(X, y)
    assert model.held_out_risks_[:n_known].tobytes() == risks[:n_known].tobytes()
    if state != "none":  # then the stumps are those of a single fit
        single = AdaPUClassifier(30, random_state=STATES[state](), **options).fit(X, y)
        count = min(len(single.held_out_risks_), len(model.held_out_risks_))
        np.testing.assert_allclose(model.held_out_risks_[:count], single.held_out_risks_[:count])


def test_ada_pu_cannot_hold_out_rows_that_its_stumps_have_seen():
    X, y = noise(10)
    model = AdaPUClassifier(5, prior=0.4, warm_start=True, n_iter_no_change=None, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"a share 0\.1 of the rows would be held out.* with a share 0 held out"):
        model.set_params(n_estimators=9, n_iter_no_change=10).fit(X, y)
    model = AdaPUClassifier(5, prior=0.4, warm_start=True, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"validation_fraction=0\.4: a share 0\.4"):
        model.set_params(n_estimators=9, validation_fraction=0.4).fit(X, y)
