"""Files of words with tags."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firth.errors import InputError, ParameterError
from firth.formats import read_tagged

TextFile = Callable[..., Path]
CONLLU = """# sent_id = 1
# text = I don't
1\tI\tI\tPRON\tPRP\t_\t_\t_\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t_\t_\t_\t_
3\tn't\tnot\tPART\tRB\t_\t_\t_\t_\t_
3.1\tgo\tgo\tVERB\tVB\t_\t_\t_\t_\t_

# sent_id = 2
1\t10 000\t_\tNUM\t_\t_\t_\t_\t_\t_
"""
UPOS = [[("I", "PRON"), ("do", "AUX"), ("n't", "PART")], [("10 000", "NUM")]]
XPOS = [[("I", "PRP"), ("do", "VBP"), ("n't", "RB")], [("10 000", "_")]]
COLUMNS = """-DOCSTART- -X- O O

EU NNP I-NP I-ORG
rejects VBZ I-VP O
# # O O

-DOCSTART- -X- O O
Peter NNP I-NP I-PER
"""
TAGS = [[("EU", "NNP"), ("rejects", "VBZ"), ("#", "#")], [("Peter", "NNP")]]


@pytest.mark.parametrize("name", ["a.conllu", "a.CONLLU", "a.txt"])
def test_conllu(name: str, text_file: TextFile) -> None:
    path = text_file(CONLLU, name)
    assert read_tagged(path) == UPOS
    assert read_tagged(str(path), "xpos") == XPOS
    assert read_tagged(path, column="5") == XPOS


def test_columns_between_blanks(text_file: TextFile) -> None:
    path = text_file(COLUMNS)
    assert read_tagged(path) == read_tagged(path, "2") == TAGS
    assert read_tagged(path, "4")[0] == [("EU", "I-ORG"), ("rejects", "O"), ("#", "O")]


def test_columns_between_tabs(text_file: TextFile) -> None:
    assert read_tagged(text_file(COLUMNS.replace(" ", "\t"))) == TAGS
    assert read_tagged(text_file("New York\tNNP\n\n\n in \tIN \r\n")) == [
        [("New York", "NNP")], [("in", "IN")],
    ]  # fmt: skip
    ten = "word\tNN" + "\tx" * 8  # ten columns, but no number in front
    assert read_tagged(text_file(ten)) == [[("word", "NN")]]


def test_only_the_plain_blank_ends_a_column(text_file: TextFile) -> None:
    assert read_tagged(text_file("10\u00a0000  CD\n \nhi   UH  x")) == [
        [("10\u00a0000", "CD")], [("hi", "UH")],
    ]  # fmt: skip


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed_files(compress: Callable[[bytes], bytes], text_file: TextFile) -> None:
    assert read_tagged(text_file(compress(CONLLU.encode()), "a.conllu.packed")) == UPOS
    assert read_tagged(text_file(compress(COLUMNS.encode()), "a.gz")) == TAGS


def test_marks_and_ends_of_lines_do_not_matter(text_file: TextFile) -> None:
    assert read_tagged(text_file("\ufeff" + CONLLU.replace("\n", "\r\n"), "a.conllu")) == UPOS
    assert read_tagged(text_file("\ufeff" + COLUMNS.rstrip("\n"))) == TAGS


WORDS = st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), min_size=1, max_size=5)


@given(st.lists(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=5), min_size=1, max_size=4))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[list[tuple[str, str]]]
) -> None:
    path = tmp_path_factory.mktemp("tagged") / "any.conllu"
    rows = [
        [f"{i}\t{word}\t_\t{tag}\t{tag}" + "\t_" * 5 for i, (word, tag) in enumerate(sentence, 1)]
        for sentence in sentences
    ]
    path.write_text("\n\n".join("\n".join(lines) for lines in rows), encoding="utf-8")
    tagged = [tag != "_" for sentence in sentences for _, tag in sentence]
    if sum(tagged) < len(tagged) / 2:
        with pytest.raises(InputError, match="words have a tag in column 4"):
            read_tagged(path)
        return
    assert read_tagged(path) == read_tagged(path, "xpos") == sentences
    table = path.with_suffix(".txt")
    for between in ("\t", " "):
        text = "\n\n".join("\n".join(between.join(row) for row in rows) for rows in sentences)
        table.write_text(text, encoding="utf-8")
        assert read_tagged(table) == sentences


WORD = "1\ta\t_\t_\tX" + "\t_" * 5


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.conllu", WORD, "only 0 of 1 words have a tag in column 4, the others '_'"),
        ("a.txt", "a _\nb B\n\nc _", "only 1 of 3 words have a tag in column 2, the others '_'"),
        ("a.txt", "a B\nc\n", "Line 2 of .* has only one column; the tag should be in column 2"),
        ("a.txt", "a B\nc\t\n", "Line 2 of .*: the tag is empty"),
        ("a.txt", "a B\n\tC\n", "Line 2 of .*: the word is empty"),
        ("a.conllu", WORD.replace("_", "", 2), "Line 1 of .*: the tag is empty"),
        ("a.conllu", WORD.replace("a", ""), "line 1: the FORM column is empty"),
        ("a.conllu", "# note\na B\n", "line 2: a word of a CoNLL-U file has 10 columns"),
        ("a.txt", WORD + "\n2\tb\n", "line 2: a word of a CoNLL-U file has 10 columns"),
        ("a.conllu", WORD.replace("1", "x"), "line 1: 'x' is not a word number"),
        ("a.txt", b"a B\n\xe9 C\n", "Line 2 of .* is not in UTF-8"),
        ("a.txt", b"%PDF-1.7", "is a PDF, not a text file"),
        ("a.txt", "", "has no words in it"),
        ("a.txt", "-DOCSTART- X\n\n \n", "has no words in it"),
        ("a.conllu", "# nothing\n\n", "has no words in it"),
        ("a.gz", gzip.compress(COLUMNS.encode() * 99, mtime=0)[:90], "is a damaged gzip file"),
    ],
)
def test_what_is_wrong_is_said(
    name: str, text: str | bytes, message: str, text_file: TextFile
) -> None:
    path = text_file(text, name)
    with pytest.raises(InputError, match=message) as caught:
        read_tagged(path)
    assert str(path) in caught.value.message


def test_columns_that_are_not_there(text_file: TextFile) -> None:
    with pytest.raises(InputError, match="is not a CoNLL-U file.*Give the number"):
        read_tagged(text_file(COLUMNS), "xpos")
    with pytest.raises(InputError, match="Line 3 of .* has 4 columns; .* in column 5"):
        read_tagged(text_file(COLUMNS), "5")
    with pytest.raises(InputError, match="Line 3 of .* has 10 columns; .* in column 11"):
        read_tagged(text_file(CONLLU), "11")
    with pytest.raises(InputError, match="There is no file"):
        read_tagged("nowhere.conllu")


@pytest.mark.parametrize("column", ["", "pos", "1", "-2", "2.0", "²", None, 2])
def test_columns_that_cannot_be(column: str, text_file: TextFile) -> None:
    with pytest.raises(ParameterError, match="'column' parameter of read_tagged"):
        read_tagged(text_file(CONLLU), column)
