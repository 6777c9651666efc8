"""What the server says is what the library says."""

from __future__ import annotations

import random
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firth
from firth.counts import MEASURES
from firth.describe import word_facts
from firth.explore.views import classes as classes_view
from firth.maps import regions_of
from tests.explore.models import HOSTILE, NAMES, VERBS, Client, cut, serving

WORDS = ["cat", "Über", "running", "the", "Čeština", "humming"]


def near(found: list[firth.Neighbour], guessed: bool = False) -> list[dict[str, Any]]:
    return [
        {"word": word, "similarity": round(score, 4), "guessed": guessed} for word, score in found
    ]


def sides(
    model: firth.Model, word: str, n: int, measure: str = "pmi"
) -> dict[str, list[dict[str, Any]]]:
    return {
        side: [
            {"word": c.word, "count": c.count, "pmi": round(c.pmi, 3), "score": round(c.score, 3)}
            for c in model.counts.collocates(word, offset, n, measure)
        ]
        for side, offset in (("before", -1), ("after", 1))
    }


# Words ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("n", [1, 20, 1000])
@pytest.mark.slow
def test_a_word_is_told_as_the_parts_know_it(
    client: Client, model: firth.Model, word: str, n: int
) -> None:
    told = client.ask("word", word=word, n=n)
    i = model.corpus.vocabulary.id(word)
    count = int(model.corpus.vocabulary.counts[i])
    path = model.classes.path(word)
    assert (told["word"], told["count"], told["rank"]) == (word, count, i + 1)
    assert told["per_million"] == pytest.approx(count / model.corpus.n_tokens * 1e6)
    assert told["guessed"] is False
    begin, end = model.classes.tree.span(path)
    assert told["word_class"] == {
        "path": path,
        "label": model.classes.label(path),
        "tokens": int(model.classes.tokens[begin:end].sum()),
    }
    assert told["members"] == [m.word for m in model.classes.members(path, n)]
    assert told["sides"] == sides(model, word, n)


def test_contexts_are_ordered_by_any_measure(client: Client, model: firth.Model) -> None:
    for measure in MEASURES:
        told = client.ask("word", word="cat", n=9, measure=measure)
        assert told["sides"] == sides(model, "cat", 9, measure)
    client.problem(422, "word", word="cat", measure="luck")


def test_a_word_is_told_as_it_is_in_some_documents(
    documents_client: Client, documents_path: Path
) -> None:
    model, where = firth.load(documents_path), 'genre == "animals" and year < 1902'
    told = documents_client.ask("word", word="cat", where=where, measure="g2")
    expected = word_facts(model, "cat", 20, "g2", where=where)
    for key in ("count", "rank", "per_million"):
        assert told[key] == expected[key]
    for side in ("before", "after"):
        assert [(row["word"], row["count"], row["score"]) for row in told["sides"][side]] == [
            (row["word"], row["count"], row["g2"]) for row in expected[side]
        ]
    assert told["sides"] != documents_client.ask("word", word="cat", measure="g2")["sides"]
    documents_client.problem(404, "word", word="cat", where="year == 1")
    wrong = documents_client.problem(422, "word", word="cat", where="weather == 1")
    assert (wrong["of"], wrong["place"]) == ("where", 0)


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("n", [1, 7, 1000])
def test_neighbours_are_those_of_the_vectors(
    client: Client, model: firth.Model, word: str, n: int
) -> None:
    told = client.ask("neighbours", word=word, n=n)
    assert told == near(model.vectors.neighbours([word], n)[0])
    assert len(told) == min(n, len(model.vectors) - 1)


@pytest.mark.parametrize("word", [*WORDS, "zebra"])
@pytest.mark.parametrize(("n", "width"), [(1, 0), (5, 10), (1000, 400)])
def test_a_concordance_is_that_of_the_corpus(
    client: Client, model: firth.Model, word: str, n: int, width: int
) -> None:
    told = client.ask("concordance", word=word, n=n, width=width)
    assert (told["word"], told["count"]) == (
        word,
        int(model.corpus.vocabulary.counts[model.corpus.vocabulary.id(word)]),
    )
    assert told["lines"] == [
        {
            "left": hit.left, "word": hit.word, "right": hit.right, "source": Path(hit.source).name,
            "original": True,
        }
        for hit in model.corpus.find(word, n, width)
    ]  # fmt: skip
    assert all("/" not in line["source"] for line in told["lines"]), "no folders of this machine"


def test_a_word_too_rare_for_a_class_gets_one_from_its_spelling(
    client: Client, model: firth.Model
) -> None:
    told = client.ask("word", word="whistling")
    assert told["guessed"] is True
    assert told["word_class"]["path"] == model.classes.assign(["whistling"])[0].path
    assert told["word_class"]["path"] == model.classes.path("humming")
    assert (told["count"], told["sides"]) == (1, {})
    guessed = model.vectors.neighbours(["whistling"], 20, guess=True)[0]
    assert client.ask("neighbours", word="whistling") == near(guessed, guessed=True)


def test_a_word_of_which_nothing_tells_the_class_has_none_and_none_is_guessed(
    client: Client, model: firth.Model
) -> None:
    assert model.classes.assign(["zebra"])[0].path is None, "or the test has no subject"
    told = client.ask("word", word="zebra")
    assert (told["word_class"], told["guessed"], told["members"]) == (None, False, [])


@pytest.mark.parametrize("name", ["word", "neighbours", "concordance"])
def test_an_unknown_word_is_told_with_what_is_near_it(client: Client, name: str) -> None:
    problem = client.problem(404, name, word="CAT")
    assert "'CAT'" in problem["error"]
    assert problem["hint"] == "There is 'cat'."
    client.problem(404, name, word="\ud800".encode("utf-8", "surrogatepass"))


def test_words_are_found_in_any_normal_form(client: Client) -> None:
    apart = unicodedata.normalize("NFD", "Über")
    assert apart != "Über"
    assert client.ask("word", word=apart)["count"] == client.ask("word", word="Über")["count"]
    assert client.ask("neighbours", word=apart) == client.ask("neighbours", word="Über")


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("word", {}), ("word", {"word": ""}), ("word", {"word": "x" * 12_001}), ("word", {"word": "cat", "n": 0}),
        ("word", {"word": "cat", "n": 1001}), ("word", {"word": "cat", "n": "many"}),
        ("neighbours", {"word": "cat", "n": -1}),
        ("concordance", {"word": "cat", "width": 401}), ("concordance", {"word": "cat", "width": -1}),
        ("complete", {}), ("complete", {"q": "x" * 1001}), ("complete", {"q": "x", "n": 101}),
        ("class", {"path": "012"}),
        ("class", {"path": "0\n"}), ("class", {"path": "0" * 10_001}), ("class", {"path": "", "n": 10_001}),
        ("tree", {"below": "x"}),
        ("analogy", {"a": "cat", "b": "dog"}), ("analogy", {"a": "cat", "b": "dog", "c": "cow", "method": "div"}),
        ("compare/words", {"a": "cat"}), ("compare/classes", {"a": "0"}),
    ],
)  # fmt: skip
def test_parameters_out_of_bounds_are_refused(
    client: Client, name: str, asked: dict[str, Any]
) -> None:
    assert "openapi.json" in client.problem(422, name, **asked)["hint"]


@pytest.mark.slow
def test_every_hostile_word_is_answered_as_it_is(
    hostile_client: Client, hostile: firth.Model
) -> None:
    for word in HOSTILE:
        kept = unicodedata.normalize("NFC", word)
        told = hostile_client.ask("word", word=kept)
        assert (told["word"], told["guessed"]) == (kept, False)
        assert told["word_class"]["path"] == hostile.classes.path(kept)
        assert hostile_client.ask("neighbours", word=kept, n=5) == near(
            hostile.vectors.neighbours([kept], 5)[0]
        )
        lines = hostile_client.ask("concordance", word=kept)["lines"]
        assert len(lines) == min(
            40, hostile.corpus.vocabulary.counts[hostile.corpus.vocabulary.id(kept)]
        )
        assert all(line["word"] == kept for line in lines)
        if len(kept) <= 1000 and kept.strip() == kept:
            found = hostile_client.ask("complete", q=kept, n=100)
            assert kept in [row["text"] for row in found if row["kind"] == "word"]


# The tree ---------------------------------------------------------------------------------------


def test_the_tree_is_told_whole(client: Client, model: firth.Model) -> None:
    told = client.ask("tree")
    tree, n = model.classes.tree, model.classes.n_classes
    assert (told["below"], told["n_classes"]) == ("", n)
    assert told["paths"] == sorted(tree.node_paths)
    assert told["labels"] == [model.classes.label(p) if p else "all words" for p in told["paths"]]
    assert told["named"] == [False] * (2 * n - 1)
    for i, path in enumerate(told["paths"]):
        above = told["parents"][i]
        if path:
            assert path.startswith(told["paths"][above])
            assert above < i, "parents before children"
        else:
            assert above == -1
        assert told["n_words"][i] == len(model.classes.members(path))
        assert told["typical"][i] == [m.word for m in model.classes.members(path, 6)]
        below = [k for k in range(2 * n - 1) if told["parents"][k] == i]
        assert len(below) == (0 if path in tree.paths else 2)
        for sums in ("tokens", "n_words"):
            assert not below or told[sums][i] == sum(told[sums][k] for k in below)
    assert told["tokens"][0] == int(model.classes.tokens.sum()) == model.corpus.n_tokens
    leaves = dict(zip(told["paths"], told["tokens"], strict=True))
    assert [leaves[p] for p in tree.paths] == model.classes.tokens.tolist()


def test_ranks_tell_every_cut(client: Client, model: firth.Model) -> None:
    told = client.ask("tree")
    for k in range(1, model.classes.n_classes + 1):
        assert cut(told, k) == model.classes.cut(k).paths


def test_a_large_tree_is_told_from_its_root_and_then_from_any_node(
    own_model: Path, model: firth.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classes_view, "_MOST_NODES", 7)
    with serving(own_model) as address:
        client = Client(address)
        told = client.ask("tree")
        assert len(told["paths"]) == 7
        assert told["n_classes"] == model.classes.n_classes
        for k in (1, 2, 3, 4):
            assert cut(told, k) == model.classes.cut(k).paths, "what was merged last is there"
        seen = set(told["paths"])
        waiting = [
            p for i, p in enumerate(told["paths"]) if told["ranks"][i] and i not in told["parents"]
        ]
        assert waiting, "some nodes are told without what is below them"
        while waiting:
            below = client.ask("tree", below=(at := waiting.pop()))
            assert below["paths"][0] == below["below"] == at
            assert below["parents"][0] == -1
            seen |= set(below["paths"])
            waiting += [
                p
                for i, p in enumerate(below["paths"])
                if below["ranks"][i] and i not in below["parents"]
            ]
        assert seen == set(model.classes.tree.node_paths)
        client.problem(404, "tree", below="0" * 50)


def test_every_node_has_a_page(client: Client, model: firth.Model) -> None:
    classes, tree = model.classes, model.classes.tree
    total = int(classes.vocabulary.counts.sum())
    assert classes.information is not None
    for path in tree.node_paths:
        told = client.ask("class", path=path, n=30)
        begin, end = tree.span(path)
        assert told["path"] == path
        assert told["automatic_label"] == classes.automatic_label(path)
        assert told["label"] == (classes.label(path) if path else "all words")
        assert (told["name"], told["n_classes"]) == ("", end - begin)
        assert told["n_words"] == len(classes.members(path))
        assert told["tokens"] == int(classes.tokens[begin:end].sum())
        assert told["share"] == pytest.approx((told["tokens"] - told["rare"]) / total)
        is_class = end - begin == 1
        assert told["too_rare"] == (is_class and told["rare"] > told["tokens"] / 2)
        assert told["information"] == pytest.approx(classes.information[begin:end].sum(), abs=1e-6)
        assert told["members"] == [
            {"word": m.word, "count": m.count} for m in classes.members(path, 30)
        ]
        contexts = classes.contexts(path, 20)
        assert contexts is not None
        assert told["sides"] == {side: [vars(c) for c in found] for side, found in contexts.items()}
        above = [p for p in sorted(tree.node_paths, key=len) if path.startswith(p) and p != path]
        assert [row["path"] for row in told["above"]] == above
        children = [p for p in (path + "0", path + "1") if p in tree.node_of]
        assert [row["path"] for row in told["below"]] == children
        turned = [path[:i] + ("1" if path[i] == "0" else "0") for i in reversed(range(len(path)))]
        assert [row["path"] for row in told["beside"]] == turned[:6]
        known = sum(m.count for m in classes.members(path))
        assert told["rare"] == told["tokens"] - known
        for row in [*told["above"], *told["below"], *told["beside"]]:
            a, b = tree.span(row["path"])
            assert row["tokens"] == int(classes.tokens[a:b].sum())
    assert client.ask("class")["path"] == ""
    client.problem(404, "class", path="0" * 60)


# The map ----------------------------------------------------------------------------------------


def test_the_map_is_told_point_by_point(client: Client, model: firth.Model) -> None:
    told = client.ask("map")
    assert told["words"] == list(model.map.vocabulary)
    assert told["counts"] == model.map.vocabulary.counts.tolist()
    positions = np.column_stack([told["x"], told["y"]]) / told["scale"]
    assert np.abs(positions - model.map.positions).max() <= 0.5 / told["scale"] + 1e-7
    assert told["paths"] == model.classes.paths
    of_word = [told["paths"][c] for c in told["classes"]]
    assert of_word == [model.classes.path(word) for word in told["words"]]
    mostly = model.tags.memberships_.argmax(axis=1)
    assert told["tags"] == [mostly[model.tags.vocabulary_.id(word)] for word in told["words"]]
    assert told["tag_names"] == model.tags.tags_
    regions = regions_of(model.map, model.vectors)
    assert told["regions"] == regions.of_word.tolist()
    assert [one["words"] for one in told["groups"]] == [one.words for one in regions.groups]
    assert told["columns"] == {}


def test_there_is_a_map_by_grammar(client: Client, model: firth.Model) -> None:
    told = client.ask("map", kind="grammar")
    assert told["kind"] == "grammar"
    positions = np.column_stack([told["x"], told["y"]]) / told["scale"]
    assert np.abs(positions - model.grammar_map.positions).max() <= 0.5 / told["scale"] + 1e-7
    client.problem(422, "map", kind="sound")


def test_words_are_compared_between_documents(
    documents_client: Client, documents_path: Path
) -> None:
    client, model = documents_client, firth.load(documents_path)
    columns = client.ask("map")["columns"]
    assert columns["genre"] == ["animals", "made up"]
    told = client.ask("map/shares", column="genre", value="animals")
    words = list(model.map.vocabulary)
    genres, bounds = model.documents.values("genre"), model.documents.bounds
    ids = np.asarray(model.corpus.ids)
    inside = np.concatenate(
        [
            ids[a:b]
            for a, b, g in zip(bounds[:-1], bounds[1:], genres, strict=True)
            if g == "animals"
        ]
    )
    assert told["tokens"] == len(inside)
    rest = len(ids) - len(inside)
    for word in ("cat", words[5], words[-1]):
        i = model.corpus.vocabulary.id(word)
        here, all_ = int((inside == i).sum()), int((ids == i).sum())
        ratio = np.log2((here + 0.5) / len(inside) / ((all_ - here + 0.5) / rest))
        assert told["log_ratios"][words.index(word)] == pytest.approx(ratio, abs=0.006)
    client.problem(404, "map/shares", column="genre", value="plays")
    client.problem(404, "map/shares", column="weather", value="rain")


# Comparing --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("a", "b"), [("cat", "dog"), ("cat", "running"), ("the", "the")])
def test_two_words_side_by_side(client: Client, model: firth.Model, a: str, b: str) -> None:
    told = client.ask("compare/words", a=a, b=b, n=9)
    assert told["a"] == client.ask("word", word=a, n=9)
    assert told["b"] == client.ask("word", word=b, n=9)
    assert told["similarity"] == round(model.vectors.similarity(a, b), 4)
    unit = model.vectors.unit
    to_a, to_b = (unit @ unit[model.vectors.id(word)] for word in (a, b))
    scores = {
        "near_both": np.minimum(to_a, to_b),
        "near_a": np.where(to_a > 2 * to_b, to_a, 0),
        "near_b": np.where(to_b > 2 * to_a, to_b, 0),
    }
    for name, score in scores.items():
        rest = [i for i in range(len(unit)) if model.vectors.vocabulary[i] not in (a, b)]
        best = np.sort(score[rest])[::-1][:9]
        best = best[best > 0]
        found = [model.vectors.id(row["word"]) for row in told[name]]
        assert score[found] == pytest.approx(best, abs=1e-6)
        assert not {a, b} & {row["word"] for row in told[name]}
        for row, i in zip(told[name], found, strict=True):
            assert row["to_a"] == pytest.approx(to_a[i], abs=6e-5)
            assert row["to_b"] == pytest.approx(to_b[i], abs=6e-5)


@pytest.mark.parametrize(("a", "b"), [("cat", "dog"), ("cat", "running"), ("the", "the")])
def test_the_company_of_two_words(client: Client, model: firth.Model, a: str, b: str) -> None:
    told = client.ask("compare/words", a=a, b=b, n=8)["company"]
    assert set(told) == {"before", "after"}
    for side, offset in (("before", -1), ("after", 1)):
        of_a, of_b = (
            {c.word: round(c.pmi, 3) for c in model.counts.collocates(word, offset, 1000)}
            for word in (a, b)
        )
        both = [row for row in told[side] if None not in (row["a"], row["b"])]
        assert len(both) == min(8, len(of_a.keys() & of_b.keys()))
        assert told[side][: len(both)] == both, "what they share comes first"
        for row in told[side]:
            assert (row["a"], row["b"]) == (of_a.get(row["word"]), of_b.get(row["word"]))
        least = [min(row["a"], row["b"]) for row in both]
        assert least == sorted(least, reverse=True)


def common(model: firth.Model, a: str, b: str) -> str:
    """The longest node that is the beginning of both."""
    fits = [p for p in model.classes.tree.node_paths if a.startswith(p) and b.startswith(p)]
    return max(fits, key=len)


def test_the_common_ancestor_of_words_and_classes(client: Client, model: firth.Model) -> None:
    chance = random.Random(3)
    words = [*NAMES, *VERBS, "the", "by"]
    for _ in range(15):
        a, b = chance.choices(words, k=2)
        told = client.ask("compare/words", a=a, b=b)["common"]
        assert told["path"] == common(model, model.classes.path(a), model.classes.path(b))
    nodes = model.classes.tree.node_paths
    for _ in range(25):
        a, b = chance.choices(nodes, k=2)
        told = client.ask("compare/classes", a=a, b=b, n=5)
        assert told["common"]["path"] == common(model, a, b)
        assert told["a"] == client.ask("class", path=a, n=5)
        assert told["b"] == client.ask("class", path=b, n=5)


def test_comparing_with_words_that_lack_something(client: Client) -> None:
    told = client.ask("compare/words", a="cat", b="zebra")
    assert (told["similarity"], told["common"], told["near_both"]) == (None, None, [])
    assert told["b"]["count"] == 1
    client.problem(404, "compare/words", a="cat", b="unheard-of")
    client.problem(404, "compare/classes", a="", b="1" * 40)


@pytest.mark.parametrize("method", ["mul", "add"])
@pytest.mark.parametrize("n", [1, 10, 1000])
def test_analogies_are_those_of_the_vectors(
    client: Client, model: firth.Model, method: str, n: int
) -> None:
    asked = {"a": "cat", "b": "dog", "c": "running"}
    told = client.ask("analogy", **asked, n=n, method=method)
    assert told == near(model.vectors.analogy("cat", "dog", "running", n, method))
    assert "'zebra' has no vector" in client.problem(404, "analogy", **{**asked, "c": "zebra"})["error"]  # fmt: skip


# About ------------------------------------------------------------------------------------------


def test_about_tells_how_the_model_was_made(
    client: Client, model: firth.Model, model_path: Path
) -> None:
    told = client.ask("about")
    assert told["model"] == model_path.name
    assert told["firth"] == firth.__version__
    corpus = model.corpus
    assert (told["n_tokens"], told["n_types"], told["n_sentences"]) == (
        corpus.n_tokens, corpus.n_types, corpus.n_sentences,
    )  # fmt: skip
    assert told["sources"] == ["model.txt"], "the name, not the folders of this machine"
    assert told["n_sources"] == 1
    assert [row["name"] for row in told["parts"]] == sorted(model.parts)
    for row in told["parts"]:
        part = model.parts[row["name"]]
        assert row["bytes"] == part.n_bytes == sum(f.stat().st_size for f in part.folder.iterdir())
        assert row["stale"] is False
        assert row["parameters"] == dict(part.parameters)
        assert row["facts"] == dict(part.facts)
        assert row["date"].startswith("20")
        assert row["seconds"] >= 0
    assert told["bytes"] == sum(row["bytes"] for row in told["parts"])
    assert told["coverage"][-1] == [corpus.n_types, 1.0]
    assert all(share == round(corpus.coverage(n), 5) for n, share in told["coverage"])
    assert model.vectors.singular_values is not None
    assert told["singular_values"] == pytest.approx(model.vectors.singular_values, rel=1e-5)
    if told["memory"] is not None:
        assert told["memory"]["own"] > 1e6


def test_the_first_answer_tells_what_there_is(client: Client, model: firth.Model) -> None:
    told = client.ask("model")
    assert told["title"] == "model"
    assert told["parts"] == [
        "classes",
        "corpus",
        "counts",
        "grammar_map",
        "grammar_vectors",
        "index",
        "map",
        "morphs",
        "report",
        "tags",
        "vectors",
    ]
    assert told["edit"] is False
    assert "token" not in told
    assert told["n_words"] == model.corpus.n_types
    assert 3 <= len(told["examples"]) <= 12
    assert all(word in model.vectors for word in told["examples"])
    assert client.get("model").headers["x-firth-model"] == told["version"]
