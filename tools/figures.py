"""The figures of the house: files for each folder, lengths, erased types, and how many files a call walks through.

In:  the package as it lies in src/suffice.
Out: plain tables, and RATIOS, which may only fall; tests/test_tools.py holds them. `make figures` prints them, and
     `make figures WHERE=kind_tests` the places that a figure counts.
"""

import ast
import re
import statistics
import sys
import tokenize
from collections.abc import Callable, Iterator, Sized
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).parent))
import contract  # beside this file

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "suffice"
ERASED = ("Any", "object", "cast")


@dataclass(frozen=True)
class Source:
    """One file of the package."""

    path: Path

    @property
    def folder(self) -> str:
        return str(self.path.parent.relative_to(PACKAGE.parent))

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def lines(self) -> int:
        return len(self.text.splitlines())

    @property
    def functions(self) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        nodes = ast.walk(ast.parse(self.text))
        return [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]

    @property
    def ignores(self) -> int:
        with tokenize.open(self.path) as file:
            tokens = list(tokenize.generate_tokens(file.readline))
        return sum(token.type == tokenize.COMMENT and "type: ignore" in token.string for token in tokens)


def sources() -> list[Source]:
    return [Source(path) for path in sorted(PACKAGE.rglob("*.py"))]


# types that are not stated


def annotations(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.expr]:
    """Those of the parameters and of what is returned."""
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    yield from (argument.annotation for argument in named if argument is not None and argument.annotation is not None)
    if function.returns is not None:
        yield function.returns


def names(annotation: ast.expr) -> Iterator[str]:
    """Every name in it, those within quoted types too."""
    for node in ast.walk(annotation):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"\w+", node.value)


def aliases() -> set[str]:
    """Other names that the package gives to Any."""
    nodes = [node for source in sources() for node in ast.parse(source.text).body if isinstance(node, ast.Assign)]
    mere = [node.targets for node in nodes if isinstance(node.value, ast.Name) and node.value.id == "Any"]
    return {target.id for targets in mere for target in targets if isinstance(target, ast.Name)}


def classes() -> set[str]:
    """The names of all classes of the package."""
    nodes = (node for source in sources() for node in ast.walk(ast.parse(source.text)))
    return {node.name for node in nodes if isinstance(node, ast.ClassDef)}


def hidden() -> list[str]:
    """Where a type of ours is made of Any, as in Prior[Any]: in signatures, fields, aliases and everywhere else."""
    ours, found = classes(), []
    for source in sources():
        for node in ast.walk(ast.parse(source.text)):
            generic = isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in ours
            if generic and "Any" in names(node):
                found.append(f"{source.path.relative_to(PACKAGE)}:{node.lineno} {ast.unparse(node)}")
    return found


def erased(source: Source) -> dict[str, int]:
    """How often a signature says Any or object, and how often a cast is called."""
    found = [name for function in source.functions for note in annotations(function) for name in names(note)]
    calls = [node.func for node in ast.walk(ast.parse(source.text)) if isinstance(node, ast.Call)]
    found += [call.id for call in calls if isinstance(call, ast.Name) and call.id == "cast"]
    return {name: found.count(name) for name in ERASED}


def unstated() -> int:
    return sum(sum(erased(source).values()) for source in sources())


def ignores() -> int:
    return sum(source.ignores for source in sources())


# lengths


def lengths(source: Source) -> list[tuple[int, str]]:
    """How many lines each function takes."""
    where = source.path.relative_to(PACKAGE)
    return [((f.end_lineno or f.lineno) - f.lineno + 1, f"{where}: {f.name}") for f in source.functions]


# the walk of a call


@dataclass
class Walk:
    """Which files of the package a call runs through, in turn."""

    files: list[str]

    @property
    def visited(self) -> int:
        return len(set(self.files))

    @property
    def changes(self) -> int:
        return sum(before != after for before, after in zip(self.files, self.files[1:], strict=False))


def walk(call: Callable[[], object]) -> Walk:
    """Follow a call; the walk goes on in the file of the caller where a function returns."""
    import suffice

    files: list[str] = []
    inside = str(Path(suffice.__file__).parent)

    def note(frame: FrameType | None) -> None:
        if frame is not None and (file := frame.f_code.co_filename).startswith(inside):
            files.append(file)

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event in ("call", "return"):
            note(frame if event == "call" else frame.f_back)

    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    return Walk(files)


def walks() -> dict[str, Walk]:
    """Of four calls on a small mixed table, each after a first one that has loaded what is loaded late."""
    from suffice import Mixture, NaiveBayes, leave_one_out

    table = {
        "length": [1.0, 2.0, 1.5, 3.0, 2.5, 3.5, 1.2, 2.8],
        "width": [0.3, 0.1, 0.4, 0.2, 0.5, 0.9, 0.6, 0.8],
        "colour": ["red", "blue", "red", "blue", "blue", "red", "red", "blue"],
    }
    labels = ["a", "a", "a", "b", "b", "b", "a", "b"]
    fitted = NaiveBayes().fit(table, labels)
    calls: dict[str, Callable[[], object]] = {
        "NaiveBayes().fit": lambda: NaiveBayes().fit(table, labels),
        "predict_proba": lambda: fitted.predict_proba(table),
        "leave_one_out": lambda: leave_one_out(NaiveBayes(), table, labels),
        "Mixture().fit": lambda: Mixture(2, random_state=0).fit(table),
    }
    for call in calls.values():
        call()
    return {name: walk(call) for name, call in calls.items()}


def walk_of_an_array() -> Walk:
    """The walk of a naive Bayes fit on an array of numbers, after a first one."""
    import numpy as np

    from suffice import NaiveBayes

    rows, labels = np.random.default_rng(0).normal(size=(300, 4)), np.arange(300) % 2
    NaiveBayes().fit(rows, labels)
    return walk(lambda: NaiveBayes().fit(rows, labels))


# what may only fall


@dataclass(frozen=True)
class Ratio:
    """A figure of the house, and where it may be at most."""

    what: str
    of: Callable[[], int | Sized]  # a number, or the places to be counted
    most: int | None = None  # what it is now, to be lowered when the figure falls; lines are not held

    @property
    def found(self) -> int:
        found = self.of()
        return found if isinstance(found, int) else len(found)


READS_ROWS = (
    *(f"data/{name}.py" for name in ("rows", "batches", "files", "passing", "weights", "labels")),
    *(f"model/{name}.py" for name in ("collect", "folds", "validate", "em/streamed", "em/parts", "em/hidden")),
    *(f"engines/{name}" for name in ("collect", "exact_text", "lazy_rows", "moments_there", "sums_there")),
)
RATIOS = {
    "unstated": Ratio("Any, object and cast in signatures and calls", unstated, 352),
    "hidden": Ratio("Any within a type of ours", hidden, 0),
    "ignores": Ratio("type: ignore", ignores, 6),
    "reached_into": Ratio(
        "another object's underscore names in learn/ and all rooms above it",
        contract.reached_into,
        0,
    ),
    "type_tests": Ratio("isinstance on concrete classes of families/ elsewhere", contract.type_tests, 8),
    "kind_tests": Ratio("comparisons with single kinds, but where kinds are made", contract.kind_tests, 23),
    "files_of_fit": Ratio("files of NaiveBayes().fit on an array", lambda: walk_of_an_array().visited, 50),
    "changes_of_fit": Ratio("changes of file of the same", lambda: walk_of_an_array().changes, 577),
    "chain": Ratio("files in the longest chain of imports", contract.longest_chain, 40),
    "cycle": Ratio("files in the longest cycle of imports, those of types included", contract.longest_cycle, 0),
    "homes": Ratio("names of types with two homes", contract.homes, 51),
    "leaning": Ratio("docstrings that begin with a preposition or a relative word", contract.leaning, 693),
    "estimators": Ratio("lines of estimators/", lambda: contract.lines("estimators/"), 5000),
    "row_access": Ratio("lines of row access", lambda: contract.lines(*READS_ROWS)),
    "transforms": Ratio("lines of transforms.py", lambda: contract.lines("transforms.py")),
}


# printing


def print_table(heading: tuple[str, ...], rows: list[tuple[object, ...]]) -> None:
    texts = [heading, *(tuple(map(str, row)) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    for text in texts:
        first, *others = zip(text, widths, strict=True)
        print("  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]))
    print()


def print_folders(files: list[Source]) -> None:
    folders = sorted({source.folder for source in files})
    rows: list[tuple[object, ...]] = []
    for folder in folders:
        here = [source for source in files if source.folder == folder]
        counts = [erased(source) for source in here]
        rows.append((folder, len(here), sum(s.lines for s in here), *(sum(c[n] for c in counts) for n in ERASED)))
    totals = [sum(int(str(row[i])) for row in rows) for i in range(1, 6)]
    print_table(("folder", "files", "lines", *ERASED), [*rows, ("all", *totals)])


def print_lengths(files: list[Source]) -> None:
    whole = sorted((source.lines, str(source.path.relative_to(PACKAGE))) for source in files if source.lines)
    functions = sorted(length for source in files for length in lengths(source))
    rows: list[tuple[object, ...]] = [
        (name, int(statistics.median(length for length, _ in each)), *each[-1])
        for name, each in (("file", whole), ("function", functions))
    ]
    print_table(("lines of a", "median", "largest", "which"), rows)


def print_ratios() -> None:
    rows = [(name, ratio.found, ratio.most or "", ratio.what) for name, ratio in RATIOS.items()]
    print_table(("may only fall", "now", "at most", "what"), list(rows))


def main(where: str = "") -> None:
    if where:
        print(*getattr(contract, where)(), sep="\n")
        return
    files = sources()
    print_folders(files)
    print_lengths(files)
    print_table(("call", "files", "changes"), [(name, w.visited, w.changes) for name, w in walks().items()])
    print_ratios()


if __name__ == "__main__":
    main(*sys.argv[1:])
