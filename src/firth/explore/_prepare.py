"""Preparing a model for the explorer: a map of its words and an index of its corpus."""

from __future__ import annotations

from pathlib import Path

from firth import progress
from firth.compute import Engine, engine_for
from firth.errors import BusyError, InputError, ModelError
from firth.maps import MapParameters
from firth.model import Model
from firth.parameters import MEMORY, parse_memory
from firth.store import writing

__all__ = ["prepare"]


def prepare(
    path: str | Path,
    map_words: int | None = None,
    threads: int | Engine | None = None,
    memory: int | str = MEMORY,
) -> list[str]:
    """Make the map and the index of a model if they are missing; returns the parts that were made.

    If the folder cannot be written, or another process is writing to it, the explorer works without
    them, and a notice is printed.

    Parameters
    ----------
    path : str or Path
        A model folder.
    map_words : int, optional
        Maximum number of words on the map; 0 for no map.
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
            if "map" in wanted:
                parameters = MapParameters() if map_words is None else MapParameters(map_words)
                try:
                    if pipeline.make_map(writer, parameters, engine):
                        made.append("map")
                except InputError as error:
                    progress.notice(f"No map was made. {error.message}")
    except (BusyError, ModelError) as error:
        progress.notice(f"Not made: {' and '.join(wanted)}. {error.message}", error.hint)
    return made


def _missing(model: Model, map_words: int | None) -> list[str]:
    """The parts to make, from the manifest alone."""
    wanted = []
    if "corpus" in model and ("index" not in model or model.is_stale("index")):
        wanted.append("index")
    if "vectors" in model and not model.is_stale("vectors") and map_words != 0:
        present = model.parts.get("map")
        if (
            present is None
            or model.is_stale("map")
            or map_words not in (None, present.parameters.get("words"))
        ):
            wanted.append("map")
    return wanted
