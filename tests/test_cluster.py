"""Work on a cluster, with worker processes on this machine: the same bytes, and what happens when something dies."""

from __future__ import annotations

import gzip
import operator
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import firth
from firth.compute import Cluster, _cluster, connected
from firth.errors import FirthError, InputError, ParameterError
from firth.pipeline import learn_corpus, learn_counts
from tests.conftest import zipf_text

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
PARTS = ("corpus", "counts", "grammar_vectors", "classes")


def files_of(model: Path, part: str) -> dict[str, bytes]:
    folder = firth.load(model).parts[part].folder
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_work_runs_on_workers(workers: Any) -> None:
    with connected(workers) as cluster:
        assert cluster is not None
        assert cluster.n_workers == 2
        three = cluster.submit(operator.add, 1, cluster.send(2))
        assert cluster.result(cluster.submit(sum, [three, three, 4])) == 10
        assert list(cluster.results([three, three])) == [3, 3]
        assert cluster.result(cluster.submit(os.getpid)) != os.getpid()


def fail() -> None:
    raise InputError("It is broken.", "Mend it.")


def test_errors_of_workers_are_raised_here(workers: Any) -> None:
    with connected(workers) as cluster:
        assert cluster is not None
        with pytest.raises(InputError) as error:
            cluster.result(cluster.submit(fail))
        assert (error.value.message, error.value.hint) == ("It is broken.", "Mend it.")


def fail_to_read() -> None:
    raise PermissionError(13, "Permission denied", "ids.u32")


def test_system_errors_of_workers_are_not_those_of_the_cluster(workers: Any) -> None:
    with connected(workers) as cluster:
        assert cluster is not None
        with pytest.raises(PermissionError, match=r"ids\.u32"):
            cluster.result(cluster.submit(fail_to_read))


def test_other_versions_are_refused(workers: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_cluster, "_versions", lambda: ("0.0.1", "3.99"))
    with pytest.raises(
        FirthError, match=r"Firth .* but this program Firth 0\.0\.1 and Python 3\.99"
    ):
        Cluster(lambda: workers).connect()


def test_a_scheduler_must_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_cluster, "_CONNECT", 0.5)
    with (
        pytest.raises(FirthError, match="There is no scheduler at tcp://127.0.0.1:9"),
        connected("tcp://127.0.0.1:9") as cluster,
    ):
        cluster.connect()  # type: ignore[union-attr]


def test_a_scheduler_must_have_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import LocalCluster

    monkeypatch.setattr(_cluster, "_PATIENCE", 0.1)
    with (
        LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address="127.0.0.1:0") as local,
        pytest.raises(FirthError, match="has no workers"),
        connected(local.scheduler_address) as cluster,
    ):
        cluster.connect()  # type: ignore[union-attr]


@pytest.mark.parametrize("wrong", [0, -1, "four", 2.5, True, 1000])
def test_a_cluster_is_an_address_or_a_number(wrong: Any) -> None:
    with (
        pytest.raises(ParameterError, match="'cluster' parameter of learn must be"),
        connected(wrong),
    ):
        pass


@pytest.mark.parametrize("wrong", ["nope://x:1", "tcp://", "tcp://host", "tcp://host:port"])
def test_wrong_addresses_are_refused_at_once(wrong: str) -> None:
    with pytest.raises(ParameterError, match="is not the address of a scheduler"), connected(wrong):
        pass


def test_tls_needs_certificates() -> None:
    with pytest.raises(ParameterError, match="no certificates"), connected("tls://127.0.0.1:9"):
        pass


@pytest.mark.skipif(os.name == "nt", reason="no signal masks")
def test_ctrl_c_waits_until_workers_have_started_and_does_not_reach_them() -> None:
    tell = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"
    done = []
    with pytest.raises(KeyboardInterrupt), _cluster._interrupted_later():
        os.kill(os.getpid(), signal.SIGINT)
        done.append(subprocess.check_output([sys.executable, "-c", tell], text=True).strip())
    assert done == ["True"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three files: one that is cut into pieces, one that is compressed, one that is empty."""
    folder = tmp_path_factory.mktemp("texts")
    lines = zipf_text(8_000).splitlines(keepends=True)
    (folder / "a.txt").write_text("".join(lines[:6_000]), encoding="utf-8")
    (folder / "b.txt.gz").write_bytes(gzip.compress("".join(lines[6_000:]).encode()))
    (folder / "c.txt").write_text("", encoding="utf-8")
    return sorted(folder.iterdir())


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firth.corpus._pieces._SMALLEST", 1 << 15)
    monkeypatch.setattr("firth.counts._panels._TOKENS", 1 << 14)
    monkeypatch.setattr("firth.counts._panels._ENTRIES_PER_PANEL", 1 << 15)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize(
    "options",
    [
        {"contexts": "LR2", "split": "sentences", "lowercase": True},
        {"contexts": "bag5", "weights": "distance", "across_lines": True, "min_count": 1},
        {"tokens": "morphs", "min_count": 1},
    ],
)
def test_models_are_the_same_bytes(
    workers: Any, texts: list[Path], tmp_path: Path, options: dict[str, Any]
) -> None:
    options |= {"dim": 4, "classes": 8}
    here = firth.learn(texts, tmp_path / "here", **options)
    there = firth.learn(texts, tmp_path / "there", cluster=workers, **options)
    for part in PARTS:
        assert files_of(here.path, part) == files_of(there.path, part), part
    assert here.parts["corpus"].identity == there.parts["corpus"].identity
    again = firth.learn(texts, tmp_path / "there", **options)
    assert again.changed == [], "another way to work is no other result"


def test_a_model_that_is_up_to_date_needs_no_cluster(texts: list[Path], tmp_path: Path) -> None:
    learn_counts(tmp_path / "model", texts)
    again = learn_counts(tmp_path / "model", texts, cluster="tcp://127.0.0.1:9")
    assert again.changed == []


@pytest.mark.usefixtures("small_pieces")
def test_text_is_sent_to_workers_that_cannot_see_it(
    workers: Any, texts: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = learn_counts(tmp_path / "here", texts, contexts="bag2")
    learn_corpus(tmp_path / "there", texts)
    monkeypatch.setattr("firth.counts._panels._are_visible", lambda *_: False)
    there = learn_counts(tmp_path / "there", contexts="bag2", cluster=workers)
    assert files_of(here.path, "counts") == files_of(there.path, "counts")


def killer(workers: Any, work: str) -> tuple[threading.Thread, list[str]]:
    """Kills a worker as soon as it does some work; also a list of those that were killed."""
    pids, killed = workers.run(os.getpid), []

    def kill() -> None:
        ends = time.monotonic() + 30
        while time.monotonic() < ends:
            for worker, names in workers.processing().items():
                if worker in pids and any(name.startswith(work) for name in names):
                    os.kill(pids[worker], signal.SIGKILL)
                    killed.append(worker)
                    return
            time.sleep(0.002)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread, killed


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("work", ["read_piece", "count_ranges", "add_up"])
def test_a_worker_that_is_killed_is_replaced(
    workers: Any, texts: list[Path], tmp_path: Path, work: str
) -> None:
    here = learn_counts(tmp_path / "here", texts, contexts="bag5")
    thread, killed = killer(workers, work)
    there = learn_counts(tmp_path / "there", texts, contexts="bag5", cluster=workers)
    thread.join()
    assert killed
    for part in ("corpus", "counts"):
        assert files_of(here.path, part) == files_of(there.path, part)
    workers.wait_for_workers(2)


def bad_files(folder: Path) -> dict[str, bytes]:
    whole = gzip.compress(b"one two three\n" * 1000)
    return {
        "cut.txt.gz": whole[:-20],
        "latin.txt": b"a b c\n" * 10 + "caf\u00e9\n".encode("latin-1"),
        "picture.txt": b"\x89PNG\r\n\x1a\n" + bytes(50),
    }


@pytest.mark.parametrize("name", bad_files(Path()))
@pytest.mark.parametrize("where", ["here", "there"])
def test_bad_files_are_named_or_skipped(
    workers: Any, tmp_path: Path, name: str, where: str, caplog: pytest.LogCaptureFixture
) -> None:
    good = [tmp_path / "1.txt", tmp_path / "3.txt"]
    for path in good:
        path.write_text("the cat sat\n" * 20, encoding="utf-8")
    bad = tmp_path / f"2-{name}"
    bad.write_bytes(bad_files(tmp_path)[name])
    how = {"cluster": workers} if where == "there" else {}
    files = sorted([*good, bad])
    with pytest.raises(InputError, match=bad.name) as error:
        learn_corpus(tmp_path / "strict", files, **how)
    if where == "there":
        assert "--skip-bad" in str(error.value.hint)
    assert not (tmp_path / "strict" / "firth.json").exists()
    skipped = learn_corpus(tmp_path / "model", files, skip_bad=True, **how)
    [notice] = [line for line in caplog.text.splitlines() if "Skipped" in line]
    assert notice.partition("(")[0].count(str(bad)) == 1
    without = learn_corpus(tmp_path / "without", good)
    assert files_of(skipped.path, "corpus") == files_of(without.path, "corpus")
    again = learn_corpus(tmp_path / "model", files, skip_bad=True, **how)
    assert again.changed == []
    with pytest.raises(InputError, match=bad.name):
        learn_corpus(tmp_path / "model", files)
    with pytest.raises(InputError, match="None of the files can be read"):
        learn_corpus(tmp_path / "nothing", bad, skip_bad=True, **how)


def test_a_file_that_workers_cannot_see_is_named(
    workers: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from firth.corpus import find_sources

    path = tmp_path / "text.txt"
    path.write_text("a b c\n", encoding="utf-8")
    sources = find_sources([path])
    path.unlink()
    monkeypatch.setattr("firth.pipeline._text.find_sources", lambda *_: sources)
    with pytest.raises(InputError):
        learn_corpus(tmp_path / "model", path, cluster=workers)


def started(*command: str) -> subprocess.Popen[bytes]:
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([sys.executable, "-m", *command], **quiet)  # type: ignore[call-overload,no-any-return]


@pytest.fixture
def scheduler() -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A scheduler and a worker, as programs of their own."""
    address = "tcp://127.0.0.1:28786"
    host = ("--host", "127.0.0.1", "--no-dashboard")
    programs = [started("distributed.cli.dask_scheduler", *host, "--port", "28786")]
    programs.append(
        started("distributed.cli.dask_worker", address, *host, "--nworkers", "1", "--no-nanny")
    )
    try:
        yield address, programs[0]
    finally:
        for program in programs:
            program.kill()
            program.wait()


@pytest.mark.usefixtures("small_pieces")
def test_a_scheduler_that_dies_leaves_what_was_finished(
    scheduler: tuple[str, subprocess.Popen[bytes]], texts: list[Path], tmp_path: Path
) -> None:
    from distributed import Client

    address, program = scheduler
    model = tmp_path / "model"
    learn_corpus(model, texts, cluster=address)
    with Client(address, set_as_default=False) as client:

        def kill() -> None:
            ends = time.monotonic() + 30
            while time.monotonic() < ends:
                if any(names for names in client.processing().values()):
                    break
                time.sleep(0.002)
            program.kill()

        thread = threading.Thread(target=kill)
        thread.start()
        with pytest.raises(FirthError, match="does not answer any more") as error:
            learn_counts(model, cluster=address)
        thread.join()
        assert "run the same command" in str(error.value.hint)
    assert learn_counts(model, texts).changed == ["counts"], "the corpus was finished"
