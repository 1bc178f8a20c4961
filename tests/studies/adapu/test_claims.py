"""What the sentences of the Ada-PU paper make of stored curves."""

import pandas as pd

from studies.adapu.claims import _fall


def test_a_fall_is_from_the_best_epoch_to_the_last():
    assert _fall(pd.Series([0.20, 1.00, 0.99, 0.05])) == 0.95
    assert _fall(pd.Series([0.20, 0.90, 1.00])) == 0.0
