"""Search, token by token: what a query means, without an index and without kernels."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from firth.find._query import Alternatives, Gap, Node, Regex, Slot, Word
from firth.find._query import Sequence as Row

__all__ = ["find_all", "plain"]


def plain(text: str) -> str:
    """Text without case and accents."""
    apart = unicodedata.normalize("NFKD", text).lower().replace("ς", "σ")
    return "".join(c for c in apart if unicodedata.category(c) != "Mn")


def find_all(tree: Alternatives, sentences: Sequence[Sequence[str]]) -> list[tuple[int, int]]:
    """The start of every match, counted through all sentences, and the end of the shortest there."""
    found, before = [], 0
    for sentence in sentences:
        for start in range(len(sentence)):
            ends = [end for arm in tree.arms for end in _ends_of_row(arm, sentence, start)]
            if ends:
                found.append((before + start, before + min(ends)))
        before += len(sentence)
    return found


def _ends_of_row(row: Row, sentence: Sequence[str], start: int) -> Iterator[int]:
    ends = {start}
    for item in row.items:
        ends = {end for begin in ends for end in _ends(item, sentence, begin)}
    yield from ends


def _ends(node: Node, sentence: Sequence[str], start: int) -> Iterator[int]:
    if isinstance(node, Alternatives):
        for arm in node.arms:
            yield from _ends_of_row(arm, sentence, start)
    elif isinstance(node, Gap):
        yield from range(start + node.low, min(start + node.high, len(sentence)) + 1)
    elif start < len(sentence) and _fits(node, sentence[start]):
        yield start + 1


def _fits(node: Word | Regex | Slot, token: str) -> bool:
    if isinstance(node, Slot):
        return all(c.word is not None and _fits(c.word, token) for c in node.conditions)
    text = plain(token) if node.folded else token
    if isinstance(node, Regex):
        return re.search(node.source, text, re.IGNORECASE if node.folded else 0) is not None
    pieces = (
        {"*": ".*", "?": "."}[piece] if wild else re.escape(plain(piece) if node.folded else piece)
        for wild, piece in node.pieces
    )
    return re.fullmatch("".join(pieces), text, re.DOTALL) is not None
