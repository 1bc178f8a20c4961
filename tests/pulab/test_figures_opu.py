"""Plots and the table of readings of the OPU paper: the numbers that they show."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from studies.opu.figures.regret import draw_growth, regret_share
from studies.opu.figures.sensitivity import percent_by_step
from studies.opu.figures.stream import thinned
from studies.opu.tables.readings import reading_distances

from pulab.figures.series import aligned, mean_by_step
from pulab.figures.style import Style
from pulab.plan.configuration import read_yaml
from pulab.trials import results
from pulab.trials.trial import TrialResult

ROOT = Path(__file__).parents[2]


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


def test_means_by_step(regret):
    assert mean_by_step(regret, "regret_x").to_dict() == {1: 1.5, 10: 3.0, 100: 4.5}
    assert mean_by_step(regret, "nothing").empty


def test_repeats_whose_last_steps_differ_by_a_row():
    frame = tidy(
        {
            ("toy", "s", "m", k): TrialResult(series={"a": (np.array([1, last]), np.array([0.0, k]))})
            for k, last in enumerate([99, 100, 100])
        }
    )
    common = aligned(frame, "a")
    assert common.groupby("step")["value"].mean().to_dict() == {1: 0, 100: 1}
    assert common.groupby("step")["value"].count().tolist() == [3, 3]


def test_regret_panels(regret):
    ax = Figure().add_subplot()
    ends = draw_growth(ax, regret, {"m": Style("#000000", "o"), "other": Style("#0072B2", "s")}, "x")
    assert ends == {"m": (4.5, 12.0)}
    np.testing.assert_allclose(ax.lines[0].get_ydata(), [1 / 3, 2 / 3, 1])
    np.testing.assert_allclose(regret_share(regret, "x"), [0.5, 0.5, 0.5])  # the worse repeat's
    assert draw_growth(ax, regret, {"m": Style("#000000", "o")}, "y") == {}
    assert regret_share(regret, "y").empty


def test_curves_put_the_steps_where_they_belong():
    trial = TrialResult(
        series={"a": (np.array([10_000, 100_000]), np.array([0.6, 0.8])), "b": (np.array([60, 140]), np.ones(2))}
    )
    frame = tidy({("toy", "s", "m", 0): trial})
    by_weight = percent_by_step(frame, ["toy"], "a", 1e6)
    np.testing.assert_allclose(by_weight["step"], [0.01, 0.1])
    np.testing.assert_allclose(by_weight["value"], [60, 80])
    np.testing.assert_allclose(percent_by_step(frame, ["toy"], "b", 100)["step"], [0.6, 1.4])


def test_streams_are_thinned_by_their_means():
    steps = [1, 2, 3, 1000, 1001]
    frame = pd.DataFrame({"line": "m", "repeat": 0, "step": steps, "value": [0.0, 40.0, 60.0, 80.0, 100.0]})
    out = thinned(frame)
    assert out["value"].tolist() == [20, 60, 90]
    assert out["step"].is_monotonic_increasing


def test_sets_of_the_papers_tables_are_shown_or_named_as_missing():
    """A figure's note names those of its sets that could not be run: it can name no set that the figure does not list."""
    study = read_yaml(ROOT / "config" / "studies" / "opu.yaml")
    printed = {row["select"]["dataset"] for table in ("table1", "table2") for row in study["tables"][table]["rows"]}
    assert "svhn_gist" in printed
    for name in ("figure_weighting", "figure_stream"):
        assert set(study["figures"][name]["show_datasets"]) == printed, name
    both = study["figures"]["figure1"]["show_datasets"] + study["figures"]["figure1_benchmarks"]["show_datasets"]
    assert set(both) == printed


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
    first = cells.loc[("eq. 6, of U, PU risk", "Vote")]
    assert first["ours"] == pytest.approx((3 + 5) / 2)
    assert first["note"] == "closest reading"
    second = cells.loc[("eq. 6, of U, oracle", "Vote")]
    assert second["ours"] == pytest.approx((6 + 15) / 2)
    assert second["note"] == ""
    assert set(cells.xs("Other", level="column")["status"]) == {"not run"}
    unmarked = reading_distances(frame, published, {**spec, "unmarked": ["PU risk"]}).set_index(["row", "column"])
    assert unmarked.loc[("eq. 6, of U, oracle", "Vote"), "note"] == "closest reading"
