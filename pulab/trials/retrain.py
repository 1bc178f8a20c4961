"""Which finished trials are run again though their identity is the same: what is forced, and what other source made.

A job's list names, for each trial, the source that made it (:func:`pulab.plan.identity.source_of`), and what the job was asked
for.  This is a parameter of the rule, so that Snakemake runs a job again when more is asked for, and not when less is.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pulab.plan.files import Files
from pulab.plan.identity import hash_of, source_of
from pulab.plan.plan import Job, Plan

#: Between the source that a job is asked for and the time before which trials are old.
_SINCE = " since "


@dataclass
class Retrain:
    """What a run asks of its jobs.

    Attributes
    ----------
    plan : Plan
    workflow : Workflow
        Snakemake's; it knows what the command line forces once the Snakefile has been read.
    note : Path
        Where a run leaves what it forces for jobs in processes of their own, as on a cluster.
    now : float
        When this process began, in seconds since 1970.
    """

    plan: Plan
    workflow: Any
    note: Path
    now: float

    @cached_property
    def forced(self) -> tuple[frozenset[str], float]:
        """Rules and files that are forced, or ``all``; and when the run began."""
        if not self.workflow.is_main_process and self.note.is_file():
            content = json.loads(self.note.read_text(encoding="utf-8"))
            return frozenset(content["forced"]), content["now"]
        dag = self.workflow.dag_settings
        return frozenset(["all"] if dag.forceall else map(str, dag.forcerun)), self.now

    def leave_note(self) -> None:
        """Leave the note that processes of their own read."""
        forced, now = self.forced
        self.note.parent.mkdir(parents=True, exist_ok=True)
        self.note.write_text(json.dumps({"forced": sorted(forced), "now": now}) + "\n", encoding="utf-8")

    def asked(self, job: Job, file: str) -> str:
        """What a job is asked for, whose list of trials is a file."""
        today = hash_of([source_of(self.plan.recipe(group)) for group in job.groups])[:8]
        forced, began = self.forced
        if self.plan.config.retrain == "all" or forced & {"all", "run_trials", "rerun_trials", file}:
            return f"{today}{_SINCE}{began:.0f}"
        before = next((row["asked"] for row in _listed(file)), "")
        return before if before and self.plan.config.retrain == "none" else today


def since(asked: str) -> float:
    """The time before which finished trials are run again; 0 if they are not.

    >>> since("0a1b2c3d since 1700000000"), since("0a1b2c3d")
    (1700000000.0, 0.0)
    """
    return float(asked.partition(_SINCE)[2] or 0)


def changed_trials(plan: Plan, files: Files) -> int:
    """How many of the trials that were run here are by source that has changed since."""
    sources = {group.key: source_of(plan.recipe(group)) for job in plan.jobs.values() for group in job.groups}
    rows = [row for job in plan.jobs.values() for row in _listed(files.job(job)) if row["status"] == "ok"]
    keys = [(row["study"], row["dataset"], row["setting"], row["method"]) for row in rows]
    return sum(row["source"] != sources.get(key, row["source"]) for key, row in zip(keys, rows, strict=True))


def changed_words(n: int) -> str:
    """What a run says of trials by source that has changed; nothing if there are none.

    >>> changed_words(0)
    ''
    """
    if not n:
        return ""
    trials = "1 trial was" if n == 1 else f"{n:,} trials were"
    return (
        f"{trials} made by code that has changed since; `--config retrain=changed` runs {'it' if n == 1 else 'them'} again. "
        "Whether the change moves numbers, `pytest tests/golden` tells."
    )


def _listed(file: str) -> Iterator[dict[str, str]]:
    """The rows of a job's list of trials; none where it is not there, or not in today's form."""
    if Path(file).is_file():
        with open(file, encoding="utf-8", newline="") as lines:
            yield from (row for row in csv.DictReader(lines) if {"source", "asked"} <= row.keys())
