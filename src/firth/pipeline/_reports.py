"""The report on the text of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from firth.compute import Engine, engine_for
from firth.errors import BusyError, ModelError
from firth.measure import Report, measure_text
from firth.model import Model
from firth.pipeline._making import made, make_part, opened, part_of, saved
from firth.store import writing

__all__ = ["learn_report", "report_of"]


def learn_report(model: str | Path, threads: int | Engine | None = None) -> Model:
    """Measure what the text of a model is large enough for; see ``firth.measure.measure_text``.

    Parameters
    ----------
    model : str or Path
        A model folder with a corpus.
    threads : int, optional
        Number of threads; all cores by default.
    """
    engine = engine_for("learn_report", threads)
    with writing(model) as writer:

        def make(folder: Path) -> dict[str, Any]:
            return saved(measure_text(opened(writer, "corpus"), engine), folder)

        made_from = {"corpus": part_of(writer, "corpus").content}
        changed = {"report": make_part(writer, "report", {}, made_from, make)}
    return made(model, changed)


def report_of(model: Model, threads: int | Engine | None = None) -> Report:
    """The report on the text of a model. It is made if it is missing, and kept if the folder can be written."""
    if "report" in model and not model.is_stale("report"):
        kept: Report = model.part("report")
        return kept
    try:
        new: Report = learn_report(model.path, threads).part("report")
        return new
    except BusyError:
        pass
    except ModelError:
        if "corpus" not in model:
            raise
    return measure_text(model.corpus, threads)
