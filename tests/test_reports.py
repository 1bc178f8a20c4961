"""The report and the README's made parts."""

import re

import matplotlib as mpl
import pandas as pd
import pytest

from pulib.reports import render_report
from pulib.reports.readme import deviations_table, replace_block
from pulib.tables import add_verdicts
from tests.test_tables import cells

mpl.use("Agg")


@pytest.fixture
def report(tmp_path):
    import matplotlib.pyplot as plt

    folder = tmp_path / "figures"
    (folder / "p").mkdir(parents=True)
    frame = add_verdicts(cells(stand_ins={"covtype": "mnist"}))
    frame["paper"] = "p"
    frame = frame[(frame["row"] != "MNIST") | (frame["column"] != "B")]  # a paper may leave cells out
    frame.to_csv(folder / "p" / "table2.csv", index=False)
    frame.to_csv(folder / "scoreboard.csv", index=False)
    pd.DataFrame({"layer": ["in", "out"], "width": [3, 1]}).to_csv(folder / "p" / "table1.csv", index=False)
    fig, ax = plt.subplots(figsize=(1, 1))
    ax.plot([0, 1])
    fig.savefig(folder / "p" / "figure1.png")
    plt.close(fig)
    papers = {
        "p": {
            "title": "A paper <on> PU",
            "citation": "Someone & Other",
            "deviations": [{"topic": "threshold", "paper": "open", "here": "uniform"}],
            "tables": {"table1": {"title": "Table 1"}, "table2": {"title": "Table 2", "caption": "Accuracy."}},
            "figures": {"figure1": {"title": "Figure 1", "caption": "A line."}},
        }
    }
    return render_report(papers=papers, folder=folder, scoreboard=folder / "scoreboard.csv", preset="quick")


def test_report_holds_tables_figures_verdicts_and_provenance(report):
    assert "93.50 (0.71)" in report
    assert 'class="stand-in"' in report
    assert "MNIST" in report
    assert "A paper &lt;on&gt; PU" in report
    assert report.count("data:image/png;base64,") == 1
    for word in ("commit", "processor", "numpy", "threshold"):
        assert word in report


def test_report_fetches_nothing(report):
    assert not re.search(r'(src|href)="(?!data:|#)', report)
    assert "@import" not in report
    assert "url(" not in report


def test_blocks_are_replaced_again_and_again_and_missing_markers_are_an_error():
    text = "x\n<!-- begin: s -->\nold\n<!-- end: s -->\ny"
    once = replace_block(text, "s", "new")
    assert once == replace_block(once, "s", "new")
    assert "old" not in once
    with pytest.raises(ValueError, match="begin: t"):
        replace_block(text, "t", "new")


def test_deviations_table_escapes_pipes():
    papers = {"p": {"deviations": [{"topic": "a|b", "paper": "c", "here": "d", "key": "settings.x"}]}}
    assert "| p | a\\|b | c | d | `settings.x` |" in deviations_table(papers)
