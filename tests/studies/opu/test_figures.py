"""The figures of the OPU paper and its table of readings: the numbers that they show."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from pulab.figures.panels import NOT_RUN
from pulab.figures.style import Style
from pulab.trials import results
from pulab.trials.trial import TrialResult
from studies.opu import tables
from studies.opu.figures import (
    BENCHMARKS,
    IMAGES,
    SUFFIX,
    draw_regret,
    figure1,
    figure_stream,
    figure_weighting,
    percent_by_step,
    regret_share,
)
from studies.opu.tables import reading_distances, table_readings
from tests.studies.shown import paper_of, results_of


def tidy(trials):
    """Results of ``(dataset, setting, method, repeat) -> TrialResult``."""
    return results.concat([results.result_rows(("opu", *key), trial) for key, trial in trials.items()], results.COLUMNS)


def regret_of(name):
    """Results of one method whose regret, and the bound of it, have a name."""
    steps = np.array([1, 10, 100])
    return tidy(
        {
            ("toy", "regret", "m", k): TrialResult(
                series={
                    f"regret_{name}": (steps, np.array([1.0, 2.0, 3.0]) * (k + 1)),
                    f"bound_{name}": (steps, np.array([4.0, 8.0, 12.0])),
                }
            )
            for k in range(2)
        }
    )


def test_regret_is_drawn_with_its_bound():
    ax, regret, other = Figure().add_subplot(), regret_of(SUFFIX), regret_of("log10_alpha_0")
    draw_regret(ax, regret, {"toy": Style("#000000", "o"), "other": Style("#0072B2", "s")})
    measured, bound, _, root = ax.lines
    np.testing.assert_allclose(measured.get_ydata(), [1.5, 3, 4.5])
    np.testing.assert_allclose(bound.get_ydata(), [4, 8, 12])
    slope = np.diff(np.log(root.get_ydata())) / np.diff(np.log(root.get_xdata()))
    np.testing.assert_allclose(slope, 0.5)
    np.testing.assert_allclose(regret_share(regret), [0.5, 0.5, 0.5])  # the worse repeat's
    assert regret_share(other).empty
    empty = Figure().add_subplot()
    draw_regret(empty, other, {"toy": Style("#000000", "o")})
    assert [text.get_text() for text in empty.texts] == [NOT_RUN]


def test_curves_put_the_steps_where_they_belong():
    trial = TrialResult(
        series={"a": (np.array([10_000, 100_000]), np.array([0.6, 0.8])), "b": (np.array([60, 140]), np.ones(2))}
    )
    frame = tidy({("toy", "s", "m", 0): trial})
    by_weight = percent_by_step(frame, ["toy"], "a", 1e6)
    np.testing.assert_allclose(by_weight["column"], [0.01, 0.1])
    np.testing.assert_allclose(by_weight["value"], [60, 80])
    np.testing.assert_allclose(percent_by_step(frame, ["toy"], "b", 100)["column"], [0.6, 1.4])


def test_a_stream_says_by_how_much_one_weighting_is_behind_the_other(tmp_path):
    ends = {"opu_dh": (0.5, 0.9), "opu_dh_eq6": (0.5, 0.7)}
    trials = {("vote", "stream", m, k): TrialResult(series={"accuracy_by_rows_seen_population": (np.array([1, 100]),
              np.array(end) + 0.001 * k)}) for m, end in ends.items() for k in range(3)}  # fmt: skip
    fig = figure_stream(results_of("opu", tidy(trials), tmp_path, titles={"vote": "Vote"}), paper_of())
    title = "After one pass, equation 6 is ahead of unbiased weights in 0 of 1 cases, behind in 1, undecided in 0"
    assert fig.subfigs[0].get_suptitle().replace("\n", " ") == title
    ax = fig.axes[0]
    assert [text.get_text() for text in ax.texts] == ["0", "−20"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["Vote: 90.1"]


@pytest.mark.parametrize("figure", [figure_weighting, figure_stream, figure1], ids=lambda figure: figure.__name__)
def test_the_note_names_the_sets_that_a_run_lacks(figure, tmp_path):
    """Of results that one image set alone has, in every setting, under the series and scalars of all figures."""
    curves = {"accuracy_by_alpha_population": [10_000, 100_000], "accuracy_by_prior_percent_population": [60, 100]}
    curves["accuracy_by_rows_seen_population"] = [1, 100]
    series = {name: (np.array(steps), np.array([0.5, 0.9])) for name, steps in curves.items()}
    trial = TrialResult(scalars={"accuracy_pu_risk_population": 0.9}, series=series)
    methods = ("opu_dh", "opu_dh_eq6", "opu_batch_dh", "opu_batch_dh_eq6")
    trials = {("cifar10_gist", s, m, 0): trial for s in ("r40", "stream", "sensitivity") for m in methods}
    fig = figure(results_of("opu", tidy(trials), tmp_path), paper_of())
    words = " ".join(text.get_text().replace("\n", " ") for part in fig.subfigs for text in part.texts)
    for name in BENCHMARKS + IMAGES:
        assert (f"{name} (not part of this run)" in words) == (name != "cifar10_gist"), name


def test_reading_distances():
    def trial(value):
        return TrialResult(scalars={"accuracy_pu_risk_unlabeled": value, "accuracy_oracle_unlabeled": 0.9})

    frame = tidy({("v", "r20", "opu_dh", k): trial(0.8 + 0.02 * k) for k in range(2)} | {("v", "r30", "opu_dh", 0): trial(0.7)})
    published = pd.DataFrame({"row": ["Vote 20%", "Vote 30%"], "column": "OPU DH", "mean": [84.0, 75.0]})
    cells = reading_distances(frame, published, {"Vote": "v", "Other": "w"}).set_index(["row", "column"])
    first = cells.loc[("unbiased, π of U, PU risk", "Vote")]
    assert first["ours"] == pytest.approx((3 + 5) / 2)
    assert (first["n"], first["note"]) == (2, "closest reading")
    second = cells.loc[("unbiased, π of U, oracle", "Vote")]
    assert second["ours"] == pytest.approx((6 + 15) / 2)
    assert second["note"] == ""
    assert set(cells.xs("Other", level="column")["status"]) == {"not run"}


def test_the_best_on_the_test_rows_is_never_the_closest_reading():
    trial = TrialResult(scalars={"accuracy_pu_risk_unlabeled": 0.8, "accuracy_ceiling_unlabeled": 0.84})
    published = pd.DataFrame({"row": ["Vote 20%"], "column": ["OPU DH"], "mean": [84.0]})
    cells = reading_distances(tidy({("v", "r20", "opu_dh", 0): trial}), published, {"Vote": "v"}).set_index("row")
    assert cells.loc["unbiased, π of U, best on test", "ours"] == pytest.approx(0)
    assert cells.loc["unbiased, π of U, best on test", "note"] == ""
    assert cells.loc["unbiased, π of U, PU risk", "note"] == "closest reading"


@pytest.mark.parametrize("stand_ins", [{}, {"vote": "breast_cancer"}, dict.fromkeys((*BENCHMARKS, *IMAGES), "breast_cancer")])
def test_readings_are_compared_on_no_stand_in_unless_there_is_nothing_else(stand_ins, tmp_path):
    trial = TrialResult(scalars={"accuracy_pu_risk_unlabeled": 0.8})
    found = results_of("opu", tidy({("australian", "r20", "opu_dh", 0): trial}), tmp_path)
    preset = replace(found.study.presets["paper"], stand_ins=stand_ins)
    found = replace(found, study=replace(found.study, presets={"paper": preset}))
    columns = set(table_readings(found, paper_of(("1", "Vote 20%", "OPU DH", 80.0))).cells["column"])
    assert columns == {*tables.BENCHMARKS, *tables.IMAGES} - ({"Vote"} if len(stand_ins) == 1 else set())
