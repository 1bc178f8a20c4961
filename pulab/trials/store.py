"""The store of finished trials, and what is collected from it: a small file per trial, named by repeat and identity.

A file has two lines: the trial as JSON, and the SHA-256 of that line.  It appears whole, under its name, or not at all; a file
that does not match its checksum counts as missing.  A trial without numbers leaves a file of another name, which gives the
reason and never counts as finished.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pulab.plan.files import stored_file
from pulab.plan.identity import Identity, Key, Origin
from pulab.trials import archived as archived_trials
from pulab.trials import results
from pulab.trials.results import COLUMNS, GROUP, KEY, RECORD_COLUMNS, TIMING_COLUMNS
from pulib.datasets import UnreadableFileError, reading

NO_ORIGIN = Origin("", "")


@dataclass(frozen=True)
class Outcome:
    """One trial: its numbers or the reason why there are none, its times, and its origin."""

    rows: pd.DataFrame
    timings: pd.DataFrame
    origin: Origin = NO_ORIGIN

    @classmethod
    def without_numbers(cls, key: tuple, status: str, message: str, origin: Origin = NO_ORIGIN) -> Outcome:
        """Make the outcome of a trial without numbers, with the reason."""
        return cls(results.status_rows(key, status, message), results.timing_rows(key, {}, ""), origin)

    @property
    def ok(self) -> bool:
        return bool(self.rows["status"].eq("ok").all())


class Store:
    """Finished trials in a folder."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def file(self, key: Key, repeat: int, identity: Identity, *, finished: bool = True) -> Path:
        """Return the file of a trial, or of the note that it has no numbers."""
        return stored_file(self.folder, key, repeat, identity, "json" if finished else "failed")

    def read(self, key: Key, repeat: int, identity: Identity, *, forced: str = "") -> Outcome | None:
        """Return a finished trial; None if there is none, or if it was not made for a forced run.

        A damaged file raises an :class:`UnreadableFileError`.
        """
        file = self.file(key, repeat, identity)
        content = _read(file)
        if content is None or (forced and content.get("forced") != forced):
            return None
        with reading(file):
            found = {
                name: (np.array(steps, dtype=np.int64), np.array([*map(float, values)], dtype=np.float64))
                for name, steps, values in content["numbers"]
            }
            rows = results.number_rows((*key, repeat), found)
            timings = results.timing_rows((*key, repeat), content["seconds"], content["machine"])
            return Outcome(rows, timings, Origin(*content["origin"]))

    def find(self, key: Key, repeat: int, identity: Identity) -> Outcome | None:
        """Return a finished trial, or why its last run gave no numbers; None if neither is known."""
        finished, note = self.read(key, repeat, identity), self.file(key, repeat, identity, finished=False)
        content = None if finished else _read(note)
        if content is None:
            return finished
        with reading(note):
            origin = Origin(*content["origin"])
            return Outcome.without_numbers((*key, repeat), content["status"], content["message"], origin)

    def set_aside(self, key: Key, repeat: int, identity: Identity) -> None:
        """Rename the file that :meth:`find` could not read, so that its trial counts as not run."""
        numbers, note = (self.file(key, repeat, identity, finished=finished) for finished in (True, False))
        (numbers if numbers.is_file() else note).replace(numbers.with_suffix(".unreadable"))

    def write(self, key: Key, repeat: int, identity: Identity, outcome: Outcome, *, forced: str = "") -> None:
        """Store a trial, or the reason why it gave no numbers; ``forced`` names the run that it was made for, if forced."""
        common = {"key": [*key, repeat], "identity": identity._asdict(), "origin": list(outcome.origin), "forced": forced}
        first = outcome.rows.iloc[0]
        file, note = (self.file(key, repeat, identity, finished=finished) for finished in (True, False))
        if not outcome.ok:
            _write(note, common | {"status": str(first["status"]), "message": str(first["message"])})
            if first["status"] == "failed" and file.is_file():  # today's code does not give the numbers that it had before
                file.replace(file.with_suffix(".before"))
            return
        rows = outcome.rows
        numbers: dict[str, tuple[list[int], list[Any]]] = {}
        for name, step, value in zip(rows["metric"].tolist(), rows["step"].tolist(), _texts(rows["value"]), strict=True):
            steps, values = numbers.setdefault(name, ([], []))
            steps.append(step)
            values.append(value)
        timings = outcome.timings
        seconds = dict(zip(timings["metric"].tolist(), timings["seconds"].tolist(), strict=True))
        machine = str(timings["machine"].iloc[0]) if len(timings) else ""
        content = common | {"numbers": [[name, *own] for name, own in numbers.items()], "seconds": seconds, "machine": machine}
        _write(file, content)
        note.unlink(missing_ok=True)


def _texts(values: pd.Series) -> list[Any]:
    """Return numbers that JSON restores exactly, with infinite ones and NaN as text."""
    return [value if np.isfinite(value) else repr(value) for value in values.tolist()]


def _read(file: Path) -> dict[str, Any] | None:
    if not file.is_file():
        return None
    with reading(file):
        line, _, check = file.read_bytes().partition(b"\n")
        if hashlib.sha256(line).hexdigest().encode() + b"\n" != check:
            raise ValueError("its checksum does not match its content")
        return json.loads(line)


def _write(file: Path, content: dict[str, Any]) -> None:
    line = json.dumps(content, sort_keys=True).encode()
    file.parent.mkdir(parents=True, exist_ok=True)
    with results.replacing(file) as partial, open(partial, "wb") as stream:
        stream.write(line + b"\n" + hashlib.sha256(line).hexdigest().encode() + b"\n")
        stream.flush()
        os.fsync(stream.fileno())


@dataclass(frozen=True)
class Collected:
    """A study's tidy results, times and record, and the number of trials by source."""

    rows: pd.DataFrame
    timings: pd.DataFrame
    record: pd.DataFrame
    sources: dict[str, int]


def collect(groups: Mapping[Key, tuple[Identity, int]], store: Store, archived: Path | None = None) -> Collected:
    """Read every finished trial of the groups (identity and repeats) of the whole plan, even if this run is a part of it.

    ``archived`` is a file of tidy results; archived trials fill in for those not run here, never with another identity in the
    same group.  In a group that has both, the column ``message`` marks each trial as ``archived`` or ``run here``.
    """
    ours = {}
    for key, (identity, repeats) in groups.items():
        for repeat in range(repeats):
            try:
                outcome = store.find(key, repeat, identity)
            except UnreadableFileError as error:  # counts as not run
                print(error)
                store.set_aside(key, repeat, identity)
                continue
            if outcome is not None:
                ours[(*key, repeat)] = (identity, outcome)
    finished = {key: pair for key, pair in ours.items() if pair[1].ok}
    rows = results.concat([outcome.rows for _, outcome in ours.values()], COLUMNS)
    timings = results.concat([outcome.timings for _, outcome in finished.values()], TIMING_COLUMNS)
    record = pd.DataFrame([(*key, *own, *outcome.origin) for key, (own, outcome) in finished.items()], columns=RECORD_COLUMNS)
    found = Collected(rows, timings, results.concat([record], RECORD_COLUMNS), {"run here": len(finished), "archived": 0})
    return found if archived is None else _with_archived(found, groups, archived)


def _with_archived(own: Collected, groups: Mapping[Key, tuple[Identity, int]], archived: Path) -> Collected:
    """Return the trials run here and the archived ones that may be shown with them."""
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
