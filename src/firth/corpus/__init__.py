"""Text in, numbered words out: readers, tokeniser, vocabulary, corpus, concordance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.corpus._build import build
    from firth.corpus._concordance import Hit
    from firth.corpus._corpus import Corpus
    from firth.corpus._index import INDEX_VERSION, Index, build_index
    from firth.corpus._reading import CONTENT, VERSION, Reading
    from firth.corpus._sources import Source, find_sources
    from firth.corpus._stream import stream_tokens
    from firth.corpus._tokeniser import tokenise
    from firth.corpus._vocabulary import Vocabulary, fold_word

__all__ = [
    "CONTENT",
    "INDEX_VERSION",
    "VERSION",
    "Corpus",
    "Hit",
    "Index",
    "Reading",
    "Source",
    "Vocabulary",
    "build",
    "build_index",
    "find_sources",
    "fold_word",
    "stream_tokens",
    "tokenise",
]

__getattr__ = lazily(
    __name__,
    {
        "CONTENT": "_reading", "VERSION": "_reading", "Reading": "_reading", "Corpus": "_corpus", "Hit": "_concordance",
        "INDEX_VERSION": "_index", "Index": "_index", "build_index": "_index",
        "Source": "_sources", "find_sources": "_sources",
        "Vocabulary": "_vocabulary", "fold_word": "_vocabulary",
        "build": "_build", "stream_tokens": "_stream", "tokenise": "_tokeniser",
    },
)  # fmt: skip
