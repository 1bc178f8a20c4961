"""Fill Numba's cache on disk: fit and score estimators on the input that the checks give them.

``python -m tests.kernels 0 2`` does the first half of the estimators.  What is in the cache already costs no compilation.
"""

import sys
import warnings

from pulib.utils import all_estimators
from pulib.utils.estimator_checks import check_dtype_and_order, check_memory_map
from tests.pulib.test_estimators import make

if __name__ == "__main__":
    part, parts = map(int, sys.argv[1:])
    warnings.simplefilter("ignore")
    for name, _ in all_estimators()[part::parts]:
        for check in (check_dtype_and_order, check_memory_map):
            check(make(name))
