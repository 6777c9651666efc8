"""A map of words: a place in the plane for each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute import Engine, engine_for
from firth.corpus import Vocabulary
from firth.errors import InputError, ModelError, check_count, wrong_parameter
from firth.progress import count_of
from firth.store import Part, read_array
from firth.vectors import WordVectors

__all__ = ["MapParameters", "WordMap"]

WORDS, POSITIONS = "words.arrow", "positions.f32"
_NEIGHBOURS = 3
"""Times the perplexity: beyond so many neighbours the Gaussians are nearly nothing."""

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class MapParameters:
    """How a map is made.

    Parameters
    ----------
    words : int
        The most words on the map: the first of the vocabulary that have a vector.
    perplexity : float
        How many neighbours a word has in effect. Less where there are fewer words: a third of the
        others.
    n_early, n_late : int
        Iterations in which groups find each other, and in which the map unfolds.
    exaggeration : float
        How much stronger attraction is in the late iterations than in t-SNE as it was published.
    """

    words: int = 100_000
    perplexity: float = 15.0
    n_early: int = 250
    n_late: int = 500
    exaggeration: float = 2.0

    def __post_init__(self) -> None:
        owner = "MapParameters"
        for name, least in (("words", 1), ("n_early", 0), ("n_late", 0)):
            check_count(owner, name, getattr(self, name), least)
        for name, most in (("perplexity", 1000), ("exaggeration", 12)):
            value = getattr(self, name)
            if (
                isinstance(value, bool)
                or not isinstance(value, int | float)
                or not 1 <= value <= most
            ):
                raise wrong_parameter(owner, name, f"a number from 1 to {most}", value)
            object.__setattr__(self, name, float(value))

    def parameters(self) -> dict[str, Any]:
        return asdict(self)


class WordMap:
    """A place in the plane for every word, such that words of like use are near each other.

    Attributes
    ----------
    vocabulary : Vocabulary
        The words on the map: the first of the vectors' vocabulary that have a direction.
    positions : array of float32, shape (n_words, 2)
        From -1 to 1 in the wider direction, with the same scale and the middle at 0 in both.
    made : mapping
        How the map was made.

    Examples
    --------
    >>> import numpy as np
    >>> vectors = WordVectors.from_arrays(["a", "b", "c"], np.array([[1, 0], [0.6, 0.8], [0, 1]]))
    >>> word_map = WordMap.learn(vectors)
    >>> word_map
    <WordMap of 3 words>
    >>> word_map.positions.shape
    (3, 2)
    """

    def __init__(
        self, vocabulary: Vocabulary, positions: Floats, made: Mapping[str, Any] | None = None
    ) -> None:
        self.vocabulary = vocabulary
        self.positions = positions
        self.made = dict(made or {})

    @classmethod
    def learn(
        cls,
        vectors: WordVectors,
        parameters: MapParameters | None = None,
        threads: int | Engine | None = None,
    ) -> WordMap:
        """Lay the words of some vectors out by t-SNE.

        There is no chance in it: the same vectors give the same map, on any number of threads.

        Parameters
        ----------
        vectors : WordVectors
        parameters : MapParameters, optional
        threads : int, optional
            All cores by default.
        """
        import pyarrow as pa

        parameters = parameters or MapParameters()
        engine = engine_for("WordMap.learn", threads)
        rows = np.flatnonzero(vectors.matrix.any(axis=1))[: parameters.words]
        if len(rows) == 0:
            raise InputError(
                "There is nothing to draw a map of: all vectors are zero.",
                "Learn vectors from a larger text.",
            )
        vocabulary = Vocabulary(vectors.vocabulary.words.take(pa.array(rows)), vectors.counts[rows])
        positions = _fit(_lay_out(vectors.unit[rows], parameters, engine))
        return cls(vocabulary, positions, parameters.parameters())

    def __repr__(self) -> str:
        return f"<WordMap of {len(self):,} words>"

    def __len__(self) -> int:
        return len(self.vocabulary)

    def __contains__(self, word: object) -> bool:
        return word in self.vocabulary

    def __getitem__(self, word: str) -> tuple[float, float]:
        """The place of a word; raises WordError where there is none."""
        x, y = self.positions[self.vocabulary.id(word, "is not on the map")].tolist()
        return x, y

    def save(self, folder: Path) -> None:
        """Write the files of a part of a model."""
        self.vocabulary.save(folder / WORDS)
        np.ascontiguousarray(self.positions, "<f4").tofile(folder / POSITIONS)

    def describe(self) -> dict[str, Any]:
        """The size of the map."""
        return {"n_words": len(self.vocabulary)}

    def summary(self) -> tuple[str, list[str]]:
        """The size in words."""
        return count_of(len(self.vocabulary), "word"), []

    @classmethod
    def load(cls, part: Part) -> WordMap:
        """Map the files of a part into memory and check them."""
        file, folder = part.path, part.folder
        if POSITIONS not in part.files:
            raise _unsound(folder, "there are no positions in it")
        vocabulary = Vocabulary.load(file(WORDS), ordered=False)
        flat = read_array(file(POSITIONS))
        if len(vocabulary) == 0 or len(flat) != 2 * len(vocabulary):
            raise _unsound(folder, "words and positions do not go together")
        if not np.isfinite(flat).all() or np.abs(flat).max() > 1:
            raise _unsound(folder, "some of its positions are not on the map")
        return cls(vocabulary, flat.reshape(-1, 2), part.parameters)


def _lay_out(unit: Floats, parameters: MapParameters, engine: Engine) -> Floats:
    """The places of some vectors, in the units of t-SNE."""
    # compilers are needed for making maps, not for opening them
    from firth.maps._affinities import affinities
    from firth.maps._layout import layout, principal_positions
    from firth.maps._neighbours import nearest_neighbours

    n = len(unit)
    perplexity = min(parameters.perplexity, max(1.0, (n - 1) / _NEIGHBOURS))
    ids, cosines = nearest_neighbours(unit, math.ceil(_NEIGHBOURS * perplexity), engine)
    pairs = affinities(ids, cosines, perplexity, engine)
    del ids, cosines
    start = principal_positions(unit)
    return layout(
        pairs,
        start,
        parameters.n_early,
        parameters.n_late,
        parameters.exaggeration,
        threads=engine,
    )


def _fit(positions: Floats) -> Floats:
    """Positions moved and scaled to lie between -1 and 1."""
    least, most = positions.min(axis=0), positions.max(axis=0)
    centred = positions - (least + most) / 2
    widest = float(np.abs(centred).max())
    if widest > 0:
        centred /= widest
    return np.asarray(np.clip(centred, -1, 1), np.float32)


def _unsound(folder: Path, why: str) -> ModelError:
    return ModelError(f"{folder} cannot be trusted: {why}.", "Make the map again.")
