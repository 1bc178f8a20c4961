"""Tables as people have them: read, checked column by column, and turned into numbers; each doubt is said with its remedy.

pandas reads and holds the cells.  A finding names a cell with its line in the file, a label that another column gives away, or
a table's decimal mark, which libraries that clean or validate whole columns do not.
"""

from pulib.datasets.tables._check import CheckedTable, read_table
from pulib.datasets.tables._findings import Finding, TableError

__all__ = ["CheckedTable", "Finding", "TableError", "read_table"]
