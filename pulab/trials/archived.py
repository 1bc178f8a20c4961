"""Archived trials of a study, and which of them match the current plan and declared versions.

A study's tidy results ``<study>.parquet`` come with ``<study>.trials.parquet``, which has one row per trial with numbers
(:data:`pulab.trials.results.RECORD_COLUMNS`): its identity (:class:`pulab.plan.identity.Identity`) and its origin, including
the versions of libraries and the processor.  A trial without a row counts as outdated.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from pulab.plan.identity import Identity, Key
from pulab.trials import results
from pulab.trials.results import GROUP, KEY, RECORD_COLUMNS

STATES = {"current": "with the current identity", "outdated": "with another identity", "unplanned": "no longer planned"}


def record_file(tidy: str | Path) -> str:
    """Return the path of the record of a file of tidy results."""
    return str(Path(tidy).with_suffix(".trials.parquet"))


def read_record(tidy: str | Path) -> pd.DataFrame:
    """Read the record of a file of tidy results; empty if there is none."""
    return results.read(record_file(tidy)) if Path(record_file(tidy)).is_file() else results.concat([], RECORD_COLUMNS)


def with_numbers(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the trials (columns ``KEY``) of tidy results that have numbers, each once."""
    return rows.loc[rows["status"] == "ok", KEY].drop_duplicates()


def judge(rows: pd.DataFrame, record: pd.DataFrame, present: Mapping[Key, Identity]) -> pd.DataFrame:
    """Compare every archived trial with the plan.

    ``present`` maps each planned (study, data set, setting, method) to its current identity.  Returns the record with the
    columns ``state`` (a key of :data:`STATES`) and ``why``, in words.
    """
    trials = with_numbers(rows).merge(record, on=KEY, how="left")
    words = [name for name in RECORD_COLUMNS if name not in KEY]
    trials[words] = trials[words].astype(object).where(trials[words].notna(), "").astype("str")
    answers = [_judge(trial, present.get(tuple(trial[name] for name in GROUP))) for trial in trials.to_dict("records")]
    trials["state"], trials["why"] = zip(*answers, strict=True) if answers else ((), ())
    return trials


def _judge(trial: Mapping[str, str], present: Identity | None) -> tuple[str, str]:
    if present is None:
        return "unplanned", ""
    if not trial["versions"]:
        return "outdated", "its identity was not recorded"
    wrong = [f"other {part}" for part in ("configuration", "data") if trial[part] != getattr(present, part)]
    before, now = (dict(part.rsplit(" ", 1) for part in text.split(", ")) for text in (trial["versions"], present.versions))
    names = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
    wrong += [f"{name} {before.get(name, 'none')}, now {now.get(name, 'none')}" for name in names]
    return ("outdated", "; ".join(wrong)) if wrong else ("current", "")


def by_other_source(judged: pd.DataFrame, sources: Mapping[Key, str]) -> pd.Series:
    """Return which current trials have a recorded source that differs from today's."""
    today = pd.Series([sources.get(key, "") for key in judged[GROUP].itertuples(index=False, name=None)], judged.index, str)
    return (judged["state"] == "current") & (judged["source"] != "") & (judged["source"] != today)


def usable(judged: pd.DataFrame) -> dict[Key, frozenset[int]]:
    """Return the repeats that need not be run, by group: those of the current identity."""
    current = judged[judged["state"] == "current"]
    return {key: frozenset(map(int, repeats)) for key, repeats in current.groupby(GROUP)["repeat"]}  # type: ignore[misc]


def one_identity(judged: pd.DataFrame, here: Mapping[Key, int]) -> pd.DataFrame:
    """Return the archived trials (of :func:`judge`) that may be shown: trials of a single identity per group.

    This is the current identity if any trial has it, run here or archived; otherwise the most frequent one.  ``here`` maps
    groups to the number of trials of the current identity that were run here.
    """
    chosen = []
    for key, group in judged.groupby(GROUP, sort=False):
        now = group[group["state"] == "current"]
        if len(now) or here.get(key):  # type: ignore[call-overload]
            chosen.append(now)
            continue
        parts = [part for _, part in group.groupby(["configuration", "data", "versions"], sort=True)]
        chosen.append(max(parts, key=len))
    return pd.concat(chosen) if chosen else judged


def counts(judged: pd.DataFrame) -> pd.DataFrame:
    """Count archived trials by study (rows) and state (columns)."""
    table = pd.crosstab(judged["study"], judged["state"])
    return table.reindex(columns=list(STATES), fill_value=0).rename_axis(columns=None).reset_index()


def not_current(judged: pd.DataFrame) -> pd.DataFrame:
    """Return one row per group and reason, for outdated trials."""
    wrong = judged[judged["state"] == "outdated"]
    groups = wrong.groupby([*GROUP, "why"], sort=True)["repeat"]
    return groups.agg(trials="size", repeats=lambda repeats: _ranges(sorted(repeats))).reset_index()


def _ranges(numbers: list[int]) -> str:
    """Format sorted numbers as ranges: ``0-4, 7``."""
    starts = [n for n in numbers if n - 1 not in numbers]
    ends = [n for n in numbers if n + 1 not in numbers]
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in zip(starts, ends, strict=True))
