"""Figures of the RESVM chapter; each function draws the figure of its name."""

from __future__ import annotations

from matplotlib.figure import Figure

from pulab.tables import Paper, Results
from studies.resvm.figures.curves import draw_curves
from studies.resvm.figures.densities import draw_densities
from studies.resvm.figures.iteration import draw_iteration
from studies.resvm.figures.ranks import draw_ranks
from studies.resvm.figures.resamples import draw_resamples
from studies.resvm.figures.sweeps import draw_sweeps


def figure2_1(results: Results, paper: Paper) -> Figure:
    return draw_resamples()


def figure2_2(results: Results, paper: Paper) -> Figure:
    return draw_iteration(results)


def figure2_3(results: Results, paper: Paper) -> Figure:
    return draw_densities(results)


def figure_curves(results: Results, paper: Paper) -> Figure:
    return draw_curves(results, paper)


def figure_ranks(results: Results, paper: Paper) -> Figure:
    return draw_ranks(results, paper)


def figure_sweeps(results: Results, paper: Paper) -> Figure:
    return draw_sweeps(results, paper)
