"""firth compare."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.compare import CompareParameters
from firth.errors import not_for


@command(CompareParameters)
def compare(
    a: Annotated[str, shared.argument("A", "A model folder or a text file.")],
    b: Annotated[str | None, shared.argument("[B]", "The text to compare it with.")] = None,
    *,
    options: dict[str, Any],
    where: shared.Wheres = None,
    meaning: Annotated[
        bool, shared.flag("--meaning", "Show words that are used differently, by word vectors.")
    ] = False,
    sort: Annotated[
        Literal["g2", "ratio"],
        shared.option("--sort", "g2|ratio", "Sort by G2, or by the ratio of frequencies."),
    ] = "g2",
    n: shared.NumberOfWords = 20,
    output: shared.Table = None,
    json: shared.Json = False,
) -> None:
    """Compare two texts: which words are typical of either, and which have changed their meaning.

    The texts are two models or files (a file is read as the model was), or documents of one model: --where
    'year < 1900' compares these with all others, and a second --where names the second group. Words are sorted
    by the log-likelihood ratio G2; DP says how unevenly a word is spread over the documents, from 0 to 1.

    With --meaning, the word vectors of two models are compared: the words whose nearest neighbours have
    least in common come first. --min-count is then for each of the texts, and 20 by default.

    Example: [bold]firth compare news other.txt -n 10[/]
    """
    from firth.cli._print_comparison import print_changed, print_comparison
    from firth.compare import compare as compared
    from firth.formats import check_output

    if output is not None:
        check_output(output)
    if meaning:
        for name in options.keys() - {"min_count"}:
            raise not_for(name, "--meaning: it is for frequencies")
        print_changed(a, _second(b, where), n, options, output, json)
        return
    with shared.reporting(json):
        found = compared(a, b, where or (), **options)
    if output is not None:
        shared.write_table(output, found.rows(), "word")
    elif json:
        sides = {
            side: {"name": text.name, "tokens": text.n_tokens, "parts": text.n_parts,
                   "keywords": [asdict(word) for word in found.top(n, side, sort)]}
            for side, text in (("a", found.a), ("b", found.b))
        }  # fmt: skip
        shared.print_json({"compared": len(found), **sides})
    else:
        print_comparison(found, n, sort, options.get("correction") != "none")


def _second(b: str | None, where: list[str] | None) -> str:
    if where:
        shared.fail(
            "--meaning compares the vectors of two models, and --where selects documents of one.",
            "Learn a model from each group of documents.",
            2,
        )
    if b is None:
        shared.fail("--meaning needs two models.", "For example: firth compare A B --meaning", 2)
    return b
