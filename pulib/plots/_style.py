"""Common style of all figures, and reproducible figure files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pulib._optional import needed_by
from pulib.plots._svg import compact

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Colors of lines, in order; distinguishable with common color vision deficiencies (Okabe and Ito 2008).
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D31")
#: Markers that go with the colors, to keep figures readable in gray.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
#: Widths in inches of a one-column and a two-column figure.
COLUMN, PAGE = 3.5, 7.2

_STYLE: dict[str, Any] = {
    "figure.facecolor": "white",
    "figure.dpi": 100,
    "figure.constrained_layout.use": True,
    "savefig.facecolor": "white",
    "savefig.dpi": 160,
    "axes.facecolor": "white",
    "axes.edgecolor": "#444444",
    "axes.labelcolor": "#222222",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.labelsize": 9,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.6,
    "xtick.color": "#444444",
    "ytick.color": "#444444",
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 4,
    "image.cmap": "viridis",
    # comes with Matplotlib, so that text looks the same everywhere
    "font.family": "DejaVu Sans",
    "font.size": 9,
}


@contextmanager
def style(**overrides: Any) -> Iterator[None]:
    """Context manager for the project's style; create and draw the whole figure inside it.

    Parameters
    ----------
    **overrides
        Matplotlib settings, with double underscores for dots: ``axes__grid=False``.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from pulib.plots import style
    >>> with style(axes__grid=False):
    ...     ax = Figure().add_subplot()
    >>> print(f"line at the top: {ax.spines['top'].get_visible()}")
    line at the top: False
    """
    with needed_by("style", extra="plots"):
        import matplotlib as mpl

    settings = {
        **_STYLE,
        "axes.prop_cycle": mpl.cycler(color=PALETTE),  # type: ignore[attr-defined]
        **{key.replace("__", "."): value for key, value in overrides.items()},
    }
    # ignore the user's matplotlibrc
    with mpl.rc_context():
        backend = mpl.rcParams["backend"]
        mpl.rcdefaults()
        mpl.rcParams["backend"] = backend
        mpl.rcParams.update(settings)  # type: ignore[arg-type]
        yield


def save_figure(fig: Figure, svg_path: str | Path, png_path: str | Path | None = None) -> None:
    """Write a figure as SVG and, if a path is given, as PNG; the same figure gives the same bytes.

    The files contain neither the time nor the version of the program. Identifiers in the SVG depend only on the figure. The
    figure's title is also the title of the SVG, for screen readers. Text in the SVG is not converted to shapes, which makes it
    searchable and three times smaller; if DejaVu Sans is missing, Verdana, which is as wide, or another font replaces it.

    Parameters
    ----------
    fig : Figure
    svg_path : str or Path
    png_path : str or Path, optional

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from matplotlib.figure import Figure
    >>> from pulib.plots import save_figure, style
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> with style():
    ...     fig = Figure(figsize=(3, 2))
    ...     _ = fig.add_subplot().plot([1, 2, 3])
    ...     save_figure(fig, folder / "line.svg", folder / "line.png")
    >>> sorted(file.name for file in folder.iterdir())
    ['line.png', 'line.svg']
    """
    import matplotlib as mpl  # installed, since there is a figure

    files: dict[Any, Any] = {"svg.hashsalt": "pulib", "svg.fonttype": "none", "savefig.facecolor": "white", "savefig.dpi": 160}
    with mpl.rc_context({**files, "figure.autolayout": False, "figure.constrained_layout.use": False}):
        _fix_layout(fig)
        # the resolution applies to rasterized parts
        fig.savefig(svg_path, format="svg", dpi=100, metadata={"Date": None, "Creator": None} | _title_of(fig))
        svg = Path(svg_path).read_text(encoding="utf-8")
        Path(svg_path).write_text(compact(svg), encoding="utf-8")
        if png_path is not None:
            fig.savefig(png_path, format="png", metadata={"Software": None})


def _title_of(fig: Figure) -> dict[str, str]:
    """Return the title of the figure, or else of the first axes that have one, in one line."""
    titles = [part.get_suptitle() for part in (fig, *fig.subfigs)]
    titles += [ax.get_title(loc=side) for ax in fig.axes for side in ("left", "center")]
    title = " ".join(next(filter(None, titles), "").split())
    return {"Title": title} if title else {}


def _fix_layout(fig: Figure) -> None:
    """Lay the figure out once and round the positions of its axes, which differ in the last bits from run to run."""
    fig.draw_without_rendering()
    fig.set_layout_engine(None)  # with any engine, even "none", Matplotlib draws the figure again before it saves it
    for ax in fig.axes:
        left, bottom, width, height = (round(edge, 6) for edge in ax.get_position(original=True).bounds)
        ax.set_position((left, bottom, width, height))
