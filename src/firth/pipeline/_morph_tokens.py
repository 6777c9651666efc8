"""The morphology of a model whose tokens are morphs: learned before its corpus is divided."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firth.corpus import Reading, Vocabulary
from firth.errors import ModelError
from firth.model import Model
from firth.morphs import MOST_WORDS
from firth.parts import is_current
from firth.pipeline._correcting import corrections_of, identity_of
from firth.pipeline._making import make_part, opened, saved
from firth.store import Part, Writer

if TYPE_CHECKING:
    from firth.morphs import Splitter

__all__ = ["check_same_splits", "divider", "morphs_of"]


def morphs_of(writer: Writer, reading: Reading) -> dict[str, str]:
    """What the manifest tells about the morphology that a corpus of morphs was divided with.

    It is empty for other corpora, and if the morphology is missing or damaged.
    """
    part = writer.parts.get("morphs") if reading.tokens == "morphs" else None
    if part is None or not is_current(writer, "morphs", part.parameters, part.made_from):
        return {}
    return {"morphs": part.content, **identity_of(corrections_of(writer))}


def divider(writer: Writer, words: Vocabulary) -> Splitter:
    """What divides the words of a text: the morphology of the model.

    If it was not learned from a list of words, it is one of the words of this text; it is learned unless
    that was done before. Corrections are respected.
    """
    corrections = corrections_of(writer)
    if not _is_given(writer.parts.get("morphs")):
        from firth.morphs import Morphology  # late: scikit-learn takes a second to import

        some, morphology = words.first(MOST_WORDS), Morphology()

        def make(folder: Path) -> Mapping[str, Any]:
            return saved(morphology.fit(some, corrections), folder)

        made_from = {"words": _checksum(some), **identity_of(corrections)}
        make_part(writer, "morphs", morphology.parameters(), made_from, make)
    splitter: Splitter = opened(writer, "morphs")
    return splitter.corrected(corrections)


def check_same_splits(writer: Writer, other: Model) -> None:
    """Raise ModelError if the tokens of two models are not divided in the same way."""
    ours, theirs = writer.parts["corpus"], other.parts["corpus"]
    if _phrases(ours) != _phrases(theirs):
        raise ModelError(
            f"{writer.path} and {other.path} do not have the same phrases as tokens.",
            "Read both with --phrases and the same file, or both without.",
        )
    if ours.made_from.get("morphs") != theirs.made_from.get("morphs"):
        raise ModelError(
            f"{writer.path} and {other.path} do not have the same tokens: words, or morphs with other splits.",
            "Give both models a morphology from the same list of words, firth morphs learn WORDS -o MODEL, "
            "and then read their text with --tokens morphs.",
        )


def _phrases(corpus: Part) -> Any:
    """How the phrases of a corpus were found; those of two texts are the same if a file has them."""
    found = corpus.made_from.get("phrases")
    return corpus.content if isinstance(found, dict) and "sha256" not in found else found


def _is_given(morphs: Part | None) -> bool:
    """Whether a morphology was learned from something else than the text of the model."""
    return morphs is not None and not {"corpus", "words"} & set(morphs.made_from)


def _checksum(words: Vocabulary) -> str:
    found = hashlib.sha256()
    for word in words:
        found.update(word.encode() + b"\xff")  # a byte that UTF-8 does not use
    return found.hexdigest()
