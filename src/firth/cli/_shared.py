"""What all commands share: options, errors in two lines, output for people and for programs."""

from __future__ import annotations

import functools
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Annotated, Any, NoReturn, TypeVar

import typer

from firth.errors import FirthError
from firth.progress import show_progress

Function = TypeVar("Function", bound=Callable[..., Any])

Texts = Annotated[
    list[str],
    typer.Argument(
        metavar="TEXT...",
        help="Files, folders, quoted patterns, or - for standard input.",
        show_default=False,
    ),
]
ModelPath = Annotated[
    str, typer.Argument(metavar="MODEL", help="A model folder.", show_default=False)
]
Output = Annotated[
    str,
    typer.Option(
        "--output", "-o", metavar="MODEL", help="The model folder to write.", show_default=False
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print JSON, and nothing else, on standard output.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no summary.")]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads", metavar="N", help="Threads to use; all cores by default.", show_default=False
    ),
]
Memory = Annotated[
    str, typer.Option("--memory", metavar="SIZE", help="About how much memory counting may use.")
]

Tokens = Annotated[
    str, typer.Option("--tokens", metavar="words|whitespace|characters", help="What a token is.")
]
Split = Annotated[
    str, typer.Option("--split", metavar="lines|sentences|none", help="What a sentence is.")
]
Lowercase = Annotated[bool, typer.Option("--lowercase", help="Lower-case all words.")]
Digits = Annotated[
    str, typer.Option("--digits", metavar="keep|zero", help="Keep digits, or turn them all into 0.")
]
Errors = Annotated[
    str,
    typer.Option(
        "--errors",
        metavar="strict|replace",
        help="Stop at bytes that are not UTF-8, or replace them.",
    ),
]
Column = Annotated[
    str,
    typer.Option(
        "--column", metavar="NAME", help="The text column of JSON Lines, Parquet and Arrow files."
    ),
]

ContextsOption = Annotated[
    str,
    typer.Option("--contexts", metavar="KIND", help="R1, LR2, bag5, ... or offsets such as -2,1."),
]
Weights = Annotated[
    str,
    typer.Option(
        "--weights", metavar="none|distance|dynamic", help="How contexts count by their distance."
    ),
]
MinCount = Annotated[
    int,
    typer.Option(
        "--min-count", metavar="N", help="Words with fewer occurrences become one rare symbol."
    ),
]
VocabularySize = Annotated[
    int, typer.Option("--vocabulary", metavar="N", help="The most words to keep; 0 for no limit.")
]
AcrossLines = Annotated[
    bool, typer.Option("--across-lines", help="Let contexts reach over sentence ends.")
]

_debug = False


def set_debug(on: bool) -> None:
    """Let errors show where they came from."""
    global _debug
    _debug = on


def no_limit(vocabulary: int) -> int | None:
    """The command line's 0 is the library's None."""
    return vocabulary or None


def guarded(function: Function) -> Function:
    """Turn errors into an ``error:`` and a ``hint:`` line and an exit status."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except FirthError as error:
            if _debug:
                raise
            fail(error.message, error.hint)
        except KeyboardInterrupt:
            if _debug:
                raise
            fail(
                "Interrupted.",
                "What was finished is kept; the same command goes on from there.",
                status=130,
            )
        except BrokenPipeError:  # the reader of our output has gone away, as head does
            with suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except MemoryError:
            fail(
                "There is not enough memory.",
                "Use a smaller --memory or --vocabulary, or fewer --threads.",
            )
        except OSError as error:
            if _debug:
                raise
            fail(
                f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}.", None
            )

    return run  # type: ignore[return-value]


def fail(message: str, hint: str | None, status: int = 1) -> NoReturn:
    """One ``error:`` line, one ``hint:`` line, and out."""
    console = stderr()
    console.print(f"[bold red]error:[/] {escaped(message)}", soft_wrap=True)
    if hint:
        console.print(f"[cyan]hint:[/] {escaped(hint)}", soft_wrap=True)
    raise typer.Exit(status)


def on_terminate(*_: object) -> NoReturn:
    """SIGTERM: leave as after Ctrl-C, cleaning up, with the customary status."""
    raise SystemExit(128 + signal.SIGTERM)


@contextmanager
def reporting(quiet: bool) -> Iterator[None]:
    """Show progress unless the user wants none."""
    if quiet:
        yield
    else:
        with show_progress():
            yield


def stdout() -> Any:
    from rich.console import Console

    return Console(highlight=False, soft_wrap=True)


def stderr() -> Any:
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def print_json(data: Any) -> None:
    """Data for programs; every character survives, and none can disturb a terminal."""
    sys.stdout.write(json.dumps(data, indent=2, ensure_ascii=not _is_utf8()) + "\n")


def _is_utf8() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


_VISIBLE_FORMATS = "\u200c\u200d"


def printable(text: str) -> str:
    """Text that cannot disturb a terminal: control characters and their kind are spelled out.

    >>> printable("a\\x1b[31mb\\u202e")
    'a\\\\x1b[31mb\\\\u202e'
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in _VISIBLE_FORMATS else c.encode("unicode_escape").decode()
        for c in text
    )


def escaped(text: str) -> str:
    """The same, safe inside Rich's markup too."""
    from rich.markup import escape

    return (
        escape(printable(text)).replace("\\\\[", "\\[")
        if text.endswith("\\")
        else escape(printable(text))
    )
