"""The examples of the documentation, run page by page."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]
FENCE = re.compile(r"^```pycon\n(.*?)^```", flags=re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")


def examples(page):
    """One doctest of all blocks, which share their names, with the page's line numbers."""
    text = page.read_text(encoding="utf-8")
    found = doctest.DocTest([], {}, page.name, str(page), 0, text)
    for block in FENCE.finditer(text):
        first = text[: block.start(1)].count("\n")
        for example in doctest.DocTestParser().get_examples(block.group(1), page.name):
            example.lineno += first
            found.examples.append(example)
    return found


@pytest.mark.parametrize("page", [page for page in PAGES if examples(page).examples], ids=lambda page: page.name)
def test_examples(page):
    report = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    failed, _ = runner.run(examples(page), out=report.append)
    assert not failed, "".join(report)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    links = LINK.findall(page.read_text(encoding="utf-8"))
    made_by_the_workflow = "figures/"
    broken = [link for link in links if not (page.parent / link).exists() and not link.startswith(made_by_the_workflow)]
    assert not broken
