"""Figures of importances draw what they are given."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from studies.puet.figures.digits import draw_map
from studies.puet.figures.top_features import RANKINGS, draw

from pulab.figures.series import choose_dataset, series_by_repeat


def make_tidy():
    rows = [
        {"dataset": name, "repeat": repeat, "metric": "importance", "step": step, "value": step + repeat, "status": status}
        for name, status in (("full", "unavailable"), ("part", "ok"))
        for repeat in (0, 1)
        for step in range(4)
    ]
    return pd.DataFrame([*rows, {**rows[-1], "metric": "accuracy", "step": -1}])


def test_choose_dataset_takes_the_first_with_results():
    tidy = make_tidy()
    name, rows = choose_dataset(tidy, ["full", "part"], {})
    assert (name, set(rows["dataset"])) == ("part", {"part"})
    assert choose_dataset(tidy, ["other", "full"], {"other": "part"})[0] == "part"
    assert choose_dataset(tidy, ["full"], {})[0] == "full"


def test_series_by_repeat():
    series = series_by_repeat(make_tidy().query("dataset == 'part'"), "importance")
    np.testing.assert_array_equal(series, [[0, 1, 2, 3], [1, 2, 3, 4]])


def test_map_is_square_and_relative_to_its_greatest():
    ax = Figure().add_subplot()
    draw_map(ax, np.array([-1.0, 0.0, 1.0, 2.0]))
    np.testing.assert_array_equal(ax.images[0].get_array(), [[0.0, 0.0], [0.5, 1.0]])
    draw_map(ax, np.zeros(4))
    np.testing.assert_array_equal(ax.images[1].get_array(), np.zeros((2, 2)))
    with pytest.raises(ValueError, match="5 importances make no square picture"):
        draw_map(ax, np.ones(5))


def test_curves_are_means_in_percent_with_the_printed_area():
    def rows(metric, values, step):
        return [{"repeat": r, "metric": metric, "step": step, "value": value} for r, value in enumerate(values)]

    parts = [rows(metric, values, k) for metric in RANKINGS for k, values in ((1, (0.5, 0.7)), (4, (0.7, 0.9)))]
    tidy = pd.DataFrame([row for part in parts for row in part] + rows("area_difference", (1.0, 1.2), -1))
    tidy = tidy.assign(dataset="a", setting="top_features", status="ok", method="m")
    where = {"table": "figure5", "rows": {"a": "A"}, "method": "m"}
    spec = {"choose": ["a"], "stand_ins": {}, "datasets": {"a": "A"}, "published": where}
    published = pd.DataFrame({"table": ["figure5"], "row": ["A"], "column": ["area difference"], "mean": [0.84]})
    ax = draw(spec, tidy, published).axes[0]
    np.testing.assert_allclose(ax.lines[0].get_xydata(), [[1, 60], [4, 80]])
    assert "1.10 (published, all rows: 0.84)" in ax.get_legend().get_texts()[-1].get_text()
