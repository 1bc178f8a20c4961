"""Contaminated splits: labeled and unlabeled sets of given sizes, with a given share of rows of the wrong class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from pulib._circle_noise import make_circle_noise
from pulib.sampling._scheme import Scheme, Split, check_counts

if TYPE_CHECKING:
    from pulib.datasets import Dataset

Test = Literal["given", "fixed", "random"]
Generator = Literal["circle_noise"]
_TEST, _TRAIN, _ROWS = range(3)


@dataclass(frozen=True, kw_only=True)
class Contaminated(Scheme):
    """Draw a labeled set P, an unlabeled set U, and a test set.

    Sections 2.4.1 and 2.4.2 of the RESVM chapter.  Without contamination, P contains only true positives and U only true
    negatives.  A contamination of c replaces ``round(c · n)`` rows of a set with rows of the other class.  At every
    contamination, the same seed gives the same clean draws and test sets, so that settings differ only in the replaced rows.

    Parameters
    ----------
    n_labeled : int, default=100
        Size of P.
    n_unlabeled : int, default=1000
        Size of U.
    contamination_labeled, contamination_unlabeled : float in [0, 1], default=0.0
        Shares of true negatives in P, and of true positives in U.
    test : {"given", "fixed", "random"}, default="given"
        The publisher's test set, rows drawn once for all repeats from the shared seed, or rows redrawn in each repeat.
    n_test_positive, n_test_negative : int or None, default=None
        Number of test rows of each class.  None uses all, with ``test="given"`` only.
    generator : {"circle_noise"} or None, default=None
        Generate new training and test rows instead of using the data set's.  They are stored in ``arrays["X"]`` and
        ``arrays["y"]``, to which all row numbers refer.

    Raises
    ------
    ValueError
        If an option is out of range, or rows are generated and ``n_test_positive`` or ``n_test_negative`` is None.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.datasets import Dataset
    >>> from pulib.sampling import Contaminated
    >>> y = np.repeat(np.array([1, 0], dtype=np.int8), [40, 60])
    >>> data = Dataset("example", X=np.zeros((100, 1)), target=y, y=y)
    >>> scheme = Contaminated(n_labeled=10, n_unlabeled=20, contamination_unlabeled=0.3, test="random", n_test_positive=10,
    ...                       n_test_negative=10)
    >>> split = scheme.draw(data, random_state=0)
    >>> int(y[split.labeled].sum()), int(y[split.unlabeled].sum()), len(split.test)
    (10, 6, 20)
    """

    name: ClassVar[str] = "contaminated"

    n_labeled: int = 100
    n_unlabeled: int = 1000
    contamination_labeled: float = 0.0
    contamination_unlabeled: float = 0.0
    test: Test = "given"
    n_test_positive: int | None = None
    n_test_negative: int | None = None
    generator: Generator | None = None

    def __post_init__(self) -> None:
        check_counts(self, "n_labeled", "n_unlabeled")
        check_counts(self, "n_test_positive", "n_test_negative", least=0)
        for name in ("contamination_labeled", "contamination_unlabeled"):
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise ValueError(f"{name}={value}; expected a share in [0, 1]")
        if self.test not in get_args(Test):
            raise ValueError(f"test={self.test!r}; expected one of {get_args(Test)}")
        if self.generator is None:
            return
        if self.generator not in get_args(Generator):
            raise ValueError(f"generator={self.generator!r}; expected one of {get_args(Generator)}")
        if self.n_test_positive is None or self.n_test_negative is None:
            raise ValueError("n_test_positive and n_test_negative are needed if rows are generated")

    def draw(self, dataset: Dataset, *, random_state: int, shared_seed: int | None = None, repeat: int = 0) -> Split:
        """Draw the rows of one repeat: see :meth:`Scheme.draw`; a ``shared_seed`` of None is 0.

        Returns
        -------
        Split
            ``prior`` is the share of true positives in U.

        Raises
        ------
        ValueError
            If a class has too few rows.
        """
        n_labeled, n_unlabeled, test = self.n_labeled, self.n_unlabeled, self.test
        wrong_labeled = round(self.contamination_labeled * n_labeled)
        wrong_unlabeled = round(self.contamination_unlabeled * n_unlabeled)
        arrays: dict[str, np.ndarray] = {}
        y, n_train = dataset.y, dataset.n_train
        counts = (self.n_test_negative, self.n_test_positive)
        if self.generator is not None:
            arrays["X"], arrays["y"] = _generate(n_labeled + n_unlabeled, counts, random_state)
            y, n_train, test = arrays["y"], 2 * (n_labeled + n_unlabeled), "given"
        pool, test_rows = _test_set(dataset.name, y, n_train, test, counts, random_state, shared_seed or 0)
        rng = np.random.default_rng([random_state, _TRAIN])
        negatives, positives = (rng.permutation(pool[y[pool] == label]) for label in (0, 1))
        _require(dataset.name, "positive", len(positives), n_labeled + wrong_unlabeled, f"{n_labeled} labeled")
        _require(dataset.name, "negative", len(negatives), n_unlabeled + wrong_labeled, f"{n_unlabeled} unlabeled")
        return Split(
            labeled=np.concatenate(
                [positives[: n_labeled - wrong_labeled], negatives[n_unlabeled : n_unlabeled + wrong_labeled]]
            ),
            unlabeled=np.concatenate(
                [negatives[: n_unlabeled - wrong_unlabeled], positives[n_labeled : n_labeled + wrong_unlabeled]]
            ),
            test=test_rows,
            prior=wrong_unlabeled / n_unlabeled,
            arrays=arrays,
        )


def contaminated_split(dataset: Dataset, *, random_state: int, shared_seed: int | None = None, **options: Any) -> Split:
    """Draw one split of :class:`pulib.sampling.Contaminated`.

    Parameters
    ----------
    dataset : Dataset
    random_state, shared_seed
        See :meth:`pulib.sampling.Scheme.draw`.
    **options
        See :class:`pulib.sampling.Contaminated`.

    Returns
    -------
    Split

    Examples
    --------
    >>> import numpy as np
    >>> from pulib import Dataset
    >>> from pulib import contaminated_split
    >>> data = Dataset("example", X=np.arange(100.0)[:, None], target=np.arange(100), y=(np.arange(100) < 40).astype(np.int8))
    >>> counts = {"n_labeled": 10, "n_unlabeled": 20, "n_test_positive": 5, "n_test_negative": 5}
    >>> split = contaminated_split(data, contamination_labeled=0.2, test="random", random_state=0, **counts)
    >>> print(f"{data.y[split.labeled].sum()} of {len(split.labeled)} labeled rows are positive")
    8 of 10 labeled rows are positive
    """
    return Contaminated(**options).draw(dataset, random_state=random_state, shared_seed=shared_seed)


def _generate(n_train: int, n_test: tuple[int | None, int | None], seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Generate circles: ``n_train`` training rows of each class, then test rows, whose numbers are by label."""
    rng = np.random.RandomState(np.random.default_rng([seed, _ROWS]).integers(2**32, dtype=np.uint32))
    sizes = [(n_train, n_train), (n_test[1] or 0, n_test[0] or 0)]
    parts = [make_circle_noise(n_positive, n_negative, random_state=rng) for n_positive, n_negative in sizes]
    return np.concatenate([X for X, _ in parts]), np.concatenate([y for _, y in parts])


def _test_set(
    name: str,
    y: np.ndarray,
    n_train: int | None,
    test: str,
    counts: tuple[int | None, int | None],
    random_state: int,
    shared_seed: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Return candidates for training, and the test rows; ``counts`` is by label."""
    if test == "given":
        if n_train is None:
            raise ValueError(f"{name} has no test set, so test='given' is not available; use 'fixed' or 'random'")
        pool, candidates = np.arange(n_train), np.arange(n_train, len(y))
        seed = shared_seed
    else:
        if None in counts:
            raise ValueError(f"{name}, test={test!r}: n_test_positive and n_test_negative are needed")
        pool = candidates = np.arange(len(y))
        seed = shared_seed if test == "fixed" else random_state
    rng = np.random.default_rng([seed, _TEST])
    chosen = []
    for label, count in enumerate(counts):
        rows = candidates[y[candidates] == label]
        if count is not None:
            _require(name, ("negative", "positive")[label], len(rows), count, f"{count} test")
            rows = rng.permutation(rows)[:count]
        chosen.append(rows)
    test_rows = np.sort(np.concatenate(chosen))
    if test != "given":
        pool = np.setdiff1d(pool, test_rows, assume_unique=True)
    return pool, test_rows


def _require(name: str, kind: str, available: int, needed: int, what: str) -> None:
    if available < needed:
        raise ValueError(
            f"{name} has {available} {kind} rows to draw from, and {needed} are needed for {what} rows and the contamination: "
            "use fewer rows or less contamination"
        )
