"""What the searches choose: the best parameters, the scores of all candidates."""

from __future__ import annotations

from typing import Any

import numpy as np

import pulib
from tests.golden.inputs import PRIOR, one_sample, two_sample

MACHINE = {"n_estimators": 3, "gamma": 0.25, "n_positive": 8, "n_unlabeled": 12, "random_state": 0}


def names() -> list[str]:
    return ["pulib.model_selection.PUGridSearchCV", "pulib.model_selection.PURandomizedSearchCV"]


def cases(name: str, recorded: Any = None) -> dict[str, dict[str, Any]]:
    cls, found = getattr(pulib, name.rpartition(".")[2]), {}
    models = {
        "trees": (pulib.PUDecisionTreeClassifier(prior=PRIOR, max_depth=3, random_state=0), {"min_samples_leaf": [1, 5, 20]}),
        "machines": (pulib.RobustEnsembleSVC(**MACHINE), {"C": [0.1, 1.0], "w_positive": [1.0, 4.0]}),
    }
    for case, (model, grid) in models.items():
        for place, draw in {"two_sample": two_sample, "one_sample": one_sample}.items():
            X, y, X_test = draw()
            extra = {"n_iter": 3} if cls is pulib.PURandomizedSearchCV else {}
            search = cls(model, grid, cv=3, random_state=0, **extra).fit(X, y)
            numbers = {"scores": search.cv_results_["mean_test_score"], "best": np.array(list(search.best_params_.values()))}
            numbers["decision_function"] = search.decision_function(X_test)
            found[f"{case}, {place}"] = {"numbers": numbers}
    return found
