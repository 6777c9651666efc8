"""What the page needs beside the parts that are learned: a map of the words, an index of the corpus."""

from __future__ import annotations

from pathlib import Path

from firth import progress
from firth.compute import Engine, engine_for
from firth.errors import BusyError, InputError, ModelError
from firth.maps import MapParameters
from firth.model import Model
from firth.store import writing

__all__ = ["prepare"]


def prepare(
    path: str | Path, map_words: int | None = None, threads: int | Engine | None = None
) -> list[str]:
    """Make what is missing of map and index, and keep it in the model; returns what was made.

    Where the folder cannot be written, or somebody else is writing to it, the page does without.

    Parameters
    ----------
    path : str or Path
        A model folder.
    map_words : int, optional
        The most words on the map; 0 for no map.
    threads : int, optional
        All cores by default.
    """
    engine = engine_for("prepare", threads)
    model = Model(path)
    wanted = _missing(model, map_words)
    if not wanted:
        return []
    from firth import pipeline  # brings compilers along, which showing does without

    made = []
    try:
        with writing(path) as writer:
            if "index" in wanted and pipeline.make_index(writer):
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
    """What there is to make; quickly told, from the manifest alone."""
    wanted = []
    if "corpus" in model and ("index" not in model or model.is_stale("index")):
        wanted.append("index")
    if "vectors" in model and not model.is_stale("vectors") and map_words != 0:
        drawn = model.parts.get("map")
        other = (
            map_words is not None
            and drawn is not None
            and drawn.parameters.get("words") != map_words
        )
        if drawn is None or model.is_stale("map") or other:
            wanted.append("map")
    return wanted
