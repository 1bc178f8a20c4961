"""From a selection, as a claim's configuration writes it, to numbers: one per repeat, or one curve per repeat.

A selection names ``dataset``, ``setting``, ``method`` and ``metric``, and may go on:

- ``source: timings`` looks among measured times instead of results;
- ``reduce`` turns a stored series into a number: ``last``, ``max``, ``min``, ``range``, ``fall`` (from the greatest to the
  last), ``at`` (with ``step``), ``slope`` (of logarithms over the later half of the steps), ``near_best`` (how
  many steps lie within ``tolerance`` of the best one), ``visible`` (how many entries are above ``share`` of the greatest
  one), or ``descent`` (how steadily a map falls along ``path``; 1 is always, by Spearman's rank correlation);
- ``curve: mean`` averages over repeats before reducing;
- ``minus`` and ``over`` subtract or divide by the same selection with some keys changed;
- ``across`` (``sd``, ``mean``, ``median``, ``max``, or ``magnitude``, the mean without its sign) makes one number of all
  repeats;
- ``first_repeats`` is how many repeats are looked at, if not as many as the study says;
- ``wins_among`` (methods) with ``families`` is the share of wins in percent, each family of data sets counting once;
- ``value`` is a constant.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata, spearmanr

from pulab.trials.results import first_repeats
from pulib.statistics import win_counts

KEYS = ("dataset", "setting", "method")


class Missing(Exception):
    """There are no numbers for a selection.

    Attributes
    ----------
    status : {"pending", "not available"}
        Not run (or failed), or cannot be had.
    """

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Evidence:
    """One paper's tidy results and times, looked up by selection.

    Parameters
    ----------
    results, timings : DataFrame
        As in :mod:`pulab.trials.results`.
    stand_ins : mapping, optional
        Data set of the paper to the one that stands in for it.
    roles : mapping, optional
        Of methods that are no learners of pulib: ``ceiling``, ``trivial`` or ``rival``.
    first_repeats : int, optional
        How many repeats a selection looks at that does not say so itself; all where it is None.

    Attributes
    ----------
    results, timings, roles
        As given.
    """

    def __init__(
        self,
        results: pd.DataFrame,
        timings: pd.DataFrame,
        stand_ins: Mapping[str, str] | None = None,
        roles: Mapping[str, str] | None = None,
        first_repeats: int | None = None,
    ) -> None:
        self.results, self.timings, self.roles = results, timings, dict(roles or {})
        good = results[results["status"] == "ok"]
        self._results, self._timings = _Groups(good), _Groups(timings)
        bad = results[results["status"] != "ok"].drop_duplicates([*KEYS, "status"])
        self._lacking = {tuple(row[key] for key in KEYS): (row["status"], row["message"]) for row in bad.to_dict("records")}
        self._stand_ins = dict(stand_ins or {})
        self._there = set(good["dataset"])
        self._first = first_repeats

    def dataset(self, names: Any) -> str:
        """The data set to look at: the first of ``names`` that has any numbers, as its stand-in where it has one."""
        candidates = [names] if isinstance(names, str) else list(names)
        candidates = [self._stand_ins.get(name, name) for name in candidates]
        return next((name for name in candidates if name in self._there), candidates[0])

    def stands_in(self, name: str) -> bool:
        return name in self._stand_ins.values()

    def datasets(self, select: Mapping[str, Any]) -> list[str]:
        """The data sets that a selection's numbers come from."""
        if "wins_among" in select:
            methods, names = list(select["wins_among"]), [name for family in select["families"].values() for name in family]
            return [self.dataset(name) for name in names if self._wins(methods, {**select, "dataset": name})]
        return [self.dataset(select["dataset"])] if "dataset" in select else []

    def values(self, select: Mapping[str, Any]) -> pd.Series:
        """The selection's numbers by repeat.

        Raises
        ------
        Missing
            If there are none.
        ValueError
            If the selection asks for a reduction that does not exist.
        """
        select = dict(select)
        across, minus = select.pop("across", None), select.pop("minus", None)
        if "value" in select:
            return constant(float(select["value"]))
        if "wins_among" in select:
            return constant(*self._win_share(select))
        values = self._by_repeat(select)
        if minus:
            values = (values - self._by_repeat({**select, **minus})).dropna()
            if values.empty:
                raise Missing("pending", f"no repeat has both of {_words(select)} and {_words({**select, **minus})}")
        if across:
            if across == "sd" and len(values) < 5:
                raise Missing("pending", f"{len(values)} repeats of {_words(select)}; a spread needs 5")
            number = abs(values.mean()) if across == "magnitude" else getattr(values, {"sd": "std"}.get(across, across))()
            values = constant(float(number), len(values))
        return values

    def curves(self, select: Mapping[str, Any]) -> pd.DataFrame:
        """A stored series: one row per repeat, one column per step."""
        rows = self._rows(select)
        frame = rows[rows["step"] != -1].pivot(index="repeat", columns="step", values="value")
        if frame.empty:
            raise Missing("pending", f"{_words(select)}: {select['metric']} is not stored as a series")
        if "over" in select:
            frame = frame / self.curves({**{k: v for k, v in select.items() if k != "over"}, **select["over"]})
        return frame

    def _by_repeat(self, select: Mapping[str, Any]) -> pd.Series:
        if "reduce" in select:
            curves = self.curves(select)
            if select.get("curve") == "mean":
                return constant(_reduced(curves.mean(), select), len(curves))
            return pd.Series([_reduced(row.dropna(), select) for _, row in curves.iterrows()], index=curves.index)
        rows = self._rows(select)
        if select.get("source") == "timings":
            return rows.set_index("repeat")["seconds"]
        values = rows[rows["step"] == -1].set_index("repeat")["value"]
        if values.empty:
            raise Missing("pending", f"{_words(select)}: {select['metric']} is a series; say how to reduce it")
        return values

    def _rows(self, select: Mapping[str, Any]) -> pd.DataFrame:
        select = {**select, "dataset": self.dataset(select["dataset"])}
        place = tuple(select[key] for key in KEYS)
        table = self._timings if select.get("source") == "timings" else self._results
        value = table.get((*place, select["metric"]))
        if value is not None:
            return first_repeats(value, select.get("first_repeats", self._first))
        status, message = self._lacking.get(place, ("", ""))
        if status == "unavailable":
            raise Missing("not available", message)
        raise Missing("pending", f"{status}: {message}" if status else f"{_words(select)} has not been run")

    def _win_share(self, select: Mapping[str, Any]) -> tuple[float, int]:
        methods, shares, repeats = list(select["wins_among"]), [], 0
        for datasets in select["families"].values():
            wins = [share for name in datasets if (share := self._wins(methods, {**select, "dataset": name})) is not None]
            if wins:
                repeats += sum(n for _, n in wins)
                shares.append(np.mean([share for share, _ in wins], axis=0))
        if not shares:
            raise Missing("pending", f"no data set has all of {', '.join(methods)} in {select['setting']}")
        return 100.0 * float(np.mean(shares, axis=0)[methods.index(select["method"])]), repeats

    def _wins(self, methods: list[str], select: Mapping[str, Any]) -> tuple[np.ndarray, int] | None:
        try:
            columns = [self._by_repeat({k: v for k, v in select.items() if k != "method"} | {"method": m}) for m in methods]
        except Missing:
            return None
        scores = pd.concat(columns, axis=1, keys=methods).dropna()
        return (win_counts(scores, ties="split").to_numpy() / len(scores), len(scores)) if len(scores) else None


class _Groups:
    """Rows by (data set, setting, method, metric), cut out when they are asked for: some studies have 100,000 of these."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame
        self._places = frame.groupby([*KEYS, "metric"]).indices

    def get(self, key: tuple[str, ...]) -> pd.DataFrame | None:
        return self._frame.iloc[self._places[key]] if key in self._places else None


#: The index of a number that goes with every repeat.
EVERY = "every repeat"


def constant(value: float, repeats: int = 0) -> pd.Series:
    """A number that goes with every repeat; ``attrs["repeats"]`` says how many it is made of."""
    series = pd.Series([value], index=[EVERY])
    series.attrs["repeats"] = repeats
    return series


def _words(select: Mapping[str, Any]) -> str:
    return " ".join(str(select[key]) for key in KEYS if key in select)


def _reduced(row: pd.Series, select: Mapping[str, Any]) -> float:
    how, values = select["reduce"], row.to_numpy(dtype=float)
    if how == "last":
        return values[-1]
    if how in ("max", "min"):
        return float(getattr(np, how)(values))
    if how == "range":
        return float(np.ptp(values))
    if how == "fall":
        return float(values.max() - values[-1])
    if how == "slope":
        later = slice(len(values) // 2, None)
        return float(np.polyfit(np.log(row.index.to_numpy(float)[later]), np.log(values[later]), 1)[0])
    if how == "at":
        if select["step"] not in row.index:
            raise Missing("pending", f"{_words(select)}: no step {select['step']}")
        return float(row[select["step"]])
    if how == "near_best":
        return float(np.sum(values >= values.max() - select["tolerance"]))
    if how == "visible":
        return float(np.sum(values > select["share"] * values.max()))
    if how == "descent":
        return _descent(values, select["path"])
    accepted = "last, max, min, range, fall, slope, at, near_best, visible, descent"
    raise ValueError(f"reduce={how!r}; expected one of {accepted}")


def _descent(values: np.ndarray, path: Any) -> float:
    from pulab.figures.ranking_maps import equalized_map, strip_along

    along = strip_along(equalized_map(values), path).mean(axis=0)
    return -float(spearmanr(np.arange(len(along)), rankdata(along)).statistic)
