"""A language model as a whole: probabilities, weights, what is not known, files."""

from __future__ import annotations

import io
import itertools
import json
import math
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
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
    _held_out,
    _runs,
    bucket_names,
    buckets_of,
    class_entropy,
)
from firth.lm._held_out import held_out_sentences
from firth.lm._ngram_trees import tables_of
from firth.lm._texts import Sentences
from firth.lm._trees import Text
from firth.store import Room, _room
from tests.lm.test_trees import flat, sentences
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
    return LanguageModel(3).fit(TEXT, [CLASSES, tree().cut(2)], held_out=0.1)


def tree() -> Hierarchy:
    return BrownClasses(n_classes=4, min_count=3).fit(TEXT).hierarchy_


def copy_of(model: InterpolatedModel, folder: Path) -> InterpolatedModel:
    folder.mkdir()
    model.save(folder)
    found: InterpolatedModel = load("lm", folder, LanguageModel(model.order).parameters())
    return found


# probabilities -----------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, 2, 3, 5])
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
        assert sum(one.p for one in found) == pytest.approx(1, rel=1e-5)
        assert all(0 < one.p < 1 for one in found)
        assert found == sorted(found, key=lambda one: -one.p)
        history = [made._mixture.begin, *made.words_.numbered([before])[0]]
        every = [k for k in range(len(words) + 3) if k != made._mixture.begin]
        rows = np.array([[*history, k] for k in every], np.int32)
        places = np.tile(np.arange(rows.shape[1], dtype=np.int32), len(rows))
        p = made._mixture.look_up(Text(rows.ravel(), places)).p
        sums = p.reshape(*rows.shape, -1)[:, -1].sum(axis=0)
        np.testing.assert_allclose(sums, 1, rtol=1e-5)


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
    looked_up = mixture.look_up(text)
    each, buckets = looked_up.p, looked_up.buckets
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
        total += math.log(model.weights_[buckets[i]] @ each[i])
    assert model.log_prob(words) == pytest.approx(total)


def test_weights_are_those_that_suit_held_out_text() -> None:
    for aside in (0.2, OTHER):
        made = LanguageModel(2, class_order=2, refit=False).fit(TEXT, CLASSES, aside)
        held = aside if isinstance(aside, Corpus) else None
        if held is None:
            chosen = held_out_sentences(TEXT, 0.2, True)
            assert chosen.sum() == 30
            assert np.count_nonzero(np.diff(chosen.astype(int)) > 0) == 10
            held = Corpus.from_sentences(
                [one for one, out in zip(TEXT.sentences(), chosen, strict=True) if out]
            )
            assert made.facts_["n_sentences"] == TEXT.n_sentences - 30
        found = made.evaluate(held)
        told = made.facts_["held_out"]
        for name in ("perplexity", "perplexity_static", "perplexity_known"):
            assert told[name] == pytest.approx(getattr(found, name), rel=1e-5)
        best = found.perplexity_static
        # a little more than the best: each bucket is thought to have one word more, evenly divided
        assert best <= min(one.perplexity for one in found.components) + 2e-2
        assert found.perplexity <= best + 5e-2
        weights = made.weights_.copy()
        for row in range(len(weights)):
            for other in range(weights.shape[1]):
                made.weights_[:] = weights
                made.weights_[row] = 0.8 * weights[row]
                made.weights_[row, other] += 0.2
                assert made.evaluate(held).perplexity_static >= best - 2e-2
        made.weights_[:] = weights


def test_counts_are_of_all_text_once_weights_are_known() -> None:
    again, part = (LanguageModel(3, refit=refit).fit(TEXT, CLASSES, 0.2) for refit in (True, False))
    assert again.facts_["n_sentences"] == 150
    assert part.facts_["n_sentences"] == 120
    whole = LanguageModel(3).fit(TEXT, held_out=0)
    assert len(whole.component_names) == 1
    for name in ("children", "elements", "starts", "words"):
        one, other = (getattr(made._mixture.trees[0][0], name) for made in (again, whole))
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(again._mixture.tokens, whole._mixture.tokens)
    np.testing.assert_array_equal(again.weights_, part.weights_)


# words that are not known ------------------------------------------------------------------------


def test_what_is_not_known() -> None:
    made = LanguageModel(min_count=3).fit(TEXT, CLASSES, 0.1)
    assert "rare0" not in made.words_.words
    assert made.facts_["n_unknown"] == 17
    assert (
        made.log_prob(["the", "wolf"])
        == made.log_prob(["the", "rare9"])
        == made.log_prob(["the", "<s>"])
    )
    assert made.log_prob(["<s>"]) == made.log_prob(["</s>"])
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
    assert result.perplexity_static == pytest.approx(math.exp(-found.log_prob[:2].sum() / 6))
    assert result.perplexity == pytest.approx(math.exp(-result.log_prob / 6))
    assert found.log_prob_letters is not None
    assert found.log_prob_letters[1:].tolist() == [0, 0]
    letters = made.spelling_.log_probs(["wolf", "<s>"])  # type: ignore[union-attr]
    assert found.log_prob_letters[0] == pytest.approx(letters.sum())
    spelled = result.log_prob + letters.sum()
    assert result.perplexity_spelled == pytest.approx(math.exp(-spelled / 6))
    plain = LanguageModel(min_count=3, cache=False).fit(TEXT, CLASSES, 0.1)
    without = plain.evaluate(text)
    assert without.perplexity == without.perplexity_static
    known = plain.scores([["the", "wolf", "<s>"], ["cat"]])
    expected = without.log_prob - known.log_prob_unknown.sum()
    assert without.perplexity_known == pytest.approx(math.exp(-expected / 4))
    assert result.bits == pytest.approx(math.log2(result.perplexity))
    assert made.score(text) == pytest.approx(-math.log(result.perplexity))
    assert made.perplexity(text) == result.perplexity


def test_spellings_that_are_no_known_words_add_up_to_one() -> None:
    words = [["ab", "ba", "b", "ab"], ["ab", "aab", "abb", "b"], ["b", "ba", "a"]]
    made = LanguageModel(order=1, min_count=2).fit(Corpus.from_sentences(words * 3), held_out=0)
    assert made.spelling_ is not None
    known = set(made.words_.words)
    assert known == {"ab", "ba", "b", "aab", "abb", "a"}
    every = ["".join(some) for n in range(9) for some in itertools.product("ab?", repeat=n)]
    other = [word for word in every if word not in known]
    # "?" was never seen: it stands for any of the characters of Unicode
    of_unseen = np.array([1_114_112.0 ** word.count("?") for word in other])
    total = float((np.exp(made.spelling_.log_probs(other)) * of_unseen).sum())
    assert 0.97 < total < 1 + 1e-6  # longer words are missing
    of_known = float(
        np.exp(made.spelling_.log_probs(sorted(known)) + made.spelling_.log_left).sum()
    )
    assert of_known > 0.3, "without taking them out, the sum would be far below one"


def test_words_in_a_text_that_mean_something() -> None:
    text = Corpus.from_sentences([["<s>", "a", "<unk>", "b", "</s>"], ["a", "b", "<unk>"]] * 4)
    made = LanguageModel(min_count=1).fit(text, held_out=0)
    assert made.words_.words == ["<unk>", "a", "b"]
    assert made.facts_["n_unknown"] == 8
    assert made.log_prob(["a", "<unk>"]) > made.log_prob(["a", "x"])
    assert [one.word for one in made.next_words([], None)].count("<unk>") == 1


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
        class_of, n = made._mixture.maps[1], made._mixture.sizes[0]
        number = dict(zip(made.words_.words, class_of.tolist(), strict=False))
        assert set(number) == {w for line in lines for w in line.split()}
        assert set(number.values()) == set(range(n))
        assert class_of[-3:].tolist() == [n + k for k in range(3)]
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
    for one, class_of in zip(model.facts_["classes"], model._mixture.maps[1:], strict=True):
        text = Sentences(model.words_.numbers_of(TEXT)[TEXT.ids], TEXT.ends)
        expected = class_entropy(text.symbols, text.ends, class_of[:-3]).to_dict()
        assert {name: one[name] for name in expected} == pytest.approx(expected)


# files -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, 2, 5])
def test_what_is_saved_comes_back_bit_for_bit(order: int, tmp_path: Path) -> None:
    made = LanguageModel(order).fit(TEXT, [CLASSES, tree()], 0.1)
    again = copy_of(made, tmp_path / "lm")
    words = [*spelled(30, seed=8), []]
    assert again.scores(words).log_prob.tolist() == made.scores(words).log_prob.tolist()
    assert again.evaluate(OTHER) == made.evaluate(OTHER)
    assert (again.facts_, again.order) == (made.facts_, made.order)
    assert again.next_words(["the"]) == made.next_words(["the"])
    assert again.sample(3, 5) == made.sample(3, 5)
    assert again.word_scores(words[0], again.recent()) == made.word_scores(words[0], made.recent())
    assert repr(again).startswith("<InterpolatedModel of ")


def spoil_array(name: str, place: int, value: float) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        dtype = {"f64": "<f8", "i64": "<i8", "i32": "<i4", "f32": "<f4"}[name[-3:]]
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
    "designs": spoil_json("designs", value=[]), "design": spoil_json("designs", 0, value={"kind": "words"}),
    "first": spoil_json("designs", 0, "history", value=[["word", 2]]),
    "kind": spoil_json("designs", 1, "kind", value="x"),
    "clusterings": spoil_json("n_clusterings", value=1), "negative": spoil_json("n_clusterings", value=-1),
    "no clusterings": spoil_json("n_clusterings", value=None), "reading": spoil_json("reading", value=[1]),
    "reading tokens": spoil_json("reading", "tokens", value="a b"), "facts": spoil_json("facts", value=None),
    "held out": spoil_json("facts", "held_out", value={"perplexity": "x"}),
    "n_words": spoil_json("facts", "n_words", value="many"), "n_tokens": spoil_json("facts", "n_tokens", value=-1),
    "buckets": spoil_json("facts", "buckets", value=[1]), "discounts": spoil_json("facts", "discounts", value=[[1]]),
    "class facts": spoil_json("facts", "classes", value=[]), "grams": spoil_json("facts", "n_grams", value=None),
    "letters": spoil_json("letters", value="ba"), "letter": spoil_json("letters", value=3),
    "left": spoil_json("log_left", value=1.0), "short p": shorten("model0_a_p.f32"),
    "short starts": shorten("model0_a_starts.i32"), "short tokens": shorten("tokens.i64"),
    "short weights": shorten("weights.f64"), "short classes": shorten("class_of0.i32"),
    "short in class": shorten("in_class.f64"), "short elements": shorten("model1_a_elements.i32"),
    "short cache": shorten("cache_weights.f64"), "short letters": shorten("letters_words.i32"),
    "p nan": spoil_array("model0_a_p.f32", 3, math.nan), "p large": spoil_array("model1_b_p.f32", 0, 2.0),
    "backoff": spoil_array("model0_a_backoff.f32", 2, math.inf), "start": spoil_array("model0_a_starts.i32", 0, -1),
    "starts": spoil_array("model0_a_starts.i32", 4, 10**9), "children": spoil_array("model0_a_children.i32", 0, 0),
    "child": spoil_array("model0_a_children.i32", 1, 1), "word": spoil_array("model0_a_words.i32", 0, 10**6),
    "word order": spoil_array("model0_a_words.i32", 0, 9), "below": spoil_array("model0_a_words.i32", 0, -1),
    "element": spoil_array("model0_a_elements.i32", 1, 1 << 22), "base": spoil_array("model0_a_base.f32", 0, -1),
    "element order": spoil_array("model0_a_elements.i32", 1, 11), "class": spoil_array("class_of0.i32", 0, 99),
    "special": spoil_array("class_of0.i32", -1, 99), "special 2": spoil_array("class_of1.i32", -2, 0),
    "in class": spoil_array("in_class.f64", 0, math.nan), "weight": spoil_array("weights.f64", 0, 7.0),
    "weight nan": spoil_array("weights.f64", 1, math.nan), "token": spoil_array("tokens.i64", 0, -5),
    "cache weight": spoil_array("cache_weights.f64", 0, 0.9),
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
    words = LanguageModel(3).fit(TEXT, held_out=0)
    some = spelled(20, seed=3)
    np.testing.assert_allclose(again.scores(some).log_prob, words.scores(some).log_prob, rtol=1e-5)
    found = again.evaluate([["the", "wolf"]])
    assert found.n_unknown == 1
    assert math.isnan(found.perplexity_spelled), "an ARPA file has no letters"
    saved = copy_of(again, tmp_path / "lm")
    assert saved.scores(some).log_prob.tolist() == again.scores(some).log_prob.tolist()
    none = ["\\data\\", "ngram 1=3", "\\1-grams:", "-1 <unk>", "-99 <s>", "-1 </s>", "\\end\\"]
    with pytest.raises(InputError, match="no words"):
        LanguageModel.from_arpa(none)


def test_unknown_words_are_impossible_without_their_symbol() -> None:
    """SRILM leaves it out by default. The known words still have a perplexity."""
    lines = ["\\data\\", "ngram 1=4", "ngram 2=2", "\\1-grams:", "-1 <s> -0.5", "-0.5 </s>", "-0.25 a -0.125",
             "-0.75 b", "\\2-grams:", "-0.2 <s> a", "-0.3 a </s>", "\\end\\"]  # fmt: skip
    model = LanguageModel.from_arpa(lines)
    assert model.facts_["n_grams"] == [5, 2]
    text = [["a", "b"], ["a", "c"]]
    log10 = -0.2 - 0.125 - 0.75 - 0.5 - 0.2 - 0.5  # after an unknown word, </s> without a history
    file = io.BytesIO()
    model.write_compact(file)
    found = [model.evaluate(text)]
    with tempfile.NamedTemporaryFile(suffix=".firthlm") as there:
        there.write(file.getvalue())
        there.flush()
        found.append(LanguageModel.open(there.name).evaluate(text))
    for score in found:
        assert (score.perplexity, score.n_unknown) == (math.inf, 1)
        assert score.perplexity_known == pytest.approx(10 ** (-log10 / 5), rel=1e-6)
        assert score.components[0].perplexity_known == score.perplexity_known
    scores = model.scores(text)
    assert scores.log_prob_unknown.tolist() == [0, -math.inf]
    assert scores.log_prob.tolist() == [model.log_prob(one) for one in text]
    assert scores.perplexity[1] == math.inf
    again = io.StringIO()
    model.write_arpa(again)
    assert "-99\t<unk>" in again.getvalue()


# what cannot be done -----------------------------------------------------------------------------


def test_bad_parameters() -> None:
    for wrong in ({"order": 7}, {"order": 0}, {"order": True}, {"order": 2.0}, {"class_order": 1}, {"min_count": 0},
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
        made.fit(TEXT, [1])
    with pytest.raises(ParameterError, match="needs held-out text"):
        made.fit(TEXT, CLASSES, held_out=0)


def test_bad_text(model: LanguageModel) -> None:
    with pytest.raises(InputError, match="No word occurs at least 999 times"):
        LanguageModel(min_count=999).fit(TEXT)
    one = Corpus.from_sentences([["a", "a", "b", "b"]])
    with pytest.raises(InputError, match="only one sentence"):
        LanguageModel().fit(one, {"a": 1, "b": 2})
    assert LanguageModel().fit(one).facts_["held_out"] is None
    assert model.log_prob("the cat") == model.log_prob(["the", "cat"])
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
    assert made._mixture.sizes == [2]
    assert sum(one.p for one in made.next_words(["the"], None)) == pytest.approx(1, rel=1e-5)


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
        made = LanguageModel(2, refit=refit).fit(
            TEXT, CLASSES, 0.2, "64M", tmp_path, threads=2 if name == "plain" else 1
        )
        made.save(folder)
        return folder

    plain = fitted("plain")
    made: list[Any] = []

    def in_files(room: Room, n_bytes: int, folder: Path) -> None:
        room.limit, room._left, room._folder, room._n = 0, 0, folder, len(made) << 20
        room._lock = threading.Lock()
        made.append(n_bytes)

    monkeypatch.setattr(_room, "_SMALL", 0)
    monkeypatch.setattr(
        Room, "__init__", lambda room, n=0, folder=None: in_files(room, n, tmp_path)
    )
    monkeypatch.setattr(_held_out, "_AT_ONCE", 20)
    monkeypatch.setattr(_runs, "_AT_ONCE", 97)
    monkeypatch.setattr(_runs, "_FEWEST_KEYS", 50)
    runs: list[int] = []
    count = _runs._counted

    def counting(keys: Any, *rest: Any) -> Any:
        runs.append(len(keys))
        return count(keys, *rest)

    monkeypatch.setattr(_runs, "_counted", counting)
    filed = fitted("filed")
    assert made
    assert max(runs) <= 50
    assert len(runs) > 100  # a few keys each, sorted and merged
    for file in plain.iterdir():
        assert (filed / file.name).read_bytes() == file.read_bytes()


# models of version 1 -----------------------------------------------------------------------------


def save_as_before(model: InterpolatedModel, folder: Path) -> None:
    """The files of version 1: tables of n-grams up to trigrams, as logarithms."""
    mixture = model._mixture
    n = mixture.n_words + 3

    def write(name: str, array: Any, dtype: str) -> None:
        np.asarray(array, dtype).tofile(folder / f"{name}.{dtype[1]}{8 * int(dtype[2])}")

    def write_ngrams(name: str, tables: list[Any], n: int) -> None:
        empty = [np.zeros((0, 2), int), np.zeros((0, 3), int)]
        rows = [one.rows for one in tables[1:]] + empty[len(tables) - 1 :]
        p1, backoff1 = np.full(n, 0.01), np.ones(n)
        p1[tables[0].rows[:, 0]], backoff1[tables[0].rows[:, 0]] = tables[0].p, tables[0].backoff
        begin = tables[1].rows[:, 0] == n - 2 if len(tables) > 1 else np.zeros(0, bool)
        backoff1[n - 2] = model_backoff(mixture, name, n - 2) if begin.any() else 1.0
        pairs = rows[0][:, 0] * n + rows[0][:, 1]
        write(f"{name}_starts2", np.searchsorted(rows[0][:, 0], np.arange(n + 1)), "<i8")
        triples = rows[1][:, 0] * n + rows[1][:, 1]
        starts3 = np.append(np.searchsorted(triples, pairs), len(triples))
        write(f"{name}_starts3", starts3, "<i8")
        for k, found in enumerate(rows, 2):
            write(f"{name}_words{k}", found[:, -1], "<i4")
        with np.errstate(divide="ignore"):
            write(f"{name}_p1", np.log(p1), "<f8")
            write(f"{name}_backoff1", np.log(backoff1), "<f8")
            for k in (2, 3):
                known = tables[k - 1] if k <= len(tables) else None
                write(f"{name}_p{k}", [] if known is None else np.log(known.p), "<f8")
            second = tables[1].backoff if len(tables) > 1 else np.zeros(0)
            write(f"{name}_backoff2", np.log(second), "<f8")

    write_ngrams("words", list(tables_of(mixture.trees[0][0], model.order)), n)
    order = model.order
    write("counts1", np.bincount([0], minlength=n), "<i8")
    n_pairs = len(np.fromfile(folder / "words_words2.i32", "<i4")) if order > 2 else 0
    write("counts2", np.ones(n_pairs), "<i8")
    write("weights", np.ones((20, 1)), "<f8")
    facts = {**model.facts_, "held_out": None}
    reading = model.words_.reading.parameters()
    content = {"order": order, "classes": [], "reading": reading, "facts": facts}
    (folder / "model.json").write_text(json.dumps(content))
    model.words_.vocabulary.save(folder / "words.arrow")


def model_backoff(mixture: Any, name: str, symbol: int) -> float:
    tree = mixture.trees[0][0]
    place = np.flatnonzero(tree.elements[1 : tree.children[1]] == symbol)[0] + 1
    assert name == "words"
    return float(tree.backoff[place])


@pytest.mark.parametrize("order", [1, 2, 3])
def test_models_of_version_1_can_be_read(order: int, tmp_path: Path) -> None:
    made = LanguageModel(order).fit(TEXT, held_out=0)
    save_as_before(made, tmp_path)
    old = load("lm", tmp_path, {**made.parameters()})
    some = spelled(30, seed=8)
    known = [[word for word in one if word in NAMES] for one in some]
    np.testing.assert_allclose(old.scores(known).log_prob, made.scores(known).log_prob, rtol=1e-5)
    assert old.order == order
    again = copy_of(old, tmp_path / "again")
    assert again.scores(known).log_prob.tolist() == old.scores(known).log_prob.tolist()
    values = np.fromfile(tmp_path / "words_p1.f64")
    values[0] = 1.0
    values.tofile(tmp_path / "words_p1.f64")
    with pytest.raises(ModelError):
        load("lm", tmp_path, {**made.parameters()})


# what the defaults do ----------------------------------------------------------------------------


def test_clusterings_are_learned() -> None:
    rng = np.random.default_rng(0)
    kinds = [[f"{kind}{k}" for k in range(30)] for kind in "abcd"]
    some = [[kinds[k % 4][rng.integers(30)] for k in range(8)] for _ in range(300)]
    text, other = Corpus.from_sentences(some[:250]), Corpus.from_sentences(some[250:])
    made = LanguageModel(4).fit(text, threads=1)
    assert len(made._mixture.sizes) >= 3
    found = made.evaluate(other)
    assert found.perplexity_static < 32  # words of a kind are equally likely: 30
    assert LanguageModel(4).fit(text, [], threads=1).evaluate(other).perplexity_static > 60
    two = LanguageModel(4).fit(text, [4, 8], threads=2)
    assert two._mixture.sizes == [4, 8]
    words = two.sample(20, seed=3)
    follow = Counter((a[0], b[0]) for one in words for a, b in pairwise(one))
    usual = sum(follow[pair] for pair in zip("abcd", "bcda", strict=True))
    assert usual > 0.9 * sum(follow.values())
    assert two.sample(20, seed=3) == words != two.sample(20, seed=4)


def test_words_of_a_sentence_one_by_one(model: LanguageModel) -> None:
    sentence = ["the", "wolf", "sat"]
    found = model.word_scores(sentence)
    assert [one.word for one in found] == [*sentence, "</s>"]
    assert [one.known for one in found] == [True, False, True, True]
    assert sum(one.log_prob for one in found) == pytest.approx(model.log_prob(sentence))
    assert found[0].bits == pytest.approx(-found[0].log_prob / math.log(2))
    assert model.spelling_ is not None
    letters = [0, model.spelling_.log_probs(["wolf"])[0], 0, 0]
    assert [one.log_prob_letters for one in found] == pytest.approx(letters)
    spelled = -(found[1].log_prob + letters[1]) / math.log(2)
    assert found[1].bits_spelled == pytest.approx(spelled)
    assert found[1].bits_spelled > found[1].bits + 5
    assert found[0].bits_spelled == found[0].bits
    recent = model.recent()
    assert recent is not None
    first = model.word_scores(["big", "red"], recent)
    again = model.word_scores(["big", "red"], recent)
    assert again[1].log_prob > first[1].log_prob
