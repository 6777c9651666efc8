"""The main job: from text to a model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firth import progress
from firth.classes import ClassesParameters
from firth.compute import Engine, engine_for
from firth.corpus import Reading, Source, find_texts
from firth.counts import CountsParameters
from firth.errors import InputError, ParameterError
from firth.model import Model
from firth.parameters import (
    DeviceOption,
    JobParameters,
    Replacing,
    check_known,
    documents,
    parse_memory,
)
from firth.pipeline._classes import make_classes
from firth.pipeline._making import kept_parts, made
from firth.pipeline._parameters import LearnParameters
from firth.pipeline._text import Texts, check_engine, engine_of, make_counts, read_text
from firth.pipeline._vectors import (
    grammar_parameters,
    make_grammar_vectors,
    make_vectors,
    vectors_parameters,
)
from firth.planning import Plan, Wanted
from firth.planning import plan as plan_job
from firth.store import Writer, writing
from firth.vectors import PRESETS, VectorsParameters

__all__ = ["learn", "plan"]


@dataclass(frozen=True)
class _Job:
    """The main job, its parameters checked and sorted by stage."""

    sources: list[Source]
    reading: Reading
    counts: CountsParameters
    vectors: tuple[CountsParameters, VectorsParameters] | None
    classes: ClassesParameters | None
    morphs: bool
    tags: int
    kept: tuple[str, ...]
    how: JobParameters

    @classmethod
    def of(cls, owner: str, texts: Texts, options: dict[str, Any], device: str = "cpu") -> _Job:
        reading = Reading(**Reading.take(options))
        counts = CountsParameters(**CountsParameters.take(options))
        how = JobParameters(**JobParameters.take(options))
        chosen = LearnParameters(**LearnParameters.take(options))
        makes = {
            "vectors": chosen.dim, "classes": chosen.classes, "morphs": chosen.morphs, "tags": chosen.tags,
        }  # fmt: skip
        kept = kept_parts(options, "corpus", *(name for name, n in makes.items() if n != 0))
        check_known(owner, options)
        chosen.check()
        parse_memory(how.memory)
        check_engine(owner, how, device)
        return cls(
            list(find_texts(texts, reading.column, how.skip_bad, reading.read_as)),
            reading,
            counts,
            None if chosen.dim == 0 else vectors_parameters(chosen.preset, counts, chosen.dim),
            None if chosen.classes == 0 else ClassesParameters(chosen.classes),
            chosen.morphs,
            chosen.tags,
            kept,
            how,
        )


@documents(Reading, CountsParameters, LearnParameters, JobParameters, DeviceOption, Replacing)
def learn(texts: Texts, model: str | Path, **options: Any) -> Model:
    """Learn a model from text: corpus, counts, word vectors, word classes; if wanted, morphs and tags.

    Stages that were done before with the same text and parameters are skipped, so an interrupted run
    continues where it stopped.

    Parameters
    ----------
    texts : str, Path or list of them, frame or records
        Files, folders, patterns, network addresses, or ``-`` for standard input; or texts in memory: a
        frame or a column of pandas, Polars or Arrow, or records (mappings) such as those of Hugging
        Face's ``datasets``, with their other columns as metadata.
    model : str or Path
        The folder to write to. Parts that are there already are replaced if they differ. It is an
        error if they were made from other text, unless ``replace`` is given.

    Returns
    -------
    Model
    """
    is_default = "preset" not in options
    device = DeviceOption(**DeviceOption.take(options)).device
    job = _Job.of("learn", texts, options, device)
    with writing(model) as writer, engine_of("learn", job.how, device) as engine:
        resources = job.how.memory, engine
        changed = read_text(writer, job.sources, job.reading, engine, job.how, job.kept)
        changed["counts"] = make_counts(writer, job.counts, *resources)
        if job.vectors is not None:
            if is_default:
                _tell_new_default(writer)
            changed["vectors"] = make_vectors(writer, *job.vectors, *resources)
            grammar = grammar_parameters(job.counts)
            changed["grammar_vectors"] = make_grammar_vectors(writer, *grammar, *resources)
        if job.classes is not None:
            changed["classes"] = _make_classes_if_any(writer, job.counts, job.classes, *resources)
        if job.morphs and job.reading.tokens != "morphs":  # which the text was read with
            # here for the same reason as tags below
            from firth.morphs import Morphology
            from firth.pipeline._morphs import make_morphs

            changed["morphs"] = make_morphs(writer, Morphology())
        if job.tags:
            # here, because they need scikit-learn, which takes a second to import
            from firth.pipeline._taggers import make_tags
            from firth.tags import TAG_METHODS

            method = TAG_METHODS.default
            tagger = TAG_METHODS.make(method, {"n_tags": job.tags, "threads": engine})
            changed["tags"] = make_tags(writer, method, tagger, None, *resources)
    return made(model, changed)


def _tell_new_default(writer: Writer) -> None:
    """Say why vectors are learned again that were learned with the former default."""
    former, before = PRESETS["similarity"], writer.parts.get("vectors")
    if before is None:
        return
    stored = {**VectorsParameters.earlier(), **before.parameters}
    if all(stored.get(name) == value for name, value in former.items()):
        progress.notice(
            "The word vectors are learned again, because the default preset is general now.",
            "With --preset similarity, the former default, they stay as they are.",
        )


@documents(Reading, CountsParameters, LearnParameters, JobParameters)
def plan(texts: Texts, **options: Any) -> Plan:
    """Estimate what ``learn`` will take, from a sample of the text.

    Parameters
    ----------
    texts : str, Path or list of them
        Files, folders, patterns, network addresses.

    Returns
    -------
    Plan
    """
    job = _Job.of("plan", texts, options)
    engine = engine_for("plan", job.how.threads)
    if job.how.cluster is not None:
        progress.notice("The plan is for this machine alone: it leaves out --cluster.")
    wanted = Wanted(
        job.reading, job.counts, job.how.memory, engine, job.vectors, job.classes, job.morphs, job.tags
    )  # fmt: skip
    return plan_job(job.sources, wanted)


def _make_classes_if_any(
    writer: Writer,
    counted: CountsParameters,
    parameters: ClassesParameters,
    memory: int | str,
    engine: Engine,
) -> bool:
    """Learn classes, unless the text is too small for the default number of them."""
    try:
        return make_classes(writer, counted, parameters, memory, engine)
    except (InputError, ParameterError) as error:
        if parameters.n_classes is not None:
            raise
        progress.notice(f"No word classes were learned. {error.message}")
        return False
