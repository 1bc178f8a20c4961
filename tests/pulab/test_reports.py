"""The report and the README's made parts."""

import json
import math
import re
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from pulab.claims import CLAIM_COLUMNS
from pulab.reports.claims import claims_latex, claims_markdown
from pulab.reports.drawing import dots
from pulab.reports.html import _head, render_report
from pulab.reports.pages import deviations_table, failing_claims, findings_markdown, replace_block, tables_asked_for
from pulab.reports.scoreboard import scoreboard_markdown
from pulab.tables import VERDICTS, add_verdicts, write_study_table
from pulab.trials import results
from pulab.trials.seeds import trial_seed
from tests.pulab.test_tables import cells

mpl.use("Agg")


def made_up_claims():
    counts = ["verdict", "held", "cases", "held_holm", "pending", "not_available", "repeats", "numbers"]
    texts = {"study": "p", "also": "", "stand_in": "", "why": ""}
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


def made_up_cases():
    rows = [
        {"id": "one", "case": "Set, A against B", "status": "fails", "difference": -3.0, "datasets": "mnist"},
        {"id": "two", "case": "one", "status": "holds", "difference": 1.0, "datasets": "mnist"},
        {"id": "two", "case": "two", "status": "holds", "difference": 4.0, "datasets": "covtype"},
        {"id": "two", "case": "three", "status": "fails", "difference": -0.5, "datasets": "covtype"},
        {"id": "two", "case": "of another reading", "status": "holds", "difference": 2.0, "reading": "other"},
    ]
    frame = pd.DataFrame([{"study": "p", "reading": "", "pvalue": np.nan} | row for row in rows])
    return frame


def made_up_report(tmp_path, preset="paper"):
    """A report with every kind of part: tables of both kinds, a figure, claims, times, speed and priors."""
    import matplotlib.pyplot as plt

    folder = tmp_path / "rendered"
    (folder / "p").mkdir(parents=True)
    rows = [{"label": "MNIST", "select": {"dataset": "mnist"}}, {"label": "Covtype", "select": {"dataset": "covtype"}}]
    columns = [{"label": "A", "select": {"method": "a"}}, {"label": "B", "select": {"method": "b"}}]
    entry = {"rows": rows, "columns": columns, "select": {"setting": "s"}, "caption": "Accuracy.", "section": "5.1"}
    causes = [{"row": "MNIST", "cause": "reading", "why": "The text leaves the threshold open."}]
    specs = {
        "table2": entry | {"title": "Accuracy"},
        "table_more": entry | {"title": "Stand-ins", "reading": "other"},
    }
    frames = []
    for key, spec in specs.items():
        paths = {suffix: folder / "p" / f"{key}.{suffix}" for suffix in ("csv", "md", "tex")}
        own = cells(stand_ins={"covtype": "mnist"} if key == "table_more" else None)
        own = own[(own["row"] != "Covtype") | (own["column"] != "B") | (key != "table_more")]  # a paper may leave cells out
        write_study_table(spec | {"study": "p", "name": key, "preset": preset, "causes": causes}, own, paths)
        frames.append(pd.read_csv(paths["csv"]))
    pd.concat(frames).to_csv(folder / "scoreboard.csv", index=False)
    (folder / "p" / "table1.md").write_text("**Layers**\n\n| layer | width |\n|---|---|\n| in | 3 |\n| out | 1 |\n")
    made_up_claims().to_csv(folder / "claims.csv", index=False)
    made_up_cases().to_csv(folder / "claim_cases.csv", index=False)
    (folder / "speed").mkdir()
    (folder / "speed" / "overview.md").write_text("**Speed**\n\n|what|ours|\n|---|---|\n|fit|1.5 s|\n")
    (folder / "priors.md").write_text("Mean error.\n\n| data | error |\n|---|---|\n| mnist | +0.01 |\n")
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
    studies = {
        "p": {
            "title": "A paper <on> PU",
            "citation": "Someone & Other",
            "deviations": [{"topic": "threshold", "paper": "open", "here": "uniform", "key": "methods: params.threshold"}],
            "tables": {"table1": {"title": "Layers"}} | specs,
            "figures": {"figure1": {"title": "Curves", "caption": "A line."}},
        }
    }
    return render_report(
        studies=studies,
        folder=folder,
        scoreboard=folder / "scoreboard.csv",
        claims=folder / "claims.csv",
        timings={"p": folder / "p.timings.parquet"},
        methods={"a": {"label": "Method A", "estimator": "pulib.A", "params": {"C": 1}, "grid": {"C": [1, 2]}}},
        configuration={"preset": preset, "studies": ["p"]},
        preset=preset,
    )


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return made_up_report(tmp_path_factory.mktemp("report"))


def details_of(report):
    return json.loads(re.search(r'<script type="application/json" id="cells">(.*?)</script>', report, flags=re.DOTALL)[1])


def test_report_holds_tables_figures_verdicts_and_provenance(report):
    assert "93.50 (0.71)" in report
    assert "stand-in: mnist" in report
    assert "A paper &lt;on&gt; PU" in report
    assert report.count("data:image/webp;base64,") == 1
    for word in ("commit", "a machine", "numpy", "threshold", "rendered", "SHA-256", "&#34;preset&#34;: &#34;paper&#34;"):
        assert word in report
    assert "Method A" in report
    assert "2.00</td>" in report, "7,200 seconds are two hours"
    assert "1.5 s</td>" in report
    assert "+0.01</td>" in report


def test_headings_say_which_table_and_whether_the_paper_has_it(report):
    headings = [
        re.sub(r"<[^>]+>|\s+", " ", text) for text in re.findall(r"<(?:h3|summary)>(.*?)</(?:h3|summary)>", report, re.S)
    ]
    assert any(re.search(r"Table 2 +Accuracy +paper", text) for text in headings)
    assert any(re.search(r"Table: +Stand-ins +beyond", text) for text in headings)
    assert any(re.search(r"Figure 1 +Curves +paper", text) for text in headings)


def test_a_caption_does_not_repeat_the_section(report):
    assert report.count("Section 5.1") >= 1
    heads = [_head("p", "table2", {"title": "t", "section": "question 1", "caption": c}) for c in ("Question 1. All.", "All.")]
    assert [head["section"] for head in heads] == ["", "Question 1"]


def test_cells_are_those_of_the_rendered_table(report):
    """The Markdown that was written is what the page shows: no second renderer that could say something else."""
    shown = re.search(r'id="c-p-table2-0-1">(.*?)</button>', report)[1]
    assert "56.00 (1.41)" in shown
    assert "</span>50.00</small>" in shown
    assert 'aria-hidden="true">≠</span><span class="sr">different</span> +6.0' in shown


def test_a_cell_tells_its_cause_its_seeds_and_its_command(report):
    details = details_of(report)
    cell = details["cells"]["c-p-table2-0-1"]
    assert (cell["verdict"], cell["n"], cell["by"]) == ("different", 2, 6.0)
    assert cell["cause"] == "reading: the text leaves it open"
    assert cell["se"] == pytest.approx(1.0, abs=1e-3)
    assert details["reasons"][cell["why"] - 1] == "The text leaves the threshold open."
    assert cell["seeds"] == [trial_seed("p", "mnist", "s", "b", repeat) for repeat in range(2)]
    assert cell["command"].endswith(
        "--configfile config/paper.yaml --config studies='[p]' only_datasets='[mnist]' only_methods='[b]'"
    )


def test_the_demonstration_says_so_and_judges_nothing(tmp_path):
    report = made_up_report(tmp_path, preset="quick")
    assert "This is a demonstration." in report
    assert {cell["verdict"] for cell in details_of(report)["cells"].values()}.isdisjoint(VERDICTS)
    assert 'class="different"' not in report


def test_report_tells_what_holds_and_what_does_not(report):
    assert "A beats &lt;B&gt;" in report
    assert "holds in part (2 of 3, 1 after Holm&#39;s correction, 1 not run, 1 not available)" in report
    assert "On stand-ins: Digits." in report
    assert report.index("Does not hold (1)") < report.index("Holds in part (1)") < report.index("Not run yet (1)")


def test_a_claims_cases_are_dots_and_crosses(report):
    claim = re.search(r'id="claim-p-two".*?</article>', report, flags=re.DOTALL)[0]
    assert 'aria-label="2 of 3 cases hold; difference from -0.5 to 4"' in claim
    assert (claim.count("<circle"), claim.count('class="fails"')) == (2, 1)
    assert "of another reading" not in claim


def test_the_ends_of_a_strip_are_those_of_its_axis():
    """All cases lie beyond the line: it is an end of the axis, and named as such."""
    cases = [{"case": f"c{d}", "status": "holds", "difference": d, "pvalue": math.nan} for d in (-135.0, -281.0)]
    ends = re.findall(r"<text [^>]*>([^<]*)</text>", dots(cases))
    assert ends == ["−281", "0"]


def test_the_first_page_names_the_abstracts_claims_that_fail(report):
    listed = re.search(r"What the abstracts say.*?</ul>", report, flags=re.DOTALL)[0]
    assert re.findall(r'href="#claim-p-(\w+)"', listed) == ["two"]
    assert "p: holds in part (2 of 3" in listed


def test_the_scatter_has_a_point_for_each_printed_result(report):
    svg = re.search(r'<svg class="scatter".*?</svg>', report, flags=re.DOTALL)[0]
    assert re.findall(r'href="#([^"]+)"', svg) == ["c-p-table2-0-0", "c-p-table2-0-1"]
    assert "published 50, ours 56" in svg


def test_claims_in_markdown_and_latex():
    claims = made_up_claims().fillna({"numbers": "", "also": ""})
    text = claims_markdown(claims)
    assert "| p | 1 | 1 | 1 |" in text
    assert "| 5.1 | “A beats <B>” | Greater mean. | does not hold | Set: 1.0 and 2.0 |" in text
    assert "A \\| B" in text
    assert r"abstract & ``A \textbar{} B''" in claims_latex(claims)
    findings = findings_markdown(claims)
    assert findings.index("### Does not hold (1)") < findings.index("### Holds in part (1)")
    assert "(section 5.1)\\\n  Greater mean.\\\n  **Does not hold**: Set: 1.0 and 2.0.\\\n  *Seen.*" in findings
    assert failing_claims(claims) == "- [p](p.md), section 5.1: “A beats <B>”"
    assert claims_markdown(claims.iloc[:0]).count("No claims.") == 1


def test_scoreboard_counts_cells_and_claims():
    frame = add_verdicts(cells()).assign(study="p", table="2")
    text = scoreboard_markdown(frame, made_up_claims())
    assert "| p | 4 | 2 | 1 | 2 | 52% | 0 | 52% (1 of 2) | 0 | 0 | 1 |" in text
    assert "| p | 2 | 1 | 1 | 1 | 1 |" in text
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


def test_a_page_gets_the_tables_that_it_has_blocks_for(tmp_path):
    (tmp_path / "table_a.md").write_text("| a |", encoding="utf-8")
    text = "<!-- begin: table_a -->\n<!-- end: table_a -->\n<!-- begin: findings -->\n<!-- end: findings -->"
    assert tables_asked_for(text, tmp_path) == {"table_a": "| a |"}
    with pytest.raises(FileNotFoundError, match="table_b"):
        tables_asked_for("<!-- begin: table_b -->", tmp_path)


def test_deviations_table_escapes_pipes():
    deviations = [{"topic": "a|b", "paper": "c", "here": "d", "key": "settings.x"}]
    assert "| a\\|b | c | d | `settings.x` |" in deviations_table(deviations)


def test_the_page_of_what_is_kept_links_every_table_and_figure_that_is_there():
    kept = Path(__file__).parents[2] / "figures" / "paper"
    if not (kept / "README.md").is_file():
        pytest.skip("no kept results beside the tests")
    text = (kept / "README.md").read_text(encoding="utf-8")
    links = set(re.findall(r"\]\(([^)]+)\)", text))
    assert [link for link in links if not (kept / link).exists()] == []
    for study in ("puet", "adapu", "opu", "pces", "resvm", "levelfield"):
        made = {f"{study}/{file.name}" for file in (kept / study).glob("*.svg")}
        assert made <= links
