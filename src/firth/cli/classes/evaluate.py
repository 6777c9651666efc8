"""firth classes evaluate."""

from __future__ import annotations

from typing import Annotated, Any

from firth.cli import _classes as common
from firth.cli import _shared as shared
from firth.cli._options import command
from firth.formats import Limits


@command(Limits)
def evaluate(
    model: common.ClassesPath,
    texts: common.HeldOut = None,
    tagged: Annotated[
        str | None,
        shared.option(
            "--tagged",
            "FILE",
            "Tagged text: CoNLL-U, or a word and a tag on each line.",
            panel="Text",
        ),
    ] = None,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Evaluate classes: mutual information, perplexity on held-out text, agreement with tags.

    Mutual information is that of the classes of adjacent words in the training text. Perplexity is that
    of the class bigram model; words outside the vocabulary count as one rare symbol.

    Agreement with tags is many-to-one accuracy (each class is mapped to its most frequent tag), one-to-one
    accuracy (each tag is used once) and V-measure, for all classes and for the tree cut to as many classes
    as there are tags. Words without a class get one from their spelling.

    Example: [bold]firth classes evaluate news --text other.txt[/]
    """
    from firth.corpus import check_words
    from firth.evaluate import evaluate_classes
    from firth.formats import read_tagged

    classes = common.open_classes(model)
    reading = common.reading_of(model)
    if tagged:
        check_words(reading.tokens, "The word classes", "compared with tags of words")
    with shared.reporting(quiet):
        facts = evaluate_classes(
            classes,
            common.read_like(model, texts),
            read_tagged(tagged) if tagged else None,
            reading,
        )
    if tagged:
        facts["tags"] = {"file": tagged, **facts["tags"]}
    shared.print_json(facts) if json else _print(facts)


def _print(facts: dict[str, Any]) -> None:
    console = shared.stdout()
    console.print(
        f"{facts['n_words']:,} words in {facts['n_classes']:,} classes of {facts['smallest']:,} to "
        f"{facts['largest']:,} words (median {facts['median']:,}); paths of up to {facts['deepest']} bits"
    )
    found = facts["mutual_information"]
    if found:
        console.print(
            f"mutual information  [bold]{found['bits']:.4f}[/] bits ({found['nats']:.4f} nats)"
        )
    else:
        console.print("mutual information  unknown: the classes were imported")
    held = facts.get("held_out")
    if held:
        sizes = f"{held['n_tokens']:,} tokens, {held['n_rare']:,} of them rare"
        sizes += f", {held['n_skipped']:,} left out" * bool(held["n_skipped"])
        console.print(f"held-out perplexity [bold]{held['perplexity']:,.1f}[/]  [dim]{sizes}[/]")
    if "tags" in facts:
        _print_tags(facts["tags"])


def _print_tags(tags: dict[str, Any]) -> None:
    console = shared.stdout()
    sizes = f"  {tags['n_tokens']:,} tokens, {tags['n_outside']:,} outside the vocabulary"
    console.print()
    console.print(
        shared.line(
            f"agreement with {tags['n_tags']} tags: ", (tags["file"], "bold"), (sizes, "dim")
        )
    )
    console.print("[bold]classes  many-to-one  one-to-one  V-measure[/]")
    for row in tags["rows"]:
        figures = [f"{row[name]:.1%}" for name in ("many_to_one", "one_to_one", "v_measure")]
        console.print("{:>7,}  {:>11}  {:>10}  {:>9}".format(row["classes"], *figures))
