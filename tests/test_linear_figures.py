"""Plots and the table of readings of the OPU paper: the numbers that they show."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from pulib.experiments import results
from pulib.experiments.trial import TrialResult
from pulib.plots._regret import plot_regret_growth, plot_regret_share
from pulib.plots._sensitivity import curve_summary, plot_by_setting, plot_learning_curve, plot_sensitivity
from pulib.tables._readings import reading_distances


def tidy(trials):
    """Results of ``(dataset, setting, method, repeat) -> TrialResult``."""
    return results.concat([results.result_rows(("opu", *key), trial) for key, trial in trials.items()], results.COLUMNS)


@pytest.fixture
def regret():
    steps = np.array([1, 10, 100])
    return tidy(
        {
            ("toy", "regret", "m", k): TrialResult(
                series={
                    "regret_x": (steps, np.array([1.0, 2.0, 3.0]) * (k + 1)),
                    "bound_x": (steps, np.array([4.0, 8.0, 12.0])),
                }
            )
            for k in range(2)
        }
    )


def test_curve_summary(regret):
    summary = curve_summary(regret, "regret_x")
    assert summary["step"].tolist() == [1, 10, 100]
    assert summary["mean"].tolist() == [1.5, 3.0, 4.5]
    np.testing.assert_allclose(summary["sd"], np.array([1, 2, 3]) / np.sqrt(2))
    assert curve_summary(regret, "nothing").empty


def test_repeats_whose_last_steps_differ_by_a_row():
    frame = tidy(
        {
            ("toy", "s", "m", k): TrialResult(series={"a": (np.array([1, last]), np.array([0.0, k]))})
            for k, last in enumerate([99, 100, 100])
        }
    )
    summary = curve_summary(frame, "a")
    assert summary["step"].tolist() == [1, 100]
    assert summary["mean"].tolist() == [0, 1]
    assert summary["n"].tolist() == [3, 3]


def test_regret_panels(regret):
    growth, share = Figure().subplots(1, 2)
    assert plot_regret_growth(growth, regret, "x", label="a", color="k")
    np.testing.assert_allclose(growth.lines[0].get_ydata(), [1 / 3, 2 / 3, 1])
    assert growth.lines[0].get_label() == "a: 4.5 (bound 12)"
    assert plot_regret_share(share, regret, "x", label="a", color="k")
    np.testing.assert_allclose(share.lines[0].get_ydata(), [0.5, 0.5, 0.5])  # the worse repeat's
    assert not plot_regret_growth(growth, regret, "y", label="b", color="k")
    assert not plot_regret_share(share, regret, "y", label="b", color="k")


def test_curves_put_the_steps_where_they_belong():
    steps = np.array([10_000, 100_000])
    frame = tidy(
        {("toy", "s", "m", 0): TrialResult(series={"a": (steps, np.array([0.6, 0.8])), "b": (np.array([60, 140]), np.ones(2))})}
    )
    ax, other, third = Figure().subplots(1, 3)
    assert plot_sensitivity(ax, frame, "a", label="", color="k", logarithmic=True)
    np.testing.assert_allclose(ax.lines[0].get_xdata(), [0.01, 0.1])
    assert plot_sensitivity(other, frame, "b", label="", color="k")
    np.testing.assert_allclose(other.lines[0].get_xdata(), [0.6, 1.4])
    assert plot_learning_curve(third, frame, "b", label="", color="k")
    assert not plot_learning_curve(third, frame, "c", label="", color="k")


def test_by_setting_keeps_the_order_given():
    frame = tidy({("toy", name, "m", 0): TrialResult(scalars={"a": value}) for name, value in [("r40", 0.4), ("r20", 0.2)]})
    ax = Figure().subplots()
    assert plot_by_setting(ax, frame, {"20%": "r20", "30%": "r30", "40%": "r40"}, label="", color="k")
    np.testing.assert_allclose(ax.lines[0].get_xydata(), [[0, 0.2], [2, 0.4]])
    assert not plot_by_setting(ax, frame, {"50%": "r50"}, label="", color="k")


def test_reading_distances():
    def trial(value):
        return TrialResult(scalars={"accuracy_pu_risk_unlabeled": value, "accuracy_oracle_unlabeled": 0.9})

    frame = tidy({("v", "r20", "m", k): trial(0.8 + 0.02 * k) for k in range(2)} | {("v", "r30", "m", 0): trial(0.7)})
    published = pd.DataFrame({"row": ["Vote 20%", "Vote 30%"], "column": ["OPU", "OPU"], "mean": [84.0, 75.0]})
    spec = {
        "rows": {"Vote": "v", "Other": "w"},
        "settings": {"20%": "r20", "30%": "r30"},
        "columns": {"OPU": "m"},
        "weightings": {"eq. 6": ""},
        "priors": {"of U": "unlabeled"},
        "tunings": {"PU risk": "pu_risk", "oracle": "oracle"},
    }
    cells = reading_distances(frame, published, spec).set_index(["row", "column"])
    first = cells.loc[("Vote", "eq. 6, of U, PU risk")]
    assert first["ours"] == pytest.approx((3 + 5) / 2)
    assert first["note"] == "closest reading"
    second = cells.loc[("Vote", "eq. 6, of U, oracle")]
    assert second["ours"] == pytest.approx((6 + 15) / 2)
    assert second["note"] == ""
    assert set(cells.loc["Other", "status"]) == {"not run"}
    unmarked = reading_distances(frame, published, {**spec, "unmarked": ["PU risk"]}).set_index(["row", "column"])
    assert unmarked.loc[("Vote", "eq. 6, of U, oracle"), "note"] == "closest reading"
