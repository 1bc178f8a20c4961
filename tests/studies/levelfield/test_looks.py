"""The level field's learners look, and are, as in the studies of their papers."""

import pytest

from pulab.plan.load import load_study
from tests.studies.levelfield.drawn import STUDY

METHODS = STUDY.methods_of(None)


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
