"""How many small faults the tests notice: mutants drawn by seed, each run against the tests that reach its line.

    python tools/mutants.py src/suffice/families src/suffice/model --count 300 --seed 0 --minutes 60 --tests tests

By hand, not in CI. The tests run once under coverage, which tells which tests reach which line; then each mutant (a
comparison, sign, number, truth value or connective changed in one place) is written into a copy of the tree, and those
tests are run until one fails. Prints the share of mutants killed, and the survivors: lines whose change no test saw.
"""

import argparse
import ast
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

from coverage.numbits import numbits_to_nums

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("src", "tests", "docs", "benchmarks", "tools", "README.md", "CHANGELOG.md", "pyproject.toml", "Makefile")
PAIRS: tuple[tuple[type[ast.AST], type[ast.AST]], ...] = (
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn)),
    *((ast.And, ast.Or), (ast.Add, ast.Sub), (ast.Mult, ast.Div)),
)
OTHER = dict([*PAIRS, *((b, a) for a, b in PAIRS)])
SILENT = (ast.JoinedStr, ast.Raise, ast.Import, ast.ImportFrom)  # texts, and what only texts are made of
MOST_TESTS = 60  # those that reach fewest lines come first: they are about the line
SECONDS = 300  # a mutant that runs longer has been noticed


@dataclass(frozen=True)
class Mutant:
    path: Path  # from the root
    line: int
    before: str
    after: str
    source: str  # of the whole file


def mutants(path: Path) -> Iterator[Mutant]:
    """Every mutant of a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for number, (node, change) in enumerate(_places(tree)):
        mutated = deepcopy(tree)
        there = list(_places(mutated))[number][0]
        _put(there, change)
        before, after = ast.unparse(node), ast.unparse(there)
        yield Mutant(path.relative_to(ROOT), node.lineno, before, after, ast.unparse(mutated))


def _places(node: ast.AST) -> Iterator[tuple[ast.expr, object]]:
    """Expressions that can be changed, each with what to put there; annotations and texts are left alone."""
    match node:
        case ast.Compare(ops=[op]) | ast.BinOp(op=op) | ast.BoolOp(op=op) if type(op) in OTHER:
            yield node, OTHER[type(op)]()
        case ast.Constant(value=bool(value)):
            yield node, not value
        case ast.Constant(value=int(value) | float(value)):
            yield node, value + 1
    for name, field in ast.iter_fields(node):
        if name in ("annotation", "returns", "op", "ops") or isinstance(node, SILENT):
            continue
        for child in field if isinstance(field, list) else [field]:
            if isinstance(child, ast.AST):
                yield from _places(child)


def _put(node: ast.expr, change: object) -> None:
    if isinstance(node, ast.Compare):
        node.ops = [change]
    elif isinstance(node, ast.Constant):
        node.value = change
    else:
        node.op = change


def reached(place: Path, tests_in: list[str]) -> dict[tuple[str, int], list[str]]:
    """(file, line) → the tests that reach it, those that reach fewest lines first; from one run of all of them."""
    settings = place / "coverage.ini"
    settings.write_text(
        f"[run]\nsource = {place / 'src'}\ndynamic_context = test_function\ndata_file = {place / 'data'}\n"
    )
    suite = ["-m", "pytest", "-q", "-p", "no:cacheprovider", *tests_in]
    first = _run(place, ["-m", "coverage", "run", f"--rcfile={settings}", *suite], seconds=None)
    if first.returncode:
        sys.exit(f"{first.stdout.decode()[-2000:]}\nThe tests fail without any mutant: mend that first (make test).")
    tests: dict[tuple[str, int], list[str]] = {}
    sizes: dict[str, int] = {}
    with sqlite3.connect(place / "data") as data:
        rows = """select path, context, numbits from line_bits
            join file on file.id = file_id join context on context.id = context_id"""
        for path, context, bits in data.execute(rows):
            if not context:  # reached while modules were imported
                continue
            lines = numbits_to_nums(bits)
            sizes[context] = sizes.get(context, 0) + len(lines)
            for line in lines:
                tests.setdefault((str(Path(path).relative_to(place)), line), []).append(context)
    return {where: sorted(names, key=sizes.__getitem__) for where, names in tests.items()}


def survives(mutant: Mutant, tests: list[str], places: "Queue[Path]") -> bool:
    """Whether every test that reaches the line passes."""
    place = places.get()
    target = place / mutant.path
    whole = target.read_text(encoding="utf-8")
    try:
        target.write_text(mutant.source, encoding="utf-8")
        command = ["-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *map(_node, tests[:MOST_TESTS])]
        return _run(place, command, SECONDS).returncode == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        target.write_text(whole, encoding="utf-8")
        places.put(place)


def _node(context: str) -> str:
    """tests.model.test_summary.test_it → tests/model/test_summary.py::test_it"""
    module, _, name = context.rpartition(".")
    return f"{module.replace('.', '/')}.py::{name}"


def _run(place: Path, command: list[str], seconds: float | None) -> "subprocess.CompletedProcess[bytes]":
    found = os.pathsep.join(filter(None, [str(place / "src"), os.environ.get("PYTHONPATH")]))
    alone = {"PYTHONPATH": found, "PYTHONDONTWRITEBYTECODE": "1"}
    alone |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, *command], cwd=place, env=os.environ | alone, timeout=seconds, capture_output=True, check=False
    )


def copied(into: Path) -> Path:
    for part in PARTS:
        source = ROOT / part
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, into / part) if source.exists() else None
    return into


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--tests", nargs="+", default=["tests"])
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    end = time.monotonic() + 60 * asked.minutes
    files = sorted(path for folder in asked.folders for path in folder.resolve().rglob("*.py"))
    every = [mutant for path in files for mutant in mutants(path)]
    drawn = random.Random(asked.seed).sample(every, min(asked.count, len(every)))
    with tempfile.TemporaryDirectory() as folder:
        first, *others = [Path(folder, str(number)) for number in range(asked.workers)]
        tests = reached(copied(_made(first)), asked.tests)
        places: Queue[Path] = Queue()
        for place in (first, *(copied(_made(other)) for other in others)):
            places.put(place)

        def judged(mutant: Mutant) -> str:
            names = tests.get((str(mutant.path), mutant.line))
            if time.monotonic() > end:
                return "not run"
            return "not reached" if not names else "survived" if survives(mutant, names, places) else "killed"

        with ThreadPoolExecutor(asked.workers) as workers:
            verdicts = dict(zip(drawn, workers.map(judged, drawn), strict=True))
    report(verdicts, len(every))


def _made(place: Path) -> Path:
    place.mkdir()
    return place


def report(verdicts: dict[Mutant, str], possible: int) -> None:
    number = {verdict: list(verdicts.values()).count(verdict) for verdict in sorted(set(verdicts.values()))}
    run = len(verdicts) - number.get("not run", 0)
    print(f"{run} of {possible} mutants: {', '.join(f'{many} {verdict}' for verdict, many in number.items())}")
    if run:
        print(f"killed: {number.get('killed', 0) / run:.0%}")
    for mutant, verdict in sorted(verdicts.items(), key=lambda item: (str(item[0].path), item[0].line)):
        if verdict in ("survived", "not reached"):
            print(f"{mutant.path}:{mutant.line}  {mutant.before}  →  {mutant.after}  ({verdict})")


if __name__ == "__main__":
    main()
