"""Language models with word classes (Manning and Schütze 1999, 14.1.3; Goodman 2001).

    FIRTH_DATA=... python -m experiments.class_lm

Perplexities of word models, class models and mixtures of both. Mixture weights are estimated on
held-out text, which is used neither for training nor for testing. Options are also compared on
held-out text, with weights from the other half of it. Differences have paired bootstrap intervals
over blocks of sentences.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from experiments.class_mixtures import BUCKETS, Part, Sentences, Setting, Stage
from experiments.common import COLOURS, Run, data, graph_objects, plain_layout, start, table

import firth
from firth.classes import mutual_information

HELD_OUT = 0.1
"""The held-out fraction of the Penn Treebank's training text."""
WIKI_WORDS, WIKI_HELD_OUT, WIKI_VOCABULARY = 5_000_000, 300_000, 30_000
BASE = "words, trigrams"
WORDS: Part = ("words", 3)
BIGRAMS = "word bigrams and classes (compared with word bigrams)"

SIZES = {"ptb": ((50, 100, 200, 500, 1000, 2000), 200), "wiki": ((100, 200, 500, 1000, 2000), 500)}
"""The numbers of classes that are tried, and the best one on held-out text; all but the extremes are mixed."""

Rows = dict[str, tuple[list[Part], str]]
Found = dict[str, dict[str, dict[str, Any]]]
"""Rows by corpus and by name."""


def ptb(run: Run) -> Setting:
    """The last tenth of the training text is held out for the weights; the final models are trained on all of it."""
    train, valid = (
        [line.split() for line in data(f"lm/ptb.{name}.txt").open(encoding="utf-8")]
        for name in ("train", "valid")
    )
    if run.quick:
        train, valid = train[:6000], valid[:500]
    cut = round((1 - HELD_OUT) * len(train))
    folder = run.shelf("class_lm")
    return Setting(
        "ptb",
        Stage("ptb-part", "ptb-part", folder, train[:cut], train[cut:]),
        Stage("ptb", "ptb", folder, train, valid),
    )


def wiki(run: Run) -> Setting:
    """Three consecutive parts of the text: training, held-out for the weights, test."""
    corpus = firth.Corpus.from_files(run.text("wiki17"), split="sentences", threads=2)
    sentences = corpus.sentences()
    train, held_out, measured = (
        take(sentences, n) for n in (WIKI_WORDS, WIKI_HELD_OUT, WIKI_HELD_OUT)
    )
    folder = run.shelf("class_lm")
    return Setting(
        "wiki",
        Stage("wiki-held-out", "wiki", folder, train, held_out, WIKI_VOCABULARY),
        Stage("wiki", "wiki", folder, train, measured, WIKI_VOCABULARY),
    )


def take(sentences: Any, n_words: int) -> Sentences:
    """Whole sentences with the given number of words in total."""
    found: Sentences = []
    for sentence in sentences:
        found.append(sentence)
        n_words -= len(sentence)
        if n_words <= 0:
            break
    return found


def exchange(sizes: tuple[int, ...], order: int) -> list[Part]:
    return [("classes", f"exchange {n}", order) for n in sizes]


def predictive(sizes: tuple[int, ...], depth: int) -> list[Part]:
    return [("predictive", f"exchange {n}", f"exchange {n}", depth) for n in sizes]


def rows_of(counts: tuple[int, ...], best: int) -> dict[str, Rows]:
    """The rows of each section: name, mixed models, and what the weights depend on."""
    usual, sizes = BUCKETS[0], counts[1:-1]
    three = sizes[:3]
    methods = [f"{method} {best}" for method in ("brown", "spectral", "spectral-root", "exchange")]
    one = f"exchange {best}"

    def alone(*parts: Part) -> tuple[list[Part], str]:
        return list(parts), usual

    def both(*parts: Part) -> tuple[list[Part], str]:
        return [WORDS, *parts], usual

    most = [*exchange(sizes, 5), *predictive(three, 4)]
    return {
        "words": {
            f"words, {name}": alone(("words", k))
            for k, name in ((2, "bigrams"), (3, "trigrams"), (4, "4-grams"), (5, "5-grams"))
        },
        "classes alone": {
            f"{name}, {what}": alone(("classes", name, order))
            for name in methods
            for order, what in ((2, "bigrams (14.10)"), (3, "trigrams"))
        },
        BIGRAMS: {
            f"{name}, bigrams": ([("words", 2), ("classes", name, 2)], usual)
            for name in methods
        },
        "word trigrams and classes": {
            f"{name}, {what}": both(("classes", name, order))
            for name in methods
            for order, what in ((2, "bigrams"), (3, "trigrams"))
        },
        "number of classes": {
            f"exchange {n}, trigrams": both(("classes", f"exchange {n}", 3))
            for n in counts
            if n != best
        },
        "longer class n-grams": {
            f"{one}, {order}-grams": both(("classes", one, order)) for order in (4, 5)
        },
        "dependence of the weights": {
            f"{one}, trigrams; {kind}": ([WORDS, ("classes", one, 3)], kind) for kind in BUCKETS[1:]
        },
        "several clusterings": {
            "all three methods, trigrams": both(*[("classes", name, 3) for name in methods if "root" not in name]),
            "several sizes, trigrams": both(*exchange(sizes, 3)),
            "several sizes, 5-grams": both(*exchange(sizes, 5)),
        },
        "predictive, alone": {
            f"two words, {one}": alone(("predictive", one, None, 2)),
            f"class back-off, two words, {one}": alone(*predictive((best,), 2)),
            f"the same, {one}, exchange {sizes[-1]} for the history": alone(
                ("predictive", one, f"exchange {sizes[-1]}", 2)
            ),
            f"class back-off, three words, {one}": alone(*predictive((best,), 3)),
            f"class back-off, four words, {one}": alone(*predictive((best,), 4)),
        },
        "predictive and word trigrams": {
            f"two words, {one}": both(("predictive", one, None, 2)),
            f"class back-off, two words, {one}": both(*predictive((best,), 2)),
            f"class back-off, four words, {one}": both(*predictive((best,), 4)),
            "class back-off, four words, several sizes": both(*predictive(three, 4)),
        },
        "all combined": {
            "word trigrams, class 5-grams, predictive": both(*most),
            "the same with word 5-grams": alone(("words", 5), *most),
        },
    }  # fmt: skip


def measured(run: Run, setting: Setting, rows: dict[str, Rows]) -> dict[str, dict[str, Any]]:
    """All rows, from the cache if possible."""
    found: dict[str, dict[str, Any]] = {}
    for section, some in rows.items():
        for name, (parts, kind) in some.items():
            key = f"{setting.name}, {section}: {name}"
            found[f"{section}: {name}"] = run.remember(
                key, setting.row, parts, kind, 2 if section == BIGRAMS else 3
            )
    return found


def shown(setting: str, rows: dict[str, Rows], found: dict[str, dict[str, Any]]) -> str:
    lines = []
    for section, some in rows.items():
        lines.append([f"**{section}**", "", "", ""])
        for name in some:
            here = found[f"{section}: {name}"]
            saved = f"{here['saved']:+.3f} ({here['low']:+.3f} to {here['high']:+.3f})"
            significant = here["low"] > 0 or here["high"] < 0
            saved = "" if name == BASE else f"**{saved}**" if significant else saved
            lines.append([name, f"{here['held_out']:.1f}", f"{here['perplexity']:.1f}", saved])
    return table([setting, "held-out", "test", "bits per word saved"], lines)


def information(stage: Stage, name: str) -> dict[str, float]:
    """Both sides of (14.14), in bits, on the training text, with sentence ends as words."""
    text = stage.padded(stage.learned).symbols
    text = text[text != stage.begin]
    classes = stage.symbols(name)[text]
    n = int(classes.max()) + 1
    of_words, of_classes = np.bincount(text), np.bincount(classes, minlength=n)
    follow = np.bincount(classes[:-1] * n + classes[1:], minlength=n * n).reshape(n, n)
    p = of_words[of_words > 0] / len(text)
    entropy = float(-(p * np.log2(p)).sum())
    shared = mutual_information(follow, of_classes) / math.log(2)
    first = follow.sum(axis=1)
    log_p = np.log2(follow[classes[:-1], classes[1:]] / first[classes[:-1]])
    log_p += np.log2(of_words[text[1:]] / of_classes[classes[1:]])
    return {"H": entropy, "I": shared, "measured": float(-log_p.mean())}


def check(run: Run, setting: Setting, best: int) -> list[list[str]]:
    """Table rows for (14.14)."""
    lines = []
    for method in ("brown", "spectral", "exchange"):
        name = f"{method} {best}"
        key = f"{setting.name}, 14.14, {name}"
        found = run.remember(key, information, setting.measured, name)
        values = found["H"], found["I"], found["H"] - found["I"], found["measured"]
        lines.append([setting.name, name, *(f"{value:.5f}" for value in values)])
    return lines


def compared(run: Run, setting: Setting, n: int) -> list[list[str]]:
    """Methods compared with each other, alone and mixed with words; and a predictive model with word 5-grams."""
    lines = []

    def add(name: str, parts: list[Part], others: list[Part]) -> None:
        key = f"{setting.name}, difference: {name}"
        value, low, high = run.remember(key, setting.difference, parts, others)
        lines.append([setting.name, name, f"{value:+.3f} ({low:+.3f} to {high:+.3f})"])

    for better, worse in (
        ("exchange", "brown"), ("brown", "spectral-root"), ("spectral-root", "spectral"),
    ):  # fmt: skip
        one, other = (("classes", f"{method} {n}", 3) for method in (better, worse))
        add(f"{better} over {worse}, {n} classes, trigrams", [one], [other])
        add(f"the same, mixed with words ({better})", [WORDS, one], [WORDS, other])
    add("predictive, four words, over word 5-grams", predictive((n,), 4), [("words", 5)])
    return lines


SHOWN = {
    "words: words, trigrams": "words, trigrams", "words: words, 5-grams": "words, 5-grams",
    "word trigrams and classes: spectral-root {}, trigrams": "words and spectral classes",
    "word trigrams and classes: brown {}, trigrams": "words and Brown classes",
    "word trigrams and classes: exchange {}, trigrams": "words and exchange classes",
    "longer class n-grams: exchange {}, 5-grams": "words and class 5-grams",
    "several clusterings: several sizes, 5-grams": "words and class 5-grams of several sizes",
    "predictive, alone: two words, exchange {}": "predictive, two words",
    "predictive, alone: class back-off, four words, exchange {}": "predictive, four words, class back-off",
    "predictive and word trigrams: class back-off, four words, several sizes": "words and three predictive models",
    "all combined: word trigrams, class 5-grams, predictive": "all combined",
}  # fmt: skip
"""The rows of the figure, with their labels."""


def drawn(found: Found, best: dict[str, int]) -> Any:
    """Perplexities relative to word trigrams."""
    graph = graph_objects()
    figure = graph.Figure(
        layout=plain_layout("Perplexity relative to word trigrams", "%", "", height=460, width=900)
    )
    marks = zip(found, COLOURS, ("circle", "diamond"), strict=False)
    for name, colour, symbol in marks:
        here = [found[name][key.format(best[name])]["perplexity"] for key in SHOWN]
        figure.add_scatter(
            x=[100 * value / here[0] for value in here][::-1], y=list(SHOWN.values())[::-1],
            mode="markers", name=name, marker={"color": colour, "size": 11, "symbol": symbol},
        )  # fmt: skip
    figure.update_layout(margin={"l": 330}, yaxis={"title": None})
    return figure


TEXT = """Perplexities, counting sentence ends and unknown words as words. Manning and Schütze
report 244 for words, 277 for classes and 236 for both together, on a different corpus (Brown et al.
1992; a larger corpus, 1,000 classes).

*Data.* On the Penn Treebank (`ptb`, with its usual vocabulary of 10,000 words), the last tenth of
the training text is held out. Models trained on the rest are used to estimate the mixture weights;
then all models are retrained on the whole training text and tested on `ptb.valid.txt`. Wikipedia
(`wiki`) is divided into three consecutive parts: {wiki_words:,} words for training (with a
vocabulary of {vocabulary:,} words; all others are one symbol), {held_out:,} for the weights, and
{held_out:,} for testing.

*Columns.* *Held-out* is the perplexity on the held-out text, where each half is predicted with
weights from the other half. On `ptb`, all choices (number of classes, models, dependence of the
weights) were made by this column and not by `ptb.valid.txt`; on `wiki`, only the number of classes
was chosen, by the same column there. The last column gives the bits per word saved compared with
word trigrams, with 95 % intervals from a paired bootstrap over blocks of 20 sentences; significant
differences are bold.

*Models.* All models are by `firth.lm`, each with the discounts of Chen and Goodman.
*Spectral-root* classes use square roots of counts, one word on
either side, kappa 10 and 100 dimensions. *Several sizes* are exchange classes of all sizes in the
table except the smallest and the largest; for predictive models, the first three of these.
*Predictive* models (Goodman 2001) predict the class of the next word from the history, then the
word from its class and the history, P(w | h) = P(c | h) P(w | c, h). Both factors are smoothed like
any other model. With *class back-off*, the history consists of the class of the last word, the word
itself, the class of the word before it, that word, and so on, and the most distant element is
dropped first.

`firth lm learn` puts more of them together than any row of the table, and fits their discounts to held-out text: on
`ptb.valid.txt` it has a perplexity of 117.7, and of 100.9 with a cache (2026-11-18, commands in
[how language models work](../how/language-models.md#the-mixture)).

*Results.* Class models alone are worse than word models, and mixtures of both are better than word
models, as in the book (words, classes, both: {plain}). Exchange classes are better than Brown
classes, and Brown classes better than spectral ones, both alone and mixed with words (see the table
below the figure). 200 classes are best for the smaller corpus and 500 for the larger one; fewer or
more are worse. What helps most is not in the book: longer class n-grams, several clusterings of
different sizes in one mixture, and predictive models. A single predictive model with class back-off
and a history of four words is better than word 5-grams (word 5-grams, predictive: {alone}). All
combined: {most}. The dependence of the weights on the history makes almost no difference. Finer
classes for the history than for the predicted word are worse."""


def perplexities(found: Found, best: dict[str, int], *keys: str) -> str:
    """The perplexities of some rows, for each corpus."""
    figures = {
        name: [f"{here[key.format(best[name])]['perplexity']:.1f}" for key in keys]
        for name, here in found.items()
    }
    return "; ".join(f"{name} {', '.join(values)}" for name, values in figures.items())


def main() -> None:
    run = start("class_lm", __doc__)
    settings = [ptb(run)] if run.quick else [ptb(run), wiki(run)]
    found: Found = {}
    tables, checks, differences, best = [], [], [], {}
    for setting in settings:
        counts, n = ((20, 50, 100, 200), 50) if run.quick else SIZES[setting.name]
        rows = rows_of(counts, n)
        found[setting.name], best[setting.name] = measured(run, setting, rows), n
        tables.append(shown(setting.name, rows, found[setting.name]))
        checks += check(run, setting, n)
        differences += compared(run, setting, n)
    words, five = "words: words, trigrams", "words: words, 5-grams"
    classes = "classes alone: exchange {}, trigrams"
    both = "word trigrams and classes: exchange {}, trigrams"
    alone = "predictive, alone: class back-off, four words, exchange {}"
    every = "all combined: the same with word 5-grams"
    head = ["corpus", "classes", "H(w)", "I(c1;c2)", "H(w) − I(c1;c2)", "cross-entropy"]
    run.write(
        "Language models with word classes (Manning and Schütze 1999, 14.1.3)",
        TEXT.format(
            wiki_words=WIKI_WORDS, vocabulary=WIKI_VOCABULARY, held_out=WIKI_HELD_OUT,
            plain=perplexities(found, best, words, classes, both), alone=perplexities(found, best, five, alone),
            most=perplexities(found, best, every),
        ),
        "\n\n".join(tables),
        drawn(found, best),
        "data: `lm/ptb.train.txt`, `lm/ptb.valid.txt`, the first 5.6 million words of `wiki.txt`",
        [
            ("Perplexity of words, classes and both (trigrams)", "244, 277, 236",
             perplexities(found, best, words, classes, both)),
            ("The same with 5-grams, several clusterings and predictive models: words, both", "–",
             perplexities(found, best, five, every)),
        ],
        "Direct comparisons, in bits per word saved:\n\n"
        f"{table(['corpus', 'comparison', 'bits'], differences)}\n\n"
        "Equation 14.14, in bits: on its training text, the cross-entropy of the class bigram model without "
        "smoothing is H(w) − I(c1;c2). The text is treated as one sequence, with sentence ends as words. The "
        "remaining difference is the approximation made in the book, since the first word has no predecessor.\n\n"
        f"{table(head, checks)}\n\n",
    )  # fmt: skip


if __name__ == "__main__":
    main()
