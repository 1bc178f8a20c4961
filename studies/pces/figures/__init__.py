"""Figures of the PCES paper; each function draws the figure of its name."""

from __future__ import annotations

from matplotlib.figure import Figure

from pulab.tables import Paper, Results
from studies.pces.figures.curves import draw_curves
from studies.pces.figures.heatmaps import draw_heatmap
from studies.pces.figures.maps import draw_maps
from studies.pces.figures.projection import draw_projections


def figure1(results: Results, paper: Paper) -> Figure:
    return draw_projections(results)


def figure2(results: Results, paper: Paper) -> Figure:
    return draw_maps(results)


def figure3(results: Results, paper: Paper) -> Figure:
    return draw_curves(results, paper, "pruned")


def figure4(results: Results, paper: Paper) -> Figure:
    return draw_heatmap(results, paper, "sgbdota_2_pruned")


def figure5(results: Results, paper: Paper) -> Figure:
    return draw_heatmap(results, paper, "sgbdota_3_pruned")
