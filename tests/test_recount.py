"""The front page's numbers, recomputed by a script that does not import pulib."""

import ast
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "docs" / "recount.py"
PAGES = ("README.md", "docs/index.md", "docs/studies/index.md", "figures/paper/scoreboard.md")
SENTENCE = (
    r"We reproduce {reproduced} of {judged} published performances; the authors' own code would reproduce about {expected} "
    r"\(ratio {ratio}%, 95% interval {low} to {high}%\), and values shuffled within their rows {placebo}\. Some main readings "
    r".*? under the readings fixed before, the ratio is {ratio_before}% \({before} of {expected_before}\)\. "
    r"Of the {with_verdict} with a verdict, {different} differ, compared with about {expected_different} for the authors' "
    r"code; the cause is \*shown\* for {shown} of the {missed} close or different results"
)


@pytest.fixture(scope="module")
def recount():
    return SimpleNamespace(**runpy.run_path(str(SCRIPT)))


@pytest.fixture(scope="module")
def cells(recount):
    return recount.read()


@pytest.fixture(scope="module")
def sentence(recount, cells):
    low, high = recount.interval(recount.counted(cells))
    numbers = recount.recount(cells) | {"low": 100 * low, "high": 100 * high}
    return SENTENCE.format(**{name: f"{value:.0f}" for name, value in numbers.items()})


def test_script_is_short_and_does_not_import_pulib():
    text = SCRIPT.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    nodes = list(ast.walk(ast.parse(text)))
    used = {name.name.split(".")[0] for node in nodes if isinstance(node, ast.Import) for name in node.names}
    used |= {node.module.split(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)}
    assert used <= {"sys", "pathlib", "numpy", "pandas", "scipy"}


@pytest.mark.parametrize("page", PAGES)
def test_each_page_quotes_the_numbers_of_the_script(page, sentence):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert len(re.findall(sentence, text)) == 1


@pytest.mark.parametrize(("page", "block"), [("README.md", "by_study"), ("docs/studies/index.md", "scoreboard")])
def test_table_by_study_matches_the_script(page, block, recount, cells):
    text = (ROOT / page).read_text(encoding="utf-8")
    shown = re.search(rf"<!-- begin: {block} -->\n(.*?)\n<!-- end: {block} -->", text, re.DOTALL)[1]
    lines = [line for line in shown.splitlines() if line.startswith("|")]
    header, _, *rows = [[part.strip() for part in line.strip("|").split("|")] for line in lines]
    printed = {row[0]: dict(zip(header, row, strict=True)) for row in rows if row[0] != "counts of wins"}
    found = {name: recount.recount(own) for name, own in cells.groupby("study")} | {"**all**": recount.recount(cells)}
    assert set(printed) == set(found)
    for name, own in found.items():
        own = {key: f"{value:.0f}" for key, value in own.items()}
        wanted = {
            "run here": own["judged"],
            "= reproduced": own["reproduced"],
            "exact rerun": own["expected"],
            "ratio": f"{own['ratio']}%",
            "readings fixed before": f"{own['ratio_before']}% ({own['before']} of {own['expected_before']})",
            "placebo": own["placebo"],
            "causes shown": f"{own['shown']} of {own['missed']}",
            "≠ different": own["different"],
        }
        if page == "README.md":
            both = (own["reproduced"], own["expected"]), (own["before"], own["expected_before"])
            parts = [f" ({before})" if both[0] != both[1] else "" for before in both[1]]
            wanted |= {"= reproduced": both[0][0] + parts[0], "exact rerun": both[0][1] + parts[1]}
            moved = f"{own['ratio_before']}% instead of {own['ratio']}% for {name}"
            assert (moved in shown) == (both[0] != both[1] and "all" not in name)
        assert printed[name] == printed[name] | {key: text for key, text in wanted.items() if key in header}, name


def test_all_pages_give_the_same_cost_of_the_whole_plan():
    """It is the sum over the studies in the table of costs, measured and guessed."""
    costs = pd.read_csv(ROOT / "figures" / "paper" / "costs.csv").set_index("study")[["core_hours", "core_hours_guessed"]]
    measured, guessed = costs.loc["all"]
    assert list(costs.drop("all").sum()) == pytest.approx([measured, guessed], abs=0.0005 * len(costs))
    line = f"take about {measured + guessed:.0f} core-hours: {measured:.1f} measured and {guessed:.1f} estimated"
    for page in ("README.md", "docs/workflow.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert line in text, page
        prices = {float(hours) for hours in re.findall(r"([\d.]+)[ \u00a0]core-hours", text)}
        assert prices == {round(measured + guessed)}, page
    assert f"| {measured:.2f} | {guessed:.2f} |" in (ROOT / "docs" / "workflow.md").read_text(encoding="utf-8")


def test_figure_shows_the_counts_of_the_text(recount, cells):
    text = re.sub(r"\s+", " ", (ROOT / "figures" / "paper" / "published_against_ours.svg").read_text(encoding="utf-8"))
    own = recount.recount(cells)
    assert f"{own['reproduced']} of {own['judged']} published performances" in text
