"""What commands print: data on stdout, as text or JSON; words to whoever runs them on stderr.

In:  anything with a description, or plain names and numbers. Out: lines.
"""

import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from suffice.json_text import json_text
from suffice.words import visible

if TYPE_CHECKING:
    from suffice.printing.printed import Printed


STANDARD = "-"  # input or output
UNTYPED: dict[str, str] = {}  # paths that nobody has typed, and what to call them
OPTIONS = {  # parameters that messages name, and how they are typed on the command line
    r"kinds=\{'([^']*)': 'ignore'\}": r"--ignore \1",
    r"kinds=\{'([^']*)': '([^']*)'\}": r"--kind \1=\2",
    r"kinds=\{'([^']*)': \('categorical', \[\.\.\.\]\)\}": r"--kind \1=categorical:A,B,…",
    r"kinds=\{\.\.\.: 'ignore'\}": "--ignore COLUMN",
    r"between=\(a, b\)": "--between A,B",
    r"\bdialect='(\w+)'": r"--sql \1",
    r"\bencoding='([\w-]+)'": r"--encoding \1",
    r"\b(estimate|smoothing)='?([\w.]+)'?": r"--\1 \2",
}


class Refused(Exception):  # noqa: N818 # a user is refused, nothing has failed
    """Something about the input that a user can mend, in the words of the command line."""


def show(found: "Printed", as_json: bool, aside: bool = False, written: str | None = None, **named: str) -> None:
    """What a command has found, as text or as JSON; JSON has `named` besides.

    The text is an `aside`, on stderr, where the data of the command is something else, such as the file `written`.
    """
    if as_json:
        show_plain(found.description().plain() | named | ({"written": written} if written else {}))
    else:
        print(found, file=sys.stderr if aside else sys.stdout)
        say(*([f"written to {written}"] if written else []))


def show_plain(data: Mapping[str, Any]) -> None:
    print(json_text(data, indent=2))


def show_text(name: str, text: str, as_json: bool) -> None:
    """A text that stands alone, which has this name in JSON."""
    show_plain({name: text}) if as_json else print(visible(text))


def show_data(name: str, text: str, as_json: bool) -> None:
    """The same of a text for other programs, which is written as it is, in UTF-8 as files are."""
    if as_json:
        show_plain({name: text})
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(f"{text}\n".encode(errors="surrogateescape"))


def show_written(path: str, as_json: bool, **named: float) -> None:
    """Where a command has put its data, and numbers about it; nothing where the data is on stdout."""
    if path != STANDARD:
        show_plain({**named, "written": path}) if as_json else say(f"written to {path}")


def say(*lines: object) -> None:
    """To whoever runs the command, a line each; stdout stays data."""
    for line in lines:
        print(visible(as_typed(str(line))), file=sys.stderr)


def as_typed(message: str) -> str:
    """A message without paths that nobody has typed."""
    for path, name in UNTYPED.items():
        message = message.replace(repr(path), name).replace(path, name)
    return message


@contextmanager
def hints() -> Iterator[None]:
    """What the library warns of, said in a line each, once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        finally:
            say(*dict.fromkeys(f"note: {as_options(str(warning.message))}" for warning in caught))


def as_options(message: str) -> str:
    """A message of the library with parameters as they are typed here: --kind year=poisson."""
    for parameter, option in OPTIONS.items():
        message = re.sub(parameter, option, message)
    return message
