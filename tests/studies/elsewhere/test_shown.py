"""Tables and the figure of results published elsewhere, of drawn numbers: what is judged, and what counts nowhere."""

import numpy as np
import pandas as pd
import pytest

from pulab.plan.load import folder_of, load_study
from pulab.reports.scoreboard import apart, headline
from pulab.tables import Paper, Results, add_verdicts
from pulab.tables.record import printed_results
from pulab.trials.results import COLUMNS, TIMING_COLUMNS, concat, keep
from studies.elsewhere import tables
from studies.elsewhere.study import SIZES

STUDY = load_study("elsewhere")
PAPER = Paper.read(folder_of(STUDY) / "published.csv")


@pytest.fixture
def results(tmp_path):
    """Every number is the published one, but for nnPU, which is ten points off."""
    printed = PAPER.table("dedpul").set_index(["row", "column"])["mean"]
    rows = []
    for row in tables.MIXED:
        for column in tables.METHODS:
            value = (printed[row.label, column.label] - 10 * (column.select["method"] == "nnpu")) / 100
            key = ("elsewhere", row.select["dataset"], row.select["setting"], column.select["method"])
            rows += [(*key, repeat, "unlabeled_accuracy", -1, value, "ok", "") for repeat in range(2)]
    rows += [("elsewhere", "spambase", "inliers", "dedpul_trees", 0, "unlabeled_auc", -1, 0.9, "ok", "")]
    for frequency, value in (("frequency_10", 0.8), ("frequency_30", 0.9), ("frequency_50", 0.95)):
        rows += [("elsewhere", "spambase", frequency, "lbe", 0, "accuracy", -1, value, "ok", "")]
    keep(pd.DataFrame(rows, columns=COLUMNS), tmp_path / "tidy.parquet")
    keep(concat([], TIMING_COLUMNS), tmp_path / "timings.parquet")
    methods = STUDY.methods_of("paper")
    return Results(STUDY, "paper", methods, {}, tmp_path / "tidy.parquet", tmp_path / "timings.parquet")


def judged(results, name):
    shown = STUDY.tables[name]
    table = getattr(tables, name)(results.shows(name, shown), PAPER)
    cells = table.cells.assign(study="elsewhere", table=name)
    return add_verdicts(
        cells, kind=shown.cells or table.kind, reading=shown.reading, n_published=table.n_published, causes=STUDY.causes
    )


def test_cells_are_judged_and_are_not_in_the_headline(results):
    cells = judged(results, "table_dedpul")
    assert len(cells) == 4 * sum(map(len, SIZES.values()))
    off = cells["method"] == "nnpu"
    assert set(cells.loc[~off, "verdict"]) == {"reproduced"}
    assert set(cells.loc[off, "verdict"]) == {"different"}
    assert set(cells["reading"]) == {"elsewhere"}
    assert printed_results(cells).empty
    assert headline(cells).to_numpy().sum() == 0
    assert apart(cells).loc["published elsewhere", ["reproduced", "different"]].tolist() == [(~off).sum(), off.sum()]
    assert apart(cells).loc["other readings of published cells"].sum() == 0


def test_frequencies_are_averaged_and_a_rival_is_not_judged(results):
    cells = judged(results, "table_bench").set_index(["row", "column"])
    assert cells.loc[("Spambase", "LBE"), "ours"] == pytest.approx(100 * np.mean([0.8, 0.9, 0.95]))
    rival = judged(results, "table_puicl").set_index(["row", "column"])
    assert rival.loc[("Spambase", "DEDPUL, trees"), ["published", "verdict"]].tolist() == [87.56, "not judged"]
