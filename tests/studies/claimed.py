"""Evidence for claims, made up from means."""

import numpy as np
import pandas as pd

from pulab.claims import Evidence
from pulab.trials import results


def evidence_of(values, n=6, labels=None):
    """From ``(data set, setting, method, metric)`` to a mean over n repeats; whole numbers do not vary."""
    rng = np.random.default_rng(0)
    rows = []
    for (dataset, setting, method, metric), mean in values.items():
        noise = 1e-3 * rng.normal(size=n) if isinstance(mean, float) else np.zeros(n)
        rows += [["p", dataset, setting, method, r, metric, -1, mean + noise[r], "ok", ""] for r in range(n)]
    tidy = results.typed(pd.DataFrame(rows, columns=results.COLUMNS), results.COLUMNS)
    return Evidence(tidy, results.concat([], results.TIMING_COLUMNS), labels=labels)


def statuses(cases):
    return [case.status for case in cases]
