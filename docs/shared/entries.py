"""Entries of the reference: signature, docstring and methods of public names, as Markdown.

In: a page with blocks such as "```{entry} NaiveBayes", each with a line in its own language where that is not English,
and a block "```{names}" where all of them are to be listed.
Out: the page with what the docstrings say: parameters, what comes back, errors (which the tests provoke), examples
     (which they run).
"""

import dataclasses
import inspect
import re
import textwrap
from collections.abc import Iterator
from types import ModuleType
from typing import Any, get_args, get_type_hints

NAMED = re.compile(r"^```\{entry\} (\w+)(?: (.+))?\n```$", re.MULTILINE)
LISTED = re.compile(r"^```\{names\}\n```$", re.MULTILINE)
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
FIELD = re.compile(r"^(\S.*)\n((?:    .*\n|\n(?=    ))+)", re.MULTILINE)
HEADING = re.compile(r"^\*\*(Parameters|Returns|Raises|Examples)\*\*$", re.MULTILINE)
EXAMPLE = re.compile(r"^>>> (?:.+\n)+", re.MULTILINE)
SAID_IN_CHINESE = {"Parameters": "参数", "Returns": "返回", "Raises": "错误", "Examples": "例子"}
FROM_PEERS = {"get_metadata_routing", "get_params", "set_params"}  # scikit-learn's own pages say what these do


def written_out(page: str, package: ModuleType, language: str = "en") -> str:
    page = LISTED.sub(lambda _: glance(NAMED.findall(page), package), page)
    page = NAMED.sub(lambda found: entry(found[1], getattr(package, found[1]), found[2] or ""), page)
    return HEADING.sub(lambda found: f"**{SAID_IN_CHINESE[found[1]]}**", page) if language == "zh" else page


def glance(named: list[tuple[str, str]], package: ModuleType) -> str:
    """All names of the page, each with its line."""
    rows = [f"| [`{name}`](#{name.lower()}) | {said or first_line(getattr(package, name))} |" for name, said in named]
    return "\n".join(["| | |\n|---|---|", *rows])


def first_line(thing: Any) -> str:
    return (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")


def entry(name: str, thing: Any, said: str = "") -> str:
    """The whole entry of a public name: a class with its methods, a function, or a module."""
    parts = [f"### `{name}`\n", f"{said}\n", signature(name, thing), markdown(inspect.getdoc(thing) or "")]
    inside = map(given_back, results(thing)) if inspect.isfunction(thing) else [*members(thing), *raised_inside(thing)]
    return "\n".join([*parts, *inside])


def members(thing: type | ModuleType) -> list[str]:
    """A table of the methods and attributes of a class, or of the functions of a module."""
    rows = [method_line(*each) for each in parts_of(thing)]
    return ["| | |\n|---|---|", *rows, ""] if rows else []


def raised(thing: Any) -> list[tuple[str, str]]:
    """The errors that a docstring names, each with when it is raised."""
    sections = SECTION.split(inspect.getdoc(thing) or "")
    said = dict(zip(sections[1::2], sections[2::2], strict=True)).get("Raises", "")
    return [(name, " ".join(when.split())) for name, when in FIELD.findall(said + "\n")]


def raised_inside(thing: type | ModuleType) -> list[str]:
    """The errors of methods, those that several raise for the same reason once."""
    by_reason: dict[tuple[str, str], list[str]] = {}
    for name, method in parts_of(thing):
        for reason in raised(method):
            by_reason.setdefault(reason, []).append(f"`{name}`")
    rows = [f"- `{error}` ({', '.join(names)}): {when}" for (error, when), names in by_reason.items()]
    return ["**Raises**", "", *rows, ""] if rows else []


def results(thing: Any) -> list[type]:
    """The classes of ours that a function gives back, or some of them one after the other."""
    if not inspect.isfunction(thing):
        return []
    try:
        given = get_type_hints(thing).get("return")
    except NameError:  # a type of a library that is brought in where it is needed
        return []
    every = (given, *get_args(given))
    return [each for each in every if inspect.isclass(each) and each.__module__.startswith("suffice.")]


def given_back(result: type) -> str:
    """What a class that a function gives back can tell, folded away."""
    fields = [f"`{field.name}`" for field in dataclasses.fields(result)] if dataclasses.is_dataclass(result) else []
    told = [first_line(result), "", ", ".join(name for name in fields if name[1] != "_"), ""]
    return "\n".join([f":::{{dropdown}} → `{result.__name__}`", *told, *members(result), ":::\n"])


def signature(name: str, thing: Any) -> str:
    if inspect.ismodule(thing):
        return ""
    shown = ", ".join(map(parameter, inspect.signature(thing).parameters.values()))
    lines = textwrap.fill(f"{name}({shown})", 88, subsequent_indent=" " * (len(name) + 1), break_long_words=False)
    return f"```python\n{lines}\n```\n"


def parameter(given: inspect.Parameter) -> str:
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(given.kind, "")
    return stars + given.name + ("" if given.default is given.empty else f"={given.default!r}")


def parts_of(thing: type | ModuleType) -> Iterator[tuple[str, Any]]:
    """Methods and attributes of a class; functions of a module that says which are for users."""
    if inspect.isclass(thing):
        return methods_of(thing)
    named = ((name, getattr(thing, name)) for name in getattr(thing, "__all__", ()))
    return ((name, function) for name, function in named if inspect.isfunction(function))


def methods_of(thing: type) -> Iterator[tuple[str, Any]]:
    for name, method in inspect.getmembers(thing):
        ours = not name.startswith(("_", "set_")) and name not in FROM_PEERS
        if ours and (callable(method) or isinstance(method, property)) and inspect.getdoc(method):
            yield name, method


def method_line(name: str, method: Any) -> str:
    """One line of the table of methods and attributes."""
    given = [] if isinstance(method, property) else [n for n in inspect.signature(method).parameters if n != "self"]
    call = "" if isinstance(method, property) else f"({', '.join(given)})"
    return f"| `{name}{call}` | {first_line(method)} |"


def markdown(docstring: str) -> str:
    """A docstring with its sections as bold lines, its parameters as a list, its examples as code."""
    text = EXAMPLE.sub(lambda found: f"```python\n{found[0]}```\n", docstring + "\n")
    return SECTION.sub(lambda found: f"**{found[1]}**\n", FIELD.sub(field, text))


def field(found: re.Match[str]) -> str:
    said = inspect.cleandoc(found[2])
    name, _, kind = found[1].partition(" : ")
    return f"- `{name}`{f' ({kind})' if kind else ''}: " + said.replace("\n", "\n  ") + "\n"
