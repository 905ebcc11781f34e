"""How fast each compiled kernel is beside one core's matrix product, compiled for several processors.

`make bench-kernels` prints it. A kernel far below the others, or below itself under another name, is one that some
compiler does not do in lanes. Instructions are those of this machine; what differs is what the compiler believes to be
quick (NUMBA_CPU_NAME). For instructions that this machine may not have, the code is read instead of run.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

CELLS = 1 << 19  # of a table: more than near caches hold, as in life
SHAPES = ((10, 10), (50, 20), (63, 3))  # columns and components
PROCESSORS = ("", "znver4", "skylake-avx512", "haswell")  # the first is this one
WIDE = "+fma,+bmi,+bmi2,+avx,+avx2,+avx512f,+avx512vl,+avx512bw,+avx512dq,+avx512cd"  # the longest registers there are
ONE_BY_ONE = re.compile(r"\bv\w*(?:gather|scatter)\w*")  # instructions that collect numbers or strew them
IN_LANES = re.compile(r"\bv(?:fn?m|add|sub|mul)\w*pd\b.*%[yz]mm")


def works(columns, components, rng):
    """Of each kernel the operations that its formula has, so that padding counts as lost time, and its arguments."""
    from suffice.kernels.distances import Roots, lifted_rows
    from suffice.kernels.words import SMALL

    rows, lifted = CELLS // columns, lifted_rows(columns)
    cells, triangle = rows * columns, rows * (columns + 1) * (columns + 2)
    x, z = rng.normal(size=(rows, columns)), rng.normal(size=(lifted, rows))
    centre, means, scales = rng.normal(size=columns), *rng.uniform(1, 2, (2, components, columns))
    labels, weights, shares = rng.integers(0, components, rows), rng.random(rows), rng.random((rows, components))
    roots = Roots(centre, np.triu(rng.normal(size=(components, columns, columns))), means)
    into, level = np.pad(roots.roots[0], ((0, -columns % 4), (0, 0))), rng.normal(size=components)
    sums, squares, mass = np.zeros((3, components, columns))
    codes, bounds = rng.integers(0, 10, (rows, columns)), 10 * np.arange(columns + 1)
    table = rng.normal(size=(11 * columns, -(-components // 4) * 4))
    counts, starts, ones = np.zeros((components, 10 * columns)), columns * np.arange(rows + 1), np.ones(cells)
    together = np.zeros((components, 10 * columns, 10 * columns))
    every, sizes = np.arange(columns), np.full(columns, 10)
    tree = (sizes, every - 1, 121 * every, -1, rng.normal(size=(121 * columns, table.shape[1])))
    places = np.cumsum(np.bincount(labels + 1, minlength=components + 1))[:-1]
    down, across = np.empty((rows, components)), np.empty((components, rows))
    odd = np.zeros(rows, dtype=bool)
    pairs = np.zeros((10 * columns + 1, components)), np.empty((columns, rows, components))
    pooled = np.ones((6, columns)) * [[rows], [0.0], [rows], [2.0 * rows], [0.0], [0.0]]
    columns_of_all = (scales * rows / components, means, scales * rows / components, *pooled)
    return {
        "scaled_across": (2 * cells, (x, centre, scales[0], x.T.copy())),
        "turned_across": (triangle, (x, centre, into, x.T.copy())),
        "triangular_across": (components * triangle, (z, roots._lifted, level, across)),
        "triangular_rows": (components * triangle, (x, centre, roots._lifted, down)),
        "products": (components * triangle, (z, shares.T.copy(), np.zeros((components, lifted, lifted)))),
        "distances": (4 * components * cells, (x, means, scales, down)),
        "tails": (4 * components * cells, (x, means, scales, np.ones_like(scales), down)),
        "linear": (3 * components * cells, (x, centre, means, down)),
        "exponentials": (20 * CELLS, (-rng.exponential(30.0, CELLS),)),
        "softened": (25 * components * rows, (shares.T.copy(), weights)),
        "hard_complete": (6 * cells, (x, labels, weights, means, sums, squares)),
        "hard_holed": (7 * cells, (x, labels, weights, means, mass, sums, squares)),
        "soft_complete": (6 * components * cells, (x, shares, means, sums, squares)),
        "soft_holed": (7 * components * cells, (x, shares, means, mass, sums, squares)),
        "dealt": (4 * cells, (x, labels, weights, means, places, x.copy(), sums)),
        "centred": (2 * cells, (x, rng.permutation(rows), weights, centre, x.copy())),
        "hard_counts": (cells, (codes, bounds, labels, weights, counts)),
        "pair_counts": (cells * (columns + 1) // 2, (codes, bounds, labels, weights, together)),
        "soft_counts": (components * cells, (codes, bounds, shares, counts.T.copy())),
        "own_shares": (2 * cells, (codes, bounds, labels, weights, counts + 9, mass + 90, weights.copy(), odd)),
        "gaussian_left_out": (
            17 * components * cells,
            (x, labels, weights, *columns_of_all, 4.0, 4.0, False, down, odd),
        ),
        "look_up": (components * cells, (codes, bounds, -1, table, np.empty((rows, table.shape[1])))),
        "look_up_pairs": (
            components * cells * columns,
            (codes + bounds[:-1], np.zeros((10 * columns + 1, 11 * columns + 1, components + components % 2)), *pairs),
        ),
        "look_up_given": (components * cells, (codes, *tree, np.empty((rows, table.shape[1])))),
        "along": (6 * components * cells, (x, centre, every, every[::-1].copy(), *([means.T.copy()] * 4), down)),
        "hard_words_and_rows": (
            3 * cells,
            (starts, codes.ravel(), ones, labels, weights, weights, np.zeros((*counts.shape, 2))),
        ),
        "coordinate_pass": (
            4 * cells,
            (
                starts,
                codes.ravel(),
                ones,
                *(np.ones((3, rows))),
                rng.permutation(rows),
                0 * weights,
                np.zeros(10),
                0.1,
                1.0,
            ),
        ),
        "log_coefficients": (2 * cells, (starts, ones, SMALL, down[:, :1].copy())),
    }


def rates(columns, components, seconds):
    """Billions of operations in a second; of a matrix product first."""
    from suffice.kernels import compiled
    from suffice.threads import blas_alone

    square = np.ones((512, 512))
    with blas_alone():
        found = {"dgemm": 2e-9 * len(square) ** 3 / best(np.matmul, (square, square), seconds)}
        for name, (operations, arguments) in works(columns, components, np.random.default_rng(0)).items():
            found[name] = 1e-9 * operations / best(getattr(compiled, name), arguments, seconds)
    return found


def best(kernel, arguments, seconds):
    """The least time of runs for so long, each with its own arguments: some are written to."""
    times, end = [], time.perf_counter() + seconds
    while len(times) < 2 or time.perf_counter() < end:  # the first run compiles
        fresh = [np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments]
        start = time.process_time()
        kernel(*fresh)
        times.append(time.process_time() - start)
    return min(times)


def code():
    """Of each kernel how many instructions take numbers one by one to or from where they lie, and how many in lanes."""
    from numba import typeof

    from suffice.kernels import compiled

    found = {}
    for name, (_, arguments) in works(10, 3, np.random.default_rng(0)).items():
        kernel = getattr(compiled, name)
        kernel.compile(tuple(map(typeof, arguments)))
        [text] = kernel.inspect_asm().values()
        found[name] = {"one by one": len(ONE_BY_ONE.findall(text)), "in lanes": len(IN_LANES.findall(text))}
    return found


def elsewhere(answer, *numbers, processor, **settings):
    """What `rates` or `code` find in a new process, in which kernels are compiled for a processor of that name."""
    named = {"NUMBA_CPU_NAME": processor} if processor else {}
    command = [sys.executable, __file__, "--answer", answer, *map(str, numbers)]
    run = subprocess.run(command, env=os.environ | named | settings, check=True, capture_output=True)
    return json.loads(run.stdout)


def code_for(processor, features=WIDE):
    with tempfile.TemporaryDirectory() as empty:  # code that was kept cannot be read
        return elsewhere("code", processor=processor, NUMBA_CPU_FEATURES=features, NUMBA_CACHE_DIR=empty)


def lines(shape, found):
    """A Markdown table; a kernel below half of what it is under the best name is marked."""
    yield f"\n{shape[0]} columns, {shape[1]} components: GFLOP/s of one core\n"
    yield "| kernel | " + " | ".join(name or "this one" for name in found) + " |"
    yield "|---" * (len(found) + 1) + "|"
    for kernel in next(iter(found.values())):
        speeds = [by_kernel[kernel] for by_kernel in found.values()]
        cells = (f"{speed:.2f}{' **!**' if speed < max(speeds) / 2 else ''}" for speed in speeds)
        yield f"| {kernel} | " + " | ".join(cells) + " |"


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processors", nargs="*", default=PROCESSORS, help="names that LLVM knows")
    parser.add_argument("--shapes", type=json.loads, default=SHAPES, help="[[columns, components], …]")
    parser.add_argument("--seconds", type=float, default=0.1, help="for each kernel")
    options = parser.parse_args(arguments)
    for shape in options.shapes:
        found = {name: elsewhere("rates", *shape, options.seconds, processor=name) for name in options.processors}
        print("\n".join(lines(shape, found)), flush=True)
    for name in filter(None, options.processors):
        slow = [kernel for kernel, counts in code_for(name).items() if counts["one by one"]]
        print(f"\nFor {name} with AVX-512, numbers are collected one by one in: {', '.join(slow) or 'no kernel'}")


if __name__ == "__main__":
    if "--answer" in sys.argv:
        answer, *numbers = sys.argv[2:]
        print(json.dumps({"rates": rates, "code": code}[answer](*map(json.loads, numbers))))
    else:
        main()
