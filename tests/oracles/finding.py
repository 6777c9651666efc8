"""Search, token by token: what a query means, without an index and without kernels."""

from __future__ import annotations

import operator
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from firth.find._query import Alternatives, Gap, Node, Regex, Slot, Word
from firth.find._query import Sequence as Row
from firth.find._where import parse_where

__all__ = ["find_all", "holds", "plain"]


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


def holds(text: str, columns: Mapping[str, Sequence[Any]]) -> list[bool]:
    """For which documents a condition holds, one document at a time."""
    n = len(next(iter(columns.values())))
    rows = [{name: values[i] for name, values in columns.items()} for i in range(n)]
    return [_true(parse_where(text)._tree, row) for row in rows]


def _true(tree: Any, row: Mapping[str, Any]) -> bool:
    if hasattr(tree, "parts"):
        parts = [_true(part, row) for part in tree.parts]
        truth = {"and": all(parts), "or": any(parts), "not": not parts[0]}
        return truth[tree.word]
    left, *right = (row[v.name] if v.is_column else v.value for v in (tree.left, *tree.right))
    if "in" in tree.sign:
        return any(_compares("==", left, value) for value in right) == (tree.sign == "in")
    return _compares(tree.sign, left, right[0])


def _compares(sign: str, a: Any, b: Any) -> bool:
    """Two values compared as in Python; where that is impossible, only != holds."""
    if a is None or b is None:
        return sign == "!=" and a is not b
    if isinstance(a, str) != isinstance(b, str):  # one of them may spell a number
        try:
            a, b = (float(x) if isinstance(x, str) else x for x in (a, b))
        except ValueError:
            return sign == "!="
    return bool(getattr(operator, _NAMES[sign])(a, b))


_NAMES = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
