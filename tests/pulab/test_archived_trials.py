"""Archived trials and a plan: which of them are of its identity, and which are shown with those that were run here."""

from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from pulab.plan.identity import Identity, Origin
from pulab.plan.study import Shown
from pulab.reports.overview import current_sheet
from pulab.tables import Paper
from pulab.tables.cells import Place, comparison
from pulab.trials import archived as archived_trials
from pulab.trials import results
from pulab.trials.results import KEY, RECORD_COLUMNS
from pulab.trials.store import Outcome, Store, collect
from pulab.trials.trial import TrialResult

ROOT = Path(__file__).parents[2]
GROUP = ("p", "toy", "s", "m")
NOW = Identity("c1", "d1", "estimator M 2, seeds 1")
BEFORE = NOW._replace(versions="estimator M 1, seeds 1")


def numbers(*repeats, value=0.5):
    parts = [results.result_rows((*GROUP, k), TrialResult(scalars={"accuracy": value + k})) for k in repeats]
    return results.concat(parts, results.COLUMNS)


def record(identity, *repeats):
    rows = [(*GROUP, k, *identity, "numpy 1", "a processor", "") for k in repeats]
    return results.concat([pd.DataFrame(rows, columns=RECORD_COLUMNS)], RECORD_COLUMNS)


def archive(tmp_path, rows, known):
    file = tmp_path / "p.parquet"
    results.write(rows, file)
    keys = archived_trials.with_numbers(rows).itertuples(index=False, name=None)
    times = [results.timing_rows(key, {"trial": 1.0}, "m") for key in keys]
    results.write(results.concat(times, results.TIMING_COLUMNS), tmp_path / "p.timings.parquet")
    results.write(known, tmp_path / "p.trials.parquet")
    return file


def stored(tmp_path, *repeats, value=7.0, identity=NOW):
    store = Store(tmp_path / "store")
    for k in repeats:
        timings = results.timing_rows((*GROUP, k), {"trial": 2.0}, "here")
        store.write(GROUP, k, identity, Outcome(numbers(k, value=value), timings, Origin("numpy 2", "this one")))
    return store


def means(rows):
    return rows.groupby("repeat")["value"].mean().to_dict()


@pytest.mark.parametrize(
    ("identity", "state", "why"),
    [
        (NOW, "current", ""),
        (BEFORE, "outdated", "estimator M 1, now 2"),
        (NOW._replace(configuration="c2", data="d2"), "outdated", "other configuration; other data"),
        (NOW._replace(versions="estimator M 2, seeds 1, split censored 1"), "outdated", "split censored 1, now none"),
    ],
)
def test_an_archived_trial_is_compared_with_the_current_identity(identity, state, why):
    judged = archived_trials.judge(numbers(0), record(identity, 0), {GROUP: NOW})
    assert judged[["state", "why"]].to_numpy().tolist() == [[state, why]]


def test_trials_that_are_outdated_or_without_a_record_must_be_run():
    judged = archived_trials.judge(numbers(0, 1, 2), pd.concat([record(NOW, 1), record(BEFORE, 2)]), {GROUP: NOW})
    assert judged["state"].tolist() == ["outdated", "current", "outdated"]
    assert archived_trials.usable(judged) == {GROUP: {1}}
    assert archived_trials.judge(numbers(0), record(NOW, 0), {})["state"].tolist() == ["unplanned"]
    text = current_sheet(judged).markdown()
    assert "1 of 3 trials have the current identity" in text
    assert "| p | toy | s | m | estimator M 1, now 2 | 1 | 2 |" in text
    assert "| p | toy | s | m | its identity was not recorded | 1 | 0 |" in text


def test_archived_and_new_trials_of_one_identity_share_a_cell_that_says_so(tmp_path):
    archived = archive(tmp_path, numbers(0, 1, 2), record(NOW, 0, 1, 2))
    found = collect({GROUP: (NOW, 5)}, stored(tmp_path, 1, 4), archived)
    assert means(found.rows) == {0: 0.5, 1: 8.0, 2: 2.5, 4: 11.0}
    assert found.rows["message"].tolist() == ["archived", "run here", "archived", "run here"]
    assert found.sources == {"run here": 2, "archived": 2}
    assert found.record["processor"].tolist() == ["a processor", "this one", "a processor", "this one"]
    assert found.timings["seconds"].tolist() == [1.0, 2.0, 1.0, 2.0]
    rows, columns = [Place("a", {"dataset": "toy"})], [Place("b", {"method": "m"})]
    made_from = SimpleNamespace(shown=Shown("T"), tidy=found.rows, stand_ins={})
    cell = comparison(made_from, Paper.read([]), "", rows, columns, metric="accuracy").cells.iloc[0]
    assert (cell["n"], cell["note"]) == (4, "2 archived, 2 run here")


def test_trials_of_different_identities_never_share_a_cell(tmp_path):
    archived = archive(tmp_path, numbers(*range(18)), record(BEFORE, *range(18)))
    found = collect({GROUP: (NOW, 20)}, stored(tmp_path, 0, 1), archived)
    assert means(found.rows) == {0: 7.0, 1: 8.0}
    assert collect({GROUP: (NOW, 20)}, Store(tmp_path / "none"), archived).sources == {"run here": 0, "archived": 18}


def test_archived_trials_of_two_identities_are_never_averaged(tmp_path):
    archived = archive(tmp_path, numbers(0, 1, 2, 3), pd.concat([record(BEFORE, 0, 1, 2), record(NOW, 3)]))
    assert means(collect({GROUP: (NOW, 4)}, Store(tmp_path / "none"), archived).rows) == {3: 3.5}
    other = collect({GROUP: (NOW._replace(data="d3"), 4)}, Store(tmp_path / "none"), archived)
    assert sorted(means(other.rows)) == [0, 1, 2]


def test_a_reason_is_shown_where_there_are_no_numbers_and_nowhere_else(tmp_path):
    """Wherever they come from: repeat 0 failed when it was archived, repeat 1 when it was run here."""
    store = stored(tmp_path, 0)
    store.write(GROUP, 1, NOW, Outcome.without_numbers((*GROUP, 1), "failed", "why"))
    rows = [results.status_rows((*GROUP, 0), "failed", "why"), numbers(1)]
    archived = archive(tmp_path, results.concat(rows, results.COLUMNS), record(NOW, 1))
    alone = collect({GROUP: (NOW, 2)}, store)
    assert alone.rows["status"].tolist() == ["ok", "failed"]
    assert alone.sources == {"run here": 1, "archived": 0}
    assert collect({GROUP: (NOW, 2)}, store, archived).rows["status"].tolist() == ["ok", "ok"]


@pytest.mark.parametrize("study", ["adapu", "puet"])
def test_archived_results_are_read_back_unchanged(tmp_path, study):
    """Numbers, times and records of a study of which nothing is run here; a reason may have no plan any more."""
    archived = ROOT / "figures" / "paper" / "tidy" / f"{study}.parquet"
    old = results.read(archived)
    keys = archived_trials.read_record(archived)[[*KEY[:4], "configuration", "data", "versions"]].drop_duplicates()
    groups = {tuple(row[:4]): (Identity(*row[4:]), 1) for row in keys.itertuples(index=False, name=None)}
    found = collect(groups, Store(tmp_path), archived)
    pd.testing.assert_frame_equal(found.rows, old, check_exact=True)
    pd.testing.assert_frame_equal(found.record, archived_trials.read_record(archived))


@pytest.mark.parametrize(
    "file", sorted((ROOT / "figures" / "paper" / "tidy").glob("*.trials.parquet")), ids=lambda file: file.name
)
def test_every_archived_number_has_an_identity(file):
    archived = archived_trials.with_numbers(results.read(file.with_name(file.name.replace(".trials", ""))))
    recorded = results.read(file)[KEY]
    assert sorted(archived.itertuples(index=False, name=None)) == sorted(recorded.itertuples(index=False, name=None))
