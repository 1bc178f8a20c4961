"""What an exact rerun and a placebo would reproduce, on cells that are worked out by hand and by simulation."""

import itertools
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pulab.reports.scoreboard import headline_grid, verdict_line
from pulab.reports.yardstick import ALL, exact_rerun, placebo, yardstick
from pulab.tables import add_verdicts, judge, read_scoreboard
from pulab.tables.record import judged_performances

PUBLISHED = Path(__file__).parents[2] / "figures" / "paper" / "scoreboard.csv"


@pytest.fixture(scope="module")
def board():
    return read_scoreboard(PUBLISHED)


def cells(*rows):
    """Cells of one table from (published, published sd, ours, our sd), four repeats each: a standard error is half an sd."""
    frame = pd.DataFrame(rows, columns=["published", "published_sd", "ours", "ours_sd"])
    frame = frame.assign(
        study="s", table="t", row=range(len(rows)), column="c", n=4, unit="%", stand_in="", status="ok", note=""
    )
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
    assert row[["judged", "reproduced", "fine_judged", "fine_reproduced"]].tolist() == [4, 2, 3, 2]
    assert row["expected"] == pytest.approx(0.954500 + 0.382925 + 1 + 0.954500, abs=1e-5)
    assert row["fine_expected"] == pytest.approx(row["expected"] - 0.382925, abs=1e-5)
    assert row["ratio"] == pytest.approx(2 / row["expected"])
    assert row["fine_ratio"] == pytest.approx(2 / row["fine_expected"])


def test_the_placebo_of_a_table_by_hand():
    # each value fits its own cell only: one of three pairs in each row of the square
    assert placebo(cells((50, 0, 50, 0), (60, 0, 60, 0), (70, 0, 70, 0))) == pytest.approx(1.0)
    # equal values are reproduced wherever they go
    assert placebo(cells((50, 0, 50.5, 0), (50, 0, 49.5, 0))) == pytest.approx(2.0)
    # the spread goes with the published value: 2 points with se 1 are reproduced (50 against 52), with se 0 (52 against 50) not
    assert placebo(cells((50, 2, 50, 0), (52, 0, 52, 0))) == pytest.approx(1.5)


def test_the_placebo_is_the_mean_over_all_permutations():
    rng = np.random.default_rng(0)
    rows = [(50 + 3 * rng.normal(), 2 * rng.random(), 50 + 3 * rng.normal(), 2 * rng.random()) for _ in range(5)]
    counts = []
    for order in itertools.permutations(range(5)):
        shuffled = cells(*((*rows[j][:2], *rows[i][2:]) for i, j in enumerate(order)))
        counts.append((shuffled["verdict"] == "reproduced").sum())
    assert 0 < np.mean(counts) < 5
    assert placebo(cells(*rows)) == pytest.approx(np.mean(counts))


def test_exact_reruns_score_what_is_expected_of_them(board):
    own = judged_performances(board)
    rng = np.random.default_rng(0)
    scores = np.array(
        [
            sum(judge(d, se) == "reproduced" for d, se in zip(rng.normal(0, own["se"]), own["se"], strict=True))
            for _ in range(300)
        ]
    )
    expected = yardstick(board).loc[ALL, "expected"]
    assert abs(scores.mean() - expected) < 4 * scores.std(ddof=1) / math.sqrt(len(scores))
    assert scores.max() < len(own)  # even the authors' own code would not reproduce everything


def test_the_placebo_of_what_was_published_is_that_of_random_permutations(board):
    own = judged_performances(board)
    sides = ["published", "published_sd", "published_low", "published_high", "n_published"]
    rng = np.random.default_rng(0)
    counts = []
    for _ in range(30):
        shuffled = own.copy()
        for _, index in own.groupby(["study", "table"]).groups.items():
            shuffled.loc[index, sides] = own.loc[rng.permutation(index), sides].to_numpy()
        counts.append((add_verdicts(shuffled)["verdict"] == "reproduced").sum())
    assert abs(np.mean(counts) - yardstick(board).loc[ALL, "placebo"]) < 4 * stats.sem(counts)


def test_what_is_published_adds_up(board):
    table = yardstick(board)
    assert table.loc[ALL, "judged"] == len(judged_performances(board)) > 300
    assert (table["reproduced"] <= table["judged"]).all()
    assert (table["placebo"] < table["reproduced"]).all()
    assert (table["expected"] <= table["judged"]).all()
    text = verdict_line(board)
    for name in ("judged", "reproduced", "expected", "placebo", "fine_judged", "fine_reproduced", "fine_expected"):
        assert f" {table.loc[ALL, name]:.0f}" in text, name


def test_nothing_is_expected_where_nothing_is_judged(board):
    neutral = board.assign(verdict="not judged")
    assert yardstick(neutral).loc[ALL, "judged"] == 0
    assert "| – | – | – | – |" in headline_grid(neutral).markdown()
