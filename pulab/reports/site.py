"""The report as a set of pages or one file: how pages are named, linked, searched and put together."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any

from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from pulab.tables.sheet import environment
from pulib.datasets import UnreadableFileError

#: Pixels per point of a figure.
PIXELS = 1.5
#: Name of the first page; the others are in a folder of the same name next to it.
START = "report"


@dataclass(frozen=True)
class Page:
    """One page: its template and context, its entries in the table of contents, and its entries in the search.

    ``sections`` are (anchor, label), ``entries`` (anchor, title, text); ``details`` maps the id of a cell to the notes shown
    when it is opened.
    """

    name: str
    title: str
    template: str
    context: Mapping[str, Any]
    sections: list[tuple[str, str]] = field(default_factory=list)
    entries: list[tuple[str, str, str]] = field(default_factory=list)
    details: Mapping[str, Any] = field(default_factory=dict)


def address(page: str, of: str, anchor: str = "", *, single: bool = False) -> str:
    """Return the link from ``page`` to a place on page ``of``.

    >>> address("report", "opu", "c-1"), address("opu", "report"), address("opu", "pces"), address("opu", "pces", single=True)
    ('report/opu.html#c-1', '../report.html', 'pces.html', '#page-pces')
    """
    if single or page == of:
        return f"#{anchor or f'page-{of}'}"
    folder = "../" if of == START else f"{START}/" if page == START else ""
    return f"{folder}{of}.html" + (f"#{anchor}" if anchor else "")


def write_site(pages: list[Page], target: Path, *, single: bool, **shared: Any) -> None:
    """Write ``target`` and, unless everything goes into it (``single``), the other pages into a folder of the same name.

    The first page is the start.  ``shared`` is passed to all templates.
    """
    bodies = {page.name: _body(page, single, shared) for page in pages}
    index = [[page.name, anchor, title, text] for page in pages for anchor, title, text in page.entries]
    if single:
        target.write_text(_layout(pages[0], pages, bodies, shared | {"single": True, "index": index}), encoding="utf-8")
        return
    folder = target.with_suffix("")
    folder.mkdir(exist_ok=True)
    for page in pages:
        file = target if page.name == START else folder / f"{page.name}.html"
        own = {page.name: bodies[page.name]}
        file.write_text(_layout(page, pages, own, shared | {"single": False, "index": None}), encoding="utf-8")
    (folder / "search.js").write_text(f"reportIndex({htmlsafe_json_dumps(index, separators=(',', ':'))});\n", encoding="utf-8")
    for name in ("report.css", "report.js"):  # shared by all pages
        (folder / name).write_text(environment().get_template(name).render(**shared), encoding="utf-8")


def _body(page: Page, single: bool, shared: Mapping[str, Any]) -> Markup:
    to = _linker(page.name, single)
    return Markup(environment().get_template(page.template).render(**shared, **page.context, page=page, to=to, single=single))


def _layout(page: Page, pages: list[Page], bodies: Mapping[str, Markup], shared: Mapping[str, Any]) -> str:
    details = {key: cell for own in pages if own.name in bodies for key, cell in own.details.items()}
    to = _linker(page.name, bool(shared["single"]))
    return (
        environment()
        .get_template("layout.html")
        .render(**shared, page=page, pages=pages, bodies=bodies, details=packed_cells(details), to=to)
    )


def _linker(page: str, single: bool) -> Callable[..., str]:
    return lambda of, anchor="": address(page, of, anchor, single=single)


def packed_cells(details: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Pack the notes on cells into lists that hold each text and each list once, which takes a third of the size.

    A cell's list ends with its last field.
    >>> packed_cells({"c-1": {"by": "a"}, "c-2": {"values": [4, 5], "n": 2}})["cells"]
    {'c-1': [0], 'c-2': [None, 1, 2]}
    """
    fields = list(dict.fromkeys(name for cell in details.values() for name in cell))
    texts = [name for name in fields if any(isinstance(cell.get(name), str | list) for cell in details.values())]
    words: dict[Any, int] = {}

    def packed(name: str, value: Any) -> Any:
        word = tuple(value) if isinstance(value, list) else value
        return words.setdefault(word, len(words)) if name in texts and value is not None else value

    cells = {}
    for key, cell in details.items():
        last = max((k for k, name in enumerate(fields) if name in cell), default=-1)
        cells[key] = [packed(name, cell.get(name)) for name in fields[: last + 1]]
    listed = [list(word) if isinstance(word, tuple) else word for word in words]
    return {"fields": fields, "texts": texts, "words": listed, "cells": cells}


def artifact_name(key: str) -> tuple[str, bool]:
    """Return the name of a table or figure in headings, and whether it is from the paper.

    >>> artifact_name("table2_3"), artifact_name("figure1"), artifact_name("figure_ranks"), artifact_name("table1_oracle")
    (('Table 2.3', True), ('Figure 1', True), ('Figure', False), ('Table', False))
    """
    kind = "Figure" if key.startswith("figure") else "Table"
    number = re.fullmatch(r"(?:figure|table)(\d+(?:_\d+)*)", key)
    return (f"{kind} {number[1].replace('_', '.')}", True) if number else (kind, False)


@dataclass(frozen=True)
class Picture:
    """A figure in a page: its address, its title, which is the finding, and the width at which its labels are legible."""

    address: str
    title: str
    width: int


def picture(svg: Path, where: str) -> Picture:
    """Describe a file of :func:`pulib.plots.save_figure`; ``where`` is the address at which a page finds it or its copy.

    Its smallest labels have 6 points, which are 9 pixels at 1.5 pixels per point.  If the page is narrower, the figure scrolls.
    """
    head = svg.read_text(encoding="utf-8")[:4000]
    title, width = re.search(r"<title>(.*?)</title>", head, re.DOTALL), re.search(r'viewBox="0 0 ([\d.]+)', head)
    if not width:
        raise UnreadableFileError(f"{svg} is no figure of save_figure: delete it and run the same command again")
    return Picture(where, unescape(title[1]) if title else "", round(PIXELS * float(width[1])))


def packed(path: Path) -> str:
    """Return an image as a data URL: WebP with 96 colors, a third of the size of its PNG."""
    from PIL import Image

    stream = io.BytesIO()
    with Image.open(path) as picture:
        colors = picture.convert("RGB").quantize(96, dither=Image.Dither.NONE)
        colors.convert("RGB").save(stream, "WEBP", lossless=True, method=4)
    return "data:image/webp;base64," + base64.b64encode(stream.getvalue()).decode()


def packed_svg(path: Path) -> str:
    """Return a drawing as a data URL."""
    return "data:image/svg+xml;base64," + base64.b64encode(path.read_bytes()).decode()
