"""Rendered tables and figures as parts of the page: the Markdown that was written, with what is known of each cell laid on."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from pulab.reports.drawing import verdict_class
from pulab.tables.verdict import SIGNS

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
_RENDERER = RendererHTML()
_WORDS = {sign: word for word, sign in SIGNS.items()}
_CELL = re.compile(rf"^(?P<ours>.*?)(?: · <em>(?P<published>.*)</em>)?(?: (?P<sign>[{''.join(_WORDS)}])(?P<by>.*))?$")
#: A link from one rendered file of a study to another.
RENDERED_LINK = re.compile(r"\]\(((?:figure|table)_\w+\.(?:svg|csv))")
_NUMBER = re.compile(r"^\s*(<em>)?[-−+<]?\d")


def artifact_name(key: str) -> tuple[str, bool]:
    """What a table or figure is called in headings, and whether it is one of the paper's.

    >>> artifact_name("table2_3"), artifact_name("figure1"), artifact_name("figure_ranks"), artifact_name("table1_oracle")
    (('Table 2.3', True), ('Figure 1', True), ('Figure', False), ('Table', False))
    """
    kind = "Figure" if key.startswith("figure") else "Table"
    number = re.fullmatch(r"(?:figure|table)(\d+(?:_\d+)*)", key)
    return (f"{kind} {number[1].replace('_', '.')}", True) if number else (kind, False)


def markdown(text: str) -> str:
    """Markdown of one of our own pages as HTML, with tables that scroll and sort."""
    return _tables(_MARKDOWN.parse(text), [])


def table(text: str, keys: Sequence[Sequence[str]]) -> str:
    """A table that was rendered as Markdown, with its caption and notes, without its title.

    Parameters
    ----------
    text : str
        As :func:`pulab.tables.render_markdown` writes it.
    keys : sequence of sequences of str
        Per row and column the cell's name in the page; none for tables that are not compared with a paper's.
    """
    tokens = _MARKDOWN.parse(text)
    if tokens and tokens[0].type == "paragraph_open" and tokens[1].content.startswith("**"):
        tokens = tokens[3:]
    return _tables(tokens, keys)


def _tables(tokens: list[Token], keys: Sequence[Sequence[str]]) -> str:
    parts: list[str] = []
    rest: list[Token] = []
    k = 0
    while k < len(tokens):
        if tokens[k].type == "table_open":
            end = next(i for i in range(k, len(tokens)) if tokens[i].type == "table_close")
            parts += [_plain(rest), _table(tokens[k:end], keys)]
            rest, k = [], end
        else:
            rest.append(tokens[k])
        k += 1
    return "".join([*parts, _plain(rest)])


def _plain(tokens: list[Token]) -> str:
    html = _RENDERER.render(tokens, _MARKDOWN.options, {})
    return html.replace("<p>", '<p class="note">').replace("<ul>", '<ul class="note">')


def _inline(token: Token) -> str:
    return _RENDERER.renderInline(token.children or [], _MARKDOWN.options, {})


def _table(tokens: list[Token], keys: Sequence[Sequence[str]]) -> str:
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(_inline(token))
    return grid(rows[0], rows[1:], keys)


def grid(header: Sequence[str], rows: Sequence[Sequence[str]], keys: Sequence[Sequence[str]] = ()) -> str:
    """A table that scrolls by itself and sorts by a click on a column's head; texts are HTML."""
    words = [any(row[k] and not _NUMBER.match(row[k]) for row in rows if k < len(row)) for k in range(len(header))]
    if keys:
        words = [True, *[False] * (len(header) - 1)]
    lines = [f'<div class="scroll" tabindex="0"><table class="sortable{" cells" if keys else ""}"><thead><tr>']
    for text, word in zip(header, words, strict=True):
        label = text or '<span class="sr">row</span>'
        lines.append(f'<th scope="col"{" class=word" if word else ""}><button type="button">{label}</button></th>')
    lines.append("</tr></thead><tbody>")
    for i, row in enumerate(rows):
        lines.append(f'<tr><th scope="row">{row[0]}</th>')
        for j, text in enumerate(row[1:]):
            if keys and text and keys[i][j]:
                lines.append(_cell(text, keys[i][j]))
            else:
                lines.append(f"<td{' class=word' if words[j + 1] else ''}>{text}</td>")
        lines.append("</tr>")
    return "".join([*lines, "</tbody></table></div>"])


def _cell(text: str, key: str) -> str:
    """Ours, below it the published number, and the verdict's sign with its word for those who hear the page."""
    parts = _CELL.match(text)
    assert parts, text  # it matches any text of one line
    sign, ours, published = parts["sign"], parts["ours"], parts["published"]
    verdict = _WORDS[sign] if sign else ""
    inner = f"<span>{ours}</span>"
    if published is not None:
        inner += f'<small><span class="sr">published </span>{published}</small>'
    if sign:
        inner += (
            f'<small class="sign"><span aria-hidden="true">{sign}</span><span class="sr">{verdict}</span>{parts["by"]}</small>'
        )
    shade = f" class={verdict_class(verdict)}" if verdict else ""
    return f'<td{shade}><button type="button" class="cell" tabindex="-1" id="{key}">{inner}</button></td>'


def image(path: Path) -> str:
    """A figure as an address that holds it: WebP of its 256 most needed colors, a third of the size of its PNG."""
    from PIL import Image

    packed = io.BytesIO()
    with Image.open(path) as picture:
        colors = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
        colors.convert("RGB").save(packed, "WEBP", lossless=True, method=4)
    return "data:image/webp;base64," + base64.b64encode(packed.getvalue()).decode()


def rows_html(rows: Mapping[str, str]) -> str:
    """Names and texts as a definition list."""
    return "<dl>" + "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in rows.items()) + "</dl>"
