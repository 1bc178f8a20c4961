"""Spreads and magnitudes in claims about the RESVM chapter, in cases that archived numbers lack."""

import numpy as np
import pandas as pd
import pytest

from pulab.claims import Missing
from studies.resvm.claims.common import magnitude, spread


def test_spreads_need_five_repeats_and_magnitudes_are_absolute():
    values = pd.Series([-0.3, -0.1, -0.2, -0.4, -0.5])
    assert spread(values) == pytest.approx(np.std(values, ddof=1))
    with pytest.raises(Missing, match="a spread needs 5"):
        spread(values[:4])
    assert magnitude(values) == magnitude(-values) == pytest.approx(0.3)
