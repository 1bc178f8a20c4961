"""Numbers behind a claim, looked up in a study's tidy results and times."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import pandas as pd

from pulab.plan.experiment import hint
from pulab.tables.results import Results
from pulab.trials import results as tidy_results
from pulab.trials.results import first_repeats

KEYS = ("dataset", "setting", "method")
K = TypeVar("K")
V = TypeVar("V")


class Missing(Exception):
    """Numbers are missing: not run or failed (``status`` pending), or not available."""

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(frozen=True)
class Numbers:
    """The numbers that a claim uses: one per repeat, or the same for all of them.

    Calling an instance returns a copy with changed attributes: ``area(method="a")``.

    Attributes
    ----------
    dataset : str or sequence of str
        If there are several, the first with results is used.
    setting, method, metric : str
    timed : bool
        Whether to use measured times, in seconds.
    first_repeats : int, optional
        Number of repeats to use, if different from the study's.
    step : int, optional
        Use the value of a stored series at this step.
    reduce : callable, optional
        Reduces a stored series, indexed by step, to one number.
    mean_series : bool
        Whether to average a series over repeats before reducing it.
    divided_by, less : mapping, optional
        Attributes of other numbers by which to divide a series, or which to subtract repeat by repeat.
    across : callable, optional
        Reduces the numbers of all repeats to one.
    name : str
        Name within a case's name; by default, the attributes that differ from the other side.
    """

    dataset: str | Sequence[str] = ""
    setting: str = ""
    method: str = ""
    metric: str = ""
    timed: bool = False
    first_repeats: int | None = None
    step: int | None = None
    reduce: Callable[[pd.Series], float] | None = None
    mean_series: bool = False
    divided_by: Mapping[str, Any] | None = None
    less: Mapping[str, Any] | None = None
    across: Callable[[pd.Series], float] | None = None
    name: str = ""

    def __call__(self, **changes: Any) -> Numbers:
        return replace(self, **changes)

    def on(self, datasets: Iterable[str | Sequence[str]]) -> list[Numbers]:
        """Return the same numbers on each of these data sets."""
        return [self(dataset=dataset) for dataset in datasets]

    @property
    def place(self) -> str:
        """Data set, setting and method, for messages."""
        return f"{self.dataset} {self.setting} {self.method}"


class Evidence:
    """One study's tidy results and times.

    Parameters
    ----------
    results, timings : DataFrame
        As in :mod:`pulab.trials.results`.
    stand_ins : mapping, optional
        Stand-ins of the paper's data sets.
    first_repeats : int, optional
        Number of repeats to use unless :class:`Numbers` set it; all if None.
    labels : mapping, optional
        Display names of data sets, settings, methods, metrics and steps.
    """

    def __init__(
        self,
        results: pd.DataFrame,
        timings: pd.DataFrame,
        stand_ins: Mapping[str, str] | None = None,
        first_repeats: int | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> None:
        good = results[results["status"] == "ok"]
        self._results, self._timings = _Groups(good), _Groups(timings)
        bad = results[results["status"] != "ok"].drop_duplicates([*KEYS, "status"])
        self._lacking = {tuple(row[key] for key in KEYS): (row["status"], row["message"]) for row in bad.to_dict("records")}
        self._stand_ins, self._labels = dict(stand_ins or {}), dict(labels or {})
        self._there = set(good["dataset"])
        self._first = first_repeats
        self._scale = 1.0

    @classmethod
    def of(cls, results: Results, labels: Mapping[str, str]) -> Evidence:
        """Make evidence from a study's results; ``labels`` override the names of its parts."""
        frames = tidy_results.read(results.results_file), tidy_results.read(results.timings_file)
        names = {**results.datasets, **results.labels, **results.setting_labels, **labels}
        return cls(*frames, results.stand_ins, results.study.first_repeats, names)

    def in_unit(self, unit: str) -> Evidence:
        """Return a copy with values in a claim's unit: stored shares become percentages."""
        own = copy.copy(self)
        own._scale = 100.0 if unit.startswith("%") or unit == "points" else 1.0
        return own

    def dataset(self, names: str | Iterable[str]) -> str:
        """Return the data set to use: the first of ``names``, replaced by their stand-ins, that has numbers."""
        candidates = [names] if isinstance(names, str) else list(names)
        candidates = [self._stand_ins.get(name, name) for name in candidates]
        return next((name for name in candidates if name in self._there), candidates[0])

    def is_stand_in(self, name: str) -> bool:
        """Return whether a data set is the stand-in of one of the paper's."""
        return name in self._stand_ins.values()

    def words(self, *names: Any) -> str:
        """Return the display names, separated by commas, without empty ones."""
        return ", ".join(filter(None, (self._labels.get(str(name), str(name)) for name in names)))

    def values(self, numbers: Numbers) -> pd.Series:
        """Return the numbers by repeat, in the unit of the claim; raise :class:`Missing` if there are none."""
        values = self._scale * self._by_repeat(numbers)
        if numbers.less:
            other = numbers(**numbers.less)
            values = (values - self._scale * self._by_repeat(other)).dropna()
            if values.empty:
                raise Missing("pending", f"no repeat has both of {numbers.place} and {other.place}")
        if numbers.across:
            try:
                values = pd.Series(float(numbers.across(values)), index=values.index)
            except Missing as why:
                raise Missing(why.status, f"{len(values)} repeats of {numbers.place}; {why}") from None
        return values

    def series(self, numbers: Numbers) -> pd.DataFrame:
        """Return a stored series, with a row per repeat and a column per step; raise :class:`Missing` if there is none."""
        rows = self._rows(numbers)
        frame = rows[rows["step"] != -1].pivot(index="repeat", columns="step", values="value")
        if frame.empty:
            raise Missing("pending", f"{numbers.place}: {numbers.metric} is not stored as a series")
        if numbers.divided_by:
            frame = frame / self.series(numbers(divided_by=None)(**numbers.divided_by))
        return frame

    def _by_repeat(self, numbers: Numbers) -> pd.Series:
        if numbers.step is not None or numbers.reduce is not None:
            series = self.series(numbers)
            if numbers.mean_series:
                return pd.Series(_reduced(series.mean(), numbers), index=series.index)
            return pd.Series([_reduced(row.dropna(), numbers) for _, row in series.iterrows()], index=series.index)
        rows = self._rows(numbers)
        if numbers.timed:
            return _of_repeats(rows, "seconds")
        rows = rows[rows["step"].to_numpy() == -1]
        if rows.empty:
            raise Missing("pending", f"{numbers.place}: {numbers.metric} is a series; say how to reduce it")
        return _of_repeats(rows, "value")

    def _rows(self, numbers: Numbers) -> pd.DataFrame:
        numbers = numbers(dataset=self.dataset(numbers.dataset))
        place = (str(numbers.dataset), numbers.setting, numbers.method)
        groups = self._timings if numbers.timed else self._results
        if (rows := groups.get((*place, numbers.metric))) is not None:
            return first_repeats(rows, numbers.first_repeats or self._first)
        if place in groups.places and numbers.metric not in groups.metrics:
            raise Missing("pending", f"no trial measures {numbers.metric!r}{hint(numbers.metric, groups.metrics)}")
        status, message = self._lacking.get(place, ("", ""))
        if status == "unavailable":
            raise Missing("not available", message)
        raise Missing("pending", f"{status}: {message}" if status else f"{numbers.place} has not been run")


class _Groups:
    """Rows by (data set, setting, method, metric), extracted when needed: some studies have 100,000 of these."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame[[name for name in ("repeat", "step", "value", "seconds") if name in frame]]
        self._indices = frame.groupby([*KEYS, "metric"]).indices
        self.places = {key[:-1] for key in self._indices}
        self.metrics = {key[-1] for key in self._indices}

    def get(self, key: tuple[str, ...]) -> pd.DataFrame | None:
        return self._frame.iloc[self._indices[key]] if key in self._indices else None


def _of_repeats(rows: pd.DataFrame, column: str) -> pd.Series:
    return pd.Series(rows[column].to_numpy(), index=pd.Index(rows["repeat"], name="repeat"), name=column)


def known(of: Callable[[K], V], keys: Iterable[K]) -> dict[K, V]:
    """Return a function's value for each key, without the keys that have no results."""
    found = {}
    for key in keys:
        with contextlib.suppress(Missing):
            found[key] = of(key)
    return found


def _reduced(series: pd.Series, numbers: Numbers) -> float:
    if numbers.reduce is not None:
        return float(numbers.reduce(series))
    if numbers.step not in series.index:
        raise Missing("pending", f"{numbers.place}: no step {numbers.step}")
    return float(series[numbers.step])
