"""The level field: every method on the same rows; what is run (``experiments.py``, ``methods.py``), and what is shown."""

from __future__ import annotations

from pulab.plan import ExpectedFailure, Shown, Study, named
from studies.levelfield.study.experiments import ESTIMATORS, N_LABELS, Fit, Tune, paper_preset, quick_preset
from studies.levelfield.study.methods import METHODS

__all__ = ["ESTIMATORS", "N_LABELS", "STUDY", "Fit", "Tune"]

GIVEN = "Every method that takes π is given the true one."
SHARED = (
    "Question 1. Slow learners (networks, AUC boosting) were run on some of the tasks; here all learners are compared on these."
)


def asked(number: int, title: str, more: str = "") -> Shown:
    """A table or figure that answers a question."""
    return Shown(title, f"question {number}", f"Question {number}. {more}".strip())


def plain(title: str) -> Shown:
    return Shown(title, "question 1")


TABLES = named(
    table_coverage=Shown("How much was run"),
    table_overview=asked(1, "The field at a glance", GIVEN),
    table_ranks_accuracy=asked(1, "Mean ranks by accuracy, at defaults", GIVEN),
    table_ranks_auc=asked(1, "Mean ranks by AUC, at defaults"),
    table_ranks_all_accuracy=Shown("All learners by accuracy, on the tasks that they share", "question 1", SHARED),
    table_ranks_all_auc=Shown("All learners by AUC, on the tasks that they share", "question 1", SHARED),
    table_pairs_accuracy=asked(1, "The best-ranked learner compared with each other one, by accuracy"),
    table_pairs_auc=asked(1, "The best-ranked learner compared with each other one, by AUC"),
    table_trivial=asked(
        1,
        "Defaults compared with trivial classifiers",
        "No default should lose to a trivial classifier. Before: Ada-PU with a learning rate of 1 and no early stopping; the "
        "others without a threshold set by π, as if π were not given.",
    ),
    table_tasks_two_accuracy=plain("Accuracy by task, two samples"),
    table_tasks_one_accuracy=plain("Accuracy by task, one sample"),
    table_tasks_two_auc=plain("AUC by task, two samples"),
    table_tasks_one_auc=plain("AUC by task, one sample"),
    table_metrics_two=plain("All metrics at defaults, two samples"),
    table_metrics_one=plain("All metrics at defaults, one sample"),
    table_labels_accuracy=asked(
        2,
        "Accuracy by number of labels",
        "Columns cover different tasks, because few tasks have 3,000 positives; the last column is computed task by task.",
    ),
    table_labels_auc=asked(2, "AUC by number of labels"),
    table_biased=asked(
        3,
        "What biased labels cost in accuracy",
        "The probability that a positive is labeled grows as p to the power k, with p the posterior of a logistic model of the "
        "truth, or with nearness to the decision boundary.",
    ),
    table_biased_auc=asked(3, "What biased labels cost in AUC"),
    table_wrong=asked(3, "What wrong labels cost in accuracy", "Columns give the share of labeled rows that are negatives."),
    table_wrong_auc=asked(3, "What wrong labels cost in AUC"),
    table_wrong_prior=asked(
        3,
        "What a wrong π costs in accuracy",
        "Columns give the π that learners are given, as a multiple of the true one.",
    ),
    table_wrong_prior_auc=asked(3, "What a wrong π costs in AUC"),
    table_estimated_prior=asked(4, "What an estimated π costs, by estimator"),
    table_scenarios=asked(5, "What the wrong scenario costs in accuracy"),
    table_scenarios_auc=asked(5, "What the wrong scenario costs in AUC"),
    table_tuning_accuracy=asked(6, "What tuning without negatives gains and loses in accuracy"),
    table_tuning_auc=asked(6, "What tuning without negatives gains and loses in AUC"),
    table_costs=asked(7, "Time and memory, with the mean rank", "Two samples, at defaults."),
    table_properties=asked(8, "Which properties of a task predict a learner's lead", "Two samples, accuracy."),
    table_properties_auc=asked(8, "Which properties of a task predict a learner's lead", "Two samples, AUC."),
    table_best=asked(8, "The tasks, and the best learner on each"),
    table_answers=Shown("Answers to the questions"),
)
FIGURES = named(
    figure_ranks=asked(1, "Mean ranks at defaults"),
    figure_pairs=asked(1, "The best-ranked learner compared with each other one"),
    figure_tasks=Shown("Accuracy by task and learner", "question 1", "Questions 1 and 8. Two samples."),
    figure_calibration=asked(1, "How well calibrated probabilities are"),
    figure_labels_accuracy=asked(2, "Accuracy by number of labels"),
    figure_labels_auc=asked(2, "AUC by number of labels"),
    figure_biased=asked(3, "What biased labels cost"),
    figure_wrong=asked(3, "What wrong labels cost"),
    figure_wrong_prior=asked(3, "What a wrong π costs"),
    figure_estimated_prior=asked(4, "What an estimated π costs"),
    figure_scenarios=asked(5, "What the wrong scenario costs"),
    figure_tuning=asked(6, "What tuning without negatives gains"),
    figure_costs=asked(7, "Time against mean rank"),
    figure_diagrams=Shown(
        "Critical-difference diagrams",
        "appendix",
        "Appendix to question 1. Learners under one bar are not significantly different by Nemenyi's test (5%).",
    ),
)
#: By the names of their templates, ``templates/<name>.md.jinja``.
QUESTIONS = {
    "coverage": "How much was run?",
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
        ExpectedFailure(method="lf_pulearn_elkan_noto", message="No positive examples found in the hold-out set")
    ],
    overview="table_overview",
    answers="table_answers",
    questions=QUESTIONS,
    estimators={"studies.levelfield.protocol.ShareAtRandom": 1},
)
