"""From a labeled data set to a PU problem: which rows are labeled positive, unlabeled, and kept for testing.

The names are listed in ``__init__.pyi``.  The split scheme ``<name>`` of a study is the function ``<name>_split``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
