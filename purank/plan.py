"""From what learners cost to jobs: how many rows each learner gets, which of them share a job, and how long all of it takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

import numpy as np

from pulab.trials.scale import simulate
from purank.learners import Learner, all_learners
from purank.pilot import Tried
from purank.question import Question
from purank.table import Rows

#: Partitions of the rows: small tables, whose scores depend more on the draw, get more of them.
FEW_ROWS, REPEATS_OF_FEW = 5_000, 2
#: Seconds of a job besides its fits: Python, imports, compiled kernels, reading.
JOB_SECONDS = 4.0
#: Seconds of Snakemake itself, and of the report for a small table and for each row beyond.
FIXED_SECONDS, REPORT_SECONDS_PER_ROW = 12.0, 6e-5
#: Learners that take less than this share a job.
SHORT_SECONDS = 15.0
#: How well a fit uses a second core.
SPEED_UP_PER_CORE = 0.6
#: The fewest rows that a learner is cut down to, and the share of free memory that one job may ask for.
LEAST_ROWS, MEMORY_SHARE = 1_000, 0.8
#: The share of the budget that is planned with.
SURE_SHARE = 0.8
#: Megabytes of Python with its libraries.
BASE_MB = 600.0


@dataclass(frozen=True)
class Job:
    """Learners that one process trains, one after the other.

    Attributes
    ----------
    learners : dict
        From a learner's name to the most rows that it is trained on, None for all.
    threads, mem_mb, minutes : int
        What a cluster is asked for.
    seconds : float
        How long it takes on this machine.
    """

    learners: dict[str, int | None]
    threads: int
    mem_mb: int
    minutes: int
    seconds: float

    @property
    def name(self) -> str:
        return (
            next(iter(self.learners))
            if len(self.learners) == 1
            else f"{next(iter(self.learners))}_and_{len(self.learners) - 1}"
        )


@dataclass(frozen=True)
class Plan:
    """What is run.

    Attributes
    ----------
    folds, repeats : int
    jobs : list of Job
        The longest first.
    seconds : float
        From the start to the report, on ``cores`` cores of this machine.
    cores : int
    """

    folds: int
    repeats: int
    jobs: list[Job]
    seconds: float
    cores: int

    @property
    def sampled(self) -> dict[str, int]:
        """Learners that are trained on some of the rows, and on how many."""
        return {name: most for job in self.jobs for name, most in job.learners.items() if most is not None}


def sizes_of(question: Question, rows: Rows) -> tuple[int, int]:
    """Folds and repeats; a fold has a labeled row at least."""
    groups = rows.positives if rows.groups is None else np.unique(rows.groups[rows.positives])
    folds = max(2, min(question.folds, len(groups)))
    return folds, question.repeats or (REPEATS_OF_FEW if len(rows.train) <= FEW_ROWS else 1)


def make_plan(
    question: Question,
    rows: Rows,
    learners: list[Learner],
    tried: Mapping[str, Tried],
    *,
    cores: int,
    memory: float,
    prior: float,
) -> Plan:
    """Share the time and the memory among learners, and cut jobs.

    Parameters
    ----------
    question : Question
    rows : Rows
    learners : list of Learner
    tried : mapping
        What each took for a part of the rows.
    cores : int
    memory : float
        Bytes that are free.
    prior : float
        Seconds that the estimate of π takes.
    """
    folds, repeats = sizes_of(question, rows)
    n_train = len(rows.train) * (folds - 1) // folds
    n_looked_at = len(rows.train) / folds + len(rows.test)

    def cost(name: str, n: int) -> float:
        one = tried[name]
        return folds * repeats * (one.fit_seconds(n) + n_looked_at * one.row_seconds(n))

    fixed = FIXED_SECONDS + prior + REPORT_SECONDS_PER_ROW * len(rows.labeled)
    wall = max((60.0 * question.budget - fixed) * SURE_SHARE, 15.0)
    names = [learner.name for learner in learners]
    limit = min(shared_limit({name: cost(name, n_train) for name in names}, cores * wall), wall)
    row_bytes = 8.0 * rows.X.shape[1]
    most = {}
    for name in names:
        n = n_train
        while n > LEAST_ROWS and (
            cost(name, n) > limit or _mb(tried[name], n, row_bytes, n_looked_at) > MEMORY_SHARE * memory / 1e6
        ):
            n = max(LEAST_ROWS, int(0.9 * n))
        most[name] = n
    total = sum(cost(name, most[name]) for name in names)
    jobs = []
    for group in _groups({name: cost(name, most[name]) for name in names}, cores):
        seconds = sum(cost(name, most[name]) for name in group)
        threads = _threads(group, seconds, total, cores)
        seconds = JOB_SECONDS + seconds / (1.0 + SPEED_UP_PER_CORE * (threads - 1))
        mem_mb = max(_mb(tried[name], most[name], row_bytes, n_looked_at) for name in group)
        own = {name: None if most[name] == n_train else most[name] for name in group}
        jobs.append(Job(own, threads, ceil(mem_mb), ceil(seconds / 60 * 4) + 10, round(seconds, 1)))
    jobs.sort(key=lambda job: -job.seconds)
    schedule = simulate([job.seconds for job in jobs], [job.threads for job in jobs], [job.mem_mb for job in jobs], cores)
    return Plan(folds, repeats, jobs, round(fixed + schedule.makespan, 1), cores)


def shared_limit(costs: Mapping[str, float], room: float) -> float:
    """The most that one learner may take so that all of them take ``room`` together.

    >>> shared_limit({"quick": 1.0, "slow": 10.0, "slower": 100.0}, room=21.0)
    10.0
    """
    left, waiting = room, sorted(costs.values())
    while waiting:
        fair = left / len(waiting)
        if waiting[0] > fair:
            return fair
        left -= waiting.pop(0)
    return float("inf")


def _mb(tried: Tried, n: int, row_bytes: float, n_looked_at: float) -> float:
    """Megabytes of a job: Python, the training rows twice, rows that are looked at, and what a fit takes besides."""
    return BASE_MB + (row_bytes * (2.0 * n + n_looked_at) + 1.3 * tried.memory_bytes(n)) / 1e6


def _groups(costs: Mapping[str, float], cores: int) -> list[list[str]]:
    """Learners by job: long ones alone, short ones together, in as many jobs as there are cores to keep busy."""
    short = sorted((name for name, seconds in costs.items() if seconds < SHORT_SECONDS), key=lambda name: -costs[name])
    groups = [[name] for name in costs if name not in short]
    total = sum(costs[name] for name in short)
    if short:
        bins: list[list[str]] = [[] for _ in range(min(len(short), max(1, min(cores, ceil(total / JOB_SECONDS)))))]
        for name in short:
            min(bins, key=lambda members: sum(costs[other] for other in members)).append(name)
        groups += bins
    return groups


def _threads(group: list[str], seconds: float, total: float, cores: int) -> int:
    """More than one core for a job that would end long after the others, if its learners can use them."""
    if not all(takes_threads(all_learners()[name]) for name in group):
        return 1
    share = total / cores
    return max(1, min(cores, ceil(seconds / share))) if seconds > share and seconds > SHORT_SECONDS else 1


def takes_threads(learner: Learner) -> bool:
    """Whether it fits faster on several cores."""
    accepted = learner.build(0.5, 0).get_params()
    return any(name.split("__")[-1] == "n_jobs" for name in accepted) or "HistGradientBoosting" in repr(learner.params)
