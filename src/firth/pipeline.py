"""From text to a model, stage by stage; a stage that is done already is not done again."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from firth import classes as classing
from firth import corpus as corpora
from firth import counts as counting
from firth import maps, ner, progress
from firth import tags as tagging
from firth import vectors as embedding
from firth.classes import ClassesParameters, Hierarchy, Merge
from firth.compute import check_threads
from firth.corpus import Corpus, Reading, Source
from firth.counts import Counts, CountsParameters
from firth.errors import InputError, ModelError, ParameterError, check_choice, check_count
from firth.formats import read_labelled, read_tagged, read_vectors
from firth.maps import MapParameters
from firth.model import NAMES, TAG_NAMES, Model
from firth.ner import EntityParameters
from firth.store import Draft, Part, Writer, sha256, writing
from firth.tags import AnchorTagger, BaumWelchTagger, ClusterTagger, SupervisedTagger, Tagger
from firth.vectors import SpectralEmbedding, VectorsParameters, WordVectors

__all__ = [
    "import_classes",
    "import_vectors",
    "learn",
    "learn_classes",
    "learn_corpus",
    "learn_counts",
    "learn_entities",
    "learn_index",
    "learn_map",
    "learn_tags",
    "learn_tags_from",
    "learn_vectors",
    "name_classes",
    "name_tags",
    "vectors_parameters",
]


def learn(
    texts: str | Path | Sequence[str | Path],
    model: str | Path,
    *,
    tokens: str = "words",
    split: str = "lines",
    lowercase: bool = False,
    digits: str = "keep",
    errors: str = "strict",
    column: str = "text",
    contexts: str = "LR2",
    weights: str = "none",
    min_count: int = 5,
    vocabulary: int | None = 200_000,
    across_lines: bool = False,
    dim: int | None = None,
    preset: str = "similarity",
    classes: int | None = None,
    tags: int = 0,
    memory: int | str = "4G",
    threads: int | None = None,
) -> Model:
    """Learn all there is to learn from text, into a model folder.

    Stages that were done before with the same text and parameters are not done again, so an
    interrupted run goes on where it was.

    Parameters
    ----------
    texts : str, Path or a list of them
        Files, folders, patterns, ``-``.
    model : str or Path
        The folder to write to. Parts that are there already are replaced when they differ.
    tokens : {"words", "whitespace", "characters"}
        What a token is.
    split : {"lines", "sentences", "none"}
        What a sentence is.
    lowercase : bool
        Whether words are lower-cased.
    digits : {"keep", "zero"}
        Whether digits become ``0``.
    errors : {"strict", "replace"}
        What happens to bytes that are not UTF-8.
    column : str
        The column that holds the text, in JSON Lines, Parquet and Arrow files.
    contexts : str
        ``R1``, ``LR2``, ``bag5``, or offsets such as ``-2,1``; see ``firth.count``.
    weights : {"none", "distance", "dynamic"}
        How much a context word counts by its distance.
    min_count : int
        Words with fewer occurrences become the one rare symbol.
    vocabulary : int or None
        The most words to keep; None for no limit.
    across_lines : bool
        Whether contexts reach over sentence ends.
    dim : int, optional
        The number of dimensions of the word vectors; by default 300, or fewer where the text is small.
        0 for no vectors.
    preset : {"similarity", "analogy", "syntax"}
        What the vectors are for: this decides the contexts that are counted for them.
    classes : int, optional
        The number of word classes; by default one that suits the vocabulary, 1,000 at the most. 0 for
        no classes.
    tags : int
        The number of parts of speech; by default none are learned.
    memory : int or str
        About how much memory counting may use.
    threads : int, optional
        All cores by default.

    Returns
    -------
    Model
    """
    reading = Reading(tokens, split, lowercase, digits, errors, column)
    parameters = CountsParameters(contexts, weights, min_count, vocabulary, across_lines)
    check_count("learn", "dim", dim or 0, least=0)
    check_count("learn", "classes", classes or 0, least=0)
    check_count("learn", "tags", tags, least=0)
    of_classes = ClassesParameters(classes or None)
    of_vectors, chosen = vectors_parameters(embedding.preset(preset), parameters, dim or None)
    n_threads = check_threads("learn", threads)
    counting.parse_memory(memory)  # an error now rather than after the reading
    sources = corpora.find_sources([texts] if isinstance(texts, str | Path) else texts, column)
    with writing(model) as writer:
        changed = {
            "corpus": learn_corpus(writer, sources, reading, n_threads),
            "counts": learn_counts(writer, parameters, memory, n_threads),
        }
        if dim != 0:
            changed["vectors"] = learn_vectors(writer, of_vectors, chosen, memory, n_threads)
        if classes != 0:
            changed["classes"] = _learn_classes_if_any(
                writer, parameters, of_classes, memory, n_threads
            )
        if tags:
            changed["tags"] = learn_tags(
                writer, "anchors", {"n_tags": tags}, None, memory, n_threads
            )
    learned = Model(model)
    learned.changed = [name for name, anew in changed.items() if anew]
    return learned


def _made_from(sources: Sequence[Source], checksums: Sequence[str | None]) -> dict[str, Any]:
    return {
        "sources": [
            {"path": str(s.path) if s.path else None, "kind": s.kind, "sha256": checksum}
            for s, checksum in zip(sources, checksums, strict=True)
        ]
    }


def learn_corpus(writer: Writer, sources: Sequence[Source], reading: Reading, threads: int) -> bool:
    """Read text into the corpus of a model; returns False where that was done before."""
    parameters = reading.parameters()
    old = writer.parts.get("corpus")
    if old is not None and dict(old.parameters) == parameters:
        made_from = _made_from(sources, [source.checksum() for source in sources])
        if writer.is_current("corpus", corpora.VERSION, parameters, made_from):
            return False
    with writer.part("corpus", corpora.VERSION, threads=threads) as draft:
        draft.facts = corpora.build(sources, reading, draft.folder, threads)
        draft.parameters = parameters
        draft.made_from = _made_from(sources, [source.sha256 for source in sources])
        draft.content = corpora.CONTENT
    return True


def _corpus_part(writer: Writer) -> Part:
    part = writer.parts.get("corpus")
    if part is None:
        raise ModelError(
            f"The model {writer.path} has no corpus to count.",
            f"Read one: firth corpus learn TEXT -o {writer.path}",
        )
    return part


def learn_counts(
    writer: Writer, parameters: CountsParameters, memory: int | str, threads: int
) -> bool:
    """Count the contexts in the corpus of a model; returns False where that was done before."""
    part = _corpus_part(writer)
    made_from = {"corpus": part.content}
    if writer.is_current("counts", counting.VERSION, parameters.parameters(), made_from):
        return False
    part.verify()
    corpus = Corpus(part.path, part.parameters)
    with writer.part("counts", counting.VERSION, threads=threads, memory=str(memory)) as draft:
        draft.facts = counting.build_counts(corpus, parameters, draft.folder, memory, threads)
        draft.parameters = parameters.parameters()
        draft.made_from = made_from
    return True


def vectors_parameters(
    chosen: Mapping[str, Any], counted: CountsParameters, dim: int | None
) -> tuple[CountsParameters, VectorsParameters]:
    """What to count for vectors and how to learn them, from a preset or a person's choice.

    What is not chosen of the counting is as it was ``counted`` for the model.
    """
    known = CountsParameters.__dataclass_fields__
    of_counts = {name: value for name, value in chosen.items() if name in known}
    others = {name: value for name, value in chosen.items() if name not in known}
    return replace(counted, **of_counts), VectorsParameters(**{"dim": dim, **others})


def learn_vectors(
    writer: Writer, counted: CountsParameters, parameters: VectorsParameters, memory: int | str, threads: int
) -> bool:  # fmt: skip
    """Learn word vectors from the corpus of a model; returns False where that was done before.

    The contexts they need are counted for them alone, unless the counts of the model are just those.
    """
    part = _corpus_part(writer)
    made_from = {"corpus": part.content}
    how = {**counted.parameters(), **parameters.parameters()}
    if writer.is_current("vectors", embedding.VERSION, how, made_from):
        return False
    with writer.part("vectors", embedding.VERSION, threads=threads, memory=str(memory)) as draft:
        scratch = draft.folder / "counts"
        counts = _counts_for(writer, part, counted, scratch, memory, threads)
        learned = SpectralEmbedding(**parameters.parameters(), threads=threads).fit(counts)
        shutil.rmtree(scratch, ignore_errors=True)
        learned.vectors_.save(draft.folder)
        draft.facts = {
            "n_words": len(learned.vectors_), "dim": learned.vectors_.dim, "n_entries": counts.n_entries,
            "basis": learned.svd_.basis, "residual": learned.svd_.residual,
        }  # fmt: skip
        draft.parameters = how
        draft.made_from = made_from
    return True


def _counts_for(
    writer: Writer, part: Part, parameters: CountsParameters, scratch: Path, memory: int | str, threads: int,
) -> Counts:  # fmt: skip
    """The counts of the model where they are just those wanted, or else new ones in a scratch folder."""
    made_from = {"corpus": part.content}
    if writer.is_current("counts", counting.VERSION, parameters.parameters(), made_from):
        counted = writer.parts["counts"]
        return Counts(counted.path, list(counted.files), counted.parameters)
    part.verify()
    corpus = Corpus(part.path, part.parameters)
    scratch.mkdir()
    counting.build_counts(corpus, parameters, scratch, memory, threads)
    names = [path.name for path in scratch.iterdir()]
    return Counts(scratch.joinpath, names, parameters.parameters())


def learn_classes(
    writer: Writer, counted: CountsParameters, parameters: ClassesParameters, memory: int | str, threads: int,
    trace: list[Merge] | None = None,
) -> bool:  # fmt: skip
    """Learn word classes from the corpus of a model; returns False where that was done before.

    Work that was cut off goes on where it was. ``trace`` gets every merge of Brown's algorithm.
    """
    part = _corpus_part(writer)
    made_from = {"corpus": part.content}
    of_counts = replace(counted, contexts=parameters.counted_contexts, weights="none")
    how = {
        **{name: getattr(of_counts, name) for name in ("min_count", "vocabulary", "across_lines")},
        **parameters.parameters(),
    }
    if trace is None and writer.is_current("classes", classing.VERSION, how, made_from):
        return False
    unfinished = writer.unfinished("classes", classing.VERSION, how, made_from)
    named = "names" in writer.parts and "classes" in writer.parts
    with writer.part("classes", classing.VERSION, threads=threads, memory=str(memory)) as draft:
        scratch = draft.folder / "counts"
        wanted = _pairs_already_counted(writer, of_counts, made_from)
        counts = _counts_for(writer, part, wanted, scratch, memory, threads)
        hierarchy, facts = classing.learn_hierarchy(counts, parameters, threads, unfinished, trace)
        shutil.rmtree(scratch, ignore_errors=True)
        hierarchy.save(draft.folder)
        draft.facts = {
            "n_words": len(hierarchy), "n_classes": hierarchy.n_classes, "rare": hierarchy.rare, **facts,
        }  # fmt: skip
        draft.parameters = how
        draft.made_from = made_from
    if named and writer.parts["names"].made_from != {"classes": writer.parts["classes"].content}:
        progress.notice("The names given to classes belong to the tree that was there before.")
    return True


def _pairs_already_counted(
    writer: Writer, wanted: CountsParameters, made_from: Mapping[str, Any]
) -> CountsParameters:
    """The counts of the model where they hold the pairs of adjacent words that are wanted; else those wanted."""
    if wanted.contexts == "R1":
        for contexts in ("LR1", "LR2"):
            wider = replace(wanted, contexts=contexts)
            if writer.is_current("counts", counting.VERSION, wider.parameters(), made_from):
                return wider
    return wanted


def _learn_classes_if_any(
    writer: Writer, counted: CountsParameters, parameters: ClassesParameters, memory: int | str, threads: int
) -> bool:  # fmt: skip
    """Learn classes along the way: a text too small for them is no error unless a number was asked for."""
    try:
        return learn_classes(writer, counted, parameters, memory, threads)
    except (InputError, ParameterError) as error:
        if parameters.n_classes is not None:
            raise
        progress.notice(f"No word classes were learned. {error.message}")
        return False


def learn_index(writer: Writer) -> bool:
    """Note where each word of the corpus of a model stands; returns False where that was done before."""
    part = _corpus_part(writer)
    made_from = {"corpus": part.content}
    if writer.is_current("index", corpora.INDEX_VERSION, {}, made_from):
        return False
    part.verify()
    corpus = Corpus(part.path, part.parameters)
    with writer.part("index", corpora.INDEX_VERSION) as draft:
        corpora.build_index(corpus, draft.folder)
        draft.facts = {"n_tokens": corpus.n_tokens}
        draft.made_from = made_from
    return True


def learn_map(writer: Writer, parameters: MapParameters, threads: int) -> bool:
    """Lay the words of a model out in two dimensions; returns False where that was done before."""
    part = writer.parts.get("vectors")
    if part is None:
        raise ModelError(
            f"The model {writer.path} has no vectors to make a map of.",
            f"Learn some: firth vectors learn {writer.path}",
        )
    made_from = {"vectors": part.content}
    if writer.is_current("map", maps.VERSION, parameters.parameters(), made_from):
        return False
    part.verify()
    vectors = WordVectors.load(part.path, list(part.files), part.parameters)
    with writer.part("map", maps.VERSION, threads=threads) as draft:
        drawn = maps.WordMap.learn(vectors, parameters, threads)
        drawn.save(draft.folder)
        draft.facts = {"n_words": len(drawn.vocabulary)}
        draft.parameters, draft.made_from = parameters.parameters(), made_from
    return True


def learn_entities(
    writer: Writer, text: Path, dev: Path | None, using: Model | None, features: Sequence[str],
    parameters: EntityParameters, column: int, threads: int,
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
    with writer.part("ner", ner.VERSION, threads=threads) as draft:
        known = {name: getattr(using, name) for name in features}
        tagger = ner.EntityTagger(**known, **parameters.parameters(), threads=threads)
        tagger.fit(learned_from, checked_on)
        tagger.save(draft.folder)
        slips = {"scheme": learned_from.scheme, "n_slips": learned_from.n_slips}
        draft.facts = {**tagger.facts_, **slips}
        draft.parameters, draft.made_from = how, made_from
    return True


TAG_METHODS: Mapping[str, type[AnchorTagger] | type[BaumWelchTagger] | type[ClusterTagger]] = {
    "anchors": AnchorTagger,
    "baum-welch": BaumWelchTagger,
    "classes": ClusterTagger,
}
"""How parts of speech can be learned from raw text."""


def learn_tags(
    writer: Writer, method: str, options: Mapping[str, Any], using: Model | None, memory: int | str, threads: int
) -> bool:  # fmt: skip
    """Learn parts of speech from the corpus of a model; returns False where that was done before.

    ``options`` are parameters of ``AnchorTagger``, ``BaumWelchTagger`` or ``ClusterTagger``; ``using`` is a model
    whose corpus tells anchors more about the contexts of words.
    """
    check_choice("tags learn", "method", method, tuple(TAG_METHODS))
    part = _corpus_part(writer)
    made_from: dict[str, Any] = {"corpus": part.content}
    given: dict[str, Any] = {**options, "threads": threads}
    if method == "classes":
        given["classes"] = Model(writer.path).classes
        made_from["classes"] = writer.parts["classes"].content
    if using is not None:
        made_from["using"] = {"corpus": using.parts["corpus"].content}
    tagger = TAG_METHODS[method](**given)
    how = {"method": method, **_parameters_of(tagger)}
    if writer.is_current("tags", tagging.VERSION, how, made_from):
        return False
    part.verify()
    corpus = Corpus(part.path, part.parameters)
    with writer.part("tags", tagging.VERSION, threads=threads, memory=str(memory)) as draft:
        if isinstance(tagger, AnchorTagger):
            tagger.fit(corpus, using.corpus if using is not None else None, memory)
        else:
            tagger.fit(corpus)
        _save_tags(tagger, draft, how, made_from)
    return True


def learn_tags_from(
    writer: Writer, text: Path, column: str, options: Mapping[str, Any], threads: int
) -> bool:
    """Learn parts of speech from tagged text; returns False where that was done before.

    ``column`` is as for ``read_tagged``, ``options`` are parameters of ``SupervisedTagger``.
    """
    made_from = {"text": {"path": str(text), "sha256": sha256(text)}}
    tagger = SupervisedTagger(**options, threads=threads)
    how = {"method": "tagged", **_parameters_of(tagger), "column": column}
    if writer.is_current("tags", tagging.VERSION, how, made_from):
        return False
    sentences = read_tagged(text, column)
    with writer.part("tags", tagging.VERSION, threads=threads) as draft:
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
    draft.parameters, draft.made_from = {**how, "decode": tagger.decode}, made_from


def name_tags(model: str | Path, names: Mapping[str, str]) -> Model:
    """Keep a person's names for tags; an empty name takes one away.

    Parameters
    ----------
    model : str or Path
    names : mapping of str to str
        From numbers to names.
    """
    with writing(model) as writer:
        opened = Model(model)
        n = opened.tags.n_tags
        for number in names:
            if number not in map(str, range(n)):
                raise InputError(
                    f"There is no tag {number!r}; they are numbered from 0 to {n - 1}.",
                    "Look at them: firth tags show MODEL",
                )
        kept = _kept({**opened.tag_names, **names})
        first = writer.parts["tags"].facts["tags"]
        shown = [kept.get(str(k), first[k]) for k in range(n)]
        for name in shown:
            if shown.count(name) > 1:
                raise InputError(
                    f"Two tags would be called {name!r}.", "Number them: NOUN-1, NOUN-2."
                )
            if name.split() != [name] or not name.isprintable():
                raise InputError(f"A tag needs a name without blanks. Got {name!r}.")
        _write_names(writer, TAG_NAMES, "tags", kept)
    return Model(model)


def name_classes(model: str | Path, names: Mapping[str, str]) -> Model:
    """Keep a person's names for nodes of the tree of classes; an empty name takes one away.

    Parameters
    ----------
    model : str or Path
    names : mapping of str to str
        From paths to names.
    """
    with writing(model) as writer:
        opened = Model(model)
        tree = opened.classes.tree
        for path in names:
            if path not in tree.node_of:
                raise InputError(
                    f"The tree has no node {path!r}.", "Its nodes: firth classes show MODEL"
                )
        _write_names(writer, "names", "classes", _kept({**opened.names, **names}))
    return Model(model)


def _kept(names: Mapping[str, str]) -> dict[str, str]:
    """Names without blanks around them; none that are empty."""
    return {what: name.strip() for what, name in names.items() if name.strip()}


def _write_names(writer: Writer, part: str, of: str, names: Mapping[str, str]) -> None:
    """Put names for something in another part into a part of their own, unless they are there."""
    text = json.dumps(names, indent=1, sort_keys=True)
    made_from = {of: writer.parts[of].content}
    parameters = {"names": hashlib.sha256(text.encode()).hexdigest()}
    if not writer.is_current(part, 1, parameters, made_from):
        with writer.part(part, 1) as draft:
            (draft.folder / NAMES).write_text(text, encoding="utf-8")
            draft.facts = {"n_names": len(names)}
            draft.parameters, draft.made_from = parameters, made_from


def import_classes(file: str | Path, model: str | Path, format: str | None = None) -> Model:  # noqa: A002
    """Take word classes from a file of wcluster's or ClusterCat's into a model folder.

    Parameters
    ----------
    file : str or Path
    model : str or Path
        The folder to write to. Its classes, if it has any, are replaced.
    format : {"paths", "clustercat"}, optional
        By default as the file itself tells.
    """
    path = Path(file)
    hierarchy = Hierarchy.read(path, format)
    facts = {"n_words": len(hierarchy), "n_classes": hierarchy.n_classes, "rare": None}
    anew = _import(
        "classes", classing.VERSION, path, model, hierarchy.save, facts, dict(hierarchy.made)
    )
    learned = Model(model)
    if hierarchy.names and not learned.names:
        learned = name_classes(model, hierarchy.names)
    learned.changed = ["classes"] * anew
    return learned


def import_vectors(file: str | Path, model: str | Path) -> Model:
    """Take vectors from a file of word2vec's, GloVe's or one of Firth's exports into a model folder.

    Parameters
    ----------
    file : str or Path
    model : str or Path
        The folder to write to. Its vectors, if it has any, are replaced.
    """
    path = Path(file)
    table = read_vectors(path)
    vectors = WordVectors.from_arrays(table.words, table.matrix, table.counts)
    facts = {"n_words": len(vectors), "dim": vectors.dim}
    anew = _import(
        "vectors", embedding.VERSION, path, model, vectors.save, facts, {"imported": True}
    )
    learned = Model(model)
    learned.changed = ["vectors"] * anew
    return learned


def _import(
    name: str, version: int, path: Path, model: str | Path, save: Callable[[Path], None],
    facts: dict[str, Any], parameters: dict[str, Any],
) -> bool:  # fmt: skip
    """Put a part from elsewhere into a model; returns False where it is there already."""
    made_from = {"sources": [{"path": str(path), "sha256": sha256(path)}]}
    with writing(model) as writer:
        old = writer.parts.get(name)
        if old is not None and "imported" not in old.parameters:
            progress.notice(
                f"The {name} that were learned in {writer.path} are replaced by imported ones."
            )
        if writer.is_current(name, version, parameters, made_from):
            return False
        with writer.part(name, version) as draft:
            save(draft.folder)
            draft.facts, draft.parameters, draft.made_from = facts, parameters, made_from
    return True
