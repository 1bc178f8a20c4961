"""Biased splits: some positives of a single sample are more likely to be labeled than others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pulib.sampling._bias import Bias, check_bias
from pulib.sampling._case_control import check_test_fraction, training_and_test_rows
from pulib.sampling._scheme import Scheme, Split, check_counts

if TYPE_CHECKING:
    from pulib.datasets import Dataset

_TEST, _LABELED = range(2)


@dataclass(frozen=True, kw_only=True)
class Biased(Scheme):
    """Label positives of a single sample with a bias, not completely at random.

    The shared seed draws the test rows if the publisher provides none.

    Parameters
    ----------
    n_labeled : int, default=1000
    kind : {"posterior", "boundary"}, default="posterior"
        See :func:`pulib.sampling.label_biased`.  The posterior comes from a logistic model of the truth, fitted on other rows.
    power : float > 0, default=10.0
    test_fraction : float in (0, 1), default=0.2
        Share of test rows if the publisher provides no test set.

    Raises
    ------
    ValueError
        If an option is out of range.

    References
    ----------
    Bekker, Robberechts and Davis, Beyond the selected completely at random assumption for learning from positive and unlabeled
    data (ECML PKDD 2019).

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import Dataset
    >>> from pulib.sampling import Biased
    >>> data = Dataset("example", X=np.arange(100.0)[:, None], target=np.arange(100), y=(np.arange(100) < 40).astype(np.int8))
    >>> split = Biased(n_labeled=10).draw(data, random_state=0)  # labels favor clear cases
    >>> print(f"mean place of positives: labeled {split.labeled.mean():.0f}, all {np.arange(40).mean():.0f}")
    mean place of positives: labeled 9, all 20
    """

    name: ClassVar[str] = "biased"

    n_labeled: int = 1000
    kind: Bias = "posterior"
    power: float = 10.0
    test_fraction: float = 0.2

    def __post_init__(self) -> None:
        check_counts(self, "n_labeled")
        check_bias(self.kind, self.power)
        check_test_fraction(self.test_fraction)

    def draw(self, dataset: Dataset, *, random_state: int, shared_seed: int | None = None, repeat: int = 0) -> Split:
        """Draw the rows of one repeat: see :meth:`Scheme.draw`.

        Returns
        -------
        Split
            ``unlabeled`` contains the other training rows; ``prior`` is the share of positives among all training rows.
            ``arrays["propensity"]`` has the propensities of the labeled, then the unlabeled rows.

        Raises
        ------
        ValueError
            As in :func:`pulib.sampling.label_biased`.
        """
        from pulib.sampling._mechanisms import label_biased, model_posterior

        shared = random_state if shared_seed is None else shared_seed
        train, test = training_and_test_rows(dataset, self.test_fraction, np.random.default_rng([shared, _TEST]))
        truth = dataset.y[train] == 1
        seed = np.random.RandomState(np.random.default_rng([random_state, _LABELED]).integers(2**32, dtype=np.uint32))
        posterior = model_posterior(dataset.X[train], truth)
        labeled, propensity = label_biased(
            truth, posterior, self.n_labeled, kind=self.kind, power=self.power, random_state=seed
        )
        return Split(
            labeled=train[labeled],
            unlabeled=train[~labeled],
            test=test,
            prior=float(np.mean(truth)),
            arrays={"propensity": np.concatenate([propensity[labeled], propensity[~labeled]])},
        )


def biased_split(dataset: Dataset, *, random_state: int, shared_seed: int | None = None, **options: Any) -> Split:
    """Draw one split of :class:`pulib.sampling.Biased`.

    Parameters
    ----------
    dataset : Dataset
    random_state, shared_seed
        See :meth:`pulib.sampling.Scheme.draw`.
    **options
        See :class:`pulib.sampling.Biased`.

    Returns
    -------
    Split

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import Dataset
    >>> from pulib import biased_split
    >>> data = Dataset("example", X=np.arange(100.0)[:, None], target=np.arange(100), y=(np.arange(100) < 40).astype(np.int8))
    >>> split = biased_split(data, n_labeled=10, random_state=0)
    >>> print(f"{len(split.labeled)} labeled, {len(split.unlabeled)} unlabeled, {len(split.test)} test; π = {split.prior:.2f}")
    10 labeled, 70 unlabeled, 20 test; π = 0.36
    """
    return Biased(**options).draw(dataset, random_state=random_state, shared_seed=shared_seed)
