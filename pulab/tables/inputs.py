"""What tables are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from pulab.trials import results

#: A table's entry in the study's configuration, with what :mod:`pulab.reports.specs` adds.
Spec = Mapping[str, Any]
#: By suffix the files that a table is written to.
Paths = Mapping[str, str | Path]
#: One cell, as :mod:`pulab.tables.cells` or :func:`studies.levelfield.field.cell` describes it.
Cell = dict[str, Any]


@dataclass(frozen=True)
class Inputs:
    """A study's tidy results and times (of its first repeats), read when asked for, and the file of its published numbers."""

    results_file: str | Path
    timings_file: str | Path
    published: str | Path
    first_repeats: int | None = None

    @cached_property
    def results(self) -> pd.DataFrame:
        return results.first_repeats(results.read(self.results_file), self.first_repeats)

    @cached_property
    def timings(self) -> pd.DataFrame:
        return results.first_repeats(results.read(self.timings_file), self.first_repeats)
