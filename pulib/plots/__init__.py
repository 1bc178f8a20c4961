"""Figures' building blocks: functions that take tidy data and a Matplotlib Axes."""

from pulib.plots._critical_difference import critical_difference_diagram
from pulib.plots._curves import plot_curve
from pulib.plots._feature_counts import plot_feature_counts
from pulib.plots._style import save_figure, style

__all__ = ["critical_difference_diagram", "plot_curve", "plot_feature_counts", "save_figure", "style"]
