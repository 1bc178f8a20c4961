"""The tables of the level field: each function makes the table of its name; twins differ in the metric or the setting."""

from __future__ import annotations

from pulab.tables import Answers, Paper, Results, Table
from studies.levelfield.levels import BIASED, LABELS, PRIORS, WRONG
from studies.levelfield.tables.answers import answers
from studies.levelfield.tables.best import best_table
from studies.levelfield.tables.costs import cost_table
from studies.levelfield.tables.coverage import coverage_table
from studies.levelfield.tables.curves import loss_table, score_table
from studies.levelfield.tables.metrics import metric_table
from studies.levelfield.tables.overview import overview_table
from studies.levelfield.tables.pairs import pair_table
from studies.levelfield.tables.priors import prior_table
from studies.levelfield.tables.properties import property_table
from studies.levelfield.tables.ranks import rank_table
from studies.levelfield.tables.scenarios import scenario_table
from studies.levelfield.tables.tasks import task_table
from studies.levelfield.tables.trivial import trivial_table
from studies.levelfield.tables.tuning import tuning_table

#: The least share of the tasks that a learner needs to be ranked where only the tasks that all learners share count.
ALL_LEARNERS = 0.1


def table_coverage(results: Results, paper: Paper) -> Table:
    return coverage_table(results)


def table_overview(results: Results, paper: Paper) -> Table:
    return overview_table(results)


def table_ranks_accuracy(results: Results, paper: Paper) -> Table:
    return rank_table(results, "accuracy")


def table_ranks_auc(results: Results, paper: Paper) -> Table:
    return rank_table(results, "auc")


def table_ranks_all_accuracy(results: Results, paper: Paper) -> Table:
    return rank_table(results, "accuracy", ALL_LEARNERS)


def table_ranks_all_auc(results: Results, paper: Paper) -> Table:
    return rank_table(results, "auc", ALL_LEARNERS)


def table_pairs_accuracy(results: Results, paper: Paper) -> Table:
    return pair_table(results, "accuracy")


def table_pairs_auc(results: Results, paper: Paper) -> Table:
    return pair_table(results, "auc")


def table_trivial(results: Results, paper: Paper) -> Table:
    return trivial_table(results)


def table_tasks_two_accuracy(results: Results, paper: Paper) -> Table:
    return task_table(results, "two_sample", "accuracy")


def table_tasks_one_accuracy(results: Results, paper: Paper) -> Table:
    return task_table(results, "one_sample", "accuracy")


def table_tasks_two_auc(results: Results, paper: Paper) -> Table:
    return task_table(results, "two_sample", "auc")


def table_tasks_one_auc(results: Results, paper: Paper) -> Table:
    return task_table(results, "one_sample", "auc")


def table_metrics_two(results: Results, paper: Paper) -> Table:
    return metric_table(results, "two_sample")


def table_metrics_one(results: Results, paper: Paper) -> Table:
    return metric_table(results, "one_sample")


def table_labels_accuracy(results: Results, paper: Paper) -> Table:
    return score_table(results, "accuracy", "two_sample", LABELS, share_of_ceiling=0.95)


def table_labels_auc(results: Results, paper: Paper) -> Table:
    return score_table(results, "auc", "two_sample", LABELS, share_of_ceiling=0.95)


def table_biased(results: Results, paper: Paper) -> Table:
    return loss_table(results, "accuracy", "one_sample", BIASED)


def table_biased_auc(results: Results, paper: Paper) -> Table:
    return loss_table(results, "auc", "one_sample", BIASED)


def table_wrong(results: Results, paper: Paper) -> Table:
    return loss_table(results, "accuracy", "two_sample", WRONG)


def table_wrong_auc(results: Results, paper: Paper) -> Table:
    return loss_table(results, "auc", "two_sample", WRONG)


def table_wrong_prior(results: Results, paper: Paper) -> Table:
    return loss_table(results, "accuracy", "two_sample", PRIORS)


def table_wrong_prior_auc(results: Results, paper: Paper) -> Table:
    return loss_table(results, "auc", "two_sample", PRIORS)


def table_estimated_prior(results: Results, paper: Paper) -> Table:
    return prior_table(results)


def table_scenarios(results: Results, paper: Paper) -> Table:
    return scenario_table(results, "accuracy")


def table_scenarios_auc(results: Results, paper: Paper) -> Table:
    return scenario_table(results, "auc")


def table_tuning_accuracy(results: Results, paper: Paper) -> Table:
    return tuning_table(results, "accuracy")


def table_tuning_auc(results: Results, paper: Paper) -> Table:
    return tuning_table(results, "auc")


def table_costs(results: Results, paper: Paper) -> Table:
    return cost_table(results, "two_sample", "accuracy")


def table_properties(results: Results, paper: Paper) -> Table:
    return property_table(results, "two_sample", "accuracy")


def table_properties_auc(results: Results, paper: Paper) -> Table:
    return property_table(results, "two_sample", "auc")


def table_best(results: Results, paper: Paper) -> Table:
    return best_table(results)


def table_answers(results: Results, paper: Paper) -> Answers:
    return answers(results)
