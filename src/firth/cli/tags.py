"""firth tags: learn, show, name, apply and evaluate parts of speech."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli import _shared as shared
from firth.cli import _tag_application as application
from firth.cli import _tag_evaluation as evaluation
from firth.cli import _tags as common

app = typer.Typer(
    no_args_is_help=True, help="Parts of speech, from raw text or from text that people have tagged."
)  # fmt: skip

_OF_METHOD = {
    "anchors": ("contexts", "spelling", "sharing", "refine", "candidates", "choose", "vocabulary", "decode", "seed"),
    "baum-welch": ("rounds", "restarts", "vocabulary", "decode", "seed"),
    "classes": (),
    "tagged": ("sharing", "decode"),
}  # fmt: skip
"""The options that each method has, beside the number of tags."""
_SHOWN = 4
"""How many of the tags that follow a tag are shown."""
_NOTABLE = 0.005
"""Steps that are less probable are not shown."""


@app.command("learn")
@shared.guarded
def learn(
    sources: shared.ModelOrTexts,
    output: shared.OptionalOutput = None,
    tags: common.Tags = None,
    method: Annotated[
        str | None, shared.optional("--method", "anchors|baum-welch|classes", "How to find tags; anchors by default.")
    ] = None,
    tagged: Annotated[
        bool, typer.Option("--tagged", help="Learn from text with tags: CoNLL-U, or a word and a tag on each line.")
    ] = False,
    column: Annotated[
        str | None, shared.optional("--column", "upos|xpos|N", "Where the tags are in tagged text; upos by default.")
    ] = None,
    using: Annotated[
        str | None, shared.optional("--using", "MODEL", "A model whose corpus tells more about the contexts of words.")
    ] = None,
    contexts: Annotated[
        str | None, shared.optional("--contexts", "LR1|LR2|...", "Which places around a word count; LR1 by default.")
    ] = None,
    spelling: Annotated[
        float | None, shared.optional("--spelling", "X", "The weight of spelling beside contexts; 0 by default.")
    ] = None,
    sharing: Annotated[
        float | None,
        shared.optional("--sharing", "X", "As how many occurrences words spelled alike count; 1 by default."),
    ] = None,
    refine: Annotated[
        bool | None,
        typer.Option("--refine/--no-refine", help="Move anchors to the middle of their words; yes by default."),
    ] = None,
    candidates: Annotated[
        int | None, shared.optional("--candidates", "N", "Anchors are among the N most frequent words; 300 by default.")
    ] = None,
    choose: Annotated[
        bool, typer.Option("--choose", help="Choose --spelling, --sharing and --candidates for the text; slow.")
    ] = False,
    vocabulary: Annotated[
        int | None,
        shared.optional("--vocabulary", "N", "The most words to learn, 0 for all; 200,000 by default."),
    ] = None,
    rounds: Annotated[
        int | None, shared.optional("--rounds", "N", "The most rounds of Baum-Welch; 100 by default.")
    ] = None,
    restarts: Annotated[
        int | None, shared.optional("--restarts", "N", "Random starts of Baum-Welch; 1 by default.")
    ] = None,
    decode: common.Decode = None,
    seed: Annotated[int | None, shared.optional("--seed", "N", "Of random starts; 0 by default.")] = None,
    memory: shared.Memory = "4G",
    threads: shared.Threads = None,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:  # fmt: skip
    """Find parts of speech in raw text, in any language.

    From the corpus of a model, or from text, which is then read with the default options of
    [bold]firth learn[/]. Tags are numbered; the most frequent is 0. Look at them with [bold]firth tags show[/], and
    give them names with [bold]firth tags name[/]. With --tagged, tags are those that people gave, and what is
    learned is a quick tagger.

    Example: [bold]firth tags learn news --tags 8[/]
    """
    from firth.compute import engine_for
    from firth.corpus import Reading
    from firth.counts import parse_memory
    from firth.model import load
    from firth.pipeline import learn_corpus, learn_tags, learn_tags_from
    from firth.store import writing

    engine = engine_for("tags learn", threads)
    parse_memory(memory)
    said = {
        "contexts": contexts, "spelling": spelling, "sharing": sharing, "refine": refine, "candidates": candidates,
        "vocabulary": vocabulary, "rounds": rounds, "restarts": restarts, "decode": decode, "seed": seed,
        "choose": choose or None,
    }  # fmt: skip
    options: dict[str, Any] = {name: value for name, value in said.items() if value is not None}
    chosen = _check_options(method, tagged, column, using, tags, options)
    if "vocabulary" in options:
        options["vocabulary"] = shared.no_limit(options["vocabulary"])
    if tagged:
        target, file = _tagged_file(sources, output)
        with shared.reporting(quiet), writing(target) as writer:
            anew = learn_tags_from(writer, file, column or "upos", options, engine)
        changed = ["tags"] * anew
    else:
        if tags is not None or chosen != "classes":
            options["n_tags"] = tags or 12
        target, texts = shared.model_and_texts("tags", sources, output)
        helper = _helper(using)
        if chosen == "classes":
            _check_classes(target, bool(texts))
        with shared.reporting(quiet), writing(target) as writer:
            learned = {}
            if texts:
                learned["corpus"] = learn_corpus(writer, texts, Reading(), engine)
            learned["tags"] = learn_tags(writer, chosen, options, helper, memory, engine)
        changed = [name for name, anew in learned.items() if anew]
    tagger = load(target).tags
    if json:
        shared.print_json({**tagger.facts_, "changed": changed})
    elif not quiet:
        if not changed:
            shared.stdout().print("Nothing to do: this was learned already, with these options.")
        _print_tags(tagger, 8)
        if settings := tagger.facts_.get("chosen"):
            told = ", ".join(f"{name} {value:g}" for name, value in sorted(settings.items()))
            shared.stdout().print(shared.line(f"chosen   {told}"))
        shared.stdout().print(
            shared.line((f"try      firth tags apply {shlex.quote(target)} TEXT", "dim"))
        )  # fmt: skip


def _check_options(
    method: str | None, tagged: bool, column: str | None, using: str | None, tags: int | None,
    options: dict[str, Any],
) -> str:  # fmt: skip
    """The method; says which options it does not have."""
    if tagged and (method or tags or using):
        what = "--method" if method else "--tags" if tags else "--using"
        shared.fail(f"{what} is for raw text.", "Leave it out, or leave out --tagged.", status=2)
    if column and not tagged:
        shared.fail("--column is for tagged text.", "Add --tagged.", status=2)
    chosen = "tagged" if tagged else method or "anchors"
    if chosen not in _OF_METHOD or (chosen == "tagged") != tagged:
        shared.fail(
            f"--method must be anchors, baum-welch or classes. Got {method!r}.", None, status=2
        )
    for name in ("spelling", "sharing", "candidates"):
        if "choose" in options and name in options:
            shared.fail(f"--choose chooses --{name}.", "Leave one of them out.", status=2)
    for name in options:
        if name not in _OF_METHOD[chosen]:
            where = next(other for other, names in _OF_METHOD.items() if name in names)
            shared.fail(
                f"--{name} is not for {'tagged text' if tagged else f'--method {chosen}'}.",
                f"It is for --method {where}." if where != "tagged" else None,
                status=2,
            )
    if using and chosen != "anchors":
        shared.fail("--using is for --method anchors.", "Leave it out.", status=2)
    return chosen


def _tagged_file(sources: list[str], output: str | None) -> tuple[str, Path]:
    """The model to write, and the file with tagged text."""
    if len(sources) != 1:
        shared.fail("Give one file of tagged text.", "Put several into one: cat A B > C", status=2)
    path = common.tagged_file(sources[0])
    if not output:
        shared.fail(
            "There is no --output (-o) to write the model to.", "For example: -o tagger", status=2
        )
    return output, path


def _helper(using: str | None) -> Any:
    """The model that is used, if any."""
    from firth.model import load

    if using is None:
        return None
    helper = load(using)
    if "corpus" not in helper:
        shared.fail(
            f"The model {using} has no corpus.", f"Read one: firth corpus learn TEXT -o {using}"
        )
    return helper


def _check_classes(model: str, reads: bool) -> None:
    """Say where classes come from, before anything is read."""
    from firth.model import load
    from firth.store import MANIFEST

    if not (Path(model) / MANIFEST).exists() or "classes" not in load(model):
        what = "TEXT -o " if reads else ""
        shared.fail(
            f"The model {model} has no classes.",
            f"Learn some first: firth classes learn {what}{shlex.quote(model)}",
        )


app.command("apply")(application.apply)


@app.command("show")
@shared.guarded
def show(
    model: shared.ModelPath,
    tag: Annotated[
        str | None,
        typer.Argument(metavar="[TAG]", help="One tag, by its number or its name.", show_default=False),
    ] = None,
    n: Annotated[
        int | None,
        typer.Option("-n", metavar="N", min=1, help="How many words to show.", show_default=False),
    ] = None,
    json: shared.Json = False,
) -> None:  # fmt: skip
    """Show the tags: how frequent they are, their anchors and typical words, and what follows them.

    Of one tag more is shown: beside each word its count, and the share of it that has this tag.

    Example: [bold]firth tags show news[/]
    """
    tagger = common.open_tags(model)
    facts = common.tag_facts(tagger, n or (30 if tag is not None else 10))
    if tag is not None:
        facts = sorted(  # a name comes before a number, where people have tags that are numbers
            (row for row in facts if tag in (str(row["tag"]), row["name"])),
            key=lambda row: row["name"] != tag,
        )[:1]
        if not facts:
            shared.fail(
                f"There is no tag {tag!r}.", f"See them all: firth tags show {shlex.quote(model)}"
            )
    if json:
        shared.print_json(facts[0] if tag is not None else facts)
        return
    if tag is not None:
        _print_tag(facts[0])
        return
    _print_tags(tagger, n or 10)
    if tagger.tags_[0] == "0":
        shared.stdout().print(
            shared.line(
                (f"name them with: firth tags name {shlex.quote(model)} 0=NOUN 1=...", "dim")
            )
        )


def _label(row: dict[str, Any], wide: int) -> list[tuple[str, str]]:
    """The number of a tag, and its name where it has one."""
    named = row["name"] != str(row["tag"])
    return [
        (f"{row['tag']:>2}", "bold green"),
        (" " + common.padded(row["name"] if named else "", wide), "bold"),
    ]


def _print_tags(tagger: Any, n: int) -> None:
    """A few lines for each tag."""
    console = shared.stdout()
    rows = common.tag_facts(tagger, n)
    numbers = [str(row["tag"]) for row in rows]
    wide = max(common.width_of(row["name"]) for row in rows) if tagger.tags_ != numbers else 0
    sizes = [
        shared.count_of(tagger.n_tags, "tag"),
        shared.count_of(len(tagger.vocabulary_), "word"),
    ]
    console.print(shared.line(", ".join(sizes)))
    for row in rows:
        words = "  ".join(word["word"] for word in row["words"])
        console.print(
            shared.line(
                *_label(row, wide), (f" {row['share']:>6.1%}  ", "dim"), words or "no words"
            )
        )
        details = []
        if row["anchor"]:
            details.append(f"anchor {row['anchor']}")
        after = sorted(row["followed_by"].items(), key=lambda pair: -pair[1])[:_SHOWN]
        told = [f"{name} {p:.0%}" for name, p in after if p >= _NOTABLE]
        details.append(f"then {', '.join(told)}" if told else "then any")
        console.print(shared.line(" " * (wide + 12), ("; ".join(details), "dim")))


def _print_tag(row: dict[str, Any]) -> None:
    """All about one tag."""
    console = shared.stdout()
    anchor = f"  anchor {row['anchor']}" if row["anchor"] else ""
    console.print(
        shared.line(*_label(row, 0), (f"  {row['share']:.1%} of the text{anchor}", "dim"))
    )
    for word in row["words"]:
        console.print(
            shared.line(f"  {word['word']}", (f"  {word['count']:,}, {word['share']:.0%}", "dim"))
        )
    console.print(shared.line((f"begins {row['first']:.1%} of the sentences; then", "dim")))
    for name, p in sorted(row["followed_by"].items(), key=lambda pair: -pair[1]):
        if p >= _NOTABLE:
            console.print(shared.line((f"  {p:>6.1%}  ", "dim"), name))


@app.command("name")
@shared.guarded
def name(
    model: shared.ModelPath,
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NUMBER=NAME...", show_default=False,
            help="The number of a tag and a name for it; NUMBER= takes the name away.",
        ),
    ],
    quiet: shared.Quiet = False,
) -> None:  # fmt: skip
    """Give names of your own to tags; they are kept in the model, and used when text is tagged.

    Names belong to the tags they were given to: when tags are learned anew, give them anew.

    Example: [bold]firth tags name news 0=NOUN 1=VERB[/]
    """
    from firth.pipeline import name_tags

    common.open_tags(model)
    given = {}
    for entry in names:
        number, equals, text = entry.partition("=")
        if not equals:
            shared.fail(
                f"A name is given as NUMBER=NAME. Got {entry!r}.", "For example: 3=NOUN", status=2
            )
        given[number] = text
    tagger = name_tags(model, given).tags
    if not quiet:
        for number in given:
            shared.stdout().print(
                shared.line((number, "bold green"), f"  {tagger.tags_[int(number)]}")
            )


app.command("evaluate")(evaluation.evaluate)
