"""Numbers of the level field by question, shared by tables, figures and answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from baycomp import SignedRankTest
from scipy.stats import spearmanr, wilcoxon
from sklearn.tree import DecisionTreeRegressor

from pulib.statistics import holm, paired_wilcoxon
from studies.levelfield.field import UNRANKED, Field, Ranking, best_of, difference

#: Differences of scores that do not matter.
ROPE = 0.01
#: A learner loses a task to a trivial classifier by at least this many points, on average over repeats.
LOST = 1.0
#: Share of a learner's best score for which labels are counted.
ENOUGH = 0.95
#: Display names of facts of a trial; the ceiling is added to them.
FACTS = {
    "n_unlabeled": "unlabeled rows",
    "n_features": "features",
    "prior_true": "π",
    "n_labeled": "labels",
    "share_discrete": "share of discrete features",
}
CEILING = "supervised ceiling"
#: Facts of a task that a user knows before choosing a learner.
KNOWN = ("n_unlabeled", "n_features", "prior_given", "n_labeled", "share_discrete")
#: Minimum number of tasks for a rank correlation.
LEAST_TASKS = 5
#: Number of draws from a posterior.
N_DRAWS = 5_000
#: Number of random halves of the tasks on which a rule for choosing is learned.
N_HALVES = 200


def coverage(tidy: pd.DataFrame, roles: Mapping[str, str]) -> pd.DataFrame:
    """Return a row per setting with numbers: ``tasks, learners, ceilings, trivial, fewest`` and ``most`` (repeats)."""
    trials = tidy[tidy["status"] == "ok"].drop_duplicates(["dataset", "setting", "method", "repeat"])
    rows = {}
    for setting, part in trials.groupby("setting", sort=False):
        role = part["method"].drop_duplicates().map(lambda method: roles.get(method, "learner"))
        counts = [(~role.isin(list(UNRANKED))).sum(), (role == "ceiling").sum(), (role == "trivial").sum()]
        repeats = part.groupby("dataset")["repeat"].nunique()
        rows[setting] = [len(repeats), *counts, repeats.min(), repeats.max()]
    columns = ["tasks", "learners", "ceilings", "trivial", "fewest", "most"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns).astype(int)


def single_repeats(tidy: pd.DataFrame, roles: Mapping[str, str], setting: str, metric: str) -> pd.DataFrame:
    """Compare mean ranks by each single repeat with those by all others, for learners and tasks with the most repeats.

    Only methods that are ranked count: a ceiling and a constant keep their places in every repeat.

    Returns
    -------
    DataFrame with a row per repeat and the columns ``rho`` (the rank correlation), ``repeats, tasks`` and ``learners``; empty
    if there are fewer than three repeats, or too few tasks or learners.
    """
    rows = tidy[(tidy["setting"] == setting) & (tidy["metric"] == metric) & (tidy["step"] == -1) & (tidy["status"] == "ok")]
    rows = rows[~rows["method"].map(roles).isin(list(UNRANKED))]
    scores = rows.pivot(index=["repeat", "dataset"], columns="method", values="value")
    counts = scores.groupby("dataset").count()
    full = counts.eq(counts.to_numpy().max(initial=0))
    learners = full.columns[full.sum() == full.sum().max()]
    tasks = full.index[full[learners].all(axis=1)]
    repeats = scores.index.unique("repeat") if min(len(learners), len(tasks)) >= LEAST_TASKS else []
    found = []
    for repeat in repeats if len(repeats) >= 3 else ():
        shown = scores.loc[scores.index.get_level_values("dataset").isin(tasks), learners]
        alone = shown.index.get_level_values("repeat") == repeat
        ranks = [own.groupby("dataset").mean().rank(axis=1, ascending=False).mean() for own in (shown[alone], shown[~alone])]
        found.append([spearmanr(*ranks)[0], len(repeats), len(tasks), len(learners)])
    return pd.DataFrame(found, columns=["rho", "repeats", "tasks", "learners"])


def against_the_best(ranking: Ranking, others: Iterable[str]) -> pd.DataFrame:
    """Return posterior probabilities that the best-ranked method is ``better`` than others, the ``same``, and ``worse``.

    By the Bayesian signed-rank test (Benavoli et al., A Bayesian Wilcoxon signed-rank test based on the Dirichlet process, ICML
    2014).
    """
    scores = {method: values.to_numpy() for method, values in ranking.scores.items()}
    best = scores[ranking.order[0]]
    found = {other: SignedRankTest.probs(best, scores[other], ROPE, nsamples=N_DRAWS, random_state=0) for other in others}
    return pd.DataFrame.from_dict(found, orient="index", columns=["better", "same", "worse"])


def margins_over_trivial(field: Field, tidy: pd.DataFrame, setting: str, metric: str = "accuracy") -> pd.DataFrame:
    """Return each method's margin over the best trivial classifier of each task.

    Returns
    -------
    DataFrame with ``setting, dataset, method, trivial`` (the best one), ``mean`` (of the margin, in points) and ``lost``
    (whether it is below in each repeat, and by :data:`LOST` points or more on average).
    """
    scores = field.scores(setting, metric)
    columns = ["setting", "dataset", "method", "trivial", "mean", "lost"]
    trivial = field.of_role(scores.columns, "trivial")
    rows = tidy[(tidy["setting"] == setting) & (tidy["metric"] == metric) & (tidy["step"] == -1) & (tidy["status"] == "ok")]
    by_repeat = rows.pivot(index=["dataset", "repeat"], columns="method", values="value")
    out = []
    for dataset, own in scores.dropna(subset=trivial, how="all").iterrows() if trivial else ():
        best, repeats = str(own[trivial].idxmax()), by_repeat.loc[dataset]
        for method in (m for m in own.dropna().index if m not in trivial):
            gaps = 100 * (repeats[method] - repeats[best]).dropna()
            out.append([setting, dataset, method, best, gaps.mean(), gaps.mean() <= -LOST and gaps.max() < 0])
    return pd.DataFrame(out, columns=columns).astype({"lost": bool})


def labels_needed(field: Field, method: str, levels: Iterable[str], metric: str, share: float = ENOUGH) -> pd.Series:
    """Return by task the fewest labels with which a method reaches a share of its best score over all numbers of labels."""
    columns = {float(setting.removeprefix("labels_")): field.scores(setting, metric).get(method) for setting in levels}
    known = {level: values for level, values in columns.items() if values is not None}
    table = pd.DataFrame(known).dropna(thresh=2) if known else pd.DataFrame()
    if table.empty:
        return pd.Series(dtype=float)
    return table.ge(share * table.max(axis=1), axis=0).idxmax(axis=1).astype(float)


def prior_errors(tidy: pd.DataFrame, settings: Iterable[str]) -> dict[str, pd.Series]:
    """Return by setting the mean of the given minus the true π, by task."""
    wanted = tidy["setting"].isin(list(settings)) & tidy["metric"].isin(["prior_given", "prior_true"])
    # all methods of a repeat have the same π
    by_repeat = tidy[wanted & (tidy["status"] == "ok")].groupby(["setting", "dataset", "repeat", "metric"], observed=True)
    each = by_repeat["value"].first().unstack("metric")
    if each.empty or each.shape[1] < 2:
        return {}
    off = (each["prior_given"] - each["prior_true"]).groupby(level=["setting", "dataset"]).mean()
    return {str(setting): part.droplevel("setting") for setting, part in off.groupby(level="setting")}


def loss_tests(lost: pd.DataFrame) -> pd.Series:
    """Return p-values of Wilcoxon's test over tasks that nothing is lost, by method, after Holm's correction."""
    pvalues = [paired_wilcoxon(lost[m].dropna(), 0.0 * lost[m].dropna()).pvalue for m in lost]
    return pd.Series(holm(pvalues), index=lost.columns)


def seconds(timings: pd.DataFrame, setting: str) -> pd.DataFrame:
    """Return medians over repeats, with a row per (method, metric) and a column per task."""
    own = timings[timings["setting"] == setting]
    medians = own.groupby(["method", "metric", "dataset"], observed=True)["seconds"].median()
    return medians.unstack("dataset") if len(medians) else pd.DataFrame()


def time_and_rank(times: pd.DataFrame, ranks: pd.Series) -> pd.DataFrame:
    """Return each ranked method's seconds (fit and prediction, the median over tasks) and mean rank."""
    there = [m for m in ranks.index if (m, "fit") in times.index and (m, "predict") in times.index]
    total = {m: float((times.loc[(m, "fit")] + times.loc[(m, "predict")]).median()) for m in there}
    return pd.DataFrame({"seconds": pd.Series(total, dtype=float), "rank": ranks.reindex(there)})


def pareto_front(points: pd.DataFrame) -> list[str]:
    """Return methods that no other one beats in both time and rank, from the fastest.

    >>> pareto_front(pd.DataFrame({"seconds": [1.0, 2.0, 3.0], "rank": [5.0, 6.0, 2.0]}, index=["a", "b", "c"]))
    ['a', 'c']
    """
    ordered = points.sort_values(["seconds", "rank"])
    best = ordered["rank"].cummin().shift(fill_value=np.inf)
    return list(ordered.index[ordered["rank"] < best])


def properties(field: Field, setting: str, metric: str) -> pd.DataFrame:
    """Return a row per task and a column per property: facts of its trials, and the best score with true labels."""
    facts = {label: field.scores(setting, name).median(axis=1) for name, label in FACTS.items()}
    scores = field.scores(setting, metric)
    table = pd.DataFrame({name: values for name, values in facts.items() if len(values)}, index=scores.index)
    ceilings = field.of_role(scores.columns, "ceiling")
    return table.assign(**{CEILING: best_of(scores, ceilings)}) if ceilings else table


def gains(field: Field, fewer: str, more: str, metric: str) -> pd.DataFrame:
    """Return what ranked methods gain from one setting to another, for the methods that have all tasks."""
    gained = difference(field.scores(more, metric), field.scores(fewer, metric))
    return gained[field.ranked(gained.columns)].dropna(axis="columns")


def same_order(field: Field, one: str, other: str, metric: str) -> float:
    """Return the rank correlation of methods' mean ranks in two settings over shared tasks; NaN for few methods."""
    scores = [field.scores(setting, metric) for setting in (one, other)]
    tasks = scores[0].index.intersection(scores[1].index)
    ranks = [own.loc[tasks, field.ranked(own.columns)].rank(axis=1, ascending=False).mean() for own in scores]
    both = pd.concat(ranks, axis=1, join="inner")
    return float(spearmanr(both.iloc[:, 0], both.iloc[:, 1])[0]) if len(both) >= LEAST_TASKS else np.nan


def times_as_long(fewer: pd.DataFrame, more: pd.DataFrame, tasks: pd.Index) -> float:
    """Return how many times as long fits take, as the median over methods and tasks."""
    if fewer.empty or more.empty:
        return np.nan
    one, other = (own.xs("fit", level="metric").reindex(columns=tasks) for own in (fewer, more))
    return float(np.nanmedian((other / one.reindex(other.index)).to_numpy()))


def known_facts(field: Field, setting: str) -> pd.DataFrame:
    """Return a row per task and a column per fact that is known before a learner is chosen."""
    return pd.DataFrame({name: field.scores(setting, name).median(axis=1) for name in KNOWN}, dtype=float)


def beats_a_constant(scores: pd.DataFrame, metric: str, percent: float) -> dict[str, float]:
    """Return p-values of Wilcoxon's one-sided test that scores do not exceed a constant's, after Holm's correction."""
    constant = 0.5 if metric == "auc" else percent / 100
    own = {m: values for m in scores if len(values := (scores[m] - constant).dropna()) >= LEAST_TASKS}
    pvalues = [wilcoxon(values, alternative="greater").pvalue for values in own.values()]
    return dict(zip(own, holm(pvalues), strict=True)) if own else {}


def correlations(scores: pd.DataFrame, facts: pd.DataFrame) -> pd.DataFrame:
    """Return rank correlations of every property with every method's advantage over the mean of all methods.

    Returns
    -------
    DataFrame with ``method, property, rho, p, p_holm, tasks``; missing where a property does not vary, and empty for fewer than
    five tasks.
    """
    facts, ahead, rows = facts.reindex(scores.index), scores.sub(scores.mean(axis=1), axis=0), []
    for method in ahead if len(scores) >= LEAST_TASKS else ():
        for name in facts:
            pair = pd.concat([ahead[method], facts[name]], axis=1).dropna()
            varies = len(pair) >= LEAST_TASKS and pair.nunique().min() > 1
            rho, p = spearmanr(pair.iloc[:, 0], pair.iloc[:, 1]) if varies else (np.nan, np.nan)
            rows.append([method, name, float(rho), float(p), np.nan, len(pair)])
    found = pd.DataFrame(rows, columns=["method", "property", "rho", "p", "p_holm", "tasks"])
    known = found["p"].notna()
    if known.any():
        found.loc[known, "p_holm"] = holm(found.loc[known, "p"].to_numpy())
    return found


def advice(scores: pd.DataFrame, facts: pd.DataFrame) -> pd.DataFrame:
    """Return what it gains to choose a learner by facts of a task, on tasks that the rule has not seen.

    On a random half of the tasks, a tree of depth two learns how far each learner is ahead of the others.  On the other half,
    the learner with the largest predicted lead is compared with the one that ranks best on the first half.

    Parameters
    ----------
    scores : DataFrame
        Tasks by learners, without missing values.
    facts : DataFrame
        A row per task.

    Returns
    -------
    DataFrame with a row per pair of halves and ``first, rule, best``: mean scores on the second half of the learner that ranks
    best on the first, of the rule, and of each task's best learner.
    """
    facts = facts.reindex(scores.index).dropna(axis="columns")
    rng, rows = np.random.default_rng(0), []
    for _ in range(N_HALVES if len(scores) >= 2 * LEAST_TASKS and facts.shape[1] else 0):
        order = rng.permutation(len(scores))
        known, new = order[: len(order) // 2], order[len(order) // 2 :]
        learned, judged = scores.iloc[known], scores.iloc[new]
        first = learned.rank(axis=1, ascending=False).mean().idxmin()
        tree = DecisionTreeRegressor(max_depth=2, min_samples_leaf=3, random_state=0)
        tree.fit(facts.iloc[known], learned.sub(learned.mean(axis=1), axis=0))
        choice = tree.predict(facts.iloc[new]).argmax(axis=1)
        ruled = judged.to_numpy()[np.arange(len(judged)), choice]
        rows.append([judged[first].mean(), ruled.mean(), judged.max(axis=1).mean()])
    return pd.DataFrame(rows, columns=["first", "rule", "best"], dtype=float)
