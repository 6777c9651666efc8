"""Annotated text: formats in which lines, or sentences of words, come with what is known about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from firth.formats._compression import Stream
from firth.formats._elan import elan_lines
from firth.formats._flextext import flextext_lines
from firth.formats._lines import stream_lines
from firth.formats._tei import tei_lines
from firth.formats._toolbox import toolbox_lines
from firth.formats._vrt import vrt_lines

__all__ = ["annotated_lines"]

Found = Iterator[tuple[Mapping[str, Any], Any]]


_OF_STREAMS: dict[str, Callable[[Stream, str], Found]] = {
    "tei": tei_lines,
    "elan": elan_lines,
    "flextext": flextext_lines,
}
_OF_LINES: dict[str, Callable[[Iterable[tuple[int, str]], str, str], Found]] = {
    "vrt": vrt_lines,
    "toolbox": toolbox_lines,
}


def annotated_lines(kind: str, stream: Stream, column: str, errors: str = "strict") -> Found:
    """The lines of a file, in order, each with what is known about its document.

    The same object of metadata stands for the same document: where another one comes, the next document
    begins. A line is text, or a list of words if the format has words.

    Parameters
    ----------
    kind : {"tei", "elan", "flextext", "vrt", "toolbox"}
    stream : Stream
    column : str
        Which column, tier, marker or writing system has the text; ``text`` stands for the usual one.
    errors : {"strict", "replace"}
        What to do with bytes that are not UTF-8, in formats that are not XML.
    """
    if kind in _OF_STREAMS:
        return _OF_STREAMS[kind](stream, column)
    return _OF_LINES[kind](stream_lines(stream, errors), column, stream.name)
