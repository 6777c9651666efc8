"""Named entities in streams of text, or of columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from firth.corpus import Reading, find_sources, stream_tokens
from firth.formats import Entity, Sentence, labels_of
from firth.ner._places import Place, PlacedSource, text_of
from firth.ner._recogniser import EntityRecogniser

__all__ = ["RecognisedSentence", "label_columns", "recognise_texts"]

WORDS_AT_A_TIME = 5000
"""Long texts are tagged in blocks of at least this many words: entities help each other so far."""


class RecognisedSentence(NamedTuple):
    """A sentence of a text and its named entities.

    Attributes
    ----------
    file : str
        The file, or ``-`` for standard input.
    words : list of str
    entities : list of Entity
    places : list of Place
        The positions of the words in the file; empty if they were not asked for, and for tables.
    """

    file: str
    words: list[str]
    entities: list[Entity]
    places: list[Place]

    def inline(self) -> str:
        """The words, with brackets around entities: ``[PER Anna Berg] sleeps``."""
        marked = list(self.words)
        for start, end, type_ in self.entities:
            marked[start] = f"[{type_} {marked[start]}"
            marked[end - 1] += "]"
        return " ".join(marked)

    def columns(self, scheme: str) -> str:
        """A word and its label on each line, and an empty line."""
        labels = labels_of(self.entities, len(self.words), scheme)
        return "".join(f"{w}\t{y}\n" for w, y in zip(self.words, labels, strict=True)) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """File, line, words and entities with their positions, for JSON."""
        return {
            "file": self.file,
            "line": self.places[0].line if self.places else None,
            "words": self.words,
            "names": [
                {"type": type_, "start": start, "end": end, **self._where(start, end)}
                for start, end, type_ in self.entities
            ],
        }

    def _where(self, start: int, end: int) -> dict[str, Any]:
        """The text of an entity as it is in the file, and its position."""
        if not self.places:
            return {"text": " ".join(self.words[start:end]), "line": None, "chars": None}
        text, first = text_of(self.places[start:end]), self.places[start]
        return {"text": text, "line": first.line, "chars": [first.start, first.start + len(text)]}


def recognise_texts(
    recogniser: EntityRecogniser,
    texts: Iterable[str | Path],
    reading: Reading,
    places: bool = False,
) -> Iterator[list[RecognisedSentence]]:
    """Find the named entities in texts of any size.

    Parameters
    ----------
    recogniser : EntityRecogniser
    texts : iterable of str or Path
        Files, folders, patterns, network addresses, or ``-`` for standard input. Each file is one
        document; long ones are tagged in blocks of about 5,000 words.
    reading : Reading
        How text is split into tokens and sentences.
    places : bool
        Whether to find the positions of words in plain text.

    Yields
    ------
    list of RecognisedSentence
        The sentences of a block.
    """
    for found in find_sources(list(texts), reading.column):
        source = PlacedSource(found, places)
        file = "-" if source.path is None else source.name
        for block in _blocks(source, reading):
            entities = recogniser.entities([words for words, _ in block])
            yield [
                RecognisedSentence(file, words, of_one, where)
                for (words, where), of_one in zip(block, entities, strict=True)
            ]


def _blocks(
    source: PlacedSource, reading: Reading
) -> Iterator[list[tuple[list[str], list[Place]]]]:
    """The words of sentences and their positions, in blocks of some thousand words."""
    block: list[tuple[list[str], list[Place]]] = []
    words: list[str] = []
    places: list[Place] = []
    n_words = 0
    for some, ends in stream_tokens([source], reading):
        words += some
        places += source.places(len(some))
        n_words += len(some)
        if words and (ends or len(words) > WORDS_AT_A_TIME):
            block.append((words, places))
            words, places = [], []
        if n_words >= WORDS_AT_A_TIME:
            yield block
            block, n_words = [], 0
    if words:
        block.append((words, places))
    if block:
        yield block


def label_columns(
    recogniser: EntityRecogniser, documents: Iterable[list[Sentence]], scheme: str
) -> Iterator[list[str]]:
    """Add a column of labels to columns.

    Parameters
    ----------
    recogniser : EntityRecogniser
    documents : iterable of list of Sentence
        As ``firth.formats.read_columns`` reads them.
    scheme : {"iob1", "iob2", "iobes", "bilou"}
        The labelling scheme.

    Yields
    ------
    list of str
        The lines of a document.
    """
    for document in documents:
        labels = recogniser.tag([sentence.words for sentence in document], scheme)
        yield [
            line
            for sentence, of_one in zip(document, labels, strict=True)
            for line in sentence.lines_with(of_one)
        ]
