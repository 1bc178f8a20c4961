"""A logger for Snakemake that reports progress by stage: one line when something finishes, plain text everywhere.

A stage is a rule, or all rules whose names begin with the same two words (``render_study_resvm`` belongs to
``render_study``). A line gives the numbers of the stage's jobs that are done, running and left, and the longest-running job of
all stages. Snakemake's other messages (errors with their logs, a dry run's plan) are shown, too.
"""

from __future__ import annotations

import copy
import logging
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable
from itertools import accumulate
from logging import LogRecord
from pathlib import Path
from typing import Any

import snakemake.common.configfile
import snakemake.settings.types
import yaml
from snakemake.exceptions import WorkflowError
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

#: Events that this logger's own lines cover.
COVERED_EVENTS = {
    LogEvent.WORKFLOW_STARTED,
    LogEvent.RUN_INFO,
    LogEvent.JOB_INFO,
    LogEvent.JOB_STARTED,
    LogEvent.JOB_FINISHED,
    LogEvent.SHELLCMD,
    LogEvent.PROGRESS,
    LogEvent.RESOURCES_INFO,
}
#: Beginnings of messages that say nothing about progress.
IDLE = ("Select jobs to execute", "Execute ", "Touching output file", "Using shell:", "Conda environments: ignored")
#: Snakemake's message after SIGTERM; it then waits for running jobs.
STOPPING = "Will exit after finishing currently running jobs"
#: Snakemake's message after Ctrl-C. Everything after it, including Snakemake's own traceback, is suppressed.
INTERRUPTED = "Terminating processes on user request"
#: Snakemake's message if conda is missing, and our advice.
NO_CONDA = "Error running conda info"
WITHOUT_CONDA = "--sdm conda needs conda on the path; without --sdm, jobs run in Snakemake's own environment (docs/workflow.md)"
#: Minimum seconds between two lines of a stage, except for its last line.
PAUSE = 5.0
#: Number of log lines shown for a failed job; maximum length of a line in a dry run.
LAST_LINES, LONGEST_LINE = 20, 300
#: A line of a job's log that does not explain a failure.
WENT_WELL = re.compile(r"repeat \d+: ok")


def stage_of(rule: str) -> str:
    """Return the first two words of a rule's name.

    >>> stage_of("render_study_resvm"), stage_of("publish")
    ('render_study', 'publish')
    """
    return "_".join(rule.split("_")[:2])


def duration(seconds: float) -> str:
    """Format seconds as hours, minutes and seconds.

    >>> duration(75), duration(3725)
    ('1:15', '1:02:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}"


def last_lines(logs: Iterable[str]) -> str:
    """Return the last lines of log files, without those that report success."""
    parts = []
    for log in map(Path, logs):
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.is_file() else []
        said = [line for line in lines if not WENT_WELL.match(line)]
        parts += [f"last lines of {log}:", *said[-LAST_LINES:]] if said else [f"{log} is empty"]
    return "\n".join(parts)


def shortened(text: str) -> str:
    """Shorten long lists of files in a plan; they end with the number of files left out.

    >>> shortened("input: " + ", ".join(f"results/{k}.csv" for k in range(100)))[-25:]
    'csv, ... (82 more of 100)'
    """
    return "\n".join(map(_shortened, text.split("\n")))


def _shortened(line: str) -> str:
    items = line.split(", ")
    if len(line) <= LONGEST_LINE or len(items) < 2:
        return line
    ends = list(accumulate(len(item) + 2 for item in items))
    kept = max(1, sum(end < LONGEST_LINE for end in ends))
    return f"{', '.join(items[:kept])}, ... ({len(items) - kept} more of {len(items)})"


class Progress:
    """Jobs planned, running and done, by stage."""

    def __init__(self, clock: Any = time.monotonic):
        self.clock = clock
        self.start = clock()
        self.planned: Counter[str] = Counter()
        self.done: Counter[str] = Counter()
        #: by number: stage, name, start time
        self.running: dict[int, tuple[str, str, float]] = {}
        #: by stage: the time of its last line
        self._shown_at: dict[str, float] = {}

    def plan(self, jobs: dict[str, int]) -> None:
        """Record the number of jobs of each rule."""
        self.planned = Counter()
        for rule, count in jobs.items():
            if rule != "total":
                self.planned[stage_of(rule)] += count

    def begin(self, number: int, rule: str, wildcards: dict[str, str]) -> None:
        """Record that a job has started."""
        self.running[number] = (stage_of(rule), "/".join([rule, *map(str, wildcards.values())]), self.clock())

    def finish(self, number: int) -> str | None:
        """Record that a job is done; return the line to show, or None if it is too early for one."""
        stage = self.running.pop(number, ("", "", 0.0))[0]
        if not stage:
            return None
        self.done[stage] += 1
        last = self.done[stage] >= self.planned[stage]
        if not last and self.clock() - self._shown_at.get(stage, -PAUSE) < PAUSE:
            return None
        self._shown_at[stage] = self.clock()
        return self._line(stage)

    def stopping(self) -> str:
        """Return what happens after SIGTERM."""
        text = f"stopping: waiting for {len(self.running)} running jobs to finish their batches of repeats"
        return f"{text}; Ctrl-C stops them at once, and a rerun continues after the finished repeats"

    def _line(self, stage: str) -> str:
        running = sum(own == stage for own, _, _ in self.running.values())
        left = max(self.planned[stage] - self.done[stage] - running, 0)
        text = f"{duration(self.clock() - self.start):>8}  {stage:<16} {self.done[stage]} of {self.planned[stage]} done"
        text += f", {running} running, {left} left" if running or left else ""
        if self.running:
            _, name, since = min(self.running.values(), key=lambda job: job[2])
            text += f"; longest running: {name} ({duration(self.clock() - since)})"
        return text


def show_stages(workflow: Any, logger: logging.Logger) -> None:
    """Use this logger instead of Snakemake's own, unless the user has chosen another one.

    The Snakefile calls this.  If a profile named the logger, Snakemake would fail where the package is not installed, without
    saying how to install it.
    Parameters
    ----------
    workflow : snakemake.workflow.Workflow
    logger : logging.Logger
        Snakemake's logger.
    """
    (own,) = [handler for handler in logger.handlers if handler.name == "DefaultStreamHandler"] or [None]
    if own is None or not workflow.is_main_process:
        return
    handler = LogHandler(workflow.output_settings, None)
    handler.setFormatter(own.formatter)
    for known in own.filters:
        handler.addFilter(known)
    logger.removeHandler(own)
    logger.addHandler(handler)


class LogHandler(LogHandlerBase):
    """The handler of ``--logger stages``."""

    def __post_init__(self) -> None:
        self.progress = Progress()
        self.interrupted = False

    def emit(self, record: LogRecord) -> None:
        event = getattr(record, "event", None)
        if self.interrupted:
            return
        if str(record.msg).startswith(INTERRUPTED):
            self.interrupted = True
            self._say("interrupted; run the same command again to continue after the finished repeats")
        elif NO_CONDA in str(record.msg):
            self._say(f"{self.format(record)}\n{WITHOUT_CONDA}")
        elif str(record.msg).startswith(STOPPING):
            self._say(self.progress.stopping())
        elif event == LogEvent.JOB_ERROR:
            bare = copy.copy(record)
            bare.__dict__["log"] = []
            self._say(f"{self.format(bare)}\n{last_lines(record.__dict__['log'])}")
        elif self.common_settings.dryrun or event not in COVERED_EVENTS:
            if self.common_settings.dryrun or not str(record.msg).startswith(IDLE):
                text = self.format(record)
                self._say(shortened(text) if self.common_settings.dryrun else text)
        elif event == LogEvent.RUN_INFO:
            self.progress.plan(record.__dict__["stats"])
            plan = ", ".join(f"{stage} {count}" for stage, count in self.progress.planned.items())
            self._say(f"{self.progress.planned.total()} jobs: {plan}")
        elif event == LogEvent.JOB_INFO:
            self.progress.begin(record.__dict__["jobid"], record.__dict__["rule_name"], record.__dict__["wildcards"] or {})
        elif event == LogEvent.JOB_FINISHED:
            self._say(self.progress.finish(record.__dict__["job_id"]))
        elif event == LogEvent.PROGRESS and record.__dict__["done"] == record.__dict__["total"]:
            self._say(f"{duration(self.progress.clock() - self.progress.start):>8}  all {record.__dict__['total']} jobs done")

    def _say(self, text: str | None) -> None:
        if text and text != "None":
            print(text, file=sys.stdout if self.common_settings.stdout else sys.stderr, flush=True)

    writes_to_stream = True  # type: ignore[assignment]
    writes_to_file = False  # type: ignore[assignment]
    has_filter = False  # type: ignore[assignment]
    has_formatter = False  # type: ignore[assignment]
    needs_rulegraph = False  # type: ignore[assignment]


def name_broken_files() -> None:
    """Make Snakemake name a missing configuration file, and the line of invalid YAML.

    Snakemake reads the files of ``--configfile`` before the Snakefile, and only reports that one of them is broken.  This
    package is imported before that.
    """
    load = snakemake.common.configfile.load_configfile

    def load_or_name(path: Any) -> Any:
        try:
            return load(path)
        except FileNotFoundError:
            raise WorkflowError(f"{path}: no such configuration file") from None
        except WorkflowError as error:
            if isinstance(error.__context__, yaml.YAMLError):
                raise WorkflowError(f"{path}: not valid YAML: {error.__context__}") from None
            raise

    for module in (snakemake.common.configfile, snakemake.settings.types):
        module.load_configfile = load_or_name


name_broken_files()
