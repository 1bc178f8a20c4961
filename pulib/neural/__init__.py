"""Neural PU classifiers on PyTorch (the extra ``nn``): uPU and nnPU with any network, and Self-PU.

The classes can be imported without PyTorch; it is loaded when one of them is fitted.
"""

from pulib.neural._classifier import NeuralPUClassifier
from pulib.neural._self_pu import SelfPUClassifier

__all__ = ["NeuralPUClassifier", "SelfPUClassifier"]
