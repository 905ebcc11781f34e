"""Stage 0, JSON: names and numbers as text that every reader of JSON takes.

In:  plain data. Out: text, in which names of any script are readable, and null stands where a number is infinite or
     none, because JSON has no form for those. What a terminal would obey is spelled out, and read back as it was.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from datetime import date, time

from suffice.words import CONTROLS, HALVES

OBEYED = re.compile(f"[{re.escape(''.join(map(chr, (*CONTROLS[0x20:], *HALVES))))}]")  # JSON itself sees to the others

Plain = Mapping[str, "Plain"] | Sequence["Plain"] | str | float | date | time | None


def finite(data: Plain) -> Plain:
    """The same data with None in place of numbers that are infinite or none."""
    if isinstance(data, Mapping):
        return {key: finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [finite(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data


def json_text(data: Plain, indent: int | None = None) -> str:
    text = json.dumps(finite(data), ensure_ascii=False, allow_nan=False, indent=indent, default=str)
    return OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
