"""The boundary of all files that are not ours: whatever goes wrong there is an InputError."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from firth.errors import FirthError, InputError
from firth.formats._remote_errors import in_words_of_network
from firth.formats._urls import is_url

__all__ = ["CANNOT", "Place", "reading"]

CANNOT = "cannot be read"


@dataclass
class Place:
    """Where a reader is; it keeps ``line`` up to date if it reads line by line."""

    line: int = 0


@contextmanager
def reading(name: object, what: str = CANNOT) -> Iterator[Place]:
    """A ``with`` block that reads a file: every exception becomes an InputError that names the file.

    Errors of Firth pass as they are, and so do interruptions. In a generator, the block sees the
    errors of the generator alone: what its consumer raises does not come here.

    Parameters
    ----------
    name : str, Path or RemoteFile
        The file, or what else is read.
    what : str
        What the message says of the file before the reason, such as "is a damaged gzip file".

    Examples
    --------
    >>> with reading("numbers.txt") as place:
    ...     place.line = 3
    ...     float("one")
    Traceback (most recent call last):
    firth.errors.InputError: Line 3 of numbers.txt cannot be read: could not convert string to float: 'one'...
    """
    place = Place()
    try:
        yield place
    except FirthError:
        raise
    except Exception as error:
        raise _in_words(error, str(name), what, place.line) from error


def _in_words(error: Exception, name: str, what: str, line: int) -> InputError:
    """What happened, as an error of Firth."""
    if isinstance(error, MemoryError):  # ArrowMemoryError is one, too
        return InputError(
            f"There is not enough memory to read {name}.",
            "Split the file, or use a machine with more memory.",
        )
    if is_url(name) and (said := in_words_of_network(error, name)):
        return said
    if isinstance(error, FileNotFoundError):
        return InputError(f"There is no file {name}.", "Check the name.")
    if isinstance(error, IsADirectoryError):
        return InputError(f"{name} is a folder, not a file.")
    if isinstance(error, PermissionError):
        return InputError(f"No permission to read {name}.", f"Try: chmod u+r '{name}'")
    if isinstance(error, OSError) and error.errno is not None and error.strerror:
        return InputError(f"Cannot read {name}: {error.strerror}.")
    why = (str(error).splitlines() or [""])[0].rstrip(".") or type(error).__name__
    if isinstance(error, EOFError) or "truncated" in why.lower():
        why = "it ends too early"
    elif isinstance(error, RecursionError):
        why = "it is nested too deeply"
    where = f"Line {line:,} of {name}" if line else name
    return InputError(
        f"{where} {what}: {why}.", "Was it copied as a whole? Copy or write it again."
    )
