"""Trials that were run once more: agreement with the archived ones, within the tolerance of the method."""

import numpy as np
import pandas as pd
import pytest

from pulab.reports.rerun import agreement, nothing_compared, rerun_cells, rerun_text
from pulab.trials import results
from pulab.trials.tolerances import TOLERANCES
from pulab.trials.trial import TrialResult

KEY = ("p", "toy", "s", "m")
NETWORK = "pulib.neural.NeuralPUClassifier"


def numbers(change=0.0, repeats=(0, 1), curve=(0.1, 0.2)):
    parts = []
    for k in repeats:
        result = TrialResult(scalars={"accuracy": 0.5 + k / 10 + change * (k == 1)}, series={"curve": np.array(curve)})
        parts.append(results.result_rows((*KEY, k), result))
    return results.concat(parts, results.COLUMNS)


@pytest.mark.parametrize(
    ("change", "names", "answer"),
    [
        (0.0, [], "yes"),
        (1e-12, [], "yes"),
        (1e-6, [], "no"),
        (0.05, [NETWORK], "yes"),
        (2 * TOLERANCES[NETWORK].trial, [NETWORK, "pulib.svm.BaggingSVC"], "no"),
        (np.nan, [NETWORK], "no"),
    ],
)
def test_numbers_agree_within_the_tolerance_of_their_method(change, names, answer):
    found = agreement(numbers(), numbers(change), {KEY: names}).set_index("metric")
    assert found.loc["accuracy", "agrees"] == answer
    assert found.loc["curve", "agrees"] == "yes"
    assert found.loc["accuracy", "repeats"] == 2
    assert found.loc["accuracy", "archived"] == pytest.approx(0.55)


@pytest.mark.parametrize(("change", "answer"), [(1e-7, "yes"), (1e-4, "no")])
def test_calibrated_probabilities_have_a_separate_tolerance(change, answer):
    old, new = (numbers(moved).replace({"metric": {"accuracy": "brier"}}) for moved in (0.0, change))
    assert agreement(old, new, {}).set_index("metric").loc["brier", "agrees"] == answer


def test_only_rerun_repeats_are_compared_and_those_without_a_partner_are_reported():
    found = agreement(numbers(repeats=(0,)), numbers(repeats=(1,)), {}).set_index("metric")
    assert found["agrees"].tolist() == ["not archived"] * 2
    assert found.loc["accuracy", "new"] == pytest.approx(0.6)
    failed = results.status_rows((*KEY, 0), "failed", "ValueError: no")
    assert agreement(numbers(), failed, {})["agrees"].tolist() == ["failed: ValueError: no"]


def test_each_cell_has_the_published_the_archived_and_the_new_value():
    shown = {"study": "p", "table": "t1", "row": "Toy", "kind": "performance", "unit": "%", "published": 60.0, "scale": 100.0}
    trials = {"dataset": "toy", "setting": "s", "metric": "accuracy"}
    cells = [shown | trials | {"column": label, "method": m} for label, m in (("M", "m"), ("other", "x"))]
    found = agreement(numbers(), numbers(0.02), {})
    answer = rerun_cells(pd.DataFrame(cells), found)
    assert answer[["column", "published", "agrees"]].to_numpy().tolist() == [["M", 60.0, "no"]]
    assert answer[["archived", "new"]].to_numpy()[0] == pytest.approx([55.0, 56.0])
    text = rerun_text(answer, found)
    assert "1 metrics agree with the archived ones within the tolerance of their method, 1 do not." in text
    assert "| p | t1 | Toy | M | % | 60 | 55 | 56 | no |" in text


def test_a_rerun_without_data_compares_nothing_and_says_why():
    gone = results.status_rows((*KEY, 0), "unavailable", "toy.csv could not be downloaded")
    found = agreement(numbers(), gone, {})
    assert nothing_compared(found) == "Nothing was compared. toy: unavailable: toy.csv could not be downloaded."
    assert rerun_text(pd.DataFrame(), found).startswith("Nothing was compared. toy: unavailable")
    assert nothing_compared(agreement(numbers(), numbers(), {})) == ""
