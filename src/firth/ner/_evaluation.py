"""Named entities against a gold standard."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from firth.errors import InputError
from firth.evaluate import EntityResult, evaluate_entities
from firth.formats import LabelledText, convert_labels, read_labelled
from firth.ner._recogniser import EntityRecogniser

__all__ = ["evaluate_columns", "evaluate_recogniser"]


def evaluate_recogniser(recogniser: EntityRecogniser, text: LabelledText) -> EntityResult:
    """Compare the entities that a recogniser finds with those of labelled text.

    Parameters
    ----------
    recogniser : EntityRecogniser
    text : LabelledText
        As ``firth.formats.read_labelled`` reads it.
    """
    gold = [labels for _, labels in text.sentences]
    found = [
        labels
        for document in text.documents
        for labels in recogniser.tag([words for words, _ in document], text.scheme)
    ]
    return evaluate_entities(gold, found)


def evaluate_columns(
    source: str | Path | Sequence[tuple[int, str]], name: str = "the input"
) -> EntityResult:
    """Compare the last two columns of a file: gold labels and predicted labels.

    Parameters
    ----------
    source : str, Path or sequence of (int, str)
        A file, or numbered lines.
    name : str
        What error messages call lines that do not come from a file.
    """
    try:
        found, gold = (read_labelled(source, column, name) for column in (-1, -2))
    except InputError as error:
        hint = "Without a model, the last two columns must be gold labels and predicted labels."
        raise InputError(error.message, hint) from None
    predicted = [labels for _, labels in found.sentences]
    if found.scheme != gold.scheme:
        predicted = [convert_labels(labels, None, gold.scheme) for labels in predicted]
    return evaluate_entities([labels for _, labels in gold.sentences], predicted)
