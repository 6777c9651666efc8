"""What the commands of firth grammar share."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from firth.cli import _shared as shared
from firth.cli._opening import open_part

TextOrInput = Annotated[
    str | None,
    typer.Argument(
        metavar="[TEXT]", show_default=False, help="A file, or - for standard input, which is the default."
    ),
]  # fmt: skip
Tokens = Annotated[
    str | None,
    shared.optional(
        "--tokens", "words|whitespace|characters", "What a token of text is; words by default. Whitespace: cut already."
    ),
]  # fmt: skip

_BRACKETS = dict(zip("-LRB- -RRB- -LSB- -RSB- -LCB- -RCB-".split(), "()[]{}", strict=True))
_TREE = re.compile(r"\s*\(\s*(\(\s*)?[^\s()]+\s*(\(|$)")


class Sentence(NamedTuple):
    """Words, and their tags where they are given."""

    words: list[str]
    tags: list[str] | None


def open_grammar(model: str) -> Any:
    """The grammar of a model."""
    return open_part(model, "grammar", "grammar", "TREES")


def check_file(name: str, what: str) -> Path:
    """The path of a file that must be there."""
    path = Path(name)
    if path.is_dir():
        shared.fail(f"{name} is a folder.", f"Give {what}.")
    if not path.exists():
        shared.fail(f"There is no file {name}.", f"Give {what}.")
    return path


def name_of(text: str | None) -> str:
    """What a text is called in messages."""
    return "standard input" if text in (None, "-") else str(text)


def lines_of(text: str | None) -> Iterator[tuple[int, str]]:
    """Numbered lines of a file, or of standard input as they come."""
    from firth.formats import kind_of, text_lines

    if text is None or text == "-":
        return _lines_of_input()
    path = check_file(text, "text with a sentence on each line")
    if kind_of(text) != "text":
        shared.fail(f"{text} is not plain text.", "Give text with a sentence on each line.")
    return text_lines(path)


def _lines_of_input() -> Iterator[tuple[int, str]]:
    """Standard input in UTF-8, whatever the terminal speaks."""
    from firth.errors import InputError
    from firth.formats import describe_binary

    for number, line in enumerate(sys.stdin.buffer, 1):
        binary = describe_binary(line) if number == 1 else None
        if binary:
            raise InputError(f"Standard input is {binary[0]}, not text.", binary[1])
        try:
            yield number, line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            raise InputError(
                f"Line {number} of standard input is not in UTF-8.",
                "Convert the text first, as iconv does.",
            ) from None


def sentences_of(line: str, tokens: str, split: str = "lines") -> list[Sentence]:
    """The sentences of a line: none, one, or several."""
    from firth.corpus import tokenise

    return [
        Sentence([_BRACKETS.get(w, w) for w in ws], None) for ws in tokenise(line, tokens, split)
    ]


def tagged_sentences_of(line: str, number: int, name: str) -> list[Sentence]:
    """The sentence of a line of words and tags, if it has any; the last slash is before the tag."""
    from firth.errors import InputError

    words, tags = [], []
    for token in line.split():
        word, _, tag = token.rpartition("/")
        if not word or not tag:
            raise InputError(
                f"{name}, line {number}: {token[:40]!r} is not a word and a tag.",
                "Write them as word/TAG, or leave out --tagged.",
            )
        words.append(_BRACKETS.get(word, word))
        tags.append(tag)
    return [Sentence(words, tags)] if words else []


def looks_like_tree(line: str) -> bool:
    """Whether a line seems to be, or to begin, a tree in brackets.

    >>> looks_like_tree("(S (NP (N cats)))"), looks_like_tree("( (S"), looks_like_tree("(He left.)")
    (True, True, False)
    """
    return _TREE.match(line) is not None


def figure(log_prob: float) -> str:
    return f"{log_prob:.4f}"


def finite(log_prob: float) -> float | None:
    """JSON has no word for minus infinity."""
    return log_prob if log_prob > float("-inf") else None
