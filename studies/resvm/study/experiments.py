"""Tasks, settings and experiments of the chapter."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pulab.plan import Experiment, Preset, Setting, Task
from pulib.sampling import Contaminated
from studies.resvm.study.methods import BLIND, COVTYPE, DIGITS, MAIN, MNIST, SENSIT, bagging, cwsvm, cwsvm_hinge, resvm

# --- what a trial does: tune on positive and unlabeled rows, test on true labels (section 2.4.1) -----------------------------


@dataclass(frozen=True, kw_only=True)
class Curves:
    """Curves to store for some repeats, at evenly spaced points."""

    repeats: tuple[int, ...]
    points: int


@dataclass(frozen=True, kw_only=True)
class Densities:
    """Smoothed densities to store for one method's training rows in the plane."""

    method: str
    repeats: tuple[int, ...]
    bins: int
    extent: float


@dataclass(frozen=True, kw_only=True)
class GridSearch(Task):
    """Tune over the method's ``grid``.

    Attributes
    ----------
    n_folds : int
        Number of folds of the cross-validation; all methods of a repeat have the same folds.
    scale : float or "minmax", optional
        What features are divided by, or "minmax" for scaling by the training rows.
    curves, densities
        What to store for figures in addition to the areas.
    """

    name: ClassVar[str] = "grid_search"
    n_folds: int = 10
    scale: float | str | None = None
    curves: Curves | None = None
    densities: Densities | None = None


@dataclass(frozen=True, kw_only=True)
class RandomSearch(GridSearch):
    """Tune over ``n_iter`` draws from the method's ``box``."""

    name: ClassVar[str] = "random_search"
    n_iter: int = 100


# --- settings ----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Source:
    """How a data set is sampled (table 2.1), and the share of wrong labels in contaminated settings."""

    datasets: tuple[str, ...]
    contamination: float
    scale: float | str | None = None
    sizes: Mapping[str, Any] = field(default_factory=dict)


def sizes(
    n_labeled: int,
    n_unlabeled: int,
    test: str = "given",
    *,
    positive: int | None = None,
    negative: int | None = None,
    **more: Any,
) -> dict[str, Any]:
    tested = {"test": test, "n_test_positive": positive, "n_test_negative": negative}
    return {"n_labeled": n_labeled, "n_unlabeled": n_unlabeled, **tested, **more}


SYNTHETIC = sizes(100, 200, positive=5000, negative=5000, generator="circle_noise")
SOURCES = (
    Source(("circle_noise",), 0.3, sizes=SYNTHETIC),
    Source(("cancer",), 0.3, sizes=sizes(50, 200, "random", positive=100, negative=100)),
    Source(("ijcnn1",), 0.1, sizes=sizes(100, 10000)),
    Source(COVTYPE, 0.3, "minmax", sizes(100, 1000, "fixed", positive=20000, negative=20000)),
    Source(MNIST, 0.1, 255, sizes(50, 2000)),
    Source(SENSIT, 0.3, sizes=sizes(100, 1000)),
    Source(("breast_cancer",), 0.3, "minmax", sizes(50, 100, "random", positive=60, negative=60)),
    Source(DIGITS, 0.1, 16, sizes(50, 400, "random", positive=60, negative=600)),
)
#: Data sets whose curves are stored in the semi-supervised setting.
CURVES = ("circle_noise", "cancer", "ijcnn1", "covtype", *MNIST, *DIGITS)


def contaminated(name: str, label: str, *, labeled: bool, unlabeled: bool) -> Setting:
    """Make a setting in which P, U, or both are contaminated by the share of table 2.1."""
    setting = Setting(name, label, Contaminated(), GridSearch())
    for source in SOURCES:
        share = source.contamination
        setting = setting.on(
            source.datasets,
            **source.sizes,
            contamination_labeled=share if labeled else 0.0,
            contamination_unlabeled=share if unlabeled else 0.0,
            scale=source.scale,
        )
    setting = setting.on("circle_noise", densities=Densities(method="resvm_resvm", repeats=(0,), bins=41, extent=7.0))
    return setting.on(CURVES, curves=Curves(repeats=tuple(range(20)), points=201)) if labeled else setting


supervised = contaminated("supervised", "supervised", labeled=False, unlabeled=False)
pu = contaminated("pu", "PU learning", labeled=False, unlabeled=True)
semi = contaminated("semi", "semi-supervised", labeled=True, unlabeled=True)
SETTINGS = (supervised, pu, semi)

# section 2.5.6: one contamination is fixed at 30%, the other one varies
sweep_30 = Setting(
    "sweep_30",
    "30% of P and U",
    Contaminated(**SYNTHETIC, contamination_labeled=0.3, contamination_unlabeled=0.3),
    RandomSearch(),
)
by_labeled = {p: sweep_30.but(f"sweep_p_{p:02}", f"{p}% of P", contamination_labeled=p / 100) for p in (0, 10, 20, 40, 50, 60)}
by_unlabeled = {
    p: sweep_30.but(f"sweep_u_{p:02}", f"{p}% of U", contamination_unlabeled=p / 100) for p in (0, 10, 20, 40, 50, 60)
}
SWEEPS = (*list(by_labeled.values())[:3], sweep_30, *list(by_labeled.values())[3:], *by_unlabeled.values())

# --- experiments -------------------------------------------------------------------------------------------------------------


def shortened(settings: Sequence[Setting], **more: Any) -> list[Setting]:
    return [setting.but(n_folds=5, **more) for setting in settings]


QUICK = (
    cwsvm(C_unlabeled=[1.0, 0.1, 10.0], C_positive=[10.0, 1.0]),
    bagging({"n_estimators": 20}, C=[1.0, 0.1], n_unlabeled=[100, 50]),
    resvm({"n_estimators": 20}, C=[1.0, 0.1], w_positive=[1.6, 3.2], n_positive=[10, 20]),
)
quick = Preset(
    repeats=2,
    batch_size=2,
    job="svms",
    stand_ins={"cancer": "breast_cancer", "mnist_digit_7": "digits_digit_7"},
    experiments=[
        Experiment(datasets=["circle_noise", "digits_digit_7"], settings=shortened(SETTINGS), methods=QUICK),
        Experiment(datasets=["breast_cancer"], settings=shortened([semi]), methods=QUICK),
        Experiment(
            datasets=["circle_noise"],
            settings=shortened([by_labeled[50], sweep_30, by_unlabeled[50]], n_iter=8),
            methods=[QUICK[0], QUICK[2]],
        ),
    ],
)
SYNTHETIC_AND_CANCER = ("circle_noise", "cancer")
paper = Preset(
    repeats=20,
    batch_size=20,
    mem_mb=2000,
    runtime=120,
    experiments=[
        Experiment(datasets=MNIST, settings=SETTINGS, methods=MAIN, job="all"),
        Experiment(datasets=MNIST, settings=SETTINGS, methods=[cwsvm_hinge], job="hinge"),
        Experiment(datasets=SYNTHETIC_AND_CANCER, settings=SETTINGS, methods=MAIN, job="all"),
        Experiment(datasets=COVTYPE, settings=SETTINGS, methods=MAIN),
        Experiment(datasets=["covtype"], settings=[semi], methods=MAIN, repeats=100),  # section 2.5.4
        Experiment(datasets=["ijcnn1"], settings=SETTINGS, methods=MAIN, batch_size=5, mem_mb=3000, runtime=240),
        Experiment(datasets=SENSIT, settings=SETTINGS, methods=MAIN),
        Experiment(datasets=["circle_noise"], settings=SWEEPS, methods=MAIN, batch_size=2, job="sweeps"),
        Experiment(datasets=MNIST, settings=SETTINGS, methods=BLIND, repeats=5, job="blind"),
        Experiment(datasets=SYNTHETIC_AND_CANCER, settings=SETTINGS, methods=BLIND, repeats=10, batch_size=5, job="blind"),
        Experiment(datasets=["covtype"], settings=SETTINGS, methods=BLIND, repeats=5, batch_size=5),
        Experiment(datasets=["ijcnn1"], settings=SETTINGS, methods=BLIND, repeats=5, batch_size=5, mem_mb=3000),
    ],
)

# --- what the target `grids` settles: ends of grids by a rule that uses no test rows (studies/resvm/grids.py) ----------------


@dataclass(frozen=True, kw_only=True)
class GridFamily:
    """Data sets that share one grid, which is settled on the first draws of each of them.

    Attributes
    ----------
    methods : mapping
        Maps a method whose grid is chosen to the method whose grid it starts from.
    ends : mapping
        The largest value of each parameter.
    steps : mapping
        The factor from one value of a parameter to the next.
    """

    datasets: Sequence[str]
    settings: Sequence[str]
    methods: Mapping[str, str]
    repeats: int
    ends: Mapping[str, float]
    steps: Mapping[str, float]


BEGIN = {"resvm_cwsvm_blind": "resvm_cwsvm", "resvm_bag_blind": "resvm_bag", "resvm_resvm_blind": "resvm_resvm"}
TWOS = dict.fromkeys(("n_positive", "n_unlabeled", "unlabeled_per_positive"), 2)
FINE_STEPS = {"C": 10, "C_unlabeled": 10, "gamma": 10, "C_positive": 2, "w_positive": 2, **TWOS}
COARSE_STEPS = {**FINE_STEPS, "C_positive": 4, "w_positive": 4}  # weights of all methods


def family(
    dataset: str | Sequence[str], repeats: int, steps: Mapping[str, float], end: float = 100, **ends: float
) -> GridFamily:
    """Make a family that limits penalties like the wider main grids, since each further power multiplies the training time."""
    return GridFamily(
        datasets=[dataset] if isinstance(dataset, str) else dataset,
        settings=[setting.name for setting in SETTINGS],
        methods=BEGIN,
        repeats=repeats,
        ends={**dict.fromkeys(("C", "C_unlabeled", "C_positive"), end), **ends},
        steps=steps,
    )


GRIDS: dict[str, dict[str, GridFamily]] = {
    "quick": {
        "circle_noise": GridFamily(
            datasets=["circle_noise"],
            settings=["semi"],
            methods={name: BEGIN[name] for name in ("resvm_cwsvm_blind", "resvm_bag_blind")},
            repeats=2,
            ends={"C": 10},
            steps=FINE_STEPS,
        )
    },
    "paper": {
        "mnist": family(MNIST, 1, {**FINE_STEPS, "C_positive": 10}, 1000),
        "cancer": family("cancer", 5, FINE_STEPS),
        "circle_noise": family("circle_noise", 5, FINE_STEPS),
        "covtype": family("covtype", 5, COARSE_STEPS),
        "ijcnn1": family("ijcnn1", 3, COARSE_STEPS, n_unlabeled=1600, unlabeled_per_positive=20),
    },
}


def find_grids(preset: str, studies: Container[str]) -> Mapping[str, GridFamily]:
    """Return the families of data sets whose grids a preset settles, by name; empty if the chapter is not among the studies."""
    return GRIDS.get(preset, {}) if "resvm" in studies else {}
