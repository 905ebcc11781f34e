"""Stage 3, summaries as earlier versions wrote them: the same arrays, by the names that they have now.

In:  the arrays of a file, and its schema.
Out: the same arrays. What rows say of cells in other units, such as ln x, used to stand under "inner", with their
     volume beside it, also where a column was kept by level of another.
"""

from collections.abc import Mapping

from suffice.arrays import Array
from suffice.data.schema import Schema
from suffice.model.pairs import Layout

INNER = "inner/"


def as_now(schema: Schema, arrays: Mapping[str, Array]) -> dict[str, Array]:
    turned = [i for i, block in enumerate(schema.blocks) if block.transform is not None]
    out = dict(arrays)
    if not any(f"{i}/volume" in arrays for i in turned):
        return out
    for i in turned:
        out[f"volume/{i}/logs"] = out.pop(f"{i}/volume")
    layout = Layout.of(schema)
    for i, block in enumerate(layout.others):
        for j in range(len(layout.categories) if block.transform is not None else 0):
            out.pop(f"pairs/given/{j}/{i}/volume", None)
    return {_without_inner(name): array for name, array in out.items()}


def _without_inner(name: str) -> str:
    """The name of an array of the block's own family."""
    where, _, own = name.partition(INNER)
    return where + own if own else name
