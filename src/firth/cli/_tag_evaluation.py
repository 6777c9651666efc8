"""firth tags evaluate."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from firth.cli import _shared as shared
from firth.cli import _tags as common

_SHOWN = 5
"""How many labels are shown for each tag."""
_NAMED = 0.9
"""If more of the tags that were found are names of labels, it can be told which are right."""


@shared.guarded
def evaluate(
    model: shared.ModelPath,
    gold: Annotated[
        str,
        typer.Argument(
            metavar="GOLD", show_default=False, help="Tagged text: CoNLL-U, or a word and a tag on each line."
        ),
    ],
    column: Annotated[
        str, typer.Option("--column", metavar="upos|xpos|N", help="Where the right tags are.")
    ] = "upos",
    twelve: Annotated[
        bool,
        typer.Option("--twelve", help="Turn the 17 tags of Universal Dependencies into the 12 universal ones."),
    ] = False,
    decode: common.Decode = None,
    json: shared.Json = False,
) -> None:  # fmt: skip
    """Compare tags with those that people gave.

    Many-to-one: the share of words that are right if each tag stands for the label it goes with most often
    (it grows with the number of tags). One-to-one: the same if no two tags may stand for one label.
    V-measure: the harmonic mean of how much a tag says about the label, and a label about the tag. Where
    tags have the names of labels, the share of words with the right one is told too.

    Example: [bold]firth tags evaluate news tagged.txt[/]
    """
    from firth.evaluate import TWELVE_TAGS, confusion, matching
    from firth.formats import read_tagged

    tagger = common.open_tags(model)
    sentences = read_tagged(common.tagged_file(gold), column)
    right = [label for sentence in sentences for _, label in sentence]
    if twelve:
        right = [TWELVE_TAGS.get(label, label) for label in right]
    words = [[word for word, _ in sentence] for sentence in sentences]
    found = [tag for tags in tagger.tag(words, decode) for tag in tags]
    known = sum(word in tagger.vocabulary_ for sentence in words for word in sentence)
    labels, tags, counts = confusion(right, found)
    facts: dict[str, Any] = {
        **matching(right, found).to_dict(),
        "n_outside": len(right) - known,
        "accuracy": None,
        "labels": labels,
        "tags": tags,
        "confusion": counts.tolist(),
    }
    told = [TWELVE_TAGS.get(tag, tag) for tag in found] if twelve else found
    if sum(tag in labels for tag in told) > _NAMED * len(told):
        facts["accuracy"] = sum(a == b for a, b in zip(right, told, strict=True)) / len(right)
    shared.print_json(facts) if json else _print(facts, counts)


def _print(facts: dict[str, Any], counts: Any) -> None:
    console = shared.stdout()
    figures = [
        ("many-to-one", "many_to_one"),
        ("one-to-one", "one_to_one"),
        ("V-measure", "v_measure"),
    ]
    if facts["accuracy"] is not None:
        figures.insert(0, ("right", "accuracy"))
    for title, name in figures:
        console.print(shared.line(f"{title:<12} ", (f"{100 * facts[name]:.1f}", "bold")))
    sizes = [
        shared.count_of(facts["n_tokens"], "word"),
        f"{facts['n_outside']:,} of them never seen",
        shared.count_of(facts["n_gold"], "label"),
        shared.count_of(facts["n_found"], "tag"),
    ]
    console.print(shared.line((", ".join(sizes), "dim")))
    console.print()
    wide = max([common.width_of(tag) for tag in facts["tags"]] + [3])
    console.print(shared.line((f"{'tag':<{wide}}   share  labels it goes with", "bold")))
    order = sorted(range(len(facts["tags"])), key=lambda k: -counts[:, k].sum())
    for k in order:
        column = counts[:, k]
        best = sorted(range(len(column)), key=lambda i: -column[i])[:_SHOWN]
        told = [
            f"{facts['labels'][i]} {column[i] / column.sum():.0%}"
            for i in best
            if column[i] >= 0.005 * column.sum()
        ]
        console.print(
            shared.line(
                (common.padded(facts["tags"][k], wide), "bold green"),
                (f"  {column.sum() / counts.sum():>6.1%}  ", "dim"),
                "  ".join(told),
            )
        )
