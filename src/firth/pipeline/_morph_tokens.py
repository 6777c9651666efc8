"""The morphology of a model whose tokens are morphs: learned before its corpus is divided."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from firth.corpus import Reading, Vocabulary
from firth.morphs import Splitter
from firth.parts import is_current
from firth.pipeline._making import make_part, opened, saved
from firth.store import Part, Writer

__all__ = ["MOST_WORDS", "divider", "morphs_of"]

MOST_WORDS = 1_000_000
"""A morphology is learned from the most frequent words of a text, at most so many."""


def morphs_of(writer: Writer, reading: Reading) -> dict[str, str]:
    """What the manifest tells about the morphology that a corpus of morphs was divided with.

    It is empty for other corpora, and if the morphology is missing or damaged.
    """
    part = writer.parts.get("morphs") if reading.tokens == "morphs" else None
    if part is None or not is_current(writer, "morphs", part.parameters, part.made_from):
        return {}
    return {"morphs": part.content}


def divider(writer: Writer, words: Vocabulary) -> Splitter:
    """What divides the words of a text: the morphology of the model.

    If it was not learned from a list of words, it is one of the words of this text; it is learned unless
    that was done before.
    """
    if not _is_given(writer.parts.get("morphs")):
        from firth.morphs import Morphology  # late: scikit-learn takes a second to import

        some = Vocabulary(words.words[:MOST_WORDS], words.counts[:MOST_WORDS])
        morphology = Morphology()

        def make(folder: Path) -> Mapping[str, Any]:
            return saved(morphology.fit(some), folder)

        make_part(writer, "morphs", morphology.parameters(), {"words": _checksum(some)}, make)
    splitter: Splitter = opened(writer, "morphs")
    return splitter


def _is_given(morphs: Part | None) -> bool:
    """Whether a morphology was learned from something else than the text of the model."""
    return morphs is not None and not {"corpus", "words"} & set(morphs.made_from)


def _checksum(words: Vocabulary) -> str:
    found = hashlib.sha256()
    for word in words:
        found.update(word.encode() + b"\xff")  # a byte that UTF-8 does not use
    return found.hexdigest()
