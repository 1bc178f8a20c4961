"""Rare positives in tables whose truth is known: what the bench's answer says of them, against that truth."""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score
from threadpoolctl import threadpool_limits

from purank import judge, learners, prior, question, report, scoring
from purank import ranked as ranked_rows
from purank.table import Rows

#: As many draws, of each of which every sentence has to be true: one that is wrong in half of them is noticed in 75% of cases.
SEEDS = range(2)
#: Quick ones.
LEARNERS = ("naive_lr", "elkan_noto_lr")


@dataclass
class Drawn:
    """Rows, and the truth of all."""

    rows: Rows
    truth: np.ndarray


def draw(n, share, labeled, n_kinds, seed):
    """Normal features; positives of some kinds that differ from the others in three features each."""
    rng = np.random.default_rng(seed)
    truth, X = rng.random(n) < share, rng.normal(size=(n, 10))
    kind = rng.integers(n_kinds, size=n)
    for k in range(n_kinds):
        X[np.ix_(truth & (kind == k), range(3 * k, 3 * k + 3))] += 1.8
    named = truth & (rng.random(n) < labeled)
    names = [f"x{j}" for j in range(10)]
    return Drawn(Rows(X, named, np.full(n, np.nan), None, np.arange(n), names, ["a table"]), truth)


#: Two thousandths of the rows in one direction, about 50 of them labeled; a hundredth in three, about 100 labeled.
TABLES = {"two thousandths": (50_000, 0.002, 0.5, 1), "a hundredth": (25_000, 0.01, 0.4, 3)}


def numbers(text):
    return [float(one.replace(",", "")) for one in re.findall(r"[\d,]*\d(?:\.\d+)?", text)]


def said(text, drawn, ranked, scored):
    """For each of the five sentences, and for the head of the list, whether the truth agrees."""
    rows, truth = drawn.rows, drawn.truth
    sentences = re.split(r"\n(?=\d\. \*\*)", text.split("\n## ")[0])[1:]
    known, prior_said, best, _, simple = sentences
    hidden = int(truth[rows.unlabeled].sum())
    agrees = {"labels": f"{rows.labeled.sum():,} of {len(truth):,} rows are labeled" in known}
    low, high = np.array(numbers(re.search(r"anything from (.*?) is possible", prior_said)[1])) / 100
    agrees["π"] = low * 0.995 <= truth.mean() <= high * 1.005
    least, most = numbers(re.search(r"which means (.*?) positives among", prior_said)[1])
    agrees["hidden positives"] = least - 0.05 <= hidden <= most + 0.5
    precision = {
        name: average_precision_score(truth[rows.unlabeled], one.place[rows.unlabeled]) for name, one in scored.items()
    }
    labels = {name: learners.LEARNERS[name].label for name in scored}
    taken = next(name for name in scored if f"Take **{labels[name]}**" in best)
    low, high = np.array(numbers(re.search(r"by proxy is .*? \((.*?),", best)[1])) / 100
    agrees["precision"] = low * 0.995 <= precision[taken] <= high * 1.005
    tied = [name for name in scored if labels[name] in best]
    tied = list(scored) if re.search("but (all of the|the) other", best) else tied
    agrees["worse ones"] = all(precision[name] <= precision[taken] for name in scored if name not in tied)
    agrees["a constant"] = ("A constant would do" in simple) == bool(precision[taken] < 2 * truth[rows.unlabeled].mean())
    constant = re.search(r"every row negative is right for (?:at least )?([\d.]+)% of them", simple)
    agrees["the constant"] = constant is None or float(constant[1]) / 100 <= 1.001 * (1 - truth[rows.unlabeled].mean())
    found = truth[ranked["row"]][:100].sum()
    agrees["first 100"] = ranked["low"][99] <= found <= ranked["high"][99]
    # where labels bound π from above only, probabilities, which are in proportion to it, are too great, as the report says
    bounded = "the labels bound π from above only" in prior_said
    agrees["probabilities"] = bounded or ranked["probability"][:100].sum() <= found + 20
    return agrees


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
@threadpool_limits.wrap(limits=1)  # two threads that share a processor with another worker take ten times as long
def test_what_is_said_of_rare_positives_is_true(name, tmp_path, monkeypatch):
    monkeypatch.setattr(judge, "RESAMPLES", 100)
    monkeypatch.setattr(ranked_rows, "DRAWS", 1000)
    found = []
    for seed in SEEDS:
        drawn = draw(*TABLES[name], seed)
        rows = drawn.rows
        estimate = prior.estimate_pi(rows.X, rows.labeled, "one_sample", seed=seed, n_bootstrap=60)
        rho = judge.hidden(estimate, rows.labeled_share)
        scored = {
            one: scoring.cross_fit(learners.LEARNERS[one], rows, rho.prior, n_folds=3, repeats=1, seed=seed) for one in LEARNERS
        }
        report.write_answer(question.Question(table="t.csv", label="l"), (3, 1), rows, estimate, scored, tmp_path)
        text, ranked = (tmp_path / "report.md").read_text(encoding="utf-8"), pd.read_csv(tmp_path / "ranked.csv")
        found.append(said(text, drawn, ranked, scored))
    assert pd.DataFrame(found).all(axis=None), pd.DataFrame(found).sum().to_dict()
