"""Read real-world tables, check each column, and convert it to numbers; every doubt is reported with its remedy.

pandas reads and holds the cells.  A finding names a cell with its line in the file, a label that another column gives away, or
a table's decimal mark, which libraries that clean or validate whole columns do not.
"""

from purank.tables._check import read_table
from purank.tables._checked_table import CheckedTable
from purank.tables._findings import Finding, TableError, did_you_mean
from purank.tables._options import Reading, checked

__all__ = ["CheckedTable", "Finding", "Reading", "TableError", "checked", "did_you_mean", "read_table"]
