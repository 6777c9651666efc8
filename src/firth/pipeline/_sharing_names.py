"""Names as files, to share them and to keep them under version control."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from firth import progress
from firth.errors import InputError
from firth.formats import Rows, open_stream, read_rows, reading, write_rows
from firth.model import Model
from firth.names import MOST_WORDS, Name, Names
from firth.parts import PARTS, load_part
from firth.pipeline._carrying import carry_names, write_names
from firth.pipeline._naming import check_tag_names
from firth.pipeline._places_of_names import place_names, with_words
from firth.store import has_structure, writing

__all__ = ["export_names", "import_names", "name_rows"]

_KINDS = {"class": "classes", "tag": "tags"}
_COLUMNS = {"kind": str, "name": str}
_HEADINGS = ("kind", "key", "name", "note", "words")
_LARGEST = 64 << 20
_FORM = 'Each row has "kind" (class or tag), "name", and "key" or "words"; perhaps a "note".'


def _all_names(model: Model) -> dict[str, Names]:
    """The names of classes and of tags, each with its words.

    If classes were learned and the names not carried over yet, they are where they will be then.
    """
    found = {}
    for kind, of in _KINDS.items():
        part = PARTS[of].names
        if part not in model:
            continue
        names: Names = load_part(model.parts[part])
        if of not in model:
            found[kind] = Names.of({}, [*names.more.values(), *names.left])
        else:
            place = place_names if model.is_stale(part) else with_words
            found[kind] = place(names, load_part(model.parts[of]))
    return found


def export_names(model: str | Path, file: str | Path) -> int:
    """Write all names of a model to a file; returns their number.

    Parameters
    ----------
    model : str or Path
    file : str or Path
        ``.json``, ``.csv`` or ``.tsv``.
    """
    rows = name_rows(Model(model))
    if Path(file).suffix.lower() != ".json":
        rows = Rows(({**row, "words": " ".join(row["words"])} for row in rows), _HEADINGS)
    write_rows(file, rows)
    return len(rows)


def name_rows(model: Model) -> Rows[dict[str, Any]]:
    """All names as rows of a table; the key of those that are left is None."""
    rows = [
        {"kind": kind, "key": key, "name": one.name, "note": one.note, "words": one.words}
        for kind, names in _all_names(model).items()
        for key, one in [*names.more.items(), *((None, one) for one in names.left)]
    ]
    return Rows(rows, _HEADINGS)


def import_names(model: str | Path, file: str | Path) -> Model:
    """Add the names in a file to a model. Names go where their words are, or else where their key says.

    Parameters
    ----------
    model : str or Path
    file : str or Path
        ``.json``, ``.csv`` or ``.tsv``, as ``export_names`` writes it.
    """
    rows = _rows(Path(file))
    with writing(model) as writer:
        for kind, of in _KINDS.items():
            given = [row for row in rows if row["kind"] == kind]
            if not given:
                continue
            carry_names(writer, of)
            opened = Model(model)
            old, thing = getattr(opened, PARTS[of].names), opened.part(of)
            found = _merged(old, given, thing, str(file))
            if kind == "tag":
                check_tag_names(found, writer.parts["tags"].facts["tags"])
            write_names(writer, of, found)
            _tell_replaced(kind, old, found)
    return Model(model)


def _merged(old: Names, rows: list[dict[str, Any]], thing: Any, file: str) -> Names:
    """Names that are there, and those of a file, which replace others at the same place."""
    by_words = Names.of(
        {
            str(i): Name(row["name"], row["words"], row["note"])
            for i, row in enumerate(rows)
            if row["words"]
        }
    )
    placed = place_names(by_words, thing)
    by_key = {row["key"]: Name(row["name"], [], row["note"]) for row in rows if not row["words"]}
    for key in by_key:
        if not _exists(thing, key):
            raise InputError(f"{file} names {key!r}, which does not exist.", _FORM)
    given = {**placed.more, **by_key}
    notes = {key: one.note for key, one in old.more.items()}
    more = old.more | {
        key: replace(one, note=one.note or notes.get(key, "")) for key, one in given.items()
    }
    left = {(one.name, one.note, *one.words): one for one in [*old.left, *placed.left]}
    # a file that is imported again adds nothing
    known = {(one.name, note) for one in given.values() for note in ("", one.note)}
    lost = [one for one in left.values() if (one.name, one.note) not in known]
    return with_words(Names.of(more, lost), thing)


def _tell_replaced(kind: str, old: Names, new: Names) -> None:
    """Say which names and notes a file has replaced."""
    names = {one.name for one in [*new.more.values(), *new.left]}
    for key, one in old.more.items():
        now = new.more[key]
        if one.name not in names:
            progress.notice(f"{kind} {key} was called {one.name} before.")
        if one.note and one.note != now.note:
            progress.notice(f"The note of {now.name} ({kind} {key}) was before: {one.note}")


def _exists(thing: Any, key: str) -> bool:
    if hasattr(thing, "tree"):
        return key in thing.tree.node_of
    return key in map(str, range(thing.n_tags_))


def _rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a file, each with kind, key, name, note and words."""
    if path.suffix.lower() == ".json":
        with reading(path), open_stream(path) as stream:
            found: Any = json.loads(stream.read(_LARGEST))
    else:
        columns: Mapping[str, list[Any]] = read_rows(path)
        found = [
            dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
        ]
    if not has_structure(found, [_COLUMNS]) or not found:
        raise InputError(f"{path} does not contain names.", _FORM)
    rows = []
    for number, row in enumerate(found, 1):
        words = row.get("words") or []
        words = words.split() if isinstance(words, str) else words
        key, note = row.get("key") or "", row.get("note") or ""
        texts = [key, note, row["name"], *words] if isinstance(words, list) else [None]
        if (
            row["kind"] not in _KINDS
            or not row["name"].strip()
            or not all(isinstance(t, str) for t in texts)
        ):
            raise InputError(f"Row {number} of {path} is not a name.", _FORM)
        if not words and not key and (row["kind"] == "tag" or row.get("key") is None):
            raise InputError(f"Row {number} of {path} has neither a key nor words.", _FORM)
        rows.append({"kind": row["kind"], "key": key, "name": row["name"].strip(), "note": note,
                     "words": words[:MOST_WORDS]})  # fmt: skip
    return rows
