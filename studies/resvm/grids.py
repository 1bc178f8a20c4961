"""Grids whose ends follow a rule that uses no test rows: the other interpretation of the RESVM chapter's tables 2.2 to 2.4.

A parameter begins with three powers around the middle of the main grid.  Each task (one draw of a data set in one setting) is
tuned by cross-validation over all of them.  If more than a tenth of the tasks have their optimum on an edge of a parameter,
each side with more than a twentieth of them gets one more power.  Then all tasks are tuned again, until nothing is widened.  No
resample becomes larger than its set.  A parameter may also have a limit: with each further power of a large penalty, training
takes several times as long.

The searches take most of the time, so no candidate is scored twice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import pandas as pd
from sklearn.model_selection import ParameterGrid

from pulab.plan.plan import Group, Plan
from pulab.plan.study import Recipe
from pulab.tables.sheet import Grid, Sheet
from pulab.trials.grids import RATIO, expand_grid
from pulab.trials.trial import TrialContext
from studies.resvm.protocol import load_tuning_rows, make_search
from studies.resvm.study import STUDY, GridFamily

#: Pairs of name and value, sorted by name.
Candidate: TypeAlias = tuple[tuple[str, Any], ...]
#: A side is widened if both edges together have more than this share of the optima, and this edge more than half of it.
SHARE = 0.1
#: Parameters that count rows.
SIZES = ("n_positive", "n_unlabeled")
#: Columns of the file with all rounds.
COLUMNS = [
    "family", "method", "round", "parameter", "least", "greatest", "share_least", "share_greatest", "widened", "held",
    "n_optima", "n_candidates",
]  # fmt: skip


@dataclass(frozen=True)
class Axis:
    """The values of one parameter: ``middle * step ** power`` for powers from ``least`` to ``greatest``, none above ``end``."""

    name: str
    middle: float
    step: float
    least: int = -1
    greatest: int = 1
    end: float = math.inf

    def value(self, power: int) -> float:
        """Return the value of a power; sizes are whole numbers."""
        value = self.middle * float(self.step) ** power
        return round(value) if self.name in SIZES else float(f"{value:.6g}")

    def values(self) -> list[float]:
        """Return the values from the middle outward, since the first of equally good candidates is chosen."""
        center = (self.least + self.greatest) / 2
        powers = sorted(range(self.least, self.greatest + 1), key=lambda power: (abs(power - center), power))
        return [self.value(power) for power in powers]

    def power(self, value: float) -> int:
        """Return the power whose value is nearest to ``value``, since a ratio of two sizes is rounded."""
        return min(range(self.least, self.greatest + 1), key=lambda power: abs(math.log(value / self.value(power))))


class Task:
    """A draw of a data set in a setting: rows to tune on, and the scores of candidates so far."""

    def __init__(self, context: TrialContext):
        rows = load_tuning_rows(context)
        self.X, self.y = rows.X, rows.y
        self.search = make_search(context).set_params(refit=False)
        self.scores: dict[Candidate, float] = {}

    def best(self, grid: Mapping[str, Sequence[float]]) -> dict[str, float]:
        """Return the first of the best candidates, with the ratio of sizes if the grid has it."""
        candidates: list[Candidate] = [tuple(sorted(c.items())) for c in ParameterGrid(expand_grid(grid))]
        todo = list(dict.fromkeys(candidate for candidate in candidates if candidate not in self.scores))
        if todo:
            self.search.set_params(param_grid=[{name: [value] for name, value in candidate} for candidate in todo])
            found = self.search.fit(self.X, self.y).cv_results_["mean_test_score"]
            self.scores |= dict(zip(todo, found, strict=True))
        first: Candidate = max(candidates, key=self.scores.__getitem__)
        best = dict(first)
        return best | ({RATIO: best["n_unlabeled"] / best["n_positive"]} if RATIO in grid else {})

    def fits(self, axes: Mapping[str, Axis]) -> bool:
        """Return whether every resample has at least one row, and no more rows than its set."""
        rows = {"n_positive": int(self.y.sum()), "n_unlabeled": int(len(self.y) - self.y.sum())}
        ends = {name: (axis.value(axis.least), axis.value(axis.greatest)) for name, axis in axes.items()}
        if RATIO in ends:
            ends["n_unlabeled"] = (ends["n_positive"][0] * ends[RATIO][0], ends["n_positive"][1] * ends[RATIO][1])
        return all(ends[name][0] >= 1 and ends[name][1] <= rows[name] for name in SIZES if name in ends)


def settle(axes: Mapping[str, Axis], tasks: Sequence[Task]) -> Iterator[pd.DataFrame]:
    """Widen until the rule is met.

    Parameters
    ----------
    axes : mapping of str to Axis
        Initial grid.
    tasks : sequence of Task

    Yields
    ------
    round : DataFrame
        One row per parameter: ``parameter``, ``least`` and ``greatest`` value, ``share_least`` and ``share_greatest`` of the
        optima there, ``widened`` (the sides with one more power in the next round), ``held`` (the sides that a set's size or
        the parameter's limit keeps from it), ``n_optima`` and ``n_candidates``.
    """
    while True:
        grid = {name: axis.values() for name, axis in axes.items()}
        optima = pd.DataFrame([task.best(grid) for task in tasks])
        rows, wider = [], dict(axes)
        for name, axis in axes.items():
            powers = optima[name].map(axis.power)
            shares = {"least": (powers == axis.least).mean(), "greatest": (powers == axis.greatest).mean()}
            asked = [side for side, share in shares.items() if sum(shares.values()) > SHARE and share > SHARE / 2]
            widened = []
            for side in asked:
                more = replace(wider[name], **{side: getattr(axis, side) + (1 if side == "greatest" else -1)})
                if more.value(more.greatest) <= axis.end and all(task.fits(wider | {name: more}) for task in tasks):
                    wider[name] = more
                    widened.append(side)
            rows.append(
                {"parameter": name, "least": axis.value(axis.least), "greatest": axis.value(axis.greatest)}
                | {f"share_{side}": share for side, share in shares.items()}
                | {"widened": " ".join(widened), "held": " ".join(side for side in asked if side not in widened)}
            )
        n_candidates = math.prod(len(values) for values in grid.values())
        yield pd.DataFrame(rows).assign(n_optima=len(tasks), n_candidates=n_candidates)
        if wider == axes:
            return
        axes = wider


def begin(grid: Mapping[str, Sequence[float]], steps: Mapping[str, float], ends: Mapping[str, float]) -> dict[str, Axis]:
    """Return axes with three powers around the middle of a grid, which lists its values from there outward."""
    return {name: Axis(name, values[0], steps[name], end=ends.get(name, math.inf)) for name, values in grid.items()}


def settled_table(rounds: pd.DataFrame, labels: Mapping[str, str]) -> pd.DataFrame:
    """Return the last round of each method and family of data sets."""
    last = rounds[rounds["round"] == rounds.groupby(["family", "method"])["round"].transform("max")]
    rows = [
        {
            "data": row["family"],
            "method": labels[row["method"]],
            "parameter": row["parameter"],
            "from": f"{row['least']:g}",
            "to": f"{row['greatest']:g}",
            "optima at least value, %": f"{100 * row['share_least']:.0f}",
            "optima at greatest value, %": f"{100 * row['share_greatest']:.0f}",
            "side ended by data or bound": "" if pd.isna(row["held"]) else row["held"],
            "number of optima": row["n_optima"],
            "candidates": row["n_candidates"],
            "rounds": row["round"],
        }
        for _, row in last.iterrows()
    ]
    return pd.DataFrame(rows)


def grid_recipes(plan: Plan, family: GridFamily, method: str) -> dict[tuple[str, str], Recipe]:
    """Return what is tuned by data set and setting, starting from the values of the first data set's grid."""
    grid = plan.method(STUDY.name, family.methods[method], family.datasets[0]).grid
    recipes = {
        (dataset, setting): plan.recipe(Group(STUDY.name, dataset, setting, method, family.repeats))
        for dataset in family.datasets
        for setting in family.settings
    }
    return {place: replace(recipe, method=replace(recipe.method, grid=grid)) for place, recipe in recipes.items()}


def grid_sheet(rounds: pd.DataFrame) -> Sheet:
    """Make the table of grids settled by a rule, from their last round."""
    caption = (
        "Grids are chosen by a rule that uses no test rows. A parameter starts with three powers around the middle of the main "
        f"grid. If more than {SHARE:.0%} of the cross-validated optima lie on its edges, the grid is extended by one "
        f"power, round by round, on each side with more than {SHARE / 2:.0%}. Sizes of resamples are limited by their data "
        "sets, penalties by a fixed bound. The CSV file of the same name has all rounds."
    )
    table = settled_table(rounds, {m.name: m.label for m in STUDY.methods})
    return Sheet("", caption, [Grid.of(table.columns, table.itertuples(index=False))])
