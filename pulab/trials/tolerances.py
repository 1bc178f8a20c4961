"""Tolerances for comparing numbers from different processors, such as archived and new ones."""

from __future__ import annotations

from typing import NamedTuple


class Tolerance(NamedTuple):
    """Differences that rounding may cause.

    ``golden`` is relative to the largest number of an array; ``trial`` is in the unit of a trial's numbers (0.01 is a point).
    """

    golden: float = 1e-9
    trial: float = 1e-9


#: PyTorch rounds matrix products depending on the processor's kernels, and training amplifies this: golden numbers moved by up
#: to 9e-7 under ``ATEN_CPU_CAPABILITY=default``, and whole trials by up to 7 points between processors.
_NETWORK = Tolerance(golden=1e-5, trial=0.07)
#: The step at which an SVM's solver stops depends on the last bits of its kernel matrix, and all its results hold within the
#: solver's tolerance, 1e-3: with AVX2 instead of AVX-512, decision values moved by up to 2.6e-4 of the largest, and with one
#: thread of BLAS instead of two, one average precision by 0.016; where many rows tie, one moved by 0.049 between processors.
_SVM = Tolerance(golden=1e-3, trial=0.05)
#: Preferences by neighborhoods are solved to 1e-13, and rows that nearly tie change places: one series of AUCs moved by 0.034.
_NEIGHBORHOOD = Tolerance(trial=0.05)
#: Where naive Bayes is nearly certain, the log-odds of its probabilities amplify the last bits; they moved by up to 3e-7.
#: Logistic regression's solver stops at a tolerance of 1e-4: on MNIST, one AUC moved by 0.0024 between processors.
_LOG_ODDS = Tolerance(golden=1e-6, trial=0.005)
#: Solvers that stop at a tolerance, on rows that nearly tie: one average precision moved by 2e-5, one AUC by 4e-5.
_SOLVER = Tolerance(trial=1e-4)
#: By class, or by loader (trials inherit the differences of its features).
TOLERANCES = {
    "pulib.svm.BaggingSVC": _SVM,
    "pulib.svm.ClassWeightedSVC": _SVM,
    # each SVM of its sequence is trained on what the last one found: where all rows tie, a share of predictions moved by 0.19
    "pulib.svm.MappingConvergenceSVC": Tolerance(golden=1e-3, trial=0.2),
    "pulib.svm.RobustEnsembleSVC": _SVM,
    "pulib.reductions.DEDPULClassifier": _LOG_ODDS,
    "pulib.reductions.ElkanNotoClassifier": _LOG_ODDS,
    "pulib.reductions.NaivePUClassifier": _LOG_ODDS,
    "pulib.reductions.PUBaggingClassifier": _LOG_ODDS,
    "pulib.reductions.PUCalibratedClassifier": _LOG_ODDS,
    "pulib.reductions.PUThresholdClassifier": _LOG_ODDS,
    "pulib.reductions.TwoStepPUClassifier": _LOG_ODDS,
    "pulib.linear.UnbiasedPUClassifier": _SOLVER,
    "pulib.reductions.OneClassPUClassifier": _SOLVER,
    # each round of its EM starts from the previous one: scores moved by 1.1e-5, a share of positive predictions by 0.006
    "pulib.biased.BiasedPUClassifier": Tolerance(golden=1e-4, trial=0.01),
    "pulib.expansion.SGBDotaClassifier": _NEIGHBORHOOD,
    "studies.pces.readings.SGBDotaClassifier": _NEIGHBORHOOD,
    "pulib.neural.CVIRClassifier": _NETWORK,
    "pulib.neural.NeuralPUClassifier": _NETWORK,
    "pulib.neural.SelfPUClassifier": _NETWORK,
    "pulib.neural.VariationalPUClassifier": _NETWORK,
    # under OPENBLAS_CORETYPE=SkylakeX, its golden numbers moved by 1e-7, and an estimate of π from 0.69 to 0.50
    "newsgroups_svd": Tolerance(golden=1e-5, trial=0.2),
}

#: Additional tolerance of a metric: probabilities are calibrated by a minimizer whose steps amplify the last bits of the scores
#: (RESVM's Brier score on one task moved by 2.4e-8 between processors, while its accuracy and AUC did not change).
METRICS = {"brier": 1e-5, "calibration_error": 1e-5}


def tolerance_of(*names: str) -> Tolerance:
    """Return the widest tolerance of some classes and loaders.

    >>> tolerance_of("pulib.trees.PUExtraTreesClassifier", "idx").trial
    1e-09
    """
    known = [TOLERANCES.get(name, Tolerance()) for name in names] or [Tolerance()]
    return Tolerance(max(known, key=lambda t: t.golden).golden, max(known, key=lambda t: t.trial).trial)
