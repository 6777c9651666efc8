"""firth find."""

from __future__ import annotations

import shlex
from typing import Annotated, Any

import typer

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.find import FindParameters

_WIDTH = 50
"""Characters on each side if the output is not a terminal."""
_LINES = 20


@command(FindParameters)
def find(
    model: shared.ModelPath,
    patterns: Annotated[
        list[str],
        shared.argument("PATTERN...", "What to find; several patterns are alternatives."),
    ],
    *,
    options: dict[str, Any],
    n: Annotated[
        int | None,
        shared.option(
            "-n", "N", f"Maximum number of lines: {_LINES}, or all with --output.", least=1
        ),
    ] = None,
    where: shared.Where = None,
    by: Annotated[
        str | None,
        shared.option("--by", "COLUMN", "Count the matches by a column of the documents."),
    ] = None,
    columns: Annotated[
        str | None,
        shared.option(
            "--columns", "COLUMN,...", "Show what is known about the document before each line."
        ),
    ] = None,
    count: Annotated[bool, shared.flag("--count", "Print only the number of matches.")] = False,
    output: Annotated[
        str | None,
        shared.option("--output -o", "FILE", "Write the lines to a file: .csv, .tsv or .json."),
    ] = None,
    width: Annotated[int | None, typer.Option("--width", hidden=True, min=0)] = None,
    json: shared.Json = False,
) -> None:
    """Find words, phrases and patterns, and show them in context (a concordance).

    A pattern is a word or several in a row. econom* and wom?n stand for many words, /regex/ for those in
    which it is found, ~word ignores case and accents, (a|b) has alternatives, and {0,3} is a gap. \\[class=0101*],
    \\[tag=4] and \\[like=monday n=50] stand for the words of a class, of a tag, and for similar words. Quote
    patterns, so that the shell leaves them alone.

    --where selects documents by what is known about them, such as --where 'year >= 1900 and party == "D"',
    --by year counts the matches for each year, and --columns year,party shows both before each line.

    Lines come from the original text if it still exists and has not changed. Text at network addresses
    is opened only with --remote: use it with models that you trust.

    Example: [bold]firth find news "on (monday|tuesday)" --sort R1[/]
    """
    from firth.cli._print_hits import beside_lines, print_frequencies, print_hits
    from firth.find import Finder, Ranges, frequencies, line_rows, select
    from firth.formats import check_output
    from firth.model import load

    if output is not None:
        check_output(output)
    if width is not None:
        shared.notice(f"--width {width} is now written --context {width}c.")
        options.setdefault("context", f"{width}c")
    corpus = shared.open_part(model, "corpus")
    # validating the index would take longer than a scan of all tokens
    with shared.reporting(quiet=False):
        opened = load(model)
        needed = any(option is not None for option in (where, by, columns))
        has = "documents" in opened and not opened.is_stale("documents")
        documents: Any = opened.part("documents") if needed or has else None
        chosen = None if where is None else select(documents, where)
        ranges = None if chosen is None else Ranges(*documents.ranges(chosen))
        stop = not (count or json or output)
        if chosen is not None and not chosen.any():
            _tell(
                f"No document is selected: {where}.",
                f"Show them: firth corpus documents {shlex.quote(model)}",
                stop,
            )
        finder = Finder(corpus, part=opened.part)
        found = finder.find(*patterns, ranges=ranges)
        _tell_missing(corpus, found, stop)
        _tell_other_spellings(finder, patterns, found, ranges)
        written = 0
        rows = frequencies(documents, by, found.starts, chosen) if by is not None else None
        if output is not None and rows is None:
            written = found.write(output, n, documents=documents, **options)
        elif rows is None and not count:
            terminal = not json and shared.stdout().is_terminal
            fits = terminal and "context" not in options
            options.setdefault("context", f"{shared.stdout().width if fits else _WIDTH}c")
            hits = found.lines(n or _LINES, **options)
            beside = beside_lines(hits, documents, columns)
    if rows is not None:
        print_frequencies(str(by), rows, output, json)
    elif output is not None:
        shared.print_written(output, written, "line")
    elif count:
        shared.print_json({"count": len(found)}) if json else shared.stdout().print(f"{len(found)}")
    elif json:
        data = list(line_rows(hits, documents))
        shared.print_json({"query": patterns, "count": len(found), "hits": data})
    else:
        how = options.get("sample", "even")
        print_hits(hits, len(found), options["context"], how, fits, beside)


def _tell_missing(corpus: Any, found: Any, stop: bool) -> None:
    """Say which word does not occur, if nothing was found because of it."""
    if len(found) or not found.missing:
        return
    word = found.missing[0]
    message, hint = f"The word {word!r} is not in the corpus.", corpus.vocabulary.suggestion(word)
    if any(word in phrase for phrase in corpus.phrases or ()):
        hint = f"It occurs in phrases that are one token: firth find MODEL '*{word}*'"
    _tell(message, hint, stop)


def _tell_other_spellings(finder: Any, patterns: list[str], found: Any, ranges: Any) -> None:
    """Say how often there is what was not found, regardless of case and accents."""
    from firth.errors import QueryError

    if len(found) or found.missing or any("~" in pattern for pattern in patterns):
        return
    folded = [f"~({pattern})" for pattern in patterns]
    try:
        n = len(finder.find(*folded, ranges=ranges))
    except QueryError:  # too long, now
        return
    if n:
        typed = " ".join(map(shlex.quote, folded))
        shared.notice(f"Regardless of case and accents, there are {n:,}: {typed}")


def _tell(message: str, hint: str | None, stop: bool) -> None:
    """An error, or a note if what was asked for is a number or a file that may be empty."""
    if stop:
        shared.fail(message, hint)
    shared.notice(f"{message} {hint}" if hint else message)
