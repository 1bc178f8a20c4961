"""What the sentences of the OPU paper make of stored curves."""

import numpy as np
import pandas as pd
import pytest

from studies.opu.claims import _last, _slope


def test_the_last_regret_counts():
    assert _last(pd.Series([0.20, 1.00, 0.99, 0.05])) == 0.05


def test_a_slope_is_that_of_the_logarithms():
    steps = np.array([1, 2, 5, 10, 30, 100, 300, 1000])
    assert _slope(pd.Series(np.sqrt(steps), index=steps)) == pytest.approx(0.5)
