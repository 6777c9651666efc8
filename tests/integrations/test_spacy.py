"""Components for spaCy, in spaCy."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firth
from firth.errors import FirthError, ModelError, ParameterError

spacy = pytest.importorskip("spacy", reason="spaCy is not installed: make test-integrations")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

TEXT = "Anna Berg sees the CAT in Oslo.  A bird hears Otto Dahl 77 times."


def pipeline(model: Path, **settings: Any) -> Any:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("firth", config={"model": str(model), **settings})
    nlp.add_pipe("firth_ner", config={"model": str(model)})
    nlp.add_pipe("firth_parser", config={"model": str(model)})
    return nlp


def facts(doc: Any) -> list[Any]:
    """All that the components have added to a document."""
    words = [
        (t.text, t._.firth_path, t._.firth_class(2), t._.firth_tag, t._.firth_pos) for t in doc
    ]
    ents = [(e.text, e.label_) for e in doc.ents]
    return [words, ents, [(s._.firth_parse, s._.firth_labels) for s in doc.sents]]


def test_classes_and_tags(model: Path) -> None:
    opened = firth.load(model)
    doc = pipeline(model, set_tags=True, guess=False)(TEXT)
    for token in doc:
        word = {"77": "00"}.get(token.text, token.text.lower())
        known = word in opened.classes
        assert token._.firth_path == (opened.classes.path(word) if known else None)
        assert token._.firth_class(2) == (opened.classes.path(word)[:2] if known else None)
    words = [[t.text for t in sentence if not t.is_space] for sentence in doc.sents]
    tags = [tag for of_one in opened.tags.tag(words) for tag in of_one]
    assert [t._.firth_tag for t in doc if not t.is_space] == tags
    assert [t.tag_ for t in doc if not t.is_space] == tags
    assert {t.tag_ for t in pipeline(model)(TEXT)} == {""}
    assert not any(token.has_vector for token in doc)


def test_words_never_seen_get_classes_from_their_spelling(model: Path) -> None:
    word = "Zanna"
    expected = firth.load(model).classes.spelling.class_of(word.lower())
    paths = firth.load(model).classes.paths
    found = pipeline(model)(word)[0]._.firth_path
    assert found == (None if expected is None else paths[expected])
    assert pipeline(model, guess=False)(word)[0]._.firth_path is None


@pytest.mark.parametrize("kind", ["meaning", "grammar"])
def test_vectors(model: Path, kind: str) -> None:
    nlp = pipeline(model, vectors=kind)
    vectors = firth.load(model).vectors_of(kind)
    doc = nlp("The CAT zzz")
    np.testing.assert_array_equal(doc[1].vector, vectors["cat"])
    assert not doc[2].has_vector
    assert doc[1].similarity(nlp("bird")[0]) == pytest.approx(
        vectors.similarity("cat", "bird"), abs=1e-5
    )
    with pytest.raises(FirthError, match="vectors of its own"):
        nlp.add_pipe("firth", name="again", config={"model": str(model), "vectors": kind})


def test_entities(model: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("firth_ner", config={"model": str(model)})
    doc = nlp("  Anna Berg sees Otto Dahl in\nRome")
    assert [(e.text, e.label_) for e in doc.ents] == [
        ("Anna Berg", "PER"), ("Otto Dahl", "PER"), ("Rome", "LOC"),
    ]  # fmt: skip
    patterns = [{"label": "TEAM", "pattern": "Anna"}, {"label": "TEAM", "pattern": "sees"}]
    for overwrite, expected in (
        (False, ["TEAM", "TEAM", "PER", "LOC"]),
        (True, ["PER", "TEAM", "PER", "LOC"]),
    ):
        other = spacy.blank("en")
        other.add_pipe("entity_ruler").add_patterns(patterns)
        other.add_pipe("firth_ner", config={"model": str(model), "overwrite_ents": overwrite})
        assert [e.label_ for e in other(doc.text).ents] == expected


def test_constituents(model: Path) -> None:
    doc = pipeline(model)("the cat sees a dog")
    (sentence,) = doc.sents
    tree = firth.load(model).grammar.parse([t.text for t in doc])
    assert (
        sentence._.firth_parse
        == str(tree)
        == "(S (NP (D the) (N cat)) (VP (V sees) (NP (D a) (N dog))))"
    )
    assert [t._.firth_pos for t in doc] == tree.tags
    spans = [(s.label_, s.start, s.end) for s in sentence._.firth_constituents]
    assert spans == tree.spans()
    assert spans == [(s.label_, s.start, s.end) for s in doc.spans["constituents"]]
    assert sentence._.firth_labels == ("S",)
    assert sentence._.firth_parent is None
    subject, predicate = sentence._.firth_children
    assert (subject._.firth_labels, subject.text) == (("NP",), "the cat")
    assert [(c.text, c._.firth_labels) for c in predicate._.firth_children] == [
        ("sees", ()),
        ("a dog", ("NP",)),
    ]
    assert predicate._.firth_children[1]._.firth_parent.text == "sees a dog"
    assert predicate._.firth_parse == "(VP (V sees) (NP (D a) (N dog)))"
    with pytest.raises(ParameterError, match="no constituents"):
        spacy.blank("en")("a dog")[:]._.firth_parse  # noqa: B018


def test_saved_and_loaded(model: Path, tmp_path: Path) -> None:
    nlp = pipeline(model, vectors="meaning", guess=False)
    expected = facts(nlp(TEXT))
    here, moved = tmp_path / "nlp", tmp_path / "moved"
    nlp.to_disk(here)
    nlp.to_disk(here)  # once more into the same folder
    assert not list(here.rglob("corpus")), "the text stays at home"
    assert not list(here.rglob("counts"))
    config = here / "config.cfg"
    config.write_text(config.read_text().replace(str(model), "/nowhere"))
    here.rename(moved)
    loaded = spacy.load(moved)
    assert facts(loaded(TEXT)) == expected
    np.testing.assert_array_equal(loaded("cat")[0].vector, nlp("cat")[0].vector)
    loaded.to_disk(moved)  # onto itself
    assert facts(spacy.load(moved)(TEXT)) == expected
    docs = list(loaded.pipe([TEXT] * 4, n_process=2, batch_size=1))
    assert [facts(doc) for doc in docs] == [expected] * 4
    from spacy.tokens import DocBin

    stored = DocBin(docs=docs[:1], store_user_data=True).to_bytes()
    again = next(DocBin().from_bytes(stored).get_docs(loaded.vocab))
    assert [t._.firth_path for t in again] == [t._.firth_path for t in docs[0]]
    (moved / "firth" / "config.json").write_text("[]")
    with pytest.raises(ModelError, match="missing or damaged"):
        spacy.load(moved)
    (moved / "firth" / "config.json").write_text('{"reading": {"tokens": 3}}')
    with pytest.raises(FirthError):
        spacy.load(moved)


def test_models_that_cannot_be_used(model: Path, tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    component = nlp.add_pipe("firth_ner")
    with pytest.raises(ParameterError, match="has no model.*config="):
        component(nlp.make_doc("a"))
    for name, missing in (("firth", "nowhere"), ("firth_parser", "nowhere")):
        other = spacy.blank("en")
        other.add_pipe(name, config={"model": str(tmp_path / missing)})
        with pytest.raises(ModelError, match="There is no model folder"):
            other("a b")
    firth.load(model).copy_to(tmp_path / "vectors", ["vectors"])
    other = spacy.blank("en")
    other.add_pipe("firth_ner", config={"model": str(tmp_path / "vectors")})
    with pytest.raises(ModelError, match="firth ner learn"):
        other("a b")
    with pytest.raises(ParameterError, match="'vectors' parameter of firth"):
        spacy.blank("en").add_pipe("firth", config={"model": str(model), "vectors": "topics"})
    assert facts(pipeline(model)("")) == [[], [], []]
    assert facts(pipeline(model)(" \n "))[1] == []


def test_damaged_models_are_refused(model: Path, tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("firth", config={"model": str(model)})
    nlp.to_disk(tmp_path / "nlp")
    file = next((tmp_path / "nlp" / "firth" / "model").rglob("class_of.i32"))
    file.write_bytes(b"\xff" * file.stat().st_size)
    with pytest.raises(ModelError, match="checksum"):
        spacy.load(tmp_path / "nlp")("a cat")


def test_vectors_for_spacy(model: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """``spacy init vectors`` reads what ``firth export --format spacy`` writes."""
    done = request.getfixturevalue("firth")(
        "export", model, "--format", "spacy", "-o", tmp_path / "v.txt"
    )
    assert done.status == 0, done
    run: list[Any] = [
        sys.executable,
        "-m",
        "spacy",
        "init",
        "vectors",
        "en",
        tmp_path / "v.txt",
        tmp_path / "out",
    ]
    subprocess.run(run, check=True, capture_output=True)
    vectors = firth.load(model).vectors
    loaded = spacy.load(tmp_path / "out")
    assert len(loaded.vocab.vectors) == int(vectors.matrix.any(axis=1).sum())
    np.testing.assert_allclose(loaded("cat")[0].vector, vectors["cat"], atol=1e-5)
    assert json.loads((tmp_path / "out" / "meta.json").read_text())["vectors"]["width"] == 3
