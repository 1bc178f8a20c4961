"""Parts of the README that are made, not written: blocks between ``<!-- begin: name -->`` and ``<!-- end: name -->``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_SPECIAL = str.maketrans({"|": "\\|", "\n": " "})


def replace_block(text: str, name: str, body: str) -> str:
    """``text`` with what stands between the markers of ``name`` replaced by ``body``.

    Raises
    ------
    ValueError
        If the markers are not there exactly once.

    >>> replace_block("a <!-- begin: x -->old<!-- end: x --> b", "x", "new")
    'a <!-- begin: x -->\\nnew\\n<!-- end: x --> b'
    """
    begin, end = f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        raise ValueError(f"the README needs one {begin} and one {end}; found {text.count(begin)} and {text.count(end)}")
    head, rest = text.split(begin)
    return f"{head}{begin}\n{body.strip()}\n{end}{rest.split(end)[1]}"


def deviations_table(papers: Mapping[str, Mapping[str, Any]]) -> str:
    """A Markdown table of where we settle what a paper leaves open, or do otherwise."""
    lines = ["| paper | topic | the paper says | here | configuration |", "|---|---|---|---|---|"]
    for name, paper in papers.items():
        for row in paper.get("deviations", []):
            key = f"`{row['key']}`" if row.get("key") else ""
            texts = [name, row["topic"], row["paper"], row["here"], key]
            lines.append("| " + " | ".join(str(t).translate(_SPECIAL) for t in texts) + " |")
    return "\n".join(lines)


def figure_gallery(files: Sequence[str], shown: Sequence[Mapping[str, Any]]) -> str:
    """Figures below each other, each with its title, paper and caption.

    >>> print(figure_gallery(["a.png"], [{"title": "A", "paper": "P", "caption": "Lines."}]))
    ![A](a.png)
    <BLANKLINE>
    *A (P). Lines.*
    """
    parts = []
    for file, figure in zip(files, shown, strict=True):
        caption = f" {figure['caption']}" if figure.get("caption") else ""
        parts.append(f"![{figure['title']}]({file})\n\n*{figure['title']} ({figure['paper']}).{caption}*")
    return "\n\n".join(parts)
