"""``python -m tests.torture``: every failure of every stage, and random kills, until something is lost.

For each stage, the first system call fails, then only the second, and so on; then the same with the
allocations of memory. Then processes are killed at random moments. After each failure the model must
be the old or the new one, whole, with nothing left behind, and the stage must be able to run again.
All of it takes hours; with ``--seconds`` a random sample is tried.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import signal
import sys
import time
import traceback
from collections.abc import Iterator

from tests.faults import STAGES, Workshop

KILLS = 200


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("--seconds", type=float, help="for how long (default: all failures)")
    parser.add_argument("--kills", type=int, default=KILLS, help=f"how many (default: {KILLS})")
    parser.add_argument("--stage", action="append", choices=STAGES, help="only this one")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the random choices")
    options = parser.parse_args()
    random_ = random.Random(options.seed)
    print(f"seed {options.seed}", flush=True)
    stages = options.stage or list(STAGES)
    logging.getLogger("firth").setLevel(logging.ERROR)
    with Workshop.temporary() as workshop:
        for stage in stages:
            workshop.clean(stage)
        began = time.monotonic()
        n_kills = kill_processes(
            workshop, stages, options.kills, random_, (options.seconds or 1e9) / 2
        )
        print(f"{n_kills} processes killed: nothing lost", flush=True)
        cases = list(_failures(workshop, stages))
        if options.seconds:
            random_.shuffle(cases)
        done = n_wrong = 0
        for stage, at, memory in cases:
            if options.seconds and time.monotonic() - began > options.seconds:
                break
            try:
                workshop.fail(stage, at, memory)
            except Exception:  # noqa: BLE001  all are shown
                n_wrong += 1
                what = "allocation" if memory else "call"
                print(f"{stage}, {what} {at}:\n{traceback.format_exc(limit=-4)}", flush=True)
            done += 1
            if done % 500 == 0:
                print(f"{done:,} of {len(cases):,} failures", flush=True)
    told = f"{n_wrong:,} of them wrong" if n_wrong else "nothing lost"
    print(f"{done:,} of {len(cases):,} failures: {told}", flush=True)
    return 1 if n_wrong else 0


def _failures(workshop: Workshop, stages: list[str]) -> Iterator[tuple[str, int, bool]]:
    """All failures: the stage, the number of the call, and whether it allocates memory."""
    for stage in stages:
        _, calls, allocations = workshop.clean(stage)
        yield from ((stage, at, False) for at in range(calls))
        yield from ((stage, at, True) for at in range(allocations))


def kill_processes(
    workshop: Workshop, stages: list[str], n: int, random_: random.Random, seconds: float
) -> int:
    """Kill processes, each in a stage at a random moment; returns how many there was time for."""
    end = time.monotonic() + seconds
    durations: dict[str, float] = {}
    for i in range(n):
        if time.monotonic() > end:
            return i
        stage = stages[i % len(stages)]
        if stage not in durations:
            workshop.fresh()
            durations[stage] = _run(workshop, stage, None)
        after = durations[stage] * random_.random()
        workshop.fresh()
        _run(workshop, stage, after)
        with workshop.own_temporary_folder():
            workshop.check(stage, f"{stage}, killed after {1000 * after:.0f} ms", killed=True)
    return n


def _run(workshop: Workshop, stage: str, kill_after: float | None) -> float:
    """Run a stage in a process of its own, and kill it after some seconds; returns how long it ran.

    A process that is forked need not load the kernels, so most kills hit the stage itself.
    """
    begin = time.monotonic()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            with workshop.own_temporary_folder():
                STAGES[stage](workshop.inputs, workshop.work)
            status = 0
        finally:
            os._exit(status)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    assert kill_after is not None or status == 0, f"{stage} failed"
    return time.monotonic() - begin


if __name__ == "__main__":
    sys.exit(main())
