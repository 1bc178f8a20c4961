"""Several positive classes among unlabeled rows."""

import numpy as np
import pytest

from pulib import OneVsUnlabeledClassifier, UnbiasedPUClassifier

RNG = np.random.default_rng(0)
TRUTH = RNG.integers(4, size=1200)
X = RNG.normal(size=(1200, 3)) + 4 * np.eye(4)[TRUTH, 1:]
Y = np.where(RNG.random(1200) < 0.3, TRUTH, 0)
PRIORS = dict.fromkeys((1, 2, 3), 0.22)


@pytest.mark.parametrize("names", [["none", *"abc"], [np.nan, 1.0, 2.0, 3.0], [np.nan, *"abc"], [0, *"abc"]])
def test_predictions_use_the_given_labels(names):
    expected = OneVsUnlabeledClassifier(UnbiasedPUClassifier(), priors=PRIORS).fit(X, Y).predict(X)
    priors = dict.fromkeys(names[1:], 0.22)
    model = OneVsUnlabeledClassifier(UnbiasedPUClassifier(), priors=priors, unlabeled_label=names[0])
    labels = np.array(names, dtype=object)
    assert repr(model.fit(X, labels[Y]).predict(X).tolist()) == repr(labels[expected].tolist())  # NaN is not "nan"


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"unlabeled_label": 7}, "unlabeled_label=7 marks 0 of 1200"),
        ({"priors": {1: 0.2}}, "one for each of"),
        ({"priors": dict.fromkeys((1, 2, 3), 0.5)}, "at most 1"),
    ],
)
def test_bad_parameters_and_labels_raise_an_error(params, words):
    with pytest.raises(ValueError, match=words):
        OneVsUnlabeledClassifier(UnbiasedPUClassifier(prior=0.3)).set_params(**params).fit(X, Y)
