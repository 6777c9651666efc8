"""Sentences that go on over line ends: ``split="paragraphs"``, and the notices about how text looks."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firth
from firth.corpus import Corpus, Reading, _blocks, pieces_of_sources, tokenise
from firth.corpus._notices import is_wrapped
from firth.pipeline import learn_corpus

WRAPPED = """It was the best of
times. It was the worst
of times.

  \t
The end of it
came."""
SENTENCES = [
    ["It", "was", "the", "best", "of", "times", "."],
    ["It", "was", "the", "worst", "of", "times", "."],
    ["The", "end", "of", "it", "came", "."],
]
PIECES = st.lists(
    st.sampled_from(
        ["a", "B.", "c", " ", "\n", "\n", "\n\n", "\n \n", "\r\n", "U.S.", "?\n", "\u00a0\n", "“D"]
    ),
    max_size=30,
)


def joined(text: str) -> list[list[str]]:
    """What paragraphs must be: their lines joined by blanks, and then split into sentences."""
    paragraphs: list[list[str]] = [[]]
    for line in text.split("\n"):
        if line.strip(" \t\v\f\r"):
            paragraphs[-1].append(line)
        else:
            paragraphs.append([])
    return [
        sentence
        for lines in paragraphs
        for sentence in tokenise(" ".join(lines), split="sentences")
        if sentence
    ]


def test_sentences_go_on_over_line_ends() -> None:
    assert [s for s in tokenise(WRAPPED, split="paragraphs") if s] == SENTENCES


@given(PIECES)
def test_paragraphs_are_their_lines_joined(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert [s for s in tokenise(text, split="paragraphs") if s] == joined(text)


@given(pieces=PIECES, size=st.integers(1, 9))
@settings(max_examples=50)
def test_blocks_do_not_change_paragraphs(
    pieces: list[str], size: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = "".join(pieces) + "\n\nEnd"
    path = tmp_path_factory.mktemp("text") / "a.txt"
    path.write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_blocks, "BLOCK", size)
        corpus = Corpus.from_files(path, split="paragraphs", threads=1)
    assert list(corpus.sentences()) == joined(text)
    data = text.encode()
    for place, sentence in zip(corpus.places.tolist(), corpus.sentences(), strict=True):
        assert data[place:].startswith(sentence[0].encode())


def test_records_end_paragraphs(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    texts = ["A long\nline", "and another\n\nB\nc", "d"]
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    corpus = Corpus.from_files(path, split="paragraphs")
    assert [" ".join(s) for s in corpus.sentences()] == ["A long line", "and another", "B c", "d"]
    assert list(Corpus.from_texts(texts, split="paragraphs").sentences()) == list(
        corpus.sentences()
    )


def test_lines_of_wrapped_text_are_the_original(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(WRAPPED)
    corpus = Corpus.from_files(path, split="paragraphs")
    hit = corpus.find("worst")[0]
    assert (hit.left, hit.word, hit.right) == ("It was the ", "worst", " of times.")
    assert hit.original
    assert WRAPPED.encode()[hit.place :].startswith(b"It was the worst")
    assert [hit.left for hit in corpus.find("times", width=6)] == ["st of ", "st of "]
    whole = corpus.lines([0], [1], "sentence")[0]
    assert whole.word + whole.right == "It was the best of times."


def test_paragraphs_are_read_alike_with_and_without_pieces(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(
        "\n\n".join([textwrap.fill("Once there was a rose in it. And so on. " * 9)] * 9)
    )
    one = learn_corpus(tmp_path / "one", path, split="paragraphs")
    two = learn_corpus(tmp_path / "two", path, split="paragraphs", skip_bad=True, threads=2)
    assert list(one.corpus.sentences()) == list(two.corpus.sentences())
    assert one.corpus.n_sentences == 9 * 18
    sources = firth.corpus.find_sources([path])
    assert len(pieces_of_sources(sources, 100)) > 10
    assert pieces_of_sources(sources, 100, "paragraphs") == [(0, 0, None)]


def test_a_paragraph_of_any_length_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is cut between lines, where no sentence ends if it goes on."""
    monkeypatch.setattr(_blocks, "BLOCK", 64)
    monkeypatch.setattr(_blocks, "PIECE", 256)
    path = tmp_path / "a.txt"
    for n in (31, 32, 33, 64):  # the empty line is at the end of a block, or at the start of one
        path.write_text("a rose is\n" * n + "\nit is\n")
        corpus = Corpus.from_files(path, split="paragraphs", threads=1)
        assert corpus.ends.tolist() == [3 * n, 3 * n + 2]


# Notices -------------------------------------------------------------------------------------------

PROSE = (
    "It is a truth that is known to everybody who reads much that a line has its end somewhere. "
)
VERSE = "".join(f"{'Oh rose, thou art so ' * (1 + i % 2)}{'red' * (i % 5)},\n" for i in range(40))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (textwrap.fill(PROSE * 20, 72) + "\n", True),
        ("\n\n".join(textwrap.fill(PROSE * n, 60) for n in (3, 5, 2, 7)) + "\n", True),
        (textwrap.fill("Истина известна всем кто читает много и часто. " * 30, 70) + "\n", True),
        (PROSE.strip() + "\n", False),
        ((PROSE + "\n") * 30, False),
        ("".join(f"{PROSE[: 40 + 7 * i % 53]}.\n" for i in range(50)), False),
        (VERSE, False),
        (
            "".join(f"The quick brown fox number {i} jumps over dog{i}\n" for i in range(100, 200)),
            False,
        ),
        ("word\n" * 100, False),
        ("\n" * 100, False),
        ("", False),
    ],
)
def test_wrapped_text_is_noticed(text: str, expected: bool) -> None:
    assert is_wrapped(text) == expected


@settings(max_examples=30)
@given(
    st.lists(st.sampled_from(["a", "rose", "is", "elephantine", "no", "wonderful"]), min_size=300),
    st.integers(45, 110),
)
def test_whatever_is_wrapped_is_noticed(words: list[str], width: int) -> None:
    assert is_wrapped(textwrap.fill(" ".join(words), width) + "\n")


@pytest.mark.parametrize(
    ("name", "text", "message", "hint"),
    [
        (
            "a.txt",
            textwrap.fill(PROSE * 20, 72) + "\n",
            "sentences seem to go on over several lines",
            "--split paragraphs",
        ),
        (
            "a.html",
            "<html><p>a</p></html>\n",
            "seems to contain HTML. It is read as plain text",
            "pandoc",
        ),
        ("a.xml", "<settings><a>b</a></settings>\n", "seems to contain XML", "--read-as tei"),
        (
            "a.txt",
            "\\id s\n\\tx ba mi\n\\ge dog\n",
            "seems to be a file of Toolbox",
            "--read-as toolbox",
        ),
    ],
)
def test_what_text_looks_like_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str, text: str, message: str, hint: str
) -> None:
    paths = [tmp_path / name, tmp_path / f"b{name}"]
    for path in paths:
        path.write_text(text)
    corpus = Corpus.from_files(*paths)
    assert caplog.text.count(message) == 1
    assert hint in caplog.text
    assert corpus.sentence(0) == tokenise(text)[0], "it is read as before"
    if hint == "pandoc":
        assert str(paths[0]) in caplog.text


def test_a_line_without_spaces_gets_a_hint(
    text_file: Callable[..., Path], caplog: pytest.LogCaptureFixture
) -> None:
    sources = firth.corpus.find_sources([text_file("我喜欢在下雨天的时候喝茶\n" * 2)])
    for tokens, said in (("words", 1), ("characters", 0)):
        caplog.clear()
        list(firth.corpus.stream_tokens(sources, Reading(tokens=tokens)))
        assert caplog.text.count("--tokens icu") == said
    caplog.clear()
    list(
        firth.corpus.stream_tokens(
            firth.corpus.find_sources([text_file("plain words 茶\n")]), Reading()
        )
    )
    assert not caplog.text


def test_nothing_is_said_about_text_that_is_read_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "a.txt"
    path.write_text(textwrap.fill(PROSE * 20, 72) + "\n")
    Corpus.from_files(path, split="paragraphs")
    path.write_text(PROSE * 20)
    Corpus.from_files(path)
    assert not caplog.text
