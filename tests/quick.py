"""Which tests `pytest --quick` runs: every test function, most of them with fewer cases.

In:  ids of test cases, in the order in which they were collected; tests/slow.txt.
Out: the ids that stay.

Of n cases of one function about √2n stay. Each next one brings as many new parts as any could, where parts of an id are
what stands between hyphens or colons (a family, a kind, a model, a path, a law): a law over families and models soon
has each of them. Where so few cases cannot hold every part, other functions have the rest, as each begins at a place
of its own, which its name decides. So the choice is the same every time, and a new test takes part by itself.

Functions named in tests/slow.txt stay out: they take more than 0.25 s of a processor even so. `make test-quick`
ends with the ten slowest tests that took part.
"""

import re
from collections.abc import Iterable, Iterator
from math import isqrt
from pathlib import Path
from zlib import crc32

SLOW = Path(__file__).with_name("slow.txt")


def slow() -> set[str]:
    """The functions that take seconds, as tests/slow.txt names them."""
    return {line for line in SLOW.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")}


def chosen(cases: Iterable[str]) -> set[str]:
    """The cases that stay, of all functions that are not slow."""
    functions: dict[str, list[str]] = {}
    for case in cases:
        functions.setdefault(function_of(case), []).append(case)
    return {case for name in functions.keys() - slow() for case in some(name, functions[name])}


def function_of(case: str) -> str:
    return case.partition("[")[0]


def parts(case: str) -> frozenset[tuple[int, str]]:
    """What stands between hyphens and colons of an id, each with its place: [numpy-gamma: Parts add up] has three."""
    return frozenset(enumerate(re.split(r"-|: ", case.partition("[")[2].removesuffix("]"))))


def some(name: str, cases: list[str]) -> Iterator[str]:
    """About √2n of the n cases of a function, each with as many new parts as possible, from a place of its own."""
    start = crc32(name.encode()) % len(cases)
    left = {case: parts(case) for case in cases[start:] + cases[:start]}
    missing = frozenset().union(*left.values())
    for _ in range(isqrt(2 * len(cases) - 1)):
        best = max(left, key=lambda case: len(left[case] & missing))
        missing -= left.pop(best)
        yield best
