"""Which sources files, folders, patterns, network addresses and ``-`` stand for."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from firth import formats
from firth.corpus._blocks import STANDARD_INPUT
from firth.corpus._reading import Format
from firth.corpus._sources import Source
from firth.errors import InputError, shown
from firth.store import MANIFEST

__all__ = ["find_sources"]

_FOLDER_SUFFIXES = (
    ".txt",
    ".text",
    ".jsonl",
    ".ndjson",
    ".parquet",
    ".arrow",
    ".feather",
    ".conllu",
    ".csv",
    ".tsv",
    ".tei",
    ".vrt",
    ".vert",
    ".eaf",
    ".flextext",
    ".sfm",
)
_XML = (".xml",)
"""The suffix of files that are read if their content is of a known format."""
_KINDS = {"jsonl": "json"}
"""What formats are called here, if it is not their name."""
_HEAD = 1 << 12
_LONGEST_NAME = 200
"""Longer names are shortened in messages."""
_URL_AS_PATH = re.compile(r"\w{2,}:/[^/]")
"""How a URL looks after it was a ``Path``."""
_COMPRESSED = ("", ".gz", ".bz2", ".xz", ".zst")


def find_sources(
    inputs: Sequence[str | Path],
    column: str = "text",
    skip_bad: bool = False,
    read_as: Format | None = None,
) -> list[Source]:
    """The sources that files, folders, patterns, addresses and ``-`` (standard input) stand for.

    Addresses are whatever fsspec knows, such as ``s3://bucket/*.txt``. Folders are searched for files
    with a known suffix. The files of a folder or pattern are in alphabetical order. Unless
    ``skip_bad``, it is an error if one of them cannot be opened. Names and first lines tell what kind of
    files they are, unless ``read_as`` is given.
    """
    if isinstance(inputs, str | Path):
        inputs = [inputs]
    if not inputs:
        raise InputError(
            "No text was given.", "Give files, folders or patterns, or - for standard input."
        )
    kind = _KINDS.get(read_as or "", read_as)
    return [source for name in inputs for source in _sources_of(name, column, skip_bad, kind)]


def _sources_of(name: str | Path, column: str, skip_bad: bool, kind: str | None) -> list[Source]:
    if str(name) == "-":
        return [Source(STANDARD_INPUT, kind or "text", None, column)]
    if isinstance(name, str) and formats.is_url(name):
        here = formats.local_path(name)
        if here is None:
            return _remote_sources(name, column, kind)
        name = str(here)
    path = Path(name)
    exists = _exists(path)
    if exists and path.is_dir():
        found = _in_folder(path)
    elif not exists and glob.has_magic(str(name)):
        found = sorted(Path(p) for p in glob.glob(str(name), recursive=True))  # noqa: PTH207
        found = [p for p in found if p.is_file()]
        if not found:
            raise InputError(
                f"No file matches the pattern {name}.",
                "Check the pattern, and quote it for the shell.",
            )
    elif not exists:
        raise _no_file(str(name))
    else:
        found = [path]
    return [_source(p, column, skip_bad, kind) for p in found]


def _no_file(name: str) -> InputError:
    if _URL_AS_PATH.match(name):
        return InputError(f"There is no file {name}.", "Give an address as str, not as Path.")
    return InputError(
        f"There is no file {name if len(name) <= _LONGEST_NAME else f'{name[:_LONGEST_NAME]}...'}.",
        "Check the name. In Python, give raw text as a list of sentences.",
    )


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # such as a name that is too long
        return False


def _source(path: Path, column: str, skip_bad: bool, kind: str | None) -> Source:
    once = path.exists() and not path.is_file()  # a pipe: opening it would consume it
    found = kind or formats.kind_of(path.name)
    if not once:
        try:  # report errors before reading starts
            with formats.open_stream(path) as stream:
                if kind is None and found == "text":
                    found = formats.kind_of_content(stream.read(_HEAD))
        except InputError:
            if not skip_bad:
                raise
    return Source(shown(path), found, path.absolute(), column, once=once)


def _remote_sources(url: str, column: str, kind: str | None) -> list[Source]:
    found = formats.find_remote(url, _texts_among)
    if not found:
        raise _no_texts(formats.without_secrets(url))
    return [Source(file.name, kind or _remote_kind(file), file, column) for file in found]


def _remote_kind(file: formats.RemoteFile) -> str:
    """The kind of a remote file: only XML is looked into."""
    if not file.filename.lower().endswith(".xml"):
        return formats.kind_of(file.filename)
    with formats.reading(file.name):
        return formats.kind_of_content(file.head(_HEAD))


def _in_folder(folder: Path) -> list[Path]:
    names = [p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()]
    texts = _texts_among(names)
    texts += [name for name in _texts_among(names, _XML) if _is_known_xml(folder / name)]
    found = sorted(folder / name for name in texts)
    if not found:
        raise _no_texts(str(folder))
    return found


def _is_known_xml(path: Path) -> bool:
    """Whether a file of a folder is annotated text; others are not read."""
    try:
        with formats.open_stream(path) as stream:
            return formats.kind_of_content(stream.read(_HEAD)) != "text"
    except InputError:
        return False


def _texts_among(names: Iterable[str], kinds: Sequence[str] = _FOLDER_SUFFIXES) -> list[str]:
    """Of all files in a folder, those with text: by their suffix, not hidden, and not in a model."""
    suffixes = tuple(s + c for s in kinds for c in _COMPRESSED)
    paths = [PurePosixPath(name) for name in names]
    models = {path.parent for path in paths if path.name == MANIFEST}
    return [
        str(path)
        for path in paths
        if path.name.lower().endswith(suffixes)
        and not any(part.startswith(".") for part in path.parts)
        and models.isdisjoint(path.parents)
    ]


def _no_texts(folder: str) -> InputError:
    return InputError(
        f"The folder {folder} has no text files.",
        f"Firth reads {' '.join(_FOLDER_SUFFIXES)} there, also compressed (.gz .bz2 .xz .zst); "
        "other files must be given by name.",
    )
