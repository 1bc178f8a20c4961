"""Escape text for Markdown, LaTeX and HTML; all escaping happens here.

There are two kinds of text.  *Data* (labels, numbers, messages of trials) is shown literally.  *Prose* is our own inline
Markdown for captions and sentences: emphasis, code and links, but no tags or images, which could load external content.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markupsafe import Markup, escape

# only tags, images and links have an effect; other brackets and a lone < are literal in Markdown
_ACTIVE = re.compile(r"(?<!\\)<(?=[A-Za-z!/?])|(?<=!)\[")
_CODE = re.compile(r"(`+[^`]*`+)")
_SPECIAL = re.compile(r"[\\`*]|<(?=[A-Za-z!/?])|(?<=!)\[|\](?=[(\[:])|(?<![^\W_])_|_(?![^\W_])")
_PROSE = MarkdownIt("commonmark", {"html": False}).disable("image")
_BLOCKS = MarkdownIt("commonmark", {"html": False}).disable("image").enable("table")
# signs, each followed by its LaTeX math name
_MATHEMATICS = """
    α alpha  β beta  γ gamma  δ delta  ε varepsilon  η eta  θ theta  κ kappa  λ lambda  μ mu  µ mu  ν nu  ξ xi  π pi  ρ rho
    σ sigma  τ tau  φ varphi  χ chi  ψ psi  ω omega  Γ Gamma  Δ Delta  Σ Sigma  Φ Phi  Ω Omega
    ± pm  × times  · cdot  ≥ geq  ≤ leq  ≈ approx  ≠ neq  ∞ infty  ∈ in  → rightarrow  • bullet  √ surd
    ⌈ lceil  ⌉ rceil  ⌊ lfloor  ⌋ rfloor  ∇ nabla
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
_ACCENTS = {"\u0302": "hat", "\u0305": "bar"}
_ACCENTED = re.compile(f"(.)([{''.join(_ACCENTS)}])")
_ESCAPED = re.compile(r"\\([^\w\s])")


class Prose(str):
    """Text in inline Markdown; any other string is data."""

    __slots__ = ()


def markdown(text: str) -> str:
    r"""Escape text for Markdown.

    >>> print(markdown("a *b* <!--<script> ![](x)"), markdown(Prose("*b* is `<b>` <!--")), markdown("n_labeled < 3 [1, 2]"))
    a \*b\* \<!--\<script> !\[\](x) *b* is `<b>` \<!-- n_labeled < 3 [1, 2]
    """
    if not isinstance(text, Prose):
        return _SPECIAL.sub(r"\\\g<0>", text)
    parts = _CODE.split(text)  # alternates between prose and code
    return "".join(part if k % 2 else _ACTIVE.sub(r"\\\g<0>", part) for k, part in enumerate(parts))


def markdown_cell(text: str) -> str:
    """Escape text for a cell of a Markdown table."""
    return markdown(text).replace("|", "\\|").replace("\n", " ")


def html(text: str) -> Markup:
    """Escape data for HTML, or render prose.

    >>> print(html("<!--<script>"), html(Prose("*b* ![](http://x/y) <b>")))
    &lt;!--&lt;script&gt; <em>b</em> !<a href="http://x/y"></a> &lt;b&gt;
    """
    return Markup(_PROSE.renderInline(text)) if isinstance(text, Prose) else escape(text)


def html_blocks(text: str) -> Markup:
    """Render Markdown with several blocks, including tables, as HTML."""
    return Markup(_BLOCKS.render(text))


def latex(text: str) -> str:
    r"""Escape text for LaTeX; characters unknown to pdfLaTeX become math.

    >>> print(latex("F = ⌈√d⌉, 50%"), latex(Prose("*b* is `c_d`")))
    F = $\lceil$$\surd$d$\rceil$, 50\% \emph{b} is \texttt{c\_d}
    """
    if isinstance(text, Prose):
        parts = re.split(r"(`[^`]+`|(?<!\\)\*[^*]+\*)", text)
        return "".join(
            rf"\{'texttt' if part[0] == '`' else 'emph'}{{{latex(part[1:-1])}}}" if k % 2 else latex(_ESCAPED.sub(r"\1", part))
            for k, part in enumerate(parts)
        )
    parts = _ACCENTED.split(str(text))  # text, letter, accent, and so on
    plain = [part.translate(_LATEX_SPECIAL) for part in parts]
    for k in range(1, len(parts), 3):
        plain[k : k + 2] = rf"$\{_ACCENTS[parts[k + 1]]}{{{plain[k].strip('$')}}}$", ""
    return "".join(plain)
