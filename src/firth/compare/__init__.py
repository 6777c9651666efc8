"""Two texts compared: words that are typical of one of them, and words that mean something else."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.compare._compare import compare, text_of
    from firth.compare._keyness import Comparison, Keyword, compare_texts
    from firth.compare._meaning import ChangedWord, compare_meaning
    from firth.compare._parameters import CompareParameters
    from firth.compare._text import Text

__all__ = [
    "ChangedWord",
    "CompareParameters",
    "Comparison",
    "Keyword",
    "Text",
    "compare",
    "compare_meaning",
    "compare_texts",
    "text_of",
]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _compare="compare text_of",
        _keyness="Comparison Keyword compare_texts",
        _meaning="ChangedWord compare_meaning",
        _parameters="CompareParameters",
        _text="Text",
    )


class _Callable(ModuleType):
    """``firth.compare`` is the function; Python puts this package in its place as soon as it is imported."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return sys.modules[__name__].compare(*args, **kwargs)


sys.modules[__name__].__class__ = _Callable
