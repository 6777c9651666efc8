"""Word vectors in gensim and PyTorch; taggers, parsers and corpora in NLTK."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import nltk
import numpy as np
import pytest
from hypothesis import given

import firth
from firth.errors import FirthError, InputError, ParameterError
from firth.integrations.nltk import (
    FirthParser,
    FirthTagger,
    NltkCorpus,
    from_nltk,
    from_nltk_tree,
    to_nltk_tree,
)
from tests.trees.samples import trees

WORDS = ["a", "b", "c", "zero"]
ROWS = np.array([[1, 0], [0.6, 0.8], [0, 1], [0, 0]], np.float32)
VECTORS = firth.WordVectors.from_arrays(WORDS, ROWS, [4, 3, 2, 1])


# gensim -------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
def test_gensim_there_and_back() -> None:
    pytest.importorskip("gensim", reason="gensim is not installed: make test-integrations")
    keyed = VECTORS.to_gensim()
    assert keyed.index_to_key == ["a", "b", "c"], "vectors of zeros are left out"
    assert keyed.get_vecattr("b", "count") == 3
    expected = [
        (word, pytest.approx(cosine, abs=1e-6)) for word, cosine in VECTORS.most_similar("a", n=2)
    ]
    assert keyed.most_similar("a", topn=2) == expected
    back = firth.WordVectors.from_gensim(keyed)
    assert (back.words, back.counts.tolist()) == (["a", "b", "c"], [4, 3, 2])
    np.testing.assert_array_equal(back.matrix, ROWS[:3])
    unknown = firth.WordVectors.from_arrays(WORDS, ROWS).to_gensim()
    assert firth.WordVectors.from_gensim(unknown).counts.tolist() == [0, 0, 0]


@pytest.mark.filterwarnings("ignore")
def test_models_of_gensim() -> None:
    models = pytest.importorskip("gensim.models", reason="gensim is not installed")
    text = [["the", "cat", "sat"], ["the", "dog", "ran"]] * 20
    for kind in (models.Word2Vec, models.FastText):
        learned = kind(text, vector_size=8, min_count=1, workers=1, seed=1)
        vectors = firth.WordVectors.from_gensim(learned)
        assert vectors.words == learned.wv.index_to_key
        assert dict(zip(vectors.words, vectors.counts.tolist(), strict=True))["the"] == 40
        np.testing.assert_array_equal(vectors["cat"], learned.wv["cat"])


@pytest.mark.parametrize("wrong", [None, "model.bin", ["a"], VECTORS])
def test_what_gensim_does_not_make(wrong: Any) -> None:
    with pytest.raises(ParameterError, match="KeyedVectors of gensim"):
        firth.WordVectors.from_gensim(wrong)


# PyTorch ------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
def test_torch() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-integrations")
    made = VECTORS.to_torch()
    assert made.num_embeddings == 5
    assert made.padding_idx == 4
    assert not made.weight.requires_grad
    ids = [len(VECTORS) if i is None else i for i in VECTORS.vocabulary.ids(["b", "never seen"])]
    found = made(torch.tensor(ids))
    np.testing.assert_array_equal(found.numpy(), [ROWS[1], [0, 0]])
    free = VECTORS.to_torch(freeze=False)
    free(torch.tensor([0, 4])).sum().backward()
    assert free.weight.grad[0].tolist() == [1, 1]
    assert free.weight.grad[4].tolist() == [0, 0]
    with torch.no_grad():
        free.weight += 1
    assert VECTORS.matrix[0].tolist() == [1, 0], "a copy"


@pytest.mark.parametrize(("package", "method"), [("gensim", "to_gensim"), ("torch", "to_torch")])
def test_what_is_not_installed(package: str, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.split(".")[0] == package:
            raise ImportError
        return imported(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(
        FirthError, match=rf"needs {package}.*\(Install it: pip install {package}\)"
    ):
        getattr(VECTORS, method)()


# NLTK ---------------------------------------------------------------------------------------------


def test_taggers(model: Path) -> None:
    opened = firth.load(model)
    tagger = FirthTagger(opened.tags)
    assert isinstance(tagger, nltk.tag.api.TaggerI)
    words = [["the", "cat"], ["Anna", "sees", "it"], []]
    found = tagger.tag_sents(words)
    assert [[w for w, _ in s] for s in found] == words
    assert [[t for _, t in s] for s in found] == opened.tags.tag(words)
    assert tagger.tag(words[1]) == found[1]
    assert tagger.accuracy(found[:2]) == 1
    assert FirthTagger(opened.ner).tag(["Anna", "Berg", "sees", "Rome"])[0] == ("Anna", "B-PER")
    wrong: Any
    for wrong in (None, opened.grammar):
        with pytest.raises(ParameterError, match="'tagger' parameter of FirthTagger"):
            FirthTagger(wrong)


def test_parsers(model: Path) -> None:
    grammar = firth.load(model).grammar
    parser = FirthParser(grammar, n=3)
    assert isinstance(parser, nltk.parse.api.ParserI)
    assert parser.grammar() is grammar
    words = ["the", "cat", "sees", "a", "dog"]
    found = list(parser.parse(words))
    assert [from_nltk_tree(tree) for tree in found] == [p.tree for p in grammar.n_best(words, 3)]
    assert str(parser.parse_one(words)).split() == str(grammar.parse(words)).split()
    assert [
        len(list(trees)) for trees in FirthParser(grammar).parse_sents([words, ["Anna", "sleeps"]])
    ] == [1, 1]
    wrong: Any
    for wrong in (None, firth.load(model).tags):
        with pytest.raises(ParameterError, match="'grammar' parameter of FirthParser"):
            FirthParser(wrong)


@given(trees)
def test_trees_there_and_back(tree: firth.Tree) -> None:
    other = to_nltk_tree(tree)
    assert other.leaves() == tree.words
    assert from_nltk_tree(other) == tree


def test_trees_that_only_nltk_has() -> None:
    mixed = nltk.Tree("S", ["well", nltk.Tree("NP", [nltk.Tree("N", ["cats"])]), "!"])
    assert str(from_nltk_tree(mixed)) == "(S (X well) (NP (N cats)) (X !))"
    chain = nltk.Tree("A", ["x"])
    for _ in range(5000):
        chain = nltk.Tree("A", [chain])
    assert len(from_nltk_tree(chain)) == 1
    for wrong in (None, "(S (N cats))", firth.Tree("N", "cats")):
        with pytest.raises(ParameterError, match="a tree of NLTK"):
            from_nltk_tree(wrong)
    with pytest.raises(InputError):
        from_nltk_tree(nltk.Tree("S", []))


def test_corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])  # NLTK reads corpora from these alone
    sentences = [["the", "cat", "sat"], ["the", "dog"], ["it", "ran", "off", "the", "mat"]]
    (tmp_path / "a.txt").write_text("\n".join(" ".join(s) for s in sentences))
    line = nltk.tokenize.LineTokenizer()
    reader = nltk.corpus.PlaintextCorpusReader(
        str(tmp_path), r".*\.txt", nltk.tokenize.WhitespaceTokenizer(), line
    )
    corpus = from_nltk(reader)
    assert list(corpus.sentences()) == sentences
    back = NltkCorpus(corpus)
    words = [word for s in sentences for word in s]
    assert list(back.words()) == words
    assert [back.words()[k] for k in (0, -1)] == ["the", "mat"]
    assert back.words()[2:5] == words[2:5]
    assert back.words()[::-1] == words[::-1]
    assert back.words()[5:2] == []
    assert back.words().count("the") == 3
    assert list(back.sents()) == sentences
    assert back.sents()[1:] == sentences[1:]
    assert back.sents()[-1] == sentences[-1]
    with pytest.raises(IndexError):
        back.words()[99]
    assert nltk.FreqDist(back.words()).most_common(1) == [("the", 3)]
    assert nltk.Text(back.words()).concordance_list("cat")[0].query == "cat"
    assert list(from_nltk(back).sentences()) == sentences
    with pytest.raises(InputError, match="has no sents"):
        from_nltk([["a"]])
    with pytest.raises(ParameterError, match="'corpus' parameter of NltkCorpus"):
        NltkCorpus(sentences)  # type: ignore[arg-type]
