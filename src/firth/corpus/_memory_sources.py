"""Texts in memory as sources: tokenised sentences, and records."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from firth.corpus._blocks import Block, record_blocks
from firth.corpus._reading import Reading, encode_given
from firth.corpus._sources import Source
from firth.errors import ParameterError

__all__ = ["RecordSource", "SentenceSource"]


class SentenceSource(Source):
    """Tokenised sentences in memory."""

    def __init__(self, sentences: Iterable[Sequence[str]]) -> None:
        super().__init__("sentences", "sentences", None)
        self._sentences = sentences

    def blocks(self, reading: Reading) -> Iterator[Block]:  # noqa: ARG002
        yield from record_blocks(enumerate(map(self._encode, self._sentences)), given=True)

    def _encode(self, sentence: Sequence[str]) -> bytes:
        self.extent += 1
        if isinstance(sentence, str):
            raise ParameterError(
                "A sentence must be a list of words, not one string.", 'Try "...".split()'
            )
        if not isinstance(sentence, Iterable):
            kind = type(sentence).__name__
            raise ParameterError(f"A sentence must be a list of words. Got {kind}.")
        for word in sentence:
            if not isinstance(word, str) or not word:
                raise ParameterError(f"Every word must be a non-empty str. Got {word!r}.")
        try:
            return encode_given(sentence)
        except UnicodeEncodeError:
            raise ParameterError(
                f"A word of sentence {self.extent} is not valid Unicode (lone surrogate)."
            ) from None


class RecordSource(Source):
    """Texts in memory, a document each, with what is known about them."""

    def __init__(self, records: Iterable[tuple[str | None, Mapping[str, Any]]]) -> None:
        super().__init__("texts", "records", None)
        self._records, self._hash, self._known_hash = records, hashlib.sha256(), hashlib.sha256()
        self._known: list[Mapping[str, Any]] = []

    def blocks(self, reading: Reading) -> Iterator[Block]:  # noqa: ARG002
        yield from record_blocks(self._texts())

    def _texts(self) -> Iterator[tuple[int, str]]:
        for text, known in self._records:
            self._known.append(known)
            self._known_hash.update(f"{sorted(known.items())}\n".encode(errors="replace"))
            self.extent += 1
            if text is None:
                continue
            if not isinstance(text, str):
                raise ParameterError(
                    f"Every text must be a str. Text {self.extent:,} is {type(text).__name__}.",
                    "None stands for a text that is missing.",
                )
            self._hash.update(text.encode(errors="replace") + b"\xff")
            yield self.extent - 1, text
        self.sha256 = self._hash.hexdigest()

    def known(self, errors: str) -> Iterator[tuple[int, Mapping[str, Any]]]:  # noqa: ARG002
        return enumerate(self._known)

    def checksum_of_known(self) -> str:
        """The checksum of what is known about the texts that have been read."""
        return self._known_hash.hexdigest()
