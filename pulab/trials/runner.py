"""Running the trials of a job: each is run once, and kept as soon as it is done, whatever happens to the others."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import pickle
import platform
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pulab.trials import results
from pulab.trials.faults import machine_fault
from pulab.trials.fingerprint import source_fingerprint
from pulab.trials.seeds import split_seed
from pulab.trials.trial import TrialContext, TrialResult, import_object
from pulib.datasets import Dataset
from pulib.sampling import Split, make_splits

#: Loaders whose features differ in their last bits from processor to processor, and what computes them.
ROUNDED = {"newsgroups_svd": "pulib.datasets.features._text.tfidf_svd"}


@dataclass(frozen=True)
class Outcome:
    """Rows of one repeat: its numbers and its times."""

    rows: pd.DataFrame
    timings: pd.DataFrame


@cache
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


def lacking(method: Mapping[str, Any]) -> list[str]:
    """What a method needs beyond pulib and does not find here, in the words that its cells show."""
    reasons = [
        f"the Python package {name!r} is not installed" for name in method.get("requires", []) if missing_library([name])
    ]
    if method.get("options", {}).get("needs") == "gpu" and not gpu_available():
        reasons.append("needs a GPU")
    return reasons


def data_identity(meta: Mapping[str, Any]) -> dict[str, Any]:
    """What results depend on in a data set's record: the arrays, where the test set begins, the names of the targets.

    Arrays that are computed with rounding that follows the processor are named by what they are computed from, and how.
    """
    identity = {key: meta.get(key) for key in ("content_sha256", "n_train", "target_names")}
    recipe = meta.get("recipe", {})
    if recipe.get("loader") not in ROUNDED:
        return identity
    made = {key: value for key, value in recipe.items() if key != "version"}
    return identity | {"content_sha256": [made, source_fingerprint(ROUNDED[recipe["loader"]])]}


def run_repeat(context: TrialContext, protocol: Callable[[TrialContext], TrialResult]) -> Outcome:
    """Run one trial; where it raises an exception, its row says so."""
    key = (context.study, context.dataset_name, context.setting_name, context.method_name, context.repeat)
    if missing := lacking(context.method):
        return Outcome(results.status_rows(key, "unavailable", missing[0]), results.timing_rows(key, {}, ""))
    if not context.data.meta.get("available", True):
        reason = str(context.data.meta["reason"])
        return Outcome(results.status_rows(key, "unavailable", reason), results.timing_rows(key, {}, ""))
    # of one thread the processor's time: what else runs on the machine does not count
    clock = time.process_time if context.n_jobs == 1 else time.perf_counter
    start = clock()
    try:
        result = protocol(context)
        rows = results.result_rows(key, result)
    except Exception as error:
        # whatever an estimator raises is this trial's result, not the end of the others; what the machine lacks is no result
        if machine_fault(error):
            raise
        traceback.print_exc()
        return Outcome(results.status_rows(key, "failed", f"{type(error).__name__}: {error}"), results.timing_rows(key, {}, ""))
    seconds = {"trial": clock() - start, **result.seconds}
    return Outcome(rows, results.timing_rows(key, seconds, machine_name()))


class Finished:
    """Finished repeats of one (study, data set, setting, method), each in a file that is named by what made it.

    The files outlive the job.  If it runs again, for whatever reason, it runs only the trials that have no file here.

    Parameters
    ----------
    folder : path
    spec : object
        Everything that a result depends on; equal specs, equal results.
    """

    def __init__(self, folder: str | Path, spec: object):
        self.folder = Path(folder)
        text = json.dumps(spec, sort_keys=True, default=str)
        self.fingerprint = hashlib.sha256(text.encode()).hexdigest()[:16]

    def _file(self, repeat: int) -> Path:
        return self.folder / f"{repeat}-{self.fingerprint}.pkl"

    def load(self, repeat: int) -> Outcome | None:
        """The rows of a repeat; None if it was not run to its end."""
        try:
            with open(self._file(repeat), "rb") as file:
                return pickle.load(file)
        except Exception:  # whatever a garbled pickle raises, the repeat is as good as not run
            return None

    def save(self, repeat: int, outcome: Outcome) -> None:
        """Keep a repeat that has numbers; the file appears whole or not at all.

        A repeat that failed, or lacked something, is not kept: it runs again with its job.
        """
        if not outcome.rows["status"].eq("ok").all():
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        partial = self._file(repeat).with_suffix(".part")
        try:
            with open(partial, "wb") as file:
                pickle.dump(outcome, file)
            partial.replace(self._file(repeat))
        finally:  # nothing of it is left on a disk that is full
            partial.unlink(missing_ok=True)


@dataclass
class JobRunner:
    """Runs the trials of a job, group by group, on the data that they share.

    Attributes
    ----------
    data : Dataset
    finished : path
        Where finished repeats of all groups are kept.
    n_jobs : int
        Threads that a trial may use.
    """

    data: Dataset
    finished: Path
    n_jobs: int = 1
    _splits: dict[str, dict[int, Split]] = field(default_factory=dict)

    def run(self, key: tuple[str, str, str, str], spec: Mapping[str, Any], repeats: Sequence[int]) -> Outcome:
        """Run those repeats of one (study, data set, setting, method) that are not finished.

        Parameters
        ----------
        key : tuple
        spec : mapping
            ``protocol`` (dotted path), ``method``, ``setting``, ``split`` and whatever else the results depend on.
        repeats : sequence of int
        """
        finished = Finished(self.finished.joinpath(*key), [spec, data_identity(self.data.meta)])
        outcomes = {repeat: finished.load(repeat) for repeat in repeats}
        todo = [repeat for repeat, outcome in outcomes.items() if outcome is None]
        print(*key, f"{len(todo)} of {len(repeats)} repeats to be run", flush=True)
        splits = self.draw_splits(key, spec["split"], todo)
        for repeat in todo:
            context = TrialContext(*key, repeat, self.data, splits[repeat], spec["method"], spec["setting"], self.n_jobs)
            outcome = outcomes[repeat] = run_repeat(context, import_object(spec["protocol"]))
            finished.save(repeat, outcome)
            seconds = outcome.timings.loc[outcome.timings["metric"] == "trial", "seconds"].sum()
            print(f"repeat {repeat}: {outcome.rows['status'].iloc[0]}, {seconds:.2f} s", flush=True)
        finished = [outcome for outcome in outcomes.values() if outcome]
        rows = results.concat([outcome.rows for outcome in finished], results.COLUMNS)
        return Outcome(rows, results.concat([outcome.timings for outcome in finished], results.TIMING_COLUMNS))

    def draw_splits(self, key: tuple[str, str, str, str], spec: Mapping[str, Any], repeats: Sequence[int]) -> dict[int, Split]:
        """The splits of some repeats; each is drawn once, since all methods of a (study, data set, setting) share it."""
        study, dataset, *_ = key
        if not self.data.meta.get("available", True):
            nothing = np.empty(0, dtype=np.int64)
            return dict.fromkeys(repeats, Split(nothing, nothing, nothing, 0.5))
        drawn = self._splits.setdefault(json.dumps(spec, sort_keys=True), {})
        seeds = {repeat: split_seed(study, dataset, repeat) for repeat in repeats if repeat not in drawn}
        shared = split_seed(study, dataset, None)
        drawn |= make_splits(self.data, spec["scheme"], seeds, shared_seed=shared, **spec["options"])
        return drawn
