"""The level field's numbers, as its tables, figures and claims share them: means over repeats first, then over tasks.

Whatever is missing stays missing: a setting that was not run, a rival that is not installed, a task too small for so many
labels.  What is compared over tasks is compared on the same tasks, and what had to be left out for that is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
import pandas as pd

from pulab.tables import Results, Table
from pulab.tables.numerals import interval_text
from pulib.statistics import (
    FriedmanNemenyi,
    PairwiseTests,
    bootstrap_ci,
    friedman_nemenyi,
    mean_ci,
    pairwise_wilcoxon,
)

#: Metrics by the names that people read.
METRICS = {
    "accuracy": "accuracy",
    "auc": "AUC",
    "balanced_accuracy": "balanced accuracy",
    "f1": "F1",
    "average_precision": "average precision",
    "brier": "Brier score",
    "calibration_error": "calibration error",
    "share_positive": "share predicted positive",
    "proxy_accuracy": "proxy accuracy",
    "proxy_auc": "proxy AUC",
    "pu_score": "PU score",
    "pu_risk": "PU risk",
}
#: Roles that are shown and not ranked, and what is said behind their names.
UNRANKED = {"ceiling": "ceiling, true labels", "trivial": "trivial", "before": "as it was"}
#: A method with fewer of the tasks than this share is left out of comparisons, rather than the tasks without its results.
LEAST_SHARE = 2 / 3


class Label(str):
    """A name for people that remembers what it is a name of: ``origin`` holds a method or a data set."""

    origin: Mapping[str, str]

    @classmethod
    def of(cls, text: str, **origin: str) -> Label:
        label = cls(text)
        label.origin = origin
        return label


@dataclass(frozen=True)
class Field:
    """Means over repeats of some settings and metrics, and what methods and tasks are called.

    Attributes
    ----------
    table : DataFrame
        A row per (setting, metric, data set), a column per method; missing where there is no number.
    labels, tasks, roles : mappings
        Of methods and data sets to names, of methods to ``learner``, ``rival``, ``ceiling`` or ``trivial``.
    repeats : int
        Of the setting that has the fewest.
    reasons : mapping of method to str
        Why a method has no numbers at all.
    """

    table: pd.DataFrame
    labels: Mapping[str, str]
    tasks: Mapping[str, str]
    roles: Mapping[str, str]
    repeats: int
    reasons: Mapping[str, str]

    @classmethod
    def of(cls, results: Results, settings: Iterable[str], metrics: Iterable[str]) -> Field:
        """Of some settings and metrics of the study's results."""
        return cls.of_tidy(results.tidy, settings, metrics, results.labels, results.datasets, results.roles)

    @classmethod
    def of_tidy(
        cls,
        tidy: pd.DataFrame,
        settings: Iterable[str],
        metrics: Iterable[str],
        labels: Mapping[str, str],
        tasks: Mapping[str, str],
        roles: Mapping[str, str],
    ) -> Field:
        """The same from tidy results, with names and roles of methods and names of data sets."""
        chosen = tidy[tidy["setting"].isin(list(settings))]
        good = chosen[(chosen["status"] == "ok") & (chosen["step"] == -1)]
        good = in_shared_repeats(good[good["metric"].isin(list(metrics))])
        table = good.groupby(["setting", "metric", "dataset", "method"], observed=True)["value"].mean().unstack("method")
        bad = chosen[chosen["status"] != "ok"].drop_duplicates("method")
        reasons = {m: f"{s}: {t}" for m, s, t in zip(bad["method"], bad["status"], bad["message"], strict=True)}
        order = [name for name in labels if name in table.columns]
        return cls(
            table=table[[*order, *(name for name in table.columns if name not in set(order))]],
            labels=labels,
            tasks=tasks,
            roles=roles,
            repeats=int(good.groupby("setting", observed=True)["repeat"].nunique().min()) if len(good) else 0,
            reasons={name: reason for name, reason in reasons.items() if name not in table.columns},
        )

    def scores(self, setting: str, metric: str) -> pd.DataFrame:
        """A row per task, a column per method that has a number somewhere; empty where nothing was run."""
        if (setting, metric) not in self._places:
            return pd.DataFrame(dtype=float)
        return self.table.loc[(setting, metric)].dropna(axis="columns", how="all")

    @cached_property
    def _places(self) -> set[tuple[str, str]]:
        """Settings and metrics that have numbers."""
        return {(setting, metric) for setting, metric, _ in self.table.index}

    def role(self, method: str) -> str:
        return self.roles.get(method, "learner")

    def label(self, method: str) -> str:
        """A method's name, with its role behind it where it is not ranked."""
        name, role = self.labels.get(method, method), self.role(method)
        return Label.of(f"{name} ({UNRANKED[role]})" if role in UNRANKED else name, method=method)

    def task(self, dataset: str) -> str:
        return Label.of(self.tasks.get(dataset, dataset), dataset=dataset)

    def ranked(self, methods: Iterable[str]) -> list[str]:
        """Those of some methods that are ranked."""
        return [method for method in methods if self.role(method) not in UNRANKED]

    def of_role(self, methods: Iterable[str], role: str) -> list[str]:
        return [method for method in methods if self.role(method) == role]

    def ranking(self, setting: str, metric: str, least_share: float = LEAST_SHARE) -> Ranking:
        """Ranks and tests of the ranked methods over the tasks that all of them have; see :func:`complete_blocks`."""
        scores = self.scores(setting, metric)
        kept, left_out = complete_blocks(scores[self.ranked(scores.columns)], least_share)
        return Ranking(kept, [str(self.labels.get(name, self.task(name))) for name in left_out])


def in_shared_repeats(results: pd.DataFrame) -> pd.DataFrame:
    """Per task, method and metric the repeats with the most settings: settings are compared on the same draws of the rows.

    >>> two = {"dataset": "d", "method": "m", "metric": "auc", "setting": ["a", "b", "a"], "repeat": [0, 0, 1]}
    >>> in_shared_repeats(pd.DataFrame(two))[["setting", "repeat"]].to_numpy().tolist()
    [['a', 0], ['b', 0]]
    """
    each = ["dataset", "method", "metric"]
    settings = results.groupby([*each, "repeat"], observed=True)["setting"].transform("nunique")
    most = settings.groupby([results[name] for name in each], observed=True).transform("max")
    return results[settings == most]


@dataclass(frozen=True)
class Ranking:
    """What is compared of one setting by one metric.

    Attributes
    ----------
    scores : DataFrame
        Tasks by ranked methods, without gaps.
    left_out : list of str
        Methods and tasks with too few results.
    """

    scores: pd.DataFrame
    left_out: list[str]

    @property
    def there(self) -> bool:
        """Whether there is enough to compare: two tasks and three methods."""
        return len(self.scores) >= 2 and self.scores.shape[1] >= 3

    @cached_property
    def ranks(self) -> pd.Series:
        """Mean rank by method, the best one first; empty where there is too little."""
        if not self.there:
            return pd.Series(dtype=float)
        return self.scores.rank(axis=1, ascending=False).mean().sort_values(kind="stable")

    @property
    def order(self) -> list[str]:
        """Methods from the best mean rank to the worst; as they come where nothing is ranked."""
        return list(self.ranks.index) if self.there else list(self.scores.columns)

    @property
    def test(self) -> FriedmanNemenyi:
        return _tests(self.scores.to_numpy().tobytes(), tuple(self.scores.columns))[0]

    @property
    def pairs(self) -> PairwiseTests:
        return _tests(self.scores.to_numpy().tobytes(), tuple(self.scores.columns))[1]

    def summary(self) -> str:
        """Friedman's test in a clause."""
        if not self.there:
            return f"{len(self.scores)} tasks, too few to rank by"
        test = self.test
        p = "p < 0.001" if test.f_pvalue < 0.001 else f"p = {test.f_pvalue:.2g}"
        return f"{test.n_datasets} tasks, Friedman's test {p} (F), critical difference {test.critical_difference:.2f} ranks"


@cache  # several tables and the answers ask for the same tests, whose distributions take long
def _tests(values: bytes, methods: tuple[str, ...]) -> tuple[FriedmanNemenyi, PairwiseTests]:
    scores = pd.DataFrame(np.frombuffer(values).reshape(-1, len(methods)), columns=list(methods))
    return friedman_nemenyi(scores), pairwise_wilcoxon(scores)


def complete_blocks(scores: pd.DataFrame, least_share: float = LEAST_SHARE) -> tuple[pd.DataFrame, list[str]]:
    """Tasks by methods without a gap, and the names of what was left out for that.

    Methods that have fewer than ``least_share`` of the tasks go first, then tasks that lack one of the others.

    >>> gaps = pd.DataFrame({"a": [1.0, 2, 3], "b": [1.0, 2, None], "c": [None, None, 1.0]}, index=["x", "y", "z"])
    >>> kept, left_out = complete_blocks(gaps)
    >>> kept.shape, left_out
    ((2, 2), ['c', 'z'])
    """
    enough = scores.notna().mean() >= least_share if len(scores) else pd.Series(dtype=bool)
    kept = scores.loc[:, enough[enough].index] if len(scores) else scores
    whole = kept.dropna()
    return whole, [*scores.columns.difference(kept.columns, sort=False), *kept.index.difference(whole.index, sort=False)]


def over_tasks(values: pd.DataFrame) -> pd.DataFrame:
    """Means over tasks in points, with bootstrap intervals.

    Parameters
    ----------
    values : DataFrame
        A row per task; gaps are left out column by column.

    Returns
    -------
    DataFrame with a row per column and ``mean, low, high, tasks``; bounds are missing for a single task.
    """
    rows: dict[Any, list[float]] = {}
    values = values.astype(float)
    same_gaps: dict[bytes, list[Any]] = {}
    for name in values:
        same_gaps.setdefault(values[name].notna().to_numpy().tobytes(), []).append(name)
    for names in same_gaps.values():  # one bootstrap for all columns that have the same tasks
        part = values[names].dropna()
        if len(part):
            found = bootstrap_ci(100.0 * part.to_numpy())
            rows |= {n: [*numbers, len(part)] for n, *numbers in zip(names, found.mean, found.low, found.high, strict=True)}
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=["mean", "low", "high", "tasks"])
    return frame.reindex([name for name in values.columns if name in rows])


def paired_interval(differences: pd.Series) -> tuple[float, float, float]:
    """Mean and 95% interval (Student's t) of paired differences; of one of them nothing more is known."""
    found = mean_ci(differences.dropna().to_numpy())
    return found.mean, found.low, found.high


def cell(
    row: str, column: str, text: str = "", value: float = np.nan, *, low: float = np.nan, high: float = np.nan,
    tasks: int = 0, status: str = "ok", note: str = "",
) -> dict[str, Any]:  # fmt: skip
    """One cell of a table: the text that people read, and the numbers behind it."""
    numbers = {"ours": value, "low": low, "high": high, "tasks": tasks}
    origin = {"dataset": "", "method": ""} | getattr(row, "origin", {}) | getattr(column, "origin", {})
    return {"row": str(row), "column": str(column), **origin, "mark": text, **numbers, "status": status, "note": note}


def not_run(row: str, column: str, reason: str = "") -> dict[str, Any]:
    """A cell without a number: not run in this preset, or with the reason that its trials give."""
    status, _, message = reason.partition(": ")
    return cell(row, column, status=status or "not run", note=message)


def absent_cells(field: Field, columns: Iterable[str]) -> list[dict[str, Any]]:
    """Of the methods without any numbers, with the reasons."""
    columns = list(columns)
    return [not_run(field.label(method), column, why) for method, why in field.reasons.items() for column in columns]


def summary_cell(row: str, column: str, found: pd.DataFrame, name: Any, *, with_sign: bool = False) -> dict[str, Any]:
    """A cell of :func:`over_tasks`."""
    if name not in found.index:
        return not_run(row, column)
    mean, low, high, tasks = found.loc[name]
    text = interval_text(mean, low, high, with_sign=with_sign)
    return cell(row, column, text, mean, low=low, high=high, tasks=int(tasks))


def table_of(
    cells: Sequence[dict[str, Any]],
    repeats: Field | int,
    *,
    legend: str,
    remarks: Sequence[str] = (),
    setting: str = "",
    metric: str = "",
) -> Table:
    """A table of cells; none of them is compared with a published number, so that none has a verdict."""
    nothing = [not_run("all methods", "not part of this run")]
    frame = pd.DataFrame(list(cells) or nothing)
    n = repeats.repeats if isinstance(repeats, Field) else repeats
    frame = frame.assign(n=n, kind="mark", unit="", stand_in="", published=np.nan, published_mark="", ours_sd=np.nan)
    frame = frame.assign(setting=setting, metric=metric)
    return Table(frame, legend=legend, remarks=[remark for remark in remarks if remark], judged=False)


def left_out_note(rankings: Mapping[str, Ranking]) -> list[str]:
    """What comparisons had to leave out, by the places that this is about."""
    places: dict[str, list[str]] = {}
    for place, ranking in rankings.items():
        if ranking.left_out:
            places.setdefault("; ".join(ranking.left_out), []).append(place)
    return [f"Left out in {' and '.join(where)} for lack of results: {names}." for names, where in places.items()]


def difference(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """``first`` minus ``second`` for the tasks and methods that both have."""
    first, second = first.align(second, join="inner")
    return (first - second).dropna(axis="index", how="all").dropna(axis="columns", how="all")


def best_of(scores: pd.DataFrame, methods: Sequence[str]) -> pd.Series:
    """Per task the best score of some methods."""
    own = [method for method in methods if method in scores.columns]
    return scores[own].max(axis=1) if own else pd.Series(np.nan, index=scores.index)


def sorted_rows(field: Field, ranking: Ranking, methods: Iterable[str]) -> list[str]:
    """Ranked methods from best to worst, then those that could not be compared, then ceilings and trivial classifiers."""
    place = {method: k for k, method in enumerate(ranking.order)}
    there = list(methods)
    ranked = sorted(field.ranked(there), key=lambda method: place.get(method, len(place)))
    return [*ranked, *field.of_role(there, "ceiling"), *field.of_role(there, "trivial")]
