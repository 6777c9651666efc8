"""A small model with all parts that other libraries can use."""

from __future__ import annotations

from pathlib import Path

import firth

SENTENCES = [
    "Anna Berg sees the old dog in Oslo", "the cat sees Otto Dahl", "a bird hears a cat 12 times",
    "Otto Dahl hears the old bird in Rome",
]  # fmt: skip
LABELS = [
    ["B-PER", "I-PER", "O", "O", "O", "O", "O", "B-LOC"], ["O", "O", "O", "B-PER", "I-PER"], ["O"] * 7,
    ["B-PER", "I-PER", "O", "O", "O", "O", "O", "B-LOC"],
]  # fmt: skip
TREES = """
(S (NP (D the) (N cat)) (VP (V sees) (NP (D a) (N dog))))
(S (NP (D a) (N bird)) (VP (V hears) (NP (D the) (N cat))))
(S (NP (N Anna)) (VP (V sleeps)))
(S (NP (D the) (N dog)) (VP (V sees) (NP (N Anna))))
"""


def make_model(folder: Path) -> Path:
    """Train all parts, with lower case and digits as zeros; returns the model folder."""
    text, path = folder / "text.txt", folder / "model"
    text.write_text("\n".join(SENTENCES * 20), encoding="utf-8")
    firth.learn(text, path, classes=8, tags=4, dim=3, min_count=1, lowercase=True, digits="zero")
    words = [sentence.split() for sentence in SENTENCES]
    firth.EntityTagger(seed=1).fit([list(zip(words, LABELS, strict=True))] * 2).write(path)
    firth.LPCFG(n_states=1).fit(list(firth.parse_trees(TREES)) * 10).write(path)
    return path
