"""What the parts of the package know of each other: classes and kinds asked for by name, underscores, imports, words.

In:  the files of the package, parsed.
Out: places, "file:line text", which tools/figures.py counts.
"""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "suffice"
CONTRACT = {"Family", "Statistics", "Density", "Prior"}
ABSTRACT = tuple(
    f"families/{file}.py" for file in ("distributions", "protocol", "capabilities", "summable", "charts")
)  # the contract
DECLARED = {"BINARY", "IGNORE"}  # may be declared, but are no kinds of their own
KINDS = ("data/kinds.py", "families/kinds.py")  # where kinds are made, and may be called by name
LEADING = re.compile(  # words that a sentence without a subject begins with
    r"(?i)(about|above|across|after|against|along|among|around|as|at|before|behind|below|beneath|beside|besides|between|"
    r"beyond|by|down|during|for|from|how|if|in|inside|into|like|near|of|off|on|once|onto|out|outside|over|past|per|"
    r"since|than|that|through|throughout|till|to|toward|towards|under|underneath|unless|until|up|upon|what|"
    r"whatever|when|whence|where|whereas|wherever|whether|which|whichever|while|who|whoever|whom|whose|why|with|"
    r"within|without)\b"
)


@cache
def parsed() -> dict[str, ast.Module]:
    """Every file of the package, by its path."""
    files = sorted(PACKAGE.rglob("*.py"))
    return {str(file.relative_to(PACKAGE)): ast.parse(file.read_text(encoding="utf-8")) for file in files}


def spot(path: str, node: ast.AST) -> str:
    return f"{path}:{getattr(node, 'lineno', 0)} {ast.unparse(node)}"


def mentioned(node: ast.AST) -> set[str]:
    """The names that an expression speaks of, whether as `Moments` or as `records.Moments`."""
    loose = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return loose | {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}


# classes asked for by name


def bases(definition: ast.ClassDef) -> set[str]:
    return {name for base in definition.bases for name in mentioned(base)}


@cache
def concrete() -> frozenset[str]:
    """Classes of families/ that keep the contract, and names for several of them; not those of the contract itself."""
    rooms = [tree for path, tree in parsed().items() if path.startswith("families/")]
    classes = {node.name: bases(node) for tree in rooms for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    stated = {name for path in parsed() if path in ABSTRACT for name in _names_in(path)}
    contract = _grown(CONTRACT, {name: classes[name] for name in stated})
    ours = _grown(contract, classes)
    several = {node.targets[0]: node.value for tree in rooms for node in tree.body if isinstance(node, ast.Assign)}
    named = {target.id for target, value in several.items() if isinstance(target, ast.Name) and mentioned(value) & ours}
    return frozenset((ours | named) - contract)


def _names_in(path: str) -> set[str]:
    return {node.name for node in parsed()[path].body if isinstance(node, ast.ClassDef)}


def _grown(known: set[str], classes: dict[str, set[str]]) -> set[str]:
    """Those known, and all that are made of them."""
    more = known | {name for name, above in classes.items() if above & known}
    return known if more == known else _grown(more, classes)


def asked(node: ast.AST) -> ast.AST | None:
    """The classes that an `isinstance` or a case asks for."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
        return node.args[1]
    return node.cls if isinstance(node, ast.MatchClass) else None


def everywhere(but: Callable[[str], bool]) -> Iterator[tuple[str, ast.Module, ast.AST]]:
    """The path and the tree of each file, with every node of it; but for some of the files."""
    for path, tree in parsed().items():
        if not but(path):
            yield from ((path, tree, node) for node in ast.walk(tree))


def type_tests() -> list[str]:
    """Places outside families/ that ask whether something is of a concrete class of families/."""
    nodes = everywhere(but=lambda path: path.startswith("families/"))
    pairs = ((path, node, asked(node)) for path, _, node in nodes)
    return [spot(path, node) for path, node, wanted in pairs if wanted is not None and mentioned(wanted) & concrete()]


# kinds asked for by name


@cache
def kind_names() -> frozenset[str]:
    """The constants of data/kinds.py that are names of kinds, and names of several."""
    found: set[str] = set()
    for node in parsed()["data/kinds.py"].body:
        if isinstance(node, ast.Assign) and any(map(str.isupper, mentioned(node.targets[0]))):
            text = all(isinstance(part.value, str) for part in ast.walk(node.value) if isinstance(part, ast.Constant))
            found |= mentioned(node.targets[0]) if text and isinstance(node.value, ast.Tuple | ast.Constant) else set()
    return frozenset(found) - DECLARED


def kind_tests() -> list[str]:
    """Comparisons that name a kind, outside the two files where kinds are made."""
    nodes = everywhere(but=lambda path: path in KINDS)
    found = ((path, tree, node) for path, tree, node in nodes if isinstance(node, ast.Compare))
    return [spot(path, node) for path, tree, node in found if mentioned(node) & (kind_names() | _aliases(tree))]


def _aliases(tree: ast.Module) -> set[str]:
    """Other names that a file gives to kinds, as in NUMERIC = (GAUSSIAN, JOINT)."""
    given = [
        node for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple | ast.Name)
    ]
    return {name for node in given if mentioned(node.value) & kind_names() for name in mentioned(node.targets[0])}


# what belongs to others


ABOVE = ("learn/", "judge/", "estimators/", "plots/", "pages/", "cli/", "examples/")  # what takes models and recipes


def reached_into() -> list[str]:
    """Underscore names of another object, above the models themselves."""
    found = []
    for path, tree in parsed().items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute) or not node.attr.startswith("_") or node.attr.endswith("__"):
                continue
            own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            own = own or (isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "super")
            if path.startswith(ABOVE) and not own:
                found.append(spot(path, node))
    return found


# words


def homes() -> Counter[str]:
    """The names of classes and types that are made in several places, and in how many."""
    made: Counter[str] = Counter()
    for tree in parsed().values():
        made.update(node.name for node in tree.body if isinstance(node, ast.ClassDef))
        for node in tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript | ast.BinOp):
                made.update(t.id for t in node.targets if isinstance(t, ast.Name) and re.match("[A-Z][a-z]", t.id))
    return Counter({name: times for name, times in made.items() if times > 1 and not name.startswith("_")})


def docstrings() -> Iterator[tuple[str, str]]:
    """The place and the first line of each docstring, but for those of files."""
    for path, tree in parsed().items():
        for node in ast.walk(tree):
            defined = isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            if defined and (said := ast.get_docstring(node)):
                yield f"{path}:{node.lineno}", said.splitlines()[0]


def leaning() -> list[str]:
    """Docstrings that begin with a preposition or a relative word, so that a reader must guess what they speak of."""
    return [f"{where} {text}" for where, text in docstrings() if LEADING.match(text)]


# imports


def imports(path: str, typing: bool) -> Iterator[str]:
    """The modules of ours that a file names as it is loaded, and with `typing` those that only type checkers load."""
    for node in _loaded(parsed()[path].body, typing):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("suffice"):
            for name in node.names:
                if found := _file_of(f"{node.module}.{name.name}") or _file_of(node.module or ""):
                    yield found
        elif isinstance(node, ast.Import):
            yield from filter(None, (_file_of(name.name) for name in node.names))


def _loaded(body: list[ast.stmt], typing: bool) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in mentioned(node.test):
            yield from node.body if typing else ()
        else:
            yield node


def _file_of(module: str) -> str | None:
    path = "/".join(module.split(".")[1:])
    return next((found for found in (f"{path}.py", f"{path}/__init__.py") if path and found in parsed()), None)


def graph(typing: bool) -> dict[str, set[str]]:
    """The files that each file imports."""
    return {path: set(imports(path, typing)) - {path} for path in parsed()}


def cycles(typing: bool = True) -> list[set[str]]:
    """Sets of files of which each comes to every other."""
    edges = graph(typing)
    reach = {path: _reached(edges, path) for path in edges}
    rings = {frozenset(b for b in reach[a] if a in reach[b]) for a in edges}
    return sorted((set(ring) for ring in rings if len(ring) > 1), key=lambda ring: (-len(ring), sorted(ring)))


def _reached(edges: dict[str, set[str]], start: str) -> set[str]:
    waiting, found = [start], set[str]()
    while waiting:
        new = edges[waiting.pop()] - found
        found |= new
        waiting.extend(new)
    return found


def longest_cycle() -> int:
    """The number of files in the longest cycle, counting what only type checkers load."""
    return max(map(len, cycles()), default=0)


def longest_chain() -> int:
    """The number of files in the longest line of which each loads the next."""
    edges = graph(typing=False)

    @cache
    def length(path: str) -> int:
        return 1 + max((length(other) for other in edges[path]), default=0)

    return max(map(length, edges))


# lines


def lines(*starts: str) -> int:
    """The lines of all files whose path begins so."""
    files = (PACKAGE / path for path in parsed() if path.startswith(starts))
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)
