"""Content of displayed tables, with one renderer each for Markdown, LaTeX and HTML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader

from pulab.tables import markup
from pulab.tables.markup import Prose
from pulab.tables.verdict import VERDICT_OF
from pulib.datasets import reading

_NUMBER = re.compile(r"\s*[-−+<]?\d")


@dataclass(frozen=True)
class Entry:
    """Content of one cell: our text, the published text, and the sign of the verdict.

    ``key`` identifies the cell in the report's pages, which show its details.
    """

    text: str = ""
    published: str = ""
    sign: str = ""
    key: str = ""
    prose: bool = False

    @classmethod
    def of(cls, value: Any) -> Entry:
        if isinstance(value, Entry):
            return value
        return cls("" if value is None or value != value else str(value), prose=isinstance(value, Prose))

    @property
    def said(self) -> str:
        return Prose(self.text) if self.prose else self.text

    @property
    def verdict(self) -> str:
        return VERDICT_OF.get(self.sign[:1], "")

    @property
    def markdown(self) -> str:
        """Our value, the published one in italics, then the verdict's sign with the difference."""
        text = markup.markdown_cell(self.said)
        text += f" · *{markup.markdown_cell(self.published)}*" if self.published else ""
        return f"{text} {self.sign}" if self.sign else text


@dataclass(frozen=True)
class Grid:
    """Rows by columns below a ``title`` in prose; ``dense`` omits the spaces between cells."""

    header: Sequence[str]
    rows: Sequence[Sequence[Entry]]
    dense: bool = False
    title: str = ""

    @classmethod
    def of(cls, header: Iterable[Any], rows: Iterable[Iterable[Any]], *, dense: bool = False, title: str = "") -> Grid:
        """Make a grid from texts and numbers, shown unchanged."""
        return cls([str(text) for text in header], [[Entry.of(value) for value in row] for row in rows], dense, title)

    @cached_property
    def words(self) -> list[bool]:
        """Whether each column holds mostly words and is left-aligned."""
        texts = ([row[k].text for row in self.rows if row[k].text not in ("", "–")] for k in range(len(self.header)))
        return [k == 0 or 2 * sum(not _NUMBER.match(text) for text in own) > len(own) for k, own in enumerate(texts)]

    def markdown(self) -> str:
        """Return a table in GitHub's Markdown.

        >>> print(Grid.of(["study", "n"], [["a|b", 2]]).markdown())
        | study | n |
        |---|---|
        | a\\|b | 2 |
        """
        head, line, end = ("|", "|", "|") if self.dense else ("| ", " | ", " |")
        lines = [
            [markup.markdown_cell(text) for text in self.header],
            *([entry.markdown for entry in row] for row in self.rows),
        ]
        if self.dense and not lines[0][0]:
            lines[0][0] = " "
        texts = [head + line.join(cells) + end for cells in lines]
        above = [markup.markdown(Prose(self.title)), ""] if self.title else []
        return "\n".join([*above, texts[0], "|---" * len(self.header) + "|", *texts[1:]])

    def latex(self) -> str:
        """Return a ``tabular`` (needs booktabs) with published values on a separate line below ours."""
        columns = "".join("l" if word else "r" for word in self.words)
        above = [rf"\par {markup.latex(Prose(self.title))}\par"] if self.title else []
        lines = [
            *above,
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            _latex_row(map(markup.latex, self.header)),
            r"\midrule",
        ]
        for row in self.rows:
            lines.append(_latex_row(f"{markup.latex(entry.said)} {markup.latex(entry.sign)}".strip() for entry in row))
            if any(entry.published for entry in row):
                below = (rf"\textit{{{markup.latex(entry.published or '–')}}}" for entry in row[1:])
                lines.append(_latex_row([r"\quad published", *below]))
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


@dataclass(frozen=True)
class Sheet:
    """A table with the texts around it.

    The title is data; everything else is prose: ``caption`` above the cells and, below them, ``legend``, ``notes`` (one per
    line) and ``lists`` of sentences by heading.
    """

    title: str = ""
    caption: str = ""
    grids: Sequence[Grid] = ()
    legend: str = ""
    notes: Sequence[str] = ()
    lists: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """Number of rows of all grids."""
        return sum(len(grid.rows) for grid in self.grids)

    def markdown(self) -> str:
        parts = [f"**{markup.markdown(self.title)}**" if self.title else "", markup.markdown(Prose(self.caption))]
        parts += [grid.markdown() for grid in self.grids]
        below = [markup.markdown(Prose(self.legend))] if self.legend else []
        parts.append("\n".join([*below, *_items(self.notes)]))
        for heading, lines in self.lists.items():
            parts += [f"### {markup.markdown(heading)}", "\n".join(_items(lines))]
        return "\n\n".join(filter(None, parts)) + "\n"

    def latex(self, label: str = "") -> str:
        """Return a ``table`` environment with the cells, followed by the lists."""
        lines = []
        if self.grids:
            caption = ". ".join(filter(None, [markup.latex(self.title), markup.latex(Prose(self.caption))]))
            lines += [r"\begin{table}", r"\centering", rf"\caption{{{caption}}}", rf"\label{{{label}}}"]
            lines += [grid.latex() for grid in self.grids]
            lines += [rf"\par\footnotesize {markup.latex(Prose(note))}" for note in filter(None, [self.legend, *self.notes])]
            lines.append(r"\end{table}")
        for heading, own in self.lists.items():
            lines += [rf"\paragraph{{{markup.latex(heading)}}}", r"\begin{itemize}"]
            lines += [*(rf"\item {markup.latex(Prose(text))}" for text in own), r"\end{itemize}"]
        return "\n".join(lines) + "\n"

    def page(self) -> str:
        """Return a separate page for Snakemake's report."""
        return environment().get_template("sheet_page.html").render(sheet=self)

    def write(self, paths: Mapping[str, str | Path], label: str = "") -> None:
        """Write the formats (``md``, ``tex``, ``html``, ``json``) named in ``paths``; :func:`read_sheet` reads ``json``."""
        texts = {"md": self.markdown, "tex": lambda: self.latex(label), "html": self.page, "json": self._json}
        for suffix, text in texts.items():
            if suffix in paths:
                Path(paths[suffix]).write_text(text(), encoding="utf-8")

    def _json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"), default=str) + "\n"


def read_sheet(path: str | Path) -> Sheet:
    """Read a sheet that :meth:`Sheet.write` wrote as ``json``."""
    with reading(path):
        parts = json.loads(Path(path).read_text(encoding="utf-8"))
    grids = [
        Grid(**grid | {"rows": [[Entry(**entry) for entry in row] for row in grid["rows"]]}) for grid in parts.pop("grids")
    ]
    return Sheet(**parts, grids=grids)


@cache
def environment() -> Environment:
    """Return the Jinja environment for all HTML; it escapes inserted values."""
    loader = ChoiceLoader([PackageLoader("pulab.reports"), PackageLoader("pulab.tables")])
    made = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    made.filters |= {"css": lambda verdict: str(verdict).replace(" ", "-"), "prose": lambda text: markup.html(Prose(text))}
    made.filters["text"] = markup.html
    made.filters["markdown"] = markup.html_blocks
    made.policies["json.dumps_kwargs"] = {"sort_keys": True, "separators": (",", ":")}
    return made


def _items(lines: Iterable[str]) -> list[str]:
    return [f"- {markup.markdown(Prose(line))}" for line in lines]


def _latex_row(texts: Iterable[str]) -> str:
    return " & ".join(texts) + r" \\"
