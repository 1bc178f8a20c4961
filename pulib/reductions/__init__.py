"""Reductions of PU learning to ordinary classification, each around any scikit-learn classifier."""

from pulib.reductions._bagging import PUBaggingClassifier
from pulib.reductions._calibrated import PUCalibratedClassifier
from pulib.reductions._dedpul import DEDPULClassifier
from pulib.reductions._elkan_noto import ElkanNotoClassifier
from pulib.reductions._naive import NaivePUClassifier
from pulib.reductions._one_class import OneClassPUClassifier
from pulib.reductions._one_vs_unlabeled import OneVsUnlabeledClassifier
from pulib.reductions._threshold import PUThresholdClassifier
from pulib.reductions._two_step import TwoStepPUClassifier

__all__ = [
    "DEDPULClassifier",
    "ElkanNotoClassifier",
    "NaivePUClassifier",
    "OneClassPUClassifier",
    "OneVsUnlabeledClassifier",
    "PUBaggingClassifier",
    "PUCalibratedClassifier",
    "PUThresholdClassifier",
    "TwoStepPUClassifier",
]
