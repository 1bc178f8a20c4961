"""The one rule; what is counted, and what an exact rerun and a placebo would reproduce; and the published scoreboard."""

import importlib
import itertools
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pulab.plan.load import folder_of, load_study, study_names
from pulab.plan.study import Cause
from pulab.reports.scoreboard import headline, headline_grid
from pulab.reports.yardstick import ALL, placebo, yardstick
from pulab.tables import VERDICTS, Paper, add_verdicts, judge, read_cells
from pulab.tables.record import fixed_before, printed_results
from pulab.tables.verdict import MEANINGS, cause_index, cause_of
from pulab.trials.results import COLUMNS, concat
from pulib.datasets import load_registry
from tests.studies.shown import results_of

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "figures" / "paper" / "scoreboard.csv"
STUDIES = {study.name: study for study in map(load_study, study_names()) if (folder_of(study) / "published.csv").is_file()}
assert STUDIES, "no study has a file of published numbers"
PAPERS = [name for name, study in STUDIES.items() if study.repeats_paper]


@pytest.mark.parametrize(
    ("difference", "se", "expected"),
    [
        (1.0, 0.0, "reproduced"),
        (1.01, 0.0, "close"),
        (3.0, 1.5, "reproduced"),
        (3.0, 1.51, "cannot tell"),
        (0.5, 10.0, "reproduced"),
        (3.0, 0.1, "close"),
        (3.01, 0.1, "different"),
    ],
)
def test_edges_of_the_rule(difference, se, expected):
    assert judge(difference, se) == expected
    assert judge(-difference, se) == expected


def cell(**changes):
    base = {"row": "r", "column": "c", "table": "t", "published": 50.0, "published_sd": np.nan, "ours": 55.0, "ours_sd": np.nan}
    return pd.DataFrame([base | {"n": 4, "unit": "%", "stand_in": "", "status": "ok", "note": ""} | changes])


def verdict_of(frame, **options):
    return add_verdicts(frame, **options)["verdict"].item()


@pytest.mark.parametrize(
    ("changes", "options", "expected"),
    [
        ({}, {}, "different"),
        # a cell without any spread counts with ours alone
        ({"ours_sd": 5.2}, {}, "cannot tell"),
        ({"published_sd": 8.0}, {"n_published": 100}, "different"),
        ({"published": 0.50, "ours": 0.509, "unit": "share"}, {}, "reproduced"),
        ({"published": 2.0, "ours": 3.0, "unit": "count"}, {"points": 25.0, "kind": "wins"}, "different"),
        ({"published": 10.0, "ours": 9.0, "unit": "features"}, {"kind": "fact"}, "different"),
        ({"unit": "s"}, {"kind": "time"}, "not judged"),
        ({}, {"neutral": True}, "not judged"),
        ({"published": np.nan}, {}, "extra"),
        ({"stand_in": "digits"}, {}, "stand-in"),
        ({"status": "unavailable", "ours": np.nan}, {}, "not available"),
        ({"published": np.nan, "ours": 0.04, "published_mark": "•", "unit": "p"}, {"kind": "mark"}, "reproduced"),
        ({"published": np.nan, "ours": 0.06, "published_mark": "n.s.", "unit": "p"}, {"kind": "mark"}, "reproduced"),
        # significant in the other direction
        ({"published": np.nan, "ours": 0.96, "published_mark": "n.s.", "unit": "p"}, {"kind": "mark"}, "different"),
        ({"published": 0.034, "ours": 0.2, "unit": "p"}, {"kind": "mark"}, "different"),
    ],
)
def test_kinds_of_cells(changes, options, expected):
    assert verdict_of(cell(**changes), **options) == expected


def test_a_unit_that_has_no_points_is_named():
    with pytest.raises(ValueError, match="unit 'furlongs'"):
        add_verdicts(cell(unit="furlongs"))


def test_the_first_cause_that_fits_counts():
    causes = [
        Cause(table="t", row=("a", "r [0]"), verdict="close", cause="data", why="One."),
        Cause(column="c", cause="reading", why="Two.", tried="three."),
    ]
    missed = {"table": "t", "row": "r [0]", "column": "c", "verdict": "close"}
    assert cause_of(missed, causes) == ("data", "One.")
    assert cause_of(missed | {"verdict": "different"}, causes) == ("reading", "Two. Tried: three.")
    assert cause_of(missed | {"verdict": "reproduced"}, causes) == ("", "")
    assert cause_of(missed | {"column": "d", "row": "b"}, causes) == ("", "")
    assert cause_of(missed | {"column": "d", "row": "r 0"}, causes) == ("", "")
    assert cause_of(missed | {"column": "d", "row": "a"}, causes) == ("data", "One.")


# ------------------------------------------------------------------ what is counted, and tests/test_recount.py counts again


def table_of(*rows):
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
    assert placebo(table_of(*rows), own=own) == pytest.approx(np.mean(counts))


def test_a_result_that_is_printed_again_counts_in_its_first_table():
    frame = table_of((50, 1, 50, 1), (60, 1, 70, 1)).assign(setting="s", method="m", metric="accuracy")
    again = frame.assign(table="u")
    assert printed_results(pd.concat([frame, again]))["table"].tolist() == ["t", "t"]
    # another value, other trials, or what is about no one group of trials: a result of its own
    for other in ({"published": 51.0}, {"metric": "auc"}, {"method": "n"}, {"dataset": "d"}):
        assert len(printed_results(pd.concat([frame, again.assign(**other)]))) == 4, other
    assert len(printed_results(pd.concat([part.assign(metric="") for part in (frame, again)]))) == 4
    # nor does a table repeat itself
    assert len(printed_results(pd.concat([frame, frame]))) == 4


def test_readings_fixed_before_replace_the_main_ones_cell_by_cell():
    frame = table_of((50, 1, 50, 1), (60, 1, 60, 1)).assign(printed=["1: r / a", "1: r / b"])
    before = frame.iloc[:1].assign(reading="before", table="u", verdict="different")
    other = frame.assign(reading="other", table="v", verdict="different")
    board = pd.concat([frame, before, other], ignore_index=True)
    assert fixed_before(board)[["printed", "reading"]].to_numpy().tolist() == [["1: r / b", "main"], ["1: r / a", "before"]]
    row = yardstick(board).loc["s"]
    assert row[["reproduced", "before"]].tolist() == [2, 1]
    assert row["expected_before"] == pytest.approx(row["expected"])


def test_nothing_is_expected_where_nothing_is_judged():
    neutral = table_of((50, 1, 50, 1)).assign(verdict="not judged")
    assert yardstick(neutral).loc[ALL, "judged"] == 0
    assert "| – | – | – | – | – |" in headline_grid(neutral).markdown()


# ------------------------------------------------------------------------------------------- what was published


@pytest.fixture(scope="module")
def board():
    return read_cells(PUBLISHED)


class Asked(Exception):
    """The published table that is asked for."""


class Silent(Paper):
    """What a paper prints: the first table that is asked for ends the work, as nothing else of it is looked at."""

    def table(self, name):
        raise Asked(name)


def compared_with(study, folder):
    """By name of a table of the main reading, the published one that its function asks for first; remarks ask for more."""
    sizes = {name: entry["expected"]["d"] for name, entry in load_registry().items() if "d" in entry.get("expected", {})}
    results = replace(results_of(study.name, concat([], COLUMNS), folder), n_features=sizes)
    make = importlib.import_module(f"{study.module}.tables")
    found = {}
    for name, shown in study.tables.items():
        if shown.published and shown.reading == "main":
            with pytest.raises(Asked) as asked:
                getattr(make, name)(results.shows(name, shown), Silent.read([folder_of(study) / "published.csv"]))
            found[name] = str(asked.value)
    return found


@pytest.mark.parametrize("study", PAPERS)
def test_each_printed_cell_counts_once(study, board, tmp_path):
    """A printed number has one cell of the main reading, or its table says that all of its cells are of another one."""
    printed = Paper.read([folder_of(STUDIES[study]) / "published.csv"]).cells
    main = {}
    for name, table in compared_with(STUDIES[study], tmp_path).items():
        main.setdefault(table, []).append(name)
    assert main
    assert {table: names for table, names in main.items() if len(names) > 1} == {}
    own = board[(board["study"] == study) & (board["reading"] == "main")]
    assert set(own.loc[own["published"].notna(), "table"]) <= {name for names in main.values() for name in names}
    for table, names in main.items():
        rows = printed[printed["table"] == table].set_index(["row", "column"])
        if rows.empty:
            continue  # beyond the paper
        here = own[(own["table"] == names[0]) & (own["published"].notna() | (own["published_mark"] != ""))]
        assert len(here) == len(rows), f"{table}: {len(here)} cells in {names[0]} for {len(rows)} printed ones"


@pytest.mark.parametrize("study", [name for name in STUDIES if name not in PAPERS])
def test_what_was_published_elsewhere_is_judged_and_counts_nowhere(study, board):
    own = board[(board["study"] == study) & board["published"].notna()]
    assert own["verdict"].isin(VERDICTS).any()
    assert set(own["reading"]) == {"elsewhere"}
    assert not own["printed"].duplicated().any()
    assert study not in set(printed_results(board)["study"]) | set(fixed_before(board)["study"])
    assert study not in headline(board).index
    assert headline(board).equals(headline(board[board["study"] != study]))


@pytest.mark.parametrize("study", STUDIES)
def test_every_cell_that_is_not_reproduced_has_a_cause_and_no_cause_is_stale(study, board):
    causes = STUDIES[study].causes
    assert all(entry.why.rstrip().endswith((".", ")")) for entry in causes)
    missed = board[(board["study"] == study) & board["verdict"].isin(VERDICTS[1:])]
    found = [cause_index(cell, causes) for cell in missed.to_dict("records")]
    without = missed.loc[[k is None for k in found], ["table", "row", "column"]]
    assert without.empty, without.to_string()
    # what waits for its trials may turn out either way
    waiting = board[(board["study"] == study) & board["verdict"].isin(["not run", "pending", "failed"])].to_dict("records")
    open_still = {cause_index(cell | {"verdict": verdict}, causes) for cell in waiting for verdict in VERDICTS[1:]}
    stale = [entry for k, entry in enumerate(causes) if k not in {*found, *open_still}]
    assert not stale, stale


def test_the_page_of_the_studies_says_the_rule():
    page = (ROOT / "docs" / "studies" / "index.md").read_text(encoding="utf-8").replace("\\|", "|")
    assert [text for text in MEANINGS.values() if text not in page] == []
