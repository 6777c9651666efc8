"""Part-of-speech taggers in a model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from firth.compute import Engine, engine_for
from firth.corpus import Reading
from firth.errors import InputError, not_for
from firth.formats import read_tagged
from firth.model import Model
from firth.parameters import JobParameters, Replacing, documents
from firth.parts import missing_part
from firth.pipeline._carrying import names_kept
from firth.pipeline._making import (
    check_same_text,
    file_identity,
    kept_parts,
    made,
    make_part,
    opened,
    part_of,
    saved,
)
from firth.pipeline._morph_tokens import check_same_splits
from firth.pipeline._text import Texts, learn_from_text, of_text
from firth.store import Writer, writing
from firth.tags import (
    TAG_METHODS,
    AnchorTagger,
    BaumWelchTagger,
    FeatureTagger,
    MutualInformationParameters,
    MutualInformationTagger,
    TaggedText,
    anchor_preset,
)

__all__ = ["learn_tags", "make_tags"]

_USING = (MutualInformationTagger, AnchorTagger)
"""Those that can learn from contexts in other text too."""


@documents(MutualInformationParameters, Reading, JobParameters, Replacing)
def learn_tags(
    model: str | Path,
    texts: Texts = (),
    *,
    method: str | None = None,
    tagged: bool = False,
    using: str | Path | None = None,
    preset: str | None = None,
    **options: Any,
) -> Model:
    """Learn part-of-speech tags, from raw text or from tagged text.

    Parameters
    ----------
    model : str or Path
        A model folder.
    texts : str, Path or list of them
        Text to read into the model first; by default its corpus is taken as it is. With ``tagged``,
        one file of tagged text.
    method : {"mutual-information", "anchors", "baum-welch", "features", "classes", "latent"}, optional
        How to find tags in raw text; the first by default. Other methods have the parameters of
        ``AnchorTagger``, ``BaumWelchTagger``, ``FeatureTagger`` and ``ClusterTagger``. ``latent`` is for
        tagged text.
    tagged : bool
        Whether the text is tagged: CoNLL-U, or a word and a tag on each line. The parameters are then
        those of ``SupervisedTagger``, or with method ``latent`` of ``LatentTagger``, and
        ``tag_column``.
    using : str or Path, optional
        Another model whose corpus provides more contexts of the words; for the first two methods.
    preset : {"default", "paper"}, optional
        Sets the parameters of anchors as Firth or as the paper has them, unless they are given.
    """
    if tagged:
        if method not in (None, "latent"):
            raise not_for("method", "tagged text, except --method latent")
        for name, value in (("using", using), ("preset", preset)):
            if value is not None:
                raise not_for(name, "tagged text")
        return _learn_from_tagged(model, texts, method or "tagged", options)
    if method == "latent":
        raise InputError(
            "Hidden states of tags (--method latent) are learned from tagged text.",
            "Give tagged text and add --tagged.",
        )
    if "tag_column" in options:
        raise not_for("tag_column", "raw text: it is for tagged text")
    method = method or TAG_METHODS.default
    for_text = of_text(options)
    _check_choice_of_settings(options)
    threads = {"threads": for_text.get("threads")}
    if preset is not None and method != "anchors":
        raise not_for("preset", f"method {method!r}: it is for anchors")
    settings = {} if preset is None else anchor_preset(preset)
    tagger = TAG_METHODS.make(method, {**settings, **options, **threads})
    engine_for("learn_tags", None, getattr(tagger, "device", "cpu"))  # an error now
    if using is not None and not isinstance(tagger, _USING):
        raise not_for("using", f"method {method!r}: it is for mutual-information and anchors")
    helper = None if using is None else Model(using)
    if helper is not None and "corpus" not in helper:
        raise missing_part("corpus", helper.path, has_corpus=False)
    if method == "classes" and texts:
        raise InputError(
            "Tags are made of word classes, and text has none yet.",
            "Learn them first: firth learn TEXT -o MODEL",
        )
    return learn_from_text(
        "tags",
        model,
        texts,
        for_text,
        lambda writer, engine, memory: make_tags(writer, method, tagger, helper, memory, engine),
    )


def _check_choice_of_settings(options: Mapping[str, Any]) -> None:
    """What ``choose`` chooses cannot be given beside it, nor candidates beside anchors."""
    for name in ("spelling", "spelling_in", "sharing", "candidates"):
        if options.get("choose") and name in options:
            raise not_for(name, "--choose, which chooses it")
    for name in ("candidates", "exchange"):
        if options.get("anchors") is not None and name in options:
            raise not_for(name, "--anchors, which gives the anchors")


def make_tags(
    writer: Writer, method: str, tagger: Any, using: Model | None, memory: int | str, engine: Engine
) -> bool:
    """Learn tags from the corpus of a model; returns False if that was done before."""
    made_from: dict[str, Any] = {"corpus": part_of(writer, "corpus").content}
    if method == "classes":
        made_from["classes"] = part_of(writer, "classes").content
        tagger.classes = Model(writer.path).classes
    if using is not None:
        check_same_splits(writer, using)
        made_from["using"] = {"corpus": using.parts["corpus"].content}

    def make(folder: Path) -> Mapping[str, Any]:
        corpus = opened(writer, "corpus")
        if isinstance(tagger, _USING):
            with writer.scratch("tags") as scratch:
                tagger.fit(corpus, None if using is None else using.corpus, memory, scratch)
        elif isinstance(tagger, BaumWelchTagger | FeatureTagger):
            with writer.scratch("tags") as scratch:
                tagger.fit(corpus, memory, scratch)
        else:
            tagger.fit(corpus)
        return saved(tagger, folder)

    how = {"method": method, **tagger.parameters(), "decode": tagger.decode}
    log = {"threads": engine.threads, "memory": str(memory)}
    with names_kept(writer, "tags"):
        return make_part(writer, "tags", how, made_from, make, **log)


def _learn_from_tagged(
    model: str | Path, texts: Texts, method: str, options: dict[str, Any]
) -> Model:
    """Learn a tagger from a file of tagged text."""
    files = [texts] if isinstance(texts, str | Path) else list(texts)
    if len(files) != 1:
        raise InputError("Give one file of tagged text.", "Join several: cat A B > C")
    column = TaggedText(**TaggedText.take(options)).parameters()["tag_column"]
    options.pop("memory", None)
    kept = kept_parts(options, "tags")
    engine = engine_for("learn_tags", options.get("threads"))
    tagger, path = TAG_METHODS.make(method, options), Path(files[0])

    def make(folder: Path) -> Mapping[str, Any]:
        return saved(tagger.fit(read_tagged(path, column)), folder)

    how = {"method": method, **tagger.parameters(), "column": column}
    with writing(model) as writer:
        made_from = {"text": file_identity(path)}
        check_same_text(writer, kept, [path], [made_from["text"]["sha256"]])
        with names_kept(writer, "tags"):
            anew = make_part(writer, "tags", how, made_from, make, threads=engine.threads)
    return made(model, {"tags": anew})
