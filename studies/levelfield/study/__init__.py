"""The level field: every method on the same rows; experiments (``experiments.py``, ``methods.py``), tables and figures."""

from __future__ import annotations

from pulab.plan import ExpectedFailure, Shown, Study, named
from studies.levelfield.study.experiments import Fit, Tune, paper_preset, quick_preset
from studies.levelfield.study.methods import METHODS

__all__ = ["STUDY", "Fit", "Tune"]

GIVEN = "All methods that take π are given the same estimate."


def asked(number: int, title: str, more: str = "") -> Shown:
    """Describe a table or figure that answers a question."""
    return Shown(title, f"question {number}", f"Question {number}. {more}".strip())


TABLES = named(
    table_coverage=Shown("What was run"),
    table_overview=asked(1, "The field at a glance", GIVEN),
    table_ranks=asked(1, "Means, ranks and distances from the best-ranked learner, at defaults", GIVEN),
    table_trivial=asked(1, "Defaults compared with trivial classifiers", "No default should lose to a trivial classifier."),
    table_tasks=Shown("Tasks, and the best learner on each", "question 1", "Questions 1 and 8."),
    table_appendix=Shown("Tasks with another positive class", "question 1", "The true π is given. Not part of any ranking."),
    table_metrics=Shown("All metrics at defaults", "question 1"),
    table_labels=asked(
        2,
        "Scores by number of labels",
        "Columns cover different tasks, because few tasks have 3,000 positives. The last columns are computed task by task.",
    ),
    table_biased=asked(
        3,
        "What biased labels cost",
        "The probability that a positive is labeled grows as p to the power k, where p is the posterior of a logistic model "
        "of the truth, or the nearness to its decision boundary.",
    ),
    table_wrong=asked(3, "What wrong labels cost", "Columns give the share of labeled rows that are negative."),
    table_wrong_prior=asked(
        3, "What a wrong π costs", "Columns give the π that learners are given, as a multiple of the true one."
    ),
    table_estimated_prior=asked(4, "What an estimated π costs, by estimator"),
    table_scenarios=asked(5, "What the wrong scenario costs", "Methods without a scenario parameter are left out."),
    table_tuning=asked(6, "What tuning without negatives gains and loses"),
    table_costs=asked(7, "Time and memory, with the mean rank", "Two samples, at defaults."),
    table_properties=asked(8, "Which properties of a task predict a learner's lead", "Two samples."),
    table_sizes=asked(9, "Scores by number of unlabeled rows"),
    table_rare=asked(10, "Scores with rare positives"),
    table_calibration=asked(11, "How good probabilities are"),
    table_advice=asked(12, "What choosing a learner by the data gains"),
    table_answers=Shown("Answers to the questions"),
)
FIGURES = named(
    figure_ranks=asked(1, "Mean ranks at defaults"),
    figure_labels=asked(2, "Scores by number of labels"),
    figure_biased=asked(3, "What biased labels cost"),
    figure_wrong=asked(3, "What wrong labels cost"),
    figure_wrong_prior=asked(3, "What a wrong π costs"),
    figure_estimated_prior=asked(4, "What an estimated π costs"),
    figure_tuning=asked(6, "What tuning without negatives gains"),
    figure_costs=asked(7, "Time and mean rank"),
    figure_tasks=asked(8, "Accuracy by task and learner", "Two samples."),
    figure_sizes=asked(9, "Scores by number of unlabeled rows"),
    figure_rare=asked(10, "Scores with rare positives"),
)
#: Questions by the names of their templates, ``templates/<name>.md.jinja``.
QUESTIONS = {
    "coverage": "What was run?",
    "ranks": "Which learners rank best at their defaults?",
    "trivial": "Is any default worse than a trivial classifier?",
    "labels": "How many labels do learners need?",
    "biased": "Which learners tolerate biased labels?",
    "wrong": "Which learners tolerate wrong labels?",
    "prior": "Which learners tolerate a wrong π?",
    "estimated": "What does estimating π cost?",
    "scenario": "What does assuming the wrong scenario cost?",
    "tuning": "What does tuning without negatives gain?",
    "costs": "How long do learners take?",
    "properties": "Which learners suit which tasks?",
    "sizes": "What do more unlabeled rows gain?",
    "rare": "Which learners still beat a constant if positives are rare?",
    "calibration": "Which probabilities can be trusted?",
    "advice": "Can the data tell you which learner to choose?",
}

STUDY = Study(
    name="levelfield",
    title="The level field: every method on the same rows",
    citation="This repository; after Demšar (2006). Statistical comparisons of classifiers over multiple data sets. Journal of "
    "Machine Learning Research 7, 1-30",
    methods=METHODS,
    presets={"quick": quick_preset(), "paper": paper_preset()},
    tables=TABLES,
    figures=FIGURES,
    expected_failures=[
        ExpectedFailure(method="lf_pulearn_elkan_noto", message="the hold-out"),
        ExpectedFailure(message="s of the processor"),
    ],
    board="Leaderboard",
    answers="table_answers",
    questions=QUESTIONS,
    estimators={f"studies.levelfield.protocol.{name}": 1 for name in ("PUSB", "ShareAtRandom")},
)
