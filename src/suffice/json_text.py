"""Stage 0, JSON: names and numbers as text that every reader of JSON takes.

In:  plain data. Out: text, in which names of any script are readable, and null stands where a number is infinite or
     none, because JSON has no form for those.
"""

import json
import math
from collections.abc import Mapping, Sequence
from datetime import date, time

Plain = Mapping[str, "Plain"] | Sequence["Plain"] | str | float | date | time | None


def finite(data: Plain) -> Plain:
    """The same data with None in place of numbers that are infinite or none."""
    if isinstance(data, Mapping):
        return {key: finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [finite(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data


def json_text(data: Plain, indent: int | None = None) -> str:
    return json.dumps(finite(data), ensure_ascii=False, allow_nan=False, indent=indent, default=str)
