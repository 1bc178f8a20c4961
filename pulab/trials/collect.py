"""All trials of a study: those that were run here, and archived ones where they may be shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from pulab.plan.identity import Identity, Key
from pulab.trials import archived as archived_trials
from pulab.trials import results
from pulab.trials.results import COLUMNS, GROUP, KEY, RECORD_COLUMNS, TIMING_COLUMNS
from pulab.trials.store import Outcome, Store
from pulib.datasets import UnreadableFileError


@dataclass(frozen=True)
class Collected:
    """A study's tidy results, times and record, and how many trials come from where."""

    rows: pd.DataFrame
    timings: pd.DataFrame
    record: pd.DataFrame
    sources: dict[str, int]


def record_row(key: tuple, identity: Identity, outcome: Outcome) -> dict[str, object]:
    """The record of a trial that was run."""
    return dict(zip(KEY, key, strict=True)) | identity._asdict() | outcome.origin._asdict()


def collect(groups: Mapping[Key, tuple[Identity, int]], store: Store, archived: Path | None = None) -> Collected:
    """Read every finished trial of a plan.

    Parameters
    ----------
    groups : mapping
        By (study, data set, setting, method), for the whole plan whatever part of it this run is: identity and repeats.
    store : Store
    archived : path, optional
        The archived tidy results; an archived trial is shown where none was run here, never beside another identity.
        In a group that has both, the column ``message`` says of each trial whether it was ``archived`` or ``run here``.
    """
    ours = {}
    for key, (identity, repeats) in groups.items():
        for repeat in range(repeats):
            try:
                outcome = store.find(key, repeat, identity)
            except UnreadableFileError as error:  # as good as not run
                print(error)
                store.set_aside(key, repeat, identity)
                continue
            if outcome is not None:
                ours[(*key, repeat)] = (identity, outcome)
    finished = {key: pair for key, pair in ours.items() if pair[1].ok}
    rows = results.concat([outcome.rows for _, outcome in ours.values()], COLUMNS)
    timings = results.concat([outcome.timings for _, outcome in finished.values()], TIMING_COLUMNS)
    record = pd.DataFrame([record_row(key, *pair) for key, pair in finished.items()], columns=RECORD_COLUMNS)
    found = Collected(rows, timings, results.concat([record], RECORD_COLUMNS), {"run here": len(finished), "archived": 0})
    return found if archived is None else _with_archived(found, groups, archived)


def _with_archived(own: Collected, groups: Mapping[Key, tuple[Identity, int]], archived: Path) -> Collected:
    """What was run here, and the archived trials that may be shown beside it."""
    old, here = results.read(archived), _index(own.record)
    present = {key: identity for key, (identity, _) in groups.items()}
    judged = archived_trials.judge(old, archived_trials.read_record(archived), present)
    chosen = archived_trials.one_identity(judged, own.record.groupby(GROUP).size().to_dict())
    chosen = chosen[~_index(chosen).isin(here)]
    shown = _index(old).isin(_index(chosen))
    reasons = (old["status"] != "ok") & ~_index(old).isin(_index(judged))
    rows = results.merge(pd.concat([old[shown], old[reasons]]), own.rows)
    mixed = _groups(rows).isin(_groups(own.record)) & _groups(rows).isin(_groups(chosen)) & (rows["status"] == "ok")
    rows.loc[mixed, "message"] = "archived"
    rows.loc[mixed & _index(rows).isin(here), "message"] = "run here"
    times = results.read(archived.with_suffix(".timings.parquet"))
    times = results.concat([times[_index(times).isin(_index(chosen))], own.timings], TIMING_COLUMNS)
    record = results.concat([chosen.loc[chosen["versions"] != "", RECORD_COLUMNS], own.record], RECORD_COLUMNS)
    n_archived = len(archived_trials.with_numbers(rows)) - own.sources["run here"]
    return Collected(rows, times, record, own.sources | {"archived": n_archived})


def _index(trials: pd.DataFrame) -> pd.MultiIndex:
    return pd.MultiIndex.from_frame(trials[KEY])


def _groups(trials: pd.DataFrame) -> pd.MultiIndex:
    return pd.MultiIndex.from_frame(trials[GROUP])
