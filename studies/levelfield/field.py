"""Scores of the level field, shared by its tables, figures and answers: means over repeats first, then over tasks.

Missing scores stay missing: a setting that was not run, a rival that is not installed, or a task too small for the number of
labels.  Comparisons over tasks use the same tasks for all methods, and tables name what had to be left out.  A learner that
failed on a task is ranked last there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import bootstrap

from pulab.tables import Results
from pulib.statistics import FriedmanNemenyi, friedman_nemenyi
from studies.levelfield.levels import CRITERIA, MAIN, MEASURES, Level
from studies.levelfield.pairs import ALPHA, Pairs, compare_pairs

#: Roles that are shown but not ranked, and the notes after their names.
UNRANKED = {"ceiling": "ceiling, true labels", "trivial": "trivial"}
#: A method with results for a smaller share of the tasks is left out of comparisons, rather than the tasks without results.
LEAST_SHARE = 2 / 3
#: Difference between a failure and the task's worst score.
LAST = 1e-6


class Label(str):
    """A display name that records its origin: ``origin`` has a method, a data set, a setting or a metric."""

    origin: Mapping[str, str]

    @classmethod
    def of(cls, text: str, **origin: str) -> Label:
        label = cls(text)
        label.origin = origin
        return label


@dataclass(frozen=True)
class Field:
    """Means over repeats of some settings and metrics, with the names of methods and tasks.

    Attributes
    ----------
    table : DataFrame
        A row per (setting, metric, data set), a column per method; missing if there is no number.
    labels, tasks, roles : mappings
        Names of methods and of data sets; roles of methods: ``learner``, ``rival``, ``ceiling`` or ``trivial``.
    repeats : int
        Number of repeats in the setting with the fewest.
    reasons : mapping of method to str
        Why a method has no numbers.
    failures : mapping of (setting, data set, method) to str
        First message where all trials of a method failed, for methods that have numbers elsewhere.
    """

    table: pd.DataFrame
    labels: Mapping[str, str]
    tasks: Mapping[str, str]
    roles: Mapping[str, str]
    repeats: int
    reasons: Mapping[str, str]
    failures: Mapping[tuple[str, str, str], str]

    @classmethod
    def of(cls, results: Results, settings: Iterable[str], metrics: Iterable[str] = MEASURES) -> Field:
        """Make a field of some settings and metrics of the study's results.

        If some are main settings, only tasks with numbers in these are included, since other settings have more tasks.
        """
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
        """Make the same from tidy results, with names and roles of methods and names of data sets."""
        settings, metrics = list(settings), list(metrics)
        tidy = _by_criterion(tidy, metrics) if any(name.startswith("tuning_") for name in settings) else tidy
        chosen = tidy[tidy["setting"].isin(settings)]
        if main := [name for name in settings if name in MAIN]:
            chosen = chosen[chosen["dataset"].isin(chosen.loc[chosen["setting"].isin(main), "dataset"].unique())]
        good = chosen[(chosen["status"] == "ok") & (chosen["step"] == -1)]
        good = in_shared_repeats(good[good["metric"].isin(metrics)])
        means = good.groupby(["setting", "metric", "dataset", "method"], observed=True)["value"].mean()
        table = means.round(12).unstack("method")  # scores that differ only in their last bits tie
        bad = chosen[chosen["status"] != "ok"].drop_duplicates("method")
        reasons = {m: f"{s}: {t}" for m, s, t in zip(bad["method"], bad["status"], bad["message"], strict=True)}
        failed = (
            chosen[chosen["status"] == "failed"].groupby(["setting", "dataset", "method"], observed=True)["message"].first()
        )
        done = good.set_index(["setting", "dataset", "method"]).index
        failed = failed[~failed.index.isin(done) & failed.index.get_level_values("method").isin(table.columns)]
        order = [name for name in labels if name in table.columns]
        return cls(
            table=table[[*order, *(name for name in table.columns if name not in set(order))]],
            labels=labels,
            tasks=tasks,
            roles=roles,
            repeats=int(good.groupby("setting", observed=True)["repeat"].nunique().min()) if len(good) else 0,
            reasons={name: reason for name, reason in reasons.items() if name not in table.columns},
            failures=failed.to_dict(),
        )

    def scores(self, setting: str, metric: str) -> pd.DataFrame:
        """Return a row per task and a column per method with numbers; empty if nothing was run."""
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
        """Return a method's name, followed by its role if it is not ranked."""
        name, role = self.labels.get(method, method), self.role(method)
        return Label.of(f"{name} ({UNRANKED[role]})" if role in UNRANKED else name, method=method)

    def task(self, dataset: str) -> str:
        return Label.of(self.tasks.get(dataset, dataset), dataset=dataset)

    def ranked(self, methods: Iterable[str]) -> list[str]:
        """Return the methods that are ranked."""
        return [method for method in methods if self.role(method) not in UNRANKED]

    def of_role(self, methods: Iterable[str], role: str) -> list[str]:
        return [method for method in methods if self.role(method) == role]

    def ranking(
        self,
        setting: str,
        metric: str,
        *,
        without: Iterable[str] = (),
        only_finished: bool = False,
        lower_is_better: bool = False,
    ) -> Ranking:
        """Rank and test the ranked methods over the tasks that all of them have; see :func:`complete_blocks`.

        Parameters
        ----------
        setting, metric : str
        without : iterable of str
            Tasks to leave out.
        only_finished : bool
            Whether to leave out methods that failed somewhere; otherwise, they are ranked last there.
        lower_is_better : bool
        """
        scores = self.scores(setting, metric)
        scores = scores.loc[scores.index.difference(list(without), sort=False), self.ranked(scores.columns)]
        scores = -scores if lower_is_better else scores
        failed = [(task, m) for s, task, m in self.failures if s == setting and task in scores.index and m in scores.columns]
        if only_finished:
            scores = scores.drop(columns={method for _, method in failed})
        else:
            worst = scores.min(axis=1) - LAST
            for task, method in failed:
                scores.loc[task, method] = worst[task]
        kept, left_out = complete_blocks(scores)
        return Ranking(kept, [str(self.labels.get(name, self.task(name))) for name in left_out])

    def ordered(self, ranking: Ranking, methods: Iterable[str]) -> list[str]:
        """Return ranked methods from best to worst, then those not compared, then ceilings and trivial classifiers."""
        place, there = {method: k for k, method in enumerate(ranking.order)}, list(methods)
        ranked = sorted(self.ranked(there), key=lambda method: place.get(method, len(place)))
        return [*ranked, *self.of_role(there, "ceiling"), *self.of_role(there, "trivial")]

    def losses(self, levels: Mapping[str, Level], metric: str) -> dict[str, pd.DataFrame]:
        """Return by setting the shares that ranked methods lose compared with its reference, task by task."""
        lost = {s: difference(self.scores(level.reference, metric), self.scores(s, metric)) for s, level in levels.items()}
        return {setting: table[self.ranked(table.columns)] for setting, table in lost.items()}


def _by_criterion(tidy: pd.DataFrame, metrics: Iterable[str]) -> pd.DataFrame:
    """Add settings such as ``tuning_none``, whose accuracy is ``accuracy_none`` of the setting ``tuning``."""
    tuned = tidy[tidy["setting"] == "tuning"]
    parts = [tuned[tuned["metric"] == f"{metric}_{name}"].assign(setting=f"tuning_{name}", metric=metric)
             for metric in metrics for name in ("none", *CRITERIA)]  # fmt: skip
    return pd.concat([tidy, *parts], ignore_index=True)


def in_shared_repeats(results: pd.DataFrame) -> pd.DataFrame:
    """Select by task, method and metric the repeats with the most settings, to compare settings on the same draws of rows.

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
    """Scores to compare in one setting by one metric.

    Attributes
    ----------
    scores : DataFrame
        Tasks by ranked methods, without missing values.
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
        """Mean rank by method, with the best one first; empty if there is too little to compare."""
        if not self.there:
            return pd.Series(dtype=float)
        return self.task_ranks.mean().sort_values(kind="stable")

    @property
    def task_ranks(self) -> pd.DataFrame:
        return self.scores.rank(axis=1, ascending=False)

    @property
    def order(self) -> list[str]:
        """Methods from the best mean rank to the worst; unordered if nothing is ranked."""
        return list(self.ranks.index) if self.there else list(self.scores.columns)

    @property
    def test(self) -> FriedmanNemenyi:
        return _tests(self.scores.to_numpy().tobytes(), tuple(self.scores.columns))[0]

    @property
    def pairs(self) -> Pairs:
        return _tests(self.scores.to_numpy().tobytes(), tuple(self.scores.columns))[1]

    @property
    def level(self) -> pd.Series:
        """Whether each method is not significantly behind the best (Wilcoxon's test, 5%, Holm's correction over all pairs)."""
        return ~(self.pairs.pvalues[self.order[0]] < ALPHA)

    @property
    def first_places(self) -> pd.Series:
        """Number of tasks on which each method has the best score; ties are shared."""
        best = self.scores.eq(self.scores.max(axis=1), axis=0)
        return best.div(best.sum(axis=1), axis=0).sum()

    def summary(self) -> str:
        """Return Friedman's test as a clause."""
        if not self.there:
            return f"{len(self.scores)} tasks, too few for a ranking"
        test = self.test
        p = "p < 0.001" if test.f_pvalue < 0.001 else f"p = {test.f_pvalue:.2g}"
        return f"{test.n_datasets} tasks, Friedman's test {p} (F)"


@cache  # several tables and the answers need the same tests, whose distributions take long to compute
def _tests(values: bytes, methods: tuple[str, ...]) -> tuple[FriedmanNemenyi, Pairs]:
    scores = pd.DataFrame(np.frombuffer(values).reshape(-1, len(methods)), columns=list(methods))
    return friedman_nemenyi(scores), compare_pairs(scores)


def complete_blocks(scores: pd.DataFrame, least_share: float = LEAST_SHARE) -> tuple[pd.DataFrame, list[str]]:
    """Return tasks by methods without missing values, and the names of what was left out for that.

    Methods with fewer than ``least_share`` of the tasks are left out first, then tasks without one of the other methods.
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
    """Return means over tasks in points, with bootstrap intervals.

    Parameters
    ----------
    values : DataFrame
        A row per task; missing values are left out column by column.

    Returns
    -------
    DataFrame with a row per column and ``mean, low, high, tasks``; bounds are missing for a single task.
    """
    rows: dict[Any, list[float]] = {}
    values = values.astype(float)
    same_gaps: dict[bytes, list[Any]] = {}
    for name in values:
        same_gaps.setdefault(values[name].notna().to_numpy().tobytes(), []).append(name)
    for names in same_gaps.values():  # one bootstrap for all columns with the same tasks
        part = values[names].dropna()
        if len(part):
            numbers = zip(100.0 * part.mean(), *_bounds(100.0 * part.to_numpy()), strict=True)
            rows |= {name: [*own, len(part)] for name, own in zip(names, numbers, strict=True)}
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=["mean", "low", "high", "tasks"])
    return frame.reindex([name for name in values.columns if name in rows])


def _bounds(values: np.ndarray) -> np.ndarray:
    """Return the lower and upper bounds of the columns' means over rows; all columns use the same resamples.

    The bootstrap is bias-corrected and accelerated.  Bounds of equal values are equal, and those of a single row are missing.
    """
    if len(values) == 1:
        return np.full((2, values.shape[1]), np.nan)
    bounds = np.array([values.mean(axis=0)] * 2)
    varied = np.flatnonzero(np.ptp(values, axis=0) > 0)  # SciPy has no interval for constant values
    if len(varied):
        rng = np.random.default_rng(0)
        found = bootstrap((values[:, varied],), np.mean, axis=0, n_resamples=2000, rng=rng, vectorized=True)
        bounds[:, varied] = found.confidence_interval
    return bounds


def difference(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """Return ``first`` minus ``second`` for the tasks and methods that both have."""
    first, second = first.align(second, join="inner")
    return (first - second).dropna(axis="index", how="all").dropna(axis="columns", how="all")


def affected(lost: pd.DataFrame) -> pd.Index:
    """Return the methods that lose or gain something: a wrong π changes nothing for one that takes none."""
    return lost.columns[lost.fillna(0).ne(0).any()]


def mean_over_methods(table: pd.DataFrame) -> pd.Series:
    """Return the mean by task over the methods that have all tasks."""
    return table.dropna(axis="columns").mean(axis=1)


def best_of(scores: pd.DataFrame, methods: Iterable[str]) -> pd.Series:
    """Return the best score of some methods for each task."""
    own = [method for method in methods if method in scores.columns]
    return scores[own].max(axis=1) if own else pd.Series(np.nan, index=scores.index)
