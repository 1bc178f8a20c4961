"""Use few draws for the posterior's probabilities and the mean over halves of the tasks, to save time."""

import pytest

from studies.levelfield import numbers


@pytest.fixture(scope="module", autouse=True)
def few_draws():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numbers, "N_HALVES", 40)
        patch.setattr(numbers, "N_DRAWS", 200)
        yield
