"""What the server says is what the library says."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firth
from firth import pipeline
from firth.corpus import Reading, find_sources
from firth.explore import Book
from firth.explore._completion import Completion, fold
from firth.explore.views import classes as classes_view
from firth.store import writing
from tests.explore.models import HOSTILE, NAMES, VERBS, Client, serving

WORDS = ["cat", "Über", "running", "the", "Čeština", "humming"]


def near(found: list[firth.Neighbour]) -> list[dict[str, Any]]:
    return [{"word": word, "similarity": round(score, 4)} for word, score in found]


def sides(model: firth.Model, word: str, n: int) -> dict[str, list[dict[str, Any]]]:
    return {
        side: [
            {"word": c.word, "count": c.count, "pmi": round(c.pmi, 3)}
            for c in model.counts.collocates(word, offset, n)
        ]
        for side, offset in (("before", -1), ("after", 1))
    }


# Words ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("n", [1, 20, 1000])
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
    assert client.ask("neighbours", word="whistling") == [], "known, but without a vector"


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


# Completion -------------------------------------------------------------------------------------


def looked_up(words: list[str], text: str, n: int, searched: int = 1 << 17) -> list[int]:
    """Completion as it is described, word by word."""

    def plain(word: str) -> str:
        apart = unicodedata.normalize("NFKD", word).lower().replace("ς", "σ")
        return "".join(c for c in apart if unicodedata.category(c) != "Mn")

    wanted = plain(text)
    exact = [i for i, word in enumerate(words) if word == unicodedata.normalize("NFC", text)]
    if not wanted:
        return exact
    begin = [i for i, word in enumerate(words) if plain(word).startswith(wanted)]
    within = [i for i, word in enumerate(words[:searched]) if wanted in plain(word)]
    if len(wanted) == 1:
        within = []
    return list(dict.fromkeys([*exact, *begin, *within]))[:n]


_LETTERS = st.sampled_from([*"aAäÄáâbBcéÉßſiıİΣσςΩΩKﬁ0１²ñ\u0301\u0308\u200f\u202e'-ハパ𝔄"])
_WORDS = st.text(_LETTERS, min_size=1, max_size=5)


@settings(max_examples=150)
@given(
    sentence=st.lists(_WORDS, min_size=1, max_size=40),
    text=st.one_of(st.text(_LETTERS, max_size=3), st.integers(0, 39)),
    n=st.integers(1, 12),
    chunks=st.sampled_from([(1, 3), (2, 9), (1 << 14, 1 << 17)]),
)
def test_completion_against_brute_force(
    sentence: list[str], text: str | int, n: int, chunks: tuple[int, int]
) -> None:
    vocabulary = firth.Corpus.from_sentences([sentence]).vocabulary
    asked = text if isinstance(text, str) else sentence[text % len(sentence)][:3]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("firth.explore._completion._CHUNKS", chunks)
        found = Completion(vocabulary).search(asked, n)
    assert found == looked_up(list(vocabulary), asked, n, chunks[1])


@pytest.mark.parametrize("seed", [1, 2])
def test_completion_in_a_large_vocabulary(seed: int) -> None:
    chance = random.Random(seed)
    sentence = ["".join(chance.choices("abcdeéÉÜ", k=chance.randint(2, 7))) for _ in range(30_000)]
    vocabulary = firth.Corpus.from_sentences([sentence]).vocabulary
    assert len(vocabulary) > 1 << 14, "more than is looked at first"
    words, completion = list(vocabulary), Completion(vocabulary)
    for text in ["e", "EE", "uü", "abcde", "dddddd", "nothing", *chance.choices(words, k=5)]:
        assert completion.search(text, 12) == looked_up(words, text, 12)


def test_completion_by_what_is_typed(client: Client) -> None:
    def texts(q: str, n: int = 12) -> list[str]:
        return [row["text"] for row in client.ask("complete", q=q, n=n)]

    assert texts("uber", 2) == ["Über", "über"], "case and accents do not matter"
    assert texts("über", 2) == ["über", "Über"], "the very word first"
    assert texts(" cestina ") == ["Čeština"]
    assert texts("ΟΔΟΣ") == ["ὁδός"], "either form of sigma"
    assert texts("umming")[:2] == ["drumming", "humming"], "in the midst, where nothing begins so"
    assert texts("") == texts("  ") == []
    counts = [row["count"] for row in client.ask("complete", q="s", n=100) if row["text"] != "s"]
    assert counts == sorted(counts, reverse=True)
    assert len(counts) > 10
    assert fold("ΟΔΟΣ") == fold("οδος")


def test_a_path_completes_to_the_node_and_those_below(client: Client, model: firth.Model) -> None:
    tree = model.classes.tree
    inner = next(p for p in tree.node_paths[len(tree) :] if p)
    told = [row for row in client.ask("complete", q=inner) if row["kind"] == "class"]
    assert [row["text"] for row in told] == [inner, inner + "0", inner + "1"]
    assert [row["label"] for row in told] == [model.classes.label(row["text"]) for row in told]
    assert told[0]["count"] == told[1]["count"] + told[2]["count"]
    leaf = tree.paths[0]
    assert [row["text"] for row in client.ask("complete", q=leaf)] == [leaf]
    assert client.ask("complete", q="0" * 900) == []


def test_a_word_that_looks_like_a_path_is_offered_beside_the_class(hostile_client: Client) -> None:
    told = hostile_client.ask("complete", q="01", n=20)
    found = {(row["kind"], row["text"]) for row in told}
    assert found >= {("class", "01"), ("word", "01"), ("word", "0101")}


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


def cut(told: dict[str, Any], k: int) -> list[str]:
    """The nodes at which the page ends the tree for ``k`` classes."""
    ranks, parents = told["ranks"], told["parents"]
    is_split = [0 < rank < k for rank in ranks]
    return [
        path
        for i, path in enumerate(told["paths"])
        if not is_split[i] and (parents[i] < 0 or is_split[parents[i]])
    ]


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
    total = int(classes.tokens.sum())
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
        assert told["share"] == pytest.approx(told["tokens"] / total)
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
    assert np.abs(positions - model.map.positions).max() <= 0.5 / told["scale"] + 1e-9
    assert told["paths"] == model.classes.paths
    of_word = [told["paths"][c] for c in told["classes"]]
    assert of_word == [model.classes.path(word) for word in told["words"]]


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
    assert told["parts"] == ["classes", "corpus", "counts", "index", "map", "vectors"]
    assert (told["edit"], told["token"]) == (False, None)
    assert told["n_words"] == model.corpus.n_types
    assert 3 <= len(told["examples"]) <= 12
    assert all(word in model.vectors for word in told["examples"])
    assert client.get("model").headers["x-firth-model"] == told["version"]


# Models with only some parts --------------------------------------------------------------------


@contextmanager
def shown(path: Path) -> Iterator[Client]:
    with serving(path) as address:
        yield Client(address)


def refused(client: Client, part: str, *questions: tuple[str, dict[str, str]]) -> None:
    """Questions about a part that is not there are answered with what to do."""
    for name, asked in questions:
        problem = client.problem(404, name, **asked)
        assert problem["error"] == f"This model has no {part}.", name
        assert "firth " in problem["hint"]


OF_CLASSES: list[tuple[str, dict[str, str]]] = [
    ("tree", {}), ("class", {"path": ""}), ("compare/classes", {"a": "", "b": ""}),
]  # fmt: skip
OF_VECTORS: list[tuple[str, dict[str, str]]] = [
    ("neighbours", {"word": "cat"}), ("analogy", {"a": "cat", "b": "cat", "c": "cat"}),
]  # fmt: skip
OF_CORPUS: list[tuple[str, dict[str, str]]] = [("concordance", {"word": "cat"})]
OF_MAP: list[tuple[str, dict[str, str]]] = [("map", {})]


def test_a_model_of_vectors_alone(text_file: Callable[..., Path], tmp_path: Path) -> None:
    file = text_file("3 2\ncat 1 0\nDog 0.6 0.8\ncow -0.8 0.6\n", "v.vec")
    pipeline.import_vectors(file, tmp_path / "m")
    with shown(tmp_path / "m") as client:
        assert client.ask("model")["parts"] == ["vectors"]
        assert client.ask("complete", q="d") == [{"kind": "word", "text": "Dog", "count": 0, "label": ""}]  # fmt: skip
        told = client.ask("word", word="cat")
        assert (told["count"], told["rank"], told["word_class"], told["sides"]) == (None, None, None, {})  # fmt: skip
        assert client.ask("neighbours", word="cat", n=1) == [{"word": "Dog", "similarity": 0.6}]
        assert client.ask("neighbours", word="cow", n=1000)[-1]["similarity"] == -0.8
        assert client.ask("compare/words", a="Dog", b="cow")["similarity"] == 0
        refused(client, "classes", *OF_CLASSES)
        refused(client, "corpus", *OF_CORPUS)
        refused(client, "map", *OF_MAP)
        assert client.ask("about")["n_tokens"] is None


def test_a_model_of_classes_alone(text_file: Callable[..., Path], tmp_path: Path) -> None:
    lines = "0000\tcat\t9\n0001\tdog\t8\n010\thumming\t4\n010\tswimming\t3\n010\tdrumming\t3\n0110\tthe\t40\n"
    pipeline.import_classes(text_file(lines, "c.paths"), tmp_path / "m")
    with shown(tmp_path / "m") as client:
        told = client.ask("tree")
        assert told["paths"] == ["0", "000", "0000", "0001", "01", "010", "0110"]
        assert told["below"] == "0", "the root is where the paths first part"
        hierarchy = firth.load(tmp_path / "m").classes
        for k in range(1, 5):
            assert cut(told, k) == hierarchy.cut(k).paths
        for asked, node in (("", "0"), ("00", "000"), ("011", "0110"), ("01", "01")):
            assert client.ask("class", path=asked)["path"] == node
            assert client.ask("tree", below=asked)["below"] == node
        told = client.ask("class", path="01")
        assert (told["information"], told["sides"]) == (None, {})
        assert told["share"] == pytest.approx(50 / 67)
        assert client.ask("compare/classes", a="0000", b="010")["common"]["path"] == "0"
        assert client.ask("compare/words", a="cat", b="dog")["common"]["path"] == "000"
        told = client.ask("word", word="cat")
        assert (told["count"], told["rank"]) == (9, None)
        refused(client, "vectors", *OF_VECTORS)
        refused(client, "corpus", *OF_CORPUS)
        refused(client, "map", *OF_MAP)


def test_a_tree_of_one_class(text_file: Callable[..., Path], tmp_path: Path) -> None:
    pipeline.import_classes(text_file("cat\t1\ndog\t1\n", "c.txt"), tmp_path / "m")
    with shown(tmp_path / "m") as client:
        told = client.ask("tree")
        assert (len(told["paths"]), told["parents"], told["ranks"]) == (1, [-1], [0])
        told = client.ask("class")
        assert (told["n_words"], told["above"], told["below"], told["beside"]) == (2, [], [], [])
        assert told["share"] is None, "there are no counts"


def test_a_model_of_a_corpus_alone(text_file: Callable[..., Path], tmp_path: Path) -> None:
    text = text_file("the cat sat\nthe dog sat\n")
    with writing(tmp_path / "m") as writer:
        pipeline.learn_corpus(writer, find_sources([text]), Reading(), 1)
    with shown(tmp_path / "m") as client:
        assert client.ask("model")["parts"] == ["corpus"]
        told = client.ask("word", word="cat")
        assert (told["count"], told["word_class"], told["sides"]) == (1, None, {})
        assert client.ask("concordance", word="cat")["lines"][0] == {
            "left": "the ", "word": "cat", "right": " sat", "source": "text.txt", "original": True,
        }  # fmt: skip
        refused(client, "vectors", *OF_VECTORS)
        refused(client, "classes", *OF_CLASSES)
        refused(client, "map", *OF_MAP)
        told = client.ask("compare/words", a="cat", b="dog")
        assert (told["similarity"], told["common"]) == (None, None)


def test_an_empty_model_is_no_mystery(tmp_path: Path) -> None:
    with writing(tmp_path / "m") as writer:
        book = Book(tmp_path / "m")
        assert (book.edition().parts, writer.parts) == (set(), {})
        with pytest.raises(firth.FirthError, match="This model has no words yet"):
            book.edition().vocabulary  # noqa: B018


def test_words_that_only_an_imported_part_knows(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    pipeline.import_vectors(text_file("2 2\ncat 1 0\ndog 0 1\n", "v.vec"), tmp_path / "m")
    pipeline.import_classes(text_file("0\tcow\t5\n1\tdog\t3\n", "c.paths"), tmp_path / "m")
    with shown(tmp_path / "m") as client:
        told = client.ask("word", word="cow")
        assert (told["count"], told["word_class"]["path"], told["guessed"]) == (5, "0", False)
        assert client.ask("neighbours", word="cow") == [], "known, but without a vector"
        assert client.ask("word", word="dog")["word_class"]["path"] == "1"
        client.problem(404, "neighbours", word="hen")


def test_contexts_without_sides_are_near(text_file: Callable[..., Path], tmp_path: Path) -> None:
    text = text_file("the cat sat here\nthe dog sat there\n" * 8)
    model = firth.learn(text, tmp_path / "m", contexts="bag2", dim=0, classes=0, threads=1)
    with shown(tmp_path / "m") as client:
        told = client.ask("word", word="cat")["sides"]
        assert list(told) == ["near"]
        assert [row["word"] for row in told["near"]] == [c.word for c in model.counts.collocates("cat")]  # fmt: skip


def test_only_the_side_that_was_counted_is_told(
    text_file: Callable[..., Path], tmp_path: Path
) -> None:
    text = text_file("the cat sat here\nthe dog sat there\n" * 8)
    firth.learn(text, tmp_path / "m", contexts="R1", dim=0, classes=0, threads=1)
    with shown(tmp_path / "m") as client:
        assert list(client.ask("word", word="cat")["sides"]) == ["after"]
