"""Unicode: categories, case and normal form C, from one table of one version of the standard.

Python's own functions follow the Unicode version of the interpreter, so the same text would give other
tokens with another Python. The functions here have the names and the meaning of Python's, and the same
results everywhere. ``tools/make_unicode_tables.py`` makes the table.
"""

from firth.unicode._properties import (
    base,
    categories,
    category,
    is_alnum,
    is_alpha,
    is_consonant,
    is_digit,
    is_linker,
    is_lower,
    is_printable,
    is_upper,
    is_wide,
    is_word,
)
from firth.unicode._tables import unicode_version
from firth.unicode._words import (
    fold,
    fold_words,
    has_decimal,
    lower,
    nfc,
    prepare_lower,
    zero_digits,
)

__all__ = [
    "base",
    "categories",
    "category",
    "fold",
    "fold_words",
    "has_decimal",
    "is_alnum",
    "is_alpha",
    "is_consonant",
    "is_digit",
    "is_linker",
    "is_lower",
    "is_printable",
    "is_upper",
    "is_wide",
    "is_word",
    "lower",
    "nfc",
    "prepare_lower",
    "unicode_version",
    "zero_digits",
]
