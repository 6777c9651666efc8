"""Vocabulary: the words of a corpus, the most frequent first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import unicode
from firth.corpus._reading import Reading
from firth.errors import WordError, check_count, wrong_parameter
from firth.notebook import outline
from firth.store import Order, Part, UnsoundError, check_array, column, open_file, read_table

__all__ = ["MIN_COUNTS", "MOST_TOKENS", "Vocabulary", "fold_word", "fold_words"]

MIN_COUNTS: tuple[int, ...] = (1, 2, 5, 10, 20, 50, 100)
"""Values of ``min_count`` to compare, when sizes of the vocabulary are shown."""
MOST_TOKENS = 1 << 53
"""Sums of counts up to this limit are exact in float64."""
_AT_ONCE = 1 << 12


class Vocabulary:
    """Words and counts in the order of their ids: decreasing count, ties by code point.

    A smaller vocabulary is a prefix of the ids, so it is given by a number; see ``n_kept``.

    Parameters
    ----------
    words : pyarrow.LargeStringArray
    counts : array of int64
    """

    def __init__(self, words: Any, counts: npt.NDArray[np.int64]) -> None:
        self.words = words
        self.counts = counts

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, word_id: int) -> str:
        return str(self.words[int(word_id)].as_py())

    def __iter__(self) -> Iterator[str]:
        return iter(self.words.to_pylist())

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.find(word) is not None

    def __repr__(self) -> str:
        return f"<Vocabulary of {len(self):,} words>"

    def drawing(self) -> str:
        """SVG of how often words occur, for notebooks."""
        ranks = np.unique(np.geomspace(1, max(1, len(self)), 60).astype(np.int64)) - 1
        counts = np.maximum(self.counts[ranks[: len(self)]], 1)
        title = "how often words occur, from the most frequent to the rarest; logarithmic scales"
        return outline((np.log2(counts) + 1).tolist(), title)

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words.to_pylist())}

    def find(self, word: str) -> int | None:
        """The id of a word, or else of how the corpus writes it, or else None.

        That is normal form C, with ``_`` between the words of a phrase.
        """
        found = self._find(word)
        if found is None:
            normal = _written(word)
            found = None if normal == word else self._find(normal)
        return found

    def _find(self, word: str) -> int | None:
        if "_ids" in self.__dict__:
            return self._ids.get(word)
        import pyarrow as pa
        import pyarrow.compute as pc

        try:
            position = pc.index(self.words, pa.scalar(word, pa.large_string())).as_py()
        except UnicodeEncodeError:  # a lone surrogate cannot occur in text
            return None
        return position if position >= 0 else None

    def id(self, word: str, missing: str = "is not in the corpus") -> int:
        """The id of a word; raises WordError if it has none. ``missing`` completes the message."""
        if not isinstance(word, str):
            raise wrong_parameter("Vocabulary.id", "word", "a str", word)
        found = self.find(word)
        if found is None:
            error = WordError(f"The word {word!r} {missing}.", self.suggestion(word))
            error.word = word
            raise error
        return found

    def suggestion(self, word: str) -> str:
        """What a person may have meant by a word that is not here, as a hint."""
        from firth.corpus._near import near_words

        same = self.other_case(word)
        if same is not None:
            return f"There is {same!r}."
        near = near_words(self.words, word)
        if not near:
            return "Check the spelling; words are case-sensitive."
        return f"Did you mean {' or '.join(map(repr, near))}? Words are case-sensitive."

    def other_case(self, word: str) -> str | None:
        """The word in lower case, with an initial capital, or in capitals, if it is here; or None."""
        turkish = unicode.lower(word, "tr")
        forms = (word.lower(), word.capitalize(), word.upper(), turkish)
        return next((form for form in forms if form in self), None)

    def ids(self, words: Sequence[str]) -> list[int | None]:
        """The ids of many words; None for unknown words."""
        return [self._ids.get(word) for word in words]

    def find_all(self, words: Sequence[str]) -> list[int | None]:
        """The ids of many words as ``find`` finds them, without a table of the whole vocabulary."""
        found = self._find_together(words)
        forms = {word: _written(word) for word in words if word not in found}
        normal = self._find_together({form: None for word, form in forms.items() if form != word})
        return [found.get(word, normal.get(forms.get(word, ""))) for word in words]

    def _find_together(self, words: Iterable[str]) -> dict[str, int]:
        """The ids of those words that are here."""
        import pyarrow as pa

        # a lone surrogate cannot occur in text
        some = [w for w in words if w.isascii() or w.encode(errors="ignore").decode() == w]
        places = self.places_among(pa.array(some, pa.large_string())) if some else np.zeros(0)
        ids = np.flatnonzero(places >= 0)
        return {some[place]: i for i, place in zip(ids.tolist(), places[ids].tolist(), strict=True)}

    def places_among(self, words: Any) -> npt.NDArray[np.int32]:
        """Where each word of the vocabulary is in an Arrow array of words; -1 if it is not there."""
        import pyarrow.compute as pc

        found = pc.index_in(self.words, value_set=words).fill_null(-1)
        places: npt.NDArray[np.int32] = found.to_numpy(zero_copy_only=False)
        return places

    def n_kept(self, min_count: int = 1, max_words: int | None = None) -> int:
        """The number of words with at least ``min_count`` occurrences, limited to ``max_words``.

        These are the words with an id below this number.
        """
        check_count("Vocabulary.n_kept", "min_count", min_count)
        kept = int(np.searchsorted(-self.counts, -min_count, side="right"))
        if max_words is not None:
            check_count("Vocabulary.n_kept", "max_words", max_words)
            kept = min(kept, max_words)
        return kept

    def first(self, n: int) -> Vocabulary:
        """The vocabulary of the words with an id below a number."""
        return Vocabulary(self.words[:n], self.counts[:n])

    def save(self, path: Path) -> None:
        """Write an Arrow file with the columns ``word`` and ``count``."""
        import pyarrow as pa

        table = pa.table({"word": self.words, "count": pa.array(self.counts, pa.int64())})
        with open_file(path, "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table.combine_chunks())

    @classmethod
    def load(cls, part: Part, name: str, ordered: bool = True) -> Vocabulary:
        """Memory-map a file of a part that was written by ``save``, and check it.

        Imported words need not be ``ordered`` by count.
        """
        import pyarrow as pa

        path = part.path(name)
        table = read_table(path)
        schema = [(field.name, field.type) for field in table.schema]
        if schema != [("word", pa.large_string()), ("count", pa.int64())]:
            raise UnsoundError(path, "it is not a list of words")
        words, counts = (column(table, i) for i in range(2))
        if words.null_count + counts.null_count:
            raise UnsoundError(path, "a word or a count is missing")
        least = 1 if ordered else 0
        order: Order | None = "never rises" if ordered else None
        numbers = check_array(counts.to_numpy(), path, len(words), least, MOST_TOKENS, order)
        if float(numbers.sum(dtype=np.float64)) > MOST_TOKENS:
            raise UnsoundError(path, "the counts are too large")
        return cls(words, numbers)


def fold_words(words: Any, reading: Reading) -> Any:
    """Words in normal form C and, depending on ``reading``, lower-cased and with 0 for digits.

    Returns the same array if nothing changes.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    other = pc.invert(pc.string_is_ascii(words))
    if reading.lowercase and reading.language in ("tr", "az"):
        other = pc.or_(other, pc.match_substring(words, "I"))
    if pc.any(other).as_py():
        old = words.filter(other).to_pylist()
        new = [
            form
            for a in range(0, len(old), _AT_ONCE)
            for form in unicode.fold_words(
                old[a : a + _AT_ONCE], reading.lowercase, reading.digits == "zero", reading.language
            )
        ]
        if new != old:
            words = pc.replace_with_mask(words, other, pa.array(new, pa.large_string()))
    if reading.lowercase:
        words = pc.ascii_lower(words)
    if reading.digits == "zero":
        words = pc.replace_substring_regex(words, "[0-9]", "0")
    return words


def fold_word(word: str, reading: Reading) -> str:
    """A word in normal form C and, depending on ``reading``, lower-cased and with 0 for digits."""
    return unicode.fold(word, reading.lowercase, reading.digits == "zero", reading.language)


def _written(word: str) -> str:
    """How a corpus writes a word: no word contains a space."""
    return unicode.nfc(word).replace(" ", "_")
