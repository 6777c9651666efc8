"""CoNLL-U, the format of the Universal Dependencies treebanks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from firth.errors import InputError

__all__ = ["conllu_sentences"]


def conllu_sentences(
    lines: Iterable[tuple[int, str]], name: str
) -> Iterator[tuple[int, list[str]]]:
    """The words of each sentence, with the place of its first line.

    Multiword tokens (``1-2``) and empty nodes (``8.1``) are passed over, so the words are the
    syntactic words.

    Parameters
    ----------
    lines : iterable of (int, str)
        The place of each line, and the line without its end.
    name : str
        The name of the file, for messages.
    """
    words: list[str] = []
    first = -1
    for count, (place, line) in enumerate(lines, 1):
        if not line.strip():
            if words:
                yield first, words
            words, first = [], -1
            continue
        if first < 0:
            first = place
        if line.startswith("#"):
            continue
        columns = line.split("\t")
        if len(columns) != 10:
            raise InputError(
                f"{name}, line {count}: a word of a CoNLL-U file has 10 columns between tabs; "
                f"this one has {len(columns)}.",
                "If this is not CoNLL-U, give the file another suffix than .conllu.",
            )
        number, form = columns[0], columns[1]
        if number.isdecimal():
            if not form:
                raise InputError(f"{name}, line {count}: the FORM column is empty.")
            words.append(form)
        elif not all(piece.isdecimal() for piece in number.replace("-", ".", 1).split(".", 1)):
            raise InputError(f"{name}, line {count}: {number[:40]!r} is no word number of CoNLL-U.")
    if words:
        yield first, words
