"""Plotting functions, which take data and Matplotlib ``Axes``, and the project's style."""

from pulib.plots._calibration import plot_calibration
from pulib.plots._critical_difference import critical_difference_diagram
from pulib.plots._importances import plot_importances
from pulib.plots._prior_estimate import plot_prior_estimate
from pulib.plots._prior_sensitivity import plot_prior_sensitivity
from pulib.plots._style import COLUMN, MARKERS, PAGE, PALETTE, save_figure, style

__all__ = [
    "COLUMN",
    "MARKERS",
    "PAGE",
    "PALETTE",
    "critical_difference_diagram",
    "plot_calibration",
    "plot_importances",
    "plot_prior_estimate",
    "plot_prior_sensitivity",
    "save_figure",
    "style",
]
