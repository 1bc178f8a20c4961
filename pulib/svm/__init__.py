"""Support vector machines for PU data: class-weighted, bagging, the robust ensemble, and mapping convergence.

Sections and equations are those of Claesen et al., A robust ensemble approach to learn from positive and unlabeled data using
SVM base models, Neurocomputing 160 (2015).
"""

from pulib.svm._bagging import BaggingSVC
from pulib.svm._class_weighted import ClassWeightedSVC
from pulib.svm._mapping_convergence import MappingConvergenceSVC
from pulib.svm._robust import RobustEnsembleSVC

__all__ = ["BaggingSVC", "ClassWeightedSVC", "MappingConvergenceSVC", "RobustEnsembleSVC"]
