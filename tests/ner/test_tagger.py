"""Training and tagging: what is found, what it depends on, and odd input."""

from __future__ import annotations

import copy
import io
import math
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firth
from firth.errors import InputError, ParameterError
from firth.formats import SCHEMES, LabelledText, convert_labels
from firth.ner import EntityRecogniser, EntityTagger, _reader
from firth.ner._feature_kernels import LABEL_ELSEWHERE
from firth.ner._key_kernels import key_pair
from firth.ner._labelled import stretches
from firth.ner._reader import Reader
from firth.ner._weights import label_names
from tests.ner.samples import WORDS, Document, Text, classes, random_vectors, rule_text


def learned(text: Text | None = None, **options: Any) -> EntityTagger:
    return EntityTagger(**{"rounds": 5, **options}).fit(text or rule_text(6))


def weights_of(tagger: EntityRecogniser) -> list[bytes]:
    """All that was learned."""
    caseless = [] if tagger.caseless_ is None else [tagger.caseless_]
    return [
        part.tobytes()
        for stage in [*tagger.stages_, *caseless]
        for part in (stage.table.keys, stage.table.weights, stage.vectors)
    ]


def words_of(text: Text) -> list[list[list[str]]]:
    return [[words for words, _ in document] for document in text]


def labels_of(text: Text) -> list[list[list[str]]]:
    return [[labels for _, labels in document] for document in text]


# What is found -----------------------------------------------------------------------------------


@pytest.mark.parametrize("stages", [1, 2])
@pytest.mark.parametrize("margin", [0, 1, 100])
def test_names_that_follow_a_rule_are_found_among_new_words(stages: int, margin: float) -> None:
    tagger = learned(stages=stages, margin=margin)
    new = rule_text(5, seed=9, first=6)
    known = {word for document in words_of(rule_text(6)) for words in document for word in words}
    assert "Rosa" not in known
    for words, labels in zip(words_of(new), labels_of(new), strict=True):
        assert tagger.tag(words) == labels
    assert tagger.types_ == ["LOC", "PER"]
    assert tagger.facts_["stages"] == stages
    assert len(tagger.stages_) == stages


def test_labels_can_be_in_any_notation_and_come_in_any() -> None:
    text = rule_text(4)
    expected = weights_of(learned(text))
    words = words_of(rule_text(1, seed=9, first=6))[0]
    for scheme in SCHEMES:
        other = [[(w, convert_labels(y, "iob2", scheme)) for w, y in d] for d in text]
        tagger = learned(other)
        assert weights_of(tagger) == expected
        as_read = EntityTagger(rounds=5).fit(LabelledText(other, scheme, 0))
        assert weights_of(as_read) == expected
        right = [convert_labels(y, "bilou", scheme) for y in tagger.tag(words, "bilou")]
        assert tagger.tag(words, scheme) == right


def test_entities_are_those_of_the_labels() -> None:
    tagger = learned()
    sentences = [["Mr", "Rosa", "Ness", "was", "in", "Bonn", "."], [], ["Fine", "."]]
    assert tagger.entities(sentences) == [[(1, 3, "PER"), (5, 6, "LOC")], [], []]
    assert tagger.entities(sentences)[0][0].type == "PER"


def doubtful_names(by_neighbours: bool) -> tuple[Text, list[tuple[list[list[str]], str]]]:
    """Documents of two sentences: in "Vik won ." nobody can tell what a word is, in the other one all.

    In the second sentence the words beside the name tell, or only the one before these.
    """
    chance = random.Random(1)

    def document(name: str, label: str) -> Document:
        cue = "mister" if label == "B-PER" else "shares"
        one, other = (chance.choice("one two three four five six".split()) for _ in range(2))
        clear = [cue, name, other] if by_neighbours else [cue, one, name, other]
        return [
            ([name, "won", "."], [label, "O", "O"]),
            (clear, [label if word == name else "O" for word in clear]),
        ]

    starts, ends = ("Ba", "Ko", "Mi", "Tu"), ("lan", "rek", "sov", "tin", "vem", "zup")
    text = [document(a + b, y) for y in ("B-PER", "B-ORG") for a in starts for b in ends]
    new = [
        ([words for words, _ in document(name, label)], label)
        for name in ("Halor", "Nusek", "Pidan", "Yorim")
        for label in ("B-PER", "B-ORG")
    ]
    return text, new


def test_the_company_of_a_name_elsewhere_helps_a_first_reading() -> None:
    text, new = doubtful_names(by_neighbours=True)
    tagger = learned(text, stages=1, rounds=10)
    assert [tagger.tag(words)[0][0] for words, _ in new] == [label for _, label in new]
    alone = [tagger.tag(words[:1])[0][0] == label for words, label in new]
    assert sum(alone) == len(new) / 2, "without the other sentence it cannot be told"


def test_the_labels_of_a_name_elsewhere_help_a_second_reading() -> None:
    text, new = doubtful_names(by_neighbours=False)
    labels = [label for _, label in new]
    once, twice = (learned(text, stages=stages, rounds=10) for stages in (1, 2))
    assert [twice.tag(words)[0][0] for words, _ in new] == labels
    assert [once.tag(words)[0][0] for words, _ in new] != labels


def test_the_history_of_labels_helps_a_first_reading() -> None:
    """A word that was a name keeps to be one, though nothing around it says so."""
    names = ["Balan", "Korek", "Misov", "Tutin", "Havem", "Nuzup"] * 3
    text: Text = []
    for k, name in enumerate(names):
        label = "B-PER" if k % 2 else "B-ORG"
        clear = ["Mr", name] if k % 2 else ["firm", name]
        text.append([(clear, ["O", label]), *[(["then", name], ["O", label])] * 3])
    tagger = learned(text, stages=1, rounds=10)
    for first, label in (("Mr", "B-PER"), ("firm", "B-ORG")):
        assert (
            tagger.tag([[first, "Yorim"], ["then", "Yorim"], ["then", "Yorim"]])
            == [["O", label]] * 3
        )


def test_classes_and_vectors_tell_of_words_that_were_not_learned_from() -> None:
    rng = np.random.default_rng(0)
    names = ["".join(rng.choice(list("bdfgklmn"), 5)) for _ in range(32)]
    new = ["".join(rng.choice(list("pqrstvwz"), 5)) for _ in range(8)]  # of letters not seen before
    is_place = np.arange(40) % 2
    known = firth.Hierarchy.from_paths([*names, *new], ["1111" if y else "0000" for y in is_place])
    matrix = rng.standard_normal((2, 40))[is_place] + 0.2 * rng.standard_normal((40, 40))
    vectors = firth.WordVectors.from_arrays([*names, *new], matrix.astype(np.float32))
    label = ["B-LOC" if y else "B-PER" for y in is_place]
    text: Text = [
        [(["so", name, "it", "is"], ["O", y, "O", "O"])]
        for name, y in zip(names, label, strict=False)
    ]
    sentences = [["so", name, "it", "is"] for name in new]
    right = [["O", y, "O", "O"] for y in label[32:]]
    helps: list[dict[str, Any]] = [
        {"classes": known}, {"vectors": vectors}, {"classes": known, "vectors": vectors},
    ]  # fmt: skip
    for help_ in helps:
        helped = learned(text, rounds=10, **help_)
        assert [helped.tag([sentence])[0] for sentence in sentences] == right
    plain = learned(text, rounds=10)
    assert [plain.tag([sentence])[0] for sentence in sentences] != right


@pytest.mark.parametrize("how", [str.lower, str.upper])
@pytest.mark.parametrize("stages", [1, 2])
def test_names_are_found_in_text_of_one_case(how: Callable[[str], str], stages: int) -> None:
    tagger = learned(rule_text(20), stages=stages)
    plain = copy.copy(tagger)
    plain.caseless_ = plain._reader = None
    right, found, without = 0, 0, 0
    for document in rule_text(5, seed=9, first=6):
        words = [[how(word) for word in words] for words, _ in document]
        for (_, labels), mine, others in zip(
            document, tagger.tag(words), plain.tag(words), strict=True
        ):
            right += sum(y != "O" for y in labels)
            found += sum(y != "O" and y == x for x, y in zip(mine, labels, strict=True))
            without += sum(y != "O" and y == x for x, y in zip(others, labels, strict=True))
    assert found > 0.9 * right
    if how is str.lower:  # in capitals, the neighbours tell all
        assert without < 0.8 * found


def test_text_of_one_case_is_read_in_lower_case_by_weights_of_its_own() -> None:
    options: dict[str, Any] = {"classes": classes(), "vectors": random_vectors(3)}
    tagger = learned(**options)
    assert tagger.caseless_ is not None
    lexicon = tagger.lexicon_.in_lower_case()
    alone = Reader([tagger.caseless_], 2, lexicon, cased=False)
    small = [["anna", "berg", "was", "in", "oslo", ",", "1996", "."], [], ["said"] * 20]
    expected = [y for labels in tagger.tag(small, "bilou") for y in labels]
    assert [label_names(tagger.types_)[y] for y in alone.read(small)] == expected
    capitals = [[word.upper() for word in words] for words in small]
    assert tagger.tag(capitals) == tagger.tag(small)
    # where there is any other spelling, case says something
    plain = copy.copy(tagger)
    plain.caseless_ = plain._reader = None
    for other in (["Rosa"], ["IBM"], ["iMac"]):
        mixed = [*small, other]
        assert tagger.tag(mixed) == plain.tag(mixed)
    headline = [["ROSA", "WINS", "1996", "."]]
    assert tagger.tag(headline) == plain.tag(headline)


def test_the_weights_for_text_of_one_case_are_those_of_text_in_lower_case() -> None:
    """As a text of a language without case is learned from, in one stage."""
    text = rule_text(6)
    small: Text = [[([w.lower() for w in words], y) for words, y in d] for d in text]
    caseless, same = learned(text).caseless_, learned(small, stages=1)
    assert caseless is not None
    assert same.caseless_ is None, "where names have no capitals, all text is like that"
    assert caseless.table.keys.tobytes() == same.stages_[0].table.keys.tobytes()
    assert caseless.table.weights.tobytes() == same.stages_[0].table.weights.tobytes()


def test_the_topic_of_a_document_tells_what_its_names_are() -> None:
    """Nothing beside a name says what it is, but words far from it that the tagger has not seen do."""
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("bdfgklmn"), 6)) for _ in range(64)]
    about = np.arange(64) % 2
    matrix = rng.standard_normal((2, 20))[about] + 0.3 * rng.standard_normal((64, 20))
    vectors = firth.WordVectors.from_arrays(words, matrix.astype(np.float32))

    def document(name: str, topic: int, among: slice) -> Document:
        of_topic = [word for word, a in zip(words, about, strict=True) if a == topic][among]
        chosen = rng.choice(of_topic, 6).tolist()
        label = "B-ORG" if topic else "B-LOC"
        return [(chosen, ["O"] * 6), (["so", "so", name, "so", "so"], ["O", "O", label, "O", "O"])]

    names = ["".join(rng.choice(list("aeiou"), 5)).capitalize() for _ in range(60)]
    text: Text = [document(name, k % 2, slice(16)) for k, name in enumerate(names[:40])]
    new = [document(name, k // 2 % 2, slice(16, None)) for k, name in enumerate(names[40:])]
    tagger = learned(text, vectors=vectors, rounds=10)
    assert [tagger.tag(of_one) for of_one in words_of(new)] == labels_of(new)
    for weights in tagger.stages_:
        weights.vectors[5] = 0
    assert [tagger.tag(of_one) for of_one in words_of(new)] != labels_of(new)


def test_a_short_text_of_one_document_is_read_once() -> None:
    tagger = learned(rule_text(1))
    assert tagger.facts_["stages"] == 1
    assert tagger.stages == 2
    assert tagger.facts_["n_documents"] == 1


def test_a_long_text_of_one_document_is_read_twice() -> None:
    """It is learned from like the documents that it could be cut into."""
    document = [sentence for short in rule_text(60) for sentence in short]
    parts: Any = stretches(document)
    assert len(parts) == 4
    tagger = learned([document], rounds=2)
    assert (tagger.facts_["stages"], tagger.facts_["n_documents"]) == (2, 1)
    assert weights_of(tagger) == weights_of(EntityTagger(rounds=2).fit(parts))
    new = rule_text(1, seed=9, first=6)
    assert tagger.tag(words_of(new)[0]) == [labels for _, labels in new[0]]


@pytest.mark.parametrize("longest", [1, 30, 700, 5000])
def test_stretches_are_of_similar_length_and_cut_between_sentences(longest: int) -> None:
    chance = random.Random(longest)
    for n_words in (0, 1, 1499, 1501, 2500, 12_345):
        left = n_words
        document: Document = []
        while left:
            n = min(left, chance.randint(0, longest))
            document.append((["word"] * n, ["O"] * n))
            left -= n
        document.append(([], []))
        parts = stretches(document)
        kept = [sentence for part in parts for sentence in part if sentence[0]]
        assert kept == [sentence for sentence in document if sentence[0]]
        sizes = [sum(len(words) for words, _ in part) for part in parts]
        assert len(parts) == 1 if n_words < 1500 else min(sizes) > 0
        if longest < 1000 and n_words > 1500:
            assert len(parts) == round(n_words / 1000)
            assert max(sizes) <= n_words / len(parts) + longest


def test_the_facts_are_those_of_the_text() -> None:
    text: Text = [
        [(["Anna", "Berg", "ran"], ["B-PER", "I-PER", "O"]), ([], [])],
        [(["Oslo"], ["B-LOC"])],
    ]
    dev: Text = [[(["Oslo", "ran"], ["B-LOC", "O"]), (["xyz"], ["B-MISC"])]]
    tagger = EntityTagger(classes(), random_vectors(3), rounds=10).fit(text, dev)
    facts = tagger.facts_
    assert [facts[name] for name in ("n_documents", "n_sentences", "n_words", "n_names")] == [
        2, 3, 4, 2,
    ]  # fmt: skip
    assert (facts["types"], facts["dim"], facts["classes_of"], facts["vectors_of"]) == (
        ["LOC", "PER"], 3, 7, 7,
    )  # fmt: skip
    assert facts["n_features"] == sum(map(len, tagger.stages_)) > 50
    assert [n for n, _ in facts["dev_f1"]] == [2, 4, 6, 8, 10]
    assert all(0 <= f1 <= 1 for _, f1 in facts["dev_f1"])
    assert "classes of 7 words, vectors of 7 words" in repr(tagger.lexicon_)
    # the last figure is that of the finished tagger
    found = tagger.tag([["Oslo", "ran"], ["xyz"]])
    result = firth.evaluate.evaluate_entities([y for d in dev for _, y in d], found)
    assert facts["dev_f1"][-1][1] == result.overall.f1


# What it depends on ------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_on_any_number_of_threads() -> None:
    text = rule_text(7)
    options: dict[str, Any] = {"classes": classes(), "vectors": random_vectors(3)}
    one = weights_of(learned(text, threads=1, **options))
    assert len(one) == 9
    assert weights_of(learned(text, threads=2, **options)) == one
    assert weights_of(learned(text, **options)) == one
    assert weights_of(learned(text, seed=1, **options)) != one
    assert weights_of(learned(text, dropout=0.3, **options)) != one
    tagger = EntityTagger(rounds=5, **options)
    tagger.fit(rule_text(3, seed=5))
    assert weights_of(tagger.fit(text)) == one, "what was learned before is forgotten"


def test_without_dropout_the_seed_is_for_the_order() -> None:
    assert weights_of(learned(seed=1, dropout=0, stages=1)) != weights_of(
        learned(seed=2, dropout=0, stages=1)
    )
    one = rule_text(1)
    assert weights_of(learned(one, seed=1, dropout=0)) == weights_of(
        learned(one, seed=2, dropout=0)
    ), "one document has but one order"


def test_development_data_change_nothing() -> None:
    text, dev = rule_text(4), rule_text(2, seed=8, first=6)
    with_dev = EntityTagger(rounds=5).fit(text, dev)
    assert weights_of(with_dev) == weights_of(learned(text))
    assert list(with_dev._words) == list(learned(text)._words)


def test_documents_are_read_each_for_itself() -> None:
    tagger = learned()
    new = words_of(rule_text(5, seed=9, first=6))
    alone = [tagger.tag(document) for document in new]
    for order in ([4, 2, 0, 1, 3], [0, 0, 1, 1]):
        assert [tagger.tag(new[i]) for i in order] == [alone[i] for i in order]
    assert [learned().tag(document) for document in new] == alone, "another reader, the same"


def test_many_threads_can_ask_one_tagger() -> None:
    documents = [[words for words, _ in document] for document in rule_text(60, seed=9)] * 3
    tagger = EntityTagger(rounds=5).fit(rule_text(6))
    expected = [tagger.tag(document) for document in documents]
    for _ in range(5):
        tagger._reader = None
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(tagger.tag, documents)) == expected


def test_a_reader_forgets_and_reads_on(monkeypatch: pytest.MonkeyPatch) -> None:
    options: dict[str, Any] = {"classes": classes(), "vectors": random_vectors(3)}
    tagger, small = learned(**options), learned(**options)
    new = words_of(rule_text(8, seed=9, first=3))
    new.append([[word] for word in WORDS])
    expected = [tagger.tag(document) for document in new]
    monkeypatch.setattr(_reader, "MOST_TYPES", 15)  # fewer than there are in a document
    most = 0
    for _ in range(2):
        for document, labels in zip(new, expected, strict=True):
            assert small.tag(document) == labels
            assert small._reader is not None
            most = max(most, len(small._reader._ids))
    assert most <= 1 + max(len({w for s in d for w in s}) for d in new)
    assert tagger._reader is not None
    assert len(tagger._reader._ids) > most


# Odd input ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ([], "There are no words to train on. No documents were given."),
        ([[]], "There are no words to train on. All documents are empty."),
        ([[([], [])], []], "There are no words to train on. All documents are empty."),
        ([[(["a"], ["O"])]], "contains no named entities"),
        (
            [[(["a"] * 1001, [f"B-{i}" for i in range(1001)])]],
            "has 1,001 entity types; the limit is 1,000",
        ),
        ([[("Anna", ["B-PER"])]], "a sentence (words, labels)"),
        ([(["Anna"], ["B-PER"])], "a sentence (words, labels)"),
        ([[(["Anna"],)]], "a sentence (words, labels)"),
        (["Anna"], "a sentence (words, labels)"),
        ([[(["Anna", "ran"], ["B-PER"])]], "2 words and 1 label."),
        ([[(["Anna"], "O")]], "labels of a sentence must be a list"),
        ([[(["Anna"], ["X-PER"])]], "'X-PER' is not an entity label"),
        ([[(["Anna"], ["PER"])]], "'PER' is not an entity label"),
        ([[(["Anna"], [3])]], "3 is not an entity label"),
        ([[([""], ["B-PER"])]], "Not a word: ''"),
        ([[([None], ["B-PER"])]], "Not a word: None"),
        ([[([b"Anna"], ["B-PER"])]], "Not a word: b'Anna'"),
    ],
)
def test_text_that_cannot_be_learned_from(text: Any, said: str) -> None:
    with pytest.raises(InputError) as error:
        EntityTagger(rounds=1).fit(text)
    assert said in error.value.message
    assert error.value.hint


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"rounds": 0}, "an int of at least 1"),
        ({"margin": math.nan}, "a number from 0 to 1e+06"),
        ({"dropout": 1}, "a number from 0 to 0.9"),
        ({"stages": 3}, "an int from 1 to 2"),
        ({"stages": None}, "an int from 1 to 2"),
        ({"seed": -1}, "an int of at least 0"),
        ({"seed": 2**63}, "at most 9223372036854775807"),
        ({"threads": 0}, "an int of at least 1"),
        ({"classes": 3}, "a Hierarchy or None"),
        ({"vectors": "x"}, "WordVectors or None"),
    ],
)
def test_wrong_parameters_are_named(options: dict[str, Any], rule: str) -> None:
    (name,) = options
    with pytest.raises(ParameterError, match=f"'{name}' parameter of EntityTagger") as error:
        EntityTagger(**options).fit(rule_text(1))
    assert rule in str(error.value)


def test_parameters_are_those_of_the_documentation() -> None:
    expected = {"rounds": 20, "margin": 100.0, "dropout": 0.2, "stages": 2, "seed": 0}
    assert EntityTagger().parameters() == expected


def test_a_copy_shares_classes_and_vectors() -> None:
    base: Any = import_module("sklearn.base")
    tagger = EntityTagger(classes(), random_vectors(3), rounds=4).fit(rule_text(1))
    copied = base.clone(tagger)
    assert copied.get_params() == tagger.get_params()
    assert copied.vectors is tagger.vectors
    assert not hasattr(copied, "stages_")


def test_before_it_has_learned(tmp_path: Path) -> None:
    tagger = EntityTagger()
    asks: list[Callable[[], Any]] = [
        lambda: tagger.tag([["Anna"]]),
        lambda: tagger.entities([["Anna"]]),
        lambda: tagger.telling("O"),
        lambda: tagger.write(tmp_path / "none"),
    ]
    for ask in asks:
        with pytest.raises(ParameterError, match="is not fitted yet"):
            ask()
    assert not (tmp_path / "none").exists()


def test_what_is_asked_for_must_be_words() -> None:
    tagger = learned(rounds=1)
    for wrong in ("Anna", ["Anna"], [[""]], [["Anna", ""]], [[1]], [[None]], [[b"Anna"]]):
        for ask in (tagger.tag, tagger.entities):
            with pytest.raises(InputError) as error:
                ask(wrong)  # type: ignore[arg-type]
            assert error.value.hint
    with pytest.raises(ParameterError, match=r"'scheme' parameter of EntityTagger\.tag"):
        tagger.tag([["Anna"]], "bioes")
    with pytest.raises(ParameterError, match="'n' parameter"):
        tagger.telling("U-PER", 0)


def test_nothing_gives_nothing() -> None:
    tagger = learned(rounds=1)
    for ask in (tagger.tag, tagger.entities):
        assert ask([]) == []
        assert ask([[]]) == [[]]
    assert tagger.tag([[], ["."], []]) == [[], ["O"], []]


def test_empty_documents_and_sentences_are_learned_from_too() -> None:
    text: Text = [[], *rule_text(4), [([], [])], []]
    tagger = learned(text)
    new = rule_text(1, seed=9, first=6)
    assert tagger.tag(words_of(new)[0]) == labels_of(new)[0]
    assert tagger.facts_["n_documents"] == 7


ODD = [
    "👩‍👩‍👧", "🇫🇷", "שלום", "العربية", "\u200f\u202e", "ﬁ", "İstanbul", "ß", "²", "٣٤", "a\0b", "\n", " ", "\ufeff",
    "e\u0301", "漢字", "-", "--", "-a-", "A" * 100_000, "-" * 10_000, "1" * 100_000, "ǅ", "\U0010ffff",
]  # fmt: skip


def test_odd_words_are_tagged_and_learned_from() -> None:
    lexicon: dict[str, Any] = {"classes": classes(), "vectors": random_vectors(3)}
    for tagger in (learned(rounds=1), learned(rounds=1, **lexicon)):
        assert [len(labels) for labels in tagger.tag([ODD, [ODD[0]], ODD[::-1]])] == [24, 1, 24]
    text: Text = [[(ODD, ["B-ODD"] * len(ODD)), (["odd", "words"], ["O", "O"])]] * 2
    tagger = learned(text, **lexicon)
    assert tagger.tag([ODD]) == [["B-ODD"] * len(ODD)]


def test_halves_of_characters_are_tagged() -> None:
    lexicon: dict[str, Any] = {"classes": classes(), "vectors": random_vectors(3)}
    for tagger in (learned(rounds=1), learned(rounds=1, **lexicon)):
        assert len(tagger.tag([["\ud800", "Anna\udcff"]])[0]) == 2


def test_halves_of_characters_are_learned_from(tmp_path: Path) -> None:
    tagger = learned([[(["\ud800", "Anna"], ["O", "B-PER"])]])
    assert tagger.tag([["\ud800", "Anna"]]) == [["O", "B-PER"]]
    tagger.write(tmp_path / "model")
    assert firth.load(tmp_path / "model").ner.tag([["\ud800", "Anna"]]) == [["O", "B-PER"]]


def test_a_very_long_sentence() -> None:
    tagger = learned(rounds=1)
    for words in (["Anna", "in"] * 10_000, ["Anna"] * 20_000, [f"W{i}" for i in range(20_000)]):
        assert len(tagger.tag([words])[0]) == 20_000
    text: Text = [[(["Anna", "in"] * 10_000, ["B-PER", "O"] * 10_000)], *rule_text(1)]
    assert learned(text, rounds=1).tag([["Anna", "in"]]) == [["B-PER", "O"]]


def test_a_seed_has_63_bits() -> None:
    assert learned(rounds=1, seed=2**63 - 1).tag([["Mr", "Rosa"]])


def test_where_names_have_no_capitals_the_document_is_looked_at_all_the_same() -> None:
    text = [
        [([w.lower() for w in words], labels) for words, labels in document]
        for document in rule_text(6)
    ]
    tagger = learned(text)
    assert not tagger.facts_["cased"]
    assert learned(rule_text(6)).facts_["cased"]
    others = {
        int(
            tagger.stages_[1].rows(
                np.array([key_pair(np.uint64(LABEL_ELSEWHERE), label)], np.uint64)
            )[0]
        )
        for label in range(len(tagger.types_) * 4 + 1)
    }
    assert others != {-1}  # labels elsewhere have weights


def test_a_tagger_is_written_to_a_model_and_copied(tmp_path: Path) -> None:
    tagger = learned(rule_text(6), classes=classes(), vectors=random_vectors(3))
    sentences = words_of(rule_text(3, seed=5))[0]
    expected = tagger.tag(sentences)
    tagger.write(tmp_path / "model")
    assert firth.load(tmp_path / "model").ner.tag(sentences) == expected
    assert copy.deepcopy(tagger).tag(sentences) == expected
    other = learned(rule_text(4, seed=3), seed=1)
    other.write(str(tmp_path / "model"))  # in the place of the first
    assert firth.load(tmp_path / "model").ner.tag(sentences) == other.tag(sentences)


def test_notices_of_one_document_and_of_unknown_types(caplog: pytest.LogCaptureFixture) -> None:
    text = rule_text(3)
    learned(text[:1], rounds=1)
    assert "only one document" in caplog.text
    EntityTagger(rounds=1).fit(text, [[(["Anna"], ["B-NEW"])]])
    assert "only the development data has: NEW." in caplog.text


def test_progress_names_fold_stage_and_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firth.progress._SECONDS_BETWEEN_LINES", 0.0)
    told = io.StringIO()
    with firth.show_progress(told):
        learned(rule_text(6), rounds=3, threads=1)
    lines = told.getvalue().splitlines()
    assert all(line.startswith("learning named entities: ") for line in lines)
    folds = [f"fold {k} of 5, " for k in range(1, 6)]
    for stage in (*folds, "first stage, ", "second stage, "):
        epochs = [line for line in lines if f" words, {stage}epoch " in line]
        assert "epoch 1 of 3" in epochs[0]
        assert "epoch 3 of 3" in epochs[-1]
    assert " 100% " in lines[-2]
    assert lines[-1].startswith("learning named entities: done in ")
    told = io.StringIO()
    with firth.show_progress(told):
        learned(rule_text(6), rounds=3, stages=1)
    assert " words, epoch 2 of 3" in told.getvalue()
    assert "stage" not in told.getvalue()


def test_a_tagger_that_could_not_learn_anew_is_as_it_was() -> None:
    tagger = learned()
    sentences = words_of(rule_text(1, seed=9, first=6))[0]
    before = tagger.tag(sentences)
    with pytest.raises(InputError, match="no named entities"):
        tagger.fit([[(["a"], ["O"])]])
    assert tagger.types_ == ["LOC", "PER"]
    assert tagger.tag(sentences) == before


def test_development_data_without_words_are_none() -> None:
    nothing: list[Text] = [[], [[]], [[([], [])]]]
    for dev in nothing:
        tagger = EntityTagger(rounds=1).fit(rule_text(2), dev)
        assert tagger.facts_["dev_f1"] == []


def test_sentences_can_be_any_iterable() -> None:
    tagger = learned()
    words = ["Mr", "Rosa", "was", "in", "Bonn", "."]
    assert tagger.tag(iter([words])) == tagger.tag([words])  # type: ignore[arg-type]
    assert tagger.tag((tuple(words),)) == tagger.tag([words])


# What speaks for a label -------------------------------------------------------------------------


def test_the_obvious_is_told() -> None:
    tagger = learned(rounds=20, dropout=0.5)
    place, person = tagger.telling("U-LOC"), tagger.telling("U-PER")
    assert place[0][0] in ("before: lower=in", "before: word=in")
    assert {"before: word=Mr", "before: lower=mr"} & {name for name, _ in person}
    for told in (place, person):
        weights = [weight for _, weight in told]
        assert len(told) == 10
        assert weights == sorted(weights, reverse=True)
        assert weights[-1] > 0
    assert tagger.telling("U-LOC", 3) == place[:3]
    assert len(tagger.telling("O", 100_000)) < 100_000


def test_classes_are_told() -> None:
    known = firth.Hierarchy.from_paths(["anna", "otto", "ran"], ["0000", "0000", "1111"])
    text: Text = [
        [(["so", name], ["O", label])]
        for name, label in (("anna", "B-PER"), ("otto", "B-PER"), ("ran", "O"), ("is", "O"))
        for _ in range(3)
    ]
    told = learned(text, classes=known, rounds=10).telling("U-PER", 10)
    assert "class4=0000" in [name for name, _ in told]


def test_a_label_that_is_not_there_is_not_told_of() -> None:
    tagger = learned(rounds=1)
    for wrong in ("X", "B-ORG", "PER", ""):
        with pytest.raises(InputError, match="There is no label") as error:
            tagger.telling(wrong)
        assert error.value.hint == "Labels: O B-LOC I-LOC L-LOC U-LOC B-PER I-PER L-PER U-PER"


def test_a_label_that_no_word_has_has_nothing_to_tell() -> None:
    told = learned().telling("I-PER")  # no name has more than two words
    assert all(weight > 1e-3 for _, weight in told)


def test_an_empty_piece_of_a_word_is_no_edge_of_a_sentence() -> None:
    text: Text = [
        [
            (["-5", "rose"], ["B-NUM", "O"]),
            (["fell", "-7"], ["O", "B-NUM"]),
            (["5", "7"], ["O", "O"]),
        ]
    ] * 3
    names = [name for name, _ in learned(text).telling("U-NUM", 30)]
    assert not [name for name in names if "piece" in name and "edge" in name]
