"""Taggers in a model: parts of speech, names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from firth import ner
from firth import tags as tagging
from firth.compute import Engine
from firth.corpus import Corpus
from firth.errors import check_choice
from firth.formats import read_labelled, read_tagged
from firth.model import Model
from firth.ner import EntityParameters
from firth.pipeline._text import corpus_part
from firth.store import Draft, Writer, sha256
from firth.tags import AnchorTagger, BaumWelchTagger, ClusterTagger, SupervisedTagger, Tagger

__all__ = ["TAG_METHODS", "learn_entities", "learn_tags", "learn_tags_from"]

TAG_METHODS: Mapping[str, type[AnchorTagger] | type[BaumWelchTagger] | type[ClusterTagger]] = {
    "anchors": AnchorTagger,
    "baum-welch": BaumWelchTagger,
    "classes": ClusterTagger,
}
"""How parts of speech can be learned from raw text."""


def learn_tags(
    writer: Writer, method: str, options: Mapping[str, Any], using: Model | None, memory: int | str, engine: Engine
) -> bool:  # fmt: skip
    """Learn parts of speech from the corpus of a model; returns False where that was done before.

    ``options`` are parameters of ``AnchorTagger``, ``BaumWelchTagger`` or ``ClusterTagger``; ``using`` is a model
    whose corpus tells anchors more about the contexts of words.
    """
    check_choice("tags learn", "method", method, tuple(TAG_METHODS))
    part = corpus_part(writer)
    made_from: dict[str, Any] = {"corpus": part.content}
    given: dict[str, Any] = {**options, "threads": engine}
    if method == "classes":
        given["classes"] = Model(writer.path).classes
        made_from["classes"] = writer.parts["classes"].content
    if using is not None:
        made_from["using"] = {"corpus": using.parts["corpus"].content}
    tagger = TAG_METHODS[method](**given)
    how = {"method": method, **_parameters_of(tagger), "decode": tagger.decode}
    if writer.is_current("tags", tagging.VERSION, how, made_from):
        return False
    part.verify()
    corpus = Corpus(part.path, part.parameters)
    with writer.part("tags", tagging.VERSION, threads=engine.threads, memory=str(memory)) as draft:
        if isinstance(tagger, AnchorTagger):
            tagger.fit(corpus, using.corpus if using is not None else None, memory)
        else:
            tagger.fit(corpus)
        _save_tags(tagger, draft, how, made_from)
    return True


def learn_tags_from(
    writer: Writer, text: Path, column: str, options: Mapping[str, Any], engine: Engine
) -> bool:
    """Learn parts of speech from tagged text; returns False where that was done before.

    ``column`` is as for ``read_tagged``, ``options`` are parameters of ``SupervisedTagger``.
    """
    made_from = {"text": {"path": str(text), "sha256": sha256(text)}}
    tagger = SupervisedTagger(**options, threads=engine)
    how = {"method": "tagged", **_parameters_of(tagger), "column": column}
    if writer.is_current("tags", tagging.VERSION, how, made_from):
        return False
    sentences = read_tagged(text, column)
    with writer.part("tags", tagging.VERSION, threads=engine.threads) as draft:
        tagger.fit(sentences)
        _save_tags(tagger, draft, how, made_from)
    return True


def _parameters_of(tagger: Any) -> dict[str, Any]:
    found = tagger.parameters
    return dict(found) if isinstance(found, dict) else dict(found.parameters())


def _save_tags(
    tagger: Tagger, draft: Draft, how: dict[str, Any], made_from: dict[str, Any]
) -> None:
    tagger.save(draft.folder)
    draft.facts = tagger.facts_
    draft.parameters, draft.made_from = how, made_from


def learn_entities(
    writer: Writer, text: Path, dev: Path | None, using: Model | None, features: Sequence[str],
    parameters: EntityParameters, column: int, engine: Engine,
) -> bool:  # fmt: skip
    """Learn to find names from a file of columns; returns False where that was done before.

    ``features`` are the parts of the model ``using`` that help: classes, vectors.
    """
    made_from: dict[str, Any] = {
        role: {"path": str(path), "sha256": sha256(path)}
        for role, path in (("text", text), ("dev", dev))
        if path is not None
    }
    if using is not None:
        made_from["using"] = {name: using.parts[name].content for name in features}
    how = {**parameters.parameters(), "column": column}
    if writer.is_current("ner", ner.VERSION, how, made_from):
        return False
    learned_from = read_labelled(text, column)
    checked_on = None if dev is None else read_labelled(dev, column)
    with writer.part("ner", ner.VERSION, threads=engine.threads) as draft:
        known = {name: getattr(using, name) for name in features}
        tagger = ner.EntityTagger(**known, **parameters.parameters(), threads=engine)
        tagger.fit(learned_from, checked_on)
        tagger.save(draft.folder)
        slips = {"scheme": learned_from.scheme, "n_slips": learned_from.n_slips}
        draft.facts = {**tagger.facts_, **slips}
        draft.parameters, draft.made_from = how, made_from
    return True
