"""What all commands share: options, errors in two lines, output for people and for programs."""

from __future__ import annotations

import functools
import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar

import typer

from firth import progress, unicode
from firth.errors import FirthError, InputError, ParameterError, QueryError
from firth.parameters import share_of as share_of
from firth.progress import count_of as count_of

Function = TypeVar("Function", bound=Callable[..., Any])


def argument(metavar: str, text: str) -> Any:
    """The annotation of an argument of a command."""
    return typer.Argument(metavar=metavar, help=text)


def option(
    names: str, metavar: str, text: str, panel: str | None = None, least: int | None = None
) -> Any:
    """The annotation of an option that takes a value. (Parameters of stages become options by themselves.)"""
    return typer.Option(
        *names.split(), metavar=metavar, help=text, rich_help_panel=panel, min=least
    )


def flag(names: str, text: str, panel: str | None = None) -> Any:
    """The annotation of an option that takes no value."""
    return typer.Option(*names.split(), help=text, rich_help_panel=panel)


Texts = Annotated[
    list[str],
    argument("TEXT...", "Files, folders, addresses or quoted patterns; - for standard input."),
]
TextsOrInput = Annotated[
    list[str] | None,
    argument(
        "[TEXT...]", "Files, folders, addresses or quoted patterns; standard input by default."
    ),
]
ModelPath = Annotated[str, argument("MODEL", "A model folder.")]
ModelOrTexts = Annotated[
    list[str], argument("MODEL|TEXT...", "A model folder with a corpus; or text, with -o MODEL.")
]
OptionalOutput = Annotated[str | None, option("--output -o", "MODEL", "The model folder to write.")]
_WHERE = "Only documents for which this holds, such as 'year >= 1900'"
Where = Annotated[str | None, option("--where", "EXPR", f"{_WHERE}.")]
Wheres = Annotated[
    list[str] | None, option("--where", "EXPR", f"{_WHERE}; give it twice for two groups.")
]
Table = Annotated[
    str | None, option("--output -o", "FILE", "Write all rows to a file: .csv, .tsv or .json.")
]
Output = Annotated[str, option("--output -o", "MODEL", "The model folder to write.")]
NumberOfWords = Annotated[int, option("-n", "N", "Number of words.", least=1)]
Json = Annotated[bool, flag("--json", "Print JSON only.")]
Quiet = Annotated[bool, flag("--quiet -q", "Print no progress and no summary.")]

OPTION_OF: dict[str, str] = {}
"""The option of each parameter, from the stages that commands take their options from."""
_debug = False
_WIDE = 1000


def set_debug(on: bool) -> None:
    """Let errors show where they came from."""
    global _debug
    _debug = on


def model_and_texts(part: str, sources: list[str], output: str | None) -> tuple[str, list[str]]:
    """The model that a part is learned into, and the texts to read for it, if any."""
    from firth.formats import is_url, without_secrets
    from firth.parts import PARTS
    from firth.store import MANIFEST

    models = [source for source in sources if (Path(source) / MANIFEST).exists()]
    kind = PARTS[part]
    if models and len(sources) > 1:
        fail("Give a model or texts, not both.", f"See: firth {part} learn --help", status=2)
    if models and output not in (None, sources[0]):
        verb, they = ("are", "they are") if kind.plural else ("is", "it is")
        fail(
            f"The {kind.title} {verb} written to the model that {they} learned from.",
            f"Omit -o, or copy the model first: cp -r {sources[0]} {output}",
            status=2,
        )
    if models:
        return sources[0], []
    there = is_url(sources[0]) or Path(sources[0]).exists()
    if len(sources) == 1 and not output and not there:
        fail(f"There is no model and no text {sources[0]}.", "Check the name.")
    if not output:
        fail(
            f"{without_secrets(sources[0])} is not a model: give --output (-o) to write one.",
            "For example: -o my-model",
            status=2,
        )
    return output, sources


def required_output(output: str | None) -> str:
    """The model folder to write, which must be given."""
    if not output:
        fail("Give --output (-o), the model folder to write.", "For example: -o my-model", status=2)
    return output


def existing_file(name: str, what: str) -> Path:
    """The path of a file, which must exist."""
    path = Path(name)
    if name == "-":
        fail("Standard input cannot be used here.", f"Give a file: {what}.")
    if not path.is_file():
        problem = f"{name} is a folder." if path.is_dir() else f"There is no file {name}."
        fail(problem, f"Give a file: {what}.")
    return path


def input_lines(name: str | None, what: str = "text") -> Iterator[tuple[int, str]]:
    """Numbered lines of a text file, or of standard input (None or ``-``) as they come in."""
    from firth.formats import text_lines

    if name is None or name == "-":
        return _lines_of_input()
    path = Path(name)
    if path.is_dir() or not path.exists():
        problem = f"{name} is a folder." if path.is_dir() else f"There is no file {name}."
        fail(problem, f"Give a file: {what}.")
    return text_lines(path)


def _lines_of_input() -> Iterator[tuple[int, str]]:
    """Standard input, which is UTF-8 whatever the locale is."""
    from firth.formats import current_limits, describe_binary
    from firth.store import standard_input

    stream, limits = standard_input(), current_limits()
    longest = limits.line_bytes
    lines = iter(lambda: stream.readline(longest + 1), b"")
    for number, line in enumerate(lines, 1):
        limits.check_line(len(line.rstrip(b"\r\n")), f"Line {number} of standard input")
        binary = describe_binary(line) if number == 1 else None
        if binary:
            raise InputError(f"Standard input is {binary[0]}, not text.", binary[1])
        try:
            yield number, line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            raise InputError(
                f"Line {number} of standard input is not in UTF-8.",
                "Convert the text first, for example with iconv.",
            ) from None


def input_name(name: str | None) -> str:
    """What a file, or standard input, is called in messages."""
    return "standard input" if name in (None, "-") else str(name)


def assignments(entries: list[str], form: str, example: str) -> dict[str, str]:
    """What stands before and after the equals sign of each entry."""
    given = {}
    for entry in entries:
        key, equals, value = entry.partition("=")
        if not equals:
            fail(f"Expected {form}. Got {entry!r}.", f"For example: {example}", status=2)
        given[key] = value
    return given


def open_part(model: str, name: str) -> Any:
    """A part of a model; an error says how to make it if it is missing."""
    from firth.hub import ADDRESS
    from firth.model import load
    from firth.parts import PARTS, missing_part

    kind = PARTS[name]
    if not model.startswith(ADDRESS) and not Path(model).exists():
        fail(f"There is no model folder {model}.", f"Make one: {kind.how(model)}")
    opened = load(model)
    if name not in opened:
        raise missing_part(name, model, has_corpus="corpus" in opened)
    return getattr(opened, name)


def check_where(where: str | None, word: str | None) -> None:
    """Stop if there is a condition on documents, but no word that is looked for in them."""
    if where is not None and word is None:
        fail("--where is for a word.", "Give one: firth show MODEL WORD --where EXPR", status=2)


def units_of(model: str, reading: Any) -> Any:
    """What makes tokens of words: the morphology of a model, if tokens are morphs, or its phrases.

    There is a notice if text was segmented by another version of ICU, or of a segmenter.
    """
    segmenter_notice(model, reading.tokens)
    if reading.phrases is not None:
        return open_part(model, "corpus").phrases
    return open_part(model, "morphs") if reading.tokens == "morphs" else None


def segmenter_notice(model: str, tokens: str | None) -> None:
    """Say so if the text of a model was segmented by another version of what segments text now."""
    from firth.corpus import version_of
    from firth.model import load

    now = version_of(tokens) if tokens else None
    parts = load(model).parts if now and Path(model).is_dir() else {}
    known = parts["corpus"].facts.get("segmenter") if "corpus" in parts else None
    if known and known != now:
        notice(f"{model} was segmented by {known}; this text is by {now}, and tokens may differ.")


def tokens_of(model: str) -> dict[str, str]:
    """The option ``tokens``, if the text of a model was segmented by ICU or by a segmenter."""
    from firth.model import load

    parts = load(model).parts if Path(model).is_dir() else {}
    corpus = parts.get("corpus")
    if corpus is None or "segmenter" not in corpus.facts:
        return {}
    return {"tokens": str(corpus.parameters["tokens"])}


def print_nothing_to_do(model: Any) -> None:
    """Say so if everything was learned before."""
    if not model.changed:
        stdout().print("Nothing to do: the model is up to date.")


def print_next(command: str, what: str = "try") -> None:
    """A command to try next."""
    stdout().print(line((f"{what:<8} {command}", "dim")))


def width_of(text: str) -> int:
    """The number of terminal columns that a text takes."""
    from rich.cells import cell_len

    return cell_len(printable(text))


def padded(text: str, width: int) -> str:
    """Text with blanks up to a width; some characters are two columns wide."""
    return text + " " * (width - width_of(text))


def fitting(text: str, width: int) -> str:
    """As much of a text as fits into a number of terminal columns."""
    while width_of(text) > width:
        text = text[:-1]
    return text


def guarded(function: Function) -> Function:
    """Turn errors into an ``error:`` and a ``hint:`` line and an exit status."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except BrokenPipeError:  # the reader of our output has gone away, as head does
            with suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except typer.Exit:
            raise
        except (Exception, KeyboardInterrupt) as error:
            if _debug:
                raise
            # an interruption may break anything, such as the compiling of a kernel
            reason = progress.interruption() or error
            if isinstance(reason, SystemExit):
                raise reason from None
            if not isinstance(reason, FirthError | OSError | MemoryError | KeyboardInterrupt):
                raise
            fail(*_in_words(reason), place=_pointed(reason))

    return run  # type: ignore[return-value]


def _in_words(error: BaseException) -> tuple[str, str | None, int]:
    """What happened, what next, and the exit status."""
    if isinstance(error, ParameterError):  # speak of the option, not of the parameter
        message = error.message
        if error.name and error.rule:
            option = OPTION_OF.get(error.name, "--" + error.name.replace("_", "-"))
            message = f"{option} {error.rule}".replace(" or None", "")  # which cannot be typed
        return message, error.hint, 2
    if isinstance(error, FirthError):
        return error.message, error.hint, 1
    if isinstance(error, KeyboardInterrupt):
        hint = "What was finished is kept; the same command continues from there."
        return "Interrupted.", hint, 130
    if isinstance(error, MemoryError):
        return "There is not enough memory.", "Use a smaller --memory or --vocabulary.", 1
    name = getattr(error, "filename", None)
    return f"{getattr(error, 'strerror', None) or error}{f': {name}' if name else ''}.", None, 1


def _pointed(error: BaseException) -> tuple[str, ...]:
    """A query, and a line with a caret below the place of the mistake."""
    if not isinstance(error, QueryError):
        return ()
    text, place = error.excerpt()
    return text, " " * width_of(text[:place]) + "^"


def fail(message: str, hint: str | None, status: int = 1, place: tuple[str, ...] = ()) -> NoReturn:
    """One ``error:`` line, perhaps the place of the mistake, one ``hint:`` line, and out."""
    console = stderr()
    console.print(line(("error:", "bold red"), " ", message), soft_wrap=True)
    for text in place:
        console.print(line("    ", text), soft_wrap=True)
    if hint:
        console.print(line(("hint:", "cyan"), " ", hint), soft_wrap=True)
    raise typer.Exit(status)


def notice(message: str) -> None:
    """A ``note:`` line before any work has begun."""
    stderr().print(line(("note:", "yellow"), " ", message), soft_wrap=True)


def print_usage_error(error: Any) -> int:
    """A usage error in the same two lines as all others; returns the exit status."""
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        return int(error.exit_code)
    message = (_wrong_number(error) or error.format_message().replace("Value error, ", "")).strip()
    command = getattr(error.ctx, "command_path", "firth")
    with suppress(typer.Exit):
        fail(message, f"See: {command} --help")
    return int(error.exit_code)


_NUMBERS = {
    "int_parsing": "an integer", "int_from_float": "an integer", "float_parsing": "a number",
    "greater_than_equal": "at least {ge:g}", "less_than_equal": "at most {le:g}",
    "greater_than": "greater than {gt:g}", "less_than": "less than {lt:g}",
}  # fmt: skip
"""What a number must be, by Pydantic's name of the mistake: newer versions of Typer check with it."""


def _wrong_number(error: Any) -> str | None:
    """What is wrong with a number, in the words of all other errors; None if it is something else."""
    found: list[Any] = getattr(error.__cause__, "errors", list)()
    if not found or found[0]["type"] not in _NUMBERS or not error.param:
        return None
    rule = _NUMBERS[found[0]["type"]].format(**found[0].get("ctx", {}))
    name = error.param.opts[0] if error.param.param_type_name == "option" else error.param.metavar
    return f"{name} must be {rule}. Got {found[0]['input']}."


def open_streams() -> None:
    """Give the program the standard streams that it was started without.

    Or else the next file that is opened would get the number of one of them, and messages of
    libraries would be written into it. Standard input stays closed for Python, as nothing can be read.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number, which is this one
        if name != "stdin" and getattr(sys, name) is None:
            stream = os.fdopen(number, "w", encoding="utf-8", closefd=False)
            setattr(sys, name, stream)


def handle_signals() -> None:
    """Let Ctrl-C and SIGTERM end the program, cleaning up, wherever they arrive."""
    signal.signal(signal.SIGINT, lambda *_: progress.interrupt(KeyboardInterrupt()))
    signal.signal(signal.SIGTERM, lambda *_: progress.interrupt(SystemExit(128 + signal.SIGTERM)))
    show = sys.unraisablehook

    def show_others(lost: Any) -> None:
        if not isinstance(lost.exc_value, KeyboardInterrupt | SystemExit):  # those come again
            show(lost)

    sys.unraisablehook = show_others


@contextmanager
def interruptible(hint: str | None = None) -> Iterator[None]:
    """What Ctrl-C says where there is nothing to go on from."""
    try:
        yield
    except KeyboardInterrupt:
        fail("Interrupted.", hint, status=130)


@contextmanager
def reporting(quiet: bool) -> Iterator[None]:
    """Show progress unless the user wants none."""
    if quiet:
        yield
    else:
        with progress.show_progress():
            yield


def stdout() -> Any:
    from rich.console import Console

    class Patient(Console):
        """Leaves it to us what to do when the reader of our output has gone away."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Patient(highlight=False, soft_wrap=True)


def print_written(file: str, n: int, what: str) -> None:
    """Say how many of what were written to a file."""
    stdout().print(line(f"{count_of(n, what)}: ", (file, "bold")))


def write_table(file: str, rows: Sequence[Mapping[str, Any]], what: str) -> None:
    """Write rows to a file, and say how many of what they are."""
    from firth.formats import write_rows

    write_rows(file, rows)
    print_written(file, len(rows), what)


def print_table(table: Any) -> None:
    """A table as wide as the terminal, or as it needs where there is none: nothing is cut in a pipe."""
    console = stdout()
    if not console.is_terminal:
        console.width = max(console.width, _WIDE)
    console.print(table)


def stderr() -> Any:
    from rich.console import Console

    return Console(stderr=True, highlight=False)


_UNSAFE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def json_text(data: Any, indent: int | None = None) -> str:
    """Data for programs; every character survives, and none can disturb a terminal."""
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    text = json.dumps(data, indent=indent, ensure_ascii=not utf8)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def print_json(data: Any) -> None:
    """Data for programs, as ``json_text`` writes it, on several lines."""
    sys.stdout.write(json_text(data, 2) + "\n")


_JOINERS = "\u200c\u200d"


def printable(text: str) -> str:
    """Text that cannot disturb a terminal: control characters and their kind are spelled out.

    >>> printable("a\\x1b[31mb\\u202e")
    'a\\\\x1b[31mb\\\\u202e'
    """
    if unicode.is_printable(text):
        return text
    return "".join(
        c if unicode.is_printable(c) or c in _JOINERS else c.encode("unicode_escape").decode()
        for c in text
    )


def line(*parts: str | tuple[str, str]) -> Any:
    """A line for the console from texts and (text, style) pairs; nothing in a text is markup."""
    from rich.text import Text

    texts = [part if isinstance(part, tuple) else (part, "") for part in parts]
    return Text.assemble(*((printable(text), style) for text, style in texts))
