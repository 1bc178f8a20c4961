"""The history of speed: rows by date, commit, and machine; only ratios are compared."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.history import COLUMNS, KEY_COLUMNS, comparisons, extended, fallen, main
from benchmarks.record import COLUMNS as MEASURED
from benchmarks.tables import speed_sheet, version_cells
from pulab.tables.record import RECORD_COLUMNS


def measured(ratio, spread=0.1, benchmark="fit", machine="one", day="2026-01-01"):
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
        "date": day,
    }
    return pd.DataFrame([row, row | {"measured": "scaling", "ratio": np.nan}])


def test_only_comparisons_enter_the_history():
    rows = comparisons({"trees": measured(3.0)}, "abc")
    assert list(rows.columns) == COLUMNS
    assert rows[["kernel", "commit", "ratio"]].to_numpy().tolist() == [["trees", "abc", 3.0]]
    assert comparisons({}, "abc").empty


def test_measuring_a_commit_again_replaces_only_its_rows():
    old = comparisons({"trees": measured(3.0), "svm": measured(2.0)}, "abc")
    elsewhere = comparisons({"trees": measured(9.0, machine="two")}, "abc")
    history = extended(extended(old, elsewhere), comparisons({"trees": measured(4.0)}, "abc"))
    assert sorted(history["ratio"]) == [2.0, 4.0, 9.0]
    assert len(extended(history, comparisons({"trees": measured(5.0)}, "def"))) == 4


def test_rows_that_are_not_measured_again_keep_their_commit():
    old = comparisons({"trees": measured(3.0), "svm": measured(2.0)}, "abc")
    after = {"trees": measured(4.0, day="2026-01-02"), "svm": measured(2.0)}
    assert extended(old, comparisons(after, "def"))[["kernel", "commit"]].to_numpy().tolist() == [
        ["svm", "abc"],
        ["trees", "abc"],
        ["trees", "def"],
    ]


@pytest.mark.parametrize(("before", "after", "worse"), [(4.0, 3.9, False), (4.0, 1.9, True), (4.0, 40.0, False)])
def test_finds_ratios_that_fell_beyond_spread_and_tolerance(before, after, worse):
    rows = [comparisons({"trees": measured(ratio)}, "") for ratio in (before, after)]
    found = fallen(*rows, tolerance=0.3)
    assert len(found) == worse
    if worse:
        assert found.iloc[0][["before", "after"]].tolist() == [before, after]
        assert list(found.columns) == [*KEY_COLUMNS, "before", "after"]


@pytest.mark.parametrize(("after", "code"), [(3.0, 0), (1.0, 1)])
def test_command_fails_if_a_ratio_fell(tmp_path, capsys, after, code):
    for name, ratio in (("before", 3.0), ("after", after)):
        (tmp_path / name).mkdir()
        measured(ratio).to_csv(tmp_path / name / "trees.csv", index=False)
    assert main([str(tmp_path / "before"), str(tmp_path / "after")]) == code
    assert ("trees" in capsys.readouterr().out) == bool(code)
    (tmp_path / "empty").mkdir()
    assert main([str(tmp_path / "before"), str(tmp_path / "empty")]) == 2


def test_table_has_a_row_per_version_with_median_ratios():
    days = [comparisons({"trees": measured(ratio, day=f"2026-01-0{ratio}")}, f"c{ratio}") for ratio in (1, 2, 3)]
    other = comparisons(
        {"trees": measured(7.0, benchmark="predict", day="2026-01-03"), "svm": measured(9.0, day="2026-01-03")}, "c3"
    )
    gone = comparisons({"gone": measured(5.0)}, "c1")
    history = pd.concat([*days, other, gone], ignore_index=True)
    cells = version_cells(history, {"trees": "Trees", "svm": "SVM"})
    assert list(cells) == RECORD_COLUMNS
    assert cells[["row", "column", "ours", "mark"]].to_numpy().tolist() == [
        ["2026-01-01, c1, one", "Trees", 1.0, "1x (1)"],
        ["2026-01-02, c2, one", "Trees", 2.0, "2x (1)"],
        ["2026-01-03, c3, one", "Trees", 5.0, "5x (2)"],
        ["2026-01-03, c3, one", "SVM", 9.0, "9x (1)"],
    ]
    here, speed = {"trees": measured(3.0, day="2026-01-03")}, {"trees": {"title": "Trees", "caption": "Many."}}
    text = speed_sheet(here, speed, history).markdown()
    assert all(part in text for part in ("Trees: fit", "|2026-01-03, c3, one|5x (2)|", "on one, 2026-01-03.", "Trees: Many."))
    assert "c3" not in speed_sheet(here, speed, history.head(0)).markdown()
