"""The report and the README's made parts."""

import re

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from pulib.claims import CLAIM_COLUMNS
from pulib.experiments import results
from pulib.reports import render_report
from pulib.reports.claims import claims_latex, claims_markdown, findings_markdown, findings_summary
from pulib.reports.readme import deviations_table, replace_block
from pulib.reports.scoreboard import scoreboard_markdown
from pulib.tables import add_verdicts
from tests.test_tables import cells

mpl.use("Agg")


def made_up_claims():
    counts = ["verdict", "held", "cases", "held_holm", "pending", "not_available", "repeats", "numbers"]
    texts = {"paper": "p", "also": "", "stand_in": "", "why": ""}
    rows = [
        {"id": "one", "section": "5.1", "quote": "A beats <B>", "tested": "Greater mean.", "why": "Seen."}
        | dict(zip(counts, ["does not hold", 0, 1, np.nan, 0, 0, "5", "Set: 1.0 and 2.0"], strict=True)),
        {"id": "two", "section": "abstract", "quote": "A | B", "tested": "Alike.", "also": "other: holds", "stand_in": "Digits"}
        | dict(zip(counts, ["holds in part", 2, 3, 1.0, 1, 1, "2–5", "many"], strict=True)),
        {"id": "three", "section": "2", "quote": "Later", "tested": "Not yet."}
        | dict(zip(counts, ["pending", 0, 0, np.nan, 2, 0, "", ""], strict=True)),
    ]
    rows = [texts | row for row in rows]
    return pd.DataFrame(rows, columns=CLAIM_COLUMNS)


def made_up_report(tmp_path):
    """A report with every kind of part: tables of both kinds, a figure, claims, times."""
    import matplotlib.pyplot as plt

    folder = tmp_path / "figures"
    (folder / "p").mkdir(parents=True)
    frame = add_verdicts(cells(stand_ins={"covtype": "mnist"}))
    frame["paper"] = "p"
    frame = frame[(frame["row"] != "MNIST") | (frame["column"] != "B")]  # a paper may leave cells out
    frame.to_csv(folder / "p" / "table2.csv", index=False)
    frame.to_csv(folder / "scoreboard.csv", index=False)
    pd.DataFrame({"layer": ["in", "out"], "width": [3, 1]}).to_csv(folder / "p" / "table1.csv", index=False)
    made_up_claims().to_csv(folder / "claims.csv", index=False)
    times = [
        results.timing_rows(("p", "mnist", "s", m, 0), {"trial": t, "fit": 1.0}, "a machine")
        for m, t in [("a", 3), ("b", 7200)]
    ]
    results.write(results.concat(times, results.TIMING_COLUMNS), folder / "p.timings.parquet")
    (folder / "datasets.csv").write_text("name,title,source\nmnist,MNIST,http://example.org\n")
    fig, ax = plt.subplots(figsize=(12, 2))
    ax.plot([0, 1])
    fig.savefig(folder / "p" / "figure1.png")
    plt.close(fig)
    papers = {
        "p": {
            "title": "A paper <on> PU",
            "citation": "Someone & Other",
            "deviations": [{"topic": "threshold", "paper": "open", "here": "uniform", "key": "methods: params.threshold"}],
            "tables": {"table1": {"title": "Table 1"}, "table2": {"title": "Table 2", "caption": "Accuracy."}},
            "figures": {"figure1": {"title": "Figure 1", "caption": "A line."}},
        }
    }
    return render_report(
        papers=papers,
        folder=folder,
        scoreboard=folder / "scoreboard.csv",
        claims=folder / "claims.csv",
        timings={"p": folder / "p.timings.parquet"},
        methods={"a": {"label": "Method A", "estimator": "pulib.A", "params": {"C": 1}, "grid": {"C": [1, 2]}}},
        configuration={"preset": "quick", "papers": ["p"]},
        preset="quick",
    )


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return made_up_report(tmp_path_factory.mktemp("report"))


def test_report_holds_tables_figures_verdicts_and_provenance(report):
    assert "93.50 (0.71)" in report
    assert 'class="stand-in"' in report
    assert "MNIST" in report
    assert "A paper &lt;on&gt; PU" in report
    assert report.count("data:image/png;base64,") == 1
    for word in ("commit", "a machine", "numpy", "threshold", "rendered", "SHA-256", "&#34;preset&#34;: &#34;quick&#34;"):
        assert word in report
    assert "Method A" in report
    assert "2.00</td>" in report, "7,200 seconds are two hours"


def test_report_tells_what_holds_and_what_does_not(report):
    assert "A beats &lt;B&gt;" in report
    assert "holds in part (2 of 3, 1 after Holm&#39;s correction, 1 not run, 1 not available)" in report
    assert "On stand-ins: Digits." in report
    assert report.index("Does not hold (1)") < report.index("Holds in part (1)") < report.index("Not run yet (1)")


def test_claims_in_markdown_and_latex():
    claims = made_up_claims().fillna({"numbers": "", "also": ""})
    text = claims_markdown(claims)
    assert "| p | 1 | 1 | 1 |" in text
    assert "| 5.1 | “A beats <B>” | Greater mean. | does not hold | Set: 1.0 and 2.0 |" in text
    assert "A \\| B" in text
    assert r"abstract & ``A \textbar{} B''" in claims_latex(claims)
    findings = findings_markdown(claims, {"p": "The paper"}, "paper")
    assert "## The paper" in findings
    assert "(section 5.1). Greater mean. **Does not hold**: Set: 1.0 and 2.0. *Seen.*" in findings
    assert findings_summary(claims).endswith("- p, section 5.1: “A beats <B>”")
    assert claims_markdown(claims.iloc[:0]).count("No claims.") == 1


def test_scoreboard_counts_cells_and_claims():
    frame = add_verdicts(cells()).assign(paper="p", table="2")
    text = scoreboard_markdown(frame, made_up_claims())
    assert "| p | 2 | 1 | 1 | 1 | 1 |" in text
    assert "| **all** |  | 1 | 1 | 1 | 1 |" in text
    assert "| **all** | 1 | 1 | 1 |" in text


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
