"""Figure 2.3: densities of the synthetic training sets, with a row each for P and U, and a column per setting."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pulab.figures.panels import draw_empty_panel, make_page
from pulab.figures.series import series_of
from pulab.tables import Results
from studies.resvm.places import SETTINGS

PARTS = {"labeled": "P", "unlabeled": "U"}
#: Extent of the square on each side of the origin.
EXTENT = 7.0


def draw_densities(results: Results) -> Figure:
    """Draw a panel per part and setting; the panels of a part share a color scale."""
    tidy = results.tidy[results.tidy["dataset"] == "circle_noise"]
    settings, note = SETTINGS, "Kernel density estimates of the first repeat. P: labeled rows; U: unlabeled rows."
    values = {part: {s: series_of(tidy[tidy["setting"] == s], f"density_{part}") for s in settings} for part in PARTS}
    peaks = {part: [own.max() for own in of.values() if len(own)] for part, of in values.items()}
    page = make_page(
        [f"{label}: {name}" for name in PARTS.values() for label in settings.values()],
        heading=_finding(peaks["labeled"]), note=note, shape=(len(PARTS), len(settings)),
        row_height=2.2, title_size=9, sharex=True, sharey=True,
    )  # fmt: skip
    for row, (part, name) in enumerate(PARTS.items()):
        axes = page.axes[row * len(settings) : (row + 1) * len(settings)]
        for ax, own in zip(axes, values[part].values(), strict=True):
            if len(own):
                draw_density(ax, own, EXTENT, max(peaks[part]))
            else:
                draw_empty_panel(ax)
            ax.set(xlabel="$x_1$" if row else "", ylabel="$x_2$" if ax is axes[0] else "")
        images = [image for ax in axes for image in ax.images]
        if images:
            page.body.colorbar(images[0], ax=axes, shrink=0.8, label=f"density of {name}")
    return page.fig


def _finding(peaks: list[float]) -> str:
    return f"Contamination lowers the peak density of P from {peaks[0]:.2f} to {peaks[-1]:.2f} (synthetic set)" if peaks else ""


def draw_density(ax: Axes, values: np.ndarray, extent: float, greatest: float) -> None:
    """Draw a density on a square grid, which is stored row by row; ``greatest`` is the end of the color scale."""
    side = round(len(values) ** 0.5)
    box = (-extent, extent, -extent, extent)
    image = np.asarray(values).reshape(side, side)
    ax.imshow(image, origin="lower", extent=box, cmap="viridis", vmin=0.0, vmax=greatest, interpolation="bilinear")
    ax.set(xticks=(-5, 0, 5), yticks=(-5, 0, 5), aspect="equal")
    ax.grid(False)
