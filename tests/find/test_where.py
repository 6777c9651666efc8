"""Conditions on documents, against Python's own."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth.errors import InputError, QueryError
from firth.find import parse_where
from tests.oracles.finding import holds

COLUMNS: dict[str, Any] = {
    "year": [1850, 1950, None, 2000],
    "party": ["R", "D", "D", None],
    "n-k": ["12", "x", "3", "4"],
    "weight": np.array([0.5, 1.0, 2.0, np.nan]),
}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("year >= 1900", [0, 1, 0, 1]),
        ("year < 1950.5", [1, 1, 0, 0]),
        ('party == "D"', [0, 1, 1, 0]),
        ("party == 'D'", [0, 1, 1, 0]),
        ('"D" == party', [0, 1, 1, 0]),
        ('party != "D"', [1, 0, 0, 1]),
        ('party in ("R", "D")', [1, 1, 1, 0]),
        ("year in (1850, 2000)", [1, 0, 0, 1]),
        ("year not in (1850, 2000)", [0, 1, 1, 0]),
        ("not year in (1850, 2000)", [0, 1, 1, 0]),
        ("n-k > 3", [1, 0, 0, 1]),
        ("`n-k` == '3'", [0, 0, 1, 0]),
        ("weight <= 1 and year > -1e3", [1, 1, 0, 0]),
        ('year == 1850 or party == "D" and weight > 1', [1, 0, 1, 0]),
        ('(year == 1850 or party == "D") and weight > 1', [0, 0, 1, 0]),
        ('not party == "D" and not (year == 1850)', [0, 0, 0, 1]),
        ("party < 3", [0, 0, 0, 0]),
        (r'party == "\"D"', [0, 0, 0, 0]),
    ],
)
def test_which_documents_hold(text: str, wanted: list[int]) -> None:
    assert parse_where(text).holds(COLUMNS).tolist() == [bool(w) for w in wanted]


_VALUES = st.integers(0, 3)
_CONDITIONS = st.recursive(
    st.one_of(
        st.tuples(
            st.sampled_from("abc"), st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), _VALUES
        ).map(lambda c: f"{c[0]} {c[1]} {c[2]}"),
        st.tuples(st.sampled_from("abc"), st.lists(_VALUES, min_size=1, max_size=3)).map(
            lambda c: f"{c[0]} in ({', '.join(map(str, c[1]))})"
        ),
    ),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(" ".join),
        inner.map(lambda c: f"not ({c})"),
        inner.map(lambda c: f"({c})"),
    ),
    max_leaves=8,
)


@given(
    condition=_CONDITIONS,
    rows=st.lists(st.tuples(_VALUES, _VALUES, _VALUES), min_size=1, max_size=8),
)
def test_conditions_mean_what_they_mean_in_python(
    condition: str, rows: list[tuple[int, int, int]]
) -> None:
    where = parse_where(condition)
    columns = {name: [row[i] for row in rows] for i, name in enumerate("abc")}
    code = compile(_tuples(condition), "condition", "eval")
    wanted = [bool(eval(code, {}, dict(zip("abc", row, strict=True)))) for row in rows]
    assert where.holds(columns).tolist() == wanted
    assert set(where.columns) == {c for c in "abc" if f"{c} " in condition}


_TEXTS = st.sampled_from(
    ["", "a", "b", "é", "12", " 12 ", "1_0", "nan", "-inf", "1e3", "٣", "0x1", "-3"]
)
_NUMBERS = st.sampled_from([0, 1, 3, -3, 12, 1000, 2**53 + 1, -(2**62) - 1, 2**63 - 1])
_FLOATS = st.sampled_from([0.0, 0.5, -3.0, 12.0, 2.0**53, -(2.0**62), 2.0**63, float("nan")])
_TYPED = {"text": _TEXTS, "number": _NUMBERS, "share": _FLOATS, "truth": st.booleans()}
_OPERANDS = [
    *_TYPED,
    "more",
    "'12'",
    "'a'",
    "'x y'",
    "12",
    "-3",
    ".5",
    "9007199254740992",
    "9223372036854775807",
]
_SIMPLE = st.one_of(
    st.tuples(
        st.sampled_from(_OPERANDS),
        st.sampled_from(["==", "!=", "<", "<=", ">", ">="]),
        st.sampled_from(_OPERANDS),
    ).map(" ".join),
    st.tuples(
        st.sampled_from(_OPERANDS),
        st.sampled_from(["in", "not in"]),
        st.lists(st.sampled_from(_OPERANDS), min_size=1, max_size=3).map(
            lambda v: f"({', '.join(v)})"
        ),
    ).map(" ".join),
)


@given(
    condition=st.one_of(
        _SIMPLE,
        st.tuples(_SIMPLE, st.sampled_from(["and", "or", "and not"]), _SIMPLE).map(" ".join),
    ),
    data=st.data(),
    n=st.integers(1, 6),
)
def test_all_documents_at_once_as_one_by_one(condition: str, data: Any, n: int) -> None:
    kinds = {**_TYPED, "more": data.draw(st.sampled_from(list(_TYPED.values())))}
    columns = {
        name: data.draw(st.lists(st.none() | kind, min_size=n, max_size=n))
        for name, kind in kinds.items()
    }
    assert parse_where(condition).holds(columns).tolist() == holds(condition, columns)


def test_a_column_of_numbers_and_strings_is_an_error() -> None:
    with pytest.raises(InputError, match="both numbers and strings"):
        parse_where("a == 1").holds({"a": [1, "x"]})


def _tuples(condition: str) -> str:
    """The condition in Python, where one value in parentheses is no tuple."""
    return re.sub(r"in \((\d)\)", r"in (\1,)", condition)


@pytest.mark.parametrize(
    ("text", "place", "message", "hint"),
    [
        ("", 0, "A column, a number or a string is expected here.", "For example"),
        ("year ==", 7, "A column, a number or a string is expected here.", "For example"),
        ("year = 3", 5, "= is not expected here.", "Compare with ==."),
        ("year", 4, "==, !=, <, <=, >, >= or in is expected here.", "For example"),
        ("year not 3", 9, "or in is expected here.", "For example"),
        ("year == 3 and", 13, "A column, a number or a string is expected here.", "For example"),
        ("(year == 3", 10, "A closing ) is expected here.", "For example"),
        ("year in 3", 8, "A ( is expected after in.", 'party in ("D", "R")'),
        ("year in (3 4)", 11, "A comma or a closing ) is expected here.", "For example"),
        ("year == 3 4", 10, "and, or, or the end is expected here.", "For example"),
        ('party == "D', 9, '" is not expected here.', "Close the string"),
        ("year == 3 ; 4", 10, "; is not expected here.", "For example"),
        ("year == 3 & x == 4", 10, "& is not expected here.", "Write and."),
        ("year == 3 || x == 4", 10, "| is not expected here.", "Write or."),
        ("!year == 3", 0, "! is not expected here.", "Write not"),
        ("year == 3 AND x == 4", 10, "and, or, or the end", "small letters: and"),
        ("year IN (3, 4)", 5, "or in is expected here.", "small letters: in"),
        ("(" * 41 + "year == 3" + ")" * 41, 40, "More than 40 conditions", "simpler"),
        ("x" * 10_001, 10_000, "more than 10,000 characters", "shorter"),
    ],
)  # fmt: skip
def test_mistakes_are_shown_where_they_are(text: str, place: int, message: str, hint: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse_where(text)
    assert caught.value.place == place
    assert message in caught.value.message
    assert hint in str(caught.value.hint)


def test_a_column_may_be_called_what_it_is_called_in_the_table() -> None:
    found = parse_where("`Year of birth` > 1900").holds({"Year_of_birth": [1850, 1950]})
    assert found.tolist() == [False, True]


def test_an_unknown_column_is_an_error_that_lists_the_columns() -> None:
    where = parse_where("year > 3 and yaer < 4")
    assert where.columns == ["year", "yaer"]
    with pytest.raises(QueryError) as caught:
        where.holds(COLUMNS)
    assert caught.value.place == 13
    assert caught.value.message == "There is no column 'yaer'."
    assert caught.value.hint == (
        "The columns are: year, party, n-k, weight. A string needs quotation marks."
    )
    with pytest.raises(QueryError, match="There is no column 'year'"):
        where.holds({})


@given(
    st.lists(st.sampled_from([*"ab1.\"'()<>=!,` \\é", " and ", " in ", " not "]), max_size=20).map(
        "".join
    )
)
def test_any_text_is_a_condition_or_an_error_that_points_into_it(text: str) -> None:
    place = 0
    try:
        assert len(parse_where(text).holds({"a": [1, 2], "b": ["x", None]})) == 2
    except QueryError as error:
        place = error.place
    assert 0 <= place <= len(text)
