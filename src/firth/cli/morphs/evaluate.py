"""firth morphs evaluate."""

from __future__ import annotations

from typing import Annotated, Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.formats import LabelLimits

_WHAT = "on each line a word, a tab, and its parts between spaces"


@command(LabelLimits)
def evaluate(
    model: shared.ModelPath,
    gold: Annotated[str, shared.argument("GOLD", f"A file with {_WHAT}.")],
    *,
    json: shared.Json = False,
) -> None:
    """Compare the parts of words with a gold standard.

    Precision, recall and F1 of boundaries are averaged over all boundaries. Words whose parts do
    not join to the written form are left out. Parts may have @@ before them.

    Example: [bold]firth morphs evaluate news parts.tsv[/]
    """
    from firth.morphs import evaluate_morphs, read_gold

    path = shared.existing_file(gold, _WHAT)
    splitter = shared.open_part(model, "morphs")
    words, others = read_gold(path)
    facts = {**evaluate_morphs(splitter, words), "n_left_out": others}
    shared.print_json(facts) if json else _print(facts)


def _print(facts: dict[str, Any]) -> None:
    console = shared.stdout()
    rows = (
        ("precision", "precision"),
        ("recall", "recall"),
        ("F1", "f1"),
        ("whole words", "words_right"),
    )
    for title, name in rows:
        console.print(shared.line(f"{title:<12} ", (f"{100 * facts[name]:.1f}", "bold")))
    sizes = [
        shared.count_of(facts["n_words"], "word"),
        f"{facts['n_unseen']:,} of them not in the training data",
        f"{facts['n_left_out']:,} left out",
        shared.count_of(facts["n_boundaries"], "boundary", "boundaries"),
    ]
    console.print(shared.line((", ".join(sizes), "dim")))
