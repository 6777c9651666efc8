"""What morphs do for other models: tags with morphs as spelling features, and language models over morphs.

    FIRTH_DATA=... python -m experiments.morph_uses

Tags are learned and measured as in ``experiments.induction``. Language models are trigrams of tokens, of
words or of morphs, on the same text. Every unknown token is spelled out by a model of trigrams of
characters, which was learned from the unknown tokens of the training text. So both predict every character of the
test text, and bits per character can be compared.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from experiments.common import NONE, data, number, start, table
from experiments.induction import cell
from experiments.pos_induction import TREEBANKS, texts

import firth
from firth.corpus import GOES_ON, marked
from firth.formats import read_tagged
from firth.lm import LanguageModelParameters
from firth.morphs import has_parts
from firth.tags._word_morphs import morph_features
from firth.trees import read_trees

AFFIXES = {
    "letters": "first and last letters",
    "morphs": "morphs",
    "both": "letters and morphs",
}
SEEDS = range(2)
TEXTS = {
    "Indonesian": ("trees/icon-train.mrg", "trees/icon-dev.mrg"),
    "English": ("tags/en_ewt-train.conllu", "tags/en_ewt-dev.conllu"),
    "French": ("tags/fr_gsd-ud-train.conllu", "tags/fr_gsd-ud-dev.conllu"),
}
"""Training text and test text."""
RARE = 5
"""The default of ``--min-count``, below which a word is too rare for counts, vectors and classes."""
FEATURE = 5
"""How many words must have a spelling feature for it to count."""
_QUICK = 500
Sentences = list[list[str]]


def sentences_of(name: str, quick: bool) -> Sentences:
    """The sentences of a treebank."""
    if name.endswith(".mrg"):
        found = [tree.words for tree in read_trees(data(name))]
    else:
        found = [[word for word, _ in sentence] for sentence in read_tagged(data(name))]
    return found[:_QUICK] if quick else found


def divided(sentences: Sentences, splitter: Any) -> Sentences:
    """Every word as its parts, as the tokens ``morphs`` have it."""
    return [
        [token for parts in splitter.split_all(words) for token in marked(parts)]
        for words in sentences
    ]


def spelled(token: str) -> list[str]:
    """The characters of a token; what marks a part is one of them."""
    goes_on = token.startswith(GOES_ON)
    return [GOES_ON] * goes_on + list(token.removeprefix(GOES_ON) if goes_on else token)


def bits(train: Sentences, test: Sentences) -> tuple[float, float]:
    """The bits of a text, unknown tokens spelled out, and the share of its tokens that are unknown."""
    lm = firth.LanguageModel().fit(train)
    counts = Counter(token for sentence in train for token in sentence)
    least = LanguageModelParameters().min_count
    letters = firth.LanguageModel(min_count=1).fit(
        [spelled(token) for token, n in sorted(counts.items()) if n < least]
    )
    unknown = [spelled(token) for sentence in test for token in sentence if counts[token] < least]
    nats = lm.scores(test).log_prob.sum() + letters.scores(unknown).log_prob.sum()
    return -float(nats) / math.log(2), len(unknown) / sum(map(len, test))


def figures(language: str, over: str, quick: bool) -> dict[str, float]:
    """Rare and unknown tokens, and bits per character of the test text, over words or morphs."""
    train, test = (sentences_of(name, quick) for name in TEXTS[language])
    n_characters = sum(len(word) + 1 for words in test for word in words)
    n_words = sum(map(len, train))
    if over == "morphs":
        types = sorted({word for words in train for word in words if has_parts(word)})
        splitter = firth.Morphology().fit(types)
        train, test = divided(train, splitter), divided(test, splitter)
    vocabulary = firth.Corpus.from_sentences(train).vocabulary
    rare = 1 - vocabulary.counts[: vocabulary.n_kept(RARE)].sum() / vocabulary.counts.sum()
    found, unknown = bits(train, test)
    return {
        "n_words": n_words, "n_tokens": sum(map(len, train)), "n_types": len(vocabulary),
        "rare": float(rare), "unknown": unknown, "bits": found / n_characters,
    }  # fmt: skip


def tags_table(run: Any, languages: Sequence[str]) -> tuple[str, dict[str, list[float]]]:
    """Many-to-one accuracy by language, and the means of all three measures."""
    rows, means = [], {}
    for affixes, name in AFFIXES.items():
        by_language = [
            np.mean([cell(run, x, 12, seed, {"affixes": affixes})[:3] for seed in SEEDS], axis=0)
            for x in languages
        ]
        means[affixes] = [float(x) for x in np.mean(by_language, axis=0)]
        shown = [number(float(x[0])) for x in by_language]
        of_mean = f"**{means[affixes][0]:.1f}**", *map(number, means[affixes][1:])
        rows.append([f"{name} (`--affixes {affixes}`)", *shown, *of_mean])
    return table(["spelling", *languages, "mean", "one-to-one", "V-measure"], rows), means


def list_figures(language: str) -> dict[str, float]:
    """What a morphology makes of the words of a treebank: types, those with parts, and its endings."""
    words = list(texts(language)[0].vocabulary)
    names = morph_features(words)
    counts = Counter(name for some in names for name in some if name.startswith("ending "))
    whole = sum("ending " in some for some in names)
    kept = sum(n >= FEATURE for name, n in counts.items() if name != "ending ")
    return {"n_types": len(words), "ends": 1 - whole / len(words), "n_endings": kept}


def lists_table(run: Any, languages: Sequence[str]) -> str:
    """The words of the treebanks, and their endings."""
    found = [run.remember(f"list {x}", list_figures, x) for x in languages]
    rows = [
        ["types", *(f"{one['n_types']:,}" for one in found)],
        ["types with an ending", *(f"{100 * one['ends']:.0f} %" for one in found)],
        [f"endings of at least {FEATURE} types", *(f"{one['n_endings']:,}" for one in found)],
    ]
    return table(["treebank", *languages], rows)


def tokens_table(run: Any) -> tuple[str, dict[str, list[dict[str, float]]]]:
    """Words and morphs as tokens."""
    rows, found = [], {}
    for language in TEXTS:
        found[language] = [
            run.remember(f"{language} {over}", figures, language, over, run.quick)
            for over in ("words", "morphs")
        ]
        for over, one in zip(("words", "morphs"), found[language], strict=True):
            sizes = f"{one['n_tokens']:,}", f"{one['n_types']:,}"
            shares = (f"{100 * one[key]:.1f} %" for key in ("rare", "unknown"))
            rows.append([language, over, *sizes, *shares, f"{one['bits']:.3f}"])
    head = ["text", "tokens", "number", "types", f"fewer than {RARE} times", "unknown", "bits"]
    return table(head, rows), found


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--languages", default=",".join(TREEBANKS), help="those of the table of tags"
    )


def main() -> None:
    run = start("morph_uses", __doc__, _options)
    languages = ["it", "ja"] if run.quick else run.options.languages.split(",")
    tokens, over = tokens_table(run)
    tags, means = tags_table(run, languages)
    words, morphs = over["Indonesian"]
    run.write(
        "Morphs as tokens and as spelling features",
        f"""Language models over words and over morphs (`--tokens morphs`): tokens that occur fewer than
{RARE} times in the training text, tokens of the test text that are unknown to the model (words that
occur once count as unknown), and bits per character of the test text. The model is one of trigrams of
tokens. An unknown token is spelled out by trigrams of characters, learned from the unknown tokens of the
training text, so that every character is predicted in either case. The morphology is learned from the
words of the training text alone. Indonesian is agglutinative; English and French are there to compare.""",
        tokens,
        None,
        "data: `trees/icon-*.mrg`, `tags/en_ewt-*.conllu`, `tags/fr_gsd-ud-*.conllu`, `tags/*.conllu`",
        [
            (
                f"Indonesian over words, over morphs: tokens that occur fewer than {RARE} times, bits per character",
                NONE,
                f"{100 * words['rare']:.1f} to {100 * morphs['rare']:.1f} %, "
                f"{words['bits']:.3f} to {morphs['bits']:.3f}",
            ),
            (
                f"Many-to-one, 12 tags, mean of {len(languages)} languages: `--affixes letters`, `morphs`, `both`",
                NONE,
                ", ".join(f"{mean[0]:.1f}" for mean in means.values()),
            ),
        ],
        f"""Tags by clustering and mutual information (`firth tags learn`), with morphs as spelling
features instead of first and last letters, or beside them: many-to-one accuracy in % by language with 12
tags, means over {len(SEEDS)} seeds, and means over the languages of the other measures. Data and measures
are those of the sections on parts of speech. No setting was chosen on these figures.

{tags}

The morphology is learned from the words of each treebank. On such small lists, much stays whole:

{lists_table(run, languages)}""",
    )


if __name__ == "__main__":
    main()
