"""The numbers on the level field's leaderboard."""

from itertools import product

import pandas as pd
import pytest

from pulab.tables import Results
from pulab.trials import results as tidy_results
from pulab.trials.results import TIMING_COLUMNS, typed
from pulab.trials.trial import TrialResult
from studies.levelfield.board import SETTINGS, board
from tests.studies.levelfield.drawn import STUDY

FACTS = {"n_labeled": 40, "n_unlabeled": 460, "prior_true": 0.3, "share_discrete": 0.25}
METHODS = ["lf_pu_et", "lf_opu", "lf_supervised_rf", "lf_all_positive"]


def trial(setting, dataset, method, repeat, accuracy):
    brier = {} if method == "lf_opu" else {"brier": 0.2, "calibration_error": 0.1}
    numbers = {"accuracy": accuracy, "auc": 0.9, "average_precision": 0.8, **brier, **FACTS}
    return tidy_results.result_rows(("levelfield", dataset, setting, method, repeat), TrialResult(scalars=numbers))


@pytest.fixture
def results(tmp_path):
    """Two repeats per setting, one more with the true π; OPU fails on digits, and once on another task."""
    rows, times = [], []
    for setting, dataset, method, repeat in product(SETTINGS, ["digits", "breast_cancer"], METHODS, range(3)):
        key = ("levelfield", dataset, setting, method, repeat)
        if repeat == 2 and setting != "two_sample":
            continue
        if method == "lf_opu" and (dataset == "digits" or repeat == 0):
            rows.append(tidy_results.status_rows(key, "failed", "ValueError: no"))
            continue
        rows.append(trial(setting, dataset, method, repeat, 0.6 + 0.1 * repeat))
        times.append(tidy_results.timing_rows(key, {"fit": 1.0 + repeat, "predict": 0.5, "trial": 9.0}, "a machine"))
    rows.append(trial("two_sample", "digits_odd", "lf_pu_et", 0, 0.5))  # a task without a main setting
    rows.append(tidy_results.status_rows(("levelfield", "digits", "two_sample", "lf_nnpu", 0), "unavailable", "no torch"))
    tidy_results.write(tidy_results.concat(rows, tidy_results.COLUMNS), tmp_path / "tidy.parquet")
    tidy_results.write(typed(pd.concat(times), TIMING_COLUMNS), tmp_path / "timings.parquet")
    titles = {"digits": "Digits", "breast_cancer": "breast cancer"}
    return Results(STUDY, "paper", STUDY.methods_of("paper"), titles, tmp_path / "tidy.parquet", tmp_path / "timings.parquet")


def test_board_has_means_over_the_repeats_of_the_main_settings(results):
    made = board(results)
    assert list(made.settings) == list(SETTINGS)
    assert made.tasks["label"].tolist() == ["breast cancer", "Digits"]
    assert made.tasks.loc["digits", ["rows", "prior_true", "n_labeled", "share_discrete"]].tolist() == [500, 0.3, 40, 0.25]
    assert made.learners["ranked"].to_dict() == dict(zip(METHODS, [True, True, False, False], strict=True))
    assert made.learners["note"].tolist() == ["", "", "ceiling, true labels", "trivial"]
    for setting in SETTINGS:
        assert made.values.loc[(setting, "digits", "lf_pu_et"), "accuracy"] == pytest.approx(0.65)
    assert made.values.loc[("one_sample", "digits", "lf_pu_et"), "seconds"] == pytest.approx(2.0)


def test_learner_fails_on_a_task_if_none_of_its_repeats_has_numbers(results):
    made = board(results)
    assert made.failed == {(setting, "digits", "lf_opu") for setting in SETTINGS}
    assert made.values.loc[("one_sample", "breast_cancer", "lf_opu"), "accuracy"] == pytest.approx(0.7)
    assert made.values["brier"].isna().sum() == len(SETTINGS), "OPU gives no probabilities"
    assert made.packed()["learners"][1] == ["OPU", "", True]
