"""firth ner: learn, apply, evaluate and show a tagger of names."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from firth.cli import _ner as common
from firth.cli import _ner_application as application
from firth.cli import _ner_evaluation as evaluation
from firth.cli import _shared as shared

app = typer.Typer(
    no_args_is_help=True, help="Names of people, places and the like, learned from labelled text."
)


@app.command("learn")
@shared.guarded
def learn(
    text: Annotated[
        str,
        typer.Argument(
            metavar="FILE", show_default=False,
            help="A word and its label on each line, a blank line after each sentence.",
        ),
    ],
    output: shared.Output,
    dev: Annotated[
        str | None,
        shared.optional("--dev", "FILE", "Labelled text that is not learned from, to see how well it goes."),
    ] = None,
    using: Annotated[
        str | None, shared.optional("--using", "MODEL", "A model with classes or vectors of words, to help.")
    ] = None,
    features: Annotated[
        str | None,
        shared.optional("--features", "classes,vectors", "What to use of that model; all it has by default."),
    ] = None,
    column: common.Column = -1,
    rounds: Annotated[int, typer.Option("--rounds", metavar="N", help="How often to go through the text.")] = 20,
    stages: Annotated[
        int, typer.Option("--stages", metavar="1|2", help="Read documents once, or twice: a name may come again.")
    ] = 2,
    margin: Annotated[
        float, typer.Option("--margin", metavar="X", help="How far ahead the right label must be.")
    ] = 100.0,
    dropout: Annotated[
        float, typer.Option("--dropout", metavar="X", help="The share of features to leave out in each step.")
    ] = 0.2,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="For the order of documents and the features left out.")
    ] = 0,
    threads: shared.Threads = None,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:  # fmt: skip
    """Learn to find names from labelled text.

    The labels can be in IOB1, IOB2, IOBES or BILOU, which is found out. Other columns, such as parts of
    speech, are passed over. Lines with -DOCSTART- begin a document. The tagger is a greedy averaged
    perceptron with the features of Ratinov and Roth (2009). Classes and vectors that another model has
    learned from plain text help much; what is used of them is copied, so that the tagger stands alone.

    Example: [bold]firth ner learn names.txt -o names --using news --features classes[/]
    """
    from firth.compute import engine_for
    from firth.describe import model_facts
    from firth.model import load
    from firth.ner import EntityParameters
    from firth.pipeline import learn_entities
    from firth.store import writing

    engine = engine_for("ner learn", threads)
    parameters = EntityParameters(rounds, margin, dropout, stages, seed)
    helper = None if using is None else load(using)
    chosen = _chosen_features(helper, features)
    files = [None if name is None else common.labelled_file(name) for name in (text, dev)]
    assert files[0] is not None  # noqa: S101
    try:
        with shared.reporting(quiet), writing(output) as writer:
            anew = learn_entities(
                writer, files[0], files[1], helper, chosen, parameters, column, engine
            )
    except KeyboardInterrupt:
        shared.fail("Interrupted.", "The same command begins anew.", status=130)
    except MemoryError:
        shared.fail("There is not enough memory.", "Try --threads 1, or --stages 1.")
    model = load(output)
    if json:
        shared.print_json({**model_facts(model)["parts"]["ner"], "changed": ["ner"] * anew})
    elif not quiet:
        if not anew:
            shared.stdout().print("Nothing to do: this was learned already, with these options.")
        _print_learned(model.parts["ner"].facts, output)


def _chosen_features(helper: Any, said: str | None) -> list[str]:
    """The parts of a model to use."""
    if helper is None:
        if said:
            shared.fail("--features are those of a model.", "Name it: --using MODEL", status=2)
        return []
    known = ("classes", "vectors")
    wanted = [name.strip() for name in said.split(",")] if said else list(known)
    for name in wanted:
        if name not in known:
            shared.fail(f"--features must be of classes, vectors. Got {name!r}.", None, status=2)
        if said and name not in helper:
            shared.fail(
                f"The model {helper.path} has no {name}.",
                f"Learn them: firth {name} learn {helper.path}",
            )
    found = [name for name in wanted if name in helper]
    if not found:
        shared.fail(
            f"The model {helper.path} has neither classes nor vectors.",
            f"Learn some: firth classes learn {helper.path}",
        )
    return found


def _print_learned(facts: Any, model: str) -> None:
    console = shared.stdout()
    count = shared.count_of
    sizes = f"{count(facts['n_names'], 'name')} in {count(facts['n_words'], 'word')}"
    console.print(
        shared.line(("learned from ", "dim"), sizes, (f"  {', '.join(facts['types'])}{_notation(facts)}", "dim"))
    )  # fmt: skip
    used = [
        f"{what} of {count(facts[key], 'word')}"
        for what, key in (("classes", "classes_of"), ("vectors", "vectors_of"))
        if facts[key]
    ]
    if used:
        console.print(shared.line(("using        ", "dim"), " and ".join(used)))
    console.print(shared.line(("features     ", "dim"), f"{facts['n_features']:,}"))
    if facts["n_slips"]:
        slips = f"{count(facts['n_slips'], 'label')} against the rules of their notation"
        console.print(
            shared.line(("note         ", "dim"), f"{slips}, read as conlleval reads them")
        )
    if facts["dev_f1"]:
        curve = ", ".join(f"{100 * f1:.2f} after {n}" for n, f1 in facts["dev_f1"])
        console.print(shared.line(("F1 of --dev  ", "dim"), f"{curve} rounds"))
    console.print(shared.line((f"try      firth ner apply {model} TEXT", "dim")))


def _notation(facts: Any) -> str:
    """The notation of the labels, where they came from a file."""
    return f"; {facts['scheme']}" if facts.get("scheme") else ""


app.command("apply")(application.apply)
app.command("evaluate")(evaluation.evaluate)


@app.command("show")
@shared.guarded
def show(
    model: shared.ModelPath,
    n: Annotated[
        int, typer.Option("-n", metavar="N", min=1, help="How many features to show.")
    ] = 8,
    json: shared.Json = False,
) -> None:
    """Show what a tagger has learned: its size, and what speaks most for each type of name.

    Features are shown of names of one word (U, for unit) and of first words of longer ones (B).

    Example: [bold]firth ner show names -n 5[/]
    """
    tagger = common.open_tagger(model)
    telling = {
        type_: {part: tagger.telling(f"{part}-{type_}", n) for part in "UB"}
        for type_ in tagger.types_
    }
    if json:
        shared.print_json({**tagger.facts_, "telling": telling})
        return
    _print_learned(tagger.facts_, model)
    console = shared.stdout()
    for type_, parts in telling.items():
        console.print()
        console.print(shared.line((type_, "bold")))
        for part, title in (("U", "one word"), ("B", "first of several")):
            told = "  ".join(f"{name} {weight:.0f}" for name, weight in parts[part])
            console.print(shared.line((f"  {title:<17}", "dim"), told or "nothing"))
