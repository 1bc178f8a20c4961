"""Use few draws for the posterior's probabilities and the mean over halves of the tasks, to save time."""

from functools import partial

import pytest

from pulib.statistics import bayesian_signed_rank
from studies.levelfield import numbers


@pytest.fixture(scope="module", autouse=True)
def few_draws():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numbers, "N_HALVES", 40)
        patch.setattr(numbers, "bayesian_signed_rank", partial(bayesian_signed_rank, n_samples=200))
        yield
