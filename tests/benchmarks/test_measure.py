"""Speed measurements of every kernel run on small sizes; tables and figures show what was measured."""

import importlib
import inspect
import pkgutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import benchmarks
from benchmarks import first_use
from benchmarks.history import read_history
from benchmarks.record import COLUMNS, Record
from benchmarks.resvm import generated_rows, loop, search
from benchmarks.tables import ratio_cells, scaling_cells, slopes, speed_sheet
from pulab.plan.configuration import read_yaml
from pulib.datasets import Dataset

ROOT = Path(__file__).parents[2]
#: Modules that do not measure scaling with n and d; they have their own tests.
APART = {"first_use"}
#: Modules that do not measure speed.
OTHERS = {"record", "history", "priors", "tables"}
TEXT = {"title": "T", "caption": "c"}
KERNELS = [info.name for info in pkgutil.iter_modules(benchmarks.__path__) if info.name not in OTHERS | APART]
SMALL = {
    "puet": {
        "generated": {"pixels": ["uint8", 2, 300, 20], "numbers": ["float32", 2, 300, 12]},
        "runs": 1,
        "rows": [100, 200],
        "features": [10, 12],
    },
    "mapped": {"rows": [300, 600], "width": 5, "runs": 1},
    "adapu": {"shape": [600, 24], "n_rounds": 2, "rows": [400, 800], "features": [12, 24]},
    "opu": {"shape": [2000, 5], "sparse_shape": [200, 300], "few": 5, "runs": 1, "rows": [1000, 2000], "features": [2, 4]},
    "pces": {"compared": [50], "rows": [50, 100], "rows_fit": [40, 60], "features": [2, 3], "spreads": [1.0], "runs": 1},
    "resvm": {
        "n_unlabeled": 100,
        "n_folds": 2,
        "grid": {"C": [1.0], "w_positive": [1.6, 3.2], "n_positive": [5], "unlabeled_per_positive": [2]},
        "timed": 1,
        "runs": 1,
        "rows": [50, 80],
        "features": [20, 40],
    },
    "neural": {"cases": [[60, 4, 30, 1]], "runs": 1, "rows": [60, 120], "features": [3, 6]},
}


@pytest.mark.parametrize("kernel", [pytest.param(name, marks=pytest.mark.slow) if name != "pces" else name for name in KERNELS])
def test_every_kernel_is_measured(kernel, tmp_path):
    if kernel == "neural":
        pytest.importorskip("torch")
    record = Record(threads=1)
    importlib.import_module(f"benchmarks.{kernel}").measure(record, **SMALL[kernel])
    table = record.table()
    assert list(table.columns) == COLUMNS
    assert {"ratio", "scaling"} <= set(table["measured"])
    assert (table["seconds"] > 0).all()
    assert ((table["seconds_min"] <= table["seconds"]) & (table["seconds"] <= table["seconds_max"])).all()
    ratios = table[table["measured"] == "ratio"]
    assert ((ratios["ratio_min"] <= ratios["ratio"]) & (ratios["ratio"] <= ratios["ratio_max"])).all()
    series = table[table["measured"] == "scaling"].groupby(["benchmark", "axis"])["size"]
    assert (series.nunique() >= 2).all()
    assert {axis for _, axis in series.groups} == ({"n"} if kernel == "mapped" else {"n", "d"})
    table.to_csv(tmp_path / "table.csv", index=False)
    read = pd.read_csv(tmp_path / "table.csv")
    text = speed_sheet({kernel: read}, {kernel: TEXT}, read_history(None)).markdown()
    assert all(name in text for name in table["benchmark"])


@pytest.mark.slow
def test_first_use_compiles_and_second_does_not():
    record = Record(threads=1)
    first_use.measure(record, learners=["OnlinePUClassifier"], shape=[100, 3], runs=1)
    (row,) = record.table().itertuples()
    assert row.benchmark == "OnlinePUClassifier"
    assert row.seconds < row.reference_seconds


def test_configuration_names_exactly_the_kernels():
    speed = read_yaml(ROOT / "config" / "speed.yaml")
    assert set(speed) == APART | set(KERNELS)
    assert set(KERNELS) == set(SMALL)


def test_configuration_matches_the_parameters_of_measure():
    for name, entry in read_yaml(ROOT / "config" / "speed.yaml").items():
        measure = importlib.import_module(f"benchmarks.{name}").measure
        for preset in ("quick", "paper"):
            inspect.signature(measure).bind(None, **entry[preset])


def test_loop_over_svc_gives_the_scores_of_the_search():
    X, y = generated_rows(200, 50)
    found = search(X, y, {"C": [1.0, 0.1], "w_positive": [3.2], "n_positive": [10], "unlabeled_per_positive": [3]}, 3)
    scores = loop(X, y, found.cv_results_["params"], 3)
    np.testing.assert_allclose(scores, found.cv_results_["mean_test_score"], rtol=0.02)


def scaling_rows(exponent):
    sizes = (100, 1000, 10_000)
    return [{"measured": "scaling", "benchmark": "b", "axis": "n", "size": n, "seconds": 1e-6 * n**exponent} for n in sizes]


@pytest.mark.parametrize("exponent", [0.0, 1.0, 2.0])
def test_slopes(exponent):
    table = pd.DataFrame(scaling_rows(exponent), columns=COLUMNS)
    assert slopes(table)["b", "n"] == pytest.approx(exponent, abs=1e-9)
    assert np.isnan(slopes(table, least=1e9)["b", "n"])


def test_ratios_are_medians_and_ranges():
    record = Record(threads=2)
    record.add("fit", "10 x 3", [1.0, 2.0, 4.0], "theirs", [10.0, 10.0, 10.0])
    record.add("fit", "10 x 3", [1.0, 2.0], "theirs", [6.0], threads=1)
    paired, unpaired = record.table().itertuples()
    assert (paired.ratio, paired.ratio_min, paired.ratio_max, paired.threads) == (5.0, 2.5, 10.0, 2)
    assert (unpaired.ratio, unpaired.ratio_min, unpaired.ratio_max, unpaired.threads) == (4.0, 3.0, 6.0, 1)


def test_reports_what_could_not_be_measured():
    record = Record(threads=2)
    record.unavailable("trees on a set", "no such file")
    cells = ratio_cells(record.table())
    assert set(cells["row"]) == {"trees on a set, 2 threads"}
    assert cells.set_index("column").loc["times faster (worst–best)", ["status", "note"]].tolist() == [
        "unavailable",
        "no such file",
    ]
    assert "unavailable: no such file" in speed_sheet({"trees": record.table()}, {"trees": TEXT}, read_history(None)).markdown()
    assert scaling_cells(record.table()).empty


def test_unavailable_data_sets_are_left_out_and_reported():
    def load(name):
        meta = {"available": False, "reason": "far.txt\n  could not be had"} if name.startswith("far") else {}
        return Dataset(name, np.zeros((0, 0)), np.zeros(0), np.zeros(0), meta=meta)

    def left(**sizes):
        record = Record(1, load)
        return record.available("puet", sizes), [row.benchmark for row in record.table().itertuples()]

    assert left(runs=3) == ({"runs": 3}, [])
    assert left(runs=3, datasets={"near": 1, "far": 2}) == ({"runs": 3, "datasets": {"near": 1}}, ["puet, far"])
    assert left(datasets={"far": 1}) == left(dataset="far") == (None, ["puet, far"])
    assert left(dataset="near") == ({"dataset": "near"}, [])
