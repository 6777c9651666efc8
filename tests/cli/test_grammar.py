"""Learning and showing grammars, as a person would."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firth.grammar import LPCFG, Grammar
from firth.model import load
from firth.pipeline import learn_corpus
from firth.trees import parse_trees
from tests.cli.grammar_samples import trees
from tests.ner.samples import part_of

Run = Callable[..., Any]
TREES = trees(80)


@pytest.fixture
def bank(text_file: Callable[..., Path]) -> Path:
    return text_file(TREES, "bank.mrg")


@pytest.fixture
def model(firth: Run, bank: Path, tmp_path: Path) -> Path:
    path = tmp_path / "m"
    result = firth("grammar", "learn", bank, "-o", path, "--states", 3, "-q")
    assert (result.status, result.out, result.err) == (0, "", "")
    return path


# learn -------------------------------------------------------------------------------------------


def test_learn_says_what_it_learned(firth: Run, bank: Path, tmp_path: Path) -> None:
    path = tmp_path / "a model"
    result = firth("grammar", "learn", bank, "-o", path, "--states", 3)
    assert result.status == 0, result
    lines = result.out.splitlines()
    assert lines[0].startswith("from     76 trees, ")
    assert lines[1].startswith("grammar  11 symbols, ")
    assert lines[2] == "states   up to 3 states per symbol  spectral"
    assert lines[3].startswith("held out the grammar has 4 of 4 trees, ")
    assert lines[3].endswith(" bits per word")
    assert lines[4].startswith("numerics largest condition number ")
    assert ", smallest singular value " in lines[4]
    assert lines[5].startswith("time     ")
    assert lines[6] == f"try      firth grammar apply '{path}' TEXT"
    assert len(lines) == 7
    assert sorted(load(path).parts) == ["grammar"]
    shown = firth("show", path).out
    assert "  grammar  11 symbols, " in shown
    assert " rules  spectral, up to 3 states, trained on 76 trees\n" in shown
    assert json.loads(firth("show", path, "--json").out)["parts"]["grammar"]["n_trees"] == 76


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("--method pcfg --held-out 0", "states   none  pcfg"),
        ("--method clustering --states 2 --seed 3", "numerics largest condition number"),
        ("--method clustering --states 2 --rounds 1", "EM       1 iteration\n"),
        ("--method product --states 2 --rounds 2", "EM       2 iterations\n"),
        ("--method em --states 2 --rounds 3 --held-out 0", "EM       3 iterations\n"),
        ("--states 2 --vertical 2 --horizontal 1 --threshold 0.01", "spectral"),
        ("--states 2 --cut 0.1 --decode rules", "spectral"),
        (
            "--method em --states 2 --rounds 4 --split-merge 1 --held-out 0",
            "EM       4 iterations\n",
        ),
    ],
)
@pytest.mark.slow
def test_what_was_learned_is_not_learned_again(
    firth: Run, bank: Path, tmp_path: Path, how: str, says: str
) -> None:
    args = ("grammar", "learn", bank, "-o", tmp_path / "m", *how.split())
    first = firth(*args, "--json", "-q")
    assert (first.status, first.err) == (0, ""), first
    facts = json.loads(first.out)
    assert facts["changed"] == ["grammar"]
    assert ("held_out" in facts) == ("--held-out" not in how)
    assert (facts["largest_condition"] is None) == ("pcfg" in how or "em " in how)
    again = firth(*args)
    assert again.out.startswith("Nothing to do: the model is up to date.\n")
    assert says in again.out
    assert again.err == ""
    assert json.loads(firth(*args, "--json").out)["changed"] == []
    other = (*args[:5], "--method", "pcfg", "--json")
    assert json.loads(firth(*other).out)["changed"] == ["grammar"]


def test_the_share_held_out(firth: Run, bank: Path, tmp_path: Path) -> None:
    for said, n in (("5%", 4), ("0.05", 4), ("0.5", 40), ("12.5%", 10), ("0", None), ("1%", None)):
        args = ("grammar", "learn", bank, "-o", tmp_path / "m", "--held-out", said)
        facts = json.loads(firth(*args, "--method", "pcfg", "--json", "-q").out)
        assert facts.get("held_out", {}).get("n_trees") == n, said
        assert facts["n_trees"] == 80 - (n or 0)


def test_several_files_patterns_and_compressed_ones(
    firth: Run, fails: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    lines = TREES.splitlines(keepends=True)
    text_file("".join(lines[:30]), "bank/a.mrg")
    text_file(gzip.compress("".join(lines[30:60]).encode()), "bank/b.mrg.gz")
    last = text_file(lzma.compress("".join(lines[60:]).encode()), "c.xz")
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    how = ("--method", "pcfg", "-q")
    one = text_file(TREES, "one.mrg")
    assert firth("grammar", "learn", one, "-o", whole, *how).status == 0
    assert firth("grammar", "learn", tmp_path / "bank/*", last, "-o", parts, *how).status == 0
    assert load(parts).grammar.facts_ == load(whole).grammar.facts_
    wrong = fails("grammar", "learn", tmp_path / "bank/*.txt", "-o", parts, *how)
    assert "No file matches the pattern" in wrong.err


def test_a_second_grammar_replaces_the_first(
    firth: Run, fails: Run, model: Path, text_file: Callable[..., Path]
) -> None:
    before = load(model).parts["grammar"].identity
    bad = text_file("(S (NP (N cats))", "bad.mrg")
    assert "not closed" in fails("grammar", "learn", bad, "-o", model, "--replace").err
    assert load(model).parts["grammar"].identity == before
    other = text_file("(S (NP (N cats)) (VP (V sleep)))", "other.mrg")
    assert "made from other text" in fails("grammar", "learn", other, "-o", model).err
    assert firth("grammar", "learn", other, "-o", model, "--replace", "-q").status == 0
    assert load(model).grammar.facts_["n_trees"] == 1


def test_an_interruption_leaves_the_old_grammar(
    firth: Run, model: Path, text_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    before = load(model).parts["grammar"]
    file = text_file(trees(10, 1), "other.mrg")
    monkeypatch.setattr(Grammar, "save", interrupt)
    result = firth("grammar", "learn", file, "-o", model, "--replace", "-q")
    assert result.status == 130
    assert result.err == (
        "error: Interrupted.\n"
        "hint: The model has not changed. Run the command again to start from the beginning.\n"
    )
    assert load(model).parts["grammar"] == before
    assert load(model).grammar.parse(["the", "cat"]).words == ["the", "cat"]
    assert not list(model.rglob(".draft"))


def test_classes_of_another_model_help(
    firth: Run, fails: Run, bank: Path, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    from firth.classes import Hierarchy

    rare = [f"x{k}" for k in range(30)]
    more = "".join(f"(S (NP (D the) (N {word})) (VP (V sees)) (. .))\n" for word in rare)
    file = text_file(TREES + more, "more.mrg")
    news, path = tmp_path / "news", tmp_path / "m"
    part_of(news, Hierarchy.from_paths([*rare, "quark", "zzz"], ["00"] * 31 + ["1"]))
    args = ("grammar", "learn", file, "-o", path, "--method", "pcfg", "--held-out", 0, "--json")
    assert json.loads(firth(*args, "--using", news).out)["changed"] == ["grammar"]
    assert json.loads(firth(*args, "--using", news).out)["changed"] == []
    grammar = load(path).grammar
    assert grammar.words_.classes["quark"] == "00"
    assert grammar.words_.groups_of_classes == ["00"]
    assert grammar.parse("the quark sees .".split()).tags == ["D", "N", "V", "."]
    assert json.loads(firth(*args).out)["changed"] == ["grammar"]
    assert not load(path).grammar.words_.classes
    wrong = fails(*args, "--using", path)
    assert f"The model {path} has no word classes." in wrong.err
    assert f"hint: Learn them: firth classes learn TEXT -o {path}" in wrong.err
    assert "There is no model folder" in fails(*args, "--using", tmp_path / "none").err
    assert firth("grammar", "learn", bank, "-o", news, "--using", news, "-q").status == 0
    assert sorted(load(news).parts) == ["classes", "grammar"]
    assert not load(news).is_stale("grammar")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--method x", "Invalid value for '--method': 'x' is not one of 'spectral', 'clustering', 'em',"),
        ("--rounds 3", "--rounds does not apply to --method spectral: it is for em, product, clustering or"),
        ("--method pcfg --rounds 3", "--rounds does not apply to --method pcfg: it is for"),
        ("--method pcfg --states 3", "--states does not apply to --method pcfg: it is for"),
        ("--states 0", "--states must be an int of at least 1. Got 0."),
        ("--seed 1", "--seed does not apply to --method spectral: it is for"),
        ("--method em --rounds 0", "--rounds must be an int of at least 1. Got 0."),
        ("--method em --seed -1", "--seed must be an int of at least 0. Got -1."),
        ("--vertical 0", "--vertical must be an int of at least 1. Got 0."),
        ("--horizontal -1", "--horizontal must be an int of at least 0. Got -1."),
        ("--threshold 1", "--threshold must be a number from 0 to below 1. Got 1.0."),
        ("--threshold nan", "--threshold must be a number from 0 to below 1. Got nan."),
        *(
            (f"--held-out {share}", f"--held-out must be a share of the trees, such as 5% or 0.05. Got '{share}'.")
            for share in ("5", "1", "100%", "-1%", "nan", "x", "%")
        ),
    ],
)  # fmt: skip
def test_options_that_are_wrong_or_do_not_go_together(
    fails: Run, bank: Path, tmp_path: Path, options: str, said: str
) -> None:
    path = tmp_path / "new"
    wrong = fails("grammar", "learn", bank, "-o", path, *options.split(), status=2)
    assert f"error: {said}" in wrong.err
    assert not path.exists()


def test_what_cannot_be_learned(
    firth: Run, fails: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    new = tmp_path / "new"
    for text, said in (
        ("", "has no trees."), ("\n\n", "has no trees."),
        ("the cat sleeps\n", "line 1, column 1: 'the' is outside of any tree."),
        ("(S (NP (N cats))\n (VP (V sleep) x))\n", "line 2, column 16: the word 'x' has no tag."),
        ("\n(S (NP (N cats))\n", "line 2, column 1: the tree that begins here is not closed."),
        ("(S ((N cats)) (V sleep))", "line 1, column 4: a node inside a tree has no label."),
        (b"(S (N \xff))", "is not in UTF-8"), (bytes(range(256)), "binary"),
        ("( (S (-NONE- *)))", "There are no trees to learn from."),
    ):  # fmt: skip
        file = text_file(text, "bad.mrg")
        assert said in fails("grammar", "learn", file, "-o", new, "-q").err
        assert not new.exists()
    good = text_file(TREES, "good.mrg")
    empty = text_file("", "empty.mrg")
    wrong = fails("grammar", "learn", good, empty, "-o", new, "-q")
    assert f"error: {empty} has no trees." in wrong.err
    assert "There is no file none.mrg." in fails("grammar", "learn", "none.mrg", "-o", new).err
    wrong = fails("grammar", "learn", tmp_path, "-o", new)
    assert f"{tmp_path} is a folder." in wrong.err
    assert "'trees/*.mrg'" in wrong.err
    assert "from standard input" in fails("grammar", "learn", "-", "-o", new).err
    assert "is a file, not a model" in fails("grammar", "learn", good, "-o", good, "-q").err
    assert firth("grammar", "learn", good).status == 2
    assert not new.exists()


# show --------------------------------------------------------------------------------------------


def test_show(firth: Run, model: Path) -> None:
    lines = firth("grammar", "show", model).out.splitlines()
    assert lines[0].startswith("from     76 trees")
    top = lines.index("") + 1
    assert lines[top].split() == "symbol count states largest smallest condition".split()
    assert lines[top + 1].split()[:2] == ["NP", "phrase"]
    assert {line.split()[0] for line in lines[top + 1 :]} == set(
        "S NP VP PP @S @VP D N V I .".split()
    )
    few = firth("grammar", "show", model, "-n", 3).out.splitlines()
    n = len(lines) - top - 1
    assert few[-1] == f"{n - 3} more; to list them: -n {n}"
    facts = json.loads(firth("grammar", "show", model, "--json").out)
    assert [row["symbol"] for row in facts["states"]] == [
        line.split()[0] for line in lines[top + 1 :]
    ]
    assert facts["states"] == sorted(facts["states"], key=lambda row: -row["count"])
    for row in facts["states"]:
        assert row["condition"] == pytest.approx(row["largest"] / row["smallest"])
        assert row["kind"] == ("tag" if row["symbol"] in "DNVI." else "phrase")
    worst = max(facts["states"], key=lambda row: row["condition"])
    assert facts["largest_condition"]["value"] == worst["condition"]
    assert len(json.loads(firth("grammar", "show", model, "--json", "-n", 2).out)["states"]) == 2


def test_show_a_symbol(firth: Run, fails: Run, model: Path) -> None:
    out = firth("grammar", "show", model, "VP").out.splitlines()
    assert out[0].startswith("VP  phrase, count 76, ")
    assert "singular values" in out[0]
    told = json.loads(firth("grammar", "show", model, "VP", "--json").out)
    assert sum(rule["p"] for rule in told["rules"]) == pytest.approx(1)
    assert {(rule["left"], rule["right"]) for rule in told["rules"]} == {("V", "NP"), ("V", "@VP")}
    best = told["rules"][0]
    assert out[1].endswith(f"%  VP → {best['left']} {best['right']}")
    assert told["words"] == []
    noun = json.loads(firth("grammar", "show", model, "N", "--json").out)
    assert noun["rules"] == []
    assert {entry["word"] for entry in noun["words"]} >= {"cat", "dog", "man", "owl"}
    assert len(firth("grammar", "show", model, "N", "-n", 2).out.splitlines()) == 3
    assert "hint: Similar symbols: VP, @VP." in fails("grammar", "show", model, "vp").err
    wrong = fails("grammar", "show", model, "QQQQ")
    assert "There is no symbol 'QQQQ'." in wrong.err
    assert "hint: List them all: firth grammar show MODEL -n 11" in wrong.err


def test_rare_words_chains_and_strange_labels(
    firth: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    text = (
        "(S (VP (V go)) (. !))" * 3
        + "(S (VP (V stay)) (. !))"
        + "(S (\x1b[31m (N [bold])) (. !))" * 3
    )
    path = tmp_path / "m"
    assert firth("grammar", "learn", text_file(text), "-o", path, "--method", "pcfg").status == 0
    out = firth("grammar", "show", path, "VP>V").out.splitlines()
    assert out[0].startswith("VP›V  tag, count 4")
    assert out[1].endswith("%  go")
    assert out[2].endswith("%  all rare words")
    shown = firth("grammar", "show", path).out
    assert "\x1b" not in shown
    assert "\\x1b[31m›N" in shown
    assert "[bold]" in firth("grammar", "show", path, "\x1b[31m›N").out


def test_outer_brackets_without_a_label(
    firth: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    """What is learned can be loaded again."""
    path = tmp_path / "m"
    file = text_file("( (A (X x)) (B (Y y)))\n" * 4)
    assert firth("grammar", "learn", file, "-o", path, "-q").status == 0
    out = firth("grammar", "show", path, "ROOT").out.splitlines()
    assert out[0].startswith("ROOT  phrase, count 4")
    assert out[1:] == ["  100.0%  ROOT → A›X B›Y"]
    score = json.loads(firth("grammar", "evaluate", path, file, "--json").out)
    assert score["overall"]["f1"] == 1
    assert score["overall"]["n_gold"] == 8, "ROOT is not counted"


def test_models_without_a_grammar(
    fails: Run, text_file: Callable[..., Path], tmp_path: Path, bank: Path
) -> None:
    path = tmp_path / "c"
    learn_corpus(path, text_file("the cat\n"))
    for args in (("show", path), ("apply", path, bank), ("evaluate", path, bank), ("score", path, bank),
                 ("sample", path)):  # fmt: skip
        wrong = fails("grammar", *args)
        assert f"The model {path} has no grammar." in wrong.err
        assert f"hint: Learn it: firth grammar learn TREES -o {path}" in wrong.err
        none = fails("grammar", args[0], tmp_path / "none", *args[2:])
        assert "There is no model folder" in none.err
        assert "firth grammar learn TREES -o" in none.err
    assert "is not a Firth model" in fails("grammar", "show", tmp_path).err


def test_a_damaged_grammar_is_refused(firth: Run, fails: Run, model: Path) -> None:
    file = next(path for path in (model / "grammar").rglob("*") if path.is_file())
    data = file.read_bytes()
    file.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    for args in (("show", model), ("sample", model)):
        assert "is damaged" in fails("grammar", *args).err
    assert "is damaged" in firth("show", model).err


@pytest.mark.parametrize("command", ["learn", "apply", "evaluate", "score", "sample", "show"])
def test_help(firth: Run, command: str) -> None:
    result = firth("grammar", command, "--help")
    assert result.status == 0
    assert "Example:" in result.out


def test_rules_and_words_of_a_grammar() -> None:
    grammar = LPCFG(method="pcfg").fit(
        parse_trees("(S (NP (N N)) (VP (V go)))" * 3 + "(S (N a) (VP (V go)))")
    )
    assert grammar.rules("S") == [("NP›N", "VP›V", 0.75), ("N", "VP›V", 0.25)]
    assert grammar.rules("S", 1) == [("NP›N", "VP›V", 0.75)]
    assert grammar.words("NP›N", 1)[0][0] == "N"
    assert grammar.rules("V") == []
    assert grammar.words("S") == []


# learn from sentences ----------------------------------------------------------------------------


def test_sentences_and_brackets_without_trees(
    firth: Run, bank: Path, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    lines = [" ".join(tree.words) for tree in parse_trees(trees(30))]
    text = text_file("\n".join(lines) + "\n\nsleep\n", "text.txt")
    how = ("--method", "inside-outside", "--phrases", 4, "--tags", 5, "--rounds", 3)
    first = firth("grammar", "learn", text, "-o", tmp_path / "m", *how)
    assert first.status == 0, first
    assert first.out.startswith("from     29 sentences, ")
    assert "states   none  inside-outside\n" in first.out
    assert "held out the grammar has 1 of 1 sentence, " in first.out
    assert "Left out 1 sentence of one word" in first.err
    grammar = load(tmp_path / "m").grammar
    assert (len(grammar.symbols_.phrases), len(grammar.symbols_.tags)) == (4, 5)
    assert "Nothing to do" in firth("grammar", "learn", text, "-o", tmp_path / "m", *how).out
    assert "29 sentences" in firth("show", tmp_path / "m").out
    trees_too = firth("grammar", "learn", bank, text, "-o", tmp_path / "n", *how, "--json", "-q")
    assert json.loads(trees_too.out)["n_trees"] == 105
    few = firth(
        "grammar", "learn", text, "-o", tmp_path / "o", *how, "--tokens", "whitespace", "-q"
    )
    assert few.status == 0, few


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("--phrases 3", "--phrases does not apply to --method spectral: it is for inside-outside."),
        ("--tokens whitespace", "--tokens does not apply to trees."),
        (
            "--method inside-outside --states 2",
            "--states does not apply to --method inside-outside",
        ),
        (
            "--method inside-outside --vertical 2",
            "--vertical does not apply to --method inside-out",
        ),
        ("--method inside-outside --rounds 0", "--rounds must be an int of at least 1. Got 0."),
        ("--method inside-outside --tags 0", "--tags must be an int from 1 to 100. Got 0."),
        ("--split-merge 2", "--split-merge does not apply to --method spectral: it is for em."),
        ("--method em --split-merge 21", "--split-merge must be an int from 0 to 20. Got 21."),
        ("--method em --cut 0.1", "--cut does not apply to --method em"),
        ("--decode x", "Invalid value for '--decode': 'x' is not one of 'phrases', 'rules'."),
    ],
)
def test_more_options_that_do_not_go_together(
    fails: Run, bank: Path, tmp_path: Path, how: str, said: str
) -> None:
    assert said in fails("grammar", "learn", bank, "-o", tmp_path / "m", *how.split(), status=2).err
    assert not (tmp_path / "m").exists()


def test_text_without_sentences(fails: Run, text_file: Callable[..., Path], tmp_path: Path) -> None:
    for text, said in (
        ("one\n\ntwo\n", "There are no sentences to learn from."),
        ("", "There are no sentences"),
    ):
        file = text_file(text, "few.txt")
        wrong = fails("grammar", "learn", file, "-o", tmp_path / "m", "--method", "inside-outside")
        assert said in wrong.err
        assert "A sentence must have two words or more." in wrong.err
