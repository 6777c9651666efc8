"""Files of words and of splits: what is read, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from firth.errors import InputError
from firth.morphs import (
    boundaries,
    compare_splits,
    looks_like_words,
    read_gold,
    read_known,
    read_words,
)


def written(folder: Path, text: str) -> Path:
    path = folder / "f.txt"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "is_list"),
    [
        ("walk\nwalked\n", True),
        ("walk\nwalked\n\n", True),
        ("walk\nwalked\nwalk\n", False),
        ("walk\nhe walked\n", False),
        ("walk\n", False),
        ("", False),
    ],
)
def test_a_list_of_words_has_another_word_on_each_line(
    tmp_path: Path, text: str, is_list: bool
) -> None:
    assert looks_like_words(written(tmp_path, text)) is is_list


def test_words_are_read(tmp_path: Path) -> None:
    assert read_words(written(tmp_path, "walk\n walked \n\n")) == ["walk", "walked"]
    with pytest.raises(InputError, match="no words"):
        read_words(written(tmp_path, "\n"))


def test_given_splits_are_read(tmp_path: Path) -> None:
    text = "walked\twalk ed\nred\tred\nwalked\twalk ed\n"
    assert read_known(written(tmp_path, text)) == {"walked": ["walk", "ed"], "red": ["red"]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("walked\twalk ed\nred", "Line 2 of .*: a word or its parts are missing"),
        ("red\t\n", "Line 1 of .*: a word or its parts are missing"),
        (
            "red\tr ed\nwalked\twalk de\n",
            "Line 2 of .*: the parts 'walk de', joined, are not 'walked'",
        ),
        ("e\u0301\te \u0301\n", "Line 1 of .* inside a character"),
        ("red\tr ed\nred\tred\n", "Line 2 of .*: 'red' was split in another way before"),
        ("\n", "has no splits"),
        ("4.2\t4 .2\n", "Line 1 of .*: '4.2' is not a word of letters"),
    ],
)
def test_impossible_splits_are_refused_with_their_line(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(InputError, match=message) as error:
        read_known(written(tmp_path, text))
    assert error.value.hint


def test_gold_splits_that_are_not_as_written_are_left_out(tmp_path: Path) -> None:
    text = "walks\twalk @@s\t100\ncities\tcity @@s\t100\nred\tred\n"
    assert read_gold(written(tmp_path, text)) == ({"walks": ["walk", "s"], "red": ["red"]}, 1)
    with pytest.raises(InputError, match="no words whose parts"):
        read_gold(written(tmp_path, "cities\tcity s\n"))
    with pytest.raises(InputError, match="Line 1 of .* inside a character"):
        read_gold(written(tmp_path, "e\u0301\te \u0301\n"))


def test_figures_are_those_of_all_boundaries_together() -> None:
    gold = {"abcd": ["a", "b", "cd"], "ef": ["ef"], "gh": ["g", "h"]}
    found = {"abcd": ["ab", "cd"], "ef": ["e", "f"], "gh": ["g", "h"]}
    figures = compare_splits(gold, found)
    assert (figures["n_boundaries"], figures["n_found"]) == (3, 3)
    assert figures["precision"] == figures["recall"] == figures["f1"] == pytest.approx(2 / 3)
    assert figures["words_right"] == pytest.approx(1 / 3)
    assert boundaries(["a", "bc", "d"]) == {1, 3}
    assert compare_splits({"a": ["a"]}, {"a": ["a"]})["f1"] == 0.0
