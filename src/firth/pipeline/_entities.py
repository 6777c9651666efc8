"""Named-entity recognisers in a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from firth.compute import Engine, engine_for
from firth.corpus import check_words
from firth.errors import ModelError, not_for, wrong_parameter
from firth.formats import read_labelled
from firth.model import Model
from firth.ner import EntityParameters, EntityTagger, LabelColumn
from firth.parameters import Replacing, documents
from firth.parts import PARTS, missing_part
from firth.pipeline._making import (
    check_same_text,
    file_identity,
    kept_parts,
    made,
    make_part,
    saved,
)
from firth.store import Writer, sha256, writing

__all__ = ["learn_entities", "make_entities"]

FEATURES = ("classes", "vectors")
"""The parts of another model that can become features."""


@documents(EntityParameters, LabelColumn, Replacing, skip=FEATURES)
def learn_entities(
    model: str | Path,
    text: str | Path,
    *,
    dev: str | Path | None = None,
    using: str | Path | None = None,
    features: Sequence[str] | None = None,
    **options: Any,
) -> Model:
    """Train a named-entity recogniser on labelled text.

    Parameters
    ----------
    model : str or Path
        The folder to write to.
    text : str or Path
        A file with a word and its label on each line; see ``firth.formats.read_labelled``.
    dev : str or Path, optional
        Development data, a file like ``text`` that is not trained on. F1 on it is recorded.
    using : str or Path, optional
        Another model, whose word classes and vectors become features. They are copied, so the result
        does not depend on that model.
    features : list of {"classes", "vectors"}, optional
        What to use of that model; by default all it has.
    """
    column, kept = LabelColumn(**LabelColumn.take(options)), kept_parts(options, "ner")
    column.check()
    for name in FEATURES:
        if name in options:
            raise not_for(name, "learn_entities: name a model that has them as 'using'")
    tagger = EntityTagger(**options)
    tagger.check()
    engine = engine_for("learn_entities", tagger.threads)
    helper = None if using is None else Model(using)
    chosen = _chosen(helper, features)
    files = {"text": Path(text)} | ({} if dev is None else {"dev": Path(dev)})
    with writing(model) as writer:
        check_same_text(writer, kept, [Path(text)], map(sha256, [Path(text)]))
        changed = make_entities(writer, tagger, files, column.label_column, helper, chosen, engine)
    return made(model, {"ner": changed})


def _chosen(helper: Model | None, features: Sequence[str] | None) -> list[str]:
    """The parts of the other model that become features."""
    if helper is None:
        if features is not None:
            raise not_for("features", "training without --using")
        return []
    if "corpus" in helper:
        tokens = str(helper.parts["corpus"].parameters.get("tokens"))
        check_words(tokens, f"The classes and vectors of {helper.path}", "features of words")
    for name in features or ():
        if name not in FEATURES:
            raise wrong_parameter(
                "learn_entities", "features", "'classes', 'vectors' or both", name
            )
        if name not in helper:
            raise missing_part(name, helper.path, has_corpus="corpus" in helper)
    found = [name for name in FEATURES if name in (features or FEATURES) and name in helper]
    if not found:
        raise ModelError(
            f"The model {helper.path} has neither word classes nor word vectors.",
            f"Learn them: {PARTS['classes'].how(helper.path, anew='corpus' in helper)}",
        )
    return found


def make_entities(
    writer: Writer, tagger: EntityTagger, files: Mapping[str, Path], column: int,
    helper: Model | None, features: Sequence[str], engine: Engine,
) -> bool:  # fmt: skip
    """Train a recogniser on files; returns False if that was done before."""
    made_from: dict[str, Any] = {role: file_identity(path) for role, path in files.items()}
    if helper is not None:
        made_from["using"] = {name: helper.parts[name].content for name in features}

    def make(folder: Path) -> Mapping[str, Any]:
        texts = {role: read_labelled(path, column) for role, path in files.items()}
        tagger.set_params(**{name: getattr(helper, name) for name in features})
        tagger.fit(texts["text"], texts.get("dev"))
        text = texts["text"]
        return saved(tagger, folder, scheme=text.scheme, n_slips=text.n_slips)

    how = {**tagger.parameters(), "column": column}
    return make_part(writer, "ner", how, made_from, make, threads=engine.threads)
