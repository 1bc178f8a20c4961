"""Neural PU classifiers on PyTorch (the extra ``nn``): uPU, nnPU, VPU and CVIR with any network, and Self-PU.

The classes can be imported without PyTorch; ``fit`` loads it.
"""

from pulib.neural._classifier import NeuralPUClassifier
from pulib.neural._cvir import CVIRClassifier
from pulib.neural._self_pu import SelfPUClassifier
from pulib.neural._torch import torch_threads
from pulib.neural._vpu import VariationalPUClassifier

__all__ = ["CVIRClassifier", "NeuralPUClassifier", "SelfPUClassifier", "VariationalPUClassifier", "torch_threads"]
