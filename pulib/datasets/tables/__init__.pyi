"""The public names, which load on first use."""

from ._check import CheckedTable as CheckedTable
from ._check import read_table as read_table
from ._findings import Finding as Finding
from ._findings import TableError as TableError
