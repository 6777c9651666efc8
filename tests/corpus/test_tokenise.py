"""The tokeniser against its oracle, which was written from docs/tokenising.md, and by example."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from firth.corpus._tokeniser import Cut, cut, sentence_starts, tokenise
from firth.errors import ParameterError
from tests import strategies
from tests.oracles import tokens as oracle

MODES = {"words": oracle.words, "characters": oracle.characters, "whitespace": oracle.whitespace}


def spans(block: Cut, text: str) -> list[tuple[int, int]]:
    """Where tokens begin and end, counted in characters."""
    at, n = {}, 0
    for i, character in enumerate(text):
        at[n] = i
        n += len(character.encode())
    at[n] = len(text)
    return [(at[int(a)], at[int(b)]) for a, b in zip(block.starts, block.ends, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("tokens", MODES)
@settings(max_examples=500)
@given(text=strategies.texts)
def test_tokens_are_those_of_the_oracle(tokens: str, text: str) -> None:
    block = cut(text.encode(), tokens)
    assert spans(block, text) == MODES[tokens](text)
    lines = text.split("\n")
    assert len(block.lines) == len(lines) - 1
    assert block.lines.tolist() == [
        len(MODES[tokens]("\n".join(lines[: k + 1]))) for k in range(len(lines) - 1)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("tokens", MODES)
@settings(max_examples=500)
@given(text=strategies.lines)
def test_sentences_are_those_of_the_oracle(tokens: str, text: str) -> None:
    block = cut(text.encode(), tokens)
    assert sentence_starts(block, tokens).tolist() == oracle.sentences(
        text, spans(block, text), tokens
    )


WORDS = [
    (
        "Mr. O'Hara didn't pay $1,000.50 at 10:30 p.m.",
        "Mr. O'Hara did n't pay $ 1,000.50 at 10:30 p.m.",
    ),
    (
        "They're Firth's; I'd've gone, can't, DON'T",
        "They 're Firth 's ; I 'd 've gone , ca n't , DO N'T",
    ),
    ("rock'n'roll o'clock y'all 'quoted'", "rock'n'roll o'clock y'all ' quoted '"),
    ("The U.S.'s AT&T, R&D and q&a", "The U.S. 's AT&T , R&D and q & a"),
    ("well-known and/or 1990-2000 3/4", "well-known and / or 1990-2000 3/4"),
    (
        "J. Smith and J.R.R. Tolkien, Ph.D., e.g. I. Then",
        "J. Smith and J.R.R. Tolkien , Ph.D. , e.g. I . Then",
    ),
    ("see www.x.org/a?b=c, https://a.b/c_(d).", "see www.x.org/a?b=c , https://a.b/c_(d) ."),
    ("me@example.com @firth #nlp2 C# end.Next", "me@example.com @firth #nlp2 C # end . Next"),
    ("wait... what?! -- yes!!! (really)", "wait ... what ? ! -- yes !!! ( really )"),
    ("L'homme qu’il aime; l'œuvre, aujourd'hui", "L' homme qu’ il aime ; l' œuvre , aujourd'hui"),
    ("C'è dell'arte nell'orto", "C' è dell' arte nell' orto"),
    ("Das kostet z.B. 3,50 € bzw. mehr.", "Das kostet z.B. 3,50 € bzw. mehr ."),
    ("Он сказал: «Привет, п'ять!»", "Он сказал : « Привет , п'ять ! »"),
    ("यह हिन्दी है। ठीक?", "यह हिन्दी है । ठीक ?"),
    ("من می‌خواهم، باشه؟", "من می‌خواهم ، باشه ؟"),
    ('שלום עולם, צה"ל', 'שלום עולם , צה"ל'),
    ("\u200fשלום", "שלום"),
    ("Γεια σου, κόσμε· τι;", "Γεια σου , κόσμε · τι ;"),
    ("안녕하세요, 세계!", "안녕하세요 , 세계 !"),
    ("col·lega ትግርኛ፡ ሰላም።", "col·lega ትግርኛ ፡ ሰላም ።"),
    ("👨‍👩‍👧 🇫🇷🇩🇪 👍🏽 ❤️ 1️⃣", "👨‍👩‍👧 🇫🇷 🇩🇪 👍🏽 ❤️ 1️⃣"),
    ("10\u00a0000 km\u200bh", "10 000 km h"),
]


@pytest.mark.parametrize(("text", "expected"), WORDS)
def test_words_are_cut_as_people_expect(text: str, expected: str) -> None:
    assert tokenise(text) == [expected.split(" ")]


def test_composed_and_decomposed_letters_are_cut_alike() -> None:
    assert tokenise("cafe\u0301's l'e\u0301cole") == [["cafe\u0301", "'s", "l'", "e\u0301cole"]]
    assert tokenise("caf\u00e9's l'\u00e9cole") == [["caf\u00e9", "'s", "l'", "\u00e9cole"]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He left. She did not.", [["He", "left", "."], ["She", "did", "not", "."]]),
        (
            'He left. "Why?" she asked.',
            [["He", "left", "."], ['"', "Why", "?", '"', "she", "asked", "."]],
        ),
        (
            "Mr. Smith of the U.S. Army left.",
            [["Mr.", "Smith", "of", "the", "U.S.", "Army", "left", "."]],
        ),
        ("3.5 is more. than 3", [["3.5", "is", "more", ".", "than", "3"]]),
        ("什么？！好。走。", [["什么", "？", "！"], ["好", "。"], ["走", "。"]]),
    ],
)
def test_sentences_are_split_as_people_expect(text: str, expected: list[list[str]]) -> None:
    assert tokenise(text, split="sentences") == expected


def test_characters_keep_marks_syllables_and_flags_together() -> None:
    assert tokenise("猫が 한글 \u1112\u1161\u11ab ดี 🇫🇷", "characters") == [
        ["猫", "が", "한", "글", "\u1112\u1161\u11ab", "ดี", "🇫🇷"]
    ]


def test_whitespace_leaves_spaces_that_are_not_ascii() -> None:
    assert tokenise("10\u00a0000  a\tb", "whitespace") == [["10\u00a0000", "a", "b"]]


def test_lines_and_none() -> None:
    assert tokenise("a\n\nb c\n") == [["a"], ["b", "c"]]
    assert tokenise("a\n\nb c\n", split="none") == [["a", "b", "c"]]


def test_a_word_of_ten_thousand_letters_is_one_token() -> None:
    assert tokenise("x" * 10_000 + " y") == [["x" * 10_000, "y"]]


def test_wrong_choices_are_named() -> None:
    with pytest.raises(
        ParameterError,
        match=r"'tokens' parameter of tokenise must be one of 'words'.*Got 'letters'",
    ):
        tokenise("a", "letters")


@pytest.mark.parametrize("text", ["]", "字，", "a/"])
def test_text_without_spaces_takes_time_in_proportion(text: str) -> None:
    """If each token looked for the next space, this would take hours."""
    n = (4 << 20) // len(text.encode())
    assert sum(map(len, tokenise(text * n))) == len(text) * n
