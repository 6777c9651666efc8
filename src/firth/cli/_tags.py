"""What the commands of firth tags share."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from firth.cli import _shared as shared

Decode = Annotated[
    str | None,
    shared.optional(
        "--decode",
        "type|posterior|viterbi",
        "Tags by the word alone, by place, or by sentence; as learned by default.",
    ),
]
Tags = Annotated[
    int | None,
    typer.Option("--tags", metavar="N", min=1, help="How many tags; 12 by default.", show_default=False),
]  # fmt: skip


def open_tags(model: str) -> Any:
    """The tagger of a model."""
    from firth.model import load

    opened = load(model)
    if "tags" not in opened:
        hint = "TEXT -o " if "corpus" not in opened else ""
        shared.fail(
            f"The model {model} has no tags.", f"Learn some: firth tags learn {hint}{model}"
        )
    return opened.tags


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
