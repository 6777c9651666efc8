"""The table of data sets: what comes with Firth, or a file of the user in the same form."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from firth.errors import InputError, ParameterError
from firth.formats import Rows
from firth.store import open_file

__all__ = ["DataSet", "data_sets", "find_set"]

_OWN = Path(__file__).with_name("sets.toml")
_LARGEST_TABLE = 10 << 20
_LARGEST_SET = 1 << 44
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_Check = tuple[Callable[[Any], bool], str]
_LINE: _Check = (
    lambda v: isinstance(v, str) and 0 < len(v) < 1000 and v.isprintable(),
    "a line of text",
)
_CHECKS: dict[str, _Check] = {
    "title": _LINE,
    "licence": _LINE,
    "url": (
        lambda v: isinstance(v, str) and re.fullmatch(r"https?://[!-~]{1,2000}", v) is not None,
        "an address that begins with https:// or http://",
    ),
    "size": (lambda v: type(v) is int and 0 < v < _LARGEST_SET, "a number of bytes"),
    "sha256": (
        lambda v: isinstance(v, str) and re.fullmatch("[0-9a-f]{64}", v) is not None,
        "64 hexadecimal digits in lower case",
    ),
}


@dataclass(frozen=True)
class DataSet:
    """A file that can be downloaded.

    Attributes
    ----------
    name, title, licence : str
    url : str
    size : int
        In bytes.
    sha256 : str
        The checksum that the file must have.
    """

    name: str
    title: str
    licence: str
    url: str
    size: int
    sha256: str


def data_sets(table: str | Path | None = None) -> Rows[DataSet]:
    """The data sets of a table, in its order.

    Parameters
    ----------
    table : str or Path, optional
        A TOML file with a section for each data set; by default the table that comes with Firth.

    Examples
    --------
    >>> from firth.data import data_sets
    >>> {one.name: one.licence for one in data_sets()}["wnut17-train"]
    'CC-BY-4.0'
    """
    path = _OWN if table is None else Path(table)
    try:
        with open_file(path) as file:
            data = file.read(_LARGEST_TABLE + 1)
        found = tomllib.loads(data[:_LARGEST_TABLE].decode("utf-8"))
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror}.", "Check the name.") from None
    except (ValueError, RecursionError) as error:  # TOMLDecodeError and UnicodeDecodeError, too
        raise InputError(f"{path} is not a TOML file: {error}.", None) from None
    if len(data) > _LARGEST_TABLE:
        raise InputError(f"{path} is too large for a table of data sets.")
    return Rows((_checked(name, entry, path) for name, entry in found.items()), DataSet)


def _checked(name: str, entry: Any, path: Path) -> DataSet:
    where = f"{path}: [{name}]"
    if not _NAME.fullmatch(name) or not isinstance(entry, dict):
        raise InputError(
            f"{where} is not a data set.",
            "Names have lower-case letters, digits and hyphens, and each has a section of its own.",
        )
    wanted = [field.name for field in fields(DataSet) if field.name != "name"]
    if wrong := sorted(set(wanted) ^ set(entry)):
        raise InputError(f"{where} must have {', '.join(wanted)} (see {', '.join(wrong)}).")
    for key, (is_right, form) in _CHECKS.items():
        if not is_right(entry[key]):
            raise InputError(f"{where}: {key} must be {form}.")
    return DataSet(name, **entry)


def find_set(name: str, table: str | Path | None) -> DataSet:
    """The data set with some name."""
    found = {one.name: one for one in data_sets(table)}
    if name not in found:
        hint = f"There are {', '.join(found)}." if found else "The table is empty."
        raise ParameterError(f"There is no data set {name!r}.", hint)
    return found[name]
