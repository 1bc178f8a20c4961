"""The learners are those of the level field at their defaults."""

import pytest

from pulab.plan.load import load_study
from pulab.trials.trial import make_estimator
from purank import learners

METHODS = load_study("levelfield").methods_of("paper")
RIVALS = {"lf_pu_toolbox_nnpu", "lf_pulearn_bagging", "lf_pulearn_elkan_noto"}


def test_learners_are_those_of_the_level_field():
    for name, learner in learners.LEARNERS.items():
        method = METHODS[f"lf_{name}"]
        assert (learner.label, learner.standardize) == (method.label, method.standardize)
        assert [learner.requires] == (list(method.requires) or [""])
        if not learner.missing:
            theirs = make_estimator(method.estimator, method.params, seed=None, n_jobs=None)
            shown = repr(theirs).replace("RandomForestClassifier(n_estimators=100)", "RandomForestClassifier()")
            assert repr(learner.make()) == shown
    ours = {f"lf_{name}" for name in learners.LEARNERS}
    elsewhere = {name for name, method in METHODS.items() if method.role in ("ceiling", "trivial")}
    left_out = {"lf_upu_mlp", "lf_self_pu", "lf_bagging_rf", "lf_biased", "lf_pusb", *RIVALS}
    assert {name for name in METHODS if name.startswith("lf_")} - ours - elsewhere == left_out


def test_chosen_learners_hold_the_plain_one_and_know_their_names():
    assert [one.name for one in learners.chosen_learners(["pu_et"])] == ["pu_et", "naive_lr"]
    assert sum(one.name == learners.PLAIN for one in learners.chosen_learners("default")) == 1
    with pytest.raises(ValueError, match=r"unknown method 'pu_te' \(did you mean '\w+'\?\)"):
        learners.chosen_learners(["pu_te"])


@pytest.mark.parametrize("name", ["pu_et", "elkan_noto_lr", "bagging_svm"])
def test_learners_are_told_the_share_among_unlabeled_rows(name):
    params = learners.LEARNERS[name].build(0.17, seed=1).get_params()
    assert [value for key, value in params.items() if key.split("__")[-1] == "prior" and value is not None] == [0.17]
    assert {value for key, value in params.items() if key.split("__")[-1] == "scenario"} <= {"two_sample"}
