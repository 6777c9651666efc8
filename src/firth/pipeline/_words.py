"""Word vectors and a word map, from the corpus of a model."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from firth import maps
from firth.compute import Engine
from firth.counts import CountsParameters
from firth.maps import MapParameters
from firth.pipeline._making import make_part, opened, part_of, saved
from firth.pipeline._text import counts_for
from firth.store import Writer
from firth.vectors import SpectralEmbedding, VectorsParameters

__all__ = ["make_map", "make_vectors", "vectors_parameters"]


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


def make_map(writer: Writer, parameters: MapParameters, engine: Engine) -> bool:
    """Lay the words of a model out in two dimensions; returns False if that was done before."""

    def make(folder: Path) -> Mapping[str, Any]:
        return saved(maps.WordMap.learn(opened(writer, "vectors"), parameters, engine), folder)

    made_from = {"vectors": part_of(writer, "vectors").content}
    log = {"threads": engine.threads}
    return make_part(writer, "map", parameters.parameters(), made_from, make, **log)
