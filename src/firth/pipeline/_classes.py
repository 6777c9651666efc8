"""Word classes, from the corpus of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from firth import classes as classing
from firth.classes import ClassesParameters, KeptWords, Merge
from firth.compute import Engine
from firth.corpus import Reading
from firth.counts import CountsParameters
from firth.errors import not_for
from firth.model import Model
from firth.parameters import (
    DeviceOption,
    JobParameters,
    Replacing,
    check_belong,
    documents,
    parse_memory,
)
from firth.parts import PARTS, is_current, new_part
from firth.pipeline._carrying import names_kept
from firth.pipeline._making import part_of, saved
from firth.pipeline._text import Texts, counts_for, learn_from_text, of_text
from firth.store import MANIFEST, Room, Writer

__all__ = ["learn_classes", "make_classes"]


@documents(ClassesParameters, KeptWords, Reading, JobParameters, DeviceOption, Replacing)
def learn_classes(
    model: str | Path, texts: Texts = (), *, trace: list[Merge] | None = None, **options: Any
) -> Model:
    """Learn word classes.

    Parameters that are omitted keep the values with which the classes of the model were learned. If it
    has none, the words are those of its counts. Another ``method`` begins with its own defaults.

    Parameters
    ----------
    model : str or Path
        A model folder.
    texts : str, Path or list of them
        Text to read into the model first; by default its corpus is taken as it is.
    trace : list, optional
        A list to which every merge of Brown's algorithm is appended; for small texts. See
        ``firth.classes.write_trace``.
    """
    for_text, device = of_text(options), DeviceOption(**DeviceOption.take(options)).device
    words, before = KeptWords.take(options), _previous_parameters(model)
    words = {**KeptWords.take(before), **words}
    method = options.get("method", before.get("method", ClassesParameters.method))
    if method != before.get("method"):
        before = {name: value for name, value in before.items() if name == "n_classes"}
    check_belong(ClassesParameters.fields(), method, options)
    counted, parameters = CountsParameters(**words), ClassesParameters(**{**before, **options})
    if trace is not None and method != "brown":
        raise not_for("trace", f"method {method!r}: it is for brown")
    return learn_from_text(
        "classes",
        model,
        texts,
        for_text,
        lambda writer, engine, memory: make_classes(
            writer, counted, parameters, memory, engine, trace
        ),
        device,
    )


def _previous_parameters(model: str | Path) -> dict[str, Any]:
    """How the classes of a model were learned, or else which words its counts keep."""
    parts = Model(model).parts if (Path(model) / MANIFEST).exists() else {}
    if "classes" in parts and "imported" not in parts["classes"].parameters:
        return dict(parts["classes"].parameters)
    return KeptWords.take(dict(parts["counts"].parameters)) if "counts" in parts else {}


def make_classes(
    writer: Writer,
    counted: CountsParameters,
    parameters: ClassesParameters,
    memory: int | str,
    engine: Engine,
    trace: list[Merge] | None = None,
) -> bool:
    """Learn word classes from the corpus of a model; returns False if that was done before.

    Interrupted work continues from its last checkpoint. Every merge of Brown's algorithm is appended
    to ``trace``.
    """
    made_from = {"corpus": part_of(writer, "corpus").content}
    of_counts = replace(counted, contexts=parameters.counted_contexts, weights="none")
    how = {**KeptWords.take(of_counts.parameters()), **parameters.parameters()}
    with names_kept(writer, "classes"):
        if trace is None and is_current(writer, "classes", how, made_from):
            return False
        unfinished = writer.unfinished("classes", PARTS["classes"].version, how, made_from)
        with new_part(writer, "classes", threads=engine.threads, memory=str(memory)) as draft:
            wanted = _pairs_already_counted(writer, of_counts, made_from)
            with (
                writer.scratch("classes") as scratch,
                counts_for(writer, "classes", wanted, memory, engine, unfinished) as counts,
            ):
                # the rest is for arrays that are not in it, of numbers for each word
                room = Room(parse_memory(memory) * 3 // 4, scratch)
                hierarchy, facts = classing.learn_hierarchy(
                    counts, parameters, engine, unfinished, trace, room
                )
            draft.facts = saved(hierarchy, draft.folder, **facts)
            draft.parameters, draft.made_from = how, made_from
        return True


def _pairs_already_counted(
    writer: Writer, wanted: CountsParameters, made_from: Mapping[str, Any]
) -> CountsParameters:
    """The counts of the model if they include the pairs of adjacent words, or else those wanted."""
    if wanted.contexts == "R1":
        for contexts in ("LR1", "LR2"):
            wider = replace(wanted, contexts=contexts)
            if is_current(writer, "counts", wider.parameters(), made_from):
                return wider
    return wanted
