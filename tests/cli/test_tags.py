"""The commands around parts of speech, as a person would use them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firth.model import load
from firth.tags import Tagger
from tests.tags.samples import mixed_text, tagged_text

Run = Callable[..., Any]
Say = Callable[[str], None]
SENTENCES = mixed_text(80)
TEXT = "".join(" ".join(sentence) + "\n" for sentence in SENTENCES)
GOLD = "".join(
    "".join(f"{word}\t{tag}\n" for word, tag in sentence) + "\n"
    for sentence in tagged_text(mixed_text(30, seed=9))
)
CONLLU = """# text = the cats
1\tthe\t_\tDET\tDT\t_\t_\t_\t_\tSpaceAfter=No
2-3\tcatdog\t_\t_\t_\t_\t_\t_\t_\t_
2\tcat\t_\tNOUN\tNN\t_\t_\t_\t_\t_
3\tdog\t_\tNOUN\tNN\t_\t_\t_\t_\t_
3.1\tsees\t_\tVERB\t_\t_\t_\t_\t_\t_
"""


ANCHORS = "--method", "anchors"


@pytest.fixture
def model(firth: Run, text_file: Callable[..., Path], tmp_path: Path) -> Path:
    path = tmp_path / "m"
    result = firth("tags", "learn", text_file(TEXT), "-o", path, *ANCHORS, "--tags", 3, "-q")
    assert (result.status, result.out, result.err) == (0, "", "")
    return path


@pytest.fixture
def tagged(firth: Run, text_file: Callable[..., Path], tmp_path: Path) -> Path:
    path = tmp_path / "tagged"
    result = firth("tags", "learn", text_file(GOLD, "gold.txt"), "-o", path, "--tagged", "-q")
    assert (result.status, result.out, result.err) == (0, "", "")
    return path


def tag_of(model: Path, word: str) -> str:
    return str(load(model).tags.tag([[word]])[0][0])


# learn -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [(), ANCHORS])
def test_learn_says_what_it_learned(
    firth: Run, text_file: Callable[..., Path], tmp_path: Path, how: tuple[str, ...]
) -> None:
    path = tmp_path / "a model"
    result = firth("tags", "learn", text_file(TEXT), "-o", path, "--tags", 3, *how)
    assert result.status == 0, result
    lines = result.out.splitlines()
    assert lines[0] == "3 tags, 20 words"
    assert len(lines) == 1 + 2 * 3 + 1
    assert any("the  a" in line or "a  the" in line for line in lines)
    assert all("then " in line and ("anchor " in line) == bool(how) for line in lines[2:7:2])
    method = how[1] if how else "mutual-information"
    assert lines[-1] == f"try      firth tags apply '{path}' TEXT"
    assert sorted(load(path).parts) == ["corpus", "tags"]
    assert f"  tags     3 tags, 20 words  {method}\n" in firth("show", path).out
    assert json.loads(firth("show", path, "--json").out)["parts"]["tags"]["n_tags"] == 3


@pytest.mark.parametrize(
    "how",
    [
        ["--tags", 4], ["--tags", 3, "--reserve", "--steps", 5, "--dim", 4, "--clusters", 9, "--cluster-rounds", 2],
        [*ANCHORS, "--tags", 3, "--contexts", "LR2", "--spelling", 0.1, "--sharing", 2],
        [*ANCHORS, "--tags", 3, "--no-refine", "--candidates", 15, "--seed", 2], ["--tags", 3, "--decode", "viterbi"],
        ["--method", "baum-welch", "--tags", 3, "--rounds", 3, "--restarts", 2],
        ["--method", "anchors", "--preset", "paper", "--tags", 3, "--spelling", 0.1],
        [*ANCHORS, "--tags", 3, "--spelling", 0.1, "--spelling-in", "counts", "--no-exchange", "--pseudocount", 1],
        [*ANCHORS, "--tags", 3, "--representation", "cca", "--transition-rounds", 2],
        ["--method", "features", "--tags", 3, "--rounds", 3, "--penalty", 0.5],
        ["--method", "classes", "--tags", 3], ["--method", "classes"],
    ],
)  # fmt: skip
@pytest.mark.slow
def test_what_was_learned_is_not_learned_again(firth: Run, model: Path, how: list[Any]) -> None:
    assert firth("classes", "learn", model, "--classes", 5, "--min-count", 1, "-q").status == 0
    args = ("tags", "learn", model, *how)
    first = firth(*args, "--json", "-q")
    assert (first.status, first.err) == (0, ""), first
    assert json.loads(first.out)["changed"] == ["tags"]
    assert json.loads(firth(*args, "--json", "-q").out)["changed"] == []
    assert json.loads(firth(*args, "--json", "-q", "--threads", 1).out)["changed"] == []
    again = firth(*args)
    assert again.out.startswith("Nothing to do: the model is up to date.\n")
    assert again.err == ""
    other = json.loads(firth("tags", "learn", model, "--tags", 2, "--json", "-q").out)
    assert (other["changed"], other["n_tags"]) == (["tags"], 2)


@pytest.mark.slow
def test_settings_are_chosen(firth: Run, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firth.tags._choosing.CANDIDATES", (10, 20))
    monkeypatch.setattr("firth.tags._choosing.SHARING", (1.0,))
    result = firth("tags", "learn", model, *ANCHORS, "--tags", 3, "--choose")
    assert result.status == 0, result
    assert "\nchosen   candidates " in result.out
    assert result.err.count("done in") <= 3
    args = "tags", "learn", model, *ANCHORS, "--tags", 3, "--choose", "--json"
    again = json.loads(firth(*args).out)
    assert again["changed"] == []
    assert set(again["chosen"]) == {"candidates", "sharing", "spelling", "spelling_in"}


@pytest.mark.slow
def test_the_preset_and_single_settings(firth: Run, model: Path) -> None:
    def learned(*options: Any) -> dict[str, Any]:
        args = ("tags", "learn", model, "--method", "anchors", "--tags", 3, *options)
        assert firth(*args, "-q").status == 0
        return dict(load(model).parts["tags"].parameters)

    paper = learned("--preset", "paper")
    assert (paper["decode"], paper["refine"], paper["exchange"]) == ("posterior", False, False)
    assert (paper["sharing"], paper["spelling"], paper["transition_rounds"]) == (0, 0, 1)
    mine = learned("--preset", "paper", "--decode", "viterbi", "--spelling", 0.3)
    assert mine == {**paper, "decode": "viterbi", "spelling": 0.3}, "what is typed goes first"
    assert learned("--preset", "default") == learned()


def test_anchors_from_a_file(
    firth: Run, fails: Run, model: Path, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    file = text_file("dog\n\nthe\nhears\n", "anchors.txt")
    args = ("tags", "learn", model, *ANCHORS, "--tags", 3, "--json", "-q")
    found = json.loads(firth(*args, "--anchors", file).out)
    assert (sorted(found["anchors"]), found["changed"]) == (["dog", "hears", "the"], ["tags"])
    assert json.loads(firth(*args, "--anchors", file).out)["changed"] == []
    text_file("dog\nthe\nfears\n", "anchors.txt")
    assert json.loads(firth(*args, "--anchors", file).out)["changed"] == ["tags"], "the words count"
    before = load(model).parts
    text_file("dog\nthe\nelk\n", "anchors.txt")
    wrong = fails(*args, "--anchors", file)
    assert f"error: The anchor 'elk' (line 3 of {file}) is not in the text" in wrong.err
    assert "hint: Write anchors as they are in the text" in wrong.err
    text_file("dog\nthe\n", "anchors.txt")
    new = (
        "tags",
        "learn",
        text_file(TEXT),
        "-o",
        tmp_path / "new",
        *ANCHORS,
        "--tags",
        3,
        "--anchors",
    )
    wrong = fails(*new, file)
    assert f"error: 3 tags need as many anchors, but {file} has 2 words." in wrong.err
    assert "hint: Give 3 words, or ask for 2 tags." in wrong.err
    assert "There is no file" in fails(*new, tmp_path / "none.txt").err
    assert not (tmp_path / "new").exists(), "said before anything is read"
    assert load(model).parts == before


def test_another_model_tells_more(
    firth: Run, fails: Run, model: Path, tagged: Path, text_file: Callable[..., Path], tmp_path: Path
) -> None:  # fmt: skip
    few = text_file("the cat sees a dog\na dog hears the cat\n" * 2, "few.txt")
    args = ("tags", "learn", few, "-o", tmp_path / "few", "--tags", 3, "--json", "-q")
    assert json.loads(firth(*args, "--using", model).out)["changed"] == ["corpus", "tags"]
    assert json.loads(firth(*args, "--using", model).out)["changed"] == []
    assert json.loads(firth(*args).out)["changed"] == ["tags"]
    wrong = fails(*args, "--using", tagged)
    assert f"The model {tagged} has no corpus." in wrong.err
    assert "There is no model folder" in fails(*args, "--using", tmp_path / "none").err


def test_tags_with_everything_else(
    firth: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    path = tmp_path / "all"
    args = ("learn", text_file(TEXT), "-o", path, "--dim", 2, "--classes", 3, "--tags", 3)
    assert json.loads(firth(*args, "--json", "-q").out)["changed"][-1] == "tags"
    assert "Nothing to do" in firth(*args).out
    assert load(path).tags.n_tags == 3


def test_learn_from_tagged_text(
    firth: Run, tagged: Path, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    args = ("tags", "learn", tmp_path / "gold.txt", "-o", tagged, "--tagged")
    assert firth(*args).out.startswith("Nothing to do")
    lines = firth(*args).out.splitlines()
    assert [line.split()[:2] for line in lines[2:8:2]] == [["0", "D"], ["1", "N"], ["2", "V"]]
    assert "  tags     3 tags, 20 words  tagged" in firth("show", tagged).out
    conllu = text_file(CONLLU, "a.conllu")
    for column, tags in (("upos", ["DET", "NOUN"]), ("xpos", ["DT", "NN"]), ("5", ["DT", "NN"])):
        path = tmp_path / column
        assert (
            firth("tags", "learn", conllu, "-o", path, "--tagged", "--tag-column", column).status
            == 0
        )
        assert load(path).tags.tags_ == tags
    former = firth("tags", "learn", conllu, "-o", path, "--tagged", "--column", "xpos")
    assert "--column is now called --tag-column for tagged text." in former.err
    assert (
        "Nothing to do"
        in firth("tags", "learn", conllu, "-o", path, "--tagged", "--tag-column", "xpos").out
    )


def test_hidden_states_from_tagged_text(
    firth: Run, fails: Run, text_file: Callable[..., Path], tmp_path: Path, say: Say
) -> None:
    gold, path = text_file(GOLD, "gold.txt"), tmp_path / "m"
    args = ("tags", "learn", gold, "-o", path, "--tagged", "--method", "latent", "--states", 3)
    assert firth(*args, "-q").status == 0
    assert "Nothing to do" in firth(*args).out
    assert "  tags     3 tags, 20 words  latent, up to 3 states" in firth("show", path).out
    say("the cat sees a dog")
    assert firth("tags", "apply", path).out == "the/D cat/N sees/V a/D dog/N\n"
    assert "accuracy     100.0" in firth("tags", "evaluate", path, gold).out
    assert "cat" in firth("tags", "show", path, "N").out
    wrong = fails("tags", "learn", gold, "-o", tmp_path / "n", "--method", "latent")
    assert "(--method latent) are learned from tagged text." in wrong.err
    assert "Give tagged text and add --tagged." in wrong.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            "--method x",
            "Invalid value for '--method': 'x' is not one of 'mutual-information', 'anchors'",
        ),
        ("--method tagged", "Invalid value for '--method': 'tagged' is not one of"),
        (
            "--rounds 3",
            "--rounds does not apply to --method mutual-information: it is for baum-welch or features.",
        ),
        ("--method features --preset paper", "--preset does not apply to --method features"),
        ("--method features --using x", "--using does not apply to --method features"),
        ("--method features --penalty -1", "--penalty must be a number from 0 to"),
        ("--tagged --preset paper -o x", "--preset does not apply to tagged text"),
        ("--preset paper", "--preset does not apply to --method mutual-information"),
        ("--preset x", "Invalid value for '--preset': 'x' is not one of 'default', 'paper'"),
        (
            "--method anchors --choose --spelling-in counts",
            "--spelling-in does not apply to --choose",
        ),
        (
            "--method anchors --anchors x --candidates 9",
            "--candidates does not apply to --anchors",
        ),
        ("--method anchors --anchors x --no-exchange", "--exchange does not apply to --anchors"),
        ("--representation x", "Invalid value for '--representation': 'x' is not one of"),
        (
            "--method anchors --representation conditional",
            "Anchors cannot be refined where words are their",
        ),
        ("--method anchors --pseudocount -1", "--pseudocount must be a number from 0 to"),
        (
            "--method anchors --transition-rounds 0",
            "--transition-rounds must be an int of at least 1",
        ),
        ("--method baum-welch --contexts LR1", "--contexts does not apply to --method baum-welch"),
        ("--method classes --seed 1", "--seed does not apply to --method classes"),
        ("--method baum-welch --using x", "--using does not apply to --method baum-welch"),
        ("--choose --sharing 1", "--sharing does not apply to --choose"),
        ("--tag-column upos", "--tag-column does not apply to raw text"),
        ("--lowercase", "--lowercase does not apply to a model, which has a corpus already"),
        ("--tagged --tags 3 -o x", "--tags does not apply to --method tagged"),
        ("--tagged --method anchors -o x", "--method does not apply to tagged text"),
        (
            "--tagged --states 2 -o x",
            "--states does not apply to --method tagged: it is for latent.",
        ),
        (
            "--tagged --method latent --states 0 -o x",
            "--states must be an int from 1 to 64. Got 0.",
        ),
        ("--tagged --method latent --tags 3 -o x", "--tags does not apply to --method latent"),
        ("--tagged --using x -o x", "--using does not apply to tagged text"),
        ("--tagged --refine -o x", "--refine does not apply to --method tagged"),
        ("--method anchors --contexts LRX", "--contexts must be like R1"),
        ("--method anchors --spelling nan", "--spelling must be a number from 0 to"),
        ("--sharing -1", "--sharing must be a number from 0 to"),
        ("--method anchors --candidates 0", "--candidates must be an int of at least 1"),
        ("--cluster-rounds 0", "--cluster-rounds must be an int of at least 1"),
        ("--vocabulary -1", "--vocabulary must be an int of at least 1"),
        ("--decode x", "Invalid value for '--decode': 'x' is not one of 'type', 'posterior'"),
        ("--seed -1", "--seed must be an int of at least 0"),
        ("--memory x", "--memory must be a size"),
        ("--threads 0", "--threads must be an int of at least 1"),
        ("--method baum-welch --restarts 0", "--restarts must be an int of at least 1"),
    ],
)
@pytest.mark.slow
def test_options_that_are_wrong_or_do_not_go_together(
    fails: Run, model: Path, options: str, said: str
) -> None:
    before = load(model).parts
    source = model.parent / "text.txt" if "--tagged" in options else model
    assert f"error: {said}" in fails("tags", "learn", source, *options.split(), status=2).err
    assert load(model).parts == before


def test_what_cannot_be_learned(
    firth: Run, fails: Run, model: Path, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    new = tmp_path / "new"
    wrong = fails("tags", "learn", model, "--tags", 30, "-q")
    assert "30 tags need 30 words, but there are only 20." in wrong.err
    wrong = fails("tags", "learn", model, *ANCHORS, "--tags", 5, "--candidates", 4, "-q")
    assert "there are only 4 candidates." in wrong.err
    wrong = fails("tags", "learn", model, "--method", "classes")
    assert f"hint: Learn them: firth classes learn {model}" in wrong.err
    wrong = fails("tags", "learn", text_file(TEXT), "-o", new, "--method", "classes")
    assert "Learn them first: firth learn TEXT -o MODEL" in wrong.err
    assert not new.exists(), "said before anything is read"
    wrong = fails("tags", "learn", text_file(TEXT), status=2)
    assert "is not a model: give --output" in wrong.err
    assert (
        "The tags are written to the model"
        in fails("tags", "learn", model, "-o", new, status=2).err
    )
    other = "".join(f"a{k} b{k}\n" for k in range(300))
    for text, said in (
        ("", "has no words in it"), (bytes(range(256)), "binary"), (b"\xff N\n", "UTF-8"),
        ("a\nb\n", "only one column"), (other, "these are probably not tags"),
    ):  # fmt: skip
        file = text_file(text, "tagged.txt")
        assert said in fails("tags", "learn", file, "-o", new, "--tagged", "-q").err
    gold = text_file(GOLD, "gold.txt")
    assert "Give --output (-o)" in fails("tags", "learn", gold, "--tagged", status=2).err
    assert "one file" in fails("tags", "learn", gold, gold, "-o", new, "--tagged").err
    assert "is a folder." in fails("tags", "learn", tmp_path, "-o", new, "--tagged").err
    assert "There is no file none." in fails("tags", "learn", "none", "-o", new, "--tagged").err
    assert "Standard input" in fails("tags", "learn", "-", "-o", new, "--tagged").err
    wrong = fails("tags", "learn", gold, "-o", new, "--tagged", "--tag-column", "x", status=2)
    assert "--tag-column must be" in wrong.err


def test_sentences_of_one_word(fails: Run, text_file: Callable[..., Path], tmp_path: Path) -> None:
    file = text_file("yes\nno\nyes\nmaybe\n")
    wrong = fails("tags", "learn", file, "-o", tmp_path / "m", "--tags", 1, "-q")
    assert "no word occurs in the context of another" in wrong.err


# show and name -----------------------------------------------------------------------------------


def test_show(firth: Run, fails: Run, model: Path) -> None:
    every = json.loads(firth("tags", "show", model, "--json", "-n", 2).out)
    assert [row["tag"] for row in every] == [0, 1, 2]
    assert sum(row["share"] for row in every) == pytest.approx(1)
    assert sum(row["first"] for row in every) == pytest.approx(1)
    for row in every:
        assert sum(row["followed_by"].values()) == pytest.approx(1)
        assert len(row["words"]) == 2
    out = firth("tags", "show", model).out
    assert out.endswith(f"name them firth tags name {model} 0=NOUN 1=...\n")
    the = tag_of(model, "the")
    one = firth("tags", "show", model, the).out
    assert one.splitlines()[0].startswith(f" {the}")
    assert "of the text  anchor " in one
    assert f"  the  {TEXT.split().count('the')}, 100%" in one
    assert json.loads(firth("tags", "show", model, the, "--json").out)["tag"] == int(the)
    assert f"List them: firth tags show {model}" in fails("tags", "show", model, "9").err


def test_names_are_kept_and_used(firth: Run, model: Path, say: Say) -> None:
    the, cat = tag_of(model, "the"), tag_of(model, "cat")
    result = firth("tags", "name", model, f"{the}=DET", f"{cat}=名詞")
    assert result.out == f"{the}  DET\n{cat}  名詞\n"
    say("the cat\n")
    assert firth("tags", "apply", model).out == "the/DET cat/名詞\n"
    assert "anchors, 2 named" in firth("show", model).out
    lines = firth("tags", "show", model).out.splitlines()[1::2]
    from rich.cells import cell_len

    assert len({cell_len(line.partition("%")[0]) for line in lines}) == 1, "wide letters or not"
    assert json.loads(firth("tags", "show", model, "名詞", "--json").out)["tag"] == int(cat)
    identity = load(model).parts["tag_names"].identity
    assert firth("tags", "name", model, f"{the}=DET", "-q").out == ""
    assert load(model).parts["tag_names"].identity == identity
    assert firth("tags", "name", model, f"{the}=").out == f"{the}  {the}\n"
    assert firth("tags", "learn", model, *ANCHORS, "--tags", 3, "-q").status == 0
    assert load(model).tags.tags_[int(cat)] == "名詞", "nothing was to do"
    assert firth("tags", "learn", model, "--tags", 2, "-q").status == 0
    names = load(model).tag_names
    assert sorted([*names.values(), *(one.name for one in names.left)]) == ["名詞"], "kept"


def test_names_that_cannot_be(fails: Run, model: Path, tagged: Path, tmp_path: Path) -> None:
    for given, said in (
        ("0=a b", "without blanks"), ("0=\x1b[31m", "without blanks"), ("0=1", "called '1'"), ("0=77", "A number"),
        ("9=x", "numbered from 0 to 2"), ("x=y", "numbered from 0 to 2"),
    ):  # fmt: skip
        assert said in fails("tags", "name", model, given).err, given
    assert "called 'A'" in fails("tags", "name", model, "0=A", "1=A").err
    assert "called 'N'" in fails("tags", "name", tagged, "0=N").err
    assert "Expected NUMBER=NAME. Got 'x'" in fails("tags", "name", model, "x", status=2).err
    assert "tag_names" not in load(model).parts
    assert "There is no model folder" in fails("tags", "name", tmp_path / "none", "0=x").err


def test_old_tags_are_not_used(
    firth: Run, fails: Run, model: Path, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    firth("tags", "name", model, "0=A", "-q")
    assert firth("corpus", "learn", text_file(TEXT * 2), "-o", model, "-q").status == 0
    gold = text_file(GOLD, "gold.txt")
    for args in (("tags", "show", model), ("tags", "apply", model, gold), ("tags", "evaluate", model, gold),
                 ("tags", "name", model, "0=B"), ("plot", "tags", model, "-o", tmp_path / "t.html")):  # fmt: skip
        wrong = fails(*args)
        assert "are out of date: the corpus has changed." in wrong.err
        assert f"hint: Retrain: firth tags learn {model}" in wrong.err
    assert "tags     out of date" in firth("show", model).out
    assert firth("tags", "learn", model, "--tags", 3, "-q").status == 0
    assert sorted(
        [*load(model).tag_names.values(), *(one.name for one in load(model).tag_names.left)]
    ) == ["A"]


def test_models_without_tags(
    firth: Run, fails: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    path, gold = tmp_path / "c", text_file(GOLD, "gold.txt")
    firth("corpus", "learn", text_file(TEXT), "-o", path, "-q")
    for args in (
        ("show", path),
        ("apply", path, gold),
        ("evaluate", path, gold),
        ("name", path, "0=x"),
    ):
        wrong = fails("tags", *args)
        assert f"The model {path} has no tags." in wrong.err
        assert f"hint: Learn them: firth tags learn {path}" in wrong.err
    assert "has no tags" in fails("plot", "tags", path).err


# apply -------------------------------------------------------------------------------------------


def test_text_is_tagged(firth: Run, tagged: Path, text_file: Callable[..., Path], say: Say) -> None:
    file = text_file("the cat sees a dog\n\nthe fox hears\n")
    args = ("tags", "apply", tagged)
    assert firth(*args, file).out == "the/D cat/N sees/V a/D dog/N\nthe/D fox/N hears/V\n"
    lines = firth(*args, file, "--format", "json").out.splitlines()
    assert json.loads(lines[1]) == {"words": ["the", "fox", "hears"], "tags": ["D", "N", "V"]}
    out = firth(*args, file, "--format", "conllu").out
    assert out.startswith("1\tthe\t_\t_\tD\t_\t_\t_\t_\t_\n")
    assert out.count("\n\n") == 2
    for decode in ("type", "posterior", "viterbi"):
        assert firth(*args, file, "--decode", decode).out.count("/N") == 3
    for more in ([], ["-"]):
        say("the cat\n")
        assert firth(*args, *more).out == "the/D cat/N\n"
    say("")
    result = firth(*args)
    assert (result.status, result.out, result.err) == (0, "", "")


@pytest.mark.parametrize("change", ["", "crlf", "end"])
def test_conllu_goes_in_and_comes_out(
    firth: Run, tagged: Path, text_file: Callable[..., Path], change: str
) -> None:
    text = CONLLU.replace("\n", "\r\n") if change == "crlf" else CONLLU
    file = text_file(text.rstrip("\n") if change == "end" else text, "a.conllu")
    args = ("tags", "apply", tagged, file)
    expected = CONLLU.replace("DT", "D").replace("NN", "N") + "\n"
    assert firth(*args, "--format", "conllu", "--decode", "type").out == expected
    firth("tags", "name", tagged, "0=DET", "1=PROPN", "2=VERB", "-q")
    named = CONLLU.replace("NOUN", "PROPN")
    by_word = (*args, "--decode", "type")
    assert firth(*by_word, "--format", "conllu").out == named + "\n", "now in UPOS"
    assert firth(*by_word).out == "the/DET cat/PROPN dog/PROPN\n"


def test_conllu_by_another_name_is_noticed(
    firth: Run, tagged: Path, text_file: Callable[..., Path], say: Say
) -> None:
    result = firth("tags", "apply", tagged, text_file(CONLLU, "a.txt"))
    assert result.err.startswith("note: ")
    assert "a.txt looks like CoNLL-U, but is read as plain text.\nhint: " in result.err
    say(CONLLU)
    assert "Standard input looks like CoNLL-U" in firth("tags", "apply", tagged).err
    for text in (TEXT, "1 _\n", "# x\n", ""):
        assert firth("tags", "apply", tagged, text_file(text, "b.txt")).err == ""


def test_long_text_is_tagged_in_pieces(
    firth: Run, tagged: Path, text_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from firth.corpus import stream_sentences
    from firth.tags import _conllu

    whole = firth("tags", "apply", tagged, text_file(TEXT)).out
    sizes = []
    tag = Tagger.tag

    def watched(self: Tagger, sentences: Any, decode: str | None = None) -> Any:
        sizes.append(len(sentences))
        return tag(self, sentences, decode)

    monkeypatch.setattr(Tagger, "tag", watched)
    monkeypatch.setattr(
        "firth.corpus.stream_sentences",
        lambda sources, reading, **how: stream_sentences(sources, reading, 50, **how),
    )
    assert firth("tags", "apply", tagged, text_file(TEXT)).out == whole
    assert len(whole.splitlines()) == sum(sizes) == 80
    assert max(sizes) < 20
    monkeypatch.setattr(_conllu, "_SENTENCES_AT_ONCE", 2)
    conllu = text_file(f"{CONLLU}\n" * 5, "a.conllu")
    assert firth("tags", "apply", tagged, conllu, "--format", "conllu").out.count("\n\n") == 5


def test_words_cannot_disturb_a_terminal(firth: Run, tagged: Path, say: Say) -> None:
    hostile = "\x1b[31mred \u202etac [bold] <b> " + "x" * 10_000
    args = ("tags", "apply", tagged, "--tokens", "whitespace")
    say(hostile)
    out = firth(*args).out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert out.startswith("\\x1b[31mred/")
    say(hostile)
    lines = firth(*args, "--format", "json").out
    assert lines.isascii()
    assert json.loads(lines)["words"] == hostile.split()


def test_apply_says_what_it_cannot_do(
    fails: Run, tagged: Path, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    file = text_file(TEXT)
    for options, said in (("--format xml", "Invalid value for '--format': 'xml' is not one of"),
                          ("--decode x", "'--decode': 'x' is not one of"), ("--tokens x", "--tokens must be one of"),
                          ("--split x", "'--split': 'x'"), ("--errors x", "'--errors': 'x'")):  # fmt: skip
        assert said in fails("tags", "apply", tagged, file, *options.split(), status=2).err
    assert "There is no file" in fails("tags", "apply", tagged, tmp_path / "none").err
    assert "binary" in fails("tags", "apply", tagged, text_file(bytes(range(256)), "b.txt")).err
    bad = text_file("1\tthe\n", "bad.conllu")
    for form in ("conllu", "slash"):
        assert "line 1" in fails("tags", "apply", tagged, bad, "--format", form).err
    bad.write_bytes(b"1\t\xff" + b"\t_" * 8)
    assert "UTF-8" in fails("tags", "apply", tagged, bad, "--format", "conllu").err


# evaluate and plot -------------------------------------------------------------------------------


def test_tags_are_measured(firth: Run, model: Path, text_file: Callable[..., Path]) -> None:
    gold = text_file(GOLD, "gold.txt")
    facts = json.loads(firth("tags", "evaluate", model, gold, "--json").out)
    assert facts["many_to_one"] == facts["one_to_one"] == pytest.approx(1)
    assert facts["v_measure"] == pytest.approx(1)
    assert facts["accuracy"] is None
    assert facts["n_outside"] == 0
    assert facts["labels"] == ["D", "N", "V"]
    assert sum(map(sum, facts["confusion"])) == facts["n_tokens"] == len(GOLD.split()) // 2
    out = firth("tags", "evaluate", model, gold).out
    assert out.startswith("many-to-one  100.0\none-to-one   100.0\nV-measure    100.0\n")
    assert "3 labels, 3 tags" in out
    assert " N 100%\n" in out
    names = [
        f"{tag_of(model, word)}={tag}" for word, tag in (("a", "D"), ("cat", "N"), ("sees", "V"))
    ]
    firth("tags", "name", model, *names, "-q")
    assert firth("tags", "evaluate", model, gold).out.startswith("accuracy     100.0\n")


def test_twelve_tags(firth: Run, text_file: Callable[..., Path], tmp_path: Path) -> None:
    text = "Anna PROPN\nhas AUX\nseen VERB\nsnow NOUN\nand CCONJ\nice NOUN\n. PUNCT\n\n"
    gold, path = text_file(text * 5, "gold.txt"), tmp_path / "m"
    assert firth("tags", "learn", gold, "-o", path, "--tagged", "-q").status == 0
    facts = json.loads(firth("tags", "evaluate", path, gold, "--twelve", "--json").out)
    assert facts["labels"] == [".", "CONJ", "NOUN", "VERB"]
    assert facts["accuracy"] == 1, "the names of tags are turned too"
    assert facts["n_found"] == 6


def test_evaluate_says_what_it_cannot_do(
    fails: Run, model: Path, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    gold = text_file(GOLD, "gold.txt")
    assert "Standard input" in fails("tags", "evaluate", model, "-").err
    assert "is a folder." in fails("tags", "evaluate", model, tmp_path).err
    wrong = fails("tags", "evaluate", model, tmp_path / "none")
    assert "There is no file" in wrong.err
    assert "a word and a tag on each line" in wrong.err
    assert "has no words" in fails("tags", "evaluate", model, text_file("", "empty.txt")).err
    wrong = fails("tags", "evaluate", model, gold, "--tag-column", "x", status=2)
    assert "--tag-column must be" in wrong.err
    wrong = fails("tags", "evaluate", model, gold, "--decode", "x", status=2)
    assert "Invalid value for '--decode'" in wrong.err


def test_plot(firth: Run, fails: Run, model: Path, tmp_path: Path) -> None:
    page = tmp_path / "tags.html"
    assert firth("plot", "tags", model, "-o", page).out == f"drawn: {page}\n"
    assert "next tag" in page.read_text(encoding="utf-8")
    assert "Use a name that ends with" in fails("plot", "tags", model, "-o", "tags.doc").err


@pytest.mark.parametrize("command", ["learn", "apply", "show", "name", "evaluate"])
def test_help(firth: Run, command: str) -> None:
    result = firth("tags", command, "--help")
    assert result.status == 0
    assert "Example:" in result.out
