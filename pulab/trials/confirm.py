"""Running one kept trial of a group again, to find out whether changed code still gives the same numbers.

Code that is made faster with the same results has another fingerprint, and so every trial that it made looks outdated.  For
each group, and each fingerprint in it that is not the present one, the cheapest kept repeat is run again: where all of its
numbers come out equal, bit for bit, the group's trials take on the present fingerprint; where not, those are marked that were
made with the same libraries on such a processor, since others may differ in rounding alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pulab.trials import results
from pulab.trials.fingerprint import Made
from pulab.trials.kept import GROUP, PARTS, Group, typed_record
from pulab.trials.results import KEY, MADE_COLUMNS
from pulab.trials.runner import JobRunner
from pulib.datasets import Dataset

#: One row per trial that was run again: what had made it, what makes it now, and the largest difference of a number.
CONFIRMATION_COLUMNS = [*KEY, "was", *Made._fields, "equal", "difference", "message"]


def to_confirm(judged: pd.DataFrame, timings: pd.DataFrame, present: Mapping[Group, Made]) -> pd.DataFrame:
    """What has to be run again: the cheapest kept repeat of every group and old fingerprint.

    Parameters
    ----------
    judged : DataFrame
        What :func:`pulab.trials.kept.judge` returns.
    timings : DataFrame
        The kept times; a trial without one counts as the dearest.
    present : mapping
        As for :func:`pulab.trials.kept.judge`.

    Returns
    -------
    DataFrame
        ``KEY``, ``was`` and ``seconds``, without what has been tried by the present code and came out otherwise.
    """
    trials = judged[judged["state"].isin(("outdated", "unknown"))]
    now = pd.Series(
        [_name(present[key]) for key in trials[GROUP].itertuples(index=False, name=None)], trials.index, dtype=object
    )
    trials = trials[trials["tried"].astype(object) != now]
    times = timings.loc[timings["metric"] == "trial", [*KEY, "seconds"]]
    trials = trials.merge(times, on=KEY, how="left").assign(was=lambda frame: _names(frame))
    trials = trials.sort_values(["seconds", "repeat"], kind="stable").drop_duplicates([*GROUP, "was"])
    return trials[[*KEY, "was", "seconds"]].sort_values(KEY, kind="stable", ignore_index=True)


def run_again(key: tuple, spec: Mapping[str, Any], data: Dataset, folder: str | Path, n_jobs: int = 1) -> pd.DataFrame:
    """Tidy rows of one trial, run by the present code, its split drawn anew.

    Parameters
    ----------
    key : tuple
        Study, data set, setting, method, repeat.
    spec : mapping
        The group's resolved configuration, as for :func:`pulab.trials.fingerprint.made_by`.
    folder : path
        Where it is kept until it is compared: a run that is interrupted goes on where it was.
    """
    *group, repeat = key
    return JobRunner(data, Path(folder), n_jobs).run(tuple(group), spec, [repeat]).rows


def compare(key: tuple, was: str, kept: pd.DataFrame, again: pd.DataFrame, made: Made) -> pd.DataFrame:
    """One row (:data:`CONFIRMATION_COLUMNS`): whether a trial's numbers are the same; none where it can not be run here."""
    if again["status"].eq("unavailable").any():
        return pd.DataFrame(columns=CONFIRMATION_COLUMNS)
    place = ["metric", "step"]
    pairs = kept[[*place, "value"]].merge(again[[*place, "value"]], on=place, how="outer", indicator=True)
    message = "" if again["status"].eq("ok").all() else str(again["message"].iloc[0])
    if not message and (pairs["_merge"] != "both").any():
        message = "other metrics or steps"
    old, new = pairs["value_x"].to_numpy(), pairs["value_y"].to_numpy()
    equal = not message and old.tobytes() == new.tobytes()
    difference = np.nan if message else float(np.nanmax(np.abs(old - new), initial=0.0))
    return pd.DataFrame([[*key, was, *made, equal, difference, message]], columns=CONFIRMATION_COLUMNS)


def apply(made: pd.DataFrame, trials: pd.DataFrame, confirmations: pd.DataFrame) -> pd.DataFrame:
    """The record after confirmations.

    Parameters
    ----------
    made : DataFrame
        The record of the kept trials.
    trials : DataFrame
        The kept trials that have numbers (:func:`pulab.trials.kept.with_numbers`).
    confirmations : DataFrame
        Rows of :func:`compare`.  One whose trials were made by something else since changes nothing.
    """
    record = typed_record(trials.merge(made, on=KEY, how="left"))
    names = _names(record)
    for row in confirmations.to_dict("records"):
        touched = (record[GROUP] == [row[name] for name in GROUP]).all(axis=1) & (names == row["was"])
        if row["equal"]:
            changes = {name: row[name] for name in Made._fields} | {"confirmed": row["repeat"], "refuted": -1, "tried": ""}
        else:
            changes = {"refuted": row["repeat"], "tried": _name(row)}
            touched &= record["versions"] == row["versions"]
        for name, value in changes.items():
            record.loc[touched, name] = value
    answered = (record["source"] != "") | (record["refuted"] != -1)
    return results.concat([record[answered]], MADE_COLUMNS)


def _name(made: Made | Mapping[str, Any]) -> str:
    """A fingerprint in one word; empty where nothing is known."""
    parts = made._asdict() if isinstance(made, Made) else made
    return "-".join(str(parts[part]) for part in PARTS).strip("-")


def _names(trials: pd.DataFrame) -> pd.Series:
    return pd.Series([_name(trial) for trial in trials.to_dict("records")], trials.index, dtype=object)
