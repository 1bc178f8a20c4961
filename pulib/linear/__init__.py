"""Linear PU classifiers with convex risks, online (OPU) and batch (unbiased PU learning)."""

from pulib.linear._batches import number_of_batches
from pulib.linear._online import OnlinePUClassifier
from pulib.linear._unbiased import UnbiasedPUClassifier

__all__ = ["OnlinePUClassifier", "UnbiasedPUClassifier", "number_of_batches"]
