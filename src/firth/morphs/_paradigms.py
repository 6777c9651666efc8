"""The language's affixes, and the paradigms: which endings go together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

__all__ = ["Affix", "Paradigm", "affix_table", "paradigm_table", "stem_and_ending"]


class _Part(Protocol):
    @property
    def text(self) -> str: ...
    @property
    def kind(self) -> str: ...


class Affix(NamedTuple):
    """A prefix or a suffix, and in how many words it occurs."""

    text: str
    kind: str
    n_words: int


class Paradigm(NamedTuple):
    """A set of endings, and the stems that occur with just these.

    An ending is all that follows the last stem of a word, as a tuple of suffixes; the empty tuple is the
    stem alone.
    """

    endings: tuple[tuple[str, ...], ...]
    stems: tuple[str, ...]

    def rows(self) -> Iterator[dict[str, Any]]:
        """One row: the endings, as in ``-er-s``, and the stems, each joined by blanks."""
        endings = " ".join("".join(f"-{part}" for part in ending) or "-" for ending in self.endings)
        yield {"endings": endings, "stems": " ".join(self.stems)}


def affix_table(words: Iterable[Iterable[_Part]]) -> list[Affix]:
    """The affixes of words that were split, the most frequent first; ties by spelling."""
    counts: Counter[tuple[str, str]] = Counter()
    for parts in words:
        counts.update({(part.text, part.kind) for part in parts if part.kind != "stem"})
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [Affix(text, kind, count) for (text, kind), count in ordered]


def stem_and_ending(parts: Sequence[_Part]) -> tuple[str, tuple[str, ...]]:
    """All up to the last stem of a word, and the suffixes after it."""
    last = max(k for k, part in enumerate(parts) if part.kind == "stem")
    return "".join(part.text for part in parts[: last + 1]), tuple(
        part.text for part in parts[last + 1 :]
    )


def paradigm_table(words: Iterable[Iterable[_Part]]) -> list[Paradigm]:
    """Endings that at least two stems share, those first that describe the most words.

    >>> from firth.morphs import Morph
    >>> words = [["walk"], ["walk", "ed"], ["talk"], ["talk", "ed"], ["ox"]]
    >>> kinds = ("stem", "suffix")
    >>> paradigm_table([[Morph(*one) for one in zip(word, kinds)] for word in words])
    [Paradigm(endings=((), ('ed',)), stems=('talk', 'walk'))]
    """
    endings: defaultdict[str, set[tuple[str, ...]]] = defaultdict(set)
    for parts in words:
        stem, ending = stem_and_ending(list(parts))
        endings[stem].add(ending)
    stems: defaultdict[tuple[tuple[str, ...], ...], list[str]] = defaultdict(list)
    for stem, found in endings.items():
        if len(found) > 1:
            stems[tuple(sorted(found))].append(stem)
    shared = [Paradigm(key, tuple(sorted(some))) for key, some in stems.items() if len(some) > 1]
    return sorted(shared, key=lambda one: (-len(one.stems) * len(one.endings), one.endings))
