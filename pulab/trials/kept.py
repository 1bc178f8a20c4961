"""Which kept trials are what the present code would make, which are not, and which are not known.

Beside a study's tidy results ``<study>.parquet`` stands ``<study>.made.parquet`` with one row per trial that has numbers
(:data:`pulab.trials.results.MADE_COLUMNS`): the fingerprint of what made it (:class:`pulab.trials.fingerprint.Made`) and

- ``confirmed``: -1 where the trial was made by just that; else the repeat of its group that was run again by it and came out
  the same, bit for bit (:mod:`pulab.trials.confirm`);
- ``refuted``: -1, or the repeat that was run again and came out otherwise; ``tried``: by what.

A trial without a row was kept before there were fingerprints: nothing is known of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from pulab.trials import results
from pulab.trials.fingerprint import Made
from pulab.trials.results import KEY, MADE_COLUMNS

GROUP = KEY[:4]
#: The parts of a fingerprint that decide which numbers come out.
PARTS = ["configuration", "data", "source"]
STATES = {
    "current": "what the present code would make",
    "outdated": "not what the present code would make",
    "unknown": "not known: kept before fingerprints were",
    "unplanned": "of no trial that is planned now",
}
Group = tuple[str, str, str, str]


def made_file(tidy: str | Path) -> str:
    """Where the record stands that goes with a file of tidy results."""
    return str(Path(tidy).with_suffix(".made.parquet"))


def read_made(tidy: str | Path) -> pd.DataFrame:
    """The record that goes with a file of tidy results; no rows where there is none."""
    return results.read(made_file(tidy)) if Path(made_file(tidy)).is_file() else results.concat([], MADE_COLUMNS)


def with_numbers(rows: pd.DataFrame) -> pd.DataFrame:
    """The trials (columns ``KEY``) of tidy results that have numbers, each once."""
    return rows.loc[rows["status"] == "ok", KEY].drop_duplicates()


def made_rows(rows: pd.DataFrame, made: Made) -> pd.DataFrame:
    """The record of the trials of a group, made by ``made``."""
    new = with_numbers(rows).assign(**made._asdict(), confirmed=-1, refuted=-1, tried="")
    return results.concat([new], MADE_COLUMNS)


def merge_made(old: pd.DataFrame, rows: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """The record of what :func:`pulab.trials.results.merge` gives.

    Parameters
    ----------
    old : DataFrame
        The record of the kept results.
    rows, new : DataFrame
        Tidy results of a run, and their record.
    """
    fresh = _index(with_numbers(rows))
    return results.concat([old[~_index(old).isin(fresh)], new[_index(new).isin(fresh)]], MADE_COLUMNS)


def judge(rows: pd.DataFrame, made: pd.DataFrame, present: Mapping[Group, Made]) -> pd.DataFrame:
    """Hold every kept trial against what the present code would make.

    Parameters
    ----------
    rows, made : DataFrame
        Kept tidy results and their record.
    present : mapping
        By (study, data set, setting, method), for all that is planned, what :func:`pulab.trials.fingerprint.made_by` gives now.

    Returns
    -------
    DataFrame
        ``KEY``, the record's columns, ``state`` (a key of :data:`STATES`) and ``why``, in words.
    """
    trials = with_numbers(rows).merge(made, on=KEY, how="left")
    trials = typed_record(trials)
    answers = [_judge(trial, present.get(tuple(trial[name] for name in GROUP))) for trial in trials.to_dict("records")]
    trials["state"], trials["why"] = zip(*answers, strict=True) if answers else ((), ())
    return trials


def typed_record(trials: pd.DataFrame) -> pd.DataFrame:
    """Trials with empty entries where nothing is recorded."""
    words, numbers = [*PARTS, "versions", "tried"], ["confirmed", "refuted"]
    filled = trials[words].astype(object).where(trials[words].notna(), "").astype("str")
    return trials.assign(**filled, **trials[numbers].fillna(-1).astype("int32"))


def _judge(trial: Mapping[str, object], present: Made | None) -> tuple[str, str]:
    if present is None:
        return "unplanned", ""
    if trial["refuted"] != -1:
        return "outdated", f"repeat {trial['refuted']} was run again and gave other numbers"
    if not trial["source"]:
        return "unknown", ""
    now = present._asdict()
    differ = [part for part in PARTS if trial[part] != now[part] and (part != "data" or now[part])]
    if differ:
        return "outdated", f"other {' and '.join(differ)}"
    words = [f"confirmed by repeat {trial['confirmed']}"] if trial["confirmed"] != -1 else []
    words += [f"made with {trial['versions']}"] if trial["versions"] != present.versions else []
    return "current", "; ".join(words)


def usable(judged: pd.DataFrame) -> dict[Group, frozenset[int]]:
    """The repeats, by group, that need not be run: all but those known not to be what the present code would make."""
    kept = judged[judged["state"] != "outdated"]
    return {key: frozenset(map(int, repeats)) for key, repeats in kept.groupby(GROUP)["repeat"]}  # type: ignore[misc]


def counts(judged: pd.DataFrame) -> pd.DataFrame:
    """One row per study, one column per state: how many kept trials there are."""
    table = pd.crosstab(judged["study"], judged["state"])
    return table.reindex(columns=list(STATES), fill_value=0).rename_axis(columns=None).reset_index()


def not_current(judged: pd.DataFrame) -> pd.DataFrame:
    """One row per group and reason, for the trials that are known not to be what the present code would make."""
    wrong = judged[judged["state"] == "outdated"]
    groups = wrong.groupby([*GROUP, "why"], sort=True)["repeat"]
    return groups.agg(trials="size", repeats=lambda repeats: _ranges(sorted(repeats))).reset_index()


def _ranges(numbers: list[int]) -> str:
    """``0-4, 7``."""
    starts = [n for n in numbers if n - 1 not in numbers]
    ends = [n for n in numbers if n + 1 not in numbers]
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in zip(starts, ends, strict=True))


def tell(judged: pd.DataFrame) -> str:
    """How many kept trials are what the present code would make, and which are not, as lines of Markdown."""
    table, wrong = counts(judged), not_current(judged)
    total, current = len(judged), int(table["current"].sum())
    lines = [f"{current} of {total} kept trials are what the present code would make.", ""]
    lines += [f"- {STATES[state]}: {int(table[state].sum())}" for state in STATES if state != "current" and table[state].sum()]
    lines += _table(table.rename(columns={"study": "Study"} | STATES))
    if len(wrong):
        lines += ["", "Not what the present code would make:"]
        lines += _table(wrong)
    return "\n".join(lines) + "\n"


def _table(frame: pd.DataFrame) -> list[str]:
    cells = [list(map(str, frame.columns)), ["---"] * frame.shape[1], *frame.astype(str).to_numpy().tolist()]
    return ["", *(f"| {' | '.join(row)} |" for row in cells)]


def _index(trials: pd.DataFrame) -> pd.MultiIndex:
    return pd.MultiIndex.from_frame(trials[KEY])
