"""VRT, the vertical text of the Corpus Workbench and Sketch Engine: a token a line, tags between them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from firth.errors import InputError
from firth.formats._tables import LONGEST

__all__ = ["vrt_lines"]

_TAG = re.compile(
    r"""<(/?)([A-Za-z_][\w.:-]*)((?:\s[^<>]*|\s(?:[^<>"']|"[^"]*"|'[^']*')*)?)(/?)>"""
)
"""Within quotes, values may have any characters."""
_ATTRIBUTE = re.compile(r"""([\w.:-]+)\s*=\s*("[^"]*"|'[^']*')""")
_NAMES = re.compile(r"<!--\s*#vrt positional-attributes:\s*(.*?)\s*-->")
_ENTITY = re.compile("&(lt|gt|amp|quot|apos|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});")
_CHARACTERS = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_SENTENCES = ("s", "sentence")
_PARAGRAPHS = ("p", "lb", "pb", "g")
"""Structures whose attributes do not make documents."""
_DEFAULT = ("text", "word", "form", "1")
_MOST_OPEN = 256


def vrt_lines(
    lines: Iterable[tuple[int, str]], column: str, name: str
) -> Iterator[tuple[Mapping[str, Any], list[str]]]:
    """The words of each sentence, with what is known about its document.

    Structures with attributes, such as ``<text id="a" year="1900">``, are documents. Those inside them are
    documents, too, and inherit their attributes; paragraphs (``p``) and sentences (``s``) are not. A
    sentence is what stands between ``<s>`` and ``</s>``, or else between other tags or empty lines.

    Parameters
    ----------
    lines : iterable of (int, str)
        Numbered lines.
    column : str
        The column of the words: its number, or its name, if a comment of the file has the names.
    name : str
        The name of the file, for messages.
    """
    reader = _Reader(column, name)
    for number, line in lines:
        yield from reader.read(number, line)
    yield from reader.sentence()


class _Reader:
    def __init__(self, column: str, name: str) -> None:
        self._column, self._name = column, name
        self._place: int | None = int(column) - 1 if column.isdecimal() and column != "0" else None
        if column in _DEFAULT:
            self._place = 0
        self._names: list[str] = []
        self._words: list[str] = []
        self._open: list[tuple[str, dict[str, Any]]] = []
        self._known: dict[str, Any] = {}
        self._inside = False
        """Whether this is in a sentence."""

    def read(self, number: int, line: str) -> Iterator[tuple[Mapping[str, Any], list[str]]]:
        """Read a line."""
        if not line.strip():
            if not self._inside:
                yield from self.sentence()
            return
        if line.startswith("<"):
            if line.startswith(("<!--", "<?")):
                self._comment(line)
                return
            if tag := _TAG.fullmatch(line.rstrip()):
                yield from self._tag(number, *tag.groups())
                return
        self._words.append(self._word(number, line))
        if len(self._words) > LONGEST:
            raise InputError(
                f"The sentence that ends after line {number:,} of {self._name} has more than "
                f"{LONGEST:,} words.",
                "Sentences stand between <s> and </s>, or between empty lines.",
            )

    def sentence(self) -> Iterator[tuple[Mapping[str, Any], list[str]]]:
        """The sentence that ends here, if there is one."""
        if self._words:
            yield self._known, self._words
            self._words = []

    def _tag(
        self, number: int, closes: str, name: str, attributes: str, empty: str
    ) -> Iterator[tuple[Mapping[str, Any], list[str]]]:
        if name in _SENTENCES:
            yield from self.sentence()
            self._inside = not closes and not empty
            return
        if self._inside and not (closes and any(one == name for one, _ in self._open)):
            return  # names, phrases and the like
        self._inside = False
        yield from self.sentence()
        if closes:
            while any(one == name for one, _ in self._open):
                if self._open.pop()[0] == name:
                    break
            self._know()
        elif not empty:
            known = {key: _plain(value[1:-1]) for key, value in _ATTRIBUTE.findall(attributes)}
            self._open.append((name, {} if name in _PARAGRAPHS else known))
            if len(self._open) > _MOST_OPEN:
                raise InputError(
                    f"{self._name}, line {number:,}: more than {_MOST_OPEN} tags are open.",
                    f"Is the end of <{self._open[0][0][:40]}> missing?",
                )
            if self._open[-1][1]:
                self._know()

    def _know(self) -> None:
        """What is known from here on; where two structures have the same attribute, the outer one is
        named before it: ``text_id``.
        """
        known: dict[str, Any] = {}
        owners: dict[str, str] = {}
        for name, attributes in self._open:
            for key, value in attributes.items():
                if key in known:
                    known[f"{owners[key]}_{key}"] = known[key]
                known[key], owners[key] = value, name
        if known != self._known:
            self._known = known

    def _comment(self, line: str) -> None:
        if not self._names and (found := _NAMES.match(line)):
            self._names = found[1].split()
            if self._column in self._names:
                self._place = self._names.index(self._column)

    def _word(self, number: int, line: str) -> str:
        columns = line.split("\t")
        if self._place is None or self._place >= len(columns):
            there = f"columns 1 to {len(columns)}" if len(columns) > 1 else "one column"
            named = f", called {', '.join(self._names[:20])}" if self._names else ""
            raise InputError(
                f"{self._name}, line {number:,}: there is no column {self._column!r}.",
                f"Choose with --column. The line has {there}{named}.",
            )
        word = _plain(columns[self._place]).strip()
        if not word:
            raise InputError(
                f"{self._name}, line {number:,}: the column of the word is empty.",
                "Choose another with --column.",
            )
        return word


def _plain(text: str) -> str:
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(found: re.Match[str]) -> str:
    name = found[1]
    if name in _CHARACTERS:
        return _CHARACTERS[name]
    point = int(name[2:], 16) if name[1] == "x" else int(name[1:])
    is_character = 0 < point < 0x110000 and not 0xD800 <= point < 0xE000
    return chr(point) if is_character else found[0]
