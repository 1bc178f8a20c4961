"""Rendering: CSV for machines (one row per cell), Markdown and LaTeX for people (rows by columns)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

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


def number(mean: float, sd: float, decimals: int) -> str:
    """``mean (sd)``, or a dash where there is nothing."""
    if pd.isna(mean):
        return "–"
    if pd.isna(sd) or (decimals == 0 and sd == 0):
        return f"{mean:.{decimals}f}"
    return f"{mean:.{decimals}f} ({sd:.{decimals}f})"


def _decimals_of(column: str, decimals: Decimals) -> int:
    return decimals if isinstance(decimals, int) else decimals[column]


def cell_texts(cells: pd.DataFrame, decimals: Decimals) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Two frames of text, rows by columns in their order in ``cells``: ours, and published."""
    ours, published = {}, {}
    for cell in cells.itertuples(index=False):
        digits = _decimals_of(cell.column, decimals)
        text = number(cell.ours, cell.ours_sd, digits) if cell.status == "ok" else cell.status
        ours[(cell.row, cell.column)] = text
        published[(cell.row, cell.column)] = number(cell.published, cell.published_sd, digits)
    rows, columns = list(dict.fromkeys(cells["row"])), list(dict.fromkeys(cells["column"]))
    return (
        pd.DataFrame([[ours.get((r, c), "") for c in columns] for r in rows], index=rows, columns=columns),
        pd.DataFrame([[published.get((r, c), "") for c in columns] for r in rows], index=rows, columns=columns),
    )


def _row_labels(cells: pd.DataFrame) -> dict[str, str]:
    stand_ins = {cell.row: cell.stand_in for cell in cells.itertuples(index=False) if cell.stand_in}
    return {row: f"{row} (stand-in: {stand_ins[row]})" if row in stand_ins else row for row in dict.fromkeys(cells["row"])}


def footnotes(cells: pd.DataFrame) -> list[str]:
    """Every note once, with the cells that it belongs to."""
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


def differences(cells: pd.DataFrame, decimals: Decimals, remarks: Mapping[str, str]) -> list[str]:
    """A line for each cell that is off by more than the verdict's margin and more than two standard deviations.

    The standard deviations are those of single repeats, the paper's and ours combined; ``remarks`` gives what is known of the
    cause, by ``row / column``.
    """
    lines = []
    for cell in cells.itertuples(index=False):
        if getattr(cell, "verdict", "") not in ("close", "different"):
            continue
        spread = math.sqrt(sum(sd**2 for sd in (cell.ours_sd, cell.published_sd) if not pd.isna(sd)))
        difference = cell.ours - cell.published
        if abs(difference) <= 2 * spread:
            continue
        place, digits = f"{cell.row} / {cell.column}", _decimals_of(cell.column, decimals)
        in_spreads = f", {abs(difference) / spread:.1f} standard deviations" if spread else ""
        line = f"differs: {place}: {difference:+.{digits}f}{in_spreads}"
        lines.append(f"{line}. {remarks[place]}" if place in remarks else line)
    return lines


def _notes(cells: pd.DataFrame, decimals: Decimals, remarks: Mapping[str, str] | None) -> list[str]:
    """What is said below a table."""
    return [*differences(cells, decimals, remarks or {}), *fewer_repeats(cells), *footnotes(cells)]


def _repeats(cells: pd.DataFrame) -> str:
    counts = sorted({int(n) for n in cells.loc[cells["status"] == "ok", "n"]})
    return "no repeats run" if not counts else f"{'–'.join(str(n) for n in dict.fromkeys((counts[0], counts[-1])))} repeats"


def render_markdown(
    cells: pd.DataFrame,
    *,
    title: str,
    caption: str = "",
    decimals: Decimals = 2,
    remarks: Mapping[str, str] | None = None,
) -> str:
    """A Markdown table: our mean (sd) first, the published one behind it in italics, and a line per cell that differs."""
    ours, published = cell_texts(cells, decimals)
    labels = _row_labels(cells)
    lines = [f"**{title}**", ""]
    if caption:
        lines += [caption, ""]
    lines += [
        "| |" + "|".join(str(c).translate(_MARKDOWN_SPECIAL) for c in ours.columns) + "|",
        "|---" * (ours.shape[1] + 1) + "|",
    ]
    for row in ours.index:
        texts = [
            f"{a} · *{b}*" if b not in ("–", "") else a
            for a, b in zip(ours.loc[row].tolist(), published.loc[row].tolist(), strict=True)
        ]
        lines.append("|" + "|".join(text.translate(_MARKDOWN_SPECIAL) for text in [labels[row], *texts]) + "|")
    lines += ["", f"Ours, mean (sd) over {_repeats(cells)}, then the paper's in italics."]
    lines += [f"- {note}" for note in _notes(cells, decimals, remarks)]
    return "\n".join(lines) + "\n"


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
    remarks: Mapping[str, str] | None = None,
) -> str:
    """A ``table`` environment; two lines per row, ours above the published values (needs booktabs)."""
    ours, published = cell_texts(cells, decimals)
    labels = _row_labels(cells)
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{latex_escape(title)}. {latex_escape(caption)}}}",
        rf"\label{{{label}}}",
    ]
    lines += [rf"\begin{{tabular}}{{l{'r' * ours.shape[1]}}}", r"\toprule"]
    lines += [" & ".join(["", *map(latex_escape, ours.columns)]) + r" \\", r"\midrule"]
    for row in ours.index:
        lines.append(" & ".join([latex_escape(labels[row]), *map(latex_escape, ours.loc[row])]) + r" \\")
        if any(text not in ("–", "") for text in published.loc[row]):
            lines.append(
                " & ".join([r"\quad published", *(rf"\textit{{{latex_escape(t)}}}" for t in published.loc[row])]) + r" \\"
            )
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par\footnotesize {latex_escape(note)}" for note in _notes(cells, decimals, remarks)]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def write_table(
    cells: pd.DataFrame,
    paths: Mapping[str, str | Path],
    *,
    title: str,
    caption: str = "",
    label: str = "",
    decimals: Decimals = 2,
    remarks: Mapping[str, str] | None = None,
) -> None:
    """Write ``cells`` to ``paths["csv"]``, ``paths["md"]`` and ``paths["tex"]``."""
    known = {f"{cell.row} / {cell.column}" for cell in cells.itertuples(index=False)}
    if unknown := sorted(set(remarks or {}) - known):
        raise ValueError(
            f"table {label}: remark on {unknown[0]!r}, which is not a cell; expected 'row / column' as in the table"
        )
    cells.to_csv(paths["csv"], index=False, float_format="%.6g")
    markdown = render_markdown(cells, title=title, caption=caption, decimals=decimals, remarks=remarks)
    latex = render_latex(cells, title=title, caption=caption, label=label, decimals=decimals, remarks=remarks)
    Path(paths["md"]).write_text(markdown, encoding="utf-8")
    Path(paths["tex"]).write_text(latex, encoding="utf-8")
