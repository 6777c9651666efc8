"""What the commands of firth tags share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli import _shared as shared
from firth.cli._opening import open_part

Decode = Annotated[
    str | None,
    shared.optional(
        "--decode",
        "type|posterior|viterbi",
        "Tags by the word alone, by place, or by sentence; by default as suits the method.",
    ),
]
Tags = Annotated[
    int | None,
    typer.Option("--tags", metavar="N", min=1, help="How many tags; 12 by default.", show_default=False),
]  # fmt: skip


def open_tags(model: str) -> Any:
    """The tagger of a model."""
    return open_part(model, "tags", "tags")


def tagged_file(name: str) -> Path:
    """The path of a file with tagged text, which must be there."""
    path = Path(name)
    if not path.is_file() or name == "-":
        what = f"{name} is a folder." if path.is_dir() else f"There is no file {name}."
        if name == "-":
            what = "Tagged text cannot be read from standard input."
        shared.fail(what, "Give a file in CoNLL-U, or with a word and a tag on each line.")
    return path


def padded(text: str, width: int) -> str:
    """Text with blanks up to a width; some letters are two columns wide."""
    return text + " " * (width - width_of(text))


def width_of(text: str) -> int:
    """How many columns of a terminal a text takes, as it is printed."""
    from rich.cells import cell_len

    return cell_len(shared.printable(text))


def tag_facts(tagger: Any, n: int) -> list[dict[str, Any]]:
    """The tags of a tagger as data: name, share, anchor, typical words, and what follows."""
    hmm = tagger.hmm_
    return [
        {
            "tag": k,
            "name": name,
            "share": float(tagger.prior_[k]),
            "anchor": tagger.anchors_[k] if tagger.anchors_ else None,
            "first": float(hmm.initial[k]),
            "words": [
                {"word": found.word, "count": found.count, "share": found.share}
                for found in tagger.typical(k, n)
            ],
            "followed_by": {
                other: float(p) for other, p in zip(tagger.tags_, hmm.transition[k], strict=True)
            },
        }
        for k, name in enumerate(tagger.tags_)
    ]
