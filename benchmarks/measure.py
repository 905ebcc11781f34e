"""Time and memory of one task, of ours and of the peer's, in the same run; and what the machine itself can do."""

import ctypes
import gc
import multiprocessing
import os
import platform
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
from tasks import TASKS

from suffice import arrays, threads

TURN = 0.2  # seconds that a turn lasts at least, and that the machine rests before it
STATUS = Path("/proc/self/status")


def measured(name, share=1.0, repeats=5):
    """A row of the table: each side timed in turn in one process, its memory in a process of its own."""
    task = TASKS[name]
    if task.forks:
        task.data(share)  # kept, and seen by the processes below
    seconds, difference = alone(_timed, name, share, repeats)
    memory = {side: alone(_peak, name, share, side) for side in ("theirs", "ours")}
    return {
        "task": name,
        "peer": task.peer,
        "theirs": seconds["theirs"],
        "ours": seconds["ours"],
        "ratio": seconds["theirs"] / seconds["ours"],
        "target": task.target,
        "memory": memory,
        "difference": difference,
    }


def best(work, repeats):
    """The best time of a few runs, and what the last one gave."""
    [found] = best_in_turn([work], repeats)
    return found


def best_in_turn(works, repeats):
    """The same of several works that take turns, so that all of them meet the machine in its good and bad moments."""
    found = [(np.inf, None)] * len(works)
    for _ in range(repeats):
        for i, work in enumerate(works):
            time.sleep(TURN)  # the threads of the one before go on spinning for a while
            end = time.perf_counter() + TURN
            while True:
                start = time.perf_counter()
                result = work()
                now = time.perf_counter()
                found[i] = min(found[i][0], now - start), result
                if now > end:
                    break
    return found


def alone(work, *arguments):
    """What the work gives in a process of its own, forked from one that has never run a task."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:  # which says so if the process dies
        return pool.submit(work, *arguments).result()


def _timed(name, share, repeats):
    task = TASKS[name]
    data = task.data(share)
    works = {side: getattr(task, side)(data) for side in ("theirs", "ours")}
    works["ours"]()  # loads the compiled kernels
    turns = best_in_turn(list(works.values()), repeats)
    found = dict(zip(works, turns, strict=True))
    theirs, ours = (np.asarray(task.answer(found[side][1], data), dtype=float) for side in ("theirs", "ours"))
    apart = np.maximum(ours - theirs, 0) if task.least else np.abs(theirs - ours)
    difference = float(apart.max()) if task.agrees else None
    return {side: seconds for side, (seconds, _) in found.items()}, difference


def _peak(name, share, side):
    """Megabytes beyond input and output."""
    task = TASKS[name]
    work = getattr(task, side)(task.data(share))
    work()  # so that what stays loaded is not counted
    arrays._kept.__dict__.clear()  # but memory that is kept for the next call is
    threads._pool.cache_clear()
    gc.collect()
    time.sleep(0.1)
    ctypes.CDLL(None).malloc_trim(0)  # nor hidden in memory that the allocator has kept
    before = _resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    result = work()
    return max(0.0, _resident("VmHWM") - before - getattr(result, "nbytes", 0) / 2**20)


def _resident(which):
    return next(int(line.split()[1]) / 1024 for line in STATUS.read_text().splitlines() if line.startswith(which))


def importing(module, after, repeats):
    """Seconds to import a module once another one is there, best of several new processes.

    The first may still have to compile what an installed package has compiled.
    """
    code = f"import time, {after}; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
    command, settings = [sys.executable, "-c", code], os.environ | {"PYTHONDONTWRITEBYTECODE": ""}
    runs = [subprocess.run(command, capture_output=True, check=True, env=settings) for _ in range(repeats + 1)]
    return min(float(run.stdout) for run in runs)


def limits(cells=25_000_000):
    """What the machine can do: gigabytes read in a second, billions of operations in a matrix product."""
    return alone(_limits, cells)


def _limits(cells):
    cores = len(os.sched_getaffinity(0))
    parts = np.array_split(np.ones(cells), cores)
    with ThreadPoolExecutor(cores) as pool:
        reading, _ = best(lambda: list(pool.map(np.sum, parts)), 5)
    size = max(64, int(np.sqrt(cells) / 4))
    square = np.ones((size, size))
    multiplying, _ = best(lambda: square @ square, 5)
    return {
        "machine": f"{platform.machine()}, {cores} cores",
        "read GB/s": 8e-9 * cells / reading,
        "dgemm GFLOP/s": 2e-9 * size**3 / multiplying,
    }
