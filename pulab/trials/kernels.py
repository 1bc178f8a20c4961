"""Fill the cache of compiled kernels, so that no two jobs compile the same kernel at the same time."""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Iterable

import numpy as np

from pulab.plan.experiment import Method
from pulab.trials.trial import import_object, make_estimator

#: Types of the bundled data sets.  The first job that needs another type compiles it.
TYPES = ("float64", "uint8")
#: Lower values of parameters that only cost time.
SMALL = {"n_estimators": 2, "n_passes": 1, "inner_steps": 2, "n_basis": 5}


def fill_cache(methods: Iterable[Method]) -> None:
    """Fit and tune each method once on 120 rows of each of :data:`TYPES`; print errors."""
    rng = np.random.default_rng(0)
    y = (np.arange(120) < 40).astype(int)
    X = 60.0 + 10.0 * (rng.normal(size=(120, 4)) + 3.0 * y[:, None])  # values that all types can hold
    for method in methods:
        for dtype in TYPES:
            start = time.perf_counter()
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # the fitted models are not used
                    _fit(method, X.astype(dtype), y)
            except Exception:  # the method's own trials will report it
                traceback.print_exc()
            print(f"{method.estimator} {dtype}: {time.perf_counter() - start:.2f} s", flush=True)


def _fit(method: Method, X: np.ndarray, y: np.ndarray) -> None:
    from pulib import PUGridSearchCV

    accepted = import_object(method.estimator)._get_param_names()
    params = dict(method.params) | {key: value for key, value in SMALL.items() if key in accepted}
    params |= {"prior": 0.4} if "prior" in accepted else {}
    model = make_estimator(method.estimator, params, seed=0, n_jobs=1).fit(X, y)
    scores = getattr(model, "decision_function", model.predict)(X)
    assert len(scores) == len(X)
    tuned = [name for name in method.grid if name in accepted and name.startswith("C")]
    if tuned:
        PUGridSearchCV(model, {name: [0.5, 1.0] for name in tuned}, cv=2).fit(X, y)
