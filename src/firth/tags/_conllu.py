"""Tags in CoNLL-U."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from firth.corpus import check_words
from firth.formats import UPOS, RemoteFile, conllu_with, read_conllu
from firth.tags._tagger import Tagger

__all__ = ["fill_conllu", "tag_column"]

_SENTENCES_AT_ONCE = 1_000


def tag_column(tagger: Tagger) -> str:
    """The column of CoNLL-U that the tags belong in: upos if all of them are universal tags."""
    return "upos" if set(tagger.tags_) <= set(UPOS) else "xpos"


def fill_conllu(
    path: Path | RemoteFile, tagger: Tagger, decode: str | None = None
) -> Iterator[str]:
    """The sentences of a CoNLL-U file with their tags; everything else stays as it is."""
    check_words(tagger.reading.tokens, "The tags", "written into CoNLL-U, which has words")
    column, sentences = tag_column(tagger), read_conllu(path)
    while some := list(islice(sentences, _SENTENCES_AT_ONCE)):
        found = tagger.tag([sentence.words for sentence in some], decode)
        for sentence, tags in zip(some, found, strict=True):
            yield conllu_with(sentence, {column: tags})
