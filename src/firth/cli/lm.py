"""firth lm: learn, evaluate, apply and show a language model; ARPA's files in and out."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli import _lm_application as application
from firth.cli import _lm_description as description
from firth.cli import _lm_files as files
from firth.cli import _shared as shared

app = typer.Typer(
    no_args_is_help=True, help="Language models: how probable a sentence is, and what comes next."
)


@app.command("learn")
@shared.guarded
def learn(
    sources: shared.ModelOrTexts,
    output: shared.OptionalOutput = None,
    order: Annotated[
        int, typer.Option("--order", metavar="1|2|3", help="The longest sequences of words.")
    ] = 3,
    classes: Annotated[
        str | None,
        shared.optional(
            "--classes", "N[,N...]", "Cut the tree of classes to these numbers; all and a quarter by default. 0: none."
        ),
    ] = None,
    class_order: Annotated[
        int | None,
        shared.optional("--class-order", "2|3", "The longest sequences of classes; as of words by default."),
    ] = None,
    using: Annotated[
        list[str] | None,
        typer.Option(
            "--using", metavar="MODEL", show_default=False,
            help="A model, or a file, whose classes to use; may be said again, for several.",
        ),
    ] = None,
    held_out: Annotated[
        str,
        typer.Option(
            "--held-out", metavar="SHARE|FILE", help="Sentences to learn weights from: a share of the text, or a file."
        ),
    ] = "5%",
    refit: Annotated[
        bool,
        typer.Option("--refit/--no-refit", help="Count the share that was held out, too, once weights are known."),
    ] = True,
    min_count: Annotated[
        int, typer.Option("--min-count", metavar="N", help="Words with fewer occurrences are unknown.")
    ] = 2,
    vocabulary: shared.VocabularySize = 200_000,
    tokens: Annotated[
        str | None,
        shared.optional("--tokens", "words|whitespace|characters", "What a token of a text is; words by default."),
    ] = None,
    split: Annotated[
        str | None, shared.optional("--split", "lines|sentences|none", "What a sentence of text is; lines by default.")
    ] = None,
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Lower-case the words of a text.")] = False,
    memory: shared.Memory = "4G",
    threads: shared.Threads = None,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:  # fmt: skip
    """Learn a language model: words by the words before them, and by their classes.

    From the corpus of a model, or from text. The model of words has modified Kneser-Ney smoothing. Classes are
    those of the model, or of --using; where there are none, they are learned first, by Brown's algorithm.
    Each number of classes makes a model P(class | classes before) P(word | class). The probabilities of all
    models are added up, with weights that suit held-out sentences best. What is used is copied: the language
    model needs no other part.

    Example: [bold]firth lm learn news[/]
    """
    from firth.compute import engine_for
    from firth.counts import parse_memory
    from firth.model import load
    from firth.pipeline import learn_corpus, learn_lm, learn_lm_classes
    from firth.store import writing

    engine = engine_for("lm learn", threads)
    parse_memory(memory)
    options = {
        "order": order, "class_order": class_order, "min_count": min_count,
        "vocabulary": shared.no_limit(vocabulary), "refit": refit,
    }  # fmt: skip
    _check_options(options)
    sizes = _sizes(classes)
    aside = _held_out(held_out)
    helpers = _helpers(using, sizes)
    target, texts, reading = _target(sources, output, tokens, split, lowercase)
    with shared.reporting(quiet), writing(target) as writer:
        learned = {}
        if texts:
            learned["corpus"] = learn_corpus(writer, texts, reading, engine)
        if helpers is None:
            learned["classes"] = learn_lm_classes(writer, sizes, memory, engine)
        learned["lm"] = learn_lm(writer, options, aside, sizes or None, helpers)
    model = load(target)
    changed = [name for name, anew in learned.items() if anew]
    facts = description.facts_of(model.lm)
    if json:
        shared.print_json({**facts, "changed": changed})
    elif not quiet:
        console = shared.stdout()
        if not changed:
            console.print("Nothing to do: this was learned already, with these options.")
        description.print_facts(facts, "learned along the way" if "classes" in changed else "")
        console.print(
            shared.line((f'try      firth lm show {shlex.quote(target)} --after "of the"', "dim"))
        )
        console.print(shared.line((f"         firth lm apply {shlex.quote(target)} TEXT", "dim")))


def _check_options(options: dict[str, Any]) -> None:
    """An error now rather than after the reading."""
    from firth.lm import LanguageModel

    LanguageModel(**options)


def _sizes(text: str | None) -> list[int] | None:
    """Numbers of classes; none of them for no classes, None where nothing is said."""
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and part.isascii() for part in parts):
        shared.fail(
            f"--classes must be a number, or several with commas between. Got {text!r}.",
            "For example: --classes 500,125",
            status=2,
        )
    numbers = list(dict.fromkeys(int(part[:12]) for part in parts))
    if numbers == [0]:
        return []
    if min(numbers) < 2:
        shared.fail("--classes must be at least 2, or 0 for none.", None, status=2)
    return numbers


def _held_out(text: str) -> float | Path:
    """A share of sentences, 5% or 0.05; or a file."""
    if Path(text).is_file():
        return Path(text)
    number = shared.share_of(text)
    if not 0 <= number < 1:
        shared.fail(
            f"--held-out must be a share of the sentences, such as 5%, or a file. Got {text!r}.",
            "Some text must be left to learn from."
            if number >= 1
            else "Check the name of the file.",
            status=2,
        )
    return number


def _helpers(using: list[str] | None, sizes: list[int] | None) -> list[Any] | None:
    """Models and files whose classes are used; empty for no classes, None for those of the model itself."""
    from firth.model import load

    if sizes == []:
        if using:
            shared.fail(
                "--classes 0 uses no classes.", "Leave --using out, or --classes.", status=2
            )
        return []
    if not using:
        return None
    found: list[Any] = []
    for name in using:
        if Path(name).is_file():
            found.append(Path(name))
            continue
        helper = load(name)
        if "classes" not in helper:
            what = "" if "corpus" in helper else "TEXT -o "
            shared.fail(
                f"The model {name} has no classes.",
                f"Learn some: firth classes learn {what}{shlex.quote(name)}",
            )
        helper.classes  # noqa: B018  an error now
        found.append(helper)
    return found


def _target(
    sources: list[str], output: str | None, tokens: str | None, split: str | None, lowercase: bool
) -> tuple[str, list[Any], Any]:
    """The model to learn into, the texts to read, and how."""
    from firth.corpus import Reading
    from firth.store import MANIFEST

    if len(sources) == 1 and (Path(sources[0]) / MANIFEST).exists():
        said = {"--tokens": tokens, "--split": split, "--lowercase": lowercase or None}
        for option, value in said.items():
            if value is not None:
                shared.fail(f"{option} is for text, not for a model.", "Leave it out.", status=2)
        if output not in (None, sources[0]):
            shared.fail(
                "A language model goes into the model it is learned from.",
                f"Leave -o out, or copy the model first: cp -r {sources[0]} {output}",
                status=2,
            )
    reading = Reading(tokens or "words", split or "lines", lowercase)
    target, texts = shared.model_and_texts("lm", sources, output)
    return target, texts, reading


app.command("evaluate")(application.evaluate)
app.command("apply")(application.apply)
app.command("show")(description.show)
app.command("export")(files.export)
app.command("import")(files.import_)
