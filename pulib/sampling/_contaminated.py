"""Contaminated splits: labeled and unlabeled sets of given sizes, a given share of which are of the wrong class."""

from __future__ import annotations

import numpy as np

from pulib.datasets import Dataset, make_circle_noise
from pulib.sampling._split import Split

_TEST, _TRAIN, _ROWS = range(3)
_GENERATORS = {"circle_noise": make_circle_noise}


def contaminated_split(
    dataset: Dataset,
    *,
    random_state: int,
    shared_seed: int = 0,
    n_labeled: int = 100,
    n_unlabeled: int = 1000,
    contamination_labeled: float = 0.0,
    contamination_unlabeled: float = 0.0,
    test: str = "given",
    n_test_positive: int | None = None,
    n_test_negative: int | None = None,
    generator: str | None = None,
) -> Split:
    """Draw a labeled set P, an unlabeled set U, and a test set.

    Sections 2.4.1 and 2.4.2 of the RESVM chapter.  Without contamination, P contains only true positives and U only true
    negatives.  A contamination of c replaces ``round(c · n)`` rows of a set by rows of the other class.  Equal seeds give equal
    clean draws and equal test sets at every contamination, so that settings differ only in the replaced rows.

    Parameters
    ----------
    dataset : Dataset
    random_state : int
        Seed of the draw.
    shared_seed : int, default=0
        Seed of the test set where ``test="fixed"``.
    n_labeled, n_unlabeled : int
        |P| and |U|.
    contamination_labeled, contamination_unlabeled : float in [0, 1]
        Shares of true negatives in P, and of true positives in U.
    test : {"given", "fixed", "random"}, default="given"
        The publisher's test set; or rows drawn once for all repeats; or rows drawn anew.
    n_test_positive, n_test_negative : int or None
        Rows of each class to test on; None uses all ("given"); needed otherwise.
    generator : {"circle_noise"} or None, default=None
        Generate fresh training and test rows instead of taking the data set's; they are kept in ``arrays["X"]`` and
        ``arrays["y"]``, and all row numbers refer to those.

    Returns
    -------
    split : Split
        Its ``prior`` is the share of true positives in U.

    Raises
    ------
    ValueError
        If a class has fewer rows than are needed, or an argument is out of range; the message gives the numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from pulib.datasets import Dataset
    >>> from pulib.sampling import contaminated_split
    >>> y = np.repeat(np.array([1, 0], dtype=np.int8), [40, 60])
    >>> data = Dataset("example", X=np.zeros((100, 1)), target=y, y=y)
    >>> split = contaminated_split(data, random_state=0, n_labeled=10, n_unlabeled=20, contamination_unlabeled=0.3,
    ...                            test="random", n_test_positive=10, n_test_negative=10)
    >>> int(y[split.labeled].sum()), int(y[split.unlabeled].sum()), len(split.test)
    (10, 6, 20)
    """
    for name, value in (("contamination_labeled", contamination_labeled), ("contamination_unlabeled", contamination_unlabeled)):
        if not 0 <= value <= 1:
            raise ValueError(f"{name}={value}: a share from 0 to 1 is expected")
    if test not in ("given", "fixed", "random"):
        raise ValueError(f"test={test!r}: one of 'given', 'fixed', 'random' is expected")
    wrong_labeled = round(contamination_labeled * n_labeled)
    wrong_unlabeled = round(contamination_unlabeled * n_unlabeled)
    arrays: dict[str, np.ndarray] = {}
    y, n_train = dataset.y, dataset.n_train
    if generator is not None:
        arrays["X"], arrays["y"] = _generate(
            generator,
            (n_labeled + n_unlabeled, n_test_positive),
            (n_labeled + n_unlabeled, n_test_negative),
            random_state,
        )
        y, n_train, test = arrays["y"], 2 * (n_labeled + n_unlabeled), "given"
    pool, test_rows = _test_set(dataset.name, y, n_train, test, (n_test_negative, n_test_positive), random_state, shared_seed)
    rng = np.random.default_rng([random_state, _TRAIN])
    negatives, positives = (rng.permutation(pool[y[pool] == label]) for label in (0, 1))
    _require(dataset.name, "positive", len(positives), n_labeled + wrong_unlabeled, f"{n_labeled} labeled")
    _require(dataset.name, "negative", len(negatives), n_unlabeled + wrong_labeled, f"{n_unlabeled} unlabeled")
    return Split(
        labeled=np.concatenate([positives[: n_labeled - wrong_labeled], negatives[n_unlabeled : n_unlabeled + wrong_labeled]]),
        unlabeled=np.concatenate(
            [negatives[: n_unlabeled - wrong_unlabeled], positives[n_labeled : n_labeled + wrong_unlabeled]]
        ),
        test=test_rows,
        prior=wrong_unlabeled / n_unlabeled,
        arrays=arrays,
    )


def _generate(
    name: str, positive: tuple[int, int | None], negative: tuple[int, int | None], seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Training rows first (enough of each class for any contamination), then test rows."""
    if name not in _GENERATORS:
        raise ValueError(f"generator={name!r}: one of {sorted(_GENERATORS)} is expected")
    if positive[1] is None or negative[1] is None:
        raise ValueError("n_test_positive and n_test_negative are needed if rows are generated")
    rng = np.random.RandomState(np.random.default_rng([seed, _ROWS]).integers(2**32, dtype=np.uint32))
    generate = _GENERATORS[name]
    parts = [generate(positive[0], negative[0], random_state=rng), generate(positive[1], negative[1], random_state=rng)]
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
    """The rows to train on and those to test on; ``counts`` is by label."""
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
