"""Cost of a plan of trials, and its schedule on many cores, computed from measured times.

Jobs are tables with a row for each group in each job: ``job`` (a number), ``study, dataset, setting, method``, ``repeats`` (a
list), ``threads`` and ``mem_mb`` of the job.  Times come from the tidy timings of earlier runs (metric ``trial``, seconds of
one repeat).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from pulab.trials.results import GROUP

#: Name of the row for all studies in a table of costs.
WHOLE = "all"
JOB_COLUMNS = ["job", *GROUP, "repeats", "threads", "mem_mb"]


def plan_table(rows: Iterable[Sequence[object]], timings: pd.DataFrame) -> pd.DataFrame:
    """Return the planned groups (:func:`pulab.plan.plan.plan_rows`) with their expected time.

    ``expected_minutes`` is the mean of the group's timed trials, times the repeats; missing if none was timed.
    """
    trials = timings[timings["metric"] == "trial"]
    mean = trials.groupby(GROUP, as_index=False).agg(expected_minutes=("seconds", "mean"))
    plan = pd.DataFrame(list(rows), columns=[*GROUP, "repeats"]).merge(mean, on=GROUP, how="left")
    return plan.assign(expected_minutes=plan["expected_minutes"].astype(float) * plan["repeats"] / 60)


def plan_text(plan: pd.DataFrame) -> str:
    """Return the table of :func:`plan_table` in Markdown, after a summary with one row per study."""
    untimed = plan["expected_minutes"].isna()
    studies = plan.assign(untimed=plan["repeats"].where(untimed, 0)).groupby("study", sort=False, as_index=False)
    minutes = ("expected_minutes", lambda known: known.sum(min_count=1))
    sums = studies.agg(trials=("repeats", "sum"), untimed=("untimed", "sum"), expected_minutes=minutes)
    parts = [
        "Expected minutes are for one thread, from archived timings; empty if there are none.",
        *(_minutes(table).to_markdown(index=False, disable_numparse=True) for table in (sums, plan)),
    ]
    return "\n\n".join(parts) + "\n"


def _minutes(table: pd.DataFrame) -> pd.DataFrame:
    minutes = table["expected_minutes"].map(lambda value: "" if pd.isna(value) else f"{value:.2f}")
    return table.assign(expected_minutes=minutes).rename(columns=lambda name: name.replace("_", " "))


def job_seconds(jobs: pd.DataFrame, timings: pd.DataFrame) -> pd.DataFrame:
    """Return how long each job takes, with a row per job, for jobs with :data:`JOB_COLUMNS`.

    A repeat without a measurement counts as the mean of its group; in a group without any, as the mean of the groups of the
    same study and method, or else of the study.  A study without any measurement raises a ValueError.  ``measured`` counts the
    measured repeats; ``guessed`` says whether one of the job's groups has none.
    """
    trials = timings[timings["metric"] == "trial"]
    seconds_of = trials.set_index([*GROUP, "repeat"])["seconds"].to_dict()
    by_group = trials.groupby(GROUP)["seconds"].mean()
    means = [by_group, by_group.groupby(["study", "method"]).mean(), by_group.groupby("study").mean()]
    rows = []
    for part in jobs.itertuples(index=False):
        group = (part.study, part.dataset, part.setting, part.method)
        measured = [seconds_of[(*group, repeat)] for repeat in part.repeats if (*group, repeat) in seconds_of]
        keys = (group, (part.study, part.method), part.study)
        typical = next((float(mean[key]) for mean, key in zip(means, keys, strict=True) if key in mean.index), None)
        if typical is None:
            raise ValueError(f"study {part.study!r}: none of its trials was measured; run some of them first")
        seconds = sum(measured) + (len(part.repeats) - len(measured)) * typical
        rows.append((len(part.repeats), len(measured), seconds, group not in by_group.index))
    columns = ("repeats", "measured", "seconds", "guessed")
    parts = jobs.assign(**dict(zip(columns, zip(*rows, strict=True), strict=True)))
    sums = {"repeats": "sum", "measured": "sum", "seconds": "sum", "guessed": "max", "threads": "max", "mem_mb": "max"}
    return parts.groupby("job", as_index=False).agg({"study": "first", **sums})


def costs(timed: pd.DataFrame) -> pd.DataFrame:
    """Return one row per study and one for all: jobs, trials, and core-hours, given the result of :func:`job_seconds`.

    ``core_hours`` are of jobs whose groups were measured, ``core_hours_guessed`` of the others; ``longest_minutes`` is the
    time of the longest job, and ``mem_gb`` the largest request of a job.
    """
    parts = [(str(study), part) for study, part in timed.groupby("study", sort=False)] + [(WHOLE, timed)]
    return pd.DataFrame([_cost(study, part) for study, part in parts])


def _cost(study: str, part: pd.DataFrame) -> dict[str, object]:
    hours = part["seconds"] * part["threads"] / 3600
    return {
        "study": study,
        "jobs": len(part),
        "trials": int(part["repeats"].sum()),
        "measured": int(part["measured"].sum()),
        "core_hours": hours[~part["guessed"]].sum(),
        "core_hours_guessed": hours[part["guessed"]].sum(),
        "longest_minutes": part["seconds"].max() / 60,
        "mem_gb": part["mem_mb"].max() / 1000,
    }


@dataclass(frozen=True)
class Schedule:
    """Result of scheduling a list of jobs.

    ``makespan`` is the time from the first start to the last end, in seconds; ``busy``, the share of the cores' time used by
    jobs, from 0 to 1; ``peak_mem_mb``, the most memory requested by running jobs at once.
    """

    makespan: float
    busy: float
    peak_mem_mb: float


def simulate(seconds: Sequence[float], threads: Sequence[int], mem_mb: Sequence[float], cores: int) -> Schedule:
    """Simulate list scheduling: whenever cores are free, the first waiting job that fits starts.

    Jobs do not depend on each other.  A job that requests more than ``cores`` gets all of them, as from Snakemake, and takes
    longer in proportion.
    >>> simulate([3, 2, 2], [1, 1, 1], [10, 20, 30], cores=2)
    Schedule(makespan=4.0, busy=0.875, peak_mem_mb=40.0)
    """
    if cores < 1:
        raise ValueError(f"cores = {cores}; expected at least 1")
    width = np.minimum(threads, cores)
    length = np.asarray(seconds, dtype=float) * np.asarray(threads) / width
    waiting = list(range(len(length)))
    running: list[tuple[float, int]] = []
    now, free, memory, peak = 0.0, cores, 0.0, 0.0
    while waiting or running:
        later = []
        for place, job in enumerate(waiting):
            if free == 0:
                later += waiting[place:]
                break
            if width[job] > free:
                later.append(job)
                continue
            free -= width[job]
            memory += mem_mb[job]
            heapq.heappush(running, (now + length[job], job))
        waiting, peak = later, max(peak, memory)
        now, job = heapq.heappop(running)
        free += width[job]
        memory -= mem_mb[job]
    total = float((length * width).sum())
    return Schedule(float(now), total / float(now * cores) if now else 0.0, float(peak))


def spread(timed: pd.DataFrame, cores: Sequence[int] = (10, 100, 1000), overhead: float = 0.0) -> pd.DataFrame:
    """Simulate the jobs of :func:`job_seconds` for several numbers of cores, longest jobs first.

    ``overhead`` is the time that each job takes in addition to its trials, in seconds.  ``bound_hours`` is a lower bound for
    any schedule, from the total work and the longest job.
    """
    timed = timed.assign(seconds=timed["seconds"] + overhead).sort_values("seconds", ascending=False, kind="stable")
    seconds, threads, mem_mb = (timed[name].tolist() for name in ("seconds", "threads", "mem_mb"))
    rows = []
    for n in cores:
        schedule = simulate(seconds, threads, mem_mb, cores=n)
        work = (timed["seconds"] * timed["threads"]).sum()
        bound = max(work / n, (timed["seconds"] * (timed["threads"] / n).clip(lower=1)).max())
        rows.append((n, schedule.makespan / 3600, schedule.busy, schedule.peak_mem_mb / 1000, bound / 3600))
    return pd.DataFrame(rows, columns=["cores", "hours", "busy", "peak_mem_gb", "bound_hours"])
