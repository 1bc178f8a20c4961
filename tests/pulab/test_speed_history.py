"""The history of speed: rows by date, commit and machine; only ratios are compared."""

import numpy as np
import pandas as pd
import pytest

from pulab.benchmarks.history import COLUMNS, WHAT, dated, extended, fallen, main
from pulab.benchmarks.record import COLUMNS as MEASURED
from pulab.figures.speed import history_figure


def measured(ratio, spread=0.1, benchmark="fit", machine="one"):
    row = dict.fromkeys(MEASURED, np.nan) | {
        "measured": "ratio",
        "benchmark": benchmark,
        "shape": "100 x 3",
        "reference": "theirs",
        "ratio": ratio,
        "ratio_min": ratio * (1 - spread),
        "ratio_max": ratio * (1 + spread),
        "threads": 1,
        "machine": machine,
    }
    return pd.DataFrame([row, row | {"measured": "scaling", "ratio": np.nan}])


def test_comparisons_alone_become_history():
    rows = dated({"trees": measured(3.0)}, "abc", "2026-01-01")
    assert list(rows.columns) == COLUMNS
    assert rows[["kernel", "commit", "ratio"]].to_numpy().tolist() == [["trees", "abc", 3.0]]
    assert dated({}, "abc", "2026-01-01").empty


def test_a_commit_that_is_measured_again_replaces_its_rows_and_no_others():
    old = dated({"trees": measured(3.0), "svm": measured(2.0)}, "abc", "2026-01-01")
    elsewhere = dated({"trees": measured(9.0, machine="two")}, "abc", "2026-01-02")
    history = extended(extended(old, elsewhere), dated({"trees": measured(4.0)}, "abc", "2026-01-03"))
    assert sorted(history["ratio"]) == [2.0, 4.0, 9.0]
    assert len(extended(history, dated({"trees": measured(5.0)}, "def", "2026-01-04"))) == 4


@pytest.mark.parametrize(("before", "after", "worse"), [(4.0, 3.9, False), (4.0, 1.9, True), (4.0, 40.0, False)])
def test_a_ratio_that_fell_beyond_spread_and_tolerance_is_found(before, after, worse):
    rows = [dated({"trees": measured(ratio)}, "", "2026-01-01") for ratio in (before, after)]
    found = fallen(*rows, tolerance=0.3)
    assert len(found) == worse
    if worse:
        assert found.iloc[0][["before", "after"]].tolist() == [before, after]
        assert list(found.columns) == [*WHAT, "before", "after"]


@pytest.mark.parametrize(("after", "code"), [(3.0, 0), (1.0, 1)])
def test_the_command_fails_where_a_ratio_fell(tmp_path, capsys, after, code):
    for name, ratio in (("before", 3.0), ("after", after)):
        (tmp_path / name).mkdir()
        measured(ratio).to_csv(tmp_path / name / "trees.csv", index=False)
    assert main([str(tmp_path / "before"), str(tmp_path / "after")]) == code
    assert ("trees" in capsys.readouterr().out) == bool(code)
    (tmp_path / "empty").mkdir()
    assert main([str(tmp_path / "before"), str(tmp_path / "empty")]) == 2


def test_the_figure_has_a_row_per_comparison_and_a_point_per_measurement():
    days = [dated({"trees": measured(ratio)}, f"c{ratio}", f"2026-01-0{ratio}") for ratio in (1, 2, 3)]
    once = dated({"trees": measured(7.0, benchmark="predict")}, "c1", "2026-01-01")
    fig = history_figure(pd.concat([*days, once], ignore_index=True), {"trees": "Trees"})
    (ax,) = fig.axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["Trees: fit (100 x 3)"]
    assert len(ax.containers) == 3
    assert "Nothing" in history_figure(once, {"trees": "Trees"}).get_suptitle()
