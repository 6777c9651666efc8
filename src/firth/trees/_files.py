"""Files of trees."""

from __future__ import annotations

import glob
from collections.abc import Iterable
from pathlib import Path

from firth.errors import InputError

__all__ = ["tree_files"]

_HINT = "Give files of trees, or a quoted pattern such as 'trees/*.mrg'."


def tree_files(names: str | Path | Iterable[str | Path]) -> list[Path]:
    """Expand names and patterns to files; those of a pattern are sorted by name.

    Parameters
    ----------
    names : str, Path or iterable of them
    """
    found: list[Path] = []
    for name in [names] if isinstance(names, str | Path) else names:
        path = Path(name)
        if str(name) == "-":
            raise InputError(
                "Trees cannot be read from standard input: a model records its files.",
                "Write the trees to a file first.",
            )
        if path.is_file():
            found.append(path)
        elif path.exists():
            raise InputError(
                f"{name} is {'a folder' if path.is_dir() else 'not a regular file'}.", _HINT
            )
        elif glob.has_magic(str(name)):
            matches = sorted(Path(p) for p in glob.glob(str(name), recursive=True))  # noqa: PTH207
            files = [match for match in matches if match.is_file()]
            if not files:
                raise InputError(f"No file matches the pattern {name}.", _HINT)
            found += files
        else:
            raise InputError(f"There is no file {name}.", _HINT)
    if not found:
        raise InputError("No files were given.", _HINT)
    return found
