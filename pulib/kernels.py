"""Compiled kernels and their callers, for benchmarks and studies.

This interface is not stable: arguments change with the estimators that use them.
"""

from pulib._random import draw_seeds
from pulib.boosting._binning import encode
from pulib.boosting._stump import StumpSearch
from pulib.boosting._threads import Threads
from pulib.boosting._weights import SampleWeights
from pulib.expansion._losses import RankedLoss
from pulib.linear._convex import minimize_pu_risk
from pulib.linear._problem import Problem
from pulib.svm._ensemble import ensemble_values
from pulib.svm._kernels import kernel_matrix, resolve_kernel
from pulib.svm._paths import Grid
from pulib.svm._runs import fit_members
from pulib.svm._search import Plan, draw_rows

__all__ = [
    "Grid",
    "Plan",
    "Problem",
    "RankedLoss",
    "SampleWeights",
    "StumpSearch",
    "Threads",
    "draw_rows",
    "draw_seeds",
    "encode",
    "ensemble_values",
    "fit_members",
    "kernel_matrix",
    "minimize_pu_risk",
    "resolve_kernel",
]
