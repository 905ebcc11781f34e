"""What a fitted model says, as plain names and numbers; every face renders this and computes nothing again.

In:  a Joint and the Summary it was fitted from.
Out: Description: a headline, the classes, and a table for each column or group of columns, in the order of the table.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from suffice.arrays import Array
from suffice.data.kinds import BINOMIAL, KINDS
from suffice.data.levels import Level
from suffice.data.schema import BlockPlan, ColumnPlan
from suffice.families.gaussian.densities import CORRELATION
from suffice.model.joint import Joint
from suffice.model.summary import Summary
from suffice.printing.description import Description, Name, Series, Sheet, Text, sizes
from suffice.printing.language import word, worded
from suffice.printing.numbers import amount, fixed, quantity

MOST_TABLES, MOST_WORDS = 40, 5
BY_VALUE = {"failure": "0", "success": "1"}  # of a column that is binary


def describe(
    name: str, joint: Joint, summary: Summary | None, settings: Sequence[Text], more: Sequence[Sheet] = ()
) -> Description:
    """A model by its components; `more` stands below its columns."""
    return listing(name, joint, summary, settings, [*column_tables(joint), *more])


def listing(
    name: str, joint: Joint, summary: Summary | None, settings: Sequence[Text], tables: Sequence[Sheet]
) -> Description:
    """The headline, how common each class is, and tables; of very many the first."""
    by_class = len(joint.components) == len(joint.classes) > 1 or joint.owners is None
    many = {"class" if by_class else "component": len(joint.components), "column": len(joint.schema.columns)}
    headline = (name, *sizes(({"row": summary.n} if summary else {}) | many), *settings)
    tree = [joint.tree.description().tables[0]] if joint.tree else []
    left = len(tables) - MOST_TABLES
    note: list[Text] = [word("… and {n} more; {where} has them all", n=left, where="tables()")] if left > 0 else []
    parts: list[Sheet | list[Text]] = [_prevalence(joint, summary, by_class), *tree, *tables[:MOST_TABLES]]
    parts += [note] if note else []
    return Description(headline, parts)


def _prevalence(joint: Joint, summary: Summary | None, by_class: bool) -> Sheet:
    rows = [] if summary is None else [Series(word("rows"), summary.statistics.weight, amount)]
    share = Series(word("prior") if by_class else word("weight"), joint.prevalence)
    return Sheet(word("class") if by_class else word("component"), joint.components, [*rows, share])


def column_tables(joint: Joint) -> list[Sheet]:
    """In the order of the columns of the user's table."""
    place = {name: at for at, name in enumerate(joint.schema.names)}
    found = [
        (place[names[0]], table)
        for block, tables in zip(joint.schema.blocks, joint.block_tables(), strict=True)
        for names, table in _of_block(joint, block, tables)
    ]
    return [table for _, table in sorted(found, key=lambda pair: pair[0])]


def _of_block(
    joint: Joint, block: BlockPlan, tables: Mapping[str, Mapping[str, Array]]
) -> Iterator[tuple[tuple[str, ...], Sheet]]:
    if block.words:
        yield from ((block.names, _most_frequent(joint, table)) for table in tables.values())
    elif block.together:
        for title, table in tables.items():
            if title.startswith(CORRELATION) and title.removeprefix(CORRELATION) in tables:
                yield from ((block.names, matrix) for matrix in _correlations(joint, block.names, list(table.values())))
            else:
                yield block.names, _jointly(joint, block, title, table)
    else:
        for column, (title, table) in zip(block.columns, tables.items(), strict=True):
            yield (column.name,), _of_column(joint, column, title, table)


def _of_column(joint: Joint, column: ColumnPlan, title: str, table: Mapping[str, Array]) -> Sheet:
    corner = word("{name} ({kind})", name=title, kind=worded(column.described))
    parent = joint.tree.parents.get(column.name) if joint.tree else None
    given = [f" | {parent}={level}" for level in _levels(joint, parent)] if parent else []
    if any(heading.endswith(end) for heading in table for end in given):
        return _given(joint, column, corner, given, table)
    return Sheet(corner, joint.components, _series(column, table, parent))


def _levels(joint: Joint, name: str) -> tuple[Level, ...]:
    return next(column.levels for column in joint.schema.columns if column.name == name)


def _given(joint: Joint, column: ColumnPlan, corner: Text, given: Sequence[str], table: Mapping[str, Array]) -> Sheet:
    """A row for each class and level of the parent."""
    headings = dict.fromkeys(head.removesuffix(given[0]) for head in table if head.endswith(given[0]))
    stacked = {head: np.stack([table[head + end] for end in given], axis=1).ravel() for head in headings}
    stubs = [f"{name}{end}" for name in joint.components for end in given]
    return Sheet(corner, stubs, _series(column, stacked), most=MOST_TABLES)


def _series(column: ColumnPlan, table: Mapping[str, Array], parent: str | None = None) -> list[Series]:
    """A number for each level, under the user's names; or parameters under ours, mean and deviation as one."""
    if KINDS[column.kind].counted:
        ours = {} if column.kind != BINOMIAL else BY_VALUE if column.numbers == (1,) else {h: word(h) for h in BY_VALUE}
        order = [heading for heading in ours if heading in table] or list(table)
        return [Series(ours.get(heading, heading), table[heading], name=heading) for heading in order]
    if {"mean", "sd"} <= set(table):
        both = Series(word("mean ± sd"), table["mean"], quantity, table["sd"], "mean", "sd")
        return [both, *_series(column, {name: table[name] for name in table if name not in ("mean", "sd")})]
    along: dict[str, Text] = {
        f"at {parent}=0": word("at {name}=0", name=parent),
        f"for each {parent}": word("for each {name}", name=parent),
    }
    return [Series(along.get(name) or worded(name), values, name=name) for name, values in table.items()]


def _jointly(joint: Joint, block: BlockPlan, title: str, table: Mapping[str, Array]) -> Sheet:
    """Columns modelled together, side by side; one by one where they have more than means and deviations."""
    if set(table) != {f"{heading} {name}" for name in block.names for heading in ("mean", "sd")}:
        corner = word("{name} ({kind})", name=title, kind=word("jointly Gaussian"))
        return Sheet(corner, joint.components, [Series(worded(name), table[name], name=name) for name in table])
    columns = [
        Series(name, table[f"mean {name}"], quantity, table[f"sd {name}"], f"mean {name}", f"sd {name}")
        for name in block.names
    ]
    return Sheet(word("mean ± sd (jointly Gaussian)"), joint.components, columns)


def _correlations(joint: Joint, names: Sequence[str], pairs: Sequence[Array]) -> Iterator[Sheet]:
    """A matrix for each class, or one where all share it."""
    matrices = np.tile(np.eye(len(names)), (len(joint.components), 1, 1))
    for (i, j), values in zip(combinations(range(len(names)), 2), pairs, strict=True):
        matrices[:, i, j] = matrices[:, j, i] = values
    shared = bool((matrices == matrices[:1]).all())
    whose: list[Name] = [word("all")] if shared else list(joint.components)
    for name, matrix in zip(whose, matrices, strict=False):
        columns = [Series(other, row, fixed(2)) for other, row in zip(names, matrix, strict=True)]
        yield Sheet(word("correlation ({name})", name=name), list(names), columns)


def _most_frequent(joint: Joint, table: Mapping[str, Array]) -> Sheet:
    words, shares = list(table), np.stack(list(table.values()), axis=1)  # (K, words)
    best = np.argsort(-shares, axis=1, kind="stable")[:, :MOST_WORDS]
    texts = [quantity(row) for row in np.take_along_axis(shares, best, axis=1)]
    lines = [
        ", ".join(f"{words[j]} {text}" for j, text in zip(some, told, strict=True))
        for some, told in zip(best, texts, strict=True)
    ]
    corner = word("{n} column of counts|{n} columns of counts", n=len(words))
    return Sheet(corner, joint.components, [Series(word("most frequent"), lines)])
