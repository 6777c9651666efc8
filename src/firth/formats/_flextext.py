"""FLExText, the interlinear text that FLEx exports: words as they were analysed, glosses as metadata."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from firth.errors import InputError
from firth.formats._compression import Stream
from firth.formats._limits import current_limits
from firth.formats._xml import parse_xml

__all__ = ["flextext_lines"]

_FORMS = ("txt", "punct")
_ANY = "text"
"""The default column: no writing system was chosen."""

Item = tuple[str, str, str]
"""Type, writing system and text."""


@dataclass
class _Phrase:
    known: Mapping[str, Any]
    """Of the text it is in."""
    attributes: Mapping[str, str]
    items: list[Item] = field(default_factory=list)
    words: list[list[Item]] = field(default_factory=list)


def flextext_lines(stream: Stream, column: str) -> Iterator[tuple[Mapping[str, Any], list[str]]]:
    """The words of each phrase, with its translation, speaker and times, and the title of the text.

    Parameters
    ----------
    stream : Stream
    column : str
        The writing system of the words, such as ``qaa-x-etu``. ``text`` stands for the one of most phrases, and
        words among these that are only written in another one are taken as they are.
    """
    handler = _Handler(stream.name)
    for _ in parse_xml(stream, handler):
        pass
    phrases = handler.phrases
    systems = Counter(system for phrase in phrases for system in {s for _, s, _ in _forms(phrase)})
    chosen = column if column != _ANY else next(iter(systems.most_common(1)), ("", 0))[0]
    if chosen not in systems:
        there = ", ".join(f"{one!r} ({n:,})" for one, n in systems.most_common(20))
        raise InputError(
            f"{stream.name} has no words in the writing system {column!r}."
            if column != _ANY
            else f"{stream.name} has no words.",
            f"Choose with --column. Phrases by writing system: {there or 'none'}.",
        )
    several = _of_several_systems(phrases)
    for phrase in phrases:
        mixed = column == _ANY and any(system == chosen for _, system, _ in _forms(phrase))
        words = [word for one in phrase.words if (word := _form(one, chosen, mixed))]
        if not words:
            words = next((t.split() for k, s, t in phrase.items if k == "txt" and s == chosen), [])
        if words:
            yield _known(phrase, several), words


def _forms(phrase: _Phrase) -> Iterator[Item]:
    """The items of a phrase with text to be read."""
    for word in phrase.words:
        yield from (item for item in word if item[0] == "txt" and item[2])
    if not phrase.words:
        yield from (item for item in phrase.items if item[0] == "txt" and item[2])


def _form(word: list[Item], system: str, others: bool) -> str:
    """The form of a word in a writing system; punctuation, or with ``others`` a word, may be in any."""
    found = next((text for kind, s, text in word if kind in _FORMS and s == system), "")
    allowed = _FORMS if others else ("punct",)
    return found or next((text for kind, _, text in word if kind in allowed), "")


def _of_several_systems(phrases: list[_Phrase]) -> set[str]:
    """The types of items that phrases have in several writing systems."""
    systems: dict[str, set[str]] = {}
    for phrase in phrases:
        for kind, system, _ in phrase.items:
            systems.setdefault(kind, set()).add(system)
    return {kind for kind, found in systems.items() if len(found) > 1}


def _known(phrase: _Phrase, several: set[str]) -> dict[str, Any]:
    """What is known about a phrase."""
    known = dict(phrase.known)
    for kind, system, text in phrase.items:
        if kind == "txt":
            continue
        name = f"{kind}_{system}" if kind in several else kind
        known[name] = f"{known[name]}; {text}" if name in known else text
    if speaker := phrase.attributes.get("speaker", ""):
        known["speaker"] = speaker
    for name, attribute in (("start", "begin-time-offset"), ("end", "end-time-offset")):
        value = phrase.attributes.get(attribute, "")
        if value.isdecimal() and len(value) < 16:
            known[name] = int(value) / 1000
    return known


class _Handler:
    """Gathers phrases."""

    def __init__(self, name: str) -> None:
        self.found: list[Any] = []
        self.line = 0
        self.phrases: list[_Phrase] = []
        self._name, self._limits = name, current_limits()
        self._path: list[str] = []
        self._text: dict[str, Any] = {}
        self._item: Mapping[str, str] = {}
        self._pieces: list[str] | None = None
        self._size = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        parent = self._path[-1] if self._path else ""
        if name == "word" and parent == "phrases":
            name = "phrase"  # so files of older versions have it
        self._path.append(name)
        if name == "interlinear-text":
            self._text = {}
        elif name == "phrase":
            self.phrases.append(_Phrase(self._text, attributes))
        elif name == "word" and self.phrases:
            self.phrases[-1].words.append([])
        elif name == "item":
            self._item, self._pieces, self._size = attributes, [], 0

    def end(self, name: str) -> None:
        self._path.pop()
        if name != "item" or self._pieces is None:
            return
        text, self._pieces = " ".join("".join(self._pieces).split()), None
        kind, system = self._item.get("type", ""), self._item.get("lang", "")
        parent = self._path[-1] if self._path else ""
        if not text or not kind:
            return
        if parent == "interlinear-text":
            self._text.setdefault(kind, text)
        elif parent == "phrase":
            self.phrases[-1].items.append((kind, system, text))
        elif parent == "word" and self.phrases and self.phrases[-1].words:
            self.phrases[-1].words[-1].append((kind, system, text))

    def text(self, data: str) -> None:
        if self._pieces is not None:
            self._pieces.append(data)
            self._size += len(data)
            self._limits.check_line(self._size, f"The item in line {self.line:,} of {self._name}")
