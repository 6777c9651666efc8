"""firth corpus: the first stage alone."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from firth.cli import _shared as shared

app = typer.Typer(no_args_is_help=True, help="Text to numbered words: the first stage alone.")


@app.command("learn")
@shared.guarded
def learn(
    texts: shared.Texts,
    output: shared.Output,
    lowercase: shared.Lowercase = False,
    digits: shared.Digits = "keep",
    tokens: shared.Tokens = "words",
    split: shared.Split = "lines",
    errors: shared.Errors = "strict",
    column: shared.Column = "text",
    threads: shared.Threads = None,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Read text into the corpus of a model.

    Example: [bold]firth corpus learn news.txt -o news --lowercase[/]
    """
    from firth.cli._print_model import print_learned
    from firth.compute import engine_for
    from firth.corpus import Reading, find_sources
    from firth.model import load
    from firth.pipeline import learn_corpus
    from firth.store import writing

    reading = Reading(tokens, split, lowercase, digits, errors, column)
    sources = find_sources(texts, column)
    with shared.reporting(quiet), writing(output) as writer:
        anew = learn_corpus(writer, sources, reading, engine_for("corpus learn", threads))
    model = load(output)
    model.changed = ["corpus"] * anew
    print_learned(model, json, quiet)


@app.command("apply")
@shared.guarded
def apply(
    texts: shared.Texts,
    using: Annotated[
        str | None,
        typer.Option(
            "--using",
            metavar="MODEL",
            help="Cut just as the corpus of this model was cut, whatever the options below.",
            show_default=False,
        ),
    ] = None,
    lowercase: shared.Lowercase = False,
    digits: shared.Digits = "keep",
    tokens: shared.Tokens = "words",
    split: shared.Split = "lines",
    errors: shared.Errors = "strict",
    column: shared.Column = "text",
) -> None:
    """Print the tokens of a text, one sentence a line, a space between.

    Example: [bold]echo "It's here." | firth corpus apply -[/]
    """
    from firth.corpus import Reading, find_sources, stream_tokens
    from firth.model import load

    reading = (
        load(using).corpus.reading
        if using
        else Reading(tokens, split, lowercase, digits, errors, column)
    )
    space = ""
    for words, ends in stream_tokens(find_sources(texts, reading.column), reading):
        if words:
            sys.stdout.write(space + " ".join(words))
            space = " "
        if ends:
            sys.stdout.write("\n")
            space = ""


@app.command("show")
@shared.guarded
def show(
    model: shared.ModelPath,
    n: Annotated[int, typer.Option("-n", metavar="N", min=1, help="How many words to show.")] = 20,
    json: shared.Json = False,
) -> None:
    """Show the most frequent words, and how much of the text how many words cover.

    Example: [bold]firth corpus show news -n 100[/]
    """
    from firth.cli import _describe as describe
    from firth.model import load

    opened = load(model)
    corpus = opened.corpus
    if not json:
        describe.print_model(opened)
        describe.print_corpus(opened, n)
        return
    n = min(n, corpus.n_types)
    words = [
        {"word": corpus.vocabulary[i], "count": int(corpus.vocabulary.counts[i])} for i in range(n)
    ]
    facts = describe.model_facts(opened)["parts"]["corpus"]
    shared.print_json(
        {**facts, "sources": corpus.sources, "words": words, "coverage": describe.coverage(corpus)}
    )


@app.command("evaluate")
@shared.guarded
def evaluate(
    model: shared.ModelPath,
    texts: shared.Texts,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Say how much of another text the vocabulary covers, at several min-counts.

    The text is cut just as the corpus was. A token counts as known if its word, in just this form,
    occurs at least min-count times in the corpus.

    Example: [bold]firth corpus evaluate news other.txt[/]
    """
    from firth.corpus import Corpus
    from firth.model import load

    corpus = load(model).corpus
    with shared.reporting(quiet):
        other = Corpus.from_files(*texts, **corpus.reading.parameters())
    rows = _known(corpus, other)
    facts = {"n_tokens": other.n_tokens, "n_types": other.n_types, "known": rows}
    if json:
        shared.print_json(facts)
        return
    console = shared.stdout()
    console.print(f"{other.n_tokens:,} tokens, {other.n_types:,} types in the other text")
    console.print("\n[bold]min-count   words kept   known tokens   known types[/]")
    for row in rows:
        console.print(
            f"{row['min_count']:>9}   {row['words']:>10,}   {row['tokens']:>12.2%}   {row['types']:>11.2%}"
        )


def _known(corpus: Any, other: Any) -> list[dict[str, Any]]:
    import numpy as np

    from firth.planning import MIN_COUNTS

    ids = np.array([-1 if i is None else i for i in corpus.vocabulary.ids(list(other.vocabulary))])
    rows = []
    for least in MIN_COUNTS:
        kept = corpus.vocabulary.n_kept(least)
        known = (ids >= 0) & (ids < kept)
        tokens = float(other.vocabulary.counts[known].sum() / other.n_tokens)
        rows.append(
            {"min_count": least, "words": kept, "tokens": tokens, "types": float(known.mean())}
        )
    return rows
