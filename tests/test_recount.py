"""The front page's numbers, recomputed by a script that uses nothing of ours."""

import ast
import importlib.util
import re
from pathlib import Path

import pytest

from pulab.reports.scoreboard import headline_grid, verdict_line
from pulab.tables import read_cells

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "docs" / "recount.py"
PAGES = ("README.md", "docs/index.md", "docs/studies/index.md", "figures/paper/scoreboard.md")
SENTENCE = (
    r"Of the {judged} published performances that can be run here, {reproduced} are reproduced: {ratio}% \(95% interval "
    r"{low} to {high}%\) of the {expected} that .*? by the readings fixed before, the ratio is {ratio_before}% \({before} of "
    r"{expected_before}\)\. Of the {with_verdict} with a verdict, {different} differ, where an exact rerun would have about "
    r"{expected_different}\. Published values shuffled within their rows would reproduce {placebo}\. The cause is "
    r"\*shown\* for {shown} of the {missed} close or different results"
)


@pytest.fixture(scope="module")
def recount():
    spec = importlib.util.spec_from_file_location("recount", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def cells(recount):
    return recount.read()


@pytest.fixture(scope="module")
def sentence(recount, cells):
    low, high = recount.interval(recount.counted(cells))
    numbers = recount.recount(cells) | {"low": 100 * low, "high": 100 * high}
    return SENTENCE.format(**{name: f"{value:.0f}" for name, value in numbers.items()})


def test_the_script_is_short_and_uses_nothing_of_ours():
    text = SCRIPT.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    nodes = list(ast.walk(ast.parse(text)))
    used = {name.name.split(".")[0] for node in nodes if isinstance(node, ast.Import) for name in node.names}
    used |= {node.module.split(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)}
    assert used <= {"sys", "pathlib", "numpy", "pandas", "scipy"}


@pytest.mark.parametrize("page", PAGES)
def test_each_page_says_what_the_script_finds(page, sentence):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert len(re.findall(sentence, text)) == 1


def test_the_report_says_what_the_script_finds(sentence):
    assert re.search(sentence, verdict_line(read_cells(ROOT / "figures" / "paper" / "scoreboard.csv")))


@pytest.mark.parametrize(("page", "block"), [("README.md", "by_study"), ("docs/studies/index.md", "scoreboard")])
def test_the_table_by_study_is_what_the_script_finds(page, block, recount, cells):
    text = (ROOT / page).read_text(encoding="utf-8")
    shown = re.search(rf"<!-- begin: {block} -->\n(.*?)\n<!-- end: {block} -->", text, re.DOTALL)[1]
    header, _, *rows = [[part.strip() for part in line.strip("|").split("|")] for line in shown.splitlines()]
    said = {row[0]: dict(zip(header, row, strict=True)) for row in rows if row[0] != "counts of wins"}
    found = {name: recount.recount(own) for name, own in cells.groupby("study")} | {"**all**": recount.recount(cells)}
    assert set(said) == set(found)
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
        assert said[name] == said[name] | {key: text for key, text in wanted.items() if key in header}, name


def test_the_leaderboard_is_what_the_script_finds(recount):
    text, ranks = (ROOT / "README.md").read_text(encoding="utf-8"), recount.mean_ranks()
    best = (ranks.iloc[0] == ranks.min()).sum()
    assert (
        f"Of {len(ranks)} ranked learners, *{ranks.index[0]}* has the best mean rank in {best} of {ranks.shape[1]} rank" in text
    )
    shown = re.search(r"<!-- begin: podium -->\n(.*?)\n<!-- end: podium -->", text, re.DOTALL)[1]
    header, _, *rows = [[part.strip() for part in line.strip("|").split("|")] for line in shown.splitlines()]
    for row in rows:
        said = dict(zip(header, row, strict=True))
        found = ranks.loc[said["learner"]]
        assert [said[f"rank by {name}"].rstrip(" •") for name in found.index] == [f"{rank:.2f}" for rank in found]


def test_the_report_and_the_docs_have_the_same_table():
    board = read_cells(ROOT / "figures" / "paper" / "scoreboard.csv")
    assert headline_grid(board).markdown() in (ROOT / "docs" / "studies" / "index.md").read_text(encoding="utf-8")
