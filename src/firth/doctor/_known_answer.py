"""A small text from which everything is learned, and what must come of it on every machine."""

from __future__ import annotations

import hashlib
from itertools import product
from pathlib import Path
from typing import Any

from firth.pipeline import learn
from firth.progress import silently
from firth.store import TemporaryFolder, write_text

__all__ = ["differences"]

DETERMINERS, ANIMALS, VERBS = "the a this", "cat dog horse cow", "saw heard met"
PREPOSITIONS, PLACES = "on under behind", "house tree river"
KNOWN = {
    "tokens": "b60382e9312d8f3e",
    "counts": "31237866e69019a0",
    "classes": "5dc3613846c17cca",
}
"""Checksums of what is the same on every machine."""


def text() -> str:
    """Sentences of a small language: every animal does everything to every other one."""
    words = [group.split() for group in (DETERMINERS, ANIMALS, VERBS, PREPOSITIONS, PLACES)]
    lines = []
    for i, (a, animal, verb, b, other) in enumerate(
        product(words[0], words[1], words[2], words[0], words[1])
    ):
        k = i * 37 % 101  # without a pattern
        place = f" {words[3][k % 3]} {words[0][k % 2]} {words[4][k // 3 % 3]}" if k % 5 else ""
        lines.append(f"{a} {animal} {verb} {b} {other}{place} .\n")
    return "".join(lines)


def differences() -> list[str]:
    """Learn from the text; returns what is not as it must be."""
    with silently(notices=False), TemporaryFolder() as folder:
        source = Path(folder.path) / "text.txt"
        write_text(source, text())
        model = learn(
            source, Path(folder.path) / "model", min_count=1, classes=6, dim=8, tags=6, threads=2
        )
        wrong = [name for name, found in checksums(model).items() if found != KNOWN[name]]
        near = {found.word for found in model.vectors.most_similar("cat", n=3)}
        if near != set(ANIMALS.split()) - {"cat"}:
            wrong.append("word vectors")
        if len(list(model.corpus.find("horse", 3, 20))) != 3:
            wrong.append("concordance")
        if len({tags[0] for tags in model.tags.tag([word] for word in ANIMALS.split())}) != 1:
            wrong.append("tags")
    return wrong


def checksums(model: Any) -> dict[str, str]:
    """Checksums of the tokens, the counts and the classes of a model."""
    paths = sorted(
        f"{path} {member.word}"
        for path in model.classes.paths
        for member in model.classes.members(path)
    )
    found = {
        "tokens": " ".join(model.corpus.words_between(0, model.corpus.n_tokens)),
        "counts": " ".join(map(str, sorted(model.counts.matrix.data.tolist()))),
        "classes": "\n".join(paths),
    }
    return {name: hashlib.sha256(value.encode()).hexdigest()[:16] for name, value in found.items()}
