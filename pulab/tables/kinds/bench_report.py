"""A short report on a user's table: what it contains, which methods are ahead by how much, and what it cannot show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from pulab.tables.inputs import Inputs
from pulab.tables.kinds.levelfield_trivial import margins_over_trivial
from pulab.tables.levelfield import METRICS, Field, interval_text, over_tasks
from pulab.tables.sentences import Range, sentences
from pulab.tables.sheet import Sheet

FACTS = ("n_labeled", "n_unlabeled", "n_test", "n_test_positive", "n_features", "prior_told", "prior_estimated")
#: Methods that are named as the best by a metric.
SHOWN = 3


def render(spec: Mapping[str, Any], inputs: Inputs, paths: Mapping[str, str]) -> None:
    """Write the report that ``spec``, its entry in the study's configuration, describes: sentences in the place of cells."""
    lists = report(spec, inputs)
    rows = [(about, text) for about, texts in lists.items() for text in texts]
    pd.DataFrame(rows, columns=["about", "text"]).to_csv(paths["csv"], index=False)
    Sheet(title=spec["title"], lists=lists).write(paths)


def report(spec: Mapping[str, Any], inputs: Inputs) -> dict[str, list[str]]:
    """Sentences by heading."""
    setting = next(iter(spec["settings"]))
    field = Field.of(spec, inputs.results, [setting], [*spec["metrics"], *FACTS])
    facts = {name: field.scores(setting, name).median(axis=1) for name in FACTS}
    if not len(facts["n_labeled"]):
        return {"The data": ["Nothing was run."]}
    counts = {name: int(values.median()) for name, values in facts.items() if name.startswith("n_")}
    prior = {"estimated": bool(facts["prior_estimated"].median()), "median": facts["prior_told"].median()}
    prior["range"] = Range.of(facts["prior_told"])
    leaders = [_leaders(field, metric, scores) for metric in spec["metrics"] if len(scores := field.scores(setting, metric))]
    lists = {
        "The data": _texts("bench_data", **counts, draws=len(facts["n_labeled"]), prior=prior),
        "Who is ahead": _texts("bench_ahead", leaders=leaders, trivial=list(_trivial(spec, inputs, field, setting))),
        "What is known": _texts(
            "bench_known",
            **{name: counts[name] for name in ("n_test", "n_test_positive")},
            within=196 * np.sqrt(0.25 / counts["n_test"]) if counts["n_test"] else np.nan,
            agreement=_agreement(field, setting),
        ),
        "Not run": [f"{field.label(method)}: {reason}." for method, reason in field.reasons.items()],
    }
    return {about: texts for about, texts in lists.items() if texts}


def _texts(template: str, **records: Any) -> list[str]:
    return [sentence.text for sentence in sentences(template, **records)]


class Leaders(NamedTuple):
    """The best methods by a metric, each with its mean in percent and the interval over draws."""

    metric: str
    by_proxy: bool
    methods: list[tuple[str, str]]


def _leaders(field: Field, metric: str, scores: pd.DataFrame) -> Leaders:
    found = over_tasks(scores[field.ranked(scores.columns)].dropna(axis="columns")).sort_values("mean", ascending=False)
    named = [(field.label(m), interval_text(*found.loc[m, ["mean", "low", "high"]])) for m in found.index[:SHOWN]]
    return Leaders(METRICS[metric], metric.startswith("proxy"), named)


class Trivial(NamedTuple):
    """The best trivial classifier by a metric, and the learners that are worse, beyond the interval over draws."""

    metric: str
    name: str
    learners: int
    worse: list[str]


def _trivial(spec: Mapping[str, Any], inputs: Inputs, field: Field, setting: str) -> Iterator[Trivial]:
    for metric in ("accuracy", "proxy_accuracy"):
        by_dataset = Field.of({**spec, "over": "dataset"}, inputs.results, [setting], [metric])
        margins = margins_over_trivial(by_dataset, inputs.results, setting, metric)
        margins = margins[margins["method"].isin(field.ranked(field.table.columns))]
        if len(margins):
            worse = margins.loc[margins["lost"], "method"].map(field.label).tolist()
            name = field.label(str(margins["trivial"].iloc[0]))
            yield Trivial(METRICS[metric], name, margins["method"].nunique(), worse)


class Agreement(NamedTuple):
    """How far proxy AUC orders the learners as AUC does."""

    learners: int
    rho: float


def _agreement(field: Field, setting: str) -> Agreement | None:
    both = [field.scores(setting, metric).mean() for metric in ("proxy_auc", "auc")]
    pair = pd.concat(both, axis=1).dropna()
    pair = pair.loc[field.ranked(pair.index)]
    if len(pair) < 3:
        return None
    return Agreement(len(pair), float(spearmanr(pair.iloc[:, 0], pair.iloc[:, 1]).statistic))
