"""Learners on a table of one's own: cross-fitting, the comparison, the ranked rows, and what the report says."""

import contextlib
import io
import re
import runpy
import sys
import time
import xml.etree.ElementTree as ET
from concurrent import futures
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import average_precision_score, roc_auc_score

from pulab.plan.load import load_study
from pulab.trials.trial import make_estimator
from pulib.metrics import proxy_auc, proxy_average_precision
from pulib.priors import PriorEstimate
from purank import command, judge, learners, prior, question, ranked, report, run, scoring
from purank.model import model_code
from purank.table import Rows

ROOT = Path(__file__).parents[2]
METHODS = load_study("levelfield").methods_of("paper")
FEW = ["naive_lr", "elkan_noto_lr"]


def make_rows(n=400, prior=0.3, label_share=0.4, n_test=0, shift=1.5, seed=0, group_size=0):
    """Rows in normal classes, some positives labeled, some rows kept for testing; and the truth of all."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < prior
    X = rng.normal(size=(n, 3)) + shift * truth[:, None]
    test = rng.permutation(n) < n_test
    labeled = truth & (rng.random(n) < label_share) & ~test
    groups = np.arange(n) // group_size if group_size else None
    known = np.where(test, truth, np.nan)
    rows = Rows(X, labeled, known, groups, np.array([f"r{i}" for i in range(n)]), ["a", "b", "c"], ["a table"])
    return rows, truth


def scored_by(rows, truth, quality=1.5, seed=1):
    """Places as a learner of some quality would give them."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=len(truth)) + quality * truth
    place = scoring.places(scores, scores[rows.unlabeled])
    return scoring.Scored(place, (place > 0.7).astype(float), 0.5, 0.01, 100)


def known_prior(rows, prior, low=None, high=None, **more):
    ends = (low if low is not None else prior, high if high is not None else prior)
    counts = {"n_labeled": len(rows.positives), "n_unlabeled": len(rows.unlabeled)}
    return PriorEstimate(prior, *ends, 0.95, "best_bin", "one_sample", **counts, **more)


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    """What is averaged over tables needs no fine quantiles of each: coarse ones only make intervals cover less.

    The picture is drawn in the test that looks at it.
    """
    monkeypatch.setattr(ranked, "DRAWS", ranked.DRAWS // 8)
    monkeypatch.setattr(judge, "RESAMPLES", judge.RESAMPLES // 4)
    monkeypatch.setattr(report, "draw_head", lambda ranked, path: path.write_text("<svg></svg>"))


DRAW_HEAD = report.draw_head


def answer(tmp_path, rows, estimate, scored, **asked):
    asked = question.Question(table="own.csv", label="labeled", **asked)
    report.write_answer(asked, (5, 1), rows, estimate, scored, tmp_path)
    return (tmp_path / "report.md").read_text(encoding="utf-8")


class Witness(ClassifierMixin, BaseEstimator):
    """Raises an error where it is asked about a row that it was trained on, or about one of its group: ten rows in a row."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        self.seen_ = set((X[:, 0] // 10).astype(int).tolist())
        assert {0, 1} == set(y.tolist())
        return self

    def decision_function(self, X):
        assert not self.seen_ & set((X[:, 0] // 10).astype(int).tolist())
        return X[:, 0]

    def predict(self, X):
        return (self.decision_function(X) > 0).astype(int)


WITNESS = learners.Learner("witness", "witness", Witness)


def test_learners_are_those_of_the_level_field():
    for name, learner in learners.LEARNERS.items():
        method = METHODS[f"lf_{name}"]
        assert (learner.label, learner.standardize) == (method.label, method.standardize)
        assert [learner.requires] == (list(method.requires) or [""])
        if not learner.missing:
            theirs = make_estimator(method.estimator, method.params, seed=None, n_jobs=None)
            # pulearn's default for n_jobs is not scikit-learn's
            shown = repr(theirs).replace("RandomForestClassifier(n_estimators=100)", "RandomForestClassifier()")
            assert repr(learner.make()) == shown.replace("BaggingPuClassifier(n_jobs=None)", "BaggingPuClassifier()")
    ours = {f"lf_{name}" for name in learners.LEARNERS}
    elsewhere = {name for name, method in METHODS.items() if method.role in ("ceiling", "trivial")}
    left_out = {"lf_upu_mlp", "lf_self_pu", "lf_bagging_rf", "lf_biased", "lf_pu_toolbox_nnpu", "lf_pusb"}
    assert {name for name in METHODS if name.startswith("lf_")} - ours - elsewhere == left_out


def test_chosen_learners_hold_the_plain_one_and_know_their_names():
    assert [one.name for one in learners.chosen_learners(["pu_et"])] == ["pu_et", "naive_lr"]
    assert sum(one.name == learners.PLAIN for one in learners.chosen_learners("default")) == 1
    with pytest.raises(ValueError, match=r"unknown method 'pu_te' \(did you mean '\w+'\?\)"):
        learners.chosen_learners(["pu_te"])


@pytest.mark.parametrize("name", ["pu_et", "elkan_noto_lr", "bagging_svm"])
def test_learners_are_told_the_share_among_unlabeled_rows(name):
    params = learners.LEARNERS[name].build(0.17, seed=1).get_params()
    assert [value for key, value in params.items() if key.split("__")[-1] == "prior" and value is not None] == [0.17]
    assert {value for key, value in params.items() if key.split("__")[-1] == "scenario"} <= {"two_sample"}


def test_nothing_is_scored_by_a_model_that_saw_its_group():
    rows, _ = make_rows(n=300, n_test=0, group_size=10)
    rows.X[:, 0] = np.arange(300)
    done = scoring.cross_fit(WITNESS, rows, 0.2, n_folds=5, repeats=2)
    assert not done.error
    assert np.isfinite(done.place).all()
    alone = Rows(rows.X, rows.labeled, rows.truth, None, rows.ids)
    assert "AssertionError" in scoring.cross_fit(WITNESS, alone, 0.2, n_folds=5, repeats=1).error


def test_test_rows_never_train_and_are_scored_by_every_model():
    rows, _ = make_rows(n=300, n_test=50)
    rows.X[:, 0] = 10 * np.arange(300)
    done = scoring.cross_fit(WITNESS, rows, 0.2, n_folds=4, repeats=1)
    assert not done.error
    assert np.isfinite(done.place[rows.test]).all()


def test_copies_share_a_fold_and_labeled_rows_are_spread():
    U = np.random.default_rng(0).normal(size=(300, 3))
    known = np.where(np.arange(340) < 320, np.nan, 0.0)
    folds = scoring.fold_numbers(Rows(np.r_[U[:40], U], np.arange(340) < 40, known, None, np.arange(340)), 5, seed=3)
    assert np.array_equal(folds[:40], folds[40:80])
    assert np.bincount(folds[:40]).tolist() == [8] * 5
    assert (folds[-20:] == -1).all()


def test_two_kinds_of_rows_are_dealt_out_one_by_one():
    X, labeled = (np.arange(60) % 2)[:, None].astype(float), np.arange(60) < 12
    folds = scoring.fold_numbers(Rows(X, labeled, np.full(60, np.nan), None, np.arange(60)), 4, seed=0)
    assert np.bincount(folds[labeled]).tolist() == [3] * 4


def test_a_sample_keeps_the_labeled_rows_first():
    labeled = np.arange(1000) < 30
    rows = scoring.sample_rows(np.arange(1000), labeled, 100, seed=0)
    assert len(rows) == 100
    assert labeled[rows].sum() == 30
    many = scoring.sample_rows(np.arange(1000), np.arange(1000) < 600, 100, seed=0)
    assert (many < 600).sum() == 50


def trained(seconds, megabytes=0.0, of=50_000):
    """Instead of a model: what it took, by its number of rows."""
    sizes = []

    def train(n):
        sizes.append(n)
        kept = np.ones(int(1e6 * megabytes * n / 1000), dtype=np.uint8)
        return scoring.Scored(kept[:1], kept[:1], seconds(n / 1000), 0.0, min(n, of), n if n < of else 0)

    return train, sizes


@pytest.mark.parametrize("power", [1.0, 1.6, 2.4])
def test_a_slow_learner_gets_as_many_rows_as_its_share_allows(power):
    rows, _ = make_rows(n=50_000)
    train, sizes = trained(lambda n: 0.1 * n**power)
    found = run.grown(train, rows, 5, share=20.0, memory=1e10)
    allowed = min(1000 * 200.0 ** (1 / power), 50_000)
    assert 0.7 * allowed <= found.n_trained <= 1.1 * allowed
    assert bool(found.sampled) == (allowed < 50_000)
    assert sizes[-1] >= 50_000 or found.sampled == sizes[-1]
    assert sum(sizes) < 2.5 * sizes[-1]
    again, more = trained(lambda n: 0.1 * n**power)
    assert run.grown(again, rows, 5, 20.0, 1e10, found) is found or more[0] > found.n_trained


def test_a_learner_that_turns_out_slower_than_expected_keeps_fewer_rows():
    rows, _ = make_rows(n=50_000)
    train, sizes = trained(lambda n: 0.1 if n < 10 else 100.0)
    found = run.grown(train, rows, 5, share=20.0, memory=1e10)
    assert found.sampled == sizes[-2] == 8_000


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the system does not say how much memory a fit takes")
def test_memory_limits_the_rows():
    rows, _ = make_rows(n=50_000)
    train, _ = trained(lambda n: 1e-6, megabytes=20.0)
    assert 2_000 < run.grown(train, rows, 5, share=20.0, memory=4e8).sampled < 20_000


def test_a_share_is_what_is_left_for_all_learners(tmp_path, monkeypatch):
    """Quick ones leave theirs to the slow one; all get along with the budget, and finished models are not trained again."""
    asked = []
    rows, truth = make_rows(n=4_000)
    whole = scored_by(rows, truth)

    def first_model(work, name, budget, share, memory):
        asked.append((name, share))
        seconds = 0.01 if name in FEW else share
        return scoring.Scored(whole.place, whole.called, seconds, 0.0, 100, 0 if name in FEW else int(10 * share))

    class Here:
        def submit(self, task, *arguments):
            done = futures.Future()
            done.set_result(task(*arguments))
            return done

    def next_model(work, name, fold, sampled):
        whole.save(work.file(learners.LEARNERS[name], fold, sampled or None))

    monkeypatch.setattr(run, "processes", lambda n, log: contextlib.nullcontext(Here()))
    monkeypatch.setattr(run, "first_model", first_model)
    monkeypatch.setattr(run, "next_model", next_model)
    said = []
    work = run.Work(tmp_path, "table", 0.2, 5, 1, 0)
    some = [learners.LEARNERS[name] for name in (*FEW, "cwsvm")]
    given = {"budget": 5.0, "ends": time.monotonic() + 300, "cores": 2, "say": said.append}
    assert list(run.score_all(work, some, rows, **given)) == [*FEW, "cwsvm"]
    assert [name for name, _ in asked] == [*FEW, "cwsvm", "cwsvm"]
    shares = [share for _, share in asked]
    assert 2.4 * shares[0] < shares[-1] < 0.8 * 300 / 3  # a model is one process's: 3 rounds of 2, of which the first has one
    assert re.match(r"3 learners on 2 cores: about \d+ (seconds|minutes) more", said[0])
    assert f"class-weighted SVM trains on {int(10 * shares[-1])} rows drawn at random" in said[0]


def test_the_criterion_is_that_of_the_library():
    rows, truth = make_rows(n=2000, n_test=500)
    scored = {"naive_lr": scored_by(rows, truth)}
    place, y = scored["naive_lr"].place, rows.labeled[rows.train].astype(int)
    known = {"prior": 0.2, "scenario": "two_sample"}
    pu = (rows.positives, rows.unlabeled)
    by = {
        "auc": proxy_auc(y, place[rows.train], **known),
        "average_precision": proxy_average_precision(y, place[rows.train], **known),
    }
    for name, value in by.items():
        draws = judge.resampled(scored, pu, None, name, 0.2, seed=0)["naive_lr"]
        assert draws[0] == pytest.approx(value, abs=2e-3), name
        assert draws[1:].quantile(0.02) < value < draws[1:].quantile(0.98)
    test = rows.truth[rows.test]
    sides = (rows.test[test == 1], rows.test[test == 0])
    by = {"auc": roc_auc_score(test, place[rows.test]), "average_precision": average_precision_score(test, place[rows.test])}
    for name, value in by.items():
        assert judge.resampled(scored, sides, None, name, None, seed=0).loc[0, "naive_lr"] == pytest.approx(value, abs=2e-3), (
            name
        )


def test_learners_that_rank_alike_are_not_told_apart_and_a_worse_one_is():
    rows, truth = make_rows(n=3000)
    scored = {
        "naive_lr": scored_by(rows, truth, 2.0, 1),
        "pu_et": scored_by(rows, truth, 2.0, 2),
        "adapu": scored_by(rows, truth, 0.2, 3),
    }
    found = judge.judge(rows, scored, judge.hidden(known_prior(rows, 0.3), rows.labeled_share))
    assert found.criterion == "auc"
    assert set(found.tied) | {found.best} == {"naive_lr", "pu_et"}
    assert found.table.index[-1] == "adapu"


def test_rare_positives_are_ranked_by_average_precision():
    rows, truth = make_rows(n=5000, prior=0.02)
    found = judge.judge(rows, {"naive_lr": scored_by(rows, truth)}, judge.hidden(known_prior(rows, 0.02), rows.labeled_share))
    assert found.criterion == "average_precision"


@pytest.mark.parametrize(("prior", "n"), [(0.3, 2000), (0.02, 8000)])
def test_the_number_of_positives_in_the_head_is_within_its_interval(prior, n, monkeypatch):
    """95% intervals, at several lengths of the list and of many tables."""
    monkeypatch.setattr(ranked, "LENGTHS", 60)
    inside = []
    for seed in range(20):
        rows, truth = make_rows(n=n, prior=prior, seed=seed)
        scored = scored_by(rows, truth, 2.0, seed + 100)
        rho = judge.hidden(known_prior(rows, prior), rows.labeled_share)
        order = rows.unlabeled[np.argsort(-scored.place[rows.unlabeled], kind="stable")]
        head = ranked.positives_in_head(rows, scored.place, order, rho)
        found = np.cumsum(truth[order])
        at = np.array([20, 50, 100, 500]) - 1
        inside.append((head.low[at] <= found[at]) & (found[at] <= head.high[at]))
        assert (np.diff(head.low) >= 0).all()
        assert (head.high <= np.arange(1, len(order) + 1)).all()
    assert np.mean(inside) > 0.9


def test_ranked_rows_hold_each_unlabeled_row_once_with_calibrated_probabilities():
    rows, truth = make_rows(n=8000, prior=0.3, n_test=200)
    scored = {name: scored_by(rows, truth, 2.0, k) for k, name in enumerate(FEW)}
    rho = judge.hidden(known_prior(rows, 0.3), rows.labeled_share)
    found = ranked.ranked_rows(rows, scored, FEW, {name: name for name in FEW}, rho)
    assert sorted(found["row"]) == sorted(rows.ids[rows.unlabeled])
    assert found["rank"].tolist() == list(range(1, len(found) + 1))
    assert found["score: naive_lr"].is_monotonic_decreasing
    hidden = pd.Series(truth, index=rows.ids)[found["row"]].to_numpy()
    for part in np.array_split(np.arange(len(found)), 8):
        assert abs(hidden[part].mean() - found["probability"].iloc[part].mean()) < 0.15


@settings(max_examples=60, deadline=None)
@given(
    scores=st.lists(st.tuples(st.integers(0, 30), st.booleans()), min_size=4, max_size=300),
    share=st.floats(0.001, 0.999),
    spread=st.floats(1.0, 50.0),
)
def test_probabilities_add_up_to_the_expected_positives_along_the_whole_list(scores, share, spread):
    """Whatever ranks the rows, with ties or without, and however few are labeled."""
    scores = [*scores, (3, True), (5, True), (2, False), (4, False)]
    value, labeled = np.array([s for s, _ in scores], dtype=float), np.array([k for _, k in scores])
    rows = Rows(value[:, None], labeled, np.full(len(value), np.nan), None, np.arange(len(value)))
    place = scoring.places(value, value[~labeled])
    order = rows.unlabeled[np.argsort(-place[rows.unlabeled], kind="stable")]
    rho = PriorEstimate(share, share / spread, min(share * spread, 1.0), 0.95, "best_bin", "two_sample",
                        len(rows.positives), len(order))  # fmt: skip
    head = ranked.positives_in_head(rows, place, order, rho)
    assert np.cumsum(head.probability) == pytest.approx(head.expected, abs=1e-9 * len(order))
    assert (np.diff(head.probability) <= 0).all()
    assert ((head.probability >= 0) & (head.probability <= 1)).all()
    assert ((head.low <= head.expected) & (head.expected <= head.high)).all()
    assert head.expected[-1] <= share * len(order) + 1e-9


@pytest.mark.parametrize(("n_labeled", "quality"), [(12, 1.0), (60, 1.0), (600, 1.0), (100, 2.0)])
def test_the_first_rows_hold_as_many_positives_as_expected(n_labeled, quality, monkeypatch):
    """On average over tables, with a known π; with few labels, probabilities are rather too low than too high."""
    monkeypatch.setattr(ranked, "LENGTHS", 2)  # of the interval, which is not looked at
    said, found, at = [], [], np.array([10, 20, 50]) - 1
    for seed in range(40):
        rows, truth = make_rows(n=4000, prior=0.3, label_share=n_labeled / 1200, seed=seed)
        scored = scored_by(rows, truth, quality, seed + 100)
        order = rows.unlabeled[np.argsort(-scored.place[rows.unlabeled], kind="stable")]
        rho = judge.hidden(known_prior(rows, 0.3), rows.labeled_share)
        head = ranked.positives_in_head(rows, scored.place, order, rho)
        said.append([*head.expected[at], head.probability[:200].mean()])
        found.append([*np.cumsum(truth[order])[at], truth[order][:200].mean()])
    (*expected, told), (*numbers, share) = np.mean(said, axis=0), np.mean(found, axis=0)
    if n_labeled > 12:
        assert expected == pytest.approx(numbers, rel=0.09)
    assert share - 0.2 < told < share + 0.03


@pytest.mark.slow
@pytest.mark.parametrize(("n", "share", "labeled", "n_kinds"), [(50_000, 0.002, 0.5, 1), (25_000, 0.01, 0.4, 3)])
def test_the_interval_of_a_small_share_of_positives_holds_it(n, share, labeled, n_kinds):
    """Two thousandths of the rows in one direction, about 50 of them labeled; a hundredth in three, about 100 labeled."""
    for seed in range(2):
        rng = np.random.default_rng(seed)
        truth, X = rng.random(n) < share, rng.normal(size=(n, 10))
        kind = rng.integers(n_kinds, size=n)
        for k in range(n_kinds):
            X[np.ix_(truth & (kind == k), range(3 * k, 3 * k + 3))] += 1.8
        estimate = prior.estimate_pi(X, truth & (rng.random(n) < labeled), "one_sample", seed=seed, n_bootstrap=60)
        assert estimate.low * 0.995 <= truth.mean() <= estimate.high * 1.005


def test_of_three_estimates_of_the_share_the_one_with_the_least_upper_end_is_taken(monkeypatch):
    ends = iter([0.5, 0.2, 0.9])
    rest = (0.95, "best_bin", "one_sample", 5, 95)
    monkeypatch.setattr(prior, "prior_interval", lambda *_, **__: PriorEstimate(0.1, 0.0, next(ends), *rest))
    assert prior.estimate_pi(np.zeros((100, 1)), np.arange(100) < 5, "one_sample").high == 0.2


def test_without_truth_the_report_says_that_all_is_estimated(tmp_path):
    rows, truth = make_rows(n=1000)
    scored = {name: scored_by(rows, truth, 2.0, k) for k, name in enumerate(FEW)}
    text = answer(tmp_path, rows, known_prior(rows, 0.3, 0.2, 0.4), scored)
    assert "no row's truth is: everything below is estimated" in text
    assert "π, the share of positives, is about 30.0%, and anything from 20.0% to 40.0% is possible" in text
    hidden, n = judge.hidden(known_prior(rows, 0.3, 0.2, 0.4), rows.labeled_share), len(rows.unlabeled)
    assert f"which means {hidden.low * n:,.0f} to {hidden.high * n:,.0f} positives among the {n} unlabeled rows" in text
    assert "Take **" in text
    assert "test rows" not in text.split("## Which rows")[0]
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("<table>") == 3
    assert "<svg" in page
    assert "PICTURE" not in page


def test_truth_is_what_orders_where_there_is_enough(tmp_path):
    rows, truth = make_rows(n=1000, n_test=200)
    scored = {"naive_lr": scored_by(rows, truth, 2.0), "elkan_noto_lr": scored_by(rows, truth, 0.1)}
    text = answer(tmp_path, rows, known_prior(rows, 0.3), scored, prior=0.3)
    assert "ranks the methods" in text
    assert "Its area under the ROC curve on the test rows" in text
    assert "You gave π = 30.0%" in text
    assert "The other method is worse, by more than chance explains." in text
    assert "the best method is itself a plain classifier" in text


def test_proxies_above_one_are_said_to_prove_that_the_prior_is_wrong(tmp_path):
    rows, truth = make_rows(n=4000, prior=0.2, shift=3.0)
    scored = {name: scored_by(rows, truth, 3.0, k) for k, name in enumerate(FEW)}
    text = answer(tmp_path, rows, known_prior(rows, 0.6), scored, prior=0.6)
    assert "this π cannot be right, or labels were not drawn at random" in text
    assert "It proves that π is wrong" in text
    right = answer(tmp_path, rows, known_prior(rows, 0.2), scored, prior=0.2)
    assert "cannot be right" not in right


def test_rare_positives_are_not_told_by_accuracy_or_a_hundred_rows(tmp_path):
    rows, truth = make_rows(n=20_000, prior=0.005, label_share=0.5)
    scored = {name: scored_by(rows, truth, 2.5, k) for k, name in enumerate(FEW)}
    text = answer(tmp_path, rows, known_prior(rows, 0.005, 0.004, 0.007), scored)
    assert "the measure that matters if positives are rare" in text
    assert re.search(r"negative is right for at least 99\.\d% of them, so that accuracy says nothing here", text)
    wanted = int(re.search(r"about ([\d,]+) of them contain 30 positives", text)[1].replace(",", ""))
    assert wanted > 5_000


def test_a_learner_no_better_than_chance_is_called_that(tmp_path):
    rows, truth = make_rows(n=1500)
    text = answer(tmp_path, rows, known_prior(rows, 0.3), {name: scored_by(rows, truth, 0.0, k) for k, name in enumerate(FEW)})
    assert "A constant would do" in text


def test_what_failed_is_told_and_the_rest_goes_on(tmp_path):
    rows, truth = make_rows()
    broken = scoring.Scored(np.empty(0), np.empty(0), error="ValueError: no luck")
    text = answer(tmp_path, rows, known_prior(rows, 0.3), {"naive_lr": scored_by(rows, truth), "pu_et": broken})
    assert "PU extra trees has no result: ValueError: no luck" in text


def test_a_file_of_configuration_has_the_keys_of_the_command(tmp_path):
    entries = yaml.safe_load((ROOT / "config" / "own.yaml").read_text(encoding="utf-8"))
    shown = re.findall(r"^(?:# )?(\w+): ", (ROOT / "config" / "own.yaml").read_text(encoding="utf-8"), flags=re.M)
    assert set(shown) <= set(question.Question.model_fields)
    (tmp_path / "own.yaml").write_text(yaml.safe_dump({**entries, "lable": "x"}))
    with pytest.raises(ValueError, match=r"unknown key 'lable' \(did you mean '\w+'\?\)"):
        question.read_question(tmp_path / "own.yaml", {})
    (tmp_path / "own.yaml").write_text("table: a.csv\nlabel: y\nprior: 0.3\nlabel: z\n")
    with pytest.raises(ValueError, match="a key occurs twice"):
        question.read_question(tmp_path / "own.yaml", {})
    (tmp_path / "own.yaml").write_text(yaml.safe_dump({**entries, "prior": 3}))
    with pytest.raises(ValueError, match="prior: Input should be less than 1, got 3"):
        question.read_question(tmp_path / "own.yaml", {})
    (tmp_path / "own.yaml").write_text(yaml.safe_dump(entries))
    read = question.read_question(tmp_path / "own.yaml", {"prior": 0.2})
    assert (read.table, read.label, read.prior) == (str(tmp_path / "my_table.csv"), "labeled", 0.2)
    options = {action.dest for action in command.parser()._actions}
    same = set(question.Question.model_fields) - {"kinds", "encode", "folds", "seed"}
    assert same <= options


def write_table(path, n=120, **changes):
    rows, _ = make_rows(n=n)
    frame = pd.DataFrame(rows.X, columns=["age", "pay", "size"]).assign(labeled=rows.labeled.astype(int), **changes)
    frame.to_csv(path, index=False)


def test_a_mistake_ends_the_command_before_anything_runs(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_table(tmp_path / "own.csv")
    assert command.main(["own.csv", "--label", "lable"]) == 2
    assert "lable" in capsys.readouterr().err
    assert command.main(["own.csv", "--label", "labeled", "--methods", "pu_te"]) == 2
    assert command.main(["missing.csv", "--label", "labeled"]) == 2
    frame = pd.read_csv("own.csv", dtype=str)
    frame.assign(clinic=["a", "b"] * 60).where(frame["labeled"] != "1", frame.assign(clinic="a")).to_csv(
        "clinics.csv", index=False
    )
    assert command.main(["clinics.csv", "--label", "labeled", "--groups", "clinic"]) == 2
    assert "all labeled rows are of one group" in capsys.readouterr().err
    (tmp_path / "clinics.csv").unlink()
    frame.loc[4, "pay"] = "12.4O"
    frame.to_csv("own.csv", index=False)
    capsys.readouterr()
    assert command.main(["own.csv", "--label", "labeled"]) == 2
    assert "Correct them; --missing 12.4O reads them as missing, --kind pay=category takes" in capsys.readouterr().err
    write_table(tmp_path / "own.csv")
    assert [file.name for file in tmp_path.iterdir()] == ["own.csv"]
    assert command.main(["own.csv", "--label", "labeled", "--check"]) == 0
    assert "labeled" in capsys.readouterr().out


def test_the_page_has_every_option_of_the_command_with_its_values():
    page = (ROOT / "docs" / "purank.md").read_text(encoding="utf-8").partition("\n## Options\n")[2]
    rows = [row.split(" | ") for row in page.splitlines() if row.startswith("| `--")]
    shown = {name: " | ".join(row) for row in rows for name in re.findall(r"`(--[\w-]+)", row[0])}
    actions = command.parser()._actions
    options = {action.option_strings[-1]: action for action in actions if action.option_strings and action.dest != "help"}
    assert set(shown) == set(options)
    for name, action in options.items():
        assert all(f"`{choice}`" in shown[name] for choice in action.choices or []), name
        kind = f" {action.metavar}" if action.metavar else ""
        assert f"`{name}{kind}{' ...' if action.nargs == '+' else ''}`" in shown[name], name
    defaults = question.Question(table="t", label="l")
    for name in ("scenario", "methods", "budget"):
        value = getattr(defaults, name)
        assert re.search(rf"\| `?{value if isinstance(value, str) else f'{value:g}'}`? \|$", shown[f"--{name}"]), name


def test_known_negatives_test_and_never_train(tmp_path):
    write_table(tmp_path / "own.csv", n=400)
    frame = pd.read_csv(tmp_path / "own.csv")
    frame["labeled"] = np.where(frame["labeled"] == 1, "yes", np.where(frame["age"] < -1, "no", "open"))
    frame.to_csv(tmp_path / "own.csv", index=False)
    spelled = {"pos_label": "yes", "neg_label": "no", "unlabeled_label": "open"}
    rows = command.read_rows(question.Question(table=str(tmp_path / "own.csv"), label="labeled", **spelled))
    n = int((frame["labeled"] == "no").sum())
    assert n > 3
    assert (rows.truth[rows.test] == 0).sum() == len(rows.test) == n
    assert not set(rows.test) & {*rows.train, *rows.unlabeled, *rows.positives}
    assert f"{n} known negatives train no learner" in rows.description[-1]
    scored = {name: scored_by(rows, rows.labeled, 2.0, k) for k, name in enumerate(FEW)}
    text = answer(tmp_path, rows, known_prior(rows, 0.3), scored)
    assert f"{n} rows are known to be negative" in text
    assert re.search(rf"Labeled rows rank above the {n} rows known to be negative in \d+\.\d% of the pairs", text)
    assert len(pd.read_csv(tmp_path / "ranked.csv")) == (frame["labeled"] == "open").sum()


def test_proxies_of_few_labels_are_called_noise(tmp_path):
    rows, truth = make_rows(n=600, prior=0.1, label_share=0.2)
    assert len(rows.positives) < 20
    scored = {name: scored_by(rows, truth, 3.0, k) for k, name in enumerate(FEW)}
    text = answer(tmp_path, rows, known_prior(rows, 0.5, 0.0, 1.0), scored)
    assert f"Only {len(rows.positives)} of 600 rows are labeled, fewer than 30: **proxies of so few are noise**" in text
    assert "by proxy is more than 100%" in text
    assert not re.search(r"1[0-9][0-9]\.\d%", text.replace("100.0%", "").split("## Reasons for doubt")[0])
    assert "With so few labeled rows it is noise" in text


def test_an_uncertain_prior_lowers_probabilities():
    rows, truth = make_rows(n=4000, prior=0.05)
    scored = scored_by(rows, truth, 3.0)
    order = rows.unlabeled[np.argsort(-scored.place[rows.unlabeled], kind="stable")]
    sure, unsure = (
        ranked.positives_in_head(rows, scored.place, order, judge.hidden(known_prior(rows, 0.05, *ends), rows.labeled_share))
        for ends in ((), (0.0, 0.1))
    )
    assert unsure.probability[:20].mean() < sure.probability[:20].mean() - 0.1
    assert unsure.low[50] < sure.low[50] < sure.high[50] <= unsure.high[50]


def test_draws_of_the_prior_have_its_interval_for_quantiles():
    rho = PriorEstimate(0.2, 0.15, 0.6, 0.95, "best_bin", "two_sample", 10, 90)
    draws = judge.prior_draws(rho, 20_000, np.random.default_rng(0))
    assert np.quantile(draws, [0.025, 0.5, 0.975]) == pytest.approx([0.15, 0.2, 0.6], abs=0.02)


def test_of_methods_that_tie_the_simplest_that_corrects_is_taken():
    rows, truth = make_rows(n=1000)
    one = scored_by(rows, truth, 2.0)
    times = {"naive_rf": 0.01, "nnpu": 9.0, "bagging_tree": 5.0, "upu_logistic": 0.02}
    scored = {name: scoring.Scored(one.place, one.called, took, 0.01, 100) for name, took in times.items()}
    found = judge.judge(rows, scored, judge.hidden(known_prior(rows, 0.3), rows.labeled_share))
    assert found.best == "upu_logistic"
    assert set(found.tied) == {"naive_rf", "nnpu", "bagging_tree"}


def test_a_terminal_without_pi_a_missing_label_and_no_locks_are_no_traceback(tmp_path, capsys, monkeypatch):
    narrow = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr(sys, "stdout", narrow)
    with pytest.raises(SystemExit, match="0"):
        command.main(["--help"])
    narrow.flush()
    assert b"--prior" in narrow.buffer.getvalue()
    monkeypatch.undo()
    assert command.main([str(tmp_path / "own.csv")]) == 2
    assert capsys.readouterr().err.startswith("purank: --label COLUMN is missing")
    monkeypatch.setitem(sys.modules, "fcntl", None)  # as where there is no such module
    write_table(tmp_path / "own.csv")
    monkeypatch.setattr(command, "score_all", lambda *_, **__: {})  # which ends the run
    asked = [str(tmp_path / "own.csv"), "--label", "labeled", "--prior", "0.3", "--output", str(tmp_path / "out")]
    assert command.main(asked) == 2
    assert capsys.readouterr().err.startswith("purank: no learner could be trained")


def test_shares_in_the_report_are_never_below_zero(tmp_path):
    rows, truth = make_rows(n=600)
    one = scored_by(rows, truth, 2.0)
    place = one.place.copy()
    place[np.argsort(place)[:3]] += 1e-3
    text = answer(
        tmp_path,
        rows,
        known_prior(rows, 0.3, 0.2, 0.4),
        {
            "upu_logistic": one,
            "naive_lr": scoring.Scored(place, one.called, 0.5, 0.01, 100),
            "pu_et": scored_by(rows, ~truth, 2.0),
        },
    )
    assert not re.search(r"[-−]\d[\d.]*%", text)
    assert "Behind the best" in text


@pytest.mark.parametrize(("n", "prior", "share"), [(400, 0.3, 0.4), (400, 0.1, 0.2), (20_000, 0.01, 0.5), (5_000, 0.5, 0.9)])
def test_heads_hold_enough_labeled_rows_to_mean_something(n, prior, share):
    rows, truth = make_rows(n=n, prior=prior, label_share=share)
    scored = scored_by(rows, truth, 2.5)
    rho = judge.hidden(known_prior(rows, prior), rows.labeled_share)
    lines = ranked.ranked_rows(rows, {"pu_et": scored}, ["pu_et"], {"pu_et": "x"}, rho)
    heads = report.head_table(rows, scored, lines)
    assert heads
    order = np.sort(scored.place[rows.unlabeled])[::-1]
    for head in heads:
        assert np.sum(scored.place[rows.positives] >= order[head["k"] - 1]) >= min(10, len(rows.positives))
        assert head["lift_low"] <= head["lift"] <= head["lift_high"]
        assert head["low"] <= head["expected_positives"] <= head["high"]
    lengths = [head["k"] for head in heads]
    assert lengths == sorted(set(lengths))
    found = judge.judge(rows, {"pu_et": scored}, rho)
    assert found.head * len(rows.unlabeled) > 10
    reached = len(rows.positives) * min(1.0, found.head / rho.prior)
    assert reached >= 10 or found.head == judge.HEADS[-1]


def test_the_picture_shows_the_whole_curve_and_its_interval(tmp_path, monkeypatch):
    """No path is cut off by the axes, however wide the interval is."""
    monkeypatch.setattr(report, "draw_head", DRAW_HEAD)
    rows, truth = make_rows(n=2000, prior=0.02)
    scored = {"pu_et": scored_by(rows, truth, 2.5)}
    answer(tmp_path, rows, known_prior(rows, 0.02, 0.001, 0.3), scored)
    lines = pd.read_csv(tmp_path / "ranked.csv")
    assert lines["high"].iloc[-1] > 5 * lines["expected_positives"].iloc[-1]
    ticks = ["".join(part.itertext()) for part in ET.parse(tmp_path / "report.svg").iter("{http://www.w3.org/2000/svg}text")]
    numbers = [float(tick.replace(",", "")) for tick in ticks if re.fullmatch(r"[\d,.]+", tick)]
    step = np.min(np.diff(sorted(set(numbers))[-3:]))
    assert max(numbers) + step > lines["high"].max()


#: One of each form: scaled or not, wrapping another or not, with parameters or without, of another package.
WRITTEN = ("naive_lr", "elkan_noto_hgb", "bagging_svm", "upu_gaussian", "pu_et", "pulearn_elkan_noto")


@pytest.mark.parametrize("method", [name for name in WRITTEN if not learners.LEARNERS[name].missing])
def test_the_code_at_the_end_of_the_report_runs_as_it_stands(tmp_path, method):
    learner = learners.LEARNERS[method]
    n = 600 if "pulearn" in method else 120  # its Elkan and Noto holds rows out at random, which of few labels are none
    write_table(tmp_path / "own.csv", n=n, clinic=["a'", "b{"] * (n // 2))
    asked = question.Question(table=str(tmp_path / "own.csv"), label="labeled", drop=["size"], kinds={"age": "number"})
    code = model_code(asked, learner, 0.3)
    (tmp_path / "model.py").write_text(code)
    names = runpy.run_path(str(tmp_path / "model.py"))
    assert "pulearn" in code or names["model"].feature_names_in_.tolist() == ["age", "pay", "clinic=a'", "clinic=b{"]
    assert len(names["scores"]) == n
    assert np.isfinite(names["scores"]).all()


def test_the_code_leaves_test_rows_out_and_samples_as_the_bench_does(tmp_path):
    write_table(tmp_path / "own.csv", n=200)
    frame = pd.read_csv(tmp_path / "own.csv")
    frame["truth"] = np.where(np.arange(200) % 4 == 0, frame["labeled"], None)
    frame.to_csv(tmp_path / "own.csv", index=False)
    asked = question.Question(table=str(tmp_path / "own.csv"), label="labeled", truth="truth")
    rows = command.read_rows(asked)
    estimate, scored = known_prior(rows, 0.3), {"upu_logistic": scored_by(rows, rows.labeled, 2.0)}
    report.write_answer(asked, (5, 1), rows, estimate, scored, tmp_path)
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    code = text.rpartition("```python\n")[2].partition("```")[0]
    assert code == (tmp_path / "model.py").read_text(encoding="utf-8")
    names = {}
    exec(compile(code, "report.md", "exec"), names)
    assert np.flatnonzero(names["train"]).tolist() == rows.train.tolist()
    few = model_code(asked, learners.LEARNERS["upu_logistic"], 0.3, sampled=60)
    exec(compile(few, "report.md", "exec"), names)
    assert len(names["train"]) == 60
    assert set(names["train"]) <= set(rows.train)
