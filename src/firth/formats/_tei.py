"""TEI: the body as lines of text, the header and the speakers as metadata."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from firth.errors import InputError
from firth.formats._compression import Stream
from firth.formats._limits import current_limits
from firth.formats._xml import local_name, parse_xml

__all__ = ["tei_lines"]

_LINES = frozenset(
    "ab argument body byline cell closer dateline div div1 div2 div3 div4 div5 div6 div7 epigraph head item l "
    "lg list opener p row s salute signed sp table trailer u".split()
)
"""Elements that are lines of their own."""
_LEFT_OUT = frozenset("note fw speaker stage del rdg figDesc desc span spanGrp".split())
"""Elements whose content is not part of the running text."""
_SPOKEN = frozenset("u sp annotationBlock".split())
"""What somebody says; an ``annotationBlock`` is an ``u`` with its annotations."""
_OTHER_CHOICES = frozenset("sic orig abbr".split())
"""Of a ``choice``, what is left out."""
_MILESTONES = frozenset("lb pb cb gb milestone".split())
_PERSON = ("name", "sex", "age")
"""What is of use about a person who speaks."""
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_DATES = ("sourceDesc", "creation", "publicationStmt")
"""Where the date of a text can stand, the best first."""


def tei_lines(stream: Stream, column: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    """The lines of a TEI file, each with what is known about its document.

    A document is a text with a header, or what one speaker says (``u`` and ``sp``), whose name is ``who``, or
    what stands before the speech. Notes, running heads,
    names of speakers, stage directions, descriptions (of noises and the like), deletions and variants are
    left out; of a ``choice``, the corrected form is taken.
    """
    del column  # there is nothing to choose
    handler = _Handler(stream.name)
    yield from parse_xml(stream, handler)
    if not handler.has_body:
        raise InputError(
            f"{stream.name} has no body, so there is no text in it.",
            f"Is it TEI? Its elements are: {', '.join(list(handler.seen)[:20])}.",
        )


class _Header:
    """What a header says, with the elements that are being read."""

    def __init__(self) -> None:
        self.title: list[str] = []
        self.authors: dict[str, list[str]] = {}
        self.dates: dict[str, str] = {}
        self.language = self.idno = ""
        self.terms: list[str] = []
        self.people: dict[str, dict[str, str]] = {}
        """What is known about each person, by identifier."""
        self._person: dict[str, str] = {}

    def add(self, path: list[str], attributes: Mapping[str, str], text: str) -> None:
        """Add an element that has ended; ``path`` are the elements around it, and its own name."""
        name, text = path[-1], " ".join(text.split())
        if name == "title" and "titleStmt" in path and text:
            self.title.append(text)
        elif name == "author" and text:
            where = "titleStmt" if "titleStmt" in path else "other"
            if text not in self.authors.setdefault(where, []):
                self.authors[where].append(text)
        elif name == "date":
            when = next(
                (attributes[a] for a in ("when", "from", "notBefore") if a in attributes), ""
            )
            for where in _DATES:
                if where in path and (when or text):
                    self.dates.setdefault(where, when or text)
        elif name == "language":
            self.language = self.language or attributes.get("ident", "")
        elif name == "idno":
            self.idno = self.idno or text
        elif name == "term" and text:
            self.terms.append(text)
        elif "person" in path:
            self._add_person(name, attributes, text)

    def _add_person(self, name: str, attributes: Mapping[str, str], text: str) -> None:
        """Add an element of a description of a person, or the person itself, which ends last."""
        if name == "person":
            found = {f"speaker_{key}": attributes[key] for key in _PERSON if attributes.get(key)}
            self.people[attributes.get("xml:id", "")] = {**found, **self._person}
            self._person = {}
        key = "name" if name == "persName" else name
        if key in _PERSON and (value := attributes.get("value") or text):
            self._person.setdefault(f"speaker_{key}", value)

    def known(self) -> dict[str, Any]:
        """The columns of the metadata."""
        authors = self.authors.get("titleStmt") or self.authors.get("other", [])
        date = next((self.dates[where] for where in _DATES if where in self.dates), "")
        year = _YEAR.search(date)
        columns: dict[str, Any] = {
            "title": self.title[0] if self.title else "",
            "author": "; ".join(authors),
            "date": date,
            "year": int(year[0]) if year else None,
            "language": self.language,
            "id": self.idno,
            "keywords": "; ".join(self.terms),
        }
        return {name: value for name, value in columns.items() if value}


class _Handler:
    """Gathers lines and headers."""

    def __init__(self, name: str) -> None:
        self.found: list[Any] = []
        self.line = 0
        self.has_body = False
        self.seen: dict[str, None] = {}
        self._name, self._limits = name, current_limits()
        self._path: list[str] = []
        self._pieces: list[str] = []
        self._size = 0
        self._header: _Header | None = None
        self._open: list[tuple[Mapping[str, str], list[str]]] = []
        """The attributes and the text of the elements of a header that are open."""
        self._texts: list[dict[str, Any]] = [{}]
        """What is known about the texts around this place."""
        self._known: list[dict[str, Any]] = [{}]
        """The same with the speaker."""
        self._people: dict[str, dict[str, str]] = {}
        self._bodies = self._skipping = 0
        self._name_before: list[str] = []
        """The name before a speech, as far as it was read."""
        self._after_word = self._joins = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._path.append(name)
        if len(self.seen) < 1000:
            self.seen.setdefault(name)
        if name in ("TEI", "TEI.2", "teiCorpus"):
            self._texts.append(self._texts[-1])
            self._known.append(self._texts[-1])
        elif name == "teiHeader":
            self._header = _Header()
        if self._header:
            self._open.append((attributes, []))
            return
        if name == "body":
            self._bodies += 1
            self.has_body = True
        if not self._bodies:
            return
        if (
            self._skipping
            or name in _LEFT_OUT
            or (name in _OTHER_CHOICES and self._path[-2:-1] == ["choice"])
        ):
            if name == "speaker":
                self._name_before.clear()
            self._skipping += 1
            return
        if name in _LINES or (name == "seg" and self._path[-2:-1] == ["u"]):
            self._end_line()
        if name in _SPOKEN:
            self._known.append(self._spoken(attributes))
        elif name in _MILESTONES:
            self._milestone(attributes)
        elif name == "w" and self._after_word and not self._joins:
            self._add("" if attributes.get("join") in ("left", "both") else " ")
        if name in ("w", "pc"):
            self._joins = attributes.get("join") in ("right", "both")

    def end(self, name: str) -> None:
        self._path.pop()
        if self._header:
            attributes, pieces = self._open.pop()
            self._header.add([*self._path, name], attributes, "".join(pieces))
            if self._open:
                self._open[-1][1].extend(pieces)
            if name == "teiHeader":
                self._texts[-1] = {**self._texts[-1], **self._header.known()}
                self._known[-1] = self._texts[-1]
                self._people |= self._header.people
                self._header, self._size = None, 0
            return
        if name in ("TEI", "TEI.2", "teiCorpus"):
            self._texts.pop()
            self._known.pop()
        if not self._bodies:
            return
        if self._skipping:
            self._skipping -= 1
            if name == "speaker" and not self._skipping:
                self._name_speaker()
            return
        if name in _LINES or (name == "seg" and self._path[-1:] == ["u"]):
            self._end_line()
        if name in _SPOKEN:
            self._known.pop()
        if name == "body":
            self._bodies -= 1
        self._after_word = name in ("w", "pc")

    def text(self, data: str) -> None:
        if self._header:
            self._open[-1][1].append(data)
            self._count(data)
        elif self._bodies and not self._skipping:
            self._add(data)
        elif self._skipping and "speaker" in self._path:
            self._name_before.append(data)
            self._count(data)

    def _spoken(self, attributes: Mapping[str, str]) -> dict[str, Any]:
        """What is known about what somebody says."""
        known = dict(self._known[-1])
        plain = {local_name(name): value for name, value in attributes.items()}
        if who := plain.get("who", ""):
            known["speaker"] = " ".join(one.removeprefix("#") for one in who.split())
            known |= self._people.get(known["speaker"], {})
        known |= {name: plain[name] for name in ("start", "end") if plain.get(name)}
        return known

    def _name_speaker(self) -> None:
        """The name before a speech is that of its speaker, if nothing else says who it is."""
        name = " ".join("".join(self._name_before).split()).rstrip(" .:")
        self._name_before.clear()
        if name and self._path[-1] == "sp":
            self._known[-1].setdefault("speaker", name)

    def _milestone(self, attributes: Mapping[str, str]) -> None:
        if attributes.get("break") != "no":
            self._add(" ")
            return
        while self._pieces and not (last := self._pieces.pop()).isspace():
            self._pieces.append(last.rstrip())
            break
        self._pieces.append("\0")  # what follows is joined to it

    def _add(self, data: str) -> None:
        self._pieces.append(data)
        self._after_word = False
        self._count(data)

    def _count(self, data: str) -> None:
        self._size += len(data)
        self._limits.check_line(
            self._size, f"The text that ends in line {self.line:,} of {self._name}"
        )

    def _end_line(self) -> None:
        text = "".join(self._pieces)
        if "\0" in text:
            text = re.sub("\0\\s*", "", text)
        text = " ".join(text.split())
        self._pieces.clear()
        self._size = 0
        self._after_word = False
        if text:
            self.found.append((self._known[-1], text))
