"""Declared versions of estimators and loaders; tasks and split schemes hold theirs as class variables.

Raise a version in the same commit as a change that moves numbers; archived trials with the old version are then outdated, and
a run repeats them.  Code that is moved, renamed, or made faster with the same numbers keeps its version.  ``tests/golden``
stores the results of each estimator and loader on small inputs, and fails if they change.
"""

from __future__ import annotations

#: By dotted path; a class of a study or of the user has version 1 if it is not listed.  Classes of other packages have none:
#: the version of the package is part of a trial's label.
ESTIMATORS = {
    "pulib.biased.BiasedPUClassifier": 1,
    "pulib.biased.LabelingBiasPUClassifier": 1,
    "pulib.boosting.AdaPUClassifier": 1,
    "pulib.boosting.PUGradientBoostingClassifier": 1,
    "pulib.expansion.AUCBoostingClassifier": 2,
    "pulib.expansion.GetEnsembleClassifier": 1,
    "pulib.expansion.SGBDotaClassifier": 2,
    "pulib.linear.OnlinePUClassifier": 1,
    "pulib.linear.UnbiasedPUClassifier": 1,
    "pulib.neural.CVIRClassifier": 1,
    "pulib.neural.NeuralPUClassifier": 1,
    "pulib.neural.SelfPUClassifier": 1,
    "pulib.neural.VariationalPUClassifier": 1,
    "pulib.reductions.DEDPULClassifier": 1,
    "pulib.reductions.ElkanNotoClassifier": 1,
    "pulib.reductions.NaivePUClassifier": 1,
    "pulib.reductions.OneClassPUClassifier": 1,
    "pulib.reductions.PUBaggingClassifier": 1,
    "pulib.reductions.PUCalibratedClassifier": 1,
    "pulib.reductions.PUThresholdClassifier": 1,
    "pulib.reductions.TwoStepPUClassifier": 1,
    "pulib.svm.BaggingSVC": 1,
    "pulib.svm.ClassWeightedSVC": 1,
    "pulib.svm.MappingConvergenceSVC": 1,
    "pulib.svm.RobustEnsembleSVC": 1,
    "pulib.trees.PUDecisionTreeClassifier": 1,
    "pulib.trees.PUExtraTreesClassifier": 1,
}
#: By ``loader`` of the registry, or by name of a generator that the loader ``generated`` or a split may call.
LOADERS = {
    "breast_cancer": 1,
    "cifar10": 1,
    "covtype": 1,
    "digits": 1,
    "expansion_table": 1,
    "generated": 1,
    "gist": 1,
    "idx": 1,
    "libsvm": 1,
    "make_circle_noise": 1,
    "make_expanding_clusters": 1,
    "newsgroups_glove": 1,
    "newsgroups_svd": 1,
    "npz": 1,
    "svhn": 1,
    "table": 1,
    "unsw_nb15": 1,
    "wheel": 1,
}
#: The rule from a trial's key to its seeds (:func:`pulab.trials.trial.derive_seed`).
SEEDS = 1
