"""The jobs of ``python -m benchmarks``, Firth's and those of its peers, each in a process of its own.

``python -m benchmarks.jobs JOB FILE`` prints seconds, memory and results as JSON. A job includes reading the file, but
not importing packages and compiling Firth's kernels. Memory is the peak of the process minus what it used when the job
began.
"""

from __future__ import annotations

import json
import re
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

WINDOW, N_WORDS, CHUNK = 5, 50_000, 1 << 22


# Text to ids ------------------------------------------------------------------------------------


def ids_counter(path: Path) -> dict[str, int]:
    """Python: split and count line by line. Tokens get no ids."""
    counts = Counter(word for line in path.open(encoding="utf-8") for word in line.split())
    return {"tokens": counts.total(), "types": len(counts)}


def ids_counter_at_once(path: Path) -> dict[str, int]:
    """Python: the same in one expression, as people usually write it."""
    counts = Counter(path.read_text(encoding="utf-8").split())
    return {"tokens": counts.total(), "types": len(counts)}


def ids_pyarrow(path: Path) -> dict[str, int]:
    """PyArrow: lines, split at white space, dictionary encoding; all in memory."""
    import pyarrow as pa
    import pyarrow.compute as pc

    data = path.read_bytes()
    offsets = np.append(0, np.flatnonzero(np.frombuffer(data, np.uint8) == 0x0A) + 1)
    buffers = [None, pa.py_buffer(offsets.astype(np.int64)), pa.py_buffer(data)]
    lines = pa.Array.from_buffers(pa.large_string(), len(offsets) - 1, buffers)
    encoded = pc.ascii_split_whitespace(lines).flatten()
    encoded = encoded.filter(pc.not_equal(encoded, "")).dictionary_encode()
    return {"tokens": len(encoded), "types": len(encoded.dictionary)}


def _ids_firth(path: Path, tokens: Any) -> dict[str, int]:
    """Firth: an id for every token, in memory, block by block, in order of appearance."""
    from firth.corpus import find_sources
    from firth.corpus._lexicon import Lexicon
    from firth.corpus._reading import Reading
    from firth.corpus._source_blocks import plain_text
    from firth.corpus._tokeniser import cut

    lexicon, ids = Lexicon(), []
    (source,) = find_sources([path])
    for block in source.blocks(Reading(tokens)):
        found = cut(plain_text(block, source, "strict"), tokens)
        ids.append(lexicon.number(found.text, found.starts, found.ends))
    return {"tokens": sum(map(len, ids)), "types": lexicon.n_words}


def ids_firth(path: Path) -> dict[str, int]:
    return _ids_firth(path, "whitespace")


def words_firth(path: Path) -> dict[str, int]:
    return _ids_firth(path, "words")


def words_regex(path: Path) -> dict[str, int]:
    """Python: a Unicode pattern for words and symbols, and a Counter; far fewer rules than Firth's ``words``."""
    pattern = re.compile(r"\w+(?:['’.-]\w+)*|[^\w\s]")
    counts: Counter[str] = Counter()
    for line in path.open(encoding="utf-8"):
        counts.update(pattern.findall(line))
    return {"tokens": counts.total(), "types": len(counts)}


def _corpus(path: Path, tokens: Any, threads: int) -> dict[str, int]:
    """Firth: the whole stage, to a corpus on disk with sorted ids, sentences and positions."""
    import firth

    corpus = firth.Corpus.from_files(path, tokens=tokens, threads=threads)
    return {"tokens": corpus.n_tokens, "types": corpus.n_types}


def corpus_whitespace_1(path: Path) -> dict[str, int]:
    return _corpus(path, "whitespace", 1)


def corpus_whitespace_2(path: Path) -> dict[str, int]:
    return _corpus(path, "whitespace", 2)


def corpus_words_1(path: Path) -> dict[str, int]:
    return _corpus(path, "words", 1)


def corpus_words_2(path: Path) -> dict[str, int]:
    return _corpus(path, "words", 2)


# Counting ---------------------------------------------------------------------------------------


def _open_corpus(path: Path) -> Any:
    import firth

    return firth.load(path).corpus


def _count_firth(path: Path, threads: int) -> dict[str, int]:
    from firth.compute import Engine
    from firth.counts import CountsParameters, build_counts

    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        parameters = CountsParameters(f"bag{WINDOW}", min_count=1, vocabulary=N_WORDS)
        facts = build_counts(_open_corpus(path), parameters, Path(folder), "4G", Engine(threads))
    return {"entries": facts["n_entries"]}


def count_firth_1(path: Path) -> dict[str, int]:
    return _count_firth(path, 1)


def count_firth_2(path: Path) -> dict[str, int]:
    return _count_firth(path, 2)


def count_scipy(path: Path) -> dict[str, int]:
    """SciPy: pairs of a chunk of tokens as COO, to CSR, added up; the matrix stays in memory."""
    from scipy.sparse import coo_array, csr_array

    corpus = _open_corpus(path)
    n = N_WORDS + 1
    total = csr_array((n, n), dtype=np.uint32)
    sentence = np.zeros(corpus.n_tokens, np.int32)
    sentence[corpus.ends[:-1]] = 1
    np.cumsum(sentence, out=sentence)
    for begin in range(0, corpus.n_tokens, CHUNK):
        end = min(begin + CHUNK, corpus.n_tokens)
        words = np.minimum(corpus.ids[begin : end + WINDOW], N_WORDS).astype(np.int32)
        here = sentence[begin : end + WINDOW]
        rows, columns = [], []
        for d in range(1, WINDOW + 1):  # to the right; the other side is the transpose
            k = min(end - begin, len(words) - d)
            same = here[:k] == here[d : d + k]
            rows.append(words[:k][same])
            columns.append(words[d : d + k][same])
        pairs = np.concatenate(rows), np.concatenate(columns)
        total += coo_array((np.ones(len(pairs[0]), np.uint32), pairs), shape=(n, n)).tocsr()
    total = csr_array(total + total.T)
    return {"entries": int(total.nnz)}


# Measuring --------------------------------------------------------------------------------------

JOBS: dict[str, Callable[[Path], dict[str, int]]] = {
    function.__name__: function
    for function in (
        ids_counter, ids_counter_at_once, ids_pyarrow, ids_firth, words_regex, words_firth,
        corpus_whitespace_1, corpus_whitespace_2, corpus_words_1, corpus_words_2,
        count_scipy, count_firth_1, count_firth_2,
    )
}  # fmt: skip


def _warm_up() -> None:
    """Import and compile before the clock starts."""
    import pyarrow.compute
    import scipy.sparse

    import firth

    del pyarrow, scipy
    corpus = firth.Corpus.from_sentences([["a", "b"]])
    firth.count(corpus, contexts="bag1", min_count=1, threads=1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.txt")
        path.write_text("a b\n")
        for tokens in ("words", "whitespace"):
            firth.Corpus.from_files(path, tokens=tokens, threads=1)


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _now() -> int:
    import psutil

    return int(psutil.Process().memory_info().rss)


def main() -> None:
    job, path = sys.argv[1], Path(sys.argv[2])
    _warm_up()
    before = _now()
    started = time.perf_counter()
    facts = JOBS[job](path)
    seconds = time.perf_counter() - started
    print(json.dumps({"seconds": seconds, "memory": _peak() - before, **facts}))


if __name__ == "__main__":
    main()
