"""Code that fits a learner to the whole table: the report shows it, and ``--save-model`` runs it."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator

from purank.learners import Learner
from purank.question import Question
from purank.scoring import SEED

#: The file below the folder of the run.
CODE = Path("model.py")


def model_code(question: Question, learner: Learner, prior: float, sampled: int = 0) -> str:
    """Return a script that reads the table, fits the learner to all training rows, and scores the unlabeled ones.

    Parameters
    ----------
    question : Question
    learner : Learner
    prior : float
        The share of positives among the unlabeled rows.
    sampled : int
        As many rows are drawn at random to train on; 0 for all.
    """
    model = learner.build(prior, SEED)
    imports = {"import pandas as pd", "from purank import read_table", *_imports(model)}
    options = [f"label={question.label!r}", *(f"{k}={v!r}" for k, v in question.reading().items() if k != "label")]
    train = "table.y >= 0"
    if question.truth is not None:
        imports.add("import numpy as np")
        train = "(table.y >= 0) & np.isnan(table.truth)"
    lines = [f"table = read_table({question.table!r}, {', '.join(options)})"]
    lines += ["X = pd.DataFrame(table.X, columns=table.feature_names)"]
    if not sampled:
        lines.append(f"train = {train}")
    else:
        imports |= {"import numpy as np", "from purank.scoring import sample_rows"}
        lines.append(f"train = sample_rows(np.flatnonzero({train}), table.y == 1, {sampled}, {SEED})")
    if "prior=" in repr(model):
        lines.append("# prior: the share of positives among the unlabeled rows")
    lines += [f"model = {model.__repr__(N_CHAR_MAX=10**6)}", "model.fit(X.loc[train], table.y[train])"]
    scores = "decision_function(X)" if hasattr(model, "decision_function") else "predict_proba(X)[:, 1]"
    lines.append(f"scores = model.{scores}  # the greatest are most likely positive")
    # modules first, then names from them
    return "\n".join([*sorted(imports, key=lambda line: (line.startswith("from"), line)), "", *lines]) + "\n"


def fitted_model(folder: Path) -> Any:
    """Return the model that the code of a run fits."""
    return runpy.run_path(str(folder / CODE))["model"]


def _imports(model: BaseEstimator) -> Iterator[str]:
    """Return lines that import the classes of an estimator and its nested ones from their public modules."""
    for one in (model, *model.get_params().values()):
        if isinstance(one, BaseEstimator):
            parts = type(one).__module__.split(".")
            private = next((place for place, part in enumerate(parts) if part.startswith("_")), len(parts))
            yield f"from {'.'.join(parts[:private])} import {type(one).__name__}"
