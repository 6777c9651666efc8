"""Word vectors as objects of gensim and PyTorch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from firth.errors import FirthError, wrong_parameter

if TYPE_CHECKING:
    from firth.vectors._word_vectors import WordVectors

__all__ = ["from_gensim", "to_gensim", "to_torch"]


def to_gensim(vectors: WordVectors) -> Any:
    """``KeyedVectors`` of gensim; vectors of zeros are left out."""
    try:
        from gensim.models import KeyedVectors
    except ImportError:
        raise _missing("to_gensim()", "gensim") from None
    kept = np.flatnonzero(np.asarray(vectors.matrix).any(axis=1))
    made = KeyedVectors(vectors.dim, dtype=np.float32)
    words = vectors.vocabulary.words.take(kept).to_pylist()
    counts = np.asarray(vectors.counts)[kept]
    made.add_vectors(words, np.asarray(vectors.matrix)[kept])
    if counts.any():
        for word, count in zip(words, counts.tolist(), strict=True):
            made.set_vecattr(word, "count", count)
    return made


def from_gensim(kind: type[WordVectors], model: Any) -> WordVectors:
    """Vectors of ``KeyedVectors``, or of a model of gensim that has them."""
    keyed = getattr(model, "wv", model)
    words, matrix = getattr(keyed, "index_to_key", None), getattr(keyed, "vectors", None)
    if words is None or matrix is None or not all(isinstance(word, str) for word in words):
        raise wrong_parameter(
            "WordVectors.from_gensim", "model", "KeyedVectors of gensim with words, or a model of it", model
        )  # fmt: skip
    counts = getattr(keyed, "expandos", {}).get("count")
    matrix = np.asarray(matrix)[: len(words)]
    return kind.from_arrays(words, matrix, None if counts is None else counts.tolist())


def to_torch(vectors: WordVectors, freeze: bool = True) -> Any:
    """``torch.nn.Embedding`` with a row for each word, and one of zeros."""
    try:
        import torch
    except ImportError:
        raise _missing("to_torch()", "torch") from None
    rows = np.zeros((len(vectors) + 1, vectors.dim), np.float32)
    rows[:-1] = vectors.matrix
    return torch.nn.Embedding.from_pretrained(
        torch.from_numpy(rows), freeze=freeze, padding_idx=len(vectors)
    )


def _missing(what: str, package: str) -> FirthError:
    return FirthError(
        f"{what} needs {package}, which is not installed.", f"Install it: pip install {package}"
    )
