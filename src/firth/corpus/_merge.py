"""Corpora in, one corpus out: the same files as if all of their text had been read at once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import Engine
from firth.corpus._build import give_ids
from firth.corpus._corpus import Corpus
from firth.corpus._reading import ENDS, IDS, PLACES, SOURCES, WORDS
from firth.corpus._vocabulary import Vocabulary
from firth.corpus._word_lists import WordList, merge_lists
from firth.store import open_file, write_text

__all__ = ["merge_corpora", "merge_vocabularies"]

_AT_ONCE = 1 << 20
Ids = npt.NDArray[np.uint32]


def merge_vocabularies(
    corpora: Sequence[Corpus], folder: Path, memory: int, engine: Engine
) -> tuple[Vocabulary, list[Ids]]:
    """The vocabulary of all corpora together, and for each one the new ids of its words.

    Words take at most ``memory`` bytes, and otherwise files in ``folder``.
    """
    lists = [WordList(c.vocabulary.words, c.vocabulary.counts, distinct=True) for c in corpora]
    return merge_lists(lists, memory, folder, engine)


def merge_corpora(
    corpora: Sequence[Corpus],
    vocabulary: Vocabulary,
    mappings: Sequence[Ids],
    folder: Path,
    engine: Engine,
) -> dict[str, Any]:
    """Join corpora in the order given, and write the files of the whole; returns the facts about it.

    Parameters
    ----------
    corpora : sequence of Corpus
        Corpora that were read with the same options.
    vocabulary, mappings
        What ``merge_vocabularies`` returns.
    folder : Path
    engine : Engine
    """
    vocabulary.save(folder / WORDS)
    n_tokens = sum(corpus.n_tokens for corpus in corpora)
    with progress.stage("joining the text", n_tokens, "tokens") as stage:
        with open_file(folder / IDS, "wb") as file:
            give_ids(_stretches(corpora), mappings, file, engine, stage)
        sizes = [corpus.n_tokens for corpus in corpora]
        extents = [sum(source["extent"] for source in corpus.sources) for corpus in corpora]
        _shifted(folder / ENDS, [corpus.ends for corpus in corpora], sizes)
        _shifted(folder / PLACES, [corpus.places for corpus in corpora], extents)
    sources = [source for corpus in corpora for source in corpus.sources]
    write_text(folder / SOURCES, json.dumps(sources, indent=1, ensure_ascii=False) + "\n")
    version, segmenter = corpora[0].unicode, corpora[0].segmenter
    return {
        "n_tokens": n_tokens,
        "n_types": len(vocabulary),
        "n_sentences": sum(corpus.n_sentences for corpus in corpora),
        **({"unicode": version} if version else {}),
        **({"segmenter": segmenter} if segmenter else {}),
    }


def _stretches(corpora: Sequence[Corpus]) -> Iterator[tuple[int, Ids]]:
    """Some tokens at a time, with the number of their corpus."""
    for number, corpus in enumerate(corpora):
        for a in range(0, corpus.n_tokens, _AT_ONCE):
            yield number, np.array(corpus.ids[a : a + _AT_ONCE])


def _shifted(path: Path, arrays: Sequence[Any], sizes: Sequence[int]) -> None:
    """Write arrays one after the other, each shifted by the sizes of those before."""
    shift = 0
    with open_file(path, "wb") as file:
        for array, size in zip(arrays, sizes, strict=True):
            for a in range(0, len(array), _AT_ONCE):
                file.write(array[a : a + _AT_ONCE] + shift)
            shift += size
