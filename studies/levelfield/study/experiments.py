"""Tasks, settings and experiments of the level field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pulab.plan import Experiment, Preset, Setting, Task
from pulib.datasets import list_tasks
from pulib.sampling import Mechanism
from studies.levelfield.study import methods as m


@dataclass(frozen=True, kw_only=True)
class Fit(Task):
    """Train with the method's own parameters.

    Attributes
    ----------
    limit : float
        Seconds of processor time after which a fit is stopped and counts as failed.
    """

    name: ClassVar[str] = "fit"

    limit: float = 60.0


@dataclass(frozen=True, kw_only=True)
class Tune(Task):
    """Choose among the parameters of the method's ``grid`` by several criteria."""

    name: ClassVar[str] = "tune"


# --- settings, by question ----------------------------------------------------------------------------------------------------

MAIN_SETTINGS = ("estimated_two_sample", "estimated_one_sample")
TRUE_PRIOR_SETTINGS = ("two_sample", "one_sample")
N_LABELS = (10, 30, 100, 300, 1000, 3000)
N_UNLABELED = (500, 2000, 10_000, 50_000)
RARE_PERCENT = (1, 2, 5, 10, 20)
N_LABELS_RARE = (30, 100)
ESTIMATORS = {"best_bin": "best bin", "elkan_noto": "Elkan and Noto", "tice": "TIcE", "km1": "KM1", "km2": "KM2"}


def settings_of(**sizes: Any) -> dict[str, Setting]:
    """Return all settings by name, with limits on the number of rows: ``max_unlabeled``, ``max_test``."""

    def setting(
        name: str, label: str, sampled: Any = "two_sample", *, fitted: str = "", task: type[Task] = Fit,
        given_prior: float | str = 1.0, **split: Any,
    ) -> Setting:  # fmt: skip
        scenario: Any = fitted or sampled
        return Setting(
            name, label, Mechanism(scenario=sampled, **{**sizes, **split}), task(scenario=scenario, given_prior=given_prior)
        )

    def as_users(name: str, label: str, sampled: str = "two_sample", **split: Any) -> Setting:
        """Make a setting with the π that a user would have."""
        return setting(name, label, sampled, given_prior="estimated", **split)

    found = [
        as_users("estimated_two_sample", "two samples"),
        as_users("estimated_one_sample", "one sample", "one_sample"),
        setting("two_sample", "two samples, true π"),
        setting("one_sample", "one sample, true π", "one_sample"),
        *(setting(f"labels_{n}", f"{n:,} labels", n_labeled=n) for n in N_LABELS),
        *(setting(f"biased_{k}", f"clear cases, k = {k}", "one_sample", kind="posterior", power=float(k)) for k in (1, 3, 10)),
        setting("biased_border", "doubtful cases, k = 10", "one_sample", kind="boundary", power=10.0),
        *(setting(f"wrong_{p:02}", f"{p}% wrong labels", wrong_share=p / 100) for p in (5, 10, 20, 30)),
        *(setting(f"prior_{p:03}", f"given {p / 100:g} π", given_prior=p / 100) for p in (60, 80, 120, 140)),
        *(setting(f"prior_estimated_{name}", f"π by {label}", given_prior=name) for name, label in ESTIMATORS.items()),
        setting("switched_two", "one sample, fitted as two", "one_sample", fitted="two_sample"),
        setting("switched_one", "two samples, fitted as one", fitted="one_sample"),
        setting("tuning", "tuning", task=Tune),
        *(as_users(f"size_{n}", f"{n:,} unlabeled rows", n_labeled=100, max_unlabeled=n) for n in N_UNLABELED),
        *(
            as_users(f"rare_{p:02}_{n}", f"π = {p}%, {n} labels", n_labeled=n, prior=p / 100)
            for p in RARE_PERCENT for n in N_LABELS_RARE
        ),
    ]  # fmt: skip
    return {own.name: own for own in found}


# --- experiments --------------------------------------------------------------------------------------------------------------

SUPERVISED = (m.supervised_lr, m.supervised_rf, m.supervised_hgb)
TRIVIAL = (m.all_positive, m.all_negative, m.random_share)
SHIPPED = ("breast_cancer", "digits", "circle_noise")


def chosen(settings: dict[str, Setting], *names: str) -> list[Setting]:
    return [settings[name] for name in names]


def quick_preset() -> Preset:
    settings = settings_of(max_unlabeled=400, max_test=1000)
    main, true_prior = chosen(settings, *MAIN_SETTINGS), chosen(settings, *TRUE_PRIOR_SETTINGS)
    three = [m.pu_et, m.upu, m.naive_lr]
    learners = [
        m.pu_et,
        m.adapu.but(params={"n_estimators": 30}),
        *(m.opu, m.upu),
        m.bagging_svm.but(params={"n_estimators": 20}),
        m.naive_lr,
        m.naive_hgb.but(params={"estimator": {"params": {"max_iter": 25}}}),
        m.elkan_noto_rf.but(params={"estimator": {"params": {"n_estimators": 20}}}),
    ]
    nnpu = m.nnpu.but(params={"epochs": 10, "body_params": {"hidden_layers": 1}})
    on_two = chosen(
        settings,
        *("biased_10", "biased_border", "prior_060", "prior_140", "prior_estimated_best_bin", "prior_estimated_tice"),
        *("switched_two", "switched_one", "tuning"),
    )
    return Preset(
        repeats=2,
        batch_size=2,
        job="all",
        experiments=[
            Experiment(datasets=SHIPPED, settings=main, methods=[*learners, *SUPERVISED, *TRIVIAL]),
            Experiment(datasets=SHIPPED, settings=true_prior, methods=[*three, m.supervised_lr, *TRIVIAL]),
            Experiment(datasets=["breast_cancer"], settings=main, methods=[nnpu]),
            Experiment(
                datasets=SHIPPED, settings=chosen(settings, "labels_10", "labels_30", "wrong_10", "wrong_30"), methods=three
            ),
            Experiment(datasets=["breast_cancer", "circle_noise"], settings=on_two, methods=three),
            Experiment(
                datasets=["circle_noise"],
                settings=chosen(settings, "size_500", "size_2000", "rare_10_30"),
                methods=[*three, m.all_negative],
            ),
        ],
    )


TASKS = tuple(task.name for task in list_tasks())
#: Tasks of the first edition; their learners have run ten times with the true π.
FIRST = TASKS[:13]
#: Tasks on which some default was chosen (docs/inside.md, "Evidence for the defaults").
SEEN = (*FIRST, "page_blocks_keel", "spambase_keel", "avila", "grid_stability")
#: Their other classes, which are shown separately and not ranked.
APPENDIX = (
    *("breast_cancer_malignant", "digits_odd", "mushrooms_poisonous", "phishing_class_0", "vote_democrat"),
    *("australian_class_0", "segment_other", "covtype_lodgepole", "mnist_odd"),
)
SLOW_LEARNERS = (m.nnpu, m.upu_mlp, m.auc_boosting, m.get_ensemble, m.bagging_rf, m.pu_toolbox_nnpu)
QUICK_LEARNERS = (
    *(m.pu_et, m.pu_tree, m.adapu, m.opu, m.upu, m.upu_logistic, m.upu_gaussian, m.cwsvm, m.bagging_svm, m.resvm),
    *(m.pu_svm, m.naive_lr, m.naive_rf, m.naive_hgb, m.bagging_tree, m.bagging_lr, m.bagging_hgb),
    *(m.elkan_noto_lr, m.elkan_noto_rf, m.elkan_noto_hgb, *SUPERVISED, *TRIVIAL),
    *(m.pulearn_elkan_noto, m.pulearn_bagging),
)
NEW_LEARNERS = (m.boosting, m.dedpul, m.two_step, m.one_class, m.lbe, m.pusb, m.vpu, m.cvir)
#: Learners for questions on some of the tasks, at a bearable cost.
SOME = (
    *(m.pu_et, m.adapu, m.opu, m.upu, m.bagging_svm, m.resvm, m.naive_lr, m.naive_rf, m.naive_hgb),
    *(m.bagging_tree, m.elkan_noto_lr, m.elkan_noto_rf),
)
#: Learners that take seconds with 50,000 rows.
FAST = (m.pu_et, m.adapu, m.opu, m.upu, m.bagging_svm, m.naive_lr, m.naive_hgb, m.bagging_tree, m.bagging_rf, m.boosting)
TAKE_PRIOR = (*(m.pu_et, m.adapu, m.opu, m.upu, m.bagging_svm, m.naive_lr, m.naive_hgb, m.bagging_tree, m.elkan_noto_rf),)
SIX: Sequence[str] = ("breast_cancer", "australian", "mushrooms", "segment_ground", "phishing", "ijcnn1")
#: Tasks with 10,000 unlabeled rows, and with 50,000.
LARGE, LARGEST = ("ijcnn1", "covtype", "mnist", "unsw_nb15_82k", "magic", "letter"), ("covtype", "mnist", "unsw_nb15_82k")
#: The largest tasks except MNIST: those with 2,000 unlabeled rows, a fifth of them positive, and 100 additional labels.
RARE_TASKS = ("covtype", "ijcnn1", "unsw_nb15_82k", "avila", "letter", "magic", "penbased", "phishing")


def paper_preset() -> Preset:
    settings = settings_of(max_unlabeled=2000, max_test=5000)
    main, true_prior = chosen(settings, *MAIN_SETTINGS), chosen(settings, *TRUE_PRIOR_SETTINGS)
    biased = chosen(settings, "biased_1", "biased_3", "biased_10", "biased_border")
    large = ("covtype", "unsw_nb15_82k")
    priors = [own for name, own in settings.items() if name.startswith(("prior_", "switched_"))]
    sizes = chosen(settings, *(f"size_{n}" for n in N_UNLABELED))
    rare = [own for name, own in settings.items() if name.startswith("rare_")]
    once: dict[str, Any] = {"repeats": 1, "batch_size": 1}
    return Preset(
        repeats=10,
        batch_size=5,
        mem_mb=3000,
        runtime=120,
        experiments=[
            Experiment(
                datasets=TASKS,
                settings=main,
                methods=[*QUICK_LEARNERS, *SLOW_LEARNERS, *NEW_LEARNERS, m.self_pu, m.biased],
                job="main",
                **once,
            ),
            # the other slow learners, which rank low, get the true π on only six tasks, below
            Experiment(
                datasets=TASKS,
                settings=true_prior,
                methods=[*QUICK_LEARNERS, m.bagging_rf, m.nnpu, *NEW_LEARNERS],
                job="true",
                **once,
            ),
            Experiment(
                datasets=[*FIRST, "circle_noise", *APPENDIX], settings=true_prior, methods=QUICK_LEARNERS, job="reference"
            ),
            Experiment(
                datasets=["breast_cancer", "australian", "cancer", "segment_ground", "mushrooms", "ijcnn1"],
                settings=true_prior,
                methods=SLOW_LEARNERS,
                job="slow",
            ),
            Experiment(datasets=LARGE, settings=sizes[:3], methods=FAST, job="sizes", **once),
            Experiment(datasets=LARGEST, settings=sizes[3:], methods=FAST, job="sizes", **once),
            Experiment(datasets=RARE_TASKS, settings=rare, methods=[*FAST, m.all_negative], job="rare", **once),
            Experiment(
                datasets=["breast_cancer", "australian", "segment_ground"],
                settings=[settings["one_sample"], *biased],
                methods=[m.biased],
                job="sar",
            ),
            Experiment(
                datasets=["digits", "circle_noise", "mushrooms", "phishing", "segment_ground", "ijcnn1", *large],
                settings=chosen(settings, "labels_10", "labels_30", "labels_100", "labels_300"),
                methods=SOME,
                job="labels",
            ),
            Experiment(
                datasets=["circle_noise", "mushrooms", "phishing", *large],
                settings=[settings["labels_1000"]],
                methods=SOME,
                job="labels",
            ),
            Experiment(datasets=large, settings=[settings["labels_3000"]], methods=SOME, job="labels"),
            Experiment(
                datasets=[*SIX[:2], "digits", *SIX[2:], "covtype"],
                settings=[*chosen(settings, "wrong_05", "wrong_10", "wrong_20", "wrong_30"), *biased],
                methods=SOME,
                job="labels",
            ),
            Experiment(datasets=SIX, settings=[settings["one_sample"], *biased], methods=[m.pusb], job="labels"),
            Experiment(datasets=SIX, settings=priors, methods=TAKE_PRIOR, job="priors"),
            Experiment(datasets=SIX, settings=[settings["tuning"]], methods=TAKE_PRIOR, job="tuning"),
        ],
    )
