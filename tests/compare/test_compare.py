"""Two texts compared: keyness and dispersion against their formulas, and changed meaning."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import firth
from firth.compare import CompareParameters, Text, compare, compare_meaning, compare_texts
from firth.pipeline import learn_corpus
from firth.vectors import WordVectors
from tests.oracles import comparing as oracle

Run = Callable[..., Any]
DOCUMENTS = st.lists(
    st.lists(st.sampled_from("abcde"), min_size=1, max_size=8), min_size=2, max_size=6
)


def text_of(parts: list[list[str]]) -> Text:
    corpus = firth.Corpus.from_texts([" ".join(part) for part in parts])
    return Text.of("t", corpus, corpus.documents)


@given(DOCUMENTS, DOCUMENTS, st.sampled_from(["benjamini-hochberg", "bonferroni", "none"]))
def test_all_measures_follow_their_formulas(a: Any, b: Any, correction: Any) -> None:
    found = compare_texts(text_of(a), text_of(b), CompareParameters(1, correction))
    counts, sizes = (oracle.counts(a), oracle.counts(b)), [sum(map(len, side)) for side in (a, b)]
    assert sorted(found.words) == sorted(counts[0] | counts[1])
    plain = []
    for i, word in enumerate(found.words):
        known, (n_a, n_b) = found.keyword(i), sizes
        x, y = counts[0][word], counts[1][word]
        assert (known.count_a, known.count_b) == (x, y)
        g2 = oracle.log_likelihood(x, y, n_a, n_b)
        assert known.g2 == pytest.approx(math.copysign(g2, x / n_a - y / n_b), abs=1e-9)
        ratio = (max(x, 0.5) / n_a) / (max(y, 0.5) / n_b)
        assert known.log_ratio == pytest.approx(math.log2(ratio))
        if y:
            assert known.difference == pytest.approx(100 * (x / n_a / (y / n_b) - 1))
        else:
            assert known.difference is None
        plain.append(math.erfc(math.sqrt(max(g2, 0) / 2)))
        sides = (
            (a, known.parts_a, known.dp_a, known.d_a),
            (b, known.parts_b, known.dp_b, known.d_b),
        )
        for parts, n_parts, dp, even in sides:
            assert n_parts == sum(word in part for part in parts)
            if n_parts:
                assert dp == pytest.approx(oracle.deviation_of_proportions(word, parts), abs=1e-9)
                assert even == pytest.approx(oracle.juilland_d(word, parts), abs=1e-7)
            else:
                assert (dp, even) == (1.0, 0.0)
    n = len(plain)
    expected = {
        "none": plain,
        "bonferroni": [min(1.0, n * p) for p in plain],
        "benjamini-hochberg": oracle.benjamini_hochberg(plain),
    }[correction]
    np.testing.assert_allclose(found.columns["p"], expected, rtol=1e-6, atol=1e-9)


@given(DOCUMENTS, st.data())
def test_documents_of_one_text_are_compared_as_two_texts(parts: Any, data: Any) -> None:
    chosen = data.draw(st.lists(st.booleans(), min_size=len(parts), max_size=len(parts)))
    sides = [
        [p for p, is_in in zip(parts, chosen, strict=True) if is_in == side]
        for side in (True, False)
    ]
    if min(map(len, sides)) < 2:
        return
    texts = [" ".join(part) for part in parts]
    corpus = firth.Corpus.from_texts(texts, metadata={"side": [int(c) for c in chosen]})
    whole = compare(corpus, where="side == 1", min_count=1)
    two = compare_texts(text_of(sides[0]), text_of(sides[1]), CompareParameters(1))
    expected = {row["word"]: row for row in two.rows()}
    for row in whole.rows():
        for name, value in row.items():
            assert value == pytest.approx(expected[row["word"]][name]), name


def test_a_text_of_one_document_is_cut_into_equal_parts() -> None:
    corpus = firth.Corpus.from_sentences([["a", "b"] * 50 + ["c"] * 20])
    text = Text.of("t", corpus)
    assert (text.n_parts, text.divided, text.n_tokens) == (10, False, 120)
    _, deviation, _ = text.dispersion
    of = {corpus.vocabulary[i]: deviation[i] for i in range(3)}
    parts = [corpus.words_between(12 * i, 12 * i + 12) for i in range(10)]
    assert of == {w: pytest.approx(oracle.deviation_of_proportions(w, parts)) for w in "abc"}


def test_words_of_one_document_do_not_pose_as_typical() -> None:
    story = ["the ship sailed the sea"] * 20
    other = ["the law of the land"] * 19 + ["the law " + "whale " * 20]
    texts = (
        Text.of("a", (a := firth.Corpus.from_texts(story)), a.documents),
        Text.of("b", (b := firth.Corpus.from_texts(other)), b.documents),
    )
    words = {word.word: word for word in compare_texts(*texts).top(of="b")}
    assert words["whale"].dp_b > 0.6 > 0.2 > words["law"].dp_b
    assert words["whale"].parts_b == 1
    # a few words are measured by themselves, all of them together
    known = {row["word"]: row for row in compare_texts(*texts).rows()}
    for one in compare_texts(*texts).top(of="a") + compare_texts(*texts).top(of="b"):
        assert asdict(one) == known[one.word]
    by_ratio = compare_texts(*texts).top(of="b", by="ratio")
    assert [w.log_ratio for w in by_ratio] == sorted(w.log_ratio for w in by_ratio)


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ((), "nothing to compare"),
        (("n > 1", "n > 2", "n > 3"), "two conditions"),
        (("n > 0", "n > 1"), "documents are in both"),
        (("n > 9",), "No document is selected"),
        (("m > 9",), "no column 'm'"),
        (("n >",), "is expected here"),
    ],
)
def test_what_cannot_be_compared_is_refused(where: tuple[str, ...], message: str) -> None:
    corpus = firth.Corpus.from_texts(["a b", "b c"], metadata={"n": [1, 2]})
    with pytest.raises(firth.FirthError, match=message):
        compare(corpus, where=where)


def test_aligned_vectors_find_their_partners() -> None:
    chance = np.random.default_rng(3)
    words = [f"w{i}" for i in range(60)]
    here = WordVectors.from_arrays(words, chance.normal(size=(60, 8)))
    turn = np.linalg.qr(chance.normal(size=(8, 8)))[0]
    there = WordVectors.from_arrays([w.upper() for w in words], here.matrix @ turn)
    found = here.align(there, [(w, w.upper()) for w in words[:20]])
    np.testing.assert_allclose(found.rotation, turn, atol=1e-5)
    assert all(found.most_similar(w, 1)[0].word == w.upper() for w in words)
    assert found.similarity("w3", "W3") == pytest.approx(1, abs=1e-5)
    with pytest.raises(firth.InputError, match="at least 5"):
        here.align(there)


def test_pairs_of_words_to_align_with(caplog: pytest.LogCaptureFixture) -> None:
    chance = np.random.default_rng(3)
    words = [f"w{i}" for i in range(9)]
    here = WordVectors.from_arrays(words, chance.normal(size=(9, 3)))
    pairs = {word: word for word in words}
    listed = here.align(here, [*pairs.items(), ("w1", "zebra"), ("zebra", "w2")])
    np.testing.assert_array_equal(listed.rotation, here.align(here, pairs).rotation)
    assert listed.n_pairs == 9
    assert [record.message for record in caplog.records] == [
        "2 of 11 pairs are left out, because a word has no vector, such as in 'w1' and 'zebra'."
    ]
    wrong: Any
    for wrong in (["w1"] * 9, [("w1", "w2", "w3")], [(1, 2)], "w1"):
        with pytest.raises(firth.ParameterError, match="pairs of words"):
            here.align(here, wrong)
    with pytest.raises(firth.ParameterError, match="must be WordVectors"):
        here.align(wrong)


def test_csls_is_its_formula() -> None:
    chance = np.random.default_rng(4)
    words = [f"w{i}" for i in range(30)]
    a, b = (WordVectors.from_arrays(words, chance.normal(size=(30, d))) for d in (4, 6))
    found = a.align(b)
    rotated = np.pad(a.unit, ((0, 0), (0, 2))) @ found.rotation
    cosines = rotated @ b.unit.T
    source = np.sort(cosines, axis=1)[:, -10:].mean(axis=1)
    target = np.sort(cosines, axis=0)[-10:].mean(axis=0)
    expected = 2 * cosines[7] - source[7] - target
    best = found.most_similar("w7", 5)
    np.testing.assert_allclose([s for _, s in best], np.sort(expected)[::-1][:5], atol=1e-5)


def test_words_with_other_neighbours_have_changed() -> None:
    chance = np.random.default_rng(5)
    words = [f"w{i}" for i in range(200)]
    matrix = chance.normal(size=(200, 10))
    moved = matrix.copy()
    moved[[10, 20]] = matrix[[20, 10]]  # two words have changed places
    turn = np.linalg.qr(chance.normal(size=(10, 10)))[0]
    a = WordVectors.from_arrays(words, matrix, [100] * 200)
    b = WordVectors.from_arrays(words, moved @ turn, [100] * 199 + [3])
    found = compare_meaning(a, b, n=3, min_count=20)
    assert {word.word for word in found[:2]} == {"w10", "w20"}
    assert found[0].similarity < 0.5 < found[2].similarity
    near = {w.word: w for w in found}["w10"]
    unit = a.unit[:199]
    expected = [words[i] for i in np.argsort(-(unit @ unit[10]))[1:9]]
    assert near.neighbours_a == expected
    with pytest.raises(firth.InputError, match="at least 20"):
        compare_meaning(a, b, min_count=1000)


@pytest.fixture(scope="module")
def speeches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("speeches")
    rows = [
        {
            "text": f"the sea and the ship {i}" if i % 2 else f"the law and the land {i}",
            "year": 1900 + i,
        }
        for i in range(40)
    ]
    (folder / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    learn_corpus(folder / "m", folder / "t.jsonl")
    (folder / "other.txt").write_text("the house and the garden\n" * 20)
    return folder


def test_the_command_shows_typical_words(firth: Run, speeches: Path, tmp_path: Path) -> None:
    shown = firth("compare", speeches / "m", speeches / "other.txt", "-n", 3)
    assert shown.status == 0, shown
    assert "more frequent in A" in shown.out
    assert "garden" in shown.out
    told = json.loads(firth("compare", speeches / "m", speeches / "other.txt", "--json").out)
    assert {word["word"] for word in told["b"]["keywords"]} == {"house", "garden"}
    where = ("--where", "year < 1920", "--where", "year >= 1930")
    told = json.loads(firth("compare", speeches / "m", *where, "--json").out)
    assert (told["a"]["parts"], told["b"]["parts"]) == (20, 10)
    for name in ("all.csv", "all.tsv", "all.json"):
        done = firth("compare", speeches / "m", speeches / "other.txt", "-o", tmp_path / name)
        assert done.status == 0, done
    lines = (tmp_path / "all.csv").read_text().splitlines()
    assert lines[0].startswith("word,count_a,count_b")
    assert len(lines) == 1 + len(json.loads((tmp_path / "all.json").read_text()))


def test_wrong_comparisons_are_said_in_two_lines(firth: Run, speeches: Path) -> None:
    for words, message in (
        ((speeches / "m",), "nothing to compare"),
        ((speeches / "m", "--where", "yeer > 3"), "no column 'yeer'"),
        ((speeches / "m", speeches / "none.txt"), "There is no file"),
        ((speeches / "m", "--meaning"), "two models"),
        ((speeches / "m", speeches / "m", "--meaning", "--correction", "none"), "--correction"),
        ((speeches / "m", speeches / "m", "--meaning"), "word vectors"),
        ((speeches / "m", speeches / "m", "-o", "x.pdf"), "format"),
    ):
        done = firth("compare", *words)
        assert done.status != 0
        assert message in done.err
        assert "Traceback" not in done.err


def test_matches_are_selected_and_counted_by_documents(firth: Run, speeches: Path) -> None:
    model = speeches / "m"
    where = ("--where", "year >= 1910 and year < 1914")
    assert firth("find", model, "ship", "--count", *where).out.strip() == "2"
    rows = json.loads(firth("find", model, "ship", "--by", "year", *where, "--json").out)
    assert [(row["year"], row["count"], row["tokens"]) for row in rows] == [
        (1910, 0, 6), (1911, 1, 6), (1912, 0, 6), (1913, 1, 6),
    ]  # fmt: skip
    shown = firth("find", model, "ship", "--by", "year", *where)
    assert "per million" in shown.out
    assert "no column" in firth("find", model, "ship", "--by", "x").err
    import firth as package

    found = package.load(model).find("ship", where="year == 1911")
    assert len(found) == 1


def test_the_function_can_be_called_although_its_package_has_its_name(tmp_path: Path) -> None:
    for name, text in (("a.txt", "the cat sat\n"), ("b.txt", "the dog ran\n")):
        (tmp_path / name).write_text(text * 9)
    found: Any = firth.compare  # the package, because it was imported above
    assert repr(found(tmp_path / "a.txt", tmp_path / "b.txt")).startswith("<Comparison of")


@pytest.mark.parametrize(
    "options",
    [
        {"lowercase": True, "digits": "zero"},
        {"tokens": "characters"},
        {"phrases": "phrases.txt"},
        {"phrases": 1},
        {"tokens": "morphs"},
    ],
)
def test_a_file_is_read_as_the_model_that_it_is_compared_with(
    tmp_path: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "The walkers of New York walked in 1999 .\nA walker walks to New York .\n" * 12
    Path("t.txt").write_text(text)
    Path("phrases.txt").write_text("New York\n")
    model = learn_corpus("m", ["t.txt"], **options)
    for sides in ((model, "t.txt"), ("t.txt", "m"), (model.corpus, Path("t.txt"))):
        if isinstance(sides[0], firth.Corpus) and options.get("tokens") == "morphs":
            continue  # a corpus alone does not know the morphology
        found = compare(*sides, min_count=1)
        assert found.a.n_tokens == found.b.n_tokens
        assert found.words
        assert all(found.keyword(i).count_a == found.keyword(i).count_b for i in range(len(found)))


def test_texts_that_were_read_in_other_ways_are_noticed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.txt").write_text("A Rose is a Rose\n" * 5)
    plain = learn_corpus(tmp_path / "a", [tmp_path / "t.txt"])
    lower = learn_corpus(tmp_path / "b", [tmp_path / "t.txt"], lowercase=True)
    with firth.show_progress():
        compare(plain, lower, min_count=1)
        assert "not read in the same way (lowercase)" in capsys.readouterr().err
        compare(plain, tmp_path / "a", min_count=1)
        compare(lower, tmp_path / "t.txt", min_count=1)
    assert "same way" not in capsys.readouterr().err
