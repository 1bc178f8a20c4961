"""Real-world tables: read, checked column by column, and turned into numbers; every doubt is reported with its remedy.

pandas reads and holds the cells.  A finding names a cell with its line in the file, a label that another column gives away, or
a table's decimal mark, which libraries that clean or validate whole columns do not.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
