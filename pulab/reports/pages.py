"""Generated parts of the README and the documentation: blocks between ``<!-- begin: name -->`` and ``<!-- end: name -->``.

Text outside the blocks is written by hand and kept.  :data:`BLOCKS` lists the blocks of each page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from pulab.plan.study import Study
from pulab.reports.board import leaders_of
from pulab.reports.claims import claim_counts, count_grid, read_claims
from pulab.reports.overview import cost_sentence
from pulab.reports.scoreboard import by_study, headline_grid, robustness, verdict_line
from pulab.tables import Answers, read_cells
from pulab.trials.results import read_csv

#: A link from one rendered file of a study to another.
RENDERED_LINK = re.compile(r"\]\(((?:figure|table)_\w+\.(?:svg|csv))")
# generated blocks by page, relative to the repository's root; in addition, pages of studies may have their tables by name, and
# the README and `choosing.md` may have blocks of a leaderboard and of answers
BLOCKS = {
    "README.md": ("verdict", "by_study", "hours"),
    "docs/index.md": ("verdict",),
    "docs/studies/index.md": ("verdict", "scoreboard", "robustness", "claims", "failing"),
    "docs/datasets.md": ("datasets",),
    "docs/workflow.md": ("hours", "scale"),
}


def replace_block(text: str, name: str, body: str) -> str:
    """Replace the text between the markers of ``name``, which must be there exactly once.

    >>> replace_block("a <!-- begin: x -->old<!-- end: x --> b", "x", "new")
    'a <!-- begin: x -->\\nnew\\n<!-- end: x --> b'
    """
    begin, end = f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        raise ValueError(f"the page needs one {begin} and one {end}; found {text.count(begin)} and {text.count(end)}")
    head, rest = text.split(begin)
    return f"{head}{begin}\n{body.strip()}\n{end}{rest.split(end)[1]}"


def update_pages(root: Path, rendered: Path, studies: Mapping[str, Study]) -> None:
    """Regenerate all blocks.

    ``root`` is the repository, with ``README.md``, ``docs/`` and a page ``studies/<study>/page.md`` for each study.
    ``rendered`` has a run's rendered files: ``scoreboard.csv``, ``claims.csv``, ``costs.csv``, ``datasets.md`` and
    ``scale.md``.  A page without the markers of a block raises a :class:`ValueError` that names the page.
    """
    claims = read_claims(rendered / "claims.csv")
    cells = read_cells(rendered / "scoreboard.csv")
    blocks = {
        "verdict": verdict_line(cells),
        "by_study": by_study(cells),
        "hours": cost_sentence(read_csv(rendered / "costs.csv")),
        "scoreboard": headline_grid(cells).markdown(),
        "robustness": robustness(cells),
        "claims": count_grid(claim_counts(claims)).markdown() if len(claims) else "No claims.",
        "failing": failing_claims(claims),
        "datasets": (rendered / "datasets.md").read_text(encoding="utf-8"),
        "scale": (rendered / "scale.md").read_text(encoding="utf-8"),
    }
    for page, names in BLOCKS.items():
        _replace_all(root / page, {name: blocks[name] for name in names})
    for name, study in studies.items():
        if study.answers:
            leaders = leaders_of(study, rendered / name)
            offered = {**(leaders.blocks if leaders else {}), **answer_blocks(rendered / name, study)}
            for page, place in (("README.md", ""), ("docs/choosing.md", "../")):
                text = (root / page).read_text(encoding="utf-8")
                asked = {key: body for key, body in offered.items() if f"<!-- begin: {key} -->" in text}
                _replace_all(root / page, {key: linked(body, f"{place}figures/paper/{name}") for key, body in asked.items()})
        page = root / "studies" / name / "page.md"
        tables = re.findall(r"<!-- begin: (table\w*) -->", page.read_text(encoding="utf-8"))
        _replace_all(page, {table: (rendered / name / f"{table}.md").read_text(encoding="utf-8") for table in tables})


def _replace_all(page: Path, blocks: Mapping[str, str]) -> None:
    text = page.read_text(encoding="utf-8")
    for name, body in blocks.items():
        try:
            text = replace_block(text, name, body)
        except ValueError as error:
            raise ValueError(f"{page}: {error}") from None
    page.write_text(text, encoding="utf-8")


def answer_blocks(folder: Path, study: Study) -> dict[str, str]:
    """Return the answers of a study: a list of sentences per question."""
    shown = Answers(read_csv(folder / f"{study.answers}.csv", keep_default_na=False), study.questions)
    return {key: "\n".join(f"- {line}" for line in lines) for key, lines in shown.lists().items()}


def linked(text: str, folder: str) -> str:
    """Rewrite links to a study's rendered files for use in a page.

    >>> linked("see ([figure](figure_ranks.svg), [cells](table_ranks.csv))", "../figures")
    'see ([figure](../figures/figure_ranks.svg), [cells](../figures/table_ranks.csv))'
    """
    return RENDERED_LINK.sub(rf"]({folder}/\1", text)


def failing_claims(claims: pd.DataFrame) -> str:
    """List the sentences that do not hold, with links to their studies' pages."""
    failing = claims[claims["verdict"] == "does not hold"]
    if not len(failing):
        return "None."
    lines = []
    for (study, section, quote), own in failing.groupby(["study", "section", "quote"], sort=False):
        parts = [f"“{part}”" for part in own["part"] if part]
        of_this = f" Tested here: {'; '.join(parts)}" if parts else ""
        place = f"section {section}" if section[:1].isdigit() else section
        lines.append(f"- [{study}]({study}.md), {place}: “{quote}”{of_this}")
    return "\n".join(lines)
