"""What choosing among readings by the published values gains, from the kept trials: ``python docs/studies/crossing.py``.

A reading settles all that a paper leaves open at once.  For OPU the kept trials cross the weighting of the stream, the meaning
of π, the tuning of λ, the positive class, the steps on a batch and the bias; for PCES the base learner, line 11 and the
residuals.  Three questions are asked of each paper:

- *Out of sample*: the reading that comes closest on all data sets but one is judged on that one, and so is the main reading.
- *Placebo*: the published values are permuted among the cells of a data set, and the closest reading is chosen for them.  What
  a choice gains there, it gains by choosing alone.
- *Reach*: how many cells agree with the paper in the main reading, in the closest one, and in any.

A cell agrees if the verdict on it is "reproduced": within one point, or within two standard errors if these are at most three
points.  Inconclusive cells do not agree.  The pages of the two studies quote what this script prints.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).parents[2]
PLACEBOS = 200
#: Points within which a verdict is at least "close", and that two standard errors may have where they decide.
CLOSE = 3.0
OPU_COLUMNS = ("UPU", "OPU DH", "OPU SL", "extended OPU DH", "extended OPU SL")
_BATCHES = ("opu_batch_dh", "opu_batch_sl")
OPU_METHODS = {
    "main": ("upu_dh", "opu_dh", "opu_sl", *_BATCHES),
    "equation 6": ("upu_dh", "opu_dh_eq6", "opu_sl_eq6", "opu_batch_dh_eq6", "opu_batch_sl_eq6"),
    "plain steps": ("upu_dh", "opu_dh", "opu_sl", *(f"{name}_plain" for name in _BATCHES)),
    "fifty passes": ("upu_dh", "opu_dh", "opu_sl", *(f"{name}_passes" for name in _BATCHES)),
    "no bias": ("upu_sl_no_bias", "opu_dh_no_bias", "opu_sl_no_bias", *(f"{name}_no_bias" for name in _BATCHES)),
}
OPU_SETS = {"Vote": "vote", "Australian": "australian", "Mushroom": "mushrooms", "Phishing": "phishing"}
OPU_OTHER_CLASS = {
    "Vote": "vote_democrat",
    "Australian": "australian_class_0",
    "Mushroom": "mushrooms_poisonous",
    "Phishing": "phishing_class_0",
}
OPU_NO_BIAS_SETS = {**OPU_SETS, "Mushroom": "mushrooms_poisonous"}
PCES_SETS = {"posto": "postoperative", "segment": "segment_foliage", "veteran": "veteran", "pbc": "pbc_recorded"}
PCES_READINGS = {
    "main": "{}_pruned",
    "trees not pruned": "{}",
    **{step: f"{{}}_{step}" for step in ("damped", "search", "initial", "printed", "gradient")},
}


def published(study: str, table: str) -> pd.DataFrame:
    """Mean and sd of the published cells, by data set (the first word of a row), row and column, in points."""
    cells = pd.read_csv(ROOT / "studies" / study / "published.csv", dtype={"table": str})
    cells = cells[cells["table"] == table]
    scale = 1.0 if (cells["unit"] == "%").all() else 100.0
    cells = cells.assign(dataset=cells["row"].str.split().str[0], mean=cells["mean"] * scale, sd=cells["sd"] * scale)
    return cells.set_index(["dataset", "row", "column"])[["mean", "sd"]]


def opu_readings(tidy: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The readings of OPU by name; those that hide the last positives of the file begin with ``file order``."""
    crossed: dict[str, tuple[tuple[str, ...], Mapping[str, str], str]] = {}
    for name, methods in OPU_METHODS.items():
        crossed[name] = (methods, OPU_NO_BIAS_SETS if name == "no bias" else OPU_SETS, "")
    crossed["other class"] = (OPU_METHODS["main"], OPU_OTHER_CLASS, "")
    crossed["file order"] = (OPU_METHODS["no bias"], OPU_NO_BIAS_SETS, "_last")
    stats = summary(tidy)
    readings = {}
    for (name, (methods, sets, hidden)), prior, tuning in itertools.product(
        crossed.items(), ("population", "unlabeled"), ("pu_risk", "oracle")
    ):
        places = {
            (paper, f"{paper} {r}%", column): (dataset, f"r{r}{hidden}", method, f"accuracy_{tuning}_{prior}")
            for paper, dataset in sets.items()
            for r in (20, 30, 40)
            for column, method in zip(OPU_COLUMNS, methods, strict=True)
        }
        readings[f"{name}, π {prior}, {tuning}"] = looked_up(stats, places)
    return readings


def pces_readings(tidy: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The readings of SGBDota, each for all three preferences."""
    stats = summary(tidy)
    return {
        name: looked_up(
            stats,
            {
                (paper, paper, f"SGBDota-{k}"): (dataset, "expansion", form.format(f"sgbdota_{k}"), "auc")
                for paper, dataset in PCES_SETS.items()
                for k in (1, 2, 3)
            },
        )
        for name, form in PCES_READINGS.items()
    }


def summary(tidy: pd.DataFrame) -> pd.DataFrame:
    """Mean, sd and number of repeats in points, by data set, setting, method and metric."""
    fine = tidy[(tidy["status"] == "ok") & (tidy["step"] == -1)]
    found = fine.groupby(["dataset", "setting", "method", "metric"])["value"].agg(["mean", "std", "count"])
    return found.assign(mean=100 * found["mean"], std=100 * found["std"])


def looked_up(stats: pd.DataFrame, places: Mapping[tuple[str, str, str], tuple[str, str, str, str]]) -> pd.DataFrame:
    found = stats.reindex(list(places.values()))
    found.index = pd.MultiIndex.from_tuples(list(places), names=["dataset", "row", "column"])
    return found


def agreement(reading: pd.DataFrame, paper: pd.DataFrame, n_published: int) -> pd.DataFrame:
    """By cell the distance to the published mean, whether it agrees, and its log-likelihood.

    The likelihood is normal about our mean, with the standard errors of both sides and three points besides, so that no cell
    decides alone.
    """
    ours, values = reading.to_numpy(dtype=float), paper.loc[reading.index].to_numpy()
    distance = np.abs(ours[:, 0] - values[:, 0])
    se = np.hypot(ours[:, 1] / np.sqrt(ours[:, 2]), values[:, 1] / np.sqrt(n_published))
    agrees = (distance <= 1) | ((distance <= 2 * se) & (2 * se <= CLOSE))
    spread = np.hypot(se, CLOSE)
    nats = -0.5 * (distance / spread) ** 2 - np.log(spread)
    return pd.DataFrame({"distance": distance, "agrees": agrees, "nats": nats}, index=reading.index)


def permuted(paper: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """The published values of each data set in another order."""
    order = np.arange(len(paper))
    for places in paper.reset_index().groupby("dataset").indices.values():
        order[places] = rng.permutation(places)
    return pd.DataFrame(paper.to_numpy()[order], index=paper.index, columns=paper.columns)


def crossing(readings: Mapping[str, pd.DataFrame], paper: pd.DataFrame, main: str, n_published: int) -> dict[str, float]:
    """The numbers that answer the three questions."""

    def judged(values: pd.DataFrame) -> dict[str, pd.DataFrame]:
        return {name: agreement(reading, values, n_published) for name, reading in readings.items()}

    def closest(cells: Mapping[str, pd.DataFrame], rows: np.ndarray) -> str:
        return min(cells, key=lambda name: cells[name]["distance"][rows].mean())

    cells = judged(paper)
    datasets = paper.index.get_level_values("dataset")
    outside = []
    for left_out in dict.fromkeys(datasets):
        rows = datasets == left_out
        best = closest(cells, ~rows)
        outside.append([cells[name]["distance"][rows].mean() for name in (best, main)])
    every = np.ones(len(paper), dtype=bool)
    best = closest(cells, every)
    rng = np.random.default_rng(0)
    gains = []
    for _ in range(PLACEBOS):
        placebo = judged(permuted(paper, rng))
        chosen = closest(placebo, every)
        gains.append(placebo[chosen]["agrees"].sum() - placebo[main]["agrees"].sum())
    return {
        "readings": len(readings),
        "cells": len(paper),
        "agree, main reading": cells[main]["agrees"].sum(),
        "agree, closest reading": cells[best]["agrees"].sum(),
        "agree in some reading": np.any([part["agrees"] for part in cells.values()], axis=0).sum(),
        "gain of the choice, cells": cells[best]["agrees"].sum() - cells[main]["agrees"].sum(),
        "gain under placebo, mean": np.mean(gains),
        "gain under placebo, sd": np.std(gains, ddof=1),
        "distance out of sample, chosen reading": np.mean([chosen for chosen, _ in outside]),
        "distance out of sample, main reading": np.mean([distance for _, distance in outside]),
    }


def file_order(readings: Mapping[str, pd.DataFrame], paper: pd.DataFrame) -> Iterator[tuple[str, float]]:
    """How far the last positives of the file explain the published table of OPU, beside positives drawn at random."""
    how = "π unlabeled, oracle"
    pair = {name: readings[f"{name}, {how}"] for name in ("file order", "no bias")}
    cells = {name: agreement(reading, paper, 5) for name, reading in pair.items()}
    for dataset in OPU_SETS:
        for name, part in cells.items():
            yield f"{dataset}, distance, {name}", part["distance"].loc[dataset].mean()
    for name, part in cells.items():
        yield f"cells that agree, {name}", part["agrees"].sum()

    def lead(values: pd.DataFrame) -> float:
        ours, theirs = (agreement(pair[name].loc[["Mushroom"]], values, 5)["nats"].sum() for name in pair)
        return float(ours - theirs)

    rng = np.random.default_rng(1)
    placebos = [lead(permuted(paper, rng)) for _ in range(PLACEBOS)]
    yield "Mushroom, lead in nats", lead(paper)
    yield "Mushroom, lead under placebo, mean", float(np.mean(placebos))
    yield "Mushroom, lead under placebo, sd", float(np.std(placebos, ddof=1))
    yield "Mushroom, placebos with a greater lead", float(np.mean(np.array(placebos) >= lead(paper)))


def measured(tidy_folder: Path) -> dict[str, dict[str, float]]:
    """All numbers, by study."""
    opu = opu_readings(pd.read_parquet(tidy_folder / "opu.parquet"))
    random = {name: reading for name, reading in opu.items() if not name.startswith("file order")}
    pces = pces_readings(pd.read_parquet(tidy_folder / "pces.parquet"))
    dota = published("pces", "2")
    dota = dota[dota.index.get_level_values("column").str.startswith("SGBDota")]
    table = published("opu", "1")
    return {
        "opu": crossing(random, table, "main, π population, pu_risk", 5) | dict(file_order(opu, table)),
        "pces": crossing(pces, dota, "main", 20),
    }


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "figures" / "paper" / "tidy"
    for study, numbers in measured(folder).items():
        print(f"{study}:")
        for name, value in numbers.items():
            print(f"  {name}: {value:.4g}")
