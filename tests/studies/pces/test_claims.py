"""What the sentences of the expansion paper make of stored curves and maps."""

import numpy as np
import pandas as pd
import pytest

from studies.pces.claims import _descent, _near_best


def test_values_near_the_best_one_are_counted():
    assert _near_best(pd.Series([0.20, 1.00, 0.99, 0.05])) == 2


def test_a_descent_is_one_along_the_path():
    x, _ = np.meshgrid(np.linspace(0, 1, 21), np.linspace(0, 1, 21))
    left, right = (0.1, 0.5), (0.9, 0.5)
    for path, descent in [([right, left], 1.0), ([left, right], -1.0)]:
        assert _descent(pd.Series(x.ravel()), path=path) == pytest.approx(descent, abs=0.01)
