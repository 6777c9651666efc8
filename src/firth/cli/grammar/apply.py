"""firth grammar apply."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal

from firth import progress
from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.grammar import _input as inputs
from firth.formats import FileLimits
from firth.grammar import ParseParameters, SentenceReading
from firth.parameters import DeviceOption

Format = Literal["brackets", "json", "svg", "pretty"]
_EMPTY: dict[str, Any] = {
    "tree": None,
    "words": [],
    "tags": [],
    "found": False,
    "log_prob": None,
}
"""The JSON object of an empty line."""


@command(
    SentenceReading,
    ParseParameters,
    DeviceOption,
    FileLimits,
    skip=["lowercase", "digits", "errors", "column", "language", "read_as"],
)
def apply(
    model: shared.ModelPath,
    text: inputs.TextOrInput = None,
    *,
    tagged: Annotated[
        bool, shared.flag("--tagged", "The text is tagged: word/TAG word/TAG.", panel="Text")
    ] = False,
    options: dict[str, Any],
    form: Annotated[
        Format, shared.option("--format", "FORMAT", "brackets, json, svg or pretty.")
    ] = "brackets",
    n_best: Annotated[
        int | None,
        shared.option("--n-best", "K", "Print the K best trees of each sentence.", least=1),
    ] = None,
    marginals: Annotated[
        bool,
        shared.flag("--marginals", "Print the possible phrases and their probabilities instead."),
    ] = False,
) -> None:
    """Parse sentences, one per line.

    [bold]brackets[/] prints a tree per line; [bold]json[/] an object per line, with tree, words, tags, whether
    the grammar has the tree (found), and its log-probability; [bold]pretty[/] an indented tree and an empty
    line; [bold]svg[/] a picture, which is meant for a single sentence. An empty line stays empty.

    With --n-best, the best tree comes first, which is not always the most probable one. In brackets, each
    tree comes after its log-probability and a tab, and an empty line ends the sentence; in JSON, each line
    is a list. With --tagged, tokens are separated by spaces, and the tag follows the last slash.

    With --marginals, each line has the probability of a phrase, its label, its first word and the word
    after it, both counted from 0, and its words, separated by tabs; an empty line ends the sentence. In
    JSON, an object has the words and the phrases. Spectral estimates can be slightly below 0 or above 1.

    With --device, up to 8,192 sentences are read before their trees are printed.

    Every sentence gets a tree. If the grammar has none, the tree is flat; a note at the end says how many
    are.

    Example: [bold]echo "the cat sleeps" | firth grammar apply parser[/]
    """
    from firth.grammar import read_sentences

    if n_best is not None and form not in ("brackets", "json"):
        shared.fail(f"--n-best does not apply to --format {form}.", "Use brackets or json.", 2)
    of_parsing = ParseParameters.take(options)
    ParseParameters(**of_parsing).check()
    of_device = DeviceOption.take(options)
    _check_marginals(marginals, form, n_best, of_parsing)
    for name, given in (("--marginals", marginals), ("--n-best", n_best is not None)):
        if given and of_device:
            shared.fail(f"--device does not apply to {name}.", "Leave out --device.", 2)
    write = _writer(form, n_best is not None)
    n_sentences = n_flat = 0
    with shared.interruptible(), shared.reporting(quiet=False):
        grammar = shared.open_part(model, "grammar")
        grammar.use_device(DeviceOption(**of_device).device)
        lines, name = _noticing_trees(text, model), shared.input_name(text)
        sentences = read_sentences(lines, name, tagged=tagged, **options)
        if marginals:
            for sentence in sentences:
                progress.check_interrupted()
                sys.stdout.write(_marginals(grammar, sentence, of_parsing, form))
                sys.stdout.flush()
            return
        for parses in _parsed(grammar, sentences, n_best, of_parsing, bool(of_device)):
            progress.check_interrupted()
            n_sentences += bool(parses)
            n_flat += sum(not parse.found for parse in parses)
            sys.stdout.write(write(parses))
            sys.stdout.flush()
        if n_flat:
            among = shared.count_of(n_sentences, "sentence")
            progress.notice(
                f"The grammar has no tree for {n_flat:,} of {among}; printed flat trees."
            )


def _check_marginals(
    marginals: bool, form: str, n_best: int | None, of_parsing: dict[str, Any]
) -> None:
    """Stop if options do not go together."""
    if "least" in of_parsing and not marginals:
        shared.fail("--cut does not apply to trees.", "Add --marginals.", 2)
    if not marginals:
        return
    if form not in ("brackets", "json"):
        shared.fail(f"--marginals does not apply to --format {form}.", "Use brackets or json.", 2)
    for name, given in (("--n-best", n_best is not None), ("--decode", "decode" in of_parsing)):
        if given:
            shared.fail(f"{name} does not apply to --marginals.", f"Leave out {name}.", 2)


def _parsed(
    grammar: Any, sentences: Iterator[Any], n_best: int | None, of_parsing: dict[str, Any], on_device: bool
) -> Iterator[list[Any]]:  # fmt: skip
    """The trees of each sentence; none of an empty one. On a GPU, many sentences are parsed at once."""
    from itertools import islice

    while some := list(islice(sentences, grammar.at_once if on_device else 1)):
        if n_best is not None:
            yield from (
                grammar.n_best(s.words, n_best, s.tags, **of_parsing) if s else [] for s in some
            )
            continue
        full = [s for s in some if s]
        found = grammar.parses([s.words for s in full], [s.tags for s in full], **of_parsing)
        yield from ([next(found)] if s else [] for s in some)


def _marginals(grammar: Any, sentence: Any, of_parsing: dict[str, Any], form: str) -> str:
    """The possible phrases of a sentence, as text or JSON."""
    words = sentence.words if sentence else []
    found = grammar.marginals(words, sentence.tags, **of_parsing) if sentence else []
    if form == "json":
        return (
            shared.json_text({"words": words, "phrases": [vars(phrase) for phrase in found]}) + "\n"
        )
    lines = []
    for phrase in found:
        covered = " ".join(words[phrase.start : phrase.end])
        fields = [f"{phrase.p:.4f}", phrase.label, str(phrase.start), str(phrase.end), covered]
        lines.append("\t".join(map(shared.printable, fields)) + "\n")
    return "".join(lines) + "\n"


def _noticing_trees(text: str | None, model: str) -> Iterator[tuple[int, str]]:
    """The lines of a text; a notice says so if they look like trees."""
    from firth.grammar import looks_like_tree

    first = True
    for number, line in inputs.plain_lines(text):
        if first and line.strip():
            first = False
            if looks_like_tree(line):
                progress.notice(
                    f"{shared.input_name(text)} looks like trees, but is read as plain text.",
                    f"To parse the sentences of trees: firth grammar evaluate {shlex.quote(model)} FILE",
                )
        yield number, line


def _writer(form: str, several: bool) -> Callable[[list[Any]], str]:
    """A function that writes the trees of a sentence."""
    if form == "json":
        return _list if several else _object
    if form == "brackets":
        return _with_log_probs if several else _brackets
    return _pretty if form == "pretty" else _svg


def _brackets(parses: list[Any]) -> str:
    return shared.printable(parses[0].tree.brackets() if parses else "") + "\n"


def _with_log_probs(parses: list[Any]) -> str:
    lines = [f"{p.log_prob:.4f}\t{shared.printable(p.tree.brackets())}\n" for p in parses]
    return "".join(lines) + "\n"


def _pretty(parses: list[Any]) -> str:
    lines = parses[0].tree.pretty().split("\n") if parses else []
    return "".join(shared.printable(line) + "\n" for line in lines) + "\n"


def _svg(parses: list[Any]) -> str:
    return (parses[0].tree.svg() if parses else "") + "\n"


def _object(parses: list[Any]) -> str:
    return shared.json_text(parses[0].to_dict() if parses else _EMPTY) + "\n"


def _list(parses: list[Any]) -> str:
    return shared.json_text([parse.to_dict() for parse in parses]) + "\n"
