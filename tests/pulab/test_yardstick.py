"""What is counted, and what an exact rerun and a placebo would reproduce, on cells worked out by hand and by simulation."""

import itertools
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pulab.reports.scoreboard import headline_grid
from pulab.reports.yardstick import ALL, exact_rerun, interval, placebo, yardstick
from pulab.tables import add_verdicts, judge, read_cells
from pulab.tables.record import fixed_before, judged_performances, printed_results, shown_causes

PUBLISHED = Path(__file__).parents[2] / "figures" / "paper" / "scoreboard.csv"


@pytest.fixture(scope="module")
def board():
    return read_cells(PUBLISHED)


def cells(*rows):
    """Cells of one table from (published, published sd, ours, our sd), four repeats each: a standard error is half an sd."""
    frame = pd.DataFrame(rows, columns=["published", "published_sd", "ours", "ours_sd"])
    where = {"study": "s", "table": "t", "row": "r", "setting": "", "method": "", "metric": "", "printed": ""}
    names = [str(k) for k in range(len(rows))]
    frame = frame.assign(**where, column=names, dataset=names, n=4, unit="%", stand_in="", status="ok", note="")
    return add_verdicts(frame, n_published=4)


@pytest.mark.parametrize(
    ("se", "expected"),
    [
        (0.0, 1.0),  # neither side varies
        (0.5, 0.954500),  # two standard errors are the one point that is always allowed
        (0.25, 0.999937),  # one point is four standard errors
        (1.5, 0.954500),  # the widest spread that allows a verdict
        (2.0, 0.382925),  # too wide: only one point counts, half a standard error
    ],
)
def test_the_chance_of_an_exact_rerun(se, expected):
    assert exact_rerun(se) == pytest.approx(expected, abs=1e-6)


def test_counts_of_a_table_by_hand():
    # standard errors: hypot(0.3, 0.4) = 0.5, hypot(1.2, 1.6) = 2, 0, and 1.5 from one side alone
    frame = cells((50, 0.6, 50.9, 0.8), (60, 2.4, 63.5, 3.2), (70, 0.0, 71.5, 0.0), (80, math.nan, 82.9, 3.0))
    assert frame["se"].tolist() == pytest.approx([0.5, 2.0, 0.0, 1.5])
    assert frame["verdict"].tolist() == ["reproduced", "cannot tell", "close", "reproduced"]
    row = yardstick(frame).loc["s"]
    assert row[["judged", "with_verdict", "reproduced", "different", "missed"]].tolist() == [4, 3, 2, 0, 1]
    assert row["expected"] == pytest.approx(0.954500 + 0.382925 + 1 + 0.954500, abs=1e-5)
    # two standard errors are wider than three points for the second cell, as wide for the last one
    assert row["expected_different"] == pytest.approx(2 * stats.norm.sf(6) + 2 * 0.0455, abs=1e-4)
    assert row["ratio"] == row["ratio_before"] == pytest.approx(2 / row["expected"])


def test_the_placebo_by_hand():
    # each value fits its own cell only: one of three pairs in each row of the square
    apart = cells((50, 0, 50, 0), (60, 0, 60, 0), (70, 0, 70, 0))
    assert placebo(apart, own=True) == pytest.approx(1.0)
    assert placebo(apart) == 0
    # equal values are reproduced wherever they go
    assert placebo(cells((50, 0, 50.5, 0), (50, 0, 49.5, 0))) == pytest.approx(2.0)
    # the spread goes with the published value: 2 points with se 1 are reproduced (50 against 52), with se 0 (52 against 50) not
    assert placebo(cells((50, 2, 50, 0), (52, 0, 52, 0)), own=True) == pytest.approx(1.5)
    assert placebo(cells((50, 2, 50, 0), (52, 0, 52, 0))) == pytest.approx(1.0)
    assert placebo(cells((50, 0, 50, 0))) == 0  # no other cell has a value to give


def test_the_placebo_stays_within_rows():
    same = cells((50, 0, 50, 0), (50, 0, 50, 0))
    assert yardstick(same).loc["s", "placebo"] == 2
    apart = yardstick(same.assign(row=["a", "b"])).loc["s"]
    assert (apart["placebo"], apart["placebo_tables"]) == (0, 2)


@pytest.mark.parametrize("own", [True, False])
def test_the_placebo_is_the_mean_over_permutations(own):
    rng = np.random.default_rng(0)
    rows = [(50 + 3 * rng.normal(), 2 * rng.random(), 50 + 3 * rng.normal(), 2 * rng.random()) for _ in range(5)]
    counts = []
    for order in itertools.permutations(range(5)):
        if own or not any(i == j for i, j in enumerate(order)):
            pairs = [(rows[j][:2], rows[i][2:]) for i, j in enumerate(order)]
            found = [judge(x - y, math.hypot(u, v) / 2) for (y, v), (x, u) in pairs]  # four repeats each
            counts.append(found.count("reproduced"))
    assert 0 < np.mean(counts) < 5
    assert placebo(cells(*rows), own=own) == pytest.approx(np.mean(counts))


def test_a_result_that_is_printed_again_counts_in_its_first_table():
    frame = cells((50, 1, 50, 1), (60, 1, 70, 1)).assign(setting="s", method="m", metric="accuracy")
    again = frame.assign(table="u")
    assert printed_results(pd.concat([frame, again]))["table"].tolist() == ["t", "t"]
    # another value, other trials, or what is about no one group of trials: a result of its own
    for other in ({"published": 51.0}, {"metric": "auc"}, {"method": "n"}, {"dataset": "d"}):
        assert len(printed_results(pd.concat([frame, again.assign(**other)]))) == 4, other
    assert len(printed_results(pd.concat([part.assign(metric="") for part in (frame, again)]))) == 4
    # nor does a table repeat itself
    assert len(printed_results(pd.concat([frame, frame]))) == 4


def test_readings_fixed_before_replace_the_main_ones_cell_by_cell():
    frame = cells((50, 1, 50, 1), (60, 1, 60, 1)).assign(printed=["1: r / a", "1: r / b"])
    before = frame.iloc[:1].assign(reading="before", table="u", verdict="different")
    other = frame.assign(reading="other", table="v", verdict="different")
    board = pd.concat([frame, before, other], ignore_index=True)
    assert fixed_before(board)[["printed", "reading"]].to_numpy().tolist() == [["1: r / b", "main"], ["1: r / a", "before"]]
    row = yardstick(board).loc["s"]
    assert row[["reproduced", "before"]].tolist() == [2, 1]
    assert row["expected_before"] == pytest.approx(row["expected"])


def test_a_cause_is_shown_if_another_reading_reproduces_the_result():
    frame = cells((50, 1, 60, 1), (50, 1, 60, 1), (50, 1, 50, 1)).assign(printed=["1: r / a", "1: r / b", "1: r / c"])
    other = frame.assign(reading="other", verdict=["reproduced", "close", "reproduced"])
    board = pd.concat([frame, other], ignore_index=True)
    assert shown_causes(board).tolist() == [True, *[False] * 5]
    assert yardstick(board).loc["s", ["missed", "shown"]].tolist() == [2, 1]
    # of another study, it says nothing
    assert not shown_causes(pd.concat([frame, other.assign(study="t")], ignore_index=True)).any()


def test_the_interval_resamples_data_sets_within_studies():
    rng = np.random.default_rng(0)
    rows = [(50, 0, 50 + 10 * (rng.random() < 0.3), 0) for _ in range(40)]
    frame = cells(*rows).assign(dataset=np.repeat([f"d{k}" for k in range(20)], 2))
    low, high = interval(frame)
    hits = (frame["verdict"] == "reproduced").groupby(frame["dataset"]).mean()
    found = stats.bootstrap((hits,), np.mean, method="percentile", rng=np.random.default_rng(1))
    assert (low, high) == pytest.approx(found.confidence_interval, abs=0.03)
    # a study of one data set does not vary, and studies that agree do not either
    one = frame.assign(dataset="d")
    assert interval(one)[0] == interval(one)[1] == pytest.approx(hits.mean())
    twins = pd.concat([frame, frame.assign(study="t")])
    assert np.ptp(interval(twins, ("study",))) == pytest.approx(0)


def test_exact_reruns_score_what_is_expected_of_them(board):
    own = judged_performances(board)
    rng = np.random.default_rng(0)
    drawn = (zip(rng.normal(0, own["se"]), own["se"], strict=True) for _ in range(100))
    scores = np.array([sum(judge(d, se) == "reproduced" for d, se in pairs) for pairs in drawn])
    expected = yardstick(board).loc[ALL, "expected"]
    assert abs(scores.mean() - expected) < 4 * scores.std(ddof=1) / math.sqrt(len(scores))
    assert scores.max() < len(own)  # even the authors' own code would not reproduce everything


def test_what_is_published_adds_up(board):
    table = yardstick(board)
    assert table.loc[ALL, "judged"] == len(judged_performances(board)) > 300
    assert (table["shown"] <= table["missed"]).all()
    assert (table["different"] <= table["missed"]).all()
    assert (table["reproduced"] <= table["judged"]).all()
    assert (table["placebo"] < table["reproduced"]).all()
    assert (table["expected"] <= table["judged"]).all()


def test_nothing_is_expected_where_nothing_is_judged(board):
    neutral = board.assign(verdict="not judged")
    assert yardstick(neutral).loc[ALL, "judged"] == 0
    assert "| – | – | – | – | – |" in headline_grid(neutral).markdown()
