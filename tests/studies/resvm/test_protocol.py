"""Trials of the RESVM chapter on generated rows, and cells of few repeats; golden numbers and archives cover the rest."""

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
from studies.resvm.scores import interval_cells, mark
from studies.resvm.study import GridSearch

LABELS = {"resvm_cwsvm": "CWSVM", "resvm_bag": "BAG", "resvm_resvm": "RESVM"}
PLACES = [Place("toy", {"dataset": "a"})]
#: The paper has no mark for a test that was not significant.
PUBLISHED = pd.DataFrame(
    [
        ("toy", "CWSVM", np.nan, 50.0, 60.0, np.nan),
        ("toy", "BAG", np.nan, 70.0, 80.0, np.nan),
        ("toy", "RESVM", np.nan, 88.0, 92.0, np.nan),
        ("toy", "p", np.nan, np.nan, np.nan, np.nan),
        ("toy", "RESVM wins", 20.0, np.nan, np.nan, np.nan),
    ],
    columns=["row", "column", "mean", "low", "high", "mark"],
)


def context(method, **options):
    y = np.repeat(np.array([1, 0], dtype=np.int8), 200)
    data = Dataset("toy", X=np.zeros((400, 3)), target=y, y=y)
    split = contaminated_split(
        data, random_state=0, n_labeled=30, n_unlabeled=60, contamination_unlabeled=0.3, test="random",
        n_test_positive=50, n_test_negative=50, generator="circle_noise",
    )  # fmt: skip
    return TrialContext("resvm", "toy", "pu", "m", 0, data, split, method, GridSearch(n_folds=3, **options))


def test_generated_rows_are_those_of_the_split():
    rows = resvm.load_tuning_rows(context(Method(name="m", label="M", estimator="pulib.svm.BaggingSVC"), scale="minmax"))
    assert (rows.X.min(), rows.X.max()) == pytest.approx((0, 1))
    assert len(rows.X_test) == len(rows.truth_test) == 100
    with pytest.raises(ValueError, match="scale='sphere'"):
        resvm.make_scaler("sphere")


def test_edges_are_reported_for_lists_of_three_or_more_values():
    grid = {"C": [1.0, 0.1], "n_positive": [5, 10, 20], "unlabeled_per_positive": [1, 2, 3]}
    method = Method(name="m", label="M", estimator="pulib.svm.RobustEnsembleSVC", params={"n_estimators": 3}, grid=grid)
    scalars = resvm.RUN[GridSearch](context(method)).scalars
    ratio = scalars["best_unlabeled_per_positive"]
    assert ratio == scalars["best_n_unlabeled"] / scalars["best_n_positive"]
    assert scalars["edge_unlabeled_per_positive"] == float(ratio in (1, 3))
    assert scalars["edge_n_positive"] == float(scalars["best_n_positive"] in (5, 20))
    assert not {"edge_n_unlabeled", "edge_C"} & set(scalars)


def cells_of(values):
    """Return cells of a table, from each method's areas by repeat."""
    frames = [pd.DataFrame({"method": m, "repeat": range(len(own)), "value": own}) for m, own in values.items()]
    place = {"study": "resvm", "dataset": "a", "setting": "pu", "metric": "pr_auc", "step": -1, "status": "ok", "message": ""}
    tidy = results.typed(pd.concat(frames).assign(**place), results.COLUMNS)
    return interval_cells(tidy, PUBLISHED, PLACES, LABELS, setting="pu", stand_ins={})


def test_too_few_repeats_are_not_tested():
    found = cells_of({m: [mean] * 4 for m, mean in zip(LABELS, (0.55, 0.75, 0.9), strict=True)}).set_index("column")
    assert found.loc["p", "status"] == "not run"
    assert np.isnan(found.loc["RESVM", "low"])


def test_method_that_was_run_alone_is_shown():
    found = cells_of({"resvm_cwsvm": [0.5, 0.7, 0.9], "resvm_bag": [0.1]}).set_index("column")
    assert found.loc[["CWSVM", "BAG"], "ours"].tolist() == pytest.approx([70.0, 10.0])
    assert found.loc[["CWSVM", "BAG", "RESVM", "p", "CWSVM wins"], "n"].tolist() == [3, 1, 0, 0, 0]
    assert found.loc[["CWSVM", "RESVM", "p"], "status"].tolist() == ["ok", "not run", "not run"]


def test_marks():
    assert [mark(p) for p in (0.0009, 0.001, 0.009, 0.049, 0.05)] == ["•••", "••", "••", "•", "n.s."]
    assert [mark(p) for p in (0.95, 0.951, 1.0)] == ["n.s.", "reversed", "reversed"]


def test_reversed_difference_is_marked_and_not_reproduced():
    cells = cells_of({m: np.linspace(mean, mean + 0.01, 8) for m, mean in zip(LABELS, (0.55, 0.9, 0.75), strict=True)})
    assert add_verdicts(cells).set_index("column")["verdict"]["p"] == "different"
    assert "reversed · *n.s.* ≠" in sheet_of(add_verdicts(cells), title="T").markdown()
