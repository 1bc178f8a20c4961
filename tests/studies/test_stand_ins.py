"""Stand-ins for data sets of the quick preset are named or left out; no archived table has any."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from pulab.tables import Place, add_verdicts, sheet_of
from pulab.trials.results import COLUMNS, typed
from studies.adapu.study import READINGS
from studies.adapu.tables import table_readings as adapu_readings
from studies.opu.tables import BENCHMARKS, IMAGES
from studies.opu.tables import table_readings as opu_readings
from studies.pces.study import REAL
from studies.pces.tables import win_cells as pces_wins
from studies.puet.figures import choose_dataset
from studies.resvm.tables import parameters, wins
from studies.resvm.tables.edges import edge_table
from tests.studies.shown import paper_of, results_of

RESVM = {"resvm_cwsvm": "CWSVM", "resvm_bag": "BAG", "resvm_resvm": "RESVM"}


def tidy_of(study, setting, metric, values):
    """Return rows of trials from {(data set, method): values by repeat}."""
    rows = [(study, d, setting, m, k, metric, -1, v, "ok", "") for (d, m), own in values.items() for k, v in enumerate(own)]
    return typed(pd.DataFrame(rows, columns=COLUMNS), COLUMNS)


def made_from(tidy, stand_ins):
    return SimpleNamespace(tidy=tidy, labels=RESVM, stand_ins=stand_ins)


def test_adapus_readings_are_not_compared_on_stand_ins(tmp_path):
    tidy = tidy_of("adapu", "readings", f"accuracy_{next(iter(READINGS))}", {("breast_cancer", "adapu"): [0.85]})
    paper = paper_of(
        ("2", "BREASTCANCER", "ADAPU", 90.0), ("2", "CIFAR-10", "NNPU-MLP", 52.0), ("2", "UNSW-NB15", "ADAPU", 80.0)
    )
    table = adapu_readings(results_of("adapu", tidy, tmp_path, "quick"), paper)
    assert set(table.cells["column"]) == {"BREASTCANCER", "BREASTCANCER, P = 135", "distance"}


@pytest.mark.parametrize(
    "stand_ins", [{"vote": "breast_cancer"}, dict.fromkeys((BENCHMARKS | IMAGES).values(), "breast_cancer")]
)
def test_opus_readings_use_stand_ins_only_if_there_is_nothing_else(stand_ins, tmp_path):
    tidy = tidy_of("opu", "r20", "accuracy_pu_risk_unlabeled", {("australian", "opu_dh"): [0.8]})
    found = results_of("opu", tidy, tmp_path)
    preset = replace(found.study.presets["paper"], stand_ins=stand_ins)
    found = replace(found, study=replace(found.study, presets={"paper": preset}))
    columns = set(opu_readings(found, paper_of(("1", "Vote 20%", "OPU DH", 80.0))).cells["column"])
    assert columns == {*BENCHMARKS, *IMAGES} - ({"Vote"} if len(stand_ins) == 1 else set())


def test_figure_uses_the_first_data_set_with_results_or_its_stand_in():
    tidy = pd.DataFrame({"dataset": ["full", "part"], "status": ["unavailable", "ok"]})
    name, rows = choose_dataset(tidy, ["full", "part"], {})
    assert (name, set(rows["dataset"])) == ("part", {"part"})
    assert choose_dataset(tidy, ["other", "full"], {"other": "part"})[0] == "part"
    assert choose_dataset(tidy, ["full", "other"], {})[0] == "full"


def test_wins_of_pces_count_stand_ins_and_omit_data_sets_without_results():
    base = np.linspace(0.6, 0.7, 8)
    won, tied, *left_out = REAL
    own, rival = "sgbdota_1_pruned", "get_ensemble"
    values = {(won, own): base + 0.1 + 0.001 * np.arange(8), (won, rival): base}
    values |= {(tied, own): base + 0.01 * (-1.0) ** np.arange(8), (tied, rival): base}
    published = pd.DataFrame({"row": [], "column": [], "mean": []})
    for stand_ins, counts in (({}, [1, 1, 0]), ({left_out[0]: won}, [2, 1, 0])):
        results = made_from(tidy_of("pces", "expansion", "auc", values), stand_ins)
        cells = pces_wins(results, published).set_index("row").loc["SGBDota-1 against GetEnsemble"]
        assert cells["ours"].tolist() == counts
        assert set(cells["stand_in"]) == {", ".join(stand_ins.values())}
        assert set(cells["note"]) == {"without " + ", ".join(name for name in left_out if name not in stand_ins)}


@pytest.mark.parametrize(
    ("stand_ins", "note", "named"),
    [({"digit1": "digit0"}, "without digit2, sensit", "digit0"), ({"s1": "nowhere"}, "without digit1, digit2, sensit", "")],
)
def test_wins_of_resvm_name_missing_data_sets_and_stand_ins(monkeypatch, stand_ins, note, named):
    families = {"one": ["one"], "digits": ["digit0", "digit1", "digit2"], "sensit": ["s1", "s2"]}
    monkeypatch.setattr(wins, "FAMILIES", families)
    monkeypatch.setattr(wins, "SETTINGS", {"pu": "PU"})
    values = {(task, m): [float(k == 2)] * 4 for task in ("one", "digit0") for k, m in enumerate(RESVM)}
    published = pd.DataFrame(
        {"row": "PU, raw", "column": [f"{label} win %" for label in RESVM.values()], "mean": [20.0, 0, 80]}
    )
    results = made_from(tidy_of("resvm", "pu", "pr_auc", values), stand_ins)
    cells = wins.win_cells(results, pd.concat([published, published.assign(row="PU, normalized")]))
    assert (set(cells["note"]), set(cells["stand_in"])) == ({note}, {named})
    if named:
        assert set(add_verdicts(cells)["verdict"]) == {"stand-in"}
        assert f"PU, raw (stand-in: {named})" in sheet_of(cells, title="T").markdown()


def test_medians_and_edges_name_stand_ins(monkeypatch):
    monkeypatch.setattr(parameters, "MNIST", ["d0", "d1"])
    monkeypatch.setattr(parameters, "PARAMETERS", {"best_n_positive": "n_pos"})
    monkeypatch.setattr(parameters, "SETTINGS", {"pu": "PU"})
    values = {("d0", "resvm_resvm"): [5, 10, 20], ("d9", "resvm_resvm"): [20, 20, 40]}
    published = pd.DataFrame({"row": "n_pos, PU", "column": ["0", "1", "mean"], "mean": [10.0, 20.0, 15.0]})
    for stand_in, mean in (("d9", [15.0, "d9", "stand-in"]), ("not run", [10.0, "", "not judged"])):
        results = made_from(tidy_of("resvm", "pu", "best_n_positive", values), {"d1": stand_in})
        cells = add_verdicts(parameters.parameter_cells(results, published), kind="parameter").set_index("column")
        assert cells.loc["0", "verdict"] == "not judged"
        assert cells.loc["mean", ["ours", "stand_in", "verdict"]].tolist() == mean
    results = made_from(tidy_of("resvm", "pu", "edge_C", {("d9", "resvm_resvm"): [1, 0]}), {"d1": "d9"})
    edges = edge_table(results, [Place("toy", {"dataset": "d1"})], list(RESVM)).cells
    assert edges[["ours", "stand_in"]].to_numpy().tolist() == [[50.0, "d9"]]
