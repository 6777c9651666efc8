"""Word classes by wcluster and ClusterCat, beside Firth's, from the same file of tokens.

Part of ``python -m benchmarks.classes`` (job ``programs``). Every twentieth line is held out. Words below the minimum
count are one word, ``<rare>``, for all programs. Each program runs in a process of its own, on one thread, from the
file of tokens to a file of classes. Firth then evaluates all classes in the same way.

wcluster reads a text as one sequence. Its separator ``$#$`` at the end of each line keeps it from counting pairs across
lines, which is Firth's default; ClusterCat counts the ends of lines as words of their own.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import Facts, first_tokens

RARE, SEPARATOR, HELD_OUT = "<rare>", "$#$", 20
LEARNED, STREAM, OTHER = "learned.txt", "learned.stream", "held-out.txt"
FILES = {
    "Firth, Brown": "brown.paths",
    "Firth, Brown and exchange": "exchange.paths",
    "wcluster": "wcluster/paths",
    "ClusterCat": "clustercat.tsv",
}
"""The classes that each program writes."""
_ADDED = re.compile(r"Merging phrase: (\d+)/(\d+): \d+\((.*)\) \[")
_TAIL = 4096


def make_tokens(folder: Path, tokens: int, min_count: int) -> Facts:
    """Write Firth's tokens to files: the lines to learn from, for wcluster too, and those held out."""
    corpus = first_tokens(folder / "text.txt", tokens)
    ids, ends = np.asarray(corpus.ids), np.asarray(corpus.ends)
    held_out = np.arange(len(ends)) % HELD_OUT == HELD_OUT - 1
    learned = ids[~np.repeat(held_out, np.diff(ends, prepend=0))]
    names = np.array(list(corpus.vocabulary), dtype=object)
    names[np.bincount(learned, minlength=len(names)) < min_count] = RARE
    with (
        (folder / LEARNED).open("w", encoding="utf-8") as lines,
        (folder / STREAM).open("w", encoding="utf-8") as stream,
        (folder / OTHER).open("w", encoding="utf-8") as other,
    ):
        for line, is_held_out in zip(_lines(names, ids, ends), held_out, strict=True):
            if is_held_out:
                other.write(f"{line}\n")
            else:
                lines.write(f"{line}\n")
                stream.write(f"{line} {SEPARATOR}\n")
    return {"tokens": len(learned)}


def _lines(names: Any, ids: Any, ends: Any) -> Iterator[str]:
    """Lines of words, separated by spaces."""
    start = 0
    for end in ends.tolist():
        yield " ".join(names[ids[start:end]])
        start = end


def _read(path: Path) -> Any:
    from firth import Corpus

    return Corpus.from_files(path, tokens="whitespace", threads=1)


def learn_classes(folder: Path, m: int, refine: bool) -> Facts:
    """Firth, from a file of tokens to a file of classes."""
    import firth

    counts = firth.count(_read(folder / LEARNED), "R1", 1, None, threads=1)
    classes = firth.BrownClasses(m, threads=1).fit(counts).hierarchy_
    if refine:
        classes = firth.ExchangeRefiner(threads=1).fit(classes, counts).hierarchy_
    classes.write(folder / FILES["Firth, Brown and exchange" if refine else "Firth, Brown"])
    return {}


def evaluate(folder: Path) -> Facts:
    """Mutual information, and perplexity of the lines held out, for each file of classes."""
    import firth
    from firth.classes import Hierarchy, bigrams_of, mutual_information
    from firth.evaluate import perplexity

    corpus, other = _read(folder / LEARNED), _read(folder / OTHER)
    pairs = bigrams_of(firth.count(corpus, "R1", 1, None))
    words = [pairs.vocabulary[i] for i in pairs.order]
    found: Facts = {"n": len(words)}
    for name, file in FILES.items():
        if not (folder / file).exists():
            continue
        read = Hierarchy.read(folder / file)
        paths = [f"{read.class_of[i]:016b}" for i in read.vocabulary.ids(words)]
        flat = Hierarchy.from_paths(words, paths, pairs.counts.tolist())
        follow = pairs.between(flat.class_of, flat.n_classes)
        judged = Hierarchy(
            flat.vocabulary, flat.class_of, flat.tree, flat.tokens, follow,
            made={"across_lines": False},
        )  # fmt: skip
        found[name] = {
            "classes": flat.n_classes,
            "bits": mutual_information(follow, flat.tokens) / math.log(2),
            "perplexity": perplexity(judged, other).perplexity,
        }
    return found


def same_as_wcluster(folder: Path, m: int) -> Facts:
    """How many classes and nodes of the tree Firth and wcluster have in common.

    Both add words in order of frequency, but they order equally frequent words differently. So Firth runs again,
    with words named such that its order (count, then spelling) is the one in wcluster's log.
    """
    import firth
    from firth.classes import Hierarchy

    corpus = _read(folder / LEARNED)
    words = list(corpus.vocabulary)
    log = (folder / "wcluster/log").read_text(encoding="utf-8")
    added = [word for _, _, word in _ADDED.findall(log)]
    later = set(added)
    order = [word for word in words if word not in later] + added
    if sorted(order) != sorted(words) or len(added) != len(words) - m:
        raise ValueError("wcluster's log does not list the words of the text")
    rank = {word: f"{i:08}" for i, word in enumerate(order)}
    names = np.array([rank[word] for word in words], dtype=object)
    renamed = folder / "renamed.txt"
    with renamed.open("w", encoding="utf-8") as file:
        file.writelines(
            f"{line}\n" for line in _lines(names, np.asarray(corpus.ids), np.asarray(corpus.ends))
        )
    counts = firth.count(_read(renamed), "R1", 1, None)
    again = firth.BrownClasses(m).fit(counts).hierarchy_
    theirs = _nodes(Hierarchy.read(folder / FILES["wcluster"]), {})
    ours = _nodes(Hierarchy.read(folder / FILES["Firth, Brown"]), {})
    same_order = _nodes(again, {name: word for word, name in rank.items()})
    return {
        "classes": [len(theirs[0] & ours[0]), len(theirs[0] & same_order[0]), len(theirs[0])],
        "nodes": [len(theirs[1] & ours[1]), len(theirs[1] & same_order[1]), len(theirs[1])],
    }


def _nodes(classes: Any, names: dict[str, str]) -> tuple[set[Any], set[Any]]:
    """The classes, and all nodes of the tree above them, as sets of words."""
    below: dict[str, set[str]] = {}
    for i, word in enumerate(classes.words):
        below.setdefault(classes.paths[classes.class_of[i]], set()).add(names.get(word, word))
    nodes: dict[str, set[str]] = {}
    for path, members in below.items():
        for depth in range(len(path)):
            nodes.setdefault(path[:depth], set()).update(members)
    return {frozenset(w) for w in below.values()}, {frozenset(w) for w in nodes.values()}


class Watch:
    """Follows the log of wcluster, to extrapolate the time of a run that is stopped."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._seen: list[tuple[float, int]] = []
        self._n_words = 0

    def __call__(self, cpu: float) -> None:
        """Note how many words have been added."""
        if not self._log.exists():
            return
        with self._log.open("rb") as file:
            file.seek(max(0, self._log.stat().st_size - _TAIL))
            added = _ADDED.findall(file.read().decode("utf-8", "replace"))
        if added and (not self._seen or int(added[-1][0]) > self._seen[-1][1]):
            self._n_words = int(added[-1][1])
            self._seen.append((cpu, int(added[-1][0]) + 1))

    def extrapolated(self) -> tuple[float, int, int]:
        """CPU seconds until all words are added; the words added so far, and all words.

        Adding a word takes about the same time from the first to the last. The tree, built at the end, is not
        included.
        """
        if len(self._seen) < 2:
            sys.exit("error: wcluster was stopped before it had added words.\nhint: raise --limit")
        (start, first), (end, last) = self._seen[0], self._seen[-1]
        each = (end - start) / (last - first)
        return start + each * (self._n_words - first), last, self._n_words
