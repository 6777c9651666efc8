"""firth grammar apply."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer

from firth.cli import _grammar as common
from firth.cli import _shared as shared

FORMATS = ("brackets", "json", "svg", "pretty")


@shared.guarded
def apply(
    model: shared.ModelPath,
    text: common.TextOrInput = None,
    form: Annotated[
        str, typer.Option("--format", metavar="brackets|json|svg|pretty", help="How to write trees.")
    ] = "brackets",
    n_best: Annotated[
        int | None,
        typer.Option(
            "--n-best", metavar="K", min=1, show_default=False, help="The K best trees of each sentence."
        ),
    ] = None,
    tagged: Annotated[
        bool, typer.Option("--tagged", help="The text is word/TAG word/TAG: the tags are given.")
    ] = False,
    tokens: common.Tokens = None,
    split: Annotated[
        str | None,
        shared.optional("--split", "lines|sentences", "What a sentence of text is; lines by default."),
    ] = None,
) -> None:  # fmt: skip
    """Parse sentences, one on each line.

    A tree is written for each, in brackets on one line; or as an object of JSON on one line, with its tree,
    words and tags, whether the grammar has the tree (found), and the natural logarithm of its probability;
    or pretty, on many lines, with an empty line after it; or as a picture in SVG, which is meant for one
    sentence at a time. An empty line stays one.

    With --n-best the best tree comes first, which need not be the most probable one. In brackets each tree
    follows its log-probability and a tab, and an empty line ends a sentence; in JSON a line is a list.
    With --tagged, text is cut at blanks, and what follows the last
    slash of a word is its tag: the/D cat/N sleeps/V.

    Every sentence gets a tree. Where the grammar has none, it only holds the words together; a note at the end
    says how many these are.

    Example: [bold]echo "the cat sleeps" | firth grammar apply parser[/]
    """
    from firth import progress
    from firth.errors import check_choice

    check_choice("grammar apply", "format", form, FORMATS)
    check_choice("grammar apply", "split", split or "lines", ("lines", "sentences"))
    check_choice(
        "grammar apply", "tokens", tokens or "words", ("words", "whitespace", "characters")
    )
    if n_best is not None and form not in ("brackets", "json"):
        shared.fail(f"--n-best is not for --format {form}.", "Use brackets or json.", status=2)
    if tagged and (tokens or split):
        what = "--tokens" if tokens else "--split"
        shared.fail(f"{what} is not for tagged text.", "Leave it out, or --tagged.", status=2)
    write = _writer(form, n_best is not None)
    n_sentences = n_lost = 0
    with shared.interruptible(), shared.reporting(quiet=False):
        grammar = common.open_grammar(model)
        for sentence in _sentences(model, text, tagged, tokens or "words", split or "lines"):
            progress.check_interrupted()
            parses = grammar.n_best(sentence.words, n_best or 1, sentence.tags) if sentence else []
            n_sentences += bool(parses)
            n_lost += sum(not parse.found for parse in parses)
            sys.stdout.write(write(parses))
            sys.stdout.flush()
        if n_lost:
            theirs = "has no tree by the grammar; its tree only holds"
            if n_lost > 1:
                theirs = "have no tree by the grammar; their trees only hold"
            among = shared.count_of(n_sentences, "sentence")
            progress.notice(f"{n_lost:,} of {among} {theirs} the words together.")


def _sentences(
    model: str, text: str | None, tagged: bool, tokens: str, split: str
) -> Iterator[common.Sentence | None]:
    """The sentences of a text; None for an empty line."""
    name, looked = common.name_of(text), False
    for number, line in common.lines_of(text):
        if not looked and line.strip():
            looked = True
            _notice_trees(line, name, model)
        found = (
            common.tagged_sentences_of(line, number, name)
            if tagged
            else common.sentences_of(line, tokens, split)
        )
        if not found:
            yield None
        yield from found


def _notice_trees(line: str, name: str, model: str) -> None:
    """Say so where text seems to be trees."""
    from firth import progress

    if common.looks_like_tree(line):
        progress.notice(
            f"{name} seems to be trees; it is read as text.",
            f"To parse the sentences of a file of trees: firth grammar evaluate {shlex.quote(model)} FILE",
        )


def _writer(form: str, several: bool) -> Callable[[list[Any]], str]:
    """What is written of the trees of a sentence."""
    if form == "json":
        return _list if several else _object
    if form == "brackets":
        return _with_figures if several else _brackets
    return _pretty if form == "pretty" else _svg


def _brackets(parses: list[Any]) -> str:
    return shared.printable(parses[0].tree.brackets() if parses else "") + "\n"


def _with_figures(parses: list[Any]) -> str:
    lines = [
        f"{common.figure(parse.log_prob)}\t{shared.printable(parse.tree.brackets())}\n"
        for parse in parses
    ]
    return "".join(lines) + "\n"


def _pretty(parses: list[Any]) -> str:
    lines = parses[0].tree.pretty().split("\n") if parses else []
    return "".join(shared.printable(line) + "\n" for line in lines) + "\n"


def _svg(parses: list[Any]) -> str:
    return (parses[0].tree.svg() if parses else "") + "\n"


def _data(parse: Any) -> dict[str, Any]:
    return {
        "tree": parse.tree.brackets(),
        "words": parse.tree.words,
        "tags": parse.tree.tags,
        "found": parse.found,
        "log_prob": common.finite(parse.log_prob),
    }


def _object(parses: list[Any]) -> str:
    empty: dict[str, Any] = {"tree": None, "words": [], "tags": [], "found": False, "log_prob": None}  # fmt: skip
    return shared.json_text(_data(parses[0]) if parses else empty) + "\n"


def _list(parses: list[Any]) -> str:
    return shared.json_text([_data(parse) for parse in parses]) + "\n"
