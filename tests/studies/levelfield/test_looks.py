"""The level field's lines can be told apart, and its learners look as they do in the studies of their papers."""

from itertools import combinations

import numpy as np
import pytest

from pulab.figures.style import spread_styles
from pulab.plan.load import load_study
from tests.pulab.test_figures_style import VISIONS, lab
from tests.studies.levelfield.drawn import STUDY

METHODS = STUDY.methods_of(None)
STYLES = {name: method.style for name, method in METHODS.items() if method.style}


def field_methods(setting):
    """The methods of the level field in a setting of the paper preset."""
    parts = [part for part in STUDY.presets["paper"].experiments if setting in {own.name for own in part.settings}]
    return list(dict.fromkeys(method.name for part in parts for method in part.methods))


def test_lines_can_be_told_apart():
    for setting in ("labels_10", "wrong_10", "prior_060"):
        methods = field_methods(setting)
        assert len(methods) >= 9
        for (one, first), (other, second) in combinations(spread_styles(methods, STYLES).items(), 2):
            for vision in VISIONS:
                distance = np.linalg.norm(lab(first.color, vision) - lab(second.color, vision))
                assert distance >= 10, (one, other, vision, distance)


@pytest.mark.parametrize(
    ("method", "study", "twin"),
    [
        ("lf_pu_et", "puet", "puet_nnpu_quadratic"),
        ("lf_adapu", "adapu", "adapu"),
        ("lf_resvm", "resvm", "resvm_resvm"),
        ("lf_bagging_svm", "resvm", "resvm_bag"),
        ("lf_opu", "opu", "opu_dh"),
        ("lf_upu", "opu", "upu_dh"),
    ],
)
def test_learners_look_as_in_their_papers_studies(method, study, twin):
    other = load_study(study).methods_of(None)[twin]
    assert METHODS[method].style == other.style
    assert METHODS[method].estimator == other.estimator
