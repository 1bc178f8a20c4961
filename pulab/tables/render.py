"""Rendering: CSV for machines (one row per cell), Markdown and LaTeX for people (rows by columns)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np
import pandas as pd

from pulab.tables.verdict import SIGNS, VERDICTS, add_verdicts

# digits behind the point: the same in all columns, or by the column's label
Decimals = int | Mapping[str, int]
_MARKDOWN_SPECIAL = str.maketrans({"|": "\\|", "\n": " "})
# signs, each followed by its name in LaTeX's mathematics
_MATHEMATICS = """
    α alpha  β beta  γ gamma  δ delta  ε varepsilon  η eta  θ theta  κ kappa  λ lambda  μ mu  µ mu  ν nu  ξ xi  π pi  ρ rho
    σ sigma  τ tau  φ varphi  χ chi  ψ psi  ω omega  Γ Gamma  Δ Delta  Σ Sigma  Φ Phi  Ω Omega
    ± pm  × times  · cdot  ≥ geq  ≤ leq  ≈ approx  ≠ neq  ∞ infty  ∈ in  → rightarrow  • bullet  √ surd
    ⌈ lceil  ⌉ rceil  ⌊ lfloor  ⌋ rfloor
"""
_WORDS = _MATHEMATICS.split()
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-", strict=True))
_LATEX_SPECIAL = str.maketrans(
    {"&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_", "$": r"\$", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}"}
    | {"^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
    | {"–": "--", "—": "---", "−": "$-$", "“": "``", "”": "''", "‘": "`", "’": "'", "…": r"\ldots{}", "\u00a0": "~"}
    | {sign: rf"$\{name}$" for sign, name in zip(_WORDS[::2], _WORDS[1::2], strict=True)}
    | {sign: f"$^{{{plain}}}$" for sign, plain in _RAISED.items()}
)
_HAT = re.compile("(.)\u0302")


#: What the signs behind a cell mean; said once below a table.
SIGNS_EXPLAINED = (
    "Behind them the verdict and the difference in points: " + ", ".join(f"{SIGNS[word]} {word}" for word in VERDICTS) + "."
)


def number(mean: float, sd: float, decimals: int) -> str:
    """``mean (sd)``, or a dash where there is nothing."""
    if pd.isna(mean):
        return "–"
    if pd.isna(sd) or (decimals == 0 and sd == 0):
        return f"{mean:.{decimals}f}"
    return f"{mean:.{decimals}f} ({sd:.{decimals}f})"


def _decimals_of(column: str, decimals: Decimals) -> int:
    return decimals if isinstance(decimals, int) else decimals[column]


def ours_text(cell: Mapping[str, Any], decimals: int) -> str:
    """Our number as it stands in a table: a count with its total, an interval, a mark, or a mean with its spread."""
    if cell["status"] != "ok":
        return str(cell["status"])
    if cell.get("kind") == "mark" and isinstance(cell.get("mark"), str) and cell["mark"]:
        return str(cell["mark"])
    return _number_text(cell, decimals, "ours", "ours_sd", "low", "high", "total")


def published_text(cell: Mapping[str, Any], decimals: int) -> str:
    """The published number, written like ours."""
    if cell.get("kind") == "mark" and isinstance(cell.get("published_mark"), str) and cell["published_mark"]:
        return str(cell["published_mark"])
    return _number_text(
        cell, decimals, "published", "published_sd", "published_low", "published_high", "published_total", short=True
    )


def _number_text(
    cell: Mapping[str, Any], decimals: int, mean: str, sd: str, low: str, high: str, total: str, short: bool = False
) -> str:
    value, out_of = cell[mean], cell.get(total, np.nan)
    if pd.isna(value):
        return "–"
    if not pd.isna(out_of):  # a share of so many comparisons reads best as the count that it is
        count = value / 100.0 * out_of
        digits = 0 if abs(count - round(count)) < 1e-6 else 1
        return f"{count:.{digits}f}" + ("" if short else f"/{out_of:.0f}")
    if not pd.isna(cell.get(low, np.nan)) and not pd.isna(cell.get(high, np.nan)):
        return f"{cell[low]:.{decimals}f}–{cell[high]:.{decimals}f}"
    if cell.get("unit") == "p":
        return f"{value:.2g}"
    return number(value, cell[sd], decimals)


def verdict_text(cell: Mapping[str, Any]) -> str:
    """The sign of the verdict and the signed difference in points; empty for what is not judged.

    >>> verdict_text({"verdict": "close", "difference": -1.96, "kind": "performance"})
    '≈ −2.0'
    """
    if cell.get("verdict") not in VERDICTS:
        return ""
    difference = cell.get("difference", np.nan)
    if pd.isna(difference) or (cell["kind"] == "fact" and difference == 0):
        return SIGNS[cell["verdict"]]
    digits = 1 if cell["kind"] != "fact" or not float(difference).is_integer() else 0
    return f"{SIGNS[cell['verdict']]} {signed(difference, digits)}"


def signed(value: float, decimals: int = 1) -> str:
    """With its sign, but for a zero.

    >>> signed(-0.04), signed(2.25), signed(-3)
    ('0.0', '+2.2', '−3.0')
    """
    text = f"{value:+.{decimals}f}".replace("-", "−")
    return text[1:] if float(f"{value:.{decimals}f}") == 0 else text


def told_cells(cells: pd.DataFrame, decimals: Decimals) -> list[dict[str, Any]]:
    """Per cell all that a rendering shows of it, as text.

    Returns
    -------
    list of dicts with ``row, column, ours, published`` (empty where the paper prints nothing), ``sign`` (with the difference),
    ``verdict, cause`` and ``why``.
    """
    told = []
    for cell in cells.to_dict("records"):
        digits = _decimals_of(cell["column"], decimals)
        published = published_text(cell, digits)
        told.append(
            {"row": cell["row"], "column": cell["column"], "ours": ours_text(cell, digits)}
            | {"published": "" if published == "–" else published, "sign": verdict_text(cell)}
            | {name: cell.get(name, "") for name in ("verdict", "cause", "why")}
        )
    return told


def _grid(cells: pd.DataFrame, decimals: Decimals) -> tuple[list[str], list[str], dict[tuple[str, str], dict[str, Any]]]:
    rows, columns = list(dict.fromkeys(cells["row"])), list(dict.fromkeys(cells["column"]))
    return rows, columns, {(cell["row"], cell["column"]): cell for cell in told_cells(cells, decimals)}


def row_labels(cells: pd.DataFrame) -> dict[str, str]:
    """Rows as they are shown: with the data set that stands in for the paper's, where one does."""
    stand_ins = {cell.row: cell.stand_in for cell in cells.itertuples(index=False) if cell.stand_in}
    return {row: f"{row} (stand-in: {stand_ins[row]})" if row in stand_ins else row for row in dict.fromkeys(cells["row"])}


def notes(cells: pd.DataFrame) -> list[str]:
    """What is said below a table: causes of what is not reproduced, cells with fewer repeats, and the cells' own notes."""
    return [*_causes(cells), *fewer_repeats(cells), *_footnotes(cells)]


def _causes(cells: pd.DataFrame) -> list[str]:
    """Every cause once, with the cells that it explains."""
    places: dict[tuple[str, str], list[str]] = {}
    for cell in cells.to_dict("records"):
        if cell.get("verdict") in VERDICTS[1:]:
            place = f"{cell['row']} / {cell['column']} {verdict_text(cell)}"
            places.setdefault((cell.get("cause", ""), cell.get("why", "")), []).append(place)
    lines = []
    for (cause, why), explained in places.items():
        named = f"{cause}: {why}" if cause else "not reproduced"
        lines.append(f"{named} ({_shortened(explained)})")
    return lines


def _footnotes(cells: pd.DataFrame) -> list[str]:
    notes: dict[str, list[str]] = {}
    for cell in cells.itertuples(index=False):
        if cell.note:
            notes.setdefault(f"{cell.status}: {cell.note}" if cell.status != "ok" else cell.note, []).append(
                f"{cell.row} / {cell.column}"
            )
    return [f"{note} ({_shortened(places)})" for note, places in notes.items()]


def _shortened(places: list[str]) -> str:
    return "; ".join(places[:4]) + (f"; and {len(places) - 4} more" if len(places) > 4 else "")


def fewer_repeats(cells: pd.DataFrame) -> list[str]:
    """The cells with fewer repeats than others of their row and of their column have, by their number."""
    done = cells[cells["status"] == "ok"]
    of_row, of_column = (done.groupby(side)["n"].transform("max") for side in ("row", "column"))
    fewer = done[(done["n"] < of_row) & (done["n"] < of_column)]
    fewer = fewer.assign(place=fewer["row"].astype(str) + " / " + fewer["column"].astype(str))
    return [
        f"{int(n)} repeat{'s' if n > 1 else ''} only ({_shortened(places.tolist())})"
        for n, places in fewer.groupby("n")["place"]
    ]


def _repeats(cells: pd.DataFrame) -> str:
    counts = sorted({int(n) for n in cells.loc[cells["status"] == "ok", "n"]})
    if not counts:
        return "no repeats run"
    span = "–".join(str(n) for n in dict.fromkeys((counts[0], counts[-1])))
    return f"{span} repeat{'' if counts[-1] == 1 else 's'}"


def legend_of(cells: pd.DataFrame, legend: str = "") -> str:
    """How to read the cells; ``legend`` in place of the usual sentence about means and spreads."""
    first = legend.format(repeats=_repeats(cells)) if legend else f"Ours, mean (sd) over {_repeats(cells)}"
    first += ", then the paper's in italics." if not legend else ""
    judged = "verdict" in cells and cells["verdict"].isin(VERDICTS).any()
    return f"{first} {SIGNS_EXPLAINED}" if judged else first


def render_markdown(
    cells: pd.DataFrame, *, title: str, caption: str = "", decimals: Decimals = 2, legend: str = "", remarks: Sequence[str] = ()
) -> str:
    """A Markdown table: our number first, the published one behind it in italics, the verdict's sign and the difference."""
    rows, columns, told = _grid(cells, decimals)
    labels = row_labels(cells)
    lines = [f"**{title}**", "", *([caption, ""] if caption else [])]
    lines += ["| |" + "|".join(str(c).translate(_MARKDOWN_SPECIAL) for c in columns) + "|", "|---" * (len(columns) + 1) + "|"]
    for row in rows:
        texts = [_markdown_cell(told.get((row, column))) for column in columns]
        lines.append("|" + "|".join(text.translate(_MARKDOWN_SPECIAL) for text in [labels[row], *texts]) + "|")
    lines += ["", legend_of(cells, legend), *(f"- {note}" for note in [*remarks, *notes(cells)])]
    return "\n".join(lines) + "\n"


def _markdown_cell(cell: Mapping[str, Any] | None) -> str:
    if cell is None:
        return ""
    text = f"{cell['ours']} · *{cell['published']}*" if cell["published"] else cell["ours"]
    return f"{text} {cell['sign']}" if cell["sign"] else text


def latex_escape(text: str) -> str:
    r"""``text`` with LaTeX's special characters made harmless, and with signs that pdfLaTeX does not know as mathematics.

    >>> latex_escape("F = ⌈√d⌉, 50%")
    'F = $\\lceil$$\\surd$d$\\rceil$, 50\\%'
    """
    hats = _HAT.split(str(text))  # text and letters with a hat in turn
    for k, part in enumerate(hats):
        plain = part.translate(_LATEX_SPECIAL)
        hats[k] = rf"$\hat{{{plain.strip('$')}}}$" if k % 2 else plain
    return "".join(hats)


def render_latex(
    cells: pd.DataFrame,
    *,
    title: str,
    caption: str = "",
    label: str = "",
    decimals: Decimals = 2,
    legend: str = "",
    remarks: Sequence[str] = (),
) -> str:
    """A ``table`` environment; two lines per row, ours above the published values (needs booktabs)."""
    rows, columns, told = _grid(cells, decimals)
    labels = row_labels(cells)
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{latex_escape(title)}. {latex_escape(caption)}}}",
        rf"\label{{{label}}}",
    ]
    lines += [rf"\begin{{tabular}}{{l{'r' * len(columns)}}}", r"\toprule"]
    lines += [" & ".join(["", *map(latex_escape, columns)]) + r" \\", r"\midrule"]
    for row in rows:
        row_cells = [told.get((row, column), {"ours": "", "published": "", "sign": ""}) for column in columns]
        ours = [latex_escape(f"{cell['ours']} {cell['sign']}".strip()) for cell in row_cells]
        lines.append(" & ".join([latex_escape(labels[row]), *ours]) + r" \\")
        if any(cell["published"] for cell in row_cells):
            published = [rf"\textit{{{latex_escape(cell['published'] or '–')}}}" for cell in row_cells]
            lines.append(" & ".join([r"\quad published", *published]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    below = [legend_of(cells, legend), *remarks, *notes(cells)]
    lines += [rf"\par\footnotesize {latex_escape(note)}" for note in below]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


class Words(TypedDict, total=False):
    """What a table says beside its title and its cells."""

    caption: str
    decimals: Decimals
    legend: str  # how to read a cell, where it is not a mean with its sd; ``{repeats}`` in it becomes their number
    remarks: Sequence[str]  # sentences below the table, before the causes


def write_table(
    cells: pd.DataFrame, paths: Mapping[str, str | Path], *, title: str, label: str = "", **words: Unpack[Words]
) -> None:
    """Write ``cells`` to ``paths["csv"]``, ``paths["md"]`` and ``paths["tex"]``."""
    cells.to_csv(paths["csv"], index=False, float_format="%.6g")
    Path(paths["md"]).write_text(render_markdown(cells, title=title, **words), encoding="utf-8")
    Path(paths["tex"]).write_text(render_latex(cells, title=title, label=label, **words), encoding="utf-8")


def write_study_table(
    spec: Mapping[str, Any],
    cells: pd.DataFrame,
    paths: Mapping[str, str | Path],
    *,
    kind: str = "performance",
    **words: Unpack[Words],
) -> None:
    """Judge a table's cells as its entry in the study's configuration says, and write them.

    Parameters
    ----------
    spec : mapping
        ``study``, ``name``, ``preset``, ``title``, ``caption``, ``causes`` (the study's), and, where they are not usual,
        ``cells`` (their kind), ``reading``, ``n_published`` and ``points``.
    kind : str
        Of the cells, unless the entry or a cell says otherwise.
    **words
        As :class:`Words`; a caption stands in the place of the entry's.
    """
    judged = add_verdicts(
        cells.assign(study=spec["study"], table=spec["name"]),
        kind=spec.get("cells", kind),
        reading=spec.get("reading", "main"),
        n_published=spec.get("n_published", 5),
        points=spec.get("points"),
        causes=spec.get("causes", ()),
        neutral=spec["preset"] == "quick",
    )
    words.setdefault("caption", spec.get("caption", ""))
    write_table(judged, paths, title=spec["title"], label=f"{spec['study']}-{spec['name']}", **words)
