"""Checks of labelled text: documents of sentences of words and labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, groupby
from operator import itemgetter

from firth.errors import InputError
from firth.formats import LabelledText, entities
from firth.ner._spelling import has_capital
from firth.progress import count_of, notice

__all__ = [
    "Document",
    "check_there_are_words",
    "checked_documents",
    "checked_words",
    "is_cased",
    "is_text",
    "notice_unknown",
    "stretches",
]

Document = Sequence[tuple[Sequence[str], Sequence[str]]]
"""Sentences, each (words, labels)."""
STRETCH = 1000
"""Long documents are cut into stretches of about this many words for training."""


def checked_documents(text: LabelledText | Iterable[Document]) -> list[Document]:
    """The documents of labelled text, if they are valid."""
    documents = text.documents if isinstance(text, LabelledText) else text
    return [[_checked_sentence(sentence) for sentence in document] for document in documents]


def stretches(document: Document) -> list[Document]:
    """A document in stretches of about 1,000 words, cut between sentences; a short one is kept whole.

    >>> text = [(["word"] * 400, ["O"] * 400)] * 6
    >>> [len(stretch) for stretch in stretches(text)]
    [3, 3]
    """
    sentences = [sentence for sentence in document if sentence[0]]
    *starts, n_words = accumulate((len(words) for words, _ in sentences), initial=0)
    n = round(n_words / STRETCH)
    if n < 2:
        return [document]
    numbers = (start * n // n_words for start in starts)
    by_number = groupby(zip(numbers, sentences, strict=True), itemgetter(0))
    return [[sentence for _, sentence in of_one] for _, of_one in by_number]


def check_there_are_words(documents: list[Document]) -> None:
    """Raise InputError if there is nothing to train on."""
    if not any(words for document in documents for words, _ in document):
        what = "All documents are empty." if documents else "No documents were given."
        raise InputError(
            f"There are no words to train on. {what}",
            "Give a list of documents, each a list of sentences (words, labels); "
            "firth.formats.read_labelled reads them from a file.",
        )


def is_cased(documents: list[Document]) -> bool:
    """Whether at least half of the words in named entities are capitalised."""
    capital = [
        has_capital(word)
        for document in documents
        for words, labels in document
        for word, label in zip(words, labels, strict=True)
        if label != "O"
    ]
    return 2 * sum(capital) >= len(capital)


def notice_unknown(known: list[str], dev: list[Document]) -> None:
    """Print a notice if the development data has types that cannot be predicted."""
    there = {e.type for document in dev for _, labels in document for e in entities(labels)}
    if unknown := sorted(there.difference(known)):
        notice(f"Entity types that only the development data has: {', '.join(unknown)}.")


def _checked_sentence(
    sentence: tuple[Sequence[str], Sequence[str]],
) -> tuple[Sequence[str], Sequence[str]]:
    if len(sentence) != 2 or isinstance(sentence[0], str):
        raise InputError(
            "A document must be a list of sentences, and a sentence (words, labels).",
            "firth.formats.read_labelled reads such documents from a file.",
        )
    words, labels = checked_words(sentence[0]), sentence[1]
    if len(words) != len(labels):
        raise InputError(
            f"The sentence that starts with {' '.join(words[:5])!r} has "
            f"{count_of(len(words), 'word')} and {count_of(len(labels), 'label')}.",
            "Each word needs a label.",
        )
    return words, labels


def checked_words(words: Iterable[str]) -> list[str]:
    """The words of a sentence, if they are valid."""
    if isinstance(words, str):
        raise InputError(
            f"A sentence must be a list of words, not text: {words[:40]!r}.",
            "Give a list of words for each sentence.",
        )
    sentence = list(words)
    for word in sentence:
        if not isinstance(word, str) or not word:
            raise InputError(
                f"Not a word: {word!r}.", "A sentence is a list of words, none of them empty."
            )
    return sentence


def is_text(word: str) -> bool:
    """Whether a word can be encoded: a lone surrogate, which Python allows, cannot."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True
