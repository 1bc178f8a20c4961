"""Data sets of the five papers: registry, downloads, loaders, and generators.  The names are listed in ``__init__.pyi``."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
