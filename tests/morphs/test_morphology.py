"""Learning words' parts, and splitting words that were never seen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import firth
from firth.errors import InputError, ParameterError
from firth.morphs import Splitter, compare_splits, graphemes, has_parts
from firth.morphs._graphemes import LONGEST
from firth.store import Part
from tests.morphs.samples import language
from tests.oracles import morphs as oracle

GOLD = language()


@pytest.fixture(scope="module")
def learned() -> firth.Morphology:
    return firth.Morphology().fit(list(GOLD))


def test_a_made_up_agglutinative_language_is_recovered(learned: firth.Morphology) -> None:
    found = dict(zip(GOLD, learned.split_all(list(GOLD)), strict=True))
    figures = compare_splits(GOLD, found)
    assert figures["precision"] > 0.99
    assert figures["f1"] > 0.96
    assert figures["words_right"] > 0.92
    endings = {affix.text for affix in learned.affixes_[:7]}
    assert endings >= {"den", "ro", "chik", "lu", "taz", "mi", "shen"}
    assert all(affix.kind == "suffix" for affix in learned.affixes_[:7])


def test_words_never_seen_are_split(learned: firth.Morphology) -> None:
    others = {word: parts for word, parts in language(seed=2).items() if word not in GOLD}
    assert len(others) > 500
    found = dict(zip(others, learned.split_all(list(others)), strict=True))
    assert compare_splits(others, found)["f1"] > 0.97
    assert learned.split("wogufaplu") == ["wogufap", "lu"]  # w begins no stem


def test_parts_join_to_the_word(learned: firth.Morphology) -> None:
    words = [
        *GOLD,
        "",
        "42",
        "a b",
        "🦊",
        "ñandúden",
        "e\u0301taz",
        "שלום",
        "مدرسةden",
        "x" * 10_000,
    ]
    for word, parts in zip(words, learned.split_all(words), strict=True):
        assert "".join(parts) == word
    assert [learned.split(word) for word in ("", "42", "a b", "x" * 10_000)] == [
        [""], ["42"], ["a b"], ["x" * 10_000],
    ]  # fmt: skip


def test_only_the_set_of_words_counts(learned: firth.Morphology) -> None:
    words = list(GOLD)
    shuffled = [words[k] for k in np.random.default_rng(0).permutation(len(words))]
    again = firth.Morphology().fit(shuffled + words[:50])
    assert again.log_likelihoods_ == learned.log_likelihoods_
    assert again._shares.tobytes() == learned._shares.tobytes()
    assert again._marks.tobytes() == learned._marks.tobytes()


def test_running_text_gives_its_words(learned: firth.Morphology) -> None:
    words = list(GOLD)
    sentences = [words[k : k + 10] for k in range(0, len(words), 10)]
    for text in (
        sentences,
        [" ".join(one) for one in sentences],
        firth.Corpus.from_sentences(sentences),
    ):
        assert firth.Morphology().fit(text)._marks.tobytes() == learned._marks.tobytes()
    few = firth.Morphology(min_count=2).fit([*words, *words[:500]])
    assert len(few.words_) == 500


def test_given_splits_are_respected() -> None:
    words = [*GOLD, "tazmiden"]
    known = {"tazmiden": ["taz", "miden"], "novalu": ["novalu"]}
    learned = firth.Morphology().fit(words, known)
    assert learned.split("tazmiden") == ["taz", "miden"]
    assert learned.split("novalu") == ["novalu"]
    assert learned.describe()["n_known"] == 2


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"walked": ["walk", "de"]}, "joined, are not 'walked'"),
        ({"walked": ["walked", ""]}, "joined, are not 'walked'"),
        ({"e\u0301a": ["e", "\u0301a"]}, "begins inside a character"),
        ({"42": ["4", "2"]}, "not a word of letters"),
    ],
)
def test_impossible_splits_are_refused(known: dict[str, list[str]], message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        firth.Morphology().fit(["walk"], known)
    assert "<TAB>" in str(error.value.hint)


def test_nothing_to_learn_from() -> None:
    with pytest.raises(InputError, match="no words"):
        firth.Morphology().fit([])
    with pytest.raises(InputError, match="no word consists of letters"):
        firth.Morphology().fit(["1", "2", "🦊"])
    with pytest.raises(ParameterError, match="a list of token lists"):
        firth.Morphology().fit(3)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="must be a str"):
        firth.Morphology().fit(["a", "ab"]).split(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("words", [["a"], ["aa", "a"], ["b" * 64, "ab"], ["c" * 65, "abc"]])
def test_tiny_lists_can_be_learned_from(words: list[str]) -> None:
    learned = firth.Morphology().fit(words)
    assert ["".join(parts) for parts in learned.split_all(words)] == words


def test_the_best_splits_have_the_probabilities_of_all_state_sequences(
    learned: firth.Morphology,
) -> None:
    decoder = learned._decoder
    for word in ("sulu", "tazro", "demi"):
        _, rows, letters = decoder._lattice([word])
        texts = [word[i:j] for i in range(len(word)) for j in range(i + 1, len(word) + 1)]
        known = {t: r for t, r in zip(texts, rows.tolist(), strict=True) if r >= 0}
        twin = oracle.Model(
            {text: decoder._shares[row].tolist() for text, row in known.items()},
            frozenset(text for text, row in known.items() if decoder._is_stem[row]),
            {k: letters[k].tolist() for k in range(len(word))},
            learned._fresh.tolist(), learned._moves.tolist(), learned.unattested,
        )  # fmt: skip
        told = oracle.expected(word, twin)
        best = sorted(told.of_splits.items(), key=lambda one: (-one[1], one[0]))[:3]
        found = learned.n_best(word, 3)
        assert [one.morphs for one in found] == [parts for parts, _ in best]
        assert [one.probability for one in found] == pytest.approx([p for _, p in best])
    assert learned.n_best("42") == [(("42",), 1.0)]


def test_paradigms_are_endings_that_go_together() -> None:
    words = [
        stem + end for stem in ("walk", "talk", "jump", "start") for end in ("", "s", "ed", "ing")
    ]
    learned = firth.Morphology().fit(words)
    assert learned.paradigms_[0].endings == ((), ("ed",), ("ing",), ("s",))
    assert learned.paradigms_[0].stems == ("jump", "start", "talk", "walk")
    assert [morph.kind for morph in learned.analyse("jumps")] == ["stem", "suffix"]


def test_a_saved_morphology_splits_alike(learned: firth.Morphology, tmp_path: Path) -> None:
    learned.save(tmp_path)
    loaded = Splitter.load(Part.in_folder(tmp_path, learned.parameters(), **learned.describe()))
    others = ["kibazden", "bodemitaz", *list(GOLD)[:50]]
    assert loaded.split_all(others) == learned.split_all(others)
    assert loaded.n_best("kibazden") == learned.n_best("kibazden")
    assert loaded.describe() == learned.describe()
    assert loaded.affixes_ == learned.affixes_


@pytest.mark.parametrize(
    ("word", "count"),
    [
        ("e\u0301te\u0301", 3),
        ("👩\u200d👩\u200d👧", 1),
        ("🇳🇴🇸🇪", 2),
        ("👍🏽", 1),
        ("한국", 2),
        ("\u1112\u1161\u11ab\u1100", 2),
        ("가\u11a8", 1),
        ("नमस्ते", 3),
        ("क\u094d\u200dष", 1),
        ("क\u094d\u200cष", 2),
        ("काष", 2),
        ("ক্ষ্ম", 1),
        ("த\u0bcdத", 2),  # the virama of Tamil does not join
        ("שָׁלוֹם", 4),
        ("ab\u200dc", 3),
    ],
)
def test_characters_that_belong_together_are_not_split(word: str, count: int) -> None:
    assert len(graphemes(word)) == count
    assert "".join(graphemes(word)) == word


def test_which_words_have_parts() -> None:
    assert all(map(has_parts, ("a", "Mother-in-law", "don’t", "e\u0301", "x" * LONGEST, "مدرسة")))
    assert not any(
        map(has_parts, ("", "-", "B2B", "a b", "🦊", "x" * (LONGEST + 1), "\u0301", "a.b"))
    )


def test_splits_never_fall_inside_a_grapheme() -> None:
    words = [word.replace("a", "a\u0323\u0306") for word in GOLD]
    learned = firth.Morphology().fit(words)
    for word, parts in zip(words, learned.split_all(words), strict=True):
        assert sum(len(graphemes(part)) for part in parts) == len(graphemes(word))
        assert not any(part[0] in "\u0323\u0306" for part in parts)
