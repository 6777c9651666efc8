"""Parsing, measuring, scoring and drawing with a grammar, as a person would."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firth.evaluate import evaluate_parses
from firth.grammar import LPCFG, Grammar
from firth.model import load
from firth.trees import clean, parse_trees
from tests.cli.grammar_samples import trees

Run = Callable[..., Any]
Say = Callable[[str], None]
GOLD = trees(20, seed=5)
SENTENCE = "the cat sees the dog ."


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("grammar") / "m"
    LPCFG(n_states=4).fit(parse_trees(trees(200))).write(path)
    return path


@pytest.fixture(scope="module")
def grammar(model: Path) -> Grammar:
    return load(model).grammar


@pytest.fixture
def gold(text_file: Callable[..., Path]) -> Path:
    return text_file(GOLD, "gold.mrg")


def rows(out: str) -> list[Any]:
    return [json.loads(line) for line in out.splitlines()]


# apply -------------------------------------------------------------------------------------------


def test_sentences_are_parsed(
    firth: Run, model: Path, say: Say, text_file: Callable[..., Path]
) -> None:
    tree = "(S (NP (D the) (N cat)) (VP (V sees) (NP (D the) (N dog))) (. .))"
    say(f"{SENTENCE}\n\nThe man hears the owl.")
    result = firth("grammar", "apply", model)
    assert (result.status, result.err) == (0, "")
    first, empty, last = result.out.split("\n")[:3]
    assert (first, empty) == (tree, "")
    assert next(parse_trees(last)).words == "The man hears the owl .".split()
    file = text_file(f"{SENTENCE}\r\n \r\n", "crlf.txt")
    assert firth("grammar", "apply", model, file).out == f"{tree}\n\n"
    say("\ufeff" + SENTENCE)
    assert firth("grammar", "apply", model, "-").out == f"{tree}\n"
    say("")
    assert firth("grammar", "apply", model).out == ""


def test_formats(firth: Run, model: Path, grammar: Grammar, say: Say) -> None:
    def out(*args: Any) -> str:
        say(f"{SENTENCE}\n\nof of of\n")
        return str(firth("grammar", "apply", model, *args).out)

    one, empty, lost = rows(out("--format", "json"))
    tree = grammar.parse(SENTENCE.split())
    assert one["tree"] == tree.brackets()
    assert (one["words"], one["tags"], one["found"]) == (tree.words, tree.tags, True)
    assert one["log_prob"] == pytest.approx(grammar.log_prob(tree))
    assert empty == {"tree": None, "words": [], "tags": [], "found": False, "log_prob": None}
    assert (lost["found"], lost["log_prob"], lost["words"]) == (False, None, ["of", "of", "of"])
    pretty = out("--format", "pretty")
    assert pretty.startswith("(S\n  (NP (D the) (N cat))\n  (VP\n")
    assert next(parse_trees(pretty)) == tree
    pictures = out("--format", "svg").split("\n")
    assert [picture[:4] for picture in pictures] == ["<svg", "", "<svg", ""]
    assert pictures[0] == tree.svg()


def test_the_best_trees(firth: Run, model: Path, grammar: Grammar, say: Say) -> None:
    text = "the cat sees the dog with a hat .\n\nof of of\n"
    say(text)
    result = firth("grammar", "apply", model, "--n-best", 3)
    parts = result.out.split("\n\n")
    best = grammar.n_best(text.split("\n")[0].split(), 3)
    assert len(best) > 1
    assert [line.split("\t")[1] for line in parts[0].split("\n")] == [
        parse.tree.brackets() for parse in best
    ]
    assert float(parts[0].split("\t")[0]) == pytest.approx(best[0].log_prob, abs=1e-4)
    assert parts[1].startswith("\n-inf\t(S (I of)")
    assert "The grammar has no tree for 1 of 2 sentences" in result.err
    say(text)
    several, none, lost = rows(
        firth("grammar", "apply", model, "--n-best", 3, "--format", "json").out
    )
    assert [row["log_prob"] for row in several] == [parse.log_prob for parse in best]
    assert none == []
    assert [row["found"] for row in lost] == [False]


def test_sentences_without_a_tree_are_counted(firth: Run, model: Path, say: Say) -> None:
    say(f"of of of\n\n{SENTENCE}\nthe the\n")
    result = firth("grammar", "apply", model)
    assert result.out.startswith("(S (I of) (I of) (I of))\n\n(S (NP")
    assert result.err == (
        "note: The grammar has no tree for 2 of 3 sentences; printed flat trees.\n"
    )
    say("of of of\n")
    assert firth("grammar", "apply", model).err == (
        "note: The grammar has no tree for 1 of 1 sentence; printed flat trees.\n"
    )


def test_tags_that_are_given(firth: Run, fails: Run, model: Path, say: Say) -> None:
    args = ("grammar", "apply", model, "--tagged", "--format", "json")
    say("the/D sees/N 1\\/2/V the/D -LRB-/N ./.\n\n")
    row, empty = rows(firth(*args).out)
    assert row["words"] == ["the", "sees", "1\\/2", "the", "(", "."]
    assert row["tags"] == ["D", "N", "V", "D", "N", "."]
    assert row["found"]
    assert empty["words"] == []
    for text, said in (
        ("a/D\nb", "standard input, line 2: 'b' is"),
        ("/D", "'/D' is"),
        ("b/", "'b/' is"),
    ):
        say(text)
        wrong = firth(*args)
        assert wrong.status == 1
        assert f"{said} not a word with a tag.\nhint: Tagged text is written as" in wrong.err
    for option, value in (("--tokens", "words"), ("--split", "lines")):
        wrong = fails(*args, option, value, status=2)
        assert f"{option} does not apply to tagged text." in wrong.err


def test_tokens_and_sentences_are_as_asked_for(firth: Run, model: Path, say: Say) -> None:
    say("The cat sees it. Why?\n")
    args = ("grammar", "apply", model, "--format", "json")
    two = rows(firth(*args, "--split", "sentences").out)
    assert [row["words"] for row in two] == [["The", "cat", "sees", "it", "."], ["Why", "?"]]
    say("-LRB- it's\n")
    [row] = rows(firth(*args, "--tokens", "whitespace").out)
    assert row["words"] == ["(", "it's"]
    assert "(D -LRB-)" in row["tree"] or "-LRB-)" in row["tree"]
    say("abc\n")
    assert rows(firth(*args, "--tokens", "characters").out)[0]["words"] == ["a", "b", "c"]


def test_trees_given_as_text_are_noticed(firth: Run, model: Path, gold: Path, say: Say) -> None:
    result = firth("grammar", "apply", model, gold)
    assert result.status == 0
    assert f"note: {gold} looks like trees, but is read as plain text." in result.err
    assert f"firth grammar evaluate {model} FILE" in result.err
    for text, is_noticed in (
        ("\n( (S\n", True),
        ("(S\n", True),
        ("(He left.)\n", False),
        ("a (b\n", False),
    ):
        say(text)
        assert ("looks like trees" in firth("grammar", "apply", model).err) == is_noticed, text


def test_words_cannot_disturb_a_terminal(firth: Run, model: Path, say: Say) -> None:
    hostile = "\x1b[31mred \u202etac [bold] <b> " + "x" * 10_000
    for form in ("brackets", "pretty", "svg", "json"):
        say(hostile)
        out = firth("grammar", "apply", model, "--tokens", "whitespace", "--format", form).out
        assert "\x1b" not in out
        assert "\u202e" not in out
    assert json.loads(out)["words"] == hostile.split()
    say("x " * 400)
    [row] = rows(firth("grammar", "apply", model, "--format", "json").out)
    assert (len(row["words"]), row["found"]) == (400, False)


def test_apply_says_what_it_cannot_do(
    firth: Run, fails: Run, model: Path, gold: Path, text_file: Callable[..., Path], tmp_path: Path, say: Say
) -> None:  # fmt: skip
    for options, said in (
        ("--format xml", "'xml' is not one of 'brackets', 'json', 'svg', 'pretty'."),
        ("--tokens x", "--tokens must be one of"), ("--split none", "Invalid value for '--split'"),
        ("--n-best 2 --format svg", "--n-best does not apply to --format svg."),
        ("--n-best 2 --format pretty", "--n-best does not apply to --format pretty."),
    ):  # fmt: skip
        assert said in fails("grammar", "apply", model, gold, *options.split(), status=2).err
    assert firth("grammar", "apply", model, gold, "--n-best", 0).status == 2
    assert "There is no file" in fails("grammar", "apply", model, tmp_path / "none").err
    assert "is a folder." in fails("grammar", "apply", model, tmp_path).err
    assert "binary" in fails("grammar", "apply", model, text_file(bytes(range(256)), "b.txt")).err
    assert "not in UTF-8" in fails("grammar", "apply", model, text_file(b"\xff\n", "l.txt")).err
    assert "not plain text" in fails("grammar", "apply", model, text_file("", "a.conllu")).err
    say("\udcff\n")
    assert "Line 1 of standard input is not in UTF-8." in fails("grammar", "apply", model).err
    say("a\0b\n")
    assert "Standard input is a binary file" in fails("grammar", "apply", model).err


def command(*args: Any, **how: Any) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", "firth", "grammar", *map(str, args)]
    pipe = subprocess.PIPE
    return subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, **how)


@pytest.mark.slow
def test_trees_come_as_sentences_come(model: Path) -> None:
    with command("apply", model) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for _ in range(2):
            process.stdin.write(f"{SENTENCE}\n".encode())
            process.stdin.flush()
            assert process.stdout.readline().startswith(b"(S (NP (D the) (N cat))")
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr.read() == b"error: Interrupted.\n"


@pytest.mark.slow
def test_the_reader_of_the_output_may_go_away(model: Path, text_file: Callable[..., Path]) -> None:
    with command("apply", model, text_file(f"{SENTENCE}\n" * 20_000)) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"(S ")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


# evaluate ----------------------------------------------------------------------------------------


def test_a_parser_is_measured(firth: Run, model: Path, grammar: Grammar, gold: Path) -> None:
    right = [tree for tree in map(clean, parse_trees(GOLD)) if tree is not None]
    parsed = [grammar.parse(tree.words) for tree in right]
    facts = json.loads(firth("grammar", "evaluate", model, gold, "--json").out)
    assert facts.pop("seconds") > 0
    assert facts.pop("sentences_per_second") > 0
    assert facts.pop("n_not_found") == 0
    expected = evaluate_parses(right, parsed)
    assert facts == json.loads(json.dumps(expected.to_dict()))
    lines = firth("grammar", "evaluate", model, gold).out.splitlines()
    assert lines[0].split() == ["sentences", "precision", "recall", "F1", "exact", "tags", "number"]
    assert lines[-2].split() == [
        "all",
        *(
            f"{100 * getattr(expected.overall, name):.2f}"
            for name in ("precision", "recall", "f1", "exact", "tags")
        ),
        "20",
    ]
    low, high = expected.interval
    assert lines[-1].startswith(f"F1 between {100 * low:.2f} and {100 * high:.2f} (95%), ")
    assert ", no tree for 0 of 20, " in lines[-1]
    assert lines[-1].endswith(" sentences/s")


def test_given_tags_and_short_sentences(
    firth: Run, fails: Run, model: Path, text_file: Callable[..., Path], gold: Path
) -> None:
    odd = "(S (NP (D the) (N sees)) (VP (V cat) (NP (D the) (N the))) (. .))\n"
    file = text_file(odd + "(S (I of) (I of))", "odd.mrg")
    facts = json.loads(firth("grammar", "evaluate", model, file, "--tagged", "--json").out)
    assert facts["overall"]["tags"] == 1
    assert facts["n_not_found"] == 1
    short = json.loads(firth("grammar", "evaluate", model, file, "--longest", 2, "--json").out)
    assert (short["overall"]["n_sentences"], short["interval"]) == (1, None)
    assert "nan" not in firth("grammar", "evaluate", model, file, "--longest", 2).out
    wrong = fails("grammar", "evaluate", model, gold, "--longest", 1)
    assert "All sentences have more than 1 word." in wrong.err


def test_trees_that_were_parsed_before_are_compared(
    firth: Run, fails: Run, model: Path, gold: Path, text_file: Callable[..., Path], say: Say
) -> None:
    text = "".join(f"{' '.join(tree.words)}\n" for tree in parse_trees(GOLD))
    parsed = firth("grammar", "apply", model, text_file(text, "plain.txt")).out
    file = text_file(parsed, "parsed.mrg")
    by_model = json.loads(firth("grammar", "evaluate", model, gold, "--json").out)
    by_file = json.loads(firth("grammar", "evaluate", file, gold, "--json").out)
    assert by_file == {name: by_model[name] for name in by_file}
    assert set(by_model) - set(by_file) == {"n_not_found", "seconds", "sentences_per_second"}
    assert "sentences/s" not in firth("grammar", "evaluate", file, gold).out
    say(parsed)
    assert json.loads(firth("grammar", "evaluate", "-", gold, "--json").out) == by_file
    say(GOLD)
    assert json.loads(firth("grammar", "evaluate", file, "-", "--json").out) == by_file
    few = ("evaluate", file, gold, "--longest", 6, "--json")
    assert json.loads(firth("grammar", *few).out)["overall"]["n_sentences"] < 20
    assert (
        "--tagged does not apply to parsed trees."
        in fails("grammar", "evaluate", file, gold, "--tagged", status=2).err
    )
    assert "only once" in fails("grammar", "evaluate", "-", "-", status=2).err
    less = text_file("".join(parsed.splitlines(keepends=True)[:-1]), "less.mrg")
    wrong = fails("grammar", "evaluate", less, gold)
    assert "There are 20 gold trees and 19 parses" in wrong.err
    other = text_file(parsed.replace("(N cat)", "(N cow)"), "other.mrg")
    assert "have different words" in fails("grammar", "evaluate", other, gold).err


def test_evaluate_says_what_it_cannot_do(
    fails: Run, model: Path, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    assert "is a folder." in fails("grammar", "evaluate", model, tmp_path).err
    assert "There is no file" in fails("grammar", "evaluate", model, tmp_path / "none").err
    for text, said in (
        ("", "has no trees."), ("just text\n", "line 1, column 1: 'just' is outside of any tree."),
        ("(S (N a)\n(V b", "line 1, column 1: the tree that begins here is not closed."),
    ):  # fmt: skip
        assert said in fails("grammar", "evaluate", model, text_file(text, "bad.mrg")).err


# score and sample --------------------------------------------------------------------------------


def test_probabilities(firth: Run, model: Path, grammar: Grammar, say: Say) -> None:
    tree = "(S (NP (D the) (N cat))\n   (VP (V sees) (NP (D the) (N dog)))\n (. .)) (Q (N x))"
    say(f"{SENTENCE}\n\n{tree}\nof of of\n")
    result = firth("grammar", "score", model)
    lines = [line.split("\t") for line in result.out.splitlines()]
    first, other = parse_trees(tree)
    logs = [
        grammar.sentence_log_prob(SENTENCE.split()),
        grammar.log_prob(first),
        -math.inf,
        -math.inf,
    ]
    assert [float(line[0]) for line in lines] == pytest.approx(logs, abs=1e-4)
    assert [line[1] for line in lines] == [SENTENCE, repr(first), repr(other), "of of of"]
    assert lines[-1][0] == "-inf"
    assert result.err.splitlines() == [
        f"note: 1 tree, 6 words: {-logs[1] / 6 / math.log(2):.3f} bits per word.",
        "note: Probability 0: 1 tree.",
        f"note: 1 sentence, 6 words: {-logs[0] / 6 / math.log(2):.3f} bits per word.",
        "note: Probability 0: 1 sentence.",
    ]
    say(f"{SENTENCE}\n\n{tree}\nof of of\n")
    data = rows(firth("grammar", "score", model, "--json").out)
    assert [row["log_prob"] for row in data] == [*map(pytest.approx, logs[:2]), None, None]
    assert [row["tree"] for row in data] == [None, repr(first), repr(other), None]
    assert data[0]["words"] == data[1]["words"] == SENTENCE.split()


def test_probabilities_of_beginnings(firth: Run, model: Path, grammar: Grammar, say: Say) -> None:
    expected = grammar.prefix_log_probs(SENTENCE.split())
    say(f"{SENTENCE}\n(N cat)\nthe the\n")
    whole, tree, lost = firth("grammar", "score", model, "--prefixes").out.splitlines()
    assert [float(x) for x in whole.split("\t")[2].split()] == pytest.approx(expected, abs=1e-4)
    assert tree.count("\t") == 1
    assert lost.split("\t")[2].split()[1] == "-inf"
    say(f"{SENTENCE}\n(N cat)\nthe the\n")
    one, two, three = rows(firth("grammar", "score", model, "--prefixes", "--json").out)
    assert one["prefixes"] == pytest.approx(expected)
    assert two["prefixes"] is None
    assert three["prefixes"][1] is None


def test_score_says_what_it_cannot_do(
    fails: Run, model: Path, text_file: Callable[..., Path], gold: Path
) -> None:
    bad = text_file(f"{SENTENCE[:0]}\n(S (N a)\n (V b c))\n", "bad.mrg")
    assert (
        f"{bad}, line 3, column 7: 'c' is a second word"
        in fails("grammar", "score", model, bad).err
    )
    endless = text_file("\n(S (N a)\nthe cat\n", "endless.mrg")
    assert "line 3, column 1" in fails("grammar", "score", model, endless).err
    assert (
        "--tokens must be one of"
        in fails("grammar", "score", model, gold, "--tokens", "x", status=2).err
    )


def test_sentences_are_drawn(firth: Run, fails: Run, model: Path, grammar: Grammar) -> None:
    drawn = grammar.sample(10)
    assert firth("grammar", "sample", model).out == "".join(f"{' '.join(t.words)}\n" for t in drawn)
    trees_ = firth("grammar", "sample", model, "-n", 3, "--seed", 7, "--trees").out
    assert list(parse_trees(trees_)) == grammar.sample(3, 7)
    short = firth("grammar", "sample", model, "-n", 5, "--longest", 6).out.splitlines()
    assert max(len(line.split()) for line in short) <= 6
    assert "No sentence of up to 2 words" in fails("grammar", "sample", model, "--longest", 2).err
    assert "--seed must be" in fails("grammar", "sample", model, "--seed", -1, status=2).err
    assert firth("grammar", "sample", model, "-n", 0).status == 2


# apply: phrases and their probabilities, other decoders ---------------------------------------------


def test_marginals(firth: Run, model: Path, grammar: Grammar, say: Say) -> None:
    words = SENTENCE.split()
    expected = grammar.marginals(words)
    say(f"{SENTENCE}\n\n")
    lines = firth("grammar", "apply", model, "--marginals").out.split("\n")
    assert lines[-3:] == [
        "",
        "",
        "",
    ]  # the end of the sentence, the empty line, the last line break
    assert [line.split("\t") for line in lines[:-3]] == [
        [f"{p.p:.4f}", p.label, str(p.start), str(p.end), " ".join(words[p.start : p.end])] for p in expected
    ]  # fmt: skip
    say(f"{SENTENCE}\n\n")
    found, empty = rows(firth("grammar", "apply", model, "--marginals", "--format", "json").out)
    assert found["words"] == words
    assert [tuple(phrase.values()) for phrase in found["phrases"]] == [
        (p.label, p.start, p.end, pytest.approx(p.p)) for p in expected
    ]
    assert empty == {"words": [], "phrases": []}
    words = "the cat sees the dog with a hat .".split()
    say(" ".join(words))
    few = firth("grammar", "apply", model, "--marginals", "--cut", "0.99", "--format", "json").out
    kept = grammar.marginals(words, least=0.99)
    assert len(rows(few)[0]["phrases"]) == len(kept) < len(grammar.marginals(words, least=0.0))
    say("the/D cat/N sees/V the/D dog/N ./.")
    assert firth("grammar", "apply", model, "--marginals", "--tagged").out.startswith("1.0")


def test_other_decoders(firth: Run, model: Path, grammar: Grammar, say: Say) -> None:
    sentences = [" ".join(tree.words) for tree in parse_trees(trees(12, seed=8))]
    for decode in ("phrases", "rules"):
        say("\n".join(sentences))
        out = firth("grammar", "apply", model, "--decode", decode).out
        expected = [
            grammar.n_best(s.split(), 1, decode=decode)[0].tree.brackets() for s in sentences
        ]
        assert out.splitlines() == expected
    parser = LPCFG(n_states=4, decode="rules").fit(parse_trees(trees(200)))
    for sentence in sentences:
        assert (
            parser.parse(sentence.split())
            == grammar.n_best(sentence.split(), 1, decode="rules")[0].tree
        )


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("--marginals --format svg", "--marginals does not apply to --format svg."),
        ("--marginals --n-best 2", "--n-best does not apply to --marginals."),
        ("--marginals --decode rules", "--decode does not apply to --marginals."),
        ("--cut 0.5", "--cut does not apply to trees.\nhint: Add --marginals."),
        ("--marginals --cut 2", "--cut must be a number from 0 to 1. Got 2.0."),
        ("--marginals --cut nan", "--cut must be a number from 0 to 1."),
        ("--decode best", "Invalid value for '--decode'"),
    ],
)
def test_wrong_options_of_apply(fails: Run, model: Path, say: Say, how: str, said: str) -> None:
    say(SENTENCE)
    assert said in fails("grammar", "apply", model, *how.split(), status=2).err
