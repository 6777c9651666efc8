"""Entities written as labels, and which notation labels are in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from firth.errors import InputError, ParameterError
from firth.formats import (
    SCHEMES,
    Entity,
    convert_labels,
    detect_scheme,
    entities,
    labels_of,
)

TYPES = ["PER", "LOC", "a-b", "-", "O"]
SAME = {  # one sentence in all notations
    "iob1": "I-LOC B-LOC I-LOC O I-PER I-LOC I-LOC",
    "iob2": "B-LOC B-LOC I-LOC O B-PER B-LOC I-LOC",
    "iobes": "S-LOC B-LOC E-LOC O S-PER B-LOC E-LOC",
    "bilou": "U-LOC B-LOC L-LOC O U-PER B-LOC L-LOC",
}
THERE = [Entity(0, 1, "LOC"), Entity(1, 3, "LOC"), Entity(4, 5, "PER"), Entity(5, 7, "LOC")]


@st.composite
def sentences(draw: st.DrawFn) -> tuple[list[Entity], int]:
    """Entities, and the number of words of their sentence."""
    found, end = [], 0
    for gap, length, type_ in draw(
        st.lists(
            st.tuples(st.integers(0, 2), st.integers(1, 3), st.sampled_from(TYPES)), max_size=6
        )
    ):
        start = end + gap
        end = start + length
        found.append(Entity(start, end, type_))
    return found, end + draw(st.integers(0, 2))


LABELS = st.lists(
    st.sampled_from(["O", *(f"{p}-{t}" for p in "BIESLU" for t in ("X", "Y-Z"))]), max_size=12
)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_all_notations_say_the_same(scheme: str) -> None:
    labels = SAME[scheme].split()
    assert entities(labels) == entities(labels, scheme) == THERE
    assert labels_of(THERE, 7, scheme) == labels
    assert detect_scheme([labels]) == scheme
    for other in SCHEMES:
        assert convert_labels(labels, scheme, other) == SAME[other].split()
        assert convert_labels(labels, None, other) == SAME[other].split()


@pytest.mark.parametrize("scheme", SCHEMES)
@given(sentence=sentences())
@pytest.mark.slow
def test_what_is_written_is_read(scheme: str, sentence: tuple[list[Entity], int]) -> None:
    there, n = sentence
    labels = labels_of(reversed(there), n, scheme)
    assert len(labels) == n
    assert entities(labels, scheme) == there
    if there:
        assert detect_scheme([labels]) == scheme
    for other in SCHEMES:
        assert convert_labels(convert_labels(labels, scheme, other), other, scheme) == labels


@given(LABELS)
@example(["E-X", "B-X"])
def test_any_labels_become_entities_in_order(labels: list[str]) -> None:
    found = entities(labels)
    inside = [i for start, end, _ in found for i in range(start, end)]
    assert inside == [i for i, label in enumerate(labels) if label != "O"]
    for start, end, type_ in found:
        assert all(label[2:] == type_ for label in labels[start:end])
    tidy = labels_of(found, len(labels), "iob2")
    assert entities(tidy) == found
    assert detect_scheme([tidy]) == "iob2"


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("", []),
        ("O O", []),
        ("I-X I-Y", [(0, 1, "X"), (1, 2, "Y")]),
        ("O I-X I-X", [(1, 3, "X")]),
        ("B-X I-Y I-Y", [(0, 1, "X"), (1, 3, "Y")]),
        ("E-X", [(0, 1, "X")]),
        ("E-X E-X I-X", [(0, 1, "X"), (1, 2, "X"), (2, 3, "X")]),
        ("B-X E-Y I-X", [(0, 1, "X"), (1, 2, "Y"), (2, 3, "X")]),
        ("S-X I-X S-X", [(0, 1, "X"), (1, 2, "X"), (2, 3, "X")]),
        ("B-X O I-X L-X", [(0, 1, "X"), (2, 4, "X")]),
        ("U-X U-X", [(0, 1, "X"), (1, 2, "X")]),
        ("B-a-b I-a-b I-a", [(0, 2, "a-b"), (2, 3, "a")]),
        ("B--", [(0, 1, "-")]),
    ],
)
def test_labels_against_the_rules_are_read_as_by_conlleval(
    labels: str, expected: list[tuple[int, int, str]]
) -> None:
    assert entities(labels.split()) == expected


@pytest.mark.parametrize(
    ("sentences", "scheme"),
    [
        ([], "iob2"),
        ([""], "iob2"),
        (["O O", "O"], "iob2"),
        (["B-PER", "O"], "iob2"),
        (["I-PER I-PER O I-LOC", "I-PER"], "iob1"),  # nothing side by side, so no B- at all
        (["I-PER B-PER"], "iob1"),
        (["I-PER I-LOC B-LOC"], "iob1"),
        (["B-PER I-PER", "B-PER B-PER"], "iob2"),
        (["O S-PER O"], "iobes"),
        (["B-PER I-PER E-PER"], "iobes"),
        (["U-PER"], "bilou"),
        (["B-PER L-PER B-PER L-PER"], "bilou"),
    ],
)
def test_notations_are_told_from_all_sentences(sentences: list[str], scheme: str) -> None:
    assert detect_scheme(sentence.split() for sentence in sentences) == scheme


def test_a_few_slips_do_not_matter() -> None:
    for usual, slip, scheme in (
        ("I-X", "B-X", "iob1"),  # as in the training data of CoNLL-2003
        ("B-X", "I-X", "iob2"),
        ("S-X", "B-X", "iobes"),
        ("U-X", "L-X", "bilou"),
    ):
        assert detect_scheme([[usual]] * 99 + [[slip]]) == scheme
        with pytest.raises(InputError, match=f"^Sentence 51, word 2: .*'{slip}'"):
            detect_scheme([[usual]] * 50 + [["O", slip]] + [[usual]] * 40)


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        (["O B-X", "O I-Y"], "Sentence 2, word 2: 'I-Y' starts an entity, as in iob1, but 1 other starts with B-"),
        (["B-X B-X", "B-X", "I-X"], "Sentence 3, word 1: 'I-X' .* but 2 others start"),
        (["I-X O B-X", "I-X"], "Sentence 1, word 3: 'B-X' starts an entity, as in iob2, but 2 others start with I-"),
        (["I-X B-Y"], "Sentence 1, word (1|2)"),
        (["S-X", "O U-X"], "Sentence 2, word 2: 'U-X' is of another scheme than 'S-X' before it"),
        (["B-X L-X", "B-X E-X"], "Sentence 2, word 2: 'E-X' is of another scheme than 'L-X'"),
        (["S-X", "O B-X"], "Sentence 2, word 2: the entity of 'B-X' has no end; in iobes, that is E- or S-"),
        (["S-X", "B-X I-X O"], "Sentence 2, word 2: the entity of 'I-X' has no end"),
        (["U-X", "B-X L-Y"], "Sentence 2, word 1: the entity of 'B-X' has no end; in bilou, that is L- or U-"),
        (["S-X", "I-X E-X"], "Sentence 2, word 1: 'I-X' starts an entity; in iobes, that is B- or S-"),
        (["S-X E-X"], "Sentence 1, word 2: 'E-X' starts"),
    ],
)  # fmt: skip
def test_mixed_notations_are_told(sentences: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        detect_scheme([sentence.split() for sentence in sentences])
    assert caught.value.hint


@pytest.mark.parametrize(
    "label",
    ["PERSON", "I-", "-PER", "", "B", "-", "O-PER", "o", "X-PER", "b-PER", "BI-PER", None, 7],
)
def test_what_is_no_label(label: Any) -> None:
    what = "the label is empty" if label == "" else "is not an entity label"
    with pytest.raises(InputError, match=f"Word 2: .*{what}.*A label is O, or a prefix"):
        entities(["O", label])
    with pytest.raises(InputError, match=f"Sentence 2, word 2: .*{what}"):
        detect_scheme([["B-X", "I-X"], ["O", label], ["I-X"]])


def test_labels_of_another_notation() -> None:
    with pytest.raises(InputError, match="Word 2: 'S-X' is not a label of iob2, .* prefixes B I"):
        entities(["O", "S-X"], "iob2")
    with pytest.raises(InputError, match="'U-X' is not a label of iobes"):
        convert_labels(["U-X"], "iobes", "iob1")
    with pytest.raises(InputError, match="'NNP' is not an entity label"):
        entities(["NNP"], "iob2")


@pytest.mark.parametrize("scheme", ["", "iob", "IOB2", "bio"])
def test_notations_that_are_not_there(scheme: str) -> None:
    for call in (
        lambda: entities([], scheme),
        lambda: labels_of([], 0, scheme),
        lambda: convert_labels([], None, scheme),
    ):
        with pytest.raises(ParameterError, match="'scheme' parameter of .* one of 'iob1'"):
            call()


@pytest.mark.parametrize("labels", ["O", "B-PER"])
def test_one_label_is_no_sentence(labels: str) -> None:
    calls: list[Sequence[Any]] = [(entities, labels), (detect_scheme, [labels])]
    for call, argument in calls:
        with pytest.raises(InputError, match="labels of a sentence must be a list"):
            call(argument)


@pytest.mark.parametrize(
    ("there", "message"),
    [
        ([(0, 2, "X"), (1, 3, "Y")], "end at 2 and start at 1 overlap"),
        ([(0, 2, "X"), (0, 2, "Y")], "overlap"),
        ([(2, 4, "X")], "from word 2 to 4 is not within a sentence of 3 words"),
        ([(-1, 1, "X")], "from word -1 to 1 is not within"),
        ([(1, 1, "X")], "from word 1 to 1 is not within"),
        ([(1, 2, "")], "The entity from word 1 to 2 has no type"),
    ],
)
def test_entities_that_cannot_be(there: list[tuple[int, int, str]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        labels_of(there, 3, "iob2")
