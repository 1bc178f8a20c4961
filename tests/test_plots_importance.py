"""Figures of importances draw what they are given."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from pulib.plots._importance import (
    choose_dataset,
    plot_accuracy_by_features,
    plot_importance_bars,
    plot_importance_map,
    series_by_repeat,
)


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


def test_bars_are_in_order_and_named():
    ax = Figure().add_subplot()
    importances = pd.DataFrame([[0.1, 0.4, 0.2], [0.1, 0.6, 0.2]])
    plot_importance_bars(ax, importances, names=["a", "b", "c"], show=2)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["b", "c"]
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], [0.5, 0.2])


def test_map_is_square_and_not_negative():
    ax = Figure().add_subplot()
    plot_importance_map(ax, np.array([-1.0, 0.0, 1.0, 2.0]))
    np.testing.assert_array_equal(ax.images[0].get_array(), [[0.0, 0.0], [1.0, 2.0]])
    with pytest.raises(ValueError, match="5 importances make no square picture"):
        plot_importance_map(ax, np.ones(5))


def test_curves_are_means_in_percent():
    ax = Figure().add_subplot()
    plot_accuracy_by_features(ax, {"one": pd.DataFrame([[0.5, 0.7], [0.7, 0.9]], columns=[1, 4])})
    np.testing.assert_allclose(ax.lines[0].get_xydata(), [[1, 60], [4, 80]])
