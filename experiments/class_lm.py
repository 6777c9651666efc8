"""Language models with word classes (Manning and Schuetze 1999, 14.1.3; Brown and others 1992; Goodman 2001).

    FIRTH_DATA=... python -m experiments.class_lm

Perplexities of words, of classes, and of mixtures of both. Weights of mixtures are learned on held-out text, which is
neither learned from nor measured. Options are compared by the held-out text, too: weights from one half of it, the
other half measured. Differences have paired bootstrap intervals over blocks of sentences.
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
"""The share of the Penn Treebank's training text that is held out."""
WIKI_WORDS, WIKI_HELD_OUT, WIKI_VOCABULARY = 5_000_000, 300_000, 30_000
BASE = "words, trigrams"
WORDS: Part = ("words", 3)
BIGRAMS = "word bigrams and classes, against word bigrams"

SIZES = {"ptb": ((50, 100, 200, 500, 1000, 2000), 200), "wiki": ((100, 200, 500, 1000, 2000), 500)}
"""How many classes are tried, and the number that is best on held-out text; all but the ends are mixed."""

Rows = dict[str, tuple[list[Part], str]]
Found = dict[str, dict[str, dict[str, Any]]]
"""Rows by text and by name."""


def ptb(run: Run) -> Setting:
    """The last tenth of the training text is held out for weights; all of it is learned from for what is measured."""
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
    """Three parts of the text, one after the other: learned from, held out for weights, measured."""
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
    """Whole sentences of so many words."""
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
    """What is measured, in parts: the name of a row, what is mixed, and on what the weights depend."""
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
        "how many classes": {
            f"exchange {n}, trigrams": both(("classes", f"exchange {n}", 3))
            for n in counts
            if n != best
        },
        "longer sequences of classes": {
            f"{one}, {order}-grams": both(("classes", one, order)) for order in (4, 5)
        },
        "what weights depend on": {
            f"{one}, trigrams; {kind}": ([WORDS, ("classes", one, 3)], kind) for kind in BUCKETS[1:]
        },
        "several clusterings": {
            "all three methods, trigrams": both(*[("classes", name, 3) for name in methods if "root" not in name]),
            "many, trigrams": both(*exchange(sizes, 3)),
            "many, 5-grams": both(*exchange(sizes, 5)),
        },
        "predictive, alone": {
            f"by two words, {one}": alone(("predictive", one, None, 2)),
            f"falling back to classes, two words, {one}": alone(*predictive((best,), 2)),
            f"the same, {one}, exchange {sizes[-1]} before": alone(
                ("predictive", one, f"exchange {sizes[-1]}", 2)
            ),
            f"falling back to classes, three words, {one}": alone(*predictive((best,), 3)),
            f"falling back to classes, four words, {one}": alone(*predictive((best,), 4)),
        },
        "predictive and word trigrams": {
            f"by two words, {one}": both(("predictive", one, None, 2)),
            f"falling back to classes, two words, {one}": both(*predictive((best,), 2)),
            f"falling back to classes, four words, {one}": both(*predictive((best,), 4)),
            "falling back to classes, four words, many": both(*predictive(three, 4)),
        },
        "everything": {
            "trigrams of words, 5-grams of classes, predictive": both(*most),
            "the same with 5-grams of words": alone(("words", 5), *most),
        },
    }  # fmt: skip


def measured(run: Run, setting: Setting, rows: dict[str, Rows]) -> dict[str, dict[str, Any]]:
    """All rows, each remembered."""
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
            told = f"{here['saved']:+.3f} ({here['low']:+.3f} to {here['high']:+.3f})"
            sure = here["low"] > 0 or here["high"] < 0
            told = "" if name == BASE else f"**{told}**" if sure else told
            lines.append([name, f"{here['held_out']:.1f}", f"{here['perplexity']:.1f}", told])
    return table([setting, "held out", "measured", "bits a word saved"], lines)


def information(stage: Stage, name: str) -> dict[str, float]:
    """Both sides of (14.14), in bits, on the text that is learned from, ends of sentences being words."""
    text = stage.padded(stage.learned)
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
    """Rows of a table for (14.14)."""
    lines = []
    for method in ("brown", "spectral", "exchange"):
        name = f"{method} {best}"
        key = f"{setting.name}, 14.14, {name}"
        found = run.remember(key, information, setting.measured, name)
        values = found["H"], found["I"], found["H"] - found["I"], found["measured"]
        lines.append([setting.name, name, *(f"{value:.5f}" for value in values)])
    return lines


def compared(run: Run, setting: Setting, n: int) -> list[list[str]]:
    """Methods against each other, alone and beside words; and the best model of one kind against 5-grams of words."""
    lines = []

    def add(name: str, parts: list[Part], others: list[Part]) -> None:
        key = f"{setting.name}, difference: {name}"
        value, low, high = run.remember(key, setting.difference, parts, others)
        lines.append([setting.name, name, f"{value:+.3f} ({low:+.3f} to {high:+.3f})"])

    for better, worse in (
        ("exchange", "brown"), ("brown", "spectral-root"), ("spectral-root", "spectral"),
    ):  # fmt: skip
        one, other = (("classes", f"{method} {n}", 3) for method in (better, worse))
        add(f"{better} against {worse}, {n} classes, trigrams", [one], [other])
        add(f"the same beside words ({better})", [WORDS, one], [WORDS, other])
    add("predictive, four words, against 5-grams of words", predictive((n,), 4), [("words", 5)])
    return lines


SHOWN = {
    "words: words, trigrams": "words, trigrams", "words: words, 5-grams": "words, 5-grams",
    "word trigrams and classes: spectral-root {}, trigrams": "words and spectral classes",
    "word trigrams and classes: brown {}, trigrams": "words and Brown's classes",
    "word trigrams and classes: exchange {}, trigrams": "words and exchange classes",
    "longer sequences of classes: exchange {}, 5-grams": "words and 5-grams of classes",
    "several clusterings: many, 5-grams": "words and 5-grams of several clusterings",
    "predictive, alone: by two words, exchange {}": "predictive, two words",
    "predictive, alone: falling back to classes, four words, exchange {}": "predictive, four words and classes",
    "predictive and word trigrams: falling back to classes, four words, many": "words and three predictive models",
    "everything: trigrams of words, 5-grams of classes, predictive": "everything",
}  # fmt: skip
"""Rows of the picture, and what they are called there."""


def drawn(found: Found, best: dict[str, int]) -> Any:
    """Perplexities in percent of that of word trigrams."""
    graph = graph_objects()
    figure = graph.Figure(
        layout=plain_layout(
            "Perplexity, in percent of that of word trigrams", "%", "", height=460, width=900
        )
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


TEXT = """Perplexities, ends of sentences and unknown words counted as words. The chapter reports 244 for words, 277
for classes and 236 for both together, on another text (Brown and others 1992; a larger text, 1,000 classes). On the
Penn Treebank (`ptb`, its usual 10,000 words) the last tenth of the training text is held out: models learned from the
rest give the weights of mixtures; then all models are learned again from the whole training text and measured on
`ptb.valid.txt`. Of Wikipedia (`wiki`) three parts follow each other: {wiki_words:,} words are learned from (with the
{vocabulary:,} most frequent words; all others are one symbol), {held_out:,} give the weights, {held_out:,} are
measured. *Held out* is the perplexity of the held-out text, where weights come from its one half and its other half
is measured. All choices (how many classes, which parts, on what weights depend) were made by that column on `ptb`,
not by `ptb.valid.txt`; on `wiki` the number of classes only, by that column there. The last column has the bits a
word that are saved against trigrams of words, with the middle 95 % of a paired bootstrap over blocks of 20 sentences;
what is sure is bold. Sequences of up to three are by `firth.lm`; longer ones, and what is called predictive, by
`experiments/class_models.py`. *Spectral-root* classes have square roots of counts, one word on either side, kappa 10
and 100 dimensions. *Many* are exchange classes of all sizes of the table but the least and the largest, for
predictive models the first three of these.

Classes alone are worse than words, and both together are better than words, as in the chapter: {plain}. Exchange
classes are better than Brown's, Brown's than spectral ones, alone and beside words (the table below the picture).
200 classes are best for the smaller text and 500 for the larger one, fewer or more are worse. What helps most is
not in the chapter. First, longer sequences of classes. Second, several clusterings of different sizes in one
mixture. Third, *predictive* models (Goodman 2001): the class of the next word by the words before it, then the word
by its class and the words before it, P(w | h) = P(c | h) P(w | c, h). Both are smoothed like any other model; with
*falling back to classes*, what comes before is the class of the last word, the word itself, the class of the word
before that, that word, and so on, and the farthest is dropped first. One such model with four words before it is
better alone than 5-grams of words: {alone}. All together: {most}. On what the weights depend makes hardly any
difference. Finer classes for the words before than for the next word are worse."""


def told(found: Found, best: dict[str, int], *keys: str) -> str:
    """Perplexities of some rows, for each text."""
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
    alone = "predictive, alone: falling back to classes, four words, exchange {}"
    every = "everything: the same with 5-grams of words"
    head = ["text", "classes", "H(w)", "I(c1;c2)", "H(w) - I(c1;c2)", "measured"]
    run.write(
        "Language models with word classes (Manning and Schütze 1999, 14.1.3)",
        TEXT.format(
            wiki_words=WIKI_WORDS, vocabulary=WIKI_VOCABULARY, held_out=WIKI_HELD_OUT,
            plain=told(found, best, words, classes, both), alone=told(found, best, five, alone),
            most=told(found, best, every),
        ),
        "\n\n".join(tables),
        drawn(found, best),
        "data: `lm/ptb.train.txt`, `lm/ptb.valid.txt`, the first 5.6 million words of `wiki.txt`",
        [
            ("Perplexity of words, of classes, of both (trigrams)", "244, 277, 236",
             told(found, best, words, classes, both)),
            ("The same with 5-grams, several clusterings and predictive classes: words, both", "–",
             told(found, best, five, every)),
        ],
        "Some rows against each other, bits a word saved:\n\n"
        f"{table(['text', 'which', 'bits'], differences)}\n\n"
        "Equation 14.14, in bits: the cross entropy of the class bigram model without smoothing, on the text that it "
        "was counted in, is H(w) - I(c1;c2). The text is taken as one sequence, ends of sentences being words; what is "
        "left is the approximation that the chapter makes, for the first word has none before it.\n\n"
        f"{table(head, checks)}\n\n",
    )  # fmt: skip


if __name__ == "__main__":
    main()
