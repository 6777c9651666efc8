"""Word vectors and a word map in a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from firth.compute import Engine, engine_for
from firth.corpus import Reading
from firth.counts import CountsParameters
from firth.errors import check_choice, not_for
from firth.maps import MAPS, MapParameters, WordMap
from firth.model import Model
from firth.parameters import (
    DeviceOption,
    JobParameters,
    Replacing,
    Resources,
    check_belong,
    check_known,
    documents,
)
from firth.parts import PARTS
from firth.pipeline._making import made, make_part, opened, part_of, previous, saved
from firth.pipeline._text import Texts, counts_for, learn_from_text, of_text, panels_for
from firth.store import Checkpoint, Writer, writing
from firth.vectors import (
    GRAMMAR_CONTEXTS,
    KINDS,
    GrammarParameters,
    VectorCountsParameters,
    VectorsParameters,
    grammar_vectors,
    room_for_vectors,
    vectors_from_counts,
)
from firth.vectors import preset as find_preset

__all__ = [
    "grammar_parameters",
    "learn_map",
    "learn_vectors",
    "make_grammar_vectors",
    "make_map",
    "make_vectors",
    "vectors_parameters",
]

_SIZES = ("min_count", "vocabulary", "across_lines")
"""What word vectors have in common with the counts of a model by default."""
_FIELDS = {
    field.name for stage in (VectorCountsParameters, VectorsParameters) for field in stage.fields()
}


@documents(VectorsParameters, VectorCountsParameters, Reading, JobParameters, Replacing)
def learn_vectors(
    model: str | Path, texts: Texts = (), *, kind: str = "meaning", preset: str | None = None, **options: Any
) -> Model:  # fmt: skip
    """Learn word vectors: count contexts, transform and scale the counts, decompose the matrix.

    If the model has word vectors already, parameters that are not given keep their values.

    Parameters
    ----------
    model : str or Path
        A model folder.
    texts : str, Path or list of them
        Text to read into the model first; by default its corpus is taken as it is.
    kind : {"meaning", "grammar"}
        By ``meaning``, words are similar that go with the same topics; by ``grammar``, words that can
        replace each other. ``grammar`` takes ``dim``, ``min_count``, ``vocabulary``, ``across_lines``,
        ``tolerance`` and ``seed``.
    preset : {"general", "similarity", "analogy", "syntax", "paper"}, optional
        Sets ``contexts``, ``weights``, ``alpha``, ``beta`` and ``spelling`` for a purpose, unless they are
        given.
    """
    check_choice("learn_vectors", "kind", kind, tuple(KINDS))
    for_text, device = of_text(options), DeviceOption(**DeviceOption.take(options)).device
    if kind == "grammar":
        return _learn_grammar(
            model, texts, for_text, options | ({"preset": preset} if preset else {}), device
        )
    before = previous(model, "vectors") or {
        name: value for name, value in previous(model, "counts").items() if name in _SIZES
    }
    if "dim" in before:  # vectors, maybe of an older version
        before = {**VectorsParameters.earlier(), **before}
    chosen = {**before, **(find_preset(preset) if preset else {}), **options}
    counted = VectorCountsParameters(**VectorCountsParameters.take(chosen))
    parameters = VectorsParameters(**VectorsParameters.take(chosen))
    check_known("learn_vectors", chosen)
    parameters.check()
    return learn_from_text(
        "vectors",
        model,
        texts,
        for_text,
        lambda writer, engine, memory: make_vectors(writer, counted, parameters, memory, engine),
        device,
    )


def _learn_grammar(
    model: str | Path, texts: Texts, for_text: dict[str, Any], options: dict[str, Any], device: str
) -> Model:
    part = KINDS["grammar"]
    names = [*_SIZES, "dim", "tolerance", "seed"]
    known = {name: value for name, value in options.items() if name in names}
    others = options.keys() - known.keys()
    check_known(
        "learn_vectors", {n: options[n] for n in others if n != "preset" and n not in _FIELDS}
    )
    if others:
        raise not_for(min(others), "--kind grammar")
    before = previous(model, part) or previous(model, "counts")
    chosen = {**{name: value for name, value in before.items() if name in names}, **known}
    counted = CountsParameters(GRAMMAR_CONTEXTS, **CountsParameters.take(chosen))
    parameters = GrammarParameters(**GrammarParameters.take(chosen))
    parameters.check()
    return learn_from_text(
        part,
        model,
        texts,
        for_text,
        lambda writer, engine, memory: make_grammar_vectors(
            writer, counted, parameters, memory, engine
        ),
        device,
    )


def grammar_parameters(counted: CountsParameters) -> tuple[CountsParameters, GrammarParameters]:
    """What to count for grammatical vectors and how to learn them, beside the counts of a model."""
    return replace(counted, contexts=GRAMMAR_CONTEXTS, weights="none"), GrammarParameters()


def make_grammar_vectors(
    writer: Writer, counted: CountsParameters, parameters: GrammarParameters, memory: int | str, engine: Engine
) -> bool:  # fmt: skip
    """Learn grammatical vectors from the corpus of a model; returns False if that was done before."""
    part = KINDS["grammar"]

    def make(folder: Path) -> Mapping[str, Any]:
        unfinished = writer.unfinished(part, PARTS[part].version, how, made_from)
        with (
            counts_for(writer, part, counted, memory, engine, unfinished) as counts,
            writer.scratch(f"{part}_room") as scratch,
        ):
            room = room_for_vectors(memory, scratch)
            checkpoint = Checkpoint(unfinished / "decomposition.state")
            corpus = opened(writer, "corpus")
            vectors = grammar_vectors(corpus, counts, parameters, engine, room, checkpoint)
            return saved(vectors, folder, **engine.facts)

    how = {"kind": "grammar", **counted.parameters(), **parameters.parameters()}
    made_from = {"corpus": part_of(writer, "corpus").content}
    log = {"threads": engine.threads, "memory": str(memory)}
    return make_part(writer, part, how, made_from, make, **log)


def vectors_parameters(
    preset: str, counted: CountsParameters, dim: int | None
) -> tuple[CountsParameters, VectorsParameters]:
    """What to count for word vectors and how to learn them, by a preset.

    What the preset does not set is as for the counts of the model.
    """
    chosen = find_preset(preset)
    return replace(counted, **CountsParameters.take(chosen)), VectorsParameters(dim, **chosen)


def make_vectors(
    writer: Writer,
    counted: CountsParameters,
    parameters: VectorsParameters,
    memory: int | str,
    engine: Engine,
) -> bool:
    """Learn word vectors from the corpus of a model; returns False if that was done before.

    Contexts are counted into a temporary folder, unless the counts of the model are the same.
    Interrupted work continues from its last checkpoint.
    """

    def make(folder: Path) -> Mapping[str, Any]:
        unfinished = writer.unfinished("vectors", PARTS["vectors"].version, how, made_from)
        with (
            writer.scratch("vectors") as scratch,
            panels_for(writer, "vectors", counted, memory, engine, unfinished) as counts,
        ):
            checkpoint = Checkpoint(unfinished / "decomposition.state")
            room = room_for_vectors(memory, scratch)
            svd, vectors = vectors_from_counts(counts, parameters, engine, room, checkpoint)
            where = (engine.cluster or engine).facts
            facts = {"basis": svd.basis, "residual": svd.residual, **where}
            return saved(vectors, folder, n_entries=counts.n_entries, **facts)

    how = {**counted.parameters(), **parameters.parameters()}
    made_from = {"corpus": part_of(writer, "corpus").content}
    log = {"threads": engine.threads, "memory": str(memory)}
    return make_part(writer, "vectors", how, made_from, make, **log)


@documents(MapParameters, Resources, DeviceOption, skip=["memory"])
def learn_map(model: str | Path, *, kind: str = "meaning", **options: Any) -> Model:
    """Lay out the words of a model in two dimensions, by their vectors.

    Parameters
    ----------
    model : str or Path
        A model folder with word vectors.
    kind : {"meaning", "grammar"}
        Whether words are near each other that go with the same topics, or that can replace each other.
    """
    check_choice("learn_map", "kind", kind, tuple(KINDS))
    device = DeviceOption(**DeviceOption.take(options)).device
    engine = engine_for("learn_map", options.pop("threads", None), device)
    given = MapParameters.take(options)
    parameters = MapParameters(**given)
    check_known("learn_map", options)
    parameters.check()
    check_belong(MapParameters.fields(), parameters.method, given)
    with writing(model) as writer:
        changed = {MAPS[kind]: make_map(writer, parameters, engine, kind)}
    return made(model, changed)


def make_map(
    writer: Writer, parameters: MapParameters, engine: Engine, kind: str = "meaning"
) -> bool:
    """Make a map of the words of a model; returns False if that was done before."""
    vectors = KINDS[kind]

    def make(folder: Path) -> Mapping[str, Any]:
        learned = WordMap.learn(opened(writer, vectors), parameters, engine)
        return saved(learned, folder, **engine.facts)

    made_from = {vectors: part_of(writer, vectors).content}
    log = {"threads": engine.threads}
    return make_part(writer, MAPS[kind], parameters.parameters(), made_from, make, **log)
