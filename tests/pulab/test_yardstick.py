"""What is counted, and what an exact rerun and a placebo would reproduce; ``tests/test_recount.py`` counts all again."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest

from pulab.reports.scoreboard import headline_grid
from pulab.reports.yardstick import ALL, placebo, yardstick
from pulab.tables import add_verdicts, judge
from pulab.tables.record import fixed_before, printed_results


def cells(*rows):
    """Cells of one table from (published, published sd, ours, our sd), four repeats each: a standard error is half an sd."""
    frame = pd.DataFrame(rows, columns=["published", "published_sd", "ours", "ours_sd"])
    where = {"study": "s", "table": "t", "row": "r", "setting": "", "method": "", "metric": "", "printed": ""}
    names = [str(k) for k in range(len(rows))]
    frame = frame.assign(**where, column=names, dataset=names, n=4, unit="%", stand_in="", status="ok", note="")
    return add_verdicts(frame, n_published=4)


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


def test_nothing_is_expected_where_nothing_is_judged():
    neutral = cells((50, 1, 50, 1)).assign(verdict="not judged")
    assert yardstick(neutral).loc[ALL, "judged"] == 0
    assert "| – | – | – | – | – |" in headline_grid(neutral).markdown()
