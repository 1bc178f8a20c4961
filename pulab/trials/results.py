"""Tidy tables of trials' results: one row per number, with one schema for all studies.

Columns: ``study, dataset, setting, method, repeat, metric, step, value, status, message``.  ``step`` is -1 for a scalar.
``status`` is ``ok``, or why there is no number: ``failed`` (the method raised an error; see ``message``), ``unavailable`` (a
library or data set is missing), ``pending`` (not built yet).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pulab.trials.trial import TrialResult
from pulib.datasets import reading

KEY = ["study", "dataset", "setting", "method", "repeat"]
#: Columns that all repeats of a trial share.
GROUP = KEY[:4]
COLUMNS = [*KEY, "metric", "step", "value", "status", "message"]
TIMING_COLUMNS = [*KEY, "metric", "seconds", "machine"]
#: Identity and origin of each trial (:mod:`pulab.trials.archived`).
RECORD_COLUMNS = [*KEY, "configuration", "data", "versions", "libraries", "processor", "source"]
_DTYPES = dict.fromkeys(("repeat", "step"), "int32") | dict.fromkeys(("value", "seconds"), "float64")


def result_rows(key: tuple, result: TrialResult) -> pd.DataFrame:
    """Return the tidy rows of one successful trial."""
    numbers = {name: (np.array([-1]), np.array([value], dtype=float)) for name, value in result.scalars.items()}
    for name, series in result.series.items():
        steps, values = series if isinstance(series, tuple) else (np.arange(len(series)), series)
        numbers[name] = (np.asarray(steps), np.asarray(values, dtype=float))
    if not numbers:
        raise ValueError(f"trial {key}: the protocol returned no numbers")
    return number_rows(key, numbers)


def number_rows(key: tuple, numbers: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> pd.DataFrame:
    """Return the tidy rows of a trial's steps and values by metric."""
    steps, values = (np.concatenate(parts) for parts in zip(*numbers.values(), strict=True))
    metric = np.repeat(list(numbers), [len(own) for own, _ in numbers.values()])
    of_all = _of_trial(key) | {"status": "ok", "message": ""}
    return typed(pd.DataFrame({"metric": metric, "step": steps.astype(np.int32), "value": values, **of_all}), COLUMNS)


def status_rows(key: tuple, status: str, message: str) -> pd.DataFrame:
    """Return the row of a trial without numbers, with the reason."""
    row = dict(zip(KEY, key, strict=True)) | {"metric": "", "step": -1, "value": np.nan, "status": status, "message": message}
    return typed(pd.DataFrame([row]), COLUMNS)


def timing_rows(key: tuple, seconds: dict[str, float], machine: str) -> pd.DataFrame:
    """Return the measured times of one trial."""
    names = sorted(seconds)
    of_all = _of_trial(key) | {"machine": machine}
    return typed(pd.DataFrame({"metric": names, "seconds": [seconds[name] for name in names], **of_all}), TIMING_COLUMNS)


def _of_trial(key: tuple) -> dict[str, Any]:
    """Return what all rows of a trial share, in the schema's types: pandas takes a millisecond to convert a column."""
    return dict(zip(KEY, key, strict=True)) | {"repeat": np.int32(key[-1])}


def typed(frame: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Return ``frame`` with the schema's columns and types."""
    frame = frame[columns]
    others = {name: _DTYPES.get(name, "str") for name, own in frame.dtypes.items() if own != _DTYPES.get(name, "str")}
    return frame.astype(others) if others else frame


def concat(frames: list[pd.DataFrame], columns: list[str]) -> pd.DataFrame:
    """Return all rows in an order that does not depend on the order of the parts."""
    frames = [frame for frame in frames if len(frame)]
    if not frames:
        return typed(pd.DataFrame(columns=columns), columns)
    by = [*KEY, *(name for name in ("metric", "step") if name in columns)]
    return typed(pd.concat(frames, ignore_index=True).sort_values(by, kind="stable", ignore_index=True), columns)


def merge(old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """Replace trials of ``old`` by those of ``new``; a trial without numbers never replaces one that has some."""
    columns = list(new.columns)
    if "status" in columns and len(old):
        with_result = pd.MultiIndex.from_frame(old.loc[old["status"] == "ok", KEY].drop_duplicates())
        new = new[(new["status"] == "ok") | ~pd.MultiIndex.from_frame(new[KEY]).isin(with_result)]
    fresh = pd.MultiIndex.from_frame(new[KEY].drop_duplicates())
    others = old[~pd.MultiIndex.from_frame(old[KEY]).isin(fresh)] if len(old) else old
    return concat([others[columns], new], columns)


def first_repeats(frame: pd.DataFrame, n: int | None) -> pd.DataFrame:
    """Return the first ``n`` repeats, so that more repeats do not mean more weight; all if ``n`` is None."""
    return frame if n is None else frame[frame["repeat"] < n]


def write(frame: pd.DataFrame, path: str | Path) -> None:
    """Write Parquet with checksums; its bytes depend only on the rows, and it appears whole or not at all."""
    _write(frame, Path(path), compression="zstd")


def keep(frame: pd.DataFrame, path: str | Path) -> bool:
    """Write Parquet as small as possible, which is slow; return False if the file already has these rows."""
    path = Path(path)
    if path.is_file() and read(path).equals(frame):
        return False
    # seconds differ in all their bytes; other numbers repeat, so a dictionary makes them smaller
    spread = [name for name in ("seconds",) if name in frame]
    rest = [name for name in frame if name not in spread]
    _write(frame, path, compression="brotli", compression_level=11, use_dictionary=rest, use_byte_stream_split=spread)
    return True


def _write(frame: pd.DataFrame, path: Path, **options: Any) -> None:
    with replacing(path) as partial:
        frame.to_parquet(partial, index=False, write_page_checksum=True, **options)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a file that replaces another one as a whole, or leaves nothing behind, even on a full disk."""
    partial = path.with_name(f".{path.name}.part")
    try:
        yield partial
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def read_csv(path: str | Path, **options: Any) -> pd.DataFrame:
    """Read a CSV file of a run; an empty or damaged one raises an error that names it."""
    with reading(path):
        return pd.read_csv(path, **options)


def read(path: str | Path) -> pd.DataFrame:
    """Read a file that :func:`write` wrote, and verify its checksums."""
    with reading(path):
        frame = pd.read_parquet(path, page_checksum_verification=True)
    return typed(frame, next((c for c in (TIMING_COLUMNS, RECORD_COLUMNS) if set(c) <= set(frame.columns)), COLUMNS))
