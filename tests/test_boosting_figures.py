"""Tables and figures of the Ada-PU paper, from a few made-up results."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from pulib.plots._curves import make_panels, panel_sets, plot_curve, summarize_curve
from pulib.plots._feature_counts import plot_feature_counts, shown_counts
from pulib.tables._adapu import accuracy_cells, reading_cells


def tidy(rows):
    frame = pd.DataFrame(rows, columns=["dataset", "setting", "method", "repeat", "metric", "step", "value"])
    return frame.assign(paper="adapu", status="ok", message="")


def test_curves_are_means_with_a_band():
    rows = [("a", "s", "m", r, "accuracy_by_round", t, 0.5 + 0.1 * r + 0.01 * t) for r in (0, 1) for t in (1, 2)]
    rows.append(("a", "s", "m", 0, "accuracy_by_round", -1, 9.0))
    summary = summarize_curve(tidy(rows), "accuracy_by_round")
    np.testing.assert_allclose(summary["mean"], [0.56, 0.57])
    np.testing.assert_allclose(summary["sd"], np.sqrt(0.005))
    ax = Figure().add_subplot()
    assert plot_curve(ax, tidy(rows), "accuracy_by_round", label="m", color="C0")
    assert len(ax.collections) == 1
    assert not plot_curve(ax, tidy(rows), "nothing", label="m", color="C0")


def test_panels():
    titles = {"a": "A", "digits": "digits"}
    assert panel_sets(["a", "b", "c"], ["a", "digits"], {"b": "digits", "c": "digits"}, titles) == [
        ("a", "A"),
        ("digits", "digits (stand-in)"),
    ]
    # a set that both stands in and is wanted for itself is no stand-in
    assert panel_sets(["b", "a"], ["a"], {"b": "a"}, titles) == [("a", "A")]
    fig = Figure()
    assert [ax.get_title(loc="left") for ax in make_panels(fig, [("a", "A")] * 4)] == ["A"] * 4
    assert make_panels(Figure(), []) == []


def test_counts_of_images_are_at_their_place():
    counts = np.zeros(3072)
    counts[[5 * 32 + 7, 1024 + 5 * 32 + 7]] = 2, 3
    image = plot_feature_counts(Figure().add_subplot(), counts, color="C0")
    assert image.get_array()[5, 7] == 5
    assert shown_counts(counts).max() == 5
    ax = Figure().add_subplot()
    assert plot_feature_counts(ax, [1, 4, 0], color="C0", most=4) is None
    assert [bar.get_height() for bar in ax.patches] == [1, 4, 0]


PUBLISHED = pd.DataFrame(
    [["adapu", "2", "A", "X", 90.0, 1.0, "%"], ["adapu", "2", "A", "Y", 80.0, 1.0, "%"]],
    columns=["paper", "table", "row", "column", "mean", "sd", "unit"],
)


def test_cells_with_a_selection_of_their_own():
    results = tidy(
        [("a", "s", m, r, "accuracy", -1, v + 0.01 * r) for m, v in (("x", 0.9), ("y", 0.8), ("z", 0.7)) for r in (0, 1)]
    )
    spec = {
        "metric": "accuracy",
        "scale": 100,
        "stand_ins": {},
        "select": {"setting": "s"},
        "rows": [{"label": "A", "select": {"dataset": "a"}}, {"label": "B", "select": {"dataset": "b"}}],
        "columns": [{"label": "X", "select": {"method": "x"}}, {"label": "Y", "select": {"method": "y"}}],
        "instead": [
            {"row": "A", "column": "Y", "select": {"dataset": "a", "method": "z"}},
            {"row": "A", "column": "Y, too", "select": {"dataset": "a", "method": "y"}},
        ],
        "without": {"X": ["B"]},
    }
    cells = accuracy_cells(results, PUBLISHED, spec)
    assert list(zip(cells["row"], cells["column"], strict=True)) == [("A", "X"), ("A", "Y"), ("A", "Y, too"), ("B", "Y")]
    np.testing.assert_allclose(cells["ours"], [90.5, 70.5, 80.5, np.nan])
    np.testing.assert_allclose(cells["published"], [90, 80, np.nan, np.nan])


def test_closest_reading():
    values = {("a", "one"): 0.85, ("a", "two"): 0.89, ("b", "one"): 0.5, ("b", "two"): 0.4}
    results = tidy([(d, "s", "m", 0, f"accuracy_{name}", -1, value) for (d, name), value in values.items()])
    spec = {
        "rows": {"first": "one", "second": "two"},
        "columns": [
            {"label": "a", "select": {"dataset": "a"}, "target": {"row": "A", "column": "X"}},
            {"label": "b", "select": {"dataset": "b"}},
            {"label": "c", "select": {"dataset": "c"}, "target": {"row": "A", "column": "Y"}},
        ],
        "stand_ins": {"c": "a"},
    }
    cells = reading_cells(results, PUBLISHED, spec).set_index(["row", "column"])
    assert cells.loc[("first", "distance"), "ours"] == 5
    assert cells.loc[("second", "distance"), "note"] == "closest reading"
    assert set(cells.index.get_level_values("column")) == {"a", "b", "distance"}
