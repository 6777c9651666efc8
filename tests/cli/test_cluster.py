"""firth cluster, as a person would use and misuse it."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firth as library
from firth.cluster import CLUSTER_METHODS, _memory

Run = Callable[..., Any]
Say = Callable[[str], None]
Write = Callable[..., Path]
MADE = np.random.default_rng(7).normal(size=(24, 2)) + np.repeat(
    [[9, 1], [1, 9], [-9, -9]], 8, axis=0
)
NAMES = [f"{'abc'[i // 8]}{i % 8}" for i in range(24)]
TRUTH = [0] * 8 + [1] * 8 + [2] * 8
CSV = "name,x,y\n" + "".join(
    f"{n},{x},{y}\n" for n, (x, y) in zip(NAMES, MADE.tolist(), strict=True)
)
OF_VECTORS = CLUSTER_METHODS.choices[:-1]
PROGRESS = ("annealing: ", "merging: ", "splitting: ", "trying: ", "reading objects: ")


@pytest.fixture
def table(text_file: Write) -> Path:
    return text_file(CSV, "points.csv")


@pytest.fixture
def model(firth: Run, text_file: Write, tmp_path: Path) -> Path:
    """A model with the vectors of ten words, the names of the first points."""
    lines = [f"{n} {x} {y}\n" for n, (x, y) in zip(NAMES, MADE.tolist(), strict=True)]
    file = text_file("".join(lines[::3]), "vectors.txt")
    assert firth("import", file, "-o", tmp_path / "model", "-q").status == 0
    return tmp_path / "model"


def notes(result: Any) -> list[str]:
    """What was said on standard error besides progress."""
    return [line for line in result.err.splitlines() if not line.startswith(PROGRESS)]


def groups_of(path: Path) -> list[int]:
    with path.open(encoding="utf-8", newline="") as file:
        return [int(row["group"]) for row in csv.DictReader(file)]


# methods and metrics -----------------------------------------------------------------------------


@pytest.mark.parametrize("method", OF_VECTORS)
def test_every_method_finds_the_clusters(
    firth: Run, table: Path, tmp_path: Path, method: str
) -> None:
    out = tmp_path / "groups.csv"
    result = firth("cluster", table, "-o", out, "--method", method, "-k", 3)
    assert (result.status, notes(result)) == (0, []), result
    lines = result.out.splitlines()
    metric = {"k-medoids": ", l1", "mixture": ""}.get(method, ", euclidean")
    assert lines[0] == f"3 clusters of 24 objects by {method}{metric}"
    assert lines[1].split() == ["cluster", "size", "typical"]
    assert [line.split()[:2] for line in lines[2:5]] == [["0", "8"], ["1", "8"], ["2", "8"]]
    assert lines[-1] == f"output   {out}"
    assert groups_of(out) == TRUTH
    first = out.read_bytes()
    assert firth("cluster", table, "-o", out, "--method", method, "-k", 3, "-q").out == ""
    assert out.read_bytes() == first
    assert not list(tmp_path.glob(".*"))


def test_given_distances(firth: Run, text_file: Write, tmp_path: Path) -> None:
    from scipy.spatial.distance import cdist

    distances = cdist(MADE, MADE)
    lines = [
        ",".join([n, *map(str, row)]) for n, row in zip(NAMES, distances.tolist(), strict=True)
    ]
    file = text_file("\n".join([",".join(["", *NAMES]), *lines]), "distances.csv")
    args = ("cluster", file, "--metric", "precomputed", "-o", tmp_path / "g.csv")
    assert firth(*args, "-k", 3).status == 0
    assert groups_of(tmp_path / "g.csv") == TRUTH
    data = json.loads(firth(*args, "--json").out)
    assert (data["k"], data["k_by"]) == (3, "square root")
    central = int(np.argmin(distances[:8, :8].sum(axis=0)))
    assert data["groups"][0]["central"][0] == NAMES[central]
    some = json.loads(firth(*args, "--json", "--top", 16, "-k", 2).out)
    assert [row["members"] for row in some["groups"]] == [NAMES[:8], NAMES[8:16]]


def test_ways_to_split_and_to_start(firth: Run, table: Path) -> None:
    for options in (
        ["top-down", "--coherence", "single", "--split", "complete"], ["top-down", "--coherence", "complete"],
        ["top-down", "--split", "k-medoids", "--seed", 5], ["k-means", "--start", "buckshot"],
        ["k-medoids", "--start", "random"], ["mixture", "--covariance", "tied"],
        ["mixture", "--covariance", "spherical", "--seed", 3], ["k-means", "--threads", 1],
    ):  # fmt: skip
        data = json.loads(firth("cluster", table, "-k", 3, "--json", "--method", *options).out)
        assert [row["size"] for row in data["groups"]] == [8, 8, 8], options


# how many ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["top-down", "k-means"])
def test_the_number_of_clusters_is_chosen(
    firth: Run, table: Path, tmp_path: Path, method: str
) -> None:
    curve = tmp_path / "curve.html"
    args = ("cluster", table, "--method", method)
    result = firth(*args, "-k", "auto:2-5", "--curve", curve)
    assert result.status == 0, result
    lines = result.out.splitlines()
    assert lines[0].split() == ["k", "bits", "BIC", "agreement"]
    assert [line.split()[0] for line in lines[1:5]] == list("2345")
    assert lines[2].rstrip().endswith("← shortest")
    assert lines[6].startswith("3 clusters of 24 objects by ")
    assert lines[6].endswith("(shortest description)")
    assert "Plotly" in curve.read_text(encoding="utf-8")
    data = json.loads(firth(*args, "-k", "auto:2-5", "--json").out)
    assert [row["k"] for row in data["how_many"]] == [2, 3, 4, 5]
    assert min(data["how_many"], key=lambda row: row["bits"])["k"] == data["k"] == 3


def test_how_many_by_default(firth: Run, table: Path, text_file: Write) -> None:
    data = json.loads(firth("cluster", table, "--method", "ward", "--json").out)
    assert (data["k"], data["k_by"]) == (3, "description length")
    wide = text_file(
        "".join(",".join(map(str, row)) + "\n" for row in MADE.T.tolist() * 9), "wide.csv"
    )
    result = firth("cluster", wide)
    assert result.out.startswith(
        "3 clusters of 18 objects by group-average, euclidean  (k is the square root of 18/2; "
    )


def test_one_cluster_may_be_best(firth: Run, text_file: Write) -> None:
    rows = np.random.default_rng(1).normal(size=(60, 3)).tolist()
    file = text_file("".join(",".join(map(str, row)) + "\n" for row in rows), "noise.csv")
    result = firth("cluster", file, "-k", "auto:1-3", "--method", "ward")
    assert "1 cluster of 60 objects" in result.out
    assert (
        "note: A single cluster has the shortest description: 3 columns of 60 objects" in result.err
    )
    assert "hint: Choose a number of clusters: -k 8" in result.err


# what is read ------------------------------------------------------------------------------------


def test_all_kinds_of_files(firth: Run, text_file: Write, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet
    import scipy.sparse

    np.save(tmp_path / "a.npy", MADE)
    scipy.sparse.save_npz(tmp_path / "a.npz", scipy.sparse.csr_array(MADE))
    pa.parquet.write_table(pa.table({"x": MADE[:, 0], "y": MADE[:, 1]}), tmp_path / "a.parquet")
    text_file(CSV.replace(",", "\t"), "a.tsv")
    sparse = [("a.npz", method) for method in OF_VECTORS]
    for name, method in [("a.npy", "ward"), ("a.parquet", "ward"), ("a.tsv", "ward"), *sparse]:
        result = firth("cluster", tmp_path / name, "-k", 3, "--json", "--method", method)
        assert result.status == 0, (name, method, result)
        data = json.loads(result.out)
        assert [row["size"] for row in data["groups"]] == [8, 8, 8], (name, method)
    data = json.loads(firth("cluster", tmp_path / "a.npz", "-k", "auto:2-4", "--json").out)
    assert data["k"] == 3
    assert data["groups"][0]["members"] == [str(i) for i in range(1, 9)]


def test_standard_input(firth: Run, fails: Run, say: Say) -> None:
    say(CSV)
    assert json.loads(firth("cluster", "-", "-k", 3, "--json").out)["objects"] == 24
    say("a,1\nb,x\n")
    assert "error: Line 2 of standard input: 'x' in column 2" in fails("cluster", "-", "-k", 2).err
    say("")
    assert "error: Standard input is empty." in fails("cluster", "-", "-k", 2).err


def test_the_words_of_a_model(firth: Run, fails: Run, model: Path, text_file: Write) -> None:
    result = firth("cluster", model, "-k", 3)
    assert result.out.splitlines()[0] == "3 clusters of 8 words by group-average, cosine"
    data = json.loads(firth("cluster", model, "--top", 3, "-k", 1, "--json").out)
    assert data["groups"][0]["members"] == ["a0", "a3", "a6"]
    words = text_file("b1\nnone\n\na0\na0\n  c2\n", "words.txt")
    result = firth("cluster", model, "--words", words, "-k", 3)
    assert notes(result) == ["note: 1 word not found: none"]
    data = json.loads(firth("cluster", model, "--words", words, "-k", 3, "--json").out)
    assert [row["members"] for row in data["groups"]] == [["b1"], ["a0"], ["c2"]]
    assert data["left_out"] == ["none"]
    few = text_file("a0\nx y\n", "few.txt")
    wrong = fails("cluster", model, "--words", few)
    assert "Only 1 of these words has a vector" in wrong.err
    assert "hint: Without a vector: x y" in wrong.err
    assert (
        "none.txt is empty" in fails("cluster", model, "--words", text_file("\n", "none.txt")).err
    )
    assert "There is no file" in fails("cluster", model, "--words", "nowhere").err


def test_frequent_words_represent_their_clusters(
    firth: Run, text_file: Write, tmp_path: Path
) -> None:
    text = text_file("the cat sees a dog .\nthe dog sees a cat .\n" * 9 + "a cat is a cat .\n" * 9)
    library.learn(text, tmp_path / "m", dim=3, classes=0)
    data = json.loads(firth("cluster", tmp_path / "m", "-k", 1, "--json").out)
    assert data["groups"][0]["central"][:3] == ["a", "cat", "."]


def test_some_rows_of_a_table(firth: Run, fails: Run, table: Path, text_file: Write) -> None:
    words = text_file("c0\na1\nz9\n", "words.txt")
    data = json.loads(firth("cluster", table, "--words", words, "-k", 2, "--json").out)
    assert [row["members"] for row in data["groups"]] == [["c0"], ["a1"]]
    assert data["left_out"] == ["z9"]
    wrong = fails("cluster", table, "--words", text_file("z9\n", "words.txt"))
    assert "0 of the names given were found" in wrong.err


# what is written ---------------------------------------------------------------------------------


def test_the_name_of_the_file_decides_the_format(firth: Run, table: Path, tmp_path: Path) -> None:
    import pyarrow.parquet

    for name in ("g.csv", "g.tsv", "g.json", "g.parquet"):
        args = ("cluster", table, "-k", 3, "-o", tmp_path / name, "--method", "mixture", "-q")
        assert firth(*args).status == 0
    records = json.loads((tmp_path / "g.json").read_text())
    assert [row["name"] for row in records] == NAMES
    assert [row["group"] for row in records] == TRUTH
    assert all(sum(row["memberships"]) == pytest.approx(1) for row in records)
    stored = pyarrow.parquet.read_table(tmp_path / "g.parquet")
    assert stored.column_names == ["name", "group", "p0", "p1", "p2"]
    assert stored["group"].to_pylist() == TRUTH
    for name, delimiter in (("g.csv", ","), ("g.tsv", "\t")):
        with (tmp_path / name).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file, delimiter=delimiter))
        assert [row["name"] for row in rows] == NAMES
        assert [float(row["p1"]) for row in rows] == stored["p1"].to_pylist()
    out = firth("cluster", table, "-k", 3, "-o", "-").out
    assert out.splitlines()[:2] == ['"name","group"', '"a0",0']
    assert len(out.splitlines()) == 25


def test_odd_names_survive(firth: Run, text_file: Write, tmp_path: Path) -> None:
    names = ['a,"b"', "=1+1", "two\nlines", "[bold]x[/]", "\x1b[31mred", "<b>&", "名詞 ", "'"]
    lines = "".join('"' + n.replace('"', '""') + f'",{i},{i * i}\n' for i, n in enumerate(names))
    file = text_file(lines, "odd.csv")
    args = ("cluster", file, "-k", 2, "-o", tmp_path / "g.csv", "--plot", tmp_path / "p.html")
    result = firth(*args)
    assert result.status == 0, result
    assert "[bold]x[/]" in result.out
    assert "\x1b" not in result.out
    assert "\\x1b[31mred" in result.out
    with (tmp_path / "g.csv").open(encoding="utf-8", newline="") as opened:
        assert [row["name"] for row in csv.DictReader(opened)] == names
    assert "<b>&" not in (tmp_path / "p.html").read_text(encoding="utf-8")
    assert json.loads(firth(*args, "--json").out)["groups"][0]["members"][0] == names[0]


def test_trees(firth: Run, table: Path, tmp_path: Path) -> None:
    from scipy.cluster.hierarchy import linkage

    tree = tmp_path / "tree.npy"
    args = ("cluster", table, "--method", "complete", "-k", 3)
    assert firth(*args, "--tree", tree).out.endswith(f"tree     {tree}\n")
    np.testing.assert_allclose(np.load(tree), linkage(MADE, "complete"))
    assert firth(*args, "--tree", tmp_path / "tree.csv", "-q").status == 0
    with (tmp_path / "tree.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["height"]) for row in rows] == np.load(tree)[:, 2].tolist()
    assert list(rows[0]) == ["a", "b", "height", "size"]
    for more in (("top-down",), ("top-down", "--split", "ward"), ("ward", "--metric", "cosine")):
        assert firth("cluster", table, "-k", 3, "--tree", tree, "--method", *more).status == 0
        assert np.load(tree).shape == (23, 4), "all objects"


def test_figures(firth: Run, table: Path, tmp_path: Path) -> None:
    plot = tmp_path / "p.html"
    for method, said in (
        ("single", "24 objects by single, euclidean"),
        ("top-down", "b3"),
        ("mixture", "b3"),
    ):
        assert firth("cluster", table, "-k", 3, "--method", method, "--plot", plot).status == 0
        assert said in plot.read_text(encoding="utf-8")
        plot.unlink()
    assert not list(tmp_path.glob(".*"))


def test_a_tree_that_is_not_monotonic_is_said_to_be_so(
    firth: Run, text_file: Write, tmp_path: Path
) -> None:
    file = text_file("6\n8\n7\n4\n8\n8\n8\n0\n", "a.csv")  # a part is less coherent than the whole
    args = ("cluster", file, "--method", "top-down", "-k", 4, "--tree", tmp_path / "tree.npy")
    result = firth(*args)
    assert "not monotonic: 1 of 7 merges lower than one of their parts" in result.out
    assert notes(result) == []
    assert json.loads(firth(*args, "--json").out)["inversions"] == 1


def test_soft_clusters(firth: Run, text_file: Write) -> None:
    between = "a,0\nb,0.5\nc,-0.5\nd,0.2\ne,2.1\nf,4\ng,4.5\nh,3.5\ni,4.2\n"
    file = text_file(between, "a.csv")
    result = firth("cluster", file, "--method", "mixture", "-k", 2, "--covariance", "tied")
    lines = result.out.splitlines()
    assert "between clusters     0     1" in result.out
    row = next(line for line in lines if line.startswith("e "))
    assert sum(map(float, row.split()[1:])) == pytest.approx(1, abs=0.011)
    assert lines[-1].startswith("log-likelihood  -")
    assert lines[-1].endswith(" EM iterations)")
    data = json.loads(firth("cluster", file, "--method", "mixture", "-k", 2, "--json").out)
    likelihoods = data["log_likelihoods"]
    assert all(b >= a - 1e-9 for a, b in pairwise(likelihoods))
    assert data["converged"] is True


COUNTS = "noun,eat,cook,see,build\n" + "".join(
    f"{name},{row}\n"
    for name, row in [
        ("bread", "9,5,3,2"), ("soup", "7,8,3,3"), ("rice", "30,24,10,9"), ("house", "2,3,7,9"), ("road", "3,2,9,8"),
        ("wall", "1,2,5,6"), ("oven", "4,4,4,4"),
    ]
)  # fmt: skip


def test_objects_as_distributions(firth: Run, fails: Run, text_file: Write, tmp_path: Path) -> None:
    file = text_file(COUNTS, "counts.csv")
    args = ("cluster", file, "--method", "distributional", "-k", 2)
    tree, plot = tmp_path / "tree.npy", tmp_path / "p.html"
    result = firth(*args, "--tree", tree, "--plot", plot)
    assert (result.status, notes(result)) == (0, []), result
    assert result.out.startswith("2 clusters of 7 objects by distributional\n")
    assert "rice  soup  bread" in result.out, "the most frequent first"
    assert "between clusters     0     1" in result.out
    assert "\nsplit at beta  " in result.out
    assert np.load(tree).shape == (1, 4)
    assert "oven" in plot.read_text(encoding="utf-8")
    assert firth(*args, "-o", tmp_path / "g.csv", "-q").status == 0
    with (tmp_path / "g.csv").open(newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert [row["group"] for row in rows[:6]] == [rows[0]["group"]] * 3 + [rows[3]["group"]] * 3
    assert float(rows[6]["p0"]) + float(rows[6]["p1"]) == pytest.approx(1)
    assert firth(*args, "-o", tmp_path / "g.csv", "-q", "--hard").status == 0
    assert (tmp_path / "g.csv").read_text().startswith('"name","group"\n')
    data = json.loads(firth(*args, "--json").out)
    assert len(data["split_betas"]) == 1
    for text, said in (
        ("a,1\nb,-1\n", "'b' has counts below zero"),
        ("a,1\nb,0\n", "'b' has no counts"),
    ):
        wrong = fails("cluster", text_file(text, "w.csv"), "--method", "distributional", "-k", 2)
        assert said in wrong.err
    for options, said in (
        ("--metric cosine", "--metric does not apply to --method distributional."),
        ("-k auto", "cannot be chosen from distributions"),
        ("--hard --plot p.html", "--plot does not apply: there is neither"),
    ):
        assert said in fails(*args[:-2], *options.split(), status=2).err


def test_pairs_of_words(firth: Run, fails: Run, text_file: Write, say: Say) -> None:
    rows = list(csv.reader(COUNTS.splitlines()))
    pairs = [
        f"{row[0]} {verb} {n}"
        for row in rows[1:]
        for verb, n in zip(rows[0][1:], row[1:], strict=True)
    ]
    file = text_file("\n".join(pairs), "pairs.txt")
    args = ("--method", "distributional", "-k", 2, "--json")
    of_pairs = json.loads(firth("cluster", file, *args).out)
    of_table = json.loads(firth("cluster", text_file(COUNTS, "counts.csv"), *args).out)
    assert of_pairs["groups"] == of_table["groups"]
    assert of_pairs["columns"] == 4
    say("\n".join(pair.rsplit(" ", 1)[0].replace(" ", "\t") for pair in pairs))
    assert json.loads(firth("cluster", "-", *args).out)["objects"] == 7
    assert json.loads(firth("cluster", file, "-k", 2, "--json").out)["metric"] == "cosine"
    many = text_file("\n".join([*pairs, "tea drink x"]), "pairs.txt")
    assert "'x' is not a count" in fails("cluster", many, *args[:-1]).err
    assert "is not a number" in fails("cluster", text_file("a,b\nc,d\n", "a.csv")).err


# what is wrong -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--seed 1", "--seed does not apply to --method group-average: it is for top-down, k-means"),
        ("--method ward --start random", "--start does not apply to --method ward"),
        ("--method k-means --split single", "--split does not apply to --method k-means"),
        ("--method k-means --coherence single", "--coherence does not apply to --method k-means"),
        ("--method single --covariance full", "--covariance does not apply to --method single"),
        ("--soft", "--hard does not apply to --method group-average: it is for distributional."),
        ("--hard", "--hard does not apply to --method group-average"),
        ("--method ward --metric l1", "--metric must be 'cosine' or 'euclidean' for method 'ward'"),
        ("--method mixture --metric cosine", "--metric does not apply to --method mixture."),
        ("--method k-means --seed -1", "--seed must be an int from 0 to 4294967295. Got -1."),
        ("--method k-means --seed 4294967296", "--seed must be an int from 0 to 4294967295."),
        ("--threads 0", "--threads must be an int of at least 1"),
        ("--top 1", "--top must be an int of at least 2"),
        ("-k x", "--k must be a number, auto, or a range"),
        ("-k 0", "--k must be at least 1. Got 0."),
        ("-k -3", "--k must be a number"),
        ("-k auto:5-2", "--k must be an ascending range such as auto:2-40. Got 'auto:5-2'."),
        ("-k auto:0-2", "--k must be at least 1"),
        ("--metric precomputed -k auto", "The number of clusters cannot be chosen from distances alone"),
        ("-k 3 --curve c.html", "--curve needs -k auto."),
        ("--method k-means --tree t.npy", "--tree does not apply: this method makes no tree."),
        ("--method k-medoids --plot p.html", "--plot does not apply: there is neither"),
        ("-o g.txt", "The format of --output g.txt is unknown."),
        ("-o g", "The format of --output g is unknown."),
        ("--tree t.html", "The format of --tree t.html is unknown."),
        ("--plot p.doc", "The format of --plot p.doc is unknown."),
        ("-o points.csv", "--output would overwrite INPUT: points.csv."),
        ("-o g.csv --tree ./g.csv", "--tree would overwrite --output: ./g.csv."),
    ],
)  # fmt: skip
def test_options_that_are_wrong_or_do_not_go_together(
    fails: Run, table: Path, monkeypatch: pytest.MonkeyPatch, options: str, said: str
) -> None:
    monkeypatch.chdir(table.parent)
    file = "square.csv" if "precomputed" in options else table.name
    Path("square.csv").write_text("0,1\n1,0\n")
    before = sorted(Path().iterdir())
    result = fails("cluster", file, *options.split(), status=2)
    assert f"error: {said}" in result.err
    assert sorted(Path().iterdir()) == before
    assert table.read_text() == CSV


@pytest.mark.parametrize(
    "option", ["method", "metric", "coherence", "split", "start", "covariance"]
)
def test_choices_are_checked(firth: Run, table: Path, option: str) -> None:
    result = firth("cluster", table, f"--{option}", "x")
    assert result.status == 2
    assert f"'--{option}'" in result.err


def test_input_that_is_wrong(fails: Run, text_file: Write, tmp_path: Path) -> None:
    for text, args, said in (
        ("", [], "is empty."), ("x,y\n", [], "has only a line of headings."), ("a,1\n", [], "only one object"),
        ("1,2\n3,4\n", ["-k", 3], "2 objects cannot form 3 clusters."),
        ("1,2\n3,4\n", ["-k", "auto:2-9"], "2 objects cannot form 9 clusters."),
        ("a,1,2\nb,0,0\nc,1,1\n", ["--metric", "cosine"], "The object 'b' is all zeros"),
        ("a,1,2\nb,0,0\nc,1,1\n", ["--metric", "cosine", "--method", "k-means"], "The object 'b' is all zeros"),
        ("1,2\n3,nan\n", [], "Line 2 of"), ("1,2\n3\n", [], "1 columns where line 1 has 2"),
        ("1,2\n3,x\n", [], "'x' in column 2 is not a number"), ("a,1\na,2\n", [], "the name 'a' is there already"),
        ("1,2,3\n3,4,5\n", ["--metric", "precomputed"], "must be square"),
        ("0,1\n2,0\n", ["--metric", "precomputed"], "not symmetric: 1 from object 1 to 2, but 2 from 2 to 1"),
        ("1,1\n1,1\n", ["--metric", "precomputed"], "to itself must be zero"),
        ("0,-1\n-1,0\n", ["--metric", "precomputed"], "must not be negative"),
        ("name,b,a\na,0,1\nb,1,0\n", ["--metric", "precomputed"], "in another order"),
        (b"\x93NUMPY", [], "cannot be read safely"),
    ):  # fmt: skip
        result = fails("cluster", text_file(text, "a.csv"), *args, "-o", tmp_path / "g.csv", "-q")
        assert said in result.err, result
    assert not (tmp_path / "g.csv").exists()
    assert "There is no file" in fails("cluster", tmp_path / "none.csv").err
    assert (
        "firth.json" in fails("cluster", tmp_path).err or "model" in fails("cluster", tmp_path).err
    )
    file = text_file("1,2\n3,4\n", "a.csv")
    assert "does not exist" in fails("cluster", file, "-o", tmp_path / "no" / "g.csv").err
    (tmp_path / "folder.csv").mkdir()
    assert "is a folder" in fails("cluster", file, "-o", tmp_path / "folder.csv").err


def test_a_model_is_no_table(
    firth: Run, fails: Run, model: Path, text_file: Write, tmp_path: Path
) -> None:
    assert (
        "not a distance matrix" in fails("cluster", model, "--metric", "precomputed", status=2).err
    )
    assert (
        "--header does not apply to a model." in fails("cluster", model, "--header", status=2).err
    )
    text = text_file("the cat\n" * 9)
    library.learn(text, tmp_path / "m", dim=0, classes=0)
    assert "has no word vectors" in fails("cluster", tmp_path / "m").err


def test_objects_that_are_all_the_same(firth: Run, text_file: Write) -> None:
    file = text_file("1,2\n" * 6, "a.csv")
    result = firth("cluster", file, "--method", "k-means", "-k", 2)
    assert result.status == 0, result
    assert notes(result) == ["note: Only 1 of 2 clusters have objects: many objects are identical."]


# memory ------------------------------------------------------------------------------------------


def test_too_little_memory_is_an_error(
    firth: Run, fails: Run, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_memory, "available_bytes", lambda: 1000)
    wrong = fails("cluster", table, "--method", "complete", "-k", 3)
    assert (
        "error: complete, euclidean needs a table of all distances: 2.3 kB for 24 objects. "
        "Available: 1 kB." in wrong.err
    )
    free = "group-average (with cosine), single, ward, top-down (with cosine), k-means, mixture."
    assert f"a method without such a table: {free}" in wrong.err
    for method in ("single", "ward", "k-means", "mixture"):
        assert firth("cluster", table, "--method", method, "-k", 3).status == 0
    assert firth("cluster", table, "--metric", "cosine", "-k", 3).status == 0


# a person at a terminal --------------------------------------------------------------------------


@pytest.mark.slow
def test_the_reader_of_the_output_may_go_away(table: Path) -> None:
    command = f"{sys.executable} -m firth cluster {table} -k 3 -o - | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ('"name","group"\n', "")


def test_ctrl_c(fails: Run, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from firth.cluster import _clustering

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_clustering, "_write_csv", stop)
    wrong = fails("cluster", table, "-k", 3, "-o", tmp_path / "g.csv", status=130)
    said = [
        "error: Interrupted.",
        "hint: Nothing was written. Run the same command again to start over.",
    ]
    assert notes(wrong) == said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["points.csv"]
