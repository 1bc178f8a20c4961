"""The report in a browser: nothing fetched, nothing complained of, readable on a desk and on a telephone.

``PULIB_REPORT`` names a report to look at, such as ``results/quick/report.html``; otherwise one is made up.
"""

import os
import re
from pathlib import Path

import pytest

from tests.browser import Browser, find_chromium
from tests.test_reports import made_up_report

WIDTHS = [1280, 400]
SMALLEST = """
Math.min(...Array.from(document.querySelectorAll("body *")).filter(
  e => Array.from(e.childNodes).some(n => n.nodeType === 3 && n.textContent.trim()) && !["SCRIPT", "STYLE"].includes(e.tagName)
).map(e => parseFloat(getComputedStyle(e).fontSize)))
"""
IMAGES = "Array.from(document.images).map(i => [i.alt, i.complete, i.naturalWidth])"
COLUMN = (
    "Array.from(document.querySelectorAll('table.sortable')[{table}].tBodies[0].rows).map(r => r.cells[{column}].textContent)"
)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    chromium = find_chromium()
    if chromium is None:
        pytest.skip("no Chromium on this machine")
    pytest.importorskip("websocket", reason="websocket-client is not installed (extra test)")
    folder = tmp_path_factory.mktemp("browser")
    given = os.environ.get("PULIB_REPORT")
    report = Path(given).resolve() if given else folder / "report.html"
    if not given:
        report.write_text(made_up_report(folder), encoding="utf-8")
    browser = Browser(chromium, folder / "profile")
    yield browser, report.as_uri()
    browser.close()


@pytest.fixture(params=WIDTHS)
def opened(request, page):
    browser, url = page
    browser.requests.clear()
    browser.complaints.clear()
    browser.open(url, request.param)
    return browser, url


def test_nothing_is_fetched_and_nothing_complained_of(opened):
    browser, url = opened
    browser.ask("new Promise(done => setTimeout(done, 300))")
    assert [r for r in browser.requests if not r.startswith("data:")] == [url]
    assert browser.complaints == []


def test_every_image_loads(opened):
    browser, _ = opened
    images = browser.ask(IMAGES)
    assert images
    assert [image for image in images if not (image[1] and image[2] > 0 and image[0])] == []


def test_the_page_does_not_scroll_sideways(opened):
    browser, _ = opened
    assert browser.ask("document.documentElement.scrollWidth") <= browser.ask("document.documentElement.clientWidth")


def test_no_text_is_small(opened):
    browser, _ = opened
    assert browser.ask(SMALLEST) >= 12


def test_tables_sort_up_and_down(opened):
    browser, _ = opened
    n_tables = browser.ask("document.querySelectorAll('table.sortable').length")
    assert n_tables >= 4
    sortable = [k for k in range(n_tables) if len(browser.ask(COLUMN.format(table=k, column=0))) > 1]
    for table in [sortable[0], sortable[-1]]:
        before = browser.ask(COLUMN.format(table=table, column=0))
        press = f"document.querySelectorAll('table.sortable')[{table}].querySelector('th:last-child button').click()"
        column = COLUMN.format(
            table=table, column=f"document.querySelectorAll('table.sortable')[{table}].rows[0].cells.length - 1"
        )
        browser.ask(press)
        up = browser.ask(column)
        browser.ask(press)
        down = browser.ask(column)
        assert sorted(up) == sorted(down)
        assert up == sorted(up, key=_key)
        assert down == sorted(down, key=_key, reverse=True)
        assert sorted(browser.ask(COLUMN.format(table=table, column=0))) == sorted(before), "rows are moved as a whole"


def _key(text):
    """Numbers before words, as the page sorts."""
    number = re.match(r"\s*[+-]?\d+(\.\d+)?", text)
    return (0, float(number[0]), "") if number else (1, 0.0, text.strip())


def test_links_within_the_page_lead_somewhere(opened):
    browser, _ = opened
    targets = "Array.from(document.querySelectorAll('a[href^=\"#\"]')).filter(a => !document.getElementById(a.hash.slice(1)))"
    assert browser.ask(f"{targets}.map(a => a.hash)") == []
    assert browser.ask("document.querySelectorAll('nav a').length") >= 5
