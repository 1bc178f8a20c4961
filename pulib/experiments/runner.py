"""Running a batch of repeats: each is run once, kept as soon as it is there, and never lost to what happens to the others."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import pickle
import platform
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pandas as pd

from pulib._faults import machine_fault
from pulib.experiments import results
from pulib.experiments.trial import TrialContext, TrialResult


@dataclass(frozen=True)
class Outcome:
    """Rows of one repeat: its numbers and its times."""

    rows: pd.DataFrame
    timings: pd.DataFrame


def machine_name() -> str:
    """The processor and the number of cores, as a name for tables of times."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        names = [line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
        if names:
            return f"{names[0]}, {len(names)} cores"
    return model


def missing_library(names: Iterable[str]) -> str | None:
    """The first of ``names`` that cannot be imported here."""
    return next((name for name in names if importlib.util.find_spec(name) is None), None)


def gpu_available() -> bool:
    """Whether PyTorch finds a GPU here."""
    if missing_library(["torch"]):
        return False
    import torch

    return torch.cuda.is_available()


def lacking(method: Mapping[str, Any]) -> str | None:
    """The first thing that a method needs beyond pulib and that is not here, as its cells say it; None where all is there."""
    return next((reason for reason, missing in _needs(method).items() if missing()), None)


def _needs(method: Mapping[str, Any]) -> dict[str, Callable[[], bool]]:
    """What a method's cells say where something is missing here, and how to find out whether it is."""
    needs: dict[str, Callable[[], bool]] = {
        f"the Python package {name!r} is not installed": partial(_is_missing, name) for name in method.get("requires", [])
    }
    if method.get("options", {}).get("needs") == "gpu":
        needs["needs a GPU"] = lambda: not gpu_available()
    return needs


def _is_missing(name: str) -> bool:
    return missing_library([name]) is not None


def lacking_record(results: str | Path) -> Path:
    """Where it is noted, beside the results of a batch, that it was given up."""
    return Path(results).with_name(Path(results).name.replace(".results.parquet", ".lacking.json"))


def times_looked_for(record: str | Path, method: Mapping[str, Any]) -> int:
    """A number that grows where a batch was given up for want of something that is here now, and only there.

    Parameters
    ----------
    record : path
        What :func:`record_lacking` wrote; a file beside the batch's results, since those are gone while they are made anew.
    method : mapping
        The method's entry.
    """
    if not _needs(method):
        return 0
    try:
        known = json.loads(Path(record).read_text(encoding="utf-8"))
        return int(known["times"]) + int(known["lacking"] and lacking(method) is None)
    except (OSError, ValueError, KeyError, TypeError):  # none, or a garbled one
        return 0


def record_lacking(record: str | Path, method: Mapping[str, Any], rows: pd.DataFrame, times: int) -> None:
    """Note whether a batch was given up for want of what its method needs, and what :func:`times_looked_for` gave before."""
    given_up = rows.loc[rows["status"] == "unavailable", "message"].isin(list(_needs(method))).any()
    if given_up or times:
        Path(record).write_text(json.dumps({"lacking": bool(given_up), "times": times}) + "\n", encoding="utf-8")


def data_identity(meta: Mapping[str, Any]) -> dict[str, Any]:
    """What of a data set's record a result depends on: the arrays, where the test set begins, what the targets are called."""
    return {key: meta.get(key) for key in ("content_sha256", "n_train", "target_names")}


def run_repeat(context: TrialContext, protocol: Callable[[TrialContext], TrialResult]) -> Outcome:
    """Run one trial; an exception becomes a row that says so."""
    key = (context.paper, context.dataset_name, context.setting_name, context.method_name, context.repeat)
    missing = lacking(context.method)
    if missing:
        return Outcome(results.status_rows(key, "unavailable", missing), results.timing_rows(key, {}, ""))
    if not context.data.meta.get("available", True):
        reason = str(context.data.meta["reason"])
        return Outcome(results.status_rows(key, "unavailable", reason), results.timing_rows(key, {}, ""))
    start = time.perf_counter()
    try:
        result = protocol(context)
        rows = results.result_rows(key, result)
    except Exception as error:
        # whatever an estimator raises is this trial's result, not the end of the others; what the machine lacks is no result
        if machine_fault(error):
            raise
        traceback.print_exc()
        return Outcome(results.status_rows(key, "failed", f"{type(error).__name__}: {error}"), results.timing_rows(key, {}, ""))
    seconds = {"trial": time.perf_counter() - start, **result.seconds}
    return Outcome(rows, results.timing_rows(key, seconds, machine_name()))


class Checkpoints:
    """Finished repeats of an unfinished batch, and finished batches of the same trials, found again by fingerprint.

    Parameters
    ----------
    folder : path
        Where the batches of one (paper, data set, setting, method) are kept.
    spec : object
        Everything that a result depends on; equal specs, equal results.
    """

    def __init__(self, folder: str | Path, spec: object):
        self.folder = Path(folder)
        text = json.dumps(spec, sort_keys=True, default=str)
        self.fingerprint = hashlib.sha256(text.encode()).hexdigest()[:16]

    def _file(self, repeat: int) -> Path:
        return self.folder / ".unfinished" / f"{repeat}-{self.fingerprint}.pkl"

    def load(self, repeat: int) -> Outcome | None:
        """What is known of a repeat, from an interrupted run of this batch or from a batch cut in another way.

        Not that something was unavailable: it may be here now.
        """
        try:
            with open(self._file(repeat), "rb") as file:
                outcome = pickle.load(file)
        except Exception:  # whatever a garbled pickle raises, the repeat is as good as not run
            outcome = self._finished.get(repeat)
        return None if outcome is None or outcome.rows["status"].eq("unavailable").any() else outcome

    @cached_property
    def _finished(self) -> dict[int, Outcome]:
        """Repeats in finished batches of the same spec: what more repeats than before, or another batch size, can reuse."""
        found: dict[int, Outcome] = {}
        for path in sorted(self.folder.glob("*.results.parquet")):
            try:
                rows = results.read(path)
                timings = results.read(path.with_name(path.name.replace(".results.", ".timings.")))
            except (OSError, ValueError):  # an incomplete file of a killed job, or one without its twin
                continue
            if rows.attrs.get("fingerprint") == self.fingerprint:
                for repeat, own in rows.groupby("repeat"):
                    found[int(repeat)] = Outcome(own, timings[timings["repeat"] == repeat])
        return found

    def save(self, repeat: int, outcome: Outcome) -> None:
        """Keep a finished repeat; the file appears whole or not at all."""
        target = self._file(repeat)
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_suffix(".part")
        try:
            with open(partial, "wb") as file:
                pickle.dump(outcome, file)
            partial.replace(target)
        finally:  # nothing of it is left on a disk that is full
            partial.unlink(missing_ok=True)

    def clear(self, repeats: Iterable[int]) -> None:
        """Forget the repeats of a batch that is now whole."""
        for repeat in repeats:
            self._file(repeat).unlink(missing_ok=True)
            self._file(repeat).with_suffix(".part").unlink(missing_ok=True)
        folder = self.folder / ".unfinished"
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def run_batch(
    contexts: Iterable[TrialContext], protocol: Callable[[TrialContext], TrialResult], checkpoints: Checkpoints
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Run the trials of a batch, but for those that an interrupted run has finished.

    Returns
    -------
    rows, timings : DataFrame
        As :mod:`pulib.experiments.results` describes.
    """
    outcomes = []
    for context in contexts:
        outcome = checkpoints.load(context.repeat)
        if outcome is None:
            outcome = run_repeat(context, protocol)
            checkpoints.save(context.repeat, outcome)
            print(f"repeat {context.repeat}: {outcome.rows['status'].iloc[0]}", flush=True)
        else:
            print(f"repeat {context.repeat}: found, from an interrupted run", flush=True)
        outcomes.append(outcome)
    rows = results.concat([o.rows for o in outcomes], results.COLUMNS)
    rows.attrs["fingerprint"] = checkpoints.fingerprint
    return rows, results.concat([o.timings for o in outcomes], results.TIMING_COLUMNS)
