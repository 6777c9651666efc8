"""Grammars in the folder of a model: there and back, and what is wrong with a file."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firth
from firth.errors import FirthError, ModelError, ParameterError
from firth.grammar import LPCFG, METHODS, VERSION
from firth.store import read_array
from firth.trees import Tree, parse_trees
from tests.grammar.test_lpcfg import attachment

TREES = attachment(80, 0)
PARSERS = {method: LPCFG(3, method=method, held_out=0.1).fit(TREES) for method in METHODS}
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


def folder_of(parser: LPCFG, folder: Path) -> Callable[..., LPCFG]:
    """Saves a grammar; what is returned loads it, with facts and parameters that are given."""
    folder.mkdir(exist_ok=True)
    parser.save(folder)

    def load(facts: dict[str, Any] | None = None, parameters: dict[str, Any] | None = None) -> LPCFG:  # fmt: skip
        # as they come from a manifest
        told, how = json.loads(json.dumps([parser.facts(), parser.parameters()]))
        told, how = {**told, **(facts or {})}, {**how, **(parameters or {})}
        told = {name: value for name, value in told.items() if value is not ...}
        how = {name: value for name, value in how.items() if value is not ...}
        return LPCFG.load(folder.joinpath, told, how)

    return load


def same(one: LPCFG, other: LPCFG) -> None:
    """Whether two grammars say the same of anything; tensors are kept in single precision."""
    assert (one.facts_, one.states_, one.parameters()) == (other.facts_, other.states_, other.parameters())  # fmt: skip
    assert repr(one) == repr(other)
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
def test_saved_and_loaded(name: str, tmp_path: Path) -> None:
    parser = PARSERS[name]
    again = folder_of(parser, tmp_path / "one")()
    same(again, parser)
    folder_of(again, tmp_path / "again")
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert files == sorted(path.name for path in (tmp_path / "again").iterdir())
    for file in files:
        assert (tmp_path / "again" / file).read_bytes() == (tmp_path / "one" / file).read_bytes()


@pytest.mark.parametrize("name", PARSERS)
def test_written_into_a_model(name: str, tmp_path: Path) -> None:
    parser, model = PARSERS[name], tmp_path / "m"
    parser.write(model)
    opened = firth.load(model)
    assert "grammar" in opened
    same(opened.grammar, parser)
    assert opened.parts["grammar"].version == VERSION
    assert opened.parts["grammar"].facts["n_trees"] == parser.facts_["n_trees"]


def test_all_parameters_are_kept(tmp_path: Path) -> None:
    how = {
        "n_states": 5, "method": "em", "rounds": 7, "threshold": 0.01, "decode": "phrases", "held_out": 0.25,
        "seed": 3, "vertical": 2, "horizontal": 1, "cut": 0.01,
    }  # fmt: skip
    parser = LPCFG(**how)  # type: ignore[arg-type]
    assert parser.parameters() == how
    parser.fit(TREES).write(tmp_path / "m")
    assert firth.load(tmp_path / "m").grammar.parameters() == how


def test_another_grammar_takes_the_place_of_the_first(tmp_path: Path) -> None:
    for name in ("spectral", "product", "pcfg"):
        PARSERS[name].write(tmp_path / "m")
        same(firth.load(tmp_path / "m").grammar, PARSERS[name])


def test_nothing_is_written_before_anything_is_learned(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="has not learned"):
        LPCFG().write(tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_nothing_is_pickled(tmp_path: Path) -> None:
    folder_of(PARSERS["product"], tmp_path)
    for path in tmp_path.iterdir():
        if path.suffix == ".json":
            assert isinstance(json.loads(path.read_text(encoding="utf-8")), dict)
        else:
            assert path.read_bytes() == read_array(path).tobytes(), "nothing but numbers"


def test_words_in_all_scripts_are_kept(tmp_path: Path) -> None:
    text = "(S (اسم قطة) (فعل تنام)) (S (名 猫) (动 睡)) (S (संज्ञा बिल्ली) (N 🐈‍⬛)) (S (N x\u0001) (N \ufeffa))"
    trees = list(parse_trees(text)) * 3
    parser = LPCFG(2).fit(trees)
    again = folder_of(parser, tmp_path)()
    for tree in trees:
        assert again.parse(tree.words) == parser.parse(tree.words)
        assert again.log_prob(tree) == parser.log_prob(tree)
    assert again.words_.words == parser.words_.words


def test_words_that_are_no_unicode_are_refused(tmp_path: Path) -> None:
    """As they come from file names, and from JSON; taggers refuse them too."""
    for tree in (
        Tree("S", [Tree("N", "\udc80"), Tree("V", "b")]),
        Tree("S", [Tree("\udc80", "a"), Tree("V", "b")]),
    ):
        with pytest.raises(FirthError):
            LPCFG(method="pcfg").fit([tree] * 3).write(tmp_path / "m")


def test_grammars_without_rules(tmp_path: Path) -> None:
    for method in METHODS:
        parser = LPCFG(2, method=method).fit(parse_trees("(N a) (N b) (X (N a))"))
        again = folder_of(parser, tmp_path / method)()
        assert again.n_best(["a"], 5) == parser.n_best(["a"], 5)
        assert again.prefix_log_probs(["a", "b"]) == parser.prefix_log_probs(["a", "b"])


# Damage -------------------------------------------------------------------------------------------

Change = Callable[[bytes], bytes]


def cut(n: int) -> Change:
    return lambda content: content[:-n]


def longer(n: int) -> Change:
    return lambda content: content + bytes(n)


def nothing(content: bytes) -> bytes:
    return b""


def with_value(value: float, kind: str, place: float = 0.5) -> Change:
    def change(content: bytes) -> bytes:
        numbers = np.frombuffer(content, kind).copy()
        numbers[int((len(numbers) - 1) * place)] = value
        return numbers.tobytes()

    return change


def with_names(**names: Any) -> Change:
    """Other names; those that are ... are left out."""

    def change(content: bytes) -> bytes:
        known = {**json.loads(content), **names}
        return json.dumps({k: v for k, v in known.items() if v is not ...}).encode()

    return change


def changed_names(name: str, change: Callable[[list[str]], Any]) -> Change:
    def made(content: bytes) -> bytes:
        known = json.loads(content)
        return json.dumps({**known, name: change(known[name])}).encode()

    return made


def instead(text: str | bytes) -> Change:
    return lambda content: text.encode() if isinstance(text, str) else text


NAN, INF = math.nan, math.inf
LISTS = ("phrases", "tags", "words", "rare", "groups", "groups_of_classes")
DAMAGE: dict[str, tuple[str, Change]] = {
    "half a tensor entry": ("tensors0.f32", cut(2)),
    "an entry too few": ("tensors0.f32", cut(4)),
    "a tensor too few": ("tensors0.f32", cut(4 * 27)),
    "a tensor too many": ("tensors0.f32", longer(4 * 27)),
    "no tensors": ("tensors0.f32", nothing),
    "a tensor that is no number": ("tensors0.f32", with_value(NAN, "<f4")),
    "a tensor without end": ("tensors0.f32", with_value(INF, "<f4")),
    "a tensor too few in the second grammar": ("tensors1.f32", cut(4 * 27)),
    "no number in the second grammar": ("tensors1.f32", with_value(NAN, "<f4", 1.0)),
    "half a vector entry": ("vectors0.f64", cut(4)),
    "a vector too few": ("vectors0.f64", cut(24)),
    "a vector too many": ("vectors0.f64", longer(24)),
    "no vectors": ("vectors0.f64", nothing),
    "a vector that is no number": ("vectors0.f64", with_value(NAN, "<f8")),
    "a vector without end": ("vectors1.f64", with_value(-INF, "<f8", 0.0)),
    "a root too few": ("fine_roots0.f64", cut(24)),
    "part of a root": ("fine_roots0.f64", cut(8)),
    "roots for states that are not": ("fine_roots0.f64", lambda content: content * 2),
    "no fine roots": ("fine_roots0.f64", nothing),
    "a fine root that is no number": ("fine_roots1.f64", with_value(NAN, "<f8")),
    "a total too few": ("totals0.f64", cut(8)),
    "totals that are not there": ("totals1.f64", nothing),
    "a total that is no number": ("totals0.f64", with_value(NAN, "<f8")),
    "half a rule": ("rules.i64", cut(4)),
    "a symbol too few": ("rules.i64", cut(8)),
    "a rule too few": ("rules.i64", cut(24)),
    "a rule too many": ("rules.i64", longer(24)),
    "no rules": ("rules.i64", nothing),
    "a symbol beyond the last": ("rules.i64", with_value(10**6, "<i8")),
    "a symbol just beyond the last": ("rules.i64", with_value(len(PARSERS["product"].symbols_), "<i8")),
    "a symbol before the first": ("rules.i64", with_value(-1, "<i8")),
    "a symbol of 2**40": ("rules.i64", with_value(2**40, "<i8")),
    "a probability too few": ("p.f64", cut(8)),
    "a probability too many": ("p.f64", longer(8)),
    "no probabilities": ("p.f64", nothing),
    "a probability that is no number": ("p.f64", with_value(NAN, "<f8")),
    "a probability without end": ("p.f64", with_value(INF, "<f8")),
    "a probability below zero": ("p.f64", with_value(-0.1, "<f8")),
    "a coarse root too few": ("roots.f64", cut(8)),
    "no coarse roots": ("roots.f64", nothing),
    "a coarse root that is no number": ("roots.f64", with_value(NAN, "<f8")),
    "a coarse root below zero": ("roots.f64", with_value(-1.0, "<f8", 0.0)),
    "a tag too few": ("tags.i64", cut(8)),
    "a tag too many": ("tags.i64", longer(8)),
    "a tag beyond the last": ("tags.i64", with_value(10**6, "<i8", 1.0)),
    "a tag before the first": ("tags.i64", with_value(-1, "<i8")),
    "no tags": ("tags.i64", nothing),
    "a word too few": ("words.i64", cut(8)),
    "a word beyond the last": ("words.i64", with_value(10**6, "<i8", 1.0)),
    "a word just beyond the last": ("words.i64", with_value(len(PARSERS["product"].words_), "<i8", 1.0)),
    "a word before the first": ("words.i64", with_value(-1, "<i8", 0.0)),
    "words in another order": ("words.i64", lambda c: np.frombuffer(c, "<i8")[::-1].tobytes()),
    "a word twice": ("words.i64", lambda c: bytes(len(c))),
    "a probability of words too few": ("word_p.f64", cut(8)),
    "a probability of words that is no number": ("word_p.f64", with_value(NAN, "<f8")),
    "a probability of words below zero": ("word_p.f64", with_value(-0.5, "<f8")),
    "no probabilities of words": ("word_p.f64", nothing),
    "a count too few": ("counts.i64", cut(8)),
    "no counts": ("counts.i64", nothing),
    "no names": ("names.json", nothing),
    "names cut off": ("names.json", lambda content: content[: len(content) // 2]),
    "names that are no text": ("names.json", instead(b"\xff\xfe\0")),
    "names without end": ("names.json", instead("[" * 100_000)),
    "names that are a list": ("names.json", instead("[]")),
    "names that are nothing": ("names.json", instead("null")),
    "names that are a number": ("names.json", instead("5")),
    "names of no grammar": ("names.json", instead("{}")),
    "no list of grammars": ("names.json", with_names(proper=...)),
    "an empty list of grammars": ("names.json", with_names(proper=[])),
    "grammars that are no truth": ("names.json", with_names(proper=[0, 1])),
    "grammars that are text": ("names.json", with_names(proper="ab")),
    "a truth for a list": ("names.json", with_names(proper=True)),
    "no classes": ("names.json", with_names(classes=...)),
    "classes in a list": ("names.json", with_names(classes=[])),
    "classes that are numbers": ("names.json", with_names(classes={"a": 5})),
    "classes that are nothing": ("names.json", with_names(classes=None)),
    "a phrase too few": ("names.json", changed_names("phrases", lambda x: x[:-1])),
    "a tag's name too few": ("names.json", changed_names("tags", lambda x: x[:-1])),
    "a tag's name too many": ("names.json", changed_names("tags", lambda x: [*x, "ZZ"])),
    "a word's name too few": ("names.json", changed_names("words", lambda x: x[:-1])),
    "no tag at all": ("names.json", with_names(phrases=[], tags=[])),
    "no groups": ("names.json", with_names(groups=[])),
    **{f"{name} are missing": ("names.json", with_names(**{name: ...})) for name in LISTS},
    **{f"{name} are text": ("names.json", with_names(**{name: "abc"})) for name in LISTS},
    **{f"{name} are nothing": ("names.json", with_names(**{name: None})) for name in LISTS},
    **{f"{name} are numbers": ("names.json", changed_names(name, lambda x: list(range(len(x) + 1)))) for name in LISTS},
    **{f"{name} are lists": ("names.json", with_names(**{name: [["a"]]})) for name in LISTS},
    **{f"{name} come twice": ("names.json", with_names(**{name: ["a", "a"]})) for name in LISTS},
    **{f"{name} are a table": ("names.json", with_names(**{name: {"a": 1}})) for name in LISTS},
}  # fmt: skip


def check_refused(name: str, damage: dict[str, tuple[str, Change]], folder: Path) -> None:
    load = folder_of(PARSERS["product"], folder)
    file, change = damage[name]
    content = (folder / file).read_bytes()
    assert load().parse(["the", "cat"]).words == ["the", "cat"]
    assert change(content) != content
    (folder / file).write_bytes(change(content))
    with pytest.raises(ModelError) as error:
        load()
    assert str(folder) in error.value.message


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_files_are_refused(name: str, tmp_path: Path) -> None:
    check_refused(name, DAMAGE, tmp_path)


N_PHRASES = len(PARSERS["product"].symbols_.phrases)
NOT_SEEN: dict[str, tuple[str, Change]] = {
    # these are in range, and a grammar with them cannot parse
    "a rule above which there is a tag": ("rules.i64", with_value(N_PHRASES, "<i8", 0.0)),
    "a phrase over a word": ("tags.i64", with_value(0, "<i8", 0.0)),
    "a tag that is a node in between": ("names.json", changed_names("tags", lambda x: ["@" + x[0], *x[1:]])),
    "a sign that there is not": ("names.json", changed_names("phrases", lambda x: [*x[:-1], "%FFFFFFFF;"])),
    "a count below zero": ("counts.i64", with_value(-5, "<i8")),
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_SEEN)
def test_numbers_in_range_that_make_no_sense_are_refused(name: str, tmp_path: Path) -> None:
    check_refused(name, NOT_SEEN, tmp_path)


def test_a_grammar_without_dimensions_is_refused(tmp_path: Path) -> None:
    load = folder_of(PARSERS["pcfg"], tmp_path)
    for name in ("tensors0.f32", "vectors0.f64", "fine_roots0.f64", "totals0.f64"):
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(ModelError):
        load()


def test_a_root_in_between_is_refused(tmp_path: Path) -> None:
    """A tree cannot begin with such a node; whoever says so is not believed."""
    parser = PARSERS["product"]
    load = folder_of(parser, tmp_path)
    roots = np.zeros(len(parser.symbols_))
    roots[parser.symbols_.phrases.index("@VP")] = 1.0
    roots.tofile(tmp_path / "roots.f64")
    with pytest.raises(ModelError):
        load()


@pytest.mark.parametrize(
    "facts",
    [
        {"states": ...},
        {"states": None},
        {"states": 5},
        {"states": [5]},
        {"states": ["abc"]},
        {"states": [{}]},
        {"states": [{"symbol": "S"}]},
        {"states": [{"symbol": "S", "count": 1, "n_states": 1, "largest": 1.0, "smallest": 1.0, "x": 1}]},
        {"n_trees": ...},
        {"n_trees": None},
        {"n_trees": -1},
        {"n_tokens": "many"},
        {"n_symbols": ...},
        {"n_symbols": 1.5},
        {"n_rules": True},
        {"n_words": [1]},
        {"dim": ...},
        {"dim": {}},
        {"rounds": ...},
        {"rounds": "5"},
    ],
)  # fmt: skip
def test_facts_that_do_not_fit_are_refused(facts: dict[str, Any], tmp_path: Path) -> None:
    load = folder_of(PARSERS["em"], tmp_path)
    with pytest.raises(ModelError, match="cannot be used") as error:
        load(facts=facts)
    assert error.value.hint


STATES = {"symbol": "S", "count": 1, "n_states": 1, "largest": 1.0, "smallest": 1.0}


@pytest.mark.parametrize(
    "states",
    [
        [{**STATES, "symbol": 5}],
        [{**STATES, "symbol": ["S"]}],
        [{**STATES, "count": "many"}],
        [{**STATES, "count": -1}],
        [{**STATES, "n_states": None}],
        [{**STATES, "largest": "x"}],
        [{**STATES, "smallest": [1]}],
    ],
)
def test_states_of_wrong_kinds_are_refused(states: list[dict[str, Any]], tmp_path: Path) -> None:
    load = folder_of(PARSERS["em"], tmp_path)
    with pytest.raises(ModelError, match="cannot be used"):
        load(facts={"states": states})


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_states": 0},
        {"n_states": "3"},
        {"n_states": None},
        {"n_states": 2.5},
        {"method": "magic"},
        {"method": None},
        {"method": ["em"]},
        {"method": {"em": 1}},
        {"rounds": -1},
        {"rounds": "x"},
        {"rounds": 5.5},
        {"method": "spectral", "rounds": 5},
        {"threshold": 2},
        {"threshold": "x"},
        {"threshold": None},
        {"threshold": math.nan},
        {"decode": "magic"},
        {"decode": 5},
        {"decode": ["rules"]},
        {"held_out": -0.5},
        {"held_out": [0.5]},
        {"seed": -1},
        {"seed": "0"},
        {"vertical": 0},
        {"vertical": "1"},
        {"horizontal": -1},
        {"horizontal": None},
        {"extra": 1},
        {"self": 1},
    ],
)
def test_parameters_that_do_not_fit_are_refused(parameters: dict[str, Any], tmp_path: Path) -> None:
    load = folder_of(PARSERS["em"], tmp_path)
    with pytest.raises(ModelError, match="cannot be used") as error:
        load(parameters=parameters)
    assert error.value.hint


FILES = [
    "counts.i64", "fine_roots0.f64", "names.json", "p.f64", "roots.f64", "rules.i64", "tags.i64", "tensors0.f32",
    "totals0.f64", "vectors0.f64", "word_p.f64", "words.i64",
]  # fmt: skip


@pytest.mark.parametrize("file", FILES)
def test_a_model_that_was_damaged_later_is_refused(file: str, tmp_path: Path) -> None:
    PARSERS["spectral"].write(tmp_path / "m")
    path = firth.load(tmp_path / "m").parts["grammar"].path(file)
    assert sorted(other.name for other in path.parent.iterdir()) == FILES
    content = path.read_bytes()
    for damaged in (content[:-8], content[:-1] + bytes([content[-1] ^ 1]), b""):
        path.write_bytes(damaged)
        with pytest.raises(ModelError):
            assert firth.load(tmp_path / "m").grammar
    path.unlink()
    with pytest.raises(ModelError, match=file):
        assert firth.load(tmp_path / "m").grammar


@pytest.mark.parametrize("file", FILES)
def test_a_file_that_the_manifest_does_not_list_is_missed(file: str, tmp_path: Path) -> None:
    PARSERS["spectral"].write(tmp_path / "m")
    manifest = tmp_path / "m" / "firth.json"
    content = json.loads(manifest.read_text())
    del content["parts"]["grammar"]["files"][file]
    manifest.write_text(json.dumps(content))
    with pytest.raises(ModelError):
        assert firth.load(tmp_path / "m").grammar


@pytest.mark.parametrize("key", ["facts", "parameters"])
@pytest.mark.parametrize("value", [None, [], 5, {"a": 1}, "x"])
def test_a_manifest_that_was_changed_is_refused(key: str, value: Any, tmp_path: Path) -> None:
    PARSERS["spectral"].write(tmp_path / "m")
    manifest = tmp_path / "m" / "firth.json"
    content = json.loads(manifest.read_text())
    content["parts"]["grammar"][key] = value
    manifest.write_text(json.dumps(content))
    with pytest.raises(ModelError):
        assert firth.load(tmp_path / "m").grammar


def test_a_model_without_a_grammar_says_so(tmp_path: Path) -> None:
    PARSERS["pcfg"].write(tmp_path / "m")
    manifest = tmp_path / "m" / "firth.json"
    content = json.loads(manifest.read_text())
    del content["parts"]["grammar"]
    manifest.write_text(json.dumps(content))
    with pytest.raises(ModelError, match="grammar"):
        assert firth.load(tmp_path / "m").grammar
