"""firth show."""

from __future__ import annotations

from typing import Annotated

from firth.cli import _shared as shared
from firth.cli import _vectors as common
from firth.cli._options import command
from firth.cli._print_model import print_corpus, print_model
from firth.cli._print_word import print_word


@command()
def show(
    model: shared.ModelPath,
    word: Annotated[str | None, shared.argument("[WORD]", "A word.")] = None,
    kind: common.Kinds = None,
    n: Annotated[
        int, shared.option("-n", "N", "Number of contexts and similar words.", least=1)
    ] = 10,
    where: shared.Where = None,
    json: shared.Json = False,
) -> None:
    """Show a model, or a word: its frequency, strongest contexts, similar words and class.

    A model is shown with its parts, and with what its text is large enough for. To find out, Firth learns
    from two halves of the text and compares the results; this takes a few seconds, once.

    Contexts are ordered by pointwise mutual information: how much more often they occur next to the word
    than by chance. The class comes with its path, typical words, siblings in the tree, and the contexts
    that distinguish it. With --where, frequency and contexts are those in some documents; similar words and
    the class are those of the whole text.

    Example: [bold]firth show news monday[/]
    """
    from firth.cli._print_report import print_report
    from firth.describe import model_facts, report_facts, word_facts
    from firth.model import load
    from firth.pipeline import report_of

    opened = load(model)
    if word is None and kind is not None:
        shared.fail("--kind is for a word.", "Give one: firth show MODEL WORD", status=2)
    shared.check_where(where, word)
    kinds = common.kinds_of(model, kind, json)
    if kind is not None:
        for one in kinds:
            opened.vectors_of(one)  # an error if the model does not have them
    if word is not None:
        if json:
            shared.print_json(word_facts(opened, word, n, kinds=kinds, where=where))
        else:
            print_word(opened, word, n, kinds=kinds, where=where)
        return
    if not json:
        print_model(opened)
    if "corpus" in opened:
        with shared.reporting(quiet=False):  # also with --json: it may take seconds
            report = report_of(opened)
    if json:
        told = {"report": report_facts(report)} if "corpus" in opened else {}
        shared.print_json({**model_facts(opened), **told})
    elif "corpus" in opened:
        print_corpus(opened)
        print_report(report, opened.corpus)
