"""Tables as people have them: read, checked column by column, and turned into numbers; each doubt is said with its remedy.

pandas reads and holds the cells.  skrub's ``Cleaner`` and pandera were looked at: they convert or reject whole columns, and
neither tells a cell with its line in the file, a label that another column gives away, or which of a table's marks is a decimal
one, which is what most of this package is about.
"""

from pulib.datasets.tables._check import CheckedTable, read_table
from pulib.datasets.tables._findings import Finding, TableError

__all__ = ["CheckedTable", "Finding", "TableError", "read_table"]
