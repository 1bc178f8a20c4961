"""Identities whatever way a trial is spelled: two spellings of one trial give one, and other trials give others."""

from dataclasses import dataclass, replace
from typing import ClassVar

import pytest

from pulab.plan import Method, Setting, Task
from pulab.plan import canonical as module
from pulab.plan.canonical import canonical, default_parameters, estimators_in, read_defaults, short_name
from pulab.plan.identity import hash_of, identity_of
from pulib.sampling import CaseControl, Contaminated
from tests.pulab.toy import FOREST, PLAIN, Classify, recipe_of

DEFAULTS = default_parameters()
OF_FOREST = DEFAULTS["PUExtraTreesClassifier"]
PARAMS = {"risk": "upu", "max_depth": 4}
trees = Method(name="trees", label="Trees", estimator=FOREST, params=PARAMS)


@dataclass(frozen=True, kw_only=True)
class Sweep(Task):
    """A task with numbers, and with an estimator within."""

    name: ClassVar[str] = "sweep"
    alphas: tuple[float, ...] = (0.5, 1.0)
    depth: int = 3
    beside: Method | None = None


def name_of(method=trees, **more):
    return identity_of(recipe_of(method, **more)).name


def bagged(**params):
    """A method with an estimator within."""
    params = {"estimator": {"estimator": FOREST, **params}}
    return Method(name="bag", label="Bag", estimator="pulib.reductions.PUBaggingClassifier", params=params)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (trees, trees.but(params={"n_estimators": 100, "loss": "quadratic"})),
        (trees, replace(trees, params={"max_depth": 4, "risk": "upu"})),
        (trees, Method(name="x", label="X", estimator=FOREST).but(params=PARAMS)),
        (trees, trees.but(params={"max_depth": 9}).but(params={"max_depth": 4})),
        (trees, trees.on("digits", params={"max_depth": 9})),
        (trees.but(params={"max_depth": 9}), trees.on("digits", params={"max_depth": 9}).for_dataset("digits")),
        (trees, replace(trees, labels="pu", prior_name="prior", standardize=False, grid={}, features={})),
        (replace(trees, grid={"max_depth": [1, 2]}), replace(trees, grid={"max_depth": (1, 2)})),
        (bagged(), bagged(params={})),
        (bagged(), bagged(params={"risk": OF_FOREST["risk"]})),
    ],
)
def test_two_spellings_of_a_method_are_one_identity(one, other):
    assert canonical(one) == canonical(other)
    assert name_of(one) == name_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (trees, trees.but(params={"max_depth": 5})),
        (trees.but(params={"max_features": 1}), trees.but(params={"max_features": 1.0})),
        (trees.but(params={"bootstrap": True}), trees.but(params={"bootstrap": 1})),
        (trees, trees.but(params={"max_depth": None})),
        (replace(trees, grid={"max_depth": [1, 2]}), replace(trees, grid={"max_depth": [2, 1]})),
        (bagged(), bagged(params={"risk": "upu"})),
        (trees, replace(trees, estimator="sklearn.ensemble.ExtraTreesClassifier")),
    ],
)
def test_other_methods_have_other_identities(one, other):
    """Never coerced: to scikit-learn, one feature is not all of them."""
    assert name_of(one) != name_of(other)


@pytest.mark.parametrize("estimator", sorted(DEFAULTS))
def test_parameters_at_their_defaults_are_left_out_of_the_canonical_form(estimator):
    assert canonical({"estimator": f"pulib.{estimator}", "params": DEFAULTS[estimator]}) == {"estimator": estimator}
    foreign = {"estimator": f"elsewhere.{estimator}", "params": {"C": 1.0}}
    assert canonical(foreign) == foreign, "nothing is known of others' defaults"


def test_the_table_of_defaults_agrees_with_the_signatures():
    assert hash_of(read_defaults()) == hash_of(DEFAULTS), "python -m pulab.plan.canonical writes the table"
    assert DEFAULTS.keys() >= {"PUExtraTreesClassifier", "NeuralPUClassifier", "AdaPUClassifier"}


def test_a_changed_default_changes_only_identities_that_set_the_former_one_and_a_new_parameter_none(monkeypatch):
    """That a class's default has changed is said by the version of the class."""
    left, pinned, former = (name_of(trees.but(params=more)) for more in ({}, {"loss": "logistic"}, {"loss": "quadratic"}))
    assert left == former != pinned
    changed = {**OF_FOREST, "loss": "logistic", "new_one": 0}
    monkeypatch.setattr(module, "default_parameters", lambda: {**DEFAULTS, "PUExtraTreesClassifier": changed})
    assert name_of() == name_of(trees.but(params={"new_one": 0})) == left
    assert name_of(trees.but(params={"new_one": 1})) != left
    assert name_of(trees.but(params={"loss": "quadratic"})) != left, "the former default is what is set now"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (CaseControl(n_labeled=5), CaseControl(n_labeled=5, unlabeled="all", test_fraction=0.2)),
        (Contaminated(), Contaminated(contamination_labeled=0)),
        (Contaminated(contamination_labeled=1), Contaminated(contamination_labeled=1.0)),
        (Setting("s", "S", CaseControl(n_labeled=9), PLAIN).but(n_labeled=5).split, CaseControl(n_labeled=5)),
        (Setting("s", "S", CaseControl(), PLAIN).on("digits", n_labeled=5).split_for("digits"), CaseControl(n_labeled=5)),
    ],
)
def test_two_spellings_of_a_split_are_one_identity(one, other):
    assert name_of(split=one) == name_of(split=other)
    assert name_of(split=one) != name_of(split=CaseControl(n_labeled=7))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (PLAIN, Classify(importance=False, given_prior=1, scenario=None, params={})),
        (Sweep(), Sweep(alphas=[0.5, 1], depth=3)),
        (Sweep(alphas=(1, 2)), Sweep(alphas=[1.0, 2.0])),
        (Sweep(depth=4), Setting("s", "S", CaseControl(), Sweep()).but(depth=4).task),
        (Sweep(depth=4), Setting("s", "S", CaseControl(), Sweep()).on("digits", depth=4).task_for("digits")),
        (Sweep(beside=trees), Sweep(beside=trees.but("another", "Another", params={"n_estimators": 100}))),
    ],
)
def test_two_spellings_of_a_task_are_one_identity(one, other):
    assert name_of(task=one) == name_of(task=other)
    assert name_of(task=one) != name_of(task=replace(one, given_prior=1.1))


def test_tasks_and_schemes_go_by_their_names_and_not_by_their_classes():
    @dataclass(frozen=True, kw_only=True)
    class Renamed(Task):
        name: ClassVar[str] = "classify"
        importance: bool = False
        later: int = 0

    assert name_of(task=Renamed()) == name_of(task=PLAIN), "a field that came later is at its default"
    assert name_of(task=Renamed(later=1)) != name_of(task=PLAIN)
    assert canonical(CaseControl(n_labeled=5)) == {"name": "case_control", "n_labeled": 5}


def test_classes_of_ours_may_move_and_those_of_others_may_not():
    assert short_name("pulib.trees._forest.Forest") == short_name("studies.puet.Forest") == "Forest"
    assert short_name("sklearn.ensemble.Forest") == "sklearn.ensemble.Forest"
    assert canonical({"by": "pulib.trees.grow"}) == {"by": "grow"}
    assert canonical({"by": "a sentence. And one more"}) == {"by": "a sentence. And one more"}


def test_all_classes_that_a_trial_is_made_by_are_found():
    task = Sweep(beside=Method(name="b", label="B", estimator="sklearn.tree.B"))
    deep = replace(bagged(), features={"estimator": "pulib.neural.F"}, grid={"base": [{"estimator": "sklearn.svm.S"}]})
    found = {"pulib.reductions.PUBaggingClassifier", FOREST, "pulib.neural.F", "sklearn.svm.S", "sklearn.tree.B"}
    assert set(estimators_in([deep, task])) == found
