"""The page of a figure, its note, and the printed numbers in it."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from pulab.figures.lines import curves_frame, draw_lines
from pulab.figures.panels import missing_note, panel_sets
from pulab.figures.printed import Printed, draw_printed, printed_numbers
from pulab.figures.series import spread_within
from pulab.figures.style import PUBLISHED_MARKER, Style
from pulab.plan import Method, Preset
from pulab.tables import Paper, Results
from tests.pulab.toy import study_of

#: Data sets of a figure, its own titles, and what the registry and the methods are called.
SETS, TITLES = ["a", "b", "c", "d"], {"d": "D, 82k rows"}


def results_of(stand_ins=None, **titles):
    methods = [Method(name=name, label=name.upper(), estimator="p.M") for name in ("x", "y", "z")]
    study = study_of(methods=methods, presets={"quick": Preset(experiments=[], stand_ins=stand_ins or {})})
    return Results(study, "quick", study.methods_of("quick"), {"a": "A", "b": "B", "c": "C", **titles}, "", "")


def rows(*entries):
    return pd.DataFrame(entries, columns=["dataset", "method", "status", "message"])


def test_the_note_says_what_is_missing_and_why():
    tidy = rows(
        ("a", "x", "ok", ""),
        ("a", "y", "unavailable", "needs a GPU"),
        ("b", "x", "unavailable", "b.bz2 could not be downloaded (https://host/b.bz2)"),
        ("b", "y", "unavailable", "b.bz2 could not be downloaded (https://host/b.bz2)"),
        ("d", "x", "ok", ""),
        ("d", "y", "ok", ""),
        ("d", "z", "unavailable", "of another figure"),
    )
    note = missing_note(results_of(), tidy, SETS, ["x", "y"], TITLES)
    assert note == "Not shown: Y on A (needs a GPU); B (could not be downloaded); C (not part of this run)."
    assert missing_note(results_of(), tidy, ["d"], ["x", "y"]) == ""
    # what another set stands in for is named in its panel's title
    assert missing_note(results_of({"b": "a"}), tidy, ["b"], ["x", "y"]) == ""


def test_sets_of_panels():
    assert panel_sets(results_of({"b": "digits", "c": "digits"}), SETS, ["a", "digits"]) == {
        "a": "A",
        "digits": "digits (stand-in)",
    }
    # a set that both stands in and is wanted for itself is no stand-in
    assert panel_sets(results_of({"b": "a"}), ["b", "a"], ["a"]) == {"a": "A"}
    assert panel_sets(results_of(), SETS, ["d"], TITLES) == {"d": "D, 82k rows"}


def test_printed_numbers_and_intervals():
    frame = pd.DataFrame(
        [
            ("2", "A", "X", 90.0, 2.0, np.nan, np.nan),
            ("2", "A", "Y", np.nan, np.nan, 70.0, 80.0),
            ("3", "A", "X", 1.0, 1.0, 0, 2),
        ],
        columns=["table", "row", "column", "mean", "sd", "low", "high"],
    )
    paper, sets, methods = Paper(frame), {"a": "A", "b": "B"}, {"x": "X", "y": "Y"}
    assert printed_numbers(paper, "2", sets, methods) == {("a", "x"): (90, 88, 92), ("a", "y"): (75, 70, 80)}
    assert printed_numbers(paper, ["3"], sets, methods) == {("a", "x"): (1, 0, 2)}
    assert printed_numbers(Paper.read([]), "2", sets, methods) == {}


def test_printed_marks_stay_inside_what_is_possible():
    ax = Figure().add_subplot()
    draw_printed(ax, 1.0, Printed(98.0, 90.0, 106.0), "#0072B2", low=0, high=100)
    assert ax.lines[0].get_marker() == PUBLISHED_MARKER
    np.testing.assert_allclose(ax.collections[0].get_segments()[0][:, 1], [90, 100])
    draw_printed(ax, 1.0, Printed(50.0, np.nan, np.nan), "#0072B2")
    assert len(ax.collections) == 1


def test_lines_are_means_with_a_band_inside_what_is_possible():
    tidy = pd.DataFrame(
        [
            ("m", r, "accuracy", t, value)
            for r, values in enumerate([(0.5, 0.9), (0.7, 1.0)])
            for t, value in enumerate(values, 1)
        ],
        columns=["method", "repeat", "metric", "step", "value"],
    )
    ax = Figure().add_subplot()
    frame = curves_frame(tidy, {"m": "m", "none": "nothing"}, "accuracy", scale=100)
    ends = draw_lines(ax, frame, {"m": Style("#0072B2", "o"), "none": Style("#000000", "s")}, spread_within(0, 100))
    np.testing.assert_allclose(ax.lines[0].get_ydata(), [60, 95])
    assert ends == [(2, pytest.approx(95), "m", "#0072B2")]
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert band.max() == 100
    assert band.min() == pytest.approx(60 - np.sqrt(200))
    assert spread_within()(pd.Series([0.4])) == (0.4, 0.4)
    assert spread_within(standard_error=True)(pd.Series([0.0, 2.0])) == pytest.approx((0, 2))
