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
            f"exchange {', '.join(map(str, sizes))}, trigrams": both(*exchange(sizes, 3)),
            f"exchange {', '.join(map(str, sizes))}, 5-grams": both(*exchange(sizes, 5)),
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
            f"falling back to classes, four words, exchange {', '.join(map(str, three))}": both(*predictive(three, 4)),
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


def shown(rows: dict[str, Rows], found: dict[str, dict[str, Any]]) -> str:
    lines = []
    for section, some in rows.items():
        lines.append([f"**{section}**", "", "", ""])
        for name in some:
            here = found[f"{section}: {name}"]
            told = f"{here['saved']:+.3f} ({here['low']:+.3f} to {here['high']:+.3f})"
            sure = here["low"] > 0 or here["high"] < 0
            told = "" if name == BASE else f"**{told}**" if sure else told
            lines.append([name, f"{here['held_out']:.1f}", f"{here['perplexity']:.1f}", told])
    return table(["", "held out", "measured", "bits a word saved"], lines)


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


def check(run: Run, setting: Setting, best: int) -> str:
    """A table for (14.14)."""
    lines = []
    for method in ("brown", "spectral", "exchange"):
        name = f"{method} {best}"
        key = f"{setting.name}, 14.14, {name}"
        found = run.remember(key, information, setting.measured, name)
        values = found["H"], found["I"], found["H"] - found["I"], found["measured"]
        lines.append([setting.name, name, *(f"{value:.5f}" for value in values)])
    return table(["text", "classes", "H(w)", "I(c1;c2)", "H(w) - I(c1;c2)", "measured"], lines)


def drawn(found: dict[str, dict[str, dict[str, Any]]], rows: dict[str, Rows]) -> Any:
    """Perplexities as a share of that of word trigrams."""
    graph = graph_objects()
    chosen = [
        f"{section}: {name}"
        for section in (
            "words", "word trigrams and classes", "longer sequences of classes", "several clusterings",
            "predictive, alone", "predictive and word trigrams", "everything",
        )
        for name in rows[section]
    ]  # fmt: skip
    figure = graph.Figure(
        layout=plain_layout(
            "Perplexity, of that of word trigrams",
            "%",
            "",
            height=110 + 30 * len(chosen),
            width=1000,
        )
    )
    for (setting, here), colour, symbol in zip(
        found.items(), COLOURS, ("circle", "diamond"), strict=False
    ):
        base = here[f"words: {BASE}"]["perplexity"]
        names = [plain(key) for key in chosen][::-1]
        values = [100 * value["perplexity"] / base for key, value in here.items() if key in chosen]
        figure.add_scatter(
            x=values[::-1], y=names, mode="markers", name=setting,
            marker={"color": colour, "size": 10, "symbol": symbol},
        )  # fmt: skip
    figure.update_layout(margin={"l": 480}, yaxis={"title": None})
    return figure


def plain(key: str) -> str:
    """The name of a row, told from others of the same name."""
    section, _, name = key.partition(": ")
    mixed = section in ("word trigrams and classes", "predictive and word trigrams")
    return f"words, {name}" if mixed else name


def main() -> None:
    run = start("class_lm", __doc__)
    settings = [ptb(run)] if run.quick else [ptb(run), wiki(run)]
    found, tables = {}, []
    for setting in settings:
        sizes, best = ((20, 50, 100, 200), 50) if run.quick else SIZES[setting.name]
        rows = rows_of(sizes, best)
        found[setting.name] = measured(run, setting, rows)
        tables += [
            f"### {setting.name}",
            shown(rows, found[setting.name]),
            check(run, setting, best),
        ]
    print("\n\n".join(tables))


if __name__ == "__main__":
    main()
