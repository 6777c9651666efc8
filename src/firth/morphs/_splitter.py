"""A learned morphology: words in, their parts out; saving and loading."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from firth import unicode
from firth.corpus import Vocabulary
from firth.errors import check_count, check_fitted, wrong_parameter
from firth.formats import Rows
from firth.morphs._given import check_split
from firth.morphs._graphemes import graphemes, has_parts
from firth.morphs._index import Morph, MorphIndex
from firth.morphs._lattice import Spelled, spell
from firth.morphs._paradigms import Affix, Paradigm, affix_table, paradigm_table
from firth.morphs._parameters import MorphologyParameters
from firth.notebook import Shown, bars
from firth.progress import count_of
from firth.store import Part, write_array

__all__ = ["KINDS", "Morph", "Split", "Splitter"]

KINDS = ("prefix", "stem", "suffix")
_SHOWN = 12
"""How many affixes a notebook shows."""
WORDS, MARKS, MORPHS = "words.arrow", "marks.u32", "morphs.arrow"
SHARES, FRESH, MOVES, ATTESTED = "shares.f64", "fresh.f64", "moves.f64", "attested.u32"
Floats = npt.NDArray[np.float64]
Marks = npt.NDArray[np.uint32]


class Split(NamedTuple):
    """One way to split a word, and its probability."""

    morphs: tuple[str, ...]
    probability: float


class Splitter(Shown):
    """Splits words into morphs: a fitted ``Morphology``, as ``firth.load(model).morphs`` loads it.

    Attributes
    ----------
    words_ : Vocabulary
        The words that it was learned from.
    morphs_ : Vocabulary
        The lexicon: morphs that occur in several words.
    facts_ : dict
        Numbers of words, morphs and given splits.
    corrections_ : dict of str to list of str
        Words whose parts a person has corrected, and these parts.
    """

    words_: Vocabulary
    morphs_: Vocabulary
    facts_: dict[str, Any]
    corrections_: Mapping[str, list[str]] = MappingProxyType({})
    _marks: Marks
    _shares: Floats
    _fresh: Floats
    _moves: Floats
    _attested: Marks
    _made: Mapping[str, Any]

    def _check_fitted(self) -> None:
        check_fitted(self, hasattr(self, "_marks"))

    def __getstate__(self) -> dict[str, Any]:  # caches are not copied
        return {name: value for name, value in self.__dict__.items() if name not in CACHES}

    def _notebook_rows(self) -> Iterable[tuple[str, str]]:
        for kind, title in (("prefix", "prefixes"), ("suffix", "suffixes")):
            found = [_shown(affix) for affix in self.affixes_ if affix.kind == kind]
            yield title, " ".join(found[:_SHOWN])

    def _notebook_picture(self) -> str:
        often = [(_shown(affix), float(affix.n_words)) for affix in self.affixes_[:_SHOWN]]
        return bars(often, "how many words have a prefix or suffix") if often else ""

    # Splitting ------------------------------------------------------------------------------------

    def split(self, word: str) -> list[str]:
        """The parts of a word, known or not; joined, they are the word.

        Words of the training data have the parts found in training. A word with other characters than
        letters, marks, hyphens and apostrophes, or with more than 64 characters, is left whole.

        Parameters
        ----------
        word : str
        """
        return [morph.text for morph in self.analyse(word)]

    def analyse(self, word: str) -> Rows[Morph]:
        """The parts of a word, and what they are.

        Parameters
        ----------
        word : str
        """
        return Rows(self.analyse_all([_checked(word)])[0], Morph)

    def split_all(self, words: Sequence[str]) -> list[list[str]]:
        """The parts of many words; see ``split``.

        Parameters
        ----------
        words : sequence of str
        """
        return [[morph.text for morph in morphs] for morphs in self.analyse_all(words)]

    def analyse_all(self, words: Sequence[str]) -> list[list[Morph]]:
        """The parts of many words, and what they are.

        Parameters
        ----------
        words : sequence of str
        """
        self._check_fitted()
        found: dict[str, list[Morph]] = {}
        others = []
        for word in dict.fromkeys(words):
            marks = self._marks_of(_checked(word))
            if marks is not None:
                letters = graphemes(word)
                if len(letters) == len(marks):
                    found[word] = _morphs(letters, marks)
                    continue
            if has_parts(word):
                others.append(word)
            else:
                found[word] = [Morph(word, "stem")]
        if others:
            for word, morphs in zip(others, self._decoder.analyse(others), strict=True):
                found[word] = [part for morph in morphs for part in self._expanded(morph)]
        return [found[word] for word in words]

    def _expanded(self, morph: Morph) -> list[Morph]:
        """The parts of a stem that is a word with parts of its own: learned, or corrected."""
        marks = self._marks_of(morph.text) if morph.kind == "stem" else None
        letters = graphemes(morph.text)
        return [morph] if marks is None or len(letters) != len(marks) else _morphs(letters, marks)

    def n_best(self, word: str, n: int = 5) -> Rows[Split]:
        """The most probable splits of a word, with their probabilities.

        The parts of ``split`` need not be the first of them: ``split`` decides about each boundary.

        Parameters
        ----------
        word : str
        n : int
            Maximum number of splits.
        """
        self._check_fitted()
        check_count("Morphology.n_best", "n", n)
        if not has_parts(_checked(word)):
            return Rows([Split((word,), 1.0)], Split)
        return Rows((Split(*one) for one in self._decoder.n_best(word, n)), Split)

    # The language ---------------------------------------------------------------------------------

    @cached_property
    def affixes_(self) -> Rows[Affix]:
        """Prefixes and suffixes, the most frequent first."""
        self._check_fitted()
        return Rows(affix_table(self._analysed()), Affix)

    @cached_property
    def paradigms_(self) -> Rows[Paradigm]:
        """Sets of endings that go together, and the stems that have just these."""
        self._check_fitted()
        return Rows(paradigm_table(self._analysed()), Paradigm)

    @cached_property
    def index(self) -> MorphIndex:
        """Which words have a part, a stem or an ending."""
        self._check_fitted()
        return MorphIndex(self.words_, self._analysed())

    def _analysed(self) -> Iterable[list[Morph]]:
        for row, word in enumerate(self.words_):
            marks = self._given_marks(word) if self.corrections_ else None
            yield _morphs(graphemes(word), self._learned_marks(row) if marks is None else marks)

    def _marks_of(self, word: str) -> Marks | None:
        """The marks of a word that was corrected, or learned from; None for others."""
        marks = self._given_marks(word) if self.corrections_ else None
        if marks is None:
            row = self._rows.get(word, self._rows.get(unicode.nfc(word)))
            marks = None if row is None else self._learned_marks(row)
        return marks

    def _learned_marks(self, row: int) -> Marks:
        return self._marks[self._starts[row] : self._starts[row + 1]]

    # Corrections ----------------------------------------------------------------------------------

    def corrected(self, corrections: Mapping[str, Sequence[str]]) -> Splitter:
        """The same with other splits for some words, as a person has given them.

        What the parts are (prefix, stem or suffix) follows from what was learned. Learn again with
        ``known`` for splits of other words that agree with them.

        Parameters
        ----------
        corrections : mapping of str to sequence of str
            Words, and their parts.
        """
        self._check_fitted()
        for word, parts in corrections.items():
            check_split(word, parts)
        other = copy(self)
        other.__dict__ |= {name: self.__dict__[name] for name in SHARED if name in self.__dict__}
        other.corrections_ = {unicode.nfc(word): list(parts) for word, parts in corrections.items()}
        return other

    def is_corrected(self, word: str) -> bool:
        """Whether a person has given the parts of a word.

        Parameters
        ----------
        word : str
        """
        return unicode.nfc(_checked(word)) in self.corrections_

    def _given_marks(self, word: str) -> Marks | None:
        return self._corrected.get(unicode.nfc(word))

    @cached_property
    def _corrected(self) -> dict[str, Marks]:
        """The marks of words with corrections."""
        words = list(self.corrections_)
        found = self._decoder.analyse(words, self.corrections_) if words else []
        return {word: _marks_from(morphs) for word, morphs in zip(words, found, strict=True)}

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words_)}

    @cached_property
    def _spelled(self) -> Spelled:
        words = list(self.words_)
        letters = sorted({letter for word in words for letter in graphemes(word)})
        return spell(words, {letter: k for k, letter in enumerate(letters)})

    @cached_property
    def _starts(self) -> npt.NDArray[np.int64]:
        return self._spelled.starts

    @cached_property
    def _decoder(self) -> Any:
        from firth.morphs._decoding import Decoder  # late: it compiles kernels

        stems = inside_stems(self._marks)
        how = MorphologyParameters.restored(self._made)
        lexicon = {morph: row for row, morph in enumerate(self.morphs_)}
        return Decoder(
            self._spelled, stems, lexicon, self._attested > 0, self._rows, self._shares, self._fresh, self._moves,
            how.unattested,
        )  # fmt: skip

    # As a part of a model -------------------------------------------------------------------------

    def save(self, folder: Path) -> None:
        """Write the files of a part of a model."""
        self._check_fitted()
        self.words_.save(folder / WORDS)
        self.morphs_.save(folder / MORPHS)
        write_array(folder / MARKS, self._marks)
        write_array(folder / ATTESTED, self._attested)
        for name, array in ((SHARES, self._shares), (FRESH, self._fresh), (MOVES, self._moves)):
            write_array(folder / name, array)

    @classmethod
    def load(cls, part: Part) -> Splitter:
        """Map the files of a part into memory and check them."""
        splitter = Splitter()
        made = MorphologyParameters.restored(part.parameters).parameters()
        words = Vocabulary.load(part, WORDS, ordered=False)
        morphs = Vocabulary.load(part, MORPHS, ordered=False)
        part.require(len(words), "it has no words")
        for vocabulary in (words, morphs):
            texts = list(vocabulary)
            part.require(
                all(texts) and len(set(texts)) == len(texts), "words are empty or repeated"
            )
        part.require(all(map(has_parts, words)), "a word has characters that words do not have")
        splitter.words_, splitter.morphs_, splitter._made = words, morphs, made
        splitter._marks = part.array(MARKS, -1, 0, len(KINDS), copy=True)
        n_letters = int(splitter._starts[-1])
        part.require(len(splitter._marks) == n_letters, "there is not one mark for each letter")
        begins = splitter._marks[splitter._starts[:-1]]
        part.require((begins > 0).all(), "a word does not begin with a part")
        stems = np.add.reduceat(splitter._marks == 2, splitter._starts[:-1], dtype=np.int64)
        part.require((stems > 0).all(), "a word has no stem")
        splitter._shares = part.array(SHARES, (len(morphs), 3), 0, 1, copy=True)
        splitter._attested = part.array(ATTESTED, len(morphs), 0, 1, copy=True)
        splitter._fresh = part.array(FRESH, 3, 1e-300, 1, copy=True)
        splitter._moves = part.array(MOVES, (4, 4), 0, 1, copy=True)
        part.require(_sound(splitter._moves), "the moves between states are not probabilities")
        splitter.facts_ = splitter._facts(int(part.facts.get("n_known", 0)))
        return splitter

    def _facts(self, n_known: int) -> dict[str, Any]:
        return {
            "n_words": len(self.words_),
            "n_split": int((np.add.reduceat(self._marks > 0, self._starts[:-1], dtype=np.int64) > 1).sum()),
            "n_morphs": len(self.morphs_),
            "n_known": n_known,
        }  # fmt: skip

    def describe(self) -> dict[str, Any]:
        """Numbers of words, of words with several parts, and of morphs."""
        self._check_fitted()
        return dict(self.facts_)

    def summary(self) -> tuple[str, list[str]]:
        """The same in words."""
        facts = self.describe()
        how = [f"{facts['n_split'] / facts['n_words']:.0%} of the words have several parts"]
        if facts["n_known"]:
            how.append(f"with {count_of(facts['n_known'], 'given split')}")
        if self.corrections_:
            how.append(count_of(len(self.corrections_), "correction"))
        words, morphs = count_of(facts["n_words"], "word"), count_of(facts["n_morphs"], "morph")
        return f"{words}, {morphs}", how


SHARED = ("_rows", "_spelled", "_starts", "_decoder")
CACHES = (*SHARED, "affixes_", "paradigms_", "index", "_corrected")
"""What is computed when it is first needed; SHARED does not depend on corrections."""


def _shown(affix: Affix) -> str:
    """An affix as grammars write it, with a hyphen where the stem is."""
    return f"{affix.text.rstrip('-')}-" if affix.kind == "prefix" else f"-{affix.text.lstrip('-')}"


def inside_stems(marks: Marks) -> Floats:
    """1 for every letter of a stem, 0 for the letters of affixes."""
    begins = np.flatnonzero(marks > 0)
    lengths = np.diff(np.append(begins, len(marks)))
    return np.repeat((marks[begins] == KINDS.index("stem") + 1).astype(np.float64), lengths)


def _morphs(letters: Sequence[str], marks: Marks) -> list[Morph]:
    begins = np.flatnonzero(marks).tolist()
    ends = [*begins[1:], len(letters)]
    return [
        Morph("".join(letters[a:b]), KINDS[int(marks[a]) - 1])
        for a, b in zip(begins, ends, strict=True)
    ]


def _marks_from(morphs: Iterable[Morph]) -> Marks:
    """The marks of the letters of a word, from its parts."""
    marks: list[int] = []
    for morph in morphs:
        marks += [KINDS.index(morph.kind) + 1] + [0] * (len(graphemes(morph.text)) - 1)
    return np.array(marks, np.uint32)


def _sound(moves: Floats) -> bool:
    """Whether rows sum to one, prefixes are not last, and every state can be left."""
    sums = moves.sum(axis=1)
    return bool(
        np.abs(sums - 1).max() < 1e-6
        and not moves[[0, 3], 2:].any()
        and (moves[[1, 2], 3] > 0).all()
        and (moves[:, 1] > 0).all()
    )


def _checked(word: object) -> str:
    if not isinstance(word, str):
        raise wrong_parameter("Morphology.split", "word", "a str", word)
    return word
