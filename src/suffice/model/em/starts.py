"""Stage 3, where EM begins: memberships of the rows, drawn or given.

In:  blocks of rows, the families of the pieces, pooled statistics of all rows, and what labels say.
Out: memberships. Rows far apart become the first members of components (k-means++), in columns that all count alike:
     numbers in standard deviations, a category as far from another as two numbers that differ by √2 of them.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from suffice.arrays import Array, Codes, Values
from suffice.data.blocks import Blocks
from suffice.errors import ParameterError
from suffice.families.memberships import Memberships, memberships
from suffice.families.protocol import Block, Family, Statistics
from suffice.model.em.label_evidence import LabelEvidence

KMEANS, RANDOM = "kmeans", "random"
MOST_SEEDS = 20_000  # rows among which the first members are looked for

Families = tuple[Family[Statistics], ...]


def drawn_or_given(
    start: str | Values,
    blocks: Blocks,
    families: Families,
    label_evidence: LabelEvidence,
    weights: Array,
    rng: np.random.Generator,
) -> Memberships:
    """Memberships by one of the rules, each row among the components that its label allows."""
    possible = np.isfinite(label_evidence.log_table)[label_evidence.labels.codes]  # (N, K)
    if not isinstance(start, str) or start not in (KMEANS, RANDOM):
        found = given(start, *possible.shape)
        found = found if possible.all() else allowed(found, possible)
    elif start == KMEANS:
        found = nearest(blocks, families, possible, weights, rng)
    else:
        found = allowed(rng.standard_exponential(possible.shape), possible)
    return memberships(found, possible.shape[1], weights)


def allowed(found: Codes | Array, possible: NDArray[np.bool_]) -> Array:
    """Shares of the components that are possible; all alike in a row that has none of those."""
    shares = (np.eye(possible.shape[1])[found] if found.ndim == 1 else found) * possible
    shares = np.where(shares.any(axis=1, keepdims=True), shares, possible)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def given(start: str | Values, rows: int, components: int) -> Codes | Array:
    """Labels (N,) 0 … K − 1, or memberships (N, K)."""
    values = np.asarray(start)
    if values.shape == (rows,) and values.dtype.kind in "iub" and 0 <= values.min() <= values.max() < components:
        return values.astype(np.intp)
    if values.shape == (rows, components) and (values >= 0).all() and np.allclose(values.sum(axis=1), 1):
        return np.asarray(values / values.sum(axis=1, keepdims=True))
    raise ParameterError(
        f"start must be 'kmeans', 'random', a component 0 … {components - 1} for each of {rows} rows, or memberships "
        f"({rows}, {components}) that sum to 1; found {_described(start, values)}."
    )


def nearest(
    blocks: Blocks, families: Families, possible: NDArray[np.bool_], weights: Array, rng: np.random.Generator
) -> Codes | Array:
    """The component of each row whose first member is nearest, by k-means++ seeding among the rows it may have.

    Where there are fewer different rows than components, those with equal first members share what is nearest to them.
    """
    rows = len(possible)
    if not families:  # all columns are constant
        return np.asarray(possible / possible.sum(axis=1, keepdims=True))
    sample = np.sort(rng.choice(rows, MOST_SEEDS, replace=False)) if rows > MOST_SEEDS else np.arange(rows)
    embed = _embedding(families, _taken(blocks, sample))
    seeds = seeds_among(embed(_taken(blocks, sample)), possible[sample], weights[sample], rng)
    out = np.empty(rows, dtype=np.intp)
    for some, cells in blocks:
        out[some] = np.where(possible[some], squared(embed(cells), seeds), np.inf).argmin(axis=1)
    equal = (seeds[:, None, :] == seeds[None, :, :]).all(axis=2)  # (K, K)
    if equal.sum() == len(seeds):
        return out
    shares = equal[out] & possible
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _taken(blocks: Blocks, rows: Codes) -> tuple[Block, ...]:
    """The blocks of some rows, in order."""
    found = [
        [block[rows[(rows >= some.start) & (rows < some.stop)] - some.start] for block in cells]
        for some, cells in blocks
    ]
    parts = zip(*found, strict=True)
    return tuple(sparse.vstack(part) if sparse.issparse(part[0]) else np.concatenate(part) for part in parts)


def points_of(blocks: Blocks, families: Families) -> Array:
    """All rows as points."""  # (N, P)
    whole = _taken(blocks, np.arange(blocks.table.rows))
    return _embedding(families, whole)(whole)


def seeds_among(points: Array, possible: NDArray[np.bool_], weights: Array, rng: np.random.Generator) -> Array:
    """One row for each component, likely far from those of the components before it."""
    seeds = np.empty((possible.shape[1], points.shape[1]))
    away = np.full(len(points), np.inf)
    for k in range(len(seeds)):
        chance = weights * possible[:, k] * (1.0 if k == 0 else away)
        if not chance.sum() > 0:  # all rows are seeds already
            chance = weights * possible[:, k]
        seeds[k] = points[rng.choice(len(points), p=chance / chance.sum())]
        away = np.minimum(away, squared(points, seeds[k : k + 1])[:, 0])
    return seeds


def squared(points: Array, seeds: Array) -> Array:
    """Squared distances (n, K)."""
    return np.stack([((points - seed) ** 2).sum(axis=1) for seed in seeds], axis=1)


def _embedding(families: Families, sample: tuple[Block, ...]) -> Callable[[tuple[Block, ...]], Array]:
    """Rows as points in columns that all count alike; a missing cell is in the middle."""
    points = [family.embedding(block) for family, block in zip(families, sample, strict=True)]
    return lambda blocks: np.concatenate([of(block) for of, block in zip(points, blocks, strict=True)], axis=1)


def _described(start: str | Values, values: Values) -> str:
    return f"an array of shape {values.shape}" if values.ndim else repr(start)
