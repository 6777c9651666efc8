"""Find: a query language for words in a row, by spelling and by what was learned, and its engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.find._documents import Frequency, frequencies, ranges_where, select
    from firth.find._finder import Finder, Matches
    from firth.find._folding import FoldedWords, fold
    from firth.find._parameters import FindParameters
    from firth.find._query import LONGEST_QUERY, parse
    from firth.find._search import Places, Ranges
    from firth.find._where import Where, parse_where
    from firth.find._writing import line_rows

__all__ = [
    "FindParameters",
    "Finder",
    "FoldedWords",
    "Frequency",
    "LONGEST_QUERY",
    "Matches",
    "Places",
    "Ranges",
    "Where",
    "fold",
    "frequencies",
    "line_rows",
    "parse",
    "parse_where",
    "ranges_where",
    "select",
]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _documents="Frequency frequencies ranges_where select",
        _finder="Finder Matches",
        _folding="FoldedWords fold",
        _parameters="FindParameters",
        _query="LONGEST_QUERY parse",
        _search="Places Ranges",
        _where="Where parse_where",
        _writing="line_rows",
    )
