"""The study of results published elsewhere has the settings of the published sizes."""

import pytest

from pulib.sampling import Mixture
from studies.elsewhere.study import SIZES, STUDY


@pytest.mark.parametrize("dataset", SIZES)
def test_percentages_and_settings_match_the_sizes(dataset):
    for share, (n_labeled, n_positive, n_negative) in SIZES[dataset].items():
        assert 100 * n_positive / (n_positive + n_negative) == pytest.approx(share, abs=0.6)
        setting = STUDY.settings_of("paper")[f"positive_{share:02}"]
        assert setting.split_for(dataset) == Mixture(n_labeled=n_labeled, n_positive=n_positive, n_negative=n_negative)
