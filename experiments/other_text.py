"""Part-of-speech induction with contexts from other text (``tags learn --using``).

    FIRTH_DATA=... python -m experiments.other_text

Tags are induced from parts of the English treebank, alone and with contexts from Wikinews. The measures are
those of ``experiments.pos_induction``.
"""

from __future__ import annotations

import numpy as np
from experiments.common import NONE, Run, data, number, start, table
from experiments.pos_induction import by, part_names, texts

import firth
from firth.formats import read_tagged

SIZES = (0, 35_000, 95_000, 10**9)
"""How many tokens of the training part are added to the development part."""
SEEDS = range(10, 15)
"""None of those with which it was chosen how much other text counts."""

CHOICE = """Words are clustered by the contexts of the treebank alone. In the last step, where mutual
information is increased, a word also has at most 20 contexts from the other text, those of 10 occurrences,
in the proportions they have there. Every seed gains with up to 120,158 tokens. With the whole treebank, three
of five seeds gain up to 0.8 points of many-to-one accuracy and two lose 5.9 and 2.7, so the mean falls, by
less than seeds differ. The seed that loses most (11) is not stable: many-to-one accuracy falls from 78.2 to
72.0 also if rows are merely computed again before the last step, without other text.

The rule was chosen on English, on the same treebank, with seeds 0 to 6; the table above has other seeds. Other
rules that were tried, with many-to-one accuracy and V-measure, and in brackets the number of seeds, which
were not the same in all rows (2026-11-18, mostly with a one-off script that was not kept):

| contexts from the other text | 25,147 tokens | 120,158 tokens | 229,724 tokens |
| --- | --- | --- | --- |
| none | 73.0, 58.7 (5) | 75.1, 61.4 (6) | 76.4, 63.2 (6) |
| at most 200, from the beginning | 75.0, 61.4 (3) | 73.3, 61.0 (2) | 72.5, 60.8 (2) |
| at most 20, from the beginning | 75.4, 62.4 (3) | 75.3, 63.1 (5) | 76.7, 64.0 (6) |
| at most 10, from the beginning | 75.5, 61.5 (2) | 75.3, 62.7 (3) | 75.1, 62.5 (5) |
| up to 10 occurrences in all, from the beginning | 73.8, 60.9 (4) | 74.2, 61.9 (4) | 72.8, 61.5 (3) |
| up to 5 occurrences in all, from the beginning | 74.4, 60.8 (6) | 74.7, 62.1 (7) | 76.5, 63.3 (6) |
| at most 200, in the last step | 75.3, 62.4 (2) | 74.5, 62.6 (2) | 76.3, 63.5 (2) |
| at most 20, in the last step | 75.1, 62.2 (3) | 76.2, 62.9 (3) | 76.9, 64.1 (3) |

Variants of the last row were tried on the seeds that lose, 11 and 13, with the whole treebank: 72.3 and 73.0
became 71.9 and 76.4 when words got contexts up to 10 occurrences in all, 72.4 and 76.1 up to 5, and 70.5 and 73.2
when rows were computed by the clusters of the round before. With the five seeds of the first table and the whole
treebank, at most 20 contexts from the beginning give 74.7, 63.1.
"""
"""How it was chosen in which steps other text counts, and how much."""


def sentences(language: str) -> list[list[list[str]]]:
    """The words of both parts of a treebank."""
    return [
        [[word for word, _ in sentence] for sentence in read_tagged(data(f"tags/{name}"))]
        for name in part_names(language)
    ]


def english(n_tokens: int) -> firth.Corpus:
    """The development part, after the first tokens of the training part."""
    train, dev = sentences("en")
    ends = np.cumsum([len(sentence) for sentence in train])
    n = int(np.searchsorted(ends, n_tokens)) + 1 if n_tokens else 0
    return firth.Corpus.from_sentences(train[:n] + dev)


def figures(corpus: firth.Corpus, using: firth.Corpus | None, seed: int) -> list[float]:
    return by(firth.MutualInformationTagger(12, seed=seed).fit(corpus, using), texts("en")[1])


def using_table(run: Run, sizes: tuple[int, ...]) -> tuple[str, list[list[float]]]:
    """Many-to-one accuracy and V-measure for each size, with and without other text; and the differences."""
    rows, gains = [], []
    for size in sizes:
        corpus, means = english(size), []
        for helper in ("", "wikinews"):
            found = np.array(
                [
                    run.remember(f"{corpus.n_tokens} and {helper or 'nothing'} {seed}", figures, corpus,
                                 run.corpus(helper) if helper else None, seed)
                    for seed in SEEDS
                ]
            )  # fmt: skip
            means.append(found.mean(axis=0))
            spread = found[:, 0].max() - found[:, 0].min()
            shown = *map(number, means[-1][[0, 2]].tolist()), number(float(spread))
            rows.append([f"{corpus.n_tokens:,} tokens", helper or "none", *shown])
        gains.append((means[1] - means[0]).tolist())
    return table(["training text", "`--using`", "many-to-one", "V-measure", "spread"], rows), gains


def main() -> None:
    run = start("other_text", __doc__)
    first, gains = using_table(run, SIZES[:1] if run.quick else SIZES)
    run.write(
        "Parts of speech with contexts from other text",
        f"""`firth tags learn --using MODEL`: contexts that words have in another text are counted too.
English, 12 tags: the development part of the treebank, which is scored, with none, some or all of the
training part; the other text is Wikinews (5 million tokens). Means over {len(SEEDS)} seeds; *spread* is the
difference of the highest and the lowest many-to-one accuracy.""",
        first,
        None,
        "data: `tags/en_ewt-*.conllu`, `text/wikinews.txt.xz`",
        [
            (
                "Many-to-one accuracy and V-measure gained by `--using` Wikinews, 25,147 and 229,724 tokens",
                NONE,
                ", ".join(f"{gain[0]:+.1f} and {gain[2]:+.1f}" for gain in (gains[0], gains[-1])),
            )
        ],
        CHOICE,
    )


if __name__ == "__main__":
    main()
