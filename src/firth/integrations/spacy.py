"""Components for spaCy: word classes and tags, named entities, constituents.

spaCy finds them by their names, ``firth``, ``firth_ner`` and ``firth_parser``, as soon as both packages
are installed. The tokens are those of spaCy.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, Span, Token
from spacy.util import ensure_path, filter_spans
from spacy.vectors import Vectors

from firth.corpus import Reading, check_words, fold_word
from firth.errors import FirthError, ModelError, ParameterError, check_choice
from firth.model import Model, load
from firth.store import make_folder, open_file, remove_tree, replacing
from firth.trees import Tree

__all__ = [
    "ClassTagger",
    "EntityFinder",
    "ParserComponent",
    "make_classes",
    "make_entities",
    "make_parser",
]

_CONFIG, _MODEL = "config.json", "model"
SPANS = "constituents"
"""The key of the constituents in ``doc.spans``."""


class Component:
    """What the components share: a model that is opened when it is first needed, and saved with the pipeline."""

    parts: tuple[str, ...] = ()
    """The parts that it may need; one of them must be there."""

    def __init__(self, name: str, model: str, **settings: Any) -> None:
        self.name, self.path, self.settings = name, str(model), settings
        self._opened: Model | None = None

    @property
    def firth_model(self) -> Model:
        if self._opened is None:
            if not self.path:
                raise ParameterError(
                    f"The component {self.name!r} has no model.",
                    f'Name one: nlp.add_pipe("{self.name}", config={{"model": "PATH"}})',
                )
            opened = load(self.path)
            if not set(self.parts) & set(opened.parts):
                opened.part(self.parts[0])  # an error that says how to make it
            self._opened = opened
        return self._opened

    @property
    def needed(self) -> list[str]:
        """The parts that it uses."""
        return [part for part in self.parts if part in self.firth_model]

    def __getstate__(self) -> dict[str, Any]:  # other processes open the model themselves
        return {**self.__dict__, "_opened": None}

    def to_disk(self, path: Any, exclude: Sequence[str] = ()) -> None:  # noqa: ARG002
        """Save the settings, and a copy of the parts of the model that are needed; never its text."""
        folder = Path(ensure_path(path))
        make_folder(folder)
        target = folder / _MODEL
        if target.resolve() != self.firth_model.path.resolve():
            if target.exists():
                remove_tree(target)
            self.firth_model.copy_to(target, self.needed)
        with replacing(folder / _CONFIG) as file:
            file.write(json.dumps(self._saved()).encode())

    def from_disk(self, path: Any, exclude: Sequence[str] = ()) -> Component:  # noqa: ARG002
        """Use the settings and the model that ``to_disk`` has saved."""
        folder = Path(ensure_path(path))
        try:
            with open_file(folder / _CONFIG, "rb") as file:
                saved = json.loads(file.read())
        except (OSError, ValueError):
            saved = None
        if not isinstance(saved, dict):
            raise ModelError(
                f"{folder / _CONFIG} is missing or damaged.", "Save the pipeline again."
            )
        self.path, self._opened = str(folder / _MODEL), None
        self._restore(saved)
        return self

    def _saved(self) -> dict[str, Any]:
        return {}

    def _restore(self, saved: dict[str, Any]) -> None: ...


class ClassTagger(Component):
    """The component ``firth``: classes, tags and vectors of words.

    Tokens get ``token._.firth_path``, the path of the class of the word; ``token._.firth_class(depth)``,
    its beginning; and ``token._.firth_tag``. Each is None if the model lacks the part, or the word.
    """

    parts = ("classes", "tags", "vectors")

    def __init__(self, nlp: Language, name: str, model: str, **settings: Any) -> None:
        super().__init__(name, model, **settings)
        self._reading: Reading | None = None
        self._paths: dict[str, str | None] = {}
        if (
            settings["vectors"] and Path(self.path).exists()
        ):  # otherwise they come with the pipeline
            self._add_vectors(nlp)

    @property
    def needed(self) -> list[str]:
        return [part for part in super().needed if part != "vectors"]  # they are in the vocabulary

    @property
    def reading(self) -> Reading:
        """How the words of the model were folded."""
        if self._reading is None:
            corpus = self.firth_model.parts.get("corpus")
            self._reading = Reading() if corpus is None else Reading.restored(corpus.parameters)
            check_words(self._reading.tokens, "The classes", "used in spaCy")
        return self._reading

    def _add_vectors(self, nlp: Language) -> None:
        kind: Any = self.settings["vectors"]
        check_choice("firth", "vectors", kind, ("meaning", "grammar"))
        if len(nlp.vocab.vectors):
            raise FirthError(
                "The pipeline has vectors of its own, which other components may need.",
                "Leave the setting 'vectors' out, or begin with spacy.blank.",
            )
        vectors = self.firth_model.vectors_of(kind)
        for word in vectors.words:
            nlp.vocab.strings.add(word)
        nlp.vocab.vectors = Vectors(
            strings=nlp.vocab.strings, data=vectors.matrix.copy(), keys=vectors.words,
            attr="LOWER" if self.reading.lowercase else "ORTH",
        )  # fmt: skip

    def __call__(self, doc: Doc) -> Doc:
        model = self.firth_model
        if "classes" in model:
            for token in doc:
                if not token.is_space:
                    token._.firth_path = self._path(token.text)
        if "tags" in model:
            pieces = list(sentences(doc))
            texts = [[token.text for token in tokens] for tokens in pieces]
            for tokens, tags in zip(
                pieces, model.tags.tag(texts, self.settings["decode"]), strict=True
            ):
                for token, tag in zip(tokens, tags, strict=True):
                    token._.firth_tag = tag
                    if self.settings["set_tags"]:
                        token.tag_ = tag
        return doc

    def _path(self, word: str) -> str | None:
        if word not in self._paths:
            if len(self._paths) > 1 << 17:
                self._paths.clear()
            classes = self.firth_model.classes
            folded = fold_word(word, self.reading)
            found = classes.vocabulary.find_all([folded, folded.lower()])
            known = next((int(classes.class_of[i]) for i in found if i is not None), None)
            if known is None and self.settings["guess"]:
                known = classes.spelling.class_of(folded)
            self._paths[word] = None if known is None else classes.paths[known]
        return self._paths[word]

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_paths": {}}

    def _saved(self) -> dict[str, Any]:
        return {"reading": self.reading.parameters()}

    def _restore(self, saved: dict[str, Any]) -> None:
        if not isinstance(saved.get("reading"), dict):
            raise ModelError(
                f"The settings beside {self.path} are damaged.", "Save the pipeline again."
            )
        self._reading, self._paths = Reading.restored(saved["reading"]), {}


class EntityFinder(Component):
    """The component ``firth_ner``: named entities in ``doc.ents``."""

    parts = ("ner",)

    def __call__(self, doc: Doc) -> Doc:
        pieces = list(sentences(doc))
        found = self.firth_model.ner.entities(
            [[token.text for token in tokens] for tokens in pieces]
        )
        spans = [
            Span(doc, tokens[entity.start].i, tokens[entity.end - 1].i + 1, label=entity.type)
            for tokens, of_one in zip(pieces, found, strict=True)
            for entity in of_one
        ]
        taken = {token.i for span in doc.ents for token in span}
        if self.settings["overwrite_ents"]:
            inside = {token.i for span in spans for token in span}
            kept = [span for span in doc.ents if not inside & {token.i for token in span}]
        else:
            kept = list(doc.ents)
            spans = [span for span in spans if not taken & {token.i for token in span}]
        doc.ents = filter_spans(kept + spans)
        return doc


class ParserComponent(Component):
    """The component ``firth_parser``: constituents of every sentence as spans in ``doc.spans``.

    As with benepar, a sentence or constituent has ``span._.firth_constituents``, ``firth_labels``,
    ``firth_parent``, ``firth_children`` and ``firth_parse``, the tree in brackets. ``token._.firth_pos``
    is the part of speech in the tree.
    """

    parts = ("grammar",)

    def __call__(self, doc: Doc) -> Doc:
        grammar = self.firth_model.grammar
        spans: list[Span] = []
        for tokens in sentences(doc):
            tree = grammar.parse([token.text for token in tokens])
            for token, tag in zip(tokens, tree.tags, strict=True):
                token._.firth_pos = tag
            spans += [
                Span(doc, tokens[start].i, tokens[end - 1].i + 1, label=label)
                for label, start, end in tree.spans()
                if label
            ]
        doc.spans[SPANS] = spans
        return doc


def sentences(doc: Doc) -> Iterator[list[Token]]:
    """The tokens of each sentence without white space; the whole document if it has no sentences."""
    parts = doc.sents if doc.has_annotation("SENT_START") else [doc[:]]
    for part in parts:
        tokens = [token for token in part if not token.is_space]
        if tokens:
            yield tokens


# Extensions of spans that are read from doc.spans, so that they survive saving ----------------------


def _constituents(span: Span) -> list[Span]:
    """The constituents inside a span, top-down, from left to right."""
    span, found = _checked(span)
    return [one for one in found if span.start <= one.start and one.end <= span.end]


def _checked(span: Span) -> tuple[Span, list[Span]]:
    """A span without white space at its ends, and all constituents of the document."""
    if SPANS not in span.doc.spans:
        raise ParameterError(
            "The document has no constituents.", 'Add the component "firth_parser" to the pipeline.'
        )
    words = [token.i for token in span if not token.is_space]
    core = span.doc[words[0] : words[-1] + 1] if words else span
    return core, list(span.doc.spans[SPANS])


def _labels(span: Span) -> tuple[str, ...]:
    """The labels of a span, the highest first; there are several above an only child."""
    span, found = _checked(span)
    return tuple(one.label_ for one in found if (one.start, one.end) == (span.start, span.end))


def _parent(span: Span) -> Span | None:
    """The smallest constituent around a span."""
    span, found = _checked(span)
    around = [
        one
        for one in found
        if one.start <= span.start and span.end <= one.end and len(one) > len(span)
    ]
    return min(around, key=len, default=None)


def _children(span: Span) -> list[Span]:
    """The constituents and words directly below a span."""
    found: list[Span] = []
    span, _ = _checked(span)
    place = span.start
    inside = [one for one in _constituents(span) if len(one) < len(span)]
    for one in inside:
        if one.start >= place:
            found += [span.doc[i : i + 1] for i in range(place, one.start)]
            found.append(one)
            place = one.end
    found += [span.doc[i : i + 1] for i in range(place, span.end)]
    return [one for one in found if not one[0].is_space]


def _parse(span: Span) -> str:
    """The tree of a span in brackets."""
    pieces: list[str] = []
    opened: list[int] = []
    waiting = _constituents(span)[::-1]
    for token in span:
        while waiting and waiting[-1].start == token.i:
            one = waiting.pop()
            pieces.append(f"{' ' if pieces else ''}({one.label_}")
            opened.append(one.end)
        if not token.is_space:
            word = Tree(token._.firth_pos or "X", token.text)
            pieces.append((" " if pieces else "") + word.brackets())
        while opened and opened[-1] == token.i + 1:
            opened.pop()
            pieces.append(")")
    return "".join(pieces)


def _class(token: Token, depth: int) -> str | None:
    """The first ``depth`` steps of the path of the class of a token."""
    path = token._.firth_path
    return None if path is None else str(path)[:depth]


def _extend() -> None:
    for name in ("firth_path", "firth_tag", "firth_pos"):
        Token.set_extension(name, default=None, force=True)
    Token.set_extension("firth_class", method=_class, force=True)
    for name, getter in (
        ("constituents", _constituents), ("labels", _labels), ("parent", _parent), ("children", _children),
        ("parse", _parse),
    ):  # fmt: skip
        Span.set_extension(f"firth_{name}", getter=getter, force=True)


_extend()


@Language.factory(  # type: ignore[untyped-decorator]
    "firth",
    default_config={"model": "", "guess": True, "vectors": None, "set_tags": False, "decode": None},
    assigns=["token._.firth_path", "token._.firth_tag"],
)
def make_classes(
    nlp: Language, name: str, model: str, guess: bool, vectors: str | None, set_tags: bool, decode: str | None
) -> ClassTagger:  # fmt: skip
    """The component ``firth``."""
    return ClassTagger(
        nlp, name, model, guess=guess, vectors=vectors, set_tags=set_tags, decode=decode
    )


@Language.factory(  # type: ignore[untyped-decorator]
    "firth_ner", default_config={"model": "", "overwrite_ents": False}, assigns=["doc.ents"]
)
def make_entities(nlp: Language, name: str, model: str, overwrite_ents: bool) -> EntityFinder:  # noqa: ARG001
    """The component ``firth_ner``."""
    return EntityFinder(name, model, overwrite_ents=overwrite_ents)


@Language.factory(  # type: ignore[untyped-decorator]
    "firth_parser", default_config={"model": ""}, assigns=["doc.spans"]
)
def make_parser(nlp: Language, name: str, model: str) -> ParserComponent:  # noqa: ARG001
    """The component ``firth_parser``."""
    return ParserComponent(name, model)
