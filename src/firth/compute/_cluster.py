"""Work on other machines: the workers of a Dask cluster."""

from __future__ import annotations

import contextvars
import logging
import os
import platform
import signal
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from multiprocessing import resource_tracker
from typing import Any

import firth
from firth import progress
from firth.compute._device import CPU, Device, open_device
from firth.compute._memory import keep_memory
from firth.errors import FirthError, ParameterError, wrong_parameter

__all__ = ["Cluster", "OneWorker", "connected", "device_here"]

_POLL = 0.2
"""Seconds between two looks at work that is under way."""
_PATIENCE = 60.0
"""Seconds to wait for workers, at the beginning or after the last one has gone."""
_CONNECT = 10.0
_MOST_WORKERS = 256
_WORKERS = {
    "distributed.worker.profile.enabled": False,
    "distributed.nanny.pre-spawn-environ": dict.fromkeys(
        ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"
    ),
}
"""Settings of our own workers."""
INSTALL = "Install it: pip install 'firth[dask]'"

Future = Any
"""A result that is, or will be, in the memory of a worker."""


def _versions() -> tuple[str, str]:
    return firth.__version__, platform.python_version()


_numbers_of_workers: dict[str, int] = {}
"""Of the worker that runs in this process: its number among those of this machine, by address."""
_device_here: contextvars.ContextVar[Device | None] = contextvars.ContextVar(
    "_device_here", default=None
)


def device_here() -> Device | None:
    """The GPU of this worker, for work of a cluster that uses GPUs."""
    return _device_here.get()


def _own_device(name: str) -> Device | None:
    """The GPU of a worker. One that came later, in place of one that died, has the first."""
    if name == CPU:
        return None
    from distributed import get_worker

    return open_device("learn", name, _numbers_of_workers.get(get_worker().address, 0))


def _on_device(device: Device | None, work: Callable[..., Any], *args: Any) -> Any:
    before = _device_here.set(device)
    try:
        return work(*args)
    finally:
        _device_here.reset(before)


def _check(versions: tuple[str, str]) -> None:
    """Raise an error if this worker has other versions."""
    mine = _versions()
    if mine != versions:
        raise FirthError(
            f"A worker on {platform.node()} runs Firth {mine[0]} and Python {mine[1]}, "
            f"but this program Firth {versions[0]} and Python {versions[1]}.",
            "Install the same versions on all machines.",
        )


def _run(versions: tuple[str, str], device: str, work: Callable[..., Any], *args: Any) -> Any:
    """Call a function on a worker, after a look at the versions there."""
    _check(versions)
    keep_memory()
    return _on_device(_own_device(device), work, *args)


class Cluster:
    """The workers of a Dask cluster.

    Work is a function of a module that neither changes its arguments nor depends on anything else: if
    a worker dies, Dask calls it again on another one. Results stay in the memory of workers until they
    are asked for, and pass from worker to worker as arguments of other work.

    Parameters
    ----------
    connect : callable
        Returns a ``distributed.Client``. It is called when the cluster is first needed, so that a
        model that is up to date starts no workers.
    device : str
        Whether workers use GPUs: ``cuda`` for one each, ``cuda:1`` for the same number on all machines.
    """

    def __init__(self, connect: Callable[[], Any], device: str = CPU) -> None:
        self._connect, self.device = connect, device
        self._lonely: float | None = None
        self._n_workers = 0
        self._gpus: list[str] = []

    def connect(self) -> None:
        """Connect now, unless that has been done: before a stage, which shows its own progress."""
        if "_client" not in vars(self):
            self._client  # noqa: B018  with a stage of its own
            self._n_workers = self._wait_for_workers()
            self._check_workers()

    @cached_property
    def _client(self) -> Any:
        return self._connect()

    @property
    def _address(self) -> str:
        return str(self._client.scheduler.address)

    @property
    def n_workers(self) -> int:
        """The number of workers, when they were last counted."""
        self.connect()
        return self._n_workers

    def submit(self, work: Callable[..., Any], *args: Any, at: str | None = None) -> Future:
        """Call a function on some worker; futures among the arguments, or in lists of them, are results.

        If ``at`` is given, on the worker with this address, as long as it is there.
        """
        with self._watched(), warnings.catch_warnings():
            # some arguments are large on purpose: the scheduler has them if a worker dies
            warnings.filterwarnings("ignore", "Sending large graph")
            name = f"{work.__name__.strip('_')}-{next(_numbers)}"
            return self._client.submit(
                _run, _versions(), self.device, work, *args, key=name, pure=False, workers=at,
                allow_other_workers=at is not None,
            )  # fmt: skip

    def threads(self) -> list[str]:
        """The addresses of workers, once for each of their threads, all first threads first."""
        with self._watched():
            found = self._client.nthreads().items()
        return [at for _, at in sorted((k, at) for at, n in found for k in range(n))]

    def send(self, value: Any) -> Future:
        """Send a value to a worker. The scheduler keeps it, and sends it again if the worker dies.

        Dask's own ``scatter`` would not do: of several copies it soon drops all but one.
        """
        return self.submit(_same, value)

    def result(self, future: Future) -> Any:
        """A result, when it is there."""
        [found] = self.results([future])
        return found

    def results(self, futures: Iterable[Future]) -> Iterator[Any]:
        """Results in order, each when it is there."""
        for future in futures:
            self.wait(future)
            with self._watched():
                yield self._client.gather(future, direct=True)

    def wait(self, future: Future, tell: Callable[[], None] | None = None) -> None:
        """Wait until work is done, and raise the error with which it ended; calls ``tell`` meanwhile."""
        from distributed import KilledWorker

        done = threading.Event()
        if not future.done():
            future.add_done_callback(lambda _: done.set())
        while not future.done():
            done.wait(_POLL)
            progress.check_interrupted()
            self._check_alive()
            if tell:
                tell()
        error = None
        with self._watched():
            if future.status == "error":
                error = future.exception()
                if isinstance(error, KilledWorker):
                    raise error
            if future.status in ("cancelled", "lost"):
                raise (
                    self._gone()
                    if self._client.status != "running"
                    else FirthError(
                        "Some data were lost with the workers that had them.",
                        "What was finished is kept: run the same command again.",
                    )
                )
        if (
            error is not None
        ):  # of the work itself, so even an OSError says nothing about the cluster
            raise error.with_traceback(None)

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Turn the errors of Dask into our own."""
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError
        from distributed.comm.core import CommClosedError

        self.connect()
        try:
            yield
        except KilledWorker as error:
            raise FirthError(
                f"Several workers died one after another at the same work ({error.task}).",
                "They may have too little memory: give them more, or use smaller files.",
            ) from None
        except (
            CommClosedError,
            FutureCancelledError,
            RuntimeError,
            OSError,
            TimeoutError,
        ) as error:
            if isinstance(error, RuntimeError) and self._client.status == "running":
                raise
            raise self._gone() from error

    def _gone(self) -> FirthError:
        return FirthError(
            f"The scheduler at {self._address} does not answer any more.",
            "What was finished is kept. Start it again, and run the same command.",
        )

    def _check_alive(self) -> None:
        """Raise an error if the scheduler has gone, or all workers for some time."""
        if self._client.status not in ("running", "connecting"):
            raise self._gone()
        with self._watched():
            n = len(self._client.nthreads())
        if n < self._n_workers:
            lost = progress.count_of(self._n_workers - n, "worker")
            then = f"the others do the work again. {n} left." if n else "waiting for others."
            progress.notice(f"Lost {lost}; {then}")
        self._n_workers = n
        if n:
            self._lonely = None
        elif self._lonely is None:
            self._lonely = time.monotonic()
        elif time.monotonic() - self._lonely > _PATIENCE:
            raise self._no_workers()

    def _wait_for_workers(self) -> int:
        with progress.stage("waiting for workers", unit="", brief=1.0):
            began = time.monotonic()
            while not (n := len(self._client.nthreads())):
                progress.check_interrupted()
                if time.monotonic() - began > _PATIENCE:
                    raise self._no_workers()
                time.sleep(_POLL)
        return n

    def _no_workers(self) -> FirthError:
        return FirthError(
            f"The cluster at {self._address} has no workers.",
            f"Start some: dask worker {self._address}",
        )

    def _check_workers(self) -> None:
        """Have every worker compare its versions with ours, and open its GPU."""
        numbers = _numbered(self.everywhere(_machine)) if self.device != CPU else {}
        with self._watched():
            answers = self._client.run(_begin, _versions(), self.device, numbers, on_error="return")
        for address, answer in answers.items():
            if isinstance(answer, FirthError):
                raise answer
            if isinstance(answer, Exception):
                raise FirthError(
                    f"The worker at {address} cannot run Firth: {type(answer).__name__}: {answer}",
                    f"Install Firth {firth.__version__} on all machines.",
                )
        self._gpus = sorted({str(name) for name in answers.values() if name})

    @property
    def facts(self) -> dict[str, str]:
        """What the facts about a result say about where it was made: the GPUs of workers."""
        return {"device": ", ".join(self._gpus)} if self._gpus else {}

    def everywhere(self, work: Callable[..., Any], *args: Any) -> dict[str, Any]:
        """What a function returns on each worker, by address."""
        with self._watched():
            found: dict[str, Any] = self._client.run(work, *args)
        return found


class OneWorker(Cluster):
    """This process as the only worker, which has done its work when it is submitted.

    For a GPU that has no room for everything at once.
    """

    def __init__(self, device: Device | None = None) -> None:
        super().__init__(lambda: None)
        self._own, self._n_workers = device, 1

    def connect(self) -> None:
        """There is nothing to connect to."""

    def submit(self, work: Callable[..., Any], *args: Any, at: str | None = None) -> Future:  # noqa: ARG002
        return _on_device(self._own, work, *args)

    def send(self, value: Any) -> Future:
        return value

    def results(self, futures: Iterable[Future]) -> Iterator[Any]:
        return iter(futures)

    def threads(self) -> list[str]:
        return ["here"]


def _same(value: Any) -> Any:
    """Work that does nothing with a value."""
    return value


def _begin(
    versions: tuple[str, str], device: str, numbers: dict[str, int], dask_worker: Any = None
) -> str:
    """Tells whether a worker can import Firth and has a GPU; returns the name of its own."""
    _check(versions)
    number = _numbers_of_workers[dask_worker.address] = numbers.get(dask_worker.address, 0)
    try:
        found = open_device("learn", device, number)
    except FirthError as error:
        raise FirthError(f"A worker on {platform.node()}: {error.message}", error.hint) from None
    return found.title if found else ""


def _machine() -> tuple[str, str]:
    """Which GPUs a worker has: those of its machine, or those that it may see."""
    return platform.node(), os.environ.get("CUDA_VISIBLE_DEVICES", "")


def _numbered(machines: dict[str, Any]) -> dict[str, int]:
    """A number for each worker, among those that have the same GPUs."""
    seen: Counter[Any] = Counter()
    numbers = {}
    for address in sorted(machines):
        numbers[address] = seen[machines[address]]
        seen[machines[address]] += 1
    return numbers


def _count() -> Iterator[int]:
    n = int(time.time() * 1e6)  # so that two clients of a scheduler use other names
    while True:
        n += 1
        yield n


_numbers = _count()


@contextmanager
def connected(cluster: Any, device: str = CPU) -> Iterator[Cluster | None]:
    """The cluster for a ``cluster`` parameter: the address of a scheduler, a number of processes, or a client.

    What is opened here is closed at the end. ``device`` is for the workers.
    """
    if cluster is None:
        yield None
        return
    try:
        import distributed
    except ImportError:
        raise FirthError("Working on a cluster needs Dask.", INSTALL) from None
    if isinstance(cluster, Cluster):
        yield cluster
        return
    if isinstance(cluster, distributed.Client):
        yield Cluster(lambda: cluster, device)
        return
    number = _number(cluster)
    if number is None:
        _check_address(str(cluster))
    with _quiet(), ExitStack() as opened:

        def connect() -> Any:
            client = opened.enter_context(_started(number) if number else _joined(str(cluster)))
            _tell(client)
            return client

        yield Cluster(connect, device)


def _number(cluster: Any) -> int | None:
    """The number of processes to start, or None for an address."""
    if isinstance(cluster, str) and "://" in cluster:
        return None
    try:
        number = int(cluster)
    except (TypeError, ValueError):
        number = 0
    if isinstance(cluster, bool | float) or not 1 <= number <= _MOST_WORKERS:
        expected = f"tcp://HOST:PORT of a scheduler, or a number of processes up to {_MOST_WORKERS}"
        raise wrong_parameter("learn", "cluster", expected, cluster)
    return number


@contextmanager
def _started(number: int) -> Iterator[Any]:
    """A client of some worker processes on this machine."""
    import dask
    from distributed import Client, LocalCluster

    with ExitStack() as opened:
        with (
            progress.stage("starting workers", unit="", brief=1.0),
            dask.config.set(_WORKERS),
            _interrupted_later(),
        ):
            local = opened.enter_context(LocalCluster(
                n_workers=number, threads_per_worker=1, processes=True, host="127.0.0.1",
                dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL,
            ))  # fmt: skip
        yield opened.enter_context(Client(local))


@contextmanager
def _interrupted_later() -> Iterator[None]:
    """Let Ctrl-C take effect only after a ``with`` block, and not at all in processes started by it.

    A terminal interrupts all processes, but this one ends the others. The system hands on to them which
    signals are blocked; Windows does not.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    masks = hasattr(signal, "pthread_sigmask")
    if masks:
        resource_tracker.ensure_running()  # with the first process, it would unblock the signal
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if masks else None
    try:
        yield
    finally:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
    if came:
        signal.raise_signal(signal.SIGINT)


@contextmanager
def _joined(address: str) -> Iterator[Any]:
    """A client of a scheduler."""
    from distributed import Client

    try:
        client = Client(address, timeout=_CONNECT, set_as_default=False)
    except (OSError, TimeoutError):
        raise FirthError(
            f"There is no scheduler at {address}.",
            "Check the address, or start one: dask scheduler",
        ) from None
    try:
        yield client
    finally:
        with suppress(Exception):
            client.close(timeout=2)


def _check_address(address: str) -> None:
    """Raise an error for an address with which a client cannot begin: it would wait long for its end."""
    from distributed.comm import get_address_host_port
    from distributed.security import Security

    try:
        get_address_host_port(address, strict=True)
    except ValueError:
        raise ParameterError(
            f"{address} is not the address of a scheduler.", "It looks like tcp://HOST:PORT"
        ) from None
    known = Security().get_connection_args("client")
    if address.startswith("tls://") and not known.get("ssl_context"):
        raise ParameterError(
            f"Dask has no certificates for {address}.",
            "Name them in its configuration: distributed.comm.tls",
        )


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the log of Dask out of ours: errors are raised, and what matters is a notice."""
    loggers = [logging.getLogger(name) for name in ("distributed", "tornado", "asyncio")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


def _tell(client: Any) -> None:
    workers = progress.count_of(len(client.nthreads()), "worker")
    dashboard = client.dashboard_link
    more = f" Dashboard: {dashboard}" if dashboard else ""
    progress.remark(f"Working on {workers} of {client.scheduler.address}.{more}")
