"""The figures of the PU Extra Trees paper draw what they are given."""

import numpy as np
import pandas as pd

from pulab.tables.verdict import add_verdicts
from studies.puet.figures import NAMES, RANKINGS, TITLES, choose_dataset, figure1, figure5
from studies.puet.tables import table6
from tests.studies.shown import paper_of, results_of


def test_curves_are_means_in_percent_with_the_printed_area(tmp_path):
    def rows(metric, values, step):
        return [{"repeat": r, "metric": metric, "step": step, "value": value} for r, value in enumerate(values)]

    parts = [rows(metric, values, k) for metric in RANKINGS for k, values in ((1, (0.5, 0.7)), (4, (0.7, 0.9)))]
    tidy = pd.DataFrame([row for part in parts for row in part] + rows("area_difference", (1.0, 1.2), -1))
    method = "puet_nnpu_quadratic"
    tidy = tidy.assign(study="puet", dataset="unsw_nb15_82k", setting="top_features", status="ok", message="", method=method)
    paper = paper_of(("figure5", "UNSW-NB15", "area difference", 0.84))
    ax = figure5(results_of("puet", tidy, tmp_path), paper).axes[0]
    np.testing.assert_allclose(ax.lines[0].get_xydata(), [[1, 60], [4, 80]])
    assert "1.10 (published, all rows: 0.84)" in ax.get_legend().get_texts()[-1].get_text()


def test_single_repeats_on_covtype_are_shown_and_count_nowhere(tmp_path):
    key = {"study": "puet", "dataset": "covtype", "setting": "standard", "step": -1}
    rows = [
        key | {"method": "puet_nnpu_quadratic", "repeat": r, "metric": "accuracy", "value": 0.75, "status": "ok"}
        for r in (0, 1)
    ]
    gone = {"repeat": 0, "metric": "", "value": np.nan, "status": "unavailable", "message": "needs a GPU"}
    tidy = pd.DataFrame(rows + [key | gone | {"method": name} for name in ("upu_mlp", "nnpu_mlp", "self_pu")]).fillna(
        {"message": ""}
    )
    printed = [("6", "Covtype", name, value) for name, value in (("uPU", 72.38), ("nnPU", 71.64), ("Self-PU", 54.67))]
    results = results_of("puet", tidy, tmp_path)
    results = results.shows("table6", results.study.tables["table6"])
    table = table6(results, paper_of(*printed))
    cells = add_verdicts(table.cells).set_index(["row", "column"])
    assert cells.loc["Covtype", "verdict"].tolist()[1:] == ["not available"] * 3
    single = cells.loc["Covtype, one repeat"]
    assert single["ours"].to_dict() == {"uPU": 68.63, "nnPU": 71.38, "Self-PU": 74.04}
    assert set(single["verdict"]) == {"extra"}
    assert set(single["n"]) == {1}
    assert table.remarks[-1].endswith("uPU −3.8, nnPU −0.3, Self-PU +19.4.")
    assert list(dict.fromkeys(table.cells["row"])).index("Covtype, one repeat") == 4


def test_rows_have_the_names_of_their_features(tmp_path):
    """Of the traffic's features, the two methods share those that both put first."""
    n = len(NAMES["unsw_nb15_82k"])
    rows = [
        ("puet", "unsw_nb15_82k", "standard", method, 0, "importance", step, sign * step, "ok", "")
        for method, sign in (("puet_nnpu_quadratic", 1.0), ("pn_et", -1.0))
        for step in range(n)
    ]
    columns = ["study", "dataset", "setting", "method", "repeat", "metric", "step", "value", "status", "message"]
    fig = figure1(results_of("puet", pd.DataFrame(rows, columns=columns), tmp_path), paper_of())
    heading = fig.subfigs[0].get_suptitle().replace("\n", " ")
    assert heading == f"PU ET and PN ET share 0 of their 10 most important features on {TITLES['unsw_nb15_82k']}"
    (ax,) = fig.axes
    assert [text.get_text() for text in ax.get_yticklabels()] == NAMES["unsw_nb15_82k"][::-1], "by PU ET's importance"
    filled = [
        [not (color == 1).all() for color in part.get_facecolors()] for part in ax.collections if part.get_offsets().size > 2
    ]
    assert filled == [[place < 10 for place in range(n)], [place >= n - 10 for place in range(n)]]


def test_a_figure_takes_the_first_data_set_with_results():
    tidy = pd.DataFrame({"dataset": ["full", "part"], "status": ["unavailable", "ok"]})
    name, rows = choose_dataset(tidy, ["full", "part"], {})
    assert (name, set(rows["dataset"])) == ("part", {"part"})
    assert choose_dataset(tidy, ["other", "full"], {"other": "part"})[0] == "part"
    assert choose_dataset(tidy, ["full"], {})[0] == "full"
