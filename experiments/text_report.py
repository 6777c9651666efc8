"""The report on a text, compared with gold labels: do weak, coarse and usable mean what they say?

    FIRTH_DATA=... python -m experiments.text_report

Texts of several languages and sizes from ``tags/``: the first sentences of each. What ``firth show`` measures, the
stability between halves of the text, is compared with gold parts of speech: many-to-one accuracy and V-measure of the
tags in running text; adjusted mutual information of the classes and the parts of speech of words; and how many of the
five nearest words by grammatical vectors have the same part of speech, beyond chance. For vectors by meaning there is
no gold in these languages: slices of the English Wikipedia are compared with the development half of MEN.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from experiments.common import Run, data, number, start, table
from experiments.neighbours import SMALL, Tagged, first, read
from scipy.stats import spearmanr
from sklearn.metrics import adjusted_mutual_info_score, v_measure_score

import firth
from firth import progress
from firth.compute import Engine, engine_for
from firth.errors import FirthError
from firth.measure import Band, halves, measure_text, similarity_bands
from firth.measure import _report as report
from firth.measure._stability import BANDS

SIZES = (1_000, 2_500, 5_000, 10_000, 20_000, 50_000, 100_000)
SLICES = (50_000, 100_000, 300_000, 1_000_000)
LARGE = {"en": ["en_ewt-train"], "fr": ["fr_gsd-ud-train"]}
NEAR, COMPARED, FEWEST = 5, 300, 20
TAGS = 12


def texts() -> dict[str, Tagged]:
    """The longest text of each language."""
    return {
        language: read(LARGE.get(language, names)) for language, names in {**SMALL, **LARGE}.items()
    }


def majority(gold: Sequence[str], groups: Sequence[int]) -> float:
    """Many-to-one accuracy."""
    counts: dict[int, Counter[str]] = {}
    for tag, group in zip(gold, groups, strict=True):
        counts.setdefault(group, Counter())[tag] += 1
    return sum(max(some.values()) for some in counts.values()) / len(gold)


def gold_tags(text: Tagged) -> dict[str, str]:
    """The commonest part of speech of each word."""
    counts: dict[str, Counter[str]] = {}
    for word, tag in (pair for sentence in text for pair in sentence):
        counts.setdefault(word, Counter())[tag] += 1
    return {word: some.most_common(1)[0][0] for word, some in counts.items()}


def gold_of_tags(text: Tagged, corpus: firth.Corpus, engine: Engine) -> dict[str, float]:
    """Many-to-one accuracy and V-measure of the tags of the whole text."""
    tagger = firth.MutualInformationTagger(n_tags=TAGS, threads=engine).fit(corpus)
    tags = dict(zip(tagger.vocabulary_, tagger.tag_of_word().tolist(), strict=True))
    pairs = [(tag, tags[word]) for sentence in text for word, tag in sentence]
    gold, groups = zip(*pairs, strict=True)
    return {"tags": majority(gold, groups), "tags V": v_measure_score(gold, groups)}


def gold_of_classes(text: Tagged, corpus: firth.Corpus, engine: Engine) -> dict[str, float]:
    """Adjusted mutual information of the classes and the parts of speech of words."""
    best, classes = gold_tags(text), report._classes(corpus, engine)
    gold = [best[word] for word in classes]
    return {"classes": adjusted_mutual_info_score(gold, list(classes.values()))}


def gold_of_vectors(text: Tagged, corpus: firth.Corpus, engine: Engine) -> dict[str, float]:
    """By frequency, how many of the nearest words have the same part of speech, beyond chance."""
    best, vectors = gold_tags(text), report._grammar(corpus, engine)
    counts, chance = vectors.vocabulary.counts, np.random.default_rng(0)
    shares, found = Counter(best[word] for word in vectors.words), {}
    for low, high in zip(BANDS, (*BANDS[1:], np.inf), strict=True):
        some = np.flatnonzero((counts >= low) & (counts < high))
        if len(some) < FEWEST:
            continue
        words = [vectors.words[i] for i in chance.permutation(some)[:COMPARED]]
        near = vectors.neighbours(words, NEAR)
        pairs = [(w, n.word) for w, row in zip(words, near, strict=True) for n in row]
        same = np.mean([best[one] == best[other] for one, other in pairs])
        by_chance = np.mean([shares[best[w]] / len(vectors.words) for w in words])
        found[f"grammar {low}"] = float((same - by_chance) / (1 - by_chance))
    return found


def one_text(text: Tagged) -> dict[str, Any]:
    """What the report measures, and what gold labels say; nothing where a text is too small."""
    corpus = firth.Corpus.from_sentences([[word for word, _ in sentence] for sentence in text])
    gold: dict[str, float] = {}
    with progress.silently():
        measured = measure_text(corpus, threads=1)
        for figures in (gold_of_tags, gold_of_classes, gold_of_vectors):
            with suppress(FirthError):
                gold |= figures(text, corpus, engine_for("text_report", 1))
    return {"tokens": corpus.n_tokens, "measured": measured.describe(), "gold": gold}


def one_slice(path: Path, n: int) -> dict[str, Any]:
    """Stability by frequency, and correlation with human judgements, for vectors by meaning."""
    with path.open(encoding="utf-8") as file:
        lines = file.read(6 * n).splitlines()
    corpus = firth.Corpus.from_texts(lines, lowercase=True, split="lines")
    engine = engine_for("text_report", 1)
    with progress.silently():
        parts = [report._meaning(half, engine) for half in halves(corpus, corpus.n_tokens)]
        wide = firth.count(corpus, "bag10", weights="distance")
        vectors = firth.SpectralEmbedding(spelling=0).fit(wide).vectors_
    gold: dict[str, tuple[int, float]] = {}
    for low, high in zip(BANDS, (*BANDS[1:], np.inf), strict=True):
        pairs = [
            (line.split()[:2], float(line.split()[2]))
            for line in data("words/men.dev").read_text(encoding="utf-8").splitlines()
        ]
        ids = [(vectors.vocabulary.ids(words), value) for words, value in pairs]
        counts = vectors.vocabulary.counts
        some = [
            (float(vectors.unit[i] @ vectors.unit[j]), value)
            for (i, j), value in ids
            if i is not None and j is not None and low <= min(counts[i], counts[j]) < high
        ]
        if len(some) >= FEWEST:
            gold[str(low)] = len(some), float(spearmanr(*zip(*some, strict=True)).statistic)
    bands = [list(band) for band in similarity_bands(parts[0], parts[1])]
    return {"tokens": corpus.n_tokens, "bands": bands, "gold": gold}


Point = tuple[str, float | None, float, str]


def points(rows: Mapping[str, Any], name: str) -> list[Point]:
    """Language, what the verdict follows (None if a text is too small to tell), gold and verdict of all texts."""
    found: list[Point] = []
    for text, row in rows.items():
        measured, gold = read_report(row["measured"]), row["gold"]
        if name == "grammar":
            known = [
                (band.stability, gold.get(f"grammar {band.least}")) for band in measured.grammar
            ]
            found += [(text[:2], a, b, report._verdict(name, a)) for a, b in known if b is not None]
        elif name in gold:
            value = float(measured.tokens) if name == "tags" else measured.classes
            found.append((text[:2], value, gold[name], measured.verdict(name)))
    return found


def read_report(stored: Mapping[str, Any]) -> report.Report:
    """A report that was remembered as JSON."""
    bands = {name: [Band(*band) for band in stored[name]] for name in ("meaning", "grammar")}
    return report.Report(stored["tokens"], stored["whole"], stored["classes"], **bands)


def correlation(found: Sequence[Point]) -> float:
    """Spearman's correlation of what the verdict follows with gold."""
    known = [(a, b) for _, a, b, _ in found if a is not None]
    return float(spearmanr(*zip(*known, strict=True)).statistic)


def by_verdict(found: Sequence[Point]) -> list[str]:
    """The gold figures of what is called weak, coarse and usable: mean, lowest and highest, number of texts."""
    cells = []
    for word in ("weak", "coarse", "usable"):
        gold = [100 * b for *_, b, verdict in found if verdict == word]
        spread = (
            f"{np.mean(gold):.1f} ({min(gold):.0f} to {max(gold):.0f}, {len(gold)})"
            if gold
            else "–"
        )
        cells.append(spread)
    return cells


def main() -> None:
    run = start("text_report", __doc__)
    rows, slices = {}, {}
    for language, text in texts().items():
        n_tokens = sum(map(len, text))
        for n in SIZES[:3] if run.quick else SIZES:
            if n <= 1.2 * n_tokens:
                name = f"{language} {min(n, n_tokens)}"
                rows[name] = run.remember(name, one_text, first(text, n))
    for n in SLICES[:1] if run.quick else SLICES:
        slices[n] = run.remember(f"wiki {n}", one_slice, run.text("wiki"), n)
    write(run, rows, slices)


def write(run: Run, rows: Mapping[str, Any], slices: Mapping[int, Any]) -> None:
    of_slices: list[Point] = [
        (str(n), stability, row["gold"][str(low)][1], report._verdict("meaning", stability))
        for n, row in slices.items()
        for low, _, stability in row["bands"]
        if str(low) in row["gold"]
    ]
    titles = {
        "tags": "tags: many-to-one accuracy",
        "classes": "32 classes: adjusted mutual information with parts of speech",
        "grammar": "words that can replace each other: same part of speech, beyond chance",
    }
    body, correlations = [], {}
    for name, title in titles.items():
        found = points(rows, name)
        correlations[name] = correlation(found)
        body.append([title, number(correlations[name], 2), *by_verdict(found)])
    title = "words that go together: MEN (English alone)"
    body.append([title, number(correlation(of_slices), 2), *by_verdict(of_slices)])
    shown = (
        ("measured", "classes"),
        ("gold", "tags"),
        ("gold", "tags V"),
        ("gold", "classes"),
    )
    texts_rows = [
        [
            name,
            *(
                number(100 * value) if (value := row[side].get(key)) is not None else "–"
                for side, key in shown
            ),
        ]
        for name, row in rows.items()
    ]
    run.write(
        "What a text is large enough for",
        "`firth show MODEL` calls tags, classes and vectors weak, coarse or usable: tags by the size of the text, and "
        "weak if words are not used alike in two halves of it; classes and vectors by how much what is learned from "
        "the halves has in common. Here these words are compared with gold labels, in "
        f"{len(rows)} texts of seven languages. The first column is Spearman's correlation of the size or the "
        "stability with the gold figure over all texts (for vectors, over groups of words by frequency); the others "
        "have the mean gold figure, times 100, of what gets each verdict, with the lowest, the highest and the number "
        "of cases. The limits between the verdicts were set with these very texts in view. Tags differ least: "
        "many-to-one accuracy is above 55 even in a text of 1,000 tokens. Their verdict once followed the agreement of "
        "the halves, which goes with accuracy less than the size does (0.42 in the texts that have it, where the "
        "size has 0.65), and adds nothing to it: leaving out a language at a time, accuracy is predicted to within "
        "3.5 points (root mean square) by the agreement, 2.9 by the size, and 3.1 by both.",
        table(["", "correlation", "weak", "coarse", "usable"], body),
        None,
        "`tags/`, `words/men.dev` and `wiki.txt` of FIRTH_DATA",
        [
            (
                "the size of a text goes with tags' accuracy, seven languages",
                "–",
                number(correlations["tags"], 2),
            )
        ],
        "Agreement of the halves, and gold, for each text (language and tokens):\n\n"
        + table(
            [
                "text",
                "classes, halves",
                "tags, many-to-one",
                "tags, V",
                "classes, gold",
            ],
            texts_rows,
        ),
    )


if __name__ == "__main__":
    main()
