"""The RESVM chapter's trials, and the tables and figures made of them."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from pulab.plan import Method
from pulab.tables import Place, add_verdicts, sheet_of
from pulab.trials import results
from pulab.trials.trial import TrialContext
from pulib.datasets import Dataset
from pulib.sampling import contaminated_split
from studies.resvm import protocol as resvm
from studies.resvm.figures.resamples import resample_contamination
from studies.resvm.scores import interval_cells, mark
from studies.resvm.study import GridSearch, RandomSearch
from studies.resvm.study.experiments import Curves, Densities
from studies.resvm.tables import margins, parameters, wins
from studies.resvm.tables.edges import edge_table
from studies.resvm.tables.intervals import LEGEND
from studies.resvm.tables.margins import margin_cells
from studies.resvm.tables.parameters import parameter_cells
from studies.resvm.tables.wins import win_cells

METHODS = {
    "resvm_cwsvm": Method(
        name="resvm_cwsvm",
        label="CWSVM",
        estimator="pulib.svm.ClassWeightedSVC",
        grid={"C_positive": [1.0, 10.0], "C_unlabeled": [0.1, 1.0, 10.0]},
    ),
    "resvm_bag": Method(
        name="resvm_bag",
        label="BAG",
        estimator="pulib.svm.BaggingSVC",
        params={"n_estimators": 7},
        grid={"C": [0.1, 1.0, 10.0]},
    ),
    "resvm_resvm": Method(
        name="resvm_resvm",
        label="RESVM",
        estimator="pulib.svm.RobustEnsembleSVC",
        params={"n_estimators": 7},
        grid={"C": [1.0, 0.1], "n_positive": [5, 10, 20], "unlabeled_per_positive": [1, 2, 3]},
        box={"C": [0.1, 10.0], "n_positive": [5, 20]},
    ),
}
LABELS = {"resvm_cwsvm": "CWSVM", "resvm_bag": "BAG", "resvm_resvm": "RESVM"}


def context(method="resvm_resvm", repeat=0, task=GridSearch, *, generator="circle_noise", contamination=0.3, **options):
    y = np.repeat(np.array([1, 0], dtype=np.int8), 200)
    X = (np.random.default_rng(0).normal(size=(400, 3)) + 2 * y[:, None]) * 10
    data = Dataset("toy", X=X, target=y, y=y)
    split = contaminated_split(
        data, random_state=repeat, n_labeled=30, n_unlabeled=60, contamination_unlabeled=contamination, test="random",
        n_test_positive=50, n_test_negative=50, generator=generator,
    )  # fmt: skip
    return TrialContext("resvm", "toy", "pu", method, repeat, data, split, METHODS[method], task(n_folds=3, **options))


def run(trial):
    return resvm.RUN[type(trial.task)](trial)


def results_of(tidy, stand_ins=()):
    """What tables take of results."""
    return SimpleNamespace(tidy=tidy, labels=LABELS, stand_ins=dict(stand_ins))


@pytest.mark.parametrize("method", list(METHODS))
def test_a_trial_is_a_function_of_its_identity(method):
    first, second = (run(context(method)) for _ in range(2))
    assert first.scalars == second.scalars
    assert 0.7 < first.scalars["pr_auc"] <= 1
    assert first.scalars["contamination_unlabeled"] == pytest.approx(0.3)
    assert first.scalars["n_labeled"] == 30
    assert first.scalars["n_candidates"] == {"resvm_cwsvm": 6, "resvm_bag": 3, "resvm_resvm": 18}[method]


def test_optimum_and_edges_are_reported_by_ratio():
    scalars = run(context()).scalars
    ratio = scalars["best_n_unlabeled"] / scalars["best_n_positive"]
    assert scalars["best_unlabeled_per_positive"] == ratio
    assert scalars["edge_unlabeled_per_positive"] == float(ratio in (1, 3))
    assert scalars["edge_n_positive"] == float(scalars["best_n_positive"] in (5, 20))
    assert "edge_n_unlabeled" not in scalars
    assert "edge_C" not in scalars  # two values have no inside


def test_random_search_takes_the_box():
    scalars = run(context(task=RandomSearch, n_iter=6)).scalars
    assert scalars["n_candidates"] == 6
    assert 0.1 <= scalars["best_C"] <= 10
    assert scalars["best_n_positive"] in range(5, 21)
    with pytest.raises(TypeError, match="n_iter"):
        GridSearch(n_iter=6)


def test_features_are_scaled_by_the_training_rows():
    rows = context(generator=None, scale="minmax")
    scaled = resvm.load_tuning_rows(rows)
    assert scaled.X.min() == pytest.approx(0)
    assert scaled.X.max() == pytest.approx(1)
    assert len(scaled.X_test) == len(scaled.truth_test) == 100
    halved = resvm.load_tuning_rows(context(generator=None, scale=2))
    plain = resvm.load_tuning_rows(context(generator=None))
    np.testing.assert_allclose(2 * halved.X, plain.X, rtol=1e-6)
    with pytest.raises(ValueError, match="scale='sphere'"):
        resvm.load_tuning_rows(context(scale="sphere"))


def test_series_for_figures_are_stored_once():
    stored = {
        "curves": Curves(repeats=(0,), points=11),
        "densities": Densities(method="resvm_resvm", repeats=(0,), bins=5, extent=6.0),
    }
    kept = run(context(**stored)).series
    assert {name: len(values) for name, values in kept.items()} == {
        "curve_precision": 11, "curve_true_positive_rate": 11, "density_labeled": 25, "density_unlabeled": 25,
    }  # fmt: skip
    # P lies in the middle, and so does the contamination of U
    assert kept["density_labeled"].argmax() == 12
    assert run(context(repeat=1, **stored)).series == {}


def tidy(values, setting="pu", metric="pr_auc"):
    """Rows of trials: {(data set, method): values by repeat}."""
    frames = [pd.DataFrame({"dataset": d, "method": m, "repeat": range(len(v)), "value": v}) for (d, m), v in values.items()]
    frame = pd.concat(frames).assign(study="resvm", setting=setting, metric=metric, step=-1, status="ok", message="")
    return results.typed(frame, results.COLUMNS)


PUBLISHED = pd.DataFrame(
    [
        ("toy", "CWSVM", np.nan, 50.0, 60.0, np.nan),
        ("toy", "BAG", np.nan, 70.0, 80.0, np.nan),
        ("toy", "RESVM", np.nan, 88.0, 92.0, np.nan),
        ("toy", "p", np.nan, np.nan, np.nan, "•••"),
        ("toy", "RESVM wins", 20.0, np.nan, np.nan, np.nan),
    ],
    columns=["row", "column", "mean", "low", "high", "mark"],
)


def test_interval_table():
    rng = np.random.default_rng(0)
    values = {("a", m): mean + 0.01 * rng.normal(size=8) for m, mean in zip(METHODS, (0.55, 0.75, 0.9), strict=True)}
    rows = [Place("toy", {"dataset": "a"}), Place("other", {"dataset": "b"}), Place("again", {"dataset": "a"}, "toy")]
    cells = interval_cells(tidy(values), PUBLISHED, rows, LABELS, setting="pu", stand_ins={})
    found = cells.set_index(["row", "column"])
    assert found.loc[("toy", "RESVM"), "ours"] == pytest.approx(100 * values["a", "resvm_resvm"].mean())
    assert found.loc[("toy", "RESVM"), "published"] == 90
    # the interval's half width of 2 is t(19; 0.975) s / sqrt(20)
    assert found.loc[("toy", "RESVM"), "published_sd"] == pytest.approx(2 * np.sqrt(20) / 2.093024, rel=1e-5)
    assert found.loc[("toy", "p"), "ours"] == pytest.approx(0.5**8)
    assert found.loc[("toy", "p"), "mark"] == "••"
    assert found.loc[("toy", "RESVM wins"), ["ours", "published"]].tolist() == [100, 100]
    assert found.loc[("other", "BAG"), "status"] == "not run"
    same = ["published_low", "published_high", "published_mark", "ours"]
    pd.testing.assert_frame_equal(found.loc["again"][same], found.loc["toy"][same])
    assert add_verdicts(cells).set_index(["row", "column"])["verdict"]["toy", "p"] == "reproduced"
    assert add_verdicts(cells.assign(ours=0.2)).set_index(["row", "column"])["verdict"]["toy", "p"] == "different"
    legend = LEGEND.format(n_published=20, repeats="{repeats}")
    text = sheet_of(add_verdicts(cells), title="T", decimals=1, legend=legend).markdown()
    assert "*88.0–92.0*" in text
    assert "8/8 · *20*" in text
    assert "•• · *•••* =" in text
    assert "Ours over 8 repeats, then the paper's over 20 in italics" in text
    # a table of 100 published repeats: its intervals are narrower for the same spread, its wins are out of 100
    many = interval_cells(tidy(values), PUBLISHED, rows, LABELS, setting="pu", stand_ins={}, n_published=100)
    found = many.set_index(["row", "column"])
    assert found.loc[("toy", "RESVM"), "published_sd"] == pytest.approx(2 * np.sqrt(100) / 1.984217, rel=1e-5)
    assert found.loc[("toy", "RESVM wins"), "published"] == 20
    assert "8/8 · *20*" in sheet_of(many, title="T").markdown()


def test_fewer_draws_than_can_be_significant_are_not_tested():
    values = {("a", m): [mean] * 4 for m, mean in zip(METHODS, (0.55, 0.75, 0.9), strict=True)}
    cells = interval_cells(tidy(values), PUBLISHED, [Place("toy", {"dataset": "a"})], LABELS, setting="pu", stand_ins={})
    found = cells.set_index("column")
    assert found.loc["p", "status"] == "not run"
    assert np.isnan(found.loc["RESVM", "low"])


def test_margins_are_of_draws_that_both_methods_have(monkeypatch):
    values = {("a", "resvm_cwsvm"): [0.5, 0.7, 0.2], ("a", "resvm_bag"): [0.6, 0.8], ("a", "resvm_resvm"): [0.9, 0.9]}
    monkeypatch.setattr(margins, "GRIDS", {"main grids": list(METHODS), "blind": list(METHODS)})
    rows = [Place("toy", {"dataset": "a"}), Place("other", {"dataset": "b"})]
    cells = margin_cells(results_of(tidy(values)), PUBLISHED, rows, "pu").set_index(["row", "column"])
    low, high = (PUBLISHED.set_index("column")[side] for side in ("low", "high"))
    printed = (low["RESVM"] + high["RESVM"] - low["BAG"] - high["BAG"]) / 2
    assert cells.loc[("toy", "BAG, published"), "ours"] == pytest.approx(printed)
    assert cells.loc[("toy", "CWSVM, main grids"), ["ours", "n"]].tolist() == pytest.approx([30, 2])
    assert cells.loc[("toy", "BAG, blind"), "ours"] == pytest.approx(20)
    assert set(cells.loc["other", "n"]) == {0}


def test_a_method_that_was_run_alone_is_shown():
    values = {("a", "resvm_cwsvm"): [0.5, 0.7, 0.9], ("a", "resvm_bag"): [0.1]}
    rows = [Place("toy", {"dataset": "a"})]
    cells = interval_cells(tidy(values), PUBLISHED, rows, LABELS, setting="pu", stand_ins={})
    found = cells.set_index("column")
    assert found.loc[["CWSVM", "BAG"], "ours"].tolist() == pytest.approx([70.0, 10.0])
    assert found.loc[["CWSVM", "BAG", "RESVM", "p", "CWSVM wins"], "n"].tolist() == [3, 1, 0, 0, 0]
    assert found.loc[["CWSVM", "RESVM", "p"], "status"].tolist() == ["ok", "not run", "not run"]


def test_marks():
    assert [mark(p) for p in (0.0009, 0.001, 0.009, 0.049, 0.05)] == ["•••", "••", "••", "•", "n.s."]
    assert [mark(p) for p in (0.95, 0.951, 1.0)] == ["n.s.", "reversed", "reversed"]


def test_a_difference_in_the_other_direction_is_said_and_not_called_reproduced():
    values = {("a", m): np.linspace(mean, mean + 0.01, 8) for m, mean in zip(METHODS, (0.55, 0.9, 0.75), strict=True)}
    published = PUBLISHED[PUBLISHED["column"] != "p"]
    unmarked = pd.concat([published, PUBLISHED[PUBLISHED["column"] == "p"].assign(mark=np.nan)])
    cells = interval_cells(tidy(values), unmarked, [Place("toy", {"dataset": "a"})], LABELS, setting="pu", stand_ins={})
    assert add_verdicts(cells).set_index("column")["verdict"]["p"] == "different"
    assert "reversed · *n.s.* ≠" in sheet_of(add_verdicts(cells), title="T").markdown()


def test_shared_wins_add_up_to_the_repeats():
    values = {("a", m): [0.5, 0.7, score] for m, score in zip(METHODS, (0.6, 0.6, 0.9), strict=True)}
    cells = interval_cells(tidy(values), PUBLISHED, [Place("toy", {"dataset": "a"})], LABELS, setting="pu", stand_ins={})
    won = cells[cells["kind"] == "wins"].set_index("column")
    assert won["ours"].sum() == pytest.approx(100)
    assert won.loc["RESVM wins", "ours"] == pytest.approx(100 * (1 / 3 + 1 / 3 + 1) / 3)


@pytest.fixture
def win_cells_of(monkeypatch):
    """The cells of wins of families of data sets in one setting."""

    def cells_of(rows, published, families, stand_ins=()):
        monkeypatch.setattr(wins, "FAMILIES", families)
        monkeypatch.setattr(wins, "SETTINGS", {"pu": "PU"})
        return win_cells(results_of(rows, stand_ins), published)

    return cells_of


def test_wins_count_families_once(win_cells_of):
    values = {("one", m): v for m, v in zip(METHODS, ([1.0, 0, 0, 0], [0, 1.0, 1, 1], [0] * 4), strict=True)}
    for k in range(3):
        values |= {(f"digit{k}", m): v for m, v in zip(METHODS, ([0] * 4, [0] * 4, [1.0] * 4), strict=True)}
    families = {"one": ["one"], "digits": [f"digit{k}" for k in range(3)]}
    empty = pd.DataFrame(columns=["row", "column", "mean"])
    cells = win_cells_of(tidy(values), empty, families)
    assert set(cells["stand_in"]) == set(cells["note"]) == {""}
    cells = cells.set_index(["row", "column"])["ours"]
    assert cells["PU, raw", "RESVM win %"] == pytest.approx(75)
    assert cells["PU, normalized", "RESVM win %"] == pytest.approx(50)
    assert cells["PU, normalized", "BAG win %"] == pytest.approx(37.5)


def test_a_set_that_is_run_more_often_weighs_no_more(win_cells_of):
    """Wins of the first four repeats are the same whether or not one of the sets has more."""
    families, empty = {"one": ["one"], "two": ["two"]}, pd.DataFrame(columns=["row", "column", "mean"])
    values = {("one", m): v for m, v in zip(METHODS, ([0.0] * 9, [0.5] * 4 + [2.0] * 5, [1.0] * 9), strict=True)}
    values |= {("two", m): v for m, v in zip(METHODS, ([0.0] * 4, [1.0, 1, 0, 0], [0.5] * 4), strict=True)}

    def shares(rows):
        return win_cells_of(rows, empty, families).set_index(["row", "column"])["ours"]

    level, unlevel = shares(results.first_repeats(tidy(values), 4)), shares(tidy(values))
    assert level["PU, raw", "RESVM win %"] == level["PU, normalized", "RESVM win %"] == pytest.approx(75)
    assert unlevel["PU, raw", "RESVM win %"] < 75


def wins_beside_the_study(win_cells_of, stand_ins):
    values = {("one", m): v for m, v in zip(METHODS, ([0.0] * 4, [1.0, 1, 1, 0], [0, 0, 0, 1.0]), strict=True)}
    values |= {("digit0", m): v for m, v in zip(METHODS, ([0.0] * 4, [0.0] * 4, [1.0] * 4), strict=True)}
    families = {"one": ["one"], "digits": ["digit0", "digit1", "digit2"], "sensit": ["s1", "s2"]}
    published = pd.DataFrame(
        {"row": "PU, raw", "column": [f"{label} win %" for label in LABELS.values()], "mean": [20.0, 0, 80]}
    )
    published = pd.concat([published, published.assign(row="PU, normalized")])
    return win_cells_of(tidy(values), published, families, stand_ins)


def test_shares_of_wins_have_the_studies_spread_too(win_cells_of):
    cells = wins_beside_the_study(win_cells_of, {})
    found = cells.set_index(["row", "column"])
    raw, normalized = (found.loc[f"PU, {kind}"] for kind in ("raw", "normalized"))
    for kind in (raw, normalized):
        assert kind["published_sd"].dropna().tolist() == pytest.approx([40.0, 0.0, 40.0])
    assert raw.loc["RESVM win %", ["ours", "ours_sd"]].tolist() == pytest.approx([62.5, 100 * np.sqrt(0.625 * 0.375)])
    # six tasks of 20 repeats in the paper, two of 4 here; the variance of a weighted share is p (1 - p) times these sums
    assert raw[["n", "n_published"]].drop_duplicates().to_numpy().tolist() == [[8, 120]]
    here, there = (np.repeat(w, n) / np.dot(w, n) for w, n in (([1, 1 / 3], [4, 4]), ([1, 1 / 3, 1 / 2], [20, 60, 40])))
    expected = [round(1 / np.sum(here**2)), round(1 / np.sum(there**2))]
    assert normalized[["n", "n_published"]].drop_duplicates().to_numpy().tolist() == [expected]
    # six points are within two of the paper's standard errors of 3.7 for a share of 80%, and beyond those of a share of 0
    certain = add_verdicts(cells.assign(ours=cells["published"] + 6.0, ours_sd=0.0)).set_index(["row", "column"])["verdict"]
    assert certain["PU, raw", "RESVM win %"] == "cannot tell"
    assert certain["PU, raw", "BAG win %"] == "different"
    # counts stand beside the shares, each out of its own total
    counts = found.loc[[("PU, raw", "RESVM count"), ("PU, normalized", "RESVM count")], ["total", "published_total"]]
    assert counts.to_numpy().tolist() == [[8, 120], pytest.approx([4 + 4 / 3, 60])]


def test_what_has_no_scores_and_what_stands_in_is_named(win_cells_of):
    cells = wins_beside_the_study(win_cells_of, {"digit1": "digit0"})
    assert set(cells["note"]) == {"without digit2, sensit"}
    assert set(cells["stand_in"]) == {"digit0"}
    assert set(add_verdicts(cells)["verdict"]) == {"stand-in"}
    assert "PU, raw (stand-in: digit0)" in sheet_of(cells, title="T").markdown()
    cells = wins_beside_the_study(win_cells_of, {"s1": "nowhere"})
    assert set(cells["note"]) == {"without digit1, digit2, sensit"}
    assert set(cells["stand_in"]) == {""}


def edge_cells(rows, stand_ins=(), **places):
    """The cells of the table of edges, of data sets by their labels."""
    named = [Place(label, {"dataset": name}) for label, name in places.items()]
    return edge_table(results_of(rows, stand_ins), named, list(METHODS)).cells


@pytest.fixture
def parameter_cells_of(monkeypatch):
    """The cells of medians of one parameter in one setting."""

    def cells_of(rows, published, tasks, stand_ins=()):
        monkeypatch.setattr(parameters, "MNIST", tasks)
        monkeypatch.setattr(parameters, "PARAMETERS", {"best_n_positive": "n_pos"})
        monkeypatch.setattr(parameters, "SETTINGS", {"pu": "PU"})
        return parameter_cells(results_of(rows, stand_ins), published)

    return cells_of


def test_medians_and_edges(parameter_cells_of):
    values = {("d0", "resvm_resvm"): [5, 10, 20], ("d1", "resvm_resvm"): [20, 20, 40]}
    frame = tidy(values, metric="best_n_positive")
    empty = pd.DataFrame(columns=["row", "column", "mean"])
    cells = parameter_cells_of(frame, empty, ["d0", "d1", "d2"]).set_index("column")
    assert cells["ours"].tolist()[:2] == [10, 20]
    assert cells.loc["mean", "ours"] == 15
    assert cells.loc["2", "status"] == "not run"
    edge = tidy({("d0", "resvm_resvm"): [1, 0, 0, 1]}, metric="edge_C")
    edges = edge_cells(edge, d0="d0")
    assert edges["ours"].tolist() == [50]
    assert edges["stand_in"].tolist() == [""]
    assert edges["column"].tolist() == ["RESVM C"]


def test_medians_and_edges_name_what_stands_in(parameter_cells_of):
    frame = tidy({("d0", "resvm_resvm"): [5, 10, 20], ("d9", "resvm_resvm"): [20, 20, 40]}, metric="best_n_positive")
    published = pd.DataFrame({"row": "n_pos, PU", "column": ["0", "1", "mean"], "mean": [10.0, 20.0, 15.0]})
    for stand_in, mean in (("d9", [15.0, "d9", "stand-in"]), ("not run", [10.0, "", "not judged"])):
        cells = parameter_cells_of(frame, published, ["d0", "d1"], {"d1": stand_in})
        cells = add_verdicts(cells, kind="parameter").set_index("column")
        assert cells.loc["0", "verdict"] == "not judged"
        assert cells.loc["mean", ["ours", "stand_in", "verdict"]].tolist() == mean
    edge = tidy({("d9", "resvm_resvm"): [1, 0]}, metric="edge_C")
    edges = edge_cells(edge, {"d1": "d9"}, toy="d1")
    assert edges[["ours", "stand_in"]].to_numpy().tolist() == [[50.0, "d9"]]


def test_a_parameter_that_a_method_does_not_tune_on_a_data_set_has_no_cell():
    both = [tidy({("d0", "resvm_resvm"): [1, 0], ("d1", "resvm_resvm"): [1]}, metric="edge_C")]
    both.append(tidy({("d0", "resvm_resvm"): [1, 1]}, metric="edge_gamma"))
    edges = edge_cells(pd.concat(both), d0="d0", d1="d1", d2="d2").set_index(["row", "column"])
    assert edges["status"].to_dict() == {
        ("d0", "RESVM C"): "ok",
        ("d0", "RESVM gamma"): "ok",
        ("d1", "RESVM C"): "ok",
        ("d2", "RESVM C"): "not run",
        ("d2", "RESVM gamma"): "not run",
    }


def test_resamples_spread_as_the_binomial_says():
    frame = resample_contamination([10, 400], 0.1)
    draws = np.random.default_rng(0).random((20_000, 400)) < 0.1
    low, high = np.quantile(draws.mean(axis=1), [0.025, 0.975])
    assert frame["low"].tolist() == pytest.approx([0.0, low], abs=0.003)
    assert frame["high"].tolist() == pytest.approx([0.3, high], abs=0.003)
