"""Facts about a run as a whole for the report: machines, software, data, methods, and times."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pandas as pd

from pulab.plan.experiment import Method
from pulab.plan.identity import present_commit
from pulab.tables.sentences import text_of
from pulab.tables.sheet import Grid, Sheet
from pulab.trials import results
from pulab.trials.archived import STATES, counts, not_current
from pulab.trials.retrain import changed_words
from pulab.trials.runner import machine_name
from pulab.trials.scale import WHOLE

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pandas", "matplotlib", "scikit-posthocs")
_PACKAGES += ("xgboost-cpu", "torch", "snakemake")
SEEDS = (
    "Each random number comes from a seed derived from the trial's identity: the first 32 bits of the SHA-256 of (paper, data "
    "set, setting, method, repeat), see pulab.trials.trial.derive_seed. No seed depends on order, cores or batches."
)


def provenance(configuration: Mapping[str, Any], machines: list[str]) -> dict[str, str]:
    """Return commit, date, configuration, processors, package versions, and the rule for seeds."""
    rows = {
        "commit": present_commit() or "unknown (no git checkout)",
        "rendered": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "configuration": json.dumps(configuration, ensure_ascii=False),
        "trials ran on": "; ".join(machines) or "not known",
        "rendered on": f"{machine_name()}, {platform.system()} {platform.release()}",
        "seeds": SEEDS,
        "Python": platform.python_version(),
    }
    return rows | {name: found for name in _PACKAGES if (found := _installed(name))}


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def timing_grid(files: Mapping[str, Path]) -> tuple[Grid, list[str]]:
    """Return trials and hours by study and method, and the machines that they ran on."""
    rows, machines = [], set()
    for study, file in files.items():
        trials = results.read(file)
        trials = trials[trials["metric"] == "trial"]
        machines |= set(trials["machine"])
        for method, seconds in trials.groupby("method")["seconds"]:
            rows.append([study, method, len(seconds), f"{seconds.median():.2f}", f"{seconds.sum() / 3600:.2f}"])
    return Grid.of(["study", "method", "trials", "median s per trial", "total hours"], rows), sorted(machines)


def method_grid(methods: Mapping[str, Method]) -> Grid:
    """Make the table of the run's methods: label, estimator, parameters and tuned parameters."""
    rows = []
    for name, method in sorted(methods.items()):
        tuned = ", ".join(map(str, method.grid))
        params = ", ".join(f"{key}={value}" for key, value in method.params.items())
        rows.append([name, method.label, method.estimator, params, tuned])
    return Grid.of(["name", "label", "estimator", "parameters", "tuned parameters"], rows)


def cost_grid(costs: pd.DataFrame) -> Grid:
    """Make the table of the plan's cost by study (:func:`pulab.trials.scale.costs`)."""
    header = ["study", "jobs", "trials", "measured"]
    header += ["core-hours, measured", "core-hours, estimated", "longest job", "memory per job"]
    rows = []
    for row in costs.itertuples(index=False):
        hours = [f"{row.core_hours:.2f}", f"{row.core_hours_guessed:.2f}", f"{row.longest_minutes:.0f} min"]
        rows.append([row.study, row.jobs, row.trials, row.measured, *hours, f"{row.mem_gb:.0f} GB"])
    return Grid.of(header, rows)


def cost_sentence(costs: pd.DataFrame) -> str:
    """Return the cost of the whole plan (:func:`pulab.trials.scale.costs`) as a sentence."""
    whole = costs[costs["study"] == WHOLE].iloc[0]
    return text_of("hours.md", measured=whole["core_hours"], guessed=whole["core_hours_guessed"]).strip()


def spread_grid(spread: pd.DataFrame) -> Grid:
    """Make the table of the plan's schedules on many cores (:func:`pulab.trials.scale.spread`)."""
    rows = [
        [row.cores, f"{row.hours:.2f}", f"{row.busy:.0%}", f"{row.peak_mem_gb:.0f} GB", f"{row.bound_hours:.2f} h"]
        for row in spread.itertuples(index=False)
    ]
    return Grid.of(["cores", "hours", "cores busy", "peak memory requested", "lower bound on hours"], rows)


def current_sheet(judged: pd.DataFrame, changed: int = 0) -> Sheet:
    """Summarize which archived trials have the current identity (:func:`pulab.trials.archived.judge`).

    ``changed`` is the number of current trials whose source has changed since; older trials do not record it.
    """
    table, wrong = counts(judged), not_current(judged)
    caption = (
        f"{int(table['current'].sum())} of {len(judged)} trials have the current identity: their configuration, data and "
        "declared versions are today's. Libraries and processor are recorded, but are not part of the identity. On another "
        "processor, numbers agree within the tolerance of their method (`pulab/trials/tolerances.py`), not always bit for bit."
    )
    states = [f"{STATES[state]}: {int(table[state].sum())}" for state in STATES if state != "current" and table[state].sum()]
    states += [changed_words(changed)] if changed else []
    unrecorded = int((judged["source"] == "").sum())
    states += [f"older trials, whose code was not recorded: {unrecorded:,}"] if unrecorded else []
    grids = [Grid.of(["Study", *STATES.values()], table.itertuples(index=False))]
    if len(wrong):
        grids.append(Grid.of(wrong.columns, wrong.itertuples(index=False), title="Trials with another identity:"))
    return Sheet("", caption, grids, notes=states)
