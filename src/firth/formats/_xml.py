"""XML, read as a stream, and with what makes XML dangerous refused.

Python's own parser (Expat) is enough: it opens nothing by itself, and what it would expand is declared
first. So entities that stand for entities, or for much text, are refused where they are declared, and
those in other files where they are used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html.entities import html5
from typing import Any, Protocol
from xml.parsers import expat

from firth.errors import InputError
from firth.formats._compression import Stream
from firth.formats._limits import current_limits

__all__ = ["XmlHandler", "local_name", "parse_xml"]

_AT_ONCE = 1 << 16
_DEEPEST = 256
_LONGEST_ENTITY = 100
_CHARACTER = re.compile(r"&#(x[0-9a-fA-F]+|[0-9]+);")


class XmlHandler(Protocol):
    """What gets the events of a parser. Names are without prefixes."""

    found: list[Any]
    """What has been found since it was last looked at."""
    line: int
    """The line of the event, kept up to date by the parser."""

    def start(self, name: str, attributes: Mapping[str, str]) -> None: ...

    def end(self, name: str) -> None: ...

    def text(self, data: str) -> None: ...


def local_name(name: str) -> str:
    """A name without its prefix.

    >>> local_name("tei:body"), local_name("p")
    ('body', 'p')
    """
    return name.rpartition(":")[2]


def parse_xml(stream: Stream, handler: XmlHandler) -> Iterator[Any]:
    """Parse a file, and yield what the handler finds, as soon as it is found.

    A file that is not well-formed, is nested too deeply, or has entities that could grow is an error.
    """
    parser = _Parser(stream.name, handler)
    pending = 0
    while True:
        # a long token is looked at again and again from its beginning, so feed ever more of it
        data = stream.read(max(_AT_ONCE, pending))
        pending = parser.feed(data)
        yield from handler.found
        handler.found.clear()
        if not data:
            return


class _Parser:
    """Expat with handlers and limits."""

    def __init__(self, name: str, handler: XmlHandler) -> None:
        self._name, self._handler, self._depth, self._fed = name, handler, 0, 0
        self._limits = current_limits()
        parser = self._expat = expat.ParserCreate()
        parser.buffer_text = True
        parser.specified_attributes = True  # defaults could be long, and there are many elements
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.EntityDeclHandler = self._declared
        parser.ExternalEntityRefHandler = self._external
        parser.SkippedEntityHandler = self._skipped

    def feed(self, data: bytes) -> int:
        """Parse some bytes more, none at the end; returns how many are not understood yet."""
        try:
            self._expat.Parse(data, not data)
        except expat.ExpatError as error:
            raise self._wrong(error) from None
        except (LookupError, ValueError) as error:  # an unknown encoding
            raise InputError(
                f"{self._name} cannot be read: {error}.",
                "Convert it to UTF-8, and say so in its first line.",
            ) from None
        self._fed += len(data)
        pending = self._fed - max(0, self._expat.CurrentByteIndex)
        self._limits.check_line(pending, f"A tag or comment in line {self.line:,} of {self._name}")
        return pending

    @property
    def line(self) -> int:
        return self._expat.CurrentLineNumber

    def _wrong(self, error: expat.ExpatError) -> InputError:
        where = f"{self._name}, line {error.lineno:,}, column {error.offset + 1:,}"
        why = expat.errors.messages.get(error.code, "") or str(error)
        if error.code in _TOO_EARLY:
            return InputError(
                f"{where}: the file ends too early.",
                "Was it copied as a whole? Copy or write it again.",
            )
        return InputError(
            f"{where}: not well-formed XML ({why}).",
            "Correct the file, or read it as plain text: --read-as text",
        )

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise InputError(
                f"{self._name}, line {self.line:,}: elements are nested more than {_DEEPEST} deep."
            )
        self._handler.line = self.line
        self._handler.start(local_name(name), attributes)

    def _end(self, name: str) -> None:
        self._depth -= 1
        self._handler.line = self.line
        self._handler.end(local_name(name))

    def _text(self, data: str) -> None:
        self._handler.text(data)

    def _declared(
        self, name: str, is_parameter: int, value: str | None, *_: Any
    ) -> None:  # only general entities are used in text
        if is_parameter or value is None:
            return
        if len(value) > _LONGEST_ENTITY or "&" in _CHARACTER.sub("", value):
            raise InputError(
                f"{self._name}, line {self.line:,}: the entity {name[:40]!r} stands for other entities, "
                "or for long text, so the file could be made to fill the memory.",
                "If you trust it, replace its entities first: xmllint --noent FILE",
            )

    def _external(self, context: str | None, _: Any, where: str | None, __: Any) -> int:
        name = (context or "").rpartition("\f")[2]
        raise InputError(
            f"{self._name}, line {self.line:,}: the entity {name[:40]!r} stands for another file "
            f"({(where or 'unknown')[:80]}), which is not opened.",
            "If you trust it, put the files together first: xmllint --noent FILE",
        )

    def _skipped(self, name: str, is_parameter: int) -> None:
        """An entity of a document type that was not read: those of HTML are known."""
        if is_parameter:
            return
        known = html5.get(f"{name};")
        if known is None:
            raise InputError(
                f"{self._name}, line {self.line:,}: the entity &{name[:40]}; is not known.",
                "Replace it with the character.",
            )
        self._handler.text(known)


_TOO_EARLY = {
    expat.errors.codes[message]
    for message in (
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
        expat.errors.XML_ERROR_PARTIAL_CHAR,
    )
}
