"""Grammars in the folder of a model: saved, loaded, and refused if they are not sound."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firth
from firth.errors import FirthError, ModelError
from firth.grammar import LPCFG, METHODS, Grammar
from firth.parts import load_part
from firth.store import Part
from firth.trees import Tree, parse_trees
from tests.damage import Change, check_refused, cut, instead, longer, with_value
from tests.grammar.test_lpcfg import attachment

TREES = attachment(80, 0)
PARSERS: dict[str, LPCFG] = {
    method: LPCFG(3, method=method, held_out=0.1).fit(TREES) for method in METHODS
}
PARSERS["parents"] = LPCFG(
    3, vertical=2, horizontal=1, threshold=1e-5, decode="rules", held_out=0.2, seed=4
).fit(TREES)
CLASSES = {f"w{k}ed": "01" for k in range(30)} | {"zzz": "01"}
PARSERS["classes"] = LPCFG(method="pcfg").fit(
    [*TREES, *parse_trees("\n".join(f"(S (NP (N w{k}ed)) (VP (V sees)))" for k in range(30)))],
    CLASSES,
)
NEW = [
    "the cat sees the dog with the hat".split(), ["the", "gnu", "Goes"], ["of", "of"], ["zzz"], ["dog"],
    "the dog of the man hears the cat of the man".split(),
]  # fmt: skip


def folder_of(parser: Grammar, folder: Path) -> Callable[..., Grammar]:
    """Save a grammar; returns a function that loads it, with other facts and parameters if given."""
    folder.mkdir(exist_ok=True)
    parser.save(folder)

    def load(
        facts: dict[str, Any] | None = None, parameters: dict[str, Any] | None = None
    ) -> Grammar:
        # as they come from a manifest
        known, how = json.loads(json.dumps([parser.describe(), parser.parameters()]))
        known, how = {**known, **(facts or {})}, {**how, **(parameters or {})}
        known = {name: value for name, value in known.items() if value is not ...}
        found: Grammar = load_part(Part.in_folder(folder, how, "grammar", **known))
        return found

    return load


def same(one: Grammar, other: Grammar) -> None:
    """Two grammars give the same results; tensors are stored in single precision."""
    assert (one.facts_, one.states_, one.parameters()) == (other.facts_, other.states_, other.parameters())  # fmt: skip
    for words in NEW:
        found, expected = one.n_best(words, 5), other.n_best(words, 5)
        assert [parse.tree for parse in found] == [parse.tree for parse in expected]
        assert [parse.found for parse in found] == [parse.found for parse in expected]
        logs = [parse.log_prob for parse in found]
        assert logs == pytest.approx([parse.log_prob for parse in expected], rel=1e-5)
        assert one.sentence_log_prob(words) == pytest.approx(other.sentence_log_prob(words), rel=1e-5)  # fmt: skip
        assert one.prefix_log_probs(words) == pytest.approx(other.prefix_log_probs(words), rel=1e-5)
        tags = ["D", "N", "V", "D", "N", "?", "?", "?", "?", "?", "?"][: len(words)]
        assert one.parse(words, tags) == other.parse(words, tags)
        phrases, others = one.marginals(words), other.marginals(words)
        assert [(x.label, x.start, x.end) for x in phrases] == [(x.label, x.start, x.end) for x in others]  # fmt: skip
        assert [x.p for x in phrases] == pytest.approx([x.p for x in others], rel=1e-4, abs=1e-6)
    for tree in TREES[:10]:
        assert one.log_prob(tree) == pytest.approx(other.log_prob(tree), rel=1e-6)
    assert one.sample(5, 1) == other.sample(5, 1)


@pytest.mark.parametrize("name", PARSERS)
@pytest.mark.slow
def test_saved_and_loaded(name: str, tmp_path: Path) -> None:
    parser, model = PARSERS[name], tmp_path / "m"
    parser.write(model)
    opened = firth.load(model)
    again = opened.grammar
    same(again, parser)
    assert type(again) is Grammar
    assert repr(again) == (
        f"<Grammar: {len(parser.symbols_)} symbols, {parser.facts_['n_rules']} rules>"
    )
    assert opened.parts["grammar"].facts["n_trees"] == parser.facts_["n_trees"]
    again.write(tmp_path / "again")  # a grammar that was loaded can be written
    other = firth.load(tmp_path / "again")
    assert other.parts["grammar"].files == opened.parts["grammar"].files
    assert other.parts["grammar"].content == opened.parts["grammar"].content


def test_all_parameters_are_kept(tmp_path: Path) -> None:
    how = {
        "n_states": 5, "method": "em", "rounds": 7, "threshold": 0.01, "decode": "phrases", "held_out": 0.25,
        "seed": 3, "vertical": 2, "horizontal": 1, "cut": 0.01, "split_merge": 1, "n_phrases": 3, "n_tags": 4,
    }  # fmt: skip
    parser = LPCFG(**how)  # type: ignore[arg-type]
    assert parser.parameters() == how
    parser.fit(TREES).write(tmp_path / "m")
    again = firth.load(tmp_path / "m").grammar
    assert again.parameters() == how
    assert {name: getattr(again, name) for name in how} == how


@pytest.mark.parametrize("method", METHODS)
def test_the_manifest_has_all_parameters_of_every_method(method: Any) -> None:
    rounds = {"em": 40, "product": 5}.get(method, 0)
    expected = {
        "n_states": 16, "method": method, "rounds": rounds, "threshold": 1e-3, "decode": None, "cut": 1e-3,
        "held_out": 0.05, "seed": 0, "vertical": 1, "horizontal": 0,
    }  # fmt: skip
    assert LPCFG(method=method, held_out="5%").parameters() == expected
    assert LPCFG(method=method, rounds=rounds, held_out=0.05).parameters() == expected


def test_another_grammar_replaces_the_first(tmp_path: Path) -> None:
    for name in ("spectral", "product", "pcfg"):
        PARSERS[name].write(tmp_path / "m")
        same(firth.load(tmp_path / "m").grammar, PARSERS[name])


def test_words_in_all_scripts_are_kept(tmp_path: Path) -> None:
    text = "(S (اسم قطة) (فعل تنام)) (S (名 猫) (动 睡)) (S (संज्ञा बिल्ली) (N 🐈‍⬛)) (S (N x\u0001) (N \ufeffa))"
    trees = list(parse_trees(text)) * 3
    parser = LPCFG(2).fit(trees)
    again = folder_of(parser, tmp_path)()
    for tree in trees:
        assert again.parse(tree.words) == parser.parse(tree.words)
        assert again.log_prob(tree) == parser.log_prob(tree)
    assert again.words_.words == parser.words_.words


def test_words_that_are_not_unicode_are_refused(tmp_path: Path) -> None:
    """As they come from file names and from JSON; taggers refuse them too."""
    for tree in (
        Tree("S", [Tree("N", "\udc80"), Tree("V", "b")]),
        Tree("S", [Tree("\udc80", "a"), Tree("V", "b")]),
    ):
        with pytest.raises(FirthError):
            LPCFG(method="pcfg").fit([tree] * 3).write(tmp_path / "m")


def test_an_outer_bracket_with_two_children(tmp_path: Path) -> None:
    trees = list(
        parse_trees("( (A (X x)) (B (Y y)))\n( (A (X x)) (B (Y z)))\n((S (A (X x)) (B (Y y))))")
    )
    parser = LPCFG(2).fit(trees)
    assert repr(parser.parse(["x", "z"])) == "(ROOT (A (X x)) (B (Y z)))"
    assert "" not in parser.symbols_.phrases
    parser.write(tmp_path / "m")
    again = firth.load(tmp_path / "m").grammar
    assert again.parse(["x", "z"]) == parser.parse(["x", "z"])
    assert again.log_prob(trees[0]) == parser.log_prob(trees[0]) > -math.inf


def test_grammars_without_rules(tmp_path: Path) -> None:
    for method in METHODS:
        parser = LPCFG(2, method=method).fit(parse_trees("(N a) (N b) (X (N a))"))
        again = folder_of(parser, tmp_path / method)()
        assert again.n_best(["a"], 5) == parser.n_best(["a"], 5)
        assert again.prefix_log_probs(["a", "b"]) == parser.prefix_log_probs(["a", "b"])


# Grammars that are not sound, though their checksums are right ------------------------------------


def with_names(**names: Any) -> Change:
    """Other names; those that are ... are removed, and functions are applied."""

    def change(content: bytes) -> bytes:
        known = json.loads(content)
        for name, value in names.items():
            known[name] = value(known[name]) if callable(value) else value
        return json.dumps({k: v for k, v in known.items() if v is not ...}).encode()

    return change


PRODUCT = PARSERS["product"]
SIZES = {
    "tensors0.f32": 4 * 27, "tensors1.f32": 4 * 27, "vectors0.f64": 24, "fine_roots0.f64": 24, "totals0.f64": 8,
    "rules.i64": 24, "p.f64": 8, "roots.f64": 8, "tags.i64": 8, "words.i64": 8, "word_p.f64": 8, "counts.i64": 8,
}  # fmt: skip
"""The size of an entry of each file."""
NOT_CLASSES: list[Any] = [..., [], {"a": 5}, None]
NOT_STATES: list[Any] = [..., None, 5, [5], ["abc"], [{}], [{"symbol": "S"}]]
LISTS = ("phrases", "tags", "words", "rare", "groups", "groups_of_classes")
UNSOUND: dict[str, tuple[str, Change]] = {
    **{f"an entry too few in {file}": (file, cut(size)) for file, size in SIZES.items()},
    **{f"an entry too many in {file}": (file, longer(size)) for file, size in SIZES.items()},
    **{f"part of an entry in {file}": (file, cut(int(file[-2:]) // 16)) for file in SIZES},
    **{f"{file} is empty": (file, instead(b"")) for file in SIZES},
    **{
        f"{value} in {file}": (file, with_value(value, f"<{file[-3:].replace('32', '4').replace('64', '8')}"))
        for file in SIZES
        for value in (math.nan, math.inf)
        if ".f" in file
    },
    **{
        f"a negative probability in {file}": (file, with_value(-0.1, "<f8", 0.0))
        for file in ("p.f64", "roots.f64", "word_p.f64")
    },
    "roots for states that do not exist": ("fine_roots0.f64", lambda content: content * 2),
    "a symbol beyond the last": ("rules.i64", with_value(len(PRODUCT.symbols_), "<i8")),
    "a symbol before the first": ("rules.i64", with_value(-1, "<i8")),
    "a symbol of 2**40": ("rules.i64", with_value(2**40, "<i8")),
    "a tag as the parent of a rule": ("rules.i64", with_value(len(PRODUCT.symbols_.phrases), "<i8", 0.0)),
    "a tag beyond the last": ("tags.i64", with_value(10**6, "<i8", 1.0)),
    "a tag before the first": ("tags.i64", with_value(-1, "<i8")),
    "a phrase with a word": ("tags.i64", with_value(0, "<i8", 0.0)),
    "a word beyond the last": ("words.i64", with_value(len(PRODUCT.words_), "<i8", 1.0)),
    "a word before the first": ("words.i64", with_value(-1, "<i8", 0.0)),
    "words in another order": ("words.i64", lambda c: np.frombuffer(c, "<i8")[::-1].tobytes()),
    "a word twice": ("words.i64", lambda c: bytes(len(c))),
    "a negative count": ("counts.i64", with_value(-5, "<i8")),
    **{
        f"names are {content!r:.20}": ("names.json", instead(content))
        for content in (b"", b"\xff\xfe\0", b"[" * 100_000, b"[]", b"null", b"5", b"{}")
    },
    **{
        f"{name} are {value!r:.20}": ("names.json", with_names(**{name: value}))
        for name in LISTS
        for value in (..., None, "abc", [1, 2], [["a"]], ["a", "a"], {"a": 1})
    },
    **{
        f"proper is {value!r}": ("names.json", with_names(proper=value))
        for value in (..., [], [0, 1], "ab", True)
    },
    **{
        f"classes are {value!r}": ("names.json", with_names(classes=value))
        for value in NOT_CLASSES
    },
    "a phrase too few": ("names.json", with_names(phrases=lambda x: x[:-1])),
    "a tag name too few": ("names.json", with_names(tags=lambda x: x[:-1])),
    "a tag name too many": ("names.json", with_names(tags=lambda x: [*x, "ZZ"])),
    "a word name too few": ("names.json", with_names(words=lambda x: x[:-1])),
    "no tags": ("names.json", with_names(phrases=[], tags=[])),
    "no groups": ("names.json", with_names(groups=[])),
    "a tag that is an intermediate node": ("names.json", with_names(tags=lambda x: ["@" + x[0], *x[1:]])),
    "an invalid escape": ("names.json", with_names(phrases=lambda x: [*x[:-1], "%FFFFFFFF;"])),
    "an empty label": ("names.json", with_names(phrases=lambda x: [*x[:-1], ""])),
}  # fmt: skip


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Callable[..., Grammar]]:
    folder = tmp_path_factory.mktemp("product")
    load = folder_of(PRODUCT, folder)
    assert load().parse(["the", "cat"]).words == ["the", "cat"]
    return folder, load


@pytest.mark.parametrize("name", UNSOUND)
def test_unsound_files_are_refused(name: str, product: tuple[Path, Callable[..., Grammar]]) -> None:
    folder, load = product
    file, change = UNSOUND[name]
    check_refused(load, folder / file, change)


def test_a_grammar_without_dimensions_is_refused(tmp_path: Path) -> None:
    load = folder_of(PARSERS["pcfg"], tmp_path)
    for name in ("tensors0.f32", "vectors0.f64", "fine_roots0.f64", "totals0.f64"):
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(ModelError):
        load()


def test_a_root_that_is_an_intermediate_node_is_refused(tmp_path: Path) -> None:
    load = folder_of(PRODUCT, tmp_path)
    roots = np.zeros(len(PRODUCT.symbols_))
    roots[PRODUCT.symbols_.phrases.index("@VP")] = 1.0
    roots.tofile(tmp_path / "roots.f64")
    with pytest.raises(ModelError):
        load()


STATES = {"symbol": "S", "count": 1, "n_states": 1, "largest": 1.0, "smallest": 1.0}


@pytest.mark.parametrize(
    "facts",
    [
        *({"states": value} for value in NOT_STATES),
        *(
            {"states": [{**STATES, name: value}]}
            for name, value in (
                ("x", 1), ("symbol", 5), ("symbol", ["S"]), ("count", "many"), ("count", -1), ("n_states", None),
                ("largest", "x"), ("smallest", [1]),
            )
        ),
        *({name: ...} for name in ("n_trees", "n_symbols", "dim", "rounds")),
        {"n_trees": None}, {"n_trees": -1}, {"n_tokens": "many"}, {"n_symbols": 1.5}, {"n_rules": True},
        {"n_words": [1]}, {"dim": {}}, {"rounds": "5"},
    ],
)  # fmt: skip
def test_unsound_facts_are_refused(facts: dict[str, Any], tmp_path: Path) -> None:
    load = folder_of(PARSERS["em"], tmp_path)
    with pytest.raises(ModelError, match="cannot be used") as error:
        load(facts=facts)
    assert error.value.hint == "Retrain it: firth grammar learn TREES -o MODEL"


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_states": 0}, {"n_states": None}, {"method": "magic"}, {"method": ["em"]}, {"method": {"em": 1}},
        {"rounds": -1}, {"method": "spectral", "rounds": 5}, {"threshold": 2}, {"threshold": math.nan},
        {"decode": "magic"}, {"held_out": -0.5}, {"held_out": [0.5]}, {"seed": -1}, {"vertical": 0},
        {"horizontal": None},
    ],
)  # fmt: skip
def test_unsound_parameters_are_refused(parameters: dict[str, Any], tmp_path: Path) -> None:
    load = folder_of(PARSERS["em"], tmp_path)
    with pytest.raises(ModelError, match="cannot be used"):
        load(parameters=parameters)
