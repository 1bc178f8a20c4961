"""Tests over tidy results: a reference method against the others, per data set and setting, and ranks over data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pulib.statistics import friedman_nemenyi, holm, paired_t, paired_wilcoxon

PAIR_COLUMNS = ["dataset", "setting", "reference", "method", "metric", "n", "mean_difference", "effect"]
PAIR_COLUMNS += ["wilcoxon_two_sided", "wilcoxon_greater", "t_two_sided", "t_greater", "wilcoxon_two_sided_holm"]
RANK_COLUMNS = ["setting", "metric", "method", "average_rank", "n_datasets", "friedman_f", "friedman_p", "critical_difference"]


def scores_by_repeat(results: pd.DataFrame, metric: str) -> pd.DataFrame:
    """One row per (data set, setting, repeat), one column per method; missing where a trial has no number."""
    rows = results[(results["status"] == "ok") & (results["metric"] == metric) & (results["step"] == -1)]
    return rows.pivot(index=["dataset", "setting", "repeat"], columns="method", values="value")


def compare_pairs(results: pd.DataFrame, reference: str, methods: Sequence[str], metric: str) -> pd.DataFrame:
    """Paired tests of ``reference`` against each method, on the repeats that both have (at least two).

    Returns
    -------
    DataFrame with :data:`PAIR_COLUMNS`; ``greater``: the reference scores higher; Holm over all rows.
    """
    scores = scores_by_repeat(results, metric)
    rows = []
    for (dataset, setting), group in scores.groupby(level=["dataset", "setting"]):
        for method in methods:
            if method == reference or not {method, reference} <= set(group.columns):
                continue
            pair = group[[reference, method]].dropna().to_numpy()
            if len(pair) >= 2:
                rows.append([dataset, setting, reference, method, metric, len(pair), *_tests(pair[:, 0], pair[:, 1])])
    frame = pd.DataFrame(rows, columns=PAIR_COLUMNS[:-1])
    frame[PAIR_COLUMNS[-1]] = holm(frame["wilcoxon_two_sided"].to_numpy()) if len(frame) else []
    return frame


def _tests(a: np.ndarray, b: np.ndarray) -> list[float]:
    wilcoxon = paired_wilcoxon(a, b)
    return [
        float(np.mean(a - b)),
        wilcoxon.effect,
        wilcoxon.pvalue,
        paired_wilcoxon(a, b, alternative="greater").pvalue,
        paired_t(a, b).pvalue,
        paired_t(a, b, alternative="greater").pvalue,
    ]


def rank_methods(results: pd.DataFrame, methods: Sequence[str], metric: str) -> pd.DataFrame:
    """Friedman test and Nemenyi's critical difference over data sets, per setting, on means over repeats.

    A setting with fewer than two data sets that all methods have is left out.
    """
    means = scores_by_repeat(results, metric).groupby(level=["dataset", "setting"]).mean()
    rows = []
    for setting, group in means.groupby(level="setting"):
        present = [m for m in methods if m in group.columns]
        group = group[present].dropna()
        if len(group) < 2 or len(present) < 3:
            continue
        test = friedman_nemenyi(group)
        for method in present:
            rank = float(test.average_ranks[method])
            rows.append([setting, metric, method, rank, test.n_datasets, test.f, test.f_pvalue, test.critical_difference])
    return pd.DataFrame(rows, columns=RANK_COLUMNS)


def compare_methods(results: pd.DataFrame, tests: Sequence[Mapping[str, Any]]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The tests that a study's file names under ``tests``.

    Parameters
    ----------
    results : DataFrame
        Tidy results of the study.
    tests : sequence of mappings
        Each with ``metric``, ``reference``, ``methods``, and ``settings`` where not all of them count.

    Returns
    -------
    pairs, ranks : DataFrame
        With :data:`PAIR_COLUMNS` and :data:`RANK_COLUMNS`.
    """
    pairs, ranks = [pd.DataFrame(columns=PAIR_COLUMNS)], [pd.DataFrame(columns=RANK_COLUMNS)]
    for test in tests:
        part = results[results["setting"].isin(test["settings"])] if test.get("settings") else results
        pairs.append(compare_pairs(part, test["reference"], test["methods"], test["metric"]))
        ranks.append(rank_methods(part, test["methods"], test["metric"]))
    return pd.concat([p for p in pairs if len(p)] or pairs), pd.concat([r for r in ranks if len(r)] or ranks)
