"""A language model as a whole: probabilities, weights, what is not known, files."""

from __future__ import annotations

import io
import json
import math
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firth.classes import BrownClasses, Hierarchy
from firth.compute import limit_blas
from firth.corpus import Corpus
from firth.errors import InputError, ModelError, ParameterError
from firth.lm import (
    InterpolatedModel,
    LanguageModel,
    _kneser_ney,
    _language_model,
    bucket_names,
    buckets_of,
    class_entropy,
)
from firth.lm._mixture import Sentences
from firth.store import Room, _room
from tests.lm.test_ngrams import flat, sentences
from tests.loading import load

NAMES = ["the", "cat", "dog", "sat", "ran", "on", "mat", "red", "big"]
CLASSES = {w: w in ("cat", "dog", "mat") for w in NAMES[:7]} | {"red": "adj", "big": "adj"}


def spelled(n: int, seed: int = 1) -> list[list[str]]:
    """Made-up sentences, some with words that are rare."""
    some = sentences(n, len(NAMES) - 2, seed)
    rare = [f"rare{k}" for k in range(n)]
    words = [[NAMES[w] for w in one] or ["the"] for one in some]
    return [one + [rare[k]] * (k % 9 == 0) for k, one in enumerate(words)]


TEXT = Corpus.from_sentences(spelled(150))
OTHER = Corpus.from_sentences(spelled(40, seed=5))


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    return LanguageModel().fit(TEXT, [CLASSES, tree().cut(2)], held_out=0.1)


def tree() -> Hierarchy:
    return BrownClasses(n_classes=4, min_count=3).fit(TEXT).hierarchy_


def copy_of(model: InterpolatedModel, folder: Path) -> InterpolatedModel:
    folder.mkdir()
    model.save(folder)
    found: InterpolatedModel = load("lm", folder, LanguageModel(model.order).parameters())
    return found


# probabilities -----------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, 2, 3])
def test_what_may_come_next_adds_up_to_one(order: int) -> None:
    made = LanguageModel(order).fit(TEXT, [CLASSES, tree()], held_out=0.1)
    words = made.words_.words
    assert len(words) == len(NAMES)
    for before in (
        [],
        ["the"],
        ["cat", "sat"],
        ["nothing", "big"],
        ["the", "nothing"],
        ["a", "b", "mat"],
    ):
        found = made.next_words(before, None)
        assert {one.word for one in found} == {*words, "<unk>", "</s>"}
        assert sum(one.p for one in found) == pytest.approx(1)
        assert all(0 < one.p < 1 for one in found)
        assert found == sorted(found, key=lambda one: -one.p)
        history = [made._mixture.begin, *made.words_.numbered([before])[0][-2:]]
        every = [k for k in range(len(words) + 3) if k != made._mixture.begin]
        text = np.array([[*history, k] for k in every])
        each, _ = made._mixture.look_up(text.ravel())
        for row in np.exp(each).reshape(len(each), *text.shape)[:, :, -1]:
            assert row.sum() == pytest.approx(1)


def test_a_sentence_is_the_product_of_its_words(model: LanguageModel) -> None:
    for words in (["the", "cat", "sat"], ["the"], ["the", "wolf", "sat"], []):
        p = 0.0
        for k, word in enumerate([*words, "</s>"]):
            known = word if word in (*NAMES, "</s>") else "<unk>"
            p += math.log({one.word: one.p for one in model.next_words(words[:k], None)}[known])
        assert model.log_prob(words) == pytest.approx(p)


def test_models_are_mixed_by_what_is_before(model: LanguageModel) -> None:
    words = ["the", "cat", "wolf", "sat", "mat", "the", "the"]
    mixture = model._mixture
    text = mixture.padded(Sentences(*model.words_.numbered([words])))
    each, buckets = mixture.look_up(text)
    pairs = Counter(
        pair for one in spelled(150) for pair in zip(["<s>", *one], [*one, "</s>"], strict=True)
    )
    unknown = {w for one in spelled(150) for w in one} - set(NAMES)
    tokens = Counter("?" if w in unknown else w for one in spelled(150) for w in one)
    total = 0.0
    for i in range(1, len(text)):
        before = ["<s>", *("?" if w == "wolf" else w for w in words)][max(0, i - 2) : i]
        if before == ["<s>"]:
            expected = "nothing"
        else:
            a, b = before
            seen = sum(
                n for (x, y), n in pairs.items()
                if (x if x not in unknown else "?", y if y not in unknown else "?") == (a, b)
            )  # fmt: skip
            expected = ("a word seen", "two words seen")[seen > 0]
            count = seen or tokens[b]
            number = int(buckets_of(np.array([count]), 8 if seen else 12)[0])
            low = 2 ** (number - 1)
            times = ["never", "once"][number] if number < 2 else f"{low:,}-{2 * low - 1:,} times"
            if number == (7 if seen else 11):
                times = f"{low:,} times or more"
            expected += f" {times}"
        assert bucket_names()[buckets[i]] == expected
        total += math.log(model.weights_[buckets[i]] @ np.exp(each[:, i]))
    assert model.log_prob(words) == pytest.approx(total)


def test_weights_are_those_that_suit_held_out_text() -> None:
    for aside in (0.2, OTHER):
        made = LanguageModel(2, class_order=2, refit=False).fit(TEXT, CLASSES, aside)
        held = aside if isinstance(aside, Corpus) else None
        if held is None:
            n = TEXT.n_sentences
            held = Corpus.from_sentences(
                [
                    s
                    for k, s in enumerate(TEXT.sentences())
                    if k in [(2 * i + 1) * n // 60 for i in range(30)]
                ]
            )
            assert made.facts_["n_sentences"] == n - 30
        found = made.evaluate(held)
        assert found.to_dict() == made.facts_["held_out"]
        best = found.perplexity
        # a little more than the best: each bucket is thought to have one word more, evenly divided
        assert best <= min(one.perplexity for one in found.components) + 2e-2
        weights = made.weights_.copy()
        for row in range(len(weights)):
            for step in (-0.2, 0.2):
                made.weights_[:] = weights
                moved = min(max(weights[row, 0] + step, 0), 1)
                made.weights_[row] = moved, 1 - moved
                assert made.evaluate(held).perplexity >= best - 2e-2
        made.weights_[:] = weights


def test_counts_are_of_all_text_once_weights_are_known() -> None:
    again, part = (LanguageModel(refit=refit).fit(TEXT, CLASSES, 0.2) for refit in (True, False))
    assert again.facts_["n_sentences"] == 150
    assert part.facts_["n_sentences"] == 120
    whole = LanguageModel().fit(TEXT, held_out=0)
    for name in ("p1", "p2", "p3", "backoff1", "backoff2", "words3"):
        np.testing.assert_array_equal(
            getattr(again._mixture.words, name), getattr(whole._mixture.words, name)
        )
    np.testing.assert_array_equal(
        again._mixture.histories.bigrams, whole._mixture.histories.bigrams
    )
    np.testing.assert_array_equal(again.weights_, part.weights_)


# words that are not known ------------------------------------------------------------------------


def test_what_is_not_known() -> None:
    made = LanguageModel(min_count=3).fit(TEXT, CLASSES, 0.1)
    assert "rare0" not in made.words_.words
    assert made.facts_["n_unknown"] == 17
    assert (
        made.log_prob(["the", "wolf"])
        == made.log_prob(["the", "rare9"])
        == made.log_prob(["the", "<unk>"])
    )
    assert made.log_prob(["<s>"]) == made.log_prob(["</s>"]) == made.log_prob(["<unk>"])
    found = made.scores([["the", "wolf", "<s>"], ["cat"], []])
    assert found.n_unknown.tolist() == [2, 0, 0]
    assert found.n_words.tolist() == [3, 1, 0]
    p = [
        {one.word: one.p for one in made.next_words(b, None)}["<unk>"]
        for b in (["the"], ["the", "wolf"])
    ]
    np.testing.assert_allclose(found.log_prob_unknown, [np.log(p).sum(), 0, 0])
    np.testing.assert_allclose(found.perplexity, np.exp(-found.log_prob / [4, 2, 1]))
    text = Corpus.from_sentences([["the", "wolf", "<s>"], ["cat"]])
    result = made.evaluate(text)
    assert (result.n_sentences, result.n_words, result.n_tokens, result.n_unknown) == (2, 4, 6, 2)
    assert result.log_prob == pytest.approx(found.log_prob[:2].sum())
    assert result.perplexity == pytest.approx(math.exp(-result.log_prob / 6))
    known = result.log_prob - found.log_prob_unknown.sum()
    assert result.perplexity_known == pytest.approx(math.exp(-known / 4))
    assert result.bits == pytest.approx(math.log2(result.perplexity))
    assert made.score(text) == pytest.approx(-math.log(result.perplexity))
    assert made.perplexity(text) == result.perplexity


def test_words_in_a_text_that_mean_something() -> None:
    text = Corpus.from_sentences([["<s>", "a", "<unk>", "b", "</s>"], ["a", "b", "<unk>"]] * 4)
    made = LanguageModel(min_count=1).fit(text, held_out=0)
    assert made.words_.words == ["a", "b"]
    assert made.facts_["n_unknown"] == 16


def test_words_are_read_as_those_learned_from() -> None:
    text = Corpus.from_sentences([["Nine", "9", "cats"]] * 4, lowercase=True, digits="zero")
    made = LanguageModel().fit(text, held_out=0)
    assert made.log_prob(["nine", "5", "CATS"]) == made.log_prob(["nine", "0", "cats"]) > -3
    assert made.log_prob(["nine", "5", "cat"]) < made.log_prob(["nine", "0", "cats"])


def test_words_without_a_class_get_one() -> None:
    lines = ["the cat sat on the mat", "the dog sat on the mat", "a wolf sat on the mat"] * 5
    text = Corpus.from_sentences([line.split() for line in lines])
    plain = {"cat": "n", "dog": "n", "sat": "v", "the": "d"}
    for given in (plain, BrownClasses(n_classes=3, min_count=6).fit(text).hierarchy_,
                  Hierarchy.from_paths(list(plain), ["0", "0", "10", "11"])):  # fmt: skip
        made = LanguageModel().fit(text, given, 0.2)
        found = made._mixture.classes[0]
        number = dict(zip(made.words_.words, found.class_of.tolist(), strict=False))
        assert set(number) == {w for line in lines for w in line.split()}
        assert set(number.values()) == set(range(found.ngrams.n_words))
        assert found.class_of[-3:].tolist() == [found.ngrams.n_words + k for k in range(3)]
    assert number["cat"] == number["dog"]


# (14.14) -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_cross_entropy_is_word_entropy_less_mutual_information(seed: int) -> None:
    some, class_of = sentences(60, 6, seed), [0, 1, 0, 2, 1, 2]
    found = class_entropy(*flat(some), np.array(class_of))
    whole: dict[Any, Any] = {**dict(enumerate(class_of)), 6: "?", "<s>": "<s>", "</s>": "</s>"}
    pairs = Counter(
        pair
        for one in some
        for pair in zip(
            ["<s>", *(min(w, 6) for w in one)], [*(min(w, 6) for w in one), "</s>"], strict=True
        )
    )
    n = sum(pairs.values())
    classes: Counter[Any] = Counter()
    second: Counter[Any] = Counter()
    for (a, b), times in pairs.items():
        classes[whole[a], whole[b]] += times
        second[b] += times
    first, other = Counter[Any](), Counter[Any]()
    for (c, d), times in classes.items():
        first[c] += times
        other[d] += times
    measured = -sum(
        times * math.log2(classes[whole[a], whole[b]] / first[whole[a]] * second[b] / other[whole[b]])
        for (a, b), times in pairs.items()
    ) / n  # fmt: skip
    entropy = -sum(t / n * math.log2(t / n) for t in second.values())
    information = sum(
        t / n * math.log2(t * n / (first[c] * other[d])) for (c, d), t in classes.items()
    )
    assert found.cross_entropy == pytest.approx(measured, rel=1e-12)
    assert found.word_entropy == pytest.approx(entropy, rel=1e-12)
    assert found.mutual_information == pytest.approx(information, rel=1e-12)
    assert found.cross_entropy == pytest.approx(
        found.word_entropy - found.mutual_information, rel=1e-12
    )
    assert found.n_pairs == n


def test_entropies_do_not_depend_on_the_threads_of_blas() -> None:
    rng = np.random.default_rng(0)
    symbols = np.minimum(rng.zipf(1.3, 300_000) - 1, 4999)
    found = []
    for threads in (1, 4):
        with limit_blas(threads):
            ends = np.arange(20, len(symbols) + 1, 20)
            found.append(class_entropy(symbols, ends, np.arange(5000) * 7919 % 400))
    assert found[0] == found[1]


def test_facts_have_the_figures(model: LanguageModel) -> None:
    for one, classes in zip(model.facts_["classes"], model._mixture.classes, strict=True):
        text = Sentences(model.words_.numbers_of(TEXT)[TEXT.ids], TEXT.ends)
        expected = class_entropy(text.symbols, text.ends, classes.class_of[:-3]).to_dict()
        assert {name: one[name] for name in expected} == pytest.approx(expected)


# files -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, 2, 3])
def test_what_is_saved_comes_back_bit_for_bit(order: int, tmp_path: Path) -> None:
    made = LanguageModel(order).fit(TEXT, [CLASSES, tree()], 0.1)
    again = copy_of(made, tmp_path / "lm")
    words = [*spelled(30, seed=8), []]
    assert again.scores(words).log_prob.tolist() == made.scores(words).log_prob.tolist()
    assert again.evaluate(OTHER) == made.evaluate(OTHER)
    assert (again.facts_, again.order) == (made.facts_, made.order)
    assert again.next_words(["the"]) == made.next_words(["the"])
    assert repr(again).startswith("<InterpolatedModel of ")


def spoil_array(name: str, place: int, value: float) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        dtype = {"f64": "<f8", "i64": "<i8", "i32": "<i4"}[name[-3:]]
        values = np.fromfile(folder / name, dtype)
        values[place] = value
        values.tofile(folder / name)

    return spoil


def shorten(name: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        (folder / name).write_bytes((folder / name).read_bytes()[:-8])

    return spoil


def spoil_json(*path: Any, value: Any) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        content = json.loads((folder / "model.json").read_text())
        inner = content
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value
        (folder / "model.json").write_text(json.dumps(content))

    return spoil


SPOILED = {
    "no json": lambda folder: (folder / "model.json").write_text("{"),
    "a list": lambda folder: (folder / "model.json").write_text("[]"),
    "words": lambda folder: (folder / "words.arrow").write_bytes(b"no"),
    "order": spoil_json("order", value=2), "order 9": spoil_json("order", value=9),
    "order text": spoil_json("order", value="3"), "reading": spoil_json("reading", value=[1]),
    "reading tokens": spoil_json("reading", "tokens", value="no"), "classes": spoil_json("classes", value=[3]),
    "classes none": spoil_json("classes", value=None), "facts": spoil_json("facts", value=None),
    "held out": spoil_json("facts", "held_out", value={"perplexity": "x"}),
    "n_words": spoil_json("facts", "n_words", value="many"), "n_tokens": spoil_json("facts", "n_tokens", value=-1),
    "buckets": spoil_json("facts", "buckets", value=[1]), "discounts": spoil_json("facts", "discounts", value=[[1]]),
    "class facts": spoil_json("facts", "classes", value=[]), "grams": spoil_json("facts", "n_grams", value=None),
    "short p": shorten("words_p1.f64"), "short starts": shorten("words_starts3.i64"),
    "short counts": shorten("counts2.i64"), "short weights": shorten("weights.f64"),
    "short classes": shorten("class_of0.i64"), "short in class": shorten("in_class1.f64"),
    "short triples": shorten("classes0_words3.i32"),
    "p nan": spoil_array("words_p2.f64", 3, math.nan), "p large": spoil_array("words_p3.f64", 0, 1.0),
    "backoff": spoil_array("words_backoff1.f64", 2, math.inf), "start": spoil_array("words_starts2.i64", 0, -1),
    "starts": spoil_array("words_starts2.i64", 4, 10**9), "starts3": spoil_array("words_starts3.i64", 5, -7),
    "word": spoil_array("words_words2.i32", 0, 10**6), "word order": spoil_array("words_words2.i32", 0, 9),
    "below": spoil_array("words_words3.i32", 0, -1), "class": spoil_array("class_of0.i64", 0, 99),
    "special": spoil_array("class_of0.i64", -1, 99), "special 2": spoil_array("class_of1.i64", -2, 0),
    "in class": spoil_array("in_class0.f64", 0, math.nan), "weight": spoil_array("weights.f64", 0, 7.0),
    "weight nan": spoil_array("weights.f64", 1, math.nan), "count": spoil_array("counts1.i64", 0, -5),
}  # fmt: skip


@pytest.mark.parametrize("how", SPOILED)
@pytest.mark.slow
def test_files_are_checked(model: LanguageModel, how: str, tmp_path: Path) -> None:
    model.save(tmp_path)
    load("lm", tmp_path, model.parameters())
    SPOILED[how](tmp_path)
    with pytest.raises(ModelError):
        load("lm", tmp_path, model.parameters())


def test_parameters_are_checked_too(model: LanguageModel, tmp_path: Path) -> None:
    model.save(tmp_path)
    for wrong in ({"min_count": "x"}, {**model.parameters(), "class_order": 9}):
        with pytest.raises(ModelError, match="language model"):
            load("lm", tmp_path, wrong)


def test_a_model_of_words_goes_through_a_file(model: LanguageModel, tmp_path: Path) -> None:
    file = io.StringIO()
    model.write_arpa(file)
    again = LanguageModel.from_arpa(file.getvalue().splitlines(True))
    assert again.words_.words == model.words_.words
    words = LanguageModel().fit(TEXT, held_out=0)
    some = spelled(20, seed=3)
    np.testing.assert_allclose(again.scores(some).log_prob, words.scores(some).log_prob, rtol=1e-5)
    saved = copy_of(again, tmp_path / "lm")
    assert saved.scores(some).log_prob.tolist() == again.scores(some).log_prob.tolist()
    none = ["\\data\\", "ngram 1=3", "\\1-grams:", "-1 <unk>", "-99 <s>", "-1 </s>", "\\end\\"]
    with pytest.raises(InputError, match="no words"):
        LanguageModel.from_arpa(none)


# what cannot be done -----------------------------------------------------------------------------


def test_bad_parameters() -> None:
    for wrong in ({"order": 5}, {"order": 0}, {"order": True}, {"order": 2.0}, {"class_order": 1}, {"min_count": 0},
                  {"vocabulary": 0}, {"refit": "yes"}):  # fmt: skip
        with pytest.raises(ParameterError, match=f"'{next(iter(wrong))}'"):
            LanguageModel(**wrong).fit(TEXT)
    made = LanguageModel()
    for ask in (
        lambda: made.log_prob(["a"]),
        lambda: made.evaluate(TEXT),
        lambda: made.next_words([]),
    ):
        with pytest.raises(ParameterError, match="not fitted yet"):
            ask()
    with pytest.raises(ParameterError, match="'corpus'"):
        made.fit(3)  # type: ignore[arg-type]
    for share in (1, 1.5, -0.1, "x", True):
        with pytest.raises(ParameterError, match="'held_out'"):
            made.fit(TEXT, held_out=share)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="'classes'"):
        made.fit(TEXT, [3])  # type: ignore[list-item]
    with pytest.raises(ParameterError, match="needs held-out text"):
        made.fit(TEXT, CLASSES, held_out=0)


def test_bad_text(model: LanguageModel) -> None:
    with pytest.raises(InputError, match="No word occurs at least 999 times"):
        LanguageModel(min_count=999).fit(TEXT)
    one = Corpus.from_sentences([["a", "a", "b", "b"]])
    with pytest.raises(InputError, match="only one sentence"):
        LanguageModel().fit(one, {"a": 1, "b": 2})
    assert LanguageModel().fit(one).facts_["held_out"] is None
    with pytest.raises(ParameterError, match="list of words"):
        model.log_prob("the cat")
    with pytest.raises(ParameterError, match="must be a string"):
        model.log_prob(["the", 3])  # type: ignore[list-item]
    assert len(model.scores([])) == 0
    strange = model.evaluate(Corpus.from_sentences([["x", "y"], ["z"]]))
    assert strange.n_unknown == strange.n_words == 3
    assert 1 < strange.perplexity < math.inf


def test_few_words_are_known() -> None:
    made = LanguageModel(vocabulary=2).fit(TEXT, CLASSES)
    assert len(made.words_) == 2
    assert made.evaluate(OTHER).n_unknown > 0


def test_classes_without_known_words_take_nothing() -> None:
    some = {"the": 0, "zebra": 1, **dict.fromkeys(NAMES[1:], 2)}
    made = LanguageModel().fit(TEXT, some)
    assert made._mixture.classes[0].ngrams.n_words == 2
    text = np.array([made._mixture.begin, 0, 0])
    p = sum(
        math.exp(made._mixture.classes[0].log_probs(np.append(text, k))[-1])
        for k in range(len(made.words_) + 3)
        if k != made._mixture.begin
    )
    assert p == pytest.approx(1)


def test_words_of_held_out_text_alone_are_unknown_there() -> None:
    lines = [["a", "b", "a"]] * 10 + [["new", "new", "b"]] + [["a", "b", "a"]] * 9
    text = Corpus.from_sentences(lines)
    made = LanguageModel().fit(text, {"a": 1, "b": 2, "new": 3}, held_out=0.05)
    assert "new" in made.words_.words
    assert made.facts_["held_out"]["n_unknown"] == 2
    assert made.facts_["held_out"]["n_sentences"] == 1
    assert made.facts_["n_unknown"] == 0


@pytest.mark.parametrize("refit", [True, False])
def test_the_model_does_not_depend_on_memory(
    refit: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fitted(name: str) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        made = LanguageModel(refit=refit).fit(TEXT, [CLASSES, tree()], 0.2, "64M", tmp_path)
        made.save(folder)
        return folder

    plain = fitted("plain")
    made: list[Any] = []

    def in_files(room: Room, n_bytes: int, folder: Path) -> None:
        room._left, room._folder, room._n = 0, folder, len(made) << 20
        room._lock = threading.Lock()
        made.append(n_bytes)

    monkeypatch.setattr(_room, "_SMALL", 0)
    monkeypatch.setattr(
        Room, "__init__", lambda room, n=0, folder=None: in_files(room, n, tmp_path)
    )
    monkeypatch.setattr(_language_model, "_tokens_at_once", lambda _: 20)
    monkeypatch.setattr(_kneser_ney, "_AT_ONCE", 7)
    filed = fitted("filed")
    assert made
    for file in plain.iterdir():
        assert (filed / file.name).read_bytes() == file.read_bytes()
