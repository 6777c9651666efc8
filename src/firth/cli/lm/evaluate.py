"""firth lm evaluate."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.lm._printing import perplexity
from firth.formats import TextLimits
from firth.lm import ReadAs


@command(ReadAs, TextLimits)
def evaluate(
    model: shared.ModelPath,
    texts: shared.Texts,
    *,
    options: dict[str, Any],
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Compute the perplexity of a text: words alone, classes alone, and interpolated.

    Every word and the end of every sentence is predicted. Unknown words count as one symbol; the
    perplexity without them is reported too. Only models with the same vocabulary can be compared.

    Example: [bold]firth lm evaluate news other.txt[/]
    """
    from firth import progress
    from firth.corpus import Corpus

    lm = shared.open_part(model, "lm")
    reading = replace(lm.words_.reading, **options)
    splitter = shared.splitter_of(model, reading.tokens)
    with shared.reporting(quiet):
        found = lm.evaluate(Corpus.from_files(*texts, **reading.parameters(), morphs=splitter))
        if found.n_unknown == found.n_words:
            progress.notice(
                "All words of the text are unknown to the model.",
                "Is it the same language, tokenised in the same way?",
            )
    shared.print_json(found.to_dict()) if json else _print(found)


def _print(found: Any) -> None:
    console = shared.stdout()
    rows = [
        (one.name, one.perplexity, one.perplexity_known, one.weight) for one in found.components
    ]
    if len(rows) > 1:
        rows.append(("interpolated", found.perplexity, found.perplexity_known, None))
    wide = max(len(row[0]) for row in rows)
    console.print(shared.line((f"{'':<{wide}}  perplexity  without unknown words  weight", "bold")))
    for name, whole, known, weight in rows:
        figures = f"{_figure(known):>21}" + ("" if weight is None else f"  {weight:>6.2f}")
        bold = (f"{_figure(whole):>10}", "bold")
        console.print(shared.line(f"{name:<{wide}}  ", bold, "  ", (figures, "dim")))
    share = found.n_unknown / max(found.n_words, 1)
    sizes = [
        shared.count_of(found.n_sentences, "sentence"),
        shared.count_of(found.n_words, "word"),
        f"{found.n_unknown:,} unknown ({share:.1%})",
        f"{found.bits:.3f} bits per word or end of sentence",
    ]
    console.print(shared.line((", ".join(sizes), "dim")))


def _figure(value: float) -> str:
    return perplexity(value if math.isfinite(value) else None)
