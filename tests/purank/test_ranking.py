"""Learners on a table of one's own: cross-fitting within a budget of time, the comparison, and the ranked rows."""

import re
import time
import xml.etree.ElementTree as ET
from concurrent import futures
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import average_precision_score, roc_auc_score

from pulib.metrics import proxy_auc, proxy_average_precision
from pulib.priors import PriorEstimate
from purank import judge, learners, prior, question, ranked, report, run, scoring
from purank.table import Rows
from tests.purank.rows import FEW, known_prior, make_rows, scored_by


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    """What is averaged over tables needs no fine quantiles of each: coarse ones only make intervals cover less."""
    monkeypatch.setattr(ranked, "DRAWS", ranked.DRAWS // 8)
    monkeypatch.setattr(judge, "RESAMPLES", judge.RESAMPLES // 4)


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


def cross_fit(learner, rows, prior, n_folds, repeats):
    return scoring.together([scoring.score_fold(learner, rows, prior, k, n_folds=n_folds) for k in range(n_folds * repeats)])


def test_nothing_is_scored_by_a_model_that_saw_its_group():
    rows, _ = make_rows(n=300, n_test=0, group_size=10)
    rows.X[:, 0] = np.arange(300)
    done = cross_fit(WITNESS, rows, 0.2, n_folds=5, repeats=2)
    assert not done.error
    assert np.isfinite(done.place).all()
    alone = Rows(rows.X, rows.labeled, rows.truth, None, rows.ids)
    assert "AssertionError" in cross_fit(WITNESS, alone, 0.2, n_folds=5, repeats=1).error


def test_test_rows_never_train_and_are_scored_by_every_model():
    rows, _ = make_rows(n=300, n_test=50)
    rows.X[:, 0] = 10 * np.arange(300)
    done = cross_fit(WITNESS, rows, 0.2, n_folds=4, repeats=1)
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
    few = Rows(X, np.arange(60) > 2, np.full(60, np.nan), None, np.arange(60))
    assert run.sizes_of(run.Question(label="y", table="t"), few) == (3, 2), "each fold has an unlabeled row"


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


def test_a_learner_that_fails_on_more_rows_keeps_those_on_which_it_did_not():
    rows, _ = make_rows(n=50_000)
    train, sizes = trained(lambda n: 0.1)
    failed = scoring.Scored(np.empty(0), np.empty(0), error="no luck")
    found = run.grown(lambda n: train(n) if n < 10_000 else failed, rows, 5, share=20.0, memory=1e10)
    assert (found.sampled, found.error) == (sizes[-1], "") == (8_000, "")


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the system does not say how much memory a fit takes")
def test_memory_limits_the_rows():
    rows, _ = make_rows(n=50_000)
    train, _ = trained(lambda n: 1e-6, megabytes=20.0)
    assert 2_000 < run.grown(train, rows, 5, share=20.0, memory=4e8).sampled < 20_000


def test_a_share_is_what_is_left_for_all_learners(tmp_path, monkeypatch):
    """Quick ones leave theirs to the slow one."""
    asked = []
    rows, truth = make_rows(n=4_000)
    whole = scored_by(rows, truth)

    def first_model(work, name, budget, share, memory):
        asked.append((name, share))
        seconds = 0.01 if name in FEW else share
        return scoring.Scored(whole.place, whole.called, seconds, 0.0, 100, 0 if name in FEW else int(10 * share))

    def next_model(work, name, fold, sampled):
        whole.save(work.file(learners.LEARNERS[name], fold, sampled or None))

    monkeypatch.setattr(run, "processes", lambda n, log: futures.ThreadPoolExecutor(1))
    monkeypatch.setattr(run, "first_model", first_model)
    monkeypatch.setattr(run, "next_model", next_model)
    said = []
    work = run.Work(tmp_path, "table", 0.2, 5, 1)
    some = [learners.LEARNERS[name] for name in (*FEW, "cwsvm")]
    given = {"budget": 5.0, "ends": time.monotonic() + 300, "cores": 2, "say": said.append}
    assert list(run.score_all(work, some, rows, **given)) == [*FEW, "cwsvm"]
    assert [name for name, _ in asked] == [*FEW, "cwsvm", "cwsvm"]
    shares = [share for _, share in asked]
    assert 2.4 * shares[0] < shares[-1] < 0.8 * 300 / 3  # a model is one process's: 3 rounds of 2, of which the first has one
    assert re.match(r"3 learners on 2 cores: about \d+ (seconds|minutes) more", said[0])
    assert f"class-weighted SVM trains on {int(10 * shares[-1])} rows drawn at random" in said[0]
    run.score_all(run.Work(tmp_path, "another", 0.2, 5, 1), some, rows, **given | {"ends": time.monotonic() - 1})
    assert {share for _, share in asked[4:]} == {0.0}, "a budget that is spent lets no model grow"


def test_a_model_that_failed_is_tried_again(tmp_path, monkeypatch):
    rows, truth = make_rows()
    rows.save(tmp_path)
    broken, whole = scoring.Scored(np.empty(0), np.empty(0), error="no luck"), scored_by(rows, truth)
    models = iter([broken, whole, broken, whole])
    monkeypatch.setattr(run, "processes", lambda n, log: futures.ThreadPoolExecutor(1))
    monkeypatch.setattr(run, "_score", lambda *_: next(models))
    given = {"budget": 5.0, "ends": time.monotonic() + 300, "cores": 1, "say": str}
    runs = [run.score_all(run.Work(tmp_path, "t", 0.2, 2, 1), [learners.LEARNERS["naive_lr"]], rows, **given) for _ in range(3)]
    assert [one["naive_lr"].error for one in runs] == ["no luck", "no luck", ""]


@pytest.mark.parametrize("damage", [lambda _: b"", lambda b: b[: len(b) // 2], lambda b: bytes(len(b))])
def test_files_that_were_cut_off_are_made_again(tmp_path, monkeypatch, damage):
    rows, truth = make_rows()
    rows.save(tmp_path)
    whole, made = scored_by(rows, truth), []
    monkeypatch.setattr(run, "processes", lambda n, log: futures.ThreadPoolExecutor(1))
    monkeypatch.setattr(run, "_score", lambda *_: made.append("model") or whole)
    monkeypatch.setattr(prior, "estimate_pi", lambda *_, **__: made.append("π") or known_prior(rows, 0.3))
    given = {"budget": 5.0, "ends": time.monotonic() + 300, "cores": 1, "say": str}
    asked = question.Question(table="t", label="l")
    for _ in range(3):
        prior.known_pi(asked, rows, "t", tmp_path / "prior.json", 1)
        run.score_all(run.Work(tmp_path, "t", 0.2, 2, 1), [learners.LEARNERS["naive_lr"]], rows, **given)
        for file in [tmp_path / "prior.json", *tmp_path.glob("scores/*")]:
            file.write_bytes(damage(file.read_bytes()))
    assert made == ["π", "model", "model"] * 3
    file = tmp_path / "one.npz"
    whole.save(file)
    content = file.read_bytes()
    file.write_bytes(content[:500] + bytes([content[500] ^ 255]) + content[501:])
    with pytest.raises(question.QuestionError, match="was damaged, and is removed; the same command continues"):
        scoring.Scored.load(file)
    assert not file.exists()


def test_the_criterion_is_that_of_the_library():
    rows, truth = make_rows(n=2000, n_test=500)
    scored = {"naive_lr": scored_by(rows, truth)}
    place, y, test = scored["naive_lr"].place, rows.labeled[rows.train].astype(int), rows.truth[rows.test]
    place[:] = place.round(1)  # ties count half
    pu, sides = (rows.positives, rows.unlabeled), (rows.test[test == 1], rows.test[test == 0])
    for name, proxy, metric in (
        ("auc", proxy_auc, roc_auc_score),
        ("average_precision", proxy_average_precision, average_precision_score),
    ):
        value = proxy(y, place[rows.train], prior=0.2, scenario="two_sample")
        draws = judge.resampled(scored, pu, None, name, 0.2)["naive_lr"]
        assert draws[0] == pytest.approx(value), name
        assert draws[1:].quantile(0.02) < value < draws[1:].quantile(0.98)
        found = judge.resampled(scored, sides, None, name, None).loc[0, "naive_lr"]
        assert found == pytest.approx(metric(test, place[rows.test])), name


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
    rare = judge.judge(rows, scored, judge.hidden(known_prior(rows, 0.15), rows.labeled_share))
    assert rare.criterion == "average_precision", "of 0.15, most are labeled"


def test_draws_of_the_prior_have_its_interval_for_quantiles():
    rho = PriorEstimate(0.2, 0.15, 0.6, 0.95, "best_bin", "two_sample", 10, 90)
    draws = judge.prior_draws(rho, 20_000, np.random.default_rng(0))
    assert np.quantile(draws, [0.025, 0.5, 0.975]) == pytest.approx([0.15, 0.2, 0.6], abs=0.02)


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
    barely = judge.hidden(known_prior(rows, rows.labeled_share + 1e-6), rows.labeled_share)
    few = ranked.ranked_rows(rows, scored, FEW, {name: name for name in FEW}, barely)
    assert few["probability"].sum() == pytest.approx(barely.prior * len(few)), "the list holds what the text says"


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
    assert head.probability.cumsum().tolist() == pytest.approx(head.expected.tolist(), abs=1e-9 * len(order))
    assert (np.diff(head.probability) <= 0).all()
    assert ((head.probability >= 0) & (head.probability <= 1)).all()
    assert ((head.low <= head.expected) & (head.expected <= head.high)).all()
    assert head.expected.iloc[-1] <= share * len(order) + 1e-9


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
        estimate = prior.estimate_pi(X, truth & (rng.random(n) < labeled), "one_sample", random_state=seed, n_bootstrap=60)
        assert estimate.low * 0.995 <= truth.mean() <= estimate.high * 1.005


def test_of_three_estimates_of_the_share_the_one_with_the_least_upper_end_is_taken(monkeypatch):
    ends = iter([0.5, 0.2, 0.9])
    rest = (0.95, "best_bin", "one_sample", 5, 95)
    monkeypatch.setattr(prior, "prior_interval", lambda *_, **__: PriorEstimate(0.1, 0.0, next(ends), *rest))
    assert prior.estimate_pi(np.zeros((100, 1)), np.arange(100) < 5, "one_sample").high == 0.2


def test_the_picture_shows_the_whole_curve_and_its_interval(tmp_path):
    """No path is cut off by the axes, however wide the interval is."""
    rows, truth = make_rows(n=2000, prior=0.02)
    rho = judge.hidden(known_prior(rows, 0.02, 0.001, 0.3), rows.labeled_share)
    lines = ranked.ranked_rows(rows, {"pu_et": scored_by(rows, truth, 2.5)}, ["pu_et"], {"pu_et": "x"}, rho)
    assert lines["high"].iloc[-1] > 5 * lines["expected_positives"].iloc[-1]
    report.draw_head(lines, tmp_path / "report.svg")
    ticks = ["".join(part.itertext()) for part in ET.parse(tmp_path / "report.svg").iter("{http://www.w3.org/2000/svg}text")]
    numbers = [float(tick.replace(",", "")) for tick in ticks if re.fullmatch(r"[\d,.]+", tick)]
    step = np.min(np.diff(sorted(set(numbers))[-3:]))
    assert max(numbers) + step > lines["high"].max()
