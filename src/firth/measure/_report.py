"""A report on a text: what it is large enough for."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firth import progress
from firth.compute import Engine, engine_for
from firth.corpus import Corpus
from firth.errors import FirthError
from firth.measure._stability import BANDS, Band, agreement, halves, similarity_bands
from firth.store import Part, write_text
from firth.vectors import WordVectors

__all__ = ["Report", "measure_text"]

_FILE = "report.json"
_MOST_TOKENS = 1_000_000
"""Of a longer text, so many tokens are taken."""
_CLASSES, _DIM = 32, 20
"""The same for texts of all sizes, so that figures can be compared; more dimensions are less stable."""
_LIMITS = {
    "classes": (0.2, 0.4),
    "meaning": (0.35, 0.5),
    "grammar": (0.5, 0.65),
}
"""From which stability on something is coarse, and usable; see ``experiments/text_report.py``."""
_TAGGED = (5_000, 20_000)
"""From how many tokens on tags are coarse, and usable, if halves of the text have anything in common."""
_WORDS = ("weak", "coarse", "usable")


@dataclass(frozen=True)
class Report:
    """What a text is large enough for, by comparing what two halves of it give.

    Attributes
    ----------
    tokens : int
        The number of tokens of both halves.
    whole : bool
        Whether that is the whole text.
    classes : float or None
        The agreement of the classes of the halves: adjusted mutual information. None if the text is too small.
    meaning, grammar : list of Band
        How stable similarities by word vectors are, by frequency: the rank correlation of the similarities
        of a word. Empty if the text is too small.
    """

    tokens: int
    whole: bool
    classes: float | None
    meaning: list[Band]
    grammar: list[Band]

    def verdict(self, name: str) -> str:
        """What tags or classes of this text are: weak, coarse or usable.

        Tags depend on the size of the text; they are weak if grammar is an accident of a half.
        """
        if name != "tags":
            return _verdict(name, getattr(self, name))
        if not any(band.stability >= _LIMITS["grammar"][0] for band in self.grammar):
            return _WORDS[0]
        return _WORDS[sum(self.tokens >= limit for limit in _TAGGED)]

    def from_count(self, name: str, word: str) -> int | None:
        """From which number of occurrences on vectors are at least coarse, or usable; None if never."""
        wanted, found = _WORDS.index(word), None
        for band in sorted(getattr(self, name), reverse=True):
            if _WORDS.index(_verdict(name, band.stability)) < wanted:
                break
            found = band.least
        return found

    @classmethod
    def load(cls, part: Part) -> Report:
        """Read the report of a model."""
        row = [[int | float]]
        found = part.json(
            _FILE,
            {"tokens": int, "whole": bool, "classes": float | int | None, "meaning": row, "grammar": row},
        )  # fmt: skip
        rows = [*found["meaning"], *found["grammar"]]
        part.require(
            found["tokens"] >= 0
            and all(len(row) == 3 and row[0] in BANDS and row[1] >= 1 for row in rows)
            and all(_is_share(x) for x in [*(row[2] for row in rows), found["classes"]]),
            f"{_FILE} is not a report",
        )
        bands = {name: [Band(*row) for row in found[name]] for name in ("meaning", "grammar")}
        return cls(found["tokens"], found["whole"], found["classes"], **bands)

    def save(self, folder: Path) -> None:
        """Write the file of a part."""
        write_text(folder / _FILE, json.dumps(self.describe(), indent=1))

    def describe(self) -> dict[str, Any]:
        """All figures."""
        return {
            "tokens": self.tokens, "whole": self.whole, "classes": self.classes,
            "meaning": [list(band) for band in self.meaning], "grammar": [list(band) for band in self.grammar],
        }  # fmt: skip

    def summary(self) -> tuple[str, list[str]]:
        """Tags and classes in words."""
        return f"tags {self.verdict('tags')}, classes {self.verdict('classes')}", []


def _is_share(value: Any) -> bool:
    return value is None or -1.01 <= value <= 1.01


def _verdict(name: str, stability: float | None) -> str:
    if stability is None:
        return _WORDS[0]
    return _WORDS[sum(stability >= limit for limit in _LIMITS[name])]


def measure_text(corpus: Corpus, threads: int | Engine | None = None) -> Report:
    """Compare what two halves of a text give: classes, and similar words.

    A text of more than a million tokens is sampled.

    Examples
    --------
    >>> import firth
    >>> report = measure_text(firth.Corpus.from_sentences([["a", "rose", "is", "a", "rose"]]))
    >>> report.classes, report.verdict("tags")
    (None, 'weak')
    """
    engine = engine_for("measure_text", threads)
    n = corpus.n_tokens
    with progress.stage("comparing halves of the text", 4, "steps", brief=1.0) as stage:
        parts: Sequence[Corpus] = ()
        with suppress(FirthError), progress.silently(notices=False):
            parts = halves(corpus, _MOST_TOKENS)
        stage.advance(1)

        def compared(learn: Callable[[Corpus, Engine], Any]) -> Any:
            """What is learned from each half; None if there is too little text."""
            progress.check_interrupted()
            try:
                with progress.silently():
                    return [learn(half, engine) for half in parts] or None
            except FirthError:
                return None
            finally:
                stage.advance(1)

        classes, meaning, grammar = compared(_classes), compared(_meaning), compared(_grammar)
        return Report(
            min(n, _MOST_TOKENS),
            n <= _MOST_TOKENS,
            classes and agreement(classes[0], classes[1]),
            similarity_bands(*meaning) if meaning else [],
            similarity_bands(*grammar) if grammar else [],
        )


def _classes(half: Corpus, engine: Engine) -> dict[str, int]:
    from firth.classes import BrownClasses

    found = BrownClasses(n_classes=_CLASSES, threads=engine).fit(half).hierarchy_
    return dict(zip(found.vocabulary, found.class_of.tolist(), strict=True))


def _meaning(half: Corpus, engine: Engine) -> WordVectors:
    """Without guesses from spelling, which would agree because words are spelled alike in both halves."""
    from firth.counts import count
    from firth.vectors import SpectralEmbedding

    counts = count(half, "bag10", weights="distance", threads=engine)
    return SpectralEmbedding(_DIM, spelling=0, threads=engine).fit(counts).vectors_


def _grammar(half: Corpus, engine: Engine) -> WordVectors:
    from firth.vectors import GrammarEmbedding

    return GrammarEmbedding(dim=_DIM, threads=engine).fit(half).vectors_
