"""Splits that turn a labeled data set into a PU problem: labeled positives, unlabeled rows and test rows.

A scheme is a class whose fields are its options, and ``SCHEMES`` lists all schemes by name.  For most, the function
``<name>_split`` draws one split.  ``__init__.pyi`` lists the public names.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
