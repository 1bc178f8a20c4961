"""Run the trials of a job: each once, and stored as soon as it is done, even if others fail."""

from __future__ import annotations

import contextlib
import importlib
import os
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np

from pulab.plan.identity import Key, identity_of, origin_here, processor_name
from pulab.plan.own import missing_requirements
from pulab.plan.study import Recipe
from pulab.trials import results
from pulab.trials.cost import Timer
from pulab.trials.logs import machine_fault
from pulab.trials.store import Outcome, Store
from pulab.trials.trial import TrialContext, TrialResult, split_seed
from pulib.datasets import Dataset, UnreadableFileError
from pulib.sampling import Scheme, Split, make_splits


@cache
def machine_name() -> str:
    """Return the processor and the number of cores, as a name for tables of times."""
    return f"{processor_name()}, {os.cpu_count()} cores" if Path("/proc/cpuinfo").is_file() else processor_name()


def run_repeat(context: TrialContext, protocol: Callable[[TrialContext], TrialResult]) -> Outcome:
    """Run one trial; if it raises an exception, its row says so."""
    key = (context.study, context.dataset_name, context.setting_name, context.method_name, context.repeat)
    if missing := missing_requirements(context.method):
        return Outcome.without_numbers(key, "unavailable", missing[0])
    if not context.data.meta.get("available", True):
        return Outcome.without_numbers(key, "unavailable", str(context.data.meta["reason"]))
    try:
        with Timer(context.n_jobs) as timer:
            result = protocol(context)
        rows = results.result_rows(key, result)
    except Exception as error:
        # an estimator's error is the result of this trial and does not stop the others; a fault of the machine is no result
        if machine_fault(error):
            raise
        traceback.print_exc()
        return Outcome.without_numbers(key, "failed", f"{type(error).__name__}: {error}")
    seconds = {"trial": timer.seconds, **result.seconds}
    return Outcome(rows, results.timing_rows(key, seconds, machine_name()))


@dataclass
class JobRunner:
    """Runs the trials of a job, group by group, on their shared data.

    ``finished`` is the folder of the store (:class:`pulab.trials.store.Store`), and ``n_jobs`` the number of threads per trial.
    With ``changed``, trials made by other source are run again; so are all that were not made for the run named by ``forced``.
    """

    data: Dataset
    finished: Path
    n_jobs: int = 1
    changed: bool = False
    forced: str = ""
    _splits: dict[Scheme, dict[int, Split]] = field(default_factory=dict)

    def run(self, key: Key, recipe: Recipe, repeats: Sequence[int]) -> dict[int, Outcome]:
        """Run the unfinished repeats of one (study, data set, setting, method); return the outcomes of all, by repeat.

        Each is stored as soon as it is done, even if others fail.
        """
        identity, origin, store = identity_of(recipe), origin_here(recipe), Store(self.finished)
        outcomes: dict[int, Outcome] = {}
        for repeat in repeats:
            with contextlib.suppress(UnreadableFileError):  # counts as not run
                outcome = store.read(key, repeat, identity, forced=self.forced)
                if outcome and not (self.changed and outcome.origin.source != origin.source):
                    outcomes[repeat] = outcome
        todo = [repeat for repeat in repeats if repeat not in outcomes]
        print(*key, f"{len(todo)} of {len(repeats)} repeats to be run", flush=True)
        splits = self.draw_splits(key, recipe.split, todo)
        protocol = protocol_of(recipe)
        for repeat in todo:
            context = TrialContext(*key, repeat, self.data, splits[repeat], recipe.method, recipe.task, self.n_jobs)
            outcome = replace(run_repeat(context, protocol), origin=origin)
            outcomes[repeat] = outcome
            store.write(key, repeat, identity, outcome, forced=self.forced)
            seconds = outcome.timings.loc[outcome.timings["metric"] == "trial", "seconds"].sum()
            print(f"repeat {repeat}: {outcome.rows['status'].iloc[0]}, {seconds:.2f} s", flush=True)
        return outcomes

    def draw_splits(self, key: Key, scheme: Scheme, repeats: Sequence[int]) -> dict[int, Split]:
        """Return the splits of some repeats, each drawn once: all methods of a (study, data set, setting) share it."""
        study, dataset, *_ = key
        if not self.data.meta.get("available", True):
            nothing = np.empty(0, dtype=np.int64)
            return dict.fromkeys(repeats, Split(nothing, nothing, nothing, 0.5))
        drawn = self._splits.setdefault(scheme, {})
        seeds = {repeat: split_seed(study, dataset, repeat) for repeat in repeats if repeat not in drawn}
        drawn |= make_splits(self.data, scheme, seeds, shared_seed=split_seed(study, dataset, None))
        return drawn


def protocol_of(recipe: Recipe) -> Callable[[TrialContext], TrialResult]:
    """Return the function of a study's ``protocol.py`` for the class of a task."""
    return importlib.import_module(f"{recipe.module}.protocol").RUN[type(recipe.task)]
