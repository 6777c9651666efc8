"""Word classes, from the corpus of a model."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from firth import classes as classing
from firth import progress
from firth.classes import ClassesParameters, Merge
from firth.compute import Engine
from firth.counts import CountsParameters
from firth.parts import PARTS, is_current
from firth.pipeline._making import part_of, saved
from firth.pipeline._text import counts_for
from firth.store import Writer

__all__ = ["make_classes"]


def make_classes(
    writer: Writer,
    counted: CountsParameters,
    parameters: ClassesParameters,
    memory: int | str,
    engine: Engine,
    trace: list[Merge] | None = None,
) -> bool:
    """Learn word classes from the corpus of a model; returns False if that was done before.

    Interrupted work continues from its last checkpoint. ``trace`` gets every merge of Brown's
    algorithm.
    """
    made_from = {"corpus": part_of(writer, "corpus").content}
    of_counts = replace(counted, contexts=parameters.counted_contexts, weights="none")
    how = {
        **{name: getattr(of_counts, name) for name in ("min_count", "vocabulary", "across_lines")},
        **parameters.parameters(),
    }
    if trace is None and is_current(writer, "classes", how, made_from):
        return False
    version = PARTS["classes"].version
    unfinished = writer.unfinished("classes", version, how, made_from)
    named = "names" in writer.parts and "classes" in writer.parts
    with writer.part("classes", version, threads=engine.threads, memory=str(memory)) as draft:
        scratch = draft.folder / "counts"
        wanted = _pairs_already_counted(writer, of_counts, made_from)
        counts = counts_for(writer, wanted, scratch, memory, engine)
        hierarchy, facts = classing.learn_hierarchy(counts, parameters, engine, unfinished, trace)
        shutil.rmtree(scratch, ignore_errors=True)
        draft.facts = saved(hierarchy, draft.folder, **facts)
        draft.parameters, draft.made_from = how, made_from
    if named and writer.parts["names"].made_from != {"classes": writer.parts["classes"].content}:
        progress.notice("The class names belong to the previous classes and are not used.")
    return True


def _pairs_already_counted(
    writer: Writer, wanted: CountsParameters, made_from: Mapping[str, Any]
) -> CountsParameters:
    """The counts of the model if they hold the pairs of adjacent words that are wanted."""
    if wanted.contexts == "R1":
        for contexts in ("LR1", "LR2"):
            wider = replace(wanted, contexts=contexts)
            if is_current(writer, "counts", wider.parameters(), made_from):
                return wider
    return wanted
