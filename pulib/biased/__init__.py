"""Learning from labels that are not selected at random."""

from pulib.biased._lbe import LabelingBiasPUClassifier
from pulib.biased._sar_em import BiasedPUClassifier

__all__ = ["BiasedPUClassifier", "LabelingBiasPUClassifier"]
