"""What tables are made from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from pulab.trials import results


@dataclass(frozen=True)
class Inputs:
    """A study's tidy results and times, read when they are asked for, and the file of its published numbers."""

    results_file: str | Path
    timings_file: str | Path
    published: str | Path

    @cached_property
    def results(self) -> pd.DataFrame:
        return results.read(self.results_file)

    @cached_property
    def timings(self) -> pd.DataFrame:
        return results.read(self.timings_file)
