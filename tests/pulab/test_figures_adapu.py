"""Tables and figures of the Ada-PU paper, from a few made-up results."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from pulab.figures.kinds import adapu_traces
from studies.adapu.figures.feature_counts import frequencies
from studies.adapu.figures.learning_rates import draw_rates, rate_grid
from studies.adapu.tables.readings import reading_cells


def tidy(rows):
    frame = pd.DataFrame(rows, columns=["dataset", "setting", "method", "repeat", "metric", "step", "value"])
    return frame.assign(study="adapu", status="ok", message="")


def test_features_are_counted_from_the_most_frequent_one_of_each_repeat():
    rows = [
        ("a", "published", "m", r, "feature_counts", t, n)
        for r, counts in enumerate([(1, 5, 0), (3, 0, 0)])
        for t, n in enumerate(counts)
    ]
    np.testing.assert_allclose(frequencies(tidy(rows)), [4.0, 0.5])


def test_rates_are_rows_with_the_greatest_on_top():
    rows = [("a", "s", "m", r, f"accuracy_by_round_{rate:g}", t, rate / 2 + 0.1 * t + 0.02 * r)
            for rate in (0.1, 1.0) for r in (0, 1) for t in (1, 2)]  # fmt: skip
    grid = rate_grid(tidy(rows), [0.1, 1.0])
    assert grid.index.tolist() == ["1", "0.1"]
    np.testing.assert_allclose(grid.loc["0.1"], [16, 26])
    ax = Figure().add_subplot()
    draw_rates(ax, grid, [0, 100])
    assert [text.get_text() for text in ax.texts] == ["71.0", "26.0"]
    assert [line.get_xdata()[0] for line in ax.lines] == [1.5, 1.5]  # the second round is each row's best


def test_traces_are_medians_with_quartiles_as_far_as_half_of_the_repeats_go():
    last = {"main": (20, 20, 20), "full": (5, 10, 20)}
    quantities = list(adapu_traces.QUANTITIES)
    rows = [("a", "traces", "adapu", r, f"{quantity}_by_round_{name}", t, 0.02 * t + 0.1 * r)
            for name, ends in last.items() for r, end in enumerate(ends) for t in range(1, end + 1)
            for quantity in quantities]  # fmt: skip
    spec = {
        "traces": {"full": "whole steps", "main": "small steps"},
        "show_method": "adapu",
        "like": {"main": "adapu"},
        "styles": {"adapu": {"color": "vermilion", "marker": "s"}},
        "show_datasets": ["a", "b"],
        "stand_ins": {},
        "datasets": {"a": "A", "b": "B"},
        "methods": {"adapu": "Ada-PU"},
    }
    fig = adapu_traces.draw(spec, tidy(rows), None)
    axes = [ax for ax in fig.findobj(Axes) if ax.has_data()]
    assert len(axes) == len(quantities)
    for ax, quantity in zip(axes, quantities, strict=True):
        full, main = (line for line in ax.get_lines() if line.get_linestyle() == "-")
        assert (len(full.get_xdata()), len(main.get_xdata())) == (2, 4)  # parts of five rounds
        assert main.get_color() == "#D55E00"
        scale = adapu_traces.QUANTITIES[quantity].scale
        np.testing.assert_allclose(main.get_xdata(), [3, 8, 13, 18])
        np.testing.assert_allclose(main.get_ydata(), scale * (0.02 * main.get_xdata() + 0.1))
        band = ax.collections[-1].get_paths()[0].vertices[:, 1]
        np.testing.assert_allclose([band.min(), band.max()], scale * np.array([0.11, 0.51]))
    texts = " ".join(text.get_text().replace("\n", " ") for text in fig.findobj(Text))
    assert "B (not part of this run)" in texts
    assert "whole steps" in texts


PUBLISHED = pd.DataFrame(
    [["adapu", "2", "A", "X", 90.0, 1.0, "%"], ["adapu", "2", "A", "Y", 80.0, 1.0, "%"]],
    columns=["study", "table", "row", "column", "mean", "sd", "unit"],
)


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
