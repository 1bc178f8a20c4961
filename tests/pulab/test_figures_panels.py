"""Which data sets a figure has panels for, and what its note says of the others."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from pulab.figures.panels import missing_note, panel_sets
from pulab.figures.printed import Printed, draw_printed, printed_numbers
from pulab.figures.series import spread_within
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


def test_an_interval_that_is_printed_without_a_mean_has_its_middle():
    frame = pd.DataFrame({"table": ["2"], "row": "A", "column": "Y", "low": 70.0, "high": 80.0})
    assert printed_numbers(Paper(frame), ["2"], {"a": "A", "b": "B"}, {"y": "Y"}) == {("a", "y"): (75, 70, 80)}


def test_bands_and_printed_intervals_stay_inside_what_is_possible():
    assert spread_within(0, 1)(pd.Series([0.0, 0.2])) == pytest.approx((0, 0.1 + np.sqrt(0.02)))
    assert spread_within(standard_error=True)(pd.Series([0.0, 2.0])) == pytest.approx((0, 2))
    assert spread_within()(pd.Series([0.4])) == (0.4, 0.4)
    ax = Figure().add_subplot()
    draw_printed(ax, 1.0, Printed(98.0, 90.0, 106.0), "#0072B2", low=0, high=100)
    np.testing.assert_allclose(ax.collections[0].get_segments()[0][:, 1], [90, 100])
