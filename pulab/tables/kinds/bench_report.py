"""A short report on a table of one's own: what it holds, which methods are ahead by what, and what can not be known from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from pulab.tables.inputs import Inputs
from pulab.tables.kinds.levelfield_trivial import margins_over_trivial
from pulab.tables.levelfield import METRICS, Field, interval_text, over_tasks
from pulab.tables.sheet import Sheet

FACTS = ("n_labeled", "n_unlabeled", "n_test", "n_test_positive", "n_features", "prior_told", "prior_estimated")
#: Methods that are named as the first by a criterion.
SHOWN = 3
KNOWN = (
    "What PU data alone can show: which methods rank labeled rows above unlabeled ones best (proxy AUC orders methods as the "
    "true AUC would) and, as far as π is right, accuracy (proxy accuracy). Both hold if labels are selected at random among "
    "the positives.",
    "What PU data alone cannot show: whether labels are selected at random, whether π is right, and how good the best of "
    "these methods is on rows unlike the labeled ones. No criterion without negatives measures that, and the intervals above "
    "do not include it.",
)
REMEDY = (
    "The remedy: determine the true labels of some randomly drawn unlabeled rows and provide them in a separate column "
    "(`truth`). A hundred of them estimate accuracy to within about 10 points, a thousand to within 3."
)


def render(spec: Mapping[str, Any], inputs: Inputs, paths: Mapping[str, str]) -> None:
    """Write the report that ``spec``, its entry in the study's configuration, describes: sentences in the place of cells."""
    told = pd.DataFrame(list(sentences(spec, inputs)), columns=["about", "text"])
    told.to_csv(paths["csv"], index=False)
    lists = {about: part["text"].tolist() for about, part in told.groupby("about", sort=False)}
    Sheet(title=spec["title"], lists=lists).write(paths)


def sentences(spec: Mapping[str, Any], inputs: Inputs) -> Iterator[tuple[str, str]]:
    """Headings and sentences."""
    setting = next(iter(spec["settings"]))
    field = Field.of(spec, inputs.results, [setting], [*spec["metrics"], *FACTS])
    facts = {name: field.scores(setting, name).median(axis=1) for name in FACTS}
    if not len(facts["n_labeled"]):
        yield "The data", "Nothing was run."
        return
    n_test, n_positive = (int(facts[name].median()) for name in ("n_test", "n_test_positive"))
    known = 0 < n_positive < n_test
    yield "The data", _of_data(facts, n_test, n_positive)
    yield "The data", _of_prior(facts)
    for metric in spec["metrics"]:
        scores = field.scores(setting, metric)
        if len(scores):
            yield "Who is ahead", _ahead(field, metric, scores)
    for metric in ("accuracy", "proxy_accuracy"):
        margins = margins_over_trivial(
            Field.of({**spec, "over": "dataset"}, inputs.results, [setting], [metric]), inputs.results, setting, metric
        )
        margins = margins[margins["method"].isin(field.ranked(field.table.columns))]
        if len(margins):
            yield "Who is ahead", _against_trivial(field, margins, metric)
    if known:
        within = 196 * np.sqrt(0.25 / n_test)
        agreement = _agreement(field, setting)
        yield (
            "What is known",
            f"{n_test} test rows tell a method's accuracy within about {within:.0f} points (95%)." + agreement,
        )
        yield (
            "What is known",
            "Draws share their rows: tests over them show who is ahead on this table, not on a similar one.",
        )
    else:
        yield from (("What is known", text) for text in KNOWN)
        yield "What is known", REMEDY
    yield (
        "What is known",
        "Classifiers trained on true labels (the ceiling in the level field) need labels that this table does not contain.",
    )
    for method, reason in field.reasons.items():
        yield "Not run", f"{field.label(method)}: {reason}."


def _of_data(facts: Mapping[str, pd.Series], n_test: int, n_positive: int) -> str:
    counts = {name: int(facts[name].median()) for name in ("n_labeled", "n_unlabeled", "n_features")}
    tests = (
        f"{n_test} test rows whose truth is known, {n_positive} of them positive"
        if n_test
        else "no test row whose truth is known"
    )
    return (
        f"{counts['n_labeled']:,} labeled rows, {counts['n_unlabeled']:,} unlabeled ones and {tests}; {counts['n_features']} "
        f"columns after encoding. Each of {len(facts['n_labeled'])} draws holds out three tenths of the labeled and of the "
        f"unlabeled rows."
    )


def _of_prior(facts: Mapping[str, pd.Series]) -> str:
    prior = facts["prior_told"]
    if not facts["prior_estimated"].median():
        return f"π is {prior.median():.2f}, as you gave it."
    spread = f", {prior.min():.2f} to {prior.max():.2f} over the draws" if prior.min() < prior.max() else ""
    return f"π is estimated: {prior.median():.2f}{spread}. Accuracy by proxy, and every threshold, depends on it."


def _ahead(field: Field, metric: str, scores: pd.DataFrame) -> str:
    found = over_tasks(scores[field.ranked(scores.columns)].dropna(axis="columns")).sort_values("mean", ascending=False)
    named = [f"*{field.label(m)}* {interval_text(*found.loc[m, ['mean', 'low', 'high']])}%" for m in found.index[:SHOWN]]
    where = "rows held out" if metric.startswith("proxy") else "the test rows"
    return f"By {METRICS[metric]} on {where}: {', '.join(named)} (means over draws, with 95% bootstrap intervals)."


def _against_trivial(field: Field, margins: pd.DataFrame, metric: str) -> str:
    worse = margins[margins["lost"]]["method"].map(field.label).tolist()
    who = (
        f"worse than it, beyond the interval over draws: {', '.join(f'*{name}*' for name in worse)}"
        if worse
        else "none is worse"
    )
    best = field.label(str(margins["trivial"].iloc[0]))
    return f"By {METRICS[metric]} the best trivial classifier is *{best}*; of {margins['method'].nunique()} learners {who}."


def _agreement(field: Field, setting: str) -> str:
    """How far the criterion without negatives orders the learners as the truth does."""
    both = [field.scores(setting, metric).mean() for metric in ("proxy_auc", "auc")]
    pair = pd.concat(both, axis=1).dropna()
    pair = pair.loc[field.ranked(pair.index)]
    if len(pair) < 3:
        return ""
    rho = float(spearmanr(pair.iloc[:, 0], pair.iloc[:, 1]).statistic)
    return f" Over {len(pair)} learners proxy AUC and AUC go together with a rank correlation of {rho:.2f}.".replace("-", "−")
