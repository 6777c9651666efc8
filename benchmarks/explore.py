"""``python -m benchmarks.explore --model FOLDER``: the server of ``firth explore`` under load, on this machine.

The server runs in a process of its own, started by ``firth explore``. Requests arrive at random (a Poisson process),
whether or not earlier ones have been answered: those of all views in equal parts, half of them for words drawn
uniformly from the vocabulary of the vectors, half for words drawn by frequency. Latency runs from the moment a request
is due until its whole answer has arrived. An answer that is not ready (202, for senses) counts like any other; the
client asks again as the page does, and these requests come on top of the others. Private memory is RssAnon; what a
second server on the same model adds is the increase of Pss over both processes.

Phrases are two to four words in a row from the text, half of them sorted by the words beside them; in half of the
requests they are looked for in a subcorpus, a twentieth of the text. So are the contexts of words, by all measures of
association.

If the model folder does not exist, the model is learned from ``text/wiki.txt.xz`` and ``trees/ptb-sample-train.mrg`` in
FIRTH_DATA and kept, with its text beside it: a document for each hundred lines, in twenty groups at random.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit
from urllib.request import urlopen

import numpy as np

from benchmarks.common import data_file, processor, unpack

Question = tuple[str, str]
START_LIMIT = 300.0
ANSWER_LIMIT = 30.0
READY_LIMIT = 600.0
AGAIN = "senses, asked again"
PAUSE, GROWTH = 0.15, 1.5
"""Seconds between two requests for an answer that is not ready, as in the page."""
TAGS = 12
LINES, GROUPS = 100, 20
SORTS = ("", "", "R1", "L1,R1", "M2,R1,L1")


def make_model(path: Path, n_bytes: int | None, map_words: int | None) -> None:
    """Learn the model, unless the folder exists, and prepare it for the explorer."""
    import firth
    from firth import explore, pipeline

    if (path / "firth.json").exists():
        explore.prepare(path, map_words)
        return
    trees = data_file("trees/ptb-sample-train.mrg")
    text = path.with_name(f"{path.name}.jsonl")
    write_documents(text, n_bytes)
    with firth.show_progress():
        firth.learn(text, path, tags=TAGS)
        pipeline.learn_grammar(path, trees)
        explore.prepare(path, map_words)


def write_documents(path: Path, n_bytes: int | None) -> None:
    """Write the text as documents of a hundred lines, each in one of some groups."""
    chance = random.Random(1)
    whole = path.with_suffix(".txt")
    unpack(data_file("text/wiki.txt.xz"), whole, n_bytes)
    with whole.open(encoding="utf-8") as source, path.open("w", encoding="utf-8") as target:
        for lines in batched(source, LINES):
            row = {"group": chance.randrange(GROUPS), "text": "".join(lines)}
            target.write(json.dumps(row, ensure_ascii=False) + "\n")
    whole.unlink()


def batched(lines: Iterable[str], n: int) -> Iterator[list[str]]:
    """Lines, some at a time; as that of itertools, which Python 3.11 does not have."""
    rest = iter(lines)
    while some := list(islice(rest, n)):
        yield some


def questions(path: Path, seed: int) -> Iterator[Question]:
    """Endless requests: all kinds in random order, then all again."""
    import firth
    from firth.counts import MEASURES

    model = firth.load(path)
    vocabulary, counts = model.vectors.vocabulary, model.corpus.vocabulary.counts
    words = list(vocabulary)
    chances = np.cumsum(vocabulary.counts / vocabulary.counts.sum())
    n_often = int((counts >= 10).sum())  # ids follow frequency, and senses need so many occurrences
    paths = model.classes.tree.node_paths if "classes" in model else [""]
    chance = random.Random(seed)

    def word(n: int = len(words)) -> str:
        by_rank = chance.randrange(min(n, len(words)))
        by_count = int(np.searchsorted(chances, chance.random()))
        return words[min(by_rank if chance.random() < 0.5 else by_count, n - 1, len(words) - 1)]

    def sentence() -> str:
        i = chance.randrange(model.corpus.n_sentences)
        return " ".join(model.corpus.sentence(i)[:20])[:1500]

    def subcorpus() -> str:
        some = "documents" in model and chance.random() < 0.5
        return f"group == {chance.randrange(GROUPS)}" if some else ""

    def found() -> dict[str, Any]:
        words = model.corpus.sentence(chance.randrange(model.corpus.n_sentences))
        n, first = chance.randint(2, 4), chance.randrange(max(1, len(words) - 3))
        phrase = " ".join(re.sub(r"([^\w\s])", r"\\\1", one) for one in words[first : first + n])
        return {"q": phrase[:1000], "where": subcorpus(), "sort": chance.choice(SORTS)}

    asked: dict[str, Callable[[], dict[str, Any]]] = {
        "model": dict,
        "complete": lambda: {"q": (w := word())[: chance.randint(1, len(w))][:1000]},
        "word": lambda: {"word": word(), "measure": chance.choice(MEASURES), "where": subcorpus()},
        "neighbours": lambda: {"word": word()},
        "concordance": lambda: {"word": word()},
        "find": found,
        "find/by": lambda: {"q": found()["q"], "column": "group"},
        "frequencies": lambda: {"where": f"group == {chance.randrange(GROUPS)}"},
        "keyness": lambda: {"where": f"group == {chance.randrange(GROUPS)}"},
        "senses": lambda: {"word": word(n_often)},
        "class": lambda: {"path": chance.choice(paths)},
        "tree": dict,
        "map": dict,
        "tags": dict,
        "tag": lambda: {"tag": chance.randrange(TAGS)},
        "tagged": lambda: {"text": sentence()},
        "parse": lambda: {"text": sentence()},
        "compare/words": lambda: {"a": word(), "b": word()},
        "compare/classes": lambda: {"a": chance.choice(paths), "b": chance.choice(paths)},
        "analogy": lambda: {"a": word(), "b": word(), "c": word()},
        "about": dict,
    }
    needs = {
        "map": "map",
        "find": "documents",
        "find/by": "documents",
        "frequencies": "documents",
        "keyness": "documents",
        "tags": "tags",
        "tag": "tags",
        "tagged": "tags",
        "parse": "grammar",
    }
    kinds = [kind for kind in asked if needs.get(kind, "corpus") in model]
    while True:
        chance.shuffle(kinds)
        for kind in kinds:
            yield kind, f"/api/{kind}?{urlencode(asked[kind]())}"


# The server -------------------------------------------------------------------------------------


@contextmanager
def server(path: Path, port: int, map_words: int | None) -> Iterator[tuple[int, str, float]]:
    """``firth explore``: its process id, its address, and the seconds until its first answer."""
    command = [
        sys.executable, "-m", "firth", "explore", str(path), "--no-browser", "--port", str(port),
        *([] if map_words is None else ["--map-words", str(map_words)]), "-q",
    ]  # fmt: skip
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    address = f"http://127.0.0.1:{port}"
    try:
        while True:
            try:
                with urlopen(f"{address}/api/complete?q=a", timeout=ANSWER_LIMIT) as answer:
                    answer.read()
                break
            except OSError:
                if process.poll() is not None or time.perf_counter() - started > START_LIMIT:
                    sys.exit("error: the server did not start.")
                time.sleep(0.02)
        yield process.pid, address, time.perf_counter() - started
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def free_port() -> int:
    import socket

    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        return int(some.getsockname()[1])


def own_memory(pid: int) -> int:
    """Private memory of a process, in bytes."""
    text = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"RssAnon:\s+(\d+)", text)
    return int(found[1]) * 1024 if found else 0


def processor_seconds(pid: int) -> float:
    """CPU seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until_idle(pid: int) -> None:
    """Wait until a process has done what it does after its start; at most a minute."""
    for _ in range(60):
        before = processor_seconds(pid)
        time.sleep(1)
        if processor_seconds(pid) - before < 0.05:
            return


def machine_seconds() -> tuple[float, float]:
    """Busy seconds and total seconds of all processors so far."""
    ticks = list(map(int, Path("/proc/stat").read_text().splitlines()[0].split()[1:9]))
    idle = ticks[3] + ticks[4]
    return (sum(ticks) - idle) / os.sysconf("SC_CLK_TCK"), sum(ticks) / os.sysconf("SC_CLK_TCK")


def shares(pids: Sequence[int]) -> dict[str, int]:
    """Memory of several processes in total, in bytes, by kind; shared pages count once."""
    totals: dict[str, int] = {}
    for pid in pids:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            found = re.match(r"(Pss|Pss_Anon|Pss_File):\s+(\d+)", line)
            if found:
                totals[found[1]] = totals.get(found[1], 0) + int(found[2]) * 1024
    return totals


# The load ---------------------------------------------------------------------------------------


class Client:
    """A client that keeps its connections, and replaces those that the server has closed."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._host, self._port, self._netloc = parts.hostname, parts.port, parts.netloc
        self._idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def get(self, target: str) -> tuple[int, float]:
        """Ask, read the whole answer, and return its status, and when to ask again at the latest."""
        while self._idle:
            connection = self._idle.pop()
            try:
                return await self._ask(connection, target)
            except (OSError, asyncio.IncompleteReadError):
                connection[1].close()
        return await self._ask(await asyncio.open_connection(self._host, self._port), target)

    async def _ask(
        self, connection: tuple[asyncio.StreamReader, asyncio.StreamWriter], target: str
    ) -> tuple[int, float]:
        reader, writer = connection
        writer.write(f"GET {target} HTTP/1.1\r\nHost: {self._netloc}\r\n\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
        await reader.readexactly(length)
        self._idle.append(connection)
        return int(head[9:12]), float(head.partition(b"retry-after:")[2].partition(b"\r\n")[0] or 0)

    async def close(self) -> None:
        for _, writer in self._idle:
            writer.close()
            await writer.wait_closed()


class Load:
    """Requests that arrive at random, and what became of them."""

    def __init__(self, address: str) -> None:
        self._client = Client(address)
        self.taken: dict[str, list[float]] = {}
        self.ready: list[float] = []
        """Seconds until the answers for senses were complete."""
        self.failures: list[str] = []

    async def run(self, asked: Sequence[Question], rate: float, seed: int) -> None:
        chance, begun, due = random.Random(seed), time.perf_counter(), 0.0
        waiting = []
        for kind, target in asked:
            due += chance.expovariate(rate)
            await asyncio.sleep(max(0.0, begun + due - time.perf_counter()))
            waiting.append(asyncio.create_task(self._one(kind, target, begun + due)))
        await asyncio.gather(*waiting)
        await self._client.close()

    async def _one(self, kind: str, target: str, due: float) -> None:
        status, longest = await self._ask(kind, target, due)
        pause = PAUSE
        while status == 202 and time.perf_counter() - due < READY_LIMIT:
            pause = min(pause, longest)
            await asyncio.sleep(pause)
            pause *= GROWTH
            status, longest = await self._ask(AGAIN, target, time.perf_counter())
        if status == 200 and kind == "senses":
            self.ready.append(time.perf_counter() - due)
        elif status not in (None, 200):
            self.failures.append(f"{status} {target[:60]}")

    async def _ask(self, kind: str, target: str, due: float) -> tuple[int | None, float]:
        try:
            answer = await asyncio.wait_for(self._client.get(target), ANSWER_LIMIT)
        except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
            self.failures.append(repr(error))
            return None, 0.0
        self.taken.setdefault(kind, []).append(time.perf_counter() - due)
        return answer


async def closed_loop(address: str, asked: Sequence[Question], workers: int) -> list[str]:
    """Several clients, each of which asks again as soon as it has an answer; returns failures."""
    client, rest = Client(address), iter(asked)
    failures: list[str] = []

    async def work() -> None:
        for _, target in rest:
            try:
                status, _ = await asyncio.wait_for(client.get(target), ANSWER_LIMIT)
                if status not in (200, 202):
                    failures.append(f"{status} {target[:60]}")
            except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
                failures.append(repr(error))

    await asyncio.gather(*(work() for _ in range(workers)))
    await client.close()
    return failures


# Tables -----------------------------------------------------------------------------------------


def megabytes(n: float) -> str:
    return f"{n / 1e6:,.1f} MB"


def print_latencies(load: Load, rate: float) -> None:
    print(f"\n### {rate:g} requests a second, arriving at random\n")
    print("| request | answers | p50 | p95 | p99 | longest |\n|---|---|---|---|---|---|")
    rows = {**load.taken, "all": [seconds for some in load.taken.values() for seconds in some]}
    for kind, seconds in rows.items():
        told = np.quantile(seconds, [0.5, 0.95, 0.99, 1.0]) * 1e3
        print(f"| {kind} | {len(seconds):,} | " + " | ".join(f"{t:.1f} ms" for t in told) + " |")
    if load.ready:
        told = np.quantile(load.ready, [0.5, 0.95, 1.0])
        print(
            f"\nsenses complete: {len(load.ready):,}, after {told[0]:.1f} s (p50), {told[1]:.1f} s (p95), "
            f"{told[2]:.1f} s (longest)"
        )
    print(f"\nlost or failed: {len(load.failures)}", *load.failures[:3])


def run(options: argparse.Namespace) -> None:
    path: Path = options.model
    ask = questions(path, options.seed)
    some = [next(ask) for _ in range(round(options.rate * options.seconds))]
    many = [next(ask) for _ in range(options.requests)]
    del ask  # and with it what it has mapped of the model, which would share in the memory below
    port = options.port or free_port()
    starts = []
    for _ in range(options.starts):
        with server(path, port, options.map_words) as (_, _, seconds):
            starts.append(seconds)
    with server(path, port, options.map_words) as (pid, address, seconds):
        starts.append(seconds)
        print("\n### From the command to the first completion\n")
        print("seconds: " + ", ".join(f"{s:.2f}" for s in starts))
        with urlopen(f"{address}/api/about", timeout=ANSWER_LIMIT) as answer:  # all parts are open
            told = json.load(answer)
        size = f"{told['n_tokens']:,} tokens, {told['n_types']:,} types"
        print(f"model: {size}, {megabytes(told['bytes'])} on disk")
        asyncio.run(closed_loop(address, some[:60], 1))  # loads memory pages
        wait_until_idle(pid)
        before, ours = machine_seconds(), [processor_seconds(p) for p in (pid, os.getpid())]
        load = Load(address)
        asyncio.run(load.run(some, options.rate, options.seed))
        print_latencies(load, options.rate)
        after = machine_seconds()
        work = [processor_seconds(p) - o for p, o in zip((pid, os.getpid()), ours, strict=True)]
        others = (after[0] - before[0] - sum(work)) / (after[1] - before[1])
        n_answers = sum(map(len, load.taken.values()))
        print(f"CPU time of the server: {work[0] / n_answers * 1e3:.1f} ms an answer")
        print(f"other work on this machine: {max(0.0, others):.0%} of its processors")

        print("\n### Private memory over many requests\n\n| requests | RssAnon |\n|---|---|")
        print(f"| 0 | {megabytes(own_memory(pid))} |")
        begun, failed = time.perf_counter(), 0
        for a in range(0, len(many), options.every):
            failed += len(asyncio.run(closed_loop(address, many[a : a + options.every], 4)))
            done = min(a + options.every, len(many))
            print(f"| {done:,} | {megabytes(own_memory(pid))} |", flush=True)
            if time.perf_counter() - begun > options.limit:
                print(f"\nstopped after {options.limit:g} seconds")
                break
        print(f"\nin {time.perf_counter() - begun:.0f} seconds; failed: {failed}")

        alone = shares([pid])
        with server(path, free_port(), options.map_words) as (other, second, _):
            asyncio.run(closed_loop(second, some[:600], 4))
            both = shares([pid, other])
            print(
                "\n### A second server on the same model\n\n| | one | both | added |\n|---|---|---|---|"
            )
            for kind in both:
                row = (alone[kind], both[kind], both[kind] - alone[kind])
                print(f"| {kind} | " + " | ".join(map(megabytes, row)) + " |")


def parse() -> Any:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.explore", description=__doc__)
    parser.add_argument(
        "--model", type=Path, required=True, help="model folder; created if it does not exist"
    )
    parser.add_argument("--quick", action="store_true", help="30 MB of text, few requests")
    parser.add_argument("--rate", type=float, default=50.0, help="requests a second")
    parser.add_argument("--seconds", type=float, default=60.0, help="duration of the load")
    parser.add_argument(
        "--requests", type=int, default=10_000, help="number of requests for the memory test"
    )
    parser.add_argument(
        "--every", type=int, default=2_000, help="requests between two measurements of memory"
    )
    parser.add_argument(
        "--limit", type=float, default=300.0, help="time limit of the memory test, in seconds"
    )
    parser.add_argument("--starts", type=int, default=2, help="additional starts to time")
    parser.add_argument("--map-words", type=int, help="size of the map; 0: no map")
    parser.add_argument("--port", type=int, help="default: any free port")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.quick:
        options.seconds, options.requests, options.every, options.starts = 10.0, 1_000, 500, 0
    return options


def main() -> None:
    options = parse()
    if not Path("/proc/self/smaps_rollup").exists():
        sys.exit("error: this benchmark reads memory from /proc, so it needs Linux.")
    make_model(options.model, 30_000_000 if options.quick else None, options.map_words)
    print(f"{datetime.now(UTC):%Y-%m-%d}; {processor()}; Python {platform.python_version()}")
    print(f"command: python -m benchmarks.explore {' '.join(sys.argv[1:])}".rstrip(), flush=True)
    run(options)


if __name__ == "__main__":
    main()
