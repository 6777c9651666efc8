"""A grammar in a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from firth import progress
from firth.compute import engine_for
from firth.errors import InputError, ModelError, not_for
from firth.formats import current_limits, reading, text_lines
from firth.grammar import SentenceReading, TreebankParameters, looks_like_tree, read_sentences
from firth.model import Model
from firth.parameters import Replacing, check_belong, documents
from firth.parts import PARTS
from firth.pipeline._making import (
    check_same_text,
    file_identity,
    kept_parts,
    made,
    make_part,
    saved,
)
from firth.store import Writer, sha256, writing
from firth.trees import (
    Format,
    LeftOut,
    Tree,
    TreeFormat,
    notice_left_out,
    parse_trees,
    plain_label,
    tree_files,
    treebank_trees,
)

__all__ = ["learn_grammar", "make_grammar"]

_NOT_READ = ("lowercase", "digits", "errors", "column", "read_as", "language", "phrases")
"""How text is read has more parameters than ``read_sentences`` heeds."""
_EVERY = 100
"""How many trees are read between updates of the progress."""


@documents(TreeFormat, TreebankParameters, SentenceReading, Replacing, skip=_NOT_READ)
def learn_grammar(
    model: str | Path,
    files: str | Path | Iterable[str | Path],
    *,
    using: str | Path | None = None,
    **options: Any,
) -> Model:
    """Learn a grammar with hidden states from trees.

    Parameters
    ----------
    model : str or Path
        The folder to write to.
    files : str, Path or list of them
        Files of trees in brackets, or patterns. With method ``inside-outside`` also plain text, a
        sentence on each line.
    using : str or Path, optional
        Another model, whose word classes help with rare and unseen words.
    """
    kept, reading = kept_parts(options, "grammar"), TreeFormat(**TreeFormat.take(options))
    of_text = SentenceReading.take(options)
    parameters = TreebankParameters(**options)
    reading.check()
    parameters.check()
    engine_for("learn_grammar", None, parameters.device)  # an error now
    check_belong(parameters.fields(), parameters.method, options)
    if of_text and parameters.method != "inside-outside":
        raise not_for(next(iter(of_text)), "trees")
    paths, helper = tree_files(files), None if using is None else _helper(using)
    with writing(model) as writer:
        check_same_text(writer, kept, paths, map(sha256, paths))
        changed = {
            "grammar": make_grammar(writer, paths, reading.format, parameters, helper, of_text)
        }
    return made(model, changed)


def make_grammar(
    writer: Writer,
    files: Sequence[Path],
    kind: Format | None,
    parameters: TreebankParameters,
    using: Model | None,
    of_text: Mapping[str, Any] | None = None,
) -> bool:
    """Learn a grammar from files of trees, or of text; returns False if that was done before."""
    made_from: dict[str, Any] = {"trees": [file_identity(path) for path in files]}
    if kind is not None:
        made_from["format"] = kind
    if of_text:
        made_from["reading"] = dict(of_text)
    if using is not None:
        made_from["using"] = {"classes": using.parts["classes"].content}

    def make(folder: Path) -> Mapping[str, Any]:
        from firth.grammar import LPCFG  # late: nothing of it is needed if there is nothing to do

        grammar = LPCFG(**vars(parameters))
        from_text = parameters.method == "inside-outside"
        examples = _examples(files, kind, of_text or {}) if from_text else _trees(files, kind)
        grammar.fit(examples, None if using is None else _classes(using))
        return saved(grammar, folder)

    return make_part(writer, "grammar", parameters.parameters(), made_from, make)


def _helper(using: str | Path) -> Model:
    """The model with word classes."""
    helper = Model(using)
    if "classes" not in helper:
        how = PARTS["classes"].how(helper.path, anew="corpus" in helper)
        raise ModelError(f"The model {using} has no word classes.", f"Learn them: {how}")
    return helper


def _trees(files: Sequence[Path], kind: Format | None) -> Iterator[Tree]:
    left_out: LeftOut = Counter()
    limits, written, labels = current_limits(), set[str](), set[str]()
    with progress.stage("reading trees", unit="trees", brief=1.0) as stage:
        for path in files:
            number = 0
            trees = treebank_trees(parse_trees(text_lines(path), str(path)), kind, left_out)
            with reading(path):
                for number, tree in enumerate(trees, 1):
                    new = {node.label for node in tree.nodes()} - written
                    written |= new
                    labels.update(map(plain_label, new))
                    limits.check_labels(len(labels), str(path))
                    yield tree
                    if number % _EVERY == 0:
                        stage.advance(_EVERY)
            if not number:
                raise InputError(
                    f"{path} has no trees.",
                    "A tree is written as (S (NP (N cats)) (VP (V sleep))).",
                )
    notice_left_out(left_out)


def _examples(
    files: Sequence[Path], kind: Format | None, of_text: Mapping[str, Any]
) -> Iterator[Tree | list[str]]:
    """The trees of files of trees, and the sentences of other files."""
    for path in files:
        first = next((line for _, line in text_lines(path) if line.strip()), "")
        if kind is not None or looks_like_tree(first):
            yield from _trees([path], kind)
            continue
        sentences = read_sentences(text_lines(path), str(path), **of_text)
        yield from (sentence.words for sentence in sentences if sentence)


def _classes(model: Model) -> dict[str, str]:
    """The path of the class of each word."""
    classes = model.classes
    paths = classes.paths
    return {
        word: paths[c]
        for word, c in zip(classes.vocabulary, classes.class_of.tolist(), strict=True)
    }
