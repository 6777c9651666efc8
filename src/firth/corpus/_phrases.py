"""Tokens that are phrases: several words in a row, joined."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from firth import formats
from firth.corpus._morphs import WordSplitter, morph_tokens
from firth.corpus._reading import Reading
from firth.corpus._vocabulary import Vocabulary, fold_word
from firth.errors import InputError, ParameterError, wrong_parameter

__all__ = ["JOINT", "Phrases", "Units", "maker_of", "phrases_of", "read_phrases", "tokens_of"]

JOINT = "_"
"""What stands between the words of a phrase in its token."""
_MOST_WORDS = 100
Words = tuple[str, ...]


class Phrases:
    """Phrases of two words or more, each of which is one token: the longest first, from left to right.

    Attributes
    ----------
    words : dict of str to tuple of str
        The words of each token, such as ``New_York``; if two phrases make the same token, the first one.

    Examples
    --------
    >>> phrases = Phrases([("New", "York"), ("New", "York", "Times")])
    >>> phrases.joined(["The", "New", "York", "Times", "of", "New", "York"])
    ['The', 'New_York_Times', 'of', 'New_York']
    """

    def __init__(self, phrases: Iterable[Sequence[str]]) -> None:
        self._all = dict.fromkeys(map(tuple, phrases))
        self.words: dict[str, Words] = {}
        self._lengths: dict[str, list[int]] = {}
        for phrase in self._all:
            if len(phrase) < 2 or not all(isinstance(word, str) and word for word in phrase):
                raise ParameterError(f"A phrase has two words or more. Got {phrase!r}.")
            self.words.setdefault(JOINT.join(phrase), phrase)
            self._lengths.setdefault(phrase[0], []).append(len(phrase))
        self._lengths = {word: sorted({*n}, reverse=True) for word, n in self._lengths.items()}
        self.longest = max(map(len, self._all), default=1)

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Words]:
        return iter(self._all)

    def __repr__(self) -> str:
        return f"<{len(self):,} phrases>"

    def joined(self, words: Sequence[str]) -> list[str]:
        """The tokens of some words, which are a sentence."""
        return self.take(words, whole=True)[0]

    def take(self, words: Sequence[str], whole: bool) -> tuple[list[str], int]:
        """Tokens, and how many words are in them: all, if no more words follow in the sentence."""
        tokens, at = [], 0
        last = len(words) if whole else len(words) - self.longest + 1
        while at < last:
            here = (tuple(words[at : at + n]) for n in self._lengths.get(words[at], ()))
            longest = next((phrase for phrase in here if phrase in self._all), (words[at],))
            tokens.append(JOINT.join(longest))
            at += len(longest)
        return tokens, at

    def among(self, vocabulary: Vocabulary) -> Phrases:
        """Those of which all words occur."""
        distinct = list(dict.fromkeys(word for phrase in self._all for word in phrase))
        ids = dict(zip(distinct, vocabulary.find_all(distinct), strict=True))
        return Phrases(p for p in self._all if all(ids[word] is not None for word in p))


Units: TypeAlias = WordSplitter | Phrases
"""What makes tokens of words: a morphology, which divides them, or phrases, which join them."""


def tokens_of(words: Sequence[str], units: Units | None) -> list[str]:
    """The tokens of the words of a sentence."""
    if isinstance(units, Phrases):
        return units.joined(words)
    return list(words) if units is None else morph_tokens(words, units)


def maker_of(units: Units | None) -> dict[str, Any]:
    """Units as the argument of ``build`` that makes them from what has been read."""
    if units is None:
        return {}
    return {"phrases" if isinstance(units, Phrases) else "morphs": lambda _: units}


def phrases_of(given: Any, reading: Reading) -> Phrases:
    """Phrases that are given as such, as lists of words, or as the name of a file."""
    if isinstance(given, Phrases):
        return given
    if isinstance(given, str | Path):
        return read_phrases(given, reading)
    if not isinstance(given, Iterable):
        rule = "a file, or a list of phrases as lists of words; a number is for learning"
        raise wrong_parameter("Corpus", "phrases", rule, given)
    return Phrases([fold_word(word, reading) for word in words] for words in given)


def read_phrases(path: str | Path, reading: Reading) -> Phrases:
    """Read a list of phrases: a text file with one on each line, or a table with a column ``phrase``.

    Words are those between blanks, or of the tokeniser if that finds more, and changed as those of the text
    are (``lowercase``, ``digits``).
    """
    from firth.corpus._tokeniser import tokenise  # late: it has compiled kernels

    path = Path(path)
    found = []
    for number, line in _lines(path):
        words = line.split()
        cut = [word for part in tokenise(line, reading.cuts, "none") for word in part]
        words = [fold_word(word, reading) for word in max(words, cut, key=len)]
        if not words:
            continue
        if not 2 <= len(words) <= _MOST_WORDS:
            raise InputError(
                f"{path}, line {number}: a phrase has from 2 to {_MOST_WORDS} words. Got {line.strip()!r:.60}.",
                "Write one phrase on each line, such as: New York",
            )
        found.append(words)
    if not found:
        raise InputError(
            f"{path} contains no phrases.", "Write one on each line, such as: New York"
        )
    return Phrases(found)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The phrases of a file as text, with the numbers of their lines."""
    if not path.is_file():
        raise InputError(
            f"There is no file {path}.",
            "--phrases takes a number, or a file with a phrase on each line.",
        )
    kind = "json" if path.suffix in (".json", ".JSON") else formats.kind_of(path.name)
    if kind == "text":
        yield from formats.text_lines(path)
        return
    if kind != "table":
        raise InputError(
            f"{path} is not a list of phrases.",
            "Give a text file with one phrase per line, or a CSV, TSV, Parquet or Arrow table with a column 'phrase'.",
        )
    columns = formats.read_rows(path)
    if "phrase" not in columns:
        raise InputError(
            f"{path} has no column 'phrase'.",
            "Make such a table: firth corpus phrases MODEL --output FILE.csv",
        )
    yield from enumerate(map(str, columns["phrase"]), 2)
