"""Measure times and peak memory, and collect them in one tidy table."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pandas as pd

from pulab.trials.cost import Cost
from pulab.trials.runner import machine_name
from pulib.datasets import Dataset, load_dataset

#: ``measured`` is "ratio" (ours compared with a reference) or "scaling" (one size of a series); seconds are medians.
COLUMNS = [
    "measured",
    "benchmark",
    "shape",
    "axis",
    "size",
    "seconds",
    "seconds_min",
    "seconds_max",
    "memory_mb",
    "reference",
    "reference_seconds",
    "reference_min",
    "reference_max",
    "ratio",
    "ratio_min",
    "ratio_max",
    "threads",
    "runs",
    "machine",
    "date",
    "note",
]


def seconds_of(work: Callable[[], Any]) -> float:
    """Return the duration of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def in_turn(works: Sequence[Callable[[], Any]], runs: int) -> list[list[float]]:
    """Time several functions one after the other in each run, so that slow phases of the machine affect all of them."""
    taken = [[seconds_of(work) for work in works] for _ in range(runs)]
    return [list(times) for times in zip(*taken, strict=True)]


def peak_memory(work: Callable[[], Any]) -> float:
    """Return the peak resident memory of a call, in megabytes above the level before; NaN if the system does not report it."""
    with Cost() as cost:
        work()
    return cost.memory().get("peak_memory_mb", float("nan"))


@dataclass
class Record:
    """Collection of measurements.

    Parameters
    ----------
    threads : int
        Number of threads, unless a measurement sets another.
    load : callable
        Loads a data set by name.
    """

    threads: int
    load: Callable[[str], Dataset] = load_dataset
    rows: list[dict[str, Any]] = field(default_factory=list)

    def compare(
        self,
        benchmark: str,
        shape: str,
        ours: Callable[[], Any],
        reference: str,
        theirs: Callable[[], Any],
        *,
        runs: int = 5,
        threads: int | None = None,
        note: str = "",
    ) -> None:
        """Time two functions in turn, after one call of each that is not counted.

        Parameters
        ----------
        benchmark, shape, reference, note : str
            What is measured, on which data, and the reference.
        ours, theirs : callable
        runs : int
        threads : int, optional
        """
        ours(), theirs()
        own, other = in_turn([ours, theirs], runs)
        self.add(benchmark, shape, own, reference, other, threads=threads, note=note)

    def add(
        self,
        benchmark: str,
        shape: str,
        own: Sequence[float],
        reference: str,
        other: Sequence[float],
        *,
        threads: int | None = None,
        note: str = "",
    ) -> None:
        """Add times in seconds that were measured elsewhere.

        The ratio is that of the medians.  Its range is over the runs if both were timed in turn, or else over all pairs.
        """
        a, b = statistics.median(own), statistics.median(other)
        if len(own) == len(other):
            ratios = [theirs / ours for ours, theirs in zip(own, other, strict=True)]
        else:
            ratios = [min(other) / max(own), max(other) / min(own)]
        self._keep(
            "ratio", benchmark, shape, own, threads, note,
            reference=reference, reference_seconds=b, reference_min=min(other), reference_max=max(other),
            ratio=b / a, ratio_min=min(b / a, *ratios), ratio_max=max(b / a, *ratios),
        )  # fmt: skip

    def unavailable(self, benchmark: str, reason: str) -> None:
        """Record that something could not be measured, and why."""
        self._keep("ratio", benchmark, "", [float("nan")], None, reason)

    def available(self, module: str, sizes: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return a measurement's arguments without unavailable data sets, and add a row with the reason for each of these.

        Parameters
        ----------
        module : str
            Name of the measurement.
        sizes : mapping
            Its arguments: ``datasets`` (a mapping by name) or ``dataset`` (one name), and others.

        Returns
        -------
        sizes : dict or None
            None if no data set is left.
        """
        several = sizes.get("datasets")
        names = [*(several or []), *([sizes["dataset"]] if "dataset" in sizes else [])]
        unavailable = {name: data.meta["reason"] for name in names if not (data := self.load(name)).meta.get("available", True)}
        for name, reason in unavailable.items():
            self.unavailable(f"{module}, {name}", " ".join(str(reason).split()))
        if sizes.get("dataset") in unavailable or (several and set(several) <= set(unavailable)):
            return None
        left = {"datasets": {name: value for name, value in several.items() if name not in unavailable}} if several else {}
        return {**sizes, **left}

    def scale(
        self,
        benchmark: str,
        axis: str,
        sizes: Iterable[int],
        make: Callable[[int], Callable[[], Any]],
        shape: str,
        *,
        runs: int = 5,
        threads: int | None = None,
    ) -> None:
        """Measure time and peak memory of the function that ``make(size)`` returns; ``shape`` describes what is fixed."""
        for size in sizes:
            work = make(size)
            work()
            memory = peak_memory(work)
            (times,) = in_turn([work], runs)
            self._keep("scaling", benchmark, shape, times, threads, "", axis=axis, size=size, memory_mb=memory)
            del work

    def _keep(
        self, measured: str, benchmark: str, shape: str, times: Sequence[float], threads: int | None, note: str, **more: Any
    ) -> None:
        row = {"measured": measured, "benchmark": benchmark, "shape": shape, "seconds": statistics.median(times)}
        row |= {"seconds_min": min(times), "seconds_max": max(times), "threads": threads or self.threads, "note": note}
        row |= {"runs": len(times)}
        self.rows.append(row | more)
        print({key: value for key, value in row.items() if key != "measured"} | more, flush=True)

    def table(self) -> pd.DataFrame:
        """Return all measurements, with :data:`COLUMNS`."""
        return pd.DataFrame(self.rows, columns=COLUMNS).assign(machine=machine_name(), date=date.today().isoformat())
