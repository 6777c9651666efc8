"""Words in, phrases out: the vocabulary, the ids and the sentence ends of a corpus whose phrases are tokens."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import progress
from firth.compute import Engine
from firth.corpus._corpus import Corpus
from firth.corpus._joining_kernels import join
from firth.corpus._phrases import JOINT, Phrases
from firth.corpus._reading import ENDS, IDS, PHRASES, WORDS
from firth.corpus._sorting import sort_words
from firth.corpus._vocabulary import Vocabulary
from firth.store import open_file, rename, write_text

__all__ = ["join_corpus", "replace_by_joined"]

_AT_ONCE = 1 << 20
_NEW = "{}.new"
"""What a file is called until the corpus of words, which is read, has been closed."""
Longs = npt.NDArray[np.int64]


@dataclass(frozen=True)
class _Tree:
    """Phrases as the kernel takes them; tokens are the words of the corpus, then new ones."""

    begins: Longs
    keys: Longs
    tokens: Longs
    new: list[str]

    @classmethod
    def of(cls, phrases: Phrases, vocabulary: Vocabulary) -> _Tree:
        """The tree of phrases whose words occur."""
        n = len(vocabulary)
        ids = _ids_of([word for phrase in phrases for word in phrase], vocabulary)
        spelled = [JOINT.join(phrase) for phrase in phrases]
        known = _ids_of(spelled, vocabulary)
        new = [token for token in dict.fromkeys(spelled) if token not in known]
        known |= {token: n + k for k, token in enumerate(new)}
        paths = {
            tuple(ids[word] for word in p): known[t] for p, t in zip(phrases, spelled, strict=True)
        }
        begins, keys, tokens = np.zeros(n, np.int64), [], [-1]
        node_of: dict[tuple[Any, ...], int] = {(): 0}
        for length in range(1, phrases.longest + 1):
            here = {path[:length] for path in paths if len(path) >= length}
            for path in sorted(here, key=lambda path: (node_of[path[:-1]], path[-1])):
                node_of[path] = len(tokens)
                tokens.append(paths.get(path, -1))
                if length == 1:
                    begins[path[0]] = node_of[path]
                else:
                    keys.append(node_of[path[:-1]] * n + path[-1])
        return cls(begins, np.array(keys, np.int64), np.array(tokens, np.int64), new)

    def join(self, corpus: Corpus) -> Iterator[tuple[Longs, Longs]]:
        """The tokens of a corpus, some at a time, and the ends of sentences, as numbers of tokens."""
        out, new_ends = np.empty(_AT_ONCE, np.int64), np.empty(_AT_ONCE, np.int64)
        at = sentence = before = 0
        tree = self.begins, self.keys, self.tokens
        while sentence < corpus.n_sentences:
            progress.check_interrupted()
            at, sentence, n, m = join(corpus.ids, corpus.ends, *tree, at, sentence, out, new_ends)
            yield out[:n], new_ends[:m] + before
            before += n


def _ids_of(words: list[str], vocabulary: Vocabulary) -> dict[str, int]:
    """The ids of those words that occur."""
    found = zip(words, vocabulary.find_all(words), strict=True)
    return {word: number for word, number in found if number is not None}


def join_corpus(
    folder: Path, corpus: Corpus, find: Callable[[Corpus], Phrases], engine: Engine
) -> dict[str, int]:
    """Join the phrases of a corpus of words, whose files are in a folder and are replaced.

    Returns the new sizes. Sentences and their positions stay as they are.

    Parameters
    ----------
    folder : Path
    corpus : Corpus
        It must not be used any more.
    find : callable
        Given the corpus, returns the phrases.
    engine : Engine
    """
    import pyarrow as pa

    phrases = find(corpus).among(corpus.vocabulary)
    tree = _Tree.of(phrases, corpus.vocabulary)
    counts = np.zeros(corpus.n_types + len(tree.new), np.int64)
    with progress.stage("joining phrases", 2 * corpus.n_tokens, "words", brief=1.0) as stage:
        for tokens, _ in tree.join(corpus):
            counts += np.bincount(tokens, minlength=len(counts))
            stage.advance(len(tokens))
        some = np.flatnonzero(counts)
        spelled = pa.concat_arrays([corpus.vocabulary.words, pa.array(tree.new, pa.large_string())])
        ordered, places = sort_words(spelled.take(pa.array(some)), counts[some], engine)
        ids = np.zeros(len(counts), np.uint32)
        ids[some[places]] = np.arange(len(some), dtype=np.uint32)
        with (
            open_file(folder / _NEW.format(IDS), "wb") as new,
            open_file(folder / _NEW.format(ENDS), "wb") as new_ends,
        ):
            for tokens, ends in tree.join(corpus):
                new.write(ids[tokens].data)
                new_ends.write(ends.data)
                stage.advance(len(tokens))
    vocabulary = Vocabulary(ordered, counts[some[places]])
    vocabulary.save(folder / _NEW.format(WORDS))
    found = vocabulary.find_all([JOINT.join(phrase) for phrase in phrases])
    kept = [phrase for phrase, number in zip(phrases, found, strict=True) if number is not None]
    write_text(folder / PHRASES, json.dumps(kept, ensure_ascii=False) + "\n")
    return {"n_tokens": int(counts.sum()), "n_types": len(vocabulary), "n_phrases": len(kept)}


def replace_by_joined(folder: Path) -> None:
    """Let what ``join_corpus`` has written replace what it was made from, which nothing may have open."""
    for name in (IDS, ENDS, WORDS):
        rename(folder / _NEW.format(name), folder / name)
