"""From a labeled data set to a PU problem: which rows are labeled positive, unlabeled, and kept for testing.

The names are listed in ``__init__.pyi``.  A scheme is a class whose fields are its options; ``SCHEMES`` has all by name, and
the function ``<name>_split`` draws one split.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
