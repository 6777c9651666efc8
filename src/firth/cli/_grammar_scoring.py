"""firth grammar score and firth grammar sample."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from firth.cli import _grammar as common
from firth.cli import _shared as shared


@shared.guarded
def score(
    model: shared.ModelPath,
    text: common.TextOrInput = None,
    prefixes: Annotated[
        bool,
        typer.Option("--prefixes", help="For each word: how probable it is that a sentence begins so far; slow."),
    ] = False,
    tokens: common.Tokens = None,
    json: shared.Json = False,
) -> None:  # fmt: skip
    """Say how probable sentences are, and trees.

    What begins with a round bracket is a tree, on one line or on several; every other line is a sentence;
    empty lines are passed over. On each line of the result there are the natural logarithm of the
    probability, a tab, and the tree or the words. The probability of a sentence is that of all its trees
    that are not given up as improbable; that of a tree or sentence that the grammar does not have is -inf,
    in JSON null.

    With --prefixes, after another tab, there is a logarithm for each word of a sentence: of the probability
    that a sentence begins with the words up to here. Nothing is given up then, so it takes long. A note
    at the end tells the bits a word of all that is possible.

    Example: [bold]echo "the cat sleeps" | firth grammar score parser[/]
    """
    from firth import progress
    from firth.errors import check_choice

    check_choice(
        "grammar score", "tokens", tokens or "words", ("words", "whitespace", "characters")
    )
    sums = {"tree": _Sum("tree"), "sentence": _Sum("sentence")}
    with shared.interruptible(), shared.reporting(quiet=False):
        grammar = common.open_grammar(model)
        for item in _items(text, tokens or "words"):
            progress.check_interrupted()
            row = _scored(grammar, item, prefixes)
            sums["sentence" if row["tree"] is None else "tree"].add(row)
            sys.stdout.write(_as_json(row) if json else _as_text(row))
            sys.stdout.flush()
        for total in sums.values():
            total.tell()


@dataclass
class _Sum:
    """What all sentences come to, or all trees."""

    what: str
    n: int = 0
    n_words: int = 0
    n_impossible: int = 0
    log_prob: float = 0.0

    def add(self, row: dict[str, Any]) -> None:
        if row["log_prob"] > -math.inf:
            self.n += 1
            self.n_words += len(row["words"])
            self.log_prob += row["log_prob"]
        else:
            self.n_impossible += 1

    def tell(self) -> None:
        from firth import progress

        if self.n:
            bits = -self.log_prob / math.log(2) / self.n_words
            sizes = f"{shared.count_of(self.n, self.what)}, {shared.count_of(self.n_words, 'word')}"
            progress.notice(f"{sizes}: {bits:.3f} bits a word.")
        if self.n_impossible:
            have = "has" if self.n_impossible == 1 else "have"
            progress.notice(
                f"{shared.count_of(self.n_impossible, self.what)} {have} no probability by the grammar."
            )


def _items(text: str | None, tokens: str) -> Iterator[Any]:
    """Trees, and sentences as lists of words; empty lines are passed over."""
    lines = common.lines_of(text)
    for number, line in lines:
        if line.lstrip().startswith("("):
            yield from _trees(number, line, lines, common.name_of(text))
            continue
        for sentence in common.sentences_of(line, tokens):
            yield sentence.words


def _trees(number: int, line: str, more: Iterator[tuple[int, str]], name: str) -> Iterator[Any]:
    """The trees that begin on a line, and end there or on another."""
    from firth.trees import parse_trees

    lines = [(number, line)]
    is_open = line.count("(") - line.count(")")
    while is_open > 0 and (following := next(more, None)) is not None:
        lines.append(following)
        is_open += following[1].count("(") - following[1].count(")")
    yield from parse_trees(lines, name)


def _scored(grammar: Any, item: Any, prefixes: bool) -> dict[str, Any]:
    if not isinstance(item, list):
        row = {"tree": item, "words": item.words, "log_prob": grammar.log_prob(item)}
        return {**row, "prefixes": None} if prefixes else row
    row = {"tree": None, "words": item, "log_prob": grammar.sentence_log_prob(item)}
    return {**row, "prefixes": grammar.prefix_log_probs(item)} if prefixes else row


def _as_text(row: dict[str, Any]) -> str:
    what = " ".join(row["words"]) if row["tree"] is None else row["tree"].brackets()
    fields = [common.figure(row["log_prob"]), shared.printable(what)]
    if row.get("prefixes"):
        fields.append(" ".join(map(common.figure, row["prefixes"])))
    return "\t".join(fields) + "\n"


def _as_json(row: dict[str, Any]) -> str:
    data = {**row, "log_prob": common.finite(row["log_prob"])}
    if data["tree"] is not None:
        data["tree"] = data["tree"].brackets()
    if data.get("prefixes"):
        data["prefixes"] = list(map(common.finite, data["prefixes"]))
    return shared.json_text(data) + "\n"


@shared.guarded
def sample(
    model: shared.ModelPath,
    n: Annotated[int, typer.Option("-n", metavar="N", min=1, help="How many to draw.")] = 10,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Another one draws others.")] = 0,
    trees: Annotated[bool, typer.Option("--trees", help="Write trees, not only their words.")] = False,
    longest: Annotated[
        int, typer.Option("--longest", metavar="N", min=1, help="The most words of a sentence.")
    ] = 100,
) -> None:  # fmt: skip
    """Draw sentences, or trees, as the grammar holds them probable.

    Example: [bold]firth grammar sample parser -n 5[/]
    """
    with shared.interruptible():
        for tree in common.open_grammar(model).sample(n, seed, longest):
            sys.stdout.write(
                shared.printable(tree.brackets() if trees else " ".join(tree.words)) + "\n"
            )
