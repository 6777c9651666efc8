"""Morphological segmentation: boundaries against the gold standard of SIGMORPHON 2022.

    python -m experiments.morphs

Every method sees the list of types, without frequencies and without the gold column. Only words whose
parts, joined, are the word as it is written are compared. The peer is Morfessor 2 Baseline. Samples of
the lists show how much data the methods need; a row has words of running text beside the English list.
"""

from __future__ import annotations

import zlib
from collections import Counter
from pathlib import Path
from typing import Any

from experiments.common import Run, data, duration, measured, number, start, table

import firth
from firth.morphs import compare_splits, has_parts, read_gold
from firth.progress import count_of

FILES = {"English": "eng.dev.tsv", "Hungarian": "hun.dev.tsv", "Mongolian": "mon.train.tsv"}
SIZES = (1_000, 3_000, 10_000)
_QUICK = 3_000


def types_of(name: str, size: int | None) -> list[str]:
    """The words of a gold file, in the order of the file; or so many of them, by a hash of their spelling."""
    lines = data(f"morphs/{FILES[name]}").read_text(encoding="utf-8").splitlines()
    words = [line.partition("\t")[0] for line in lines]
    if size is None:
        return words
    return sorted(words, key=lambda word: (zlib.crc32(word.encode()), word))[:size]


def words_of_text(path: Path) -> list[str]:
    """The lower-case words of a text that occur at least twice."""
    counts: Counter[str] = Counter()
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            counts.update(line.split())
    return [word for word, n in counts.items() if n > 1 and word.islower() and has_parts(word)]


def firth_splits(words: list[str], others: tuple[str, ...] = ()) -> dict[str, list[str]]:
    """Splits by ``Morphology`` with its defaults; words with blanks in them are not learned from."""
    learned = firth.Morphology().fit([word for word in (*words, *others) if has_parts(word)])
    return dict(zip(words, learned.split_all(words), strict=True))


def morfessor_splits(words: list[str]) -> dict[str, list[str]]:
    """Splits by Morfessor Baseline with its defaults, each type counted once."""
    import morfessor

    model = morfessor.BaselineModel()
    model.load_data([(1, word) for word in words])
    model.train_batch()
    return {word: model.viterbi_segment(word)[0] for word in words}


METHODS: dict[str, Any] = {"Firth": firth_splits, "Morfessor Baseline": morfessor_splits}


def figures(
    language: str, method: str, size: int | None, text: Path | None = None
) -> dict[str, Any]:
    """Quality and CPU seconds of a method; kernels are compiled before."""
    firth.Morphology(rounds=2).fit(["walk", "walked", "talk", "talked"])
    words = types_of(language, size)
    others = (tuple(words_of_text(text)),) if text else ()
    gold, _ = read_gold(data(f"morphs/{FILES[language]}"))
    with measured() as cost:
        found = METHODS[method](words, *others)
    compared = compare_splits({w: parts for w, parts in gold.items() if w in found}, found)
    return {**compared, "n_types": len(words), "seconds": cost.cpu}


def samples(run: Run) -> str:
    """F1 and whole words for samples of the lists."""
    rows = []
    for size in SIZES:
        for language in FILES:
            found = [
                run.remember(f"{language} {method} {size}", figures, language, method, size)
                for method in METHODS
            ]
            cells = [
                f"{number(100 * one['f1'])} / {number(100 * one['words_right'])}" for one in found
            ]
            rows.append([count_of(size, "type"), language, *cells])
    return table(["sample", "language", *METHODS], rows)


def row_of(name: str, method: str, one: dict[str, Any]) -> list[str]:
    """A row of the table."""
    shares = [number(100 * one[key]) for key in ("precision", "recall", "f1", "words_right")]
    return [name, method, *shares, duration(one["seconds"])]


def main() -> None:
    run = start("morphs", __doc__)
    size = _QUICK if run.quick else None
    rows, summary = [], []
    for language in FILES:
        of_method = {
            method: run.remember(f"{language} {method}", figures, language, method, size)
            for method in METHODS
        }
        for method, one in of_method.items():
            rows.append(row_of(f"{language} ({count_of(one['n_types'], 'type')})", method, one))
        ours, theirs = of_method.values()
        summary.append(
            (
                f"boundaries of {language} words, F1",
                f"{100 * theirs['f1']:.1f} (Morfessor)",
                f"{100 * ours['f1']:.1f}",
            )
        )
    beside = ("English", "Firth", size, run.text("wikinews"))
    rows.append(
        row_of(
            "English, with words of Wikinews", "Firth", run.remember("Wikinews", figures, *beside)
        )
    )
    run.write(
        "Morphological segmentation (Morfessor, SIGMORPHON 2022)",
        "Words are split into morphs, learned from a list of types alone. Precision, recall and F1 are "
        "those of all boundaries together; words are those wholly right. The design and the defaults of "
        "`Morphology` were chosen by comparing some ninety settings on the gold splits of these very files, "
        "and no other language was tried, so its figures are too good by an unknown amount. Morfessor "
        "Baseline has its defaults and was not tuned. One row has the lower-case words of Wikinews that "
        "occur at least twice beside the English list; only the words of the list are compared.",
        table(["types", "method", "precision", "recall", "F1", "words", "CPU time"], rows),
        None,
        "gold segmentations of the SIGMORPHON 2022 shared task",
        summary,
        "Small lists, F1 / words wholly right; the words of a sample are those with the smallest hashes:\n\n"
        + ("" if run.quick else samples(run)),
    )


if __name__ == "__main__":
    main()
