"""A map of words: a position in the plane for each word."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.compute import Engine, engine_for
from firth.corpus import Vocabulary
from firth.errors import InputError
from firth.maps._parameters import MapParameters
from firth.progress import count_of
from firth.store import Part, write_array
from firth.vectors import WordVectors

__all__ = ["WordMap"]

WORDS, POSITIONS = "words.arrow", "positions.f32"
_NEIGHBOURS = 3
"""Neighbours in units of the perplexity; the Gaussians of others are nearly zero."""

Floats32 = npt.NDArray[np.float32]


class WordMap:
    """A position in the plane for every word; similar words are near each other.

    Attributes
    ----------
    method : str
        How words were laid out: t-sne, pca or mds.
    vocabulary : Vocabulary
        The words on the map: the first words of the vectors that are not zero.
    positions : array of float32, shape (n_words, 2)
        From -1 to 1 in the wider direction; both directions have the same scale and centre 0.
    made : mapping
        The parameters of the map.

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
        self, vocabulary: Vocabulary, positions: Floats32, made: Mapping[str, Any] | None = None
    ) -> None:
        self.vocabulary = vocabulary
        self.positions = positions
        self.made = dict(made or {})

    @property
    def method(self) -> str:
        """How words were laid out: t-sne, pca or mds."""
        return str(self.made.get("method", MapParameters.method))

    @classmethod
    def learn(
        cls,
        vectors: WordVectors,
        parameters: MapParameters | None = None,
        threads: int | Engine | None = None,
    ) -> WordMap:
        """Lay out words in the plane, by t-SNE unless the parameters name another method.

        The result is deterministic: the same vectors give the same map for any number of threads. What
        vectors have from the spelling of words counts less; see ``WordVectors.by_contexts``.

        Parameters
        ----------
        vectors : WordVectors
        parameters : MapParameters, optional
        threads : int, optional
            Number of threads; all cores by default.
        """
        import pyarrow as pa

        parameters = parameters or MapParameters()
        parameters.check()
        engine = engine_for("WordMap.learn", threads)
        rows = np.flatnonzero(vectors.matrix.any(axis=1))[: parameters.words]
        if len(rows) == 0:
            raise InputError(
                "No map can be made: all word vectors are zero.",
                "Learn word vectors from more text.",
            )
        vocabulary = Vocabulary(vectors.vocabulary.words.take(pa.array(rows)), vectors.counts[rows])
        positions = _fit(_lay_out(vectors.by_contexts(rows, engine), parameters, engine))
        return cls(vocabulary, positions, parameters.parameters())

    def __repr__(self) -> str:
        return f"<WordMap of {len(self):,} words>"

    def __len__(self) -> int:
        return len(self.vocabulary)

    def __contains__(self, word: object) -> bool:
        return word in self.vocabulary

    def __getitem__(self, word: str) -> tuple[float, float]:
        """The position of a word; raises WordError if it is not on the map."""
        x, y = self.positions[self.vocabulary.id(word, "is not on the map")].tolist()
        return x, y

    def save(self, folder: Path) -> None:
        """Write the files of a part of a model."""
        self.vocabulary.save(folder / WORDS)
        write_array(folder / POSITIONS, self.positions)

    def describe(self) -> dict[str, Any]:
        """The size of the map."""
        return {"n_words": len(self.vocabulary)}

    def summary(self) -> tuple[str, list[str]]:
        """The size in words."""
        return count_of(len(self.vocabulary), "word"), []

    @classmethod
    def load(cls, part: Part) -> WordMap:
        """Memory-map the files of a part and check them."""
        vocabulary = Vocabulary.load(part, WORDS, ordered=False)
        part.require(len(vocabulary), "it has no words")
        positions = part.array(POSITIONS, (len(vocabulary), 2), -1, 1)
        return cls(vocabulary, positions, part.parameters)


def _lay_out(unit: Floats32, parameters: MapParameters, engine: Engine) -> Floats32:
    """The positions of some unit vectors, before scaling."""
    # imported here, because Numba is needed to make maps, not to open them
    from firth.maps._affinities import affinities
    from firth.maps._layout import layout, principal_positions
    from firth.maps._mds import scaled_positions
    from firth.maps._neighbours import nearest_neighbours

    n = len(unit)
    if parameters.method == "pca":
        return principal_positions(unit, engine)
    if parameters.method == "mds":
        return scaled_positions(unit, principal_positions(unit))
    perplexity = min(parameters.perplexity, max(1.0, (n - 1) / _NEIGHBOURS))
    ids, cosines = nearest_neighbours(unit, math.ceil(_NEIGHBOURS * perplexity), engine)
    pairs = affinities(ids, cosines, perplexity, engine)
    del ids, cosines
    start = principal_positions(unit, engine)
    return layout(
        pairs,
        start,
        parameters.n_early,
        parameters.n_late,
        parameters.exaggeration,
        threads=engine,
    )


def _fit(positions: Floats32) -> Floats32:
    """Positions centred and scaled to lie between -1 and 1."""
    least, most = positions.min(axis=0), positions.max(axis=0)
    centred = positions - (least + most) / 2
    widest = float(np.abs(centred).max())
    if widest > 0:
        centred /= widest
    return np.asarray(np.clip(centred, -1, 1), np.float32)
