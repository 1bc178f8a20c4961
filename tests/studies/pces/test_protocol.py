"""The PCES paper's trials, its table of wins, and its figures' building blocks."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.metrics import roc_auc_score

from pulab.figures.printed import Printed
from pulab.figures.style import styles
from pulab.plan import Method
from pulab.trials import results
from pulab.trials.trial import TrialContext
from pulib import SGBDotaClassifier
from pulib.datasets import Dataset, make_expanding_clusters
from pulib.expansion import named_preference
from pulib.sampling import expansion_split
from studies.pces import protocol as pces
from studies.pces.figures.curves import draw_beside
from studies.pces.figures.heatmaps import auc_grid, draw_grid
from studies.pces.ranking_maps import equalized_map, strip_along
from studies.pces.study import REAL, Map, Projection, Ranking
from studies.pces.tables import win_cells

DOTA = Method(
    name="method",
    label="SGBDota",
    estimator="pulib.expansion.SGBDotaClassifier",
    params={"n_estimators": 5, "preference": "density"},
    grid={"drop_fraction": [1.0, 0.6, 0.0]},
)


def plain(path):
    return Method(name="method", label="m", estimator=path)


def make_context(method, task=None, n=150, repeat=0):
    X, codes = make_expanding_clusters(n, random_state=0)
    data = Dataset("expanding_clusters", X, codes, (codes == 1).astype(np.int8))
    split = expansion_split(data, random_state=repeat, later=[1, 2])
    task = task or Ranking()
    return TrialContext("pces", data.name, task.name, "method", repeat, data=data, split=split, method=method, task=task)


def run(context):
    return pces.RUN[type(context.task)](context)


def rows_of(context):
    return results.result_rows(("pces", "expanding_clusters", "expansion", context.method_name, context.repeat), run(context))


def test_a_trial_runs_the_whole_grid_and_chooses_p_by_the_preference_loss():
    context = make_context(DOTA, Ranking(preference_weights=(0.1, 1.0)))
    found = run(context)
    steps, auc = found.series["auc_by_p_percent_lambda_1"]
    assert steps.tolist() == [100, 60, 0]
    _, losses = found.series["preference_loss_by_p_percent_lambda_1"]
    best = np.argmin(losses)
    assert found.scalars["p"] == steps[best] / 100
    assert found.scalars["auc"] == auc[best]
    assert set(found.series) == {
        f"{name}_by_p_percent_lambda_{weight}" for name in ("auc", "preference_loss") for weight in ("0.1", "1")
    }


def test_the_choice_of_p_is_that_of_the_estimator():
    """A trial's grid at λ = 1 and an estimator that searches by itself agree, given the same preferences."""
    method = DOTA.but(grid={"drop_fraction": [1.0, 0.95, 0.9, 0.6, 0.3, 0.0]})
    context = make_context(method)
    rows = pces._load(context)
    preference = named_preference("density", rows.X, rows.y.astype(float), random_state=pces._seed(context, "preference"))
    model = SGBDotaClassifier(5, random_state=pces._seed(context, "method")).fit(rows.X, rows.y, preference=preference)
    found = run(context)
    assert model.drop_fraction_ == found.scalars["p"]
    assert roc_auc_score(rows.truth_test, model.decision_function(rows.X_test)) == found.scalars["auc"]


def test_weights_may_be_spread_over_settings():
    whole = run(make_context(DOTA, Ranking(preference_weights=(0.1, 1.0))))
    part = run(make_context(DOTA, Ranking(preference_weights=(0.1,))))
    assert part.scalars == {}
    for name, (_, values) in part.series.items():
        np.testing.assert_array_equal(values, whole.series[name][1])


@pytest.mark.parametrize(
    "path",
    ["pulib.expansion.AUCBoostingClassifier", "sklearn.ensemble.RandomForestClassifier", "studies.pces.protocol.RandomRanking"],
)
def test_methods_without_a_grid(path):
    found = run(make_context(plain(path)))
    assert set(found.scalars) == {"auc", "auc_new"}
    assert 0.3 < found.scalars["auc"] <= 1
    again = run(make_context(plain(path)))
    assert again.scalars == found.scalars


def test_random_scores_differ_between_rows_and_repeats():
    first, second = (pces.RandomRanking(seed).fit(None, None).decision_function(np.zeros((50, 1))) for seed in (0, 1))
    assert len(np.unique(first)) == 50
    assert np.any(first != second)


def test_maps_are_equalized_and_projections_carry_the_codes():
    context = make_context(plain("pulib.expansion.AUCBoostingClassifier"), Map(resolution=11))
    found = run(context)
    assert len(found.series["map"]) == 121
    assert found.series["map"].mean() == pytest.approx(0.5, abs=1e-5)
    assert len(found.series["train_x"]) == 100
    np.testing.assert_allclose(
        sorted(found.series["train_x"]),
        sorted(context.data.X[np.r_[context.split.labeled, context.split.unlabeled], 0]),
        atol=1e-5,
    )
    found = run(make_context(plain("sklearn.decomposition.PCA"), Projection()))
    assert np.bincount(found.series["code"].astype(int)).sum() == 150
    assert abs(np.corrcoef(found.series["pc1"], found.series["pc2"])[0, 1]) < 1e-4


def tidy_auc(values):
    """Tidy results from {(dataset, method): values over repeats}."""
    rows = [
        ("pces", dataset, "expansion", method, repeat, "auc", -1, value, "ok", "")
        for (dataset, method), per_repeat in values.items()
        for repeat, value in enumerate(per_repeat)
    ]
    return results.typed(pd.DataFrame(rows, columns=results.COLUMNS), results.COLUMNS)


def test_wins_ties_and_losses_by_data_set():
    base = np.linspace(0.6, 0.7, 8)
    wobble = 0.01 * (-1.0) ** np.arange(8)
    won, lost, tied, left_out = REAL
    values = {(won, "sgbdota_1_pruned"): base + 0.1 + 0.1 * wobble, (won, "get_ensemble"): base}
    values |= {(lost, "sgbdota_1_pruned"): base - 0.1 + 0.1 * wobble, (lost, "get_ensemble"): base}
    values |= {(tied, "sgbdota_1_pruned"): base + wobble, (tied, "get_ensemble"): base}
    row = "SGBDota-1 against GetEnsemble"
    published = pd.DataFrame({"row": [row] * 3, "column": ["win", "tie", "loss"], "mean": [2, 1, 0]})

    def cells_by_row(stand_ins):
        return win_cells(SimpleNamespace(tidy=tidy_auc(values), stand_ins=stand_ins), published).set_index("row")

    cells = cells_by_row({})
    assert cells.loc[row, "ours"].tolist() == [1, 1, 1]
    assert cells.loc[row, "published"].tolist() == [2, 1, 0]
    assert cells.loc[row, "n"].tolist() == [8] * 3
    assert cells.loc[row, "note"].tolist() == [f"without {left_out}"] * 3
    assert set(cells.loc["SGBDota-2 against RF", "status"]) == {"not run"}
    cells = cells_by_row({left_out: won})
    assert cells.loc[row, "ours"].tolist() == [2, 1, 1]
    assert set(cells.loc[row, "stand_in"]) == {won}
    assert set(cells.loc[row, "note"]) == {""}


def test_equalized_maps():
    image = equalized_map(np.array([5.0, 1.0, 1.0, 9.0]))
    np.testing.assert_allclose(image, [[0.625, 0.25], [0.25, 0.875]])
    with pytest.raises(ValueError, match="5 values"):
        equalized_map(np.zeros(5))


def test_strips_follow_the_path():
    side = np.linspace(0, 1, 101)
    x, y = np.meshgrid(side, side)
    along_x = strip_along(x, [(0.2, 0.5), (0.8, 0.5)], length=7, height=3)
    np.testing.assert_allclose(along_x, np.tile(np.linspace(0.2, 0.8, 7), (3, 1)), atol=1e-12)
    corner = strip_along(y, [(0.5, 0.1), (0.5, 0.5), (0.9, 0.5)], length=9, height=1, width=0.0)
    np.testing.assert_allclose(corner[0], [0.1, 0.2, 0.3, 0.4, 0.5, 0.5, 0.5, 0.5, 0.5], atol=1e-12)


def test_figures_draw_what_the_results_hold():
    tidy = pd.concat([rows_of(make_context(DOTA, Ranking(preference_weights=(0.1, 1.0)), repeat=repeat)) for repeat in (0, 1)])
    grid = auc_grid(tidy)
    assert grid.index.tolist() == [1.0, 0.1]
    assert grid.columns.tolist() == [0.0, 0.6, 1.0]
    series = tidy[(tidy["metric"] == "auc_by_p_percent_lambda_0.1") & (tidy["step"] == 60)]
    assert grid.loc[0.1, 0.6] == pytest.approx(series["value"].mean(), abs=0.005)
    ax = Figure().add_subplot()
    draw_grid(ax, grid, (0.0, 1.0))
    assert [text.get_text() for text in ax.texts] == [f"{value:.2f}".removeprefix("0") for value in grid.to_numpy().ravel()]
    assert auc_grid(tidy.iloc[:0]).empty
    ax = Figure().add_subplot()
    method = tidy["method"].iloc[0]
    draw_beside(
        ax, tidy, styles([method, "other"], SimpleNamespace(methods={})), {method: Printed(0.4, 0.3, 0.5), "other": None}
    )
    ours = tidy.loc[(tidy["metric"] == "auc") & (tidy["step"] == -1), "value"].mean()
    heights = [line.get_ydata()[0] for line in ax.lines if len(line.get_ydata()) == 1]
    assert any(height == pytest.approx(ours) for height in heights)
    assert 0.4 in heights
