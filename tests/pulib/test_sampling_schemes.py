"""Split schemes as classes: options, checks without data, and the same draws as by their functions."""

import copy
import dataclasses
import inspect
import pickle

import numpy as np
import pytest

from pulib import sampling
from pulib.datasets import Dataset
from pulib.sampling import (
    SCHEMES,
    AdaPUSplit,
    Biased,
    CaseControl,
    Censored,
    Contaminated,
    Expansion,
    Mechanism,
    Mixture,
    Scheme,
    make_splits,
)

#: Options with which each scheme splits the data set below.
OPTIONS = {
    "adapu": {"n_labeled": 20, "test": "last"},
    "biased": {"n_labeled": 20, "power": 3.0},
    "case_control": {"n_labeled": 20, "prior": "train"},
    "censored": {"r": 0.3, "n_folds": 4},
    "contaminated": {"n_labeled": 20, "n_unlabeled": 40, "test": "fixed", "n_test_positive": 9, "n_test_negative": 8},
    "expansion": {"later": [1, 2], "stratify": True},
    "mechanism": {"scenario": "one_sample", "kind": "boundary", "max_test": 30},
    "mixture": {"n_labeled": 20, "n_positive": 15, "n_negative": 30, "either_class": True},
}
#: Schemes with a function that draws one split.
WITH_FUNCTION = ("biased", "case_control", "censored", "contaminated", "expansion")


def dataset(n=240):
    rng = np.random.default_rng(0)
    target = rng.integers(0, 3, n).astype(np.int16)
    return Dataset("toy", X=rng.normal(size=(n, 2)) + target[:, None], target=target, y=(target == 1).astype(np.int8))


def function_of(scheme):
    return getattr(sampling, f"{scheme}_split")


def assert_same(split, other):
    for part in ("labeled", "unlabeled", "test", "prior"):
        np.testing.assert_array_equal(getattr(split, part), getattr(other, part))
    assert split.arrays.keys() == other.arrays.keys()
    for key, value in split.arrays.items():
        np.testing.assert_array_equal(value, other.arrays[key])


def test_every_scheme_is_public_and_has_a_name():
    public = {getattr(sampling, name) for name in sampling.__all__ if inspect.isclass(getattr(sampling, name))}
    assert set(SCHEMES.values()) == {scheme for scheme in public if issubclass(scheme, Scheme)} - {Scheme}
    assert {name for name in sampling.__all__ if name.endswith("_split")} == {f"{name}_split" for name in WITH_FUNCTION}
    assert all(scheme.name == name and scheme.version >= 1 for name, scheme in SCHEMES.items())
    assert OPTIONS.keys() == SCHEMES.keys()


@pytest.mark.parametrize("name", WITH_FUNCTION)
def test_scheme_and_its_function_draw_the_same_split(name):
    scheme, shared = SCHEMES[name](**OPTIONS[name]), "shared_seed" in inspect.signature(function_of(name)).parameters
    one = function_of(name)(dataset(), random_state=4, **({"shared_seed": 9} if shared else {}), **OPTIONS[name])
    assert_same(one, scheme.draw(dataset(), random_state=4, shared_seed=9))
    assert_same(one, make_splits(dataset(), scheme, {0: 4}, shared_seed=9)[0])
    if not shared:
        with pytest.raises(TypeError, match="'shared_seed'"):
            function_of(name)(dataset(), random_state=0, shared_seed=1)


@pytest.mark.parametrize("name", SCHEMES)
def test_schemes_are_frozen_values(name):
    scheme = SCHEMES[name](**OPTIONS[name])
    assert hash(scheme) == hash(SCHEMES[name](**OPTIONS[name]))
    assert copy.deepcopy(scheme) == pickle.loads(pickle.dumps(scheme)) == dataclasses.replace(scheme) == scheme
    assert eval(repr(scheme), vars(sampling) | {type(scheme).__name__: type(scheme)}) == scheme
    assert scheme != SCHEMES[name]()
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(scheme, dataclasses.fields(scheme)[0].name, 1)


@pytest.mark.parametrize("name", SCHEMES)
def test_error_names_the_unknown_option_and_the_known_ones(name):
    known = [field.name for field in dataclasses.fields(SCHEMES[name])]
    assert list(inspect.signature(SCHEMES[name]).parameters) == known
    with pytest.raises(TypeError, match="takes no option 'n_labelled'; expected some of") as error:
        SCHEMES[name](**OPTIONS[name], n_labelled=3)
    assert all(repr(option) in str(error.value) for option in known)
    with pytest.raises(TypeError, match="takes its options by name: " + ", ".join(known)):
        SCHEMES[name](3)


@pytest.mark.parametrize(
    ("scheme", "options", "message"),
    [
        (AdaPUSplit, {"test": "fixed"}, "test='fixed'"),
        (Biased, {"kind": "clear"}, "kind='clear'"),
        (CaseControl, {"n_labeled": 10.0}, "n_labeled=10.0; expected a whole number of at least 1"),
        (CaseControl, {"unlabeled": "some"}, "unlabeled='some'"),
        (CaseControl, {"prior": 1.0}, "prior=1.0"),
        (CaseControl, {"prior": float("nan")}, "prior=nan"),
        (CaseControl, {"test_fraction": 1.0}, "test_fraction=1.0"),
        (Censored, {"r": 1.0}, "r=1.0"),
        (Censored, {"validation_share": -0.1}, "validation_share=-0.1"),
        (Censored, {"hide": "first"}, "hide='first'"),
        (Contaminated, {"n_unlabeled": 0}, "n_unlabeled=0; expected a whole number of at least 1"),
        (Contaminated, {"n_test_negative": -3}, "n_test_negative=-3; expected .* at least 0"),
        (Contaminated, {"contamination_labeled": 1.5}, "contamination_labeled=1.5"),
        (Contaminated, {"test": "last"}, "test='last'"),
        (Contaminated, {"generator": "square"}, "generator='square'"),
        (Contaminated, {"generator": "circle_noise"}, "n_test_positive and n_test_negative are needed"),
        (Expansion, {"later": "AB"}, "later='AB'"),
        (Expansion, {"train_share": 0.0}, "train_share=0.0"),
        (Mechanism, {"scenario": "three"}, "scenario='three'"),
        (Mechanism, {"scenario": "one_sample", "kind": "clear"}, "kind='clear'"),
        (Mechanism, {"kind": "posterior"}, "expected scenario='one_sample'"),
        (Mechanism, {"wrong_share": 1.2}, "wrong_share=1.2"),
        (Mechanism, {"prior": 1.0}, r"prior=1.0; expected a share in \(0, 1\)"),
        (Mechanism, {"prior": 0.1, "scenario": "one_sample"}, "expected scenario='two_sample'"),
        (Mixture, {"n_negative": None}, "n_negative=None; expected a whole number of at least 1"),
    ],
)
def test_bad_options_raise_an_error_without_data(scheme, options, message):
    with pytest.raises(ValueError, match=message):
        scheme(**options)


def test_later_targets_become_a_tuple_of_plain_values():
    scheme = Expansion(later=np.array([1, 2]))
    assert scheme == Expansion(later=[1, 2]) == Expansion(later=(1, 2))
    assert repr(scheme.later) == "(1, 2)"
    with pytest.raises(ValueError, match=r"toy, later=\(\): name the targets .* there are \[0, 1, 2\]"):
        Expansion().draw(dataset(), random_state=0)


@pytest.mark.parametrize("scheme", ["case_control", CaseControl])
def test_make_splits_needs_an_instance_of_a_scheme(scheme):
    with pytest.raises(TypeError, match="expected an instance of a scheme, such as CaseControl"):
        make_splits(dataset(), scheme, {0: 1})
