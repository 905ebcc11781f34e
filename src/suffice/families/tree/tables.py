"""What a tree says, as tables: a column each, whose headings say given which level, or along which number."""

from collections.abc import Sequence

from suffice.arrays import Array
from suffice.families.protocol import Names, Tables
from suffice.families.tree.nodes import Category, Leaf, Place, Regression


def tables_of(
    categories: Sequence[Category], leaves: Sequence[Leaf], regressions: Sequence[Regression], names: Sequence[Names]
) -> list[Tables]:
    """Of each block, in the order of its columns."""

    def given(parent: int) -> list[str]:
        if parent < 0:
            return [""]
        block, at = categories[parent].place
        return [f" | {names[block][at]}={level}" for level in categories[parent].levels]

    found: dict[Place, dict[str, Array]] = {}
    out: list[Tables] = [{} for _ in names]
    for category in categories:
        found[category.place] = _probabilities(category, given(category.parent))
    for leaf in leaves:
        titled = _by_level(leaf, [names[leaf.block][at] for at in leaf.columns], given(leaf.parent))
        if leaf.density.independent:
            found |= {(leaf.block, at): table for at, table in zip(leaf.columns, titled.values(), strict=True)}
        else:
            out[leaf.block] = titled
    for arc in regressions:
        found[arc.child] = _line(arc, names[arc.parent[0]][arc.parent[1]])
    for (block, at), table in sorted(found.items(), key=lambda item: item[0]):
        out[block][names[block][at]] = table
    return out


def _probabilities(category: Category, given: Sequence[str]) -> dict[str, Array]:
    places = [(p, s) for p in range(len(given)) for s in range(category.size)]
    return {f"{category.levels[s]}{given[p]}": category.probability[:, p, s] for p, s in places}


def _by_level(leaf: Leaf, titles: list[str], given: Sequence[str]) -> Tables:
    tables = [density.tables(titles) for density, _ in zip(leaf.by_level, given, strict=False)]
    return {
        title: {
            f"{head}{text}": part
            for table, text in zip(tables, given, strict=True)
            for head, part in table[title].items()
        }
        for title in tables[0]
    }


def _line(arc: Regression, parent: str) -> dict[str, Array]:
    """The number expected where its parent is 0, what it gains with each unit of it, and the spread around that."""
    start = arc.mean[:, 0] - arc.slope * arc.mean[:, 1]
    return {f"at {parent}=0": start, f"for each {parent}": arc.slope, "sd": arc.variance**0.5}
