"""Entries of the reference: signature, docstring and methods of public names, as Markdown.

In: a page with blocks such as "```{entry} NaiveBayes", with a line in its language where that is not English, and a block
"```{names}" where all of them are to be listed.
Out: the page with what the docstrings say: parameters, what comes back, examples (which the tests run).
"""

import inspect
import re
import textwrap
from collections.abc import Iterator
from types import ModuleType
from typing import Any

NAMED = re.compile(r"^```\{entry\} (\w+)(?: (.+))?\n```$", re.MULTILINE)
LISTED = re.compile(r"^```\{names\}\n```$", re.MULTILINE)
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
FIELD = re.compile(r"^(\S.*)\n((?:    .*\n|\n(?=    ))+)", re.MULTILINE)
EXAMPLE = re.compile(r"^>>> (?:.+\n)+", re.MULTILINE)
FROM_PEERS = {"get_metadata_routing", "get_params", "set_params"}  # scikit-learn's own pages say what these do


def written_out(page: str, package: ModuleType) -> str:
    page = LISTED.sub(lambda _: glance(NAMED.findall(page), package), page)
    return NAMED.sub(lambda found: entry(found[1], getattr(package, found[1]), found[2] or ""), page)


def glance(named: list[tuple[str, str]], package: ModuleType) -> str:
    """All names of the page, each with its line."""
    rows = [f"| [`{name}`](#{name.lower()}) | {said or first_line(getattr(package, name))} |" for name, said in named]
    return "\n".join(["| | |\n|---|---|", *rows])


def first_line(thing: Any) -> str:
    return (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")


def entry(name: str, thing: Any, said: str = "") -> str:
    """The whole entry of a public name: a class with its methods, a function, or a module."""
    methods = [method_line(*each) for each in methods_of(thing)] if inspect.isclass(thing) else []
    table = ["| | |\n|---|---|", *methods] if methods else []
    return "\n".join(
        [f"### `{name}`\n", f"{said}\n", signature(name, thing), markdown(inspect.getdoc(thing) or ""), *table]
    )


def signature(name: str, thing: Any) -> str:
    if inspect.ismodule(thing):
        return ""
    shown = ", ".join(map(parameter, inspect.signature(thing).parameters.values()))
    lines = textwrap.fill(f"{name}({shown})", 88, subsequent_indent=" " * (len(name) + 1), break_long_words=False)
    return f"```python\n{lines}\n```\n"


def parameter(given: inspect.Parameter) -> str:
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(given.kind, "")
    return stars + given.name + ("" if given.default is given.empty else f"={given.default!r}")


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
