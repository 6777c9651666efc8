"""Models of parts of a text in, a model of the whole out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from firth import corpus as corpora
from firth import counts as counting
from firth import progress
from firth.compute import Engine, engine_for
from firth.counts import CountsParameters
from firth.errors import InputError, ModelError, ParameterError
from firth.model import Model
from firth.parameters import MEMORY, Replacing, Resources, check_known, documents, parse_memory
from firth.parts import PARTS, is_current, load_part, missing_part, new_part
from firth.pipeline._documents import join_documents
from firth.pipeline._making import check_same_text, kept_parts, made
from firth.pipeline._text import make_counts
from firth.store import Writer, has_structure, writing

__all__ = ["merge"]

_SOURCES = [{"path": str | None, "kind": str, "sha256": str | None}]
"""What the manifest tells about the files of a corpus."""


@documents(Resources, Replacing)
def merge(models: Sequence[str | Path], model: str | Path, **options: Any) -> Model:
    """Join models that were made from parts of a text into a model of all of it.

    The corpus is the same, to the byte, as if the texts had been read at once, in this order. Counts
    are added if all words were counted (``min_count=1, vocabulary=None``); otherwise the contexts of
    the whole are counted again. Everything else has to be learned from the whole.

    Parameters
    ----------
    models : list of str or Path
        Model folders. Their texts must have been read with the same options.
    model : str or Path
        The folder to write to.

    Returns
    -------
    Model

    Examples
    --------
    >>> merge(["parts/1", "parts/2"], "whole")  # doctest: +SKIP
    <Model whole: corpus, counts>
    """
    engine = engine_for("merge", options.pop("threads", None))
    memory = options.pop("memory", MEMORY)
    parse_memory(memory)
    kept = kept_parts(options, "corpus")
    check_known("merge", options)
    shards = _opened(models, Path(model))
    with writing(model) as writer:
        job = _Job(writer, shards, memory, engine)
        changed = job.run(kept)
    _notice_left_out(shards, Path(model))
    return made(model, changed)


def _opened(models: Sequence[str | Path], target: Path) -> list[Model]:
    """The models, after it was checked that they fit together."""
    if isinstance(models, str | Path) or not models:
        raise ParameterError("The 'models' parameter of merge must be a list of model folders.")
    shards = [Model(path) for path in models]
    for path, shard in zip(models, shards, strict=True):
        if Path(path).resolve() == target.resolve():
            raise InputError(f"{path} is to be merged into itself.", "Give another name with -o.")
        if "corpus" not in shard:
            raise missing_part("corpus", path, has_corpus=False)
        if shard.parts["corpus"].parameters.get("phrases") is not None:
            raise ModelError(
                f"{path} cannot be merged: phrases of its text are tokens.",
                "Read the texts together: firth learn TEXT... -o MODEL --phrases N",
            )
        if shard.parts["corpus"].parameters.get("tokens") == "morphs":
            raise ModelError(
                f"{path} cannot be merged: its tokens are morphs, and each model has splits of its own.",
                "Read the texts together: firth learn TEXT... -o MODEL --tokens morphs",
            )
    first = shards[0]
    for shard in shards[1:]:
        _check_same(first, shard, "corpus", "were read")
        ours, theirs = (one.parts["corpus"].facts.get("unicode") for one in (first, shard))
        if ours != theirs:
            raise ModelError(
                f"{first.path} and {shard.path} were read by other rules: "
                f"Unicode {ours or 'of Python'} and {theirs or 'of Python'}.",
                "Read the text of the older one again: firth corpus learn TEXT -o MODEL --replace",
            )
        ours, theirs = (one.parts["corpus"].facts.get("segmenter") for one in (first, shard))
        if ours != theirs:
            raise ModelError(
                f"{first.path} and {shard.path} were segmented by {ours} and {theirs}.",
                "Read the text of the older one again: firth corpus learn TEXT -o MODEL --replace",
            )
    return shards


def _check_same(one: Model, other: Model, name: str, how: str) -> None:
    """Raise an error if a part of two models was made with other parameters or in other versions."""
    ours, theirs = one.parts[name], other.parts[name]
    if ours.version != theirs.version:
        raise ModelError(
            f"The {PARTS[name].title} of {one.path} and of {other.path} have formats "
            f"{ours.version} and {theirs.version}.",
            "Make both with the same version of Firth.",
        )
    for key in sorted({*ours.parameters, *theirs.parameters}):
        a, b = ours.parameters.get(key), theirs.parameters.get(key)
        if a != b:
            raise ModelError(
                f"{one.path} and {other.path} {how} with other options: "
                f"{_typed(key, a)} and {_typed(key, b)}.",
                "Make both with the same options.",
            )


def _typed(key: str, value: object) -> str:
    """A parameter as it is typed."""
    option = f"--{key.replace('_', '-')}"
    if isinstance(value, bool):
        return option if value else f"no {option}"
    return f"{option} {0 if value is None else value}"


class _Words:
    """The corpora of some models and the vocabulary of all of them; ``folder`` is for what is large."""

    def __init__(self, shards: Sequence[Model], folder: Path, memory: int, engine: Engine) -> None:
        self._corpora, self._engine = [shard.corpus for shard in shards], engine
        self._vocabulary, self.mappings = corpora.merge_vocabularies(
            self._corpora, folder, memory, engine
        )

    @classmethod
    @contextmanager
    def of(
        cls, writer: Writer, shards: Sequence[Model], memory: int, engine: Engine
    ) -> Iterator[_Words]:
        with writer.scratch("corpus") as scratch:
            words = cls(shards, scratch / "words", memory, engine)
            try:
                yield words
            finally:  # Windows does not remove files that are mapped
                del words._corpora, words._vocabulary, words.mappings

    def join(self, folder: Path) -> dict[str, Any]:
        """Write the files of the corpus; returns the facts about it."""
        return corpora.merge_corpora(
            self._corpora, self._vocabulary, self.mappings, folder, self._engine
        )


class _Job:
    """Merges the corpora and counts of some models; parts that are current are kept."""

    def __init__(
        self, writer: Writer, shards: Sequence[Model], memory: int | str, engine: Engine
    ) -> None:
        self.writer, self.shards, self.memory, self.engine = writer, shards, memory, engine
        texts: list[Any] = [shard.parts["corpus"].made_from.get("sources") for shard in shards]
        self.made_from: dict[str, Any]
        if all(has_structure(text, _SOURCES) for text in texts):
            self.made_from = {"sources": [source for text in texts for source in text]}
        else:  # some were made by a Python program
            self.made_from = {"corpora": [shard.parts["corpus"].content for shard in shards]}

    def run(self, kept: Sequence[str]) -> dict[str, bool]:
        """Make what is not current; returns what was made."""
        parameters = dict(self.shards[0].parts["corpus"].parameters)
        counts = self._counted()
        anew = not is_current(self.writer, "corpus", parameters, self.made_from)
        usable = all(_is_usable(shard) for shard in self.shards)
        adds = counts is not None and usable and counting.can_be_added(counts)
        needed = anew or (counts is not None and adds and not self._has_counts(counts))
        memory = parse_memory(self.memory)
        changed = {"corpus": anew}
        words_of = _Words.of(self.writer, self.shards, memory, self.engine)
        with words_of if needed else nullcontext() as words:
            if anew and words is not None:
                self._check_text(kept)
                with new_part(self.writer, "corpus", threads=self.engine.threads) as draft:
                    draft.facts = words.join(draft.folder)
                    draft.parameters, draft.made_from = parameters, self.made_from
                    draft.content = corpora.CONTENT
            changed["documents"] = join_documents(self.writer, self.shards)
            if counts is not None:
                changed["counts"] = self._make_counts(counts, words if adds else None)
        return changed

    def _check_text(self, kept: Sequence[str]) -> None:
        sources = self.made_from.get("sources", [])
        files = [source["path"] for source in sources if source["path"]]
        check_same_text(self.writer, kept, files, [source["sha256"] for source in sources])

    def _counted(self) -> CountsParameters | None:
        """The parameters of the counts, if the models have any."""
        have = [shard for shard in self.shards if "counts" in shard]
        for other in have[1:]:
            _check_same(have[0], other, "counts", "were counted")
        return CountsParameters.restored(have[0].parts["counts"].parameters) if have else None

    def _has_counts(self, parameters: CountsParameters) -> bool:
        corpus = self.writer.parts["corpus"].content
        return is_current(self.writer, "counts", parameters.parameters(), {"corpus": corpus})

    def _make_counts(self, parameters: CountsParameters, words: _Words | None) -> bool:
        writer, engine = self.writer, self.engine
        if self._has_counts(parameters):
            return False
        if words is None:
            progress.notice(
                "The counts of parts do not add up, so the contexts are counted again.",
                "To add them, make all with --min-count 1 --vocabulary 0.",
            )
            return make_counts(writer, parameters, self.memory, engine)
        part = writer.parts["corpus"]
        log: dict[str, Any] = {"threads": engine.threads, "memory": str(self.memory)}
        with new_part(writer, "counts", **log) as draft:
            draft.facts = counting.merge_counts(
                [shard.counts for shard in self.shards], load_part(part), words.mappings,
                draft.folder, self.memory, engine,
            )  # fmt: skip
            draft.parameters = parameters.parameters()
            draft.made_from = {"corpus": part.content}
        return True


def _is_usable(shard: Model) -> bool:
    """Whether a model has counts of the corpus that it has."""
    return "counts" in shard and not shard.is_stale("counts")


def _notice_left_out(shards: Sequence[Model], target: Path) -> None:
    """Say what has to be learned from the whole."""
    for name, kind in PARTS.items():
        if name in ("corpus", "documents", "counts") or not kind.listed:
            continue
        if any(name in shard for shard in shards):
            them = "them" if kind.plural else "it"
            how = kind.how(target, anew=True)
            made_by_hand = name == "corrections"
            progress.notice(
                f"The {kind.title} {'are' if kind.plural else 'is'} not merged.",
                f"Export {them} from each model: firth morphs export, then {how}"
                if made_by_hand
                else f"Learn {them} from the whole: {how}",
            )
