"""Neural PU classifiers on PyTorch (the extra ``nn``): uPU and nnPU with any network, and Self-PU.

The classes can be imported without PyTorch; it is loaded when one of them is fitted.
"""

from pulib.neural._classifier import NeuralPUClassifier
from pulib.neural._describe import NetworkFacts, describe_body
from pulib.neural._self_pu import SelfPUClassifier
from pulib.neural._torch import torch_threads

__all__ = ["NetworkFacts", "NeuralPUClassifier", "SelfPUClassifier", "describe_body", "torch_threads"]
