"""Tags against a gold standard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from firth.corpus import check_words
from firth.evaluate import TWELVE_TAGS, confusion, matching
from firth.tags._tagger import Tagger

__all__ = ["evaluate_tags"]

_NAMED = 0.9
"""If more of the tags found than this share are names of labels, accuracy is reported."""


def evaluate_tags(
    tagger: Tagger,
    sentences: Sequence[Sequence[tuple[str, str]]],
    decode: str | None = None,
    twelve: bool = False,
) -> dict[str, Any]:
    """Compare the tags of a tagger with those of tagged sentences.

    Parameters
    ----------
    tagger : Tagger
    sentences : sequence of sequences of (word, label)
        As ``firth.formats.read_tagged`` reads them.
    decode : {"type", "posterior", "viterbi"}, optional
        By default that of the tagger.
    twelve : bool
        Whether the 17 tags of Universal Dependencies are mapped to the 12 universal tags.

    Returns
    -------
    dict
        Many-to-one and one-to-one accuracy, V-measure, sizes, the confusion matrix, and accuracy if the
        tags have the names of labels.
    """
    check_words(tagger.reading.tokens, "The tags", "compared with tags of words")
    right = [label for sentence in sentences for _, label in sentence]
    words = [[word for word, _ in sentence] for sentence in sentences]
    found = [tag for tags in tagger.tag(words, decode) for tag in tags]
    named = found
    if twelve:
        right, named = ([TWELVE_TAGS.get(tag, tag) for tag in tags] for tags in (right, found))
    known = sum(word in tagger.vocabulary_ for sentence in words for word in sentence)
    labels, tags, counts = confusion(right, found)
    accuracy = None
    if sum(tag in labels for tag in named) > _NAMED * len(named):
        accuracy = sum(a == b for a, b in zip(right, named, strict=True)) / len(right)
    return {
        **matching(right, found).to_dict(),
        "n_outside": len(right) - known,
        "accuracy": accuracy,
        "labels": labels,
        "tags": tags,
        "confusion": counts.tolist(),
    }
