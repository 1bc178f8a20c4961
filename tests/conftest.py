"""Shared test configuration: kernel warm-up, reproducible examples, and the check of allowed skips."""

import os
import re
import subprocess
import sys
from pathlib import Path

# Before NumPy and PyTorch load: the workers of pytest-xdist take one core each.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "Agg")

import pytest
from hypothesis import settings

from tests.sizes import NOT_COMPILED

ROOT = Path(__file__).parents[1]
WARM_UP = "from pulib import warm_up; warm_up.DTYPES = ('float64', 'uint8'); raise SystemExit(warm_up.main())"
ALLOWED_SKIPS = Path(__file__).with_name("allowed_skips.txt")

# No deadlines. In CI, Hypothesis draws the same examples each time, so a new failure comes from the change.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", derandomize=True, deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "here")


def pytest_addoption(parser):
    parser.addoption(
        "--allowed-skips",
        metavar="PART",
        choices=["fast", "slow"],
        help="fail on a skip whose reason is not listed for this part in tests/allowed_skips.txt",
    )


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Skips(config.getoption("--allowed-skips")))


def pytest_collection_modifyitems(items):
    # the longest tests first, so that no worker waits for one at the end
    items.sort(key=lambda item: item.get_closest_marker("workflow") is None)
    for item in items:
        marker = item.get_closest_marker("jit")
        if NOT_COMPILED and marker is not None:
            item.add_marker(pytest.mark.skip(reason=f"NUMBA_DISABLE_JIT: {marker.args[0]}"))


def pytest_xdist_setupnodes(config, specs):
    """Compile most kernels once before a full run, not in each worker; few fast tests need single precision."""
    if NOT_COMPILED or config.args_source is config.ArgsSource.ARGS or config.option.collectonly:
        return
    command = [sys.executable, "-c", WARM_UP, "--jobs", str(len(specs))]
    if subprocess.run(command, cwd=ROOT).returncode:  # that estimator's own test gives the details
        print("not all kernels could be compiled beforehand", file=sys.stderr)


class Skips:
    """Record skip reasons; given a part, fail the run on a reason that is not allowed for it."""

    def __init__(self, part):
        lines = [
            line.split(maxsplit=1)
            for line in ALLOWED_SKIPS.read_text(encoding="utf-8").splitlines()
            if line[:1] not in ("", "#")
        ]
        self.allowed = [re.compile(pattern) for where, pattern in lines if where == part]
        self.part, self.refused = part, {}

    def add(self, report):
        reason = report.longrepr[2].removeprefix("Skipped: ") if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if self.part and not any(pattern.fullmatch(reason) for pattern in self.allowed):
            self.refused.setdefault(reason, report.nodeid)

    def pytest_runtest_logreport(self, report):
        if report.skipped and not hasattr(report, "wasxfail"):
            self.add(report)

    def pytest_collectreport(self, report):
        if report.skipped:
            self.add(report)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session, exitstatus):
        if self.refused and exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        for reason, test in self.refused.items():
            terminalreporter.write_line(
                f"SKIP NOT ALLOWED in the part {self.part!r} ({ALLOWED_SKIPS.name}): {test}: {reason}", red=True
            )
