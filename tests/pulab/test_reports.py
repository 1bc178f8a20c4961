"""The report and the README's made parts."""

import json
import re
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from pulab.claims import CLAIM_COLUMNS
from pulab.plan import Cause, Method, Shown
from pulab.plan.load import deviations_of
from pulab.reports.claims import claims_latex
from pulab.reports.html import write_report
from pulab.reports.pages import replace_block
from pulab.reports.studies import LONG
from pulab.tables import VERDICTS, Results, Table, write_study_table
from pulab.tables.datasets import COLUMNS
from pulab.tables.sheet import Grid, Sheet
from pulab.trials import results
from pulab.trials.trial import derive_seed
from pulib.plots import save_figure
from tests.pulab.test_tables import cells, tidy
from tests.pulab.toy import study_of


def made_up_claims():
    counts = ["verdict", "held", "cases", "held_holm", "pending", "not_available", "repeats", "numbers"]
    names = ("also", "lower", "higher", "contradicted", "weak", "stand_in", "why", "theme", "part")
    texts = {"study": "p"} | dict.fromkeys(names, "") | {"theme": "accuracy"}
    rows = [
        {"id": "one", "section": "5.1", "quote": "A beats <B>", "tested": "Greater mean.", "why": "Seen."}
        | dict(zip(counts, ["does not hold", 0, 1, np.nan, 0, 0, "5", "Set: 1.0 and 2.0"], strict=True)),
        {"id": "two", "section": "abstract", "quote": "A | B", "tested": "Alike.", "also": "other: holds", "stand_in": "Digits"}
        | dict(zip(counts, ["holds in part", 2, 3, 1.0, 1, 1, "2–5", "many"], strict=True)),
        {"id": "three", "section": "2", "quote": "Later", "tested": "Not yet.", "theme": "speed"}
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
    return pd.DataFrame([{"study": "p", "reading": "", "pvalue": np.nan} | row for row in rows])


PAGE = """# A paper

## Deviations

By [the rule](../../docs/rules.md):

| topic | what the paper leaves open | what we do |
|---|---|---|
| Range \\| step | open | drawn uniformly, as `Forest.range` |

## Limits

None of these are shown.
"""
SHOWN = {
    "table1": Shown("Layers", cells="fact"),
    "table2": Shown("Accuracy", section="5.1", caption="Accuracy.", published=True),
    "table_more": Shown("Stand-ins", section="5.1", caption="Accuracy.", reading="other"),
}


def made_up_study(folder, page=PAGE, **more):
    """A study with a folder of its own, which holds its page."""
    own = folder / "made_up_study"
    own.mkdir(parents=True)
    (own / "__init__.py").touch()
    if page:
        (own / "page.md").write_text(page, encoding="utf-8")
    return study_of(title="A paper <on> PU", citation="Someone, Other (2020). A paper", module="made_up_study", **more)


@contextmanager
def found_in(folder):
    """Within it, modules are found in a folder, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield


#: In the state of a script's data in which `<!--<script>` is read, the rest of the page would be hidden.
HOSTILE = "<!--<script> ![x](http://example.org/x.png)"


def made_up_report(tmp_path, preset="paper", single=False, label="MNIST"):
    """A report with every kind of part: tables of all kinds, figures, claims, times, and what is measured apart."""
    folder = tmp_path / "rendered"
    (folder / "p").mkdir(parents=True)
    methods = {"a": Method(name="a", label="Method A", estimator="mine.A", params={"C": 1}, grid={"C": [1, 2]})}
    study = made_up_study(
        tmp_path / "studies",
        tables=SHOWN,
        figures={"figure1": Shown("Curves", caption="A line."), "figure4": Shown("More curves", folded=True)},
        causes=[Cause(row=label, cause="reading", why="The text leaves the threshold open.")],
    )
    made = Results(study, preset, methods, {}, "", "")
    frames = []
    for key in ("table2", "table_more"):
        paths = {suffix: folder / "p" / f"{key}.{suffix}" for suffix in ("csv", "json")}
        own = cells(stand_ins={"covtype": "mnist"} if key == "table_more" else (), setting="s")
        own = own[(own["row"] != "Covtype") | (own["column"] != "B") | (key != "table_more")]  # a paper may leave cells out
        own["row"] = own["row"].replace("MNIST", label)
        write_study_table(made.shows(key, SHOWN[key]), Table(own), paths)
        frames.append(pd.read_csv(paths["csv"]))
    pd.concat(frames).to_csv(folder / "scoreboard.csv", index=False)
    layers = Grid.of(["layer"], [[k] for k in range(LONG + 1)])
    Sheet("Layers", grids=[layers]).write({"json": folder / "p" / "table1.json"})
    made_up_claims().to_csv(folder / "claims.csv", index=False)
    made_up_cases().to_csv(folder / "claim_cases.csv", index=False)
    times = [
        results.timing_rows(("p", "mnist", "s", m, 0), {"trial": t, "fit": 1.0}, "a machine")
        for m, t in [("a", 3), ("b", 7200)]
    ]
    (folder / "tidy").mkdir()
    results.write(results.concat(times, results.TIMING_COLUMNS), folder / "tidy" / "p.timings.parquet")
    results.write(tidy(), folder / "tidy" / "p.parquet")
    own = dict.fromkeys(COLUMNS, "") | {"name": "mnist", "title": "MNIST", "source": "http://example.org"}
    pd.DataFrame([own]).to_csv(folder / "datasets.csv", index=False)
    for name in ("figure1", "figure4"):
        fig = Figure(figsize=(12, 2))
        fig.add_subplot().plot([0, 1])
        fig.suptitle("A rises\nwith B & C")
        save_figure(fig, folder / "p" / f"{name}.svg", folder / "p" / f"{name}.png")
    with found_in(tmp_path / "studies"):
        write_report(
            folder / "report.html",
            studies={"p": study},
            folder=folder,
            methods=methods,
            configuration={"preset": preset, "studies": ["p"]},
            preset=preset,
            measured={"Speed": Sheet(grids=[Grid.of(["what", "ours"], [["fit", "1.5 s"]])])},
            single=single,
        )
    files = (folder / "report.html", *(folder / "report").glob("*.*"))
    return {file.stem if file.suffix == ".html" else file.name: file.read_text(encoding="utf-8") for file in files}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return made_up_report(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def demonstration(tmp_path_factory):
    """With a label that would break a page."""
    return made_up_report(tmp_path_factory.mktemp("quick"), preset="quick", label=HOSTILE)


@pytest.fixture(scope="module")
def single(tmp_path_factory):
    return made_up_report(tmp_path_factory.mktemp("single"), single=True, label=HOSTILE)


def details_of(page):
    """By the name of a cell, what its dialog says, read as the page's script reads it."""
    known = json.loads(re.search(r'<script type="application/json" id="cells">(.*?)</script>', page, flags=re.DOTALL)[1])
    cells = {key: dict(zip(known["fields"], row, strict=False)) for key, row in known["cells"].items()}
    for cell in cells.values():
        cell |= {name: known["words"][cell[name]] for name in known["texts"] if cell.get(name) is not None}
    return cells


def test_report_holds_tables_figures_verdicts_and_provenance(report):
    assert {"report", "p", "about"} == {name for name in report if "." not in name}
    assert "93.50 (0.71)" in report["p"]
    assert "stand-in: mnist" in report["p"]
    assert "A paper &lt;on&gt; PU" in report["p"]
    assert 'src="../p/figure1.svg"' in report["p"]
    assert "<td>drawn uniformly, as <code>Forest.range</code></td>" in report["p"]
    for word in ("commit", "a machine", "numpy", "rendered", "SHA-256", "&#34;preset&#34;: &#34;paper&#34;", "Method A"):
        assert word in report["about"]
    assert "2.00</td>" in report["about"], "7,200 seconds are two hours"
    assert "1.5 s</td>" in report["about"]
    script = report["report.js"]  # what all pages share
    assert '"rerun":"snakemake rerun --cores all --configfile config/paper.yaml --config"' in script
    assert '"labels":{"a":"Method A"}' in script


def test_headings_name_the_table_and_say_whether_it_is_the_papers(report):
    texts = re.findall(r"<(?:h3|summary|h2)[^>]*>(.*?)</(?:h3|summary|h2)>", report["p"], re.S)
    headings = [" ".join(re.sub(r"<[^>]+>", " ", text).split()) for text in texts]
    assert headings.index("Table 2 Accuracy") < headings.index("Figure 1 Curves")
    assert headings.index("Figure 1 Curves") < headings.index("Beyond the paper") < headings.index("Table: Stand-ins")


def test_a_cell_shows_both_numbers_their_verdict_and_their_origin(report):
    shown = re.search(r'id="c-p-table2-0-1">(.*?)</button>', report["p"])[1]
    assert "56.00 (1.41)" in shown
    assert "</span>50.00</small>" in shown
    assert '<span role="img" aria-label="different">≠</span> +6.0' in shown
    cell = details_of(report["p"])["c-p-table2-0-1"]
    assert (cell["verdict"], cell["n"], cell["by"]) == ("different", 2, 6.0)
    assert cell["cause"] == "reading: the text leaves it open"
    assert cell["se"] == pytest.approx(1.0, abs=1e-3)
    assert cell["why"] == "The text leaves the threshold open."
    assert cell["values"] == [55.0, 57.0]
    assert cell["seed"] == derive_seed("p", "mnist", "s", "b", 0)
    assert cell["runs"]
    assert (cell["study"], cell["dataset"], cell["setting"], cell["method"]) == ("p", "mnist", "s", "b")


def test_figures_say_their_finding_and_what_is_long_or_said_in_a_sentence_is_in_a_fold(report):
    shown = re.search(r'<div class="scroll"[^>]*><img src="../p/figure1.svg"[^>]*>', report["p"])[0]
    assert 'alt="A rises with B &amp; C"' in shown
    assert f'width="{round(1.5 * 12 * 72)}"' in shown, "six points are nine pixels"
    assert "<p>A rises with B &amp; C.</p>" in report["p"]
    assert re.search(r'<details class="artifact" id="p-figure4">.*?<img', report["p"], flags=re.DOTALL)
    assert '<details class="artifact" id="p-table1">' in report["p"]
    assert '<section class="artifact" id="p-figure1">' in report["p"]
    assert '<section class="artifact" id="p-table2">' in report["p"]


def test_the_demonstration_says_so_and_judges_nothing(demonstration):
    report = demonstration
    for page in (report["report"], report["p"]):
        assert "This is a demonstration." in page
        assert not re.search(r'class="[^"]*(different|does-not-hold|holds)', page)
        assert "Does not hold" not in page
    assert {cell["verdict"] for cell in details_of(report["p"]).values()}.isdisjoint(VERDICTS)
    assert "A beats &lt;B&gt;" in report["p"], "the claims are there, with what they were tested by"


def test_claims_and_reasons_show_totals(report):
    page = report["p"]
    assert "<q>A beats &lt;B&gt;</q>" in page
    claim = " ".join(re.sub(r"<[^>]+>", "", re.search(r'id="claim-p-two".*?</article>', page, flags=re.DOTALL)[0]).split())
    counted = (
        "It holds in 2 of 3 cases, in 1 after Holm's correction. 1 more case has not been run. 1 more is not available here."
    )
    assert counted in claim.replace("&#39;", "'")
    assert "It does not hold for three." in claim, "cases of another reading are left out"
    assert "On stand-ins: Digits." in claim
    headings = ("Accuracy (2 of 3: 1 does not hold, 1 holds in part)", "Speed (1 of 3: 1 pending)")
    assert page.index(headings[0]) < page.index('id="claim-p-one"') < page.index('id="claim-p-two"') < page.index(headings[1])
    section = re.search(r'id="p-reasons".*?</section>', page, flags=re.DOTALL)[0]
    assert "1 of 2 judged results are not reproduced: 1 different." in section
    assert "(1 of 1: 1 different)" in section


def test_the_first_page_has_verdicts_claims_and_costs(report):
    page = report["report"]
    assert "1 of 2 published performances that can be run here are reproduced" in page
    assert "Of 3 claims 0 hold, 1 hold in part, and 1 do not; 1 could not be tested, or only in part." in page
    listed = re.search(r"Claims of the abstracts.*?</ul>", page, flags=re.DOTALL)[0]
    assert re.findall(r'href="report/p.html#claim-p-(\w+)"', listed) == ["two"]
    assert "The trials in these tables took 2.0 hours" in page
    assert len(page) < 150_000


def test_every_link_leads_somewhere(report):
    for name, page in ((name, page) for name, page in report.items() if "." not in name):
        for address in re.findall(r'href="([^"]*)"', page):
            file, _, anchor = address.partition("#")
            target = name if not file else Path(file).stem
            if address.startswith(("data:", "http")) or anchor.startswith("filter:"):
                continue
            assert target in report, address
            assert not anchor or f'id="{anchor}"' in report[target], address


def test_one_file_holds_all_pages_and_fetches_nothing(single):
    assert set(single) == {"report"}
    page = single["report"]
    assert 'id="page-about"' in page
    assert page.count("data:image/webp;base64,") == 2
    assert not re.search(r'(src|href)="(?!data:|#|http://example.org")', page)
    assert "@import" not in page
    assert "url(" not in page
    anchors = set(re.findall(r'id="([^"]+)"', page))
    assert {link for link in re.findall(r'href="#([^"]+)"', page) if not link.startswith("filter:")} <= anchors


def test_a_label_hides_no_text_and_loads_nothing(demonstration, single):
    for name, page in [*demonstration.items(), *single.items()]:
        if name == "search.js":
            assert "<" not in page
        elif "." not in name:
            assert "<!--" not in page
            assert page.count("<script") == page.count("</script>")
            assert not re.search(r'<img[^>]*src="http', page)


def test_claims_in_latex():
    assert r"abstract & ``A \textbar{} B''" in claims_latex(made_up_claims())


def test_missing_markers_are_an_error():
    with pytest.raises(ValueError, match="the page needs one <!-- begin: t -->"):
        replace_block("<!-- begin: s -->\nold\n<!-- end: s -->", "t", "new")


def test_deviations_are_a_section_of_the_study_s_page(tmp_path, report):
    shown = re.search(r'id="p-deviations".*?</section>', report["p"], flags=re.DOTALL)[0]
    assert "<td>Range | step</td>" in shown
    assert "By the rule:" in shown, "links lead out of the report"
    assert "<a" not in shown
    assert "None of these are shown" not in report["p"]
    with found_in(tmp_path):
        assert deviations_of(made_up_study(tmp_path, "")) == "", "a study may have no page"
