"""The language of ``--where``: conditions on the columns of documents.

::

    expression   comparisons with and, or, not and parentheses; not binds most, then and, then or
    comparison   a value, then == != < <= > >= or in, then a value; in takes values in parentheses
    value        a column, a number or a string in quotes
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import numpy as np

from firth.corpus import as_name
from firth.errors import QueryError
from firth.find._comparing import SIGNS, Booleans, Column, compare

__all__ = ["Where", "parse_where"]

_LONGEST = 10_000
_DEEPEST = 40
_TOKEN = re.compile(
    r"""\s*(?:(?P<number>-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?!\w)"""
    r"""|(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
    r"""|(?P<sign>==|!=|<=|>=|<|>|\(|\)|,)|(?P<name>[^\W\d][\w.-]*|`[^`]+`))""",
    re.DOTALL,
)
_WORDS = ("and", "or", "not", "in")
_EXAMPLE = """For example: year >= 1900 and party in ("D", "R")"""

Columns = Mapping[str, Any]


class _Token(NamedTuple):
    kind: str
    """``number``, ``string``, ``sign``, ``name``, ``word`` (and, or, not, in) or ``end``."""
    text: str
    place: int


@dataclass(frozen=True)
class _Value:
    """A column, or the value itself."""

    token: _Token
    value: float | str | None = None

    @property
    def is_column(self) -> bool:
        return self.token.kind == "name"

    @property
    def name(self) -> str:
        return self.token.text.strip("`")


@dataclass(frozen=True)
class _Comparison:
    left: _Value
    sign: str
    right: tuple[_Value, ...]


@dataclass(frozen=True)
class _Logic:
    word: str
    parts: tuple[_Comparison | _Logic, ...]


class Where:
    """A condition on documents; see ``parse_where``.

    Attributes
    ----------
    text : str
        What was typed.
    columns : list of str
        The columns that it names.
    """

    def __init__(self, text: str, tree: _Comparison | _Logic, used: dict[str, int]) -> None:
        self.text, self._tree, self._used = text, tree, used
        self.columns = list(used)

    def __repr__(self) -> str:
        return f"<Where {self.text}>"

    def holds(self, columns: Columns) -> Booleans:
        """For which documents the condition holds.

        Parameters
        ----------
        columns : dict of str to sequence, NumPy or Arrow array
            The value of each document in each column; None where it has none. The values of a column are
            all numbers or all strings; a number in a string is compared with numbers as one.

        Raises
        ------
        QueryError
            There is no such column.
        """
        used = {}
        for name, place in self._used.items():
            known = name if name in columns else as_name(name)  # as it is in the table
            if known not in columns:
                raise QueryError(
                    f"There is no column {name!r}.",
                    f"The columns are: {', '.join(columns) or 'none'}. A string needs quotation marks.",
                    self.text,
                    place,
                )
            used[name] = Column.of(columns[known])
        n = len(next(iter(columns.values()), ()))
        return _evaluate(self._tree, used, n)


def parse_where(text: str) -> Where:
    """Read a condition on the columns of documents; a QueryError says where it is wrong.

    >>> where = parse_where('year >= 1900 and not party == "D"')
    >>> where.holds({"year": [1850, 1950, 2000], "party": ["R", "D", "R"]}).tolist()
    [False, False, True]
    """
    if len(text) > _LONGEST:
        raise QueryError(
            f"The condition has more than {_LONGEST:,} characters.",
            "Make it shorter.",
            text,
            _LONGEST,
        )
    return _Parser(text).whole()


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while text[at:].strip():
        found = _TOKEN.match(text, at)
        if found is None or found.lastgroup is None:
            place = at + len(text[at:]) - len(text[at:].lstrip())
            hint = {
                "=": "Compare with ==.",
                "&": "Write and.",
                "|": "Write or.",
                "!": "Write not, or compare with !=.",
                '"': 'Close the string: "',
                "'": "Close the string: '",
            }
            raise QueryError(
                f"{text[place]} is not expected here.", hint.get(text[place], _EXAMPLE), text, place
            )
        kind, said, place = found.lastgroup, found[found.lastgroup], found.start(found.lastgroup)
        yield _Token("word" if said in _WORDS else kind, said, place)
        at = found.end()
    yield _Token("end", "", len(text))


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._rest = list(_tokens(text))[::-1]
        self._used: dict[str, int] = {}
        self._depth = 0

    def whole(self) -> Where:
        tree = self._any()
        if self._rest[-1].kind != "end":
            self._fail("and, or, or the end is expected here.")
        return Where(self._text, tree, self._used)

    def _fail(self, message: str, hint: str = _EXAMPLE) -> NoReturn:
        token = self._rest[-1]
        if token.kind == "name" and token.text.lower() in _WORDS:
            hint = f"Write it in small letters: {token.text.lower()}"
        raise QueryError(message, hint, self._text, token.place)

    def _takes(self, *texts: str) -> str | None:
        """The next token, if it is one of these words or signs."""
        token = self._rest[-1]
        if token.kind in ("word", "sign") and token.text in texts:
            return self._rest.pop().text
        return None

    def _any(self) -> _Comparison | _Logic:
        parts = [self._all()]
        while self._takes("or"):
            parts.append(self._all())
        return parts[0] if len(parts) == 1 else _Logic("or", tuple(parts))

    def _all(self) -> _Comparison | _Logic:
        parts = [self._one()]
        while self._takes("and"):
            parts.append(self._one())
        return parts[0] if len(parts) == 1 else _Logic("and", tuple(parts))

    def _one(self) -> _Comparison | _Logic:
        self._depth += 1
        if self._depth > _DEEPEST:
            self._fail(
                f"More than {_DEEPEST} conditions are inside each other.", "Write a simpler one."
            )
        found: _Comparison | _Logic
        if self._takes("not"):
            found = _Logic("not", (self._one(),))
        elif self._takes("("):
            found = self._any()
            if not self._takes(")"):
                self._fail("A closing ) is expected here.")
        else:
            found = self._comparison()
        self._depth -= 1
        return found

    def _comparison(self) -> _Comparison:
        left = self._value()
        sign = self._takes(*SIGNS, "in", "not")
        if sign is None or (sign == "not" and not self._takes("in")):
            self._fail("==, !=, <, <=, >, >= or in is expected here.")
        if sign in SIGNS:
            return _Comparison(left, sign, (self._value(),))
        if not self._takes("("):
            self._fail("A ( is expected after in.", 'For example: party in ("D", "R")')
        values = [self._value()]
        while self._takes(","):
            values.append(self._value())
        if not self._takes(")"):
            self._fail("A comma or a closing ) is expected here.")
        return _Comparison(left, "not in" if sign == "not" else "in", tuple(values))

    def _value(self) -> _Value:
        token = self._rest[-1]
        if token.kind not in ("number", "string", "name"):
            self._fail("A column, a number or a string is expected here.")
        self._rest.pop()
        if token.kind == "number":
            return _Value(token, float(token.text))
        if token.kind == "string":
            return _Value(token, re.sub(r"\\(.)", r"\1", token.text[1:-1], flags=re.DOTALL))
        column = _Value(token)
        self._used.setdefault(column.name, token.place)
        return column


def _evaluate(tree: _Comparison | _Logic, columns: Mapping[str, Column], n: int) -> Booleans:
    if isinstance(tree, _Comparison):
        return _compared(tree, columns, n)
    parts = [_evaluate(part, columns, n) for part in tree.parts]
    if tree.word == "not":
        return ~parts[0]
    found: Booleans = (np.logical_and if tree.word == "and" else np.logical_or).reduce(parts)
    return found


def _compared(tree: _Comparison, columns: Mapping[str, Column], n: int) -> Booleans:
    left, *right = (
        columns[value.name] if value.is_column else Column.of(value.value)
        for value in (tree.left, *tree.right)
    )
    sign = tree.sign if tree.sign in SIGNS else "=="
    among = [np.broadcast_to(compare(sign, left, value), n) for value in right]
    found: Booleans = np.logical_or.reduce(among)
    return ~found if tree.sign == "not in" else found
