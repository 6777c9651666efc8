"""Tags against a gold standard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from firth.corpus import check_words
from firth.evaluate import TWELVE_TAGS, confusion, matching
from firth.formats import Framed
from firth.tags._tagger import Tagger

__all__ = ["TagScores", "evaluate_tags"]

_NAMED = 0.9
"""If more of the tags found than this share are names of labels, accuracy is reported."""


class TagScores(dict[str, Any], Framed):
    """Figures by name; as a frame, how many words of each tag have which label."""

    _columns = ("tag", "label", "n")

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each tag and label that occur together, as plain data."""
        for label, counts in zip(self["labels"], self["confusion"], strict=True):
            for tag, n in zip(self["tags"], counts, strict=True):
                if n:
                    yield {"tag": tag, "label": label, "n": n}


def evaluate_tags(
    tagger: Tagger,
    sentences: Sequence[Sequence[tuple[str, str]]],
    decode: str | None = None,
    twelve: bool = False,
) -> TagScores:
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
    TagScores
        A dictionary: many-to-one and one-to-one accuracy, V-measure, sizes, the confusion matrix, and accuracy if the
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
    return TagScores(
        **matching(right, found).to_dict(),
        n_outside=len(right) - known,
        accuracy=accuracy,
        labels=labels,
        tags=tags,
        confusion=counts.tolist(),
    )
