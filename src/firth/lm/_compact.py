"""Compact files of language models: n-grams of words, quantised to eight bits, mapped into memory."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from firth.corpus import Corpus, Reading, TextData, fold_word, spelled
from firth.errors import InputError
from firth.formats import Rows
from firth.formats import reading as reading_file
from firth.lm import _table_kernels as kernels
from firth.lm._arpa import END
from firth.lm._results import ComponentScore, SentenceScores, TextScore, WordScore, perplexity
from firth.lm._table import NGramTable
from firth.lm._table_making import MAGIC, VERSION, folds, places_in, quantised_table
from firth.lm._trees import Tree
from firth.lm._words import KnownWords, not_a_word, split_sentences
from firth.store import has_structure, map_open_file, open_file

__all__ = ["CompactModel", "open_compact", "write_compact"]

number_words: Any = kernels.number_words
_MOST_STEPS = 1 << 12
"""The longest search in a table of a file."""
_LARGEST = float(np.finfo(np.float32).max)

Table = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]


def write_compact(
    tree: Tree, words: KnownWords, order: int, n_grams: Sequence[int], file: IO[bytes]
) -> None:
    """Write the n-grams of a model of words."""
    notes = {"reading": words.reading.parameters(), "n_grams": list(n_grams)}
    table = quantised_table(tree, words, order, json.dumps(notes).encode())
    table[kernels.CHECKSUM : kernels.CHECKSUM + 4] = np.frombuffer(_checksum(table), np.uint64)
    file.write(table.data)


def _checksum(table: Table) -> bytes:
    """The checksum of all but itself."""
    found = hashlib.sha256(table[: kernels.CHECKSUM].data)
    found.update(table[kernels.CHECKSUM + 4 :].data)
    return found.digest()


class CompactModel:
    """An n-gram model of words from a compact file.

    It is what ``firth lm export -o FILE.firthlm`` writes: the model of words, with probabilities of eight bits.
    It scores sentences, and has neither classes nor a cache nor a model of letters.

    Attributes
    ----------
    order : int
        The order of the n-grams.
    reading : Reading
        How text is read.
    n_grams : list of int
        The number of n-grams of each order.
    """

    def __init__(self, table: Table) -> None:
        notes = table[int(table[kernels.NOTES]) :].view(np.uint8)[: int(table[kernels.N_NOTES])]
        content = json.loads(notes.tobytes())
        if not has_structure(content, {"reading": dict, "n_grams": [int]}):
            raise ValueError("its description is not valid")
        self.order, self.n_grams = int(table[kernels.ORDER]), content["n_grams"]
        self.words_ = _CompactWords(table, Reading.restored(content["reading"]))
        if bool(table[kernels.FOLDS]) != folds(self.words_.reading):
            raise ValueError("its description is not valid")
        self._table = NGramTable(table, self.words_)

    def __repr__(self) -> str:
        return f"<CompactModel of {len(self.words_):,} words, n-grams up to {self.order}>"

    @property
    def component_names(self) -> list[str]:
        """What its only model is called."""
        return [f"words, {self.order}-grams, 8 bits"]

    def log_prob(self, sentence: Sequence[str]) -> float:
        """The natural logarithm of the probability of a sentence, its end included.

        Parameters
        ----------
        sentence : sequence of str
            Its words; or text, which is split into words as the training text was.
        """
        return self._table.log_prob(sentence)

    def scores(self, sentences: Iterable[Sequence[str]]) -> SentenceScores:
        """The log probabilities of sentences, and the numbers of their unknown words.

        Parameters
        ----------
        sentences : iterable of sequences of str
            The words of each, or text.
        """
        return self._table.scores(self.words_.split(sentences))

    def word_scores(self, sentence: Sequence[str], recent: None = None) -> Rows[WordScore]:  # noqa: ARG002
        """The log probability of each word of a sentence, given those before it, and of its end.

        Parameters
        ----------
        sentence : sequence of str
            Its words, or text.
        recent : None
            There is no cache.
        """
        [words] = self.words_.split([sentence])
        symbols, _ = self.words_.numbered([words])
        p = self._table.probabilities(symbols).tolist()
        known = [*(symbols != len(self.words_)).tolist(), True]
        rows = zip([*words, END], p, known, strict=True)
        scores = (
            WordScore(word, math.log(x) if x > 0 else -math.inf, is_known)
            for word, x, is_known in rows
        )
        return Rows(scores, WordScore)

    def recent(self) -> None:
        """None: there is no cache of recent words."""

    def evaluate(self, corpus: TextData) -> TextScore:
        """The perplexity of a text.

        Parameters
        ----------
        corpus : Corpus, list of token lists, list of str, str or Path
            Text that the model was not trained on, read in the same way.
        """
        corpus = Corpus.of(corpus, "CompactModel.evaluate")
        numbers, ids = self.words_.numbers_of(corpus), corpus.ids
        of_known = of_unknown = 0.0
        n_unknown = begin = 0
        for end in np.asarray(corpus.ends).tolist():
            found = self._table.score(numbers[np.asarray(ids[begin:end])])
            of_known, of_unknown, n_unknown = (
                of_known + found[0],
                of_unknown + found[1],
                n_unknown + found[2],
            )
            begin = end
        log_p = of_known + of_unknown
        n_words, n_sentences = corpus.n_tokens, corpus.n_sentences
        whole = perplexity(log_p, n_words + n_sentences)
        known = perplexity(of_known, n_words + n_sentences - n_unknown)
        return TextScore(
            whole, whole, known, math.nan, log_p, n_sentences, n_words, n_unknown,
            (ComponentScore(self.component_names[0], whole, known, 1.0),),
        )  # fmt: skip

    def perplexity(self, corpus: TextData) -> float:
        """The perplexity of a text, unknown words included; see ``evaluate`` for more.

        Parameters
        ----------
        corpus : Corpus, list of token lists, list of str, str or Path
        """
        return self.evaluate(corpus).perplexity


def open_compact(path: str | Path, verify: bool = True) -> CompactModel:
    """Open a file; its n-grams are read when they are needed.

    Parameters
    ----------
    path : str or Path
    verify : bool
        Whether the checksum of the file is compared, which takes about a second for a gigabyte. A damaged
        file that is not verified gives wrong probabilities, but does no harm.
    """
    with reading_file(path):
        if not Path(path).stat().st_size:
            raise InputError(f"{path} is empty.", "Write it again: firth lm export MODEL -o FILE")
        with open_file(path) as file:
            table = np.frombuffer(map_open_file(file), np.uint8)
        if table[:8].tobytes() != MAGIC.to_bytes(8, "little") or len(table) % 8:
            hint = "Write one: firth lm export MODEL -o FILE.firthlm"
            if ".arpa" in Path(path).suffixes:
                hint = f"Import it: firth lm import {path} -o MODEL"
            raise InputError(f"{path} is not a compact language model.", hint)
        numbers = table.view(np.uint64)
        wrong = _wrong(numbers) or (_wrong_sum(numbers) if verify else "")
        if wrong:
            raise InputError(
                f"{path} is damaged: {wrong}.", "Write it again: firth lm export MODEL -o FILE"
            )
        return CompactModel(numbers)


class _CompactWords:
    """The words of a compact file; the number after the last one is the unknown word."""

    def __init__(self, table: Table, reading: Reading) -> None:
        self._table, self.reading = table, reading

    def __len__(self) -> int:
        return int(self._table[kernels.N_WORDS])

    def split(self, sentences: Iterable[Sequence[str]]) -> list[Sequence[str]]:
        return split_sentences(sentences, self.reading)

    def numbers_of(self, corpus: Corpus) -> npt.NDArray[np.int32]:
        """The number of each word of a corpus, by its id there."""
        starts, text = spelled(corpus.vocabulary.words)
        return self._numbers(np.asarray(starts, np.int64), text)

    def numbered(
        self, sentences: Iterable[Sequence[str]]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Sentences as numbers of words, and the end of each sentence."""
        some = self.split(sentences)
        words = [word for sentence in some for word in sentence]
        found = self._look_up(words)
        other = np.flatnonzero(found == len(self))
        folded = [fold_word(words[k], self.reading) for k in other.tolist()]
        found[other] = self._look_up(folded)
        return found, np.cumsum(np.fromiter(map(len, some), np.int64, len(some)))

    def _look_up(self, words: list[str]) -> npt.NDArray[np.int32]:
        for word in words:
            if not isinstance(word, str):
                raise not_a_word(word)
        spellings = [word.encode(errors="surrogatepass") for word in words]
        starts = np.cumsum([0, *map(len, spellings)])
        return self._numbers(starts, np.frombuffer(b"".join(spellings), np.uint8))

    def _numbers(
        self, starts: npt.NDArray[np.int64], text: npt.NDArray[np.uint8]
    ) -> npt.NDArray[np.int32]:
        found = np.empty(len(starts) - 1, np.int32)
        padded = np.concatenate([text[: starts[-1]], np.zeros(kernels.PADDING, np.uint8)])
        number_words(padded, starts, self._table, found)
        return found


def _wrong_sum(table: Table) -> str:
    stored = table[kernels.CHECKSUM : kernels.CHECKSUM + 4].tobytes()
    return "" if stored == _checksum(table) else "its checksum is wrong"


def _wrong(table: Table) -> str:
    """What is wrong with a table; everything that kernels trust is checked. Empty if nothing is."""
    if len(table) < kernels.HEADER:
        return "it is too short"
    head = [int(number) for number in table[: kernels.HEADER]]
    if head[kernels.VERSION] != VERSION:
        return f"its format, {head[kernels.VERSION]}, is not known to this version of Firth"
    n_words, order, n_slots = head[kernels.N_WORDS], head[kernels.ORDER], head[kernels.N_SLOTS]
    n_rows, n_notes = head[kernels.MASK] + 1, head[kernels.N_NOTES]
    names = (
        kernels.WORDS,
        kernels.SPELLINGS,
        kernels.BOOKS,
        kernels.SLOTS,
        kernels.NOTES,
        kernels.SIZE,
    )
    sizes = n_rows, head[kernels.N_SPELLINGS], n_slots, n_notes
    right = (
        1 <= order <= kernels.MOST_BEFORE + 1
        and 1 <= n_words < 1 << 21
        and head[kernels.WIDTH] == 1
        and head[kernels.BITS] == (n_words + 2).bit_length()
        and max(sizes) <= 8 * len(table)
        and n_rows & (n_rows - 1) == 0
        and 0 < n_slots < 1 << 32
        and n_slots % kernels.GROUP == 0
        and max(head[kernels.FARTHEST_WORD], head[kernels.FARTHEST_SLOT]) <= _MOST_STEPS
        and [kernels.HEADER, *(head[name] for name in names)]
        == places_in(n_words, order, 1, *sizes)
        and head[kernels.SIZE] == len(table)
    )
    if not right:
        return "its sizes are not valid"
    rows = table[kernels.HEADER : kernels.HEADER + 2 * (n_words + 3)]
    pairs = table[head[kernels.BOOKS] :][: kernels.CODES * (order - 1)]
    books = pairs.view(np.float32).reshape(-1, 2)
    weights = np.concatenate([rows[1::2].astype(np.uint32).view(np.float32), books[:, 1]])
    p = np.concatenate([rows[::2].view(np.float64), books[books[:, 0] != -1, 0]])
    if not (np.all((p >= 0) & (p <= 1.00001)) and np.all((weights >= 0) & (weights <= _LARGEST))):
        return "its probabilities are not valid"
    return ""
