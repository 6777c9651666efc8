"""Classes for new words: from their contexts, from their spelling, or none."""

from __future__ import annotations

import pytest

import firth
from firth.classes import Assignment, BrownClasses, Hierarchy
from firth.classes._labels import trait
from firth.errors import FirthError
from tests.classes.trees import LINES, small


def spelt() -> Hierarchy:
    """Classes of endings, and a frequent half that is not to be learned from."""
    frequent = [f"x{c}ing" for c in "abcdefghijk"]
    rare = "going making being pasted wasted tasted Paris London Berlin 1987 2001".split()
    paths = ["00"] * 11 + ["01"] * 3 + ["10"] * 3 + ["110"] * 3 + ["111"] * 2
    return Hierarchy.from_paths([*frequent, *rare], paths, [*[99] * 11, *[2] * 11])


def test_words_of_the_vocabulary_have_their_class() -> None:
    classes = small()
    assert classes.assign(["cat", "the"]) == [
        Assignment("cat", classes.path("cat"), "vocabulary"),
        Assignment("the", classes.path("the"), "vocabulary"),
    ]
    assert classes.assign("cat") == classes.assign(["cat"]), "a word is no list of letters"
    assert classes.assign([]) == []


def test_the_text_tells_the_class_of_a_new_word() -> None:
    classes = small()
    text = [line.split() for line in ["the bird sat", "a bird ran", "the cat slept", "my dog sat"]]
    found = classes.assign(["bird", "slept", "my", "dog", "whale"], text)
    assert [(a.word, a.source) for a in found] == [
        ("bird", "contexts"), ("slept", "contexts"), ("my", "contexts"), ("dog", "vocabulary"),
        ("whale", "unknown"),
    ]  # fmt: skip
    kinds = [classes.members(a.path)[0].word for a in found[:3] if a.path is not None]
    assert kinds == ["cat", "ran", "a"]
    corpus = firth.Corpus.from_sentences(text)
    assert classes.assign(["bird", "slept", "my", "dog", "whale"], corpus) == found


def test_words_without_known_neighbours_are_not_told_by_contexts() -> None:
    classes = small()
    text = [["bird"], ["fish", "bird"], ["cat", "sat"]]
    assert [a.source for a in classes.assign(["bird", "fish"], text)] == ["unknown", "unknown"]
    assert [a.source for a in classes.assign(["bird"], [["the"], ["bird"], ["ran"]])] == ["unknown"]


def test_lines_are_joined_where_they_were_joined_in_learning() -> None:
    corpus = firth.Corpus.from_sentences([line.split() for line in LINES])
    classes = BrownClasses(3, min_count=1, across_lines=True).fit(corpus).hierarchy_
    assert [a.source for a in classes.assign(["bird"], [["the"], ["bird"], ["ran"]])] == [
        "contexts"
    ]


def test_rare_words_are_neighbours_too() -> None:
    lines = [*LINES, "the zebra sat", "a mouse ran", "the horse ran", "a whale sat"] + [
        "so be it"
    ] * 5
    corpus = firth.Corpus.from_sentences([line.split() for line in lines])
    classes = BrownClasses(4, min_count=4).fit(corpus).hierarchy_
    assert classes.rare is not None
    assert "zebra" not in classes
    # an unknown word stands for the rare symbol beside the word that is asked for
    found = classes.assign(["your"], [["your", "giraffe"]])[0]
    assert found.source == "contexts"


def test_spelling_is_learned_from_rare_words() -> None:
    classes = spelt()
    found = {
        word: classes.assign([word])[0]
        for word in ("baking", "hasted", "Dublin", "1950", "NATO", "?", "b-52", "well-off")
    }
    assert found["baking"] == ("baking", "01", "spelling"), "not 00, the class of frequent words"
    assert found["hasted"] == ("hasted", "10", "spelling")
    assert found["Dublin"] == ("Dublin", "110", "spelling")
    assert found["1950"] == ("1950", None, "unknown"), "two numbers are too few to learn from"
    for word in ("NATO", "?", "well-off", "b-52"):
        assert found[word] == (word, None, "unknown")


def test_spelling_of_classes_without_counts() -> None:
    words = ["1987", "2001", "1850", "cat", "dog", "cow"]
    classes = Hierarchy.from_classes(words, ["7", "7", "7", "3", "3", "3"])
    assert classes.assign(["1914", "hen"]) == [("1914", "1", "spelling"), ("hen", None, "unknown")]


def test_the_majority_decides_and_ties_go_to_the_first_class() -> None:
    words = ["aing", "bing", "cing", "ding", "xed", "yed", "zed", "wed"]
    classes = Hierarchy.from_classes(words, ["1", "2", "2", "2", "2", "1", "1", "2"])
    assert classes.assign(["king"])[0].path == classes.paths[1]
    assert classes.assign(["fled"])[0].path == classes.paths[0]


def test_imported_classes_know_no_contexts() -> None:
    with pytest.raises(FirthError, match="were imported, so their contexts") as error:
        spelt().assign(["bird"], [["the", "bird"]])
    assert error.value.hint == "Omit the text to use spelling only."
    assert spelt().assign(["Paris"], [["to", "Paris"]])[0].source == "vocabulary"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("going making being using having", "-ing"),
        ("going making being using", None),
        ("1987 2nd 3.5 12 100", "numbers"),
        (". , ! ? ;", "punctuation"),
        ("NATO UN EU USA UK", "capitals"),
        ("Paris London NATO Berlin Rome", "capitalised"),
        ("nation station ration motion lotion", "-tion"),
        ("cat dog bird fish whale", None),
    ],
)
def test_traits(words: str, expected: str | None) -> None:
    assert trait(words.split()) == expected


def test_a_trait_is_one_of_most_tokens() -> None:
    words = ["going", "making", "being", "using", "having", "the"]
    assert trait(words, [1, 1, 1, 1, 1, 1]) == "-ing"
    assert trait(words, [1, 1, 1, 1, 1, 90]) is None
