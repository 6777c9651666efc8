"""Taggers, parsers, trees and corpora as objects of NLTK, and the other way round.

Examples
--------
>>> import firth
>>> from firth.integrations.nltk import FirthTagger
>>> tagged = [[("the", "D"), ("cat", "N"), ("sees", "V"), ("a", "D"), ("dog", "N")]] * 5
>>> tagger = FirthTagger(firth.SupervisedTagger().fit(tagged))
>>> tagger.tag(["a", "cat", "sees"])
[('a', 'D'), ('cat', 'N'), ('sees', 'V')]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from firth.corpus import Corpus
from firth.errors import FirthError, InputError, check_count, wrong_parameter
from firth.grammar import Grammar
from firth.ner import EntityRecogniser
from firth.tags import Tagger
from firth.trees import Tree

try:
    from nltk.parse.api import ParserI
    from nltk.tag.api import TaggerI
    from nltk.tree import Tree as NltkTree
except ImportError:
    raise FirthError(
        "firth.integrations.nltk needs NLTK, which is not installed.",
        "Install it: pip install nltk",
    ) from None

__all__ = [
    "FirthParser",
    "FirthTagger",
    "NltkCorpus",
    "from_nltk",
    "from_nltk_tree",
    "to_nltk_tree",
]


class FirthTagger(TaggerI):  # type: ignore[misc]  # NLTK has no types
    """A tagger of NLTK that uses one of Firth.

    Parameters
    ----------
    tagger : Tagger or EntityRecogniser
        A fitted tagger, ``model.tags`` or ``model.ner``; the latter gives labels in IOB2.
    """

    def __init__(self, tagger: Tagger | EntityRecogniser) -> None:
        if not isinstance(tagger, Tagger | EntityRecogniser):
            raise wrong_parameter("FirthTagger", "tagger", "a Tagger or EntityRecogniser", tagger)
        self.tagger = tagger

    def tag(self, tokens: Sequence[str]) -> list[tuple[str, str]]:
        """The words of a sentence with their tags."""
        return self.tag_sents([tokens])[0]

    def tag_sents(self, sentences: Iterable[Sequence[str]]) -> list[list[tuple[str, str]]]:
        """The words of many sentences with their tags; named entities are found in all of them together."""
        words = [list(sentence) for sentence in sentences]
        tags = self.tagger.tag(words)
        return [list(zip(*pair, strict=True)) for pair in zip(words, tags, strict=True)]


class FirthParser(ParserI):  # type: ignore[misc]
    """A parser of NLTK that uses a grammar of Firth.

    Parameters
    ----------
    grammar : Grammar
        A fitted ``LPCFG``, or ``model.grammar``.
    n : int
        The largest number of trees for a sentence.
    """

    def __init__(self, grammar: Grammar, n: int = 1) -> None:
        if not isinstance(grammar, Grammar):
            raise wrong_parameter("FirthParser", "grammar", "a Grammar", grammar)
        check_count("FirthParser", "n", n)
        self._grammar, self.n = grammar, n

    def grammar(self) -> Grammar:
        """The grammar of Firth."""
        return self._grammar

    def parse(self, sent: Sequence[str], *args: Any, **kwargs: Any) -> Iterator[Any]:  # noqa: ARG002
        """The trees of a sentence, the best one first."""
        found = self._grammar.n_best(list(sent), self.n)
        return (to_nltk_tree(parse.tree) for parse in found)


class NltkCorpus:
    """A corpus of Firth with the methods of corpora of NLTK, for ``nltk.Text``, ``FreqDist`` and taggers.

    Parameters
    ----------
    corpus : Corpus
    """

    def __init__(self, corpus: Corpus) -> None:
        if not isinstance(corpus, Corpus):
            raise wrong_parameter("NltkCorpus", "corpus", "a Corpus", corpus)
        self.corpus = corpus

    def __repr__(self) -> str:
        return f"<NltkCorpus: {self.corpus!r}>"

    def words(self) -> Sequence[str]:
        """All words, read when they are looked at."""
        return _Words(self.corpus)

    def sents(self) -> Sequence[list[str]]:
        """All sentences, read when they are looked at."""
        return _Sentences(self.corpus)


class _Words(Sequence[str]):
    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def __len__(self) -> int:
        return self._corpus.n_tokens

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            start, stop, step = place.indices(len(self))
            if step > 0:
                return self._corpus.words_between(start, max(start, stop))[::step]
            return [self[k] for k in range(start, stop, step)]
        at = range(len(self))[place]
        return self._corpus.words_between(at, at + 1)[0]

    def __iter__(self) -> Iterator[str]:
        for begin in range(0, len(self), 1 << 16):
            yield from self._corpus.words_between(begin, min(len(self), begin + (1 << 16)))

    def count(self, value: Any) -> int:
        found = self._corpus.vocabulary.find(value) if isinstance(value, str) else None
        return 0 if found is None else int(np.asarray(self._corpus.vocabulary.counts)[found])


class _Sentences(Sequence[list[str]]):
    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def __len__(self) -> int:
        return self._corpus.n_sentences

    def __getitem__(self, place: Any) -> Any:
        found = range(len(self))[place]
        if isinstance(found, range):
            return [self._corpus.sentence(k) for k in found]
        return self._corpus.sentence(found)


def from_nltk(reader: Any) -> Corpus:
    """A corpus of Firth from one of NLTK, or from any object with ``sents()``.

    Parameters
    ----------
    reader : nltk.corpus.reader.CorpusReader
        Its sentences are taken as they are tokenised. For tagged sentences and trees, give
        ``reader.tagged_sents()`` to ``SupervisedTagger``, and trees to ``from_nltk_tree``.
    """
    if not callable(getattr(reader, "sents", None)):
        raise InputError(
            f"{type(reader).__name__} is not a corpus of NLTK: it has no sents().",
            "For lists of tokens: firth.Corpus.from_sentences(SENTENCES)",
        )
    return Corpus.from_sentences(reader.sents())


def to_nltk_tree(tree: Tree) -> Any:
    """A tree as one of NLTK."""
    made: list[Any] = []
    for node, parent in tree.numbered():
        made.append(NltkTree(node.label, [] if node.word is None else [node.word]))
        if parent >= 0:
            made[parent].append(made[-1])
    return made[0]


def from_nltk_tree(tree: Any) -> Tree:
    """A tree of NLTK as one of Firth. Words beside phrases get a tag ``X`` of their own."""
    if not isinstance(tree, NltkTree):
        raise wrong_parameter("from_nltk_tree", "tree", "a tree of NLTK", tree)
    nodes: list[tuple[Any, list[int]]] = []
    waiting: list[tuple[Any, int]] = [(tree, -1)]
    while waiting:
        node, parent = waiting.pop()
        if parent >= 0:
            nodes[parent][1].append(len(nodes))
        if len(nodes) > _MOST_NODES:
            raise InputError("The tree is too large, or contains itself.")
        nodes.append((node, []))
        if isinstance(node, NltkTree):
            waiting += [(child, len(nodes) - 1) for child in reversed(node)]
    made: list[Tree] = [Tree("X", "x")] * len(nodes)
    for k in range(len(nodes) - 1, -1, -1):
        node, below = nodes[k]
        if not isinstance(node, NltkTree):
            made[k] = Tree("X", str(node))
        elif len(node) == 1 and not isinstance(node[0], NltkTree):
            made[k] = Tree(str(node.label()), str(node[0]))
        else:
            made[k] = Tree(str(node.label()), [made[child] for child in below])
    return made[0]


_MOST_NODES = 10_000_000
