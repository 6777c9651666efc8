"""firth grammar: learn, apply, evaluate, score, sample and show a grammar."""

from __future__ import annotations

import glob
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli import _grammar as common
from firth.cli import _grammar_application as application
from firth.cli import _grammar_description as description
from firth.cli import _grammar_evaluation as evaluation
from firth.cli import _grammar_scoring as scoring
from firth.cli import _shared as shared

app = typer.Typer(
    no_args_is_help=True, help="Parsers, learned from trees: what belongs together in a sentence."
)

_ONLY = {
    "states": ("spectral", "clustering", "em", "product"),
    "rounds": ("clustering", "em", "product"),
    "seed": ("clustering", "em", "product"),
}
"""Options that not all methods have, and those that have them."""
_FILES = "files of trees, or a quoted pattern such as 'trees/*.mrg'"


@app.command("learn")
@shared.guarded
def learn(
    trees: Annotated[
        list[str],
        typer.Argument(
            metavar="TREES...", show_default=False, help="Files of trees in brackets, or quoted patterns."
        ),
    ],
    output: shared.Output,
    states: Annotated[
        int | None,
        typer.Option(
            "--states", metavar="N", min=1, show_default=False, help="The most states of a symbol; 16 by default."
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option("--method", metavar="spectral|clustering|em|product|pcfg", help="How to find states; pcfg: none."),
    ] = "spectral",
    rounds: Annotated[
        int | None,
        shared.optional("--rounds", "N", "Rounds of EM: 40 for em, 5 for product, 0 for clustering by default."),
    ] = None,
    using: Annotated[
        str | None, shared.optional("--using", "MODEL", "A model whose word classes tell what rare words are like.")
    ] = None,
    vertical: Annotated[
        int, typer.Option("--vertical", metavar="N", help="How many labels, upwards, are part of a symbol.")
    ] = 1,
    horizontal: Annotated[
        int,
        typer.Option("--horizontal", metavar="N", help="How many children before a node in between are part of it."),
    ] = 0,
    threshold: Annotated[
        float,
        typer.Option("--threshold", metavar="X", help="Phrases less probable to a plain grammar are given up."),
    ] = 1e-3,
    held_out: Annotated[
        str,
        typer.Option(
            "--held-out", metavar="SHARE", help="The share of trees to measure on, not to learn from; 0 for none."
        ),
    ] = "5%",
    seed: Annotated[
        int | None, shared.optional("--seed", "N", "Of clusters, and of what em begins with; 0 by default.")
    ] = None,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:  # fmt: skip
    """Learn a grammar with hidden states from trees.

    Trees are in brackets, as in the Penn Treebank: (S (NP (N cats)) (VP (V sleep))). They may be compressed.
    Traces and function tags are taken away. Methods: spectral estimates; clustering of phrases;
    em, expectation maximisation; product, spectral estimates and clusters together, the most accurate, at half
    the speed; pcfg, a plain grammar without states. With --using, classes of words that another model
    has learned from plain text help with rare and unseen words; what is used of them is copied.

    Example: [bold]firth grammar learn 'trees/*.mrg' -o parser[/]
    """
    from firth.describe import model_facts
    from firth.model import load
    from firth.pipeline import learn_grammar
    from firth.store import writing

    said = {"states": states, "rounds": rounds, "seed": seed}
    some = {name: value for name, value in said.items() if value is not None}
    _check_options(method, some)
    if "states" in some:
        some["n_states"] = some.pop("states")
    options = {
        "method": method, "vertical": vertical, "horizontal": horizontal, "threshold": threshold,
        "held_out": _share(held_out), **some,
    }  # fmt: skip
    files = _files(trees)
    helper = _helper(using)
    hint = "The same command begins anew; what was there before is kept."
    with shared.interruptible(hint), shared.reporting(quiet), writing(output) as writer:
        anew = learn_grammar(writer, files, options, helper)
    model = load(output)
    facts = model_facts(model)["parts"]["grammar"]
    facts |= description.extremes(facts["states"])
    if json:
        shared.print_json({**facts, "changed": ["grammar"] * anew})
    elif not quiet:
        if not anew:
            shared.stdout().print("Nothing to do: this was learned already, with these options.")
        description.print_facts(facts)
        command = f"firth grammar apply {shlex.quote(output)} TEXT"
        shared.stdout().print(shared.line((f"try      {command}", "dim")))


def _check_options(method: str, options: dict[str, Any]) -> None:
    """Say which options a method does not have."""
    from firth.errors import check_choice
    from firth.grammar import METHODS

    check_choice("grammar learn", "method", method, METHODS)
    for name in options:
        if method not in _ONLY[name]:
            others = ", ".join(_ONLY[name][:-1])
            shared.fail(
                f"--{name} is not for --method {method}.",
                f"It is for --method {others} or {_ONLY[name][-1]}.",
                status=2,
            )


def _share(text: str) -> float:
    """A share of trees: 5% or 0.05."""
    number = shared.share_of(text)
    if not 0 <= number < 1:
        shared.fail(
            f"--held-out must be a share of the trees, such as 5% or 0.05. Got {text!r}.",
            "To learn from all trees: --held-out 0",
            status=2,
        )
    return number


def _files(names: list[str]) -> list[Path]:
    """The files that names and patterns stand for, each pattern's in the order of their names."""
    found: list[Path] = []
    for name in names:
        if name == "-":
            shared.fail(
                "Standard input cannot be learned from: a model notes the names of its files.",
                "Write the trees to a file first, and give its name.",
            )
        if Path(name).exists() or not glob.has_magic(name):
            path = common.check_file(name, _FILES)
            if not path.is_file():
                shared.fail(f"{name} is a pipe, or the like.", f"Give {_FILES}.")
            found.append(path)
            continue
        some = sorted(Path(p) for p in glob.glob(name, recursive=True))  # noqa: PTH207
        some = [path for path in some if path.is_file()]
        if not some:
            shared.fail(
                f"No file fits the pattern {name}.",
                "Check the pattern, and quote it for the shell.",
            )
        found += some
    return found


def _helper(using: str | None) -> Any:
    """The model whose classes are used, if any."""
    from firth.model import load

    if using is None:
        return None
    helper = load(using)
    if "classes" not in helper:
        what = "" if "corpus" in helper else "TEXT -o "
        shared.fail(
            f"The model {using} has no classes.",
            f"Learn some: firth classes learn {what}{shlex.quote(using)}",
        )
    return helper


app.command("apply")(application.apply)
app.command("evaluate")(evaluation.evaluate)
app.command("score")(scoring.score)
app.command("sample")(scoring.sample)
app.command("show")(description.show)
