"""The chapter's SVMs, and the parameter values that are searched for each.

Values are listed from the middle of a grid outward, because the first of equally good candidates is chosen.  The sizes of
RESVM's unlabeled resamples are listed as multiples of n_positive.  The same grids serve all three settings of a data set.
"""

from __future__ import annotations

from typing import Any

from pulab.plan import Method

MNIST = tuple(f"mnist_digit_{digit}" for digit in range(10))
DIGITS = ("digits", "digits_digit_7")
COVTYPE = ("covtype", "covtype_lodgepole")
SENSIT = tuple(f"sensit_class_{number}" for number in (1, 2, 3))

CWSVM, LINEAR_CWSVM = "pulib.svm.ClassWeightedSVC", "studies.resvm.liblinear.ClassWeightedLinearSVC"
RBF = {"n_estimators": 50, "kernel": "rbf"}
LINEAR = {"kernel": "linear"}
GAMMA = [0.1, 0.01, 1.0]
PENALTY = [1.0, 0.1, 10.0, 100.0]
#: C_positive relative to C_unlabeled in steps of about two, like w_positive: with steps of ten, CWSVM's areas on synthetic data
#: are far too low.
FINE = [10.0, 5.0, 20.0, 2.0, 50.0, 1.0, 100.0, 0.5, 0.2, 0.1]
WIDE = [10.0, 5.0, 20.0, 2.0, 50.0, 1.0, 100.0, 200.0, 500.0, 1000.0]


def cwsvm(**grid: list[Any]) -> Method:
    """Make the class-weighted SVM; with the linear kernel, as in the chapter, it is LIBLINEAR's: squared slacks, no bias."""
    return (
        Method(
            name="resvm_cwsvm",
            label="CWSVM",
            style=("blue", "o"),
            estimator=CWSVM,
            grid={"C_unlabeled": [1.0, 0.1, 10.0], "C_positive": [10.0, 1.0, 100.0, 0.1], **grid},
            box={"C_unlabeled": [0.01, 100.0], "C_positive": [0.01, 100.0], "gamma": [0.01, 1.0]},
        )
        .on("circle_noise", grid={"gamma": GAMMA, "C_positive": FINE})
        .on("cancer", grid={"gamma": [0.01, 0.001, 0.1], "C_positive": FINE})
        # wider than the others: a first run over those had most optima on an edge (docs/studies/resvm.md)
        .on("ijcnn1", grid={"gamma": [0.3, 0.1, 1.0], "C_unlabeled": PENALTY, "C_positive": WIDE})
        .on(COVTYPE, grid={"gamma": GAMMA, "C_unlabeled": PENALTY, "C_positive": WIDE})
        .on(SENSIT, grid={"gamma": GAMMA, "C_positive": FINE})
        .on("breast_cancer", grid={"gamma": [0.3, 0.1]})
        .on((*MNIST, *DIGITS), estimator=LINEAR_CWSVM)
    )


def bagging(params: dict[str, Any] | None = None, **grid: list[Any]) -> Method:
    """Make bagging of SVMs on resamples of U."""
    return (
        Method(
            name="resvm_bag",
            label="BAG",
            style=("orange", "v"),
            estimator="pulib.svm.BaggingSVC",
            params={**RBF, **(params or {})},
            grid={"C": [1.0, 0.1, 10.0], "n_unlabeled": [100, 50, 200], **grid},
            box={"C": [0.01, 100.0], "n_unlabeled": [10, 200], "gamma": [0.01, 1.0]},
        )
        .on("circle_noise", grid={"gamma": GAMMA})
        .on("cancer", grid={"gamma": [0.01, 0.001, 0.1]})
        .on("ijcnn1", grid={"gamma": [0.3, 0.1, 1.0], "C": PENALTY, "n_unlabeled": [400, 200, 800]})
        .on(COVTYPE, grid={"gamma": GAMMA, "C": PENALTY, "n_unlabeled": [100, 50, 200, 400]})
        .on(SENSIT, grid={"gamma": GAMMA})
        .on("breast_cancer", grid={"gamma": [0.3, 0.1]})
        .on(MNIST, params=LINEAR, grid={"n_unlabeled": [100, 50, 200, 25, 400]})
        .on(DIGITS, params=LINEAR)
    )


def resvm(params: dict[str, Any] | None = None, **grid: list[Any]) -> Method:
    """Make RESVM: bagging of class-weighted SVMs on resamples of P and U."""
    sizes = {"n_positive": [20, 10, 40], "unlabeled_per_positive": [5, 2, 10]}
    return (
        Method(
            name="resvm_resvm",
            label="RESVM",
            style=("green", "^"),
            estimator="pulib.svm.RobustEnsembleSVC",
            params={**RBF, **(params or {})},
            grid={"C": [1.0, 0.1, 10.0], "w_positive": [1.6, 0.8, 3.2, 6.4], **sizes, **grid},
            box={
                "C": [0.01, 100.0],
                "w_positive": [0.2, 20.0],
                "n_positive": [5, 100],
                "n_unlabeled": [10, 200],
                "gamma": [0.01, 1.0],
            },
        )
        .on("circle_noise", grid={"gamma": GAMMA, "unlabeled_per_positive": [2, 1, 5]})
        .on("cancer", grid={"gamma": [0.01, 0.001, 0.1], "n_positive": [10, 5, 20], "unlabeled_per_positive": [2, 1, 5]})
        .on("ijcnn1", grid={"gamma": [0.3, 0.1, 1.0], "C": PENALTY, "w_positive": [0.8, 0.4, 1.6], "n_positive": [40, 20, 80]})
        .on(COVTYPE, grid={"gamma": GAMMA, "C": PENALTY, "w_positive": [1.6, 0.8, 3.2], "n_positive": [40, 20, 80]})
        .on(SENSIT, grid={"gamma": GAMMA})
        .on("breast_cancer", grid={"gamma": [0.3, 0.1], "unlabeled_per_positive": [2]})
        # brackets the optima of table 2.6: n_pos 5 to 20, ratios 5 to 10, weights 1.6 to 12.8
        .on(
            MNIST,
            params=LINEAR,
            grid={
                "w_positive": [3.2, 1.6, 6.4, 0.8, 12.8, 25.6],
                "n_positive": [10, 5, 20, 3, 30],
                "unlabeled_per_positive": [5, 10, 3, 15],
            },
        )
        .on(DIGITS, params=LINEAR)
    )


#: The other interpretation of CWSVM with the linear kernel: eq. 2.1 to the letter.
cwsvm_hinge = Method(
    name="resvm_cwsvm_hinge",
    label="CWSVM, hinge loss and bias",
    estimator=CWSVM,
    params=LINEAR,
    grid={"C_unlabeled": [1.0, 0.1, 10.0], "C_positive": [10.0, 1.0, 100.0, 0.1]},
)

# The same SVMs with grids chosen by a rule that uses no test rows (studies/resvm/grids.py):
# `snakemake grids --cores all --configfile config/paper.yaml`; a test compares these grids with its results
FIVE = [1.0, 0.1, 10.0, 0.01, 100.0]
cwsvm_blind = (
    Method(name="resvm_cwsvm_blind", label="CWSVM, blind grid", estimator=CWSVM)
    .on(
        MNIST,
        estimator=LINEAR_CWSVM,
        grid={
            "C_unlabeled": [0.1, 0.01, 1.0, 0.001, 10.0, 0.0001, 100.0],
            "C_positive": [1.0, 0.1, 10.0, 0.01, 100.0, 0.001, 1000.0],
        },
    )
    .on(
        "cancer",
        grid={
            "C_unlabeled": FIVE,
            "C_positive": [2.5, 5.0, 1.25, 10.0, 0.625, 20.0, 0.3125, 40.0, 0.15625, 80.0],
            "gamma": [0.001, 0.0001, 0.01, 1e-5, 0.1],
        },
    )
    .on(
        "circle_noise",
        grid={
            "C_unlabeled": [1.0, 10.0, 0.1, 100.0],
            "C_positive": [5.0, 10.0, 2.5, 20.0, 1.25, 40.0, 0.625, 80.0],
            "gamma": [0.1, 0.01, 1.0, 0.001, 10.0],
        },
    )
    .on(
        COVTYPE,
        grid={"C_unlabeled": FIVE, "C_positive": [10.0, 2.5, 40.0], "gamma": [0.1, 0.01, 1.0, 0.001, 10.0, 0.0001, 100.0]},
    )
    .on("ijcnn1", grid={"C_unlabeled": FIVE, "C_positive": [2.5, 10.0, 0.625, 40.0], "gamma": [0.3, 3.0, 0.03, 30.0]})
)
bagging_blind = (
    Method(name="resvm_bag_blind", label="BAG, blind grid", estimator="pulib.svm.BaggingSVC", params=RBF)
    .on(
        MNIST,
        params=LINEAR,
        grid={"C": [0.01, 0.1, 0.001, 1.0, 0.0001, 10.0], "n_unlabeled": [200, 100, 400, 50, 800, 25, 1600]},
    )
    .on(
        "cancer",
        grid={"C": FIVE, "n_unlabeled": [12, 6, 25, 3, 50, 2, 100, 1, 200], "gamma": [0.001, 0.01, 0.0001, 0.1, 1e-5, 1.0]},
    )
    .on("circle_noise", grid={"C": FIVE, "n_unlabeled": [25, 12, 50, 6, 100, 3, 200], "gamma": [0.1, 1.0, 0.01, 10.0]})
    .on(
        COVTYPE,
        grid={
            "C": FIVE,
            "n_unlabeled": [25, 50, 12, 100, 6, 200, 3, 400, 2, 800],
            "gamma": [0.1, 1.0, 0.01, 10.0, 0.001, 100.0],
        },
    )
    .on(
        "ijcnn1",
        grid={"C": [1.0, 10.0, 0.1, 100.0], "n_unlabeled": [400, 200, 800, 100, 1600], "gamma": [0.3, 0.03, 3.0, 0.003, 30.0]},
    )
)
resvm_blind = (
    Method(name="resvm_resvm_blind", label="RESVM, blind grid", estimator="pulib.svm.RobustEnsembleSVC", params=RBF)
    .on(
        MNIST,
        params=LINEAR,
        grid={
            "C": [0.1, 0.01, 1.0, 0.001, 10.0],
            "w_positive": [3.2, 1.6, 6.4],
            "n_positive": [10, 5, 20, 2, 40],
            "unlabeled_per_positive": [5.0, 10.0, 2.5, 20.0, 1.25, 40.0],
        },
    )
    .on(
        "cancer",
        grid={
            "C": FIVE,
            "w_positive": [0.8, 1.6, 0.4, 3.2, 0.2, 6.4, 0.1, 12.8],
            "n_positive": [10, 5, 20, 2, 40],
            "unlabeled_per_positive": [1.0, 2.0, 0.5, 4.0],
            "gamma": [0.01, 0.001, 0.1, 0.0001, 1.0, 1e-5, 10.0],
        },
    )
    .on(
        "circle_noise",
        grid={
            "C": [1.0, 10.0, 0.1, 100.0],
            "w_positive": [0.8, 0.4, 1.6, 0.2, 3.2, 0.1, 6.4, 0.05, 12.8],
            "n_positive": [10, 5, 20, 2, 40],
            "unlabeled_per_positive": [1.0, 2.0, 0.5, 4.0],
            "gamma": [0.1, 0.01, 1.0, 0.001, 10.0],
        },
    )
    .on(
        COVTYPE,
        grid={
            "C": FIVE,
            "w_positive": [1.6, 6.4, 0.4, 25.6, 0.1, 102.4],
            "n_positive": [20, 40, 10, 80],
            "unlabeled_per_positive": [1.25, 0.625, 2.5, 0.3125, 5.0, 0.15625, 10.0],
            "gamma": [0.1, 0.01, 1.0, 0.001, 10.0, 0.0001, 100.0],
        },
    )
    .on(
        "ijcnn1",
        grid={
            "C": [1.0, 10.0, 0.1, 100.0],
            "w_positive": [0.2, 0.8, 0.05, 3.2, 0.0125, 12.8],
            "n_positive": [40, 20, 80],
            "unlabeled_per_positive": [2.5, 5.0, 1.25, 10.0, 0.625, 20.0],
            "gamma": [0.3, 0.03, 3.0],
        },
    )
)
MAIN = (cwsvm(), bagging(), resvm())
BLIND = (cwsvm_blind, bagging_blind, resvm_blind)
