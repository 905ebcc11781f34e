"""Stage 3, summaries as earlier versions wrote them: the same arrays, by the names that they have now.

In:  the arrays of a file, and its schema.
Out: the same arrays. What rows say of cells in other units, such as ln x, used to stand under "inner", with their
     volume beside it, also where a column was kept by level of another.
"""

from collections.abc import Mapping, Sequence

from suffice.arrays import Array
from suffice.data.schema import BlockPlan, Schema

INNER = "inner/"


def as_now(
    schema: Schema, categories: int, others: Sequence[BlockPlan], arrays: Mapping[str, Array]
) -> dict[str, Array]:
    """The arrays by their present names; pairs are kept of so many categories, and by their levels of the others."""
    turned = [i for i, block in enumerate(schema.blocks) if block.transform is not None]
    out = dict(arrays)
    if not any(f"{i}/volume" in arrays for i in turned):
        return out
    for i in turned:
        out[f"volume/{i}/logs"] = out.pop(f"{i}/volume")
    for i, block in enumerate(others):
        for j in range(categories if block.transform is not None else 0):
            out.pop(f"pairs/given/{j}/{i}/volume", None)
    return {_without_inner(name): array for name, array in out.items()}


def _without_inner(name: str) -> str:
    """The name of an array of the block's own family."""
    where, _, own = name.partition(INNER)
    return where + own if own else name
