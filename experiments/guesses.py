"""Vectors of words never seen: words held out of the text, guessed from their spelling.

    FIRTH_DATA=... python -m experiments.guesses

Every tenth word with a tag, chosen by a hash, and the rarer word of each pair of ``rw.dev`` are removed
from the text. Then vectors are learned from what remains, and those of the removed words are guessed:
by ``WordVectors.guess``, by the same with morphs as further features, and by gensim's fastText. Measures
are the share of the five nearest words that have the same part of speech, and Spearman's correlation on
the pairs of ``rw.dev`` with a removed word. Vectors learned from the whole text show what is possible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from experiments.common import (
    NONE,
    SHOWN,
    Run,
    data,
    duration,
    measured,
    number,
    start,
    table,
    word_figures,
)  # fmt: skip
from experiments.peers import THREADS

import firth
from firth.compute import engine_for
from firth.evaluate import Analogies, evaluate_analogies, read_questions
from firth.formats import read_tagged
from firth.vectors._guesser import NGrams, learn_guesser, ngrams_of

TEXTS = {"English": ("wiki3", "en_ewt-train"), "French": ("fr_gsd-ud-train", "fr_gsd-ud-train")}
"""A text, and a treebank with parts of speech."""
METHODS = ("whole text", "Firth", "Firth, spelling 100", "Firth with morphs", "fastText")
DIM, MIN_COUNT, NEAREST = 100, 5, 5
MIXED_DIM, SPELLING = 300, (0, 100)
"""Values of ``spelling``, the count at which a vector is half a guess."""
MEASURES = {**SHOWN, "world": "mixed: world", "grammar": "mixed: grammar"}
_HELD_OUT = 10

Guess = Callable[[Sequence[str]], Any]


@cache
def tags_of(treebank: str) -> dict[str, str]:
    """The most frequent part of speech of each word, in lower case."""
    counts: dict[str, Counter[str]] = {}
    for sentence in read_tagged(data(f"tags/{treebank}.conllu")):
        for word, tag in sentence:
            counts.setdefault(word.lower(), Counter())[tag] += 1
    return {word: tags.most_common(1)[0][0] for word, tags in counts.items()}


def corpus_of(run: Run, language: str) -> firth.Corpus:
    text, treebank = TEXTS[language]
    if language == "English":
        return run.corpus("wikinews" if run.quick else text, lowercase=True)
    sentences = read_tagged(data(f"tags/{treebank}.conllu"))
    return firth.Corpus.from_sentences([[word.lower() for word, _ in one] for one in sentences])


@cache
def pairs() -> list[tuple[str, str, float]]:
    """The pairs of rare words, and their similarity."""
    lines = data("words/rw.dev").read_text(encoding="utf-8").lower().splitlines()
    return [(a, b, float(x)) for a, b, x in map(str.split, lines)]


def held_out(language: str, vocabulary: Any) -> tuple[set[str], set[str]]:
    """Words with a tag, and the rarer words of the pairs."""
    n = vocabulary.n_kept(MIN_COUNT)
    known = set(vocabulary.words.slice(0, n).to_pylist())
    tagged = {
        word
        for word in known & tags_of(TEXTS[language][1]).keys()
        if word.isalpha() and blake2b(word.encode(), digest_size=4).digest()[0] % _HELD_OUT == 0
    }
    rare: set[str] = set()
    for a, b, _ in pairs() if language == "English" else ():
        if a in known and b in known and a != b:
            rare.add(max(a, b, key=lambda word: (vocabulary.id(word), word)))
    return tagged, rare


def sentences_of(corpus: firth.Corpus, without: set[str]) -> list[list[str]]:
    """The sentences of a corpus without some words."""
    names = np.array(list(corpus.vocabulary), dtype=object)
    kept = np.array([name not in without for name in names])
    begins = np.concatenate([[0], corpus.ends[:-1]])
    ids = (np.asarray(corpus.ids[a:b]) for a, b in zip(begins, corpus.ends, strict=True))
    return [names[some[kept[some]]].tolist() for some in ids]


def spectral(sentences: list[list[str]], spelling: float = 0) -> firth.WordVectors:
    """Vectors by ``SpectralEmbedding`` for the preset ``similarity``."""
    corpus = firth.Corpus.from_sentences(sentences)
    counts = firth.count(corpus, "bag10", MIN_COUNT, weights="distance")
    return firth.SpectralEmbedding(DIM, spelling=spelling).fit(counts).vectors_


def with_morphs(splitter: Any) -> Callable[[Sequence[str], int | None], NGrams]:
    """The n-grams of words, and their morphs as further features."""

    def spell(words: Sequence[str], n_buckets: int | None) -> NGrams:
        plain = ngrams_of(words, n_buckets)
        lists = []
        for i, morphs in enumerate(splitter.analyse_all(list(words))):
            names = [f"{morph.kind} {morph.text}".encode() for morph in morphs]
            more = [int.from_bytes(blake2b(x, digest_size=4).digest(), "little") for x in names]
            of_word = plain.hashes[plain.starts[i] : plain.starts[i + 1]]
            lists.append(np.concatenate([of_word, np.array(more, np.uint32)]))
        starts = np.concatenate([[0], np.cumsum([len(one) for one in lists])])
        hashes = np.concatenate(lists) if lists else plain.hashes
        return NGrams(starts.astype(np.int64), hashes, plain.n_buckets)

    return spell


def by_firth(sentences: list[list[str]], method: str) -> tuple[firth.WordVectors, Guess]:
    vectors = spectral(sentences, 100 if method.endswith("100") else 0)
    guesser = vectors.require_guesser()
    if method.endswith("morphs"):
        spell = with_morphs(firth.Morphology().fit(list(vectors)))
        engine = engine_for("guesses", None)
        guesser = learn_guesser(vectors.vocabulary, vectors.matrix, engine, spell=spell)
    return vectors, lambda words: guesser.guess(words)[0]


def by_fasttext(
    sentences: list[list[str]], path: Path, quick: bool
) -> tuple[firth.WordVectors, Guess]:
    from gensim.models import FastText

    path.write_text("".join(" ".join(one) + "\n" for one in sentences if one), encoding="utf-8")
    model = FastText(
        corpus_file=str(path), vector_size=DIM, sg=1, min_count=MIN_COUNT, workers=THREADS, seed=1,
        epochs=1 if quick else 5,
    )  # fmt: skip
    words = list(model.wv.key_to_index)
    known = firth.WordVectors.from_arrays(words, np.stack([model.wv[word] for word in words]))
    return known, lambda asked: np.stack([model.wv[word] for word in asked])


def figures(run: Run, language: str, method: str) -> dict[str, Any]:
    """Both measures of a method, and its CPU seconds; kernels are compiled before."""
    from scipy.stats import spearmanr

    corpus = corpus_of(run, language)
    tagged, rare = held_out(language, corpus.vocabulary)
    without = set() if method == "whole text" else tagged | rare
    sentences = sentences_of(corpus, without)
    spectral(sentences[:2000]).require_guesser().guess(["compiled"])
    with measured() as cost:
        if method == "fastText":
            vectors, guess = by_fasttext(sentences, run.work / "guesses.tokens", run.quick)
        else:
            vectors, guess = by_firth(sentences, method)
            if method == "whole text":
                guess = vectors_of(vectors)
    asked = sorted(tagged | rare)
    found = dict(zip(asked, _unit(guess(asked)), strict=True))
    tags = tags_of(TEXTS[language][1])
    judges = [word for word in vectors if word in tags and word not in tagged | rare]
    unit = _unit(np.stack([vectors[word] for word in judges]))
    right = [_same(found[word], tags[word], unit, judges, tags) for word in sorted(tagged)]
    known = dict(zip(judges, unit, strict=True)) | found
    scored = [
        (a, b, x) for a, b, x in pairs() if rare & {a, b} and {a, b} <= known.keys() | set(vectors)
    ]
    cosines = [float(_at(known, vectors, a) @ _at(known, vectors, b)) for a, b, _ in scored]
    rho = spearmanr(cosines, [x for _, _, x in scored]).statistic if scored else None
    return {
        "same": 100 * float(np.mean(right)), "n_words": len(tagged), "n_pairs": len(scored),
        "rw": None if rho is None else 100 * float(rho), "seconds": cost.cpu,
    }  # fmt: skip


def mixed(run: Run, spelling: float) -> dict[str, Any]:
    """Word pairs and analogies, those of world knowledge and of grammar, with guesses mixed in."""
    counts = firth.count(corpus_of(run, "English"), "bag10", MIN_COUNT, weights="distance")
    with measured() as cost:
        vectors = firth.SpectralEmbedding(MIXED_DIM, spelling=spelling).fit(counts).vectors_
    found = word_figures(vectors)
    questions = read_questions(data("words/mixed_analogies.dev"))
    assert isinstance(questions, Analogies)
    categories = evaluate_analogies(vectors, questions).categories
    for kind in ("world", "grammar"):
        some = [c for c in categories if c.name.startswith("gram") == (kind == "grammar")]
        found[kind] = 100 * sum(c.n_right for c in some) / max(1, sum(c.n_answered for c in some))
    return {**found, "seconds": cost.cpu}


def vectors_of(vectors: firth.WordVectors) -> Guess:
    return lambda words: np.stack([vectors[word] for word in words])


def _at(known: dict[str, Any], vectors: firth.WordVectors, word: str) -> Any:
    return known[word] if word in known else _unit(vectors[word][None])[0]


def _unit(rows: Any) -> Any:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)


def _same(vector: Any, tag: str, unit: Any, words: list[str], tags: dict[str, str]) -> float:
    """The share of the nearest words with a tag."""
    near = np.argsort(-(unit @ vector), kind="stable")[:NEAREST]
    return float(np.mean([tags[words[i]] == tag for i in near]))


def main() -> None:
    run = start("guesses", __doc__)
    rows, summary = [], []
    for language in TEXTS:
        found = {
            method: run.remember(f"{language} {method}", figures, run, language, method)
            for method in METHODS
        }
        for method, one in found.items():
            rw = NONE if one["rw"] is None else number(one["rw"])
            rows.append([language, method, number(one["same"]), rw, duration(one["seconds"])])
        ours, theirs = found["Firth"], found["fastText"]
        summary.append(
            (
                f"unseen {language} words: nearest words with the same part of speech, %",
                f"{theirs['same']:.1f} (fastText)",
                f"{ours['same']:.1f}",
            )
        )
        sizes = f"{ours['n_words']:,} words" + f", {ours['n_pairs']:,} pairs" * bool(
            ours["n_pairs"]
        )
        rows[-len(METHODS)][0] += f" ({sizes})"
    scores = {k: run.remember(f"spelling {k}", mixed, run, k) for k in SPELLING}
    mixing = [
        [k, *(number(one[name]) for name in MEASURES), duration(one["seconds"])]
        for k, one in scores.items()
    ]
    more = f"""Guesses can be mixed into the vectors of rare words: `--spelling N` makes the vector of a
    word that occurs N times half a guess. English, {MIXED_DIM} dimensions, development halves: spelling
    helps with rare words and with analogies of grammar, and costs world knowledge.

{table(["`--spelling`", *MEASURES.values(), "CPU time"], mixing)}"""
    run.write(
        "Vectors of words never seen (fastText)",
        f"""Words are removed from the text, and their vectors are guessed from their spelling:
        {DIM} dimensions, words that occur at least {MIN_COUNT} times, everything else by default. *Same* is
        the share of the {NEAREST} nearest words with the same part of speech as the guessed one, in percent;
        *RW* is Spearman's correlation on the pairs of `rw.dev` that have a removed word. *Whole text* is not
        a guess: these vectors were learned from a text with the words. *Spelling 100* is with guesses mixed
        into the vectors of the words that were not removed. fastText is gensim's skip-gram with
        its defaults. CPU time is for learning, without tokenisation, while other programs ran. The kinds
        of n-grams are fastText's; weights and the way to solve were chosen on Wikinews, by the cosines with
        vectors of other held-out
        words.""",
        table(["text", "method", "same", "RW", "CPU time"], rows),
        None,
        "data: `wiki.txt` (its first 3 million words), `rw.dev`, `en_ewt-train.conllu`, "
        "`fr_gsd-ud-train.conllu`",
        summary,
        more,
    )  # fmt: skip


if __name__ == "__main__":
    main()
