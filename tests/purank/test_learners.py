"""The order of the learners, by which ties are broken, is that of the level field."""

import runpy
from pathlib import Path

import pandas as pd

from purank.learners import LEARNERS

RANKS = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "ranks.py"))


def test_learners_come_in_the_order_of_their_ranks_on_the_level_field():
    trials = pd.read_parquet(RANKS["TIDY"])
    scores = [RANKS["scores"](trials, f"estimated_{scenario}", "auc") for scenario in ("two_sample", "one_sample")]
    rank = sum(table.rank(axis=1, ascending=False).mean() for table in scores)
    of_learners = rank[[f"lf_{name}" for name in LEARNERS]]
    assert list(of_learners.index) == list(of_learners.sort_values(kind="stable").index)
