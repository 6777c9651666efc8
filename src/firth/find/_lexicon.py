"""Which words a node of a query stands for."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, reduce
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from firth import progress, unicode
from firth.corpus import Corpus, Vocabulary, fold_word, marked
from firth.errors import FirthError, QueryError
from firth.find._folding import FoldedWords, fold
from firth.find._joined import JoinedWords
from firth.find._query import Condition, Regex, Slot, Word

__all__ = ["Ids", "Lexicon"]

Ids: TypeAlias = npt.NDArray[np.int64]
_AT_FIRST, _AT_MOST = 1 << 10, 1 << 20
"""Words that an expression is compared with at once; more and more, as long as it is quick."""
_QUICK = 0.05


class Lexicon:
    """Finds the ids of the words that a word, a pattern, an expression or a slot stands for.

    Parameters
    ----------
    corpus : Corpus
    part : callable
        Opens a part of the model by its name, or raises an error that says how to make it.
    folded : FoldedWords, optional
        The words without case and accents, if they are known.
    """

    def __init__(
        self, corpus: Corpus, part: Callable[[str], Any], folded: FoldedWords | None = None
    ) -> None:
        self.corpus, self._part = corpus, part
        self.joined = JoinedWords(corpus)
        self._given = folded if self.joined.vocabulary is corpus.vocabulary else None

    @cached_property
    def _folded(self) -> FoldedWords:
        return self._given or FoldedWords(
            self.joined.vocabulary, language=self.corpus.reading.language
        )

    def of_word(self, word: Word) -> Ids:
        """The ids of the words that a word or a pattern stands for, ascending."""
        plain, vocabulary = word.plain, self.joined.vocabulary
        if plain is not None and not word.folded:
            found = vocabulary.find(plain)
            return np.array([] if found is None else [found], np.int64)
        if plain is not None:
            return self._equal(self._fold(plain))
        wild = {"*": ".*", "?": "."}
        pattern = "".join(
            wild[text]
            if is_wild
            else _escaped(self._fold(text) if word.folded else unicode.nfc(text))
            for is_wild, text in word.pieces
        )
        if not word.folded and pattern == ".*":
            return np.arange(len(vocabulary))
        return self._matching(rf"\A(?s:{pattern})\z", word.folded)

    def of_regex(self, regex: Regex, query: str) -> Ids:
        """The ids of the words in which an expression is found, ascending."""
        import pyarrow as pa

        source = regex.source
        if regex.folded:  # only letters are folded: \W is not \w
            source = "(?i)" + "".join(c if c.isascii() else self._fold(c) for c in source)
        try:
            return self._matching(source, regex.folded)
        except (pa.ArrowInvalid, UnicodeEncodeError) as error:
            why = str(error).partition("Invalid regular expression: ")[2].strip(" .:")
            raise QueryError(
                f"The regular expression /{regex.source}/ cannot be read{f': {why}' if why else ''}.",
                "The syntax is that of RE2, without back-references and looking around.",
                query,
                regex.place,
            ) from None

    def of_slot(self, slot: Slot, query: str) -> Ids:
        """The ids of the words of which all conditions hold, ascending."""
        of = {"class": self._of_class, "tag": self._of_tag, "like": self._like}
        found = [
            self.of_word(c.word) if c.word is not None else of[c.key](c, query)
            for c in slot.conditions
        ]
        both: Ids = reduce(lambda a, b: np.intersect1d(a, b, assume_unique=True), found)
        return both

    # Spelling

    def _fold(self, text: str) -> str:
        return fold(text, self.corpus.reading.language)

    def _equal(self, wanted: str) -> Ids:
        import pyarrow.compute as pc

        return _joined(
            np.flatnonzero(pc.equal(words, wanted).to_numpy(zero_copy_only=False)) + begin
            for begin, words in self._folded
        )

    def _matching(self, pattern: str, folded: bool) -> Ids:
        """The words in which a pattern is found. RE2 takes a time that is linear in what it reads."""
        import pyarrow.compute as pc

        chunks = iter(self._folded) if folded else iter([(0, self.joined.vocabulary.words)])
        return _joined(
            np.flatnonzero(pc.match_substring_regex(some, pattern).to_numpy(zero_copy_only=False))
            + begin
            for begin, some in _pieces(chunks)
        )

    # What was learned

    def morphs_of(self, word: str) -> list[str]:
        """The parts of a word, as a corpus of morphs has them."""
        split: list[str] = self._part("morphs").split(fold_word(word, self.corpus.reading))
        return marked(split)

    def _of_class(self, wanted: Condition, query: str) -> Ids:
        classes = self._part("classes")
        path, below = wanted.value.removesuffix("*"), wanted.value.endswith("*")
        if path.strip("01"):
            named = [node for node, name in classes.names.items() if name == wanted.value]
            if not named:
                raise QueryError(
                    f"No class has the name {wanted.value!r}.",
                    "Use a path such as 0101*, or a name that was given: firth classes name --help",
                    query,
                    wanted.place,
                )
            path, below = named[0], True
        try:
            begin, end = classes.tree.span(path)
        except FirthError as error:
            raise QueryError(
                error.message, "Show the classes: firth classes show MODEL", query, wanted.place
            ) from None
        if not below and classes.paths[begin] != path:
            raise QueryError(
                f"{path} is not a class, but a branch with {end - begin:,} classes.",
                f"Write [class={path}*] for all of them.",
                query,
                wanted.place,
            )
        return self._here(classes.vocabulary, classes.ids_below(path))

    def _of_tag(self, wanted: Condition, query: str) -> Ids:
        tagger = self._part("tags")
        names = list(tagger.tags_)
        number = int(wanted.value) if re.fullmatch("[0-9]{1,9}", wanted.value) else len(names)
        if wanted.value in names:
            tag = names.index(wanted.value)
        elif number < len(names):
            tag = number
        else:
            raise QueryError(
                f"There is no tag {wanted.value!r}.",
                f"The tags are {', '.join(names[:30])}{' ...' * (len(names) > 30)}.",
                query,
                wanted.place,
            )
        return self._here(tagger.vocabulary_, np.flatnonzero(tagger.tag_of_word() == tag))

    def _like(self, wanted: Condition, query: str) -> Ids:
        vectors = self._part("vectors")
        row = vectors.vocabulary.find(wanted.value)
        if row is None:
            raise QueryError(
                f"The word {wanted.value!r} has no vector.",
                f"{vectors.vocabulary.suggestion(wanted.value)} Rare words have no vectors.",
                query,
                wanted.place,
            )
        word = vectors.vocabulary[row]
        (near,) = vectors.neighbours([word], wanted.n)
        rows = [row, *(vectors.vocabulary.find(other) for other, _ in near)]
        return self._here(vectors.vocabulary, np.array(rows, np.int64))

    def _here(self, other: Vocabulary, ids: npt.NDArray[Any]) -> Ids:
        """Ids of another vocabulary as ids of the corpus, ascending; unknown words are left out."""
        mine = self.corpus.vocabulary
        n = len(other)
        if n <= len(mine) and mine.words.slice(0, n).equals(other.words):
            return np.sort(ids).astype(np.int64)
        places = mine.places_among(other.words.take(ids)) if len(ids) else np.zeros(0)
        return np.flatnonzero(places >= 0)


def _escaped(text: str) -> str:
    """Text in which no character has a meaning in an expression."""
    return "".join(c if c.isascii() and c.isalnum() else f"\\x{{{ord(c):x}}}" for c in text)


def _joined(some: Iterable[npt.NDArray[Any]]) -> Ids:
    found = list(some)
    return np.concatenate(found).astype(np.int64) if found else np.zeros(0, np.int64)


def _pieces(chunks: Iterator[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """Pieces of chunks of words; they become longer as long as each is dealt with quickly."""
    size = _AT_FIRST
    for begin, words in chunks:
        done = 0
        while done < len(words):
            progress.check_interrupted()
            started = time.monotonic()
            yield begin + done, words.slice(done, size)
            done += size
            if time.monotonic() - started < _QUICK:
                size = min(2 * size, _AT_MOST)
            elif size > _AT_FIRST:
                size //= 2
