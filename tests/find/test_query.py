"""The parser of queries: what it reads, and where it points when something is wrong."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth.corpus import Corpus
from firth.errors import FirthError, QueryError
from firth.find import LONGEST_QUERY, Finder, parse
from firth.find._query import Alternatives, Condition, Gap, Regex, Slot, Word


def only(query: str) -> object:
    (arm,) = parse(query).arms
    (item,) = arm.items
    return item


def test_words_and_what_is_wild_in_them() -> None:
    assert only("cat") == Word(((False, "cat"),), False, 0)
    assert only(" e?on**m* ") == Word(
        ((False, "e"), (True, "?"), (False, "on"), (True, "*"), (False, "m"), (True, "*")), False, 1
    )
    assert only(r"a\*\?\ \\b") == Word(((False, r"a*? \b"),), False, 0)
    assert only("km/h~") == Word(((False, "km/h~"),), False, 0), "only special at the beginning"
    assert only("~Über") == Word(((False, "Über"),), True, 1)


def test_groups_gaps_and_slots() -> None:
    assert only(r"/^a\/b\d|[)]/") == Regex(r"^a/b\d|[)]", False, 0)
    assert only("~/x/") == Regex("x", True, 0)
    (arm,) = parse("a {2} b {0, 13} c").arms
    assert [(g.low, g.high, g.place) for g in arm.items if isinstance(g, Gap)] == [
        (2, 2, 2),
        (0, 13, 8),
    ]
    slot = only('[class=01* tag="proper noun" like=a\\]b n=7 word=x*]')
    assert isinstance(slot, Slot)
    assert slot.conditions[:3] == (
        Condition("class", "01*", 1), Condition("tag", "proper noun", 11), Condition("like", "a]b", 29, 7),
    )  # fmt: skip
    assert slot.conditions[3].word == Word(((False, "x"), (True, "*")), False, 48)
    quoted = only('"in (January|March)"')
    assert isinstance(quoted, Alternatives)
    assert [len(arm.items) for arm in quoted.arms] == [2]
    folded = only("~(a|b c)")
    assert isinstance(folded, Alternatives)
    words = [item for arm in folded.arms for item in arm.items]
    assert all(isinstance(word, Word) and word.folded for word in words)
    (arm,) = parse("~(a) b").arms
    assert isinstance(arm.items[1], Word)
    assert not arm.items[1].folded


@pytest.mark.parametrize(
    ("query", "place", "message", "hint"),
    [
        ("", 0, "The query is empty.", "Type a word"),
        ("   ", 3, "The query is empty.", "Type a word"),
        ("in (January|March", 17, "A closing ) is expected here.", "The ( at character 4 is open."),
        ('the "old cat', 12, 'A closing " is expected here.', 'The " at character 5 is open.'),
        ('"a (b" c)', 5, "A closing ) is expected here.", "The ( at character 4 is open."),
        ("a )", 2, "Nothing was opened that this ) could close.", "\\)"),
        ("a ]", 2, "Nothing was opened that this ] could close.", "\\]"),
        ("a |", 3, "A word is expected here.", "Complete the query."),
        ("| a", 0, "A word is expected here.", "Complete the query."),
        ("a || b", 3, "A word is expected here.", "Complete the query."),
        ("()", 1, "A word is expected here.", "Complete the query."),
        ("~ a", 1, "A word is expected here.", "Complete the query."),
        ("{2} a", 0, "A gap stands between two words.", "from {0,3} to"),
        ("a {2}", 5, "A word is expected here.", "Complete the query."),
        ("a {1} {2} b", 6, "A gap stands between two words.", "from {0,3} to"),
        ("a {x} b", 2, "A gap needs one number or two.", "{2} or {0,3}"),
        ("a {1,2,3} b", 2, "A gap needs one number or two.", "{2} or {0,3}"),
        ("a {2 b", 2, "A gap needs one number or two.", "{2} or {0,3}"),
        ("a {3,1} b", 2, "must not be larger than the second.", "Write {1,3}."),
        ("a {0,101} b", 2, "A gap has at most 100 words.", "Write {0,100}."),
        ("a {200} b", 2, "A gap has at most 100 words.", "Write {100,100}."),
        ("/ab", 3, "A closing / is expected here.", "at character 1 is open"),
        ("//", 0, "The regular expression is empty.", "/ing$/"),
        ("a\\", 2, "A character is expected after \\.", "\\\\"),
        ("[clas=3]", 1, "A slot begins with class, tag, like or word.", "[tag=4]"),
        ("[]", 1, "A slot begins with class, tag, like or word.", "[tag=4]"),
        ("[tag 3]", 4, "A = is expected after tag.", "[tag=4]"),
        ("[tag=]", 5, "A value is expected after tag=.", "[tag=4]"),
        ("[tag=3", 6, "A closing ] is expected here.", "The [ at character 1 is open."),
        ('[tag="x', 7, 'A closing " is expected here.', "at character 6 is open"),
        ("[n=3]", 1, "n= belongs to like.", "[like=monday n=50]"),
        ("[like=a n=0]", 10, "n= is a number from 1 to 1,000.", "n=50"),
        ("[like=a n=x]", 10, "n= is a number from 1 to 1,000.", "n=50"),
        ("[word=]", 6, "] is not expected here.", "\\]"),
        ("(" * 41 + "a", 40, "More than 40 groups", "simpler"),
        ("x" * (LONGEST_QUERY + 1), LONGEST_QUERY, "more than 12,000 characters", "shorter"),
    ],
)  # fmt: skip
def test_mistakes_are_shown_where_they_are(query: str, place: int, message: str, hint: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(query)
    error = caught.value
    assert error.place == place
    assert message in error.message
    assert hint in str(error.hint)
    said = str(error).split("\n")
    assert len(said) == 4
    assert said[0] == error.message
    assert said[2].strip() == "^"
    text, at = error.excerpt()
    assert text[at : at + 1] == query[place : place + 1], "the caret is below the very character"
    assert len(text) <= 122


def test_queries_that_stand_for_too_much() -> None:
    finder = Finder(Corpus.from_sentences([["a", "b", "c"]]))
    with pytest.raises(QueryError, match="more than 1,000 ways"):
        finder.find("(a b|b c)" * 11)
    assert len(finder.find("(a|b|c)" * 3)) == 1, "single words are one set"
    with pytest.raises(QueryError, match="more than 100 words in a row"):
        finder.find("a " * 101)
    with pytest.raises(QueryError, match="more than 100 words in a row, or 200"):
        finder.find("a {0,100} b {0,100} c")


@given(st.text(st.sampled_from([*string.printable, "é", "猫", "\ud800"]), max_size=30))
def test_any_text_is_a_query_or_an_error_that_points_into_it(text: str) -> None:
    finder = Finder(Corpus.from_sentences([["a", "b", "(", "é"], ["a"]]))
    wrong: FirthError | None = None
    try:
        found = finder.find(text)
        assert (found.starts < found.ends).all()
    except FirthError as error:
        wrong = error
    if isinstance(wrong, QueryError):
        assert 0 <= wrong.place <= len(text)
        assert wrong.hint
        str(wrong).encode()
    else:
        assert wrong is None or "of a model" in str(wrong)
