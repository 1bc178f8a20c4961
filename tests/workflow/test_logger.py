"""The logger that tells by stage how much is done; what it says of real runs is in test_datasets.py."""

import logging
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_stages import INTERRUPTED, NO_CONDA, STOPPING, WITHOUT_CONDA, LogHandler, Progress, show_stages


@pytest.fixture
def progress():
    progress = Progress(Mock(return_value=100.0))
    progress.plan({"run_trials": 4, "render_study_resvm": 1, "render_study_opu": 1, "all": 1, "total": 7})
    return progress


def test_a_line_shows_a_stages_progress_and_the_longest_running_job(progress):
    assert progress.planned == {"run_trials": 4, "render_study": 2, "all": 1}
    for number, dataset in enumerate(("mnist", "digits", "covtype")):
        progress.begin(number, "run_trials", {"dataset": dataset, "first": "0"})
        progress.clock.return_value += 20
    assert progress.finish(1) == (
        "    1:00  run_trials       1 of 4 done, 2 running, 1 left; longest running: run_trials/mnist/0 (1:00)"
    )
    assert progress.finish(0) is None, "no second line of a stage so soon"
    progress.clock.return_value += 3600
    assert progress.finish(2) == " 1:01:00  run_trials       3 of 4 done, 0 running, 1 left"
    progress.begin(3, "run_trials", {})
    assert progress.finish(3) == " 1:01:00  run_trials       4 of 4 done", "the last one is always logged"
    assert progress.finish(17) is None, "a job that was never announced"


@pytest.fixture
def own():
    handler = logging.StreamHandler()
    handler.name = "DefaultStreamHandler"
    handler.setFormatter(logging.Formatter("%(message)s"))
    return handler


def workflow(main=True):
    settings = SimpleNamespace(dryrun=False, stdout=True)
    return SimpleNamespace(is_main_process=main, output_settings=settings)


def test_it_replaces_only_snakemakes_own_logger(own):
    logger = logging.Logger("toy")
    logger.addHandler(own)
    show_stages(workflow(main=False), logger)
    assert logger.handlers == [own], "a job's process keeps what it has"
    show_stages(workflow(), logger)
    (ours,) = logger.handlers
    assert isinstance(ours, LogHandler)
    assert ours.formatter is own.formatter
    chosen = logging.StreamHandler()
    logger.handlers = [chosen]
    show_stages(workflow(), logger)
    assert logger.handlers == [chosen]


@pytest.fixture
def logged(own, capsys):
    """What the logger says of a record."""
    logger = logging.Logger("toy")
    logger.addHandler(own)
    show_stages(workflow(), logger)
    (handler,) = logger.handlers

    def tell(message, **more):
        record = logging.LogRecord("toy", logging.ERROR, "", 0, message, None, None)
        record.__dict__.update(more)
        handler.emit(record)
        return capsys.readouterr().out

    return tell


def test_a_failed_job_shows_the_last_lines_of_its_log_without_successes(logged, tmp_path):
    log = tmp_path / "job.log"
    log.write_text("".join(f"repeat {k}: ok, 0.1 s\nline {k}\n" for k in range(50)))
    text = logged("Error in rule run_trials", event=LogEvent.JOB_ERROR, log=[str(log)])
    assert text.splitlines()[1:] == [f"last lines of {log}:", *(f"line {k}" for k in range(30, 50))]
    assert "is empty" in logged("Error", event=LogEvent.JOB_ERROR, log=[str(tmp_path / "none.log")])


def test_sigterm_reports_which_jobs_it_waits_for(logged):
    logged("", event=LogEvent.JOB_INFO, jobid=1, rule_name="run_trials", wildcards={})
    said = logged(f"{STOPPING} (scheduler).")
    assert "waiting for 1 running jobs" in said
    assert "Ctrl-C" in said


def test_an_interrupt_and_missing_conda_show_how_to_continue(logged):
    assert WITHOUT_CONDA in logged(f"{NO_CONDA}. Is conda installed and accessible?")
    assert "run the same command again" in logged(f"{INTERRUPTED}, this might take some time.")
    assert logged("Traceback (most recent call last):") == ""
