"""What figures show that archived pictures do not: sets that are missing, values beyond an axis, intervals without a mean."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from pulab.figures.panels import missing_note, panel_sets
from pulab.figures.printed import Printed, draw_printed, printed_numbers
from pulab.figures.published import differences, published_against_ours
from pulab.figures.series import spread_within
from pulab.plan import Method, Preset
from pulab.tables import Paper, Results, read_cells
from pulab.tables.record import judged_performances
from pulab.tables.verdict import MEANINGS
from pulib.plots import style
from pulib.statistics import mean_ci
from tests.pulab.toy import study_of

#: Data sets of a figure, its own titles, and what the registry and the methods are called.
SETS, TITLES = ["a", "b", "c", "d"], {"d": "D, 82k rows"}
SCOREBOARD = Path(__file__).parents[2] / "figures" / "paper" / "scoreboard.csv"
CELLS = judged_performances(read_cells(SCOREBOARD))
STUDIES = {"puet": "PU ET", "adapu": "Ada-PU", "opu": "OPU", "pces": "PCES", "resvm": "RESVM"}


def results_of(stand_ins=None):
    methods = [Method(name=name, label=name.upper(), estimator="p.M") for name in ("x", "y", "z")]
    study = study_of(methods=methods, presets={"quick": Preset(experiments=[], stand_ins=stand_ins or {})})
    return Results(study, "quick", study.methods_of("quick"), {"a": "A", "b": "B", "c": "C"}, "", "")


def test_the_note_says_what_is_missing_and_why():
    rows = [
        ("a", "x", "ok", ""),
        ("a", "y", "unavailable", "needs a GPU"),
        ("b", "x", "unavailable", "b.bz2 could not be downloaded (https://host/b.bz2)"),
        ("b", "y", "unavailable", "b.bz2 could not be downloaded (https://host/b.bz2)"),
        ("d", "x", "ok", ""),
        ("d", "y", "ok", ""),
        ("d", "z", "unavailable", "of another figure"),
    ]
    tidy = pd.DataFrame(rows, columns=["dataset", "method", "status", "message"])
    note = missing_note(results_of(), tidy, SETS, ["x", "y"], TITLES)
    assert note == "Not shown: Y on A (needs a GPU); B (could not be downloaded); C (not part of this run)."
    assert missing_note(results_of(), tidy, ["d"], ["x", "y"]) == ""
    # what another set stands in for is named in its panel's title
    assert missing_note(results_of({"b": "a"}), tidy, ["b"], ["x", "y"]) == ""


def test_panels_show_data_sets_with_results_and_mark_stand_ins():
    shown = panel_sets(results_of({"b": "digits", "c": "digits"}), SETS, ["a", "digits"])
    assert shown == {"a": "A", "digits": "digits (stand-in)"}
    # a set that both stands in and is wanted for itself is no stand-in
    assert panel_sets(results_of({"b": "a"}), ["b", "a"], ["a"]) == {"a": "A"}
    assert panel_sets(results_of(), SETS, ["d"], TITLES) == {"d": "D, 82k rows"}


def test_a_published_interval_without_a_mean_uses_its_midpoint():
    frame = pd.DataFrame({"table": ["2"], "row": "A", "column": "Y", "low": 70.0, "high": 80.0})
    assert printed_numbers(Paper(frame), ["2"], {"a": "A", "b": "B"}, {"y": "Y"}) == {("a", "y"): (75, 70, 80)}


def test_bands_and_published_intervals_stay_within_the_possible_range():
    assert spread_within(0, 1)(pd.Series([0.0, 0.2])) == pytest.approx((0, 0.1 + np.sqrt(0.02)))
    assert spread_within(standard_error=True)(pd.Series([0.0, 2.0])) == pytest.approx((0, 2))
    assert spread_within()(pd.Series([0.4])) == (0.4, 0.4)
    ax = Figure().add_subplot()
    draw_printed(ax, 1.0, Printed(98.0, 90.0, 106.0), "#0072B2", low=0, high=100)
    np.testing.assert_allclose(ax.collections[0].get_segments()[0][:, 1], [90, 100])


@pytest.mark.parametrize("marked", [True, False])
def test_a_forest_plot_marks_cut_off_values_with_an_arrow_and_number(marked):
    """A mean beyond the axis, and a whisker that ends there."""
    own = CELLS[CELLS["study"] == "resvm"].head(4).assign(column=["far", "far", "far", "near"])
    own["difference"] = [-40.0, -16.0, -10.0, 1.0]
    with style():
        (ax,) = differences(own, "resvm", marks=marked).axes
    arrows = [line for line in ax.lines if line.get_marker() in ("<", ">")]
    assert [line.get_marker() for line in arrows] == ["<", ">", "<"]  # both ends of the bar, and the mean
    found = mean_ci(own["difference"].head(3).to_numpy())
    assert {text.get_text() for text in ax.texts if "." in text.get_text()} == {
        f"−{-found.low:.1f}", f"+{found.high:.1f}", f"mean −{-found.mean:.1f}"
    }  # fmt: skip
    squares = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "s"]
    assert squares == ([] if marked else [1.0]), "no square where the mean is not"


def test_a_note_explains_what_is_drawn_and_no_more():
    """Two reproduced performances within the axis: no other verdict, no mean, no arrow and nothing at the edge."""
    few = CELLS[CELLS["verdict"] == "reproduced"].head(2).assign(study="puet", column="one", difference=[0.5, -0.5])
    with style():
        fig = differences(few, "puet")
    assert [text.get_text() for text in fig.subfigs[0].legends[0].get_texts()] == ["reproduced"]
    note = fig.subfigs[1].texts[0].get_text().replace("\n", " ")
    assert f"Reproduced: {MEANINGS['reproduced']}." in note
    assert not [word for word in ("Close:", "Different:", "Squares", "Arrows", "edge") if word in note]


def test_a_study_without_performances_says_so():
    empty = pd.DataFrame(columns=CELLS.columns)
    with style():
        for fig in (differences(empty, "puet"), published_against_ours(empty, STUDIES)):
            assert [text.get_text() for text in fig.axes[0].texts] == ["not part of this run"]
