"""What figures read from tidy results: series by step and by repeat."""

import numpy as np
import pandas as pd

from pulab.figures.series import aligned, mean_by_step, series_by_repeat
from pulab.trials import results
from pulab.trials.trial import TrialResult


def series_of(*repeats):
    """Tidy results of one method: the steps and the values of series ``a`` in each repeat."""
    trials = [
        results.result_rows(("p", "toy", "s", "m", k), TrialResult(series={"a": (np.array(steps), np.array(values))}))
        for k, (steps, values) in enumerate(repeats)
    ]
    return results.concat(trials, results.COLUMNS)


def test_means_by_step():
    frame = series_of(([1, 10, 100], [1.0, 2.0, 3.0]), ([1, 10, 100], [2.0, 4.0, 6.0]))
    assert mean_by_step(frame, "a").to_dict() == {1: 1.5, 10: 3.0, 100: 4.5}
    assert mean_by_step(frame, "nothing").empty


def test_repeats_whose_last_steps_differ_by_a_row():
    common = aligned(series_of(*(([1, last], [0.0, k]) for k, last in enumerate([99, 100, 100]))), "a")
    assert common.groupby("step")["value"].mean().to_dict() == {1: 0, 100: 1}
    assert common.groupby("step")["value"].count().tolist() == [3, 3]


def test_series_by_repeat():
    rows = [(repeat, "importance", step, step + repeat) for repeat in (0, 1) for step in range(4)]
    frame = pd.DataFrame([*rows, (1, "accuracy", -1, 0.5)], columns=["repeat", "metric", "step", "value"])
    np.testing.assert_array_equal(series_by_repeat(frame, "importance"), [[0, 1, 2, 3], [1, 2, 3, 4]])
