"""The report: a landing page with the main results, a page per study and per question, and one on the run itself."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from pulab.plan.experiment import Method
from pulab.plan.study import Study
from pulab.reports.board import Board, board_page, leaders_of
from pulab.reports.claims import HEADINGS, RULE, read_claims
from pulab.reports.overview import cost_grid, cost_sentence, method_grid, provenance, spread_grid, timing_grid
from pulab.reports.scoreboard import headline_grid, verdict_line
from pulab.reports.site import START, Page, Picture, packed_svg, picture, write_site
from pulab.reports.studies import LONG, Run, claim_matrix, linked_claims, named_cells, places_of, study_pages, verdict_of
from pulab.tables.datasets import dataset_sheet
from pulab.tables.record import rerun_target
from pulab.tables.sheet import Grid, Sheet, read_sheet
from pulab.tables.verdict import MEANINGS, SIGNS, VERDICTS
from pulab.trials.results import read_csv

#: Explanations of the columns next to the counts.
YARDSTICK = {
    "exact rerun": "How many results we would expect to reproduce if ours came from the same distributions as the paper's.",
    "ratio": "Reproduced results divided by those expected of an exact rerun.",
    "readings fixed before": "The ratio under the readings of the text that were fixed before the published values were known.",
    "placebo": "How many results would be reproduced if the published values were shuffled within their rows.",
    "causes shown": "How many close or different results another stored reading reproduces; all other causes are only "
    "suspected.",
}


def write_report(
    target: Path,
    *,
    studies: Mapping[str, Study],
    folder: Path,
    methods: Mapping[str, Method],
    configuration: Mapping[str, Any],
    preset: str,
    boards: Mapping[str, Board] | None = None,
    measured: Mapping[str, Sheet] | None = None,
    costs: Path | None = None,
    single: bool = False,
    changed: str = "",
) -> None:
    """Write the report.

    ``target`` is the first page; the others go into a folder of the same name next to it.  With ``single``, everything goes
    into one self-contained file.  ``folder`` has the rendered files: ``scoreboard.csv``, ``claims.csv``, ``claim_cases.csv``,
    ``datasets.csv``, ``tidy``, a folder per study and, optionally, ``current.json``.  ``methods`` are those of the run, and
    ``configuration`` is its configuration.

    ``boards`` are the leaderboards by study; ``measured`` are the measurements outside the studies, by heading: speed, class
    priors, grids; ``costs`` is the folder of ``costs.csv`` and ``spread.csv``, the cost of the whole plan.  ``changed``, a
    sentence about trials run here whose source has changed since, is shown above every page.
    """
    claims = linked_claims(read_claims(folder / "claims.csv"), read_csv(folder / "claim_cases.csv"))
    run = Run(folder, named_cells(folder / "scoreboard.csv", list(studies)), claims, preset, single)
    pages = [page for name, study in studies.items() for page in study_pages(run, name, study)]
    trained, machines = timing_grid({study: folder / "tidy" / f"{study}.timings.parquet" for study in studies})
    about = _about(folder, methods, trained, measured or {}, provenance(configuration, machines))
    found = {name: board_page(name, studies[name].board, board) for name, board in (boards or {}).items()}
    placed = [page for own in pages for page in (own, *([found[own.name]] if own.name in found else []))]
    site = [_start(run, studies, pages, costs, trained), *placed, about]
    target.with_suffix("").mkdir(exist_ok=True)
    forests = [page.context["study"].name for page in pages if page.context["forest"]]
    labels = {name: method.label for name, method in methods.items()}
    # figures name methods like all other pages, even where a table uses the keys of its paper
    by_method = run.cells.assign(column=run.cells["method"].map(labels).fillna(run.cells["column"]))
    pictures = _forests(
        replace(run, cells=by_method), {study: studies[study].citation for study in forests}, target.with_suffix("")
    )
    write_site(
        site, target, single=single, preset=preset, judged=run.judged, signs=SIGNS, verdicts=VERDICTS, rule=RULE,
        claim_verdicts=list(HEADINGS), labels=labels, pictures=pictures,
        rerun=rerun_target(preset), changed=changed,
    )  # fmt: skip


def _start(run: Run, studies: Mapping[str, Study], pages: Sequence[Page], costs: Path | None, trained: Grid) -> Page:
    judged = run.cells["verdict"].isin(VERDICTS).any()
    papers = [
        {"name": name, "title": study.title, "citation": study.citation, "verdict": verdict_of(run, name)}
        for name, study in studies.items()
        if study.repeats_paper
    ]
    shown = [verdict for verdict in HEADINGS if verdict in set(run.claims["verdict"])]
    places = places_of(pages)
    claims = run.claims.assign(page=[places.get(c.anchor, c.study) for c in run.claims.itertuples()])
    spent = sum(float(row[-1].text) for row in trained.rows)
    context = {
        "papers": papers,
        "meanings": MEANINGS,
        "yardstick": YARDSTICK,
        "summary": verdict_line(run.cells) if judged else "",
        "headline": headline_grid(run.cells) if judged else None,
        "matrix": claim_matrix(claims, list(studies), shown),
        "shown": shown,
        "abstracts": _abstracts(claims),
        "leaders": _leaders(run, studies, places),
        "questions": [page for page in pages if page.context["section"]],
        "spent": spent,
        "costs": cost_grid(read_csv(costs / "costs.csv")) if costs else None,
        "spread": spread_grid(read_csv(costs / "spread.csv")) if costs else None,
        "hours": cost_sentence(read_csv(costs / "costs.csv")) if costs else "",
    }
    parts: list[tuple[bool, str, str]] = [
        (bool(papers), "papers", "The papers"),
        (bool(context["matrix"] and run.judged), "claims", "Claims"),
        (bool(context["leaders"]), "leaders", "Best learners"),
    ]
    sections = [(f"start-{anchor}", label) for there, anchor, label in [*parts, (True, "costs", "What a run costs")] if there]
    entries = [
        ("", "Overview", " ".join(str(paper["title"]) for paper in papers)),
        ("start-costs", "What a run costs", "hours cores"),
        *(("start-yardstick", word, text) for word, text in YARDSTICK.items() if run.judged),
    ]
    return Page(START, "Overview", "start.html", context, sections, entries)


def _leaders(run: Run, studies: Mapping[str, Study], places: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the top of the first study's leaderboard; None if there is none."""
    for name, study in studies.items():
        if found := leaders_of(study, run.folder / name):
            anchor = f"{name}-{found.table}"
            return {"found": found, "anchor": anchor, "page": places.get(anchor, name), "board": f"{name}-board"}
    return None


def _abstracts(claims: pd.DataFrame) -> list[dict[str, Any]]:
    """Return claims from abstracts that do not hold, or only in part: readers look for these first."""
    own = claims[claims["section"].str.contains("abstract")]
    return [claim for verdict in list(HEADINGS)[:2] for claim in own[own["verdict"] == verdict].to_dict("records")]


def _about(
    folder: Path, methods: Mapping[str, Method], trained: Grid, measured: Mapping[str, Sheet], origin: Mapping[str, str]
) -> Page:
    """Make the page on data sets, methods, times, other measurements, archived trials, and provenance."""
    sheets: dict[str, Sheet] = {}
    if (folder / "datasets.csv").is_file():
        sheets["Data sets"] = dataset_sheet(read_csv(folder / "datasets.csv", dtype=str, keep_default_na=False))
    sheets |= {"Methods": Sheet(grids=[method_grid(methods)]), "Times": Sheet(grids=[trained])} | dict(measured)
    if (folder / "current.json").is_file():
        sheets["Archived trials"] = read_sheet(folder / "current.json")
    named = [(f"about-{k}", heading, sheet) for k, (heading, sheet) in enumerate(sheets.items())]
    sections = [(anchor, heading) for anchor, heading, _ in named]
    entries = [(anchor, heading, _words(sheet)) for anchor, heading, sheet in named]
    context = {"sheets": named, "provenance": origin, "long": LONG}
    places = [*sections, ("about-provenance", "Provenance")]
    return Page("about", "Data, methods, times, provenance", "about.html", context, places, entries)


def _words(sheet: Sheet) -> str:
    return " ".join([sheet.caption, *(row[0].text for grid in sheet.grids for row in grid.rows)])


def _forests(run: Run, citations: Mapping[str, str], folder: Path) -> dict[str, dict[str, Picture]]:
    """Draw each paper's differences: their means, embedded in the first page, and all of them for the paper's page."""
    from pulab.figures.published import cited, differences
    from pulib.plots import save_figure, style

    def draw(study: str, marks: bool, made: Path) -> Path:
        with style():
            fig = differences(run.cells, study, cited(citations[study]), marks=marks)
            save_figure(fig, made / "drawn.svg", made / "drawn.png")
        return made / "drawn.svg"

    pictures = {}
    with TemporaryDirectory() as made:
        for study in citations:
            drawn = draw(study, False, Path(made))
            means = picture(drawn, packed_svg(drawn))
            every = draw(study, True, Path(made))
            name = f"{study}-differences.svg"
            pictures[study] = {"means": means, "all": picture(every, packed_svg(every) if run.single else name)}
            if not run.single:
                shutil.copyfile(every, folder / name)
    return pictures
