"""Word vectors as a scikit-learn estimator."""

from __future__ import annotations

from pathlib import Path

from firth.compute import engine_for
from firth.corpus import Corpus, TextData
from firth.counts import Counts, PanelCounts, count
from firth.estimator import Estimator
from firth.parameters import MEMORY
from firth.store import Checkpoint
from firth.vectors._decomposition import room_for_vectors, vectors_from_counts
from firth.vectors._parameters import VectorCountsParameters, VectorsParameters

__all__ = ["SpectralEmbedding"]


class SpectralEmbedding(VectorsParameters, Estimator):
    """Word vectors from a decomposition of transformed counts (Stratos, Collins and Hsu 2015).

    The defaults are those of ``firth learn``, the preset ``general``. Other presets, among them
    ``paper``, are in ``firth.vectors.PRESETS``.

    Attributes
    ----------
    vectors_ : WordVectors
    svd_ : Svd
        Singular values and vectors of the whole matrix, with a last row for the rare symbol.

    Examples
    --------
    >>> import firth
    >>> lines = ["the cat sat", "the dog sat", "a cat ran", "a dog ran", "the cat ran", "a dog sat"]
    >>> corpus = firth.Corpus.from_sentences([line.split() for line in lines])
    >>> counts = firth.count(corpus, contexts="LR1", min_count=1)
    >>> vectors = firth.SpectralEmbedding(dim=2).fit(counts).vectors_
    >>> vectors.most_similar("cat", n=1)[0].word
    'dog'
    """

    def fit(
        self,
        counts: Counts | PanelCounts | TextData,
        memory: int | str = MEMORY,
        folder: Path | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> SpectralEmbedding:
        """Learn word vectors from counts or from text.

        Parameters
        ----------
        counts : Counts, PanelCounts, or Corpus, list of token lists, list of str, str or Path
            The result of ``firth.count``; or text (see ``Corpus.of``), whose contexts are then counted
            as the preset ``general`` has it.
        memory : int or str
            About how much memory to use; more is put into files. The result does not depend on it.
        folder : Path, optional
            For these files; a temporary folder by default.
        checkpoint : Checkpoint, optional
            Interrupted work continues from it. It must belong to the same counts and parameters.
        """
        self.check()
        room = room_for_vectors(memory, folder)
        engine = engine_for("SpectralEmbedding", self.threads, self.device)
        if not isinstance(counts, Counts | PanelCounts):
            text = Corpus.of(counts, "SpectralEmbedding.fit", "counts")
            counts = count(
                text, **VectorCountsParameters().parameters(), memory=memory, threads=engine
            )
        self.svd_, self.vectors_ = vectors_from_counts(counts, self, engine, room, checkpoint)
        return self
