"""Where the words of a text stand in its lines, and whether it is in columns after all."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from firth.corpus import Reading, Source, tokenise
from firth.progress import notice

__all__ = ["PlacedSource", "Spot", "looks_like_columns", "text_of"]

_LABEL = re.compile(r"O|[BIESLU]-\S+")
_LINES, _SHARE, _WIDEST = 1000, 0.9, 20
"""How many lines are looked at, how many of them must be alike, and how many columns there may be."""


class Spot(NamedTuple):
    """Where a word is.

    ``line`` counts from 1, ``start`` counts the characters before it in the line. ``before`` is what stands
    between it and the word before, ``text`` the word itself, both as they are in the file.
    """

    line: int
    start: int
    before: str
    text: str


def text_of(spots: Sequence[Spot]) -> str:
    """Some words as they stand in the file, with what is between them."""
    return spots[0].text + "".join(spot.before + spot.text for spot in spots[1:])


class PlacedSource(Source):
    """A source that can say where the words of a plain text stand, as they are read.

    It tells the user if the text seems to be in columns.
    """

    def __init__(self, source: Source, placing: bool) -> None:
        super().__init__(source.name, source.kind, source.path, source.column, once=source.once)
        self.placing = placing and self.kind == "text"
        self._spots: Iterator[Spot] = iter(())
        self._start, self._before = 0, ""

    def spots(self, n: int) -> list[Spot]:
        """The places of the next words; none where they are not asked for, or the text is not plain."""
        return list(islice(self._spots, n))

    def blocks(self, reading: Reading) -> Iterator[Any]:
        """Read the source from its start to its end."""
        for number, block in enumerate(super().blocks(reading)):
            if self.kind == "text" and number == 0:
                self._notice_columns(block.data)
            if self.placing:
                self._spots = self._look(block, reading)
            yield block
            for _ in self._spots:  # to where the next block begins
                pass

    def _look(self, block: Any, reading: Reading) -> Iterator[Spot]:
        """The places of the words of a block, which may begin within a line."""
        text = block.data.decode(errors="replace").replace("\0", "\ufffd")
        at, line, line_start = 0, block.n_lines_before + 1, -self._start
        for words in tokenise(text, reading.tokens, "none"):
            for word in words:
                start = text.find(word, at)  # nothing that a word can begin with is between words
                before = text[at:start]
                if "\n" in before:
                    line += before.count("\n")
                    line_start = at + before.rfind("\n") + 1
                yield Spot(line, start - line_start, self._before + before, word)
                self._before = ""
                at = start + len(word)
        if "\n" in text[at:]:
            line_start = text.rfind("\n") + 1
        self._start = len(text) - line_start
        self._before += text[at:]

    def _notice_columns(self, data: bytes) -> None:
        if looks_like_columns(data):
            notice(
                f"{self.name} seems to be in columns, the last of them labels; it is read as text.",
                "To read the columns: --columns",
            )


def looks_like_columns(data: bytes) -> bool:
    """Whether nearly all lines have as many fields as the others, and a label as the last.

    >>> looks_like_columns(b"Anna NNP B-PER\\nran VBD O\\n\\n")
    True
    """
    lines = (line.split() for line in data.decode(errors="replace").split("\n"))
    rows = list(islice((fields for fields in lines if fields), _LINES))
    widths = Counter(len(fields) for fields in rows if _LABEL.fullmatch(fields[-1]))
    alike = max((n for width, n in widths.items() if 1 < width <= _WIDEST), default=0)
    return alike > 1 and alike >= _SHARE * len(rows)
