"""Made parts of the README and the documentation: blocks between ``<!-- begin: name -->`` and ``<!-- end: name -->``.

Text outside the blocks is written by hand and stays.  Where each block is: :data:`BLOCKS`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from pulab.plan.study import Study
from pulab.reports.board import leaders_of
from pulab.reports.claims import claim_counts, count_grid, read_claims
from pulab.reports.overview import hours_line
from pulab.reports.scoreboard import by_study, headline_grid, robustness, verdict_line
from pulab.tables import Answers, read_cells

#: A link from one rendered file of a study to another.
RENDERED_LINK = re.compile(r"\]\(((?:figure|table)_\w+\.(?:svg|csv))")
# page, below the repository's root, to the blocks that are made for it; pages of studies may hold the study's tables by their
# names; the README and `choosing.md` hold of the blocks of a leaderboard and of answers what they have markers for
BLOCKS = {
    "README.md": ("verdict", "by_study", "hours"),
    "docs/index.md": ("verdict",),
    "docs/studies/index.md": ("verdict", "scoreboard", "robustness", "claims", "failing"),
    "docs/datasets.md": ("datasets",),
    "docs/workflow.md": ("hours", "scale"),
}


def replace_block(text: str, name: str, body: str) -> str:
    """``text`` with the text between the markers of ``name`` replaced by ``body``; they have to be there exactly once.

    >>> replace_block("a <!-- begin: x -->old<!-- end: x --> b", "x", "new")
    'a <!-- begin: x -->\\nnew\\n<!-- end: x --> b'
    """
    begin, end = f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        raise ValueError(f"the page needs one {begin} and one {end}; found {text.count(begin)} and {text.count(end)}")
    head, rest = text.split(begin)
    return f"{head}{begin}\n{body.strip()}\n{end}{rest.split(end)[1]}"


def update_pages(root: Path, rendered: Path, studies: Mapping[str, Study]) -> None:
    """Write all made blocks anew.

    ``root`` is the repository, with ``README.md``, ``docs/`` and for each study a page ``studies/<study>/page.md``. In
    ``rendered`` is what a run has rendered: ``scoreboard.csv``, ``claims.csv``, ``costs.csv``, ``datasets.md`` and
    ``scale.md``. A page that lacks the markers of a block is named in a :class:`ValueError`.
    """
    claims = read_claims(rendered / "claims.csv")
    cells = read_cells(rendered / "scoreboard.csv")
    blocks = {
        "verdict": verdict_line(cells),
        "by_study": by_study(cells),
        "hours": hours_line(pd.read_csv(rendered / "costs.csv")),
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
                asked = asked_for((root / page).read_text(encoding="utf-8"), offered)
                _replace_all(root / page, {key: linked(text, f"{place}figures/paper/{name}") for key, text in asked.items()})
        page = root / "studies" / name / "page.md"
        _replace_all(page, tables_asked_for(page.read_text(encoding="utf-8"), rendered / name))


def _replace_all(page: Path, blocks: Mapping[str, str]) -> None:
    text = page.read_text(encoding="utf-8")
    for name, body in blocks.items():
        try:
            text = replace_block(text, name, body)
        except ValueError as error:
            raise ValueError(f"{page}: {error}") from None
    page.write_text(text, encoding="utf-8")


def asked_for(text: str, blocks: Mapping[str, str]) -> dict[str, str]:
    """Those of ``blocks`` that a page has markers for."""
    return {name: body for name, body in blocks.items() if f"<!-- begin: {name} -->" in text}


def tables_asked_for(text: str, folder: Path) -> dict[str, str]:
    """The rendered tables of a study that its page has blocks for, by their names."""
    names = re.findall(r"<!-- begin: (table\w*) -->", text)
    return {name: (folder / f"{name}.md").read_text(encoding="utf-8") for name in names}


def answer_blocks(folder: Path, study: Study) -> dict[str, str]:
    """The answers of a study: a list of sentences per question."""
    shown = Answers(pd.read_csv(folder / f"{study.answers}.csv", keep_default_na=False), study.questions)
    return {key: "\n".join(f"- {line}" for line in lines) for key, lines in shown.lists().items()}


def linked(text: str, folder: str) -> str:
    """Links to rendered files of a study, as a page has to write them.

    >>> linked("see ([figure](figure_ranks.svg), [cells](table_ranks.csv))", "../figures")
    'see ([figure](../figures/figure_ranks.svg), [cells](../figures/table_ranks.csv))'
    """
    return RENDERED_LINK.sub(rf"]({folder}/\1", text)


def failing_claims(claims: pd.DataFrame) -> str:
    """The sentences that do not hold, with links to their studies' pages."""
    failing = claims[claims["verdict"] == "does not hold"]
    if not len(failing):
        return "None."
    lines = []
    for (study, section, quote), own in failing.groupby(["study", "section", "quote"], sort=False):
        parts = [f"“{part}”" for part in own["part"] if part]
        of_this = f" Of this: {'; '.join(parts)}" if parts else ""
        lines.append(f"- [{study}]({study}.md), {_section(section)}: “{quote}”{of_this}")
    return "\n".join(lines)


def _section(section: str) -> str:
    return f"section {section}" if section[:1].isdigit() else section
