"""Preparing a model for the explorer: maps of its words, an index of its corpus and a report on the text."""

from __future__ import annotations

from pathlib import Path

from firth import progress
from firth.compute import Engine, engine_for
from firth.errors import BusyError, InputError, ModelError
from firth.maps import MAPS, MapParameters
from firth.model import Model
from firth.parameters import MEMORY, parse_memory
from firth.parts import PARTS
from firth.store import writing
from firth.vectors import KINDS

__all__ = ["prepare"]


def prepare(
    path: str | Path,
    map_words: int | None = None,
    threads: int | Engine | None = None,
    memory: int | str = MEMORY,
) -> list[str]:
    """Make the maps, the index and the report of a model if they are missing; returns the parts that were made.

    If the folder cannot be written, or another process is writing to it, the explorer works without
    them, and a notice is printed.

    Parameters
    ----------
    path : str or Path
        A model folder.
    map_words : int, optional
        Maximum number of words on each map; 0 for no maps.
    threads : int, optional
        Number of threads; all cores by default.
    memory : int or str
        About how much memory the index may take while it is made.
    """
    parse_memory(memory)
    engine = engine_for("prepare", threads)
    model = Model(path)
    wanted = _missing(model, map_words)
    if not wanted:
        return []
    from firth import pipeline  # slow to import: it loads compiled kernels

    made = []
    try:
        with writing(path) as writer:
            if "index" in wanted and pipeline.make_index(writer, memory):
                made.append("index")
            parameters = MapParameters() if map_words is None else MapParameters(map_words)
            for kind, name in MAPS.items():
                try:
                    if name in wanted and pipeline.make_map(writer, parameters, engine, kind):
                        made.append(name)
                except InputError as error:
                    progress.notice(f"No map was made. {error.message}")
        if "report" in wanted:
            pipeline.learn_report(path, engine)
            made.append("report")
    except (BusyError, ModelError) as error:
        titles = ", ".join(PARTS[name].title for name in wanted)
        progress.notice(f"Not made: {titles}. {error.message}", error.hint)
    return made


def _missing(model: Model, map_words: int | None) -> list[str]:
    """The parts to make, from the manifest alone."""
    wanted = []
    if "corpus" in model:
        wanted += [
            name for name in ("index", "report") if name not in model or model.is_stale(name)
        ]
    for kind, name in MAPS.items():
        vectors, present = KINDS[kind], model.parts.get(name)
        if vectors not in model or model.is_stale(vectors) or map_words == 0:
            continue
        sizes = (None, present.parameters.get("words")) if present else ()
        if map_words not in sizes or model.is_stale(name):
            wanted.append(name)
    return wanted
