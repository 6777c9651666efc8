"""Targets outside models: every reader of other people's files."""

from __future__ import annotations

import atexit
import base64
import bz2
import gzip
import io
import json
import lzma
import random
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import firth
from firth import describe, evaluate, formats, morphs, trees
from firth.corpus import Reading, find_documents, find_sources, phrases_of, read_metadata, tokenise
from firth.data import data_sets
from firth.find import Finder, select
from firth.lm import InterpolatedModel
from firth.pipeline import export_names, import_names
from fuzz.annotated import EAF, FLEXTEXT, TEI, TOOLBOX, VRT
from fuzz.changes import Change, changed_json, draw_json
from fuzz.sample import LABELLED, TEXT, TREES
from fuzz.target import Case, Target
from fuzz.texts import mutate

TOKENS, SPLITS = ("words", "whitespace", "characters"), ("lines", "sentences", "paragraphs", "none")


class Sample(NamedTuple):
    """A file that can be read."""

    suffix: str
    data: bytes
    vary: Callable[[random.Random], bytes] | None = None
    """Makes a file of the same format with other contents."""


class ReaderTarget(Target):
    """A reader of files: samples, and what reads them; ``option`` is drawn for each case."""

    def __init__(
        self,
        name: str,
        samples: list[Sample],
        read: Callable[[Path, int], Any],
        needs: tuple[str, ...] = (),
    ) -> None:
        self.name, self.samples, self.read, self.needs = name, samples, read, needs

    def missing(self) -> str | None:
        return next((module for module in self.needs if find_spec(module) is None), None)

    def prepare(self, samples: Path, work: Path) -> None:  # noqa: ARG002
        self._folder = work

    def plain(self) -> list[Case]:
        return [
            _case(sample.suffix, sample.data, option)
            for sample in self.samples
            for option in range(len(TOKENS) * len(SPLITS))
        ]

    def draw(self, chance: random.Random) -> Case:
        sample = chance.choice(self.samples)
        data = sample.data
        if sample.vary is not None and chance.random() < 0.6:
            data = sample.vary(chance)
            changes = chance.choice((0, 0, 1, 1, 2))
        else:
            changes = chance.choice((1, 1, 1, 2, 3, 5))
        for _ in range(changes):
            data = mutate(chance, data, chance.choice(self.samples).data)
        return _case(sample.suffix, data, chance.randrange(1 << 16))

    def from_bytes(self, data: bytes) -> Case:
        """A case from any bytes: the sample whose suffix it has, an option, and the file."""
        which, option = data[:1] or b"\0", data[1:2] or b"\0"
        return _case(self.samples[which[0] % len(self.samples)].suffix, data[2:], option[0])

    def seeds(self) -> list[bytes]:
        """Bytes of which ``from_bytes`` makes the samples."""
        return [bytes([i, 0]) + sample.data for i, sample in enumerate(self.samples)]

    def run(self, case: Case) -> None:
        suffix, encoding, text, option = case
        data = text.encode() if encoding == "utf-8" else base64.b64decode(text)
        path = self._folder / f"file{suffix}"
        path.unlink(missing_ok=True)  # the old one may be mapped
        path.write_bytes(data)
        self.read(path, option)


def _case(suffix: str, data: bytes, option: int) -> Case:
    try:
        return [suffix, "utf-8", data.decode(), option]
    except UnicodeDecodeError:
        return [suffix, "base64", base64.b64encode(data).decode(), option]


# Reading -------------------------------------------------------------------------------------------


def _reading(option: int) -> dict[str, Any]:
    return {"tokens": TOKENS[option % 3], "split": SPLITS[option // 3 % 4]}


def _read_corpus(path: Path, option: int) -> None:
    more: dict[str, Any] = {
        "errors": "replace" if option // 12 % 2 else "strict",
        "lowercase": option // 24 % 2 == 1,
        "digits": "zero" if option // 48 % 2 else "keep",
    }
    corpus = firth.Corpus.from_files(path, **_reading(option), **more, threads=1)
    corpus.find(corpus.vocabulary[0], n=2)
    list(corpus.sentences())


def _read_annotated(path: Path, option: int) -> None:
    column = ("text", "text", "2", "lemma", "ge", "tx", "etu-fonipa", "ft")[option // 96 % 8]
    corpus = firth.Corpus.from_files(path, **_reading(option), column=column, threads=1)
    documents = find_documents(corpus, find_sources([path], column))
    assert documents.sizes.sum() == corpus.n_tokens
    corpus.find(corpus.vocabulary[0], n=2)


def _tokenise(path: Path, option: int) -> None:
    tokenise(path.read_bytes().decode("utf-8", "replace"), **_reading(option))


def _read_stream(path: Path, option: int) -> None:
    with formats.open_stream(path) as stream:
        while stream.read(1 << 16 if option % 2 else 100):
            pass
        stream.sha256()


def _read_vectors(path: Path, option: int) -> None:
    formats.looks_like_vectors(path)
    vectors = firth.WordVectors.read(path)
    vectors.most_similar(vectors.words[0], n=2)
    if option % 4 == 0:
        vectors.write(
            io.BytesIO(), formats.VECTOR_FORMATS[option // 4 % len(formats.VECTOR_FORMATS)]
        )


def _read_classes(path: Path, option: int) -> None:
    formats.looks_like_classes(path)
    classes = firth.Hierarchy.read(path, (None, None, *formats.CLASS_FORMATS)[option % 4])
    classes.members("", 3)
    classes.summary()
    if classes.n_classes > 1:
        classes.cut(2)


def _read_labelled(path: Path, option: int) -> None:
    list(formats.read_columns(path))
    formats.read_labelled(path, (-1, 2, 3)[option % 3])


def _read_tagged(path: Path, option: int) -> None:
    formats.read_tagged(path, ("upos", "xpos", "2", "4")[option % 4])


def _read_conllu(path: Path, _: int) -> None:
    for sentence in formats.read_conllu(path):
        formats.conllu_with(sentence, {"upos": ["X"] * len(sentence.rows)})


def _read_trees(path: Path, option: int) -> None:
    from firth.grammar import Preparation

    preparation = Preparation(1 + option % 2, option // 2 % 2)
    for tree in trees.read_trees(path):
        tree.brackets(), tree.pretty(), tree.spans(), tree.height, tree.svg()
        cleaned = trees.clean(tree)
        if cleaned is not None:
            preparation.restored(preparation.binary(cleaned))


@cache
def _vectors() -> firth.WordVectors:
    words = ["the", "cat", "dog", "a", "bird", "king", "queen", "man", "woman"]
    return firth.WordVectors.from_arrays(words, np.random.default_rng(0).normal(size=(9, 3)))


def _read_questions(path: Path, _: int) -> None:
    questions = evaluate.read_questions(path)
    evaluate.evaluate_vectors(_vectors(), [questions], threads=1)


def _read_objects(path: Path, option: int) -> None:
    table = formats.read_objects(path, header=(None, True, False)[option % 3])
    table.rows.sum()


def _read_pairs(path: Path, _: int) -> None:
    formats.looks_like_pairs(path)
    formats.read_pairs(path)


def _read_anchors(path: Path, _: int) -> None:
    """As many anchors as the sample has; every word of it is in the text."""
    contexts = [["dog", "a", "hears", "été"], ["a", "dog"]]
    firth.AnchorTagger(3, anchors=path, sharing=0.0).fit(contexts)


def _read_splits(path: Path, option: int) -> None:
    (morphs.read_known, morphs.read_gold, morphs.read_words, morphs.looks_like_words)[option % 4](
        path
    )


def _read_arpa(path: Path, _: int) -> None:
    lines = (line for _, line in formats.text_lines(path))
    model = InterpolatedModel.from_arpa(lines, path)
    model.scores([["a", "b", "zzz"], []])
    model.next_words(["a"], 3)
    model.write_arpa(io.StringIO())


def _read_metadata(path: Path, _: int) -> None:
    read_metadata(path).rows_of(["old/t.txt", "u.txt"])


def _read_phrases(path: Path, option: int) -> None:
    """A list of phrases, and a text in which they are joined."""
    how: dict[str, Any] = {"tokens": TOKENS[option % 3], "lowercase": option // 3 % 2 == 1}
    phrases = phrases_of(path, Reading(**how))
    text = [" ".join(phrase) for phrase in [*phrases][:9]]
    corpus = firth.Corpus.from_texts([*text, "The cat sees New York"], phrases=phrases, **how)
    assert [phrases.joined(words) for words in corpus.sentences()] == list(corpus.sentences())
    Finder(corpus).find(corpus.vocabulary[0]).lines(2, "sentence")


@cache
def _named_model() -> Path:
    """A model with classes and tags, whose names are imported."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "t.txt").write_text(TEXT, encoding="utf-8")
    how: dict[str, Any] = {"classes": 4, "tags": 3, "min_count": 1, "threads": 1, "dim": 0}
    return firth.learn(folder / "t.txt", folder / "model", **how).path


def _read_names(path: Path, _: int) -> None:
    model = import_names(_named_model(), path)
    describe.model_facts(model)
    export_names(model.path, path.with_name("names.csv"))


def _compact_samples() -> list[Sample]:
    """Compact language models, in which numbers are replaced."""
    samples = []
    for order in (1, 3):
        file = io.BytesIO()
        text = firth.Corpus.from_sentences([line.split() for line in TEXT.splitlines()])
        model = firth.LanguageModel(order, min_count=1).fit(text, held_out=0, threads=1)
        model.write_compact(file)
        samples.append(Sample(".firthlm", file.getvalue(), _vary_numbers(file.getvalue())))
    return samples


def _vary_numbers(data: bytes) -> Callable[[random.Random], bytes]:
    """Replaces some numbers of 64 bits, half of them at the beginning."""

    def vary(chance: random.Random) -> bytes:
        numbers = np.frombuffer(data, np.uint64).copy()
        for _ in range(chance.choice((0, 1, 2, 5, 50))):
            where = chance.randrange(32 if chance.random() < 0.5 else len(numbers))
            flipped = int(numbers[where]) ^ 1 << chance.randrange(64)
            small = chance.randrange(1000)
            numbers[where] = chance.choice((flipped, small, chance.getrandbits(64), (1 << 64) - 1))
        return numbers.tobytes()

    return vary


def _read_compact(path: Path, option: int) -> None:
    model = firth.LanguageModel.open(path, verify=option % 4 == 0)
    describe.lm_facts(model)
    model.scores([["the", "cat", "zzz", "über"], [], ["sees", "a", "dog"] * 40])
    model.log_prob("the cat sees")
    model.word_scores(["the", "cat"])
    model.evaluate(_searched_corpus())


@cache
def _searched_corpus() -> Any:
    return firth.Corpus.from_texts(
        ["the old cat sat .", "a Dog ( été )"],
        metadata={"year": [1900, 1950], "party": ["D", None]},
    )


@cache
def _searched() -> Finder:
    corpus = _searched_corpus()
    classes = firth.Hierarchy.from_paths(["the", "a", "cat", "Dog"], ["00", "00", "01", "1"])
    parts = {"classes": classes, "vectors": _vectors()}

    def part(name: str) -> Any:
        if name not in parts:
            raise firth.ModelError(f"There is no part {name}.")
        return parts[name]

    return Finder(corpus, part=part)


def _find(path: Path, option: int) -> None:
    """A query, or a condition on documents."""
    text = path.read_bytes().decode("utf-8", "replace")
    if option % 3 == 0:
        select(_searched_corpus().documents, text)
    else:
        _searched().find(*(["the", text] if option % 3 == 1 else [text])).lines(3, "sentence")


# Samples -------------------------------------------------------------------------------------------

CONLLU = (
    "# text = cats sleep\n1\tcats\tcat\tNOUN\tNNS\t_\t2\tnsubj\t_\t_\n2\tsleep\tsleep\tVERB\tVB\t_\t0\troot\t_\t_\n\n"
    "1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n1\tde\tde\tADP\tP\t_\t3\tcase\t_\t_\n2\tle\tle\tDET\tD\t_\t3\tdet\t_\t_\n"
    "3\tchat\tchat\tNOUN\tN\t_\t0\troot\t_\t_\n3.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
)  # fmt: skip
ARPA = (
    "\\data\\\nngram 1=5\nngram 2=3\nngram 3=1\n\n\\1-grams:\n-1.0\t<unk>\n-99\t<s>\t-0.3\n-0.7\t</s>\n-0.5\ta\t-0.2\n"
    "-0.9\tb\t-0.1\n\n\\2-grams:\n-0.3\t<s> a\t-0.1\n-0.4\ta b\t-0.2\n-0.2\tb </s>\n\n"
    "\\3-grams:\n-0.1\t<s> a b\n\n\\end\\\n"
)
TRACES = "( (S (NP-SBJ-1 (-NONE- *T*)) (X a)))\n"
WORD2VEC = "3 2\nthe 1 0\ncat 0.6 0.8\ndog 0 1e-3\n"
GLOVE = "the 1 0 2\ncat 0.6 0.8 -1\ndog 0 1e-3 4\n"
PATHS = "00\tthe\t10\n00\ta\t7\n01\tcat\t3\n10\tdog\t2\n110\tbird\t1\n111\tüber\t1\n"
CLUSTERCAT = "the\t0\na\t0\ncat\t1\ndog\t1\nbird\t2\n"
SETS = f"""[sagas]
title = "Four sagas"
licence = "CC0-1.0"
url = "https://example.com/sagas.txt"
size = 12
sha256 = "{"0" * 64}"
"""
PAIRS = "tea\tdrink\t3\ntea\thot\t2\nbread\teat\t5\nbread\thot\t1\n"
MORPHS = "walked\twalk ed\nred\tred\nwalks\twalk @@s\t100\n"
SIMILARITY = "the\tcat\t7.35\ncat\tdog\t1.0\nbird\tdog\t4\n"
ANALOGIES = ": family\nking queen man woman\nman woman king queen\n: animals\ncat dog bird the\n"
METADATA = "file,year,who\nt,1900,Anna\nu.txt,1950,Ben\n"
LISTED = "New York\n  don't  see\nthe New York Times\nthe cat\n"
NAMES = "kind,key,name,note,words\nclass,0,animals,some,cat dog bird\ntag,1,NOUN,,cat dog\ntag,2,VERB,,\n"
QUERY = 'the {0,2} (cat|~DOG) "old /^c.t$/" [class=0*] [like=cat n=3] * \\( é?e'
WHERE = 'year >= 1900 and not (party in ("D", "R") or year != 3.5e2)'
CSV = "name,x,y\nOslo,1,2\nRome,3,4.5\nBonn,0,-1e3\n"


def _text(suffix: str, *texts: str) -> list[Sample]:
    return [Sample(suffix, text.encode()) for text in texts]


def _binary_vectors() -> bytes:
    rows = [(b"the", (1, 0)), (b"cat", (0.6, 0.8)), ("über".encode(), (0, 1))]
    return b"3 2\n" + b"".join(w + b" " + np.array(v, "<f4").tobytes() + b"\n" for w, v in rows)


def _npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def _npz(**arrays: Any) -> bytes:
    return _zip({f"{name}.npy": _npy(array) for name, array in arrays.items()})


def _zip(members: Mapping[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return file.getvalue()


def _vary_npz(members: Mapping[str, bytes]) -> Callable[[random.Random], bytes]:
    """Archives whose members are changed, with the right checksums."""

    def vary(chance: random.Random) -> bytes:
        changed = dict(members)
        name = chance.choice(list(changed))
        kind = chance.randrange(6)
        if kind == 0:
            del changed[name]
        elif kind == 1:
            changed[chance.choice(("../x.npy", "x.npy", "words.npy", "data.npy", "/x"))] = changed[
                name
            ]
        else:
            changed[name] = _vary_npy(changed[name])(chance)
        return _zip(changed)

    return vary


_SHAPES = (
    b"(3, 2)", b"(2, 3)", b"(6,)", b"()", b"(0, 2)", b"(3, 0)", b"(-1, 2)", b"(99999999999, 99999999999)", b"(3.0, 2)",
    b"(1, 1, 1, 1)", b"[3, 2]", b"None", b"(True, 2)", b"(4294967296, 4294967296)",
)  # fmt: skip
_DESCRS = (
    b"<f8", b"<f4", b"<f2", b">f8", b"<i8", b"<u1", b"|b1", b"|O", b"<U5", b"|S5", b"<c16", b"<M8[s]", b"|V8", b"<f16",
    b"<U99999999", b"",
)  # fmt: skip


def _vary_npy(data: bytes) -> Callable[[random.Random], bytes]:
    def vary(chance: random.Random) -> bytes:
        kind = chance.randrange(4)
        if kind == 0:
            return _with_header(data, rb"\([^)]*\)", chance.choice(_SHAPES))
        if kind == 1:
            return _with_header(data, rb"'[<|>][^']*'", b"'" + chance.choice(_DESCRS) + b"'")
        if kind == 2:
            numbers = np.array(chance.choices((0.0, 1.0, -1.0, np.nan, np.inf, 1e308, 1e-320), k=6))
            return _npy(numbers.reshape(chance.choice(((3, 2), (2, 3), (6,), (1, 6), (6, 1)))))
        return mutate(chance, data)

    return vary


def _with_header(data: bytes, what: bytes, new: bytes) -> bytes:
    """An npy file with something else in its header, whose length is right."""
    import re

    if not data.startswith(b"\x93NUMPY") or len(data) < 10:
        return data
    n = int.from_bytes(data[8:10], "little")
    header = re.sub(what, lambda _: new, data[10 : 10 + n], count=1)
    return data[:8] + len(header).to_bytes(2, "little") + header + data[10 + n :]


def _vary_json_lines(data: bytes) -> Callable[[random.Random], bytes]:
    def vary(chance: random.Random) -> bytes:
        lines = data.splitlines()
        i = chance.randrange(len(lines))
        change: Change = draw_json(chance, "", json.loads(lines[i]))
        lines[i] = changed_json(lines[i], *change[2:])
        return b"\n".join(lines) + b"\n"

    return vary


def _table(parquet: bool, chance: random.Random | None = None, *, vectors: bool = False) -> bytes:
    """A Parquet or Arrow file with columns of many types, at random."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    texts = ["the cat sees a dog", "über 12 birds .", "", "a\nb"]
    columns: dict[str, Any] = {"text": pa.array(texts)}
    if vectors:
        columns = {
            "word": pa.array(["the", "cat", "dog", "a"]),
            "vector": pa.array(
                [[1.0, 0.0], [0.6, 0.8], [0.0, 1.0], [1.0, 1.0]], pa.list_(pa.float32())
            ),
        }
    options: dict[str, Any] = {}
    rows = 4
    if chance is not None:
        for _ in range(chance.randrange(1, 4)):
            name = chance.choice((*columns, "count", "other", "words", "vectors", "x"))
            columns[name] = _column(chance)
        rows = chance.choice((1, 2, 4, 4))
        options["compression"] = chance.choice(
            ("none", "snappy", "zstd", "gzip") if parquet else (None, "lz4", "zstd")
        )
    table = pa.table(columns)
    sink = io.BytesIO()
    if parquet:
        if chance is not None:
            options["use_dictionary"] = chance.random() < 0.5
            options["data_page_version"] = chance.choice(("1.0", "2.0"))
        pq.write_table(table, sink, row_group_size=rows, **options)
    else:
        with pa.ipc.new_file(
            sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)
        ) as writer:
            writer.write_table(table, max_chunksize=rows)
    return sink.getvalue()


def _column(chance: random.Random) -> Any:
    """A column of four rows of some type."""
    import pyarrow as pa

    some = {
        "string": pa.array(["a", None, "", "b"]),
        "large": pa.array(["a", "b", "a", "c"], pa.large_string()),
        "view": pa.array(["a", "b", "c" * 20, "d"], pa.string_view()),
        "binary": pa.array([b"a", b"\xff", b"", None], pa.binary()),
        "dictionary": pa.array(["a", "b", "a", None]).dictionary_encode(),
        "int": pa.array([1, -1, 0, 1 << 62]),
        "uint": pa.array([1, 2, 3, (1 << 64) - 1], pa.uint64()),
        "float": pa.array([0.0, float("nan"), float("inf"), 1e308]),
        "half": pa.array([np.float16(1)] * 4, pa.float16()),
        "bool": pa.array([True, False, None, True]),
        "null": pa.nulls(4),
        "list": pa.array([[1.0, 2.0], [3.0], [], None]),
        "fixed": pa.array([[1.0, 2.0]] * 4, pa.list_(pa.float32(), 2)),
        "lists": pa.array([[[1]], [[2]], [], [[None]]]),
        "same": pa.array([[1.0, 2.0], [3.0, None], [4.0, 5.0], [6.0, 7.0]]),
        "struct": pa.array([{"a": 1}, {"a": 2}, None, {}]),
        "map": pa.array([[("a", 1)], [], None, [("b", 2)]], pa.map_(pa.string(), pa.int64())),
        "time": pa.array([0, 1, 2, 3], pa.timestamp("s")),
        "decimal": pa.array([1, 2, 3, 4], pa.decimal128(38, 2)),
    }
    return some[chance.choice(list(some))]


def _tables(suffixes: Mapping[str, bool], vectors: bool = False) -> list[Sample]:
    return [
        Sample(
            suffix,
            _table(parquet, vectors=vectors),
            partial(_table, parquet, vectors=vectors),
        )
        for suffix, parquet in suffixes.items()
    ]


def _zstd(data: bytes) -> bytes:
    import pyarrow as pa

    return bytes(pa.compress(data, "zstd", asbytes=True))


_PACKERS: Mapping[str, Callable[[bytes], bytes]] = {
    ".gz": lambda data: gzip.compress(data, mtime=0),
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": _zstd,
}


def _packed(sample: Sample) -> list[Sample]:
    """A file in every compressed form; what varies is what was compressed."""

    def vary(pack: Callable[[bytes], bytes]) -> Callable[[random.Random], bytes]:
        def packed(chance: random.Random) -> bytes:
            data = pack(mutate(chance, sample.data))
            return data + pack(b"more\n") if chance.random() < 0.2 else data

        return packed

    return [
        Sample(sample.suffix + suffix, pack(sample.data), vary(pack))
        for suffix, pack in _PACKERS.items()
    ]


def _archives() -> list[Sample]:
    """Matrices as NumPy and SciPy write them."""
    dense = np.array([[1.0, 2], [3, 4], [5, 6]])
    sparse = {
        "format": np.array("csr"), "shape": np.array([3, 3]), "data": np.array([1.0, 2]),
        "indices": np.array([0, 2], np.int32), "indptr": np.array([0, 1, 1, 2], np.int32),
    }  # fmt: skip
    kinds: list[dict[str, Any]] = [
        {"x": dense},
        sparse,
        {"words": np.array(["a", "b", "c"]), "vectors": dense},
    ]
    samples = [Sample(".npy", _npy(dense), _vary_npy(_npy(dense)))]
    for arrays in kinds:
        members = {f"{name}.npy": _npy(array) for name, array in arrays.items()}
        samples.append(Sample(".npz", _zip(members), _vary_npz(members)))
    return samples


def _safetensors(chance: random.Random | None = None) -> bytes:
    """Vectors in safetensors; the header may be wrong."""

    def number(n: int) -> Any:
        return chance.choice([n, n, n, 0, -1, n + 1, 1 << 62, None, "1"]) if chance else n

    header = {
        "__metadata__": {
            "words": json.dumps(["the", "cat", "dog"][: chance.randint(0, 3) if chance else 3])
        },
        "counts": {"dtype": "I64", "shape": [number(3)], "data_offsets": [number(0), number(24)]},
        "vectors": {
            "dtype": chance.choice(["F32", "F16", "I64", "BF16", 3]) if chance else "F32",
            "shape": [number(3), number(2)],
            "data_offsets": [number(24), number(48)],
        },
    }
    if chance and chance.random() < 0.3:
        del header[chance.choice(sorted(header))]
    text = json.dumps(header).encode()
    data = np.array([3, 2, 1], "<i8").tobytes() + np.ones((3, 2), "<f4").tobytes()
    return len(text).to_bytes(8, "little") + text + data


def targets() -> list[Target]:
    """The targets for other people's files."""
    text = (
        TEXT.encode() + "No. 5 is “über” 東京 a\u0301 …\n\nMr. X (a.k.a. Y) left. Then?\n".encode()
    )
    records = b"".join(
        json.dumps({"text": line, "n": 1}).encode() + b"\n" for line in TEXT.splitlines()[:5]
    )
    plain = Sample(".txt", text)
    words = {"words": np.array(["the", "cat", "dog"]), "vectors": np.eye(3, 2, dtype="f4")}
    npz = {f"{name}.npy": _npy(array) for name, array in words.items()}
    vectors = [
        *_text(".txt", WORD2VEC, GLOVE),
        Sample(".bin", _binary_vectors()),
        Sample(".npz", _zip(npz), _vary_npz(npz)),
        Sample(".safetensors", _safetensors(), _safetensors),
        *_tables({".parquet": True}, vectors=True),
        *_packed(Sample(".vec", WORD2VEC.encode())),
    ]
    tables = _tables({".parquet": True, ".arrow": False})
    json_lines = [Sample(".jsonl", records, _vary_json_lines(records))]
    tagged = _text(".txt", "cats N\nsleep V\n\ndogs N\n", "cats\tN\n")
    lines = [*_text(".csv", CSV), *_text(".tsv", CSV.replace(",", "\t")), *_text(".txt", WORD2VEC)]
    conllu = _text(".conllu", CONLLU)
    metadata = [*_text(".csv", METADATA), *_text(".tsv", METADATA.replace(",", "\t")), *tables]
    listed = [*_text(".txt", LISTED), *_text(".csv", 'phrase,count\n"New York",2\nthe cat,3\n')]
    names = [
        *_text(".csv", NAMES),
        *_text(
            ".json", json.dumps([{"kind": "tag", "key": "1", "name": "NOUN", "words": ["cat"]}])
        ),
    ]
    annotated = [
        Sample(suffix, text.encode())
        for suffix, text in (
            (".tei", TEI), (".vrt", VRT), (".sfm", TOOLBOX), (".flextext", FLEXTEXT), (".eaf", EAF), (".xml", TEI),
        )
    ]  # fmt: skip
    return [
        ReaderTarget("tokens", [plain], _tokenise),
        ReaderTarget("text", [plain, *_packed(plain)], _read_corpus),
        ReaderTarget("json-lines", json_lines, _read_corpus),
        ReaderTarget("tables", tables, _read_corpus),
        ReaderTarget("text-conllu", conllu, _read_corpus),
        ReaderTarget("annotated", annotated, _read_annotated),
        ReaderTarget("compressed", _packed(plain), _read_stream),
        ReaderTarget("conllu", conllu, _read_conllu),
        ReaderTarget("tagged", [*tagged, *conllu], _read_tagged),
        ReaderTarget("labelled", _text(".txt", LABELLED, "A N B-PER\nis V O\n"), _read_labelled),
        ReaderTarget("trees", _text(".mrg", TREES, TRACES), _read_trees),
        ReaderTarget("vectors-files", vectors, _read_vectors),
        ReaderTarget("classes-files", _text(".txt", PATHS, CLUSTERCAT), _read_classes),
        ReaderTarget("questions", _text(".txt", SIMILARITY, ANALOGIES), _read_questions),
        ReaderTarget("objects", [*lines, *_archives(), *tables], _read_objects),
        ReaderTarget("pairs", _text(".txt", PAIRS, "tea drink\ntea hot\n"), _read_pairs),
        ReaderTarget("splits", _text(".tsv", MORPHS, "walk\nwalked\n"), _read_splits),
        ReaderTarget("arpa", _text(".arpa", ARPA), _read_arpa),
        ReaderTarget("compact-lm", _compact_samples(), _read_compact),
        ReaderTarget("queries", _text(".txt", QUERY, WHERE), _find),
        ReaderTarget("data-sets", _text(".toml", SETS), lambda path, _: data_sets(path)),
        ReaderTarget("metadata", metadata, _read_metadata),
        ReaderTarget("phrases", listed, _read_phrases),
        ReaderTarget("names-files", names, _read_names),
        ReaderTarget("anchors", _text(".txt", "dog\na\nété\n", "a\n\nhears\ndog\n"), _read_anchors),
    ]
