"""The tasks of the reference benchmark (the level field): data sets, and the rows of each repeat."""

from __future__ import annotations

import csv
import difflib
import operator
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from pulib.datasets._load import load_dataset
from pulib.datasets.registry import RegistryError, load_registry
from pulib.sampling import Mechanism
from pulib.sampling.seeds import split_seed

Setting = Literal["one_sample", "two_sample"]
#: One data set per source.
TASKS = (
    "breast_cancer", "digits", "mushrooms", "phishing", "vote", "australian", "cancer", "segment_ground", "ijcnn1",
    "covtype", "mnist", "20newsgroups_svd", "unsw_nb15_82k", "german", "pima", "mammographic", "phoneme", "magic",
    "spambase_keel", "chess", "tic_tac_toe", "titanic", "saheart", "bupa", "heart", "ionosphere", "sonar", "bands",
    "breast_recurrence", "letter", "penbased", "satimage", "texture", "splice", "marketing", "contraceptive", "vehicle",
    "vowel", "movement_libras", "page_blocks_keel", "yeast", "ecoli", "glass", "car", "kr_vs_k", "shuttle_c0_c4",
    "haberman", "ada", "hiva", "kc1", "pc1", "hypothyroid", "bank", "wine_good", "avila", "grid_stability",
)  # fmt: skip
#: Sampling mechanisms, with at most 2,000 unlabeled and 5,000 test rows.
SCHEMES: dict[str, Mechanism] = {
    scenario: Mechanism(scenario=scenario, max_unlabeled=2000, max_test=5000) for scenario in get_args(Setting)
}
#: Study whose seeds are used.
STUDY = "levelfield"
#: Maximum number of values of a discrete feature.
FEW_VALUES = 20
#: Written by `write_table`.
TABLE = Path(__file__).with_name("tasks.csv")


@dataclass(frozen=True)
class BenchmarkTask:
    """The rows of one repeat of a benchmark task.

    Attributes
    ----------
    name, setting, repeat
        The arguments of :func:`load_task`.
    X : array of shape (n_train, n_features)
        Training rows, labeled ones first, not scaled.
    y : int array of shape (n_train,)
        PU labels: 1 for labeled positives, 0 for unlabeled rows.
    X_test : array of shape (n_test, n_features)
    y_test : int array of shape (n_test,)
        True labels: 1 for positives, 0 for negatives.
    prior : float
        The true π: the share of positives among the unlabeled rows (two samples) or all training rows (one sample).
    rows, rows_test : int arrays
        Row numbers of the training and test rows in the data set.
    """

    name: str
    setting: Setting
    repeat: int
    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    prior: float
    rows: np.ndarray
    rows_test: np.ndarray


@dataclass(frozen=True)
class TaskFacts:
    """Facts about a benchmark task, available without loading it.

    Attributes
    ----------
    name, title : str
    n, d, n_positive : int
        Numbers of rows, features and positives.
    prior : float
        Share of positives.
    share_discrete : float
        Share of features with at most 20 values, such as one-hot columns.
    positive, license, collection, source : str
        Description of the positives; the license; the package of the data set, or an empty string; the publisher's page.
    """

    name: str
    title: str
    n: int
    d: int
    n_positive: int
    prior: float
    share_discrete: float
    positive: str
    license: str
    collection: str
    source: str


def list_tasks() -> list[TaskFacts]:
    """List the tasks of the reference benchmark, one per source, without downloading them.

    Returns
    -------
    tasks : list of TaskFacts

    Examples
    --------
    >>> from pulib.datasets import list_tasks
    >>> facts = {task.name: task for task in list_tasks()}
    >>> facts["spambase_keel"].n, facts["spambase_keel"].d, facts["spambase_keel"].n_positive
    (4597, 57, 1812)
    """
    kinds = {"n": int, "d": int, "n_positive": int, "prior": float, "share_discrete": float}
    with open(TABLE, encoding="utf-8", newline="") as file:
        return [TaskFacts(**{key: kinds.get(key, str)(text) for key, text in row.items()}) for row in csv.DictReader(file)]


def load_task(
    name: str,
    setting: Setting = "one_sample",
    repeat: int = 0,
    *,
    data_dir: str | Path | None = None,
    mirror: str | Iterable[str] | None = None,
) -> BenchmarkTask:
    """Load the training and test rows of one repeat of a benchmark task.

    Test rows are the publisher's or, if there are none, 30% of the rows, at most 5,000.  Of the other rows, at most 2,000 are
    unlabeled.  A fifth of the positives of a sample of that size, at most 1,000, are labeled: within the sample
    (``"one_sample"``), or separately from the unlabeled rows (``"two_sample"``).  Small data sets use all their rows.

    Parameters
    ----------
    name : str
        The name of a task in :func:`list_tasks`.
    setting : {"one_sample", "two_sample"}, default="one_sample"
    repeat : int, default=0
        Both settings of a repeat have the same test rows.
    data_dir, mirror
        See :func:`load_dataset`.

    Returns
    -------
    task : BenchmarkTask

    Raises
    ------
    RegistryError
        If the benchmark has no task of this name.
    ValueError
        If the setting is unknown or the repeat is negative.
    TypeError
        If the repeat is not a whole number.
    DownloadError
        If a file cannot be downloaded.

    Examples
    --------
    >>> from pulib.datasets import load_task
    >>> task = load_task("breast_cancer", data_dir=getfixture("tmp_path"))
    >>> task.X.shape, int(task.y.sum()), len(task.y_test), round(task.prior, 3)
    ((398, 30), 50, 171, 0.638)
    """
    if name not in TASKS:
        close = difflib.get_close_matches(name, TASKS, n=1)
        hint = f" (did you mean {close[0]!r}?)" if close else ""
        raise RegistryError(f"unknown benchmark task {name!r}{hint}; list_tasks() names all {len(TASKS)}")
    if setting not in SCHEMES:
        raise ValueError(f"setting={setting!r}; expected one of {', '.join(SCHEMES)}")
    repeat = int(operator.index(repeat))  # NumPy's integers have no seed, and 1.0 has another one than 1
    if repeat < 0:
        raise ValueError(f"repeat={repeat}; expected 0 or more")
    data = load_dataset(name, data_dir=data_dir, mirror=mirror)
    split = SCHEMES[setting].draw(data, random_state=split_seed(STUDY, name, repeat), repeat=repeat)
    rows = np.concatenate([split.labeled, split.unlabeled])
    return BenchmarkTask(
        name=name,
        setting=setting,
        repeat=repeat,
        X=np.asarray(data.X[rows]),
        y=np.repeat([1, 0], [len(split.labeled), len(split.unlabeled)]),
        X_test=np.asarray(data.X[split.test]),
        y_test=data.y[split.test].astype(np.int64),
        prior=split.prior,
        rows=rows,
        rows_test=split.test,
    )


def share_discrete(X: np.ndarray) -> float:
    """Share of columns with at most :data:`FEW_VALUES` values, rounded to three digits."""
    n_values = [len(np.unique(X[:, j])) for j in range(X.shape[1])]
    return round(float(np.mean(np.array(n_values) <= FEW_VALUES)), 3)


def write_table(shares: Mapping[str, float], path: Path = TABLE) -> None:
    """Write the table of :func:`list_tasks`, given each task's share of discrete features."""
    registry = load_registry()
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(TaskFacts)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(facts_of(registry, name, shares[name])) for name in TASKS)


def facts_of(registry: Mapping[str, Mapping[str, Any]], name: str, share: float) -> TaskFacts:
    """Collect facts about a task from the registry."""
    entry = registry[name]
    base = registry[entry.get("base", name)]
    expected = base["expected"]
    counts = {int(code): count for code, count in expected["class_counts"].items()}
    n_positive = sum(counts[code] for code in entry["positive"])
    collection = [file["pip"] for needed in base.get("needs", []) for file in registry[needed]["files"] if "pip" in file]
    return TaskFacts(
        name=name,
        title=entry["title"],
        n=expected["n"],
        d=expected["d"],
        n_positive=n_positive,
        prior=round(n_positive / expected["n"], 4),
        share_discrete=share,
        positive=entry["positive_text"],
        license=entry["license"],
        collection=", ".join(collection),
        source=entry["source"],
    )


if __name__ == "__main__":  # python -m pulib.datasets._tasks downloads all data sets
    write_table({name: share_discrete(load_dataset(name).X) for name in TASKS})
