"""The table of Unicode properties: equal to Python's own where both know a character."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from firth import unicode
from firth.unicode._tables import unicode_version

# without blocks of ideographs, syllables and private use, which are all alike
BLOCKS = [
    range(0x3400),
    range(0xA000, 0xAC00),
    range(0xD7A4, 0xD800),
    range(0xF900, 0x20000),
    range(0x32000, 0xF0000),
]
KNOWN = [chr(p) for block in BLOCKS for p in block if unicodedata.category(chr(p)) != "Cn"]
CHANGED = {  # properties that changed after Unicode 14, the version of Python 3.11
    unicode.category: "\u0295\U0001171e",
    unicode.is_lower: "\u0295\u10fc\ua7f2\ua7f3\ua7f4\uab69",
}
known = st.one_of(
    st.sampled_from([c for c in KNOWN if unicodedata.combining(c) or unicodedata.decomposition(c)]),
    st.sampled_from([c for c in KNOWN if c != c.lower()]),
    st.sampled_from("aAΣσς'.\u00ad\u0345İiIǆ\u1100\u1161\u11a8\uac00\uac01"),
    st.sampled_from(KNOWN),
)
words = st.lists(known, max_size=12).map("".join)


@pytest.mark.parametrize(
    ("ours", "pythons"),
    [
        (unicode.category, unicodedata.category),
        (unicode.is_alpha, str.isalpha),
        (unicode.is_digit, str.isdigit),
        (unicode.is_alnum, str.isalnum),
        (unicode.is_upper, str.isupper),
        (unicode.is_lower, str.islower),
        (unicode.is_printable, str.isprintable),
        (unicode.is_wide, lambda c: unicodedata.east_asian_width(c) in "WF"),
        (unicode.lower, str.lower),
        (unicode.nfc, lambda c: unicodedata.normalize("NFC", c)),
        (unicode.base, lambda c: unicodedata.normalize("NFD", c)[0]),
        (unicode.has_decimal, str.isdecimal),
        (unicode.zero_digits, lambda c: "0" if c.isdecimal() else c),
    ],
)
def test_every_character_is_as_in_python(ours, pythons) -> None:  # type: ignore[no-untyped-def]
    differ = {c for c in KNOWN if ours(c) != pythons(c)}
    if ours is unicode.is_wide:  # hexagrams and a few symbols are wide since Unicode 16
        differ = {c for c in differ if not ours(c)}
    assert differ <= set(CHANGED.get(ours, "")), sorted(differ)


@given(words)
@example("ΑΣ Σ ΑΣΑ Α'Σ' ΑΣ.Α Α\u0345Σ")
@example("e\u0323\u0302 \u0344 \u1100\u1161\u11a8 \uac00\u11a8 \u212b\u0327 \U0001d160")
def test_normal_form_and_case_of_words_are_as_in_python(word: str) -> None:
    for form in (word, unicodedata.normalize("NFD", word)):
        assert unicode.nfc(form) == unicodedata.normalize("NFC", word)
    assert unicode.lower(word) == word.lower()
    if not any(c in word for c in CHANGED[unicode.is_lower]):
        assert unicode.is_upper(word) == word.isupper()
        assert unicode.is_lower(word) == word.islower()


@given(st.lists(words, max_size=6), st.booleans(), st.booleans())
def test_many_words_are_folded_as_each_of_them(some: list[str], small: bool, zero: bool) -> None:
    expected = [unicode.fold(word, small, zero) for word in some]
    assert unicode.fold_words(some, small, zero) == expected
    odd = "Ä\U0010ffffe\u0301"
    assert unicode.fold_words([*some, odd], small, zero) == [
        *expected,
        unicode.nfc(odd).lower() if small else unicode.nfc(odd),
    ]


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_normal_form_of_any_text_is_its_own_normal_form(text: str) -> None:
    assert unicode.nfc(unicode.nfc(text)) == unicode.nfc(text)


def test_characters_newer_than_the_interpreter_are_known() -> None:
    assert unicode_version() == "18.0"
    assert unicode.category("\U0001fae8") == "So"  # shaking face, Unicode 15
    assert unicode.lower("\U00010d50\ua7dc") == "\U00010d70\u019b"  # Garay and Latin, Unicode 16
    assert unicode.nfc("\U00011382\U000113c9") == "\U00011383"  # Tulu-Tigalari, Unicode 16
    assert unicode.zero_digits("\U00010d45") == "0"
    assert unicode.lower("\U00016ea0") == "\U00016ebb"  # Beria Erfe, Unicode 17
    assert unicode.is_upper("\U0001df40")  # Latin, Unicode 18


def test_white_space_is_the_same_in_all_versions() -> None:
    """``str.split`` and ``\\s`` of Python can therefore be used."""
    spaces = "".join(chr(p) for p in range(0x110000) if chr(p).isspace())
    assert spaces == (
        "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
        "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
    )


def test_a_million_accents_take_linear_time() -> None:
    unicode.nfc("e\u0301\u0323")  # compile

    def seconds(n: int) -> float:
        started = time.perf_counter()
        text = unicode.nfc("e" + "\u0301\u0323" * n)
        assert text.startswith("\u1eb9" + "\u0323" * (n - 1) + "\u0301")
        return time.perf_counter() - started

    assert seconds(500_000) < 1000 * max(seconds(5_000), 1e-4)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("tr", "IĞDIR İLİ İstanbul ISPARTA", "ığdır ili istanbul ısparta"),
        ("az", "BAKI XƏZƏR İÇİNDƏ", "bakı xəzər içində"),
        ("tr", "I\u0307 I\u0323\u0307 I\u0301\u0307", "i i\u0323 ı\u0301\u0307"),
        ("lt", "Ì Í Ĩ IN", "i\u0307\u0300 i\u0307\u0301 i\u0307\u0303 in"),
        (
            "lt",
            "J\u0303 Į\u0301 I\u0323\u0301 J",
            "j\u0307\u0303 į\u0307\u0301 i\u0307\u0323\u0301 j",
        ),
        (None, "IĞDIR İ", "iğdir i\u0307"),
    ],
)
def test_lower_case_of_some_languages(language: str | None, text: str, expected: str) -> None:
    assert unicode.lower(text, language) == expected


@given(
    st.lists(
        st.text(st.sampled_from("IİıiJjĮįÌÍĨaO\u0307\u0301\u0323\u0300 "), min_size=1), min_size=1
    )
)
def test_lower_case_is_that_of_special_casing(words: list[str]) -> None:
    for language in ("tr", "az", "lt"):
        small = [unicode.lower(word, language) for word in words]
        assert small == [special_lower(word, language) for word in words]
        folded = unicode.fold_words(words, True, False, language)
        assert folded == [unicode.fold(word, True, False, language) for word in words]


def special_lower(text: str, language: str) -> str:
    """Letter by letter, from the conditions of SpecialCasing.txt; the rest is Python's."""
    out = ""
    for i, c in enumerate(text):
        marks = ""
        for mark in text[i + 1 :]:
            if unicodedata.combining(mark) == 0:
                break
            marks += mark
        above = [m for m in marks if unicodedata.combining(m) == 230][:1]
        before = ""
        for mark in reversed(text[:i]):
            before = mark
            if unicodedata.combining(mark) in (0, 230):
                break
        if language == "lt":
            accents = {"Ì": "\u0300", "Í": "\u0301", "Ĩ": "\u0303"}
            if c in accents:
                out += "i\u0307" + accents[c]
            elif c in "IJĮ" and above:
                out += c.lower() + "\u0307"
            else:
                out += "i\u0307" if c == "İ" else c.lower()
        elif c == "\u0307" and before == "I":
            pass
        elif c == "I":
            out += "i" if above == ["\u0307"] else "ı"
        else:
            out += "i" if c == "İ" else c.lower()
    return out


@pytest.mark.parametrize("text", ["a", "ça", "c\u0327a", "हिन्दी", "เก้า", "می\u200cروم", "각"])
def test_words_of_letters_and_marks(text: str) -> None:
    assert unicode.is_word(text)


@pytest.mark.parametrize("text", ["", "1", "a1", "a-b", "don't", "\u0327", "।", "a b"])
def test_other_texts_are_not_words_of_letters(text: str) -> None:
    assert not unicode.is_word(text)
