"""The figures of the level field: each function draws the figure of its name; twins differ in the metric or what varies."""

from __future__ import annotations

from matplotlib.figure import Figure

from pulab.tables import Paper, Results
from studies.levelfield.figures.calibration import draw_calibration
from studies.levelfield.figures.costs import draw_costs
from studies.levelfield.figures.curves import Steps, draw_curves
from studies.levelfield.figures.diagrams import draw_diagrams
from studies.levelfield.figures.heatmap import draw_heatmap
from studies.levelfield.figures.losses import draw_losses
from studies.levelfield.figures.pairs import draw_pairs
from studies.levelfield.figures.priors import draw_priors
from studies.levelfield.figures.ranks import draw_ranks
from studies.levelfield.figures.tuning import draw_tuning
from studies.levelfield.levels import LABELS, MEASURES, PRIORS, SWITCHED, WRONG, Switched

BY_LABELS = Steps(levels=LABELS, xlabel="labels", wording="With {} labels", logarithmic=True)
BY_WRONG = Steps(
    levels={"two_sample": "0"} | {setting: label.rstrip("%") for setting, label in WRONG.items()},
    xlabel="wrong labels in %",
    wording="With {}% wrong labels",
)
BY_PRIOR = Steps(levels=PRIORS, xlabel="given π, as a multiple of the true one", wording="Given {} times the true π")
BIASED = {f"biased_{k}": Switched("one_sample", f"clear cases, k = {k}") for k in (1, 3, 10)}
BIASED["biased_border"] = Switched("one_sample", "doubtful cases, k = 10")


def figure_ranks(results: Results, paper: Paper) -> Figure:
    return draw_ranks(results)


def figure_pairs(results: Results, paper: Paper) -> Figure:
    return draw_pairs(results)


def figure_tasks(results: Results, paper: Paper) -> Figure:
    return draw_heatmap(results, "two_sample", "accuracy")


def figure_calibration(results: Results, paper: Paper) -> Figure:
    return draw_calibration(results)


def figure_labels_accuracy(results: Results, paper: Paper) -> Figure:
    return draw_curves(results, BY_LABELS, "accuracy")


def figure_labels_auc(results: Results, paper: Paper) -> Figure:
    return draw_curves(results, BY_LABELS, "auc")


def figure_biased(results: Results, paper: Paper) -> Figure:
    remark = "k: the power of the posterior, or of nearness to the boundary, that decides which positives are labeled."
    return draw_losses(results, BIASED, ["accuracy"], wording="labels drawn at random", remark=remark)


def figure_wrong(results: Results, paper: Paper) -> Figure:
    return draw_curves(results, BY_WRONG, "accuracy", lost=True)


def figure_wrong_prior(results: Results, paper: Paper) -> Figure:
    return draw_curves(results, BY_PRIOR, "accuracy", lost=True)


def figure_estimated_prior(results: Results, paper: Paper) -> Figure:
    return draw_priors(results)


def figure_scenarios(results: Results, paper: Paper) -> Figure:
    return draw_losses(results, SWITCHED, MEASURES, wording="the right scenario")


def figure_tuning(results: Results, paper: Paper) -> Figure:
    return draw_tuning(results)


def figure_costs(results: Results, paper: Paper) -> Figure:
    return draw_costs(results)


def figure_diagrams(results: Results, paper: Paper) -> Figure:
    return draw_diagrams(results)
