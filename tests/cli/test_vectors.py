"""The commands around word vectors, as a person would use them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firth.formats import read_vectors
from firth.model import load
from tests.conftest import zipf_text

Run = Callable[..., Any]
DAYS = "Markets rose on monday . Shares fell on tuesday . Prices rose on friday .\n" * 8
TEXT = DAYS + zipf_text(300, n_words=150)


@pytest.fixture
def model(firth: Run, text_file: Callable[..., Path], tmp_path: Path) -> Path:
    path = tmp_path / "m"
    assert firth("learn", text_file(TEXT), "-o", path, "-q", "--dim", 20).status == 0
    return path


def test_learn_learns_vectors_too(firth: Run, model: Path) -> None:
    vectors = load(model).vectors
    assert vectors.dim == 20
    out = firth("show", model).out
    assert f"{len(vectors):,} words in 20 dimensions" in out
    assert "sqrt cca" in out


def test_learn_without_vectors(firth: Run, text_file: Callable[..., Path], tmp_path: Path) -> None:
    firth("learn", text_file(TEXT), "-o", tmp_path / "m", "--dim", 0)
    assert sorted(load(tmp_path / "m").parts) == ["classes", "corpus", "counts"]


def test_a_small_text_gets_fewer_dimensions_unless_they_are_asked_for(
    firth: Run, fails: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    path = text_file("a b c a b\n" * 5)
    assert firth("learn", path, "-o", tmp_path / "m", "-q").status == 0
    assert load(tmp_path / "m").vectors.dim <= 3
    result = fails("learn", path, "-o", tmp_path / "n", "-q", "--dim", 100, status=2)
    assert "--dim must be at most 3, the rank of the matrix" in result.err
    assert sorted(load(tmp_path / "n").parts) == ["corpus", "counts"], "what was finished is kept"


def test_similar(firth: Run, fails: Run, model: Path) -> None:
    result = firth("similar", model, "monday", "Markets", "-n", 4)
    assert result.status == 0
    header, first, *_ = result.out.splitlines()
    assert header.split() == "goes with monday can replace monday goes with Markets".split()
    assert len(first.split()) == 6
    assert len(result.out.splitlines()) == 11, "as many lists as fit, then the others"
    found = json.loads(firth("similar", model, "monday", "--json", "-n", 3).out)
    assert {entry["word"] for entry in found["monday"]} & {"tuesday", "friday"}
    both = json.loads(firth("similar", model, "monday", "tuesday", "--together", "--json").out)
    assert list(both) == ["monday + tuesday"]
    away = json.loads(firth("similar", model, "monday", "--without", "on", "--json").out)
    assert list(away) == ["monday − on"]


def test_similar_guesses_the_vectors_of_unseen_words(firth: Run, fails: Run, model: Path) -> None:
    note = "mondays does not occur in the text; its vector is a guess from its spelling"
    result = firth("similar", model, "mondays", "tuesday", "-n", 4)
    assert result.out.splitlines()[0] == note
    assert "goes with mondays  " in result.out.splitlines()[1]
    found = json.loads(firth("similar", model, "mondays", "tuesday", "-n", 4, "--json").out)
    assert len(found["mondays"]) == 4
    assert all(entry["guess"] is True for entry in found["mondays"])
    assert not any("guess" in entry for entry in found["tuesday"])
    together = firth("similar", model, "mondays", "tuesday", "--without", "on").out
    assert together.splitlines()[0] == note
    marked = firth("similar", model, "mondays", "--without", "on", "--json").out
    assert json.loads(marked)["mondays − on"][0]["guess"] is True
    assert "Monday does not occur in the text (there is 'monday'); its vector" in (
        firth("similar", model, "Monday").out
    )
    unlike = fails("similar", model, "QQQQ")
    assert "'QQQQ' has no vector, and no three letters of it occur in a word that has" in unlike.err
    assert "hint: Check the spelling" in unlike.err


def test_analogy(firth: Run, fails: Run, model: Path) -> None:
    assert (
        "monday : Markets = tuesday : ?"
        in firth("analogy", model, "monday", "Markets", "tuesday").out
    )
    for method in ("mul", "add"):
        found = firth(
            "analogy", model, "monday", "Markets", "tuesday", "--method", method, "--json"
        )
        assert len(json.loads(found.out)) == 10
    wrong = fails("analogy", model, "monday", "on", "rose", "--method", "x", status=2)
    assert "'--method': 'x' is not one of 'mul', 'add'" in wrong.err
    assert "'nowhere' has no vector" in fails("analogy", model, "monday", "on", "nowhere").err


@pytest.mark.parametrize("form", ["word2vec", "word2vec-binary", "glove", "parquet", "npz"])
@pytest.mark.slow
def test_export_and_import(firth: Run, model: Path, tmp_path: Path, form: str) -> None:
    file, other = tmp_path / "vectors", tmp_path / "other"
    result = firth("export", model, "--format", form, "-o", file)
    assert result.status == 0, result
    assert f"20 dimensions, {form}" in result.out
    vectors = load(model).vectors
    table = read_vectors(file)
    kept = [word for word in vectors.words if vectors[word].any()]
    assert table.words == kept
    assert firth("import", file, "-o", other).status == 0
    imported = load(other).vectors
    assert np.array_equal(imported.matrix, table.matrix)
    assert imported.most_similar("monday") == vectors.restrict(kept).most_similar("monday")
    assert "in 20 dimensions  imported" in firth("show", other).out
    assert (
        "Nothing to do: the model has these vectors already"
        in firth("import", file, "-o", other).out
    )
    assert firth("similar", file, "monday").out == firth("similar", other, "monday").out
    assert not list(tmp_path.glob(".vectors*")), "nothing half-written is left"


def test_export_says_what_it_cannot_do(firth: Run, fails: Run, model: Path, tmp_path: Path) -> None:
    old = tmp_path / "old.txt"
    old.write_text("what was there")
    wrong = fails("export", model, "-o", tmp_path / "x", status=2)
    assert "format cannot be inferred" in wrong.err
    assert "hint: Give --format, or use a name that ends in .txt" in wrong.err
    wrong = fails("export", model, "-o", old, "--format", "word3vec", status=2)
    assert "--format must be one of" in wrong.err
    np.savez(tmp_path / "v.npz", words=np.array(["New York", "paris"]), vectors=np.eye(2))
    wrong = fails("export", tmp_path / "v.npz", "-o", old)
    assert "The format word2vec cannot hold the word 'New York'" in wrong.err
    assert old.read_text() == "what was there"
    assert firth("export", model, "-o", tmp_path / "some.vec", "--top", 3).status == 0
    assert len(read_vectors(tmp_path / "some.vec").words) == 3
    assert (
        "No such file or directory" in fails("export", model, "-o", tmp_path / "no" / "x.vec").err
    )


def test_vectors_of_a_model_are_retrained_with_other_options(firth: Run, model: Path) -> None:
    first = load(model).parts["vectors"]
    assert "Nothing to do" in firth("vectors", "learn", model).out
    assert load(model).parts["vectors"].identity == first.identity
    assert (
        firth("vectors", "learn", model, "--preset", "syntax", "--dim", 8, "--kappa", 2).status == 0
    )
    made = load(model).parts["vectors"].parameters
    assert made["contexts"] == "LR2"
    assert (made["dim"], made["kappa"]) == (8, 2.0)
    firth("vectors", "learn", model, "--scale", "ppmi", "--transform", "none")
    made = load(model).parts["vectors"].parameters
    assert (made["scale"], made["contexts"], made["dim"]) == ("ppmi", "LR2", 8), "the rest stays"


@pytest.mark.parametrize("option", ["--transform", "--scale", "--svd", "--preset", "--weights"])
def test_wrong_choices_are_named(fails: Run, option: str) -> None:
    result = fails("vectors", "learn", "m", option, "x", status=2)
    assert f"'{option}': 'x' is not one of" in result.err


def test_text_options_are_for_text(
    firth: Run, fails: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    """Every command that reads raw text has its options; they do not apply to a model."""
    path = text_file("A rose is a rose\n" * 9)
    for stage in ("counts", "vectors"):
        m = tmp_path / stage
        assert firth(stage, "learn", path, "-o", m, "--lowercase", "-q").status == 0
        assert list(load(m).corpus.vocabulary) == ["a", "rose", "is"]
        wrong = fails(stage, "learn", m, "--lowercase", status=2)
        assert "--lowercase does not apply to a model, which has a corpus already" in wrong.err


def test_vectors_learn_from_text(
    firth: Run, fails: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    path = text_file(TEXT)
    assert "is not a model: give --output" in fails("vectors", "learn", path, status=2).err
    result = firth(
        "vectors", "learn", path, "-o", tmp_path / "m", "--dim", 5, "--min-count", 2, "--json"
    )
    assert json.loads(result.out)["changed"] == ["corpus", "vectors"]
    assert sorted(load(tmp_path / "m").parts) == ["corpus", "vectors"]
    wrong = fails("vectors", "learn", tmp_path / "m", "-o", tmp_path / "n", status=2)
    assert "The word vectors are written to the model that they are learned from" in wrong.err


@pytest.mark.parametrize(
    ("option", "value", "rule"),
    [
        ("--dim", "0", "an int of at least 1"),
        ("--alpha", "2", "a number from 0 to 1"),
        ("--beta", "-1", "a number from 0 to 1"),
        ("--kappa", "-1", "a number of at least 0"),
        ("--contexts", "x", "like R1"),
    ],
)
@pytest.mark.slow
def test_wrong_options_are_named(
    fails: Run, model: Path, option: str, value: str, rule: str
) -> None:
    result = fails("vectors", "learn", model, option, value, status=2)
    assert f"error: {option} must be {rule}" in result.err


def test_vectors_of_an_older_corpus_are_not_used(
    firth: Run, fails: Run, model: Path, text_file: Callable[..., Path]
) -> None:
    firth("corpus", "learn", text_file(TEXT + "more\n", "b.txt"), "-o", model, "--replace")
    assert "out of date: the corpus has changed" in fails("similar", model, "monday").err
    assert "retrain: firth vectors learn" in firth("show", model).out
    firth("vectors", "learn", model)
    assert firth("similar", model, "monday").status == 0


def test_show_vectors(firth: Run, model: Path) -> None:
    out = firth("vectors", "show", model).out
    assert "in 20 dimensions" in out
    assert "singular values" in out
    facts = json.loads(firth("vectors", "show", model, "--json").out)
    assert len(facts["singular_values"]) == 20
    assert facts["made"]["contexts"]
    assert firth("vectors", "show", model, "monday").out == firth("similar", model, "monday").out


def test_apply_gives_vectors_to_new_words(
    firth: Run, fails: Run, model: Path, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    text = text_file(DAYS.replace("monday", "doomsday"), "new.txt")
    result = json.loads(firth("vectors", "apply", model, text, "--json").out)
    assert [row["word"] for row in result["words"]] == ["doomsday"]
    near = {entry["word"] for entry in result["words"][0]["similar"]}
    assert near & {"monday", "tuesday", "friday"}
    out = firth("vectors", "apply", model, text, "-o", tmp_path / "new.vec").out
    assert out.startswith("doomsday (8)")
    assert read_vectors(tmp_path / "new.vec").words == ["doomsday"]
    firth("vectors", "apply", model, text, "-o", tmp_path / "new.parquet")
    assert (tmp_path / "new.parquet").read_bytes()[:4] == b"PAR1"
    wrong = fails("vectors", "apply", model, text, "-o", tmp_path / "n", status=2)
    assert (
        "hint: Use a name that ends in .txt, .vec, .bin, .parquet, .npz or .safetensors."
        in wrong.err
    )
    wrong = fails("vectors", "apply", model, text, "--word", "nowhere", "-q")
    assert "'nowhere' is not in the text" in wrong.err


def test_evaluate(firth: Run, fails: Run, model: Path, tmp_path: Path) -> None:
    pairs, analogies = tmp_path / "pairs.csv", tmp_path / "questions.txt"
    pairs.write_text("monday,tuesday,9\nMarkets,Shares,7\nmonday,rose,1\nmonday,nowhere,2\n")
    analogies.write_text(": days\nmonday Markets tuesday Shares\n: none\nx y z w\n")
    result = firth("vectors", "evaluate", model, pairs, analogies)
    assert result.status == 0, result
    heading, figures = result.out.splitlines()[:2]
    assert heading.index("95 %") == figures.index("too few"), "columns stand below their headings"
    for text in (
        "3 of 4 pairs",
        "1 of 2 answered",
        "Pearson",
        "nowhere",
        "days",
        "over all 2 questions",
    ):
        assert text in result.out, text
    file = tmp_path / "v.txt"
    firth("export", model, "-o", file, "--format", "glove")
    both = firth("vectors", "evaluate", model, file, pairs, analogies, "--method", "add")
    assert both.out.count("3 of 4 pairs") == 2
    facts = json.loads(firth("vectors", "evaluate", model, file, pairs, analogies, "--json").out)
    assert facts[str(model)] == facts[str(file)]
    assert facts[str(model)][0]["n_scored"] == 3
    assert facts[str(model)][1]["categories"][1]["accuracy"] is None
    assert "There is no file of word pairs" in fails("vectors", "evaluate", model).err
    assert "There is no model" in fails("vectors", "evaluate", pairs).err
    assert "There is no file" in fails("vectors", "evaluate", model, tmp_path / "x").err


def test_plot_scree(firth: Run, fails: Run, model: Path, tmp_path: Path) -> None:
    assert firth("plot", "scree", model, "-o", tmp_path / "scree.html").status == 0
    assert (tmp_path / "scree.html").stat().st_size > 10_000
    assert "ends with .html" in fails("plot", "scree", model, "-o", tmp_path / "scree.txt").err


def test_a_word_shows_its_neighbours(firth: Run, model: Path) -> None:
    facts = json.loads(firth("show", model, "monday", "--json").out)
    assert {entry["word"] for entry in facts["similar"]} & {"tuesday", "friday"}
    assert "can replace it" in firth("show", model, "monday").out


def test_a_rare_word_is_said_to_be_rare(
    firth: Run, fails: Run, text_file: Callable[..., Path], tmp_path: Path
) -> None:
    firth("learn", text_file(TEXT + "doomsday QQQQ came\n"), "-o", tmp_path / "m", "-q")
    note = (
        "doomsday occurs 1 time, too rarely for a vector; its vector is a guess from its spelling"
    )
    assert firth("similar", tmp_path / "m", "doomsday").out.startswith(note + "\n")
    wrong = fails("similar", tmp_path / "m", "QQQQ")
    assert "'QQQQ' occurs 1 time, too rarely for a vector" in wrong.err
    assert "firth vectors apply" in wrong.err


def test_a_model_or_texts_but_not_both(
    fails: Run, model: Path, text_file: Callable[..., Path]
) -> None:
    assert "not both" in fails("vectors", "learn", model, text_file("a b\n"), status=2).err
    assert "There is no model and no text nowhere" in fails("vectors", "learn", "nowhere").err


def test_imported_vectors_replace_learned_ones_with_a_note(
    firth: Run, model: Path, tmp_path: Path
) -> None:
    firth("export", model, "-o", tmp_path / "v.vec")
    assert "The trained word vectors" in firth("import", tmp_path / "v.vec", "-o", model).err
    assert (
        "Nothing to do: the model has these vectors already"
        in firth("import", tmp_path / "v.vec", "-o", model).out
    )


def test_nothing_is_cut_in_a_pipe(firth: Run, tmp_path: Path) -> None:
    words = [f"{'long' * 40}{i}" for i in range(4)]
    (tmp_path / "v.txt").write_text("".join(f"{word} 1 {i}.5\n" for i, word in enumerate(words)))
    out = firth("similar", tmp_path / "v.txt", words[0]).out
    assert all(word in out for word in words)


def test_a_model_of_vectors_alone_can_be_shown(firth: Run, fails: Run, tmp_path: Path) -> None:
    file = tmp_path / "v.txt"
    file.write_text("monday 1 0.5\ntuesday 0.9 0.6\n")
    firth("import", file, "-o", tmp_path / "m")
    assert "2 words in 2 dimensions" in firth("show", tmp_path / "m").out
    assert "tuesday" in firth("show", tmp_path / "m", "monday").out
    assert "no vector" in fails("show", tmp_path / "m", "friday").err
    assert "has no corpus" in fails("vectors", "learn", tmp_path / "m").err
