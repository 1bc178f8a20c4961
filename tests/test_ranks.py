"""The documented script that ranks the level field's learners reproduces the study's numbers."""

import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from pulab.plan.load import load_study
from studies.levelfield.field import Field

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "docs" / "ranks.py"
WORDS = {"estimated_two_sample": "two samples", "estimated_one_sample": "one sample"}
MAIN = tuple(WORDS)


@pytest.fixture(scope="module")
def example():
    return SimpleNamespace(**runpy.run_path(str(SCRIPT)))


@pytest.fixture(scope="module")
def trials(example):
    return pd.read_parquet(example.TIDY)


def ranking_of(trials, setting, metric):
    """Return the ranking computed by the study's own code."""
    methods = load_study("levelfield").methods_of("paper")
    roles = {name: method.role for name, method in methods.items() if method.role}
    return Field.of_tidy(trials, [setting], ["accuracy", "auc"], {name: name for name in methods}, {}, roles).ranking(
        setting, metric
    )


@pytest.mark.slow
@pytest.mark.parametrize("setting", [*MAIN, "two_sample"])
@pytest.mark.parametrize("metric", ["accuracy", "auc"])
def test_script_gives_the_ranks_and_tests_of_the_study(example, trials, setting, metric):
    if setting not in set(trials["setting"]):
        pytest.skip(f"the archived results have no setting {setting} yet")
    found, friedman = example.compare(example.scores(trials, setting, metric))
    own = ranking_of(trials, setting, metric)
    assert found["mean rank"].to_dict() == pytest.approx(own.ranks.to_dict())
    assert found["p, best"].to_dict() == pytest.approx(own.pairs.pvalues[own.order[0]].to_dict(), rel=1e-6)
    assert friedman == pytest.approx(own.test.f_pvalue, rel=1e-6, abs=1e-300)


def test_leaderboard_of_each_page_matches_the_script(example, trials):
    names = {(s, m): f"{name}, {words}" for s, words in WORDS.items() for m, name in (("accuracy", "accuracy"), ("auc", "AUC"))}
    found = {name: example.scores(trials, *place).rank(axis=1, ascending=False).mean() for place, name in names.items()}
    ranks = pd.DataFrame(found).dropna()
    ranks.index = [method.label for name in ranks.index for method in [load_study("levelfield").methods_of(None)[name]]]
    ranks = ranks.loc[ranks.mean(axis=1).sort_values().index]
    (best, times), *_ = ranks.idxmin().value_counts(sort=True).items()
    first = f"Of {len(ranks)} ranked learners, *{best}* has the best mean rank in {times} of {ranks.shape[1]} rank"
    for page, block in (("README.md", "front"), ("docs/choosing.md", "podium")):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert first in text
        shown = re.search(rf"<!-- begin: {block} -->\n(.*?)\n<!-- end: {block} -->", text, re.DOTALL)[1]
        header, _, *rows = [[part.strip() for part in line.strip("|").split("|")] for line in shown.splitlines()]
        for row in rows:
            printed = dict(zip(header, row, strict=True))
            own = ranks.loc[printed["learner"]]
            if block == "front":
                assert printed["mean rank"].rstrip(" •") == f"{own.mean():.1f}"
                continue
            assert [printed[f"rank by {name}"].rstrip(" •") for name in own.index] == [f"{rank:.2f}" for rank in own]


def test_learner_that_failed_on_a_task_ranks_last_on_it(example):
    numbers = {"a": (0.9, 0.8), "b": (0.7, 0.9), "c": (0.8, None), "d": (None, 0.6)}
    rows = [(f"task {k}", name, own[k]) for name, own in numbers.items() for k in range(2)]
    trials = pd.DataFrame(rows, columns=["dataset", "method", "value"]).assign(setting="s", metric="auc", status="ok")
    missing = trials["value"].isna()
    trials.loc[missing & (trials["method"] == "c"), ["metric", "status"]] = ["", "failed"]
    table = example.scores(trials, "s", "auc")
    assert list(table) == ["a", "b", "c"], "d was run on too few tasks"
    assert table.rank(axis=1, ascending=False).loc["task 1"].tolist() == [2, 1, 3]
