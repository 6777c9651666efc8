"""firth lm evaluate."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from firth.cli import _shared as shared
from firth.cli._options import command
from firth.cli.lm._opening import ModelOrFile, open_lm, units_of
from firth.cli.lm._printing import perplexity
from firth.formats import TextLimits
from firth.lm import ReadAs


@command(ReadAs, TextLimits)
def evaluate(
    model: ModelOrFile,
    texts: shared.Texts,
    *,
    options: dict[str, Any],
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Compute the perplexity of a text: of each model alone, and interpolated.

    Every word and the end of every sentence is predicted. Unknown words count as one symbol. The
    perplexity without them is reported too, and that of all words as they are spelled, where unknown
    words are predicted letter by letter; only the latter can be compared between models with different
    vocabularies. A text is read from its beginning, so that the cache knows the recent words.

    Example: [bold]firth lm evaluate news other.txt[/]
    """
    from firth import progress
    from firth.corpus import Corpus

    lm = open_lm(model)
    reading = replace(lm.words_.reading, **options)
    units = units_of(model, reading)
    with shared.reporting(quiet):
        found = lm.evaluate(Corpus.read(texts, reading, units))
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
        if found.perplexity != found.perplexity_static:
            rows.append(("interpolated, without cache", found.perplexity_static, None, None))
        rows.append(("interpolated", found.perplexity, found.perplexity_known, None))
    if found.n_unknown and not math.isnan(found.perplexity_spelled):
        rows.append(("with unknown words spelled out", found.perplexity_spelled, None, None))
    wide = max(len(row[0]) for row in rows)
    console.print(shared.line((f"{'':<{wide}}  perplexity  without unknown words  weight", "bold")))
    for name, whole, known, weight in rows:
        figures = f"{'' if known is None else _figure(known):>21}"
        figures += "" if weight is None else f"  {weight:>6.2f}"
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
