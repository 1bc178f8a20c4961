"""The headline from the archived files, which ``figures/paper/datapackage.json`` explains: ``python docs/headline.py``."""

from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import norm

ARCHIVE, TRIAL = Path(__file__).parents[1] / "figures" / "paper", ["study", "dataset", "setting", "method", "metric"]
cells = pd.read_csv(ARCHIVE / "scoreboard.csv", low_memory=False)
judged = cells.verdict.isin(["reproduced", "cannot tell", "close", "different"])
cells = cells[judged & (cells.kind == "performance") & (cells.reading == "main") & cells.published.notna()]
first = cells.groupby([*TRIAL, "published"])["table"].transform("first")  # a value that is printed again counts once
cells = cells[(first == cells.table) | first.isna()]
trials = pd.concat(pd.read_parquet(ARCHIVE / "tidy" / f"{study}.parquet") for study in cells.study.unique())
trials = trials[(trials.status == "ok") & (trials.step == -1)].merge(cells, on=TRIAL).query("repeat < n")
gap = trials.assign(value=trials.value * trials.scale).groupby(TRIAL).agg({"value": "mean", "ours": "mean"}).diff(axis=1)
se, n = cells.se.clip(lower=1e-9), (cells.verdict == "reproduced").sum()
expected = (1 - 2 * norm.sf(np.where(2 * se <= 3, np.maximum(1, 2 * se), 1) / se)).sum()
print(f"{n} of {len(cells)} reproduced, {n / expected:.0%} of {expected:.0f}; trials agree to {gap.ours.abs().max():.4f}")
