"""Word vectors of other programs, from the same tokens as Firth's: gensim's word2vec and fastText."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from experiments.common import Run, measured

import firth

THREADS = 2


def tokens_of(run: Run, text: str, lowercase: bool = True) -> tuple[firth.Corpus, Path]:
    """A corpus, and a file of its tokens, one sentence per line."""
    corpus = run.corpus(text, lowercase)
    path = run.work / f"{text}{'' if lowercase else '-cased'}.tokens"
    if not path.exists():
        names = np.array(list(corpus.vocabulary), dtype=object)
        start, new = 0, path.with_suffix(".new")
        with new.open("w", encoding="utf-8") as file:
            for end in corpus.ends:
                file.write(" ".join(names[corpus.ids[start:end]]) + "\n")
                start = end
        new.replace(path)
    return corpus, path


def most_frequent(corpus: firth.Corpus, n_words: int | None, min_count: int) -> dict[str, int]:
    """The vocabulary of the vectors, with counts."""
    counts = corpus.vocabulary.counts[:n_words]
    counts = counts[counts >= min_count].tolist()
    return {corpus.vocabulary[i]: count for i, count in enumerate(counts)}


def gensim_vectors(
    run: Run, text: str, kind: str, dim: int, n_words: int | None = None, min_count: int = 1,
    lowercase: bool = True, **settings: Any,
) -> tuple[firth.WordVectors, firth.WordVectors | None, float]:  # fmt: skip
    """Vectors by ``skip-gram``, ``CBOW`` or ``fastText``, the same with context vectors added, CPU
    seconds.

        The time does not include tokenisation. Parameters that are not in ``settings`` have gensim's
        defaults.
    """
    from gensim.models import FastText, Word2Vec

    corpus, path = tokens_of(run, text, lowercase)
    words = most_frequent(corpus, n_words, min_count)
    maker = FastText if kind == "fastText" else Word2Vec
    how = {"sg": int(kind != "CBOW"), "workers": THREADS, "seed": 1, "min_count": 1, **settings}
    if run.quick:  # only to check that it runs
        dim, how["epochs"] = min(dim, 50), 1
    model = maker(vector_size=dim, **how)
    with measured() as cost:
        model.build_vocab_from_freq(words, corpus_count=corpus.n_sentences)
        model.train(
            corpus_file=str(path), total_words=corpus.n_tokens,
            total_examples=corpus.n_sentences, epochs=model.epochs,
        )  # fmt: skip
        found = np.stack([model.wv[word] for word in words])
    both = None
    if kind != "fastText":
        rows = [model.wv.key_to_index[word] for word in words]
        both = firth.WordVectors.from_arrays(list(words), found + model.syn1neg[rows])
    return firth.WordVectors.from_arrays(list(words), found), both, cost.cpu
