"""The leaderboard: a page of the report that ranks learners over the tasks that its reader chooses.

If a study has one (``Study.board``), ``board.py`` in its folder makes a :class:`Board` from the study's results, and
``leaders.py`` finds the leaders in its rendered tables.  The page's script computes the ranking from means over repeats, as
16-bit numbers.
"""

from __future__ import annotations

import base64
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from pulab.plan.study import Study
from pulab.reports.site import Page
from pulab.tables.sheet import Grid

#: Codes of missing numbers: nothing was run, or a learner failed.
MISSING, FAILED = 65_535, 65_534
#: Shares have steps of 1/50,000, which resolve accuracies of ten repeats on 5,000 rows; seconds have steps of 0.05%.
SHARE_STEPS, SECONDS_STEPS, LEAST_SECONDS = 50_000, 5_000, 1e-6


@dataclass(frozen=True)
class Measure:
    """A column of the leaderboard: a score (higher is better), a loss (lower is better), or a time."""

    key: str
    label: str
    kind: Literal["score", "loss", "seconds"] = "score"


@dataclass(frozen=True)
class Fact:
    """A property of tasks by which readers choose them.

    ``cuts`` are the lower bounds of its ranges, except for the first range.  A share is shown in percent.
    """

    key: str
    label: str
    cuts: Sequence[float]
    percent: bool = False

    def ranges(self) -> list[tuple[str, float, float]]:
        """Return each range's label, lower bound and upper bound.

        >>> [text for text, _, _ in Fact("n", "rows", (500, 2000)).ranges()]
        ['less than 500', '500 to less than 2,000', '2,000 or more']
        """
        scale, unit = (100, "%") if self.percent else (1, "")
        texts = [f"{scale * cut:,.6g}" for cut in self.cuts]
        middle = [f"{low} to less than {high}{unit}" for low, high in itertools.pairwise(texts)]
        named = [f"less than {texts[0]}{unit}", *middle, f"{texts[-1]}{unit} or more"]
        bounds = [-1e9, *self.cuts, 1e9]
        return list(zip(named, bounds[:-1], bounds[1:], strict=True))


@dataclass(frozen=True)
class Board:
    """Content of a leaderboard.

    ``settings`` maps keys to display names; the first one is shown initially.  ``learners`` has a row per learner, with
    ``label``, ``note`` and whether it is ``ranked``; ``tasks`` has a row per task, with ``label`` and a column per fact.
    ``values`` are means over repeats, with a row per (setting, task, learner) and a column per measure; missing if there are
    none.  ``failed`` are the (setting, task, learner) that were run and have no numbers.
    """

    settings: Mapping[str, str]
    learners: pd.DataFrame
    tasks: pd.DataFrame
    measures: Sequence[Measure]
    facts: Sequence[Fact]
    values: pd.DataFrame
    failed: set[tuple[str, str, str]]

    def packed(self) -> dict[str, Any]:
        """Return the data for the page's script; by setting, values are tasks × learners × measures in little-endian uint16."""
        return {
            "learners": self.learners[["label", "note", "ranked"]].astype(object).to_numpy().tolist(),
            "tasks": [
                [row["label"], *(float(f"{row[fact.key]:.4g}") for fact in self.facts)] for row in self.tasks.to_dict("records")
            ],
            "measures": [[measure.label, measure.kind] for measure in self.measures],
            "percent": [fact.percent for fact in self.facts],
            "values": [base64.b64encode(self._codes(name).tobytes()).decode() for name in self.settings],
            "steps": [SHARE_STEPS, SECONDS_STEPS, LEAST_SECONDS],
        }

    def _codes(self, setting: str) -> np.ndarray:
        places = pd.MultiIndex.from_product([[setting], self.tasks.index, self.learners.index])
        found = self.values.reindex(places)
        codes = np.full(found.shape, MISSING, dtype="<u2")
        codes[places.isin(self.failed)] = FAILED
        for j, measure in enumerate(self.measures):
            own = found[measure.key].to_numpy(dtype=float)
            there = ~np.isnan(own)
            steps = SECONDS_STEPS * np.log10(np.maximum(own, LEAST_SECONDS) / LEAST_SECONDS)
            steps = steps if measure.kind == "seconds" else SHARE_STEPS * np.clip(own, 0.0, 1.0)
            codes[there, j] = np.minimum(np.rint(steps[there]), FAILED - 1)
        return codes


@dataclass(frozen=True)
class Leaders:
    """The leaders: the first rows of a table with ``ranked`` learners, a text on their standing, and page blocks by name."""

    table: str
    grid: Grid
    ranked: int
    standing: str
    blocks: Mapping[str, str]


def leaders_of(study: Study, folder: Path) -> Leaders | None:
    """Return the leaders in a study's rendered tables; None if it has no leaderboard or nothing to rank."""
    return import_module(f"{study.module}.leaders").leaders(folder) if study.board else None


def board_page(study: str, title: str, board: Board) -> Page:
    """Make the page of a study's leaderboard."""
    words = " ".join([*board.learners["label"], *board.tasks["label"]])
    scores = [(k, measure) for k, measure in enumerate(board.measures) if measure.kind != "seconds"]
    context = {"of": study, "board": board, "data": board.packed(), "scores": scores}
    return Page(f"{study}-board", title, "board.html", context, [], [("", title, words)])
