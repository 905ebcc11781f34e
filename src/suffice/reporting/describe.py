"""What a fitted model says, as plain names and numbers; every face renders this and computes nothing again.

In:  a Joint and the Summary it was fitted from.
Out: Description: a headline, the classes, and a table for each column or group of columns.
"""

from dataclasses import dataclass
from typing import Any

from suffice.arrays import Array
from suffice.data.kinds import COUNTS, JOINT
from suffice.families.gaussian.densities import CORRELATION
from suffice.model.joint import Joint
from suffice.model.summary import Summary, counted

CORRELATIONS = "correlations"
KINDS_OF_GROUPS = {JOINT: "jointly Gaussian", COUNTS: "counts"}


@dataclass(frozen=True, eq=False)
class ColumnTable:
    title: str
    kind: str
    values: dict[str, Array]  # heading → (K,)


@dataclass(frozen=True, eq=False)
class Description:
    headline: tuple[str, ...]
    noun: str  # what the rows of the tables are: classes or components
    classes: tuple[Any, ...]
    weight: Array | None  # (K,) rows of each class; None where parameters were given
    prevalence: Array  # (K,)
    tables: tuple[ColumnTable, ...]


def describe(name: str, joint: Joint, summary: Summary | None, settings: tuple[str, ...]) -> Description:
    noun = "class" if len(joint.components) == len(joint.classes) > 1 or joint.owners is None else "component"
    amounts = {"row": summary.n} if summary else {}
    amounts |= {noun: len(joint.components), "column": len(joint.schema.columns)}
    headline = (name, *(counted(number, noun) for noun, number in amounts.items()), *settings)
    weight = summary.statistics.weight if summary else None
    return Description(headline, noun, joint.components, weight, joint.prevalence, tuple(column_tables(joint)))


def column_tables(joint: Joint) -> list[ColumnTable]:
    out = []
    for block, tables in zip(joint.schema.blocks, joint.block_tables(), strict=True):
        group = [
            CORRELATIONS if _of_another(title, tables) else KINDS_OF_GROUPS.get(block.kind, "") for title in tables
        ]
        kinds = group if block.together else [column.described for column in block.columns]
        out += [ColumnTable(title, kind, tables[title]) for title, kind in zip(tables, kinds, strict=True)]
    return out


def _of_another(title: str, tables: dict[str, Any]) -> bool:
    """Whether a table has the correlations of the columns in another one."""
    return title.startswith(CORRELATION) and title.removeprefix(CORRELATION) in tables
