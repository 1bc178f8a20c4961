"""Trials of the PCES paper without λ = 1; golden numbers cover the rest."""

import numpy as np
import pytest

from pulab.plan import Method
from pulab.trials.trial import TrialContext
from pulib.datasets import Dataset, make_expanding_clusters
from pulib.sampling import expansion_split
from studies.pces import protocol as pces
from studies.pces.study import Map, Ranking

DOTA = Method(
    name="method",
    label="SGBDota",
    estimator="pulib.expansion.SGBDotaClassifier",
    params={"n_estimators": 5, "preference": "density"},
    grid={"drop_fraction": [1.0, 0.6, 0.0]},
)


def run(task):
    X, codes = make_expanding_clusters(150, random_state=0)
    data = Dataset("expanding_clusters", X, codes, (codes == 1).astype(np.int8))
    split = expansion_split(data, random_state=0, later=[1, 2])
    return pces.RUN[type(task)](TrialContext("pces", data.name, task.name, "method", 0, data, split, DOTA, task))


def test_preference_weights_may_be_split_over_settings():
    whole, part = run(Ranking(preference_weights=(0.1, 1.0))), run(Ranking(preference_weights=(0.1,)))
    assert part.scalars == {}
    for name, (_, values) in part.series.items():
        np.testing.assert_array_equal(values, whole.series[name][1])
    with pytest.raises(ValueError, match="a map needs λ = 1 among them"):
        run(Map(resolution=3, preference_weights=(0.1,)))
