"""``python -m benchmarks.find --model FOLDER``: the time of queries in a model that is open.

The model needs a corpus; its index is made if it is missing. If the folder does not exist, it is made from
``text/wiki.txt.xz`` in FIRTH_DATA. Each query is asked several times with the index and without it, and the fastest
counts. *near* is the time of "did you mean". NLTK's ConcordanceIndex is asked for the same phrase, among the first
tokens alone (--nltk), because it holds all tokens as Python objects.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.common import data_file, processor, unpack

QUERIES = (
    "the", "of the", "in the", "United States", "the United States of America", "econom*", "*ing", "~paris",
    "/^un.*able$/", "(a|an) *ed", "from {0,3} to", "(the|a) *ing of", "* of",
)  # fmt: skip
MISSPELLED = ("goverment", "recieve", "internationalisaton")


def fastest(work: Callable[[], Any], rounds: int) -> tuple[Any, float, float]:
    """A result, and the fewest seconds on the clock and on a processor."""
    wall, cpu, result = [], [], None
    for _ in range(rounds):
        started, used = time.perf_counter(), time.process_time()
        result = work()
        wall.append(time.perf_counter() - started)
        cpu.append(time.process_time() - used)
    return result, min(wall), min(cpu)


def make_model(path: Path) -> None:
    """Learn the corpus, unless it exists, and its index."""
    from firth import pipeline

    if not (path / "firth.json").exists():
        text = path.with_name(f"{path.name}.txt")
        unpack(data_file("text/wiki.txt.xz"), text, None)
        pipeline.learn_corpus(path, text)
    pipeline.learn_index(path)


def compare_with_nltk(corpus: Any, n: int, phrase: str, rounds: int) -> None:
    """The same phrase among the first tokens."""
    from nltk.text import ConcordanceIndex

    import firth
    from firth.find import Finder

    tokens = corpus.words_between(0, n)
    started = time.perf_counter()
    peer = ConcordanceIndex(tokens)
    made = time.perf_counter() - started
    theirs, peer_wall, _ = fastest(lambda: peer.find_concordance(phrase.split()), rounds)
    mine = Finder(firth.Corpus.from_sentences([tokens]))
    ours, wall, _ = fastest(lambda: mine.find(phrase), rounds)
    print(
        f"\n{phrase!r} in {n:,} tokens: NLTK {peer_wall * 1e3:.1f} ms for {len(theirs):,} (its index: {made:.1f} s), "
        f"Firth without an index {wall * 1e3:.1f} ms for {len(ours):,}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--nltk", type=int, default=0, help="tokens for NLTK; 0 leaves it out")
    options = parser.parse_args()
    import firth
    from firth.find import Finder

    make_model(options.model)
    model = firth.load(options.model)
    corpus = model.corpus
    print(f"{corpus}, {processor()}\n")
    print(
        "| query | matches | index, wall | index, CPU | scan, wall | scan, CPU |\n|---|---|---|---|---|---|"
    )
    finders = model.finder, Finder(corpus)
    for query in QUERIES:
        rows = [fastest(lambda f=finder, q=query: f.find(q), options.rounds) for finder in finders]  # type: ignore[misc]
        times = " | ".join(f"{s * 1e3:.1f} ms" for _, *both in rows for s in both)
        print(f"| `{query.replace('|', chr(92) + '|')}` | {len(rows[0][0]):,} | {times} |")
    for word in MISSPELLED:
        said, wall, cpu = fastest(lambda w=word: corpus.vocabulary.suggestion(w), options.rounds)  # type: ignore[misc]
        print(f"\nnear {word}: {wall * 1e3:.0f} ms, CPU {cpu * 1e3:.0f} ms; {said}")
    if options.nltk:
        compare_with_nltk(corpus, options.nltk, "of the", options.rounds)


if __name__ == "__main__":
    main()
