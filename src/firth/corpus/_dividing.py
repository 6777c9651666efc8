"""Words in, their parts out: the vocabulary, the ids and the sentence ends of a corpus of morphs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import Engine
from firth.corpus._lexicon_kernels import spread
from firth.corpus._morphs import WordSplitter, marked
from firth.corpus._reading import ENDS, IDS
from firth.corpus._sorting import sort_words
from firth.corpus._vocabulary import Vocabulary
from firth.store import open_file, rename

__all__ = ["Division", "divided", "replace_by_divided", "write_divided"]

_WORDS_AT_ONCE = 1 << 14
_ENDS_AT_ONCE = 1 << 20
_NEW = "{}.new"
"""What a file is called until the file that it is made from has been read."""
Ids = npt.NDArray[np.uint32]
Longs = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Division:
    """Which tokens the words of a vocabulary consist of.

    The tokens of word ``w`` are ``tokens[starts[w]:starts[w + 1]]``.
    """

    words: Vocabulary
    vocabulary: Vocabulary
    """The tokens, in the order of a vocabulary."""
    starts: Longs
    tokens: Ids

    @classmethod
    def of(cls, words: Vocabulary, morphs: WordSplitter, engine: Engine) -> Division:
        """Divide all words of a vocabulary; a token occurs as often as the words it is in, together."""
        import pyarrow as pa

        numbers: dict[str, int] = {}
        found: list[int] = []
        lengths = np.zeros(len(words) + 1, np.int64)
        with progress.stage("dividing words", len(words), "words", brief=1.0) as stage:
            for a in range(0, len(words), _WORDS_AT_ONCE):
                some = words.words[a : a + _WORDS_AT_ONCE].to_pylist()
                for k, parts in enumerate(morphs.split_all(some), a + 1):
                    lengths[k] = len(parts)
                    found += [numbers.setdefault(one, len(numbers)) for one in marked(parts)]
                stage.advance(len(some))
        starts, tokens = np.cumsum(lengths), np.array(found, np.int64)
        counts = np.zeros(len(numbers), np.int64)
        np.add.at(counts, tokens, np.repeat(words.counts, lengths[1:]))
        ordered, places = sort_words(pa.array(list(numbers), pa.large_string()), counts, engine)
        ids = np.empty(len(numbers), np.uint32)
        ids[places] = np.arange(len(numbers), dtype=np.uint32)
        return cls(words, Vocabulary(ordered, counts[places]), starts, ids[tokens])


def divided(ids: Ids, division: Division) -> tuple[Ids, Longs]:
    """The tokens of some words, and how many of them come before each word, and before the end."""
    edges = np.zeros(len(ids) + 1, np.int64)
    np.cumsum(np.diff(division.starts)[ids], out=edges[1:])
    out = np.empty(int(edges[-1]), np.uint32)
    spread(ids, division.starts, division.tokens, edges, out)
    return out, edges


def write_divided(
    folder: Path, words: Iterable[Ids], ends: IO[bytes], division: Division, engine: Engine
) -> int:
    """Write the tokens of the words of a text, and where its sentences end; returns the number of tokens.

    Parameters
    ----------
    folder : Path
        For the files. They have other names until ``replace_by_divided``, because what ``words`` and
        ``ends`` are read from may be in the same folder.
    words : iterable of array of uint32
        The ids of all words, some at a time.
    ends : file
        The number of words up to the end of each sentence.
    division : Division
    engine : Engine
    """
    before, n_words, n_tokens = _Ends(ends), 0, 0
    lengths = np.diff(division.starts)
    total = int((lengths * division.words.counts).sum())
    with (
        progress.stage("dividing the text", total, "tokens", brief=1.0) as stage,
        open_file(folder / _NEW.format(IDS), "wb") as new,
        open_file(folder / _NEW.format(ENDS), "wb") as new_ends,
    ):
        for ids, edges in engine.map(lambda some: divided(some, division), words):
            new.write(ids.data)
            here = before.up_to(n_words + len(edges) - 1)
            new_ends.write((edges[here - n_words] + n_tokens).data)
            n_words, n_tokens = n_words + len(edges) - 1, n_tokens + len(ids)
            stage.advance(len(ids))
    return n_tokens


def replace_by_divided(folder: Path) -> None:
    """Let what ``write_divided`` has written replace what it was made from."""
    for name in (IDS, ENDS):
        rename(folder / _NEW.format(name), folder / name)


class _Ends:
    """The ends of sentences, read from a file as they are needed."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._ahead = file, np.empty(0, np.int64)

    def up_to(self, most: int) -> Longs:
        """The next ends, up to a number of words."""
        found = []
        while True:
            here = int(np.searchsorted(self._ahead, most, side="right"))
            found.append(self._ahead[:here])
            self._ahead = self._ahead[here:]
            if len(self._ahead) or not (more := self._file.read(8 * _ENDS_AT_ONCE)):
                return np.concatenate(found)
            self._ahead = np.frombuffer(more, np.int64)
