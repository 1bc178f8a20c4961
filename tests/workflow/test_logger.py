"""The logger that tells by stage how much is done; what it says of real runs is in test_datasets.py."""

import pytest

from snakemake_logger_plugin_stages import Progress


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def progress():
    progress = Progress(Clock())
    progress.plan({"run_trials": 4, "render_tables_resvm": 1, "render_tables_opu": 1, "all": 1, "total": 7})
    return progress


def test_stages_are_counted_by_the_first_two_words_of_their_rules(progress):
    assert progress.planned == {"run_trials": 4, "render_tables": 2, "all": 1}


def test_a_line_says_what_is_done_what_remains_and_who_has_run_for_the_longest(progress):
    for number, dataset in enumerate(("mnist", "digits", "covtype")):
        progress.begin(number, "run_trials", {"dataset": dataset, "first": "0"})
        progress.clock.now += 20
    assert progress.finish(1) == (
        "    1:00  run_trials       1 of 4 done, 2 running, 1 to come; longest at it: run_trials/mnist/0 (1:00)"
    )
    assert progress.finish(0) is None, "no second line of a stage so soon"
    progress.clock.now += 3600
    assert progress.finish(2) == " 1:01:00  run_trials       3 of 4 done, 0 running, 1 to come"
    progress.begin(3, "run_trials", {})
    assert progress.finish(3) == " 1:01:00  run_trials       4 of 4 done", "the last one is always told"
    assert progress.finish(17) is None, "a job that was never announced"
