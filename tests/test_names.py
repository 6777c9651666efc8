"""Names that stay: carried over by their words when classes and tags are learned again, shared as files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firth
from firth.classes import Hierarchy
from firth.errors import InputError
from firth.formats import read_rows, write_rows
from firth.model import Model
from firth.names import Name, Names
from firth.pipeline import (
    export_names,
    import_classes,
    import_names,
    learn_classes,
    learn_tags,
    name_classes,
    name_rows,
    name_tags,
)
from firth.pipeline._making import write_by_hand
from firth.pipeline._places_of_names import place_names, with_words
from firth.store import writing

Run = Callable[..., Any]
DAYS, VERBS = ["monday", "tuesday", "friday"], ["rose", "fell", "closed"]
TEXT = "".join(
    f"markets {verb} on {day} and shares {other} again on {day} .\n"
    for day in DAYS
    for verb in VERBS
    for other in VERBS
)
MORE = (
    TEXT + "".join(f"prices {verb} on {day} .\n" for day in [*DAYS, "sunday"] for verb in VERBS) * 3
)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    (tmp_path / "t.txt").write_text(TEXT)
    firth.learn(
        tmp_path / "t.txt", tmp_path / "m", dim=0, classes=5, tags=4, min_count=1, threads=1
    )
    return tmp_path / "m"


def path_of(model: Path, words: list[str]) -> str:
    """The smallest node with these words."""
    classes = firth.load(model).classes
    paths = [classes.path(word) for word in words]
    while len(set(paths)) > 1 or paths[0] not in classes.tree.node_of:
        longest = max(map(len, paths))
        paths = [path[:-1] if len(path) == longest else path for path in paths]
    return paths[0]


def test_names_go_where_their_words_go(model: Path, tmp_path: Path) -> None:
    before = path_of(model, DAYS)
    name_classes(model, {before: "days"})
    (tmp_path / "t.txt").write_text(MORE)
    firth.learn(tmp_path / "t.txt", model, dim=0, classes=6, tags=4, min_count=1, threads=1)
    opened = firth.load(model)
    ((path, name),) = opened.names.items()
    assert name == "days"
    members = {member.word for member in opened.classes.members(path)}
    assert members >= set(DAYS)
    assert opened.classes.names == opened.names


def test_names_of_tags_go_where_their_words_go(model: Path) -> None:
    tags = firth.load(model).tags
    number = str(tags.tag_of_word()[tags.vocabulary_.id("monday")])
    name_tags(model, {number: "DAY"})
    learn_tags(model, n_tags=5, threads=1)
    opened = firth.load(model)
    tagger = opened.tags
    assert opened.tag_names == {str(tagger.tag_of_word()[tagger.vocabulary_.id("monday")]): "DAY"}
    assert "DAY" in tagger.tags_


def test_what_is_not_found_again_is_kept_and_tried_again(
    model: Path, tmp_path: Path, capsys: Any
) -> None:
    path = path_of(model, DAYS)
    name_classes(model, {path: "days"})
    other = tmp_path / "paths.txt"
    other.write_text("0\tx\t5\n1\ty\t4\n")
    with firth.show_progress():
        import_classes(other, model)
    assert "not found again, but kept: days" in capsys.readouterr().err
    names = firth.load(model).names
    assert names == {}
    assert [one.name for one in names.left] == ["days"]
    assert set(names.left[0].words) >= set(DAYS)
    learn_classes(model, n_classes=5, threads=1)
    assert firth.load(model).names == {path: "days"}


def test_an_interruption_between_classes_and_names_loses_nothing(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = path_of(model, DAYS)
    name_classes(model, {path: "days"})
    real = place_names
    monkeypatch.setattr(
        "firth.pipeline._carrying.place_names", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt)
    )
    with pytest.raises(KeyboardInterrupt):
        learn_classes(model, n_classes=6, threads=1)
    assert firth.load(model).names == {}
    monkeypatch.setattr("firth.pipeline._carrying.place_names", real)
    learn_classes(model, n_classes=6, threads=1)  # there is nothing to learn
    assert list(firth.load(model).names.values()) == ["days"]


@pytest.fixture
def interrupted(model: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model with new classes and tags, killed before their names were carried over."""
    tags = firth.load(model).tags
    name_classes(model, {path_of(model, DAYS): "days"})
    name_tags(model, {str(tags.tag_of_word()[tags.vocabulary_.id("monday")]): "DAY"})
    with monkeypatch.context() as patch:
        patch.setattr("firth.pipeline._carrying.carry_names", lambda *_: None)
        learn_classes(model, n_classes=6, threads=1)
        learn_tags(model, n_tags=5, threads=1)
    assert firth.load(model).names == firth.load(model).tag_names == {}, "or there is no subject"
    return model


def names_of(model: Path) -> set[tuple[str, str]]:
    return {(row["kind"], row["name"]) for row in name_rows(Model(model)) if row["key"] is not None}


@pytest.mark.parametrize("how", ["by hand", "from a file"])
def test_who_names_after_an_interruption_loses_nothing(
    interrupted: Path, tmp_path: Path, how: str
) -> None:
    verbs = path_of(interrupted, VERBS)
    tags = firth.load(interrupted).tags
    verb = str(tags.tag_of_word()[tags.vocabulary_.id("rose")])
    if how == "by hand":
        name_classes(interrupted, {verbs: "verbs"})
        name_tags(interrupted, {verb: "VERB"})
    else:
        rows = [
            {"kind": "class", "name": "verbs", "key": verbs},
            {"kind": "tag", "name": "VERB", "key": verb},
        ]
        (tmp_path / "n.json").write_text(json.dumps(rows))
        import_names(interrupted, tmp_path / "n.json")
    wanted = {("class", "days"), ("class", "verbs"), ("tag", "DAY"), ("tag", "VERB")}
    assert names_of(interrupted) == wanted


def test_names_are_shown_and_exported_after_an_interruption(
    interrupted: Path, tmp_path: Path
) -> None:
    assert names_of(interrupted) == {("class", "days"), ("tag", "DAY")}
    before = {name: (interrupted / name).stat().st_mtime_ns for name in ("names", "tag_names")}
    assert export_names(interrupted, tmp_path / "n.json") == 2
    now = {name: (interrupted / name).stat().st_mtime_ns for name in ("names", "tag_names")}
    assert now == before, "showing changes nothing"


def test_names_are_shown_and_exported_while_classes_are_out_of_date(
    model: Path, tmp_path: Path
) -> None:
    name_classes(model, {path_of(model, DAYS): "days"})
    name_tags(model, {"1": "VERB"})
    (tmp_path / "t.txt").write_text(MORE)
    firth.learn(tmp_path / "t.txt", model, dim=0, classes=0, min_count=1, threads=1)
    assert Model(model).is_stale("classes")
    assert names_of(model) == {("class", "days"), ("tag", "VERB")}
    assert export_names(model, tmp_path / "n.csv") == 2


def test_no_two_tags_get_the_same_name() -> None:
    words = ["a", "b", "c", "d"]
    vocabulary = firth.Corpus.from_sentences([words]).vocabulary

    class Tags:
        """What places of names need of a tagger."""

        n_tags_, vocabulary_, tags_ = 3, vocabulary, ["N", "V", "X"]

        def tag_of_word(self) -> Any:
            return np.array([0, 1, 2, 2])

        def renamed(self, _: Any) -> Tags:
            return self

    def placed(*names: Name) -> tuple[dict[str, str], list[str]]:
        found = place_names(Names.of({}, names), Tags())
        return dict(found), [one.name for one in found.left]

    assert placed(Name("V", ["a"])) == ({}, ["V"]), "tag 1 was learned with this name"
    assert placed(Name("V", ["b"])) == ({"1": "V"}, [])
    assert placed(Name("V", ["a"]), Name("N", ["b"])) == ({"0": "V", "1": "N"}, [])
    assert placed(Name("Y", ["a"]), Name("Y", ["b"])) == ({"1": "Y"}, ["Y"])
    assert placed(Name("V", ["a"]), Name("N", ["b"]), Name("N", ["c", "d"]))[0] == {}


def test_names_of_models_made_before_are_carried_over(model: Path) -> None:
    path = path_of(model, DAYS)
    with writing(model) as writer:  # as it was before words were kept
        write_by_hand(
            writer, "names", Names({path: "days"}), {"classes": writer.parts["classes"].content}
        )
    assert not list((model / "names").glob("*/more.json"))
    learn_classes(model, n_classes=7, threads=1)
    assert list(firth.load(model).names.values()) == ["days"]


def test_names_of_what_does_not_exist_are_left(firth: Run, model: Path) -> None:
    with writing(model) as writer:
        for part, of in (("names", "classes"), ("tag_names", "tags")):
            names = Names.of({"777": Name("astray", note="mine"), "1": Name("there")})
            write_by_hand(writer, part, names, {of: writer.parts[of].content})
    assert "astray" in firth("names", "show", model).out
    name_tags(model, {"0": "NOUN"})
    learn_classes(model, n_classes=6, threads=1)
    for names in (Model(model).names, Model(model).tag_names):
        assert "there" in names.values()
        assert [(one.name, one.note) for one in names.left] == [("astray", "mine")]


def test_the_overlap_decides_and_the_better_name_wins() -> None:
    words = ["a", "b", "c", "d", "e", "f"]
    classes = Hierarchy.from_paths(words, ["00", "00", "01", "01", "1", "1"], [9, 8, 7, 6, 5, 4])
    old = Names.of({
        "x": Name("ab", ["a", "b"]), "y": Name("most of ab", ["a"]), "z": Name("abcd", ["a", "b", "c", "d"]),
        "w": Name("scattered", ["a", "e"]), "v": Name("gone", ["q"]),
    })  # fmt: skip
    found = place_names(old, classes)
    assert found == {"00": "ab", "0": "abcd"}
    assert [one.name for one in found.left] == ["most of ab", "scattered", "gone"]
    assert found.more["0"].words == ["a", "b", "c", "d"]
    reverse = place_names(Names.of(dict(reversed(old.more.items()))), classes)
    assert reverse == found
    assert {one.name: one.words for one in reverse.left} == {
        "most of ab": ["a"], "scattered": ["a", "e"], "gone": ["q"],
    }  # fmt: skip


def test_large_groups_are_found_by_their_most_frequent_words() -> None:
    """Most words of a large group are not stored with its name."""
    words = [f"w{i}" for i in range(6000)]
    counts = [10_000 // (i + 10) + 1 for i in range(6000)]
    paths = ["0" if i < 600 else "10" if i % 2 else "11" for i in range(6000)]
    classes = Hierarchy.from_paths(words, paths, counts)
    bare = {key: Name(f"name of {key}") for key in ("", "0", "1", "10")}
    old = with_words(Names.of(bare), classes)
    assert {len(one.words) for one in old.more.values()} == {500}
    assert place_names(old, classes) == old
    others = [count + (7 * i) % 11 for i, count in enumerate(counts)]
    again = Hierarchy.from_paths(words, paths, others)
    assert place_names(old, again) == old, "also if frequencies are a little different"


def test_the_root_has_a_name_too(firth: Run, model: Path) -> None:
    assert firth("classes", "name", model, "=all words").status == 0
    assert "class (root)" in firth("names", "show", model).out
    learn_classes(model, n_classes=6, threads=1)
    assert Model(model).names == {"": "all words"}


@pytest.mark.parametrize("suffix", ["json", "csv", "tsv"])
def test_names_are_shared_as_files(model: Path, tmp_path: Path, suffix: str) -> None:
    name_classes(model, {path_of(model, DAYS): "days, of the week"})
    name_tags(model, {"1": "VERB"})
    file = tmp_path / f"names.{suffix}"
    assert export_names(model, file) == 2
    before = name_rows(firth.load(model))
    firth.learn(
        tmp_path / "t.txt", tmp_path / "n", dim=0, classes=5, tags=4, min_count=1, threads=1
    )
    import_names(tmp_path / "n", file)
    assert name_rows(firth.load(tmp_path / "n")) == before


def test_notes_and_keys_are_imported(model: Path, tmp_path: Path) -> None:
    path = path_of(model, DAYS)
    file = tmp_path / "n.json"
    file.write_text(
        json.dumps([{"kind": "class", "key": path, "name": "days", "note": "all but one"}])
    )
    import_names(model, file)
    (row,) = name_rows(firth.load(model))
    assert (row["key"], row["name"], row["note"]) == (path, "days", "all but one")
    assert set(row["words"]) >= set(DAYS)


@pytest.mark.parametrize("suffix", ["json", "csv", "tsv"])
def test_any_word_survives_a_file(tmp_path: Path, suffix: str) -> None:
    rows = [
        {"name": 'the "old" one', "note": "a, b", "words": 'it\'s " ""quoted""'},
        {"name": "x", "note": "", "words": ";"},
    ]
    file = tmp_path / f"rows.{suffix}"
    write_rows(file, rows)
    if suffix == "json":
        assert json.loads(file.read_text(encoding="utf-8")) == rows
    else:
        assert read_rows(file) == {name: [row[name] for row in rows] for name in rows[0]}


def test_a_file_without_names_has_headings(tmp_path: Path, model: Path) -> None:
    n = export_names(model, tmp_path / "n.csv")
    assert n == 0
    assert (tmp_path / "n.csv").read_text() == "kind,key,name,note,words\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "does not contain names"),
        ("{", "cannot be read"),
        ('[{"kind": "class"}]', "does not contain names"),
        ('[{"kind": "tree", "name": "x", "key": "0"}]', "Row 1"),
        ('[{"kind": "tag", "name": "x"}]', "neither a key nor words"),
        ('[{"kind": "class", "name": "x"}]', "neither a key nor words"),
        ('[{"kind": "class", "name": "x", "key": null}]', "neither a key nor words"),
        ('[{"kind": "class", "name": "x", "key": "0101010101"}]', "does not exist"),
        ('[{"kind": "tag", "name": "two words", "key": "0"}]', "without blanks"),
        ('[{"kind": "class", "name": "x", "words": [1]}]', "Row 1"),
    ],
)
def test_wrong_files_of_names_are_refused(
    model: Path, tmp_path: Path, content: str, message: str
) -> None:
    (tmp_path / "n.json").write_text(content)
    with pytest.raises(firth.InputError, match=message):
        import_names(model, tmp_path / "n.json")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"name": "n" * 10_001}, "has 10,001 characters"),
        ({"note": "n" * 20_000}, "has 20,000 characters"),
        ({"name": "n\udcff"}, "The name 'n.udcff' is not valid Unicode"),
        ({"note": "\ud800"}, "The note '.ud800' is not valid Unicode"),
        ({"words": ["\ud800"]}, "The word '.ud800' is not valid Unicode"),
    ],
)
def test_names_that_cannot_be_stored_are_refused(
    firth: Run, model: Path, tmp_path: Path, row: dict[str, Any], message: str
) -> None:
    name_classes(model, {"0": "zero"})
    key = {} if "words" in row else {"key": "1"}
    (tmp_path / "names.json").write_text(json.dumps([{"kind": "class", "name": "x", **key, **row}]))
    with pytest.raises(InputError, match=message):
        import_names(model, tmp_path / "names.json")
    assert Model(model).names == {"0": "zero"}
    if "name" in row:
        found = firth("classes", "name", model, f"1={row['name']}")
        assert found.status == 1
        assert "hint:" in found.err
        assert "Traceback" not in found.err


def test_the_commands_show_export_and_import(firth: Run, model: Path, tmp_path: Path) -> None:
    assert "No names" in firth("names", "show", model).out
    path = path_of(model, DAYS)
    assert firth("classes", "name", model, f"{path}=days").status == 0
    shown = firth("names", "show", model)
    assert "days" in shown.out
    assert "monday" in shown.out
    assert firth("names", "export", model, tmp_path / "n.csv").status == 0
    assert firth("classes", "name", model, f"{path}=").status == 0
    done = firth("names", "import", model, tmp_path / "n.csv")
    assert "1 name imported" in done.out, done
    assert f"class {path}" in done.out
    assert "format" in firth("names", "export", model, tmp_path / "n.pdf").err
    assert "no file" in firth("names", "import", model, tmp_path / "none.csv").err.lower()


def test_names_that_are_imported_twice_are_there_once(
    firth: Run, model: Path, tmp_path: Path
) -> None:
    path = path_of(model, DAYS)
    file = tmp_path / "n.json"
    rows: list[dict[str, Any]] = [
        {"kind": "class", "name": "lost", "words": ["nowhere"]},
        {"kind": "class", "key": path, "name": "days"},
    ]
    file.write_text(json.dumps(rows))
    import_names(model, file)
    before = name_rows(Model(model))
    assert sorted(row["name"] for row in before) == ["days", "lost"]
    again = firth("names", "import", model, file)
    assert again.out.startswith("Nothing to import: the model has all names of")
    assert name_rows(Model(model)) == before
    file.write_text(json.dumps([{**rows[1], "note": "of the week"}]))
    assert "1 name imported." in firth("names", "import", model, file).out


def test_what_a_file_replaces_is_told(firth: Run, model: Path, tmp_path: Path) -> None:
    path = path_of(model, DAYS)
    file = tmp_path / "n.json"
    row = {"kind": "class", "key": path, "name": "days", "note": "all but one"}
    file.write_text(json.dumps([row]))
    import_names(model, file)
    file.write_text(json.dumps([{**row, "note": ""}]))
    import_names(model, file)
    assert [row["note"] for row in name_rows(Model(model))] == ["all but one"], "no note, no change"
    file.write_text(json.dumps([{**row, "name": "weekdays", "note": "all"}]))
    told = firth("names", "import", model, file, "--quiet")
    assert f"note: class {path} was called days before." in told.err
    assert f"note: The note of weekdays (class {path}) was before: all but one" in told.err


def test_classes_of_the_same_name_are_not_confused(model: Path, tmp_path: Path) -> None:
    """Names that were not found again stay, even if another class has the same name."""
    path, file = path_of(model, DAYS), tmp_path / "n.json"
    rows = [
        {"kind": "class", "name": "lost", "words": ["nowhere"]},
        {"kind": "class", "name": "lost", "words": ["elsewhere"]},
        {"kind": "class", "name": "days", "words": ["never"], "note": "of rest"},
    ]
    file.write_text(json.dumps(rows))
    import_names(model, file)
    file.write_text(json.dumps([{"kind": "class", "key": path, "name": "days"}]))
    import_names(model, file)
    kept = [(row["name"], row["note"], row["key"]) for row in name_rows(Model(model))]
    left = [("lost", "", None), ("lost", "", None), ("days", "of rest", None)]
    assert kept == [("days", "", path), *left]


def test_notes_stay_with_new_names(model: Path, tmp_path: Path) -> None:
    path, file = path_of(model, DAYS), tmp_path / "n.json"
    rows = [
        {"kind": "class", "key": path, "name": "days", "note": "all but one"},
        {"kind": "class", "name": "lost", "words": ["nowhere"], "note": "was here"},
    ]
    file.write_text(json.dumps(rows))
    import_names(model, file)
    name_classes(model, {path: "weekdays"})
    other = path_of(model, VERBS)
    assert other != path
    name_classes(model, {other: "lost"})
    found = {row["key"]: (row["name"], row["note"]) for row in name_rows(Model(model))}
    assert found == {path: ("weekdays", "all but one"), other: ("lost", "was here")}
    assert set(Model(model).names.more[other].words) >= set(VERBS)
