"""A Description as a statistician would read it in a terminal.

In:  names and numbers. Out: lines of text, aligned also where names are in Chinese, Japanese or Korean.
"""

import unicodedata
from collections.abc import Sequence

import numpy as np

from suffice.arrays import Array
from suffice.data.kinds import JOINT
from suffice.reporting.describe import CORRELATIONS, KINDS_OF_GROUPS, ColumnTable, Description

MEAN_SD = "mean ± sd"
MOST_TABLES, MOST_CLASSES, MOST_CELLS = 40, 20, 12


def render(description: Description) -> str:
    classes = [shortened(str(name)) for name in description.classes]
    pieces = [" · ".join(description.headline), _prevalence(description, classes)]
    pieces += [_column(table, classes) for table in description.tables[:MOST_TABLES]]
    left = len(description.tables) - MOST_TABLES
    if left > 0:
        pieces.append(f"… and {left} more; tables() has them all")
    return "\n\n".join(pieces)


def _prevalence(description: Description, classes: list[str]) -> str:
    weight = description.weight
    rows = {} if weight is None else {"rows": [f"{mass:,.6g}" for mass in weight]}
    shares = [number(share) for share in description.prevalence]
    heading = "prior" if description.noun == "class" else "weight"
    return aligned(description.noun, classes, rows | {heading: shares})


def _column(table: ColumnTable, classes: list[str]) -> str:
    if table.kind == "counts":
        return _most_frequent(table, classes)
    if table.kind == CORRELATIONS:
        return _correlations(table, classes)
    columns = _columns_of(table)
    if table.kind == KINDS_OF_GROUPS[JOINT] and any(name.startswith(MEAN_SD + " ") for name in columns):
        named = {name.removeprefix(MEAN_SD + " "): cells for name, cells in columns.items()}
        return aligned(f"{MEAN_SD} ({table.kind})", classes, named)
    return aligned(f"{table.title} ({table.kind})", classes, columns)


def _columns_of(table: ColumnTable) -> dict[str, list[str]]:
    joined = _means_with_spread(table.values) if "aussian" in table.kind else {}
    alone = {name: [number(value) for value in values] for name, values in table.values.items()}
    out = joined or alone
    shown = dict(list(out.items())[:MOST_CELLS])
    if len(out) > MOST_CELLS:
        shown[f"… {len(out) - MOST_CELLS} more"] = [""] * len(next(iter(out.values())))
    return shown


def _means_with_spread(values: dict[str, Array]) -> dict[str, list[str]]:
    """`mean x` and `sd x` read as one column; whatever else there is follows."""
    out: dict[str, list[str]] = {}
    for heading, numbers in values.items():
        spread = values.get(heading.replace("mean", "sd", 1))
        if heading.startswith("mean") and spread is not None:
            pairs = zip(numbers, spread, strict=True)
            out[heading.replace("mean", MEAN_SD, 1)] = [with_spread(m, s) for m, s in pairs]
        elif not heading.startswith("sd"):
            out[heading] = [number(value) for value in numbers]
    return out


def _correlations(table: ColumnTable, classes: list[str]) -> str:
    """Pairs of columns down, classes across; one column of numbers where all classes share them."""
    pairs, values = list(table.values), np.stack(list(table.values.values()))  # (pairs, K)
    columns = {"all classes": values[:, :1]} if (values == values[:, :1]).all() else {}
    columns = columns or {name: values[:, k : k + 1] for k, name in enumerate(classes)}
    return aligned("correlation", pairs, {name: [f"{v:.2f}" for v in some[:, 0]] for name, some in columns.items()})


def _most_frequent(table: ColumnTable, classes: list[str]) -> str:
    words, shares = list(table.values), np.stack(list(table.values.values()), axis=1)  # (K, words)
    best = np.argsort(-shares, axis=1, kind="stable")[:, :5]
    lines = [", ".join(f"{words[j]} {number(shares[k, j])}" for j in row) for k, row in enumerate(best)]
    return aligned(f"{len(words)} columns of counts", classes, {"most frequent": lines}, left=True)


def aligned(corner: str, stubs: Sequence[str], columns: dict[str, list[str]], left: bool = False) -> str:
    """A table as text: row names on the left, numbers flush right."""
    stubs, hidden = stubs[:MOST_CLASSES], len(stubs) - MOST_CLASSES
    stub_width = max(width(text) for text in (corner, *stubs))
    lines = [padded(corner, stub_width), *(padded(stub, stub_width) for stub in stubs)]
    for heading, cells in columns.items():
        texts = [shortened(heading), *cells[: len(stubs)]]
        widest = max(width(text) for text in texts)
        lines = [f"{line}  {padded(text, widest, left)}" for line, text in zip(lines, texts, strict=True)]
    lines += [f"… and {hidden} more"] if hidden > 0 else []
    return "\n".join(line.rstrip() for line in lines)


def number(value: float) -> str:
    """Four digits that matter, without exponents where they can be avoided."""
    return f"{value:.4f}" if value == 0 or 1e-3 <= abs(value) < 10 else f"{value:.4g}"


def with_spread(mean: float, deviation: float) -> str:
    """Both to the third digit of the deviation: 38.80 ± 2.67."""
    digits = 2 - int(np.floor(np.log10(deviation))) if 0 < deviation < np.inf else 4
    return f"{mean:.{digits}f} ± {deviation:.{digits}f}" if 0 <= digits <= 6 else f"{mean:.4g} ± {deviation:.3g}"


def width(text: str) -> int:
    """Columns of a terminal: wide characters take two, combining ones none."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def padded(text: str, columns: int, left: bool = True) -> str:
    space = " " * (columns - width(text))
    return text + space if left else space + text


def shortened(text: str, most: int = 32) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
