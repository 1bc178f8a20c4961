"""What the report says about a run as a whole: where it ran, with what, on which data, by which methods, for how long."""

from __future__ import annotations

import json
import platform
import re
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pandas as pd

from pulab.trials.runner import machine_name

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pandas", "matplotlib", "scikit-posthocs")
_PACKAGES += ("xgboost-cpu", "torch", "snakemake")
SEEDS = (
    "Each random number comes from a seed derived from the trial's identity: the first 32 bits of the SHA-256 of (paper, data "
    "set, setting, method, repeat), see pulab.trials.seeds.derive_seed. No seed depends on order, cores or batches."
)


def commit() -> str:
    """The commit of the working tree, with a mark where it has changes."""
    try:
        done = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown (no git checkout)"
    return done.stdout.strip()


def provenance(configuration: Mapping[str, Any], machines: list[str]) -> dict[str, str]:
    """Commit, date, configuration, processors, versions, and how seeds are made."""
    rows = {
        "commit": commit(),
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


def grid(header: list[str], rows: list[list[str]]) -> dict[str, Any]:
    """A table of texts for the template; ``words`` says which columns are not all numbers."""
    words = [any(not re.fullmatch(r"[-+]?[\d.,]*", row[k]) for row in rows) for k in range(len(header))]
    return {"header": header, "rows": rows, "words": words}


def timing_table(files: Mapping[str, Path]) -> tuple[dict[str, Any], list[str]]:
    """Trials and hours by paper and method, and the machines that they ran on."""
    rows, machines = [], set()
    for study, file in files.items():
        trials = pd.read_parquet(file)
        trials = trials[trials["metric"] == "trial"]
        machines |= set(trials["machine"])
        for method, seconds in trials.groupby("method")["seconds"]:
            rows.append([study, method, str(len(seconds)), f"{seconds.median():.2f}", f"{seconds.sum() / 3600:.2f}"])
    header = ["study", "method", "trials", "median s per trial", "hours in all"]
    return grid(header, rows), sorted(machines)


def method_table(methods: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Every method of the run: its label, its estimator, its parameters and what is tuned."""
    rows = []
    for name, method in methods.items():
        tuned = ", ".join(f"{key}: {_short(values)}" for key, values in (method.get("grid") or {}).items())
        params = ", ".join(f"{key}={value}" for key, value in (method.get("params") or {}).items())
        rows.append([name, method["label"], str(method.get("estimator", "")), params, tuned])
    return grid(["name", "in tables", "estimator", "parameters", "tuned over"], rows)


def _short(values: Any) -> str:
    return ", ".join(str(v) for v in values) if isinstance(values, list) else str(values)


def dataset_table(file: Path) -> dict[str, Any] | None:
    """The table of data sets, where the run has made one."""
    if not file.is_file():
        return None
    frame = pd.read_csv(file, dtype=str, keep_default_na=False).drop(columns="source", errors="ignore")
    return grid(list(frame.columns), frame.to_numpy().tolist())
