"""Hidden states of tags: a hidden Markov model whose tags have states that the text does not show.

The states are known only in some basis, as tensors (Cohen, Stratos, Collins, Foster and Ungar 2012):
``firth.grammar.LatentTagger`` estimates them. Here they are applied.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from firth.compute import engine_for
from firth.store import Part, array_file, write_array
from firth.tags._hmm import HMM
from firth.tags._observations import Observations

if TYPE_CHECKING:
    from firth.tags._forward_backward import Passes

__all__ = ["LatentStates"]

_LEAST = 1e-4
"""Tags that are less probable without states, at a position, are pruned."""
_MOST = 1e30
"""The largest absolute value in a tensor."""
_FILES: Mapping[str, npt.DTypeLike] = {
    "starts": np.int64,
    "tags": np.int64,
    "vectors": np.float64,
    "usual": np.float64,
    "steps": np.float32,
    "finals": np.float64,
    "roots": np.float64,
}

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LatentStates:
    """Hidden states of the tags of a tagger, in tensor form.

    A sentence is a right-branching tree: at each position, a node of its tag has the word on its left and the
    rest of the sentence on its right. Values can be negative.

    Attributes
    ----------
    starts : array of int64, shape (n_symbols + 1,)
        Where the tags of each symbol of the model begin in ``tags`` and ``vectors``.
    tags : array of int64, shape (n_pairs,)
    vectors : array of shape (n_pairs, n_states)
        The vector of a symbol with a tag, divided by the probability of the symbol given the tag.
    usual : array of shape (n_tags, n_states)
        The vectors of symbols that were not seen with the tag.
    steps : array of shape (n_tags, n_tags, n_states, n_states, n_states)
        The tensors of the rules: tag, next tag; states of the node, of the word, of the next node.
    finals : array of shape (n_tags, n_states, n_states)
        The same for the last position of a sentence.
    roots : array of shape (n_tags, n_states)
        The vectors of the first position.
    """

    starts: npt.NDArray[np.int64]
    tags: npt.NDArray[np.int64]
    vectors: Floats
    usual: Floats
    steps: npt.NDArray[np.float32]
    finals: Floats
    roots: Floats

    @property
    def n_states(self) -> int:
        return int(self.usual.shape[1])

    def posteriors(
        self, hmm: HMM, passes: Passes, observed: Observations, first: int, last: int
    ) -> tuple[Floats, float]:
        """The probability of each tag at each position of some sentences, and their log-probability.

        Estimates can be slightly below 0 or above 1. Tags that the model without states, ``hmm``, finds
        improbable at a position are pruned.
        """
        from firth.tags import _latent_kernels as kernels

        latent_posterior: Any = kernels.latent_posterior
        n, m = self.usual.shape
        gammas, _ = passes.posteriors(observed, first, last)
        longest = observed.longest(first, last)
        total = latent_posterior(
            observed.symbols, observed.ends, first, last, _LEAST,
            hmm.emission, self.starts, self.tags, self.vectors, self.usual,
            self.steps, self.finals, self.roots,
            gammas, np.empty((longest, n, m)), np.empty((longest, n, m)), np.empty((n, m)), np.empty((n, m)),
        )  # fmt: skip
        return gammas[:, :n], float(total)

    def shares(self, hmm: HMM, observed: Observations) -> Floats:
        """The probability of each tag of each token, from 0 to 1."""
        found = [gammas for gammas, _ in self._in_pieces(hmm, observed)]
        whole = np.concatenate([np.empty((0, hmm.n_states)), *found])
        return np.asarray(np.clip(whole, 0.0, 1.0))

    def decode_all(self, hmm: HMM, observed: Observations) -> npt.NDArray[np.int32]:
        """The most probable tag of each token; the sign of estimates is ignored, as in grammars."""
        found = self._in_pieces(hmm, observed)
        best = [np.abs(gammas).argmax(axis=1).astype(np.int32) for gammas, _ in found]
        return np.concatenate([np.empty(0, np.int32), *best])

    def score(self, hmm: HMM, observed: Observations) -> float:
        """The log-probability of some sentences."""
        return sum((total for _, total in self._in_pieces(hmm, observed)), 0.0)

    def _in_pieces(self, hmm: HMM, observed: Observations) -> list[tuple[Floats, float]]:
        from firth.tags._forward_backward import Passes

        passes, engine = Passes(hmm), engine_for("Tagger", hmm.threads)
        found = engine.map(
            lambda piece: self.posteriors(hmm, passes, observed, *piece), observed.pieces()
        )
        return list(found)

    def save(self, folder: Path) -> None:
        """Write the files, beside those of the tagger."""
        for name, dtype in _FILES.items():
            write_array(folder / array_file(f"latent_{name}", dtype), getattr(self, name))

    @classmethod
    def load(cls, part: Part, n_symbols: int, n_tags: int) -> LatentStates:
        """Read and check what ``save`` has written."""

        def read(name: str, shape: Any, low: float = -_MOST, high: float = _MOST) -> Any:
            return part.array(
                array_file(f"latent_{name}", _FILES[name]), shape, low, high, copy=True
            )

        usual = read("usual", (n_tags, -1))
        m = usual.shape[1]
        part.require(m, "its tags have no states")
        tags = read("tags", -1, 0, n_tags - 1)
        starts = read("starts", n_symbols + 1, 0, len(tags))
        part.require(
            starts[0] == 0 and starts[-1] == len(tags) and (np.diff(starts) >= 0).all(),
            "the words of its states are not in order",
        )
        return cls(
            starts, tags, read("vectors", (len(tags), m)), usual,
            read("steps", (n_tags, n_tags, m, m, m)), read("finals", (n_tags, m, m)), read("roots", (n_tags, m)),
        )  # fmt: skip
