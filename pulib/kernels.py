"""The parts of a fit, compiled kernels and the code that drives them, for those who measure them one by one.

Versions make no promises about them: their arguments follow the estimators that call them.
"""

from pulib._random import draw_seeds
from pulib._trees._tree import LEAF, node_depths
from pulib.boosting._binning import encode
from pulib.boosting._histogram import NARROW, MovedRows, advance
from pulib.boosting._stump import StumpSearch
from pulib.boosting._threads import Threads
from pulib.boosting._weights import SampleWeights
from pulib.expansion._losses import RankedLoss
from pulib.expansion._ranked_pairs import interpolation_degree
from pulib.svm._ensemble import ensemble_values
from pulib.svm._kernels import kernel_matrix, resolve_kernel
from pulib.svm._paths import Grid
from pulib.svm._runs import fit_members
from pulib.svm._search import Plan, draw_rows

__all__ = [
    "LEAF",
    "NARROW",
    "Grid",
    "MovedRows",
    "Plan",
    "RankedLoss",
    "SampleWeights",
    "StumpSearch",
    "Threads",
    "advance",
    "draw_rows",
    "draw_seeds",
    "encode",
    "ensemble_values",
    "fit_members",
    "interpolation_degree",
    "kernel_matrix",
    "node_depths",
    "resolve_kernel",
]
