"""The figures of the Ada-PU paper and its table of readings, from a few made-up results."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from studies.adapu.figures import QUANTITIES, TRACES, draw_rates, figure3, figure4, figure_traces, frequencies, rate_grid
from studies.adapu.study import READINGS
from studies.adapu.tables import table_readings
from tests.studies.shown import paper_of, results_of

TITLES = {"breast_cancer": "Breast Cancer", "unsw_nb15_82k": "UNSW-NB15", "mnist": "MNIST"}


def tidy(rows):
    frame = pd.DataFrame(rows, columns=["dataset", "setting", "method", "repeat", "metric", "step", "value"])
    return frame.assign(study="adapu", status="ok", message="")


def words_of(fig):
    """All that is written on a figure, line breaks as blanks."""
    return " ".join(text.get_text().replace("\n", " ") for text in fig.findobj(Text))


def test_features_are_counted_from_the_most_frequent_one_of_each_repeat():
    rows = [
        ("a", "published", "m", r, "feature_counts", t, n)
        for r, counts in enumerate([(1, 5, 0), (3, 0, 0)])
        for t, n in enumerate(counts)
    ]
    np.testing.assert_allclose(frequencies(tidy(rows)), [4.0, 0.5])


@pytest.mark.parametrize("n_repeats", [1, 3])
def test_a_panel_says_how_many_features_each_splitter_chose(n_repeats, tmp_path):
    chosen = {"adapu": (3, 2, 2, 0), "adapu_best": (7, 0, 0, 0)}
    rows = [
        ("mnist", "published", method, r, "feature_counts", t, n)
        for r in range(n_repeats)
        for method, own in chosen.items()
        for t, n in enumerate(own)
    ]
    words = words_of(figure4(results_of("adapu", tidy(rows), tmp_path), paper_of()))
    assert "random thresholds: 3 ± 0 features" in words
    assert "all thresholds: 1 ± 0 features" in words
    assert f"than with all thresholds on {int(n_repeats > 1)} of 1 sets" in words  # one repeat tells nothing


def test_the_title_leaves_undecided_what_repeats_do_not_tell(tmp_path):
    """Ahead on one set, behind on the next, and on the third now the one, now the other."""
    ends = {"cifar10": (9, 9, 9), "breast_cancer": (7, 7, 7), "mnist": (9, 7, 8)}
    rows = [(name, "published", method, r, "accuracy_by_round", 1, value / 10)
            for name, own in ends.items() for r, end in enumerate(own)
            for method, value in (("adapu", end + 0.01 * r), ("adapu_best", 8))]  # fmt: skip
    words = words_of(figure3(results_of("adapu", tidy(rows), tmp_path, titles=TITLES), paper_of()))
    assert "Ada-PU ends clearly ahead of “Ada-PU, all thresholds” on 1 of 3 sets, behind on 1, undecided on 1" in words


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


def test_traces_are_medians_with_quartiles_as_far_as_half_of_the_repeats_go(tmp_path):
    last = {"main": (20, 20, 20), "full": (5, 10, 20)}
    rows = [("breast_cancer", "traces", "adapu", r, f"{quantity}_by_round_{name}", t, 0.02 * t + 0.1 * r)
            for name, ends in last.items() for r, end in enumerate(ends) for t in range(1, end + 1)
            for quantity in QUANTITIES]  # fmt: skip
    fig = figure_traces(results_of("adapu", tidy(rows), tmp_path, titles=TITLES), paper_of())
    axes = [ax for ax in fig.findobj(Axes) if ax.has_data()]
    assert len(axes) == len(QUANTITIES)
    for ax, quantity in zip(axes, QUANTITIES.values(), strict=True):
        full, main = (line for line in ax.get_lines() if line.get_linestyle() == "-")
        assert (len(full.get_xdata()), len(main.get_xdata())) == (2, 4)  # parts of five rounds
        assert main.get_color() == "#D55E00"
        np.testing.assert_allclose(main.get_xdata(), [3, 8, 13, 18])
        np.testing.assert_allclose(main.get_ydata(), quantity.scale * (0.02 * main.get_xdata() + 0.1))
        band = ax.collections[-1].get_paths()[0].vertices[:, 1]
        np.testing.assert_allclose([band.min(), band.max()], quantity.scale * np.array([0.11, 0.51]))
    words = words_of(fig)
    assert "on Breast Cancer" in words
    assert TRACES["full"] in words


#: Two of the readings, and their labels.
FIRST, SECOND = ((name, label) for name, (label, _) in list(READINGS.items())[:2])


@pytest.fixture
def readings(tmp_path):
    """The table's cells in a preset, from the accuracies of the two readings on some data sets."""

    def make(preset="paper"):
        values = {"breast_cancer": (0.85, 0.89), "cifar10": (0.5, 0.4), "mnist": (0.2, 0.3)}
        rows = [(dataset, "readings", "adapu", 0, f"accuracy_{name}", -1, value)
                for dataset, own in values.items() for (name, _), value in zip((FIRST, SECOND), own, strict=True)]  # fmt: skip
        paper = paper_of(
            ("2", "BREASTCANCER", "ADAPU", 90.0), ("2", "CIFAR-10", "NNPU-MLP", 52.0), ("2", "UNSW-NB15", "ADAPU", 80.0)
        )
        table = table_readings(results_of("adapu", tidy(rows), tmp_path, preset), paper)
        return table.cells.set_index(["row", "column"])

    return make


def test_closest_reading(readings):
    cells = readings()
    distances = cells.xs("distance", level="column")
    assert distances.loc[FIRST[1], "ours"] == pytest.approx((5 + 2) / 2)
    assert distances.loc[SECOND[1], "ours"] == pytest.approx((1 + 12) / 2)
    assert distances.loc[FIRST[1], "note"] == "closest reading"
    assert distances.loc[SECOND[1], "note"] == ""
    assert distances.loc[FIRST[1], "n"] == 2  # sets that the paper has no number for count nothing
    assert set(distances.drop([FIRST[1], SECOND[1]])["status"]) == {"not run"}


def test_readings_are_not_compared_on_stand_ins(readings):
    cells = readings("quick")
    columns = set(cells.index.get_level_values("column"))
    assert columns == {"BREASTCANCER", "BREASTCANCER, P = 135", "distance"}
    assert cells.loc[(FIRST[1], "distance"), "ours"] == pytest.approx(5)
    assert cells.loc[(SECOND[1], "distance"), "note"] == "closest reading"
