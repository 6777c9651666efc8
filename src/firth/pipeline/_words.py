"""Word vectors, word classes and a word map, from the corpus of a model."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from firth import classes as classing
from firth import maps, progress
from firth.classes import ClassesParameters, Merge
from firth.compute import Engine
from firth.counts import CountsParameters
from firth.maps import MapParameters
from firth.parts import PARTS, is_current
from firth.pipeline._making import make_part, opened, part_of, saved
from firth.pipeline._text import counts_for
from firth.store import Writer
from firth.vectors import SpectralEmbedding, VectorsParameters

__all__ = ["make_classes", "make_map", "make_vectors", "vectors_parameters"]


def vectors_parameters(
    chosen: Mapping[str, Any], counted: CountsParameters, dim: int | None
) -> tuple[CountsParameters, VectorsParameters]:
    """What to count for vectors and how to learn them, from a preset or a person's choice.

    What is not chosen of the counting is as it was ``counted`` for the model.
    """
    others = dict(chosen)
    of_counts = CountsParameters.take(others)
    return replace(counted, **of_counts), VectorsParameters(**{"dim": dim, **others})


def make_vectors(
    writer: Writer,
    counted: CountsParameters,
    parameters: VectorsParameters,
    memory: int | str,
    engine: Engine,
) -> bool:
    """Learn word vectors from the corpus of a model; returns False if that was done before.

    The contexts they need are counted for them alone, unless the counts of the model are just those.
    """

    def make(folder: Path) -> Mapping[str, Any]:
        scratch = folder / "counts"
        counts = counts_for(writer, counted, scratch, memory, engine)
        learned = SpectralEmbedding(**parameters.parameters(), threads=engine.threads).fit(counts)
        shutil.rmtree(scratch, ignore_errors=True)
        svd = {"basis": learned.svd_.basis, "residual": learned.svd_.residual}
        return saved(learned.vectors_, folder, n_entries=counts.n_entries, **svd)

    how = {**counted.parameters(), **parameters.parameters()}
    made_from = {"corpus": part_of(writer, "corpus").content}
    log = {"threads": engine.threads, "memory": str(memory)}
    return make_part(writer, "vectors", how, made_from, make, **log)


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


def make_map(writer: Writer, parameters: MapParameters, engine: Engine) -> bool:
    """Lay the words of a model out in two dimensions; returns False if that was done before."""

    def make(folder: Path) -> Mapping[str, Any]:
        return saved(maps.WordMap.learn(opened(writer, "vectors"), parameters, engine), folder)

    made_from = {"vectors": part_of(writer, "vectors").content}
    log = {"threads": engine.threads}
    return make_part(writer, "map", parameters.parameters(), made_from, make, **log)
