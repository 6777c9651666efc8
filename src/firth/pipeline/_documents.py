"""The documents of a corpus in a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from firth import progress
from firth.corpus import (
    PLACES,
    RECORDS,
    SOURCES,
    Corpus,
    Metadata,
    RecordSource,
    Source,
    find_documents,
    merge_documents,
    read_metadata,
)
from firth.formats import ANNOTATED, path_of
from firth.model import Model
from firth.pipeline._making import file_identity, make_part, opened, part_of, saved
from firth.store import Part, Writer

__all__ = ["join_documents", "make_documents"]


def make_documents(
    writer: Writer, sources: Sequence[Source], metadata: str | Path | None = None
) -> bool:
    """Find the documents of the corpus of a model; returns False if that was done before.

    A single text about which nothing is known is not divided into documents. Without ``metadata``, the
    table that was given before is used again.
    """
    table = metadata if metadata is not None else _given_before(writer)
    old = writer.parts.get("documents")
    divided = len(sources) > 1 or any(source.kind in (*RECORDS, *ANNOTATED) for source in sources)
    if not (divided or table is not None or old is not None):
        return False
    known: Metadata | None = None if table is None else read_metadata(table)

    def make(folder: Path) -> Mapping[str, Any]:
        corpus: Corpus = opened(writer, "corpus")
        return saved(find_documents(corpus, _here(sources), known), folder)

    made_from: dict[str, Any] = _of_corpus(part_of(writer, "corpus"))
    if table is not None:
        made_from["metadata"] = file_identity(Path(table))
    if records := [s.checksum_of_known() for s in sources if isinstance(s, RecordSource)]:
        made_from["records"] = records  # of texts in memory
    return make_part(writer, "documents", {}, made_from, make)


def join_documents(writer: Writer, shards: Sequence[Model]) -> bool:
    """Join the documents of models whose texts were merged; returns False if that was done before."""

    def make(folder: Path) -> Mapping[str, Any]:
        found = [
            shard.documents
            if "documents" in shard and not shard.is_stale("documents")
            else find_documents(shard.corpus)
            for shard in shards
        ]
        return saved(merge_documents(found, opened(writer, "corpus")), folder)

    made_from: dict[str, Any] = _of_corpus(part_of(writer, "corpus"))
    parts = [shard.parts["documents"] for shard in shards if "documents" in shard]
    if given := [part.made_from["metadata"] for part in parts if "metadata" in part.made_from]:
        made_from["metadata"] = given
    return make_part(writer, "documents", {}, made_from, make)


def _of_corpus(corpus: Part) -> dict[str, Any]:
    """What identifies the text and where its sentences come from."""
    return {
        "corpus": corpus.content,
        "positions": [corpus.files.get(name, {}).get("sha256") for name in (PLACES, SOURCES)],
    }


def _given_before(writer: Writer) -> Path | None:
    """The table of metadata that the documents of the model were made with, if it is still there."""
    old = writer.parts.get("documents")
    entry: Any = old.made_from.get("metadata") if old else None
    if not isinstance(entry, dict) or not isinstance(entry.get("path"), str):
        return None
    path = path_of(entry["path"])
    if path.is_file():
        return path
    progress.notice(
        f"The table of metadata {path} no longer exists, so the documents have no metadata from it.",
        "Give it again: --metadata FILE",
    )
    return None


def _here(sources: Sequence[Source]) -> list[Source]:
    """The sources that can be read a second time: not pipes and standard input."""
    once = [s for s in sources if s.once or (s.path is None and s.kind != "records")]
    if any(s.kind in (*RECORDS, *ANNOTATED) for s in once):
        progress.notice(
            f"Of {once[0].name}, only the text was read: metadata needs a file that can be read twice.",
            "Save it as a file first.",
        )
    return [source for source in sources if source not in once]
