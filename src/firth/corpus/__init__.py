"""Corpora: text in, numbered tokens out; tokeniser, vocabulary, concordance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firth._lazy import lazily

if TYPE_CHECKING:
    from firth.corpus._build import build, in_pieces
    from firth.corpus._concordance import Context, Hit
    from firth.corpus._corpus import Corpus, TextData
    from firth.corpus._documents import Documents
    from firth.corpus._find_documents import find_documents, merge_documents
    from firth.corpus._find_sources import find_sources
    from firth.corpus._index import Index, build_index
    from firth.corpus._lexicon import spelled
    from firth.corpus._memory_sources import RecordSource
    from firth.corpus._merge import merge_corpora, merge_vocabularies
    from firth.corpus._metadata import Metadata, read_metadata
    from firth.corpus._metadata_values import as_name
    from firth.corpus._morphs import GOES_ON, WordSplitter, check_words, joined, marked
    from firth.corpus._original_text import check_large_sources
    from firth.corpus._phrases import JOINT, Phrases, Units, phrases_of, tokens_of
    from firth.corpus._reading import (
        CONTENT,
        PLACES,
        RECORDS,
        SOURCES,
        Reading,
        Split,
        Tokens,
        WordReading,
    )
    from firth.corpus._segmenters import version_of
    from firth.corpus._source_blocks import pieces_of_sources, sampled, takes_long
    from firth.corpus._sources import Source
    from firth.corpus._stream import stream_sentences, stream_tokens
    from firth.corpus._texts import find_texts
    from firth.corpus._tokeniser import sentence_texts, tokenise
    from firth.corpus._vocabulary import MIN_COUNTS, MOST_TOKENS, Vocabulary, fold_word

__all__ = [
    "CONTENT",
    "Context",
    "Corpus",
    "Documents",
    "GOES_ON",
    "Hit",
    "Index",
    "JOINT",
    "MIN_COUNTS",
    "MOST_TOKENS",
    "Metadata",
    "PLACES",
    "Phrases",
    "RECORDS",
    "RecordSource",
    "Reading",
    "SOURCES",
    "Source",
    "Split",
    "TextData",
    "Tokens",
    "Units",
    "Vocabulary",
    "WordReading",
    "WordSplitter",
    "as_name",
    "build",
    "build_index",
    "check_large_sources",
    "check_words",
    "find_documents",
    "find_sources",
    "find_texts",
    "fold_word",
    "in_pieces",
    "joined",
    "marked",
    "merge_corpora",
    "merge_documents",
    "merge_vocabularies",
    "phrases_of",
    "pieces_of_sources",
    "read_metadata",
    "sampled",
    "sentence_texts",
    "spelled",
    "stream_sentences",
    "stream_tokens",
    "takes_long",
    "tokenise",
    "tokens_of",
    "version_of",
]

if not TYPE_CHECKING:
    __getattr__ = lazily(
        __name__,
        _build="build in_pieces",
        _concordance="Context Hit",
        _corpus="Corpus TextData",
        _documents="Documents",
        _find_documents="find_documents merge_documents",
        _find_sources="find_sources",
        _index="Index build_index",
        _lexicon="spelled",
        _memory_sources="RecordSource",
        _merge="merge_corpora merge_vocabularies",
        _metadata="Metadata read_metadata",
        _metadata_values="as_name",
        _morphs="GOES_ON WordSplitter check_words joined marked",
        _original_text="check_large_sources",
        _phrases="JOINT Phrases Units phrases_of tokens_of",
        _reading="CONTENT PLACES RECORDS SOURCES Reading Split Tokens WordReading",
        _segmenters="version_of",
        _source_blocks="pieces_of_sources sampled takes_long",
        _sources="Source",
        _stream="stream_sentences stream_tokens",
        _texts="find_texts",
        _tokeniser="sentence_texts tokenise",
        _vocabulary="MIN_COUNTS MOST_TOKENS Vocabulary fold_word",
    )
