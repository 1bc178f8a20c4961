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
from studies.resvm.tables import parameters, wins
from studies.resvm.tables.edges import edge_table
from studies.resvm.tables.parameters import parameter_cells
from studies.resvm.tables.wins import win_cells

GRIDS = {
    "resvm_cwsvm": {"C_positive": [1.0, 10.0], "C_unlabeled": [0.1, 1.0, 10.0]},
    "resvm_bag": {"C": [0.1, 1.0, 10.0]},
    "resvm_resvm": {"C": [1.0, 0.1], "n_positive": [5, 10, 20], "unlabeled_per_positive": [1, 2, 3]},
}
CLASSES = {"resvm_cwsvm": "ClassWeightedSVC", "resvm_bag": "BaggingSVC", "resvm_resvm": "RobustEnsembleSVC"}
LABELS = {"resvm_cwsvm": "CWSVM", "resvm_bag": "BAG", "resvm_resvm": "RESVM"}
METHODS = {
    name: Method(
        name=name,
        label=LABELS[name],
        estimator=f"pulib.svm.{CLASSES[name]}",
        params={} if name == "resvm_cwsvm" else {"n_estimators": 7},
        grid=grid,
        box={"C": [0.1, 10.0], "n_positive": [5, 20]},
    )
    for name, grid in GRIDS.items()
}


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


@pytest.mark.parametrize(("method", "n_candidates"), [("resvm_cwsvm", 6), ("resvm_bag", 3)])
def test_a_trial_measures_and_counts(method, n_candidates):
    scalars = run(context(method)).scalars
    assert 0.7 < scalars["pr_auc"] <= 1
    assert scalars["contamination_unlabeled"] == pytest.approx(0.3)
    assert (scalars["n_labeled"], scalars["n_candidates"]) == (30, n_candidates)


def test_a_trial_is_a_function_of_its_identity_and_reports_optimum_and_edges_by_ratio():
    scalars, again = (run(context()).scalars for _ in range(2))
    assert scalars == again
    ratio = scalars["best_n_unlabeled"] / scalars["best_n_positive"]
    assert scalars["best_unlabeled_per_positive"] == ratio
    assert scalars["edge_unlabeled_per_positive"] == float(ratio in (1, 3))
    assert scalars["edge_n_positive"] == float(scalars["best_n_positive"] in (5, 20))
    assert not {"edge_n_unlabeled", "edge_C"} & set(scalars)  # two values have no inside


def test_random_search_takes_the_box():
    scalars = run(context(task=RandomSearch, n_iter=6)).scalars
    assert scalars["n_candidates"] == 6
    assert 0.1 <= scalars["best_C"] <= 10
    assert scalars["best_n_positive"] in range(5, 21)
    with pytest.raises(TypeError, match="n_iter"):
        GridSearch(n_iter=6)


def test_features_are_scaled_by_the_training_rows():
    scaled = resvm.load_tuning_rows(context(generator=None, scale="minmax"))
    assert (scaled.X.min(), scaled.X.max()) == pytest.approx((0, 1))
    assert len(scaled.X_test) == len(scaled.truth_test) == 100
    halved = resvm.load_tuning_rows(context(generator=None, scale=2))
    plain = resvm.load_tuning_rows(context(generator=None))
    np.testing.assert_allclose(2 * halved.X, plain.X, rtol=1e-6)
    with pytest.raises(ValueError, match="scale='sphere'"):
        resvm.load_tuning_rows(context(scale="sphere"))


def test_series_for_figures_are_stored_once():
    densities = Densities(method="resvm_resvm", repeats=(0,), bins=5, extent=6.0)
    stored = {"curves": Curves(repeats=(0,), points=11), "densities": densities}
    kept = run(context(**stored)).series
    assert len(kept["curve_precision"]) == len(kept["curve_true_positive_rate"]) == 11
    assert len(kept["density_labeled"]) == len(kept["density_unlabeled"]) == 25
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


def test_fewer_draws_than_can_be_significant_are_not_tested():
    values = {("a", m): [mean] * 4 for m, mean in zip(METHODS, (0.55, 0.75, 0.9), strict=True)}
    cells = interval_cells(tidy(values), PUBLISHED, [Place("toy", {"dataset": "a"})], LABELS, setting="pu", stand_ins={})
    found = cells.set_index("column")
    assert found.loc["p", "status"] == "not run"
    assert np.isnan(found.loc["RESVM", "low"])


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


@pytest.mark.parametrize(
    ("stand_ins", "note", "named"),
    [
        ({"digit1": "digit0"}, "without digit2, sensit", "digit0"),
        ({"s1": "nowhere"}, "without digit1, digit2, sensit", ""),
    ],
)
def test_wins_name_what_has_no_scores_and_what_stands_in(monkeypatch, stand_ins, note, named):
    families = {"one": ["one"], "digits": ["digit0", "digit1", "digit2"], "sensit": ["s1", "s2"]}
    monkeypatch.setattr(wins, "FAMILIES", families)
    monkeypatch.setattr(wins, "SETTINGS", {"pu": "PU"})
    values = {("one", m): v for m, v in zip(METHODS, ([0.0] * 4, [1.0, 1, 1, 0], [0, 0, 0, 1.0]), strict=True)}
    values |= {("digit0", m): v for m, v in zip(METHODS, ([0.0] * 4, [0.0] * 4, [1.0] * 4), strict=True)}
    columns = [f"{label} win %" for label in LABELS.values()]
    published = pd.DataFrame({"row": "PU, raw", "column": columns, "mean": [20.0, 0, 80]})
    cells = win_cells(results_of(tidy(values), stand_ins), pd.concat([published, published.assign(row="PU, normalized")]))
    assert (set(cells["note"]), set(cells["stand_in"])) == ({note}, {named})
    if named:
        assert set(add_verdicts(cells)["verdict"]) == {"stand-in"}
        assert f"PU, raw (stand-in: {named})" in sheet_of(cells, title="T").markdown()


def test_medians_and_edges_name_what_stands_in(monkeypatch):
    monkeypatch.setattr(parameters, "MNIST", ["d0", "d1"])
    monkeypatch.setattr(parameters, "PARAMETERS", {"best_n_positive": "n_pos"})
    monkeypatch.setattr(parameters, "SETTINGS", {"pu": "PU"})
    frame = tidy({("d0", "resvm_resvm"): [5, 10, 20], ("d9", "resvm_resvm"): [20, 20, 40]}, metric="best_n_positive")
    published = pd.DataFrame({"row": "n_pos, PU", "column": ["0", "1", "mean"], "mean": [10.0, 20.0, 15.0]})
    for stand_in, mean in (("d9", [15.0, "d9", "stand-in"]), ("not run", [10.0, "", "not judged"])):
        cells = add_verdicts(parameter_cells(results_of(frame, {"d1": stand_in}), published), kind="parameter")
        cells = cells.set_index("column")
        assert cells.loc["0", "verdict"] == "not judged"
        assert cells.loc["mean", ["ours", "stand_in", "verdict"]].tolist() == mean
    edge = results_of(tidy({("d9", "resvm_resvm"): [1, 0]}, metric="edge_C"), {"d1": "d9"})
    edges = edge_table(edge, [Place("toy", {"dataset": "d1"})], list(METHODS)).cells
    assert edges[["ours", "stand_in"]].to_numpy().tolist() == [[50.0, "d9"]]


def test_resamples_spread_as_the_binomial_says():
    frame = resample_contamination([10, 400], 0.1)
    draws = np.random.default_rng(0).random((20_000, 400)) < 0.1
    low, high = np.quantile(draws.mean(axis=1), [0.025, 0.975])
    assert frame["low"].tolist() == pytest.approx([0.0, low], abs=0.003)
    assert frame["high"].tolist() == pytest.approx([0.3, high], abs=0.003)
