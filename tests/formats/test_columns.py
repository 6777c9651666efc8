"""Files of columns, and those with labels of entities."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth.errors import InputError, ParameterError
from firth.formats import LabelledText, Sentence, read_columns, read_labelled

TextFile = Callable[..., Path]
TEXT = """-DOCSTART- -X- O O

EU NNP I-NP I-ORG
rejects VBZ I-VP O
# # O O

Peter NNP I-NP I-PER

-DOCSTART- -X- O O

Paris NNP I-NP I-LOC
France NNP I-NP B-LOC
"""
WORDS = [[["EU", "rejects", "#"], ["Peter"]], [["Paris", "France"]]]
LABELS = [[["I-ORG", "O", "O"], ["I-PER"]], [["I-LOC", "B-LOC"]]]


def words(source: Any) -> list[list[list[str]]]:
    return [[sentence.words for sentence in document] for document in read_columns(source)]


def lines_of(text: str) -> list[tuple[int, str]]:
    return list(enumerate(text.splitlines(), 1))


def test_documents_sentences_words(text_file: TextFile) -> None:
    documents = list(read_columns(text_file(TEXT)))
    assert documents[0][0] == Sentence(
        [["EU", "NNP", "I-NP", "I-ORG"], ["rejects", "VBZ", "I-VP", "O"], ["#", "#", "O", "O"]],
        3, " ", ["-DOCSTART- -X- O O"],
    )  # fmt: skip
    assert [[s.words for s in document] for document in documents] == WORDS
    assert [[s.labels() for s in document] for document in documents] == LABELS
    assert [[s.line for s in document] for document in documents] == [[3, 7], [11]]
    assert documents[0][1].marks == []
    assert documents[0][0].labels(2) == documents[0][0].labels(-3) == ["NNP", "VBZ", "#"]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(" ", "\t"),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text.rstrip("\n"),
        lambda text: text.replace("\n\n", "\n \n\n"),
        lambda text: text.replace(" ", "   ").replace("\n", "  \n"),
        lambda text: text.replace("-X- O O\n\n", "-X- O O\n"),
    ],
)
def test_the_look_of_the_file_does_not_matter(
    change: Callable[[str], str], text_file: TextFile
) -> None:
    assert words(text_file(change(TEXT))) == WORDS
    assert words(enumerate(io.StringIO(change(TEXT), newline=""), 1)) == WORDS
    assert read_labelled(text_file(change(TEXT))).scheme == "iob1"


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_files(compress: Callable[[bytes], bytes], text_file: TextFile) -> None:
    assert words(str(text_file(compress(TEXT.encode()), "a.packed"))) == WORDS


def test_a_word_can_have_blanks_between_tabs() -> None:
    (document,) = read_columns(lines_of("in IN\n\nNew York\tNNP\n\n10\u00a0000\t CD "))
    assert [s.rows for s in document] == [
        [["in", "IN"]],
        [["New York", "NNP"]],
        [["10\u00a0000", "CD"]],
    ]
    assert [s.lines_with(["x"])[0] for s in document] == [
        "in IN x",
        "New York\tNNP\tx",
        "10\u00a0000\tCD\tx",
    ]
    with pytest.raises(
        InputError, match="Line 2 of the input has only one column, but the lines before it have 2"
    ):
        words(lines_of("York\tNNP\nNew York"))  # not "New" with the tag "York"


@pytest.mark.parametrize("between", [" ", "\t"])
def test_a_file_is_written_again_with_one_more_column(between: str) -> None:
    text = TEXT.replace(" ", between) + "\n"
    again = [
        line
        for document in read_columns(lines_of(text))
        for sentence in document
        for line in sentence.lines_with(sentence.labels())
    ]
    assert again == [
        line and f"{line}{between}{line.split(between)[-1]}" for line in text.splitlines()
    ]
    with pytest.raises(InputError, match="in line 1 has 1 word, but the new column has 2 entries"):
        next(read_columns(lines_of("a")))[0].lines_with(["x", "y"])


def test_one_column_is_enough_without_labels(text_file: TextFile) -> None:
    path = text_file("a\nb\n\nc\n")
    assert words(path) == [[["a", "b"], ["c"]]]
    with pytest.raises(
        InputError, match="Line 1 of .* has only one column: there is no column of labels"
    ):
        read_labelled(path)
    with pytest.raises(InputError, match="Line 4 has only one column"):
        next(read_columns(path))[1].labels()


def endless() -> Iterator[tuple[int, str]]:
    """The lines of a text that never ends, of sentences of 7 words."""
    return enumerate(cycle([*["w O"] * 7, ""]), 1)


@pytest.mark.slow
def test_documents_without_marks_are_cut() -> None:
    documents = list(islice(read_columns(endless()), 3))
    assert [sum(len(s.rows) for s in document) for document in documents] == [5005] * 3
    marked = islice(endless(), 200_000)
    first, second = islice(read_columns([(0, "-DOCSTART-"), *marked]), 2)
    assert sum(len(s.rows) for s in first) == 100_002  # a mark was seen, so it may be longer
    assert first[0].marks
    assert not second[0].marks


def test_documents_without_words_leave_their_marks() -> None:
    text = "-DOCSTART- 1\n\n-DOCSTART- 2\n\na\n-DOCSTART- 3"
    ((sentence,),) = read_columns(lines_of(text))
    assert sentence == Sentence([["a"]], 5, " ", ["-DOCSTART- 1", "-DOCSTART- 2"])


def test_a_file_is_read_no_further_than_asked() -> None:
    def broken() -> Any:
        yield from islice(endless(), 7_000)
        raise AssertionError

    assert len(next(read_columns(broken()))) == 715


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "contains no words"),
        ("\n \n\n", "contains no words"),
        ("-DOCSTART- -X- O\n\n", "contains no words"),
        ("a O\n\nb O O\n", "Line 3 of .* has 3 columns, but the lines before it have 2"),
        ("a B O\nb\n", "Line 2 of .* has only one column, but the lines before it have 3"),
        ("a\tO\n\tO\n", "Line 2 of .*: the word is empty"),
        (" \tO\n", "Line 1 of .*: the word is empty"),
        (b"a O\n\xe9 O\n", "Line 2 of .* is not in UTF-8"),
        (b"a\0b O\n", "is a binary file"),
        (b"%PDF-1.7", "is a PDF, not a text file"),
        ("w O\n" * 100_001, "starts in line 1 of .* has more than 100,000 words.*Is this a file of columns"),
        ("This is a plain text.\nIt has lines.\n", "Line 2 of .* has 3 columns, .* have 5.*Each line has"),
        (gzip.compress(TEXT.encode() * 99, mtime=0)[:90], "is a damaged gzip file"),
    ],
)  # fmt: skip
@pytest.mark.slow
def test_what_is_wrong_is_said(text: str | bytes, message: str, text_file: TextFile) -> None:
    path = text_file(text)
    for read in (words, read_labelled):
        with pytest.raises(InputError, match=message) as caught:
            read(path)
        assert str(path) in caught.value.message


def test_lines_have_the_name_they_were_given() -> None:
    with pytest.raises(InputError, match="Line 8 of standard input has 2 columns, .* have 1"):
        list(read_columns([(7, "a"), (8, "b c")], "standard input"))
    with pytest.raises(InputError, match="There is no file nowhere.txt"):
        next(read_columns("nowhere.txt"))
    assert read_labelled([(1, "a B-X")]).documents == [[(["a"], ["B-X"])]]
    with pytest.raises(InputError, match="Line 7 of standard input: 'NN' is not"):
        read_labelled([(7, "a NN")], name="standard input")


CELLS = st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), min_size=1, max_size=4)
CELLS = CELLS.filter(lambda cell: not cell.startswith("-DOCSTART-"))


@given(st.data(), st.integers(1, 4), st.sampled_from([" ", "\t"]))
def test_what_is_written_is_read(data: st.DataObject, width: int, between: str) -> None:
    row = st.lists(CELLS, min_size=width, max_size=width)
    sentences = data.draw(st.lists(st.lists(row, min_size=1, max_size=4), min_size=1, max_size=4))
    lines = [line for rows in sentences for line in (*map(between.join, rows), "")]
    (document,) = read_columns(enumerate(lines, 1))
    assert [s.rows for s in document] == sentences
    for sentence in document:
        assert lines[sentence.line - 1] == between.join(sentence.rows[0])


def test_labelled_text(text_file: TextFile) -> None:
    text = read_labelled(text_file(TEXT))
    pairs = [list(zip(*document, strict=True)) for document in zip(WORDS, LABELS, strict=True)]
    assert text == LabelledText(pairs, "iob1", 0)
    assert text.sentences == pairs[0] + pairs[1]
    assert read_labelled(str(text_file(TEXT)), 4) == text
    chunks = read_labelled(text_file(TEXT), 3)
    assert chunks.sentences[1] == (["Peter"], ["I-NP"])
    assert chunks == read_labelled(text_file(TEXT), -2)


@pytest.mark.parametrize(
    ("rows", "scheme"),
    [
        ("a O\nb O", "iob2"),
        ("a B-X\nb I-X\nc B-X", "iob2"),
        ("a I-X\nb I-X\n\nc O\nd I-Y", "iob1"),
        ("a B-X\nb E-X\n\nc S-X", "iobes"),
        ("a B-X\nb L-X\n\nc U-X", "bilou"),
    ],
)
def test_notations(rows: str, scheme: str, text_file: TextFile) -> None:
    assert read_labelled(text_file(rows)).scheme == scheme


def test_slips_are_counted(text_file: TextFile) -> None:
    text = read_labelled(text_file("a I-X\n\n" * 198 + "b B-X\n\n" * 2))
    assert (text.scheme, text.n_slips) == ("iob1", 2)


POS = "-DOCSTART- -X- O\n\nThe DT O\ncat NN O\nsat VBD O\nin IN O\nParis NNP B-LOC\n"


@pytest.mark.parametrize(
    ("text", "column", "message", "hint"),
    [
        ("a O\n\nb B-X\nc PER\nd I-X", -1, "Line 4 of .*: 'PER' is not an entity label.$", "A label is O, or"),
        ("a\tB-X\nb\t\nc\tB-X", -1, "Line 2 of .*: the label is empty.$", "A label is O, or"),
        ("a B-X\n\nb O\nc I-X", -1, "Line 4 of .*: 'I-X' starts an entity, as in iob1", "Correct the label"),
        ("a S-X\n\nb U-X", -1, "Line 3 of .*: 'U-X' is of another scheme", "Correct the label"),
        (POS, 2, "Line 3 of .*: 'DT' .* Column 2 seems to contain parts of speech", "perhaps 3"),
        (POS, -2, "Column 2 seems to contain parts of speech", "perhaps 3"),
        ("a I-X I-Y NN", -1, "Column 4 seems to contain parts of speech", "perhaps 3 or 2"),
        ("a 1\nb 2", -1, "Column 2 seems to contain numbers", "A label is O, or"),
        ("a PER\nb O\nc LOC", -1, "types without a prefix, or something else: 'PER', 'LOC'", "A label"),
        ("a _ B-X\nb _ O", 2, "Line 1 of .*: '_' is not an entity label.* something else: '_'", "perhaps 3"),
        ("".join(f"a w{i}\n" for i in range(60)), -1, "Column 2 seems to contain words", "A label is O"),
        (POS, 4, "Line 3 of .* has 3 columns: there is no column 4", "Column 1 has the words"),
        (POS, -3, "Line 3 of .* has 3 columns: there is no column -3", "Column 1 has the words"),
    ],
)  # fmt: skip
def test_wrong_labels_are_told(
    text: str, column: int, message: str, hint: str, text_file: TextFile
) -> None:
    path = text_file(text)
    with pytest.raises(InputError) as caught:
        read_labelled(path, column)
    assert str(path) in caught.value.message
    assert re.search(message, caught.value.message)
    assert hint in str(caught.value.hint)


@pytest.mark.parametrize("column", [0, 1, True, None, "2", 2.0])
def test_columns_that_cannot_be(column: Any, text_file: TextFile) -> None:
    with pytest.raises(ParameterError, match="'column' parameter of read_labelled must be an int"):
        read_labelled(text_file(TEXT), column)
    with pytest.raises(ParameterError, match="'column' parameter of labels"):
        Sentence([["a", "O"]], 1, " ", []).labels(column)
