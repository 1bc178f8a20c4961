"""Rerun finished trials with an unchanged identity, because the user forces it or because their code has changed.

A job's CSV lists, for each trial, the source that made it (:func:`pulab.plan.identity.source_of`) and the request that the job
ran with.  The request is a parameter of the rule: Snakemake reruns a job when the request asks for more, and only then.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pulab.plan.files import Files, stored_file
from pulab.plan.identity import Key, hash_of
from pulab.plan.plan import Group, Job

#: In a request to train again what is stored, before the start of the run, which is its name.
FORCED = " forced "


@dataclass
class Retrain:
    """The requests of a run to its jobs.

    ``workflow`` is Snakemake's; its settings (`-R`, `--forceall`) are available once the Snakefile has been read. ``now`` is
    the start of this process, in seconds since 1970.
    """

    files: Files
    workflow: Any
    now: float
    # Snakemake evaluates parameters again when it runs a job, after it has deleted the job's CSV
    _asked: dict[tuple[Any, ...], str] = field(default_factory=dict)

    @property
    def note(self) -> Path:
        """The file that passes on what is forced to jobs in separate processes, such as those on a cluster."""
        return Path(self.files.results, "forced.json")

    @cached_property
    def forced(self) -> tuple[frozenset[str], float]:
        """Forced rules and files, or ``all``, and the start of the run."""
        if not self.workflow.is_main_process and self.note.is_file():
            content = json.loads(self.note.read_text(encoding="utf-8"))
            return frozenset(content["forced"]), content["now"]
        dag = self.workflow.dag_settings
        return frozenset(["all"] if dag.forceall else map(str, dag.forcerun)), self.now

    def write_note(self) -> None:
        """Write the note for jobs in separate processes."""
        forced, now = self.forced
        self.note.parent.mkdir(parents=True, exist_ok=True)
        self.note.write_text(json.dumps({"forced": sorted(forced), "now": now}) + "\n", encoding="utf-8")

    def asked(self, job: Job, below: str = "") -> str:
        """The request to a job: the source that its trials should have, and whether to train them again.

        ``below`` is the folder of its results, if not the run's.
        """
        place = (job, below)
        if place not in self._asked:
            self._asked[place] = self._ask(job, below)
        return self._asked[place]

    def as_run(self, job: Job) -> Job:
        """Return the job of a whole run if it was run and nothing is left to do; otherwise the job itself.

        Without this, a part of the plan would rerun each job whose list has more trials.
        """
        whole, file = self.files.plan.whole_jobs.get(job.key, job), self.files.job(job)
        if whole == job:
            return job
        place = (job.key, "whole")
        if place not in self._asked:
            listed = {(*_key(row), int(row["repeat"])) for row in _listed(file)}
            trials = [(group, repeat) for group, repeats in whole.trials for repeat in repeats]
            done = listed == {(*group.key, repeat) for group, repeat in trials} and all(self._is_known(*own) for own in trials)
            asked = next((row["asked"] for row in _listed(file)), "")
            self._asked[place] = "done" if done and self.asked(whole) == asked else ""
        return whole if self._asked[place] else job

    def _is_known(self, group: Group, repeat: int, below: str = "") -> bool:
        """Return whether the store has the numbers of a trial, or the reason why there are none."""
        identity, store = self.files.plan.identity(group), Path(below or self.files.results, "store")
        return any(stored_file(store, group.key, repeat, identity, suffix).is_file() for suffix in ("json", "failed"))

    def _ask(self, job: Job, below: str) -> str:
        plan, file, (forced, began) = self.files.plan, self.files.job(job, below), self.forced
        today = hash_of([plan.source(group) for group in job.groups])[:8]
        if plan.config.retrain == "all" or forced & {"all", "run_trials", "rerun_trials", file}:
            return f"{today}{FORCED}{began:.0f}"
        rows = list(_listed(file))
        planned = [(group, int(row["repeat"])) for row in rows if (group := plan.groups.get(_key(row)))]
        if not all(self._is_known(*trial, below) for trial in planned):
            return f"{today} restored {began:.0f}"
        before = rows[0]["asked"] if rows else ""
        return before if before and plan.config.retrain == "none" else today


def changed_trials(files: Files) -> int:
    """Return the number of trials run here whose source has changed since."""
    plan = files.plan
    sources = {group.key: plan.source(group) for job in plan.jobs.values() for group in job.groups}
    rows = [row for job in plan.jobs.values() for row in _listed(files.job(job)) if row["status"] == "ok"]
    keys = [_key(row) for row in rows]
    return sum(row["source"] != sources.get(key, row["source"]) for key, row in zip(keys, rows, strict=True))


def changed_words(n: int) -> str:
    """Return the message about trials whose source has changed; empty if there are none.

    >>> changed_words(0)
    ''
    """
    if not n:
        return ""
    trials = "1 trial was" if n == 1 else f"{n:,} trials were"
    return (
        f"{trials} made by code that has changed since; `--config retrain=changed` runs {'it' if n == 1 else 'them'} again. "
        "`pytest tests/golden` shows whether the change affects numbers."
    )


def _key(row: Mapping[str, str]) -> Key:
    return (row["study"], row["dataset"], row["setting"], row["method"])


def _listed(file: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a job's CSV; none if it does not exist or has an older format."""
    if Path(file).is_file():
        with open(file, encoding="utf-8", newline="") as lines:
            yield from (row for row in csv.DictReader(lines) if {"source", "asked"} <= row.keys())
