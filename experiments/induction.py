"""Part-of-speech induction by clustering and mutual information, in seven languages.

    FIRTH_DATA=... python -m experiments.induction

The data and the measures are those of ``experiments.pos_induction``.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from experiments.common import Run, number, start, table
from experiments.pos_induction import TREEBANKS, anchors, by, texts

import firth

SEEDS = range(3)
FEW_SEEDS = range(2)
"""For 45 tags."""
NEW, RESERVED = "mutual information", "mutual information, reserved tags"
METHODS: dict[str, dict[str, Any]] = {
    "clustering alone": {"steps": 0},
    "clustering alone, reserved tags": {"steps": 0, "reserve": True},
    NEW: {},
    RESERVED: {"reserve": True},
}
SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "8 dimensions": {"dim": 8},
    "16 dimensions": {"dim": 16},
    "sharing 5": {"sharing": 5.0},
    "3 rounds": {"cluster_rounds": 3},
}
"""What is chosen from for a language, by the mean of the other languages."""


def seeds(language: str, m: int, how: dict[str, Any], some: range) -> list[list[float]]:
    """The three figures and the seconds for each seed."""
    corpus, text = texts(language)
    found = []
    for seed in some:
        begun = time.perf_counter()
        tagger = firth.MutualInformationTagger(m, seed=seed, **how).fit(corpus)
        seconds = time.perf_counter() - begun
        found.append([*by(tagger, text), seconds])
    return found


def main_table(run: Run, languages: list[str], m: int) -> tuple[str, dict[str, list[float]]]:
    """Many-to-one accuracy by language, and the means of all three measures."""
    old = [run.remember(f"anchors {language} {m}", anchors, *texts(language), m) for language in languages]
    rows = [_row("anchors, sharing, refined", [[cell] for cell in old])]
    means = {}
    for name, how in METHODS.items():
        if m > 12 and "alone" in name:
            continue
        cells = [
            run.remember(f"{name} {language} {m}", seeds, language, m, how, SEEDS if m == 12 else FEW_SEEDS)
            for language in languages
        ]
        rows.append(_row(name, cells))
        means[name] = [float(x) for x in np.mean([np.mean(cell, axis=0) for cell in cells], axis=0)]
    return table([f"{m} tags", *languages, "mean", "one-to-one", "V-measure", "spread"], rows), means


def _row(name: str, cells: list[list[list[float]]]) -> list[str]:
    """A line of the table; the spread is the standard deviation of the mean over the languages."""
    by_language = [np.mean(cell, axis=0) for cell in cells]
    means = np.mean(by_language, axis=0)
    spread = np.std(np.mean([[seed[0] for seed in cell] for cell in cells], axis=0), ddof=1) if len(cells[0]) > 1 else 0
    shown = [*(number(float(x[0])) for x in by_language), f"**{means[0]:.1f}**"]
    return [name, *shown, number(float(means[1])), number(float(means[2])), number(float(spread))]


def settings_table(run: Run, languages: list[str]) -> tuple[str, float, float]:
    """Settings by language, one seed, and what is chosen for each language by the other languages."""
    found = {
        name: [
            run.remember(f"{name} {language}", seeds, language, 12, how, range(1))[0]
            for language in languages
        ]
        for name, how in SETTINGS.items()
    }
    rows = []
    for name, cells in found.items():
        means = np.mean(cells, axis=0)
        rows.append([name, *(number(cell[0]) for cell in cells), f"**{means[0]:.1f}**", number(float(means[2]))])
    chosen = []
    for k in range(len(languages)):
        others = {n: np.mean([c[0] for j, c in enumerate(cells) if j != k]) for n, cells in found.items()}
        chosen.append(found[max(others, key=lambda n: float(others[n]))][k])
    means = np.mean(chosen, axis=0)
    rows.append(["chosen by the other languages", *(number(cell[0]) for cell in chosen), f"**{means[0]:.1f}**",
                 number(float(means[2]))])  # fmt: skip
    return table(["12 tags", *languages, "mean", "V-measure"], rows), float(means[0]), float(means[2])


def using_table(run: Run, helpers: tuple[str, ...]) -> str:
    """English with contexts from larger corpora, for a small and a larger treebank."""
    large, text = texts("en")
    small = firth.Corpus.from_sentences([[word for word, _ in sentence] for sentence in text])

    def figures(corpus: firth.Corpus, helper: str) -> list[float]:
        using = run.corpus(helper) if helper else None
        found = [
            by(firth.MutualInformationTagger(12, seed=seed).fit(corpus, using), text) for seed in SEEDS
        ]
        return [float(x) for x in np.mean(found, axis=0)]

    rows = []
    for size, corpus in (("small", small), ("large", large)):
        for helper in ("", *helpers):
            cell = run.remember(f"using {helper or 'nothing'} {size}", figures, corpus, helper)
            rows.append([f"{corpus.n_tokens:,} tokens", helper or "none", number(cell[0]), number(cell[2])])
    return table(["training text", "`using`", "many-to-one", "V-measure"], rows)
