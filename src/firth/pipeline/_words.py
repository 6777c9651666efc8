"""From the corpus of a model to what is known of its words: vectors, classes, a map."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from firth import classes as classing
from firth import counts as counting
from firth import maps, progress
from firth import vectors as embedding
from firth.classes import ClassesParameters, Merge
from firth.compute import Engine
from firth.counts import CountsParameters
from firth.errors import ModelError
from firth.maps import MapParameters
from firth.pipeline._text import corpus_part, counts_for
from firth.store import Writer
from firth.vectors import SpectralEmbedding, VectorsParameters, WordVectors

__all__ = ["learn_classes", "learn_map", "learn_vectors", "vectors_parameters"]


def vectors_parameters(
    chosen: Mapping[str, Any], counted: CountsParameters, dim: int | None
) -> tuple[CountsParameters, VectorsParameters]:
    """What to count for vectors and how to learn them, from a preset or a person's choice.

    What is not chosen of the counting is as it was ``counted`` for the model.
    """
    known = CountsParameters.__dataclass_fields__
    of_counts = {name: value for name, value in chosen.items() if name in known}
    others = {name: value for name, value in chosen.items() if name not in known}
    return replace(counted, **of_counts), VectorsParameters(**{"dim": dim, **others})


def learn_vectors(
    writer: Writer, counted: CountsParameters, parameters: VectorsParameters, memory: int | str, engine: Engine
) -> bool:  # fmt: skip
    """Learn word vectors from the corpus of a model; returns False where that was done before.

    The contexts they need are counted for them alone, unless the counts of the model are just those.
    """
    part = corpus_part(writer)
    made_from = {"corpus": part.content}
    how = {**counted.parameters(), **parameters.parameters()}
    if writer.is_current("vectors", embedding.VERSION, how, made_from):
        return False
    with writer.part(
        "vectors", embedding.VERSION, threads=engine.threads, memory=str(memory)
    ) as draft:
        scratch = draft.folder / "counts"
        counts = counts_for(writer, part, counted, scratch, memory, engine)
        learned = SpectralEmbedding(**parameters.parameters(), threads=engine).fit(counts)
        shutil.rmtree(scratch, ignore_errors=True)
        learned.vectors_.save(draft.folder)
        draft.facts = {
            "n_words": len(learned.vectors_), "dim": learned.vectors_.dim, "n_entries": counts.n_entries,
            "basis": learned.svd_.basis, "residual": learned.svd_.residual,
        }  # fmt: skip
        draft.parameters = how
        draft.made_from = made_from
    return True


def learn_classes(
    writer: Writer, counted: CountsParameters, parameters: ClassesParameters, memory: int | str, engine: Engine,
    trace: list[Merge] | None = None,
) -> bool:  # fmt: skip
    """Learn word classes from the corpus of a model; returns False where that was done before.

    Work that was cut off goes on where it was. ``trace`` gets every merge of Brown's algorithm.
    """
    part = corpus_part(writer)
    made_from = {"corpus": part.content}
    of_counts = replace(counted, contexts=parameters.counted_contexts, weights="none")
    how = {
        **{name: getattr(of_counts, name) for name in ("min_count", "vocabulary", "across_lines")},
        **parameters.parameters(),
    }
    if trace is None and writer.is_current("classes", classing.VERSION, how, made_from):
        return False
    unfinished = writer.unfinished("classes", classing.VERSION, how, made_from)
    named = "names" in writer.parts and "classes" in writer.parts
    with writer.part(
        "classes", classing.VERSION, threads=engine.threads, memory=str(memory)
    ) as draft:
        scratch = draft.folder / "counts"
        wanted = _pairs_already_counted(writer, of_counts, made_from)
        counts = counts_for(writer, part, wanted, scratch, memory, engine)
        hierarchy, facts = classing.learn_hierarchy(counts, parameters, engine, unfinished, trace)
        shutil.rmtree(scratch, ignore_errors=True)
        hierarchy.save(draft.folder)
        draft.facts = {
            "n_words": len(hierarchy), "n_classes": hierarchy.n_classes, "rare": hierarchy.rare, **facts,
        }  # fmt: skip
        draft.parameters = how
        draft.made_from = made_from
    if named and writer.parts["names"].made_from != {"classes": writer.parts["classes"].content}:
        progress.notice("The names given to classes belong to the tree that was there before.")
    return True


def _pairs_already_counted(
    writer: Writer, wanted: CountsParameters, made_from: Mapping[str, Any]
) -> CountsParameters:
    """The counts of the model where they hold the pairs of adjacent words that are wanted; else those wanted."""
    if wanted.contexts == "R1":
        for contexts in ("LR1", "LR2"):
            wider = replace(wanted, contexts=contexts)
            if writer.is_current("counts", counting.VERSION, wider.parameters(), made_from):
                return wider
    return wanted


def learn_map(writer: Writer, parameters: MapParameters, engine: Engine) -> bool:
    """Lay the words of a model out in two dimensions; returns False where that was done before."""
    part = writer.parts.get("vectors")
    if part is None:
        raise ModelError(
            f"The model {writer.path} has no vectors to make a map of.",
            f"Learn some: firth vectors learn {writer.path}",
        )
    made_from = {"vectors": part.content}
    if writer.is_current("map", maps.VERSION, parameters.parameters(), made_from):
        return False
    part.verify()
    vectors = WordVectors.load(part.path, list(part.files), part.parameters)
    with writer.part("map", maps.VERSION, threads=engine.threads) as draft:
        drawn = maps.WordMap.learn(vectors, parameters, engine)
        drawn.save(draft.folder)
        draft.facts = {"n_words": len(drawn.vocabulary)}
        draft.parameters, draft.made_from = parameters.parameters(), made_from
    return True
