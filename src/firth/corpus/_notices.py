"""What a text looks like, where another way to read it is probably wanted: markup, wrapped lines, no spaces."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from firth import formats, progress, unicode
from firth.corpus._reading import Reading
from firth.corpus._sources import Source
from firth.corpus._vocabulary import Vocabulary
from firth.errors import InputError

__all__ = [
    "UNSPACED",
    "are_unspaced",
    "is_wrapped",
    "notice_sources",
    "notice_tags",
    "notice_unspaced",
]

_SAMPLE = 1 << 16
_MOST_FILES = 20
_NARROWEST, _WIDEST = 40, 200
"""Characters of the longest line of a text whose lines are wrapped."""
_FEWEST_PAIRS = 8
_MOST_NAMES = 6
_OF_HTML = "Take the text out first, for example: pandoc -t plain --wrap=none FILE -o text.txt"
_OF_XML = "If it is a known format, say so: --read-as tei, vrt, flextext or elan. Otherwise take the text out first."
UNSPACED = (
    "Many words are whole clauses: this script has no spaces between words.",
    'Use --tokens icu (pip install "firth[icu]"), or --tokens characters.',
)
"""What is said about text without spaces."""
_MARKER = re.compile(r"\\[A-Za-z_]\w*(\s|$)")
# Chinese, Japanese, Thai, Lao, Tibetan, Burmese and Khmer
_CLAUSE = re.compile(
    "[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\U00020000-\U0003ffff]{7}"
)


def notice_sources(sources: Sequence[Source], reading: Reading) -> None:
    """Say how some files are read, if it may not be what is wanted; the first of each kind stands for all."""
    said: set[str] = set()
    files = [(s, s.path) for s in sources if isinstance(s.path, Path) and not s.once]
    for source, path in files[:_MOST_FILES]:
        for message, hint in _about(source, path, reading):
            if hint not in said:
                progress.notice(message, formats.for_file(hint, path))
            said.add(hint)


def _about(source: Source, path: Path, reading: Reading) -> Iterator[tuple[str, str]]:
    """What is good to know about a file, with a hint."""
    if source.kind not in ("text", "elan") or (source.kind == "elan" and source.column != "text"):
        return
    try:
        with formats.open_stream(path) as stream:
            if source.kind == "elan":
                yield from _about_tiers(source.name, *formats.elan_tiers(stream))
            else:
                yield from _about_text(source.name, stream.read(_SAMPLE), reading)
    except InputError:
        return  # reading says so


def _about_tiers(name: str, chosen: list[str], others: list[str]) -> Iterator[tuple[str, str]]:
    if others:
        more = f"{', '.join(others[:_MOST_NAMES])}{', ...' if len(others) > _MOST_NAMES else ''}"
        some = f"{', '.join(chosen[:_MOST_NAMES])}{', ...' if len(chosen) > _MOST_NAMES else ''}"
        yield (
            f"Of {name}, the text of these tiers is read: {some}. Others are: {more}.",
            "To read another tier, or all tiers of a type: --column NAME",
        )


def _about_text(name: str, head: bytes, reading: Reading) -> Iterator[tuple[str, str]]:
    markup = formats.markup_in(head)
    if markup:
        yield (
            f"{name} seems to contain {markup}. It is read as plain text, with its tags.",
            _OF_HTML if markup == "HTML" else _OF_XML,
        )
    elif _has_markers(head.decode(errors="ignore")):
        yield (
            f"{name} seems to be a file of Toolbox or FLEx: most lines begin with a marker, such as \\tx. It is "
            "read as plain text, with its markers.",
            "To read the text of its records: --read-as toolbox",
        )
    elif reading.split in ("lines", "sentences") and is_wrapped(head.decode(errors="ignore")):
        yield (
            f"In {name}, sentences seem to go on over several lines, but each line is read as a sentence.",
            "To join the lines of a paragraph: --split paragraphs",
        )


def _has_markers(text: str) -> bool:
    """Whether most lines of a text begin with a marker, as in standard format."""
    lines = [line for line in text.splitlines() if line.strip()]
    return bool(lines) and sum(map(bool, map(_MARKER.match, lines))) > len(lines) / 2


def is_wrapped(text: str) -> bool:
    """Whether lines of a text end because they were full, not because a sentence or a verse ends.

    Then the next word would not have had room in nearly every line that has another line after it, most
    of these lines do not end with a full stop, and many of the next ones begin with a small letter, if the
    script has any.

    >>> is_wrapped("The quick brown fox jumps over the lazy dog.\\n" * 20)
    False
    """
    lines = [line.strip() for line in text.split("\n")[:-1]]
    lengths = sorted(len(line) for line in lines if line)
    if not lengths:
        return False
    width = lengths[int(0.95 * (len(lengths) - 1))]
    pairs = [(a, b) for a, b in pairwise(lines) if a and b]
    if not _NARROWEST <= width <= _WIDEST or len(pairs) < _FEWEST_PAIRS:
        return False
    full = sum(len(a) + 1 + len(b.split(maxsplit=1)[0]) > width for a, b in pairs)
    open_ = sum(a[-1] not in '.!?…。！？।:;"”’»' for a, _ in pairs)
    letters = [unicode.category(b[0]) for _, b in pairs]
    small, large = letters.count("Ll"), letters.count("Lu")
    return full >= 0.8 * len(pairs) and open_ >= 0.5 * len(pairs) and small >= 0.4 * (small + large)


def are_unspaced(words: Sequence[str]) -> bool:
    """Whether many words are whole clauses of a script without spaces.

    >>> are_unspaced(["我喜欢在下雨天喝茶", "tea"])
    True
    """
    unspaced = sum(1 for word in words if not word.isascii() and _CLAUSE.search(word))
    return unspaced > 0.1 * len(words)


def notice_tags(vocabulary: Vocabulary, sources: Sequence[Source]) -> None:
    """Say if records, whose beginnings were not looked at, have many tags of HTML or XML."""
    if not any(source.kind in ("table", "json", "records") for source in sources):
        return
    ids = [vocabulary.find(sign) for sign in "<>/"]
    opening, closing, slash = (0 if i is None else int(vocabulary.counts[i]) for i in ids)
    balanced = abs(opening - closing) <= opening // 5 and slash >= opening // 5
    if opening >= 10 and balanced and 50 * opening >= vocabulary.counts.sum():
        progress.notice(
            f"The text seems to contain tags of HTML or XML: < occurs {opening:,} times.",
            "Take the text out of them first.",
        )


def notice_unspaced(vocabulary: Vocabulary) -> None:
    """Say if many words of a text are whole clauses."""
    if are_unspaced(vocabulary.words[: 1 << 14].to_pylist()):
        progress.notice(*UNSPACED)
