"""Stage 3, cells that are not there: filled in from those that are, and whole rows drawn.

In:  a Joint and a table with missing cells; or components to draw rows from.
Out: a table of the same form. Given its component a cell of a column by itself does not depend on the others; among
     columns modelled together it follows from those by regression.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from suffice.arrays import Array, Codes, Values, softmax
from suffice.data.blocks import cut
from suffice.data.frames import Library, columns_out
from suffice.data.kinds import KINDS
from suffice.data.schema import BlockPlan, Schema
from suffice.data.table import Table
from suffice.errors import ParameterError
from suffice.families.protocol import Block
from suffice.model.joint import Joint
from suffice.options import Seed, generator, switch

LARGEST = 2.0**63  # beyond which no integer of 64 bits is


def imputed(joint: Joint, table: Table, draw: bool, seed: Seed) -> Any:
    if not joint.plug_in:
        raise ParameterError("Filling in cells needs known parameters: use estimate='map' or another plug-in estimate.")
    draw, rng = switch(draw, "draw"), generator(seed)
    logs = joint.log_components(table, "ignore")
    shares = softmax(logs)  # (N, K)
    columns: dict[str, list[Values]] = {column.name: [] for column in joint.schema.columns}
    for rows, blocks in cut(table, joint.schema, "ignore"):
        which = _drawn(shares[rows], rng) if draw else None
        density = joint.density
        by = [plan.transform for plan in joint.schema.blocks]
        full = density.filled(blocks, shares[rows], by) if which is None else density.refilled(blocks, which, rng)
        for plan, block in zip(joint.schema.blocks, full, strict=True):
            for name, cells in _named(plan, block).items():
                columns[name].append(cells)
    return table.filled({name: np.concatenate(parts) for name, parts in columns.items()})


def sampled(joint: Joint, components: Codes, rng: np.random.Generator, schema: Schema, library: Library | None) -> Any:
    """Rows of those components; columns that the model left out are missing."""
    blocks = joint.density.sample(components, rng)
    columns: dict[str, Values] = {name: np.full(len(components), np.nan) for name in schema.names}
    for plan, block in zip(joint.schema.blocks, blocks, strict=True):
        counts = KINDS[plan.kind].discrete and not plan.categorical
        columns |= {name: _as_integers(cells) if counts else cells for name, cells in _named(plan, block).items()}
    if schema.named:
        return columns_out(library, columns)
    cells = [np.asarray(columns[name]) for name in schema.names]
    numeric = all(some.dtype.kind in "fiub" for some in cells)
    return np.stack([some.astype(float if numeric else object) for some in cells], axis=1)


def _as_integers(cells: Values) -> Values:
    """Whole numbers as integers, unless one is beyond them."""
    return cells.astype(np.int64) if np.abs(cells).max(initial=0.0) < LARGEST else cells


def _drawn(shares: Array, rng: np.random.Generator) -> Codes:
    """A component for each row."""
    ladder = np.cumsum(shares, axis=1)
    return np.asarray(
        np.minimum((ladder < rng.random((len(shares), 1)) * ladder[:, -1:]).sum(axis=1), shares.shape[1] - 1)
    )


def _named(plan: BlockPlan, block: Block) -> Mapping[str, Values]:
    """The columns of a block as the user's table has them."""
    if plan.categorical:
        pairs = zip(plan.columns, block.T, strict=True)
        return {column.name: np.array(column.levels)[codes] for column, codes in pairs}
    cells = block if plan.transform is None else plan.transform.back(block)
    return {name: cells[:, j] for j, name in enumerate(plan.names)}
