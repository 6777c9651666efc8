"""Similar words with the same part of speech, in ten small texts.

    FIRTH_DATA=... python -m experiments.neighbours

The share of the five nearest neighbours of the 600 commonest words that have the same part of speech: the
commonest tag of the type in ``tags/``. Settings of the grammatical vectors are compared step by step, with
and without spelling, and for lower-cased text. The last row chooses the pseudocounts of spelling for each
language by the mean of the texts of all other languages.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from experiments.common import Run, data, number, start, table

import firth
from firth import unicode

Tagged = Sequence[Sequence[tuple[str, str]]]

WORDS, NEAR = 600, 5
LARGE = {"en": ["en_ewt-train"], "fr": ["fr_gsd-ud-train"]}
SMALL = {
    "en": ["en_ewt-dev"],
    "de": ["de_gsd-ud-dev", "de_gsd-ud-test"],
    "es": ["es_gsd-ud-dev", "es_gsd-ud-test"],
    "id": ["id_gsd-ud-dev", "id_gsd-ud-test"],
    "it": ["it_isdt-ud-dev", "it_isdt-ud-test"],
    "ja": ["ja_gsd-ud-dev", "ja_gsd-ud-test"],
}
FIRST = {"en": 75_000, "fr": 100_000}
"""Tokens of the texts of middle size: the first of the large ones."""
GRAMMAR: Mapping[str, Mapping[str, Any]] = {
    "grammatical vectors, no spelling": {"shape": 0.0, "suffix": 0.0},
    "grammatical vectors": {},
}
CHOICES = [(3.0, 0.3), (3.0, 0.6), (6.0, 0.5), (6.0, 1.0), (10.0, 1.0)]
"""Pseudocounts of shape and suffixes among which one is chosen."""


def read(names: Sequence[str]) -> Tagged:
    """The sentences of some files of ``tags/``: words and parts of speech."""
    sentences: list[list[tuple[str, str]]] = [[]]
    for name in names:
        for line in data(f"tags/{name}.conllu").read_text(encoding="utf-8").splitlines():
            columns = line.split("\t")
            if not line:
                sentences.append([])
            elif columns[0].isdigit():
                sentences[-1].append((columns[1].replace(" ", "_"), columns[3]))
    return [sentence for sentence in sentences if sentence]


def first(sentences: Tagged, n: int) -> Tagged:
    """The first sentences, with about ``n`` tokens."""
    sizes = np.cumsum([len(sentence) for sentence in sentences])
    return sentences[: int(np.searchsorted(sizes, n)) + 1]


def ten_texts() -> dict[str, Tagged]:
    """The texts; their names begin with the language."""
    large = {language: read(names) for language, names in LARGE.items()}
    found = {f"{language} large": text for language, text in large.items()}
    found |= {f"{language} middle": first(large[language], n) for language, n in FIRST.items()}
    return found | {f"{language} small": read(names) for language, names in SMALL.items()}


def share(text: Tagged, vectors: firth.WordVectors) -> float:
    """The share of near words with the same part of speech, in percent."""
    tags: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for word, tag in (pair for sentence in text for pair in sentence):
        tags[word][tag] += 1
    best = {word: counts.most_common(1)[0][0] for word, counts in tags.items()}
    words = vectors.words[:WORDS]
    near = vectors.neighbours(words, NEAR)
    same = [best[w] == best[n.word] for w, found in zip(words, near, strict=True) for n in found]
    return 100 * sum(same) / len(same)


def lowered(text: Tagged) -> Tagged:
    return [[(unicode.lower(word), tag) for word, tag in sentence] for sentence in text]


def figures(text: Tagged, grammar: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """The share for each setting."""
    corpus = firth.Corpus.from_sentences([[word for word, _ in sentence] for sentence in text])
    wide = firth.count(corpus, "bag10", weights="distance")
    near = firth.count(corpus, "LR2")
    syntax: dict[str, Any] = {"alpha": 1.0, "beta": 0.5, "spelling": 0}
    found = {
        "`--preset similarity`, 300 dimensions": share(
            text, firth.SpectralEmbedding(dim=300, spelling=0).fit(wide).vectors_
        ),
        "`firth learn`, meaning": share(text, firth.SpectralEmbedding().fit(corpus).vectors_),
    }
    for dim in (300, 50):
        fitted = firth.SpectralEmbedding(dim=dim, **syntax).fit(near)
        found[f"`--preset syntax --dim {dim}`"] = share(text, fitted.vectors_)
    for name, how in grammar.items():
        found[name] = share(text, firth.GrammarEmbedding(**how).fit(corpus, near).vectors_)
    return found


def main() -> None:
    run = start("neighbours", __doc__)
    texts = ten_texts()
    if run.quick:
        texts = {name: text for name, text in texts.items() if name.endswith("small")}
    tried = {
        f"{shape:g} {suffix:g}": {"shape": shape, "suffix": suffix} for shape, suffix in CHOICES
    }
    shown = {
        name: run.remember(name, figures, text, {**GRAMMAR, **tried})
        for name, text in texts.items()
    }
    lower = {
        name: run.remember(f"{name} lower", figures, lowered(text), GRAMMAR)
        for name, text in texts.items()
    }
    write(run, texts, shown, lower, list(tried))


def left_out(shown: Mapping[str, Mapping[str, float]], tried: Sequence[str]) -> dict[str, float]:
    """The share in each text with the pseudocounts that are best for the other languages."""
    found = {}
    for name in shown:
        others = [row for other, row in shown.items() if other[:2] != name[:2]]
        best = max(tried, key=lambda how: float(np.mean([row[how] for row in others])))
        found[name] = shown[name][best]
    return found


def write(
    run: Run, texts: Mapping[str, Tagged], shown: Mapping[str, Mapping[str, float]],
    lower: Mapping[str, Mapping[str, float]], tried: Sequence[str],
) -> None:  # fmt: skip
    names = [name for name in next(iter(shown.values())) if name not in tried]
    rows = [
        (name, [shown[text][name] for text in texts], [lower[text][name] for text in texts])
        for name in names
    ]
    body = [
        [name, number(float(np.mean(cased))), number(float(np.mean(low))), *map(number, cased)]
        for name, cased, low in rows
    ]
    chosen = list(left_out(shown, tried).values())
    body.append(
        [
            "spelling chosen by other languages",
            number(float(np.mean(chosen))),
            "",
            *map(number, chosen),
        ]
    )
    mean = float(np.mean(rows[-1][1]))
    sizes = [sum(map(len, text)) for text in texts.values()]
    run.write(
        "Similar words with the same part of speech (ten small texts)",
        f"The share, in percent, of the {NEAR} nearest neighbours of the {WORDS} commonest words that have "
        f"the same part of speech. The texts have {min(sizes):,} to {max(sizes):,} tokens. The second column "
        "of figures is for the same texts in lower case: spelling rewards capitals, because it finds names "
        "by them. In the last row the pseudocounts of shape and suffixes are chosen for each language by the "
        "mean of the others.",
        table(["vectors", "mean", "mean, lower case", *texts], body),
        None,
        "`tags/` of FIRTH_DATA",
        [("similar words have the same part of speech, ten small texts", "–", f"{mean:.1f} %")],
    )


if __name__ == "__main__":
    main()
