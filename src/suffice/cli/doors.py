"""What every command refuses before it does anything: outputs that are inputs, names and numbers that are none.

In:  a command, and what was typed for each of its parameters, whose types say which are files that it reads or writes.
Out: nothing; or Refused, before anything is read.
"""

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args, get_type_hints

from suffice.cli.options import KEEPS, READS, WRITES
from suffice.cli.output import STANDARD, Refused

STDIN, STDOUT = 0, 1  # descriptors
Typed = str | float | list[str] | None  # what was typed for a parameter
LARGEST = sys.maxsize  # what a whole number of a row, fold or seed can be


def refuse_misuse(command: Callable[..., None], given: Mapping[str, Any]) -> None:
    """What would destroy an input, or means nothing, whatever the command."""
    hints = get_type_hints(command, include_extras=True)
    typed = {name: (_spelled(name, hints[name]), get_args(hints[name])[1:], value) for name, value in given.items()}
    for spelled, marks, value in typed.values():
        for one in value if isinstance(value, list) else [value]:
            _refuse_odd(spelled, marks, one)
    read, written = (
        [one for _, marks, value in typed.values() if {*marks} & {*wanted} for one in _each(value)]
        for wanted in ([READS], [WRITES, KEEPS])
    )
    _refuse_overwriting(read, written)


def _each(value: Typed) -> list[str]:
    """The texts that were typed for a parameter, if any."""
    return [value] if isinstance(value, str) else value if isinstance(value, list) else []


def _spelled(name: str, hint: Any) -> str:
    """A parameter as users know it: -o, --fail-under, TABLE."""
    info = next(part for part in get_args(hint)[1:] if hasattr(part, "param_decls"))
    option = f"--{name.replace('_', '-')}" if type(info).__name__ == "OptionInfo" else info.metavar or name.upper()
    return next(iter(info.param_decls or ()), option)


def _refuse_odd(spelled: str, marks: Sequence[str], value: Typed) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise Refused(f"{spelled} takes a finite number; found {value}")
    if isinstance(value, int) and abs(value) > LARGEST:
        raise Refused(f"{spelled} takes a whole number of at most {LARGEST}; found {value}")
    if isinstance(value, str) and "\0" in value:
        raise Refused(f"{spelled} holds a NUL character, which no name can; found {value!r}")
    if value == "" and {READS, WRITES, KEEPS} & {*marks}:
        raise Refused(f"{spelled} is empty; name a file")
    if value == STANDARD and KEEPS in marks:
        raise Refused(f"{spelled} {STANDARD} is not possible: models and summaries go to a file; name one")


def _refuse_overwriting(read: list[str], written: list[str]) -> None:
    """Neither by -o nor by >, which the shell has opened before."""
    from suffice.data.files import refuse_among
    from suffice.store import refuse_overwriting

    if read.count(STANDARD) > 1:
        raise Refused("stdin can stand for one input only; name files for the others")
    files = [path for path in written if path != STANDARD]
    refuse_overwriting([*files, STDOUT], _files_of(read))
    refuse_among(files, [path for path in read if path != STANDARD])


def _files_of(read: list[str]) -> Iterator[Path | int]:
    from suffice.data.files import found
    from suffice.errors import NoFileError

    for given in read:
        if given == STANDARD:
            yield STDIN
        with suppress(NoFileError, OSError):  # whoever reads it says so
            yield from found([given])
