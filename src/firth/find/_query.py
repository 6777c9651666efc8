"""The query language: from text to a tree of nodes, each with its place in the text.

::

    query     one or more sequences, separated by |
    sequence  items in a row, perhaps with gaps between them
    item      word, /regex/, [slot], (query) or "query"; with ~ before it, case and accents do not count
    word      characters; * stands for any characters, ? for one, and \\ makes the next one ordinary
    slot      [key=value ...], of which all must hold
    gap       {3} or {0,3}: so many words in between
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn, TypeAlias

from firth.errors import QueryError

__all__ = ["Alternatives", "Condition", "Gap", "Node", "Regex", "Sequence", "Slot", "Word", "parse"]

LONGEST_QUERY = 12_000
_DEEPEST = 40
_WIDEST_GAP = 100
_NEAREST = 20
_MOST_NEAREST = 1_000
_ENDS = '()|[]{}"'
"""What ends a word, besides blanks."""
_KEYS = ("class", "tag", "like", "word")


@dataclass(frozen=True)
class Word:
    """A word or a pattern of words: pieces that are wild (``*`` or ``?``) or not."""

    pieces: tuple[tuple[bool, str], ...]
    folded: bool
    place: int

    @property
    def plain(self) -> str | None:
        """The word, if nothing in it is wild."""
        return None if any(wild for wild, _ in self.pieces) else self.text

    @property
    def text(self) -> str:
        return "".join(text for _, text in self.pieces)


@dataclass(frozen=True)
class Regex:
    """A regular expression, to be found in a word."""

    source: str
    folded: bool
    place: int


@dataclass(frozen=True)
class Condition:
    """What a slot demands: the ``n`` nearest words of ``like``, or a class, a tag or a word."""

    key: str
    value: str
    place: int
    n: int = _NEAREST
    word: Word | None = None


@dataclass(frozen=True)
class Slot:
    """A word of which some conditions hold."""

    conditions: tuple[Condition, ...]
    place: int


@dataclass(frozen=True)
class Gap:
    """From ``low`` to ``high`` words of any kind."""

    low: int
    high: int
    place: int


@dataclass(frozen=True)
class Sequence:
    """Nodes in a row; a gap stands between two others."""

    items: tuple[Node, ...]
    place: int


@dataclass(frozen=True)
class Alternatives:
    """One of several sequences."""

    arms: tuple[Sequence, ...]
    place: int


Node: TypeAlias = Word | Regex | Slot | Gap | Alternatives


def parse(query: str) -> Alternatives:
    """Read a query; a QueryError says where it is wrong, and what is expected there.

    >>> [len(arm.items) for arm in parse('"in (January|March)" | ~econom*').arms]
    [1, 1]
    """
    if len(query) > LONGEST_QUERY:
        raise QueryError(
            f"The query has more than {LONGEST_QUERY:,} characters.",
            "Make it shorter, or give several patterns, which are alternatives.",
            query,
            LONGEST_QUERY,
        )
    return _Parser(query).whole()


class _Parser:
    """Reads a query from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._folded = False
        self._open: list[tuple[str, int]] = []
        """The closing characters that are still to come, and where each was opened."""

    def whole(self) -> Alternatives:
        self._skip()
        if self._at == len(self._text):
            self._fail("The query is empty.", "Type a word or several: united states")
        return self._alternatives()

    # Characters

    def _fail(self, message: str, hint: str, at: int | None = None) -> NoReturn:
        raise QueryError(message, hint, self._text, self._at if at is None else at)

    def _next(self) -> str:
        return self._text[self._at] if self._at < len(self._text) else ""

    def _skip(self) -> None:
        while self._next().isspace():
            self._at += 1

    # The grammar

    def _alternatives(self) -> Alternatives:
        """Sequences up to the closing character, which is passed over, or to the end."""
        place = self._at
        arms = [self._sequence()]
        while self._next() == "|":
            self._at += 1
            arms.append(self._sequence())
        closing = self._open[-1][0] if self._open else ""
        if self._next() != closing:
            self._wrong_end(closing)
        self._at += len(closing)
        return Alternatives(tuple(arms), place)

    def _wrong_end(self, closing: str) -> NoReturn:
        found = self._next()
        if closing:
            opening, at = {")": "(", '"': '"'}[closing], self._open[-1][1]
            self._fail(
                f"A closing {closing} is expected here.",
                f"The {opening} at character {at + 1} is open. For the character itself: \\{opening}",
            )
        self._fail(
            f"Nothing was opened that this {found} could close.",
            f"Leave it out. For the character itself: \\{found}",
        )

    def _sequence(self) -> Sequence:
        self._skip()
        place, items = self._at, [self._item()]
        while True:
            self._skip()
            if self._next() == "{":
                gap = self._gap()
                self._skip()
                items += [gap, self._item()]
            elif not self._next() or self._next() in "|)]}" or self._is_closing_quote():
                return Sequence(tuple(items), place)
            else:
                items.append(self._item())

    def _is_closing_quote(self) -> bool:
        return self._next() == '"' and any(closing == '"' for closing, _ in self._open)

    def _item(self) -> Node:
        place, before = self._at, self._folded
        if self._next() == "~":
            self._at += 1
            self._folded = True
        first = self._next()
        try:
            if not first or first in "|)}]" or first.isspace() or self._is_closing_quote():
                self._fail(
                    "A word is expected here.",
                    "Complete the query. For an operator as a character: \\( \\| \\* \\?",
                )
            if first == "{":
                self._fail("A gap stands between two words.", "For example: from {0,3} to")
            if first in '("':
                return self._group(")" if first == "(" else '"')
            if first == "/":
                return self._regex(place)
            return self._slot() if first == "[" else self._word()
        finally:
            self._folded = before

    def _group(self, closing: str) -> Alternatives:
        if len(self._open) >= _DEEPEST:
            self._fail(
                f"More than {_DEEPEST} groups are inside each other.", "Write a simpler query."
            )
        self._open.append((closing, self._at))
        self._at += 1
        found = self._alternatives()
        self._open.pop()
        return found

    def _gap(self) -> Gap:
        place = self._at
        end = self._text.find("}", place)
        parts = self._text[place + 1 : end].split(",") if end >= 0 else []
        numbers = [part.strip() for part in parts]
        known = all(n.isascii() and n.isdecimal() and len(n) < 6 for n in numbers)
        if not known or len(numbers) not in (1, 2):
            self._fail("A gap needs one number or two.", "For example: {2} or {0,3}", place)
        low, high = int(numbers[0]), int(numbers[-1])
        if low > high:
            self._fail(
                "The first number of a gap must not be larger than the second.",
                f"Write {{{high},{low}}}.",
                place,
            )
        if high > _WIDEST_GAP:
            self._fail(
                f"A gap has at most {_WIDEST_GAP} words.",
                f"Write {{{min(low, _WIDEST_GAP)},{_WIDEST_GAP}}}.",
                place,
            )
        self._at = end + 1
        return Gap(low, high, place)

    def _regex(self, place: int) -> Regex:
        self._at += 1
        source = ""
        while (c := self._next()) != "/":
            if not c:
                self._fail(
                    "A closing / is expected here.",
                    f"The regular expression at character {place + 1} is open. "
                    "For the character itself: \\/",
                )
            if c == "\\" and self._text[self._at + 1 : self._at + 2]:
                self._at += 1
                source += c * (self._next() != "/")
                c = self._next()
            source += c
            self._at += 1
        self._at += 1
        if not source:
            self._fail("The regular expression is empty.", "For example: /ing$/", place)
        return Regex(source, self._folded, place)

    def _word(self) -> Word:
        place = self._at
        pieces: list[tuple[bool, str]] = []
        while (c := self._next()) and c not in _ENDS and not c.isspace():
            wild = c in "*?"
            if c == "\\":
                self._at += 1
                c = self._next()
                if not c:
                    self._fail("A character is expected after \\.", "For a backslash itself: \\\\")
            self._at += 1
            if pieces and not wild and not pieces[-1][0]:
                pieces[-1] = (False, pieces[-1][1] + c)
            elif not (wild and c == "*" and pieces and pieces[-1] == (True, "*")):
                pieces.append((wild, c))
        if not pieces:
            self._fail(
                f"{self._next() or 'The end'} is not expected here.",
                f"A word, a phrase or a slot is. For the character itself: \\{self._next()}",
            )
        return Word(tuple(pieces), self._folded, place)

    # Slots

    def _slot(self) -> Slot:
        place = self._at
        self._at += 1
        conditions: list[Condition] = []
        while True:
            self._skip()
            if self._next() == "]" and conditions:
                self._at += 1
                return Slot(tuple(conditions), place)
            if not self._next():
                self._fail(
                    "A closing ] is expected here.", f"The [ at character {place + 1} is open."
                )
            self._condition(conditions)

    def _condition(self, conditions: list[Condition]) -> None:
        place = self._at
        while self._next().isalpha():
            self._at += 1
        key = self._text[place : self._at]
        if key not in (*_KEYS, "n"):
            self._fail(
                f"A slot begins with {', '.join(_KEYS[:-1])} or {_KEYS[-1]}.",
                "For example: [class=0101*], [tag=4], [like=monday n=50] or [word=*ing tag=4]",
                place,
            )
        if self._next() != "=":
            self._fail(f"A = is expected after {key}.", f"For example: [{key}={_EXAMPLES[key]}]")
        self._at += 1
        if key == "n":
            self._nearest(conditions, place)
            return
        begin = self._at
        if key == "word":
            word = self._word()
            conditions.append(Condition(key, word.text, place, word=word))
            return
        value = (
            self._quoted()
            if self._next() == '"' and not self._is_closing_quote()
            else self._value()
        )
        if not value:
            self._fail(
                f"A value is expected after {key}=.",
                f"For example: [{key}={_EXAMPLES[key]}]",
                begin,
            )
        conditions.append(Condition(key, value, place))

    def _nearest(self, conditions: list[Condition], place: int) -> None:
        begin = self._at
        value = self._value()
        last = conditions[-1] if conditions else None
        if last is None or last.key != "like":
            self._fail("n= belongs to like.", "For example: [like=monday n=50]", place)
        number = int(value) if value.isascii() and value.isdecimal() and len(value) < 9 else 0
        if not 1 <= number <= _MOST_NEAREST:
            self._fail(
                f"n= is a number from 1 to {_MOST_NEAREST:,}.",
                "For example: [like=monday n=50]",
                begin,
            )
        conditions[-1] = Condition(last.key, last.value, last.place, number)

    def _quoted(self) -> str:
        end = self._text.find('"', self._at + 1)
        if end < 0:
            at, self._at = self._at, len(self._text)
            self._fail('A closing " is expected here.', f'The " at character {at + 1} is open.')
        value, self._at = self._text[self._at + 1 : end], end + 1
        return value

    def _value(self) -> str:
        """Characters up to a blank or a bracket; a backslash makes the next one ordinary."""
        value = ""
        while (c := self._next()) and c not in ']["' and not c.isspace():
            if c == "\\" and self._text[self._at + 1 : self._at + 2]:
                self._at += 1
                c = self._next()
            value += c
            self._at += 1
        return value


_EXAMPLES = {"class": "0101*", "tag": "4", "like": "monday", "word": "*ing", "n": "50"}
