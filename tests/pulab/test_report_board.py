"""The leaderboard's page: what it is given, and in a browser, from a file, what it makes of it."""

import base64
import re

import numpy as np
import pandas as pd
import pytest

from pulab.reports.board import FAILED, MISSING, Board, Fact, Measure, board_page
from pulab.reports.site import START, Page, write_site

SETTINGS = {"first": "π estimated", "second": "π true"}
#: Of three tasks: accuracy, Brier score, seconds by learner.  C fails on the second task, D was not run on the third.
NUMBERS = {
    "a": {"A": (0.9, 0.1, 0.02), "B": (0.8, 0.05, 2), "C": (0.7, np.nan, 30), "D": (0.95, 0.2, 1), "top": (0.99, 0.01, 1)},
    "b": {"A": (0.6, 0.3, 0.04), "B": (0.8, 0.25, 3), "D": (0.7, 0.2, 1), "top": (0.99, 0.01, 1)},
    "c": {"A": (0.7, 0.2, 0.03), "B": (0.8, 0.1, 4), "C": (0.8, np.nan, 50), "top": (0.99, 0.01, 1)},
}
MEASURES = (Measure("accuracy", "accuracy"), Measure("brier", "Brier score", "loss"), Measure("seconds", "seconds", "seconds"))
LEARNERS = {"A": "Learner A", "B": "B & <b>", "C": "Learner C", "D": "Learner D", "top": "Supervised"}


def made_up_board():
    rows = {("first", task, name): own for task, by in NUMBERS.items() for name, own in by.items()}
    rows |= {("second", task, name): (1 - own[0], *own[1:]) for (_, task, name), own in rows.items()}
    values = pd.DataFrame.from_dict(rows, orient="index", columns=["accuracy", "brier", "seconds"])
    values.index = pd.MultiIndex.from_tuples(values.index)
    learners = {"label": LEARNERS.values(), "note": [""] * 4 + ["ceiling"], "ranked": [True] * 4 + [False]}
    tasks = {"label": ["Task a", "Task b", "Task c"], "rows": [100, 600.4, 3000], "prior": [0.1, 0.5, 0.5]}
    return Board(
        settings=SETTINGS,
        learners=pd.DataFrame(learners, index=list(LEARNERS)),
        tasks=pd.DataFrame(tasks, index=["a", "b", "c"]),
        measures=MEASURES,
        facts=(Fact("rows", "rows", (500, 2000)), Fact("prior", "π", (0.3,), percent=True)),
        values=values,
        failed={("first", "b", "C"), ("second", "b", "C")},
    )  # fmt: skip


def write(folder, single, board=None):
    about = {"sheets": [], "provenance": {}, "long": 1}
    pages = [Page(START, "Start", "about.html", about), Page("p", "Study", "about.html", about)]
    pages.append(board_page("p", "Leaderboard", board or made_up_board()))
    names = ("signs", "verdicts", "claim_verdicts", "labels", "pictures")
    shared = {key: {} for key in names} | {"rule": "", "rerun": "", "changed": "", "preset": "paper", "judged": True}
    write_site(pages, folder / "report.html", single=single, **shared)
    return folder / "report.html" if single else folder / "report" / "p-board.html"


def test_numbers_are_packed_in_sixteen_bits_and_gaps_say_why():
    packed = made_up_board().packed()
    codes = np.frombuffer(base64.b64decode(packed["values"][0]), dtype="<u2").reshape(3, 5, 3)
    share, seconds, least = packed["steps"]
    assert codes[0, 0, 0] / share == 0.9
    assert least * 10 ** (codes[0, 2, 2] / seconds) == pytest.approx(30, rel=1e-3)
    assert codes[1, 2].tolist() == [FAILED] * 3
    assert codes[2, 3].tolist() == [MISSING] * 3
    assert codes[0, 2, 1] == MISSING, "it has no probabilities"
    assert packed["tasks"][1] == ["Task b", 600.4, 0.5]


def test_packed_accuracies_of_ten_repeats_on_five_thousand_rows_remain_distinct():
    board = made_up_board()
    near = board.values.assign(accuracy=0.5 + np.arange(len(board.values)) / 50_000)
    codes = np.frombuffer(base64.b64decode(Board(**vars(board) | {"values": near}).packed()["values"][0]), dtype="<u2")
    shares = codes.reshape(-1, 3)[:, 0]
    assert len(set(shares[shares < FAILED])) == (shares < FAILED).sum() == len(near) // 2


# --- in a browser -------------------------------------------------------------------------------------------------------------

TEXTS = "Array.from(document.querySelectorAll('{}')).map(r => Array.from(r.cells).map(c => c.textContent))"
ROWS, DIALOG = TEXTS.format(".board > .scroll tbody tr"), TEXTS.format(".board dialog tbody tr")
SORTED = "Array.from(document.querySelectorAll('.board thead th[aria-sort]')).map(h => [h.textContent, h.ariaSort])"


@pytest.fixture(params=[(1280, False), (400, True)], ids=["wide", "single"])
def page(request, chromium, tmp_path):
    """The leaderboard, opened from a file; nothing may be complained of, or fetched from elsewhere."""
    width, single = request.param
    opened, complaints, asked = chromium.new_page(viewport={"width": width, "height": 900}), [], []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("console", lambda message: complaints.append(message.text))
    opened.on("request", lambda request: asked.append(request.url))
    opened.goto(write(tmp_path, single).as_uri())
    yield opened
    assert complaints == []
    assert [url for url in asked if not url.startswith(("data:", tmp_path.as_uri()))] == []
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    opened.close()


def ranks(page):
    return {row[0]: row[1] for row in page.evaluate(ROWS)}


def choose(page, name, label):
    page.locator(f".board select[name={name}]").select_option(label=label)


def said(page):
    return page.evaluate("document.querySelector('.board output').textContent")


@pytest.mark.slow
def test_learners_are_ranked_over_the_tasks_and_one_that_failed_is_last(page):
    rows = {row[0]: row[1:] for row in page.evaluate(ROWS)}
    # of A, B and C: 1, 2, 3; 2, 1, and C failed; 3, and B and C share 1 and 2
    assert [rows[name][0] for name in ("Learner A", "B & <b>", "Learner C")] == ["2.00", "1.50", "2.50"]
    assert [rows[name][1:3] for name in ("Learner A", "B & <b>", "Learner C")] == [["1", "0"], ["1.5", "0"], ["0.5", "1"]]
    assert rows["Learner D"][0] == "2 of 3 tasks"
    assert rows["Supervised (ceiling)"][0] == "not ranked"
    assert rows["Learner A"][3:] == ["73.3", "0.200", "0.03"]
    assert rows["Learner C"][3:] == ["75.0", "–", "40"], "means of what did not fail"
    assert said(page) == "3 of 3 tasks, 3 learners ranked"


@pytest.mark.slow
def test_a_mean_rank_between_two_hundredths_is_written_as_in_the_tables(chromium, tmp_path):
    """The first of two learners is ahead on seven tasks of eight: its mean rank is 1.125."""
    board = made_up_board()
    rows = {(key, k, name): abs((name == "A") - (k == 0)) for key in ("first", "second") for k in range(8) for name in "AB"}
    values = pd.DataFrame({"accuracy": rows, "brier": np.nan, "seconds": np.nan})
    tasks = pd.DataFrame({"label": [f"Task {k}" for k in range(8)], "rows": 100, "prior": 0.5})
    eight = Board(
        **vars(board) | {"learners": board.learners.loc[["A", "B"]], "tasks": tasks, "values": values, "failed": set()}
    )
    opened = chromium.new_page()
    opened.goto(write(tmp_path, single=True, board=eight).as_uri())
    assert ranks(opened) == {"Learner A": f"{9 / 8:.2f}", "B & <b>": f"{15 / 8:.2f}"}
    opened.close()


@pytest.mark.slow
def test_filters_settings_and_measures_rank_again(page):
    choose(page, "fact0", "2,000 or more")
    assert said(page) == "1 of 3 tasks, 3 learners ranked"
    assert ranks(page) | {"Learner A": "3.00", "B & <b>": "1.50", "Learner C": "1.50"} == ranks(page)
    choose(page, "fact1", "less than 30%")
    assert said(page) == "no task matches"
    page.locator(".board button[type=reset]").click()
    page.wait_for_function("document.querySelector('.board output').textContent.startsWith('3 of 3')")
    choose(page, "fact1", "30% or more")
    assert said(page) == "2 of 3 tasks, 3 learners ranked"
    choose(page, "fact1", "any")
    choose(page, "learner", "Learner D")
    assert said(page) == "2 of 3 tasks, 4 learners ranked"
    assert ranks(page) | {"Learner A": "2.50", "B & <b>": "2.00", "Learner C": "4.00", "Learner D": "1.50"} == ranks(page)
    choose(page, "learner", "any learner")
    choose(page, "setting", "π true")
    assert ranks(page) | {"Learner A": "1.67", "B & <b>": "2.17", "Learner C": "2.17"} == ranks(page)
    choose(page, "measure", "Brier score")
    assert ranks(page) | {"Learner A": "2.00", "B & <b>": "1.00", "Learner C": "–"} == ranks(page)
    assert page.locator(".board select[name=learner] option").all_text_contents() == ["any learner", "Learner D"]


@pytest.mark.slow
def test_a_header_sorts_the_best_first_also_by_keyboard(page):
    assert page.evaluate(SORTED) == [["mean rank", "ascending"]]
    assert [row[0] for row in page.evaluate(ROWS)][:3] == ["B & <b>", "Learner A", "Learner C"]
    page.locator(".board > .scroll thead button", has_text="accuracy").focus()
    page.keyboard.press("Enter")
    assert page.evaluate(SORTED) == [["accuracy, %", "descending"]]
    assert [row[4] for row in page.evaluate(ROWS)] == ["99.0", "82.5", "80.0", "75.0", "73.3"]
    page.keyboard.press("Enter")
    assert page.evaluate(SORTED) == [["accuracy, %", "ascending"]]
    choose(page, "fact1", "30% or more")
    assert page.evaluate(SORTED) == [["accuracy, %", "ascending"]], "filters leave the order"
    page.locator(".board > .scroll thead button", has_text="Brier").click()
    page.locator(".board > .scroll thead button", has_text="Brier").click()
    assert [row[5] for row in page.evaluate(ROWS)][-1] == "–", "what has no number is last either way"


@pytest.mark.slow
def test_a_learner_opens_its_tasks_with_values_and_ranks(page):
    page.locator(".board > .scroll tbody button", has_text="Learner C").focus()
    page.keyboard.press("Enter")
    title = page.locator(".board dialog h2").text_content()
    assert re.search(r"Learner C.*π estimated, ranked by accuracy", title)
    assert page.evaluate(DIALOG) == [
        ["Task a", "3", "70.0", "–", "30", "100", "10"],
        ["Task b", "3", "failed", "failed", "failed", "600", "50"],
        ["Task c", "1.5", "80.0", "–", "50", "3000", "50"],
    ]
    page.locator(".board dialog thead button", has_text="rank").click()
    assert [row[1] for row in page.evaluate(DIALOG)] == ["1.5", "3", "3"]
    page.keyboard.press("Escape")
    assert not page.evaluate("document.querySelector('.board dialog').open")
    assert page.evaluate("document.activeElement.textContent") == "Learner C"
    page.locator(".board > .scroll tbody tr", has_text="Learner D").locator("td").nth(3).click()
    assert [row[0] for row in page.evaluate(DIALOG)] == ["Task a", "Task b"], "what was not run is not listed"
