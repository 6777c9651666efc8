"""firth counts: the second stage alone."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from firth.cli import _shared as shared

app = typer.Typer(
    no_args_is_help=True, help="Numbered words to counts of contexts: the second stage alone."
)


@app.command("learn")
@shared.guarded
def learn(
    model: shared.ModelPath,
    contexts: shared.OptionalContexts = None,
    weights: shared.OptionalWeights = None,
    min_count: shared.OptionalMinCount = None,
    vocabulary: shared.OptionalVocabularySize = None,
    across_lines: Annotated[
        bool | None,
        typer.Option(
            "--across-lines/--within-lines", help="Let contexts reach over sentence ends, or not."
        ),
    ] = None,
    memory: shared.Memory = "4G",
    threads: shared.Threads = None,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Count the contexts of words in the corpus of a model.

    R1 is the next word; L2 the two words before; LR2 the two words on either side, each place counted
    apart; bag5 five words on either side, counted together. What is not said stays as it was when the model was counted
    before, or else is as for [bold]firth learn[/].

    Example: [bold]firth counts learn news --contexts bag5 --weights distance[/]
    """
    from firth.cli._print_model import print_learned
    from firth.compute import engine_for
    from firth.counts import CountsParameters
    from firth.model import load
    from firth.pipeline import learn_counts
    from firth.store import writing

    opened = load(model)  # a model must be there; this command makes none
    said: dict[str, Any] = {
        "contexts": contexts, "weights": weights, "min_count": min_count, "across_lines": across_lines,
    }  # fmt: skip
    before = dict(opened.parts["counts"].parameters) if "counts" in opened else {}
    chosen = {**before, **{name: value for name, value in said.items() if value is not None}}
    if vocabulary is not None:
        chosen["vocabulary"] = shared.no_limit(vocabulary)
    parameters = CountsParameters(**chosen)
    with shared.reporting(quiet), writing(model) as writer:
        anew = learn_counts(writer, parameters, memory, engine_for("counts learn", threads))
    opened = load(model)
    opened.changed = ["counts"] * anew
    print_learned(opened, json, quiet)


@app.command("show")
@shared.guarded
def show(
    model: shared.ModelPath,
    word: Annotated[
        str | None, typer.Argument(metavar="[WORD]", help="A word to look at.", show_default=False)
    ] = None,
    n: Annotated[
        int, typer.Option("-n", metavar="N", min=1, help="How many contexts to show.")
    ] = 10,
    json: shared.Json = False,
) -> None:
    """Show what was counted, or the strongest contexts of a word.

    Example: [bold]firth counts show news monday -n 20[/]
    """
    from firth.cli import _describe as describe
    from firth.model import load

    opened = load(model)
    counts = opened.counts
    if word is not None:
        shared.print_json(describe.word_facts(opened, word, n)) if json else describe.print_word(
            opened, word, n
        )
        return
    facts = describe.model_facts(opened)["parts"]["counts"]
    kept = float(counts.word_counts[: counts.n_words].sum() / counts.word_counts.sum())
    pairs = int(counts.columns.sum()) / counts.scale
    if json:
        shared.print_json({**facts, "coverage": kept, "pairs": pairs})
        return
    describe.print_model(opened)
    console = shared.stdout()
    console.print(
        f"\n{pairs:,.0f} pairs of word and context, {kept:.1%} of the tokens are kept words"
    )
    layout = "one bag of offsets" if counts.contexts.bag else "a block for each offset"
    console.print(f"{layout}: {', '.join(map(str, counts.contexts.offsets))}")
