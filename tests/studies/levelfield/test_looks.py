"""The level field's learners have the style and the estimator of their papers' studies."""

import pytest

from pulab.plan.load import load_study
from tests.studies.levelfield.drawn import STUDY

METHODS = STUDY.methods_of(None)


@pytest.mark.parametrize(
    ("method", "study", "original"),
    [
        ("lf_pu_et", "puet", "puet_nnpu_quadratic"),
        ("lf_adapu", "adapu", "adapu"),
        ("lf_resvm", "resvm", "resvm_resvm"),
        ("lf_bagging_svm", "resvm", "resvm_bag"),
        ("lf_opu", "opu", "opu_dh"),
        ("lf_upu", "opu", "upu_dh"),
    ],
)
def test_learners_have_the_style_of_their_papers_studies(method, study, original):
    other = load_study(study).methods_of(None)[original]
    assert METHODS[method].style == other.style
    assert METHODS[method].estimator == other.estimator
