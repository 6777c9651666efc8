"""Morphs in CoNLL-U, and as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from firth.corpus import marked
from firth.formats import RemoteFile, conllu_with, read_conllu
from firth.morphs._splitter import Splitter

__all__ = ["fill_morphs", "misc_of", "morphs_text"]

_SENTENCES_AT_ONCE = 1_000
_MISC = 9


def morphs_text(words: Sequence[Sequence[str]]) -> str:
    """A sentence of morphs between blanks, with ``@@`` before those that go on with a word.

    >>> morphs_text([["en", "thrall", "ment", "s"], ["end"]])
    'en @@thrall @@ment @@s end'
    """
    return " ".join(part for parts in words for part in marked(parts))


def misc_of(parts: Sequence[str], before: str = "_") -> str:
    """The column MISC of a word with its morphs; what else is in it stays.

    >>> misc_of(["walk", "ed"], "SpaceAfter=No")
    'SpaceAfter=No|Morphs=walk ed'
    """
    kept = [one for one in before.split("|") if one != "_" and not one.startswith("Morphs=")]
    escaped = " ".join(part.replace("\\", "\\\\").replace("|", "\\p") for part in parts)
    return "|".join([*kept, f"Morphs={escaped}"])


def fill_morphs(path: Path | RemoteFile, splitter: Splitter) -> Iterator[str]:
    """The sentences of a CoNLL-U file with morphs in the column MISC; everything else stays as it is."""
    sentences = read_conllu(path)
    while some := list(islice(sentences, _SENTENCES_AT_ONCE)):
        for sentence in some:
            morphs = splitter.split_all(sentence.words)
            misc = [
                misc_of(parts, columns[_MISC])
                for parts, (_, columns) in zip(morphs, sentence.rows, strict=True)
            ]
            yield conllu_with(sentence, {"misc": misc})
