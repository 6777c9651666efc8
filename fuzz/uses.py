"""What is done with a part that could be loaded, so that kernels and messages see what is in it."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import firth
from firth import describe, evaluate
from firth.classes import BrownClasses, ClassesParameters, learn_hierarchy
from firth.compute import ONE_THREAD
from firth.errors import FirthError
from firth.find import Finder
from firth.grammar import symbol_facts, symbol_rows
from firth.model import Model
from firth.pipeline import name_rows
from firth.tags import DECODES
from firth.vectors import SpectralEmbedding

SENTENCES = [["the", "cat", "sees", "a", "dog"], ["Anna", "hears", "über", "12", "zzz"], ["birds"]]
WORDS = ("the", "cat", "zzz", "ÜBER", "")


def use(model: Model, name: str) -> None:
    """Load a part and use it in many ways; an error that Firth raises ends one of them."""
    thing = getattr(model, name)
    thing.describe()
    thing.summary()
    for step in USES.get(name, ()):
        with suppress(FirthError):
            step(thing)
    if name in ("names", "tag_names"):
        with suppress(FirthError):
            name_rows(model)
    with tempfile.TemporaryDirectory() as folder:
        thing.save(Path(folder))


def _each(ask: Callable[[Any], Any], things: Any = WORDS) -> None:
    """Ask about several things; one that is not known does not keep us from the others."""
    for thing in things:
        with suppress(FirthError):
            ask(thing)


@cache
def _text() -> firth.Corpus:
    return firth.Corpus.from_sentences([*SENTENCES, ["a", "dog", "sees", "fish"]] * 2)


@cache
def _tree() -> firth.Tree:
    return next(firth.parse_trees("(S (NP (D the) (N cat)) (VP (V sees) (NP (D a) (N dog))))"))


_CORPUS: tuple[Callable[[Any], Any], ...] = (
    lambda corpus: list(corpus.sentences()),
    lambda corpus: _each(lambda word: corpus.find(word, n=3)),
    lambda corpus: corpus.find(corpus.vocabulary[len(corpus.vocabulary) - 1], width=5),
    describe.coverage,
    lambda corpus: Finder(corpus).find("a dog [word=*]").lines(3, "sentence"),
    lambda corpus: corpus.phrases and corpus.phrases.joined(SENTENCES[0]),
    lambda corpus: firth.count(corpus, contexts="LR1", min_count=1, threads=1),
)
_DOCUMENTS: tuple[Callable[[Any], Any], ...] = (
    lambda documents: (documents.sizes, documents.of_tokens([0, 1, 10**9])),
    lambda documents: documents.ranges(documents.sizes > 3),
    lambda documents: [documents.values(name) for name in documents.columns],
)
_COUNTS: tuple[Callable[[Any], Any], ...] = (
    lambda counts: (counts.coverage, counts.n_pairs, counts.matrix.sum()),
    lambda counts: counts.block(1),
    lambda counts: _each(lambda word: describe.word_contexts(counts, word, 3)),
    lambda counts: BrownClasses(3, threads=1).fit(counts),
    lambda counts: learn_hierarchy(counts, ClassesParameters(3, "seeds"), ONE_THREAD),
    lambda counts: SpectralEmbedding(dim=2, threads=1).fit(counts),
)
_VECTORS: tuple[Callable[[Any], Any], ...] = (
    lambda vectors: _each(lambda word: vectors.most_similar(word, n=3)),
    lambda vectors: vectors.analogy("the", "a", "cat", n=2),
    lambda vectors: vectors.neighbours(vectors.words[:3], n=2),
    lambda vectors: vectors.fold_in(_text()),
    lambda vectors: vectors.write(io.BytesIO(), "word2vec"),
    lambda vectors: vectors.write(io.BytesIO(), "fasttext"),
    lambda vectors: vectors.guess("cats"),
    lambda vectors: vectors.neighbours(["cats", "hearing"], n=2, guess=True),
    lambda vectors: vectors.restrict(2),
    lambda vectors: vectors.prepare_search(),
    lambda vectors: vectors.most_similar(vectors.words[0], n=2),
)
_CLASSES: tuple[Callable[[Any], Any], ...] = (
    lambda classes: _each(lambda word: describe.word_class(classes, word, 3)),
    lambda classes: _each(lambda path: describe.node_facts(classes, path, None, 3), classes.paths),
    lambda classes: classes.information,
    lambda classes: classes.cut(2).members(),
    lambda classes: classes.truncate(1).sizes(),
    lambda classes: classes.restrict(3),
    lambda classes: classes.assign(list(WORDS), _text()),
    lambda classes: evaluate.curve(classes),
    lambda classes: evaluate.perplexity(classes, _text()),
    lambda classes: classes.write(io.BytesIO()),
    lambda classes: (classes.to_newick(), classes.to_table(), classes.linkage_),
)
_TAGS: tuple[Callable[[Any], Any], ...] = (
    lambda tags: describe.tag_facts(tags, 3),
    *(lambda tags, how=how: tags.tag(SENTENCES, how) for how in DECODES),
    lambda tags: tags.score(SENTENCES),
)
_NER: tuple[Callable[[Any], Any], ...] = (
    lambda ner: ner.tag(SENTENCES),
    lambda ner: ner.tag(SENTENCES[:1]),  # in lower case
    lambda ner: ner.entities(SENTENCES),
    lambda ner: describe.entity_facts(ner, 3),
)
_GRAMMAR: tuple[Callable[[Any], Any], ...] = (
    lambda grammar: grammar.n_best(SENTENCES[0], 3),
    lambda grammar: grammar.n_best(["cats", "sleep"], 2, ["N", "V"]),
    lambda grammar: grammar.marginals(SENTENCES[0]),
    lambda grammar: grammar.sentence_log_prob(SENTENCES[1]),
    lambda grammar: grammar.prefix_log_probs(SENTENCES[0]),
    lambda grammar: grammar.log_prob(_tree()),
    lambda grammar: grammar.sample(2, longest=20),
    lambda grammar: _each(
        lambda row: symbol_facts(grammar, row["symbol"], 3), symbol_rows(grammar)
    ),
)
_LM: tuple[Callable[[Any], Any], ...] = (
    describe.lm_facts,
    lambda lm: lm.scores(SENTENCES),
    lambda lm: lm.log_prob(SENTENCES[1]),
    lambda lm: lm.write_compact(io.BytesIO()),
    lambda lm: lm.evaluate(_text()),
    lambda lm: lm.next_words(["the", "cat"], 3),
    lambda lm: lm.next_words([], 3),
    lambda lm: lm.word_scores(["the", "cat"], lm.recent()),
    lambda lm: lm.sample(2, longest=9),
    lambda lm: lm.write_arpa(io.StringIO()),
)
_MORPHS: tuple[Callable[[Any], Any], ...] = (
    lambda morphs: _each(morphs.split),
    lambda morphs: _each(morphs.n_best),
    lambda morphs: morphs.split_all([word for sentence in SENTENCES for word in sentence]),
    lambda morphs: (morphs.affixes_, morphs.paradigms_),
    lambda morphs: [morphs.index.examples(affix[:2], 3) for affix in morphs.affixes_],
    lambda morphs: [morphs.index.frequent_stems(one, 3) for one in morphs.paradigms_],
)
_REPORT = (
    describe.report_facts,
    lambda report: describe.report_rows(report, _text()),
)
_MAP = (lambda words: _each(lambda word: words[word]),)
USES: Mapping[str, tuple[Callable[[Any], Any], ...]] = {
    "corpus": _CORPUS,
    "documents": _DOCUMENTS,
    "counts": _COUNTS,
    "vectors": _VECTORS,
    "grammar_vectors": _VECTORS,
    "classes": _CLASSES,
    "morphs": _MORPHS,
    "tags": _TAGS,
    "ner": _NER,
    "grammar": _GRAMMAR,
    "lm": _LM,
    "report": _REPORT,
    "map": _MAP,
    "grammar_map": _MAP,
}
"""By the name of the part."""
