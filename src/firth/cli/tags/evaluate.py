"""firth tags evaluate."""

from __future__ import annotations

from typing import Annotated, Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.formats import LabelLimits
from firth.tags import DecodeOption, TaggedText

_SHOWN = 5
"""How many labels are listed for each tag."""


@command(TaggedText, DecodeOption, LabelLimits)
def evaluate(
    model: shared.ModelPath,
    gold: Annotated[str, shared.argument("GOLD", "CoNLL-U, or a word and a tag on each line.")],
    *,
    options: dict[str, Any],
    twelve: Annotated[
        bool, shared.flag("--twelve", "Map the 17 UPOS tags to the 12 universal tags.")
    ] = False,
    json: shared.Json = False,
) -> None:
    """Compare tags with a gold standard.

    Many-to-one accuracy maps each tag to the label it occurs with most often (it grows with the number
    of tags). One-to-one accuracy allows each label once. V-measure is the harmonic mean of homogeneity and
    completeness. If the tags have the names of labels, accuracy is reported too.

    Example: [bold]firth tags evaluate news tagged.txt[/]
    """
    from firth.formats import read_tagged
    from firth.tags import evaluate_tags

    path = shared.existing_file(gold, "CoNLL-U, or a word and a tag on each line")
    column = TaggedText(**TaggedText.take(options)).parameters()["tag_column"]
    tagger = shared.open_part(model, "tags")
    facts = evaluate_tags(tagger, read_tagged(path, column), twelve=twelve, **options)
    shared.print_json(facts) if json else _print(facts)


def _print(facts: dict[str, Any]) -> None:
    console = shared.stdout()
    figures = [
        ("many-to-one", "many_to_one"),
        ("one-to-one", "one_to_one"),
        ("V-measure", "v_measure"),
    ]
    if facts["accuracy"] is not None:
        figures.insert(0, ("accuracy", "accuracy"))
    for title, name in figures:
        console.print(shared.line(f"{title:<12} ", (f"{100 * facts[name]:.1f}", "bold")))
    sizes = [
        shared.count_of(facts["n_tokens"], "token"),
        f"{facts['n_outside']:,} of them unknown words",
        shared.count_of(facts["n_gold"], "label"),
        shared.count_of(facts["n_found"], "tag"),
    ]
    console.print(shared.line((", ".join(sizes), "dim")))
    console.print()
    wide = max([shared.width_of(tag) for tag in facts["tags"]] + [3])
    console.print(shared.line((f"{'tag':<{wide}}   share  labels", "bold")))
    columns = [list(column) for column in zip(*facts["confusion"], strict=True)]
    total = sum(map(sum, columns))
    for k in sorted(range(len(columns)), key=lambda k: -sum(columns[k])):
        size = sum(columns[k])
        best = sorted(zip(columns[k], facts["labels"], strict=True), key=lambda pair: -pair[0])
        labels = [f"{label} {n / size:.0%}" for n, label in best[:_SHOWN] if n >= 0.005 * size]
        tag = (shared.padded(facts["tags"][k], wide), "bold green")
        console.print(shared.line(tag, (f"  {size / total:>6.1%}  ", "dim"), "  ".join(labels)))
