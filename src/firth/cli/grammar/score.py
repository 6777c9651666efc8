"""firth grammar score."""

from __future__ import annotations

import math
import sys
from typing import Annotated, Any

from firth import progress
from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.grammar import _input as inputs
from firth.formats import FileLimits
from firth.grammar import SentenceReading


@command(
    SentenceReading,
    FileLimits,
    skip=["split", "lowercase", "digits", "errors", "column", "language", "read_as"],
)
def score(
    model: shared.ModelPath,
    text: inputs.TextOrInput = None,
    *,
    options: dict[str, Any],
    prefixes: Annotated[
        bool, shared.flag("--prefixes", "Also print prefix probabilities; slow.")
    ] = False,
    json: shared.Json = False,
) -> None:
    """Print the log-probabilities of sentences and trees.

    A line that begins with a round bracket begins a tree, which may take several lines; every other line
    is a sentence, and empty lines are skipped. Each line of the output has the natural logarithm of the
    probability, a tab, and the tree or the words. The probability of a sentence is the sum over all its
    trees that are not pruned. If the grammar does not have a tree or sentence, it is -inf, in JSON null.

    With --prefixes, another tab and a logarithm for each word follow: of the probability that a sentence
    begins with the words up to this one. Nothing is pruned then, so it is slow. A note at the end has the
    bits per word.

    Example: [bold]echo "the cat sleeps" | firth grammar score parser[/]
    """
    from firth.grammar import ScoreSum, score_text

    sums = {"tree": ScoreSum(), "sentence": ScoreSum()}
    with shared.interruptible(), shared.reporting(quiet=False):
        grammar = shared.open_part(model, "grammar")
        lines, name = inputs.plain_lines(text), shared.input_name(text)
        for scored in score_text(grammar, lines, name, prefixes=prefixes, **options):
            progress.check_interrupted()
            sums["sentence" if scored.tree is None else "tree"].add(scored)
            sys.stdout.write(_as_json(scored, prefixes) if json else _as_text(scored))
            sys.stdout.flush()
        for what, total in sums.items():
            _notice(what, total)


def _notice(what: str, total: Any) -> None:
    """A note with the bits per word."""
    if total.n:
        sizes = f"{shared.count_of(total.n, what)}, {shared.count_of(total.n_words, 'word')}"
        progress.notice(f"{sizes}: {total.bits_per_word:.3f} bits per word.")
    if total.n_impossible:
        progress.notice(f"Probability 0: {shared.count_of(total.n_impossible, what)}.")


def _as_text(scored: Any) -> str:
    what = " ".join(scored.words) if scored.tree is None else scored.tree.brackets()
    fields = [f"{scored.log_prob:.4f}", shared.printable(what)]
    if scored.prefixes:
        fields.append(" ".join(f"{log_prob:.4f}" for log_prob in scored.prefixes))
    return "\t".join(fields) + "\n"


def _as_json(scored: Any, prefixes: bool) -> str:
    data = {
        "tree": None if scored.tree is None else scored.tree.brackets(),
        "words": scored.words,
        "log_prob": _finite(scored.log_prob),
    }
    if prefixes:
        data["prefixes"] = scored.prefixes and list(map(_finite, scored.prefixes))
    return shared.json_text(data) + "\n"


def _finite(log_prob: float) -> float | None:
    """JSON has no infinity."""
    return log_prob if log_prob > -math.inf else None
