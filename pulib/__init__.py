"""Learning from positive and unlabeled (PU) data, as scikit-learn estimators.

Every public name can be imported from here. Modules load on first use, so that ``import pulib`` is fast. The names are listed
in ``__init__.pyi``, which type checkers also read.
"""

import lazy_loader

try:
    from pulib._version import __version__
except ImportError:  # a checkout that was never installed
    __version__ = "0+unknown"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
