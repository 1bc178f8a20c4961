"""The report in a browser: nothing fetched from outside, nothing complained of, readable on a desk and on a telephone.

``PULIB_REPORT`` names a report to look at; otherwise it is that of the quick preset, where it was run beside the tests.
"""

import os
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

QUICK = Path(__file__).parents[2] / "results" / "quick" / "report.html"
REPORT = Path(os.environ.get("PULIB_REPORT", QUICK)).resolve()
#: Of what is published: `snakemake --cores all --configfile config/paper.yaml --config train=none` makes it.
PAPER = Path(__file__).parents[2] / "results" / "paper" / "report.html"
NO_PAPER = "no report of the preset paper: run it with train=none"
WIDTHS = [1280, 400]
#: The first page, a study's, one that answers a question, a leaderboard, and the one on data, methods and times.
PAGES = ["", "opu", "levelfield-1", "levelfield-board", "about"]
#: By the name of a cell, what its dialog says: a page has lists in which texts are numbers of words.
CELLS = """(known => Object.fromEntries(Object.entries(known.cells).map(([id, row]) => [id, Object.fromEntries(
    row.map((value, k) => [known.fields[k], value]).filter(entry => entry[1] !== null)
        .map(([name, value]) => [name, known.texts.includes(name) ? known.words[value] : value]))])
))(JSON.parse(document.getElementById('cells').textContent))"""
SMALLEST = """
Math.min(...Array.from(document.querySelectorAll("body *")).filter(
  e => Array.from(e.childNodes).some(n => n.nodeType === 3 && n.textContent.trim()) && !["SCRIPT", "STYLE"].includes(e.tagName)
).map(e => parseFloat(getComputedStyle(e).fontSize)))
"""
IMAGES = "Array.from(document.images).map(i => [i.alt, i.complete, i.naturalWidth])"
COLUMN = (
    "Array.from(document.querySelectorAll('table.sortable')[{table}].tBodies[0].rows).map(r => r.cells[{column}].textContent)"
)


class Tab:
    """A page of Playwright's; what it asks for and complains of is kept in ``requests`` and ``complaints``."""

    def __init__(self, page):
        self.page, self.ask, self.requests, self.complaints = page, page.evaluate, [], []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self.note)

    def note(self, message):
        if message.type in ("error", "warning", "assert"):
            self.complaints.append(message.text)


@pytest.fixture(scope="module")
def browser(chromium):
    if not REPORT.is_file():
        pytest.skip("no report to look at: run the workflow, or name one by PULIB_REPORT")
    tab = Tab(chromium.new_page())
    yield tab
    tab.page.close()


def opened_at(browser, page, width, report=REPORT):
    browser.requests.clear()
    browser.complaints.clear()
    file = report.with_suffix("") / f"{page}.html" if page else report
    browser.page.set_viewport_size({"width": width, "height": 900})
    browser.page.goto(file.as_uri())
    return browser, file.as_uri()


@pytest.fixture(params=WIDTHS)
def study(request, browser):
    return opened_at(browser, "opu", request.param)[0]


def wait(browser, milliseconds=300):
    browser.page.wait_for_timeout(milliseconds)


def leave(browser, action):
    """Do what opens another page, and wait until that is there."""
    with browser.page.expect_navigation():
        browser.ask(f"void setTimeout(() => {{ {action}; }})")
    wait(browser)


EVERYTHING_OPEN = "document.querySelectorAll('details').forEach(d => { d.open = true; })"
#: Links within a page that lead nowhere, and what can be pressed and has no name.
LOST = (
    "Array.from(document.querySelectorAll('a[href^=\"#\"]'))"
    ".map(a => a.getAttribute('href').slice(1)).filter(id => !id.startsWith('filter:') && !document.getElementById(id))"
)
NAMELESS = (
    "Array.from(document.querySelectorAll('button, a, input, select'))"
    ".filter(e => !(e.textContent.trim() || e.getAttribute('aria-label') || e.title || e.labels?.length))"
    ".map(e => e.outerHTML.slice(0, 80))"
)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_whole(browser, page, width):
    """Nothing is fetched from outside or complained of, links lead somewhere, and everything can be read and has a name."""
    browser, url = opened_at(browser, page, width)
    wait(browser)
    assert browser.requests[0] == url
    assert [r for r in browser.requests if not r.startswith(("data:", REPORT.parent.as_uri()))] == []
    assert browser.ask(SMALLEST) >= 12, "no text is small"
    assert browser.ask(CONTRAST) == [], "text stands out from what is behind it"
    assert browser.ask(LOST) == []
    assert browser.ask(NAMELESS) == []
    assert browser.ask("document.querySelectorAll('nav a').length") >= 5
    browser.ask(EVERYTHING_OPEN)
    assert browser.ask("document.documentElement.scrollWidth") <= browser.ask("document.documentElement.clientWidth")
    browser.ask("Promise.all(Array.from(document.images).map(i => { i.loading = 'eager'; return i.decode(); }))")
    assert [image for image in browser.ask(IMAGES) if not (image[1] and image[2] > 0 and image[0])] == []
    check_tables_sort(browser)
    assert browser.complaints == []


def check_tables_sort(browser):
    """Up and down, whole rows at a time."""
    n_tables = browser.ask("document.querySelectorAll('table.sortable').length")
    sortable = [k for k in range(n_tables) if len(browser.ask(COLUMN.format(table=k, column=0))) > 1]
    for table in {sortable[0], sortable[-1]} if sortable else ():
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
    number = re.match(r"\s*[+−-]?\d+(\.\d+)?", text)
    return (0, float(number[0].replace("−", "-")), "") if number else (1, 0.0, text.strip())


def test_the_contents_follow_the_reader(study):
    last = "document.querySelectorAll('#contents a.here + ul a')"
    study.ask(f"(l => document.getElementById(l[l.length - 1].hash.slice(1)).scrollIntoView())({last})")
    wait(study)
    assert study.ask("document.querySelectorAll('#contents a[aria-current]').length") == 1
    assert study.ask(f"(l => Array.from(l).findIndex(a => a.hasAttribute('aria-current')))({last})") > 0


# the color behind a text: that of the nearest element that has one; a pattern is taken for its own colors
CONTRAST = """
(() => {
  const linear = v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = c => { const [r, g, b] = c.map(v => linear(v / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const parse = text => text.match(/[\\d.]+/g).map(Number);
  const behind = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
    if (c.length < 4 || c[3] > 0) return c.slice(0, 3); } return [255, 255, 255]; };
  return Array.from(document.querySelectorAll("body *")).filter(e => e.checkVisibility() && !e.closest("svg")
      && Array.from(e.childNodes).some(n => n.nodeType === 3 && n.textContent.trim())).map(e => {
    const a = light(parse(getComputedStyle(e).color)), b = light(behind(e));
    return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05),
      e.tagName + "." + e.className + ": " + e.textContent.slice(0, 40)];
  }).filter(pair => pair[0] < 4.5);
})()
"""
VISIBLE_CELLS = (
    "Array.from(document.querySelectorAll('td button'))"
    ".filter(b => b.checkVisibility() && !b.parentElement.classList.contains('dim')).map(b => b.id)"
)
CHANGED = ".dispatchEvent(new Event('input', {bubbles: true}))"
SEARCH = """(e => {{ e.focus(); e.value = {text}; e.dispatchEvent(new Event('input', {{bubbles: true}})); }})
(document.forms.search.elements.words)"""
HITS = "Array.from(document.querySelectorAll('#hits a')).map(a => [a.textContent, a.href])"


def a_cell(browser):
    """A judged cell in an open table: its name, and its verdict, data set and method."""
    return browser.ask(
        f"(() => {{ const all = {CELLS};"
        " const b = Array.from(document.querySelectorAll('td button')).find(b => b.checkVisibility() && all[b.id].method"
        " && all[b.id].values && ['different', 'not judged', 'stand-in'].includes(all[b.id].verdict));"
        " return [b.id, all[b.id]]; })()"
    )


def test_filters_leave_the_cells_that_fit(study):
    key, cell = a_cell(study)
    form = "document.querySelector('form.filters')"
    for field in ("dataset", "method"):
        study.ask(f"(e => {{ e.value = '{cell[field]}'; e{CHANGED}; }})({form}.elements.{field})")
    left = study.ask(VISIBLE_CELLS)
    assert key in left
    fits = "(all => ids => ids.every(id => all[id].dataset === '{dataset}' && all[id].method === '{method}'))"
    fits = fits.format(**cell) + f"({CELLS})"
    assert study.ask(f"({fits})({VISIBLE_CELLS})")
    assert re.fullmatch(r"[1-9]\d* of \d+ cells", study.ask(f"{form}.querySelector('output').textContent"))
    study.ask(f"{form}.reset()")
    wait(study, 100)
    assert len(study.ask(VISIBLE_CELLS)) > len(left)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_search_matches_words_and_jumps(browser, width):
    opened_at(browser, "", width)
    browser.ask(SEARCH.format(text="'mushrooms'"))
    wait(browser, 600)
    hits = browser.ask(HITS)
    assert hits
    assert all("mushrooms" in text.lower() for text, _ in hits)
    browser.ask(SEARCH.format(text="'ushrooms'"))
    assert browser.ask(HITS) == [], "the middle of a word is no hit"
    browser.ask(SEARCH.format(text="'mushrooms'"))
    leave(browser, "document.forms.search.requestSubmit()")
    assert browser.ask("location.href") == hits[0][1]


def test_a_cell_opens_by_keyboard_and_by_its_address(study):
    key, cell = a_cell(study)
    study.ask(f"(location.hash = '#{key}', new Promise(done => setTimeout(done, 300)))")
    said = study.ask("document.getElementById('cell').open && document.getElementById('cell').textContent")
    assert "snakemake rerun --cores all" in said
    assert f"studies='[{cell['study']}]' only_datasets='[{cell['dataset']}]'" in said
    assert study.ask(f"document.getElementById('{key}').closest('tr').cells[0].textContent") in said
    assert f"{cell['n']}: {', '.join(f'{value:g}' for value in cell['values'])}" in said, "the repeats are shown"
    study.ask("document.getElementById('cell').close()")
    assert study.ask(f"document.activeElement.id === '{key}'")
    moved = study.ask(
        f"(b => {{ b.focus(); for (const key of ['ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowUp']) {{"
        " document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));"
        f" if (document.activeElement.id !== '{key}') return document.activeElement.matches('td button'); }} }})"
        f"(document.getElementById('{key}'))"
    )
    assert moved is True, "an arrow key leads to a cell beside it"
    assert study.ask("document.querySelectorAll('table.cells button[tabindex=\"0\"]').length") <= study.ask(
        "document.querySelectorAll('table.cells').length"
    ), "one stop of the Tab key per table"


def test_the_first_page_and_the_leaderboard_are_small():
    if not PAPER.is_file():
        pytest.skip(NO_PAPER)
    assert PAPER.stat().st_size < 160_000
    assert (PAPER.with_suffix("") / "levelfield-board.html").stat().st_size < 300_000


FOCUSED = "(e => e.href || e.id || e.tagName)(document.activeElement)"
IN_VIEW = "(e => { const r = e.getBoundingClientRect(); return r.bottom > 0 && r.top < innerHeight; })"


def tab_to(browser, part, most=150):
    """Press Tab until what has the focus leads to ``part``."""
    for _ in range(most):
        browser.page.keyboard.press("Tab")
        if part in (reached := browser.ask(FOCUSED)):
            return
    raise AssertionError(f"{part} is not reached in {most} steps of the Tab key; the last one is at {reached}")


def enter(browser):
    browser.page.keyboard.press("Enter")
    wait(browser, 1500)


def search(browser, words):
    browser.page.keyboard.press("/")
    wait(browser)
    browser.page.keyboard.insert_text(words)
    wait(browser, 900)
    enter(browser)


@pytest.fixture(params=WIDTHS)
def first_page(request, browser):
    if not PAPER.is_file():
        pytest.skip(NO_PAPER)
    yield opened_at(browser, "", request.param, PAPER)[0]
    assert browser.ask("document.documentElement.scrollWidth") <= request.param
    assert browser.complaints == []


def test_an_errand_which_cells_of_a_paper_differ_why_and_how_to_rerun_one(first_page):
    tab_to(first_page, "filter:resvm:different")
    count = int(re.search(r"\d+", first_page.ask("document.activeElement.textContent"))[0])
    enter(first_page)
    assert first_page.ask("document.querySelector('form.filters output').textContent").startswith(f"{count} of ")
    items = "Array.from(document.querySelectorAll('#resvm-reasons li')).filter(i => i.checkVisibility())"
    assert first_page.ask(f"{items}.map(i => i.className)") == count * ["different"]
    tab_to(first_page, "#c-resvm-", most=20)  # the first reason's first cell
    assert first_page.ask("document.activeElement.closest('details').querySelector('summary').textContent.length") > 60
    enter(first_page)
    said = first_page.ask("document.getElementById('cell').open && document.getElementById('cell').textContent")
    assert "different" in said
    assert "Why" in said
    assert re.search(r"snakemake rerun --cores all .* studies='\[resvm\]'", said)


def test_an_errand_which_claim_of_an_abstract_fails(first_page):
    if first_page.ask("document.getElementById('menu').checkVisibility()"):
        tab_to(first_page, "menu", most=5)
        enter(first_page)
    tab_to(first_page, "#start-claims")
    enter(first_page)
    failing = "document.querySelector('.failing')"
    assert first_page.ask(f"{IN_VIEW}({failing})")
    assert "does not hold" in first_page.ask(f"{failing}.querySelector('.does-not-hold').textContent")


@pytest.mark.parametrize(
    ("words", "place", "said"),
    [
        ("30 labels", "article.page li, article.page .answer", r"highest mean accuracy.* with 30 \\("),
        ("run costs", "#start-costs .answer", "core-hours"),
    ],
)
def test_an_errand_whose_answer_a_search_finds(first_page, words, place, said):
    search(first_page, words)
    found = f"Array.from(document.querySelectorAll('{place}')).find(e => RegExp('{said}').test(e.textContent))"
    assert first_page.ask(f"{IN_VIEW}({found})")
