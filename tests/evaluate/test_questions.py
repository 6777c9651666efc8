"""Files of questions: told apart by their columns, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from firth.errors import InputError
from firth.evaluate import Analogies, WordPairs, read_questions

File = Callable[..., Path]


@pytest.mark.parametrize(
    "text",
    [
        "tiger cat 7.35\nplane car 5.77\n",
        "tiger\tcat\t7.35\nplane\tcar\t5.77\n",
        "tiger,cat,7.35\r\nplane,car,5.77\r\n",
        "tiger;cat;7.35\nplane;car;5.77",
        "Word 1,Word 2,Human (mean)\ntiger,cat,7.35\nplane,car,5.77\n",
        "word1\tword2\tPOS\tscore\tmore\ntiger\tcat\tN\t7.35\t1\nplane\tcar\tN\t5.77\t2\n",
        "# a comment\n\ntiger  cat   7.35\n   # another\nplane car 5.77 extra\n",
        "\ufefftiger cat 7.35\nplane car 5.77\n",
    ],
)
def test_word_pairs(text: str, text_file: File) -> None:
    pairs = read_questions(text_file(text, "sim.txt"))
    assert isinstance(pairs, WordPairs)
    assert pairs.pairs == [("tiger", "cat"), ("plane", "car")]
    assert pairs.scores == [7.35, 5.77]
    assert pairs.name == "sim"
    assert len(pairs) == 2


@pytest.mark.parametrize(
    ("text", "categories"),
    [
        ("capital Athens Greece Oslo Norway\nplural cat cats dog dogs\n", ["capital", "plural"]),
        (
            ": capital\nAthens Greece Oslo Norway\n: plural\ncat cats dog dogs\n",
            ["capital", "plural"],
        ),
        ("Athens Greece Oslo Norway\ncat cats dog dogs\n", ["text", "text"]),
        ("Athens\tGreece\tOslo\tNorway\ncat\tcats\tdog\tdogs\n", ["text", "text"]),
    ],
)
def test_analogies(text: str, categories: list[str], text_file: File) -> None:
    analogies = read_questions(text_file(text))
    assert isinstance(analogies, Analogies)
    assert analogies.questions == [
        ("Athens", "Greece", "Oslo", "Norway"),
        ("cat", "cats", "dog", "dogs"),
    ]
    assert analogies.categories == categories


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no questions"),
        ("# only a comment\n", "no questions"),
        ("tiger cat\nplane car\n", "neither word pairs nor analogies: line 1 has 2 columns"),
        ("one two three four five six\n" * 3, "neither word pairs nor analogies"),
        ("a b c d\ntiger cat 7\nplane car 5\n", "Line 1 of .*: 'c' is not a number"),
        ("tiger cat seven\n", "Line 1 of .*: 'seven' is not a number"),
        ("tiger cat 7\nplane car\nbook paper 5\n", "Line 2 of .* has 2 columns"),
        ("tiger cat 7\nplane car much\nbook paper 5\n", "Line 2 of .*: 'much' is not a number"),
        ("tiger cat 7\nplane car nan\nbook paper 5\n", "Line 2 of .*: 'nan' is not a number"),
        ("tiger cat 7\n,,\n".replace(" ", ","), "Line 2 of .*"),
        ("a b c d\na b c\na b c d\n", "Line 2 of .* has 3 columns where others have 4"),
        ("x a b c d\na b c d\nx a b c d\n", "Line 2 of .* has 4 columns where others have 5"),
        (b"tiger c\xe4t 7\n", "Line 1 of .* is not in UTF-8"),
        (b"%PDF-1.4 more", "is a PDF, not a text file"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(
    text: str | bytes, message: str, text_file: File
) -> None:
    with pytest.raises(InputError, match=message):
        read_questions(text_file(text))


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no file"):
        read_questions(tmp_path / "nothing")
