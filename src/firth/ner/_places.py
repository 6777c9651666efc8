"""The positions of words in the lines of a text, and a notice if the text is in columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from firth.corpus import Reading, Source, tokenise
from firth.progress import notice

__all__ = ["Place", "PlacedSource", "looks_like_columns", "text_of"]

_LABEL = re.compile(r"O|[BIESLU]-\S+")
_LINES, _SHARE, _WIDEST = 1000, 0.9, 20
"""Text is taken for columns if this share of its first lines has the same number of fields, up to 20."""


class Place(NamedTuple):
    """The position of a word.

    ``line`` is counted from 1, and ``start`` is the number of characters before the word in its line.
    ``before`` is the text between the previous word and this one, ``text`` the word itself, both as they
    are in the file.
    """

    line: int
    start: int
    before: str
    text: str


def text_of(places: Sequence[Place]) -> str:
    """The text from the first of some words to the last, as it is in the file."""
    return places[0].text + "".join(place.before + place.text for place in places[1:])


class PlacedSource(Source):
    """A source that also finds the positions of words in plain text as they are read.

    A notice is printed if the text seems to be in columns.
    """

    def __init__(self, source: Source, placing: bool) -> None:
        super().__init__(source.name, source.kind, source.path, source.column, once=source.once)
        self.placing = placing and self.kind == "text"
        self._places: Iterator[Place] = iter(())
        self._start, self._before = 0, ""

    def places(self, n: int) -> list[Place]:
        """The positions of the next words; none without ``placing``, and none in tables."""
        return list(islice(self._places, n))

    def blocks(self, reading: Reading) -> Iterator[Any]:
        """Read the source from its start to its end."""
        for number, block in enumerate(super().blocks(reading)):
            if self.kind == "text" and number == 0:
                self._notice_columns(block.data)
            if self.placing:
                self._places = self._look(block, reading)
            yield block
            for _ in self._places:  # up to the start of the next block
                pass

    def _look(self, block: Any, reading: Reading) -> Iterator[Place]:
        """The positions of the words of a block, which may start within a line."""
        text = block.data.decode(errors="replace").replace("\0", "\ufffd")
        at, line, line_start = 0, block.n_lines_before + 1, -self._start
        for words in tokenise(text, reading.tokens, "none"):
            for word in words:
                start = text.find(word, at)  # between words, nothing can start one
                before = text[at:start]
                if "\n" in before:
                    line += before.count("\n")
                    line_start = at + before.rfind("\n") + 1
                yield Place(line, start - line_start, self._before + before, word)
                self._before = ""
                at = start + len(word)
        if "\n" in text[at:]:
            line_start = text.rfind("\n") + 1
        self._start = len(text) - line_start
        self._before += text[at:]

    def _notice_columns(self, data: bytes) -> None:
        if looks_like_columns(data):
            notice(
                f"{self.name} seems to be in columns, but is read as plain text.",
                "Read columns with --columns.",
            )


def looks_like_columns(data: bytes) -> bool:
    """Whether nearly all lines have the same number of fields, the last of them a label.

    >>> looks_like_columns(b"Anna NNP B-PER\\nran VBD O\\n\\n")
    True
    """
    lines = (line.split() for line in data.decode(errors="replace").split("\n"))
    rows = list(islice((fields for fields in lines if fields), _LINES))
    widths = Counter(len(fields) for fields in rows if _LABEL.fullmatch(fields[-1]))
    alike = max((n for width, n in widths.items() if 1 < width <= _WIDEST), default=0)
    return alike > 1 and alike >= _SHARE * len(rows)
