"""What commands print: data on stdout, as text or JSON; words to whoever runs them on stderr.

In:  anything with a description, or plain names and numbers. Out: lines.
"""

import json
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from suffice.printing.printed import Printed


class Refused(Exception):  # noqa: N818 # a user is refused, nothing has failed
    """Something about the input that a user can mend, in the words of the command line."""


def show(found: "Printed", as_json: bool) -> None:
    """A description, as text or as JSON."""
    show_plain(found.description().plain()) if as_json else print(found)


def show_plain(data: Mapping[str, Any]) -> None:
    print(json.dumps(data, ensure_ascii=False, indent=2, default=str))


def say(*lines: object) -> None:
    """To whoever runs the command; stdout stays data."""
    for line in lines:
        print(line, file=sys.stderr)


@contextmanager
def hints() -> Iterator[None]:
    """What the library warns of, said in a line each, once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        finally:
            say(*dict.fromkeys(f"note: {warning.message}" for warning in caught))
