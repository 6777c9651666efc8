"""What notebooks show."""

from __future__ import annotations

from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import firth
from firth.formats import Rows
from firth.lm import InterpolatedModel
from firth.notebook import outline

SVG = "{http://www.w3.org/2000/svg}"
WORDS = ["<script>alert(1)</script>", 'a"b', "dog", "\x1b[31m", "cat", "of"]


class Page(HTMLParser):
    """The tags and the text of a page; an error if its tags do not fit."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.text = ""
        self.picture: ElementTree.Element | None = None
        self._open: list[str] = []
        self.feed(page)
        assert not self._open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.names.append(tag)
        if tag == "img":  # it has no end
            kind, _, data = dict(attrs)["src"].partition(",")
            assert kind == "data:image/svg+xml;base64"
            self.picture = ElementTree.fromstring(b64decode(data))
        else:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += f"{data}\n"


@pytest.fixture(scope="module")
def corpus() -> firth.Corpus:
    rng = np.random.default_rng(0)
    return firth.Corpus.from_sentences(
        [[WORDS[i] for i in row] for row in rng.integers(0, 6, (80, 5))]
    )


def page_of(shown: Any) -> Page:
    return Page(shown._repr_html_())


def heights_of(page: Page) -> list[float]:
    assert page.picture is not None
    return [float(bar.attrib["height"]) for bar in page.picture.iter(f"{SVG}rect")]


def texts_of(page: Page) -> list[str | None]:
    assert page.picture is not None
    return [each.text for each in page.picture.iter(f"{SVG}text")]


def check_table(page: Page, title: str, *texts: str) -> None:
    assert "script" not in page.names
    assert "\x1b" not in page.text
    assert page.names[0] == "table"
    assert page.text.startswith(title)
    for text in texts:
        assert text in page.text


def test_corpus_and_counts(corpus: firth.Corpus) -> None:
    check_table(page_of(corpus), "Corpus", "400 tokens", "<script>alert(1)</script>", "\ufffd[31m")
    counts = firth.count(corpus, min_count=1)
    check_table(page_of(counts), "Counts", "6 words", "<script>alert(1)</script>", "min-count 1")
    for shown in (corpus, counts):
        heights = heights_of(page_of(shown))
        assert len(heights) == 6
        assert heights == sorted(heights, reverse=True)
        assert heights[0] == 80.0 > heights[-1] > 0


def test_vectors() -> None:
    vectors = firth.WordVectors.from_arrays(WORDS, np.eye(6))
    check_table(page_of(vectors), "WordVectors", "6 words in 6 dimensions", 'a"b', "imported")
    assert page_of(vectors).picture is None, "nothing is known of their singular values"


def test_learned_vectors_show_their_singular_values(corpus: firth.Corpus) -> None:
    vectors = firth.SpectralEmbedding(dim=3).fit(firth.count(corpus, min_count=1)).vectors_
    assert vectors.singular_values is not None
    expected = 80 * vectors.singular_values / vectors.singular_values[0]
    assert heights_of(page_of(vectors)) == pytest.approx(expected.tolist(), abs=0.05)


def test_of_many_values_sixty_are_drawn() -> None:
    drawn = ElementTree.fromstring(outline([float(i) for i in range(600, 0, -1)], "<i>&"))
    assert len(list(drawn.iter(f"{SVG}rect"))) == 60
    assert next(drawn.iter(f"{SVG}text")).text == "<i>&"


def test_classes_have_a_picture_of_their_tree(corpus: firth.Corpus) -> None:
    classes = firth.BrownClasses(n_classes=4, min_count=1).fit(corpus).hierarchy_
    page = page_of(classes)
    check_table(page, "Hierarchy", "6 words in 4 classes")
    assert page.picture is not None
    drawn = [each.text for each in page.picture.iter(f"{SVG}text")]
    assert set(classes.paths) < set(drawn)
    assert {classes.label(path).replace("\x1b", "\ufffd") for path in classes.paths} < set(drawn)
    # a line to each of four classes and two inner nodes, and one from each class to its words
    assert len(list(page.picture.iter(f"{SVG}line"))) == 6 + 4


def test_one_class_has_a_picture_too(corpus: firth.Corpus) -> None:
    classes = firth.BrownClasses(n_classes=2, min_count=1).fit(corpus).hierarchy_.cut(1)
    assert page_of(classes).picture is not None


def test_taggers_show_typical_words() -> None:
    tagged = [[("<b>dog</b>", "N<i>"), ("runs", "V")], [("cat", "N<i>"), ("runs", "V")]] * 5
    tagger = firth.SupervisedTagger().fit(tagged)
    page = Page(firth.Tagger._repr_html_(tagger))
    check_table(page, "SupervisedTagger", "2 tags", "N<i>", "<b>dog</b>", "runs")
    assert page.names.count("b") == 1, "the title alone is bold"
    assert "i" not in page.names
    shares = [f"{share:.1%}" for share in tagger.prior_.tolist()]
    assert texts_of(page)[1:] == ["N<i>", *shares[:1], "V", *shares[1:]]


def test_language_models(corpus: firth.Corpus) -> None:
    model = firth.LanguageModel(order=2).fit(corpus)
    page = Page(InterpolatedModel._repr_html_(model))
    check_table(page, "LanguageModel", "n-grams up to 2", *model.component_names)
    sizes = [f"{n:,}" for n in model.facts_["n_grams"]]
    assert texts_of(page)[1:] == ["1-grams", sizes[0], "2-grams", sizes[1]]


def test_morphs() -> None:
    from firth.morphs import Splitter

    stems, endings = ["walk", "talk", "jump", "climb", "start", "paint"], ["", "s", "ed", "ing"]
    morphs = firth.Morphology().fit([stem + ending for stem in stems for ending in endings])
    page = Page(Splitter._repr_html_(morphs))
    check_table(page, "Morphology", "24 words", "-s", "-ed", "-ing")
    drawn = dict(zip(texts_of(page)[1::2], texts_of(page)[2::2], strict=True))
    assert drawn == {f"-{each.text}": str(each.n_words) for each in morphs.affixes_}
    assert "sk-" in morphs._repr_html_(), "the estimator is scikit-learn's"


def test_recognisers() -> None:
    from firth.ner import EntityRecogniser

    labelled = [[(["Anna", "Berg", "is", "in", "Oslo"], ["B-<i>", "I-<i>", "O", "O", "B-LOC"])]]
    tagger = firth.EntityTagger().fit(labelled * 9)
    page = Page(EntityRecogniser._repr_html_(tagger))
    check_table(page, "EntityTagger", "<i>", "LOC")
    assert tagger.telling("U-LOC", 1)[0].feature in page.text
    assert "i" not in page.names


def test_senses() -> None:
    from firth.senses import report_senses

    lines = ["the <b>bank of the river", "a <b>bank near the water", "my <b>bank lends money"]
    corpus = firth.Corpus.from_sentences([line.split() for line in lines * 6])
    report = report_senses(corpus, "<b>bank", 2)
    page = page_of(report)
    check_table(page, "SenseReport", "<b>bank: 18 occurrences, 2 senses", "sense 2")
    shares = [f"{sense.share:.1%}" for sense in report.senses]
    assert texts_of(page)[1:] == ["sense 1", shares[0], "sense 2", shares[1]]


def test_models(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("the cat sees a dog\na dog hears the cat\n" * 9)
    model = firth.learn(tmp_path / "text.txt", tmp_path / "model", classes=3, dim=2, min_count=1)
    check_table(page_of(model), f"Model {model.path}", "90 tokens", "6 words in 3 classes")
    assert "\nindex\n" not in page_of(model).text


def test_documents() -> None:
    corpus = firth.Corpus.from_texts(
        ["a rose is", "<b>"] * 60, metadata={"year": [1900, 1901] * 60}
    )
    page = page_of(corpus.documents)
    check_table(page, "document\nfile\nyear\ntokens\n", "1901\n3\n")
    assert page.names.count("tr") == 21


def test_results() -> None:
    vectors = firth.WordVectors.from_arrays(WORDS, np.eye(6))
    found = vectors.most_similar("dog")
    page = page_of(found)
    check_table(page, "word\nsimilarity", "<script>alert(1)</script>", "\ufffd[31m")
    assert page.names.count("tr") == 1 + len(found)
    assert page_of(found[:2]).names.count("tr") == 3
    assert (
        page_of(found[:0]).text == page_of(Rows((), firth.Neighbour)).text == "word\nsimilarity\n"
    )
    many = page_of(
        Rows([{"n": 1000 + i, "given": i > 3, "share": 1 / 3, "no": None} for i in range(99)])
    )
    assert many.names.count("tr") == 21
    assert "1019\nyes\n0.3333\n" in many.text
    assert "1020" not in many.text
    assert "to_frame()" in many.text


def test_grammars() -> None:
    from firth.grammar import Grammar

    trees = firth.parse_trees(
        "(S (NP (D the) (N dog)) (V<u> runs)) (S (NP (D the) (N cat)) (V<u> runs))"
    )
    grammar = firth.LPCFG(method="pcfg").fit(list(trees))
    page = Page(Grammar._repr_html_(grammar))
    check_table(page, "LPCFG", "symbols", "V<u>")
    drawn = dict(zip(texts_of(page)[1::2], texts_of(page)[2::2], strict=True))
    assert drawn["S"] == drawn["V<u>"] == "2"
    assert "u" not in page.names
    assert "svg" in grammar.parse(["the", "dog", "runs"])._repr_svg_()


def test_long_texts_are_cut() -> None:
    vectors = firth.WordVectors.from_arrays(["x" * 10_000, "y"], np.eye(2))
    assert len(vectors._repr_html_()) < 2_000
