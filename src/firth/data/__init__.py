"""Data sets to try Firth on: a table of them, and downloading.

Nothing is downloaded unless one asks for it. A file is kept in a folder of the user, and is used only if it has
the size and the checksum of the table.
"""

from firth.data._download import cache_folder, get, is_here
from firth.data._table import DataSet, data_sets

__all__ = ["DataSet", "cache_folder", "data_sets", "get", "is_here"]
